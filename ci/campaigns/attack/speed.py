"""Large histories are read in time. The full form alone: they take a while to write."""

import json
import time

from attack import Attack
from by_hand import run, write_history

LONGEST_SECONDS = 2.0
TESTBED = "local/by-hand"


def long_line(scene, _random, _number):
    """A history with a line of 100 MB, beside reading the file plainly."""
    bench = "attacked::perf::long"
    lines = [run(bench, TESTBED, number, 100) for number in range(20)]
    lines.insert(10, json.dumps({"kind": "run", "v": 1, "note": "x" * 100_000_000}) + "\n")
    path = write_history(scene.one("v1/*"), bench, TESTBED, lines)
    begin = time.monotonic()
    path.read_bytes()
    plain = time.monotonic() - begin
    return in_time(scene, plain, "history", bench)


def second_check(scene, _random, _number):
    """`check` on 2,000 tests of 200 runs, the second time, beside reading the files plainly."""
    scene.own_repository()
    rule = '[[threshold]]\nname = "wall"\ntest = "t_test"\nupper = 0.99\nmin_sample_size = 10\nminimum_effect = "none"\n'
    (scene.repository / "perftest.toml").write_text(rule)
    project = scene.one("v1/*")
    paths = []
    for test in range(2000):
        bench = f"attacked::perf::many_{test}"
        lines = [run(bench, TESTBED, number, 100 + (test * 7 + number * 13) % 11) for number in range(200)]
        paths.append(write_history(project, bench, TESTBED, lines))
    first = scene.tool("check", longest_seconds=300)
    if first.code not in (0, 1) or "damaged line" in first.text:
        return f"the first time: {first}"
    begin = time.monotonic()
    for path in paths:
        path.read_bytes()
    plain = time.monotonic() - begin
    return in_time(scene, plain, "check")


def in_time(scene, plain, *command):
    ended = scene.test(scene.project.build_tool("release"), "perftest", *command, longest_seconds=300)
    took = f"{ended.seconds:.2f} s, {ended.seconds / plain:.0f} times as long as reading the files ({plain:.2f} s)"
    print(f"{' '.join(command)}: {took}", flush=True)
    if ended.code not in (0, 1):
        return f"{' '.join(command)}: {ended}"
    return f"{' '.join(command)}: {took}" if ended.seconds > LONGEST_SECONDS else None


ATTACKS = [
    Attack("line of 100 MB", long_line, 1, 0),
    Attack("second check of 2,000 tests", second_check, 1, 0),
]
