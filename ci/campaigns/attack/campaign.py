"""Attacks perftest as a hostile tester would, and counts what falls.

A tiny project is built once; its tests and `cargo perftest` then run against made-up stores, files,
environments and bodies, below a directory that is removed in the end. Prints a table of the attacks, and
for each failure what fell and how to repeat it. Ends with 1 when one fell. What mounts a small disk,
makes a device or gives files to another user needs root, and is left out without it.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import bodies
import broken_system
import changes
import damage
import foreign_code
import hostile_server
import killed_commands
import kills
import newer
import odd_files
import output
import speed
import terminal
import together
import unjudged
import variables
from attack import Open
from project import Failed, Project
from scene import Scene

FAMILIES = (kills, killed_commands, changes, terminal, together, damage, newer, broken_system, odd_files, foreign_code,
            variables, unjudged, hostile_server, bodies, output, speed)
ATTACKS = [attack for family in FAMILIES for attack in family.ATTACKS]
# So many failures of an attack are printed.
SHOWN = 20
# Seconds before a try is made again that a busy machine left open.
PAUSES_SECONDS = (0, 0, 1, 2, 4, 8, 15, 15)
# The result of a try that only root can make.
LEFT_OUT = object()


def arguments():
    parser = argparse.ArgumentParser(prog="ci/campaigns/attack.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="attacks: " + ", ".join(it.name for it in ATTACKS))
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="what is random begins with it, 1 unless given")
    parser.add_argument("--short", action="store_true", help="a few tries of the attacks that take little time")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this attack; may be repeated")
    parser.add_argument("--try", dest="number", type=int, metavar="N", help="only this try of each attack")
    asked = parser.parse_args()
    unknown = set(asked.only or ()) - {it.name for it in ATTACKS}
    if unknown:
        parser.error(f"there is no attack {', '.join(sorted(unknown))}; see --help")
    return asked


def numbers(attack, asked):
    """The tries to make: of the short form a random choice."""
    if asked.number is not None:
        return [asked.number] if asked.number < attack.tries else []
    if asked.short:
        return sorted(random.Random(f"{asked.seed} {attack.name}").sample(range(attack.tries), attack.short))
    return range(attack.tries)


def carry_out(attack, number, project, seed):
    """One try: what fell, or None."""
    for pause in PAUSES_SECONDS:
        fell = carry_out_once(attack, number, project, seed)
        if not isinstance(fell, Open):
            return fell
        time.sleep(pause)
        if pause > 0:
            # A history from a busy phase of the machine proves nothing, however often it is tried.
            try:
                project.give_history()
            except Failed as failed:
                return str(failed)
    return fell


def carry_out_once(attack, number, project, seed):
    scene = Scene(project, project.work / f"{attack.name.replace(' ', '-')}-{number}")
    try:
        return attack.attempt(scene, random.Random(f"{seed} {attack.name} {number}"), number)
    except Failed as failed:
        return str(failed)
    except PermissionError:
        if os.geteuid() == 0:
            raise
        return LEFT_OUT
    finally:
        scene.end()


def carry_out_all(attack, project, asked):
    """All tries of an attack: how many there were, and what fell by the number of the try."""
    begin = time.monotonic()
    results = {number: carry_out(attack, number, project, asked.seed) for number in numbers(attack, asked)}
    tried = {number: what for number, what in results.items() if what is not LEFT_OUT}
    fell = {number: what for number, what in tried.items() if what}
    left_out = f", {len(results) - len(tried)} need root and were left out" if len(tried) < len(results) else ""
    killed = "".join(f", {count} killed {moment}" for moment, count in sorted(project.killed.items()))
    print(f"{attack.name}: {len(fell)} of {len(tried)} fell{killed}{left_out}, {time.monotonic() - begin:.0f} s",
          file=sys.stderr, flush=True)
    project.killed.clear()
    return len(tried), fell


def describe(attack, fell, seed):
    """A failure a line, and how to repeat it."""
    for number, what in list(fell.items())[:SHOWN]:
        yield f"{attack.name}: {what}"
        yield f"    ci/campaigns/attack.sh --seed {seed} --only '{attack.name}' --try {number}"
    if len(fell) > SHOWN:
        yield f"{attack.name}: {len(fell) - SHOWN} more"


def main():
    asked = arguments()
    rows, lines = [], []
    with tempfile.TemporaryDirectory() as temporary:
        project = Project(Path(temporary).resolve())
        try:
            project.prepare()
        except Failed as failed:
            sys.exit(f"error: {failed}")
        for attack in ATTACKS:
            if asked.only and attack.name not in asked.only:
                continue
            tried, fell = carry_out_all(attack, project, asked)
            rows.append((attack.name, tried, len(fell)))
            lines += describe(attack, fell, asked.seed)
    print("| attack | tries | failures |\n| --- | ---: | ---: |")
    for row in rows:
        print("| {} | {:,} | {:,} |".format(*row))
    print(f"seed {asked.seed}")
    print("\n".join(lines))
    sys.exit(1 if lines else 0)


main()
