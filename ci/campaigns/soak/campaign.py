"""One store lives through sessions of a project, a few minutes of scripted time apart, with random faults.

After each session: it ended as it may, left nothing behind and holds no lock; every run that was recorded is
there as it was; what ended was recorded; unchanged code was not red; and the commands that read still answer.
Prints how many sessions of each kind there were and how many broke one of these, and ends with 1 if one did.
"""

import argparse
import collections
import random
import sys
import tempfile
import time
from pathlib import Path

from life import KINDS, Life
from project import Failed, Project

# Eight hours of a developer who tests every other minute, and the short form.
SESSIONS, SHORT = 240, 12
# So many failures are printed.
SHOWN = 20


def arguments():
    parser = argparse.ArgumentParser(prog="ci/campaigns/soak.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="what is random begins with it, 1 unless given")
    parser.add_argument("--sessions", type=int, default=SESSIONS, metavar="N", help=f"{SESSIONS} unless given")
    parser.add_argument("--short", action="store_true", help=f"{SHORT} sessions")
    return parser.parse_args()


def main():
    asked = arguments()
    chance = random.Random(asked.seed)
    tried, broken, lines = collections.Counter(), collections.Counter(), []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        project = Project(Path(temporary).resolve())
        try:
            project.prepare()
            life = Life(project, chance)
            for number in range(SHORT if asked.short else asked.sessions):
                kind = chance.choices(list(KINDS), [it.weight for it in KINDS.values()])[0]
                tried[kind] += 1
                fell = life.session(kind)
                if fell:
                    broken[kind] += 1
                    lines.append(f"session {number}, {kind}: {fell}")
                    print(lines[-1], file=sys.stderr, flush=True)
            hours = life.clock_seconds / 3600
            runs = sum(map(len, life.known.values()))
        except Failed as failed:
            sys.exit(f"error: {failed}")
        finally:
            if "life" in locals():
                life.scene.end()
    print("| session | tried | broken |\n| --- | ---: | ---: |")
    for kind in KINDS:
        print(f"| {kind} | {tried[kind]} | {broken[kind]} |")
    print(f"seed {asked.seed}: {hours:.1f} hours of scripted time and {runs} runs in {time.monotonic() - begin:.0f} s")
    print("\n".join(lines[:SHOWN]))
    sys.exit(1 if lines else 0)


main()
