"""Judges a history of published crates and prints the plain truth beside what was said.

Each commit of a small library moves one published crate, forward or back. At each commit the perf
tests run as `cargo test --release` runs them, with a store of the campaign's own, and are compared
with the commit before by `cargo perftest compare`. What is true, plain programs without perftest say:
fresh processes of all commits in turn. Ends with 1 when a bound is missed. Nothing else should run.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import moves
from itself import compare_with_itself
from lines import Line, Said
from project import Failed, Project, json_lines
from report import print_lines, print_totals
from truth import Truth

# A verdict needs five runs, and one that other work disturbed does not count.
FIRST_RUNS = 7
RUNS = 3
ROUNDS = 41
SHORT_COMMITS = 3
SHORT_ROUNDS = 21
SHORT_TESTS = ["hex_encode", "hex_decode", "lines", "map_look_up", "base64_decode"]


def arguments():
    parser = argparse.ArgumentParser(prog="ci/campaigns/real-crates.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=13, metavar="N",
                        help=f"commits after the first, 13 unless given, at most {len(moves.MOVES)}")
    parser.add_argument("--short", action="store_true",
                        help=f"{SHORT_COMMITS} commits and {len(SHORT_TESTS)} tests, in about three minutes")
    parser.add_argument("--accept", action="store_true",
                        help="accept what the last run of a commit calls slower, and commit that")
    parser.add_argument("--aa", type=int, metavar="N",
                        help="only compare the first commit's executable with itself, N times in all, "
                             "in both orders")
    parser.add_argument("--work", type=Path, metavar="DIRECTORY",
                        help="build and record in this new directory, and keep it")
    asked = parser.parse_args()
    if not 1 <= asked.commits <= len(moves.MOVES):
        parser.error(f"--commits takes 1 to {len(moves.MOVES)}")
    if asked.aa is not None and asked.aa < 4:
        parser.error("--aa takes at least 4 comparisons")
    if asked.work is not None and asked.work.exists():
        parser.error(f"{asked.work} exists; name a new directory")
    return asked


def progress(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class Campaign:
    """The commits so far, and what was said of each."""

    def __init__(self, project, tests):
        self.project, self.tests = project, tests
        self.commits, self.names, self.programs = [], [], []
        # By place of the commit and test.
        self.history = defaultdict(list)
        self.compared = {}
        self.tolerances = {}

    def add(self, name, runs):
        self.names.append(name)
        self.commits.append(self.project.commit(name))
        self.programs.append(self.project.build(len(self.programs)))
        progress(f"{name}: built")
        for _ in range(runs):
            self.judge()
        progress(f"{name}: judged {runs} times")

    def judge(self):
        """One run of the perf tests."""
        chosen = ["--exact", *self.tests] if self.tests else []
        # A red is an answer.
        printed = self.project.cargo("test", "--test", "perf", "--", "-Z", "unstable-options",
                                     "--format", "json", *chosen, ok=(0, 1, 3, 101))
        events = [it for it in json_lines(printed) if it.get("event") in ("ok", "failed") and "name" in it]
        if not events:
            raise Failed(f"no test ran at {self.names[-1]}")
        for event in events:
            judged = event.get("perftest", {})
            if "verdict" not in judged:
                raise Failed(f"{event['name']} was not judged at {self.names[-1]}: {event}")
            self.tolerances[event["name"]] = judged["tolerance"]
            said = Said(judged["verdict"], judged.get("ratio"))
            self.history[len(self.names) - 1, event["name"]].append(said)

    def accept(self):
        """Accepts what the last run called slower, as a commit of its own."""
        place = len(self.names) - 1
        if any(answers[-1].answer == "red" for (at, _), answers in self.history.items() if at == place):
            self.project.perftest("accept", "--session", "last", "--reason", "meant")
            self.project.commit(f"accept {self.names[-1]}")

    def compare(self):
        """Compares the newest commit with the one before."""
        answers = json_lines(self.project.perftest(
            "compare", self.commits[-2], "--json", "--", *self.tests, ok=(0, 1)))
        for answer in answers:
            if "answer" in answer:
                test = answer["benchmark"].split("::")[-1]
                said = Said(answer["answer"], answer.get("ratio"))
                self.compared[len(self.names) - 1, test] = said
        progress(f"{self.names[-1]}: compared")

    def lines(self, rounds):
        """A line for each test at each commit but the first, with its truth."""
        truth = Truth(self.programs)
        lines = []
        for test in self.tolerances:
            truth.measure(test, rounds)
            for place in range(1, len(self.names)):
                earlier = [truth.ratio(test, before, place) for before in range(place)]
                lines.append(Line(self.names[place], test, self.tolerances[test], earlier[-1],
                                  earlier, self.history[place, test], self.compared[place, test]))
            progress(f"{test}: truth measured")
        return sorted(lines, key=lambda line: self.names.index(line.commit))


def judge_history(asked, project, tests):
    """The whole campaign. What is missed, in words."""
    campaign = Campaign(project, tests)
    project.write_manifest()
    campaign.add("first", FIRST_RUNS)
    for crate, version in moves.MOVES[:SHORT_COMMITS if asked.short else asked.commits]:
        project.move(crate, version)
        campaign.add(moves.name_of(crate, version), RUNS)
        campaign.compare()
        if asked.accept:
            campaign.accept()
    lines = campaign.lines(SHORT_ROUNDS if asked.short else ROUNDS)
    print_lines(lines)
    return print_totals(lines)


def main():
    asked = arguments()
    begin = time.monotonic()
    tests = SHORT_TESTS if asked.short else []
    with tempfile.TemporaryDirectory() as temporary:
        work = (asked.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        project = Project(work)
        try:
            project.begin()
            if asked.aa is None:
                missed = judge_history(asked, project, tests)
            else:
                missed = compare_with_itself(project, tests, asked.aa, progress)
        except Failed as failed:
            sys.exit(f"error: {failed}")
    progress(f"done after {(time.monotonic() - begin) / 60:.0f} min")
    print(f"missed: {'; '.join(missed)}" if missed else "all bounds hold")
    sys.exit(1 if missed else 0)


main()
