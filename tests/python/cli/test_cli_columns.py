"""``leadbyte check`` and ``leadbyte repair`` on files with columns: Parquet, Arrow and CSV."""

from __future__ import annotations

import decimal
import functools
import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import command
import pytest
import strategies
from leadbyte.cli import main
from leadbyte.cli.writing import Writing
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import Anything

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ipc = pytest.importorskip("pyarrow.ipc")

VALID, INVALID, ERROR, INTERRUPTED = 0, 1, 2, 130
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
ROWS = 10
GROUP_ROWS = 4
BAD = b"caf\xe9 au lait"
WITHOUT_PYARROW = f"import sys; sys.modules['pyarrow'] = None; {command.RUN}"


def strings(values: list[bytes | None], data_type: Anything = None) -> Anything:
    """Return an array of strings that need not be UTF-8."""
    data_type = data_type or pa.string()
    views = {pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    return pa.array(values, views.get(data_type, pa.binary())).view(data_type)


def column(*bad: int, value: bytes = BAD, **options: Anything) -> Anything:
    """Return a column that has errors in these rows only."""
    return strings([value if row in bad else "мир".encode() for row in range(ROWS)], **options)


def nested_table() -> Anything:
    """Return a table with text in columns of many types."""
    pairs = [strings([b"key"] * ROWS), column(6)]
    offsets = pa.array([*range(ROWS), ROWS], pa.int32())
    items = pa.StructArray.from_arrays([column(7)], ["name"])
    words = strings([b"fine", BAD])
    return pa.table(
        {
            "id": pa.array(range(ROWS)),
            "name": column(3),
            "large": column(4, data_type=pa.large_string()),
            "view": column(5, data_type=pa.string_view()),
            "map": pa.MapArray.from_arrays(offsets, *pairs),
            "items": pa.ListArray.from_arrays(offsets, items),
            "kind": pa.DictionaryArray.from_arrays(pa.array([0] * 8 + [1, 0]), words),
            "address": pa.StructArray.from_arrays([pa.array(range(ROWS)), column(9)], ["zip", "city"]),
        }
    ).replace_schema_metadata({"origin": "here"})


COLUMNS = ["name", "large", "view", "map.key", "map.value", "items.name", "kind", "address.city"]
# The row of the error of each column.
BAD_ROWS = {"name": 3, "large": 4, "view": 5, "map.value": 6, "items.name": 7, "kind": 8, "address.city": 9}


def write_parquet(path: Path, table: Anything, **options: Anything) -> None:
    pq.write_table(table, path, row_group_size=GROUP_ROWS, **options)


def write_arrow(path: Path, table: Anything) -> None:
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=GROUP_ROWS)


def write_stream(path: Path, table: Anything) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=GROUP_ROWS)


