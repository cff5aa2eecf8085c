"""Programs that were put where a kept executable is, or in a store that others can write, never run."""

import json
import os
import re

from attack import Open, not_slower, of_cases

NOBODY = 12345
MASK = (1 << 64) - 1
SPREAD = 0x9E3779B97F4A7C15


def digest_state(state, data):
    """The state of perftest's former digest, which was no cryptographic one, after these whole words."""
    for word in memoryview(data).cast("Q"):
        product = (state ^ word) * SPREAD
        state = (product >> 64) ^ (product & MASK)
    return state


def literals(data):
    """An LZ4 block that holds the data as they are."""
    more = len(data) - 15
    return b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) + data


def forge(scene, has_same_digest):
    """Another program in the place of the kept executable, of the same length; the record stays."""
    record = scene.kept_executable()
    packed = record.with_suffix(".lz4")
    marker = scene.directory / "marker"
    length = json.loads(record.read_text())["bytes"]
    program = f"#!/bin/sh\ntouch '{marker}'\nexit 0\n".encode().ljust(length, b"\n")
    if has_same_digest:
        program = of_same_digest(program, scene.project.perf.read_bytes())
    packed.write_bytes(literals(program))


def of_same_digest(program, original):
    """The program with its last whole word chosen so that the former digest is that of the original."""
    assert len(program) == len(original)
    last = len(original) // 8 * 8 - 8
    start = 0xCBF29CE484222325
    wanted = digest_state(start, original[:last]) ^ int.from_bytes(original[last:last + 8], "little")
    word = (wanted ^ digest_state(start, program[:last])).to_bytes(8, "little")
    return program[:last] + word + original[last + 8:]


def change_all(scene, change):
    for path in (scene.store, *scene.store.rglob("*")):
        change(path)


def own(scene):
    """The control: this one runs."""


def forged(scene):
    forge(scene, has_same_digest=False)


def forged_with_its_digest(scene):
    forge(scene, has_same_digest=True)


def of_another_user(scene):
    change_all(scene, lambda path: os.chown(path, NOBODY, NOBODY))


def folder_of_another_user(scene):
    os.chown(scene.one("v1/*/executables"), NOBODY, NOBODY)


def file_of_another_user(scene):
    os.chown(scene.kept_executable().with_suffix(".lz4"), NOBODY, NOBODY)


def for_all(scene):
    change_all(scene, lambda path: path.chmod(path.stat().st_mode | 0o022))


def folder_for_all(scene):
    scene.one("v1/*/executables").chmod(0o777)


def file_for_all(scene):
    scene.kept_executable().with_suffix(".lz4").chmod(0o666)


def linked_folder(scene):
    folder = scene.one("v1/*/executables")
    elsewhere = folder.rename(scene.directory / "elsewhere")
    os.chown(elsewhere, NOBODY, NOBODY)
    folder.symlink_to(elsewhere)


def linked_file(scene):
    packed = scene.kept_executable().with_suffix(".lz4")
    elsewhere = packed.rename(scene.directory / "elsewhere")
    packed.symlink_to(elsewhere)


def attempt(scene, what):
    WAYS[what](scene)
    marker = scene.directory / "marker"
    # The kept executable itself leaves the mark: its records are all as they should be.
    ended = scene.test(scene.project.slow_perf, "hostile", ATTACK_BODY="mark", ATTACK_WHERE="fresh",
                       ATTACK_MARKER=str(marker))
    if what == "own":
        is_proof = marker.exists()
        return None if is_proof else Open(f"the kept executable did not run, so this proves nothing: {ended}")
    if marker.exists():
        return f"the program ran: {ended}"
    is_told = re.search("last good build cannot run", ended.text)
    if ended.code is None:
        return str(ended)
    return not_slower(ended) if ended.code == 0 and not is_told else None


WAYS = {
    "own": own, "forged": forged, "forged with its digest": forged_with_its_digest,
    "of another user": of_another_user,
    "folder of another user": folder_of_another_user, "file of another user": file_of_another_user,
    "writable by all": for_all, "folder writable by all": folder_for_all, "file writable by all": file_for_all,
    "folder behind a link": linked_folder, "file behind a link": linked_file,
}
ATTACKS = [of_cases("foreign code", attempt, [(what,) for what in WAYS], 3)]
