#!/usr/bin/env python3
"""Times whole processes of the same functions under two harnesses, in turn, and prints the table.

    ci/campaigns/green_cost.py TURNS WORK DIVAN USUAL PADDED

WORK is a directory for the histories, the last three are executables. Started by
ci/campaigns/green-cost.sh.
"""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter

FUNCTIONS = ("parse", "sort")
# Runs before the first one that counts: perftest has a verdict from the sixth on, and some may be
# disturbed.
LEARNING = 8
# divan takes as many, whatever they are like.
DIVAN_SAMPLES = 100
# An event tells how the test ended.
ARGUMENTS = ["-Z", "unstable-options", "--format", "json", "--exact"]
DIVAN, PERFTEST, NEXTEST, PADDED, BUILT = (
    "divan", "perftest", "perftest, nextest", "perftest, nextest, 200 MB", "perftest, just built")


def nextest(turn):
    """What nextest sets for the process of each test, one invocation a turn."""
    return {"NEXTEST": "1", "NEXTEST_EXECUTION_MODE": "process-per-test", "NEXTEST_RUN_ID": f"turn-{turn}"}


def build_id(executable):
    """The bytes by which the linker distinguishes this build from others."""
    notes = subprocess.run(["readelf", "-n", executable], text=True, capture_output=True, check=True).stdout
    return bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", notes).group(1))


def just_built(executable, place):
    """A copy that no process has seen: another file, with another build id."""
    with open(executable, "rb") as file:
        contents = file.read()
    own = build_id(executable)
    with open(place, "wb") as file:
        file.write(contents.replace(own, os.urandom(len(own)), 1))
    os.chmod(place, 0o755)
    return place


def run(command, environment):
    """Milliseconds of a whole process by the clock and of processors, and what it printed."""
    began, used = time.perf_counter(), used_s()
    done = subprocess.run(command, text=True, capture_output=True, env={**os.environ, **environment})
    ms = [1e3 * seconds for seconds in (time.perf_counter() - began, used_s() - used)]
    return ms, done.stdout + done.stderr


def used_s():
    """Processor seconds of all ended children and of those that these waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def end_of(printed):
    """How perftest's test ended, and after how many measurements."""
    for line in printed.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("type") == "test" and event.get("event") in ("ok", "failed"):
            return event["perftest"]["verdict"], event["perftest"]["measurements"]
    sys.exit(f"perftest said nothing:\n{printed}")


def measure(turns, work, divan, usual, padded):
    """Milliseconds and ends by function and column. Each executable has a history of its own."""
    store = {column: {"PERFTEST_STORE": os.path.join(work, str(number))}
             for number, column in enumerate((DIVAN, PERFTEST, NEXTEST, PADDED, BUILT))}
    copy = os.path.join(work, "just-built")
    started = {
        DIVAN: lambda name, turn: ([divan, "--bench", "--color", "never", name], {}),
        PERFTEST: lambda name, turn: ([usual, *ARGUMENTS, name], {}),
        NEXTEST: lambda name, turn: ([usual, *ARGUMENTS, name], nextest(turn)),
        PADDED: lambda name, turn: ([padded, *ARGUMENTS, name], nextest(turn)),
        BUILT: lambda name, turn: ([just_built(usual, copy), *ARGUMENTS, name], {}),
    }
    times, ends = {}, {}
    for turn in range(-LEARNING, turns):
        for name in FUNCTIONS:
            for column, start in started.items():
                command, environment = start(name, turn)
                ms, printed = run(command, {**store[column], **environment})
                if turn >= 0:
                    times.setdefault((name, column), []).append(ms)
                    if column != DIVAN:
                        ends.setdefault((name, column), []).append(end_of(printed))
    return times, ends


def main(turns, work, *executables):
    times, ends = measure(int(turns), work, *executables)
    walls = {key: [wall for wall, _ in both] for key, both in times.items()}
    median = {key: statistics.median(values) for key, values in walls.items()}
    used = {key: statistics.median(used for _, used in both) for key, both in times.items()}
    print("| function | whole process | ms: median | ms: range | times divan | processor ms | times divan | measurements | ended |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for (name, column), values in walls.items():
        reasons, measurements = zip(*ends.get((name, column), [("", DIVAN_SAMPLES)]))
        ended = ", ".join(f"{why} {count}" for why, count in Counter(reasons).most_common() if why)
        print(f"| `{name}` | {column} | {median[name, column]:.1f} | {min(values):.1f} to {max(values):.1f} "
              f"| {median[name, column] / median[name, DIVAN]:.2f} | {used[name, column]:.1f} "
              f"| {used[name, column] / used[name, DIVAN]:.2f} "
              f"| {statistics.median(measurements):.0f} | {ended} |")
    print()
    for name in FUNCTIONS:
        more = median[name, PADDED] - median[name, NEXTEST]
        print(f"`{name}`: 200 MB cost {more:+.1f} ms a test")


main(*sys.argv[1:])
