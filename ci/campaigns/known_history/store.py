"""A project with histories, and the commands in it."""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

from history import PROJECT

# The rule that docs/reference/thresholds.md recommends.
RULES = """\
[[threshold]]
name = "latency"
test = "t_test"
upper = 0.99
min_sample_size = 5
max_sample_size = 64
minimum_effect = "5%"
open_after = 2
"""


class Store:
    """A project with histories, and the commands in it."""

    def __init__(self, root, tool, histories):
        self.root, self.tool = root, tool
        self.histories = {history.name: history for history in histories}
        self.seconds, self.mebibytes = defaultdict(float), defaultdict(float)
        project = root / "project"
        project.mkdir(parents=True)
        git = ["git", "-C", str(project)]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "remote", "add", "origin", f"https://{PROJECT}"], check=True)
        (project / "Cargo.toml").write_text('[package]\nname = "known"\nversion = "0.1.0"\n')
        (project / "perftest.toml").write_text(RULES)
        for history in self.histories.values():
            history.write(root / "store")

    def of(self, *kinds):
        """The histories of these kinds."""
        are = lambda name: any(f"::{kind}::" in name for kind in kinds)
        return [history for name, history in self.histories.items() if are(name)]

    def environment(self):
        """The variables of a command that reads this store."""
        return dict(os.environ, PERFTEST_STORE=str(self.root / "store"))

    def asked(self, command, *args, numbers=None):
        """The objects that a command answers with; `numbers` are what it reads."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
            given.write("\n".join(map(str, numbers or [])).encode())
            given.seek(0)
            process = subprocess.Popen([self.tool, "perftest", command, *args, "--json"],
                                       cwd=self.root / "project", env=self.environment(), stdin=given, stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            lines = out.read().splitlines()
        # Of the processor: what else runs on the machine does not count.
        self.seconds[command] += usage.ru_utime + usage.ru_stime
        self.mebibytes[command] = max(self.mebibytes[command], usage.ru_maxrss / 1024)
        # An open alert and a drift are answers too.
        if process.returncode not in (0, 1):
            sys.exit(f"{command} {args} ended with {process.returncode}")
        return [json.loads(line) for line in lines]

    def changes(self):
        """The lasting changes of each test."""
        found = {name: [] for name in self.histories}
        for event in self.asked("changepoints", "--limit", "1000"):
            if event["event"] == "change":
                found[event["benchmark"]].append(event)
        return found

    def alerts(self):
        """The alert of each test, or how else things stand."""
        events = self.asked("check", "--all", "--reevaluate", "--branch", "main", "--limit", "1000000")
        return {event["benchmark"]: event for event in events if event["event"] == "alert"}

    def ranks(self, by):
        """The tests that have a rank, the first on top."""
        events = self.asked("rank", "--by", by, "--limit", "1000")
        return [event["benchmark"] for event in events if event["place"] is not None]

    def by_test(self, command, *args):
        """The answer about each test."""
        events = self.asked(command, *args)
        return {event["benchmark"]: event for event in events if "benchmark" in event}
