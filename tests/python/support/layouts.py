"""Arrow arrays of the same rows in every layout, as no well-meaning builder would make them.

Buffers start at odd addresses, arrays have offsets, null slots hold bytes that are not UTF-8, dictionaries
have values that no row refers to.
"""

from __future__ import annotations

import struct
import sys
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pytest
from c_data import validity
from hypothesis import settings
from hypothesis import strategies as st
from leadbyte.arrow import Array, Stream
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from strategies import Anything

Row: TypeAlias = "bytes | None"
Rows: TypeAlias = "Sequence[Row]"

GARBAGE = b"\xff\xe2\x82 garbage that is longer than a view \xf0\x9f"
INLINE_BYTES = 12
# pyarrow neither builds nor casts views before version 18.
HAS_VIEWS = int(pa.__version__.partition(".")[0]) >= 18
BINARY = [pa.binary(), pa.large_binary(), *([pa.binary_view()] if HAS_VIEWS else [])]
TEXT = [pa.string(), pa.large_string(), *([pa.string_view()] if HAS_VIEWS else [])]
INDICES = [pa.int8, pa.uint8, pa.int16, pa.uint16, pa.int32, pa.uint32, pa.int64, pa.uint64]


def buffer(data: bytes, random: Random) -> Anything:
    """Return a buffer, at times one that is not aligned."""
    before = random.choice([0, 0, 1, 3])
    return pa.py_buffer(bytes(before) + data).slice(before)


def bitmap(rows: Rows, random: Random) -> Anything:
    """Return the buffer of those that are not null; at times None if all are."""
    if None not in rows and random.random() < 0.5:
        return None
    return buffer(validity(rows), random)


def surrounded(rows: Rows, random: Random) -> tuple[list[bytes | None], int, int]:
    """Return the rows between others, and where they start and how many follow."""
    before, after = random.choice([0, 0, 1, 7, 9]), random.choice([0, 2])
    others = [GARBAGE, None, b"", b"\x80"]
    return (
        [*random.choices(others, k=before), *rows, *random.choices(others, k=after)],
        before,
        len(rows),
    )


def garbage(row: bytes | None, random: Random) -> bytes:
    """Return the bytes of a row, for null any."""
    return random.choice([b"", b"x", GARBAGE]) if row is None else row


def offsets(rows: Rows, kind: Anything, random: Random) -> Anything:
    rows, start, length = surrounded(rows, random)
    at = random.choice([0, 5])
    data, ends = GARBAGE[:at], [at]
    for row in rows:
        data += garbage(row, random)
        ends.append(len(data))
    wide = kind in {pa.large_binary(), pa.large_string()}
    packed = struct.pack(f"={len(ends)}{'q' if wide else 'i'}", *ends)
    buffers = [bitmap(rows, random), buffer(packed, random), buffer(data + GARBAGE, random)]
    return pa.Array.from_buffers(kind, length, buffers, offset=start)


def views(rows: Rows, kind: Anything, random: Random) -> Anything:
    rows, start, length = surrounded(rows, random)
    count = random.choice([1, 1, 3])
    data, packed = [b"", GARBAGE, b"\xbf"][:count], b""
    for row in rows:
        text = garbage(row, random)
        if len(text) <= INLINE_BYTES:
            packed += struct.pack("=i12s", len(text), text)
            continue
        into = random.randrange(count)
        packed += struct.pack("=i4sii", len(text), text, into, len(data[into]))
        data[into] += text + random.choice([b"", b"", GARBAGE])
    buffers = [bitmap(rows, random), buffer(packed, random), *(buffer(each, random) for each in data)]
    return pa.Array.from_buffers(kind, length, buffers, offset=start)


def fixed(rows: Rows, width: int, random: Random) -> Anything:
    """Return an array of rows of this length."""
    start = random.choice([0, 1, 9])
    all_rows = [*([None] * start), *rows]
    data = b"".join((GARBAGE * width)[:width] if row is None else row for row in all_rows)
    buffers = [bitmap(all_rows, random), buffer(data, random)]
    return pa.Array.from_buffers(pa.binary(width), len(rows), buffers, offset=start)


