"""Threads that use the same objects at once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable

# How long each test lasts, in seconds.
DURATION = 0.05 if IS_REDUCED else 1.0


def run_together(*works: Callable[[], object], number: int = 1, duration: float = DURATION) -> list[int]:
    """Call each work again and again, each on threads of its own, which start at once.

    Return how often each thread called its work, of the first work first. What one raises is raised here.
    """
    every = [work for work in works for _ in range(number)]
    barrier = threading.Barrier(len(every))
    failed = threading.Event()

    def call(work: Callable[[], object]) -> int:
        calls = 0
        barrier.wait(30)
        deadline = time.monotonic() + duration
        try:
            while not calls or (time.monotonic() < deadline and not failed.is_set()):
                work()
                calls += 1
        except BaseException:
            failed.set()
            raise
        return calls

    with ThreadPoolExecutor(len(every)) as pool:
        return [future.result(60) for future in [pool.submit(call, work) for work in every]]


def is_well_formed(text: str) -> bool:
    """Return whether a str is stored as CPython stores the same text: otherwise they compare unequal."""
    same = "".join([chr(ord(char)) for char in text])
    return text == same and hash(text) == hash(same) and len(text) == len(same)
