"""Opens a report in a browser and checks what people see and do there.

Ends with 1 where a check fails.
"""

import argparse
import itertools
import math
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
import traceback

from histories import HOSTILE, LONG, TWO_UNITS, histories
from input_checks import InputChecks
from page import FOUND, HEIGHTS, HISTORIES, MARKS, OVERVIEW, PHONE, READOUT, RIGHT, RUN_IN_WORDS, RUNS, TESTS, VISIBLE, WIDTH, WINDOW
from store import Store
from webdriver import LONGEST_SECONDS, Browser

# Methods that check nothing.
HELPERS = ("picture", "open", "open_test", "plot_box", "rows_without_scripts", "tab_to")


def shown_name(name):
    """As the tool prints it: one line without marks that turn the direction of writing."""
    return " ".join(part for part in re.split("[\n\u202e\u2069]", name) if part)


class Checks(InputChecks):
    """The checks, in the order in which they are made."""

    def __init__(self, browser, store, page, pictures):
        self.browser, self.store, self.pictures = browser, store, pictures
        self.address = page.as_uri()
        written = store.asked("history", "--limit", "1000")
        self.written = {answer["benchmark"]: answer for answer in written if answer["metric"] == "wall"}

    def picture(self, name):
        if self.pictures:
            self.browser.picture(self.pictures / f"{name}.png")

    def open(self, fragment=""):
        # The same file with another fragment would not be loaded again.
        self.browser.open("about:blank")
        self.browser.open(self.address + fragment)
        self.browser.wait("return document.readyState === 'complete' && document.querySelectorAll('main:not([hidden])').length")

    def open_test(self, part):
        """The view of the first test whose name has this part."""
        self.open()
        self.browser.type("#search", part)
        self.browser.click("#tests tbody th a")
        self.browser.wait("return document.querySelector('#test:not([hidden]) .history svg .axes')")
        return self.browser.run("return document.querySelector('#test h1').textContent")

    def the_page_loads_with_all_tests_and_no_error(self):
        self.open()
        assert self.browser.run(FOUND) == f"{HISTORIES} tests of {HISTORIES}", self.browser.run(FOUND)
        assert len(self.browser.run(VISIBLE)) == 100
        assert self.browser.run("return performance.getEntriesByType('resource').length") == 0
        self.picture("report-light")

    def a_test_took_its_time_once_however_many_series_it_has(self):
        self.open()
        # As `histories` writes it: 180 ms, and 10 us more in each run.
        took = sum(180 + (len(history.values) - 1) // 100 for history in self.store.histories.values()) / 1e3
        about = self.browser.run("return document.getElementById('about').textContent")
        assert f"took {took:.2f} s together" in about, (took, about)

    def the_failed_tests_come_first_and_sections_select(self):
        self.open()
        rows = self.browser.run(VISIBLE)
        red = [name for name, answer in self.written.items() if answer["verdict"] == "red"]
        assert red and {row["name"] for row in rows[: len(red)]} == {shown_name(name) for name in red}
        self.browser.click('[data-section="slower"]')
        self.browser.wait(f"{FOUND}.startsWith(arguments[0])", f"{len(red)} test")
        assert "section=slower" in self.browser.run("return location.hash")

    def an_accepted_slowdown_has_a_section_and_a_sentence(self):
        self.open()
        self.browser.click('[data-section="accepted"]')
        self.browser.wait("return document.querySelectorAll('#tests tbody tr').length === 1")
        self.browser.click("#tests tbody th a")
        self.browser.wait("return document.querySelector('#test:not([hidden]) .history svg .mark.accepted')")
        headline = self.browser.run("return document.querySelector('#test .headline').textContent")
        assert headline.startswith("accepted: 1.3") and "accepted up to 1.50x" in headline, headline
        legend = self.browser.run("return document.querySelector('.history .legend').textContent")
        assert "accepted" in legend and "tolerance" not in legend, legend

    def the_table_sorts_by_its_headings(self):
        self.open()
        self.browser.click('[data-sort="name"]')
        names = [row["name"] for row in self.browser.run(VISIBLE)]
        assert names == sorted(names) and len(names) == 100
        heading = "return document.querySelector('[data-sort=name]').parentElement.getAttribute('aria-sort')"
        assert self.browser.run(heading) == "ascending"
        self.browser.click('[data-sort="ratio"]')
        ratios = [row["cells"]["ratio"].split("x")[0] for row in self.browser.run(VISIBLE)]
        ratios = [float(ratio) for ratio in ratios if ratio != "-"]
        assert len(ratios) > 50 and ratios == sorted(ratios, reverse=True), ratios[:9]

    def the_search_finds_names_and_verdicts(self):
        self.open()
        self.browser.type("#search", "module_07 FLAT")
        names = [row["name"] for row in self.browser.run(VISIBLE)]
        expected = [name for name in self.written if "module_07" in name and "flat" in name]
        assert expected and sorted(names) == sorted(expected), names
        self.browser.type("#search", "no such test")
        assert self.browser.run(FOUND) == "No test has that."

    def the_table_has_pages(self):
        self.open()
        self.browser.click("#pages button:last-child")
        assert len(self.browser.run(VISIBLE)) == HISTORIES - 100

    def a_test_shows_the_values_of_the_store(self):
        name = self.open_test("step")
        medians = self.written[name]["medians"]
        for _ in range(9):
            if not self.browser.run("return !document.querySelector('.runs > button').hidden"):
                break
            self.browser.click(".runs > button")
        values = self.browser.run("return [...document.querySelectorAll('#runs tbody tr')].map(row => +row.dataset.value)")
        assert len(values) == len(medians) == RUNS, (len(values), len(medians))
        assert all(abs(value / median - 1) < 1e-5 for value, median in zip(reversed(values), medians))
        [shown] = self.store.asked("show", name)
        text = self.browser.run("return document.querySelector('#test').textContent")
        assert shown["words"] in text
        assert f"cargo perftest run -- {name}" in text
        self.browser.run("scrollTo(0, 0)")
        self.picture("report-test")

    def a_plot_zooms_by_buttons_mouse_and_keys(self):
        self.open_test("levels")
        assert self.browser.run(MARKS) == RUNS
        self.browser.click('.history [title="zoom in"]')
        zoomed = self.browser.run(MARKS)
        assert 0 < zoomed < 0.7 * RUNS, zoomed
        self.browser.click('.history [title="show all"]')
        assert self.browser.run(MARKS) == RUNS
        box = self.plot_box()
        self.browser.drag((box[0] + 0.4 * box[2], box[1] + 120), (box[0] + 0.6 * box[2], box[1] + 130))
        assert 0 < self.browser.run(MARKS) < 0.4 * RUNS, self.browser.run(MARKS)
        self.browser.keys(".history svg.plot", "0", RIGHT, RIGHT)
        assert re.match(RUN_IN_WORDS, self.browser.run(READOUT)), self.browser.run(READOUT)
        self.browser.keys(".history svg.plot", "+", "+", "-")
        assert self.browser.run(MARKS) < RUNS

    def modules_are_summed_when_asked_for(self):
        self.open()
        assert re.search(r" of commits? [0-9a-f]{7,9}", self.browser.run("return document.getElementById('about').textContent"))
        self.browser.click("#modules summary")
        rows = "return [...document.querySelectorAll('#modules tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
        shown = {row[0]: row[1:] for row in self.browser.wait(rows)}
        expected = {}
        for name, metric, ratio in self.browser.run(OVERVIEW):
            if metric == "wall":
                expected.setdefault(name.rsplit("::", 1)[0], []).append(ratio)
        assert {name: int(row[0]) for name, row in shown.items()} == {name: len(all) for name, all in expected.items()}
        for name, ratios in expected.items():
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
            assert shown[name][1] == f"{mean:.2f}x", (name, shown[name], mean)
        assert sum(int(row[2]) for row in shown.values()) > 0
        self.picture("report-modules")
        self.browser.click("#modules tbody button")
        [found] = re.findall(r"^\d+", self.browser.run(FOUND))
        assert 0 < int(found) < HISTORIES, found

    def a_plot_shows_changes_epochs_and_conditions(self):
        name = self.open_test("step")
        changes = [it for it in self.store.asked("changepoints", name) if it["event"] == "change"]
        rules = self.browser.run("return document.querySelectorAll('.history path.change[d]').length")
        assert changes and rules == len(changes) + 1, (rules, len(changes))
        labels = self.browser.run("return [...document.querySelectorAll('.history .plot text.note')].filter(it => it.textContent).map(it => { const {left, right, top, bottom} = it.getBoundingClientRect(); return [left, right, top, bottom, it.textContent]; })")
        for one, other in itertools.combinations(labels, 2):
            is_over = one[0] < other[1] and other[0] < one[1] and one[2] < other[3] - 2 and other[2] < one[3] - 2
            assert not is_over, (one, other)
        epoch = self.browser.run("return document.querySelector('.history path.epoch title').textContent")
        assert "kernel: 6.1.0 -> 6.8.0" in epoch, epoch
        assert not self.browser.run("return document.querySelector('.history .plot .overlay')")
        self.browser.run("const select = document.querySelectorAll('.history select')[1]; select.value = 'celsius'; select.dispatchEvent(new Event('change'))")
        assert len(self.browser.run("return document.querySelector('.history .plot .overlay').getAttribute('d')")) > RUNS
        parts = self.browser.run("return [...document.querySelectorAll('.part h3')].map(it => it.textContent)")
        assert parts == ["Density", "Shift", "Ratio", "Beside the curve"], parts

    def a_red_is_drawn_at_its_height_and_so_is_its_tolerance(self):
        name = self.open_test("fresh red")
        self.plot_box()
        self.picture("report-red")
        places = self.browser.run(HEIGHTS)
        (low, low_y), (high, high_y) = places["ticks"][0], places["ticks"][-1]
        at = lambda y: low + (y - low_y) * (high - low) / (high_y - low_y)
        answer = self.written[name]
        assert abs(at(places["newest"]) / (answer["medians"][-1] / 1e3) - 1) < 0.004, (places, answer["medians"][-1])
        [words, value] = places["words"].split()[:2]
        assert words == "tolerance" and abs(at(places["level"]) / float(value) - 1) < 0.004, places
        assert places["level"] > places["newest"] + 10, places

    def a_view_has_an_address_and_back_leads_to_the_search(self):
        self.open()
        self.browser.type("#search", "drift")
        found = self.browser.run(FOUND)
        self.browser.click("#tests tbody th a")
        fragment = self.browser.run("return location.hash")
        name = self.browser.wait("return document.querySelector('#test h1')?.textContent")
        self.browser.ask("POST", "/back", {})
        self.browser.wait("return !document.getElementById('overview').hidden")
        assert self.browser.run(FOUND) == found
        self.open(fragment)
        assert self.browser.wait("return document.querySelector('#test h1')?.textContent") == name
        self.open("#test=nothing%3Cb%3E")
        text = self.browser.run("return document.querySelector('#test').textContent")
        assert "nothing<b>" in text, text

    def a_test_with_two_metrics_has_a_view_of_each(self):
        self.open()
        self.browser.run("const select = document.getElementById('metric'); select.value = 'allocs'; select.dispatchEvent(new Event('change'))")
        [row] = self.browser.run(VISIBLE)
        assert row["cells"]["now"] == "122.0 allocs", row
        self.browser.click("#tests tbody th a")
        links = "return [...document.querySelectorAll('.siblings a')].map(link => [link.textContent, link.hasAttribute('aria-current')])"
        links_of_view = lambda: dict(self.browser.wait(links))
        assert links_of_view() == {"allocs on local/7f3a2b": True, "wall on local/7f3a2b": False}, links_of_view()
        self.browser.click(".siblings a:not([aria-current])")
        self.browser.wait("return document.querySelector('#test').textContent.includes('wall in ns')")
        assert links_of_view()["wall on local/7f3a2b"]

    def a_metric_in_two_units_has_a_view_of_each(self):
        for unit, better in TWO_UNITS:
            self.open()
            self.browser.run("const select = document.getElementById('metric'); select.value = 'served'; select.dispatchEvent(new Event('change'))")
            links = "return [...document.querySelectorAll('#tests tbody th a')].map(link => link.hash)"
            assert len(set(self.browser.run(links))) == 2, self.browser.run(links)
            self.browser.click(f'#tests tbody th a[href*="better={better}"]')
            self.browser.wait("return document.querySelector('#test').textContent.includes(arguments[0])", f"served in {unit}, {better} is better \u00b7")
            current = "return document.querySelector('.siblings a[aria-current]').textContent"
            assert self.browser.run(current).startswith(f"served in {unit}, "), self.browser.run(current)
            self.open(self.browser.run("return location.hash"))
            self.browser.wait("return document.querySelector('#test').textContent.includes(arguments[0])", f"served in {unit}, ")

    def a_hostile_name_is_a_name(self):
        name = self.open_test("onerror")
        assert name == shown_name(HOSTILE), name
        assert self.browser.run("return document.images.length") == 0
        assert self.browser.run("return document.scripts.length") == HISTORIES + 2

    def marks_of_days_are_at_midnight_on_both_sides_of_a_change_of_clocks(self):
        self.browser.devtools("Emulation.setTimezoneOverride", timezoneId="Europe/Berlin")
        try:
            self.open()
            hours = self.browser.run("return timeTicks(Date.UTC(2026, 6, 1) / 1e3, Date.UTC(2027, 0, 1) / 1e3, 7).map(({ at }) => new Date(at * 1e3).getHours())")
            assert len(hours) > 4 and set(hours) == {0}, hours
        finally:
            self.browser.devtools("Emulation.setTimezoneOverride", timezoneId="")

    def ratios_are_told_apart_and_what_has_none_is_a_dash(self):
        self.open()
        words = self.browser.run("return [0.00075, 0.05, 1.256, 2e6, 3 / 0, -1, null].map(ratioWords)")
        assert words == ["7.50e-4x", "0.0500x", "1.26x", "2.00e6x", "-", "-", "-"], words

    def a_clock_that_went_backwards_is_reported(self):
        self.open_test("case_0002")
        assert "clock went backwards" in self.browser.run("return document.querySelector('#test').textContent")
        self.browser.run("const select = document.querySelector('.history select'); select.value = 'dates'; select.dispatchEvent(new Event('change'))")
        assert self.browser.run(MARKS) == RUNS

    def nothing_is_wider_than_its_window(self):
        try:
            self.open()
            for width in (320, 400, 700, 1060, 1061, 1100, 1400, 2000):
                self.browser.size(width, 800)
                assert self.browser.run(WIDTH) == [width, width], self.browser.run(WIDTH)
            self.browser.size(*PHONE)
            self.open()
            assert self.browser.run(WIDTH) == [390, 390], self.browser.run(WIDTH)
            self.picture("report-phone")
            for part in ("step", "onerror"):
                self.open_test(part)
                assert self.browser.run(WIDTH) == [390, 390], (part, self.browser.run(WIDTH))
        finally:
            self.browser.size(*WINDOW)

    def a_plot_of_more_runs_than_pixels_draws_what_matters(self):
        self.browser.size(*PHONE)
        try:
            name = self.open_test("known::long")
            assert len(self.written[name]["medians"]) == LONG
            course = "return document.querySelector('.history path.course').getAttribute('d')"
            # From the least to the largest value of each column of pixels.
            assert self.browser.run(course).count("V") > 200
            assert 0 < self.browser.run(MARKS) < LONG / 2, self.browser.run(MARKS)
            for _ in range(2):
                self.browser.click('.history [title="zoom in"]')
            assert "V" not in self.browser.run(course)
            assert LONG / 5 < self.browser.run(MARKS) <= LONG / 3, self.browser.run(MARKS)
        finally:
            self.browser.size(*WINDOW)

    def colours_follow_the_system_and_the_switch(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.open_test("levels")
        light = self.browser.run(ground)
        self.browser.colours("dark")
        dark = self.browser.run(ground)
        self.picture("report-dark")
        self.browser.run("const select = document.getElementById('theme'); select.value = 'light'; select.dispatchEvent(new Event('change'))")
        switched = self.browser.run(ground)
        self.browser.colours("light")
        self.browser.run("localStorage.clear()")
        assert light == switched != dark, (light, dark, switched)

    def a_browser_without_scripts_gets_a_table(self):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open("about:blank")
            self.browser.open(self.address)
            # No script can say when the page is there.
            until = time.monotonic() + LONGEST_SECONDS
            while (rows := self.rows_without_scripts()) != HISTORIES + 1 and time.monotonic() < until:
                time.sleep(0.2)
            assert rows == HISTORIES + 1, rows
        finally:
            self.browser.devtools("Emulation.setScriptExecutionDisabled", value=False)

    def rows_without_scripts(self):
        """Rows of the table that only such a browser has; 0 while the page is being replaced."""
        try:
            root = self.browser.devtools("DOM.getDocument", depth=1)["root"]["nodeId"]
            return len(self.browser.devtools("DOM.querySelectorAll", nodeId=root, selector="noscript tr")["nodeIds"])
        except RuntimeError:
            return 0

    def no_other_script_runs(self):
        self.open()
        self.browser.run("""const script = document.createElement('script');
          script.textContent = 'window.injected = true';
          document.body.append(script)""")
        assert self.browser.run("return window.injected === undefined")
        assert any("Content Security Policy" in text for text in self.browser.complaints())


def report(store, tool, out):
    """Writes the report of a store."""
    environment = {**store.environment(), "TZ": "UTC"}
    subprocess.run([tool, "perftest", "report", "--limit", "1000", "--out", out], cwd=store.root / "project",
                   env=environment, check=True)


def main():
    parser = argparse.ArgumentParser(prog="ci/report-in-browser.sh", description=__doc__)
    parser.add_argument("--pictures", type=pathlib.Path, metavar="DIRECTORY", help="keep pictures of the page there")
    parser.add_argument("tool", help="a cargo-perftest")
    args = parser.parse_args()
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        browser.size(*WINDOW)
        root = pathlib.Path(directory)
        store = Store(root, args.tool, histories(TESTS, RUNS))
        page = root / "report.html"
        report(store, args.tool, page)
        checks = Checks(browser, store, page, args.pictures)
        failed = 0
        for name, check in [*vars(Checks).items(), *vars(InputChecks).items()]:
            if name in HELPERS or name.startswith("__") or not callable(check):
                continue
            try:
                check(checks)
                complaints = browser.complaints()
                assert not complaints, complaints
                print(f"ok      {name.replace('_', ' ')}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name.replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
                browser.complaints()
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
