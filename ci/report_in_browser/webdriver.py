"""A browser without a window, driven through chromedriver by the WebDriver protocol."""

import base64
import json
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# On a busy machine a page may take long.
LONGEST_SECONDS = 120


class Browser:
    """Chromium, from `with` to the end of its block. `graphics` are its options for that."""

    def __init__(self, driver="chromedriver", binary="chromium", graphics=("--disable-gpu",)):
        self.driver, self.binary, self.graphics = driver, binary, graphics

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([self.driver, "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.root = f"http://127.0.0.1:{int(line.rstrip().rstrip('.').rsplit(' ', 1)[1])}"
                break
        else:
            raise RuntimeError(f"{self.driver} did not start")
        options = {
            "args": ["--headless=new", "--no-sandbox", *self.graphics, "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1280,900", f"--user-data-dir={self.profile.name}"],
        }
        if "/" in self.binary:
            options["binary"] = self.binary
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                  "unhandledPromptBehavior": "ignore"}
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.root += f"/session/{session['sessionId']}"
        self.ask("POST", "/timeouts", {"script": 120_000, "pageLoad": 300_000})
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(LONGEST_SECONDS)
            self.profile.cleanup()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=400) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from None

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *args):
        """What a script in the page returns."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def run_async(self, script, *args):
        """What a script in the page hands to its last argument."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(args)})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.ask("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        element = self.find(selector)
        self.ask("POST", f"/element/{element}/clear", {})
        if text:
            self.ask("POST", f"/element/{element}/value", {"text": text})

    def drag(self, start, end):
        """Moves the mouse from one place to another with its button down."""
        move = lambda place, ms: {"type": "pointerMove", "duration": ms, "x": round(place[0]), "y": round(place[1])}
        actions = [move(start, 0), {"type": "pointerDown", "button": 0}, move(end, 100), {"type": "pointerUp", "button": 0}]
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.ask("POST", "/actions", {"actions": [pointer]})

    def keys(self, selector, *keys):
        self.run("document.querySelector(arguments[0]).focus()", selector)
        self.press(*keys)

    def press(self, *keys):
        """Presses and releases one key after the other, wherever the focus is."""
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": presses}]})

    def fingers(self, *steps):
        """Puts fingers on these places, moves them from step to step, and lifts them."""
        for kind, places in [("touchStart", steps[0]), *(("touchMove", step) for step in steps[1:]), ("touchEnd", [])]:
            points = [{"x": round(x), "y": round(y), "id": finger} for finger, (x, y) in enumerate(places)]
            self.devtools("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def touched(self, is_touched):
        """Whether the screen takes fingers, and there is no mouse."""
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=is_touched, maxTouchPoints=2 if is_touched else 1)
        self.devtools("Emulation.setEmitTouchEventsForMouse", enabled=False)

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, scale=1):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                      mobile=width < 600)

    def colours(self, scheme, medium=""):
        """What the system prefers: light or dark. The medium is the screen, or `print`."""
        self.devtools("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def complaints(self):
        """Errors and warnings of the console since the last question."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def wait(self, script, *args, seconds=LONGEST_SECONDS):
        """What a script in the page returns, as soon as that is something."""
        until = time.monotonic() + seconds
        while not (value := self.run(script, *args)):
            if time.monotonic() > until:
                raise RuntimeError(f"nothing after {seconds} s: {script}")
            time.sleep(0.05)
        return value
