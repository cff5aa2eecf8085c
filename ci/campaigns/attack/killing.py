"""Kills -9 at random moments, half of them within a change of a file."""

import signal
import subprocess
import time
from dataclasses import dataclass

from broken_system import library
from processes import LONGEST_ANSWER_SECONDS, kill_session, run, start
from project import Failed
from scene import Scene

# How a session ends that is not killed, and a command.
GREEN, RED = 0, 3
# Of what had ended before its kill.
TOO_LATE = "too late"
# With them one of ten kills is too late.
SHORTER, LONGER = 0.83, 1.02


@dataclass(frozen=True)
class Writer:
    """A process that changes files below a place."""

    command: tuple
    place: object


@dataclass
class Whole:
    """What a writer takes that nobody kills: about its time, and how many changes it makes."""

    seconds: float
    changes: int


def whole(project, name, prepare):
    """What such a writer takes, measured once in a scene of its own. `prepare` gives the writer of a scene."""
    if name not in project.wholes:
        scene = Scene(project, project.work / f"whole-{name}")
        try:
            writer = prepare(scene)
            ended = run(writer.command, scene.repository, scene.env(**watched(scene, writer)))
            if ended.code not in (GREEN, RED) or not changes(scene):
                raise Failed(f"{name} changes nothing, so this proves nothing: {ended}")
            project.wholes[name] = Whole(ended.seconds, changes(scene))
        finally:
            scene.end()
    return project.wholes[name]


def watched(scene, writer):
    """Variables by which a process notes its changes."""
    scene.clear_notes()
    return {"LD_PRELOAD": str(library(scene)), "ATTACK_CHANGES_BELOW": str(writer.place)}


def changes(scene):
    return scene.noted().count("change")


def kill(scene, random, writer, whole, stdout=subprocess.DEVNULL):
    """Kills the writer, and counts what that interrupted. Gives its code and what it printed."""
    variables = watched(scene, writer)
    is_within_change = random.random() < 0.5
    if is_within_change:
        variables["ATTACK_KILL_AT"] = str(random.randint(1, whole.changes))
    child = start(writer.command, scene.repository, scene.env(**variables), stdout)
    if not is_within_change:
        time.sleep(random.uniform(0, whole.seconds))
        child.kill()
    try:
        printed = child.communicate(timeout=LONGEST_ANSWER_SECONDS)[0] or b""
    except subprocess.TimeoutExpired:
        kill_session(child.pid)
        raise Failed(f"no end within {LONGEST_ANSWER_SECONDS} s")
    interrupted = moment(scene, child.returncode, whole)
    scene.project.killed[interrupted] += 1
    if not is_within_change:
        # The time follows how busy the machine is.
        whole.seconds *= SHORTER if interrupted == TOO_LATE else LONGER
    return child.returncode, printed.decode(errors="replace")


def moment(scene, code, whole):
    if code != -signal.SIGKILL:
        return TOO_LATE
    if "killed" in scene.noted():
        return "within a change"
    if not changes(scene):
        return "before the first change"
    return "between changes" if changes(scene) < whole.changes else "after the last change"
