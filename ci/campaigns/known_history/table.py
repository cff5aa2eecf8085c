"""Counts, some of which are asked for."""


class Table:
    def __init__(self):
        self.failed = False

    def row(self, words, count, of, asked=None):
        """A count; `asked` decides whether it is good enough."""
        verdict = ""
        if asked is not None:
            is_good = asked(count, of)
            self.failed |= not is_good
            verdict = "  as asked" if is_good else "  NOT AS ASKED"
        share = f"{100 * count / of:6.1f}%" if of else "       -"
        print(f"{words:<58} {count:>5} of {of:<5} {share}{verdict}", flush=True)


def none(count, _):
    return count == 0


def every(count, of):
    return of > 0 and count == of


def almost_all(count, of):
    return of > 0 and count >= 0.99 * of


def most(count, of):
    return of > 0 and count >= 0.95 * of


def few(count, of):
    return count <= 0.05 * of
