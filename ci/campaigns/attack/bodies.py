"""Bodies that misbehave, in the first process or in the fresh ones: a slowdown never passes as judged, the session ends
in an orderly way that names the test, and the next one runs."""

import re

from attack import fell_in, not_slower, of_cases
from unjudged import CI

# How long a session may take: pauses and time-outs of fresh processes included.
LONGEST_SESSION_SECONDS = 60
TIMEOUT = {"PERFTEST_TIMEOUT": "3s"}
BODIES = (
    "exit", "_exit", "exec", "panic", "abort", "overflow the stack", "stop", "kill itself", "loop", "sleep",
    "wait for a child", "print the protocol", "print bytes", "print much", "print one long line",
    "read standard input", "eat memory", "delete its directory", "delete the store", "change its directory",
    "change the environment", "leave a child", "leave a child of its own session", "leave a thread", "fork",
    "close standard streams", "close all files", "forbid files", "forbid large files", "ignore signals",
)
# Nothing in a process can act once it has stopped or replaced itself.
OUT_OF_REACH = {("stop", "first"), ("exec", "first"), ("_exit", "first")}
# They end their process, and the tests behind them do not run in it.
ENDING = ("exit", "_exit", "exec", "abort", "overflow the stack", "stop", "kill itself", "eat memory",
          # The output goes to a file.
          "forbid large files")
# They are left at a time-out, which ends the process.
HANGING = ("loop", "sleep", "wait for a child")
# Nothing is printed behind them, or more than is looked at.
SILENT = ("close standard streams", "close all files", "print much", "print one long line")
PANICKED = re.compile(r"panicked at [^\n]*perftest")
UNJUDGED = re.compile(r"not judged|no verdict|unclear|cannot|could not|not recorded|unreadable|no baseline")


def attempt(scene, body, where):
    for surroundings in ({}, CI):
        ended = scene.test(scene.project.slow_perf, "hostile", longest_seconds=LONGEST_SESSION_SECONDS,
                           ATTACK_BODY=body, ATTACK_WHERE=where, **TIMEOUT, **surroundings)
        fell = judge(scene, body, where, ended, is_ci=bool(surroundings))
        if fell:
            return fell_in("CI" if surroundings else "local", fell)
    if where == "first" and body not in (*ENDING, *HANGING, *SILENT):
        all_tests = scene.test(scene.project.perf, longest_seconds=LONGEST_SESSION_SECONDS, ATTACK_BODY=body,
                               ATTACK_WHERE=where, **TIMEOUT)
        if "test last ... " not in all_tests.text:
            return f"the test behind it did not run: {all_tests}"
    following = scene.test(scene.project.perf, "last")
    return None if following.code == 0 and "test last ... ok" in following.text else f"the next test: {following}"


def judge(scene, body, where, ended, is_ci):
    if ended.code is None:
        return str(ended)
    left = scene.left_behind()
    if left:
        return f"{', '.join(left)} outlived the session: {ended}"
    may_die = where == "first" and body in ENDING
    if ended.code < 0 and not may_die or PANICKED.search(ended.text):
        return f"it ended in disorder: {ended}"
    if ended.code != 0:
        is_named = "hostile" in ended.text or where == "first" and body in SILENT
        return None if is_named else f"it does not name the test: {ended}"
    is_learning = body == "delete the store" and "no baseline" in ended.text
    is_told = UNJUDGED.search(ended.text) and (is_learning or not is_ci)
    return None if is_told else not_slower(ended)


CASES = [(body, where) for body in BODIES for where in ("first", "fresh") if (body, where) not in OUT_OF_REACH]
ATTACKS = [of_cases("body", attempt, CASES, 4)]
