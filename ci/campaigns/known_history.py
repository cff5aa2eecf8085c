#!/usr/bin/env python3
"""Generates stores whose truth is known, asks commands about them, and counts what is wrong.

    ci/campaigns/known_history.py [--short] [--seed N] CARGO_PERFTEST

Started by ci/campaigns/known-history.sh. The stores are written by docs/reference/store-format.md alone. Exits
with 1 where a count that is asked for is not reached.
"""

import argparse
import hashlib
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PROJECT = "example.org/known/history"
TESTBED = "local/7f3a2b"
HOUR_MS = 3_600_000
# A Monday.
START_MS = 1_767_571_200_000
# Noise from run to run of histories with steps.
NOISES = 0.005, 0.03
# That of all others.
NOISE = 0.01
# One run of so many is far out, by so many times the noise.
FAR, FAR_OUT = 25, 8
# The rule that docs/reference/thresholds.md recommends.
RULES = """\
[[threshold]]
name = "latency"
test = "t_test"
upper = 0.99
min_sample_size = 5
max_sample_size = 64
minimum_effect = "5%"
"""


def file_name(readable, full):
    """The name of a file or directory, as docs/reference/store-format.md has it."""
    digest = 0xCBF29CE484222325
    for byte in full.encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    digest = f"{(digest >> 32) ^ (digest & 0xFFFFFFFF):08x}"
    kept = "".join(it if it.isascii() and (it.isalnum() or it in "_.") else " " for it in readable)
    rest = "-".join(kept.split(" ")) if "  " not in kept else "-".join(kept.split())
    rest = rest[:80].strip("-.")
    return f"{rest}.{digest}" if rest else digest


def ulid(number):
    """An identity that sorts by this number."""
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    text = ""
    for _ in range(26):
        number, digit = divmod(number, 32)
        text = digits[digit] + text
    return text


def commit_of(name, place):
    """The hash of a commit."""
    return hashlib.sha1(f"{name} {place}".encode()).hexdigest()


class History:
    """The runs of a test: a level for each commit, and what else is in them."""

    def __init__(self, name, levels, runs_a_commit, rng, every_ms=4 * HOUR_MS, load=None, guilty=(), noise=NOISE, far=FAR):
        self.name, self.levels, self.guilty = name, levels, list(guilty)
        self.runs_a_commit, self.every_ms, self.load = runs_a_commit, every_ms, load
        self.noise, self.far = noise, far
        self.rng = random.Random(rng.random())

    def places(self):
        """The place of each commit by its hash."""
        return {commit_of(self.name, place): place for place in range(len(self.levels))}

    def factor(self):
        """Noise of a run."""
        is_far = self.far and self.rng.randrange(self.far) == 0
        far = FAR_OUT * self.rng.random() if is_far else 0.0
        return math.exp(self.noise * (self.rng.gauss(0, 1) + far))

    def lines(self):
        """The lines of the record."""
        text = 0
        for place, level in enumerate(self.levels):
            # Most commits do not touch what the test reaches.
            text += place in self.guilty or self.rng.random() < 0.3
            for again in range(self.runs_a_commit):
                nth = place * self.runs_a_commit + again
                t = START_MS + nth * self.every_ms
                value = 1e3 * level * self.factor() * (self.load(t) if self.load else 1.0)
                samples = [value * (1 + 0.001 * batch) for batch in (-1, 0, 1)]
                yield {
                    "v": 106, "k": "obs", "id": ulid(t * 2**80 + nth), "project": PROJECT,
                    "bench": self.name, "metric": "wall", "unit": "ns", "better": "lower",
                    "testbed": TESTBED, "cfg": "c1", "text": f"{text:016x}", "t": t,
                    "commit": commit_of(self.name, place), "branch": "main",
                    "ord": (START_MS + place * self.runs_a_commit * self.every_ms) // 1000,
                    "iters": 100, "samples": [float(f"{it:.6g}") for it in samples], "teach": True,
                }  # fmt: skip

    def write(self, root):
        """Appends the history to a store."""
        directory = root / "v1" / file_name("history", PROJECT) / "obs" / file_name(TESTBED, TESTBED)
        directory.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines())
        (directory / f"{file_name(self.name, self.name)}.jsonl").write_text(lines)


def log_uniform(rng, least, most):
    """A number whose logarithm is as likely here as there."""
    return math.exp(rng.uniform(math.log(least), math.log(most)))


