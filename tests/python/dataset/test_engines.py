"""What each engine promises, with stand-ins for the scan of a task and the merge of results."""

from __future__ import annotations

import functools
import os
import re
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
import stand_ins
from clusters import CLUSTERS
from leadbyte.dataset import engines
from reduced import IS_REDUCED
from stand_ins import Listing, Refused, Scan, merge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TypeAlias

    from clusters import Anything
    from leadbyte.dataset._tasks import Task

    Engine: TypeAlias = Anything

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages of engines


@pytest.fixture(scope="module", params=sorted(CLUSTERS))
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with CLUSTERS[request.param]():
        yield engines.find(request.param)


def times_scanned(folder: Path) -> dict[int, int]:
    """Return how often each task was started."""
    return {int(file.name): file.stat().st_size for file in folder.glob("[0-9]*")}


@pytest.mark.parametrize("count", [1, 2, 40])
def test_result_of_all_tasks(engine: Engine, tmp_path: Path, count: int) -> None:
    result = engine(iter(Listing(count, tmp_path)), Scan(str(tmp_path)), merge)
    assert result.tasks == frozenset(range(count))
    assert sum(result.merges.values()) == count - 1
    assert times_scanned(tmp_path) == dict.fromkeys(range(count), 1)


def test_merges_on_workers(engine: Engine, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # With two cores Spark has jobs of 16 tasks, 50 ms for each. The others merge 256 results on the workers.
    count, fetched = (40, 3) if "spark" in request.node.name else (513, 3)
    before = stand_ins.received
    result = engine(iter(Listing(count, tmp_path)), Scan(str(tmp_path)), merge)
    assert result.tasks == frozenset(range(count))
    assert stand_ins.received - before == fetched
    assert result.merges[os.getpid()] == fetched - 1


def test_tasks_are_taken_as_they_are_needed(engine: Engine, tmp_path: Path) -> None:
    listing = Listing(100, tmp_path)
    engine(iter(listing), Scan(str(tmp_path), seconds=0.01), merge)
    assert listing.taken == 100
    assert listing.ahead <= 32


def test_slow_task_stops_no_other(engine: Engine, tmp_path: Path) -> None:
    result = engine(iter(Listing(40, tmp_path)), Scan(str(tmp_path), {3: "wait for 20"}), merge)
    assert result.tasks == frozenset(range(40))


def test_exception_of_a_task(engine: Engine, tmp_path: Path) -> None:
    listing = Listing(1000, tmp_path)
    with pytest.raises(Refused, match=r"^21$") as raised:
        engine(iter(listing), Scan(str(tmp_path), {21: "fail"}), merge)
    assert type(raised.value) is Refused
    assert listing.taken < 500
    assert times_scanned(tmp_path)[21] == 1


def test_exception_of_the_listing(engine: Engine, tmp_path: Path) -> None:
    def tasks() -> Iterator[Task]:
        yield from Listing(18, tmp_path)
        raise Refused

    with pytest.raises(Refused):
        engine(tasks(), Scan(str(tmp_path), seconds=0.2), merge)
    assert_nothing_starts(tmp_path)


def test_killed_worker(engine: Engine, tmp_path: Path) -> None:
    # The worker that takes the place of another imports for seconds.
    kills = {7: "kill"} if IS_REDUCED else {7: "kill", 33: "kill"}
    result = engine(iter(Listing(40, tmp_path)), Scan(str(tmp_path), kills), merge)
    assert result.tasks == frozenset(range(40))
    assert times_scanned(tmp_path)[7] > 1


def test_interrupt(engine: Engine, tmp_path: Path) -> None:
    # Shells let commands in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        while len(times_scanned(tmp_path)) < 4:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    listing = Listing(1000, tmp_path)
    watcher = threading.Thread(target=interrupt)
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        engine(iter(listing), Scan(str(tmp_path), seconds=0.2), merge)
    watcher.join()
    assert listing.taken < 100
    assert_nothing_starts(tmp_path)
    # The cluster does other work afterwards.
    (tmp_path / "later").mkdir()
    assert engine(iter(Listing(2, tmp_path)), Scan(str(tmp_path / "later")), merge).tasks == {0, 1}


def assert_nothing_starts(folder: Path) -> None:
    """Assert that no more tasks start, other than those that were sent to both workers already."""
    before = len(times_scanned(folder))
    time.sleep(1)
    assert len(times_scanned(folder)) <= before + 2


@pytest.mark.parametrize("cluster", sorted(CLUSTERS))
def test_engine_without_its_package(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = {"dask": "distributed", "spark": "pyspark"}.get(cluster, cluster)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"{engines.__name__}.{cluster}", raising=False)
    message = f'the engine {cluster!r} requires {package}: pip install "leadbyte[{cluster}]"'
    with pytest.raises(ImportError, match=re.escape(message)):
        engines.find(cluster)


@pytest.mark.parametrize("name", ["", "Dask", "threads:4", "slurm"])
def test_unknown_engine(name: str) -> None:
    with pytest.raises(ValueError, match=f"engine must be one of .*, not {name!r}"):
        engines.find(name)


def test_what_is_no_engine() -> None:
    with pytest.raises(TypeError, match="not 2"):
        engines.find(2)


def test_callable_is_an_engine() -> None:
    def engine(tasks: Iterator[Task], scan: Anything, merge: Anything) -> Anything:
        return functools.reduce(merge, map(scan, tasks))

    assert engines.find(engine) is engine
