"""Stores that do not answer: they are reported while they are waited for."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

fsspec = pytest.importorskip("fsspec")

from leadbyte import dataset  # noqa: E402
from leadbyte.dataset import _retries, _waiting  # noqa: E402

if TYPE_CHECKING:
    from strategies import Anything

# The most that a user waits without a word.
MAX_SECONDS = 5.0


def test_web_server_that_does_not_answer() -> None:
    pytest.importorskip("aiohttp")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://user:secret@127.0.0.1:{server.getsockname()[1]}/a.txt"
        command = [sys.executable, "-m", "leadbyte", "check", url]
        started = time.monotonic()
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stderr
                line = process.stderr.readline()
                # The interpreter and its imports take a part of it.
                assert time.monotonic() - started < 2 * MAX_SECONDS
            finally:
                process.kill()
    assert line == f"leadbyte: still waiting for {url.replace('secret', '***')} after 3 s\n"
    assert _waiting.FIRST_SECONDS + _waiting.POLL_SECONDS < MAX_SECONDS


def test_requests_are_reported_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_waiting, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(_waiting, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(_waiting.WATCH, "due", 0.0)
    monkeypatch.setattr(_waiting.WATCH, "thread", None)
    monkeypatch.setattr(_waiting.LOGGER, "propagate", True)
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    filesystem.pipe({"/texts/a.txt": b"abc", "/texts/b.txt": b"abc"})
    listed = type(filesystem).ls

    def slow(*arguments: Anything, **choices: Anything) -> Anything:
        time.sleep(0.4)
        return listed(*arguments, **choices)

    monkeypatch.setattr(type(filesystem), "ls", slow)
    assert dataset.scan("memory://texts").valid
    assert caplog.messages == ["still waiting for memory://texts after 0 s"]
    assert not _waiting.WATCH.requests
    # The thread ends when nothing is waited for.
    for thread in threading.enumerate():
        if thread.name == "leadbyte.dataset.waiting":
            thread.join(10)
            assert not thread.is_alive()


def test_request_after_one_about_a_url() -> None:
    with _waiting.about("s3://bucket/a.txt"):
        pass
    with _waiting.WATCH.request():
        assert [request.url for request in _waiting.WATCH.requests.values()] == ["the store"]


def test_error_of_the_last_attempt_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_waiting, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(_waiting.WATCH, "due", 0.0)
    monkeypatch.setattr(_waiting.WATCH, "thread", threading.current_thread())
    monkeypatch.setattr(_waiting.LOGGER, "propagate", True)
    monkeypatch.setattr(_retries, "FIRST_WAIT", 0.0)
    attempts: list[int] = []

    def answer() -> str:
        if attempts:
            _waiting.WATCH.look()
            return "text"
        attempts.append(1)
        raise ConnectionResetError(104, "Connection reset by peer")

    with _waiting.about("s3://bucket/a.txt"):
        assert _retries.retried(answer) == "text"
    message = "still waiting for s3://bucket/a.txt after 0 s: Connection reset by peer; trying again"
    assert caplog.messages == [message]
