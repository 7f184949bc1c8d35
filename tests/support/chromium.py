"""Chromium without a window, driven by the DevTools protocol over pipes."""

import base64
import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# Chromium reads commands from descriptor 3 and writes replies to descriptor 4.
PIPES = ["sh", "-c", 'exec "$@" 3<&0 4>&1', "sh"]
OPTIONS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no network
]


class Page:
    """One page of a browser."""

    def __init__(self, browser: subprocess.Popen, width: int, height: int):
        self.browser = browser
        self.numbers = itertools.count(1)
        self.session = {}
        target = self.call("Target.createTarget", url="about:blank")
        attached = self.call("Target.attachToTarget", flatten=True, **target)
        self.session = {"sessionId": attached["sessionId"]}
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def call(self, method: str, **parameters) -> dict:
        """Sends a command and waits for its result."""
        number = next(self.numbers)
        command = {"id": number, "method": method, "params": parameters, **self.session}
        self.browser.stdin.write(json.dumps(command).encode() + b"\0")
        self.browser.stdin.flush()
        reply = next(message for message in self.messages() if message.get("id") == number)
        if "error" in reply:
            raise RuntimeError(f"chromium refuses {method}: {reply['error']['message']}")
        return reply["result"]

    def messages(self) -> Iterator[dict]:
        """Replies and events; each ends with a zero byte."""
        message = bytearray()
        while byte := self.browser.stdout.read(1):
            if byte != b"\0":
                message += byte
                continue
            yield json.loads(message)
            message.clear()
        raise RuntimeError("chromium ended, or is not installed")

    def evaluate(self, expression: str):
        """The value of a JavaScript expression; of a promise, its result."""
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def picture(self) -> bytes:
        """What the page shows, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])


@contextmanager
def open_page(width: int, height: int) -> Iterator[Page]:
    """An empty page of a browser that ends with it."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        subprocess.Popen(
            [*PIPES, "chromium", *OPTIONS, f"--user-data-dir={profile}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as browser,
    ):
        yield Page(browser, width, height)  # chromium exits when its pipe is closed
