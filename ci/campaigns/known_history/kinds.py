"""Kinds of histories, each as often as asked for, by turns with one run a commit and with three."""

import math

from history import HOUR_MS, History

# Noise from run to run of histories with steps.
NOISES = 0.005, 0.03


def log_uniform(rng, least, most):
    """A number whose logarithm is as likely here as there."""
    return math.exp(rng.uniform(math.log(least), math.log(most)))


def each(kind, count):
    """The name and the runs a commit of so many histories."""
    for nth in range(count):
        runs = 3 if nth % 2 else 1
        yield f"known::{kind}::{'three' if runs == 3 else 'one'}_{nth:03}", runs


def steps(count, rng):
    """Steps of 3 to 100% that last."""
    for name, runs in each("steps", count):
        before, after = rng.randrange(30, 90) // runs, rng.randrange(36, 120) // runs
        size, noise = log_uniform(rng, 1.03, 2.0), log_uniform(rng, *NOISES)
        levels = [1.0] * before + [size] * after
        yield History(name, levels, rng, runs=runs, guilty=[before], noise=noise)


def weekend(t):
    """Twenty percent slower on Saturday and Sunday."""
    return 1.2 if (t // (24 * HOUR_MS) + 3) % 7 >= 5 else 1.0


def seasons(count, rng, days=70):
    """Weeks with three runs a day in which nothing but the load changes: no far value opens an alert in its place."""
    for name, runs in each("seasons", count):
        levels = [1.0] * (3 * days // runs)
        yield History(name, levels, rng, runs=runs, every_ms=8 * HOUR_MS, load=weekend, far=None)


def drifts(count, rng):
    """A tenth more in some two hundred runs."""
    for name, runs in each("drifts", count):
        commits = 200 // runs
        yield History(name, [1 + 0.1 * place / commits for place in range(commits)], rng, runs=runs)


def flats(count, rng):
    """Nothing but noise and far runs."""
    for name, runs in each("flat", count):
        yield History(name, [1.0] * (200 // runs), rng, runs=runs)


def ups_and_downs(count, rng):
    """Five levels of fifty runs, 10% up and down."""
    for name, runs in each("levels", count):
        length = 50 // runs
        levels = [1 + 0.1 * (place // length % 2) for place in range(5 * length)]
        guilty = [length * nth for nth in range(1, 5)]
        yield History(name, levels, rng, runs=runs, guilty=guilty)


def modes(count, rng):
    """Each run is of one of two modes, 20% apart."""
    for name, runs in each("modes", count):
        mode = lambda rng: rng.choice((1.0, 1.2))
        yield History(name, [1.0] * (200 // runs), rng, runs=runs, mode=mode, far=None)


def rare_modes(count, rng):
    """One run of twenty takes fifty times as long."""
    for name, runs in each("rare", count):
        mode = lambda rng: 50.0 if rng.random() < 0.05 else 1.0
        yield History(name, [1.0] * (200 // runs), rng, runs=runs, mode=mode, far=None)
