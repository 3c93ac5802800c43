"""Columns of Parquet and Arrow files, cut anywhere, compared with what Python finds in each value."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import naive_dataset
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leadbyte import dataset, scan
from reduced import IS_REDUCED
from strategies import data

fsspec = pytest.importorskip("fsspec")
pa = pytest.importorskip("pyarrow", minversion="16")
parquet = pytest.importorskip("pyarrow.parquet")

from leadbyte.dataset._tables import text_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from leadbyte.dataset import DatasetError
    from strategies import Anything

ROWS = st.lists(st.one_of(st.none(), data().map(lambda row: row[:14])), min_size=1, max_size=30)
EXAMPLES = settings(max_examples=12 if IS_REDUCED else 100)


def strings(rows: Sequence[bytes | None], kind: Anything = None) -> Anything:
    """Return an array of strings, which may not be UTF-8."""
    values = pa.array(rows, pa.binary())
    return pa.Array.from_buffers(kind or pa.string(), len(values), values.buffers())


def expected_errors(url: str, columns: dict[str, Sequence[bytes | None]]) -> list[tuple[Any, ...]]:
    found = [
        (row, order, error.start, error.end, error.kind, error.data, error.before, error.after, name)
        for order, (name, values) in enumerate(columns.items())
        for row, value in enumerate(values)
        for error in naive_dataset.errors_of(url, value or b"")
    ]
    return [error[:1] + error[2:] for error in sorted(found, key=lambda error: error[:3])]


def facts(error: DatasetError) -> tuple[Any, ...]:
    assert error.line is error.column is None
    place = (error.row, error.start, error.end, error.kind, error.data, error.before, error.after)
    return (*place, error.column_name)


@EXAMPLES
@given(
    rows=ROWS,
    groups=st.integers(1, 6),
    blocksize=st.integers(1, 600),
    limit=st.sampled_from([0, 1, 5, 1000, 1000]),
    kind=st.sampled_from(["Parquet", "Parquet", "Arrow file", "Arrow stream"]),
)
def test_equals_python(rows: list[bytes | None], groups: int, blocksize: int, limit: int, kind: str) -> None:
    other = rows[::-1]
    table = pa.table({"a": strings(rows), "n": pa.array(range(len(rows))), "b": strings(other)})
    sink = pa.BufferOutputStream()
    if kind == "Parquet":
        parquet.write_table(table, sink, row_group_size=groups)
    else:
        new = pa.ipc.new_file if kind == "Arrow file" else pa.ipc.new_stream
        with new(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=groups)
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    name = "a.parquet" if kind == "Parquet" else "a.arrow"
    filesystem.pipe(f"/{name}", bytes(sink.getvalue()))
    found = dataset.scan(f"memory://{name}", blocksize=blocksize, max_errors=limit)
    errors = expected_errors(f"memory://{name}", {"a": rows, "b": other})
    assert found.failures == ()
    assert [facts(error) for error in found.errors] == errors[:limit]
    assert (found.error_count, found.invalid_count) == (len(errors), int(bool(errors)))
    values = b"".join(value or b"" for value in rows + other)
    counted = scan(values)
    assert (found.byte_count, found.char_count) == (counted.byte_count, counted.char_count)
    assert (found.utf16_count, found.newline_count) == (counted.utf16_count, counted.newline_count)
    assert (found.ascii, found.max_char_width) == (counted.ascii, counted.max_char_width)
    assert found.row_count == len(rows)


@pytest.mark.parametrize("blocksize", [1, 50, 200, 1000, "1 MB"])
def test_row_groups_are_in_one_piece(tmp_path: Path, blocksize: int | str) -> None:
    rows = [b"abc", b"caf\xe9", None, b"\xff\xfe", b"\xf0\x9f\x98\x80"] * 6
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": strings(rows)}), path, row_group_size=7)
    found = dataset.scan(path, blocksize=blocksize)
    assert [facts(error) for error in found.errors] == expected_errors("", {"text": rows})
    assert (found.row_count, found.failed_count) == (len(rows), 0)


@EXAMPLES
@given(rows=ROWS, start=st.integers(0, 5))
def test_bytes_of_all_types(rows: list[bytes | None], start: int) -> None:
    text = ["a€"[: len(row)] if row is not None else None for row in rows]
    arrays = [strings(rows), strings(rows).cast(pa.binary()), strings(rows).dictionary_encode()]
    arrays += [pa.array(rows, kind) for kind in (pa.large_binary(), pa.binary_view())]
    expected = b"".join(row or b"" for row in rows[start:])
    for array in arrays:
        assert bytes(text_of(array[start:])) == expected
    expected = "".join(row or "" for row in text[start:]).encode()
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        assert bytes(text_of(pa.array(text, kind)[start:])) == expected
    assert bytes(text_of(pa.array([b"ab", None, b"cd"], pa.binary(2))[1:])) == b"cd"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a Parquet file with several types of columns."""
    rows = [b"abc", b"\xff", None]
    nested = pa.StructArray.from_arrays([strings(rows), pa.array([1, 2, 3])], ["text", "n"])
    table = pa.table({"bytes": pa.array(rows, pa.binary()), "nested": nested, "n": [1, 2, 3]})
    parquet.write_table(table, tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def test_columns_by_name(path: Path) -> None:
    found = dataset.scan(path)
    assert [error.column_name for error in found.errors] == ["nested.text"]
    found = dataset.scan(path, columns=["bytes"])
    assert [error.column_name for error in found.errors] == ["bytes"]
    assert dataset.scan(path, columns="bytes") == found
    found = dataset.scan(path, columns=["none"])
    assert found.failures[0].message == 'no column "none"; the columns are bytes, nested.text, nested.n, n'
    found = dataset.scan(path, columns=["n"])
    assert found.failures[0].message == 'column "n" holds no text, but int64'


@pytest.mark.parametrize("columns", [None, ["a"]])
def test_columns_of_one_name(tmp_path: Path, columns: list[str] | None) -> None:
    arrays = [pa.array([b"fine", b"x"]).view(pa.string()), pa.array([b"fine", b"x\xff"]).view(pa.string())]
    parquet.write_table(pa.Table.from_arrays(arrays, ["a", "a"]), tmp_path / "data.parquet")
    (error,) = dataset.scan(tmp_path / "data.parquet", columns=columns).errors
    assert (error.row, error.column_name, error.start) == (1, "a (2 of 2)", 1)


def test_no_columns_of_text(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"n": [1, 2, 3]}), tmp_path / "a.parquet")
    found = dataset.scan(tmp_path)
    assert (found.valid, found.row_count, found.char_count) == (True, 3, 0)


