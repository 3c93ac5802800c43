"""Signals that come while a call is at work."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

with_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")


class Interrupted(Exception):
    """An exception of no other meaning."""


def interrupt(*_: object) -> None:
    """Raise Interrupted, as a handler."""
    raise Interrupted


@contextlib.contextmanager
def signal_after(seconds: float, handler: Callable[..., object] = interrupt) -> Iterator[None]:
    """Call a handler that many seconds from now."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
