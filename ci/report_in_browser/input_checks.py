"""What mouse, fingers, keys and paper do to a page."""

import base64
import re

from page import ENTER, HISTORIES, MARKS, PHONE, READOUT, RIGHT, RUN_IN_WORDS, RUNS, TAB, VISIBLE, WINDOW


class InputChecks:
    """Checks of a page that `browser` shows, which `open` and `open_test` open."""

    def plot_box(self):
        """Left, top and width of the history's plot, which is in sight then."""
        self.browser.run("document.querySelector('.history svg.plot').scrollIntoView({block: 'center'})")
        return self.browser.run("const {x, y, width} = document.querySelector('.history svg.plot').getBoundingClientRect(); return [x, y, width]")

    def fingers_tap_pinch_and_swipe(self):
        self.browser.size(*PHONE)
        self.browser.touched(True)
        try:
            self.open_test("levels")
            low = self.browser.run("return [...document.querySelectorAll('#test button, #test select')].filter(it => it.offsetHeight && it.offsetHeight < 36).map(it => it.outerHTML)")
            assert not low, low
            left, top, width = self.plot_box()
            at = lambda share, down=120: (left + share * width, top + down)
            self.browser.fingers([at(0.5)])
            assert re.match(RUN_IN_WORDS, self.browser.wait(READOUT)), self.browser.run(READOUT)
            self.browser.fingers([at(0.5), at(0.6)], [at(0.4), at(0.7)], [at(0.3), at(0.8)])
            pinched = self.browser.run(MARKS)
            assert 0 < pinched < 0.7 * RUNS, pinched
            first = "return +document.querySelector('.history .mark').dataset.run"
            before = self.browser.run(first)
            self.browser.fingers([at(0.4)], [at(0.5)], [at(0.7)])
            assert self.browser.run(first) < before, (self.browser.run(first), before)
            self.picture("report-touch")
            # The page scrolls below a finger that moves up.
            scrolled = self.browser.run("return scrollY")
            self.browser.fingers([at(0.5, 200)], [at(0.5, 150)], [at(0.5, 80)], [at(0.5, 10)])
            self.browser.wait("return scrollY > arguments[0] + 20", scrolled)
        finally:
            self.browser.touched(False)
            self.browser.size(*WINDOW)

    def tab_to(self, selector):
        """Presses the tab key until this has the focus, which is seen wherever it is."""
        for _ in range(40):
            self.browser.press(TAB)
            if self.browser.run("return document.activeElement.matches(arguments[0])", selector):
                assert self.browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none", selector
                return
        raise AssertionError(f"no key leads to {selector}")

    def keys_alone_lead_to_a_test_and_back(self):
        self.open()
        self.browser.press("/")
        assert self.browser.run("return document.activeElement.id") == "search"
        self.browser.press(*"levels")
        self.tab_to("#tests tbody a")
        name = self.browser.run("return document.activeElement.textContent")
        assert "levels" in name, name
        self.browser.press(ENTER)
        self.browser.wait("return document.activeElement.matches('#test h1')")
        self.tab_to(".history svg.plot")
        self.browser.press(RIGHT, "+")
        assert re.match(RUN_IN_WORDS, self.browser.run(READOUT)) and self.browser.run(MARKS) < RUNS
        self.browser.keys(".back", ENTER)
        self.browser.wait("return !document.getElementById('overview').hidden")
        assert self.browser.run("return document.activeElement.textContent") == name
        self.open()
        self.browser.keys("#pages button:last-child", ENTER)
        assert len(self.browser.run(VISIBLE)) == HISTORIES - 100
        assert self.browser.run("return document.activeElement.matches('#tests tbody a')")

    def paper_is_light_and_has_no_controls(self):
        self.open_test("levels")
        ink, ground = ("return getComputedStyle(document.body)." + it for it in ("color", "backgroundColor"))
        light = [self.browser.run(it) for it in (ink, ground)]
        try:
            self.browser.colours("dark", "print")
            self.browser.run("document.documentElement.dataset.theme = 'dark'")
            assert [self.browser.run(it) for it in (ink, ground)] == light
            seen = "return [...document.querySelectorAll('.zoom, .choices, .copy, #theme')].filter(it => it.getClientRects().length).length"
            assert self.browser.run(seen) == 0
            pdf = base64.b64decode(self.browser.devtools("Page.printToPDF", printBackground=False)["data"])
            assert pdf.startswith(b"%PDF"), pdf[:9]
            if self.pictures:
                (self.pictures / "report.pdf").write_bytes(pdf)
        finally:
            self.browser.colours("light")
