"""Many processes write the same file at once: what each acknowledged is there."""

import json
import subprocess

from attack import Attack
from processes import start
from project import TESTS

ACCEPTANCES = "perf-accept.jsonl"


def accept_pair(scene, _random, _number):
    return accept(scene, 2)


def accept_many(scene, _random, _number):
    return accept(scene, 32)


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
    children = {}
    for number in range(count):
        reason = f"reason {number}"
        command = [scene.project.tool, "perftest", "accept", TESTS[number % len(TESTS)],
                   "--max-ratio", f"1.{number + 10}", "--reason", reason]
        children[reason] = start(command, repository, scene.env(), subprocess.PIPE, subprocess.PIPE)
    output = {reason: child.communicate() for reason, child in children.items()}
    accepted = {reason for reason, (stdout, _) in output.items() if b"accepted as" in stdout}
    lines = (repository / ACCEPTANCES).read_text().splitlines()
    written = {json.loads(line)["reason"] for line in lines}
    if accepted - written:
        return f"{len(accepted)} of {count} said that they accepted, {len(accepted & written)} are in the file"
    refused = set(children) - accepted
    if refused:
        return f"{len(refused)} of {count} did not accept: {output[refused.pop()][1].decode()[-200:]!r}"
    left = sorted({it.name for it in repository.iterdir()} - files)
    return f"the root of the repository has {', '.join(left)}" if left else None


def write_store(scene, _random, _number):
    before = {test: len(scene.runs(test)) for test in TESTS}
    children = []
    for number in range(32):
        # Each may measure at once.
        runtime = scene.directory / f"runtime-{number}"
        runtime.mkdir(mode=0o700)
        children.append(start([scene.project.perf], scene.repository, scene.env(XDG_RUNTIME_DIR=str(runtime)),
                              subprocess.PIPE))
    printed = [child.communicate()[0].decode() for child in children]
    for test in TESTS:
        there = len(scene.runs(test)) - before[test]
        ended = sum(f"test {test} ... " in text for text in printed)
        if ended != 32 or there < ended:
            return f"{ended} of 32 ended {test}, {there} runs were recorded"
    return None


ATTACKS = [
    Attack("two accept at once", accept_pair, 100, 4),
    Attack("32 accept at once", accept_many, 3, 1),
    Attack("accept behind a link", accept_behind_a_link, 3, 1),
    Attack("32 write at once", write_store, 1, 0),
]
