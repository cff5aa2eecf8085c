"""The life of one store: sessions, commands and faults, and what must hold after each."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from attack import UNPROVED
from broken_system import library
from kills import is_ended, is_locked
from processes import LONGEST_ANSWER_SECONDS, kill_session, start
from project import TESTS
from scene import Scene, runs_in

# Between two sessions.
PAUSES_SECONDS = (20, 220)
HOUR_SECONDS = 3600
# How a session ends: green, and red.
GREEN, RED = 0, 3
# A session of three tests lasts about so long.
LONGEST_SESSION_SECONDS = 1.5
LONGEST_COMMAND_SECONDS = 0.2
# What a developer asks between sessions; all of it only reads, or keeps what it found.
READING = (("history",), ("check",), ("drift",), ("power",), ("changepoints",), ("show", "last"), ("accept", "--list"))
OPEN_ALERT = 1
RULES = '[[threshold]]\nname = "latency"\ntest = "t_test"\nupper = 0.99\nmin_sample_size = 5\nmax_sample_size = 64\nminimum_effect = "5%"\n'
# The directory with another copy of the history is compared with the store once in so many sessions.
COMPARED_EVERY = 10


@dataclass(frozen=True)
class Kind:
    """A kind of session: what happens in it gives what broke, or None; and how often it happens."""

    happen: Callable
    weight: int


class Life:
    """A store, its clock, and the runs that are known to be in it."""

    def __init__(self, project, chance):
        self.scene, self.chance = Scene(project, project.work / "life"), chance
        repository = self.scene.own_repository()
        (repository / "perftest.toml").write_text(RULES)
        project.git("add", "--all", cwd=repository)
        project.git("commit", "--quiet", "--message", "rules", cwd=repository)
        self.clock_seconds = 0
        self.sessions = 0
        self.shared = self.scene.directory / "shared"
        # The store of another machine, whose pulls are killed, too.
        self.elsewhere = {"PERFTEST_STORE": str(self.scene.directory / "elsewhere")}
        self.known = {test: self.scene.runs(test) for test in TESTS}

    def session(self, kind):
        """What broke in one session, or None."""
        self.sessions += 1
        self.clock_seconds += self.chance.uniform(*PAUSES_SECONDS)
        return KINDS[kind].happen(self) or self.holds()

    def clock(self, seconds=0):
        """Variables that put a process at the scripted time."""
        return {"LD_PRELOAD": str(library(self.scene)), "ATTACK_CLOCK_READS": "0",
                "ATTACK_CLOCK_SECONDS": str(int(self.clock_seconds + seconds))}

    def holds(self):
        """What does not hold any more, or None."""
        left = self.scene.left_behind()
        if left:
            return f"{', '.join(left)} outlived its session"
        if is_locked(self.scene.measuring_lock()):
            return "the measuring lock is held"
        for test in TESTS:
            runs = self.scene.runs(test)
            if any(runs.get(run_id) != recorded for run_id, recorded in self.known[test].items()):
                return f"runs of {test} vanished or changed"
            self.known[test] = runs
        command = self.chance.choice(READING)
        ended = self.scene.tool(*command, **self.clock())
        if ended.code not in (0, OPEN_ALERT) or "panicked" in ended.text:
            return f"{' '.join(command)}: {ended}"
        return None if self.sessions % COMPARED_EVERY else self.same_elsewhere()

    def same_elsewhere(self):
        """What differs in the other store once all was pushed and pulled, or None."""
        pushed = self.scene.tool("push", f"dir:{self.shared}")
        if pushed.code != 0:
            return f"push: {pushed}"
        pulled = self.scene.tool("pull", f"dir:{self.shared}", "--all", **self.elsewhere)
        if pulled.code != 0:
            return f"pull: {pulled}"
        for test in TESTS:
            ended = self.scene.tool("history", "--json", "--limit", "100000", f"attacked::perf::{test}",
                                    **self.elsewhere)
            # Damaged lines do not travel, and nothing else is left out.
            if runs_in(ended).keys() != self.known[test].keys():
                return f"{len(runs_in(ended))} of {len(self.known[test])} runs of {test} are in the other place"
        return None

    def is_recorded(self, printed):
        """What ended and was not recorded, or None."""
        for test in TESTS:
            if is_ended(test, printed) and self.scene.runs(test).keys() == self.known[test].keys():
                return f"{test} had ended, and was not recorded"
        return None


def green(life):
    ended = life.scene.test(life.scene.project.perf, **life.clock())
    return life.is_recorded(ended.stdout) if is_green(ended) else str(ended)


def is_green(ended):
    return ended.code == GREEN and "panicked" not in ended.text


def slowed(life):
    """A busy machine may leave a slowdown open, but does not hide it."""
    ended = life.scene.test(life.scene.project.slow_perf, **life.clock())
    is_found = ended.code == RED or ended.code == GREEN and UNPROVED.search(ended.text)
    return life.is_recorded(ended.stdout) if is_found else f"a slowdown: {ended}"


def stopped(life):
    """Stopped at a random moment, as by Ctrl-C, a closed window, a CI system or a lack of memory."""
    executable = life.chance.choice((life.scene.project.perf, life.scene.project.slow_perf))
    sent = life.chance.choice((signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGKILL))
    child = start([executable], life.scene.repository, life.scene.env(**life.clock()),
                  subprocess.PIPE)
    time.sleep(life.chance.uniform(0, LONGEST_SESSION_SECONDS))
    if sent == signal.SIGKILL:
        child.kill()
    else:
        os.killpg(child.pid, sent)
    try:
        printed = child.communicate(timeout=LONGEST_ANSWER_SECONDS)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        kill_session(child.pid)
        return f"signal {sent} did not end the session"
    # Nothing but the slowed build is ever red.
    may_be_red = [RED] if executable == life.scene.project.slow_perf else []
    if child.returncode not in (-sent, GREEN, *may_be_red):
        return f"signal {sent} ended a session of {executable.name} with {child.returncode}: {printed[-400:]!r}"
    return life.is_recorded(printed)


def two_at_once(life):
    environment = life.scene.env(**life.clock())
    children = [start([life.scene.project.perf], life.scene.repository, environment, subprocess.PIPE) for _ in range(2)]
    for child in children:
        printed = child.communicate(timeout=LONGEST_ANSWER_SECONDS)[0].decode(errors="replace")
        if child.returncode != GREEN:
            return f"one of two sessions ended with {child.returncode}: {printed[-400:]}"
    return None


def torn_line(life):
    """The power fails while a line is written: a part of it is there, and perhaps zeros where its page was to be."""
    path = life.scene.history(life.chance.choice(TESTS))
    last = path.read_bytes().rstrip(b"\n\0").rpartition(b"\n")[2]
    torn = last[:life.chance.randrange(1, len(last))] + b"\0" * life.chance.choice((0, 0, 37, 4096))
    with path.open("ab") as file:
        file.write(torn)
    return green(life)


def without_a_lock(life):
    """A file system that locks nothing: nothing is recorded, which is said, and is no failure here."""
    fault = {"ATTACK_LOCK_ERROR": "37"}
    return unrecorded(life, life.scene.test(life.scene.project.perf, **life.clock(), **fault))


def full_disk(life):
    """No file may grow beyond what the smallest history has."""
    smallest = min(life.scene.history(test).stat().st_size for test in TESTS)
    # The signal of a file that is too large would end the process; without it writing fails.
    limited = f"trap '' XFSZ; ulimit -f {smallest // 1024}; exec \"$0\""
    return unrecorded(life, life.scene.test("bash", "-c", limited, life.scene.project.perf, **life.clock()))


def unrecorded(life, ended):
    """What broke where no history can be written: it is green, and each test says why it was not recorded."""
    if not is_green(ended):
        return str(ended)
    for test in TESTS:
        if life.scene.history(test).name not in ended.text:
            return f"{test} was not recorded, without a word: {ended}"
        if life.scene.runs(test).keys() != life.known[test].keys():
            return f"{test} was recorded, so this proves nothing: {ended}"
    return None


def clock_back(life):
    """An hour back, as after a battery or an administrator."""
    ended = life.scene.test(life.scene.project.perf, **life.clock(-HOUR_SECONDS))
    return None if is_green(ended) else str(ended)


def killed_command(life):
    """Each has something to write: new runs are pushed, pulled by the other store, or judged by the rules."""
    directory = f"dir:{life.shared}"
    command, store = life.chance.choice(
        ((("push", directory), {}), (("pull", directory, "--all"), life.elsewhere), (("check",), {})))
    child = start([life.scene.project.tool, "perftest", *command], life.scene.repository,
                  life.scene.env(**life.clock(), **store), subprocess.DEVNULL)
    time.sleep(life.chance.uniform(0, LONGEST_COMMAND_SECONDS))
    child.kill()
    child.wait()
    return None


KINDS = {
    "green": Kind(green, 8),
    "slowed": Kind(slowed, 2),
    "stopped": Kind(stopped, 4),
    "two at once": Kind(two_at_once, 2),
    "torn line": Kind(torn_line, 2),
    "without a lock": Kind(without_a_lock, 1),
    "full disk": Kind(full_disk, 1),
    "clock goes back": Kind(clock_back, 1),
    "killed command": Kind(killed_command, 3),
}
