"""A line of the report: a test at a commit, and whether what was said of it is true."""

from dataclasses import dataclass, field

# What the ends of decisions say, in history and in compare. All others say nothing of the code.
SLOWER = ("red", "slower")
FASTER = ("improved", "faster")
NEITHER = ("green", "not_slower", "same_code", "machine_slower")


@dataclass
class Said:
    """An answer, and the ratio that it rests on."""

    answer: str
    ratio: float | None

    def is_verdict(self):
        return self.answer in SLOWER + FASTER + NEITHER

    def __str__(self):
        return self.answer if self.ratio is None else f"{self.answer} {self.ratio:.3f}"


@dataclass
class Line:
    """What is true and what was said."""

    commit: str
    test: str
    tolerance: float
    # Against the commit before, and against each earlier one, whose level a history may still hold.
    truth: object = None
    earlier: list = field(default_factory=list)
    history: list = field(default_factory=list)
    compare: Said | None = None

    def is_clearly_slower(self):
        """Whether the truth is wholly beyond twice the tolerance."""
        return self.truth.lower > 1 + 2 * self.tolerance

    def may_be_slower(self, truth):
        return truth.upper > 1 + self.tolerance

    def may_be_faster(self, truth):
        return truth.lower < 1 / (1 + self.tolerance)

    def is_false(self, said, truths):
        """Whether it was called slower or faster, and no truth is so beyond the tolerance."""
        if said.answer in SLOWER:
            return not any(map(self.may_be_slower, truths))
        return said.answer in FASTER and not any(map(self.may_be_faster, truths))

    def false_in_history(self, answers):
        return [it for it in self.history if it.answer in answers and self.is_false(it, self.earlier)]

    def is_false_in_compare(self, answers):
        return self.compare.answer in answers and self.is_false(self.compare, [self.truth])

    def is_found_by_history(self):
        return any(it.answer in SLOWER for it in self.history)

    def is_found_by_compare(self):
        return self.compare.answer in SLOWER

    def remarks(self):
        """What is wrong in the line, in words."""
        if self.false_in_history(SLOWER):
            yield "false red"
        if self.false_in_history(FASTER):
            yield "false improvement"
        if self.is_clearly_slower() and not self.is_found_by_history():
            yield "missed by history"
        if not all(it.is_verdict() for it in self.history):
            yield "no verdict"
        if self.is_false_in_compare(SLOWER):
            yield "compare: false slower"
        if self.is_false_in_compare(FASTER):
            yield "compare: false faster"
        if self.is_clearly_slower() and not self.is_found_by_compare():
            yield "missed by compare"
        if not self.compare.is_verdict():
            yield "compare: no verdict"
