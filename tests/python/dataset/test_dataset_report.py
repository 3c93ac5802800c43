"""Reports: a row per file, each exactly once, with what a scan of that file alone finds."""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from leadbyte import dataset
from leadbyte.dataset import _report

fsspec = pytest.importorskip("fsspec")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from leadbyte.dataset._partial import Partial
    from leadbyte.dataset._tasks import Task
    from strategies import Anything

FILES = {
    "a.txt": b"\xef\xbb\xbfabc",
    "b.txt": b"",
    "c.txt": "я\n".encode() * 50,
    "d.txt": b"caf\xe9\n\xff" * 20,
    "e.txt": b"abc\n" * 3,
    "f.txt": b"\xf0\x9f\x98",
}
COUNTS = ["byte_count", "char_count", "utf16_count", "newline_count", "row_count", "ascii", "max_char_width"]


@pytest.fixture
def urls(tmp_path: Path) -> list[str]:
    """Write the files; return their URLs, one of which is of no file."""
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text)
    return [(tmp_path / name).as_posix() for name in [*FILES, "none.txt"]]


def umask() -> int:
    """Return the permissions that new files do not get."""
    os.umask(mask := os.umask(0))
    return mask


def rows_of(directory: Path) -> list[dict[str, Any]]:
    """Return the rows of a report by URL, as other programs read them."""
    assert not [path for path in directory.iterdir() if path.name.startswith(".")]
    rows: list[dict[str, Any]]
    if directory.suffix == ".jsonl":
        lines = [line for path in directory.iterdir() for line in path.read_bytes().splitlines()]
        rows = [json.loads(line) for line in lines]
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(directory).to_pylist()
    return sorted(rows, key=lambda row: row["url"])


def repeat(
    tasks: Iterator[Task], scan: Callable[[Task], Partial], merge: Callable[[Partial, Partial], Partial]
) -> Partial:
    """Do each task and each merge twice."""

    def twice(left: Partial, right: Partial) -> Partial:
        merge(right, left)
        return merge(left, right)

    return functools.reduce(twice, [scan(task) for task in tasks for _ in range(2)])


