#!/usr/bin/env python3
"""Prints how decisions ended and which bounds hold, from the events that perf tests print as JSON lines.

    ci/campaigns/bounds.py KIND:CONDITION=FILE ..

KIND says what the decisions must come to:

    unchanged      no red, and at most 1% without a verdict: the machine code of its baseline is one
    learning       no red
    slower-1.10    red in 95% of those on tests that tolerate less than the 10%; in 99% from 1.20 on

Exits with 1 when a bound is missed.
"""

import sys
from collections import Counter

from outcomes import GREEN, ended, events, percent

NO_VERDICT_SHARE = 0.01
# What answers whether unchanged code is slower.
ANSWERS = (*GREEN, "same_code")
# From which slowdown on which share is to be found.
FOUND_SHARES = ((1.20, 0.99), (1.00, 0.95))


def missed_by_unchanged(reasons):
    decisions = reasons.total()
    without = decisions - reasons["red"] - sum(reasons[reason] for reason in ANSWERS)
    yield from missed_by_learning(reasons)
    if without > NO_VERDICT_SHARE * decisions:
        yield f"{percent(without / decisions)} without a verdict, more than {percent(NO_VERDICT_SHARE)}"


def unanswered(decisions):
    """The decisions without an answer by test, reason and notes."""
    def notes(event):
        notes = (event.get("perftest") or {}).get("notes") or "no note"
        return notes if isinstance(notes, str) else "; ".join(map(str, notes))
    without = [event for event in decisions if ended(event) not in ("red", *ANSWERS)]
    return Counter((event["name"], ended(event), notes(event)) for event in without)


def missed_by_learning(reasons):
    if reasons["red"]:
        yield f"{reasons['red']} red, more than none"


def missed_by_slower(reasons, factor):
    wanted = next(share for least, share in FOUND_SHARES if factor >= least)
    found = reasons["red"] / reasons.total()
    if found < wanted:
        yield f"{percent(found)} red, less than {percent(wanted)}"


def read(kind, path):
    """The decisions that count for this kind."""
    decisions = list(events(path))
    if kind.startswith("slower-"):
        decisions = [event for event in decisions if 1 + tolerance(event) < factor_of(kind)]
    return decisions


def factor_of(kind):
    return float(kind.removeprefix("slower-"))


def missed_by(kind, reasons):
    """What of its bounds is missed."""
    if not reasons:
        return ["no decision was made"]
    if kind == "unchanged":
        return list(missed_by_unchanged(reasons))
    if kind == "learning":
        return list(missed_by_learning(reasons))
    return list(missed_by_slower(reasons, factor_of(kind)))


def tolerance(event):
    return (event.get("perftest") or {}).get("tolerance", 0)


def main(arguments):
    is_missed = False
    for argument in arguments:
        kind, _, named = argument.partition(":")
        condition, _, path = named.partition("=")
        if not path or not (kind in ("unchanged", "learning") or kind.startswith("slower-")):
            sys.exit(f"{argument} is not KIND:CONDITION=FILE\n{__doc__}")
        decisions = read(kind, path)
        reasons = Counter(map(ended, decisions))
        missed = missed_by(kind, reasons)
        shares = ", ".join(f"{reason} {count} ({percent(count / reasons.total())})"
                           for reason, count in reasons.most_common())
        print(f"{condition}: {reasons.total()} decisions: {shares}")
        print(f"    {'MISSED: ' + '; '.join(missed) if missed else 'holds'}")
        if missed and kind == "unchanged":
            for (test, reason, notes), count in unanswered(decisions).most_common():
                print(f"        {count} {test}: {reason}: {notes}")
        is_missed |= bool(missed)
    sys.exit(1 if is_missed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
