"""Ray: remote functions do the tasks, and Ray repeats the tasks of lost workers."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import ray
from ray.exceptions import RayTaskError

from leadbyte.dataset.engines._cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from ray import ObjectRef

    from leadbyte.dataset._tasks import Task

    # None once the task is done, and its result.
    Refs: TypeAlias = tuple[ObjectRef[None], ObjectRef[Any]]

T = TypeVar("T")

# For tasks that are cancelled to end. The worker that cancels them may have to be started first.
CANCEL_SECONDS = 10


def run(
    tasks: Iterator[Task],
    scan: Callable[[Task], T],
    merge: Callable[[T, T], T],
    *,
    cluster: str | None = None,
) -> T:
    """Do the tasks on the cluster at an address, or that this process is or would be connected to.

    A connection that is made for the tasks ends with them.
    """
    if ray.is_initialized():
        if cluster:
            message = f"this process is already connected to Ray, and cannot connect to {cluster!r}"
            raise ValueError(message)
        return RayCluster(scan, merge).run(tasks, merge)
    ray.init(cluster, log_to_driver=False)
    try:
        return RayCluster(scan, merge).run(tasks, merge)
    finally:
        ray.shutdown()


class RayCluster(Cluster["Refs"]):
    """The cluster of Ray during one scan."""

    def __init__(self, scan: Callable[[Task], T], merge: Callable[[T, T], T]) -> None:
        self.functions = scan, merge
        # Two values, so that the driver learns the outcome of a task without its result.
        self.start = ray.remote(num_returns=2)(do).remote
        self.watched: dict[ObjectRef[None], Refs] = {}

    def core_count(self) -> int:
        """Return the number of CPUs."""
        return int(ray.cluster_resources().get("CPU", 0))

    def scan(self, task: Task) -> Refs:
        """Start to scan a task."""
        return tuple(self.start(self.functions[0], task))

    def merge(self, results: list[Refs]) -> Refs:
        """Start to merge some results when they exist."""
        return tuple(self.start(merge_all, self.functions[1], *(result for _, result in results)))

    def watch(self, result: Refs) -> None:
        """Have ``completed`` return this result."""
        self.watched[result[0]] = result

    def completed(self) -> list[Refs]:
        """Wait until there is a watched result; return all that there are. Raises what their tasks raised."""
        outcomes = list(self.watched)
        ray.wait(outcomes)
        existing, _ = ray.wait(outcomes, num_returns=len(outcomes), timeout=0)
        get(existing)
        return [self.watched.pop(outcome) for outcome in existing]

    def fetch(self, result: Refs) -> Any:  # noqa: ANN401 - results are of any type
        """Return a result that exists."""
        return get(result[1])

    def cancel(self, results: Iterable[Refs]) -> None:
        """Cancel the tasks that wait, raise KeyboardInterrupt in those that run, and wait for their end.

        A worker asks this process to cancel them, which it then does between other events. If ``ray.cancel``
        is called here, it competes with the thread that receives results, and Ray may abort the process:
        "Tried to complete task that was not pending" (seen in Ray 2.60).
        """
        outcomes = [outcome for outcome, _ in results]
        cancelled = ray.remote(num_cpus=0)(cancel_all).remote(outcomes)
        # The worker only sends requests: on a busy machine, tasks start before this process acts on them.
        ray.wait([cancelled, *outcomes], num_returns=1 + len(outcomes), timeout=CANCEL_SECONDS)


def do(function: Callable[..., T], *arguments: Any) -> tuple[None, T]:  # noqa: ANN401
    """Call a function on a worker."""
    return None, function(*arguments)


def merge_all(merge: Callable[[T, T], T], *results: T) -> T:
    """Merge some results on a worker."""
    return reduce(merge, results)


def cancel_all(references: list[ObjectRef[None]]) -> None:
    """Have the driver cancel its tasks."""
    for reference in references:
        ray.cancel(reference)


def get(references: Any) -> Any:  # noqa: ANN401 - a reference or a list of them
    """Return values; raise an exception of a task as it was, without the type that Ray derives from it."""
    try:
        return ray.get(references)
    except RayTaskError as error:
        raise error.cause from error
