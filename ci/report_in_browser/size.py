"""Makes a report of a large store, opens it in a browser, and prints what that takes."""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from histories import histories
from store import Store
from webdriver import Browser

# Time from a key to the picture after it, for each of these texts.
KEYS = """const [texts, done] = arguments;
const search = document.getElementById('search');
const painted = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
(async () => {
  const times = [];
  for (const text of texts) {
    search.value = text;
    const start = performance.now();
    search.dispatchEvent(new Event('input'));
    await painted();
    times.push(performance.now() - start);
  }
  done(times);
})()"""
OPENED = """const done = arguments[arguments.length - 1];
const painted = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
(async () => {
  const times = [];
  for (const link of [...document.querySelectorAll('#tests tbody th a')].slice(0, 9)) {
    const start = performance.now();
    location.hash = link.getAttribute('href');
    while (!document.querySelector('#test:not([hidden]) .history svg .axes') || document.title !== link.textContent) await painted();
    times.push(performance.now() - start);
    location.hash = '#section=';
    await painted();
  }
  done(times);
})()"""
LOADED = """const [paint] = performance.getEntriesByName('first-contentful-paint');
const [page] = performance.getEntriesByType('navigation');
return paint && page.loadEventEnd > 0 && {paint: paint.startTime, whole: page.loadEventEnd,
  heap: performance.memory.usedJSHeapSize, found: document.getElementById('found').textContent}"""


def seconds_of(command, **options):
    """Time and memory of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(prog="ci/campaigns/report-size.sh", description=__doc__)
    parser.add_argument("--tests", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE", help="keep the report there")
    parser.add_argument("tool", help="a cargo-perftest")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        store = Store(root, args.tool, histories(args.tests, args.runs, samples=9))
        page = args.keep or root / "report.html"
        command = [args.tool, "perftest", "report", "--out", page, "--limit", str(args.runs)]
        wall, cpu, mebibytes = seconds_of(command, cwd=root / "project", env=store.environment())
        print(f"store: {args.tests} tests x {args.runs} runs")
        print(f"command: {wall:.1f} s, {cpu:.1f} s of the processor, {mebibytes:.0f} MiB at most")
        print(f"page: {page.stat().st_size / 1e6:.1f} MB, {page.stat().st_size / args.tests / args.runs:.0f} bytes a run")
        with Browser() as browser:
            loads = []
            for _ in range(3):
                browser.open("about:blank")
                browser.open(page.as_uri())
                loads.append(browser.wait(LOADED, seconds=120))
            print(f"browser: {browser.run('return navigator.userAgent').split('Chrome/')[1].split()[0]}, {loads[-1]['found']}")
            for name, key in (("first paint", "paint"), ("whole page loaded", "whole")):
                print(f"{name}: {statistics.median(load[key] for load in loads):.0f} ms")
            print(f"heap of the scripts: {loads[-1]['heap'] / 1e6:.0f} MB")
            word = "module_07::case"
            texts = [word[:end] for end in range(1, len(word) + 1)] + ["", "slower", "x", "no such test", ""]
            keys = browser.run_async(KEYS, texts)
            print(f"a key of the search, to the picture after it: {statistics.median(keys):.0f} ms, {max(keys):.0f} ms at most")
            opened = browser.run_async(OPENED)
            print(f"a test opened, to its plot: {statistics.median(opened):.0f} ms, {max(opened):.0f} ms at most")
            complaints = browser.complaints()
            if complaints:
                raise SystemExit("\n".join(complaints))


if __name__ == "__main__":
    main()
