"""The repository whose commits are judged, and what is built of each."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import moves

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(__file__).resolve().parent / "library"
# As docs/evidence/placement.md advises, and as `cargo perftest compare` builds by itself.
ALIGNED = '[build]\nrustflags = ["-C", "llvm-args=-align-all-functions=6"]\n'


class Failed(Exception):
    """A command that should have worked did not."""


def run(command, cwd, env, ok=(0,)):
    """What the command prints. Fails with its last lines unless its exit code is one of `ok`."""
    ended = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if ended.returncode not in ok:
        said = "\n".join((ended.stderr or ended.stdout).splitlines()[-15:])
        raise Failed(f"{' '.join(map(str, command))} ended with {ended.returncode}:\n{said}")
    return ended.stdout


def json_lines(text):
    """The JSON objects of a text that has one a line, among other lines."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def executable_in(messages):
    """The last executable that cargo's messages name."""
    found = [message.get("executable") for message in json_lines(messages)]
    return [path for path in found if path][-1]


class Project:
    """A repository below `work`, with a store, a cache and a target directory of its own."""

    def __init__(self, work):
        self.repository = work / "real-crates"
        self.executables = work / "executables"
        # Variables of git name another repository in a hook.
        plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.env = plain | {
            "CARGO_TARGET_DIR": str(work / "target"),
            "PERFTEST_STORE": str(work / "store"),
            "XDG_CACHE_HOME": str(work / "cache"),
            "GIT_AUTHOR_NAME": "campaign", "GIT_AUTHOR_EMAIL": "campaign@localhost",
            "GIT_COMMITTER_NAME": "campaign", "GIT_COMMITTER_EMAIL": "campaign@localhost",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
        }
        # Flags for all packages would replace those of the repository.
        self.env.pop("RUSTFLAGS", None)
        self.versions = dict(moves.FIRST)
        self.tool = None

    def begin(self):
        """Writes the files that never change, and builds the tool."""
        shutil.copytree(LIBRARY, self.repository)
        for manifest in self.repository.rglob("package.toml"):
            manifest.rename(manifest.with_name("Cargo.toml"))
        self.manifest = (self.repository / "Cargo.toml").read_text()
        (self.repository / "data").mkdir()
        for name in ("alice29.txt", "mime_db.json"):
            shutil.copy(ROOT / "examples/data" / name, self.repository / "data")
        (self.repository / ".cargo").mkdir()
        (self.repository / ".cargo/config.toml").write_text(ALIGNED)
        # Of what perftest depends on, the versions that its own tests run with.
        shutil.copy(ROOT / "Cargo.lock", self.repository)
        self.executables.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")
        self.tool = self.build_tool()

    def git(self, *arguments):
        return run(["git", *arguments], self.repository, self.env)

    def move(self, crate, version):
        """Pins the crate to this version, not committed yet."""
        self.versions[crate] = version
        self.write_manifest()

    def write_manifest(self):
        pinned = "\n".join(f'{crate} = "={version}"' for crate, version in self.versions.items())
        text = self.manifest.replace("@VERSIONS@", pinned).replace("@PERFTEST@", str(ROOT / "perftest"))
        (self.repository / "Cargo.toml").write_text(text)

    def commit(self, subject):
        """Commits all files, after cargo brought the lock file up to date. Its hash."""
        run(["cargo", "metadata", "--format-version", "1"], self.repository, self.env)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)
        return self.git("rev-parse", "HEAD").strip()

    def build(self, name):
        """Builds the perf tests and the plain program, which is kept under this name."""
        self.cargo("test", "--no-run", "--test", "perf")
        plain = self.executable_of("build", "--package", "plain")
        return Path(shutil.copy(plain, self.executables / f"plain-{name}"))

    def cargo(self, command, *arguments, ok=(0,)):
        built = ["cargo", command, "--release", "--locked", "--quiet", *arguments]
        return run(built, self.repository, self.env, ok)

    def executable_of(self, command, *arguments):
        return executable_in(self.cargo(command, "--message-format", "json", *arguments))

    def build_tool(self):
        """`cargo-perftest` of the checkout, built where the checkout's other programs are."""
        env = {key: value for key, value in self.env.items() if key != "CARGO_TARGET_DIR"}
        messages = run(["cargo", "build", "--release", "--locked", "--quiet", "--package",
                        "cargo-perftest", "--message-format", "json"], ROOT, env)
        return executable_in(messages)

    def perftest(self, *arguments, ok=(0,)):
        """`cargo perftest` in the repository."""
        return run([self.tool, "perftest", *arguments], self.repository, self.env, ok)
