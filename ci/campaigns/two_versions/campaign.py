"""Two versions of perftest measure one project into one store, alternately and at once.

The older one is built from its commit, the present one from this checkout. In each round both run all tests. After
each session: every run that was there is there as it was, what ended was recorded, no run is there twice, and no line
is damaged, as the present tool reads the store. In the end both must have judged by the history of both, and code of
half the speed must be red in both. Prints how many sessions there were of each kind and how many broke one of these,
and ends with 1 if one did.
"""

import argparse
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import start
from project import CRATE, ROOT, TESTS, Failed, Project
from scene import Scene, runs_in

ROUNDS = 20
# Too few to ask for verdicts by the history: what is lost, doubled or changed shows.
SHORT_ROUNDS = 2
# The version of a record's format, which both must have.
SCHEMA_FILE = "perftest-store/src/format/version.rs"
SCHEMA = re.compile(r"const SCHEMA: u64 = (\d+);")
LONGEST_SESSION_SECONDS = 180
# The first runs only begin the history, and on a busy machine some do not count.
JUDGED_SHARE = 0.25
UNJUDGED = re.compile(r"no baseline|learning")
ENDED = re.compile(r"^test (\S+) \.\.\. (ok|FAILED)", re.MULTILINE)
# A busy machine leaves runs uncounted and decisions open, so both are tried again for so long.
LONGEST_LEARNING_SECONDS = 240
LONGEST_SEARCH_SECONDS = 120


def arguments():
    parser = argparse.ArgumentParser(prog="ci/campaigns/two-versions.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", help="the older version: the oldest with this format unless given")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"of each kind, {ROUNDS} unless given")
    parser.add_argument("--short", action="store_true",
                        help=f"{SHORT_ROUNDS} rounds of each kind; nothing in a shallow clone")
    asked = parser.parse_args()
    if asked.short:
        asked.rounds = SHORT_ROUNDS
    return asked


def git(*parts):
    return subprocess.run(["git", *parts], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def schema_of(commit):
    shown = subprocess.run(["git", "show", f"{commit}:{SCHEMA_FILE}"], cwd=ROOT, capture_output=True, text=True)
    found = SCHEMA.search(shown.stdout)
    return found and found[1]


def oldest_commit():
    """The oldest commit of this line with the present format, behind which none had another one."""
    present, oldest = schema_of("HEAD"), None
    for commit in git("log", "--first-parent", "--format=%H", "--", "perftest-store/src/format").split():
        if schema_of(commit) != present:
            break
        oldest = commit
    return oldest


class TwoVersions(Project):
    """One repository whose tests are built with either version."""

    def prepare_both(self, older_root):
        for name in ("home", "bin", "runtime", "tmp", "store"):
            (self.work / name).mkdir(mode=0o700, parents=True)
        shutil.copytree(CRATE, self.repository)
        self.manifest = (self.repository / "package.toml").read_text()
        (self.repository / "package.toml").unlink()
        self.tool = Path(shutil.copy(self.build_tool("debug"), self.work / "bin"))
        # The older version may depend on versions of crates that this checkout has never loaded.
        self.building |= {"CARGO_NET_OFFLINE": "false"}
        built = {name: self.build(name, root) for name, root in (("older", older_root), ("present", ROOT))}
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("remote", "add", "origin", "https://localhost/campaign/attacked.git")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "first")
        return built

    def build(self, name, root):
        """The test target, plain and slowed."""
        (self.repository / "Cargo.toml").write_text(self.manifest.replace("@PERFTEST@", str(root / "perftest")))
        shutil.copy(root / "Cargo.lock", self.repository)
        return [self.executables(f"{name}-{speed}", *features)[0]
                for speed, features in (("plain", ()), ("slowed", ("--features", "slowed")))]


