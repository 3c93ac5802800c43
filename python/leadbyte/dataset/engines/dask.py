"""Dask: workers of a ``distributed`` cluster do the tasks; its scheduler repeats tasks of lost workers."""

from __future__ import annotations

import pickle
import zlib
from contextlib import nullcontext
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

from distributed import Client, Future, as_completed, get_client

from leadbyte.dataset.engines._cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from leadbyte.dataset._tasks import Task

T = TypeVar("T")


def run(
    tasks: Iterator[Task],
    scan: Callable[[Task], T],
    merge: Callable[[T, T], T],
    *,
    cluster: Client | str | None = None,
) -> T:
    """Do the tasks on the cluster of a client, of the scheduler at an address, or of the current client."""
    if isinstance(cluster, str):
        # OSError if no scheduler answers.
        opened = Client(cluster, set_as_default=False)
    else:
        opened = nullcontext(cluster or current_client())
    with opened as client:
        return DaskCluster(client, scan, merge).run(tasks, merge)


class DaskCluster(Cluster[Future]):
    """A client during one scan."""

    def __init__(self, client: Client, scan: Callable[[Task], T], merge: Callable[[T, T], T]) -> None:
        self.client = client
        self.functions = scan, merge
        self.watched = as_completed(loop=client.loop)

    def core_count(self) -> int:
        """Return the number of threads of all workers."""
        threads: dict[str, int] = self.client.nthreads()
        return sum(threads.values())

    def scan(self, task: Task) -> Future:
        """Start to scan a task."""
        # The scheduler would unpickle the thousand pieces of a task and pickle them again, and a connection
        # keeps its last 1,000 messages.
        packed = zlib.compress(pickle.dumps(task), level=1)
        return self.client.submit(scan_packed, self.functions[0], packed, pure=False)

    def merge(self, results: list[Future]) -> Future:
        """Start to merge some results when they exist."""
        return self.client.submit(reduce, self.functions[1], results, pure=False)

    def watch(self, result: Future) -> None:
        """Have ``completed`` return this result."""
        self.watched.add(result)

    def completed(self) -> list[Future]:
        """Wait until there is a watched result; return all that there are. Raises what their tasks raised."""
        futures: list[Future] = self.watched.next_batch()
        for future in futures:
            if future.status != "finished":
                future.result()
        return futures

    def fetch(self, result: Future) -> Any:  # noqa: ANN401 - results are of any type
        """Return a result that exists."""
        return result.result()

    def cancel(self, results: Iterable[Future]) -> None:
        """Cancel the tasks that wait; a thread of a worker cannot be stopped, and ends its task."""
        self.client.cancel(list(results))


def scan_packed(scan: Callable[[Task], T], task: bytes) -> T:
    """Scan a task on a worker."""
    return scan(pickle.loads(zlib.decompress(task)))


def current_client() -> Client:
    """Return the current client; raise ValueError if there is none."""
    try:
        return get_client()
    except ValueError:
        message = "there is no client of Dask: make a distributed.Client, or name the scheduler's address"
        raise ValueError(message) from None