FORMATS = {
    "data.parquet": (write_parquet, "row group"),
    "data.arrow": (write_arrow, "record batch"),
    "data.feather": (write_arrow, "record batch"),
    "stream.arrows": (write_stream, "record batch"),
    "stream.arrow": (write_stream, "record batch"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a Parquet file with errors in many columns."""
    write_parquet(tmp_path / "data.parquet", nested_table())
    return tmp_path / "data.parquet"


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> command.Done:
    """Run the command in this process."""
    code = main([*arguments])
    return command.Done(code, *capfd.readouterr())


@pytest.fixture
def check(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Anything:
    monkeypatch.chdir(tmp_path)
    return functools.partial(run, capfd, "check")


@pytest.fixture
def repair(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Anything:
    monkeypatch.chdir(tmp_path)
    return functools.partial(run, capfd, "repair")


# Errors in columns.


@pytest.mark.parametrize("name", FORMATS)
def test_errors_of_all_columns(tmp_path: Path, check: Anything, name: str) -> None:
    write, group = FORMATS[name]
    write(tmp_path / name, nested_table())
    done = check(name)
    message = "byte 3: truncated 3-byte sequence (1 of 3 bytes): 63 61 66 [e9] 20 61 75 20 6c 61 69 74"
    assert done.lines[:-1] == [
        f"{name}: row {row} ({group} {row // GROUP_ROWS}, row {row % GROUP_ROWS}), column {column}: {message}"
        for column, row in BAD_ROWS.items()
    ]
    assert re.fullmatch(r"1 file checked \(.* kB, 10 rows\): 1 not valid UTF-8", done.lines[-1])
    assert (done.code, done.err) == (INVALID, "")


@pytest.mark.parametrize("name", FORMATS)
def test_json(tmp_path: Path, check: Anything, name: str) -> None:
    write, group = FORMATS[name]
    write(tmp_path / name, nested_table())
    found, summary = check("--json", name).objects
    assert [error["column"] for error in found["errors"]] == [*BAD_ROWS]
    assert found["errors"][-1] == {
        "column": "address.city",
        "row": 9,
        group.replace(" ", "_"): 2,
        "row_in_group": 1,
        "start": 3,
        "end": 4,
        "kind": "missing_continuation",
        "reason": "invalid continuation byte",
        "bytes": "e9",
        "before": "63 61 66",
        "after": "20 61 75 20 6c 61 69 74",
        "message": "truncated 3-byte sequence (1 of 3 bytes)",
        "message_start": 3,
        "message_end": 4,
    }
    counted = {column["name"]: (column["invalid_rows"], column["error_count"]) for column in found["columns"]}
    assert counted == {column: (1, 1) if column in BAD_ROWS else (0, 0) for column in COLUMNS}
    size = (tmp_path / name).stat().st_size
    facts = {key: found[key] for key in ("path", "byte_count", "row_count", "valid", "error_count")}
    assert facts == {"path": name, "byte_count": size, "row_count": 10, "valid": False, "error_count": 7}
    assert (found["errors_omitted"], found["columns_skipped"]) == (0, [])
    totals = {key: summary["summary"][key] for key in ("files", "invalid", "byte_count", "row_count")}
    assert totals == {"files": 1, "invalid": 1, "byte_count": size, "row_count": 10}


def test_other_forms(path: Path, check: Anything) -> None:
    assert check("--list", path.name).out == f"{path.name}\n"
    assert check("--quiet", path.name) == (INVALID, "", "")
    done = check("--format", "github", "--max-errors", "1", path.name)
    assert done.lines[0].startswith(
        f"::error file={path.name},title=not valid UTF-8::{path.name}: row 3 (row group 0, row 3), column"
    )


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 30])
def test_number_of_errors_shown(tmp_path: Path, check: Anything, limit: int) -> None:
    table = pa.table({"a": column(0, 1, value=b"\xff\xff"), "b": column(1, 9, value=b"\xe0\x80\xb1")})
    write_parquet(tmp_path / "data.parquet", table)
    *lines, _ = check("--max-errors", str(limit), "data.parquet").lines
    rows = [re.findall(r"row (\d+) .*column (\w)", line)[0] for line in lines if "column" in line]
    assert rows == [("0", "a"), ("0", "a"), ("1", "a"), ("1", "a"), ("1", "b"), ("9", "b")][:limit]
    if limit < 30:
        more = 10 - limit
        word = "more errors" if limit else "errors"
        assert lines[-1] == f"data.parquet: {more} {word}; not valid: 2 rows of a, 2 rows of b"
    errors = check("--max-errors", str(limit), "--json", "data.parquet").objects[0]
    assert len(errors["errors"]) == min(limit, 10)
    assert len(errors["errors"]) + errors["errors_omitted"] == errors["error_count"] == 10


def test_valid_file(tmp_path: Path, check: Anything) -> None:
    write_parquet(tmp_path / "data.parquet", pa.table({"a": column(), "b": pa.nulls(ROWS, pa.string())}))
    (tmp_path / "text.txt").write_bytes("мир".encode())
    done = check("--verbose", "data.parquet", "text.txt")
    assert done.lines[:-1] == ["data.parquet: valid, 10 rows of 2 columns", "text.txt: valid, 3 chars"]
    assert re.fullmatch(r"2 files checked \(.*, 3 chars, 10 rows\): all valid UTF-8", done.lines[-1])
    assert done.code == VALID


@pytest.mark.parametrize("write", [write_parquet, write_arrow, write_stream])
def test_no_text_and_no_rows(tmp_path: Path, check: Anything, write: Anything) -> None:
    write(tmp_path / "numbers.arrow", pa.table({"id": pa.array(range(ROWS))}))
    write(tmp_path / "empty.arrow", nested_table().slice(0, 0))
    write(tmp_path / "nothing.arrow", pa.table({}))
    numbers, empty, nothing, _ = check("--json", "numbers.arrow", "empty.arrow", "nothing.arrow").objects
    assert (numbers["valid"], numbers["row_count"], numbers["columns"]) == (True, ROWS, [])
    assert (empty["valid"], empty["row_count"], len(empty["columns"])) == (True, 0, len(COLUMNS))
    assert (nothing["valid"], nothing["columns"]) == (True, [])


def test_bytes_under_nulls_do_not_matter(tmp_path: Path, check: Anything) -> None:
    values = strings([b"a", b"\xff", b"b"])
    nulls = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x05"), *values.buffers()[1:]])
    parent = pa.StructArray.from_arrays([values], ["inner"], mask=pa.array([False, True, False]))
    lists = pa.ListArray.from_arrays([0, 1, 2, 3], values, mask=pa.array([False, True, False]))
    write_arrow(tmp_path / "data.arrow", pa.table({"nulls": nulls, "parent": parent, "lists": lists}))
    assert check("data.arrow").code == VALID


def test_values_of_null_lists_are_no_rows(tmp_path: Path, check: Anything) -> None:
    values = strings([b"hidden", b"a", b"\xff"])
    offsets, mask = [0, 1, 2, 3], pa.array([True, False, False])
    lists = pa.ListArray.from_arrays(offsets, values)
    columns = {
        "list": pa.ListArray.from_arrays(offsets, values, mask=mask),
        "large": pa.LargeListArray.from_arrays(offsets, values, mask=mask),
        "map": pa.MapArray.from_arrays(offsets, pa.array(["a", "b", "c"]), values, mask=mask),
        "fixed": pa.FixedSizeListArray.from_arrays(values, 1, mask=mask),
        "struct": pa.StructArray.from_arrays([lists], ["inner"], mask=mask),
        "lists": pa.ListArray.from_arrays(offsets, lists, mask=mask),
    }
    write_arrow(tmp_path / "data.arrow", pa.table(columns))
    found = check("--json", "data.arrow").objects[0]
    assert [error["row"] for error in found["errors"]] == [2] * len(columns)
    assert [column["invalid_rows"] for column in found["columns"] if column["error_count"]] == [1] * len(
        columns
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_are_as_row_by_row(tmp_path: Path, check: Anything, seed: int) -> None:
    rng = random.Random(seed)
    values = [b"", b"a", "€".encode(), *strategies.BROKEN[:30]]
    rows = [[rng.choice([None, *values]) for _ in range(rng.randrange(4))] for _ in range(200)]
    offsets = pa.array([0, *(sum(map(len, rows[: end + 1])) for end in range(len(rows)))], pa.int32())
    lists = pa.ListArray.from_arrays(offsets, strings([value for row in rows for value in row]))
    firsts = [row[0] if row else None for row in rows]
    table = pa.table({"lists": lists, "firsts": strings(firsts)})
    pq.write_table(table, tmp_path / "data.parquet", row_group_size=rng.randrange(1, 90))
    found = check("--json", "--max-errors", "100000", "data.parquet").objects[0]

    def errors(value: bytes | None) -> int:
        return (value or b"").decode("utf-8", "replace").count("\ufffd")

    expected = {
        "lists": [sum(map(errors, row)) for row in rows],
        "firsts": [errors(value) for value in firsts],
    }
    counted = {column["name"]: (column["invalid_rows"], column["error_count"]) for column in found["columns"]}
    assert counted == {name: (sum(map(bool, counts)), sum(counts)) for name, counts in expected.items()}
    shown = {name: [0] * len(rows) for name in expected}
    for error in found["errors"]:
        shown[error["column"]][error["row"]] += 1
    assert shown == expected
    assert [error["row"] for error in found["errors"]] == sorted(error["row"] for error in found["errors"])


# Which columns, and which files.


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (["name"], [3]),
        (["name", "kind"], [3, 8]),
        (["address"], [9]),
        (["address.city"], [9]),
        (["map", "items.name"], [6, 7]),
        (["map.key"], []),
    ],
)
def test_column(path: Path, check: Anything, names: list[str], rows: list[int]) -> None:
    options = [option for name in names for option in ("--column", name)]
    found = check(*options, "--json", path.name).objects[0]
    assert [error["row"] for error in found["errors"]] == rows
    assert {column["name"].split(".")[0] for column in found["columns"]} == {n.split(".")[0] for n in names}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nam", 'no column "nam"; the columns are id, name, large, view, map.key, map.value, items.name,'),
        ("id", 'column "id" holds no text, but int64'),
        ("address.zip", 'column "address.zip" holds no text, but int64'),
        ("\x1b", r'no column "\x1b"; the columns are'),
    ],
)
def test_wrong_column(path: Path, check: Anything, name: str, message: str) -> None:
    done = check("--column", name, path.name)
    assert done.code == ERROR
    assert done.err.startswith(f"leadbyte: {path.name}: {message}")


def test_columns_with_dots_and_of_one_name(tmp_path: Path, check: Anything) -> None:
    names = ["a.b", "a", "c", "c"]
    arrays = [column(1), pa.array(range(ROWS)), column(2), pa.array(range(ROWS))]
    write_parquet(tmp_path / "data.parquet", pa.Table.from_arrays(arrays, names))
    assert [error["row"] for error in check("--json", "data.parquet").objects[0]["errors"]] == [1, 2]
    assert check("--column", "a.b", "data.parquet").code == INVALID
    assert main(["repair", "-i", "data.parquet"]) == VALID
    assert check("data.parquet").code == VALID


def test_columns_of_one_name_are_apart(tmp_path: Path, check: Anything, repair: Anything) -> None:
    """Each is text or not by itself, and only the text is repaired."""
    arrays = [pa.array([b"\xff\xd8"] * ROWS), column(1), pa.array([b"\0"] * ROWS), column(2)]
    write_parquet(tmp_path / "data.parquet", pa.Table.from_arrays(arrays, ["c"] * 4))
    found = check("--json", "--max-errors", "1", "data.parquet").objects[0]
    assert [(column["name"], column["invalid_rows"]) for column in found["columns"]] == [
        ("c (1 of 4)", ROWS),
        ("c (2 of 4)", 1),
        ("c (4 of 4)", 1),
    ]
    assert found["columns_skipped"] == [{"name": "c (3 of 4)", "type": "binary"}]
    assert "row 1 (row group 0, row 1), column c (2 of 4): byte 3:" in check("data.parquet").out
    assert repair("-i", "data.parquet").err.endswith("1 repaired, 2 errors replaced\n")
    columns = pq.ParquetFile("data.parquet").read().columns
    assert [column[0].as_py() for column in columns] == [b"\xff\xd8", "мир", b"\0", "мир"]
    assert [columns[1][1].as_py(), columns[3][2].as_py()] == [BAD.decode("utf-8", "replace")] * 2


def test_binary_columns_with_nul_are_skipped(tmp_path: Path, check: Anything) -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0] * ROWS), pa.array([b"\0\xff"]))
    table = pa.table(
        {
            "image": pa.array([b"\x89PNG\r\n\x1a\n\0\0"] * ROWS),
            "words": words,
            "text": pa.array([b"caf\xe9"] * ROWS),
            "hash": pa.array([b"\xff"] * ROWS, pa.binary(1)),
            "id": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\xff" * 16] * ROWS, pa.binary(16))),
        }
    )
    write_parquet(tmp_path / "data.parquet", table)
    done = check("--verbose", "--max-errors", "0", "data.parquet")
    assert done.lines[:3] == [
        "data.parquet: 20 errors; not valid: 10 rows of text, 10 rows of hash",
        "data.parquet: column image skipped: binary",
        "data.parquet: column words skipped: binary",
    ]
    assert done.lines[3].endswith(": 1 not valid UTF-8; 2 columns skipped")
    assert check("--column", "image", "data.parquet").code == INVALID
    assert check("--column", "hash", "data.parquet").code == INVALID
    assert check("--column", "id", "data.parquet").code == ERROR


def test_columns_that_cannot_be_read_are_named(tmp_path: Path, check: Anything) -> None:
    union = pa.UnionArray.from_sparse(pa.array([0] * ROWS, pa.int8()), [column(1)])
    write_arrow(tmp_path / "data.arrow", pa.table({"union": union, "name": column(2)}))
    found = check("--json", "data.arrow").objects[0]
    assert found["columns_skipped"] == [{"name": "union", "type": "sparse_union<0: string=0>"}]
    assert [error["row"] for error in found["errors"]] == [2]


@pytest.mark.parametrize("kind", [pa.ListViewArray, pa.LargeListViewArray])
def test_views_of_lists(tmp_path: Path, check: Anything, kind: Anything) -> None:
    # The rows have the values in reverse order.
    numbers = pa.array(range(ROWS), pa.int64() if kind is pa.LargeListViewArray else pa.int32())
    sizes = pa.array([1] * ROWS, numbers.type)
    views = kind.from_arrays(numbers.take(pa.array(range(ROWS - 1, -1, -1))), sizes, column(2))
    write_arrow(tmp_path / "data.arrow", pa.table({"views": views}))
    found = check("--json", "data.arrow").objects[0]
    assert [error["row"] for error in found["errors"]] == [ROWS - 1 - 2]


def test_run_ends(tmp_path: Path, check: Anything) -> None:
    kind = pa.run_end_encoded(pa.int32(), pa.string())
    values = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array([b"a", BAD]))
    runs = pa.Array._import_from_c_capsule(kind.__arrow_c_schema__(), values.__arrow_c_array__()[1])
    write_arrow(tmp_path / "data.arrow", pa.table({"runs": runs}))
    assert [error["row"] for error in check("--json", "data.arrow").objects[0]["errors"]] == [2, 3, 4]


@pytest.mark.parametrize("kind", ["plain", "dictionary", "views"])
def test_run_ends_in_null_structs_and_lists(kind: str, tmp_path: Path, check: Anything) -> None:
    if kind == "views" and int(pa.__version__.partition(".")[0]) < 18:
        pytest.skip("pyarrow does not build views")
    values = pa.array([b"a", BAD], pa.binary_view() if kind == "views" else pa.binary())
    values = values.dictionary_encode() if kind == "dictionary" else values
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3, 7], pa.int32()), values)[1:]
    hidden = pa.array([False, False, False, True, False, True])
    structs = pa.StructArray.from_arrays([pa.array(range(6)), runs], ["a", "b"], mask=hidden)
    nested = pa.StructArray.from_arrays([structs], ["c"], mask=pa.array([False] * 4 + [True, False]))
    lists = pa.ListArray.from_arrays(pa.array(range(7), pa.int32()), runs, mask=hidden)
    write_arrow(tmp_path / "data.arrow", pa.table({"s": structs, "n": nested, "l": lists}))
    errors = check("--json", "--column=s", "--column=n", "--column=l", "data.arrow").objects[0]["errors"]
    found = {(error["column"], error["row"]) for error in errors}
    assert found == {("s.b", 2), ("s.b", 4), ("n.c.b", 2), ("l", 2), ("l", 4)}


def test_files_without_the_extension(path: Path, tmp_path: Path, check: Anything) -> None:
    path.rename(tmp_path / "part-0000")
    assert "column name" in check("part-0000").out
    write_arrow(tmp_path / "arrow", nested_table())
    assert "column name" in check("arrow").out
    write_stream(tmp_path / "DATA.ARROW", nested_table())
    assert "column name" in check("DATA.ARROW").out


def test_directories(path: Path, tmp_path: Path, check: Anything) -> None:
    """Files with columns are read below directories, too, and CSV files if columns are asked for."""
    write_arrow(tmp_path / "data.arrow", nested_table())
    (tmp_path / "text.txt").write_bytes(b"text")
    (tmp_path / "table.csv").write_bytes(b"id;name\n1;caf\xe9\n2;x\n")
    for options in ((), ("--json",), ("--binary",), ("--jobs=1",)):
        assert check(*options, "--exclude", "*.csv", ".").code == INVALID
    assert sorted(check("--list", ".").lines) == ["./data.arrow", "./data.parquet", "./table.csv"]
    done = check("--exclude", "*.parquet", "--exclude", "*.arrow", ".")
    assert done.lines[-1].endswith(": 1 not valid UTF-8; 2 ignored")
    done = check("--column", "name", "--verbose", ".")
    assert [line for line in done.lines if "skipped" in line] == ["./text.txt: skipped: no columns"]
    assert sum("column name" in line for line in done.lines) == 3
    assert path.name in done.out


@pytest.mark.parametrize(
    "line", ["check", "repair", "convert -f latin-1", "convert -f auto", "normalize", "mojibake repair"]
)
@pytest.mark.parametrize("start", [b"PAR1\xff", b"ARROW1\0\0\xff"])
def test_standard_input_with_columns_is_refused(tmp_path: Path, line: str, start: bytes) -> None:
    """It is not taken for text, whose repair or conversion would destroy the file."""
    reasons = {
        "convert": "columns are not converted",
        "normalize": "columns are not normalized",
        "mojibake": "columns are not repaired",
    }
    reason = reasons.get(line.partition(" ")[0], "columns are read from files, not from pipes")
    message = f"-: starts as {'Parquet' if start.startswith(b'PAR') else 'Arrow'} files do, and {reason};"
    (tmp_path / "data").write_bytes(start)
    with (tmp_path / "data").open("rb") as file:
        for source in (subprocess.PIPE, file):
            done = command.run(*line.split(), data=start, stdin=source)
            assert done.code == ERROR
            assert message in done.err
            assert not done.out.startswith(("PAR1", "ARROW1"))
    done = command.run(*line.split(), "--binary", data=start)
    assert "not from pipes" not in done.err + done.out


@pytest.mark.parametrize("line", ["convert -f latin-1", "normalize", "mojibake repair"])
def test_named_files_with_columns_are_no_text(path: Path, line: str) -> None:
    for output in ([], ["-o", "out"], ["-i"]):
        done = command.run(*line.split(), path.name, *output, cwd=path.parent)
        assert (done.code, done.out) == (ERROR, "")
        assert "only with --binary" in done.err or "--binary reads it as text" in done.err
    assert not (path.parent / "out").exists()


@posix_only
def test_pipes_with_columns_are_refused(tmp_path: Path) -> None:
    """Also if they have names, and if the first bytes come one after another."""
    os.mkfifo(tmp_path / "pipe")
    for line in (["check"], ["repair", "-o", "out"]):
        process = command.start(*line, "pipe", cwd=tmp_path)
        with (tmp_path / "pipe").open("wb", buffering=0) as pipe:
            for byte in (b"P", b"AR", b"1\xff"):
                pipe.write(byte)
                time.sleep(0.05)
        done = command.finish(process)
        assert done.code == ERROR
        assert "columns are read from files, not from pipes" in done.err
    assert not (tmp_path / "out").exists()


@posix_only
def test_long_standard_input_with_columns(tmp_path: Path) -> None:
    """Threads have read it as text already."""
    (tmp_path / "data").write_bytes(b"PAR1" + bytes(8 << 20) + b"\xff")
    with (tmp_path / "data").open("rb") as file:
        done = command.run("check", "-", stdin=file)
        assert file.tell() == file.seek(0, os.SEEK_END)
    assert "columns are read from files, not from pipes" in done.err
    assert done.code == ERROR


def test_without_pyarrow(path: Path) -> None:
    message = f'leadbyte: {path.name}: columns are read through pyarrow: pip install "leadbyte[arrow]"'
    for line in (["check"], ["repair", "-i"], ["check", "--column", "name"]):
        done = command.run(*line, path.name, cwd=path.parent, program=WITHOUT_PYARROW)
        assert (done.code, done.err.partition("\n")[0]) == (ERROR, message), line


def test_directories_without_pyarrow(path: Path, tmp_path: Path) -> None:
    """They are checked as far as possible; a warning counts the tables, and an option refuses that."""
    (tmp_path / "text.txt").write_bytes(b"text")
    (tmp_path / "other.parquet").write_bytes(path.read_bytes())
    advice = 'columns are read through pyarrow: pip install "leadbyte[arrow]"'
    warning = f"leadbyte: 2 tables below directories not read: {advice}\n"
    summary = "1 file checked (4 bytes, 4 chars): all valid UTF-8; 2 tables not read\n"
    done = command.run("check", ".", cwd=tmp_path, program=WITHOUT_PYARROW)
    assert done == (VALID, summary, warning)
    done = command.run("check", "--strict-skips", ".", cwd=tmp_path, program=WITHOUT_PYARROW)
    assert done == (INVALID, summary, warning)
    done = command.run("check", "--json", ".", cwd=tmp_path, program=WITHOUT_PYARROW)
    assert done.objects[-1]["summary"]["tables_skipped"] == 2


# CSV.


CSV = 'id,name,note\n1,fine,"two\nlines"\n2,caf\xe9,x\n\n3,NA,\xff\n4,"a ""b"" \xe9",\n'.encode("latin-1")


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("delimiter", [b",", b"\t", b";", b"|"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_csv(tmp_path: Path, check: Anything, end: bytes, delimiter: bytes, bom: bytes) -> None:
    data = bom + CSV.replace(b"\n", end).replace(b",", delimiter)
    (tmp_path / "data.csv").write_bytes(data)
    found = check("--column", "name", "--json", "data.csv").objects[0]
    assert [(error["row"], error["start"]) for error in found["errors"]] == [(1, 3), (3, 6)]
    assert found["row_count"] == 4
    done = check("--column", "note", "data.csv")
    assert done.lines[0] == "data.csv: row 2, column note: byte 0: FF never occurs in UTF-8: [ff]"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_csv_whose_header_has_line_breaks(tmp_path: Path, check: Anything, end: bytes) -> None:
    (tmp_path / "data.csv").write_bytes(b'"id\nof dish";name\n1;caf\xe9\n'.replace(b"\n", end))
    done = check("--column", "name", "data.csv")
    assert done.lines[0].startswith("data.csv: row 0, column name: byte 3: truncated 3-byte sequence")


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_csv_with_columns_of_one_name(tmp_path: Path, check: Anything, end: bytes, bom: bytes) -> None:
    data = b'a;"b\nc";a;a\n1;2;x\xe9;\n\n"3\n";4\xff;;\xff\n'.replace(b"\n", end)
    (tmp_path / "data.csv").write_bytes(bom + data)
    found = check("--column", "a", "--json", "data.csv").objects[0]
    assert [(error["row"], error["column"], error["start"]) for error in found["errors"]] == [
        (0, "a (2 of 3)", 1),
        (1, "a (3 of 3)", 0),
    ]
    assert found["row_count"] == 2
    other = f"b{end.decode()}c"
    errors = check("--column", other, "--json", "data.csv").objects[0]["errors"]
    assert [(error["row"], error["column"]) for error in errors] == [(1, other)]
    (tmp_path / "header.csv").write_bytes(b"a,a\n")
    assert check("--column", "a", "header.csv").out == "1 file checked (4 bytes, 0 rows): all valid UTF-8\n"


@pytest.mark.parametrize("header", [b"id,name", b'\xef\xbb\xbf"i\nd",name', b"id,name\r", b"id,name\n\n"])
def test_csv_without_rows(tmp_path: Path, check: Anything, header: bytes) -> None:
    (tmp_path / "data.csv").write_bytes(header)
    assert check("--column", "name", "data.csv").out == (
        f"1 file checked ({len(header)} bytes, 0 rows): all valid UTF-8\n"
    )


def test_csv_whose_header_has_an_open_quote(tmp_path: Path, check: Anything) -> None:
    (tmp_path / "data.csv").write_bytes(b'id,"name\n\xff\xff,1\n2,3\n')
    done = check("--column", "id", "data.csv")
    assert (done.code, "without --column it is read as text" in done.err) == (ERROR, True)


def test_csv_header_that_is_not_utf8(tmp_path: Path, check: Anything) -> None:
    (tmp_path / "data.csv").write_bytes(b"caf\xe9,name\n1,2\n\xff,\xfe\n")
    errors = check("--column", "caf\ufffd", "--column", "name", "--json", "data.csv").objects[0]["errors"]
    assert [(error["row"], error["column"]) for error in errors] == [(1, "caf\ufffd"), (1, "name")]


def test_csv_without_column_is_text(tmp_path: Path, check: Anything) -> None:
    (tmp_path / "data.csv").write_bytes(CSV)
    assert check("data.csv").lines[0].startswith("data.csv:4:6: byte 37:")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", 'no column "name"; there is none'),
        (b"a;b\n1;2\n", 'no column "name"; the columns are a, b'),
        (
            b"id,name\n1,2\n1,2,3\n",
            "CSV parse error: Expected 2 columns, got 3: 1,2,3; without --column it is ",
        ),
        (b'"' + b"a" * (1 << 18), 'no column "name"; there is none'),
        (b"a,b\n1,caf\xe9\n", 'no column "name"; the columns are a, b'),
        ("name\n1\n".encode("utf-16"), "not CSV in UTF-8, but in utf-16; leadbyte convert converts it"),
        ("name\n1\n".encode("utf-16-be"), "not CSV in UTF-8, but in utf-16-be; leadbyte convert converts it"),
        (gzip.compress(b"name\n1\n"), "not CSV, but gzip"),
        (b"%PDF-1.4\n", "not CSV, but pdf"),
    ],
)
def test_malformed_csv(tmp_path: Path, check: Anything, data: bytes, message: str) -> None:
    (tmp_path / "data.csv").write_bytes(data)
    done = check("--column", "name", "data.csv")
    assert done.code == ERROR
    assert done.err.startswith(f"leadbyte: data.csv: {message}")
    assert len(done.err.splitlines()) == 1


@posix_only
def test_csv_from_a_pipe(tmp_path: Path) -> None:
    done = command.run("check", "--column", "name", "-", data=CSV, cwd=tmp_path)
    assert (done.code, done.err) == (ERROR, "leadbyte: -: columns are read from files, not from pipes\n")


# Repair.


def expected(replacement: str) -> list[Anything]:
    """Return the rows of the table with nested columns, repaired."""
    text = BAD.decode("utf-8", "replace").replace("\ufffd", replacement)
    rows: list[dict[str, Any]] = [dict.fromkeys(("name", "large", "view"), "мир") for _ in range(ROWS)]
    for row, values in enumerate(rows):
        values |= {name: text for name in values if BAD_ROWS[name] == row}
        inner: dict[str, Any] = {name: text if bad == row else "мир" for name, bad in BAD_ROWS.items()}
        values |= {
            "id": row,
            "map": [("key", inner["map.value"])],
            "items": [{"name": inner["items.name"]}],
            "kind": text if row == 8 else "fine",
            "address": {"zip": row, "city": inner["address.city"]},
        }
    return rows


@pytest.mark.parametrize("replacement", ["\ufffd", "", "<é>"])
def test_repair_to_a_file(path: Path, repair: Anything, replacement: str) -> None:
    before = path.read_bytes()
    done = repair("--replacement", replacement, path.name, "-o", "new.parquet")
    change = "replaced" if replacement else "dropped"
    assert (done.code, done.out) == (VALID, "")
    assert done.err.splitlines()[-1] == f"1 file read: 1 repaired, 7 errors {change}"
    assert path.read_bytes() == before
    new = pq.ParquetFile("new.parquet")
    new_table = new.read()
    new_table.validate(full=True)
    assert new_table.to_pylist() == expected(replacement)
    assert new.schema_arrow.equals(pq.ParquetFile(path.name).schema_arrow, check_metadata=True)
    assert new.schema.equals(pq.ParquetFile(path.name).schema)
    assert [new.metadata.row_group(group).num_rows for group in range(3)] == [4, 4, 2]
    assert main(["check", "new.parquet"]) == VALID


def test_polars_reads_the_repaired_file(path: Path, repair: Anything) -> None:
    polars = pytest.importorskip("polars")
    assert repair("-i", path.name).code == VALID
    frame = polars.read_parquet(path.name)
    assert frame["name"].to_list() == pq.read_table(path.name)["name"].to_pylist()
    assert frame["address"].struct["city"].to_list()[-1] == "caf\ufffd au lait"


def test_repair_in_place_and_backup(path: Path, repair: Anything) -> None:
    before = path.read_bytes()
    path.chmod(0o640)
    assert repair("-i", "--backup", ".bak", path.name).code == VALID
    assert path.with_name("data.parquet.bak").read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert main(["check", "--quiet", path.name]) == VALID


def test_column_named_as_the_schema_of_arrow(tmp_path: Path, repair: Anything) -> None:
    table = pa.table({"ARROW:schema": column(1), "kind": column(2).dictionary_encode()})
    write_parquet(tmp_path / "data.parquet", table)
    assert repair("-i", "data.parquet").code == VALID
    repaired = pq.read_table("data.parquet")
    assert repaired.schema == table.schema
    assert repaired["ARROW:schema"].to_pylist()[1] == repaired["kind"].to_pylist()[2] == "caf\ufffd au lait"


def test_nothing_to_repair(tmp_path: Path, repair: Anything) -> None:
    file = tmp_path / "data.parquet"
    write_parquet(file, pa.table({"name": column(), "bytes": pa.array([b"\xff"] * ROWS)}))
    before, status = file.read_bytes(), file.stat()
    assert repair("-i", "--verbose", "data.parquet") == (
        VALID,
        "",
        "data.parquet: unchanged\ndata.parquet: column bytes skipped: binary\n1 file read: 1 unchanged\n",
    )
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (status.st_ino, status.st_mtime_ns)
    assert repair("data.parquet", "-o", "copy.parquet").code == VALID
    assert (tmp_path / "copy.parquet").read_bytes() == before


def test_binary_columns_are_repaired_by_name_only(tmp_path: Path, repair: Anything) -> None:
    table = pa.table({"name": column(1), "bytes": pa.array([b"a\xff"] * ROWS)})
    write_parquet(tmp_path / "data.parquet", table)
    repair("-i", "data.parquet")
    assert pq.read_table("data.parquet")["bytes"].to_pylist() == [b"a\xff"] * ROWS
    repair("-i", "--column", "bytes", "data.parquet")
    assert pq.read_table("data.parquet")["bytes"].to_pylist() == ["a\ufffd".encode()] * ROWS


@pytest.mark.parametrize("name", ["data.parquet", "data.arrow"])
@pytest.mark.parametrize("nested", ["", "list", "struct", "dictionary"])
def test_bytes_of_a_fixed_size_are_checked(tmp_path: Path, check: Anything, name: str, nested: str) -> None:
    text = pa.array([b"abc"] * 3 + [b"a\xffb", None], pa.binary(3))
    image = pa.array([b"\0\xff"] * 5, pa.binary(2))
    if nested == "list":
        text, image = (pa.FixedSizeListArray.from_arrays(array, 1) for array in (text, image))
    elif nested == "struct":
        text, image = (pa.StructArray.from_arrays([array], ["a"]) for array in (text, image))
    elif nested == "dictionary":
        text, image = text.dictionary_encode(), image.dictionary_encode()
    FORMATS[name][0](tmp_path / name, pa.table({"text": text, "image": image}))
    found = check("--json", name).objects[0]
    column = "text.a" if nested == "struct" else "text"
    assert [(error["row"], error["column"], error["start"]) for error in found["errors"]] == [(3, column, 1)]
    assert [column["name"].partition(".")[0] for column in found["columns_skipped"]] == ["image"]


def test_repair_of_bytes_of_a_fixed_size(tmp_path: Path, repair: Anything) -> None:
    rows = [b"abc", b"a\xffb", None]
    table = pa.table({"code": pa.array(rows, pa.binary(3)), "codes": pa.array([[row] for row in rows])})
    kinds = {"code": pa.binary(3), "codes": pa.list_(pa.binary(3))}
    write_parquet(tmp_path / "data.parquet", table.cast(pa.schema([*kinds.items()])))
    assert "column code skipped: fixed_size_binary[3]" in repair("-i", "--verbose", "data.parquet").err
    for name in kinds:
        done = repair("-i", "--column", name, "data.parquet")
        assert done.code == ERROR
        assert done.err.startswith(
            f'leadbyte: data.parquet: column "{name}" has values of a fixed size of 3 bytes, '
            "but a repaired one has 5: cast the column to binary first"
        )
    assert pq.read_table("data.parquet")["code"].to_pylist() == rows
    assert repair("-i", "--replacement=?", "--column=code", "--column=codes", "data.parquet").code == VALID
    repaired = pq.read_table("data.parquet")
    assert repaired["code"].to_pylist() == [b"abc", b"a?b", None]
    assert repaired["codes"].to_pylist() == [[b"abc"], [b"a?b"], [None]]
    assert repaired.schema.types == [*kinds.values()]


def test_only_the_named_columns_are_repaired(path: Path, check: Anything, repair: Anything) -> None:
    done = repair("-i", "--column", "name", "--column", "address", path.name)
    assert done.err.endswith("2 errors replaced\n")
    errors = check("--json", path.name).objects[0]["errors"]
    assert {error["column"] for error in errors} == {*BAD_ROWS} - {"name", "address.city"}


def test_repair_to_standard_output(path: Path) -> None:
    code, out, err = command.run_binary("repair", "--quiet", path.name, cwd=path.parent)
    assert (code, err) == (VALID, "")
    assert pq.read_table(pa.BufferReader(out)).num_rows == ROWS


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="threads no longer end with the interpreter")
@pytest.mark.parametrize("arguments", [["repair", "--quiet"], ["check", "--quiet"]])
def test_threads_of_pyarrow_outlive_the_command(path: Path, arguments: list[str]) -> None:
    # Nothing of the interpreter is finalized, of which they might need objects.
    program = f"import atexit; atexit.register(print, 'finalized'); {command.RUN}"
    process = command.start(*arguments, path.name, cwd=path.parent, program=program)
    out, err = command.communicate(process, b"")
    assert (process.returncode, err) == (VALID if "repair" in arguments else INVALID, b"")
    assert b"finalized" not in out


def test_dry_runs(path: Path, repair: Anything) -> None:
    before = path.read_bytes()
    for options in (["-n"], ["-n", "-i"], ["-n", "-o", "new.parquet"]):
        done = repair(*options, path.name)
        assert done.lines[0] == f"{path.name}: would be repaired"
        assert done.lines[-1] == "1 file read: 1 would be repaired, 7 errors would be replaced"
    assert repair("--check", path.name).code == INVALID
    assert os.listdir() == [path.name]
    assert path.read_bytes() == before


def test_repair_as_json(path: Path, repair: Anything) -> None:
    done = repair("--json", "-i", path.name)
    found, summary = map(json.loads, done.err.splitlines())
    assert (found["result"], found["error_count"], found["not_kept"]) == ("repaired", 7, [])
    assert summary["summary"]["error_count"] == 7


def test_what_is_kept(tmp_path: Path, repair: Anything) -> None:
    name = pa.field("name", pa.string(), nullable=False, metadata={"PARQUET:field_id": "7", "k": "v"})
    numbers = pa.array(range(ROWS), pa.uint32())
    schema = pa.schema([name, pa.field("id", pa.uint32()), ("raw", pa.string())], metadata={"origin": "here"})
    table = pa.Table.from_arrays([column(2), numbers, column()], schema=schema)
    write_parquet(
        tmp_path / "data.parquet",
        table,
        compression={"name": "gzip", "id": "none", "raw": "zstd"},
        use_dictionary=["raw"],
        column_encoding={"name": "DELTA_BYTE_ARRAY", "id": "DELTA_BINARY_PACKED"},
        write_statistics=["id"],
        write_page_index=True,
        bloom_filter_options={"raw": {"ndv": ROWS}},
        sorting_columns=[pq.SortingColumn(1), pq.SortingColumn(0)],
    )
    old = pq.ParquetFile("data.parquet")
    done = repair("--verbose", "data.parquet", "-o", "new.parquet")
    # The repaired names may be in another order.
    assert "data.parquet: not kept: sort order of name\n" in done.err
    new = pq.ParquetFile("new.parquet")
    assert new.schema_arrow.equals(schema, check_metadata=True)
    assert new.metadata.metadata[b"origin"] == b"here"
    for index in range(3):
        for before, after in zip(columns(old, index), columns(new, index), strict=True):
            for fact in (
                "compression",
                "encodings",
                "is_stats_set",
                "has_dictionary_page",
                "has_offset_index",
            ):
                assert getattr(before, fact) == getattr(after, fact), (before.path_in_schema, fact)
            assert (before.bloom_filter_offset is None) == (after.bloom_filter_offset is None)
        assert new.metadata.row_group(index).sorting_columns == (pq.SortingColumn(1),)


def columns(file: Anything, group: int) -> list[Anything]:
    """Return the metadata of all columns in a row group."""
    metadata = file.metadata.row_group(group)
    return [metadata.column(index) for index in range(metadata.num_columns)]


TIMES = pa.array([1], pa.timestamp("us"))


@pytest.mark.parametrize(
    ("other", "options"),
    [
        (TIMES, {"use_deprecated_int96_timestamps": True, "store_schema": False}),
        (TIMES, {"version": "1.0", "store_schema": False}),
        (pa.array([1], pa.timestamp("ns", "UTC")), {}),
        (pa.array([10**6], pa.timestamp("ns")), {"version": "1.0", "coerce_timestamps": "ms"}),
        (pa.array([1], pa.time64("us")), {"write_time_adjusted_to_utc": True, "store_schema": False}),
        (pa.array([1], pa.duration("ms")), {}),
        (pa.array([decimal.Decimal("1.5")], pa.decimal128(9, 2)), {"store_decimal_as_integer": True}),
        (pa.array([decimal.Decimal("1.5")], pa.decimal128(9, 2)), {}),
        (pa.array([["a", None]]), {"use_compliant_nested_type": False}),
        (pa.array([[{"a": ["b"]}]]), {}),
        (pa.array([["a", "b"]], pa.list_(pa.string(), 2)), {}),
        (pa.array([["a"]], pa.large_list(pa.large_string())), {}),
        (pa.array([1], pa.uint32()), {"version": "1.0"}),
        (pa.array(["{}"], pa.string()).cast(pa.json_()), {"store_schema": False}),
        (pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\xff" * 16], pa.binary(16))), {}),
        (pa.nulls(1), {}),
    ],
    ids=str,
)
def test_types_are_kept(tmp_path: Path, repair: Anything, other: Anything, options: Anything) -> None:
    table = pa.table({"name": strings([BAD]), "other": other})
    pq.write_table(table, tmp_path / "data.parquet", **options)
    old = pq.ParquetFile("data.parquet")
    before = old.read()
    assert repair("-i", "data.parquet").code == VALID
    new = pq.ParquetFile("data.parquet")
    assert new.schema.equals(old.schema)
    assert new.schema_arrow.equals(old.schema_arrow, check_metadata=True)
    assert new.metadata.format_version == old.metadata.format_version
    assert new.read()["other"].equals(before["other"])
    assert new.read()["name"].to_pylist() == ["caf\ufffd au lait"]


def test_types_that_cannot_be_kept(tmp_path: Path, repair: Anything) -> None:
    file = tmp_path / "data.parquet"
    pq.write_table(pa.table({"name": strings([BAD]), "kind": ["a"]}), file, store_schema=False)
    # In the schema, the type STRING of a column becomes ENUM, which pyarrow does not write.
    string, enum = b"\x18\x04kind\x25\x00\x4c\x1c\x00", b"\x18\x04kind\x25\x08\x4c\x4c\x00"
    assert file.read_bytes().count(string) == 1
    file.write_bytes(file.read_bytes().replace(string, enum))
    before = file.read_bytes()
    changed = "type of kind (BYTE_ARRAY Enum became BYTE_ARRAY)"
    done = repair("-i", "data.parquet")
    assert (done.code, done.err.splitlines()[0]) == (
        ERROR,
        f"leadbyte: data.parquet: left unchanged, as not all is kept: {changed}; -o writes to another file",
    )
    assert command.read_all(tmp_path) == {file.name: before}
    assert f"data.parquet: not kept: {changed}\n" in repair("data.parquet", "-o", "new.parquet").err
    assert pq.read_table("new.parquet")["kind"].to_pylist() == [b"a"]


def test_column_that_pyarrow_cannot_write_again(tmp_path: Path, repair: Anything) -> None:
    if int(pa.__version__.partition(".")[0]) < 18:
        pytest.skip("pyarrow does not build views")
    views = pa.array([b"a", b"\xff"], pa.binary_view())
    views = pa.Array.from_buffers(pa.string_view(), 2, views.buffers())
    lists = pa.FixedSizeListArray.from_arrays(views, 1, mask=pa.array([True, False]))
    pq.write_table(pa.table({"menu": lists}), tmp_path / "data.parquet")
    done = repair("data.parquet", "-o", "new.parquet")
    assert (done.code, (tmp_path / "new.parquet").exists()) == (ERROR, False)
    assert done.err.startswith(
        f'leadbyte: data.parquet: pyarrow {pa.__version__} cannot write column "menu" of type '
    )


def test_rows_of_row_groups_are_kept(tmp_path: Path, repair: Anything) -> None:
    with pq.ParquetWriter(tmp_path / "data.parquet", pa.schema([("name", pa.string())])) as writer:
        for length in (2, 0, 5):
            writer.write_table(pa.table({"name": column(1).slice(0, length)}))
    assert repair("-i", "data.parquet").code == VALID
    metadata = pq.ParquetFile("data.parquet").metadata
    assert [metadata.row_group(group).num_rows for group in range(3)] == [2, 0, 5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data.arrow", "-i"], "the columns of Arrow files are only checked, not repaired"),
        (["data.arrow"], "the columns of Arrow files are only checked, not repaired"),
        (["data.csv", "-i", "--column", "name"], "the columns of CSV files are only checked, not repaired"),
        (["data.parquet", "data.csv"], "a file with columns cannot be joined with others; -i repairs each"),
        (
            ["data.parquet", "--substitution", "java"],
            "--substitution is for texts, not for files with columns",
        ),
        (["data.parquet", "-i", "--substitution", "go"], "--substitution is for texts, not for files with"),
    ],
)
def test_what_is_not_repaired(
    path: Path, tmp_path: Path, repair: Anything, arguments: list[str], message: str
) -> None:
    write_arrow(tmp_path / "data.arrow", nested_table())
    (tmp_path / "data.csv").write_bytes(CSV)
    before = command.read_all(tmp_path)
    done = repair(*arguments)
    assert done.code == ERROR
    assert f"leadbyte: {arguments[0]}: {message}" in done.err
    assert command.read_all(tmp_path) == before
    assert path.name in before


def test_directories_are_repaired_with_binary(path: Path, tmp_path: Path, repair: Anything) -> None:
    (tmp_path / "text.txt").write_bytes(b"\xff")
    before = path.read_bytes()
    assert "1 binary file skipped" in repair("-i", ".").err
    assert path.read_bytes() == before
    assert repair("-i", "--binary", ".").code == VALID
    assert main(["check", "--binary", "."]) == VALID


def test_file_that_changes_before_it_is_repaired(
    path: Path, repair: Anything, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors of the old file are not looked for in another one."""
    replace = Writing.replace

    def change(writing: Writing, name: str, *arguments: Anything, **options: Anything) -> Anything:
        write_parquet(path, pa.table({"name": column(1)}))
        return replace(writing, name, *arguments, **options)

    monkeypatch.setattr(Writing, "replace", change)
    done = repair("-i", path.name)
    assert (done.code, "changed while it was read, and is left unchanged" in done.err) == (ERROR, True)
    assert pq.read_metadata(path).num_columns == 1
    assert main(["check", "--quiet", path.name]) == INVALID


@posix_only
def test_nothing_is_written_to_a_terminal(path: Path) -> None:
    done = command.on_terminal("repair", path.name, cwd=path.parent, rich=False)
    assert done.code == ERROR
    assert done.out.startswith(f"leadbyte: {path.name}: a file with columns is not written to a terminal; -o")


@posix_only
def test_full_disk(path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    done = command.run("repair", path.name, "-o", "/dev/full", cwd=path.parent)
    assert done.code == ERROR
    assert done.err.splitlines()[-1] == "leadbyte: /dev/full: No space left on device"


@posix_only
def test_interrupt_leaves_the_file(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    table = pa.table({"name": strings([BAD, *[b"text %d" % row for row in range(700)]])})
    pq.write_table(table, file, row_group_size=1)
    before = file.read_bytes()
    process = command.start("repair", "-i", file.name, cwd=tmp_path)
    deadline = time.monotonic() + command.TIMEOUT
    while len(os.listdir(tmp_path)) == 1 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    done = command.finish(process)
    assert (done.code, done.err) == (INTERRUPTED, "leadbyte: interrupted\n")
    assert command.read_all(tmp_path) == {file.name: before}


# Malformed files.


@pytest.mark.parametrize("name", FORMATS)
def test_truncated_files(tmp_path: Path, check: Anything, name: str) -> None:
    write, _ = FORMATS[name]
    write(tmp_path / name, pa.table({"name": column(1)}))
    data = (tmp_path / name).read_bytes()
    for length in {0, 1, 6, 8, len(data) // 2, len(data) - 9, len(data) - 1}:
        (tmp_path / name).write_bytes(data[:length])
        done = check(name)
        assert done.code == ERROR or "stream" in name
        assert all(line.startswith(f"leadbyte: {name}: ") for line in done.err.splitlines())


def test_data_after_a_stream(tmp_path: Path, check: Anything) -> None:
    write_stream(tmp_path / "data.arrows", pa.table({"name": column()}))
    stream = (tmp_path / "data.arrows").read_bytes()
    (tmp_path / "data.arrows").write_bytes(stream * 2)
    done = check("data.arrows")
    assert done.code == ERROR
    assert done.err.endswith(f"data follows the end of the stream, from byte {len(stream):,} on\n")


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(tmp_path: Path, check: Anything, repair: Anything, name: str) -> None:
    """Whatever is read, nothing crashes."""
    write, _ = FORMATS[name]
    write(tmp_path / name, nested_table())
    data = (tmp_path / name).read_bytes()
    rng = random.Random(name)
    for _ in range(20 if IS_REDUCED else 60):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 2, 8])):
            damaged[rng.randrange(len(data))] = rng.choice([0, 1, 127, 128, 255])
        (tmp_path / name).write_bytes(damaged)
        assert check(name).code in {VALID, INVALID, ERROR}
        # Unlike in place, the new file is made in this dry run.
        assert repair("-n", "-o", "new.parquet", name).code in {VALID, ERROR}


def test_page_without_rows(tmp_path: Path, check: Anything) -> None:
    """Pyarrow ends the row group there, without an error."""
    table = pa.table({"s": strings([*[b"fine"] * 31, BAD])})
    pq.write_table(table, tmp_path / "data.parquet", compression="none", use_dictionary=False)
    data = (tmp_path / "data.parquet").read_bytes()
    # The header of the page, and its number of values: 32 becomes 0.
    assert data.count(b"\x2c\x15\x40") == 1
    (tmp_path / "data.parquet").write_bytes(data.replace(b"\x2c\x15\x40", b"\x2c\x15\x00"))
    done = check("data.parquet")
    assert done.code == ERROR
    assert done.err == "leadbyte: data.parquet: row group 0 has 32 rows, of which 0 can be read\n"


def test_pages_with_wrong_checksums(tmp_path: Path, check: Anything, repair: Anything) -> None:
    """Also of columns that are only copied: the new page would have a checksum of the damaged data."""
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    table = pa.table({"n": [0x12345678], "s": strings([BAD])})
    pq.write_table(table, tmp_path / "data.parquet", write_page_checksum=True, **options)
    data = (tmp_path / "data.parquet").read_bytes()
    (tmp_path / "data.parquet").write_bytes(data.replace(b"caf\xe9", b"cag\xe9"))
    assert "CRC checksum verification failed" in check("data.parquet").err
    (tmp_path / "data.parquet").write_bytes(data.replace(b"\x78\x56\x34\x12", b"\x78\x56\x34\x13"))
    assert check("data.parquet").code == INVALID
    assert "CRC checksum verification failed" in repair("-i", "data.parquet").err


@pytest.mark.parametrize("name", FORMATS)
def test_name_that_is_not_utf8(tmp_path: Path, check: Anything, name: str) -> None:
    FORMATS[name][0](tmp_path / name, pa.table({"cafe": column()}))
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data.replace(b"cafe", b"caf\xe9"))
    assert check(name).err == f'leadbyte: {name}: the name of a column is not UTF-8: "caf\\xe9"\n'


def test_long_rows_of_one_value(tmp_path: Path, check: Anything) -> None:
    """Memory does not grow with the number of rows in a row group."""
    values = pa.DictionaryArray.from_arrays(pa.array([0] * (1 << 15)), pa.array(["a" * 4000]))
    pq.write_table(pa.table({"s": values}), tmp_path / "data.parquet")
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool := pa.proxy_memory_pool(before))
    try:
        assert check("data.parquet").code == VALID
    finally:
        pa.set_memory_pool(before)
    assert pool.max_memory() < 100 << 20


