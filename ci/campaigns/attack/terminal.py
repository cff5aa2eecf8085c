"""Ctrl-C in a terminal during `cargo perftest run`: it ends at once, and the terminal is as it was."""

import errno
import fcntl
import os
import pty
import select
import subprocess
import termios
import time

from attack import Attack
from processes import kill_session
from project import BUILDS

CTRL_C = b"\x03"
# The build before the first test is included.
LONGEST_START_SECONDS = 600
LONGEST_END_SECONDS = 60
LONGEST_RUN_SECONDS = 1.0
BEGUN = b"first"
HIDDEN, SHOWN = b"\x1b[?25l", b"\x1b[?25h"


def interrupt(scene, random, _number):
    controlling, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    # Cargo needs the home in which its registry is.
    env = scene.env(TERM="xterm-256color") | scene.project.building | BUILDS
    child = subprocess.Popen([scene.project.tool, "perftest", "run"], cwd=scene.repository, env=env, stdin=terminal,
                             stdout=terminal, stderr=terminal, preexec_fn=take_terminal)
    try:
        printed = read_until(controlling, child, lambda text: BEGUN in text, LONGEST_START_SECONDS)
        if BEGUN not in printed:
            return f"no test began: {printed[-400:]!r}"
        printed += read_for(controlling, random.uniform(0, LONGEST_RUN_SECONDS))
        os.write(controlling, CTRL_C)
        printed += read_until(controlling, child, lambda _: False, LONGEST_END_SECONDS)
        if child.poll() is None:
            return f"Ctrl-C did not end it: {printed[-400:]!r}"
        after = termios.tcgetattr(terminal)
    finally:
        kill_session(child.pid)
        child.wait()
        os.close(controlling)
        os.close(terminal)
    if after != before:
        return "the settings of the terminal changed"
    if printed.rfind(HIDDEN) > printed.rfind(SHOWN):
        return "the cursor stayed hidden"
    left = scene.left_behind()
    if left:
        return f"{', '.join(left)} outlived Ctrl-C"
    again = scene.test(scene.project.perf)
    return None if again.code == 0 else f"the next session: {again}"


def take_terminal():
    """In the child: what is typed there goes to it."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_until(terminal, child, is_enough, longest_seconds):
    """What is printed until it is enough, or the child has ended."""
    printed, deadline = b"", time.monotonic() + longest_seconds
    while time.monotonic() < deadline and not is_enough(printed):
        # Read once more behind the end.
        has_ended = child.poll() is not None
        printed += read_for(terminal, 0.05)
        if has_ended:
            break
    return printed


def read_for(terminal, seconds):
    printed, deadline = b"", time.monotonic() + seconds
    while True:
        left = max(0, deadline - time.monotonic())
        if not select.select([terminal], [], [], left)[0]:
            return printed
        try:
            printed += os.read(terminal, 1 << 16)
        except OSError as error:
            # Nobody has the terminal open any more.
            if error.errno == errno.EIO:
                return printed
            raise


ATTACKS = [Attack("Ctrl-C in a terminal", interrupt, 20, 1)]
