"""Sessions are killed at random moments: what was recorded stays, and nobody is left behind."""

import re
import signal
import subprocess
import time

from attack import Attack
from processes import start
from project import TESTS

# A session that is judged by its history, and one that asks fresh processes, last about so long.
LONGEST_GREEN_SECONDS = 0.3
LONGEST_RED_SECONDS = 1.5


def kill(scene, random, _number):
    before = {test: scene.runs(test) for test in TESTS}
    if random.random() < 0.5:
        executable, longest = scene.project.perf, LONGEST_GREEN_SECONDS
    else:
        executable, longest = scene.project.slow_perf, LONGEST_RED_SECONDS
    child = start([executable], scene.repository, scene.env(), subprocess.PIPE)
    time.sleep(random.uniform(0, longest))
    child.send_signal(signal.SIGKILL)
    printed = child.communicate()[0].decode(errors="replace")
    left = scene.left_behind()
    if left:
        return f"{', '.join(left)} outlived the killed session"
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


ATTACKS = [Attack("kill -9", kill, 300, 4)]
