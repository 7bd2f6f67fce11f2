"""A real browser without a window, driven through its DevTools protocol over two pipes."""

import json
import os
import select
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 60.0
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # it cannot be had by root or in most containers, and the page is one of ours
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
)


def executable() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A page that was opened, and what the browser said about it."""

    def __init__(self, browser: "Browser", session: str) -> None:
        self._browser = browser
        self._session = session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, /, **parameters: object) -> Any:
        return self._browser.send(method, parameters, session=self._session)

    def go(self, url: str) -> "Page":
        self.send("Page.navigate", url=url)
        self._browser.wait_for("Page.loadEventFired", self._session)
        return self

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def size(self, width: int, height: int = 900) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name: str, *, media: str = "screen") -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    @property
    def complaints(self) -> list[Any]:
        """What it printed to the console, and what the browser found fault with."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event["params"] for event in self._events if event["method"] in kinds]

    @property
    def requests(self) -> list[str]:
        asked = [event for event in self._events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]

    @property
    def _events(self) -> list[Any]:
        return [event for event in self._browser.events if event.get("sessionId") == self._session]


class Browser:
    """Commands go down one pipe, answers and events come up the other; each ends with a NUL."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = to_browser, from_browser
        self._buffer = b""
        self._last = 0
        self.events: list[Any] = []

    def page(self) -> Page:
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, session)

    def send(self, method: str, parameters: dict[str, Any], *, session: str | None = None) -> Any:
        self._last += 1
        command = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            command["sessionId"] = session
        unsent = json.dumps(command).encode() + b"\0"
        while unsent:
            unsent = unsent[os.write(self._out, unsent) :]
        while True:
            message = self._read()
            if message.get("id") == self._last:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def wait_for(self, method: str, session: str) -> None:
        while not any(event["method"] == method and event.get("sessionId") == session for event in self.events):
            self.events.append(self._read())

    def _read(self) -> Any:
        until = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            piece = os.read(self._in, 1 << 20)
            assert piece, "the browser has gone"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


@contextmanager
def running(program: str, profile: Path) -> Iterator[Browser]:
    its_in, to_browser = os.pipe()
    from_browser, its_out = os.pipe()
    command = shlex.join([program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"])
    # The browser reads from 3 and writes to 4. A shell puts the pipes there; by name, as it knows single digits only.
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"exec {command} 3</dev/fd/{its_in} 4>/dev/fd/{its_out}"],
        pass_fds=(its_in, its_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(its_in)
    os.close(its_out)
    browser = Browser(to_browser, from_browser)
    try:
        yield browser
        browser.send("Browser.close", {})
    finally:
        os.close(to_browser)
        os.close(from_browser)
        try:
            process.wait(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
