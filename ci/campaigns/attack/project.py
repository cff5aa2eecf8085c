"""The project that is attacked: a repository with perf tests, built once, and a store with a history."""

import collections
import json
import os
import re
import shutil
import time
from pathlib import Path

from processes import run

ROOT = Path(__file__).resolve().parents[3]
CRATE = Path(__file__).resolve().parent / "crate"
# The place of builds is that of the end-to-end tests, whose dependencies are built the same way.
BUILDS = {"CARGO_TARGET_DIR": str(ROOT / "target/tmp/tiny-projects/target")}
# With the databases that are attacked; as ci/packages.sh has them.
FEATURES = ("--features", "clickhouse,postgres")
# Variables that a run would listen to.
HEARD = ("PERFTEST_", "NEXTEST", "RUST_TEST_", "CI", "GITHUB_", "GITLAB_", "CARGO_PKG_", "GIT_", "XDG_")
# The tests of the target `perf`.
TESTS = ("first", "hostile", "last")
# A verdict needs five runs, and one that other work disturbed does not count.
LEARNING_RUNS = 7
# The line of a test that was judged by its history.
JUDGED = re.compile(r"^test \w+ \.\.\. ok .* vs \d+ runs", re.MULTILINE)
# On a machine that builds something else at the same time it takes many runs, or until the build has ended.
LONGEST_LEARNING_SECONDS = 900


class Failed(Exception):
    """A command that should have worked did not: the campaign cannot go on."""


class Project:
    """A repository below `work`, its executables, and a store with a history that every attack copies."""

    def __init__(self, work):
        self.work = work
        self.repository = work / "attacked"
        self.store = work / "store"
        # What writers take that nobody kills, and how many were killed at which moment.
        self.wholes, self.killed = {}, collections.Counter()
        plain = {name: value for name, value in os.environ.items() if not name.startswith(HEARD)}
        self.building = plain | {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"}
        # Nobody's git settings, and nothing of a shared home.
        self.env = plain | {
            "HOME": str(work / "home"), "LC_ALL": "C.UTF-8",
            "CARGO_PKG_NAME": "attacked", "CARGO_MANIFEST_DIR": str(self.repository),
            "PERFTEST_LEARN": "one-per-run", "ATTACK_PARENT": str(os.getpid()),
        }

    def prepare(self):
        """Writes, builds and commits all, and gives the tests a history."""
        for name in ("home", "bin", "runtime", "tmp"):
            (self.work / name).mkdir(mode=0o700, parents=True)
        shutil.copytree(CRATE, self.repository)
        manifest = self.repository / "package.toml"
        text = manifest.read_text().replace("@PERFTEST@", str(ROOT / "perftest"))
        (self.repository / "Cargo.toml").write_text(text)
        manifest.unlink()
        # The versions that the workspace has are there without a network.
        shutil.copy(ROOT / "Cargo.lock", self.repository)
        self.tool = Path(shutil.copy(self.build_tool("debug"), self.work / "bin"))
        self.perf, self.unit = self.executables("plain")
        self.slow_perf, self.slow_unit = self.executables("slowed", "--features", "slowed")
        self.git("init", "--quiet", "--initial-branch", "main")
        # Copies of the repository are the same project.
        self.git("remote", "add", "origin", "https://localhost/campaign/attacked.git")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "first")
        self.give_history()

    def give_history(self):
        """Gives the tests a new history, in the place of one that they may have."""
        shutil.rmtree(self.store, ignore_errors=True)
        begin, runs = time.monotonic(), 0
        while time.monotonic() - begin < LONGEST_LEARNING_SECONDS:
            said = self.learn(self.perf)
            self.learn(self.unit)
            runs += 1
            # Runs that the machine disturbed do not count.
            if runs >= LEARNING_RUNS and len(JUDGED.findall(said)) == len(TESTS):
                return
            if runs > LEARNING_RUNS:
                time.sleep(1)
        raise Failed(f"the tests have no baseline after {runs} runs: {said[-2000:]}")

    def learn(self, executable):
        return self.must([executable], self.repository, self.env | {
            "PERFTEST_STORE": str(self.store), "XDG_RUNTIME_DIR": str(self.work / "runtime"),
            "TMPDIR": str(self.work / "tmp")})

    def must(self, command, cwd, env):
        ended = run(command, cwd, env, longest_seconds=900)
        if ended.code != 0:
            raise Failed(f"{' '.join(map(str, command))}: {ended.text[-2000:]}")
        return ended.stdout

    def git(self, *arguments, cwd=None):
        who = {f"GIT_{role}_{what}": "campaign" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return self.must(["git", *arguments], cwd or self.repository, self.env | who).strip()

    def executables(self, name, *features):
        """The test target and the unit tests, kept under this name."""
        built = self.must(["cargo", "test", "--release", "--no-run", "--quiet", "--message-format", "json",
                           *features], self.repository, self.building | BUILDS)
        messages = [json.loads(line) for line in built.splitlines() if line.startswith("{")]
        found = {it["target"]["name"]: it["executable"] for it in messages if it.get("executable")}
        return [Path(shutil.copy(found[target], self.work / "bin" / f"{target}-{name}"))
                for target in ("perf", "attacked")]

    def build_tool(self, profile):
        """`cargo-perftest` of the checkout, built where the checkout's other programs are, or CARGO_PERFTEST."""
        if profile == "debug" and "CARGO_PERFTEST" in os.environ:
            return Path(os.environ["CARGO_PERFTEST"])
        asked = [] if profile == "debug" else [f"--{profile}"]
        self.must(["cargo", "build", "--locked", "--quiet", "--package", "cargo-perftest", *FEATURES, *asked],
                  ROOT, self.building)
        return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / profile / "cargo-perftest"
