#!/usr/bin/env python3
"""Reads the functions of peers/overhead with each harness in turn and prints what they read.

    ci/campaigns/overhead.py REPEATS PERFTEST DIVAN CRITERION LOOP

The last four are the executables. Started by ci/campaigns/overhead.sh.
"""

import json
import re
import statistics
import subprocess
import sys
import time
from collections import Counter

FUNCTIONS = ("empty", "independent", "about_1_ns", "about_50_ns", "about_1_us")
# Runs before the first one that counts: perftest has a verdict from the sixth on, and one or two may
# be disturbed; criterion compares with the run before.
LEARNING = {"perftest": 7, "criterion": 1}
UNIT_NS = {"ps": 1e-3, "ns": 1.0, "µs": 1e3, "ms": 1e6}
NUMBER = r"([\d.]+) (ps|ns|µs|ms)"
# name, fastest, slowest, median
DIVAN = re.compile(rf"\w+\s+{NUMBER}\s+│\s+{NUMBER}\s+│\s+{NUMBER}")
# lower bound, estimate, upper bound
CRITERION = re.compile(rf"time:\s+\[{NUMBER} {NUMBER} {NUMBER}\]")


def in_ns(found, which):
    """The value of a pattern's `which`th number with unit, counted from 0."""
    number, unit = found.group(2 * which + 1, 2 * which + 2)
    return float(number) * UNIT_NS[unit]


def read_perftest(output):
    ended = [it for it in map(json.loads, output.splitlines())
             if it["type"] == "test" and it["event"] in ("ok", "failed")]
    return ended[0]["perftest"]["value"], ended[0]["perftest"]["verdict"]


def read_divan(output):
    return in_ns(DIVAN.search(output), 2), None


def read_criterion(output):
    return in_ns(CRITERION.search(output), 1), None


def read_loop(output):
    return float(output), None


HARNESSES = {
    "perftest": (["-Z", "unstable-options", "--format", "json", "--exact"], read_perftest),
    "divan": (["--bench", "--color", "never"], read_divan),
    "criterion": (["--bench", "--color", "never"], read_criterion),
    "loop": ([], read_loop),
}
SHOWN = {"loop": "a plain loop"}


def measure(harness, executable, function):
    """What the harness reads in nanoseconds, the seconds it takes and what else it says."""
    arguments, read = HARNESSES[harness]
    began = time.perf_counter()
    run = subprocess.run([executable, *arguments, function], text=True, capture_output=True)
    seconds = time.perf_counter() - began
    try:
        reading_ns, said = read(run.stdout)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        sys.exit(f"{harness} read nothing of {function}:\n{run.stdout}{run.stderr}")
    return reading_ns, seconds, said


def learn(executables):
    """Runs before those that count."""
    for harness, runs in LEARNING.items():
        for function in FUNCTIONS * runs:
            measure(harness, executables[harness], function)


def measure_all(repeats, executables):
    """The measurements of each function with each harness: all harnesses one after the other, so
    that they meet the same machine."""
    measured = {}
    for _ in range(repeats):
        for function in FUNCTIONS:
            for harness, executable in executables.items():
                it = measure(harness, executable, function)
                measured.setdefault((function, harness), []).append(it)
    return measured


def figure(value):
    """Three digits, or as many as stand before the point."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def summary(values):
    """The median, and the smallest and largest value."""
    return figure(statistics.median(values)), f"{figure(min(values))} to {figure(max(values))}"


def print_readings(measured):
    print("| function | read by | ns: median | ns: range | seconds: median | seconds: range |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for (function, harness), them in measured.items():
        readings_ns, seconds, _ = zip(*them)
        cells = [f"`{function}`", SHOWN.get(harness, harness), *summary(readings_ns), *summary(seconds)]
        print("| " + " | ".join(cells) + " |")


def print_verdicts(measured):
    said = Counter(it[2] for (_, harness), them in measured.items() if harness == "perftest" for it in them)
    summary = ", ".join(f"{reason} {count}" for reason, count in said.most_common())
    print(f"\nHow perftest's {said.total()} runs ended: {summary}.")


def print_ratios(rested, one_after_another):
    """The others' seconds as times of perftest's."""
    print("\nSeconds of the others as times of perftest's; the last column is of the processes one after another:\n")
    print("| function | criterion | divan | divan, one after another |")
    print("| --- | ---: | ---: | ---: |")
    for function in FUNCTIONS:
        times = [figure(times_of_perftest(them, function, harness))
                 for them, harness in ((rested, "criterion"), (rested, "divan"), (one_after_another, "divan"))]
        print(f"| `{function}` | " + " | ".join(times) + " |")


def times_of_perftest(measured, function, harness):
    """The harness's median seconds divided by perftest's."""
    seconds = (statistics.median(it[1] for it in measured[function, of]) for of in (harness, "perftest"))
    return next(seconds) / next(seconds)


def main(repeats, *executables):
    """Twice: between the processes of perftest and divan criterion measures for ten seconds or more, so that they find
    caches and pages as a process does that was not used for a while; then they run one after another."""
    executables = dict(zip(HARNESSES, executables, strict=True))
    learn(executables)
    rested = measure_all(int(repeats), executables)
    short = {harness: executables[harness] for harness in ("perftest", "divan")}
    one_after_another = measure_all(3 * int(repeats), short)
    print_readings(rested)
    print_verdicts(rested)
    print("\nOne after another, with nothing between them:\n")
    print_readings(one_after_another)
    print_ratios(rested, one_after_another)


main(*sys.argv[1:])