class Sessions:
    """What is known of the store after each session."""

    def __init__(self, project):
        self.scene = Scene(project, project.work / "scene")
        self.known = self.runs()
        self.judged = collections.Counter()
        # Whether the newest session judged all tests.
        self.is_judged = False
        self.sessions = collections.Counter()

    def runs(self):
        """All runs by test and id. A damaged or a doubled line is an error."""
        found = {}
        for test in TESTS:
            ended = self.scene.tool("history", "--json", "--limit", "100000", f"attacked::perf::{test}")
            if ended.code != 0 and "nothing is recorded" not in ended.text and "no run" not in ended.text:
                raise Failed(f"the history of {test} cannot be read: {ended}")
            if "damaged" in ended.text:
                raise Failed(f"the history of {test} is damaged: {ended}")
            found[test] = runs_in(ended)
        files = self.scene.store.glob("v1/*/runs/*/*.jsonl")
        lines = [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
        ids = [(line["id"], line["metric"]) for line in lines]
        if len(set(ids)) != len(ids):
            raise Failed("a run is there twice")
        return found

    def check(self, version, texts):
        """What broke after these sessions, or None."""
        before, self.known = self.known, self.runs()
        ended = collections.Counter()
        for text in texts:
            for test, _ in ENDED.findall(text):
                ended[test] += 1
        for test in TESTS:
            if any(self.known[test].get(run_id) != recorded for run_id, recorded in before[test].items()):
                return f"runs of {test} vanished or changed"
            added = len(self.known[test]) - len(before[test])
            if added < ended[test] or ended[test] < len(texts):
                return f"{ended[test]} of {len(texts)} ended {test}, {added} runs were recorded: {texts[-1][-500:]}"
        self.is_judged = not any(UNJUDGED.search(text) for text in texts)
        if self.is_judged:
            self.judged[version] += len(texts)
        return None

    def alone(self, version, executable):
        ended = self.scene.test(executable, longest_seconds=LONGEST_SESSION_SECONDS)
        if ended.code not in (0, 3, 4):
            return str(ended)
        return self.check(version, [ended.text])

    def at_once(self, executables):
        """Each may measure at once."""
        children = []
        for name, executable in executables.items():
            runtime = self.scene.directory / f"runtime-{name}"
            runtime.mkdir(mode=0o700, exist_ok=True)
            variables = self.scene.env(XDG_RUNTIME_DIR=str(runtime))
            children.append(start([executable], self.scene.repository, variables, subprocess.PIPE))
        texts = [child.communicate(timeout=LONGEST_SESSION_SECONDS)[0].decode(errors="replace") for child in children]
        return self.check("both at once", texts)


def campaign(built, sessions, rounds):
    """Yields the kind of each session and what broke."""
    plain = {version: executables[0] for version, executables in built.items()}
    for _ in range(rounds):
        for version, executable in plain.items():
            yield f"{version} alone", sessions.alone(version, executable)
    for _ in range(rounds):
        yield "both at once", sessions.at_once(plain)
    # Slowed code that runs before there is a baseline would become it.
    learned_by = time.monotonic() + LONGEST_LEARNING_SECONDS
    while not sessions.is_judged and time.monotonic() < learned_by:
        yield "present alone", sessions.alone("present", plain["present"])
    if not sessions.is_judged:
        yield "slowed", f"no session judged all tests within {LONGEST_LEARNING_SECONDS} s"
        return
    for version, (_, slowed) in built.items():
        codes, found_by = [], time.monotonic() + LONGEST_SEARCH_SECONDS
        while 3 not in codes and time.monotonic() < found_by:
            codes.append(sessions.scene.test(slowed, longest_seconds=LONGEST_SESSION_SECONDS).code)
        yield f"{version}, slowed", None if 3 in codes else f"a slowdown is never red: it ends with {codes}"
        sessions.known = sessions.runs()


def main():
    asked = arguments()
    if asked.short and git("rev-parse", "--is-shallow-repository") == "true":
        print("left out: a shallow clone has no older version")
        return
    commit = git("rev-parse", "--short", asked.commit or oldest_commit())
    tried, broken, lines = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary).resolve()
        older_root = work / "older"
        git("worktree", "add", "--quiet", "--detach", str(older_root), commit)
        try:
            project = TwoVersions(work / "campaign")
            built = project.prepare_both(older_root)
            sessions = Sessions(project)
            for kind, broke in campaign(built, sessions, asked.rounds):
                if asked.short and kind == "slowed":
                    print(f"left out: slowed code on a machine that is too busy: {broke}")
                    continue
                tried[kind] += 1
                if broke:
                    broken[kind] += 1
                    lines.append(f"{kind}: {broke}")
                    print(lines[-1], file=sys.stderr, flush=True)
            for version in built:
                if not asked.short and sessions.judged[version] < asked.rounds * JUDGED_SHARE:
                    lines.append(f"{version} judged only {sessions.judged[version]} sessions")
            runs = sum(map(len, sessions.known.values()))
            sessions.scene.end()
        except Failed as failed:
            sys.exit(f"error: {failed}")
        finally:
            git("worktree", "remove", "--force", str(older_root))
    print("| session | tried | broken |\n| --- | ---: | ---: |")
    for kind in tried:
        print(f"| {kind} | {tried[kind]} | {broken[kind]} |")
    print(f"{commit} beside {git('rev-parse', '--short', 'HEAD')}: {runs} runs, judged "
          + ", ".join(f"{count} ({version})" for version, count in sessions.judged.items()))
    print("\n".join(lines))
    sys.exit(1 if lines else 0)


main()
