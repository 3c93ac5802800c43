"""A dataset on a small cluster of Dask: the result of one pass, whatever happens to the workers."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import leadbyte.dataset
import pytest
from clusters import dask_client
from damaged_files import single_pass, write_folder
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clusters import Anything

pytest.importorskip("fsspec")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask leaves sockets open

# Bytes of a piece: odd, so that characters are cut, and more than 16 tasks, so that there are several merges.
BLOCKSIZE = 100_003
SIZES = [3_000_000, 1, 40, 0, 250_000, *range(1_000, 60_000, 2_000), 100_003, 100_002]


@pytest.fixture(scope="module")
def client() -> Iterator[Anything]:
    with dask_client() as client:
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, bytes]]]:
    return write_folder(tmp_path_factory.mktemp("dataset") / "texts", SIZES, bytes_an_error=20_000)


@pytest.mark.parametrize("max_errors", [0, 3, 1000])
def test_dask(client: Anything, files: dict[str, list[tuple[int, bytes]]], max_errors: int) -> None:
    found = leadbyte.dataset.scan(files, engine=client, blocksize=BLOCKSIZE, max_errors=max_errors)
    assert found == single_pass(files, max_errors)
    known = [(path, start, data) for path, errors in files.items() for start, data in errors]
    assert [(error.url, error.start, error.data) for error in found.errors] == known[:max_errors]
    assert found.error_count == len(known)


def test_json_lines(client: Anything, tmp_path: Path) -> None:
    """Records that are longer than the blocks have their errors and fields on any engine."""
    record = b'{"text": "%s", "items": ["\\ud800", "caf\xe9", "\\ud83d\\ude00"]}\n'
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(record % (b"long " * length) for length in (1, 9_000, 0, 2_000, 3)) + b'{"cut')
    on_one, on_dask = (
        leadbyte.dataset.scan(path, engine=engine, blocksize=7_001, format="jsonl")
        for engine in ("threads", client)
    )
    assert on_dask == on_one
    assert [(error.line, error.pointer) for error in on_dask.errors] == [
        *((line, f"/items/{index}") for line in range(1, 6) for index in (0, 1)),
        (6, ""),
    ]


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_local(files: dict[str, list[tuple[int, bytes]]], engine: str) -> None:
    found = leadbyte.dataset.scan(files, engine=engine, blocksize=BLOCKSIZE, max_errors=1000)
    assert found == single_pass(files, 1000)


@pytest.mark.skipif(IS_REDUCED, reason="test_engines.py kills a worker of Dask, too")
def test_killed_worker(client: Anything, files: dict[str, list[tuple[int, bytes]]], tmp_path: Path) -> None:
    def urls() -> Iterator[str]:
        for index, url in enumerate(files):
            if index == 6:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            yield url

    report = tmp_path / "report.jsonl"
    found = leadbyte.dataset.scan(
        urls(), engine="dask", blocksize=BLOCKSIZE, max_errors=1000, report=str(report)
    )
    assert found == single_pass(files, 1000)
    rows = [json.loads(line) for part in report.iterdir() for line in part.read_bytes().splitlines()]
    assert sorted(row["url"] for row in rows) == sorted(files)
    counts = {row["url"]: row["error_count"] for row in rows}
    assert counts == {url: len(errors) for url, errors in files.items()}
