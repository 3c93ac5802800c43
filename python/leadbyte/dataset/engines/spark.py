"""Spark: jobs of some tasks each, whose results shuffles merge; Spark repeats what lost workers did."""

from __future__ import annotations

import traceback
import uuid
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark import inheritable_thread_target
from pyspark.sql import SparkSession

from leadbyte.dataset.engines._cluster import FAN_IN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from pyspark import SparkContext

    from leadbyte.dataset._tasks import Task

T = TypeVar("T")

# Two jobs at a time keep all cores busy: while the last tasks of one end, the other has more.
JOBS = 2
TASKS_A_CORE = 4


def run(
    tasks: Iterator[Task],
    scan: Callable[[Task], T],
    merge: Callable[[T, T], T],
    *,
    cluster: SparkSession | str | None = None,
) -> T:
    """Do the tasks in a session, in one of a master such as ``local[2]``, or in the current or default one.

    A session that is made for the tasks ends with them.
    """
    active = SparkSession.getActiveSession()
    if active and isinstance(cluster, str):
        message = f"this process already has a session of Spark, and cannot have one of {cluster!r}"
        raise ValueError(message)
    if isinstance(cluster, SparkSession):
        return run_jobs(cluster.sparkContext, tasks, scan, merge)
    if active:
        return run_jobs(active.sparkContext, tasks, scan, merge)
    builder = SparkSession.builder
    session = (builder.master(cluster) if cluster else builder).getOrCreate()
    try:
        return run_jobs(session.sparkContext, tasks, scan, merge)
    finally:
        session.stop()


def run_jobs(
    context: SparkContext, tasks: Iterator[Task], scan: Callable[[Task], T], merge: Callable[[T, T], T]
) -> T:
    """Return the result of all tasks."""
    group = f"leadbyte-{uuid.uuid4()}"
    size = max(TASKS_A_CORE * context.defaultParallelism, FAN_IN)
    jobs: deque[Future[T | Failure]] = deque()
    merged: list[T] = []

    def settle() -> None:
        result = jobs[0].result()
        jobs.popleft()
        if isinstance(result, Failure):
            raise result.error from RuntimeError(result.traceback)
        merged[:] = [merge(merged[0], result)] if merged else [result]

    with ThreadPoolExecutor(JOBS) as pool:
        try:
            while chunk := list(islice(tasks, size)):
                # A thread has properties of its own, of which the group is one.
                job = inheritable_thread_target(do_job)
                jobs.append(pool.submit(job, context, group, chunk, scan, merge))
                if len(jobs) == JOBS:
                    settle()
            while jobs:
                settle()
        except BaseException:
            # A job that is about to start is not cancelled yet.
            while wait(jobs, timeout=0.1).not_done:
                context.cancelJobGroup(group)
            raise
    return merged[0]


def do_job(
    context: SparkContext,
    group: str,
    tasks: list[Task],
    scan: Callable[[Task], T],
    merge: Callable[[T, T], T],
) -> T | Failure:
    """Scan each task in a partition of its own, and merge neighbouring results until one is left."""
    context.setJobGroup(group, "leadbyte.dataset", interruptOnCancel=True)
    count = len(tasks)
    results = context.parallelize(enumerate(tasks), count).mapValues(partial(attempt, scan))
    while count > 1:
        count = -(-count // FAN_IN)
        results = results.map(parent).reduceByKey(partial(merge_successes, merge), count, int)
    [(_, result)] = results.collect()
    found: T | Failure = result
    return found


@dataclass(frozen=True)
class Failure:
    """An exception, as a value: Spark would do the task again, and raise another type."""

    error: Exception
    traceback: str


def attempt(function: Callable[..., T], *arguments: Any) -> T | Failure:  # noqa: ANN401
    """Call a function on a worker, and return its result or exception."""
    try:
        return function(*arguments)
    except Exception as error:
        return Failure(error, traceback.format_exc())


def merge_successes(merge: Callable[[T, T], T], left: T | Failure, right: T | Failure) -> T | Failure:
    """Merge two results; a failure stays one."""
    for either in (left, right):
        if isinstance(either, Failure):
            return either
    return attempt(merge, left, right)


def parent(numbered: tuple[int, T]) -> tuple[int, T]:
    """Return a result with the number of the one that it is merged into."""
    number, result = numbered
    return number // FAN_IN, result
