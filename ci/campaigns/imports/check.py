"""Imports the files of a directory, and compares each history with its file. Ends with 1 where one differs."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def of_google_benchmark(path):
    """Median of each benchmark's repetitions in nanoseconds, as the file says."""
    values = {}
    for entry in json.loads(path.read_text())["benchmarks"]:
        if entry["run_type"] == "iteration" and not entry.get("error_occurred"):
            values.setdefault(entry["run_name"], []).append(entry["real_time"] * NANOSECONDS[entry["time_unit"]])
    return {name.replace("/", "::"): statistics.median(all) for name, all in values.items()}


def of_go(path):
    package = re.search(r"^pkg: (.*)$", path.read_text(), re.MULTILINE)[1]
    values = {}
    for name, value in re.findall(r"^Benchmark(\S+)\s+\d+\s+([\d.]+) ns/op", path.read_text(), re.MULTILINE):
        values.setdefault(f"{package}/{name}".replace("/", "::"), []).append(float(value))
    return {name: statistics.median(all) for name, all in values.items()}


def main():
    tool, place = sys.argv[1], pathlib.Path(sys.argv[2])
    files = [("google-benchmark", "cpp.json", of_google_benchmark), ("google-benchmark", "python.json", of_google_benchmark),
             ("go", "go.txt", of_go)]
    for format, name, read in files:
        expected = read(place / name)
        with tempfile.TemporaryDirectory() as directory:
            project = pathlib.Path(directory) / "project"
            project.mkdir()
            (project / "Cargo.toml").write_text("[package]\n")
            environment = {**os.environ, "PERFTEST_STORE": f"{directory}/store"}

            def asked(*arguments):
                command = [tool, "perftest", *arguments, "--json"]
                printed = subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True, text=True)
                return [json.loads(line) for line in printed.stdout.splitlines()], printed.stderr

            imported, notes = asked("import", format, str(place / name))
            again, _ = asked("import", format, str(place / name))
            histories, _ = asked("history")
        wall = {it["benchmark"]: it["last"] for it in histories if it["metric"] == "wall"}
        assert expected and wall.keys() == expected.keys(), (name, wall, expected)
        for test, value in expected.items():
            assert abs(wall[test] / value - 1) < 1e-5, (name, test, wall[test], value)
        assert again[-1]["new"] == 0 and again[-1]["known"] == imported[-1]["new"], (name, again[-1])
        others = sorted({it["metric"] for it in histories} - {"wall"})
        print(f"{name}: {len(expected)} benchmarks as in the file; also {', '.join(others)}; notes: {notes.count('note:')}")


if __name__ == "__main__":
    main()
