"""What cannot be judged or recorded for a reason outside the code passes on no one's word in CI."""

import fcntl
import os
import re
import shutil
import subprocess

from attack import DISTURBED, Open, not_slower, of_cases
from broken_system import library
from project import Failed

# The testbed that the history is of.
CI = {"CI": "true", "PERFTEST_TESTBED": "local"}
NOBODY = 12345
# More runs than a page has room for.
PAGE_RUNS = 5
LONGEST_SESSION_SECONDS = 120
UNJUDGED_CODES = (4, 5, 101)


def full_disk(scene, _where):
    used = sum(path.stat().st_size for path in scene.store.rglob("*"))
    kept = scene.store.rename(scene.directory / "kept")
    scene.store.mkdir()
    size = used + (1 << 20)
    scene.mount(scene.store, "-t", "tmpfs", "-o", f"size={size},mode=0700", "attack")
    shutil.copytree(kept, scene.store, dirs_exist_ok=True)
    with open(scene.store / "filler", "wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass
    # What the last pages of the files still have room for.
    for _ in range(PAGE_RUNS):
        scene.test(scene.project.perf)
    return {}, r"[Nn]o (space|room)"


def zeroed_history(scene, _where):
    for path in scene.store.glob("v1/*/runs/*/*.jsonl"):
        path.write_bytes(bytes(path.stat().st_size))
    return {}, r"damaged|unreadable|can(not)? be read"


def device_as_store(scene, _where):
    return {"PERFTEST_STORE": "/dev/null"}, "/dev/null"


def file_as_store(scene, _where):
    path = scene.directory / "file"
    path.write_text("not a store")
    return {"PERFTEST_STORE": str(path)}, re.escape(str(path))


def read_only_disk(scene, _where):
    scene.mount(scene.store, "--bind", scene.store)
    scene.mount(scene.store, "-o", "remount,bind,ro")
    return {}, r"[Rr]ead-only"


def used_up_quota(scene, _where):
    return {"LD_PRELOAD": str(library(scene)), "ATTACK_QUOTA_BELOW": str(scene.store.resolve())}, "[Qq]uota"


def unwritable_store(scene, _where):
    """As after a session of another user."""
    scene.obey_permissions()
    subprocess.run(["chmod", "-R", "a-w", scene.store], check=True)
    return {}, r"[Pp]ermission denied"


def unreadable_store(scene, _where):
    scene.obey_permissions()
    scene.store.chmod(0)
    return {}, r"[Pp]ermission denied"


def unwritable_history(scene, _where):
    scene.obey_permissions()
    scene.history("last").chmod(0o400)
    return {}, r"attacked-perf-last\..*[Pp]ermission denied"


def unreadable_history(scene, _where):
    scene.obey_permissions()
    scene.history("last").chmod(0)
    return {}, r"attacked-perf-last\..*[Pp]ermission denied"


def refusing_git(scene, _where):
    repository = scene.own_repository()
    for path in (repository, *repository.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    asked = subprocess.run(["git", "status"], cwd=repository, env=scene.env(), capture_output=True)
    if asked.returncode == 0:
        raise Failed("git does not refuse another user's repository here")
    forget_cached(scene)
    return {}, r"commit is not known|not recorded"


def sleeping_git(scene, _where):
    programs = scene.directory / "programs"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\nexec sleep 1000000\n")
    (programs / "git").chmod(0o755)
    forget_cached(scene)
    return {"PATH": f"{programs}:{os.environ['PATH']}"}, r"commit is not known|not recorded"


def dirty_tree(scene, where):
    repository = scene.own_repository()
    with open(repository / "src/lib.rs", "a") as file:
        file.write("// changed\n")
    shutil.rmtree(scene.store)
    scene.store.mkdir(mode=0o700)
    # A developer's own runs count, whatever is changed.
    return {}, "dirty|uncommitted|not committed|differ|default branch" if where == "CI" else "recorded"


def held_lock(scene, _where):
    scene.held = open(scene.measuring_lock(), "ab")
    fcntl.flock(scene.held, fcntl.LOCK_EX)
    return {"PERFTEST_BUDGET": "500ms"}, r"measur|another process|other tests"


def forget_cached(scene):
    for kept in scene.store.glob("v1/*/cache/*"):
        kept.unlink()


def attempt(scene, reason, where):
    variables, said = (REASONS | SLOW_REASONS)[reason](scene, where)
    further = variables | (CI if where == "CI" else {})
    # What other work disturbs may still be green.
    executable = scene.project.slow_perf if reason == "lock is held" else scene.project.perf
    ended = scene.test(executable, "last", longest_seconds=LONGEST_SESSION_SECONDS, **further)
    if ended.code is None or ended.code < 0 or "panicked" in ended.text:
        return str(ended)
    if not re.search(said, ended.text):
        return (Open if DISTURBED in ended.text else str)(f"does not say /{said}/: {ended}")
    if where == "CI" and ended.code not in UNJUDGED_CODES:
        return not_slower(ended)
    return None


REASONS = {
    "full disk": full_disk, "zeroed history": zeroed_history, "device as store": device_as_store,
    "file as store": file_as_store, "read-only disk": read_only_disk, "quota": used_up_quota,
    "store not writable": unwritable_store, "store not readable": unreadable_store,
    "history not writable": unwritable_history, "history not readable": unreadable_history,
    "git refuses": refusing_git, "dirty tree": dirty_tree,
}
# They are waited for.
SLOW_REASONS = {"git sleeps": sleeping_git, "lock is held": held_lock}


def cases(reasons):
    return [(reason, where) for reason in reasons for where in ("local", "CI")]


ATTACKS = [
    of_cases("cannot be recorded", attempt, cases(REASONS), 4),
    of_cases("cannot be recorded in time", attempt, cases(SLOW_REASONS), 0),
]
