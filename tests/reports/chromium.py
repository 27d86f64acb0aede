"""A page in headless Chromium, driven over a pipe: what it shows, what it says, what it asks the network for."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --hide-scrollbars --remote-debugging-pipe"
).split()


def program() -> str | None:
    """Where a Chromium is, if there is one."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Chromium:
    """One browser with one tab. `complaints` are errors and warnings of the page, `requests` what it asked for."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        self._rest = b""

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with _pipes() as (theirs_in, ours_out, ours_in, theirs_out):
            # the browser reads from descriptor 3 and writes to 4
            placed = [(os.POSIX_SPAWN_DUP2, theirs_in, 3), (os.POSIX_SPAWN_DUP2, theirs_out, 4)]
            silent = [(os.POSIX_SPAWN_OPEN, output, os.devnull, os.O_WRONLY, 0) for output in (1, 2)]
            command = [str(program()), *_FLAGS, f"--user-data-dir={self._profile.name}"]
            self._process = os.posix_spawn(command[0], command, os.environ, file_actions=placed + silent)
            self._out, self._in = ours_out, ours_in
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = ""
        self._session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def open(
        self, file: Path, *, width: int = 1400, height: int = 1000, dark: bool = False, phone: bool = False
    ) -> None:
        """Loads a file; returns when it has loaded and drawn."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self._ask("Emulation.setDeviceMetricsOverride", size)
        self._ask("Emulation.setTouchEmulationEnabled", {"enabled": phone})
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", {"features": scheme})
        self.complaints.clear()
        self.requests.clear()
        self._ask("Page.navigate", {"url": file.resolve().as_uri()})
        deadline = time.monotonic() + 30
        while self.run("document.readyState + location.protocol") != "completefile:" and time.monotonic() < deadline:
            time.sleep(0.05)
        self.settle()

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self._ask("Runtime.evaluate", asked)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def settle(self) -> None:
        """Waits for two frames and for what the page does after a pause of typing."""
        self.run(
            "new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(1))), 200))"
        )

    def type(self, selector: str, text: str) -> None:
        """Puts text into a field as if it had been typed."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.run(f"document.querySelector({json.dumps(selector)}).value = ''")
        self._ask("Input.insertText", {"text": text})
        self.settle()

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """mousePressed, mouseMoved, mouseReleased, mouseWheel at a place in the window."""
        pressed = {"button": "left", "clickCount": 1} if kind in ("mousePressed", "mouseReleased") else {}
        self._ask("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **pressed, **more})

    def click(self, x: float, y: float) -> None:
        """Moves there, presses and releases."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y)
        self.settle()

    def touch(self, kind: str, *places: tuple[float, float]) -> None:
        """touchStart, touchMove, touchEnd with fingers at places."""
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        self._ask("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def key(self, name: str) -> None:
        """One key by its name, such as Escape or Tab."""
        code = {"Enter": 13, "Escape": 27, "Tab": 9}.get(name, 0)
        text = {"text": "\r"} if name == "Enter" else {"text": name} if len(name) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self._ask("Input.dispatchKeyEvent", {"type": kind, "key": name, "windowsVirtualKeyCode": code, **more})
        self.settle()

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        """A picture of the window, or of the whole page."""
        shot = self._ask("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        file.write_bytes(base64.b64decode(shot["data"]))

    def _ask(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters or {}}
        if getattr(self, "_session", ""):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        for heard in self._messages(30):
            if heard.get("id") == self._number:
                if "error" in heard:
                    raise AssertionError(f"{method}: {heard['error']}")
                return dict(heard["result"])
            self._note(heard.get("method"), heard.get("params", {}))
        raise AssertionError(f"the browser did not answer {method}")

    def _messages(self, seconds: float) -> Iterator[dict[str, Any]]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            while b"\0" in self._rest:
                whole, _, self._rest = self._rest.partition(b"\0")
                yield json.loads(whole)
            if select.select([self._in], [], [], 1)[0]:
                read = os.read(self._in, 1 << 20)
                if not read:
                    raise AssertionError("the browser has ended")
                self._rest += read

    def _note(self, event: str | None, said: dict[str, Any]) -> None:
        if event == "Runtime.exceptionThrown":
            self.complaints.append(str(said["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(said["args"]))
        elif event == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.complaints.append(said["entry"]["text"])
        elif event == "Page.javascriptDialogOpening":
            self.complaints.append(f"a dialogue opened: {said['message']}")
        elif event == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])


@contextmanager
def _pipes() -> Iterator[tuple[int, int, int, int]]:
    """Two pipes as theirs-in, ours-out, ours-in, theirs-out; their ends are closed here once they have them."""
    theirs_in, ours_out = map(_above_the_usual, os.pipe())
    ours_in, theirs_out = map(_above_the_usual, os.pipe())
    try:
        yield theirs_in, ours_out, ours_in, theirs_out
    finally:
        os.close(theirs_in)
        os.close(theirs_out)


def _above_the_usual(descriptor: int) -> int:
    """The same pipe at a descriptor that 3 and 4 cannot overwrite."""
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return high
