#!/usr/bin/env python3
"""Prints how comparisons of perftest and of tango ended, as a table.

    ci/campaigns/comparisons.py DIRECTORY CONDITION ..

Reads `CONDITION.perftest`, the lines of `cargo perftest compare --json`, and `CONDITION.tango`,
lines of tango with the seconds before them.
"""

import json
import re
import statistics
import sys
from collections import Counter
from pathlib import Path

from outcomes import bounds, p90, percent

# seconds, name, from .. to, by how much, and a star where that is significant to tango.
TANGO = re.compile(r"^([\d.]+) (\S+) .*\]\s+([+-][\d.]+)%(\*?)$")
TOLERANCE_PERCENT = 3.0
UNDECIDED = ("undecided", "unstable")
NOT_SLOWER = ("not_slower", "faster")


class Comparisons:
    """Comparisons of one test: their answers, and the seconds they took."""

    def __init__(self):
        self.answers, self.seconds = Counter(), []

    def add(self, answer, seconds):
        self.answers[answer] += 1
        if seconds is not None:
            self.seconds.append(seconds)

    def count(self):
        return self.answers.total()

    def total(self, answers):
        return sum(self.answers[answer] for answer in answers)

    def slower(self):
        """How many are slower, and the bounds of the rate."""
        slower = self.total(("slower", "slower_beyond_tolerance"))
        lower, upper = bounds(slower, self.count())
        return f"{slower}", f"{percent(lower)} to {percent(upper)}"

    def time(self):
        if not self.seconds:
            return "-", "-"
        return f"{statistics.median(self.seconds):.2f}", f"{p90(self.seconds):.2f}"


def with_perftest(line):
    answer = json.loads(line)
    return answer["benchmark"].split("::")[-1], answer["answer"], answer["seconds"]


def with_tango(line):
    answer = TANGO.match(line.strip())
    if answer is None:
        sys.exit(f"tango did not answer: {line.strip()}")
    seconds, test, difference, star = answer.groups()
    is_slower = star == "*" and float(difference) > 0
    is_beyond = is_slower and float(difference) > TOLERANCE_PERCENT
    outcome = "slower_beyond_tolerance" if is_beyond else "slower" if is_slower else "not_slower"
    return test, outcome, float(seconds)


def read(path, understand):
    """The comparisons of a file by test, all of them under `all`."""
    by_test = {}
    for line in path.read_text().splitlines():
        test, answer, seconds = understand(line)
        for name in (test, "all"):
            by_test.setdefault(name, Comparisons()).add(answer, seconds)
    if not by_test:
        sys.exit(f"no comparison was made: {path.name}")
    return by_test


def row(condition, test, ours, tango):
    rate, interval = ours.slower()
    theirs, their_interval = tango.slower()
    return [condition, test if test == "all" else f"`{test}`", ours.count(), rate, interval,
            ours.total(NOT_SLOWER), ours.total(UNDECIDED), ours.answers["failed"], *ours.time(),
            theirs, their_interval, tango.answers["slower_beyond_tolerance"], tango.time()[0]]


def main(directory, *conditions):
    print("| condition | test | comparisons | slower | 95% interval | not slower | not decided "
          "| failed | seconds | p90 | tango: slower | 95% interval | by over 3% | seconds |")
    print("| --- " * 2 + "| ---: " * 12 + "|")
    rows = []
    for condition in conditions:
        ours = read(Path(directory, f"{condition}.perftest"), with_perftest)
        tango = read(Path(directory, f"{condition}.tango"), with_tango)
        rows += [(test, row(condition, test, ours[test], tango[test])) for test in sorted(ours)]
    # All tests together under each condition, then each by name.
    for _, cells in sorted(rows, key=lambda named: named[0] != "all"):
        print("| " + " | ".join(map(str, cells)) + " |")


main(*sys.argv[1:])
