"""What is printed: the exit code stands when nobody reads on, and no line is a command to a CI provider."""

import os
import shutil

from attack import Open, of_cases
from by_hand import run, write_history
from processes import LONGEST_ANSWER_SECONDS, start

NASTY = {
    "line feed": "x\n::error::y", "carriage return": "x\r::error::y", "next line": "x\u0085::error::y",
    "line separator": "x\u2028::error::y", "escape": "x\u001b[2J\u001b[1;1H::error::y",
    "right to left": "x\u202e::error::y", "control sequence": "x\u009b2J::error::y", "bell": "x\u0007y",
    "line feed first": "\n::error::y", "command anywhere": "x##vso[task.setvariable variable=A]y",
}
COMMANDS = (
    ("history",), ("show", "nasty"), ("history", "nasty"), ("rank",), ("changepoints",), ("check", "--all"),
    ("drift",), ("power",), ("accept", "nasty", "--max-ratio", "1.5", "--reason", "meant"), ("accept", "--list"),
    ("accept", "--check"), ("replay",), ("doctor",),
)
# What no terminal and no log may get: C0 but line feed and tab, DEL, C1, line ends and directions of Unicode.
HARMFUL = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029", "\u061c",
           *map(chr, range(0x200E, 0x2010)), *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
HARMFUL -= {"\n", "\t"}


def closed_pipe(scene, reason):
    """Nobody reads what `check` prints."""
    PIPES[reason](scene)
    further = {"CI": "true"} if "CI" in reason else {}
    read = scene.tool("check", **further)
    reading, writing = os.pipe()
    os.close(reading)
    child = start([scene.project.tool, "perftest", "check"], scene.repository, scene.env(**further), writing)
    os.close(writing)
    code = child.wait(LONGEST_ANSWER_SECONDS)
    if read.code == 0:
        # No rule judges a run on a machine in no state to measure.
        return Open(f"the control answers 0, so this proves nothing: {read}")
    return None if code == read.code else f"exit {code}, and {read.code} when it is read"


def write_rule(scene):
    rule = '[[threshold]]\nname = "wall"\ntest = "percentage"\nupper = 0.2\nmin_sample_size = 2\n'
    (scene.repository / "perftest.toml").write_text(rule)


def open_alert(scene):
    """The slow build against a rule."""
    scene.own_repository()
    write_rule(scene)
    scene.test(scene.project.slow_perf)


def nothing(scene):
    open_alert(scene)
    shutil.rmtree(scene.store)


def nasty_text(scene, field, what):
    """Histories by hand, in which a text is nasty."""
    nasty = f"nasty{NASTY[what]}"
    further = {field: nasty}
    bench = further.pop("benchmark", "attacked::perf::nasty")
    if "note" in further:
        further["notes"] = [["not_confirmed", further.pop("note")]]
    testbed = further.pop("testbed", "local/by-hand")
    lines = [run(bench, testbed, number, 100 if number < 20 else 150, **further) for number in range(40)]
    write_history(scene.one("v1/*"), bench, testbed, lines)
    scene.own_repository()
    write_rule(scene)
    for command in COMMANDS:
        ended = scene.tool(*command)
        if ended.code in (None, 101):
            return f"{' '.join(command)}: {ended}"
        if "damaged line" in ended.text:
            return f"the history is damaged, so this proves nothing: {ended}"
        commands = [line for line in ended.text.splitlines() if line.lstrip().startswith("::") or "##" in line]
        harmful = sorted({f"U+{ord(it):04X}" for it in ended.text if it in HARMFUL})
        if commands or harmful:
            return f"{' '.join(command)} prints {', '.join(harmful + commands)[:200]!r}"
    return None


PIPES = {"no rules": lambda scene: None, "an open alert": open_alert, "nothing to judge in CI": nothing}
FIELDS = ("benchmark", "testbed", "branch", "commit", "note", "metric", "unit")
ATTACKS = [
    of_cases("closed pipe", closed_pipe, [(reason,) for reason in PIPES], len(PIPES)),
    of_cases("nasty text", nasty_text, [(field, what) for field in FIELDS for what in NASTY], 3),
]
