#!/usr/bin/env python3
"""Prints what a test's own process and a fresh one measure of each test of an executable.

    ci/campaigns/worker_medians.py TURNS EXECUTABLE [NAME ..]

Started by ci/campaigns/worker-medians.sh. Both kinds of process alternate. A median is that of the
undisturbed batches of a process, in cycles where the clock is known, for the clock rises and falls
with what others do. The ratio is the median of those of all turns.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

BATCHES = 15
# A batch that had its processor, less what reading the clocks costs.
ON_PROCESSOR, READING_NS = 0.995, 5_000


def own_process(executable, name):
    """Batches as the test records them, each with its time, clock and processor time."""
    with tempfile.TemporaryDirectory() as store:
        environment = dict(os.environ, PERFTEST_STORE=store, PERFTEST_LEARN="one-per-run")
        run([executable, "--exact", name], env=environment)
        records = list(pathlib.Path(store).rglob("runs/**/*.jsonl"))
        run_of_whole = json.loads(records[0].read_text().splitlines()[0])
    times = run_of_whole["samples"]
    clocks = run_of_whole.get("ghz") or [None] * len(times)
    iterations = run_of_whole["iterations"]
    processor = [ns / iterations for ns in run_of_whole.get("tcpu", [])] or times
    reading = READING_NS / iterations
    return [
        {"value": time, "clock": clock, "kept": on >= ON_PROCESSOR * time - reading}
        for time, clock, on in zip(times, clocks, processor)
    ]


def fresh_process(executable, name):
    """The same from a worker."""
    parent = f"perftest process {os.getpid()}"
    arguments = [executable, name, "--exact", "--include-ignored", "--nocapture"]
    worker = subprocess.Popen(
        arguments,
        env=dict(os.environ, PERFTEST_PARENT=parent, PERFTEST_WORKER=name),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def answer():
        for line in worker.stdout:
            if line.startswith('{"perftest"'):
                return json.loads(line)
        raise SystemExit(f"the worker of {name} ended")

    def ask(**message):
        worker.stdin.write(json.dumps({"perftest": 4, **message}, separators=(",", ":")) + "\n")
        worker.stdin.flush()

    answer(), answer()
    ask(say="measure", count=BATCHES)
    answers = [answer() for _ in range(BATCHES)]
    ask(say="bye")
    worker.communicate()
    return [
        {
            "value": it["value"],
            "clock": it.get("clock_ghz"),
            "kept": it["thread_cpu_ns"] >= ON_PROCESSOR * it["wall_ns"] - READING_NS,
        }
        for it in answers
    ]


def median(batches):
    """Of the batches that had their processor, as had those before them."""
    before = [batches[0], *batches]
    kept = [it for one, it in zip(before, batches) if one["kept"] and it["kept"]]
    return statistics.median(it["value"] * (it["clock"] or 1) for it in kept or batches)


def run(command, env):
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False).stdout


def names_of(executable):
    listed = run([executable, "--list", "--format", "terse"], dict(os.environ))
    return [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]


def main():
    turns, executable, *names = sys.argv[1:]
    tests = [name for name in names_of(executable) if not names or name in names]
    tests = [name for name in tests if name != "compress_archive"]
    own, fresh = ({name: [] for name in tests} for _ in range(2))
    for turn in range(int(turns)):
        for name in tests:
            kinds = [(own_process, own), (fresh_process, fresh)]
            for measure, medians in kinds if turn % 2 else reversed(kinds):
                medians[name].append(median(measure(executable, name)))
    print(f"{'test':22}{'own process':>16}{'fresh process':>16}{'ratio':>9}")
    for name in tests:
        middles = [statistics.median(kind[name]) for kind in (own, fresh)]
        ratio = statistics.median(b / a for a, b in zip(own[name], fresh[name]))
        print(f"{name:22}{middles[0]:16.1f}{middles[1]:16.1f}{ratio:9.3f}")


if __name__ == "__main__":
    main()
