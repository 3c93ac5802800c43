"""``leadbyte.dataset.repair`` with rows that are dropped, or kept apart."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

fsspec = pytest.importorskip("fsspec")

from leadbyte.dataset import repair  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import Anything

TEXT = b"caf\xc3\xa9\ncaf\xe9 \xff\nmore\n\xc3"
GOOD = b"caf\xc3\xa9\nmore\n"


def records(path: Path) -> list[dict[str, Anything]]:
    """Return the records of a quarantine, with their bytes."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{**line, "base64": base64.b64decode(line["base64"])} for line in lines]


def files(directory: Path) -> set[str]:
    """Return the names of all files below a directory."""
    found = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}
    return found - {"_leadbyte/settings.json"}


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_lines(tmp_path: Path, engine: Anything) -> None:
    (tmp_path / "texts/below").mkdir(parents=True)
    (tmp_path / "texts/a.txt").write_bytes(TEXT)
    (tmp_path / "texts/good.txt").write_bytes(GOOD)
    (tmp_path / "texts/image").write_bytes(b"\0\xff\n")
    (tmp_path / "texts/below/b.gz").write_bytes(gzip.compress(TEXT))
    options: Anything = {"engine": engine, "rows": "drop", "quarantine": tmp_path / "bad"}
    done = repair(tmp_path / "texts", tmp_path / "new", **options)
    assert (done.error_count, done.invalid_row_count, done.failed_count) == (6, 4, 0)
    assert (tmp_path / "new/a.txt").read_bytes() == GOOD
    assert gzip.decompress((tmp_path / "new/below/b.gz").read_bytes()) == GOOD
    assert (tmp_path / "new/image").read_bytes() == b"\0\xff\n"
    assert files(tmp_path / "bad") == {"a.txt.jsonl", "below/b.gz.jsonl"}
    found = records(tmp_path / "bad/a.txt.jsonl")
    facts = {
        "line": 2,
        "byte": 9,
        "kind": "missing_continuation",
        "error_count": 2,
        "base64": b"caf\xe9 \xff",
    }
    assert found[0].pop("file").endswith("texts/a.txt")
    assert found[0] == facts
    assert [(row["line"], row["byte"], row["base64"]) for row in found[1:]] == [(4, 18, b"\xc3")]
    again = repair(tmp_path / "texts", tmp_path / "new", **options)
    assert (again.written_count, again.invalid_row_count) == (0, 4)
    # Rows that are lost are written again.
    (tmp_path / "bad/a.txt.jsonl").unlink()
    again = repair(tmp_path / "texts", tmp_path / "new", **options)
    assert (again.written_count, records(tmp_path / "bad/a.txt.jsonl")[0]["base64"]) == (1, b"caf\xe9 \xff")


def test_rows_can_be_repaired_and_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    done = repair(tmp_path / "a.txt", tmp_path / "new", quarantine=tmp_path / "bad")
    assert (done.error_count, done.invalid_row_count) == (3, 2)
    assert (tmp_path / "new/a.txt").read_bytes() == TEXT.decode(errors="replace").encode()
    # A file that is valid now has no rows there any more.
    (tmp_path / "a.txt").write_bytes(GOOD)
    repair(tmp_path / "a.txt", tmp_path / "new", quarantine=tmp_path / "bad")
    assert files(tmp_path / "bad") == set()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_permissions(tmp_path: Path) -> None:
    """Nobody reads the outputs who could not read the inputs."""
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "a.txt").chmod(0o400)
    repair(tmp_path / "a.txt", tmp_path / "new", quarantine=tmp_path / "bad")
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("new/a.txt", "bad/a.txt.jsonl")]
    assert modes == [0o600, 0o600]


def test_memory_filesystem() -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/quarantine-in/a.txt", TEXT)
    repair(
        "memory://quarantine-in", "memory://quarantine-new", rows="drop", quarantine="memory://quarantine-bad"
    )
    assert memory.cat("/quarantine-new/a.txt") == GOOD
    assert len(memory.cat("/quarantine-bad/a.txt.jsonl").splitlines()) == 2


