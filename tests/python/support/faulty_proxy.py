"""A proxy on the loopback address that answers some requests wrongly."""

from __future__ import annotations

import socket
import struct
import threading
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    # Answers a request, given the status, the headers and the body that the server has sent.
    Answer: TypeAlias = Callable[[BaseHTTPRequestHandler, int, dict[str, str], bytes], None]

NOT_FORWARDED = ("connection", "transfer-encoding", "keep-alive")


def send(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Answer with what the server has sent."""
    start(request, status, headers)
    request.wfile.write(body)


def start(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
    """Send the status and the headers."""
    request.send_response_only(status)
    for name, value in headers.items():
        request.send_header(name, value)
    request.end_headers()


def slow(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Send the body in eight parts with pauses."""
    start(request, status, headers)
    size = len(body) // 8 + 1
    for offset in range(0, len(body), size):
        request.wfile.write(body[offset : offset + size])
        time.sleep(0.01)


def reset(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Reset the connection in the middle of the body."""
    truncated(request, status, headers, body)
    request.wfile.flush()
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()


def refused(request: BaseHTTPRequestHandler, _status: int, _headers: dict[str, str], _body: bytes) -> None:
    """Reset the connection before any answer."""
    request.close_connection = True
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()


def truncated(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """End the connection in the middle of the body, with the length of the whole."""
    request.close_connection = True
    send(request, status, headers, body[: len(body) // 2])


def shortened(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Send half of the body, with the length of the half."""
    half = body[: len(body) // 2]
    send(request, status, {**headers, "Content-Length": str(len(half))}, half)


def without_size(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Send the body in chunks, and no length."""
    del headers["Content-Length"]
    send(request, status, {**headers, "Transfer-Encoding": "chunked"}, b"")
    if request.command != "HEAD":
        request.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))


def ended_chunks(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """End the connection in the middle of a chunk."""
    request.close_connection = True
    del headers["Content-Length"]
    send(request, status, {**headers, "Transfer-Encoding": "chunked"}, b"")
    request.wfile.write(b"%x\r\n%b" % (len(body), body[: len(body) // 2]))


def error(status: int, code: str) -> Answer:
    """Return a fault that answers with an error of S3."""
    text = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{code} on purpose</Message></Error>'

    def answer(request: BaseHTTPRequestHandler, _status: int, _headers: dict[str, str], _body: bytes) -> None:
        body = b"" if request.command == "HEAD" else text.encode()
        send(request, status, {"Content-Length": str(len(body)), "Content-Type": "application/xml"}, body)

    return answer


# Faults that may pass, and others, by name.
TRANSIENT: dict[str, Answer] = {
    "slow": slow,
    "reset": reset,
    "refused": refused,
    "truncated": truncated,
    "shortened": shortened,
    "internal error": error(500, "InternalError"),
    "unavailable": error(503, "ServiceUnavailable"),
    "slow down": error(503, "SlowDown"),
    "timeout": error(400, "RequestTimeout"),
}
DENIED = error(403, "AccessDenied")
NOT_FOUND = error(404, "NoSuchKey")


@dataclass
class Fault:
    """An answer to the next requests of a method whose target contains a text."""

    answer: Answer
    target: str = ""
    method: str = "GET"
    # How often; -1 for always.
    times: int = 1
    # A header of the request that the server does not get.
    without: str = ""
    # Called before the request is forwarded.
    before: Callable[[], object] = lambda: None


class FaultyProxy(ThreadingHTTPServer):
    """A proxy for one server; `faults` are used up from the first one."""

    daemon_threads = True

    def __init__(self, server_url: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.server_netloc = urlsplit(server_url).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.faults: list[Fault] = []
        # The method, the target and the headers of each request.
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.lock = threading.Lock()

    def fault(self, method: str, target: str) -> Fault | None:
        """Return the fault for a request."""
        with self.lock:
            for fault in self.faults:
                if fault.times and fault.method == method and fault.target in target:
                    fault.times -= 1
                    return fault
        return None

    def __enter__(self) -> FaultyProxy:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Ignore that a client has gone away."""


class Handler(BaseHTTPRequestHandler):
    """Forwards a request, and answers it."""

    protocol_version = "HTTP/1.1"
    server: FaultyProxy

    def forward(self) -> None:
        """Forward a request, and answer it."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in NOT_FORWARDED}
        self.server.requests.append((self.command, self.path, headers))
        fault = self.server.fault(self.command, self.path)
        if fault:
            fault.before()
            headers.pop(fault.without, None)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = HTTPConnection(self.server.server_netloc, timeout=10)
        connection.request(self.command, self.path, body, headers)
        response = connection.getresponse()
        body = response.read()
        answered = {name: value for name, value in response.getheaders() if name.lower() not in NOT_FORWARDED}
        connection.close()
        if self.command != "HEAD":
            answered["Content-Length"] = str(len(body))
        (fault.answer if fault else send)(self, response.status, answered, body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward  # noqa: N815 - the names that http.server looks for

    def log_message(self, *_: object) -> None:
        """Keep no log."""
