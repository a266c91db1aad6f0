"""A few words of the WebDriver protocol, spoken to chromedriver over HTTP: all the browser tests need."""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
DRAWING = '[data-test-script-state="running"], [data-test-script-state="rerunRequested"]'
_DRAWN = """return !document.querySelector('[data-testid="stSkeleton"], [data-testid="stStatusWidget"]')
    && !document.querySelector('[data-stale="true"]')"""
_SIZES = """const rolled = document.querySelectorAll(
        '[data-testid="stMain"], [data-testid="stAppScrollToBottomContainer"]');
    const hidden = Math.max(0, ...Array.from(rolled, one => one.scrollHeight - one.clientHeight));
    return [window.innerWidth, window.innerHeight, hidden]"""
_AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
_LOOK = """const done = arguments[arguments.length - 1];
    axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations.map(one => [
        one.impact, one.id, one.help, one.nodes.slice(0, 3).map(node => node.html.slice(0, 160))])))"""

CLICK_AGAIN_S = 10.0


class Browser:
    def __init__(self, downloads: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._process = subprocess.Popen(
            [shutil.which("chromedriver") or "chromedriver", f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._http = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
        self._wait(lambda: self._http.get("/status").json()["value"]["ready"])
        options = {
            "binary": shutil.which("chromium"),
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"],
            "prefs": {"download.default_directory": str(downloads), "download.prompt_for_download": False},
        }
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self._session = "/session/" + self._http.post("/session", json=wanted).json()["value"]["sessionId"]

    def close(self) -> None:
        self._http.delete(self._session)
        self._process.terminate()
        self._process.wait(timeout=10)

    def resize(self, width: int, height: int) -> None:
        """The size of the page itself, as a device of that width would show it."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def dark(self, on: bool) -> None:
        """What the reader's system prefers."""
        wanted = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self._post("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [wanted]}})

    def is_dark(self) -> bool:
        """Whether the page shows itself dark."""
        return "dark" in str(self.script("return getComputedStyle(document.querySelector('.stApp')).colorScheme"))

    def serious(self) -> list[Any]:
        """What axe-core calls serious or critical on the page as it stands."""
        self._wait(lambda: self.script(_DRAWN), "the page to be drawn")
        self.script(_AXE)
        found = self._post("/execute/async", {"script": _LOOK, "args": []})
        return [one for one in found if one[0] in ("serious", "critical")]

    def open(self, url: str) -> None:
        self._post("/url", {"url": url})

    @contextmanager
    def tab(self, url: str) -> Iterator[None]:
        """The address in a tab of its own, as a link with a target opens it; the page before stays as it is."""
        before = self._http.get(f"{self._session}/window").json()["value"]
        self._post("/window", {"handle": self._post("/window/new", {"type": "tab"})["handle"]})
        self.open(url)
        yield
        self._http.delete(f"{self._session}/window")
        self._post("/window", {"handle": before})

    def screenshot(self, file: Path) -> None:
        """The whole view, however long, once it is drawn."""
        self._wait(lambda: self.script(_DRAWN), "the page to be drawn")
        width, height, hidden = self.script(_SIZES)
        self.resize(width, height + hidden)
        time.sleep(0.3)  # plots follow the new size
        file.write_bytes(base64.b64decode(self._http.get(f"{self._session}/screenshot").json()["value"]))
        self.resize(width, height)

    def script(self, code: str, *arguments: Any) -> Any:
        return self._post("/execute/sync", {"script": code, "args": list(arguments)})

    def text(self) -> str:
        return str(self.script("return document.body.innerText"))

    def find(self, css: str, *, containing: str = "") -> list[str]:
        found = self._post("/elements", {"using": "css selector", "value": css})
        elements = [item[ELEMENT] for item in found]
        if not containing:
            return elements
        return [e for e in elements if containing in self.script("return arguments[0].innerText", {ELEMENT: e})]

    def click(self, css: str, *, containing: str = "") -> None:
        def clicked() -> bool:
            visible = "return arguments[0].getClientRects().length > 0"
            elements = [e for e in self.find(css, containing=containing) if self.script(visible, {ELEMENT: e})]
            if not elements:
                return False
            self.script("arguments[0].scrollIntoView({block: 'center'})", {ELEMENT: elements[0]})
            self._post(f"/element/{elements[0]}/click", {})
            return True

        self._wait(clicked, f"{css} {containing!r} to click")

    def click_for(self, text: str, css: str, *, containing: str = "") -> None:
        """Clicks until the page shows a text: a click on what is just being drawn again is lost."""
        clicked = -CLICK_AGAIN_S

        def shown() -> bool:
            nonlocal clicked
            if text in self.text():
                return True
            if time.monotonic() - clicked > CLICK_AGAIN_S and self.find(css, containing=containing):
                clicked = time.monotonic()
                self.click(css, containing=containing)
            return False

        self._wait(shown, f"{text!r} on the page")

    def type(self, css: str, text: str, *, clear: bool = False) -> None:
        self._wait(lambda: bool(self.find(css)), f"{css} to type into")
        element = self.find(css)[0]
        if clear:
            self._post(f"/element/{element}/clear", {})
        self._post(f"/element/{element}/value", {"text": text})

    def drop(self, css: str, *files: Path) -> None:
        """Files onto a place that takes them."""
        self._wait(lambda: bool(self.find(css)), f"{css} to drop files on")
        self._post(f"/element/{self.find(css)[0]}/value", {"text": "\n".join(str(file) for file in files)})

    def wait_for(self, text: str) -> None:
        """The text is there and the page has stopped drawing: what stands below the text is there too."""
        self._wait(lambda: text in self.text() and not self.find(DRAWING), f"{text!r} on the page")

    def wait_until(self, check: Callable[[], bool], what: str) -> None:
        self._wait(check, what)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        answer = self._http.post(self._session + path, json=body).json()["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise LookupError(f"{answer['error']}: {answer['message'][:300]}")
        return answer

    def _wait(self, check: Callable[[], Any], what: str = "the browser") -> None:
        deadline = time.monotonic() + 40
        while True:
            try:
                if check():
                    return
            except (LookupError, httpx2.HTTPError):
                pass  # not there yet, or gone between two calls: the page redraws itself
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}")
            time.sleep(0.1)
