"""Scans of datasets in memory and on disk, compared with a pass over each file."""

from __future__ import annotations

import functools
import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import naive_dataset
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leadbyte import _cores, dataset
from leadbyte.dataset._scan import run
from leadbyte.dataset.engines import threads
from strategies import data

fsspec = pytest.importorskip("fsspec")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leadbyte.dataset._partial import Partial
    from leadbyte.dataset._tasks import Task
    from strategies import Anything

TEXTS = st.lists(data().map(lambda text: text[:40]), min_size=1, max_size=5)
EXAMPLES = settings(max_examples=30)


@pytest.fixture
def memory() -> Iterator[Any]:
    """Return the filesystem in memory, empty."""
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    yield filesystem
    filesystem.store.clear()


def fold(
    tasks: Iterator[Task], scan: Callable[[Task], Partial], merge: Callable[[Partial, Partial], Partial]
) -> Partial:
    """Do the tasks one after another: the engine of the documentation."""
    return functools.reduce(merge, map(scan, tasks))


@EXAMPLES
@given(
    texts=TEXTS,
    blocksize=st.integers(1, 60),
    max_errors=st.sampled_from([0, 1, 3, 1000]),
    engine=st.sampled_from(["threads", fold]),
)
def test_equals_one_pass(texts: list[bytes], blocksize: int, max_errors: int, engine: Anything) -> None:
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    files = {f"memory://texts/{index}.txt": text for index, text in enumerate(texts)}
    filesystem.pipe(files)
    found = dataset.scan("memory://texts", engine=engine, blocksize=blocksize, max_errors=max_errors)
    assert found == naive_dataset.scan(files, max_errors)


def test_files_on_disk(tmp_path: Path) -> None:
    files = {}
    for name, text in {
        "a.txt": "я\n".encode(),
        "b/c.txt": b"\xef\xbb\xbfabc\n\xff",
        "b/d": b"",
        "e.bin": bytes(range(256)) * 64,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        files[path.as_posix()] = text
    for blocksize in (1237, "1 MB"):
        assert dataset.scan(tmp_path, blocksize=blocksize) == naive_dataset.scan(files, 100)
    assert dataset.scan([tmp_path / "b", tmp_path / "a.txt"]).file_count == 3


def test_many_small_files(tmp_path: Path) -> None:
    for directory in range(10):
        (tmp_path / str(directory)).mkdir()
        for index in range(200):
            text = b"caf\xc3\xa9\n" if index else b"caf\xe9\n"
            (tmp_path / str(directory) / f"{index}.txt").write_bytes(text)
    taken: list[Task] = []
    found = run(
        tmp_path, engine="threads", blocksize="64 MiB", max_errors=3, report=None, columns=None,
        progress=taken.append,
    )  # fmt: skip
    assert (found.file_count, found.invalid_count, found.error_count) == (2000, 10, 10)
    assert [error.url.rpartition("/")[2] for error in found.errors] == ["0.txt"] * 3
    assert [len(task.pieces) for task in taken] == [1000, 1000]
    assert sum(task.byte_count for task in taken) == found.byte_count == 10 * 200 * 6 - 10


def changed(path: Path) -> None:
    """Write another text of the same size, at another time."""
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, (1, 1))


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "changed": (changed, "changed while it was read"),
    "longer": (lambda path: path.write_bytes(path.read_bytes() * 2), "changed while it was read"),
    "deleted": (lambda path: path.unlink(), "No such file or directory"),
}


@pytest.mark.parametrize("report", [None, "report.jsonl"])
def test_small_files_equal_one_pass(tmp_path: Path, report: str | None) -> None:
    texts = [
        b"abc\n",
        b"",
        b"\xef\xbb\xbfa",
        b"caf\xc3",
        b"\xa9",
        "😀 я\n".encode(),
        b"\0\xff\xfe",
        b"PAR1",
        b"x" * 9,
    ]
    directory = tmp_path / "texts"
    directory.mkdir()
    files = {}
    for index, text in enumerate(texts * 3):
        path = directory / f"{index:02}.txt"
        path.write_bytes(text)
        files[str(path)] = text
    changed_urls = [str(directory / f"{index:02}.txt") for index in (0, 5, 8)]
    failures = dict(zip(changed_urls, (message for _, message in CHANGES.values()), strict=True))

    def change_first(tasks: Iterator[Task], scan: Anything, merge: Anything) -> Partial:
        taken = list(tasks)
        for url, (change, _) in zip(failures, CHANGES.values(), strict=True):
            change(directory / url)
        return fold(iter(taken), scan, merge)

    where = report and str(tmp_path / report)
    for max_errors in (100, 3) if report is None else (100,):
        for url, text in files.items():
            (directory / url).write_bytes(text)
        found = dataset.scan(directory, engine=change_first, max_errors=max_errors, report=where)
        assert found == naive_dataset.scan(files, max_errors, failures)
    if where:
        rows = [json.loads(line) for part in Path(where).iterdir() for line in part.read_bytes().splitlines()]
        assert len(rows) == len(files)
        assert {row["url"]: row["failed"] for row in rows if row["failed"]} == failures


