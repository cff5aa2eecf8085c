"""What an attack is."""

import re
from collections.abc import Callable
from dataclasses import dataclass

# What is printed where neither a slowdown nor its absence was proved.
UNPROVED = re.compile(r"unclear: |unstable: |no verdict: the machine")


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
    return (Open if UNPROVED.search(ended.text) else str)(f"a slowdown: {ended}")


def of_cases(name, attempt, cases, short):
    """An attack that has one try for each case. `attempt` gets a scene and the parts of the case."""

    def carry_out(scene, _random, number):
        case = cases[number]
        fell = attempt(scene, *case)
        return fell and fell_in(", ".join(map(str, case)), fell)

    return Attack(name, carry_out, len(cases), short)
