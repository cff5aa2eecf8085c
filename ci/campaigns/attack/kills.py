"""Sessions are stopped at random moments: what was recorded stays, and nobody is left behind."""

import fcntl
import os
import re
import signal
import subprocess
import time

import killing
from attack import Attack
from killing import GREEN, RED, Writer
from processes import LONGEST_ANSWER_SECONDS, kill_session, start
from project import TESTS

# A session that is judged by its history, and one that asks fresh processes, last about so long.
LONGEST_GREEN_SECONDS = 0.3
LONGEST_RED_SECONDS = 1.5
# What a terminal, a closed window and a CI system send.
SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


def kill(scene, random, _number):
    executable = executable_of(scene, random)
    writer = Writer((executable,), scene.store)
    whole = killing.whole(scene.project, executable.name, lambda own: Writer((executable,), own.store))
    return stop_session(scene, executable, signal.SIGKILL,
                        lambda: killing.kill(scene, random, writer, whole, subprocess.PIPE))


def interrupt(scene, random, number):
    """The signal goes to all processes of the session, as Ctrl-C does."""
    executable, sent = executable_of(scene, random), SIGNALS[number % len(SIGNALS)]
    longest = LONGEST_GREEN_SECONDS if executable == scene.project.perf else LONGEST_RED_SECONDS

    def stop():
        child = start([executable], scene.repository, scene.env(), subprocess.PIPE)
        time.sleep(random.uniform(0, longest))
        os.killpg(child.pid, sent)
        try:
            printed = child.communicate(timeout=LONGEST_ANSWER_SECONDS)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            kill_session(child.pid)
            return None, ""
        return child.returncode, printed

    return stop_session(scene, executable, sent, stop)


def executable_of(scene, random):
    return random.choice((scene.project.perf, scene.project.slow_perf))


def stop_session(scene, executable, sent, stop):
    before = {test: scene.runs(test) for test in TESTS}
    code, printed = stop()
    # Nothing but the slowed build is ever red.
    if code not in (-sent, GREEN, *([RED] if executable == scene.project.slow_perf else [])):
        return f"signal {sent} ended a session of {executable.name} with {code}: {printed[-400:]!r}"
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


ATTACKS = [
    Attack("kill -9", kill, 300, 4),
    Attack("interrupted session", interrupt, 150, 3),
]