def test_no_files() -> None:
    found = dataset.scan([])
    assert found == naive_dataset.scan({}, 0)
    assert found.valid
    assert dataset.check([])


def test_failures(memory: Anything) -> None:
    memory.pipe({"/a.txt": b"abc", "/b.txt": b"\xff"})
    found = dataset.scan(["memory://none.txt", "memory://a.txt", "memory://none/*.txt", "memory://b.txt"])
    assert [failure.url for failure in found.failures] == ["memory://none.txt", "memory://none/*.txt"]
    assert (found.file_count, found.failed_count, found.invalid_count, found.char_count) == (4, 2, 1, 4)
    assert not found.valid
    assert not dataset.check(["memory://none.txt", "memory://b.txt"])
    with pytest.raises(OSError, match=r"memory://none\.txt could not be read: .*, and 1 more"):
        dataset.check(["memory://none.txt", "memory://a.txt", "memory://none/*.txt"])


@pytest.mark.parametrize("url", ["memory://none.txt", "memory://none/*.txt", "memory://none/"])
def test_one_url_without_files(memory: Anything, url: str) -> None:
    memory.pipe("/a.txt", b"")
    with pytest.raises(FileNotFoundError):
        dataset.scan(url)


def test_file_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc")

    def change(tasks: Iterator[Task], scan: Anything, merge: Anything) -> Partial:
        taken = list(tasks)
        path.write_bytes(b"abcdef")
        return fold(iter(taken), scan, merge)

    found = dataset.scan(path, engine=change)
    assert [failure.message for failure in found.failures] == ["changed while it was read"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blocksize": 0}, "blocksize must be a positive number"),
        ({"blocksize": "64 parsecs"}, "blocksize must be a positive number"),
        ({"blocksize": "MiB"}, "blocksize must be a positive number"),
        ({"max_errors": -1}, "max_errors must be 0 or more, not -1"),
        ({"engine": "abacus"}, "engine must be one of"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataset.scan([], **options)


def test_all_errors_are_kept(memory: Anything) -> None:
    memory.pipe_file("/errors/a.txt", b"\xff" * 200)
    assert len(dataset.scan("memory://errors", max_errors=10**30).errors) == 200


def test_lost_results_are_noticed(memory: Anything) -> None:
    memory.pipe("/a.txt", b"abcdef")

    def careless(tasks: Iterator[Task], scan: Anything, _merge: Anything) -> Anything:
        first, *_ = map(scan, tasks)
        return first

    with pytest.raises(RuntimeError, match="no results of tasks 1 to 2 of 3"):
        dataset.scan("memory://a.txt", blocksize=2, engine=careless)


def test_results_are_values(memory: Anything) -> None:
    memory.pipe("/a.txt", b"caf\xe9")
    found = dataset.scan("memory://a.txt")
    assert pickle.loads(pickle.dumps(found)) == found
    assert hash(found) == hash(dataset.scan("memory://a.txt"))
    assert "char_count=4" in repr(found)
    assert found.as_dict()["errors"][0]["data"] == "e9"
    with pytest.raises(AttributeError):
        found.char_count = 5  # type: ignore[misc]


# Threads


def task_numbers(count: int) -> Iterator[Any]:
    yield from range(count)


def test_threads_take_tasks_as_they_are_needed() -> None:
    taken = 0
    ahead = []
    limit = _cores.core_count() + threads.WAITING_THREADS

    def tasks() -> Iterator[Any]:
        nonlocal taken
        for number in range(10 * limit):
            taken += 1
            yield {number}

    done: set[int] = set()

    def merge(left: set[int], right: set[int]) -> set[int]:
        ahead.append(taken - len(left))
        return left | right

    done = threads.run(tasks(), lambda task: task, merge)  # type: ignore[arg-type, return-value]
    assert done == set(range(10 * limit))
    assert max(ahead) <= 2 * limit


def test_threads_raise_what_a_task_raises() -> None:
    started = threading.active_count()

    def fail(task: Anything) -> Anything:
        if task == 20:
            message = "the report is full"
            raise OSError(message)
        return task

    with pytest.raises(OSError, match="the report is full"):
        threads.run(task_numbers(1000), fail, max)
    for thread in threading.enumerate():
        if thread.name == "leadbyte.dataset":
            thread.join(5)
    assert threading.active_count() <= started


# Imports

NO_FSSPEC = """
import sys
sys.modules["fsspec"] = None
import leadbyte
leadbyte.dataset.check([])
for call in (leadbyte.dataset.scan, lambda url: leadbyte.dataset.repair(url, "new")):
    try:
        call("a.txt")
    except ImportError as error:
        print(error)
"""


def test_without_fsspec() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.check_output([sys.executable, "-c", NO_FSSPEC], text=True, env=environment)
    assert len(printed.splitlines()) == 2
    assert all(line.endswith('pip install "leadbyte[dataset]"') for line in printed.splitlines())
