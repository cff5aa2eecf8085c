"""Loads histories of growing sizes into each kind of remote, asks for answers, and prints what that takes."""

import argparse
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from history import commit_of, file_name, ulid

TESTBED = "ci/7f3a2b4c5d6e7f80"
START_MS = 1_767_571_200_000
EVERY_MS = 2 * 3_600_000
SAMPLES = 20
# Tests of one job: those of one module.
JOB = 50
# Tests and runs of each size.
SIZES = {"10^5": (100, 50), "10^6": (250, 200), "10^7": (1_000, 500), "10^8": (5_000, 1_000)}
ANSWERS = {
    "report": ["report", "--out", "-"],
    "changes": ["changepoints", "--json"],
    "ranking": ["rank", "--by", "dispersion", "--json"],
}  # fmt: skip
DATABASES = ["postgres", "clickhouse"]


class Clone:
    """A clone of the project, a store, and the commands in it."""

    def __init__(self, root, tool, identity, origin):
        self.tool, self.project, self.store = tool, root / "project", root / "store"
        self.project.mkdir(parents=True)
        git = ["git", "-C", str(self.project)]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        # The origin is the branch's home, and its address the identity of the project.
        subprocess.run([*git, "remote", "add", "origin", f"https://{identity}"], check=True)
        subprocess.run([*git, "config", f"url.{origin}.insteadOf", f"https://{identity}"], check=True)

    def run(self, *arguments):
        """Seconds on the wall, seconds of processor, MiB and a digest of the answer of a command."""
        environment = dict(os.environ, PERFTEST_STORE=str(self.store))
        with tempfile.TemporaryFile() as out:
            start = time.monotonic()
            process = subprocess.Popen([self.tool, "perftest", *arguments], cwd=self.project, env=environment, stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{arguments} ended with {process.returncode}")
            out.seek(0)
            digest = hashlib.file_digest(out, "sha256").hexdigest()
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, digest


def lines(identity, name, nth, runs):
    """The lines of a test whose level changes once, or never."""
    rng = random.Random(nth)
    step = rng.randrange(runs) if nth % 3 == 0 else runs
    for run in range(runs):
        # All tests of one job have one identity and one start.
        started_ms = START_MS + run * EVERY_MS
        level = 1e3 * (1 + nth % 7) * (1.15 if run >= step else 1.0) * rng.gauss(1, 0.01)
        samples = ",".join(f"{level * rng.gauss(1, 0.003):.6g}" for _ in range(SAMPLES))
        cpu = ",".join(f"{level * rng.gauss(1, 0.003):.6g}" for _ in range(SAMPLES))
        yield (
            f'{{"kind":"run","v":1,"id":"{ulid(started_ms * 2**80 + nth * 2**20 + run)}","session":"{run:026d}",'
            f'"project":"{identity}","benchmark":"{name}","metric":"wall","unit":"ns","better":"lower",'
            f'"testbed":"{TESTBED}","context":"00112233445566ff","config":"8c9d0e1f","file":"src/lib.rs","line":{nth},'
            f'"executable":"1111222233334444","machine_code":"{(run >= step):016x}","started_ms":{started_ms},'
            f'"commit":"{commit_of("fleet", run)}","branch":"main","commit_time_s":{started_ms // 1000},"dirty":false,'
            f'"iterations":4000,"samples":[{samples}],"cpu":[{cpu}],"warm_up":2,"verdict":"green","value":{level:.6g},'
            f'"ratio":1.001,"ratio_lower":0.99,"ratio_upper":1.01,"tolerance":0.05,"rule":"ladder/1 tol=0.05",'
            f'"counts_for_baseline":true,"spent_ns":812345678,"budget_ns":3000000000}}\n'
        )


def name_of(nth):
    return f"fleet::module{nth // JOB:03}::test{nth:04}"


def fill(store, identity, tests, runs):
    """Writes the histories, and returns their size in bytes."""
    directory = store / "v1" / file_name(identity.rsplit("/")[-1], identity) / "runs" / file_name(TESTBED, TESTBED)
    directory.mkdir(parents=True)
    size = 0
    for nth in range(tests):
        text = "".join(lines(identity, name_of(nth), nth, runs))
        size += len(text)
        (directory / f"{file_name(name_of(nth), name_of(nth))}.jsonl").write_text(text)
    return size


def size_of(path):
    """Bytes on the disk."""
    return sum(entry.stat().st_size for entry in pathlib.Path(path).rglob("*") if entry.is_file())


def measure(address, disk, clone, job, expected):
    """What the commands take with a remote; `disk` is where it keeps its data."""
    before = size_of(disk)
    rows = {"push": clone.run("push", address)[:3]}
    megabytes = (size_of(disk) - before) / 1e6
    rows["pull of a job"] = job.run("pull", address, "module000", "--testbed", TESTBED)[:3]
    # A machine that has no store of its own.
    for question, command in ANSWERS.items():
        *spent, digest = job.run(*command, "--remote", address)
        rows[question] = spent
        if digest != expected.get(question, digest):
            sys.exit(f"{address}: another answer than that of the store: {command}")
    shutil.rmtree(job.store)
    return rows, megabytes


def remotes(names, root, origin):
    """Address and place of the data of each kind of remote."""
    all_remotes = {"dir": (f"dir:{root / 'shared'}", root / "shared"), "git": ("git:perftest-history", origin)}
    for name in DATABASES:
        variable = f"PERFTEST_CAMPAIGN_{name.upper()}"
        all_remotes[name] = (os.environ.get(variable), os.environ.get(f"{variable}_DATA"))
    return [(name, *all_remotes[name]) for name in names]


def campaign(size, names, root, tool):
    tests, runs = SIZES[size]
    origin = root / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    # Sizes share a server, so each is a project of its own.
    identity = f"example.org/fleet/{tests}x{runs}"
    clone, job = (Clone(root / name, tool, identity, origin) for name in ("one", "job"))
    megabytes = fill(clone.store, identity, tests, runs) / 1e6
    rows, expected = {}, {}
    for question, command in ANSWERS.items():
        *rows[question], expected[question] = clone.run(*command)
    # Of a page the time is in it.
    del expected["report"]
    table = [("store", rows, megabytes)]
    for name, address, disk in remotes(names, root, origin):
        if name in DATABASES:
            subprocess.run([tool, "perftest", "setup-remote", address], check=True, stdout=subprocess.DEVNULL)
        table.append((name, *measure(address, disk, clone, job, expected)))
    columns = ["push", "pull of a job", *ANSWERS]
    print(f"\n{size} samples: {tests:,} tests with {runs:,} runs of {SAMPLES} samples; seconds, and MiB of the command\n")
    print("| remote | MB | " + " | ".join(columns) + " |")
    print("|---" * (2 + len(columns)) + "|")
    for name, rows, megabytes in table:
        cell = lambda column: f"{rows[column][0]:.2f} s, {rows[column][2]:.0f} MiB" if column in rows else ""
        print(f"| {name} | {megabytes:,.0f} | " + " | ".join(map(cell, columns)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="ci/campaigns/fleet-size.sh", description=__doc__)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--short", action="store_true", help="10^5 samples")
    length.add_argument("--long", action="store_true", help="10^8 samples, too")
    parser.add_argument("--remotes", default="dir,git,postgres,clickhouse", help="kinds of remotes")
    parser.add_argument("tool")
    args = parser.parse_args()
    sizes = ["10^5"] if args.short else ["10^6", "10^7"] + ["10^8"] * args.long
    for size in sizes:
        with tempfile.TemporaryDirectory() as root:
            campaign(size, args.remotes.split(","), pathlib.Path(root), args.tool)


main()