def test_unknown_codec(tmp_path: Path, check: Anything) -> None:
    pq.write_table(pa.table({"s": strings([BAD])}), tmp_path / "data.parquet", compression="snappy")
    data = (tmp_path / "data.parquet").read_bytes()
    # The path of the column, and its codec: SNAPPY becomes LZO.
    assert data.count(b"\x19\x18\x01s\x15\x02") == 1
    (tmp_path / "data.parquet").write_bytes(data.replace(b"\x19\x18\x01s\x15\x02", b"\x19\x18\x01s\x15\x06"))
    done = check("data.parquet")
    assert done.code == ERROR
    assert "LZO" in done.err.upper()


def test_text_with_the_name_of_parquet(tmp_path: Path, check: Anything) -> None:
    (tmp_path / "data.parquet").write_bytes(b"not Parquet\n")
    (tmp_path / "good.txt").write_bytes(b"text")
    done = check("data.parquet", "good.txt")
    assert done.code == ERROR
    assert done.err.startswith("leadbyte: data.parquet: Parquet magic bytes not found")
    assert done.lines == ["1 file checked (4 bytes, 4 chars): all valid UTF-8; 1 failed"]


@posix_only
def test_progress(tmp_path: Path) -> None:
    table = pa.table({"name": strings([b"text %d" % row for row in range(1500)])})
    pq.write_table(table, tmp_path / "data.parquet", row_group_size=1)
    shown = command.on_terminal("check", "data.parquet", cwd=tmp_path, rich=False, early_progress=True)
    assert "\r\x1b[K" in shown.out
    assert shown.code == VALID


def test_encrypted_file(tmp_path: Path, check: Anything) -> None:
    encryption = pytest.importorskip("pyarrow.parquet.encryption")
    properties = encryption.create_encryption_properties(footer_key=b"0" * 16)
    pq.write_table(pa.table({"s": ["a"]}), tmp_path / "data", encryption_properties=properties)
    done = check("data")
    assert done.code == ERROR
    assert re.match("leadbyte: data: .*encrypt", done.err)
