"""Headless Chromium for tests, driven over its debugging pipe: no further package, no port."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 300.0
"""Seconds to wait for any one answer of the browser."""


class BrowserError(AssertionError):
    """The browser refused something, ended, or did not answer in time."""


def find_browser() -> str | None:
    """The path of a Chromium, by its usual names; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab.

    Attributes:
        complaints: errors of its scripts, what its policy blocked, and every address that it asked
            for outside `file:` and `data:`.
    """

    def __init__(self, sending: int, receiving: int) -> None:
        self._sending, self._receiving = sending, receiving
        self._unread = b""
        self._number = 0
        self._session = ""
        self._loaded = False
        self.complaints: list[str] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._ask(f"{domain}.enable")

    def resize(self, width: int, height: int, *, mobile: bool = False) -> None:
        """Give the page a window of so many pixels, as a phone's browser has it where `mobile`."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def open(self, address: str) -> None:
        """Load an address, and wait until it is loaded."""
        self._loaded = False
        found = self._ask("Page.navigate", url=address)
        assert "errorText" not in found, f"{address}: {found['errorText']}"
        if "loaderId" in found:
            self.wait_for_load()

    def wait_for_load(self) -> None:
        """Wait for the end of the next load."""
        end = time.monotonic() + PATIENCE
        while not self._loaded:
            self._event(self._read(end))

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self._ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise BrowserError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait_until(self, script: str) -> None:
        """Wait until an expression is true; the page may load another one meanwhile."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise BrowserError(f"expected {script} within {PATIENCE:.0f} s")
            time.sleep(0.02)

    def prefer(self, *, dark: bool = False, media: str = "") -> None:
        """Show pages as a reader who prefers a dark page sees them, or as another medium (`print`)
        does.
        """
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def press(self, key: str) -> None:
        """Press and release a key, by its name (`Tab`, `Enter`)."""
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            about = {"key": key, "code": key, "windowsVirtualKeyCode": code, **text}
            self._ask("Input.dispatchKeyEvent", type=kind, **about)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Save what the window shows as PNG, or the whole page."""
        found = self._ask("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def _ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params}
        asked |= {"sessionId": self._session} if self._session else {}
        os.write(self._sending, json.dumps(asked).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            message = self._read(end)
            if message.get("id") == self._number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']}")
                return message["result"]
            self._event(message)

    def _read(self, end: float) -> Any:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._receiving], [], [], max(0, end - time.monotonic()))
            got = os.read(self._receiving, 1 << 20) if ready else b""
            if not got:
                raise BrowserError("the browser ended" if ready else "the browser gave no answer")
            self._unread += got
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)

    def _event(self, message: Any) -> None:
        method, params = message.get("method", ""), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            address = params["request"]["url"]
            if not address.startswith(("file:", "data:", "about:")):
                self.complaints.append(f"asked for {address}")


@contextmanager
def browser_page(executable: str, profile: Path) -> Iterator[Page]:
    """A tab of a browser that ends with it.

    Args:
        executable: the path of a Chromium.
        profile: an empty folder for what it writes.
    """
    from_us, sending = os.pipe()
    receiving, from_it = os.pipe()
    process = subprocess.Popen(
        [
            "bash",
            "-c",
            f'exec "$0" "$@" 3<&{from_us} 4>&{from_it}',
            executable,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            "about:blank",
        ],
        pass_fds=(from_us, from_it),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(from_us)
    os.close(from_it)
    try:
        yield Page(sending, receiving)
    finally:
        os.close(sending)
        os.close(receiving)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
