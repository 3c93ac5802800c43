"""A headless Chromium, over the Chrome DevTools Protocol, and a server of files on the loopback interface."""

from __future__ import annotations

import base64
import functools
import http.server
import itertools
import json
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import websocket

if TYPE_CHECKING:
    from collections.abc import Iterator

# A value of JSON.
Anything: TypeAlias = Any
NAMES = ["chromium", "google-chrome"]
SECONDS = 30  # that anything may take


class BrowserError(Exception):
    """The browser reports an error, or does not answer in time."""


def executable() -> str | None:
    """Return the path of a browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Handler(http.server.SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, *_args: object) -> None:
        """Print nothing."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve the files of a folder, and yield the address."""
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class Page:
    """A page in the browser."""

    def __init__(self, address: str) -> None:
        """Connect to the page at an address of the protocol."""
        self.connection = websocket.create_connection(address, timeout=SECONDS, suppress_origin=True)
        self.numbers = itertools.count(1)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Anything) -> dict[str, Anything]:
        """Call a method of the protocol, and return its result."""
        number = next(self.numbers)
        self.connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.connection.recv())
            if message.get("id") == number:
                if "error" in message:
                    error = f"{method}: {message['error']}"
                    raise BrowserError(error)
                result: dict[str, Anything] = message["result"]
                return result
            self.note(message.get("method"), message.get("params", {}))

    def note(self, event: str, params: dict[str, Anything]) -> None:
        """Keep requests, errors and what is written to the console."""
        if event == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event in {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}:
            self.complaints.append(json.dumps(params))

    def evaluate(self, expression: str) -> Anything:
        """Return the value of an expression in JavaScript, or of its promise."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in result:
            message = json.dumps(result["exceptionDetails"])
            raise BrowserError(message)
        return result["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            if time.monotonic() > until:
                message = f"never true: {expression}"
                raise BrowserError(message)
            time.sleep(0.01)

    def open(self, address: str) -> None:
        """Open a page, and wait until it shows something."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=address)
        self.wait("['ready', 'failed'].includes(document.body?.dataset.state)")

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39}
        event = {"key": key, "windowsVirtualKeyCode": codes[key], **({"text": text} if text else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text: str) -> None:
        """Insert a text where the focus is, and wait until it is explained."""
        self.call("Input.insertText", text=text)
        self.wait("document.body.dataset.state === 'ready'")

    def resize(self, width: int, height: int = 800) -> None:
        """Set the size of the window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def colour(self, scheme: str) -> None:
        """Prefer a colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path: Path) -> None:
        """Write all of the page as a picture."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browse() -> Iterator[Page]:
    """Start the browser, and yield its page."""
    path = executable()
    if not path:
        message = "no Chromium"
        raise BrowserError(message)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"]
        options += [
            f"--user-data-dir={profile}",
            "--remote-debugging-port=0",
            "--no-first-run",
            "about:blank",
        ]
        browser = subprocess.Popen([path, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            page = Page(address_of_page(Path(profile, "DevToolsActivePort")))
            with closing(page.connection):
                yield page
        finally:
            browser.kill()
            browser.wait()


def address_of_page(file: Path) -> str:
    """Return the address of the first page, when the browser has written its port."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if file.exists() and "\n" in file.read_text():
            port = file.read_text().split("\n")[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]
            if pages:
                address: str = pages[0]["webSocketDebuggerUrl"]
                return address
        time.sleep(0.05)
    message = "Chromium did not start"
    raise BrowserError(message)
