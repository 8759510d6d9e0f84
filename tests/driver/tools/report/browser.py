# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over the W3C WebDriver protocol of chromedriver. Standard library only."""
import base64
import http.client
import json
import re
import shutil
import subprocess
import tempfile

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
SECONDS = 60
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowRight": "\ue014", "End": "\ue010"}


class Browser:
    """Use as a context: with Browser() as browser. Raises FileNotFoundError, saying what to install, without a
    Chromium."""

    def __init__(self):
        for program in ("chromium", "chromedriver"):
            if shutil.which(program) is None:
                raise FileNotFoundError(
                    f"{program} is not installed; scripts/setup installs it (packages chromium, chromium-driver)"
                )
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.session = None
        try:
            self.port = self._port()
            options = {"binary": shutil.which("chromium"), "args": [*FLAGS, f"--user-data-dir={self.profile.name}"]}
            capabilities = {
                "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL"},
                "unhandledPromptBehavior": "ignore",
            }
            self.session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                return int(found.group(1))
        raise RuntimeError("chromedriver did not start")

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request(
            method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"}
        )
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{path}: {value['error']}: {value['message'].splitlines()[0]}")
        return value

    def _do(self, path, body=None):
        return self._call("POST", f"/session/{self.session}/{path}", body or {})

    def _devtools(self, command, **parameters):
        return self._do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self.messages()  # those of the page before are not its own
        self._do("url", {"url": f"file://{path}"})
        self.settle()

    def run(self, script, *arguments):
        """Value of the body of a JavaScript function."""
        return self._do("execute/sync", {"script": script, "args": list(arguments)})

    def settle(self):
        """Waits until drawings have followed a change of the size: two frames."""
        self._do(
            "execute/async",
            {
                "script": "const done = arguments[0]; "
                "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));",
                "args": [],
            },
        )

    def messages(self):
        """Errors and warnings of the console since the last call."""
        entries = self._do("se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]

    def view(self, width, height, dark=False, phone=False):
        self._devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self._devtools(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )  # a click does not wait for a page that glides
        self.settle()

    def press(self, *keys):
        actions = [{"type": kind, "value": KEYS[key]} for key in keys for kind in ("keyDown", "keyUp")]
        self._do("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def _element(self, selector):
        return next(iter(self._do("element", {"using": "css selector", "value": selector}).values()))

    def click(self, selector):
        self._do(f"element/{self._element(selector)}/click")

    def hover(self, selector):
        origin = {"element-6066-11e4-a52e-4f735466cecf": self._element(selector)}
        self._do(
            "actions",
            {
                "actions": [
                    {
                        "type": "pointer",
                        "id": "mouse",
                        "actions": [{"type": "pointerMove", "origin": origin, "x": 0, "y": 0, "duration": 0}],
                    }
                ]
            },
        )

    def screenshot(self, path, height=None):
        """The page from its top, `height` pixels of it or all."""
        width, all_of_it = self.run(
            "return [document.documentElement.clientWidth, document.documentElement.scrollHeight]"
        )
        clip = {"x": 0, "y": 0, "width": width, "height": height or all_of_it, "scale": 1}
        data = self._devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        try:
            if self.session:
                self._call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
