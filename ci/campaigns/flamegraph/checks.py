"""Opens flame graphs in a browser, checks what they show, and prints how long they take.

Ends with 1 where a check fails.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import traceback

from webdriver import Browser

FRAMES = 100_000
TRIES = 9
HOSTILE = "</script><script>document.title='run'</script>;<img src=x onerror=document.title='run'>;\u202etxet\"'&"
# The time until the next frame is on the screen.
TIMED = """const [action, done] = arguments, start = performance.now();
new Function(action)();
requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));"""
LOADED = """const [entry] = performance.getEntriesByType('navigation');
const paint = performance.getEntriesByName('first-contentful-paint')[0];
return [entry.loadEventEnd, paint ? paint.startTime : 0];"""


def wide(frames, rng):
    """Stacks of about so many frames: 60 deep at most, with functions that are in many branches."""
    stacks, count = {}, 0
    paths = [("main",)]
    while count < frames:
        path = rng.choice(paths[-4000:])
        name = f"crate_{rng.randrange(12)}::module_{rng.randrange(40)}::function_{rng.randrange(800)}"
        path = (*path, name)
        if len(path) < 60:
            paths.append(path)
        stacks[path] = stacks.get(path, 0) + rng.randrange(1, 40)
        count += 1
    return stacks


def slow(path, stacks, iterations):
    """Stacks with their weights in each class of iterations, as a recorded profile has them; `iterations` has the
    shortest duration and the number of each class."""
    classes = ", ".join(f"{count} of {duration} ns" for duration, count in iterations)
    lines = [f"# samples: {sum(sum(weights) for weights in stacks.values())}.", f"# iterations 1: {classes}."]
    for stack, weights in stacks.items():
        lines.append(f"{';'.join(stack)} {sum(weights)}")
        until = [0, *(round(1000 * sum(weights[:place + 1]) / sum(weights)) for place in range(len(weights)))]
        parts = ", ".join(f"{place} {until[place + 1] - until[place]}" for place in range(len(weights)))
        lines.append(f"# by iterations: {parts}.")
    path.write_text("\n".join(lines) + "\n")


def write(path, stacks):
    path.write_text("".join(f"{';'.join(stack)} {weight}\n" for stack, weight in stacks.items()))


class Checks:
    def __init__(self, browser, tool, work, pictures):
        self.browser, self.tool, self.work, self.pictures = browser, tool, work, pictures

    def page(self, name, new, base=None):
        page = self.work / f"{name}.html"
        sides = ["--base", base] if base else []
        subprocess.run([self.tool, "perftest", "flamegraph", *sides, new, "--out", page], check=True, capture_output=True)
        return page

    def open(self, page):
        self.browser.open("about:blank")
        self.browser.open(page.as_uri())
        self.browser.wait("return document.readyState === 'complete'")

    def picture(self, name):
        if self.pictures:
            self.browser.picture(self.pictures / f"{name}.png")

    def choose(self, select, value):
        self.browser.run(
            "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
            "box.dispatchEvent(new Event('change'))", select, value)

    def small(self):
        """One function with 25% more in two branches, beside one that vanished."""
        base = {("main", "app::parse", "app::unescape"): 2100, ("main", "app::parse", "core::utf8"): 2900,
                ("main", "app::parse"): 1000, ("main", "app::write", "app::unescape"): 900,
                ("main", "app::write", "std::copy"): 2500, ("main", "app::old"): 60, ("main",): 540}
        new = dict(base)
        for stack in base:
            if stack[-1] == "app::unescape":
                new[stack] = base[stack] * 5 // 4
        del new[("main", "app::old")]
        for name, stacks in (("base", base), ("new", new)):
            write(self.work / f"{name}.folded", stacks)
        return self.page("small", self.work / "new.folded", self.work / "base.folded")

    def the_function_that_grew_is_the_first_row_and_the_reddest_frame(self):
        self.open(self.small())
        rows = self.browser.run("return [...document.querySelectorAll('#table tr')].slice(1).map(it => it.lastChild.textContent)")
        assert rows[0] == "app::unescape", rows
        assert rows[-1] in ("app::old", "core::utf8"), rows
        self.choose("colour", "relative")
        reddest = self.browser.run(
            "const all = Array.from({length: wholeTree.count}, (_, frame) => frame);"
            "const red = frame => { const {colour} = graph.colourOf(frame); return colour[0] - colour[2]; };"
            "return all.sort((a, b) => red(b) - red(a)).slice(0, 1).map(it => graph.nameOf(it))")
        assert reddest == ["app::unescape"], reddest
        self.picture("small-light")
        self.browser.colours("dark")
        self.picture("small-dark")
        self.browser.colours("light")

    def the_page_counts_as_the_tool_does(self):
        self.open(self.small())
        diff = [self.tool, "perftest", "profile", "diff", self.work / "base.folded", self.work / "new.folded", "--json"]
        lines = [json.loads(line) for line in subprocess.run(diff, check=True, capture_output=True, text=True).stdout.splitlines()]
        shown = {row["name"]: row for row in self.browser.run("return rowsOfTable()")}
        for line in lines[1:]:
            row = shown[line["function"]]
            for key, own in (("base", "own_base_share"), ("change", "own_change"), ("lower", "own_change_lower"),
                             ("upper", "own_change_upper"), ("z", "own_z"), ("totalChange", "total_change")):
                assert abs(row[key] - line[own]) < 1e-9, (line["function"], key, row[key], line[own])
        assert self.browser.run("return data.head.culpritZ") == lines[0]["culprit_z"]

    def times_per_iteration_are_those_of_the_tool(self):
        self.small()
        for name, ns in (("base", 1_000_000), ("new", 1_150_000)):
            file = self.work / f"{name}.folded"
            remark = f"# whole iteration: {ns} ns, standard error 1000 ns, sampled for {ns // 100} ns."
            (self.work / f"timed-{name}.folded").write_text(f"{remark}\n{file.read_text()}")
        base, new = (self.work / f"timed-{name}.folded" for name in ("base", "new"))
        self.open(self.page("timed", new, base))
        diff = [self.tool, "perftest", "profile", "diff", base, new, "--json"]
        lines = [json.loads(line) for line in subprocess.run(diff, check=True, capture_output=True, text=True).stdout.splitlines()]
        assert self.browser.run("return document.getElementById('cause').textContent") == lines[0]["cause"]
        assert self.browser.run("return graph.colour") == "time"
        shown = {row["name"]: row for row in self.browser.run("return rowsOfTable()")}
        for line in lines[1:]:
            row = shown[line["function"]]
            for key, own in (("time", "own_change_ns"), ("timeLower", "own_change_lower_ns"), ("timeUpper", "own_change_upper_ns")):
                assert abs(row[key] - line[own]) < 1e-6, (line["function"], key, row[key], line[own])

    def a_search_counts_nothing_twice(self):
        self.open(self.small())
        self.browser.type("#search", "main|unescape")
        assert self.browser.run("return document.getElementById('matches').textContent") == \
            "1 place, 100.00% of base, 100.00% of new"
        self.browser.type("#search", "unescape$")
        found = self.browser.run("return document.getElementById('matches').textContent")
        assert found.startswith("2 places, 30.00% of base"), found
        self.browser.type("#search", "(")
        assert self.browser.run("return document.getElementById('matches').textContent") == "no regular expression"

    def the_keyboard_walks_zooms_and_goes_back(self):
        self.open(self.small())
        down, up, enter, escape = "\ue015", "\ue013", "\ue007", "\ue00c"
        self.browser.keys("#graph", down, down, enter)
        crumbs = "return [...document.querySelectorAll('#crumbs button')].map(it => it.textContent)"
        assert self.browser.run(crumbs) == ["all", "main", "app::parse"], self.browser.run(crumbs)
        self.browser.keys("#graph", up)
        assert "main" in self.browser.run("return document.getElementById('status').textContent")
        self.browser.keys("#graph", escape)
        assert self.browser.run(crumbs) == ["all"]

    def callers_are_below_what_they_call(self):
        self.open(self.small())
        self.choose("view", "callers")
        chains = self.browser.run(
            "return calleesOf(graph.tree, 0).map(it => [graph.nameOf(it), ...calleesOf(graph.tree, it).map(i => graph.nameOf(i))])")
        assert sorted(next(it for it in chains if it[0] == "app::unescape")[1:]) == ["app::parse", "app::write"], chains
        totals = self.browser.run("return [graph.tree.total[0][0], wholeTree.total[0][0]]")
        assert totals[0] == totals[1], totals
        self.picture("small-callers")

    def a_slice_is_a_profile_of_its_own(self):
        write(self.work / "threads.folded", {("[w-1]", "a"): 30, ("[w-2]", "a"): 10, ("[w-2]", "b"): 30})
        self.open(self.page("threads", self.work / "threads.folded"))
        self.choose("thread", self.option("thread", "[w-2]"))
        rows = self.browser.run("return rowsOfTable().map(it => [it.name, it.new])")
        assert ["b", 0.75] in rows, rows

    def option(self, select, text):
        options = self.browser.run(
            "return [...document.getElementById(arguments[0]).options].map(it => [it.value, it.textContent])", select)
        return next(value for value, shown in options if shown == text)

    def slower(self, duration):
        self.browser.type("#slower", duration)
        self.browser.keys("#slower", "\ue007")

    def narrowed(self, name):
        self.browser.size(390, 844)
        self.picture(name)
        assert self.browser.run("return document.documentElement.scrollWidth <= innerWidth"), name
        self.browser.size(1280, 900)

    def own(self):
        """The functions of the table with an own weight, and their shares."""
        rows = self.browser.run("return rowsOfTable().map(it => [it.name, it.base, it.new])")
        return {name: (round(base, 3), round(new, 3)) for name, base, new in rows if base or new}

    def sliced(self):
        return self.browser.run("return document.getElementById('slice-status').textContent")

    def requests(self):
        """One iteration of twenty stalls in a request; the stall is longer in the new profile. Only base has request 9."""
        tagged = ("main", "stage handle", "request=7")
        base = {(*tagged, "app::parse"): [500, 10], (*tagged, "app::stall"): [0, 90], ("main", "stage idle", "app::wait"): [300, 0],
                ("main", "request=9", "app::old"): [50, 0], ("pool-1", "app::work"): [50, 0]}
        new = {(*tagged, "app::parse"): [500, 10], (*tagged, "app::stall"): [0, 240], ("main", "stage idle", "app::wait"): [200, 0],
               ("pool-1", "app::work"): [50, 0]}
        for name, stacks in (("base", base), ("new", new)):
            slow(self.work / f"slow-{name}.folded", stacks, [(2_031_616, 95), (120_586_240, 5)])
            timed = self.work / f"slow-{name}.folded"
            iteration = "# whole iteration: 8000 ns, standard error 8 ns, sampled for 1000 ns.\n"
            timed.write_text(iteration + timed.read_text())
        return self.page("slow", self.work / "slow-new.folded", self.work / "slow-base.folded")

    def a_slow_iteration_is_alone_in_its_slice(self):
        self.open(self.requests())
        self.slower("60 ms")
        assert self.own() == {"app::stall": (0.9, 0.96), "app::parse": (0.1, 0.04)}, self.own()
        assert "base: 100 of 1,000 samples (10.00%), 5 of 100 iterations, those of 59.77 ms or more" in self.sliced(), self.sliced()
        assert "new: 250 of 1,000" in self.sliced() and "the same slice on each side" in self.sliced(), self.sliced()
        columns = self.browser.run("return columns().map(([key]) => key)")
        assert "time" not in columns and self.browser.run("return graph.colour") == "absolute", columns
        self.picture("slow-light")
        self.browser.colours("dark")
        self.picture("slow-dark")
        self.browser.colours("light")
        self.choose("iterations", "0.05")
        assert self.own()["app::stall"] == (0.9, 0.96), self.own()
        self.choose("iterations", "0.5")
        assert "100 of 100 iterations" in self.sliced(), self.sliced()
        self.slower("soon")
        assert self.browser.run("return document.getElementById('slower').classList.contains('wrong')")
        assert self.sliced() == "", self.sliced()
        self.slower("10 s")
        assert "base and new have no sample" in self.sliced(), self.sliced()
        self.browser.run("document.getElementById('reset').click()")
        assert self.sliced() == "" and len(self.own()) == 5, (self.sliced(), self.own())
        assert self.browser.run("return graph.colour") == "time"

    def a_tag_and_a_stage_have_slices_with_only_their_stacks(self):
        self.open(self.requests())
        down = "\ue015"
        self.browser.keys("#tag", down, down)
        assert self.browser.run("return element('tag').selectedOptions[0].textContent") == "request=7"
        assert self.own() == {"app::stall": (0.15, 0.32), "app::parse": (0.85, 0.68)}, self.own()
        # Of the time of all samples, not of those of the request alone: 150 of 1,000 ns, in iterations of 8,000 ns.
        stall = self.browser.run("return rowsOfTable().find(it => it.name === 'app::stall').time")
        assert abs(stall - 150 * 8) < 1e-6, stall
        paths = self.browser.run(
            "return Array.from({length: slice.tree.count}, (_, frame) => data.names[slice.tree.name[frame]])")
        assert set(paths) == {"all", "main", "stage handle", "request=7", "app::parse", "app::stall"}, paths
        self.slower("60 ms")
        assert self.own() == {"app::stall": (0.9, 0.96), "app::parse": (0.1, 0.04)}, self.own()
        self.browser.run("document.getElementById('reset').click()")
        self.choose("tag", "none")
        assert set(self.own()) == {"app::wait", "app::work"}, self.own()
        self.choose("thread", self.option("thread", "main"))
        assert set(self.own()) == {"app::wait"}, self.own()
        self.browser.run("document.getElementById('reset').click()")
        self.choose("stage", self.option("stage", "handle"))
        assert set(self.own()) == {"app::stall", "app::parse"}, self.own()
        self.choose("view", "callers")
        assert self.browser.run("return graph.tree.total[1][0]") == 750
        self.narrowed("slow-narrow")

    def a_side_without_a_sample_is_named_and_nothing_is_beyond_chance(self):
        self.open(self.requests())
        self.choose("tag", self.option("tag", "request=9"))
        assert "new: no sample" in self.sliced() and "shares are not compared, because new has no sample" in self.sliced(), self.sliced()
        assert self.own() == {"app::old": (1, 0)}, self.own()
        z = self.browser.run("return rowsOfTable().map(it => it.z)")
        assert all(value == 0 for value in z), z
        self.picture("slow-one-side")

    def a_profile_without_durations_has_no_slices_of_slow_iterations(self):
        self.requests()
        write(self.work / "older.folded", {("main", "request=7", "app::parse"): 100})
        self.open(self.page("older", self.work / "slow-new.folded", self.work / "older.folded"))
        hidden = "return [element('iterations-label').hidden, element('slower-label').hidden, element('tag-label').hidden]"
        assert self.browser.run(hidden) == [True, True, False], self.browser.run(hidden)
        assert "base was recorded without the durations" in self.browser.run("return element('notes').textContent")
        self.open(self.small())
        assert self.browser.run("return getComputedStyle(element('slices')).display") == "none"
        self.open(self.page("alone", self.work / "slow-new.folded"))
        self.slower("0.06 s")
        assert {name: new for name, (_, new) in self.own().items()} == {"app::stall": 0.96, "app::parse": 0.04}, self.own()
        assert self.sliced().startswith("Slice: 250 of 1,000 samples"), self.sliced()

    def hostile_names_are_text(self):
        write(self.work / "hostile.folded", {tuple(HOSTILE.split(";")): 5, ("\u05d0\u05d1\u05d2", "x" * 100_000): 3})
        self.open(self.page("hostile", self.work / "hostile.folded"))
        self.browser.run("document.querySelector('#table td.name button').click()")
        assert self.browser.run("return document.title") == "Flame graph"
        assert self.browser.run("return document.querySelectorAll('img').length") == 0
        assert self.browser.run("return performance.getEntriesByType('resource').length") == 0
        self.picture("hostile")

    def a_recursion_of_ten_thousand_frames_scrolls_to_its_end(self):
        (self.work / "deep.folded").write_text(";".join(["f"] * 10_000) + ";last 3\n")
        self.open(self.page("deep", self.work / "deep.folded"))
        self.browser.run("const box = document.getElementById('graph'); box.scrollTop = box.scrollHeight")
        end = self.browser.run(
            "const box = document.getElementById('graph').getBoundingClientRect();"
            "const frame = graph.frameAt(box.left + 50, box.bottom - 12); return graph.nameOf(frame)")
        assert end == "last", end
        self.picture("deep")

    def a_million_stacks_are_a_page_with_a_note(self):
        path = self.work / "million.folded"
        with path.open("w") as file:
            for stack in range(1_000_000):
                file.write(f"main;run;a{stack % 10};b{stack // 10 % 100};c{stack // 1000};d{stack} {1 + stack % 3}\n")
        out = self.work / "million.html"
        command = ["/usr/bin/time", "-f", "%e s, %M KiB", self.tool, "perftest", "flamegraph", path, "--out", out]
        timed = subprocess.run(command, check=True, capture_output=True, text=True).stderr.strip()
        self.open(out)
        frames, note = self.browser.run("return [wholeTree.count - 1, document.getElementById('notes').textContent]")
        print(f"1000000 stacks: {timed}, a page of {out.stat().st_size / 1e6:.1f} MB with {frames} frames")
        assert "are not drawn" in note, note

    def pages_of_100_000_frames_are_quick(self):
        rng = random.Random(7)
        base = wide(FRAMES, rng)
        new = {stack: max(weight + rng.randrange(-3, 4), 1) for stack, weight in base.items()}
        for name, stacks in (("base", base), ("new", new)):
            halves = {stack: [weight - weight // 2, weight // 2] for stack, weight in stacks.items()}
            slow(self.work / f"wide-{name}.folded", halves, [(2_031_616, 95), (120_586_240, 5)])
        page = self.page("wide", self.work / "wide-new.folded", self.work / "wide-base.folded")
        loads = []
        for _ in range(TRIES):
            self.open(page)
            loads.append(self.browser.run(LOADED))
        frames = self.browser.run("return wholeTree.count - 1")
        wide_frame = self.browser.run("return graph.rows[2].reduce((a, b) => b.width > a.width ? b : a).frame")
        action = {
            "zoom in": f"zoomTo({wide_frame})", "zoom out": "zoomTo(0)",
            "search": "element('search').value = 'module_7::'; search()",
            "colour": "element('colour').value = element('colour').value === 'absolute' ? 'relative' : 'absolute'; show()",
            "callers": "callersTree = null; element('view').value = 'callers'; show()",
            "callees": "element('view').value = 'callees'; show()",
            "slow iterations": "element('iterations').value = '0.05'; chooseSlice()",
            "all iterations": "element('iterations').value = ''; chooseSlice()",
        }
        times = {name: [] for name in action}
        for _ in range(TRIES):
            for name, script in action.items():
                times[name].append(self.browser.run_async(TIMED, script))
        self.picture("wide")
        print(f"{frames} frames, {page.stat().st_size / 1e6:.1f} MB, medians of {TRIES} in ms:")
        print(f"  load {statistics.median(load for load, _ in loads):.0f}, first paint {statistics.median(paint for _, paint in loads):.0f}")
        for name, values in times.items():
            print(f"  {name} {statistics.median(values):.0f} (up to {max(values):.0f})")
        assert frames >= FRAMES * 0.9, frames
        assert statistics.median(load for load, _ in loads) < 3_000
        assert statistics.median(times["slow iterations"]) < 2_000
        assert statistics.median(times["zoom in"]) < 300 and statistics.median(times["zoom out"]) < 600


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("tool")
    args = parser.parse_args()
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as work, Browser() as browser:
        checks = Checks(browser, args.tool, pathlib.Path(work), args.pictures)
        for name in [name for name, value in vars(Checks).items() if "_" in name.strip("_")]:
            try:
                getattr(checks, name)()
                complaints = browser.complaints()
                assert not complaints, complaints
                print(f"ok: {name.replace('_', ' ')}")
            except Exception:
                failed += 1
                print(f"FAILED: {name.replace('_', ' ')}\n{traceback.format_exc()}")
    sys.exit(1 if failed else 0)


main()
