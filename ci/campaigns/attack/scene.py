"""What one try of an attack has to itself: a copy of the store, and directories that are removed with it."""

import json
import os
import shutil
import signal
import subprocess
import time

from processes import LONGEST_ANSWER_SECONDS, left_behind, run, state
from project import Failed


class Scene:
    def __init__(self, project, directory):
        self.project, self.directory = project, directory
        self.repository = project.repository
        self.store = directory / "store"
        self.runtime = directory / "runtime"
        for name in ("runtime", "tmp"):
            (directory / name).mkdir(mode=0o700, parents=True)
        shutil.copytree(project.store, self.store, symlinks=True)
        self.mounted = []
        # What starts each program.
        self.launcher = ()
        self.variables = {
            "PERFTEST_STORE": str(self.store), "XDG_RUNTIME_DIR": str(self.runtime),
            "TMPDIR": str(directory / "tmp"), "ATTACK_SCENE": str(directory),
            "ATTACK_NOTES": str(directory / "notes"),
        }

    def env(self, **further):
        places = {"CARGO_MANIFEST_DIR": str(self.repository)}
        return self.project.env | self.variables | places | further

    def own_repository(self):
        """Goes on in a copy of the repository, which is the same project."""
        self.repository = self.directory / "attacked"
        shutil.copytree(self.project.repository, self.repository, symlinks=True)
        return self.repository

    def test(self, executable, *arguments, longest_seconds=LONGEST_ANSWER_SECONDS, **further):
        """Runs a test executable as a test runner does."""
        return run([*self.launcher, executable, *arguments], self.repository, self.env(**further), longest_seconds)

    def tool(self, *arguments, longest_seconds=LONGEST_ANSWER_SECONDS, **further):
        """Runs `cargo perftest`."""
        return self.test(self.project.tool, "perftest", *arguments, longest_seconds=longest_seconds, **further)

    def runs(self, test):
        """The runs of a test by their ids, as the tool reads them."""
        ended = self.tool("history", "--json", "--limit", "100000", f"attacked::perf::{test}")
        if ended.code != 0:
            raise Failed(f"the history of {test} cannot be read: {ended}")
        return runs_in(ended)

    def history(self, test):
        """The file with the history of a test of the target `perf`."""
        return self.one(f"v1/*/runs/*/attacked-perf-{test}.*.jsonl")

    def kept_executable(self):
        """The record of the kept executable of the target `perf`; its bytes are beside it."""
        records = self.store.glob("v1/*/executables/*.json")
        found = [path for path in records if json.loads(path.read_text())["target"] == "attacked::perf"]
        if len(found) != 1:
            raise Failed(f"{len(found)} executables of the target are kept")
        return found[0]

    def noted(self):
        """The faults that happened since the notes were cleared, as the preloaded library notes them."""
        notes = self.directory / "notes"
        return notes.read_text().splitlines() if notes.exists() else []

    def clear_notes(self):
        (self.directory / "notes").unlink(missing_ok=True)

    def measuring_lock(self):
        """The lock that measuring processes wait for, as the learning ones left it."""
        learnt = self.project.work / "runtime"
        found = [path for path in learnt.rglob("*") if path.is_file() and "measuring" in path.name]
        if len(found) != 1:
            raise Failed(f"the measuring lock is one of {found}")
        path = self.runtime / found[0].relative_to(learnt)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def one(self, pattern):
        """The one file of the store with such a path."""
        found = list(self.store.glob(pattern))
        if len(found) != 1:
            raise Failed(f"{len(found)} files of the store are {pattern}")
        return found[0]

    def left_behind(self, wait_seconds=2):
        """Programs of this try that are still there after a while. What bodies started does not count."""
        deadline = time.monotonic() + wait_seconds
        while True:
            found = left_behind("ATTACK_SCENE", self.directory)
            ours = {process: program for process, program in found.items() if program != "sleep"}
            if not ours or time.monotonic() > deadline:
                return [f"{program} ({state(process)})" for process, program in ours.items()]
            time.sleep(0.02)

    def mount(self, directory, *arguments):
        """Mounts something on the directory until the try ends."""
        mounted = subprocess.run(["mount", *arguments, directory], capture_output=True, text=True)
        if mounted.returncode != 0:
            raise PermissionError(f"mount: {mounted.stderr}")
        self.mounted.append(directory)

    def obey_permissions(self):
        """From now on programs have no more rights than the permissions of files give, also those of root."""
        if os.geteuid() == 0:
            self.launcher = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")

    def end(self):
        for process in left_behind("ATTACK_SCENE", self.directory):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for directory in self.mounted:
            subprocess.run(["umount", "--lazy", directory], capture_output=True)
        # What has no permissions is removed, too.
        subprocess.run(["chmod", "-R", "u+rwX", self.directory], capture_output=True)
        shutil.rmtree(self.directory, ignore_errors=True)


def runs_in(ended):
    """The runs that an answer in JSON Lines has, by their ids."""
    events = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    return {event["id"]: event for event in events if event.get("event") == "run"}
