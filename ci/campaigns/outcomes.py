#!/usr/bin/env python3
"""Prints how decisions ended, from the events that perf tests print as JSON lines.

    ci/campaigns/outcomes.py [--markdown] CONDITION=FILE ..

A line for all tests under each condition, and one for each test under it. With --markdown the lines
for all come first.
"""

import json
import math
import statistics
import sys
from collections import Counter

GREEN = ("green", "improved")
NAMED = ("red", *GREEN, "unclear", "unstable")
MISRATE = 0.05


class Decisions:
    """Decisions of one kind: their reasons, and what each took."""

    def __init__(self):
        self.reasons, self.seconds, self.measurements, self.ratios = Counter(), [], [], []

    def add(self, event):
        judged = event.get("perftest")
        self.reasons[ended(event)] += 1
        self.seconds.append(event["exec_time"])
        self.measurements.append((judged or {}).get("measurements", 0))
        ratio = (judged or {}).get("ratio")
        if ratio is not None:
            self.ratios.append(ratio)

    def count(self):
        return len(self.seconds)


def ended(event):
    """The reason of a decision."""
    judged = event.get("perftest")
    return "body failed" if judged is None else judged.get("verdict", "smoke")


def bounds(hits, count):
    """The exact bounds of a rate by Clopper and Pearson."""
    tail = MISRATE / 2
    # P(X >= hits) grows with the share, P(X <= hits) falls.
    lower = 0.0 if hits == 0 else share_where(lambda p: 1 - at_most(hits - 1, count, p) < tail)
    upper = 1.0 if hits == count else share_where(lambda p: at_most(hits, count, p) > tail)
    return lower, upper


def at_most(hits, count, share):
    """Probability of so many hits or fewer of `count`, each with this probability."""
    log = lambda k: (math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
                     + k * math.log(share) + (count - k) * math.log1p(-share))
    return math.fsum(math.exp(log(k)) for k in range(hits + 1))


def share_where(is_below):
    """The share up to which `is_below` holds, by halving."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2


def p90(values):
    """What nine in ten do not exceed."""
    return sorted(values)[math.ceil(0.9 * len(values)) - 1]


def events(path):
    """The events of a file that end a decision."""
    for line in open(path):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("type") == "test" and event.get("event") in ("ok", "failed"):
            yield event


def read(path):
    """The decisions of a file by test, those on all of them under None."""
    by_test = {None: Decisions()}
    for event in events(path):
        by_test[None].add(event)
        by_test.setdefault(event["name"], Decisions()).add(event)
    return by_test


def tests(by_test):
    """All tests together, then each by name."""
    return [("all", by_test[None])] + [(name, by_test[name]) for name in sorted(filter(None, by_test))]


def percent(share):
    """In percent: one figure behind the point, two below 10%, none where it is whole."""
    share *= 100
    return f"{share:.0f}%" if share in (0, 100) else f"{share:.2f}%" if share < 10 else f"{share:.1f}%"


def markdown(conditions):
    print("| condition | test | decisions | red | green | unclear | unstable | no verdict | red rate "
          "| 95% interval | seconds | p90 | measurements |")
    print("| --- " * 2 + "| ---: " * 11 + "|")
    lines = [(condition, name, it) for condition, by_test in conditions for name, it in tests(by_test)]
    for condition, name, it in sorted(lines, key=lambda line: line[1] != "all"):
        lower, upper = bounds(it.reasons["red"], it.count())
        green = sum(it.reasons[reason] for reason in GREEN)
        other = it.count() - sum(it.reasons[reason] for reason in NAMED)
        cells = [condition, name if name == "all" else f"`{name}`", it.count(), it.reasons["red"],
                 green, it.reasons["unclear"], it.reasons["unstable"], other,
                 percent(it.reasons["red"] / it.count()), f"{percent(lower)} to {percent(upper)}",
                 f"{statistics.median(it.seconds):.3f}", f"{p90(it.seconds):.3f}",
                 f"{statistics.median(it.measurements):.0f}"]
        print("| " + " | ".join(map(str, cells)) + " |")


def text(conditions):
    for condition, by_test in conditions:
        print(f"{condition:<14} {'median s':>9} {'p90 s':>8} {'max s':>8} {'measurements':>13} {'ratio':>7}  outcomes")
        for name, it in tests(by_test):
            outcomes = ", ".join(f"{reason} {count}" for reason, count in sorted(it.reasons.items()))
            ratio = f"{statistics.median(it.ratios):.3f}" if it.ratios else "-"
            print(f"{name:<14} {statistics.median(it.seconds):9.3f} {p90(it.seconds):8.3f} "
                  f"{max(it.seconds):8.3f} {statistics.median(it.measurements):13.0f} {ratio:>7}  {outcomes}")
        reasons = by_test[None].reasons
        print(f"reds: {reasons['red']} of {by_test[None].count()} decisions")


def main(arguments):
    draw = markdown if "--markdown" in arguments else text
    named = [it.partition("=")[::2] for it in arguments if it != "--markdown"]
    conditions = [(condition, read(path)) for condition, path in named]
    empty = [condition for condition, by_test in conditions if by_test[None].count() == 0]
    if empty or not conditions:
        sys.exit(f"no decision was made: {', '.join(empty) or 'no file was named'}")
    draw(conditions)
    failed = [f"{by_test[None].reasons['body failed']} of {condition}"
              for condition, by_test in conditions if by_test[None].reasons["body failed"]]
    if failed:
        sys.exit(f"bodies failed, and are counted without a verdict: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