def test_malformed_files_fail(path: Path) -> None:
    whole = path.read_bytes()
    for size in (0, 3, 8, 100, len(whole) - 1):
        path.write_bytes(whole[:size])
        found = dataset.scan([path], blocksize=50)
        assert (found.file_count, found.failed_count) == (1, 1)
        assert found.failures[0].message


def test_encrypted_columns_fail(path: Path) -> None:
    """To look at the metadata of such a column would end the process."""
    encryption: Anything = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):  # type: ignore[misc]
        def wrap_key(self, key: bytes, _name: str) -> bytes:
            return base64.b64encode(key)

    configuration = encryption.EncryptionConfiguration("", column_keys={"k": ["a"]}, plaintext_footer=True)
    factory = encryption.CryptoFactory(lambda _: Keys())
    keys = factory.file_encryption_properties(encryption.KmsConnectionConfig(), configuration)
    table = pa.table({"a": ["a"]})
    with parquet.ParquetWriter(path, table.schema, encryption_properties=keys) as file:
        file.write_table(table)
    (failure,) = dataset.scan(path).failures
    assert failure.message.startswith("Cannot decrypt ColumnMetadata")


def test_texts_beside_tables(path: Path) -> None:
    path.with_name("b.txt").write_bytes(b"caf\xe9\n")
    found = dataset.scan(path.parent, blocksize=20)
    places = [(error.row, error.column_name, error.line, error.column) for error in found.errors]
    assert places == [(1, "nested.text", None, None), (None, None, 1, 4)]
    assert (found.row_count, found.newline_count) == (3, 1)


def test_without_pyarrow(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    found = dataset.scan(path)
    assert found.failures[0].message.endswith('pip install "leadbyte[arrow]"')
    with pytest.raises(ImportError, match="a report in Parquet is written through pyarrow"):
        dataset.scan(path, report=path.parent / "report.parquet")


def test_strings_that_cannot_be_read_are_a_failure(tmp_path: Path) -> None:
    structs = pa.StructArray.from_arrays([pa.array(["a"])], ["s"])
    lists = pa.array([["a"]])
    arrays = {
        "numbers": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
        "sparse_union": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [strings([b"\xff"])]),
        "dictionary": pa.DictionaryArray.from_arrays(pa.array([0]), structs),
        "run_end_encoded": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), lists),
    }
    for name, array in arrays.items():
        table = pa.table({"nested": array, "name": pa.array(["a"])})
        with pa.ipc.new_file(tmp_path / f"{name}.arrow", table.schema) as file:
            file.write_table(table)
        failures = dataset.scan(tmp_path / f"{name}.arrow").failures
        expected = [] if name == "numbers" else [f"strings in the column nested of {name}"]
        assert [failure.message.partition("<")[0] for failure in failures] == expected
    assert dataset.scan(tmp_path / "sparse_union.arrow", columns=["name"]).valid
