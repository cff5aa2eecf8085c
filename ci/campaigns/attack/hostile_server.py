"""A database that is none: the tool ends in time, within its memory, with an error; it prints no password and writes
nowhere else."""

import re
import socket
import struct
import threading
from contextlib import contextmanager

from attack import of_cases
from output import HARMFUL
from project import Failed

PASSWORD = "s3cret-of-the-database"
BENCHMARK = "attacked::perf::last"
# An answer may have 1 GiB, and a text that grows has room for twice as much.
MOST_MEMORY_BYTES = 3 << 30
LONGEST_SECONDS = 120
# How long the tool waits for an answer, and some more.
LONGEST_SILENCE_SECONDS = 660
FILES_QUESTION = "count() FROM perftest_record"
# What the tool cannot do with such a database.
REFUSED = 5
HEAD = b"HTTP/1.1 200 OK\r\n"


def send(client, *parts):
    for part in parts:
        client.sendall(part.encode() if isinstance(part, str) else part)


def send_whole(client, body, status="200 OK"):
    body = body.encode() if isinstance(body, str) else body
    send(client, f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n", body)


def send_for_ever(client, piece):
    while True:
        client.sendall(piece)


def at_once(answer):
    """The first question gets this answer."""
    return lambda client, _question: answer(client)


def behind_version(answer):
    """Only what is asked of the right tables gets this answer."""
    def reply(client, question):
        if "max(version)" in question:
            send_whole(client, '1\n')
        else:
            answer(client, question)
    return reply


def redirect(client):
    host, port = client.getsockname()
    send(client, f"HTTP/1.1 302 Found\r\nLocation: http://{host}:{port}/\r\nContent-Length: 0\r\n\r\n")


def odd_files(client, question):
    """Files that lead out of the store."""
    names = ("../../../escaped.jsonl", "/escaped.jsonl", "runs/../../../escaped.jsonl", "events.jsonl")
    send_whole(client, "".join(row(question, it, 1, "not a record") for it in names))


def same_lines(client, question):
    """Each page has as many lines as are wanted, and always the same ones."""
    if FILES_QUESTION in question:
        send_whole(client, row(question, "events.jsonl", 1))
        return
    files, limit = wanted(question)
    rows = (row(question, file, 1_000_000 - number) for file in files for number in range(limit))
    send_whole(client, "".join(rows))


def one_number(client, question):
    """As many lines as are wanted, all with the same number."""
    if FILES_QUESTION in question:
        send_whole(client, row(question, "events.jsonl", 1))
        return
    files, limit = wanted(question)
    send_whole(client, "".join(row(question, file, 7) * limit for file in files))


def wanted(question):
    """The files that a question names, and how many lines of each it wants."""
    limit = re.search(r"LIMIT (\d+) BY file", question)
    return dict.fromkeys(re.findall(r"'([^']+\.jsonl?)'", question)), int(limit[1]) if limit else 1


def row(question, file, number, text="{}"):
    """A row with all values that a question selects; nothing where it inserts some."""
    selected = re.search(r"SELECT (.+?) FROM", question)
    if not selected:
        return ""
    values = {"file": file, "digest": "1", "line": text, "summary": text}
    parts = (re.search(r"file|digest|line|summary|$", it)[0] for it in re.split(r", (?![^(]*\))", selected[1]))
    return "\t".join(values.get(part, str(number)) for part in parts) + "\n"


ANSWERS = {
    "no HTTP": at_once(lambda it: send(it, bytes(range(256)) * 64)),
    "nothing": at_once(lambda it: None),
    "headers without an end": at_once(lambda it: (send(it, HEAD), send_for_ever(it, b"X-More: and more\r\n" * 500))),
    "one header without an end": at_once(lambda it: (send(it, HEAD, "X-More: "), send_for_ever(it, b"x" * 65536))),
    "rows without an end": at_once(lambda it: (send(it, HEAD, "\r\n"), send_for_ever(it, b'1\n' * 35000))),
    "a row without an end": at_once(lambda it: (send(it, HEAD, "\r\n1"), send_for_ever(it, b"x" * 65536))),
    "a length without a body": at_once(lambda it: send(it, HEAD, "Content-Length: 9223372036854775807\r\n\r\n")),
    "half an answer": at_once(lambda it: send(it, HEAD, "Content-Length: 14\r\n\r\n1")),
    "a chunk that is none": at_once(lambda it: send(it, HEAD, "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx")),
    "a packed answer": at_once(lambda it: send(it, HEAD, "Content-Encoding: gzip\r\n\r\n", b"\x1f\x8b\x08" + bytes(64))),
    "a redirection": at_once(redirect),
    "a refusal of 100 MB": at_once(lambda it: send_whole(it, b"Code: 1. DB::Exception: " + b"x" * 100_000_000, "500 x")),
    "a refusal for terminals": at_once(
        lambda it: send_whole(it, "Code: 1. DB::Exception: \x1b[2J\r::error::y\u202e\x9b2J", "500 x")),
    "the question": lambda client, question: send_whole(client, question, "400 x"),
    "values of other kinds": at_once(lambda it: send_whole(it, '[1]\n')),
    "a deep value": at_once(lambda it: send_whole(it, b"[" * 1_000_000)),
    "rows without an end behind the version": behind_version(
        lambda it, _: (send(it, HEAD, "\r\n"), send_for_ever(it, b"events.jsonl\t1\n" * 5000))),
    "other rows": behind_version(lambda it, _: send_whole(it, "moon\n")),
    "a row of 300 MB": behind_version(
        lambda it, _: send_whole(it, b"x" * 300_000_000 + b"\tx\n")),
    "a row of 300 MB of tabs": behind_version(lambda it, _: send_whole(it, b"\t" * 300_000_000 + b"\n")),
    "300 MB of short rows": behind_version(lambda it, _: send_whole(it, b"\t1\n" * 100_000_000)),
    "half a row": behind_version(lambda it, _: send_whole(it, "events.jsonl\t1")),
    "files that leave the store": behind_version(odd_files),
    "the same lines again": behind_version(same_lines),
    "lines with one number": behind_version(one_number),
}
# They take as long as the tool waits.
SLOW_ANSWERS = {
    "silence": at_once(lambda it: threading.Event().wait()),
    "a byte a second": at_once(lambda it: (send(it, HEAD, "\r\n"), drip(it))),
    "silence of PostgreSQL": at_once(lambda it: threading.Event().wait()),
    # A notice of 1 MiB.
    "a byte a second of PostgreSQL": at_once(lambda it: (send(it, b"N" + struct.pack(">I", 1 << 20)), drip(it))),
}
COMMANDS = {
    "push": lambda address: ("push", address),
    "pull": lambda address: ("pull", address, "--all"),
    "read": lambda address: ("history", BENCHMARK, "--remote", address),
}
# Nothing in them is wrong: lines that are no records are left out, and files that are none are not asked for.
HARMLESS = {("files that leave the store", "pull"), ("files that leave the store", "read"),
            ("the same lines again", "pull"), ("lines with one number", "pull"), ("files that leave the store", "push"),
            ("the same lines again", "push"), ("lines with one number", "push")}


def drip(client):
    while True:
        client.sendall(b"x")
        threading.Event().wait(1)


@contextmanager
def server(name):
    """A server with the answer of this name, at an address that is yielded."""
    is_postgres = name.endswith("PostgreSQL")
    read = read_first_query if is_postgres else read_question
    scheme, options = ("postgres", "?sslmode=disable") if is_postgres else ("clickhouse+http", "")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        answer = (ANSWERS | SLOW_ANSWERS)[name]
        threading.Thread(target=serve, args=(listening, read, answer), daemon=True).start()
        yield f"{scheme}://bot@127.0.0.1:{listening.getsockname()[1]}/perf{options}"
        # Wakes the thread, which a closed socket does not.
        listening.shutdown(socket.SHUT_RDWR)


def serve(listening, read, answer):
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=reply, args=(client, read, answer), daemon=True).start()