def steps(count, rng):
    """Steps of 3 to 100 % that last, by turns with three runs a commit and with one."""
    for nth in range(count):
        runs = 3 if nth % 2 else 1
        before, after = rng.randrange(30, 90) // runs, rng.randrange(36, 120) // runs
        size, noise = log_uniform(rng, 1.03, 2.0), log_uniform(rng, *NOISES)
        levels = [1.0] * before + [size] * after
        name = f"known::steps::{'three' if runs == 3 else 'one'}_{nth:03}"
        yield History(name, levels, runs, rng, guilty=[before], noise=noise)


def weekend(t):
    """Twenty percent slower on Saturday and Sunday."""
    return 1.2 if (t // (24 * HOUR_MS) + 3) % 7 >= 5 else 1.0


def seasons(count, rng):
    """Ten weeks in which nothing but the load changes: no far value opens an alert in its place."""
    for nth in range(count):
        yield History(f"known::seasons::s_{nth:03}", [1.0] * 210, 1, rng, 8 * HOUR_MS, weekend, far=None)


def drifts(count, rng):
    """A tenth more in two hundred runs."""
    for nth in range(count):
        levels = [1 + 0.1 * place / 200 for place in range(200)]
        yield History(f"known::drifts::d_{nth:03}", levels, 1, rng)


def flats(count, rng):
    """Nothing."""
    for nth in range(count):
        yield History(f"known::flat::f_{nth:03}", [1.0] * 200, 1, rng)


def ups_and_downs(count, rng):
    """Five levels of fifty runs, 10 % up and down."""
    for nth in range(count):
        levels = [1 + 0.1 * (place // 50 % 2) for place in range(250)]
        guilty = [50, 100, 150, 200]
        yield History(f"known::levels::l_{nth:03}", levels, 1, rng, guilty=guilty)


class Store:
    """A project with histories, and the commands in it."""

    def __init__(self, root, tool, histories):
        self.root, self.tool = root, tool
        self.histories = {history.name: history for history in histories}
        self.seconds, self.mebibytes = 0.0, 0.0
        project = root / "project"
        project.mkdir(parents=True)
        git = ["git", "-C", str(project)]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "remote", "add", "origin", f"https://{PROJECT}"], check=True)
        (project / "Cargo.toml").write_text('[package]\nname = "known"\nversion = "0.1.0"\n')
        (project / "perftest.toml").write_text(RULES)
        for history in self.histories.values():
            history.write(root / "store")

    def asked(self, *args):
        """The objects that a command answers with."""
        environment = dict(os.environ, PERFTEST_STORE=str(self.root / "store"))
        begun = time.monotonic()
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(
                [self.tool, "perftest", *args, "--json"], cwd=self.root / "project", env=environment, stdout=out
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            lines = out.read().splitlines()
        self.seconds += time.monotonic() - begun
        self.mebibytes = max(self.mebibytes, usage.ru_maxrss / 1024)
        # An open alert is an answer too.
        if process.returncode not in (0, 1):
            sys.exit(f"{args} ended with {process.returncode}")
        return [json.loads(line) for line in lines]

    def changes(self):
        """The lasting changes of each test."""
        found = {name: [] for name in self.histories}
        for event in self.asked("changepoints"):
            if event["event"] == "change":
                found[event["benchmark"]].append(event)
        return found

    def alerts(self):
        """The alert of each test, or how else things stand."""
        events = self.asked("check", "--all", "--anew", "--branch", "main", "--limit", "1000000")
        return {event["benchmark"]: event for event in events if event["event"] == "alert"}


def suspects(history, event):
    """The places of the commits that an event suspects."""
    places = history.places()
    after = places.get((event["after_commit"] or "").rstrip("+"), -1)
    return range(after + 1, places.get(event["upto_commit"].rstrip("+"), -1) + 1)


def nearest(history, events):
    """The change that is nearest to the guilty commit, if one is within ten runs."""
    [guilty] = history.guilty

    def distance(event):
        began = START_MS + guilty * history.runs_a_commit * history.every_ms
        return abs(event["at_ms"] - began) / history.every_ms

    events = sorted((event for event in events if distance(event) <= 10), key=distance)
    return events[0] if events else None


class Table:
    """Counts, some of which are asked for."""

    def __init__(self):
        self.failed = False

    def row(self, words, count, of, asked=None):
        """A count; `asked` tells whether it is good enough."""
        verdict = ""
        if asked is not None:
            is_good = asked(count, of)
            self.failed |= not is_good
            verdict = "  as asked" if is_good else "  NOT AS ASKED"
        print(f"{words:<58} {count:>5} of {of:<5}{verdict}", flush=True)


def none(count, _):
    return count == 0


def almost_all(count, of):
    return of > 0 and count >= 0.99 * of


def about_steps(store, table):
    """Who is suspected of steps, and what becomes of their alerts."""
    histories, found, alerts = store.histories.values(), store.changes(), store.alerts()
    changes = [(history, nearest(history, found[history.name])) for history in histories]
    changes = [(history, change) for history, change in changes if change]
    table.row("steps found by changepoints", len(changes), len(histories))
    extra = sum(len(events) for events in found.values()) - len(changes)
    table.row("  changes where nothing changed", extra, len(histories))
    blamed = sum(history.guilty[0] in suspects(history, change) for history, change in changes)
    table.row("  suspects with the guilty commit", blamed, len(changes), almost_all)
    acquitted = sum(change["not_the_code"] is not None for _, change in changes)
    table.row("  guilty commits acquitted", acquitted, len(changes), none)
    commits = sorted(len(suspects(history, change)) for history, change in changes)
    table.row("  commits suspected, at the median", commits[len(commits) // 2], commits[-1])

    # A step that is smaller than the minimum effect is none of the rule's.
    lasting = [history for history in histories if history.levels[-1] >= 1.08]
    states = [(history, alerts[history.name]) for history in lasting]
    opened = [(history, alert) for history, alert in states if is_of_step(history, alert)]
    table.row("lasting steps of 8 % and more with an alert", len(opened), len(lasting))
    blamed = sum(history.guilty[0] in suspects(history, alert) for history, alert in opened)
    table.row("  suspects with the guilty commit", blamed, len(opened), almost_all)
    acquitted = sum(not alert["may_be_code"] for _, alert in opened)
    table.row("  guilty commits acquitted", acquitted, len(opened), none)
    commits = sorted(len(suspects(history, alert)) for history, alert in opened)
    table.row("  commits suspected, at the median", commits[len(commits) // 2], commits[-1])
    resolved = sum(alert["state"] == "resolved" for _, alert in opened)
    table.row("  lasting alerts resolved", resolved, len(opened), none)


def is_of_step(history, alert):
    """Whether there is an alert about the level before the step, and not about noise on the new one."""
    return alert["side"] == "upper" and alert["before"] < 1e3 * (1 + history.levels[-1]) / 2


def about_seasons(store, table):
    """Load that comes back every week opens no alert."""
    opened = sum(alert["side"] is not None for alert in store.alerts().values())
    table.row("alerts opened by a season", opened, len(store.histories), none)
    changed = sum(bool(events) for events in store.changes().values())
    table.row("  histories with a season that changed", changed, len(store.histories))


def about_the_rest(store, table):
    """What drifts, stays or goes up and down."""
    found, alerts = store.changes(), store.alerts()
    for kind, words in (("flat", "flat"), ("drifts", "drifting")):
        names = [name for name in store.histories if f"::{kind}::" in name]
        changed = sum(bool(found[name]) for name in names)
        table.row(f"{words} histories with a change", changed, len(names))
        opened = sum(alerts[name]["side"] is not None for name in names)
        table.row(f"  with an alert, of {words} ones", opened, len(names))
    levels = [history for name, history in store.histories.items() if "::levels::" in name]
    guilty = sum(len(history.guilty) for history in levels)
    blamed = sum(
        any(place in suspects(history, change) for change in found[history.name])
        for history in levels
        for place in history.guilty
    )
    table.row("changes up and down that are found", blamed, guilty)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tool")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    of = 10 if args.short else 1
    table = Table()
    parts = {
        "steps": (list(steps(300 // of, rng)), about_steps),
        "seasons": (list(seasons(40 // of, rng)), about_seasons),
        "rest": (
            [*flats(40 // of, rng), *drifts(40 // of, rng), *ups_and_downs(40 // of, rng)],
            about_the_rest,
        ),
    }
    with tempfile.TemporaryDirectory() as directory:
        for name, (histories, about) in parts.items():
            store = Store(pathlib.Path(directory) / name, args.tool, histories)
            about(store, table)
            print(f"  {name}: {store.seconds:.1f} s in commands, {store.mebibytes:.0f} MiB at most\n", flush=True)
    sys.exit(table.failed)


if __name__ == "__main__":
    main()
