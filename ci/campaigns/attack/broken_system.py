"""Locks fail as on some network file systems, and the clock jumps: no run is lost, and a slowdown is found."""

import errno
import subprocess
import time
from pathlib import Path

from attack import not_slower, of_cases
from project import Failed

SOURCE = Path(__file__).with_name("broken_system.c")
TEST = "last"
HOUR_SECONDS = 3600
YEAR_SECONDS = 365 * 24 * HOUR_SECONDS
READ_ALL = (("history",), ("show", TEST), ("check",), ("power",), ("drift",), ("accept", "--list"))
# What `ENOLCK` and the others mean differs, but not what follows.
LOCK_ERRORS = ("ENOLCK", "EOPNOTSUPP", "EIO", "ESTALE", "EINTR")
# To before 1970, beyond nanoseconds in 64 bits, and what batteries and administrators do.
JUMPS = {"before 1970": -80 * YEAR_SECONDS, "ten years back": -10 * YEAR_SECONDS, "an hour back": -HOUR_SECONDS,
         "an hour on": HOUR_SECONDS, "ten years on": 10 * YEAR_SECONDS, "300 years on": 300 * YEAR_SECONDS}
# At the first read, and at the last ones of a session.
READS = (0, 2, 5)


def library(scene):
    """The library with the faults, built once."""
    built = scene.project.work / "bin" / "broken_system.so"
    if not built.exists():
        done = subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", built, SOURCE], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"cc cannot build {SOURCE.name}: {done.stderr}")
    return built


def broken_lock(scene, error):
    return attempt(scene, is_not_recorded, ATTACK_LOCK_ERROR=str(getattr(errno, error)))


def is_not_recorded(scene, ended, added):
    """Without a lock nothing is written, which is said with the file."""
    if added:
        return f"written without a lock, or this proves nothing: {ended}"
    return None if scene.history(TEST).name in ended.text else f"nothing was recorded, without a word: {ended}"


def jump(scene, how_far, reads):
    def is_at_its_time(_scene, ended, added):
        if not added:
            return f"nothing was recorded: {ended}"
        if "jump" not in scene.noted():
            return f"the clock did not jump, so this proves nothing: {ended}"
        off_seconds = added[0]["started_ms"] / 1000 - time.time()
        # Nothing is before 1970.
        is_off = off_seconds * JUMPS[how_far] > 0 and abs(off_seconds) > HOUR_SECONDS / 2
        return None if is_off or reads else f"the run is not at the time of the clock: {ended}"

    return attempt(scene, is_at_its_time, ATTACK_CLOCK_SECONDS=str(JUMPS[how_far]), ATTACK_CLOCK_READS=str(reads))


def attempt(scene, judge, **fault):
    broken = {"LD_PRELOAD": str(library(scene))} | fault
    before = scene.runs(TEST)
    # A green, and a red that asks fresh processes.
    for executable in (scene.project.perf, scene.project.slow_perf):
        ended = scene.test(executable, TEST, **broken)
        if is_unclear(ended):
            return f"{executable.name}: {ended}"
        if executable == scene.project.slow_perf and ended.code == 0:
            return not_slower(ended)
        if executable == scene.project.perf:
            added = [run for run_id, run in scene.runs(TEST).items() if run_id not in before]
            fell = judge(scene, ended, added)
            if fell:
                return fell
    for command in READ_ALL:
        ended = scene.tool(*command, **broken)
        if is_unclear(ended):
            return f"{' '.join(command)}: {ended}"
    after = scene.runs(TEST)
    if any(after.get(run_id) != recorded for run_id, recorded in before.items()):
        return "runs vanished or changed"
    again = scene.test(scene.project.perf, TEST)
    return f"the next session: {again}" if again.code != 0 else None


def is_unclear(ended):
    return ended.code is None or ended.code < 0 or "panicked" in ended.text


ATTACKS = [
    of_cases("broken lock", broken_lock, [(error,) for error in LOCK_ERRORS], 1),
    of_cases("clock that jumps", jump, [(how_far, reads) for how_far in JUMPS for reads in READS], 2),
]
