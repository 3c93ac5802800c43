"""An engine of processes on this machine, for work that holds the interpreter's lock, such as decompression.

Each process has a pipe. One that was killed is replaced, and its task is done again. Processes import the
main module of the program, so what starts a scan there must be below ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from functools import reduce
from multiprocessing import connection, resource_tracker
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from leadbyte import _cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from leadbyte.dataset._tasks import Task

T = TypeVar("T")

# How often the process of a task may be lost, and the number of files that the message names then.
MAX_LOSSES = 3
NAMED_FILES = 3


def run(tasks: Iterator[Task], scan: Callable[[Task], T], merge: Callable[[T, T], T]) -> T:
    """Do the tasks in processes, and return the result of all."""
    pool = Pool(scan, _cores.core_count())
    try:
        return reduce(merge, pool.results(tasks))
    finally:
        pool.stop()


class Worker:
    """A process at the other end of a pipe."""

    def __init__(self, function: Callable[[Task], object]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, function), daemon=True)
        with interrupts_blocked():
            self.process.start()
        theirs.close()

    def stop(self) -> int | None:
        """End the process at once; return its exit code."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        return self.process.exitcode


class Pool(Generic[T]):
    """Processes that call a function with tasks."""

    def __init__(self, function: Callable[[Task], T], limit: int) -> None:
        self.function = function
        self.limit = limit
        self.idle: list[Worker] = []
        self.busy: dict[object, tuple[Worker, Task]] = {}
        # Tasks to be done again, and how often each lost its process.
        self.again: list[Task] = []
        self.losses: dict[int, int] = {}

    def results(self, tasks: Iterator[Task]) -> Iterator[T]:
        """Yield the results of tasks, in any order."""
        while True:
            while len(self.busy) < self.limit:
                task = self.again.pop() if self.again else next(tasks, None)
                if task is None:
                    break
                self.start(task)
            if not self.busy:
                return
            for pipe in connection.wait([worker.pipe for worker, _ in self.busy.values()]):
                yield from self.receive(*self.busy.pop(pipe))

    def start(self, task: Task) -> None:
        """Start a task."""
        worker = self.idle.pop() if self.idle else Worker(self.function)
        self.busy[worker.pipe] = worker, task
        # That the process was lost is noticed when its result is received.
        with contextlib.suppress(OSError):
            worker.pipe.send(task)

    def receive(self, worker: Worker, task: Task) -> Iterator[T]:
        """Yield the result of a task, or have it done again if its process was lost; raise what it raised."""
        try:
            result, error = worker.pipe.recv()
        except (EOFError, OSError):
            self.repeat(task, worker.stop())
            return
        self.idle.append(worker)
        if error is not None:
            raise error
        self.losses.pop(task.index, None)
        yield result

    def repeat(self, task: Task, exit_code: int | None) -> None:
        """Have a task done again; raise RuntimeError if that was tried too often."""
        self.losses[task.index] = self.losses.get(task.index, 0) + 1
        if self.losses[task.index] == MAX_LOSSES:
            names = [file.shown for file in dict.fromkeys(piece.file for piece in task.pieces)]
            more = f" and {len(names) - NAMED_FILES} more files" if len(names) > NAMED_FILES else ""
            advice = "if memory was short, take fewer processes, or a smaller blocksize for a scan"
            if exit_code == 1:
                # Python could not import the main module.
                advice = 'call it below if __name__ == "__main__"'
            message = (
                f"{MAX_LOSSES} processes were lost, the last with exit code {exit_code}, while they read"
                f" {', '.join(names[:NAMED_FILES])}{more}; {advice}"
            )
            raise RuntimeError(message)
        self.again.append(task)

    def stop(self) -> None:
        """End all processes."""
        for worker in [*self.idle, *(worker for worker, _ in self.busy.values())]:
            worker.stop()


def work(pipe: Connection, function: Callable[[Task], object]) -> None:
    """Do tasks until the other end of the pipe is closed."""
    # Ctrl-C is for the process that waits for the results; it ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            try:
                message: tuple[Any, BaseException | None] = (function(task), None)
            except Exception as error:
                message = (None, sendable(error))
            pipe.send(message)


def end_with_parent() -> None:
    """End this process when the one that waits for the results has ended, also during a task."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os._exit(1)


def sendable(error: Exception) -> Exception:
    """Return an error that can be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Start processes that Ctrl-C does not interrupt while they import what they need."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It resets the mask when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
