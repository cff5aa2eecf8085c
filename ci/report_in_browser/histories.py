"""Histories with verdicts, conditions and epochs, for reports."""

import json
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "campaigns" / "known_history"))

from history import PROJECT, History, file_name  # noqa: E402

# Runs that a verdict compares with.
WINDOW, NEEDED = 15, 5
# Runs of the one long history.
LONG = 1000
# The history that is slower than tolerated, but not than accepted.
ACCEPTED = 5
# Units and directions of one metric.
TWO_UNITS = (("requests", "lower"), ("requests/s", "higher"))
# Markup, quotes, line ends, a mark that turns the direction of writing, and many characters.
HOSTILE = "known::</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&amp;\n\u202etxet\u2069::" + "x" * 300
CONTEXTS = {
    "00000000000000a1": {"v": 1, "rustc": "1.89.0", "kernel": "6.1.0", "governor": "powersave"},
    "00000000000000b2": {"v": 1, "rustc": "1.90.0", "kernel": "6.8.0", "governor": "powersave"},
}


class JudgedHistory(History):
    """A history whose runs were judged by the runs before them, on a machine that warms up and cools down."""

    def __init__(self, *args, samples=12, skewed=False, counted=False, in_two_units=False, accepted=None, **others):
        super().__init__(*args, **others)
        self.samples, self.skewed, self.counted, self.accepted = samples, skewed, counted, accepted
        self.in_two_units = in_two_units

    def lines(self):
        past = []
        lines = list(super().lines())
        for nth, line in enumerate(lines):
            value = line["samples"][1]
            around = [value * (1 + 0.004 * self.rng.gauss(0, 1)) for _ in range(self.samples - 1)]
            line["samples"] = [float(f"{it:.6g}") for it in around] + [value]
            value = statistics.median(line["samples"])
            self.values[nth] = value
            if self.skewed and nth % 40 == 39:
                line["started_ms"] -= 30 * 3_600_000
            warm = 12 * (nth % 24) / 24
            line.update(self.judged(value, past[-WINDOW:], line))
            line.update(
                temp0=round(52 + warm, 1), temp1=round(54 + warm, 1), eff0=4100.0, eff1=round(4095 - 8 * warm, 1),
                load0=0.4, load1=round(0.4 + 0.1 * self.rng.random(), 2), spent_ns=180_000_000 + nth * 10_000,
                budget_ns=3_000_000_000, context=list(CONTEXTS)[nth >= 0.6 * len(lines)],
            )  # fmt: skip
            past.append(value)
            yield line
            if self.counted:
                allocs = 120 + nth // 30
                yield {**line, "metric": "allocs", "unit": "allocs", "samples": [allocs] * self.samples,
                       **self.judged(allocs, [120] * NEEDED, line)}
            for unit, better in TWO_UNITS if self.in_two_units else ():
                yield {**line, "metric": "served", "unit": unit, "better": better}

    def judged(self, value, past, line):
        common = {"tolerance": 0.05, "measurements": len(line["samples"]), "processes": 1, "value": value,
                  "value_lower": min(line["samples"]), "value_upper": max(line["samples"]),
                  "baseline_runs": len(past), "baseline_needed": NEEDED}
        if len(past) < NEEDED:
            return {**common, "verdict": "no_baseline"}
        baseline = statistics.median(past)
        ratio = value / baseline
        verdict = next(name for name, least in
                       (("red", 1.08), ("unclear", 1.05), ("green", 0.93), ("improved", 0)) if ratio > least)
        if verdict == "red" and self.accepted:
            common |= {"accepted_ratio": self.accepted}
            verdict = "green"
        return {
            **common, "verdict": verdict, "ratio": ratio, "ratio_lower": ratio * 0.985, "ratio_upper": ratio * 1.015,
            "baseline_value": baseline, "baseline_lower": min(past), "baseline_upper": max(past), "baseline_commits": len(past),
            "smallest_detectable": 0.062, "false_alarm_rate": 1e-6, "noise": 0.02,
        }  # fmt: skip

    def write(self, root):
        super().write(root)
        contexts = root / "v1" / file_name("history", PROJECT) / "contexts"
        contexts.mkdir(exist_ok=True)
        for name, context in CONTEXTS.items():
            path = contexts / f"{name}.json"
            if not path.exists():
                path.write_text(json.dumps(context) + "\n")


def levels(kind, runs, rng):
    """The level of each run of a kind of history."""
    if kind == "step":
        place = rng.randrange(runs // 3, runs - 15)
        size = rng.choice((1.12, 1.2, 1.4, 0.8))
        return [1.0] * place + [size] * (runs - place), [place]
    if kind == "fresh":
        # The last runs alone are slower, or faster.
        size = rng.choice((1.1, 1.25, 1.6, 0.75))
        return [1.0] * (runs - 2) + [size] * 2, [runs - 2]
    if kind == "levels":
        return [1 + 0.15 * (run // (runs // 4 + 1) % 2) for run in range(runs)], []
    if kind == "drift":
        return [1 + 0.12 * run / runs for run in range(runs)], []
    return [1.0] * runs, []


def histories(count, runs, seed=1, samples=12):
    """So many histories of all kinds, with noise of 0.3 to 3%; one has a hostile name, one a clock that
    goes back, one counts its allocations too, one has a metric in two units, one is slower and accepted, and one is long."""
    rng = random.Random(seed)
    kinds = ["flat"] * 12 + ["step"] * 4 + ["levels", "drift"] * 2 + ["fresh"]
    for nth in range(count):
        kind = kinds[nth % len(kinds)]
        is_long = nth == 4
        course, guilty = levels(kind, LONG if is_long else runs, rng)
        if nth == ACCEPTED:
            course = course[:-2] + [1.3] * 2
        name = HOSTILE if nth == 1 else f"known::{'long' if is_long else kind}::module_{nth % 40:02}::case_{nth:04}"
        yield JudgedHistory(name, course, rng, guilty=guilty, noise=rng.choice((0.003, 0.008, 0.03)),
                            samples=samples, skewed=nth == 2, counted=nth == 3, in_two_units=nth == 6, accepted=1.5 if nth == ACCEPTED else None)
