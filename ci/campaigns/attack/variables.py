"""Variables that are set by accident turn no test off, and lend no other repository's commit."""

import re

from attack import is_unproved, not_slower, of_cases
from project import ROOT, TESTS

VALUES = ("", "0", "1", "x")
# Those of builds are read by no process that tests.
NAME = re.compile(r'"(PERFTEST_[A-Z_]+)"')
LINE = re.compile(r"^test \S+ \.\.\. (.*)$", re.MULTILINE)
SOURCES = ("perftest/src", "perftest-store/src", "perftest-process/src")


def internal_names():
    """The variables that the crates read and no page names: those for processes they start."""
    sources = [path.read_text() for place in SOURCES for path in sorted((ROOT / place).rglob("*.rs"))]
    pages = "\n".join(page.read_text() for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
    names = {name for source in sources for name in NAME.findall(source)}
    return sorted(name for name in names if not re.search(rf"\b{name}\b", pages))


def ordinary(scene, name, value):
    ended = scene.test(scene.project.unit, ATTACK_FAIL="1", **{name: value})
    is_failed = ended.code not in (0, None) and "an_ordinary_test_that_fails" in ended.text
    return None if is_failed else f"a test that fails: {ended}"


def slow(scene, name, value):
    ended = scene.test(scene.project.slow_perf, **{name: value})
    tests = LINE.findall(ended.stdout)
    # A busy machine may leave one of them open.
    is_failed = ended.code == 3 and all(it.startswith("FAILED") or is_unproved(it) for it in tests)
    return None if is_failed and len(tests) == len(TESTS) else not_slower(ended)


def of_another_repository(scene, name):
    """Variables of git name another repository, as in a hook of it."""
    other = scene.directory / "other"
    other.mkdir()
    git = scene.project.git
    git("init", "--quiet", "--initial-branch", "elsewhere", cwd=other)
    git("commit", "--quiet", "--allow-empty", "--message", "other", cwd=other)
    values = {
        "GIT_DIR": {"GIT_DIR": str(other / ".git")},
        "GIT_DIR and GIT_WORK_TREE": {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)},
        "GIT_COMMON_DIR": {"GIT_COMMON_DIR": str(other / ".git")},
        "GIT_INDEX_FILE": {"GIT_INDEX_FILE": "/nowhere/index"},
        "GIT_OBJECT_DIRECTORY": {"GIT_OBJECT_DIRECTORY": str(other / ".git/objects")},
        "GIT_CEILING_DIRECTORIES": {"GIT_CEILING_DIRECTORIES": str(scene.repository.parent)},
        "GIT_NAMESPACE": {"GIT_NAMESPACE": "other"},
        "GIT_CONFIG_COUNT": {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare",
                             "GIT_CONFIG_VALUE_0": "true"},
    }[name]
    before = scene.runs("last")
    # Kept answers would spare asking git.
    for kept in scene.store.glob("v1/*/cache/*"):
        kept.unlink()
    ended = scene.test(scene.project.perf, "last", **values)
    added = [run for run_id, run in scene.runs("last").items() if run_id not in before]
    if ended.code != 0 or not added:
        return f"{len(added)} runs recorded: {ended}"
    # A run that the machine left in doubt is recorded with its fresh processes.
    expected = (git("rev-parse", "HEAD"), "main", False)
    recorded = {tuple(run[key] for key in ("commit", "branch", "dirty")) for run in added}
    return None if recorded == {expected} else f"recorded {recorded} and not {expected}"


NAMES = internal_names()
PAIRS = [(name, value) for name in NAMES for value in VALUES]
GIT = ["GIT_DIR", "GIT_DIR and GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
       "GIT_CEILING_DIRECTORIES", "GIT_NAMESPACE", "GIT_CONFIG_COUNT"]
ATTACKS = [
    of_cases("variable and a failing test", ordinary, PAIRS, 4),
    of_cases("variable and a slowdown", slow, PAIRS, 2),
    of_cases("variable of git", of_another_repository, [(name,) for name in GIT], 2),
]
