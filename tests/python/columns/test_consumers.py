"""Columns from other libraries, and results in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from leadbyte import arrow

if TYPE_CHECKING:
    from strategies import Anything

lba: Any = arrow
ROWS = [b"soup", "crème brûlée, which is longer than a view".encode(), None, b"caf\xe9", b""]
REPLACED = [None if row is None else row.decode(errors="replace") for row in ROWS]


def test_polars() -> None:
    pl = pytest.importorskip("polars", minversion="2")
    series = pl.Series("dish", ROWS, dtype=pl.Binary)
    decoded = pl.Series(lba.decode(series, errors="replace"))
    assert (decoded.name, decoded.dtype, decoded.to_list()) == ("dish", pl.String, REPLACED)
    assert pl.Series(lba.count_chars(series[1:])).to_list() == [41, None, 4, 0]
    table = pl.DataFrame({"id": range(5), "dish": series})
    assert pl.DataFrame(lba.errors(table, column="dish")).to_dicts() == [
        {
            "row": 3,
            "offset": 3,
            "kind": "truncated",
            "reason": "unexpected end of data",
            "data": b"\xe9",
        }
    ]
    text = pl.Series(["a", None, "b", "a"], dtype=pl.Categorical)
    assert pl.Series(lba.repair(text)).to_list() == ["a", None, "b", "a"]
    found = pl.Series(lba.detect(series[:3], per_row=True)).struct.field("encoding")
    assert found.to_list() == ["ascii", "utf-8", None]


def test_nanoarrow() -> None:
    na = pytest.importorskip("nanoarrow")
    array = na.Array(ROWS, na.binary())
    assert na.Array(lba.decode(array, errors="replace")).to_pylist() == REPLACED
    assert na.Array(lba.is_valid_utf8(array)).to_pylist() == [True, True, None, False, True]
    stream = na.ArrayStream(lba.decode(na.ArrayStream(array), errors="null"))
    assert [item for chunk in stream for item in na.Array(chunk).to_pylist()] == [*REPLACED[:3], None, ""]


def test_arro3() -> None:
    core = pytest.importorskip("arro3.core")
    array = core.Array(ROWS, core.DataType.binary_view())
    decoded = core.Array.from_arrow(lba.decode(array, errors="replace"))
    assert decoded.to_pylist() == REPLACED
    table: Anything = core.Table.from_pydict({"dish": array})
    column = core.ChunkedArray.from_arrow(lba.repair(table, column="dish"))
    assert column.to_pylist() == [None if row is None else row.encode() for row in REPLACED]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas", minversion="3")
    pa = pytest.importorskip("pyarrow", minversion="16")
    series = pd.Series(["a", None, "é"], dtype="string[pyarrow]")
    assert pa.chunked_array(lba.count_chars(series)).to_pylist() == [1, None, 1]
    frame = pd.DataFrame({"dish": series})
    assert pa.chunked_array(lba.decode(frame, column="dish")).to_pylist() == ["a", None, "é"]
