"""Requests to a store that are not answered: they are logged while they are waited for."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from leadbyte.dataset._secrets import redacted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

# By default, Python prints warnings of a logger on standard error.
LOGGER = logging.getLogger("leadbyte.dataset")
# After so long a request is reported, and then again after so long; how often requests are looked at.
FIRST_SECONDS, NEXT_SECONDS = 3.0, 30.0
POLL_SECONDS = 0.5


class Subject(threading.local):
    """What the current thread works on: a URL, and a request."""

    url = "the store"
    request: Request | None = None


@dataclass(slots=True)
class Request:
    """A request: when it started, the URL that it is about, and the error of the last attempt."""

    started: float
    url: str
    error: str = ""


class Watch:
    """The requests that wait for an answer, on all threads, and a thread that looks at them."""

    def __init__(self) -> None:
        self.requests: dict[int, Request] = {}
        self.due = 0.0
        self.thread: threading.Thread | None = None
        self.subject = Subject()

    @contextmanager
    def request(self) -> Iterator[Request]:
        """Report if the work meanwhile takes long; within another request it is a part of that."""
        if self.subject.request is not None:
            yield self.subject.request
            return
        request = self.subject.request = Request(time.monotonic(), self.subject.url)
        self.requests[id(request)] = request
        # In a forked process the thread is not alive. No lock is used, which a fork may leave locked: two
        # threads do no harm.
        if self.thread is None or not self.thread.is_alive():
            self.thread = threading.Thread(target=self.run, name="leadbyte.dataset.waiting", daemon=True)
            self.thread.start()
        try:
            yield request
        finally:
            del self.requests[id(request)]
            self.subject.request = None

    def run(self) -> None:
        """Look at the requests until there are none for some time."""
        idle = 0.0
        while idle < FIRST_SECONDS or not self.ended():
            time.sleep(POLL_SECONDS)
            idle = 0 if self.requests else idle + POLL_SECONDS
            self.look()

    def ended(self) -> bool:
        """Let the next request start another thread; return whether none has come meanwhile."""
        self.thread = None
        return not self.requests

    def look(self) -> None:
        """Report the oldest request if it has waited for long."""
        now = time.monotonic()
        # Other threads change the requests.
        oldest = min(self.requests.copy().values(), key=attrgetter("started"), default=None)
        if oldest and now - oldest.started >= FIRST_SECONDS and now >= self.due:
            self.due = now + NEXT_SECONDS
            error = f": {oldest.error}; trying again" if oldest.error else ""
            url, seconds = shown(oldest.url), now - oldest.started
            LOGGER.warning("still waiting for %s after %.0f s%s", url, seconds, redacted(error))


WATCH = Watch()


@contextmanager
def about(url: str) -> Iterator[None]:
    """Let the requests of the current thread be about a URL."""
    before = WATCH.subject.url
    WATCH.subject.url = url
    try:
        yield
    finally:
        WATCH.subject.url = before
