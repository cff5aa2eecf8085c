"""A newer version of perftest has written to the store: what this one knows it reads, the rest it leaves alone."""

import json

from attack import of_cases
from scene import runs_in

TEST = "last"
BENCHMARK = f"attacked::perf::{TEST}"
NEWEST = "7ZZZZZZZZZ0000000000000000"
# Whether the run is read: what an unknown verdict means nobody knows.
RECORDS = {
    "keys": ({"colour": "blue", "shades": [1, None, "x"], "inner": {"a": [1]}}, True),
    "tags and notes": ({"tags": ["moonlight"], "notes": [["moonlight", 1]], "marks": ["tide"]}, True),
    "a verdict": ({"verdict": "blue"}, False),
}
LINES = {"a kind": '{"kind":"moon phase","v":1,"phase":0.5}\n', "a beginning": '{"new":[1],"kind":"tide","v":1}\n'}


def record(scene, what):
    further, is_read = RECORDS[what]
    last = json.loads(scene.history(TEST).read_text().splitlines()[-1])
    known = {key: value for key, value in last.items() if key not in ("sum", "v", "kind")}
    # Lines that begin with another key may omit the checksum.
    run = {"kind": "run", "v": 1} | known | {"id": NEWEST} | further
    return attempt(scene, json.dumps(run, separators=(",", ":")) + "\n", is_read)


def line(scene, what):
    return attempt(scene, LINES[what], is_read=None)


def attempt(scene, added, is_read):
    path = scene.history(TEST)
    before = path.read_text() + added
    path.write_text(before)
    ended = scene.test(scene.project.perf, TEST)
    if ended.code != 0 or "no baseline" in ended.text:
        return f"the next run: {ended}"
    if not path.read_text().startswith(before):
        return "the lines before were changed"
    read = scene.tool("history", "--json", "--limit", "100000", BENCHMARK)
    if read.code != 0:
        return f"history: {read}"
    if is_read is not None and (NEWEST in runs_in(read)) != is_read:
        return f"the run is {'not ' * is_read}read"
    return None


def format_of_lines(scene):
    path = scene.history(TEST)
    before = path.read_text() + '{"v":2,"all":"new"}\n'
    path.write_text(before)
    for ended in (scene.test(scene.project.perf, TEST), scene.tool("history", BENCHMARK)):
        if ended.code in (0, None) or ended.code < 0 or "another version" not in ended.text:
            return str(ended)
    return None if path.read_text() == before else "the file was changed"


ATTACKS = [
    of_cases("record of a newer version", record, [(what,) for what in RECORDS], 1),
    of_cases("line of a newer version", line, [(what,) for what in LINES], 1),
    of_cases("newer format", format_of_lines, [()], 1),
]
