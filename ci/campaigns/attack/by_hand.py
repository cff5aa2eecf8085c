"""Histories written by hand, as docs/reference/store-format.md has them."""

import json
import re

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BEGIN_MS = 1_767_225_600_000
MINUTE_MS = 60_000


def file_name(full):
    digest = 0xCBF29CE484222325
    for byte in full.encode():
        digest = (digest ^ byte) * 0x100000001B3 & (1 << 64) - 1
    readable = re.sub(r"[^A-Za-z0-9_.]+", "-", full)[:80].strip("-.")
    hashed = f"{(digest >> 32) ^ (digest & 0xFFFFFFFF):08x}"
    return f"{readable}.{hashed}" if readable else hashed


def ulid(milliseconds, number):
    value = milliseconds << 80 | number
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


def run(bench, testbed, number, value, **further):
    """The line of a run; those of a history are a minute apart."""
    began = BEGIN_MS + number * MINUTE_MS
    fields = {
        "kind": "run", "v": 1, "id": ulid(began, number), "benchmark": bench, "metric": "wall", "unit": "ns",
        "better": "lower", "testbed": testbed, "started_ms": began, "commit": f"{number // 2:040x}", "branch": "main",
        "iterations": 100, "samples": [value * share for share in (0.99, 1, 1.01)], "verdict": "green",
        "tolerance": 0.05, "counts_for_baseline": True,
    }
    return json.dumps(fields | further, separators=(",", ":"), ensure_ascii=False) + "\n"


def write_history(project, bench, testbed, lines):
    """Puts the history of a test beside those of the project."""
    directory = project / "runs" / file_name(testbed)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{file_name(bench)}.jsonl"
    path.write_text("".join(lines))
    return path
