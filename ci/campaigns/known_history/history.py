"""One history whose truth is known, written by docs/reference/store-format.md alone."""

import hashlib
import json
import math
import random

PROJECT = "example.org/known/history"
TESTBED = "local/7f3a2b"
HOUR_MS = 3_600_000
# A Monday.
START_MS = 1_767_571_200_000
# Noise from run to run.
NOISE = 0.01
# One run of so many is far out, by so many times the noise.
FAR, FAR_OUT = 25, 8


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
    """The runs of a test: a level for each commit, and what else is in them.

    `load` is a factor by the time, `mode` one that each run draws, `guilty` the places of the commits that
    change the level. `far` is None, or one run of so many is far out.
    """

    def __init__(self, name, levels, rng, *, runs=1, every_ms=4 * HOUR_MS, load=None, mode=None,
                 guilty=(), noise=NOISE, far=FAR):
        self.name, self.levels, self.guilty = name, levels, list(guilty)
        self.runs_a_commit, self.every_ms, self.load, self.mode = runs, every_ms, load, mode
        self.noise, self.far = noise, far
        self.rng = random.Random(rng.random())
        self.values = []

    def places(self):
        """The place of each commit by its hash."""
        return {commit_of(self.name, place): place for place in range(len(self.levels))}

    def factor(self):
        """Noise of a run."""
        is_far = self.far and self.rng.randrange(self.far) == 0
        far = FAR_OUT * self.rng.random() if is_far else 0.0
        return math.exp(self.noise * (self.rng.gauss(0, 1) + far))

    def lines(self):
        """The lines of the record; `values` has the medians of the runs then."""
        text, self.values = 0, []
        for place, level in enumerate(self.levels):
            # Most commits do not touch what the test reaches.
            text += place in self.guilty or self.rng.random() < 0.3
            for again in range(self.runs_a_commit):
                nth = place * self.runs_a_commit + again
                t = START_MS + nth * self.every_ms
                value = 1e3 * level * self.factor() * (self.load(t) if self.load else 1.0)
                value *= self.mode(self.rng) if self.mode else 1.0
                samples = [float(f"{value * (1 + 0.001 * batch):.6g}") for batch in (-1, 0, 1)]
                self.values.append(samples[1])
                yield {
                    "kind": "run", "v": 1, "id": ulid(t * 2**80 + nth), "project": PROJECT,
                    "benchmark": self.name, "metric": "wall", "unit": "ns", "better": "lower",
                    "testbed": TESTBED, "config": "c1", "machine_code": f"{text:016x}", "started_ms": t,
                    "commit": commit_of(self.name, place), "branch": "main",
                    "commit_time_s": (START_MS + place * self.runs_a_commit * self.every_ms) // 1000,
                    "iterations": 100, "samples": samples, "counts_for_baseline": True,
                    # What `power` needs to know of a verdict.
                    "verdict": "green", "tolerance": 0.05,
                }  # fmt: skip

    def write(self, root):
        """Appends the history to a store."""
        directory = root / "v1" / file_name("history", PROJECT) / "runs" / file_name(TESTBED, TESTBED)
        directory.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines())
        (directory / f"{file_name(self.name, self.name)}.jsonl").write_text(lines)
