"""Commands are killed while they write what a place does not have: what it had stays, and they work again."""

import json
import shutil

import killing
from attack import Attack
from killing import Writer
from project import TESTS, Failed

ACCEPTANCES = "perf-accept.jsonl"


def kill_command(scene, random, number):
    name, prepare = list(COMMANDS.items())[number % len(COMMANDS)]
    whole = killing.whole(scene.project, name, prepare)
    runs, complete = {test: scene.runs(test) for test in TESTS}, lines_in(scene.store)
    writer = prepare(scene)
    had = lines_in(writer.place)
    killing.kill(scene, random, writer, whole)
    fell = lost(had, writer.place)
    if fell:
        return f"{name}: {fell}"
    again = scene.test(*writer.command)
    if again.code != 0:
        return f"{name} again: {again}"
    if name == "accept":
        return lost(had, writer.place) or is_accepted(writer.place)
    fell = lost(had | complete, writer.place)
    if fell:
        return f"{name} again: {fell}"
    if name == "push":
        # The other place is read in an empty store.
        scene.variables["PERFTEST_STORE"] = str(scene.directory / "read")
        pulled = scene.tool("pull", f"dir:{writer.place}", "--all")
        if pulled.code != 0:
            return f"the other place cannot be read: {pulled}"
    for test in TESTS:
        if scene.runs(test) != runs[test]:
            return f"{name}: runs of {test} are not as they were"
    return None


def accept(scene):
    """One test is accepted already."""
    path = scene.own_repository() / ACCEPTANCES
    must(scene, *acceptance_of(TESTS[0]))
    return Writer((scene.project.tool, "perftest", *acceptance_of(TESTS[-1])), path)


def acceptance_of(test):
    return "accept", test, "--max-ratio", "1.5", "--reason", f"meant for {test}"


def is_accepted(path):
    reasons = {json.loads(line)["reason"] for line in path.read_text().splitlines()}
    missing = {acceptance_of(test)[-1] for test in (TESTS[0], TESTS[-1])} - reasons
    return f"accepted is not what was {', '.join(missing)}" if missing else None


def push(scene):
    """The directory has a part of the runs, from another store."""
    directory = scene.directory / "other"
    must(scene, "push", f"dir:{directory}", PERFTEST_STORE=str(thinned(copy_of(scene.store))))
    return Writer((scene.project.tool, "perftest", "push", f"dir:{directory}"), directory)


def pull(scene):
    """The directory has all runs from another store, and this store a part of them."""
    directory = scene.directory / "other"
    must(scene, "push", f"dir:{directory}", PERFTEST_STORE=str(copy_of(scene.store)))
    return Writer((scene.project.tool, "perftest", "pull", f"dir:{directory}", "--all"), thinned(scene.store))


def merge(scene):
    """The other store has all runs, and this one a part of them."""
    other = copy_of(scene.store)
    return Writer((scene.project.tool, "perftest", "merge", other), thinned(scene.store))


def must(scene, *arguments, **further):
    ended = scene.tool(*arguments, **further)
    if ended.code != 0:
        raise Failed(f"{arguments[0]}: {ended}")


def copy_of(store):
    return shutil.copytree(store, store.with_name("copy"), symlinks=True)


def thinned(store):
    """Takes runs out: of one history the second half, to which lines are appended; of the next one every second run, so
    that its file is replaced."""
    for number, path in enumerate(sorted(store.glob("v1/*/runs/**/*.jsonl"))):
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[1::2] if number % 2 else lines[:len(lines) // 2]))
    return store


def lines_in(place):
    """The lines of the histories below a place, each with its file, or those of a file."""
    files = [place] if place.is_file() else place.glob("v1/*/runs/**/*.jsonl")
    return {(path.name, line) for path in files for line in path.read_bytes().splitlines()}


def lost(had, place):
    missing = len(had - lines_in(place))
    return f"{missing} of {len(had)} lines are lost" if missing else None


COMMANDS = {"accept": accept, "push": push, "pull": pull, "merge": merge}
ATTACKS = [Attack("killed command", kill_command, 400, 4)]
