"""Scan and merge on a cluster that takes tasks one by one and keeps their results: what Dask and Ray share.

Each 16 neighbouring results are merged by a task on the workers, as soon as they exist, and each 16 of these.
The driver merges the result of these 256 tasks with the result of the others, which takes tens of
microseconds: 0.2 seconds for a million tasks (benches/record/, dataset). If the cluster did, it would have to
keep all tasks until the end: it keeps those that a result comes from, to do them again if the result is lost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from leadbyte.dataset._tasks import Task

T = TypeVar("T")
# A result on the cluster, that may not exist yet.
Handle = TypeVar("Handle")

# Results that a task merges.
FAN_IN = 16
# Merges on the cluster that a result goes through.
LEVELS = 2
# More tasks that are started than twice the cores: a cluster without workers starts some for tasks that wait.
WAITING_TASKS = 16


class Cluster(ABC, Generic[Handle]):
    """A cluster during one scan."""

    @abstractmethod
    def core_count(self) -> int:
        """Return how many tasks the workers can do at once now."""

    @abstractmethod
    def scan(self, task: Task) -> Handle:
        """Start to scan a task."""

    @abstractmethod
    def merge(self, results: list[Handle]) -> Handle:
        """Start to merge some results when they exist."""

    @abstractmethod
    def watch(self, result: Handle) -> None:
        """Have ``completed`` return this result."""

    @abstractmethod
    def completed(self) -> list[Handle]:
        """Wait until there is a watched result; return all that there are. Raises what their tasks raised."""

    @abstractmethod
    def fetch(self, result: Handle) -> Any:  # noqa: ANN401 - results are of any type
        """Return a result that exists."""

    @abstractmethod
    def cancel(self, results: Iterable[Handle]) -> None:
        """Stop the tasks of some results, and of those that they are merged from."""

    def run(self, tasks: Iterator[Task], merge: Callable[[T, T], T]) -> T:
        """Return the result of all tasks."""
        scans: set[Handle] = set()
        # The results of FAN_IN ** LEVELS tasks each.
        roots: set[Handle] = set()
        levels: list[list[Handle]] = [[] for _ in range(LEVELS)]
        merged: list[T] = []

        def settle() -> None:
            for handle in self.completed():
                if handle in roots:
                    roots.remove(handle)
                    result = self.fetch(handle)
                    merged[:] = [merge(merged[0], result)] if merged else [result]
                scans.discard(handle)

        def merge_level(level: int) -> None:
            results = levels[level]
            handle = self.merge(results) if len(results) > 1 else results[0]
            levels[level] = []
            if level + 1 < LEVELS:
                levels[level + 1].append(handle)
            else:
                roots.add(handle)
                self.watch(handle)

        try:
            limit = 1
            for count, task in enumerate(tasks, 1):
                handle = self.scan(task)
                scans.add(handle)
                self.watch(handle)
                levels[0].append(handle)
                for level in range(LEVELS):
                    if len(levels[level]) == FAN_IN:
                        merge_level(level)
                # The number of workers may change.
                if count % FAN_IN == 1:
                    limit = 2 * self.core_count() + WAITING_TASKS
                while len(scans) >= limit:
                    settle()
            for level in range(LEVELS):
                if levels[level]:
                    merge_level(level)
            while roots:
                settle()
        except BaseException:
            self.cancel({*scans, *roots, *(handle for level in levels for handle in level)})
            raise
        return merged[0]
