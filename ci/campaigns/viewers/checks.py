"""Exports a profile and reads it with speedscope and with the Firefox profiler."""

import functools
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from webdriver import Browser

# A name that is markup, and one of a generic function.
FOLDED = """\
# samples: 1000.
main;parse;unescape 500000000
main;parse;<b>bold</b> 200000000
worker-1;sort;<T as core::cmp::Ord>::cmp 300000000
"""
# speedscope draws with WebGL, here without a graphics processor.
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SHARES = {"unescape": "50", "<b>bold</b>": "20", "<T as core::cmp::Ord>::cmp": "30"}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server without a log."""

    def log_message(self, *_):
        pass


def exported(tool, directory, viewer):
    profile = directory / "profile.folded"
    profile.write_text(FOLDED)
    command = [tool, "perftest", "profile", "show", profile, "--format", viewer]
    path = directory / f"{viewer}.json"
    path.write_bytes(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return path


def check(viewer, lines):
    """Whether each function stands in a line with its share."""
    for name, share in SHARES.items():
        if not any(name in line and re.search(rf"\({share}(\.0)?%\)", line) for line in lines):
            sys.exit(f"{viewer}: {name} does not have {share}%:\n" + "\n".join(lines))
    print(f"{viewer}: {len(SHARES)} functions with their shares")


def speedscope(path, modules):
    root = modules / "speedscope" / "dist" / "release"
    (root / "given.json").write_bytes(path.read_bytes())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    with Browser(graphics=WEBGL) as browser:
        browser.open(f"{address}/index.html#profileURL={address}/given.json&view=sandwich")
        browser.wait("return document.querySelectorAll('table tr').length > 3")
        rows = browser.run("return [...document.querySelectorAll('table tr')].map(it => it.innerText.replace(/\\s+/g, ' '))")
    server.shutdown()
    check("speedscope", rows)


def firefox(path, modules):
    client = modules / ".bin" / "profiler-cli"
    ask = lambda *args: subprocess.run([client, *args], check=True, stdout=subprocess.PIPE, text=True).stdout
    ask("load", path)
    try:
        check("Firefox profiler", ask("thread", "functions").splitlines())
    finally:
        ask("stop", "--all")


def main():
    tool, modules = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        speedscope(exported(tool, directory, "speedscope"), modules)
        firefox(exported(tool, directory, "firefox"), modules)


main()
