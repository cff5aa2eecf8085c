"""Prints the events of measured tests as a table: the time of each, and how it grows with ten times as much."""

import json
import sys

UNITS = (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1))


def time(ns):
    unit, factor = next(it for it in UNITS if ns >= it[1] or it[1] == 1)
    return f"{ns / factor:.3g} {unit}"


def by_count(name):
    """The name without its number, and the number."""
    start, _, end = name.rpartition("::")
    return (start, int(end)) if end.isdigit() else (name, None)


times, rows = {}, []
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event.get("type") != "test" or "value" not in event.get("perftest", {}):
        continue
    test, count = by_count(event["name"])
    times[test, count] = event["perftest"]["value"]
    rows.append((test, count, event["perftest"]))
print("| test | of | median | smallest to largest | with ten times as much |")
print("|---|--:|--:|--:|--:|")
for test, count, value in sorted(rows, key=lambda row: (row[0], row[1] or 0)):
    before = times.get((test, count // 10)) if count else None
    growth = f"{value['value'] / before:.1f}x" if before else ""
    span = f"{time(value['value_lower'])} to {time(value['value_upper'])}"
    print(f"| `{test}` | {count or ''} | {time(value['value'])} | {span} | {growth} |")
