"""The default engine: threads of this process. Reading and scanning do not hold the interpreter's lock."""

from __future__ import annotations

import queue
import threading
from functools import reduce
from typing import TYPE_CHECKING, Generic, TypeVar

from leadbyte import _cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leadbyte.dataset._tasks import Task

T = TypeVar("T")

# More threads than cores, as some wait for a store; at most as many as concurrent.futures starts.
WAITING_THREADS = 4
MAX_THREADS = 32
# On Windows, Ctrl-C does not interrupt a wait.
WAIT_SECONDS = 0.5


def run(tasks: Iterator[Task], scan: Callable[[Task], T], merge: Callable[[T, T], T]) -> T:
    """Do the tasks on threads, and return the result of all."""
    pool = Pool(scan, min(_cores.core_count() + WAITING_THREADS, MAX_THREADS))
    try:
        return reduce(merge, pool.results(tasks))
    finally:
        pool.stop()


class Pool(Generic[T]):
    """Threads that call a function with tasks. The interpreter does not wait for them when it ends."""

    def __init__(self, function: Callable[[Task], T], limit: int) -> None:
        self.function = function
        self.limit = limit
        self.threads: list[threading.Thread] = []
        self.tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self.done: queue.SimpleQueue[tuple[T, None] | tuple[None, BaseException]] = queue.SimpleQueue()
        self.stopped = False

    def results(self, tasks: Iterator[Task]) -> Iterator[T]:
        """Yield the results of tasks, in any order; as many tasks wait as there are threads."""
        waiting = 0
        for task in tasks:
            self.tasks.put(task)
            waiting += 1
            if len(self.threads) < min(waiting, self.limit):
                self.start_thread()
            if waiting == 2 * self.limit:
                yield self.next_result()
                waiting -= 1
        for _ in range(waiting):
            yield self.next_result()

    def start_thread(self) -> None:
        """Start one more thread."""
        thread = threading.Thread(target=self.work, name="leadbyte.dataset", daemon=True)
        thread.start()
        self.threads.append(thread)

    def next_result(self) -> T:
        """Return the next result, or raise what its task raised."""
        while True:
            try:
                result, error = self.done.get(timeout=WAIT_SECONDS)
            except queue.Empty:
                continue
            if error is not None:
                raise error
            return result  # type: ignore[return-value]

    def work(self) -> None:
        """Do tasks until the pool is stopped."""
        while not self.stopped:
            try:
                task = self.tasks.get(timeout=WAIT_SECONDS)
            except queue.Empty:
                continue
            try:
                self.done.put((self.function(task), None))
            except BaseException as error:
                self.done.put((None, error))

    def stop(self) -> None:
        """Let each thread end after its current task."""
        self.stopped = True
