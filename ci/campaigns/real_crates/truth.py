"""What is true of the commits, measured by plain programs without perftest."""

import math
import random
import statistics
import subprocess
from dataclasses import dataclass

RESAMPLES = 1_000
# Of all lines of a campaign together, about one interval misses.
MISRATE = 0.005


@dataclass(frozen=True)
class Ratio:
    """How many times as long a call takes as before, with its bounds."""

    estimate: float
    lower: float
    upper: float

    def __str__(self):
        return f"{self.estimate:.3f} [{self.lower:.3f}, {self.upper:.3f}]"


class Truth:
    """Readings of each plain program by test: one fresh process a round and program."""

    def __init__(self, programs):
        self.programs = programs
        self.readings = {}

    def measure(self, test, rounds):
        """Starts all programs in turn, round after round; each second round in reverse order, so
        that no program is always the first of two."""
        order = list(range(len(self.programs)))
        readings = [[] for _ in order]
        for _ in range(rounds):
            for place in order:
                ended = subprocess.run([self.programs[place], test], capture_output=True, check=True)
                readings[place].append(float(ended.stdout))
            order.reverse()
        self.readings[test] = readings

    def ratio(self, test, before, now):
        """The median of the ratios within the rounds, with the bounds of its bootstrap."""
        pairs = zip(self.readings[test][before], self.readings[test][now])
        ratios = [later / earlier for earlier, later in pairs]
        draws = random.Random(1)
        medians = sorted(statistics.median(draws.choices(ratios, k=len(ratios)))
                         for _ in range(RESAMPLES))
        cut = math.floor(RESAMPLES * MISRATE / 2)
        return Ratio(statistics.median(ratios), medians[cut], medians[-1 - cut])
