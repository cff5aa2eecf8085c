"""Times detectors of ruptures on the series of ci/campaigns/detector-speed.sh, and draws the table of all.

usage: ruptures_speed.py <directory of series> <seconds after which a call is stopped> <values>...

Our rows come in on standard input: detector, kind, number of values and seconds, split by tabs.
"""

import math
import multiprocessing
import sys
import time

import numpy
import ruptures

KINDS = ["flat", "rounded", "stepped"]


def penalty(values):
    """The modified Bayesian information criterion's, for noise of deviation 1."""
    return 3 * math.log(len(values))


DETECTORS = {
    "ruptures Pelt, l2": lambda values: ruptures.Pelt("l2", min_size=20, jump=1)
    .fit(values)
    .predict(pen=penalty(values)),
    "ruptures Pelt, rank": lambda values: ruptures.Pelt("rank", min_size=20, jump=1)
    .fit(values)
    .predict(pen=penalty(values)),
    "ruptures KernelCPD, linear": lambda values: ruptures.KernelCPD("linear", min_size=20)
    .fit(values)
    .predict(pen=penalty(values)),
    "ruptures Binseg, l2": lambda values: ruptures.Binseg("l2", min_size=20, jump=1)
    .fit(values)
    .predict(pen=penalty(values)),
}


def timed(name, path, answer):
    values = numpy.loadtxt(path)
    begin = time.perf_counter()
    DETECTORS[name](values)
    answer.put(time.perf_counter() - begin)


def seconds(name, path, longest):
    """The seconds of one call in a process of its own; none where it was stopped."""
    answer = multiprocessing.Queue()
    process = multiprocessing.Process(target=timed, args=(name, path, answer))
    process.start()
    # Reading the values and starting up are not the detector's.
    process.join(longest + 5)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    # A process that ended without an answer ran out of memory.
    return None if answer.empty() else answer.get()


def describe(value, longest):
    if value is None or value > longest:
        return f"over {longest:g} s"
    if value >= 1:
        return f"{value:.1f} s"
    return f"{1000 * value:.1f} ms" if value >= 0.0001 else f"{1e6 * value:.0f} us"


def main():
    directory, longest = sys.argv[1], float(sys.argv[2])
    lengths = [int(length) for length in sys.argv[3:]]
    columns = [(kind, length) for length in lengths for kind in KINDS]
    rows = {}
    for line in sys.stdin:
        name, kind, length, value = line.rstrip("\n").split("\t")
        rows.setdefault(name, {})[kind, int(length)] = float(value)
    for name in DETECTORS:
        stopped = set()
        for kind, length in columns:
            # One that took too long takes longer still on more values.
            value = None
            if kind not in stopped:
                value = seconds(name, f"{directory}/{kind}-{length}.txt", longest)
            if value is None:
                stopped.add(kind)
            rows.setdefault(name, {})[kind, length] = value
    print("| detector |", " | ".join(f"{length:,} {kind}" for kind, length in columns), "|")
    print("|---|" + "---|" * len(columns))
    for name, row in rows.items():
        cells = [told(row.get(column), longest) for column in columns]
        print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