def reply(client, read, answer):
    with client:
        try:
            answer(client, read(client))
        except (OSError, ValueError):
            # The tool has had enough.
            pass


def read_question(client):
    """The headers and the body of a request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(client)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += received(client)
    return (head + b"\r\n\r\n" + body).decode(errors="replace")


def read_first_query(client):
    """The start of a connection to PostgreSQL, which needs no password, and what is asked then."""
    received(client)
    send(client, b"R" + struct.pack(">II", 8, 0), b"Z" + struct.pack(">I", 5) + b"I")
    return received(client).decode(errors="replace")


def received(client):
    part = client.recv(1 << 16)
    if not part:
        raise ValueError("the request ends early")
    return part


def attempt(scene, answer, command):
    before = {path for path in scene.directory.parent.rglob("escaped*")}
    runs = scene.runs("last")
    is_slow = answer in SLOW_ANSWERS
    with server(answer) as address:
        bounded = ["prlimit", f"--as={MOST_MEMORY_BYTES}", str(scene.project.tool), "perftest"]
        ended = scene.test(bounded[0], *bounded[1:], *COMMANDS[command](address), CLICKHOUSE_PASSWORD=PASSWORD, PGPASSWORD=PASSWORD,
                           longest_seconds=LONGEST_SILENCE_SECONDS if is_slow else LONGEST_SECONDS)
    if "does not know this kind of database" in ended.text:
        raise Failed("CARGO_PERFTEST lacks a database: build it with --features clickhouse,postgres")
    harmful = sorted({f"U+{ord(it):04X}" for it in ended.text if it in HARMFUL})
    if ended.code is None or ended.code < 0 or "panicked" in ended.text or "memory allocation" in ended.text:
        return str(ended)
    if PASSWORD in ended.text:
        return f"prints the password: {ended}"
    if harmful or any(line.lstrip().startswith("::") for line in ended.text.splitlines()):
        return f"prints {', '.join(harmful)}: {ended}"
    if ended.code != REFUSED and not (ended.code == 0 and (answer, command) in HARMLESS):
        return str(ended)
    if {path for path in scene.directory.parent.rglob("escaped*")} != before:
        return "a file was written out of the store"
    return None if scene.runs("last") == runs else "runs vanished or changed"


ATTACKS = [
    of_cases("hostile database", attempt, [(answer, command) for answer in ANSWERS for command in COMMANDS], 4),
    of_cases("slow database", attempt, [(answer, "read") for answer in SLOW_ANSWERS], 0),
]
