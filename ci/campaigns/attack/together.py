"""Many processes write the same file at once: what each acknowledged is there."""

import json
import os
import subprocess
import time

from attack import Attack
from processes import start
from project import TESTS

ACCEPTANCES = "perf-accept.jsonl"
AT_ONCE = 64


def accept_pair(scene, _random, _number):
    return accept(scene, 2)


def accept_many(scene, _random, _number):
    return accept(scene, AT_ONCE)


def accept_behind_a_link(scene, _random, _number):
    repository = scene.own_repository()
    (repository / "shared").mkdir()
    (repository / "shared/accepted.jsonl").touch()
    (repository / ACCEPTANCES).symlink_to("shared/accepted.jsonl")
    fell = accept(scene, 2)
    if not (repository / ACCEPTANCES).is_symlink():
        return f"the link {ACCEPTANCES} was replaced by a file"
    return fell


def accept(scene, count):
    repository = scene.repository if scene.repository != scene.project.repository else scene.own_repository()
    files = {it.name for it in repository.iterdir()} | {ACCEPTANCES}
    reasons = [f"reason {number}" for number in range(count)]
    commands = [[scene.project.tool, "perftest", "accept", TESTS[number % len(TESTS)],
                 "--max-ratio", f"1.{number + 10}", "--reason", reason] for number, reason in enumerate(reasons)]
    printed = dict(zip(reasons, at_once(scene, commands, [{}] * count)))
    accepted = {reason for reason, text in printed.items() if "accepted as" in text}
    lines = (repository / ACCEPTANCES).read_text().splitlines()
    written = {json.loads(line)["reason"] for line in lines}
    if accepted - written:
        return f"{len(accepted)} of {count} said that they accepted, {len(accepted & written)} are in the file"
    refused = set(reasons) - accepted
    if refused:
        return f"{len(refused)} of {count} did not accept: {printed[refused.pop()][-200:]!r}"
    left = sorted({it.name for it in repository.iterdir()} - files)
    return f"the root of the repository has {', '.join(left)}" if left else None


def write_store(scene, _random, _number):
    before = {test: len(scene.runs(test)) for test in TESTS}
    # Each may measure at once.
    runtimes = [scene.directory / f"runtime-{number}" for number in range(AT_ONCE)]
    for runtime in runtimes:
        runtime.mkdir(mode=0o700)
    printed = at_once(scene, [[scene.project.perf]] * AT_ONCE,
                      [{"XDG_RUNTIME_DIR": str(runtime)} for runtime in runtimes])
    for test in TESTS:
        there = len(scene.runs(test)) - before[test]
        ended = sum(f"test {test} ... ok" in text for text in printed)
        if ended != AT_ONCE or there < ended:
            return f"{ended} of {AT_ONCE} ended {test}, {there} runs were recorded"
    return None


def at_once(scene, commands, variables):
    """What the commands print, which begin together: each waits until somebody opens the gate."""
    gate = scene.directory / "gate"
    os.mkfifo(gate)
    waiting = ["sh", "-c", ': <"$0"; exec "$@" 2>&1', gate]
    children = [start([*waiting, *command], scene.repository, scene.env(**further), subprocess.PIPE)
                for command, further in zip(commands, variables)]
    time.sleep(0.01 * len(children))
    with gate.open("w"):
        return [child.communicate()[0].decode(errors="replace") for child in children]


ATTACKS = [
    Attack("two accept at once", accept_pair, 100, 4),
    Attack(f"{AT_ONCE} accept at once", accept_many, 10, 1),
    Attack("accept behind a link", accept_behind_a_link, 3, 1),
    Attack(f"{AT_ONCE} write at once", write_store, 5, 1),
]
