"""A history is damaged: no run vanishes or changes without a word."""

from attack import Attack
from scene import runs_in

TEST = "last"


def cut_end(scene, random, _number):
    """All behind a random place is gone. A cut between lines, before or behind the line feed, cannot be told
    from a run that never was."""
    path = scene.history(TEST)
    data = path.read_bytes()
    place = random.randrange(1, len(data))
    while b"\n" in data[place - 1:place + 1]:
        place = random.randrange(1, len(data))
    return outcome(scene, path, data[:place], f"cut at byte {place} of {len(data)}")


def cut_middle(scene, random, _number):
    """What is between two random places is gone."""
    path = scene.history(TEST)
    data = path.read_bytes()
    begin, end = sorted(random.sample(range(len(data)), 2))
    return outcome(scene, path, data[:begin] + data[end:], f"bytes {begin} to {end} of {len(data)} cut out")


def flip_bit(scene, random, _number):
    path = scene.history(TEST)
    data = bytearray(path.read_bytes())
    place, bit = random.randrange(len(data)), random.randrange(8)
    data[place] ^= 1 << bit
    return outcome(scene, path, bytes(data), f"bit {bit} of byte {place} of {len(data)} flipped")


def outcome(scene, path, damaged, what):
    truth = scene.runs(TEST)
    path.write_bytes(damaged)
    ended = scene.tool("history", "--json", "--limit", "100000", f"attacked::perf::{TEST}")
    if ended.code not in (0, 2, 5):
        return f"{what}: {ended}"
    is_told = str(path) in ended.text
    if ended.code != 0:
        return None if is_told else f"{what}: refused without the path: {ended}"
    read = runs_in(ended)
    changed = [run_id for run_id, recorded in read.items() if truth.get(run_id) != recorded]
    if changed:
        return f"{what}: {len(changed)} runs are read as they never were"
    gone = len(truth) - len(read)
    return f"{what}: {gone} runs vanished without a word" if gone and not is_told else None


ATTACKS = [
    Attack("cut off the end", cut_end, 1000, 10),
    Attack("cut out the middle", cut_middle, 1000, 10),
    Attack("flip a bit", flip_bit, 1500, 20),
]
