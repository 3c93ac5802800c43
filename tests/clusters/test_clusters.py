"""Gigabytes on each engine, with workers killed: the result of one pass. The session ``clusters`` runs this.

LEADBYTE_SCALE, 1 unless it is set, multiplies the sizes of files.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte.dataset
import psutil
import pytest
from clusters import CLUSTERS
from damaged_files import single_pass, write_folder
from measure_memory import measured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusters import Anything
    from leadbyte.dataset import DatasetScan

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages of engines

FOLDER = Path(__file__).parents[2] / "target/clusters"
SCALE = float(os.environ.get("LEADBYTE_SCALE", "1"))
# Bytes of a piece. The number is odd, so characters are cut, and files of 5 GB in 400 have one or two pieces.
BLOCKSIZE = int(16_000_001 * SCALE)
MANY = [int(size * SCALE) for size in random.Random(0).choices(range(100_000, 24_900_000), k=400)]
LARGE = [int(2_000_000_000 * SCALE)]
BYTES_AN_ERROR = int(10_000_000 * SCALE)
MAX_ERRORS = 10_000


@pytest.fixture(scope="session")
def files() -> Iterator[list[str]]:
    """Return the paths of 400 files and of a large one."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    written = {
        **write_folder(FOLDER / "many", MANY, BYTES_AN_ERROR),
        **write_folder(FOLDER / "large", [0, *LARGE], BYTES_AN_ERROR, seed=1000),
    }
    yield list(written)
    shutil.rmtree(FOLDER)


@pytest.fixture(scope="session")
def expected(files: list[str]) -> DatasetScan:
    found = single_pass(files, MAX_ERRORS)
    assert 500 < len(found.errors) == found.error_count
    return found


def scan(urls: Anything, engine: str) -> DatasetScan:
    return leadbyte.dataset.scan(urls, engine=engine, blocksize=BLOCKSIZE, max_errors=MAX_ERRORS)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_this_machine(engine: str, files: list[str], expected: DatasetScan) -> None:
    assert scan(files, engine) == expected


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_cluster(name: str, files: list[str], expected: DatasetScan) -> None:
    with CLUSTERS[name]():
        assert scan(files, name) == expected


def busy_processes(words: str) -> Iterator[psutil.Process]:
    """Yield the processes below this one whose command line has some words."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if words in " ".join(process.cmdline()):
                yield process


# What the command line of a worker has.
WORKERS = {"dask": "spawn_main", "ray": "ray::"}


@pytest.mark.parametrize("name", sorted(WORKERS))
def test_killed_worker(name: str, files: list[str], expected: DatasetScan) -> None:
    killed: list[int] = []

    def urls() -> Iterator[str]:
        for index, url in enumerate(files):
            if index == len(files) // 2:
                worker = max(busy_processes(WORKERS[name]), key=lambda process: process.cpu_times().user)
                killed.append(worker.pid)
                worker.send_signal(signal.SIGKILL)
            yield url

    with CLUSTERS[name]():
        assert scan(urls(), name) == expected
    assert killed


# Files, and names that are listed but not read.
@pytest.mark.parametrize("name", ["threads", "processes", *sorted(CLUSTERS)])
@pytest.mark.parametrize(
    ("what", "few", "many"), [("files", 1_000, 10_000), ("names", 50_000, 1_000_000)], ids=["files", "names"]
)
def test_memory(name: str, what: str, few: int, many: int) -> None:
    peaks = [measured(name, what, count) for count in (few, many)]
    print(f"{name}, {few} and {many} {what}: peak memory in bytes {peaks}")
    for process in ("driver", "worker"):
        assert peaks[1][process] < 1.1 * peaks[0][process] + 30_000_000
