"""Sessions and commands are stopped at random moments: what was recorded stays, and nobody is left behind."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import time

from attack import Attack
from processes import LONGEST_ANSWER_SECONDS, kill_session, start
from project import TESTS, Failed

# A session that is judged by its history, and one that asks fresh processes, last about so long.
LONGEST_GREEN_SECONDS = 0.3
LONGEST_RED_SECONDS = 1.5
# What a terminal, a closed window and a CI system send.
SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
# A command that only reads and writes files.
LONGEST_COMMAND_SECONDS = 0.15
# How a session ends that was not stopped: green, and red.
ENDED = (0, 3)


def kill(scene, random, _number):
    return stop_session(scene, random, signal.SIGKILL, lambda child: child.send_signal(signal.SIGKILL))


def interrupt(scene, random, number):
    """The signal goes to all processes of the session, as Ctrl-C does."""
    sent = SIGNALS[number % len(SIGNALS)]
    return stop_session(scene, random, sent, lambda child: os.killpg(child.pid, sent))


def stop_session(scene, random, sent, stop):
    before = {test: scene.runs(test) for test in TESTS}
    if random.random() < 0.5:
        executable, longest = scene.project.perf, LONGEST_GREEN_SECONDS
    else:
        executable, longest = scene.project.slow_perf, LONGEST_RED_SECONDS
    child = start([executable], scene.repository, scene.env(), subprocess.PIPE)
    time.sleep(random.uniform(0, longest))
    stop(child)
    try:
        printed = child.communicate(timeout=LONGEST_ANSWER_SECONDS)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        kill_session(child.pid)
        return f"signal {sent} did not end the session"
    if child.returncode not in (-sent, *ENDED):
        return f"signal {sent} ended the session with {child.returncode}"
    left = scene.left_behind()
    if left:
        return f"{', '.join(left)} outlived the stopped session"
    if is_locked(scene.measuring_lock()):
        return "the measuring lock is held"
    after = {test: scene.runs(test) for test in TESTS}
    for test in TESTS:
        if any(after[test].get(run_id) != recorded for run_id, recorded in before[test].items()):
            return f"runs of {test} vanished or changed"
        if is_ended(test, printed) and after[test].keys() == before[test].keys():
            return f"{test} had ended, and was not recorded"
    again = scene.test(scene.project.perf)
    if again.code != 0:
        return f"the next session: {again}"
    leftovers = [it.name for it in (scene.directory / "tmp").iterdir()]
    return f"the next session left {', '.join(leftovers)}" if leftovers else None


def is_ended(test, printed):
    return re.search(rf"^test {test} \.\.\. (ok|FAILED) .*\n", printed, re.MULTILINE)


def is_locked(path):
    if not path.exists():
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def start_and_kill(scene, arguments, seconds):
    """Kills the tool after this time."""
    child = start([scene.project.tool, "perftest", *arguments], scene.repository, scene.env(), subprocess.DEVNULL)
    time.sleep(seconds)
    child.kill()
    child.wait()


def kill_command(scene, random, number):
    """A command that writes is killed, and works when it is called again."""
    command, place = list(COMMANDS.items())[number % len(COMMANDS)]
    scene.own_repository()
    other = scene.directory / "other"
    arguments = place(scene, other)
    before = {test: scene.runs(test) for test in TESTS}
    start_and_kill(scene, arguments, random.uniform(0, LONGEST_COMMAND_SECONDS))
    again = scene.tool(*arguments)
    if again.code != 0:
        return f"{command} again: {again}"
    for test in TESTS:
        if scene.runs(test) != before[test]:
            return f"{command}: runs of {test} vanished or changed"
    if command == "accept":
        for line in (scene.repository / "perf-accept.jsonl").read_text().splitlines():
            json.loads(line)
        return None
    # What the other place has is read in an empty store.
    scene.store = scene.directory / "read"
    scene.variables["PERFTEST_STORE"] = str(scene.store)
    taken = scene.tool("merge", other) if command == "merge" else scene.tool("pull", f"dir:{other}", "--all")
    if taken.code != 0:
        return f"{command}: the other place cannot be read: {taken}"
    for test in TESTS:
        if scene.runs(test) != before[test]:
            return f"{command}: runs of {test} are not in the other place as they were"
    return None


def accept(_scene, _other):
    return "accept", "last", "--max-ratio", "1.5", "--reason", "meant"


def push(_scene, other):
    return "push", f"dir:{other}"


def pull(scene, other):
    sent = scene.tool("push", f"dir:{other}")
    if sent.code != 0:
        raise Failed(f"push: {sent}")
    return "pull", f"dir:{other}", "--all"


def merge(scene, other):
    shutil.copytree(scene.store, other, symlinks=True)
    return "merge", str(other)


COMMANDS = {"accept": accept, "push": push, "pull": pull, "merge": merge}
ATTACKS = [
    Attack("kill -9", kill, 300, 4),
    Attack("interrupted session", interrupt, 150, 3),
    Attack("killed command", kill_command, 400, 4),
]