def dictionary(rows: Rows, kind: Anything, random: Random) -> Anything:
    known = [*dict.fromkeys(rows), GARBAGE, None, b"\xfe"]
    random.shuffle(known)
    values = plain(known, kind, random)
    nulls = [at for at, value in enumerate(known) if value is None]
    hidden = [*rows, b"", b""]  # null by their index, whatever it is
    is_null = [row is None and random.random() < 0.5 for row in hidden]
    indices = [random.choice(nulls) if row is None else known.index(row) for row in rows]
    indices = [99 if null else index for index, null in zip([*indices, 0, 0], is_null, strict=True)]
    index = random.choice(INDICES)()
    start = random.choice([0, 1, 9])
    code = {1: "b", 2: "h", 4: "i", 8: "q"}[index.bit_width // 8]
    packed = struct.pack(f"={start + len(indices)}{code}", *([99] * start), *indices)
    mask = bitmap([*([None] * start), *(None if null else b"" for null in is_null)], random)
    return pa.DictionaryArray.from_buffers(
        pa.dictionary(index, values.type), len(rows), [mask, buffer(packed, random)], values, offset=start
    )


def runs(rows: Rows, kind: Anything, random: Random) -> Anything:
    ends: list[int] = []
    values: list[bytes | None] = []
    before = random.choice([0, 0, 2, 5])
    for at, row in enumerate([*([b"\xff"] * before), *rows, b"\xfe"], 1):
        if values and values[-1] == row and random.random() < 0.8:
            ends[-1] = at
        else:
            ends.append(at)
            values.append(row)
    index = random.choice([pa.int16(), pa.int32(), pa.int64()])
    make = random.choice([plain, plain, dictionary])
    binary = dict(zip(TEXT, BINARY, strict=True)).get(kind, kind)
    array = make(values, binary, random)
    encoded = pa.RunEndEncodedArray.from_arrays(ends, array, pa.run_end_encoded(index, array.type))
    if binary != kind:
        # Strings, without the check that from_arrays does.
        inner = encoded.type.value_type
        inner = pa.dictionary(inner.index_type, kind) if pa.types.is_dictionary(inner) else kind
        schema = pa.run_end_encoded(index, inner).__arrow_c_schema__()
        encoded = pa.Array._import_from_c_capsule(schema, encoded.__arrow_c_array__()[1])
    return encoded.slice(before, len(rows))


def plain(rows: Rows, kind: Anything, random: Random) -> Anything:
    return (views if kind in {pa.binary_view(), pa.string_view()} else offsets)(rows, kind, random)


# Functions that make an array of some rows, with its type; there also is "fixed", of rows of the same length.
LAYOUTS: dict[str, tuple[Callable[[Rows, Any, Random], Any], Any]] = {
    f"{make.__name__} of {kind}": (make, kind)
    for make in (plain, dictionary, runs)
    for kind in [*BINARY, *TEXT]
}


def is_text(array: Anything) -> bool:
    """Return whether the values are declared to be strings."""
    kind = array.type
    while pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    return kind in TEXT


def chunks(result: Anything) -> list[Anything]:
    """Return the arrays of a result, which pyarrow has checked in full."""
    arrays = [pa.array(result)] if hasattr(result, "__arrow_c_array__") else pa.chunked_array(result).chunks
    for array in arrays:
        array.validate(full=True)
    return list(arrays)


def items(result: Anything) -> list[Any]:
    """Return the rows of a result."""
    return [item for array in chunks(result) for item in array.to_pylist()]


def column(rows: Rows, layout: str, random: Random) -> tuple[Anything, str | None, list[bytes | None]]:
    """Return an array or a column of a struct array, its name, and its rows, of which a struct hides some."""
    if layout == "fixed":
        width = random.choice([0, 1, 4, 30])
        rows = [None if row is None else (row + bytes(width))[:width] for row in rows]
        array = fixed(rows, width, random)
    else:
        make, kind = LAYOUTS[layout]
        array = make(rows, kind, random)
    if random.random() < 0.7:
        return array, None, list(rows)
    other = pa.array(range(len(rows)))
    if random.random() < 0.5:
        return pa.StructArray.from_arrays([other, array], ["other", "column"]), "column", list(rows)
    hidden = [random.random() < 0.3 for _ in rows]
    struct_array = pa.StructArray.from_arrays(
        [array, other], ["column", "other"], mask=pa.array(hidden, pa.bool_())
    )
    start = random.randrange(len(rows) + 1)
    left = [None if hide else row for row, hide in zip(rows, hidden, strict=True)]
    return struct_array.slice(start), "column", left[start:]


LAYOUT = st.sampled_from([*LAYOUTS, "fixed"])
SEEDS = st.integers(0, 1 << 32)
# Several for each layout.
EXAMPLES = settings(max_examples=80 if IS_REDUCED else 1000)


class Given:
    """Rows as an array, and in chunks, to call functions with."""

    def __init__(self, rows: list[Row], layout: str, seed: int) -> None:
        random = Random(seed)
        self.array, self.column, self.rows = column(rows, layout, random)
        self.is_text = is_text(self.array.field("column") if self.column else self.array)
        self.options: dict[str, Any] = {"column": self.column} if self.column else {}
        self.options["threads"] = random.choice([1, 1, 2])
        cut = random.randrange(len(self.rows) + 1)
        pieces = [self.array[:cut], self.array[cut:cut], self.array[cut:]]
        self.stream = pa.chunked_array(pieces)

    def as_given(self, row: bytes) -> bytes | str:
        """Return a row as the column has it."""
        return row.decode() if self.is_text else row

    def each_as_given(self, function: Callable[[bytes], bytes]) -> Callable[[list[Row]], list[Any]]:
        """Return a function of rows that applies one, and gives the type of the column."""
        return each(lambda row: self.as_given(function(row)))

    def check(
        self,
        call: Callable[..., Any],
        expected: Callable[[list[Row]], list[Any]],
        *arguments: object,
        **choices: object,
    ) -> None:
        """Compare a function with the rows of the oracle, or its exception."""
        failure: Any = None
        wanted: Any = []
        try:
            wanted = expected(self.rows)
        except UnicodeError as error:
            failure = error
        for values in (self.array, self.stream) if failure else ():
            with pytest.raises(type(failure)) as raised:
                call(values, *arguments, **choices, **self.options)
            assert same_error(raised.value, failure)
        for values in () if failure else (self.array, self.stream):
            result = call(values, *arguments, **choices, **self.options)
            assert type(result) is (Array if values is self.array else Stream)
            assert len(result) == len(self.rows)
            is_runs = pa.types.is_run_end_encoded(pa.field(result).type)
            assert result.null_count == (0 if is_runs else wanted.count(None))
            assert items(result) == wanted


def same_error(raised: Any, expected: Any) -> bool:  # noqa: ANN401
    """Compare exceptions, with the row that they name."""
    notes = getattr(raised, "__notes__", [])
    assert notes == ([f"in row {expected.row}"] if sys.version_info >= (3, 11) else [])
    return bool(raised.args == expected.args and raised.row == expected.row)


def each(function: Callable[[bytes], Any]) -> Callable[[list[Row]], list[Any]]:
    """Return a function of rows that applies one to each that is not None."""

    def of_rows(rows: list[Row]) -> list[Any]:
        results = []
        for number, row in enumerate(rows):
            try:
                results.append(None if row is None else function(row))
            except UnicodeError as error:
                error.row = number  # type: ignore[attr-defined]
                raise
        return results

    return of_rows
