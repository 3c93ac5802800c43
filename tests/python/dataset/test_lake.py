"""Tables of Delta and Iceberg, with strings that are not UTF-8."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leadbyte import dataset
from leadbyte._files import lake
from leadbyte.cli import main

pytest.importorskip("fsspec")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

if TYPE_CHECKING:
    from strategies import Anything

VALID, INVALID, ERROR = 0, 1, 2
NAMES = [b"Ana", b"Ren\xe9e", "Zoë".encode()]
# The format and the file by which a directory is recognized.
LOGS = {"Delta": "_delta_log/00000000000000000000.json", "Iceberg": "metadata/00000-a.metadata.json"}


def guests(names: list[bytes] = NAMES, **columns: Anything) -> Anything:
    """Return a table whose names need not be UTF-8."""
    values = pa.array(names).view(pa.string())
    return pa.table({"id": range(len(names)), **columns, "name": values})


def delta(path: Path, table: Anything, **choices: Anything) -> Anything:
    """Write a version of a Delta table; return it."""
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(path, table, **choices)
    return deltalake.DeltaTable(path)


@pytest.fixture
def catalog(tmp_path: Path) -> Anything:
    """Return a catalog of Iceberg tables below a directory."""
    pytest.importorskip("pyiceberg")
    pytest.importorskip("sqlalchemy")
    from pyiceberg.catalog import load_catalog

    warehouse = tmp_path / "ice"
    warehouse.mkdir()
    found = load_catalog("tests", type="in-memory", warehouse=f"file://{warehouse}")
    found.create_namespace("kitchen")
    return found


def iceberg(catalog: Anything, table: Anything) -> Anything:
    """Return an Iceberg table, of a valid file and one that was written without a check."""
    valid = guests([b"Eve"])
    created = catalog.create_table("kitchen.guests", schema=valid.schema)
    created.append(valid)
    path = f"{lake.plain_path(created.location())}/data/foreign.parquet"
    # pyiceberg decodes statistics, but no values.
    pq.write_table(table, path, write_statistics=["id"])
    created.add_files([f"file://{path}"])
    return created


def places(found: dataset.DatasetScan) -> list[tuple[int | None, str | None, int, bytes]]:
    """Return the places of the errors."""
    return [(error.row, error.column_name, error.start, error.data) for error in found.errors]


PLACES = [(1, "name", 3, b"\xe9")]


def test_delta_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "lake" / "guests of René"
    delta(path, guests([b"\xff"] * 2))
    table = delta(path, guests(), mode="overwrite")
    # A file of a failed write.
    pq.write_table(guests([b"\xfe"]), path / "orphan.parquet")
    (tmp_path / "lake" / "menu.txt").write_bytes(b"caf\xe9")
    for source in (path, table, [path]):
        found = dataset.scan(source)
        assert (found.file_count, found.row_count, places(found)) == (1, 3, PLACES)
        assert found.errors[0].url.startswith(f"{path}/part-")
    found = dataset.scan(tmp_path / "lake")
    assert (found.file_count, found.error_count) == (2, 2)
    deltalake = pytest.importorskip("deltalake")
    assert dataset.scan(deltalake.DeltaTable(path, version=0)).error_count == 2
    # A glob names files, whatever the log has.
    assert dataset.scan(f"{path}/*.parquet").error_count == 4


def test_iceberg_snapshot(catalog: Anything, tmp_path: Path) -> None:
    table = iceberg(catalog, guests())
    path = lake.plain_path(table.location())
    pq.write_table(guests([b"\xfe"]), f"{path}/data/orphan.parquet")
    for source in (tmp_path, path, table, catalog.load_table("kitchen.guests")):
        found = dataset.scan(source)
        assert (found.file_count, found.row_count, places(found)) == (2, 4, PLACES)
    # Rows that other files delete are not applied, nor are files of other formats.
    before = table.current_snapshot().snapshot_id
    table.delete("id == 1")
    assert dataset.scan(path).valid
    assert before != table.current_snapshot().snapshot_id


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    delta(tmp_path / "lake/old/guests", guests([b"\xff"]))
    delta(tmp_path / "lake/old/guests", guests(), mode="overwrite")
    (tmp_path / "lake/menu.txt").write_text("soup")
    assert main(["check", "lake"]) == INVALID
    error, summary = capsys.readouterr().out.splitlines()
    assert error.startswith("lake/old/guests/part-")
    assert "row 1 (row group 0, row 1), column name: byte 3: " in error
    assert summary.startswith("2 files checked (")
    assert main(["check", "--json", "lake/old/guests"]) == INVALID
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["errors"][0]["row"] for row in rows if "errors" in row] == [1]
    assert main(["check", "--engine", "threads", "lake"]) == INVALID
    assert "row 1, column name: byte 3" in capsys.readouterr().out
    assert main(["check", "--column", "id", "lake/old/guests"]) == ERROR
    # JSON lines are not in tables.
    assert main(["check", "--jsonl", "lake"]) == VALID


@pytest.mark.parametrize("found", LOGS)
def test_without_packages(
    found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "deltalake", None)
    monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    log = tmp_path / "lake/guests" / LOGS[found]
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    pq.write_table(guests(), tmp_path / "lake/guests/part.parquet")
    (tmp_path / "lake/menu.txt").write_text("soup")
    needed = f'tables of {found} are read through {lake.PACKAGES[found]}: pip install "leadbyte[lake]"'
    scanned = dataset.scan("lake")
    assert (scanned.file_count, scanned.failed_count) == (2, 1)
    assert scanned.failures[0].message == needed
    with pytest.raises(OSError, match="leadbyte\\[lake\\]"):
        dataset.scan("lake/guests")
    assert main(["check", "lake"]) == VALID
    output = capsys.readouterr()
    assert output.out.endswith("all valid UTF-8; 1 table not read\n")
    assert output.err == f"leadbyte: 1 table below directories not read: {needed}\n"
    assert main(["check", "--strict-skips", "lake"]) == INVALID
    capsys.readouterr()
    assert main(["check", "lake/guests"]) == ERROR
    assert capsys.readouterr().err == f"leadbyte: lake/guests: {needed}\n"


@pytest.mark.parametrize("found", LOGS)
def test_damaged_log(
    found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(lake.PACKAGES[found])
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "lake/guests" / LOGS[found]
    log.parent.mkdir(parents=True)
    log.write_text("{")
    (tmp_path / "lake/menu.txt").write_text("soup")
    scanned = dataset.scan("lake")
    assert (scanned.file_count, scanned.failed_count) == (2, 1)
    assert scanned.failures[0].message.startswith(f"{found} table: ")
    assert main(["check", "lake"]) == ERROR
    assert f"lake/guests: {found} table: " in capsys.readouterr().err


def test_newest_metadata() -> None:
    assert lake.newest_metadata(["v9.metadata.json", "v10.gz.metadata.json"]) == "v10.gz.metadata.json"
    for names in (["a.metadata.json"], ["00001-a.metadata.json", "00001-b.metadata.json"]):
        with pytest.raises(ValueError, match="version"):
            lake.newest_metadata(names)
    # Names of other files do not make a directory a table.
    assert not lake.VERSION.fullmatch("songs.metadata.json")


class OtherDelta:
    """A Delta table with a deletion vector, which deltalake reads, but does not write."""

    def __init__(self, table: Anything) -> None:
        self.table = table

    def __getattr__(self, name: str) -> Anything:
        return getattr(self.table, name)

    def protocol(self) -> Anything:
        return type("Protocol", (), {"reader_features": ["deletionVectors"]})

    def deletion_vectors(self) -> Anything:
        return pa.table({"filepath": [f"file://{self.table.file_uris()[0]}"]})


def test_deletion_vectors_are_refused(tmp_path: Path) -> None:
    table = delta(tmp_path / "guests", guests())
    files = lake.delta_files(OtherDelta(table), None)
    assert [file.failed for file in files] == [lake.DELETION_VECTOR]


def test_copy(tmp_path: Path) -> None:
    parts: dict[str, Anything] = {"day": [dt.date(2026, 1, 2)] * 3, "place": ["a b/é", None, "a b/é"]}
    delta(tmp_path / "guests", guests([b"\xff"] * 3, **parts))
    table = delta(
        tmp_path / "guests",
        guests(**parts),
        mode="overwrite",
        partition_by=["day", "place"],
        schema_mode="overwrite",
    )
    done = dataset.repair(tmp_path / "guests", tmp_path / "copy", rows="drop")
    assert (done.file_count, done.invalid_row_count, done.failed_count) == (2, 1, 0)
    names = sorted(
        str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*.parquet")
    )
    assert names == sorted(uri.removeprefix(f"{tmp_path}/guests/") for uri in table.file_uris())
    assert dataset.check(tmp_path / "copy")


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_commit_to_delta(tmp_path: Path, engine: Anything) -> None:
    deltalake = pytest.importorskip("deltalake")
    path = tmp_path / "guests"
    parts: dict[str, Anything] = {"day": [dt.date(2026, 1, 2)] * 3, "place": ["a b/é", "a b/é", None]}
    old = delta(path, guests(**parts), partition_by=["day", "place"])
    done = dataset.repair(path, commit=True, engine=engine, quarantine=tmp_path / "bad")
    assert (done.file_count, done.written_count, done.error_count, done.invalid_row_count) == (2, 1, 1, 1)
    new = deltalake.DeltaTable(path)
    assert new.version() == old.version() + 1
    assert len({*new.file_uris()} & {*old.file_uris()}) == 1
    rows = sorted(new.to_pyarrow_table().to_pylist(), key=lambda row: row["id"])
    assert [(row["name"], row["place"], row["day"]) for row in rows] == [
        ("Ana", "a b/é", parts["day"][0]),
        ("Ren\ufffde", "a b/é", parts["day"][0]),
        ("Zoë", None, parts["day"][0]),
    ]
    (bad,) = (path for path in (tmp_path / "bad").rglob("*.jsonl") if "_leadbyte" not in path.parts)
    kept = json.loads(bad.read_text())
    assert (kept["row"], kept["column"], kept["file"] in old.file_uris()) == (1, "name", True)
    # The old version is still there, and nothing is left to do.
    assert dataset.scan(deltalake.DeltaTable(path, version=0)).error_count == 1
    assert dataset.repair(new, commit=True, engine=engine, quarantine=tmp_path / "bad").written_count == 0
    assert deltalake.DeltaTable(path).version() == new.version()


def test_commit_to_iceberg(catalog: Anything) -> None:
    table = iceberg(catalog, guests())
    done = dataset.repair(table, commit=True, rows="drop")
    assert (done.file_count, done.written_count, done.invalid_row_count) == (2, 1, 1)
    table = catalog.load_table("kitchen.guests")
    assert sorted(table.scan().to_arrow()["name"].to_pylist()) == ["Ana", "Eve", "Zoë"]
    assert table.scan(row_filter="id == 2").to_arrow()["name"].to_pylist() == ["Zoë"]
    assert dataset.check(table)
    assert dataset.repair(table, commit=True).written_count == 0
    with pytest.raises(ValueError, match="an Iceberg table changes by its catalog"):
        dataset.repair(lake.plain_path(table.location()), commit=True)


def test_commit_is_whole_or_not_at_all(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    path = tmp_path / "guests"
    delta(path, guests())
    table = delta(path, guests(), mode="append")
    names = sorted(table.file_uris())
    content = Path(names[1]).read_bytes()
    Path(names[1]).write_bytes(b"PAR1 damaged")
    with pytest.raises(OSError, match=f"^{names[1]}: "):
        dataset.repair(path, commit=True)
    assert deltalake.DeltaTable(path).version() == 1
    assert sorted(map(str, path.glob("*.parquet"))) == names
    # Another commit has removed a file meanwhile.
    Path(names[1]).write_bytes(content)
    deltalake.DeltaTable(path).delete()
    with pytest.raises(OSError, match=r"^Delta table: .*"):
        dataset.repair(table, commit=True)
    assert deltalake.DeltaTable(path).to_pyarrow_table().num_rows == 0


@pytest.mark.parametrize(
    ("arguments", "choices", "message"),
    [
        (["."], {}, "output must be a directory, or commit=True be given"),
        ([".", "other"], {"commit": True}, "a commit has no output"),
        (["."], {"commit": True}, r"is not a table of Delta or Iceberg"),
        ([["."]], {"commit": True}, "one table is repaired at a time"),
        (["."], {"commit": True, "engine": "dask"}, "engine must be one of"),
    ],
)
def test_wrong_arguments(
    arguments: Anything, choices: Anything, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        dataset.repair(*arguments, **choices)
