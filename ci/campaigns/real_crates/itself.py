"""An executable compared with itself: every ratio should be 1, whichever side it stands on."""

import math
import shutil
import statistics
from collections import Counter

from project import json_lines

# How far the geometric mean of the ratios may be from 1.
BOUND = 0.003


def compare_with_itself(project, tests, times, progress):
    """Compares two copies of the first commit's executable, whose order changes each time, until
    there are so many comparisons. What is missed, in words."""
    project.write_manifest()
    project.commit("first")
    built = project.executable_of("test", "--no-run", "--test", "perf")
    sides = [str(shutil.copy(built, project.executables / f"perf-{side}")) for side in "ab"]
    ratios, answers = {"a, b": [], "b, a": []}, Counter()
    while sum(map(len, ratios.values())) < times:
        for order, (base, head) in zip(ratios, (sides, sides[::-1])):
            printed = project.perftest("compare", "--executables", base, head,
                                       "--measure-same-code", "--json", "--", *tests, ok=(0, 1))
            compared = [it for it in json_lines(printed) if it.get("ratio") is not None]
            ratios[order] += [it["ratio"] for it in compared]
            answers.update(it["answer"] for it in compared)
        progress(f"{sum(map(len, ratios.values()))} comparisons so far")
    ratios["both"] = ratios["a, b"] + ratios["b, a"]
    missed = [f"geometric mean of order {order}" for order in ratios if not holds(order, ratios[order])]
    print(f"  all answers: {', '.join(f'{answer} {count}' for answer, count in answers.items())}")
    for answer in ("slower", "faster"):
        if answers[answer]:
            missed.append(f"{answers[answer]} comparisons of an executable with itself called {answer}")
    return missed


def holds(order, ratios):
    """Prints the geometric mean of an order, with its standard error. Whether it keeps the bound."""
    logarithms = [math.log(ratio) for ratio in ratios]
    mean = math.exp(statistics.fmean(logarithms))
    error = mean * statistics.stdev(logarithms) / math.sqrt(len(logarithms))
    is_kept = abs(mean - 1) <= BOUND
    print(f"order {order}: {len(ratios)} comparisons, geometric mean {mean:.4f} +- {error:.4f}, "
          f"{sum(ratio < 1 for ratio in ratios)} below 1{'' if is_kept else '   MISSED'}")
    return is_kept
