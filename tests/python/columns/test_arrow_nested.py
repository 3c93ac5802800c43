"""leadbyte.arrow over lists and columns nested in structs, compared with Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow", minversion="16")

from layouts import BINARY, EXAMPLES, chunks, items  # noqa: E402
from leadbyte import arrow  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

lba: Any = arrow
CELLS = st.none() | st.sampled_from([b"", b"soup", b"caf\xe9", "мир, longer than a view".encode(), b"\xff"])
FIELD = st.none() | st.fixed_dictionaries({"b": CELLS})
# The name of a column, its type, and values of it.
KINDS: dict[str, tuple[str | None, Any, Any]] = {
    "list": (None, pa.list_(pa.binary()), st.none() | st.lists(CELLS, max_size=3)),
    "large_list": (None, pa.large_list(pa.large_binary()), st.none() | st.lists(CELLS, max_size=3)),
    "fixed_size_list": (None, pa.list_(pa.binary(), 2), st.none() | st.lists(CELLS, min_size=2, max_size=2)),
    "list of lists": (
        None,
        pa.list_(pa.list_(pa.binary())),
        st.none() | st.lists(st.none() | st.lists(CELLS, max_size=2), max_size=2),
    ),
    "struct": ("b", pa.struct({"a": pa.int8(), "b": pa.binary()}), FIELD),
    "struct of structs": (
        "a.b",
        pa.struct({"a": pa.struct({"b": pa.binary()})}),
        st.none() | st.fixed_dictionaries({"a": FIELD}),
    ),
    "list of structs": (
        "b",
        pa.list_(pa.struct({"b": pa.binary()})),
        st.none() | st.lists(FIELD, max_size=3),
    ),
    "map": (
        "value",
        pa.map_(pa.string(), pa.binary()),
        st.none() | st.lists(st.tuples(st.just("key"), CELLS), max_size=3),
    ),
}


def mapped(value: Anything, function: Callable[[bytes], Anything]) -> Anything:
    """Return what a function makes of the texts in a value, however they are nested."""
    if isinstance(value, list):
        return [mapped(item, function) for item in value]
    if isinstance(value, tuple):
        return mapped(value[1], function)
    if isinstance(value, dict):
        return mapped(value.get("a", value.get("b")), function)
    return None if value is None else function(value)


def texts(value: Anything) -> list[bytes]:
    """Return all texts in a value, in order."""
    found: list[bytes] = []
    mapped(value, found.append)
    return found


@EXAMPLES
@given(kind=st.sampled_from(list(KINDS)), data=st.data())
def test_nested_columns(kind: str, data: st.DataObject) -> None:
    column, data_type, values = KINDS[kind]
    rows = data.draw(st.lists(values, max_size=6))
    start, cut = data.draw(st.integers(0, len(rows))), data.draw(st.integers(0, len(rows)))
    array = pa.array(rows, data_type)[start:]
    rows = rows[start:]
    table = pa.table({"top": pa.chunked_array([array[:cut], array[cut:]])})
    named = "top" if column is None else f"top.{column}"
    for given_values, name in ((array, column), (table, named)):
        for call, function in (
            (lba.is_valid_utf8, leadbyte.is_valid),
            (lba.count_chars, leadbyte.count_chars),
            (lba.repair, leadbyte.repair),
        ):
            result = call(given_values, column=name)
            assert items(result) == result.to_pylist() == [mapped(row, function) for row in rows]
        found = [(error["row"], error["data"]) for error in items(lba.errors(given_values, column=name))]
        assert found == [
            (number, error.data)
            for number, row in enumerate(rows)
            for text in texts(row)
            for error in leadbyte.iter_errors(text)
        ]
        if found:
            with pytest.raises(UnicodeDecodeError) as raised:
                lba.validate(given_values, column=name)
            assert raised.value.row == found[0][0]  # type: ignore[attr-defined]


def test_types_of_lists() -> None:
    lists = pa.array([["a"], None], pa.large_list(pa.field("cell", pa.string())))
    (result,) = chunks(lba.count_utf16(lists))
    assert result.type == pa.large_list(pa.field("cell", pa.int32()))
    fixed = pa.array([["a", "b"]], pa.list_(pa.string(), 2))
    assert chunks(lba.is_valid_utf8(fixed))[0].type == pa.list_(pa.bool_(), 2)
    (found,) = chunks(lba.detect(pa.array([["a"], None]), per_row=True))
    assert [row and row[0]["encoding"] for row in found.to_pylist()] == ["ascii", None]
    assert items(lba.repair_mojibake(pa.array([["Â£5", "Ãœber"], ["10Ã—15"]]))) == [["£5", "Über"], ["10×15"]]
    found = lba.audit(pa.array([["a"], ["b", "c\0"]]), policy="postgresql").to_pylist()
    assert [(row["row"], row["offset"]) for row in found] == [(1, 1)]


@EXAMPLES
@given(st.lists(FIELD, max_size=12), st.integers(1, 4), st.data())
def test_runs_in_nested_columns(fields: list[Anything], copies: int, data: st.DataObject) -> None:
    """Runs in structs and lists, some of which are null, are as plain rows."""
    rows = [field for field in fields for _ in range(copies)]
    cells = [b"\xfe hidden" if row is None else row["b"] for row in rows]
    mask = pa.array([row is None for row in rows], pa.bool_())
    ends = pa.array(range(copies, len(rows) + 1, copies), pa.int32())
    values = pa.array(cells[::copies], data.draw(st.sampled_from(BINARY)))
    values = data.draw(st.sampled_from([values, pa.array(cells[::copies], pa.binary()).dictionary_encode()]))
    runs = pa.RunEndEncodedArray.from_arrays(ends, values)
    structs = pa.StructArray.from_arrays([runs], ["b"], mask=mask)
    start = data.draw(st.integers(0, len(rows)))
    step = data.draw(st.sampled_from([1, 2, 3]))
    bounds = [*range(0, len(rows), step), len(rows)]
    null_list = data.draw(st.lists(st.booleans(), min_size=len(bounds) - 1, max_size=len(bounds) - 1))
    list_mask = pa.array(null_list, pa.bool_())
    lists = pa.ListArray.from_arrays(pa.array(bounds, pa.int32()), structs, mask=list_mask)
    plain = [None if row is None else row["b"] for row in rows]
    in_lists = [
        None if is_null else plain[first : first + step]
        for is_null, first in zip(null_list, bounds[:-1], strict=True)
    ]
    from_list = data.draw(st.integers(0, len(in_lists)))
    for array, expected in ((structs[start:], plain[start:]), (lists[from_list:], in_lists[from_list:])):
        for call, function in (
            (lba.is_valid_utf8, leadbyte.is_valid),
            (lba.count_chars, leadbyte.count_chars),
            (lba.count_utf16, leadbyte.count_utf16),
            (lba.repair, leadbyte.repair),
        ):
            result = call(array, column="b")
            assert items(result) == result.to_pylist() == [mapped(row, function) for row in expected]
        found = [(error["row"], error["data"]) for error in items(lba.errors(array, column="b"))]
        wanted = [
            (number, error.data)
            for number, row in enumerate(expected)
            for text in texts(row)
            for error in leadbyte.iter_errors(text)
        ]
        assert found == wanted
        if wanted:
            with pytest.raises(UnicodeDecodeError) as raised:
                lba.decode(array, column="b")
            assert raised.value.row == wanted[0][0]  # type: ignore[attr-defined]
        else:
            assert items(lba.decode(array, column="b")) == [mapped(row, bytes.decode) for row in expected]


def test_hidden_elements() -> None:
    """The elements of null lists are not there, whatever their bytes are."""
    offsets, mask = pa.array([0, 1, 3], pa.int32()), pa.array([False, True])
    lists = pa.ListArray.from_arrays(offsets, pa.array([b"a", b"\xff", b"\xfe"]), mask=mask)
    lba.validate(lists)
    assert items(lba.decode(lists)) == [["a"], None]


def test_names() -> None:
    inner = pa.array([{"b": "x", "c": 1}])
    table = pa.table({"a": inner, "d": [["y"]]})
    for name in ("a", "a.x", "b"):
        with pytest.raises(TypeError, match=rf'no column "{name}"; its columns are "a.b", "a.c", "d"'):
            lba.decode(table, column=name)
    with pytest.raises(TypeError, match="integers"):
        lba.decode(table, column="a.c")
    with pytest.raises(TypeError, match=r'several columns "a\.b"'):
        lba.decode(pa.table({"a": inner, "a.b": ["x"]}), column="a.b")
    assert pa.field(lba.decode(table["d"].chunk(0))).type == pa.list_(pa.string())


def test_offsets_that_descend() -> None:
    offsets = pa.py_buffer(b"".join(end.to_bytes(4, "little") for end in (0, 2, 1)))
    lists = pa.Array.from_buffers(pa.list_(pa.string()), 2, [None, offsets], children=[pa.array(["a", "b"])])
    with pytest.raises(ValueError, match="offsets of lists that descend"):
        lba.decode(lists)
