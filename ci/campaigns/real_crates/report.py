"""The report of a campaign, and which of its bounds hold."""

from collections import Counter

from lines import FASTER, SLOWER

# At most so many answers may say nothing of the code.
NO_VERDICT_SHARE = 0.02


def print_lines(lines):
    for line in lines:
        history = ", ".join(map(str, line.history))
        remarks = "; ".join(line.remarks())
        print(f"{line.commit:<22} {line.test:<14} truth {str(line.truth):<22} history {history:<48} "
              f"compare {str(line.compare):<18} {remarks}".rstrip())


def print_totals(lines):
    """Prints what the lines come to. The bounds that are missed, in words."""
    missed = []

    def bound(name, count, of, holds):
        share = f" ({100 * count / of:.1f}%)" if of else ""
        print(f"{name}: {count} of {of}{share}{'' if holds else '   MISSED'}")
        if not holds:
            missed.append(name)

    said = [answer for line in lines for answer in line.history]
    compared = [line.compare for line in lines]
    for name, answers in (("slower", SLOWER), ("faster", FASTER)):
        count = sum(len(line.false_in_history(answers)) for line in lines)
        bound(f"history, falsely {name}", count, len(said), count == 0)
        count = sum(line.is_false_in_compare(answers) for line in lines)
        bound(f"compare, falsely {name}", count, len(compared), count == 0)
    slower = [line for line in lines if line.is_clearly_slower()]
    for name, is_found in (("history", "is_found_by_history"), ("compare", "is_found_by_compare")):
        count = sum(getattr(line, is_found)() for line in slower)
        bound(f"{name}, slower by over twice the tolerance and found", count, len(slower),
              count == len(slower))
    for name, answers in (("history", said), ("compare", compared)):
        count = sum(not it.is_verdict() for it in answers)
        bound(f"{name}, without a verdict", count, len(answers),
              count <= NO_VERDICT_SHARE * len(answers))
        ends = Counter(it.answer for it in answers)
        print(f"  all answers: {', '.join(f'{answer} {n}' for answer, n in ends.most_common())}")
    return missed
