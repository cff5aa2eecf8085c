"""What an attack is."""

import re
from collections.abc import Callable
from dataclasses import dataclass

# What is printed where neither a slowdown nor its absence was proved.
UNPROVED = re.compile(r"unclear: |unstable: |no verdict: the machine")
# A green that says itself how little it detects. The slowed build is slower by 50%.
DETECTS = re.compile(r"detects slowdowns from (\d+)%")
LITTLE_PERCENT = 50
# A run on a machine so busy that nothing follows from it.
DISTURBED = "nearly all of it was disturbed"


class Open(str):
    """What fell, unless the machine was only too busy for a proof: the try is made again."""


def fell_in(where, fell):
    """What fell, with where it did."""
    return type(fell)(f"{where}: {fell}")


@dataclass(frozen=True)
class Attack:
    """One kind of attack. `attempt` gets a scene, a random generator and the number of the try, and gives
    what fell in one line, or None where all held."""

    name: str
    attempt: Callable
    # Of the full form, and of the short one: none there when it takes too long.
    tries: int
    short: int


def not_slower(ended):
    """What fell where a slowdown failed nothing."""
    return (Open if is_unproved(ended.text) else str)(f"a slowdown: {ended}")


def is_unproved(text):
    return UNPROVED.search(text) or any(int(it) >= LITTLE_PERCENT for it in DETECTS.findall(text))


def of_cases(name, attempt, cases, short):
    """An attack that has one try for each case. `attempt` gets a scene and the parts of the case."""

    def carry_out(scene, _random, number):
        case = cases[number]
        fell = attempt(scene, *case)
        return fell and fell_in(", ".join(map(str, case)), fell)

    return Attack(name, carry_out, len(cases), short)
