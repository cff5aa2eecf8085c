#!/usr/bin/env python3
"""Times whole processes of the same functions under several harnesses, in turn.

    ci/campaigns/green_cost.py TURNS DIVAN USUAL PADDED

The last three are executables. Started by ci/campaigns/green-cost.sh.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter

FUNCTIONS = ("parse", "sort")
# Runs before the first one that counts: perftest has a verdict from the sixth on, and one or two may be
# disturbed.
LEARNING = 8
JSON = ["-Z", "unstable-options", "--format", "json"]


def nextest(turn):
    """What nextest sets for each test's process."""
    return {"NEXTEST": "1", "NEXTEST_EXECUTION_MODE": "process-per-test", "NEXTEST_RUN_ID": f"run-{turn}"}


def run(command, environment):
    """Seconds of a whole process, and what it prints."""
    began = time.perf_counter()
    done = subprocess.run(command, text=True, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - began, done.stdout + done.stderr


def reason(printed):
    """How perftest's one test ended."""
    for line in printed.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("type") == "test" and event.get("event") in ("ok", "failed"):
            return event["perftest"]["reason"]
    sys.exit(f"perftest said nothing:\n{printed}")


def measure(turns, divan, usual, padded):
    """Milliseconds and ends by function and column."""
    columns = {
        "divan": lambda name, turn: ([divan, "--bench", "--color", "never", name], {}),
        "perftest": lambda name, turn: ([usual, *JSON, "--exact", name], {}),
        "perftest, nextest": lambda name, turn: ([usual, *JSON, "--exact", name], nextest(turn)),
        "200 MB, nextest": lambda name, turn: ([padded, *JSON, "--exact", name], nextest(turn)),
    }
    times, ends = {}, {}
    for turn in range(-LEARNING, turns):
        for name in FUNCTIONS:
            for column, command in columns.items():
                seconds, printed = run(*command(name, turn))
                if turn < 0:
                    continue
                times.setdefault((name, column), []).append(1e3 * seconds)
                if column != "divan":
                    ends.setdefault((name, column), Counter())[reason(printed)] += 1
    return times, ends


def main(turns, *executables):
    times, ends = measure(int(turns), *executables)
    print("| function | whole process | ms: median | ms: range | of divan | ended |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for (name, column), values in times.items():
        ratio = statistics.median(values) / statistics.median(times[name, "divan"])
        ended = ", ".join(f"{why} {count}" for why, count in ends.get((name, column), Counter()).most_common())
        print(f"| `{name}` | {column} | {statistics.median(values):.1f} | {min(values):.1f} to {max(values):.1f} "
              f"| {ratio:.2f} | {ended} |")
    for name in FUNCTIONS:
        more = statistics.median(times[name, "200 MB, nextest"]) - statistics.median(times[name, "perftest, nextest"])
        print(f"\n`{name}`: 200 MB cost {more:+.1f} ms a test", end="")
    print()


main(*sys.argv[1:])
