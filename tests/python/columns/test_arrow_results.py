"""The results of leadbyte.arrow as Python objects and as columns of other libraries."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from leadbyte import arrow

pa = pytest.importorskip("pyarrow", minversion="16")

if TYPE_CHECKING:
    from strategies import Anything

lba: Any = arrow
ROWS = [b"soup", "crème brûlée, which is longer than a view".encode(), None, b"caf\xe9", b""] * 700


def results(values: Anything) -> list[Any]:
    """Return a result of each type."""
    return [
        lba.is_valid_utf8(values),
        lba.count_chars(values),
        lba.decode(values, errors="replace"),
        lba.repair(values),
        lba.errors(values),
        lba.detect(values[:20], per_row=True),
        lba.transcode(values, "latin-1", "utf-16"),
    ]


@pytest.mark.parametrize(
    "kind", [pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.binary())], ids=str
)
def test_rows(kind: Anything) -> None:
    array = pa.array(ROWS).cast(kind) if kind == pa.large_binary() else pa.array(ROWS, kind)
    for values in (array, array[3:], array[:0], pa.chunked_array([array[:5], array[5:5], array[5:]])):
        for result in results(values):
            other = result.to_pyarrow()
            assert type(other) is type(values) or not isinstance(values, pa.ChunkedArray)
            rows = other.to_pylist()
            assert result.to_pylist() == rows
            assert list(result) == [row for row in result] == rows  # noqa: C416
            assert len(result) == len(rows)


def test_runs_and_lists() -> None:
    runs = pa.RunEndEncodedArray.from_arrays([2, 1025, 3000], [b"a", None, b"\xff"])
    assert lba.decode(runs, errors="ignore").to_pylist() == ["a"] * 2 + [None] * 1023 + [""] * 1975
    assert lba.count_chars(runs).to_pylist() == [1] * 2 + [None] * 1023 + [1] * 1975
    lists = pa.array([[b"a", None], None, []] * 1000)
    assert list(lba.repair(lists)) == lists.to_pylist()


def test_iterators() -> None:
    result = lba.decode(pa.array(ROWS), errors="replace")
    first, second = iter(result), iter(result)
    assert next(first) == "soup"
    assert [*first] == [*second][1:]
    assert next(first, None) is None
    assert iter(first) is first


def test_no_row_is_lost_after_an_exception() -> None:
    testcapi = pytest.importorskip("_testcapi")
    result = lba.repair(pa.array(ROWS))
    for number in (1, 10, 100):
        rows, first = iter(result), []
        testcapi.set_nomemory(number, number + 1)
        try:
            first.append(next(rows))
        except MemoryError:
            continue
        finally:
            testcapi.remove_mem_hooks()
            assert [*first, *rows] == result.to_pylist()


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    for values in (pa.array(ROWS), pa.chunked_array([ROWS[:9], ROWS[9:]])):
        series = lba.decode(values, errors="replace").to_polars()
        assert (type(series), series.dtype) == (pl.Series, pl.String)
        assert series.to_list() == [None if row is None else row.decode(errors="replace") for row in ROWS]
    assert lba.errors(pa.array([b"\xff"])).to_polars().struct.field("kind").to_list() == ["invalid_start"]


def test_runs_become_rows_of_polars() -> None:
    pytest.importorskip("polars")
    pc = pytest.importorskip("pyarrow.compute")
    runs = pc.run_end_encode(pa.array([b"a\xff", b"a\xff", None, b"b"]))
    for values in (runs, pa.chunked_array([runs, runs[1:]])):
        result = lba.repair(values, replacement="?")
        assert result.to_polars().to_list() == result.to_pylist()


def test_strings_that_change() -> None:
    """A result shares the memory of its rows, which another program may change."""
    memory = bytearray(b"soup")
    buffers = [None, pa.py_buffer(b"\0\0\0\0\4\0\0\0"), pa.py_buffer(memory)]
    result = lba.decode(pa.Array.from_buffers(pa.binary(), 1, buffers))
    assert result.to_pylist() == ["soup"]
    memory[0] = 0xFF
    for read in (result.to_pylist, lambda: list(result)):
        with pytest.raises(UnicodeDecodeError):
            read()


@pytest.mark.parametrize(("missing", "call"), [("pyarrow", "to_pyarrow"), ("polars", "to_polars")])
def test_missing_package(missing: str, call: str) -> None:
    script = f"""
import sys
sys.modules[{missing!r}] = None
sys.path[:0] = {sys.path!r}
from c_data import Rows
from leadbyte import arrow
result = arrow.decode(Rows([b"soup", None]))
assert result.to_pylist() == list(result) == ["soup", None]
result.{call}()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"{call}() requires {missing}, which is not installed: pip install {missing}" in done.stderr