@pytest.mark.parametrize("rows", ["repair", "drop"])
def test_tables(tmp_path: Path, rows: Anything) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = pa.array([b"ok", b"caf\xe9", None, b"\xff\xfe", b"ok"]).view(pa.string())
    lists = pa.array([[b"a"], [], [b"b", b"\xe9", b"\xe9"], None, [b"c"]]).cast(pa.list_(pa.binary()))
    lists = pa.ListArray.from_arrays(lists.offsets, lists.values.view(pa.string()), mask=lists.is_null())
    table = pa.table({"id": range(5), "name": names, "tags": lists})
    (tmp_path / "lake").mkdir()
    pq.write_table(table, tmp_path / "lake/a.parquet", row_group_size=2)
    options: Anything = {"rows": rows, "quarantine": tmp_path / "bad", "quarantine_format": "parquet"}
    done = repair(tmp_path / "lake", tmp_path / "new", **options)
    assert (done.error_count, done.invalid_row_count, done.failures) == (5, 3, ())
    ids = pq.read_table(tmp_path / "new/a.parquet")["id"].to_pylist()
    assert ids == ([0, 4] if rows == "drop" else [0, 1, 2, 3, 4])
    found = pq.read_table(tmp_path / "bad/a.parquet.parquet").to_pylist()
    keys = ("row_group", "row", "column", "byte", "error_count", "data")
    assert sorted(tuple(row[key] for key in keys) for row in found) == [
        (0, 1, "name", 3, 1, b"caf\xe9"),
        (1, 2, "tags", 0, 1, b"\xe9"),
        (1, 2, "tags", 0, 1, b"\xe9"),
        (1, 3, "name", 0, 2, b"\xff\xfe"),
    ]


def test_directories_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_bytes(TEXT)
    texts, new = tmp_path / "texts", tmp_path / "new"
    for quarantine in (new, new / "below", tmp_path):
        with pytest.raises(ValueError, match=r"directory (of its own|elsewhere)"):
            repair(texts, new, quarantine=quarantine)
    with pytest.raises(ValueError, match="both read and written"):
        repair(texts, new, quarantine=texts / "bad")
    options: Anything = {"rows": "keep"}
    with pytest.raises(ValueError, match="rows must be one of repair, drop, not 'keep'"):
        repair(texts, new, **options)
    for arguments in ((texts, ""), (texts, tmp_path / "other")):
        with pytest.raises(FileNotFoundError, match="an empty URL"):
            repair(*arguments, quarantine="")
    options = {"quarantine": tmp_path / "bad", "quarantine_format": "csv"}
    with pytest.raises(ValueError, match="quarantine_format must be one of jsonl, parquet, not 'csv'"):
        repair(texts, new, **options)
    assert not new.exists()
    repair(texts, new)
    with pytest.raises(ValueError, match="outputs of another call"):
        repair(texts, new, rows="drop")


def test_a_quarantine_belongs_to_one_call(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(TEXT)
    repair(tmp_path / "one", tmp_path / "new", quarantine=tmp_path / "bad")
    with pytest.raises(ValueError, match="belongs to another call"):
        repair(tmp_path / "two", tmp_path / "other", quarantine=tmp_path / "bad")
    with pytest.raises(ValueError, match="belongs to another call"):
        repair(tmp_path / "two", tmp_path / "other", quarantine=tmp_path / "new")
    (tmp_path / "own").mkdir()
    (tmp_path / "own/a.txt.jsonl").touch()
    with pytest.raises(FileExistsError, match="is not empty"):
        repair(tmp_path / "two", tmp_path / "other", quarantine=tmp_path / "own")
    assert not (tmp_path / "other").exists()
    # Another spelling is the same directory.
    assert repair(tmp_path / "one", tmp_path / "new", quarantine=f"{tmp_path}/./bad/").written_count == 0
    shutil.rmtree(tmp_path / "bad")
    with pytest.raises(ValueError, match="no rows of the earlier call"):
        repair(tmp_path / "one", tmp_path / "new", quarantine=tmp_path / "bad")
