"""Commands that change how a history is read are killed: each file is as before or as after, and the command works
again."""

import json
import shutil

import killing
from attack import Attack
from by_hand import run, write_history
from killing import Writer
from project import TESTS, Failed

# So many runs of so many tests that a kill hits the middle of the work.
HISTORIES, RUNS = 12, 280
COLLECT = ("gc", "--keep", "200")
TESTBED = "local/by-hand"
NEW_NAME = "ci/renamed"


def kill_gc(scene, random, _number):
    before, after = collected(scene)
    whole = killing.whole(scene.project, "gc", gc)
    killing.kill(scene, random, gc(scene), whole)
    old, new, now = map(histories, (before, after, scene.store))
    for path, content in old.items():
        if now.get(path) not in (content, new[path]):
            return f"{path} is neither as before nor as after"
    again = scene.tool(*COLLECT)
    if again.code != 0:
        return f"gc again: {again}"
    if histories(scene.store) != new:
        return "the second time ends in other files than a whole one"
    return None


def gc(scene):
    before, _after = collected(scene)
    shutil.rmtree(scene.store)
    shutil.copytree(before, scene.store)
    return Writer((scene.project.tool, "perftest", *COLLECT), scene.store)


def collected(scene):
    """A store with long histories, and the same behind `gc`: made once."""
    before, after = (scene.project.work / name for name in ("long", "collected"))
    if not after.exists():
        for number in range(HISTORIES):
            bench = f"attacked::perf::long_{number}"
            lines = [run(bench, TESTBED, it, 100 + it % 7, counts_for_baseline=it < 10) for it in range(RUNS)]
            write_history(scene.one("v1/*"), bench, TESTBED, lines)
        shutil.copytree(scene.store, before)
        ended = scene.tool(*COLLECT)
        if ended.code != 0 or histories(scene.store) == histories(before):
            raise Failed(f"gc changes nothing: {ended}")
        shutil.copytree(scene.store, after)
    return before, after


def histories(store):
    return {str(path.relative_to(store)): path.read_bytes()
            for path in store.glob("v1/*/runs/**/*") if path.is_file()}


def kill_decision(scene, random, number):
    """A testbed is renamed, and taken back."""
    before = {test: scene.runs(test) for test in TESTS}
    testbed = next(iter(read_as(scene)))
    prepare = (rename, restore)[number % 2]
    whole = killing.whole(scene.project, prepare.__name__, prepare)
    killing.kill(scene, random, prepare(scene), whole)
    name = read_as(scene).get(testbed)
    if name not in (None, NEW_NAME):
        return f"the testbed is read as {name}"
    for test in TESTS:
        if nameless(scene.runs(test)) != nameless(before[test]):
            return f"runs of {test} vanished or changed"
    # What is decided already is refused.
    for command, codes in ((renaming(testbed), (0,) if name is None else (2,)), (restoring(testbed), (0,))):
        again = scene.tool(*command)
        if again.code not in codes:
            return f"{command[1]} again: {again}"
    if any(scene.runs(test) != before[test] for test in TESTS):
        return "taken back, the runs are others than before"
    return None


def rename(scene):
    scene.own_repository()
    return Writer((scene.project.tool, "perftest", *renaming(next(iter(read_as(scene))))), scene.store)


def restore(scene):
    scene.own_repository()
    testbed = next(iter(read_as(scene)))
    renamed = scene.tool(*renaming(testbed))
    if renamed.code != 0:
        raise Failed(f"rename: {renamed}")
    return Writer((scene.project.tool, "perftest", *restoring(testbed)), scene.store)


def renaming(testbed):
    return "testbeds", "rename", testbed, NEW_NAME


def restoring(testbed):
    return "testbeds", "restore", testbed


def read_as(scene):
    """The testbeds, with the names by which they are read."""
    listed = scene.tool("testbeds", "--json")
    if listed.code != 0:
        raise Failed(f"testbeds: {listed}")
    events = [json.loads(line) for line in listed.stdout.splitlines() if line.startswith("{")]
    return {event["testbed"]: event["read_as"] for event in events}


def nameless(runs):
    return {run_id: {key: value for key, value in run.items() if key != "testbed"} for run_id, run in runs.items()}


ATTACKS = [
    Attack("killed gc", kill_gc, 200, 2),
    Attack("killed decision about a testbed", kill_decision, 200, 2),
]
