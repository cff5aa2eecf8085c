"""Attacks perftest as a hostile tester would, and counts what falls.

A tiny project is built once; its tests and `cargo perftest` then run against made-up stores, files,
environments and bodies, below a directory that is removed in the end. Prints a table of the attacks, and
for each failure what fell and how to repeat it. Ends with 1 when one fell. Runs as root, in a mount
namespace or a container: it mounts a small disk and gives files to other users.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import bodies
import damage
import foreign_code
import kills
import odd_files
import output
import speed
import together
import unjudged
import variables
from project import Failed, Project
from scene import Scene

FAMILIES = (kills, together, damage, odd_files, foreign_code, variables, unjudged, bodies, output, speed)
ATTACKS = [attack for family in FAMILIES for attack in family.ATTACKS]
# So many failures of an attack are printed.
SHOWN = 20


def arguments():
    parser = argparse.ArgumentParser(prog="ci/campaigns/attack.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="attacks: " + ", ".join(it.name for it in ATTACKS))
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="what is random begins with it, 1 unless given")
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
    scene = Scene(project, project.work / f"{attack.name.replace(' ', '-')}-{number}")
    try:
        return attack.attempt(scene, random.Random(f"{seed} {attack.name} {number}"), number)
    except Failed as failed:
        return str(failed)
    finally:
        scene.end()


def main():
    asked = arguments()
    rows, shown = [], []
    with tempfile.TemporaryDirectory() as temporary:
        project = Project(Path(temporary).resolve())
        try:
            project.prepare()
        except Failed as failed:
            sys.exit(f"error: {failed}")
        for attack in ATTACKS:
            if asked.only and attack.name not in asked.only:
                continue
            begin = time.monotonic()
            tried = numbers(attack, asked)
            fell = [(number, it) for number in tried if (it := carry_out(attack, number, project, asked.seed))]
            rows.append((attack.name, len(tried), len(fell)))
            shown += [f"{attack.name}: {what}\n    ci/campaigns/attack.sh --seed {asked.seed} --only '{attack.name}' "
                      f"--try {number}" for number, what in fell[:SHOWN]]
            if len(fell) > SHOWN:
                shown.append(f"{attack.name}: {len(fell) - SHOWN} more")
            print(f"{attack.name}: {len(fell)} of {len(tried)} fell, {time.monotonic() - begin:.0f} s",
                  file=sys.stderr, flush=True)
    print("| attack | tries | failures |\n| --- | ---: | ---: |")
    for row in rows:
        print("| {} | {:,} | {:,} |".format(*row))
    print("\n".join(shown))
    sys.exit(1 if shown else 0)


main()
