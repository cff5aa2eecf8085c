"""Processes with a time limit, of which none is left behind."""

import os
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Many times what a session takes: one that hangs never ends.
LONGEST_ANSWER_SECONDS = 120
# More of an output than this is not looked at.
LARGEST_OUTPUT_BYTES = 1 << 20
# What a line of a report looks like that says how it ended.
TELLING = re.compile(r"^test \S+ \.\.\. |!!|error|warning|panicked")


@dataclass
class Ended:
    """How a process ended: `code` is None when it was killed at its time limit."""

    code: int | None
    stdout: str
    stderr: str
    seconds: float

    @property
    def text(self):
        return self.stdout + self.stderr

    def __str__(self):
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        telling = [line for line in lines if TELLING.search(line)] or lines
        said = " / ".join(telling[-4:])[-600:]
        ended = f"no end within {self.seconds:.0f} s" if self.code is None else f"exit {self.code}"
        return f"{ended}, said {said!r}"


def start(command, cwd, env, stdout, stderr=subprocess.DEVNULL):
    """Starts the command in a session of its own."""
    return subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=stdout,
                            stderr=stderr, start_new_session=True)


def run(command, cwd, env, longest_seconds=LONGEST_ANSWER_SECONDS):
    """Runs the command. Its output goes to files, so that a child it leaves behind keeps nobody waiting."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child = start(command, cwd, env, stdout, stderr)
        try:
            code = child.wait(longest_seconds)
        except subprocess.TimeoutExpired:
            code = None
            kill_session(child.pid)
            child.wait()
        return Ended(code, text_of(stdout), text_of(stderr), time.monotonic() - begin)


def text_of(file):
    file.seek(0)
    return file.read(LARGEST_OUTPUT_BYTES).decode(errors="replace")


def kill_session(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def left_behind(variable, value):
    """Process ids and programs of the living that have this variable in their environment."""
    wanted = f"{variable}={value}".encode()
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found[int(process.name)] = (process / "comm").read_text().strip()
        except OSError:
            # It has ended, or is another user's.
            continue
    return found


def state(process):
    """What a process does: its state and its processor time, from which it is seen whether it has only begun."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "ended meanwhile"
    return f"state {fields[0]}, {int(fields[11]) + int(fields[12])} ticks"
