"""Stand-ins for the scan of a task and the merge of results in the tests of engines; workers import them."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from leadbyte.dataset._tasks import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

# The number of results that were sent to this process.
received = 0


@dataclass
class Found:
    """The tasks that were scanned, and how many of the merges each process did."""

    tasks: frozenset[int]
    merges: Counter[int] = field(default_factory=Counter)

    def __setstate__(self, state: dict[str, object]) -> None:
        global received  # noqa: PLW0603
        received += 1
        self.__dict__.update(state)


@dataclass(frozen=True)
class Scan:
    """The scan of a task, which does first what ``deeds`` has for it."""

    folder: str
    # "fail", "kill" for the worker, the first time, or "wait for N", until the task N was started.
    deeds: dict[int, str] = field(default_factory=dict)
    seconds: float = 0

    def __call__(self, task: Task) -> Found:
        times = Path(self.folder, str(task.index))
        with times.open("a") as file:
            file.write("x")
        time.sleep(self.seconds)
        deed = self.deeds.get(task.index, "")
        if deed == "fail":
            raise Refused(task.index)
        if deed == "kill" and times.stat().st_size == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        while deed.startswith("wait") and not Path(self.folder, deed.split()[-1]).exists():
            time.sleep(0.01)
        return Found(frozenset([task.index]))


class Refused(ValueError):
    """An exception of a task that no library knows."""


def merge(left: Found, right: Found) -> Found:
    """Merge as results do: in any order, and items in both once."""
    return Found(left.tasks | right.tasks, left.merges + right.merges + Counter([os.getpid()]))


class Listing:
    """Tasks that are counted as they are taken."""

    def __init__(self, count: int, folder: Path) -> None:
        self.count = count
        self.folder = folder
        self.taken = 0
        # The most tasks that were taken before they were started.
        self.ahead = 0

    def __iter__(self) -> Iterator[Task]:
        for index in range(self.count):
            self.taken += 1
            self.ahead = max(self.ahead, self.taken - len(os.listdir(self.folder)))
            yield Task(index, ())
