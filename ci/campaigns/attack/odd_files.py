"""A file is none, or may not be read: every answer comes in time, and names the path where it matters."""

import fcntl
import os
import shutil
import socket
import stat
from contextlib import contextmanager

from attack import of_cases

ACCEPT = ("accept", "last", "--max-ratio", "1.5", "--reason", "meant")
READ_ALL = (("history",), ("show", "last"), ("check",), ("power",), ("drift",))

# Who uses each file: commands of the tool, beside the tests. What is only there to spare time, or goes to
# one writer, is passed over in silence.
TOLD = {
    "history": READ_ALL,
    "events": (("accept", "--list"), (*ACCEPT, "--local")),
    "acceptances": (("accept", "--list"), ACCEPT, ("power",)),
    "settings": (("check",),),
    "log file": (),
}
PASSED_OVER = {
    # Without it a test may still be green.
    "measuring lock": (),
    "outcomes": (),
    "project": (("history",),),
    "context": (("show", "last"), ("history",)),
    "cached answer": (("history",),),
    "kept executable": (),
    "kept executable's record": (),
    "kept executables' lock": (),
    "rules' versions": (("check",),),
}
USERS = TOLD | PASSED_OVER
# A test waits 30 seconds for another process that measures, and then goes on.
LONGEST_SECONDS = 180
KINDS = ("FIFO", "device", "directory", "socket", "link to itself", "without permissions")

# A log file may be a pipe or a device, as for every program.
MEANT = {("log file", "FIFO"), ("log file", "device")}
CASES = [(place, kind) for place in USERS for kind in KINDS if (place, kind) not in MEANT]


def path_of(scene, place):
    repository = scene.own_repository()
    project = scene.one("v1/*")
    return {
        "history": lambda: scene.history("last"),
        "events": lambda: project / "events.jsonl",
        "acceptances": lambda: repository / "perf-accept.jsonl",
        "settings": lambda: repository / "perftest.toml",
        "measuring lock": lambda: scene.measuring_lock(),
        "log file": lambda: scene.directory / "log",
        "outcomes": lambda: scene.directory / "outcomes",
        "project": lambda: project / "project.json",
        "context": lambda: next(project.glob("contexts/*.json")),
        "cached answer": lambda: next(project.glob("cache/*")),
        "kept executable": lambda: scene.kept_executable().with_suffix(".lz4"),
        "kept executable's record": lambda: scene.kept_executable(),
        "kept executables' lock": lambda: project / "executables/lock",
        "rules' versions": lambda: project / "models.jsonl",
    }[place]()


@contextmanager
def put(kind, path):
    """The path is of this kind meanwhile."""
    if kind == "locked":
        path.touch()
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        return
    if kind == "without permissions":
        path.touch()
        path.chmod(0)
        yield
        return
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "device":
        # As /dev/zero, which never ends.
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        # The path of a socket is short.
        with socket.socket(socket.AF_UNIX) as bound:
            here = os.getcwd()
            os.chdir(path.parent)
            bound.bind(path.name)
            os.chdir(here)
    else:
        path.symlink_to(path.name)
    yield


def attempt(scene, place, kind):
    path = path_of(scene, place)
    if place != "settings":
        write_rules(scene)
    further = {"PERFTEST_OUTCOMES": str(path)} if place == "outcomes" else {}
    arguments = ["--logfile", str(path)] if place == "log file" else []
    if kind == "without permissions":
        scene.obey_permissions()
    with put(kind, path):
        # A green, and a red that asks fresh processes.
        for executable in (scene.project.perf, scene.project.slow_perf):
            ended = scene.test(executable, "last", *arguments, longest_seconds=LONGEST_SECONDS, **further)
            fell = judge(scene, place, kind, path, ended)
            if fell:
                return f"{executable.name}: {fell}"
        for command in USERS[place]:
            fell = judge(scene, place, kind, path, scene.tool(*command))
            if fell:
                return f"{' '.join(command)}: {fell}"
    return None


def judge(scene, place, kind, path, ended):
    if ended.code is None or ended.code < 0 or "panicked" in ended.text:
        return str(ended)
    is_to_be_told = place in TOLD and (kind != "locked" or ended.code != 0 and "FAILED" not in ended.text)
    if is_to_be_told and path.name not in ended.text:
        return f"does not say {path.name}: {ended}"
    return None


def write_rules(scene):
    rule = '[[threshold]]\nname = "wall"\ntest = "percentage"\nupper = 0.5\n'
    (scene.repository / "perftest.toml").write_text(rule)


ATTACKS = [
    of_cases("odd file", attempt, CASES, 4),
    # Locks are waited for.
    of_cases("locked file", attempt, [(place, "locked") for place in USERS], 0),
]