@pytest.mark.parametrize("engine", ["threads", repeat])
@pytest.mark.parametrize("blocksize", [1, 7, 100, 1000])
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_rows_are_those_of_each_file(
    urls: list[str], tmp_path: Path, ending: str, blocksize: int, engine: Anything
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    report = tmp_path / f"report.{ending}"
    found = dataset.scan(urls, engine=engine, blocksize=blocksize, report=report, max_errors=0)
    rows = rows_of(report)
    assert [row["url"] for row in rows] == urls
    assert [row["size"] for row in rows] == [*map(len, FILES.values()), None]
    *read, failed = rows
    for row in read:
        alone = dataset.scan(row["url"])
        assert {name: row[name] for name in COUNTS} == {name: getattr(alone, name) for name in COUNTS}
        assert (row["valid"], row["error_count"], row["failed"]) == (alone.valid, alone.error_count, None)
        first = alone.errors[0] if alone.errors else None
        for name, field in {"offset": "start", "line": "line", "column": "column", "kind": "kind"}.items():
            assert row[f"error_{name}"] == (getattr(first, field) if first else None)
        assert row["format"] == "text"
        assert row["version"]
    assert [row["bom"] for row in read] == [True, False, False, False, False, False]
    assert failed["failed"] == found.failures[0].message
    assert failed["valid"] is failed["char_count"] is None
    assert list(failed) == list(_report.COLUMNS)


def test_report_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n{"b": [0, "\\ud800"]}\n')
    dataset.scan(tmp_path / "a.jsonl", report=tmp_path / "report.jsonl", format="jsonl")
    (row,) = rows_of(tmp_path / "report.jsonl")
    assert (row["error_line"], row["error_kind"], row["error_pointer"]) == (2, "lone_surrogate", "/b/1")
    assert row["invalid_record_count"] == row["error_count"] == 1


def test_report_of_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    values = pa.array([b"a", None, b"b\xff"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, values.buffers())
    parquet.write_table(pa.table({"n": [1, 2, 3], "text": text}), tmp_path / "a.parquet")
    dataset.scan(tmp_path / "a.parquet", report=tmp_path / "report.jsonl")
    (row,) = rows_of(tmp_path / "report.jsonl")
    assert (row["row_count"], row["byte_count"], row["valid"]) == (3, 3, False)
    assert (row["error_row"], row["error_column_name"], row["error_offset"]) == (2, "text", 1)
    assert row["error_line"] is row["error_column"] is None


def test_report_in_memory(urls: list[str]) -> None:
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    dataset.scan(urls, blocksize=50, report="memory://report.jsonl")
    lines = b"".join(filesystem.cat(filesystem.ls("/report.jsonl", detail=False)).values()).splitlines()
    assert sorted(json.loads(line)["url"] for line in lines) == urls
    filesystem.store.clear()


def test_report_that_exists(urls: list[str], tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    report.mkdir()
    dataset.scan(urls, report=report)
    for existing in (report, str(report) + "/"):
        with pytest.raises(FileExistsError, match="the report exists already"):
            dataset.scan(urls, report=existing)
    (tmp_path / "file.jsonl").write_bytes(b"")
    with pytest.raises(FileExistsError, match="the report exists already"):
        dataset.scan(urls, report=tmp_path / "file.jsonl")


def test_report_without_a_format(urls: list[str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a directory whose name ends in \.jsonl or \.parquet"):
        dataset.scan(urls, report=tmp_path / "report.csv")
    assert not (tmp_path / "report.csv").exists()


def test_report_that_cannot_be_written(urls: list[str], tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"

    def remove(tasks: Iterator[Task], scan: Anything, merge: Anything) -> Partial:
        report.rmdir()
        return repeat(tasks, scan, merge)

    with pytest.raises(OSError, match=r"cannot write .*report\.jsonl/"):
        dataset.scan(urls, engine=remove, report=report)


def test_report_in_a_directory_that_is_scanned(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text)
    (tmp_path / "z").mkdir()
    report = tmp_path / "z/report.jsonl"
    # Each file is a task, whose row is there when the next directory is listed.
    assert dataset.scan(tmp_path, report=report, blocksize=1, engine=repeat).file_count == len(FILES)
    assert len(rows_of(report)) == len(FILES)


def test_secrets_are_not_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def failing(url: str) -> Anything:
        message = f"no route to {url}"
        raise OSError(message)

    monkeypatch.setattr("leadbyte.dataset._urls.open_filesystem", failing)
    found = dataset.scan(["ftp://user:password@host/a.txt"], report=tmp_path / "report.jsonl")
    assert found.failures[0].message == "no route to ftp://user:***@host/a.txt"
    text = json.dumps(rows_of(tmp_path / "report.jsonl")) + repr(found)
    assert "ftp://user:***@host/a.txt" in text
    assert "password" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_permissions(tmp_path: Path) -> None:
    """Nobody reads the keys of JSON lines in a report who could not read the file."""
    names = ["a.jsonl", "b.jsonl"]
    for name in names:
        (tmp_path / name).write_bytes(b'{"name of a person": "\\ud800"}\n')
    (tmp_path / "a.jsonl").chmod(0o600)
    (tmp_path / "b.jsonl").chmod(0o444)
    for number, (files, mode) in enumerate([(names, 0o600), (names[1:], 0o644), (["none.jsonl"], 0o644)]):
        report = tmp_path / f"{number}.jsonl"
        urls = [(tmp_path / name).as_posix() for name in files]
        dataset.scan(urls, format="jsonl", report=report)
        (rows,) = report.iterdir()
        assert rows.stat().st_mode & 0o777 == mode & ~umask(), files
