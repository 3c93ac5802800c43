"""The C symbols that Polars calls, without Polars: every struct is released once, whatever is passed."""

from __future__ import annotations

import ctypes
import struct
import threading
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_size_t, c_uint32, c_void_p
from typing import TYPE_CHECKING, Any

import pytest
from c_data import Array, Counted, Schema
from leadbyte import _leadbyte

if TYPE_CHECKING:
    from collections.abc import Sequence

    from strategies import Anything

LIBRARY = ctypes.CDLL(_leadbyte.__file__)
LIBRARY._polars_plugin_get_last_error_message.restype = c_char_p
LIBRARY._polars_plugin_get_version.restype = c_uint32


class Series(ctypes.Structure):
    """The struct of Polars for a column."""


ReleaseSeries = CFUNCTYPE(None, POINTER(Series))
Series._fields_ = [
    ("field", POINTER(Schema)),
    ("arrays", POINTER(POINTER(Array))),
    ("array_count", c_size_t),
    ("release", ReleaseSeries),
    ("private_data", c_void_p),
]


class Column:
    """A column as Polars exports it, with counted releases of the series and of its arrays."""

    def __init__(self, counted: Counted, schema: Schema, arrays: Sequence[Array]) -> None:
        pointers = (POINTER(Array) * len(arrays))(*map(ctypes.pointer, arrays))
        self.released = 0
        self.kept = (counted, schema, arrays, pointers)
        series = Series(ctypes.pointer(schema), pointers, len(arrays), ReleaseSeries(self.release), 1)
        # It is forgotten once it is passed: the plugin has its own copy.
        self.bytes = bytes(series)
        self.callback = series.release

    def release(self, _: object) -> None:
        self.released += 1


def rows(counted: Counted, *chunks: Sequence[bytes], layout: bytes = b"Z", **fields: Any) -> Column:  # noqa: ANN401
    """Return a column of rows that are not null."""
    arrays = []
    for chunk in chunks:
        offsets = [sum(map(len, chunk[:row])) for row in range(len(chunk) + 1)]
        buffers = [None, struct.pack(f"={len(offsets)}q", *offsets), b"".join(chunk)]
        arrays.append(counted.array(len(chunk), buffers, **fields))
    return Column(counted, counted.schema(layout, name=b"raw"), arrays)


def call(function: str, columns: Sequence[Column]) -> Series:
    """Call a function of the plugin."""
    inputs = ctypes.create_string_buffer(b"".join(column.bytes for column in columns))
    result = Series()
    symbol = LIBRARY[f"_polars_plugin_{function}"]
    symbol.argtypes = [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]
    symbol.restype = None
    symbol(inputs, len(columns), None, 0, ctypes.byref(result), None)
    return result


def moved(result: Series) -> list[Array]:
    """Move the arrays out of a result, and release it, as Polars does."""
    assert result.private_data
    arrays = [Array.from_buffer_copy(result.arrays[index].contents) for index in range(result.array_count)]
    result.release(ctypes.byref(result))
    assert not result.release
    return arrays


def error() -> str:
    message: bytes = LIBRARY._polars_plugin_get_last_error_message()
    return message.decode()


def check(column: Column, *, arrays: bool) -> None:
    """Check that the series is released, and its arrays are or are not."""
    counted = column.kept[0]
    assert column.released == 1
    assert counted.released == arrays * len(column.kept[2])


def test_version() -> None:
    assert LIBRARY._polars_plugin_get_version() == 1


def test_results_keep_the_memory_that_they_share() -> None:
    column = rows(Counted(), [b"caf\xc3\xa9", b"tea"], [b"a"])
    arrays = moved(call("decode_strict", [column]))
    check(column, arrays=False)
    assert [array.length for array in arrays] == [2, 1]
    assert arrays[0].buffers[2] == column.kept[2][0].buffers[2]
    for array in arrays:
        assert (array.null_count, array.n_buffers) == (0, 3)
        array.release(ctypes.byref(array))
    check(column, arrays=True)


FUNCTIONS = [
    "is_valid", "errors", "count_chars", "count_utf16", "decode_replace", "decode_ignore", "decode_null",
    "decode_backslashreplace",
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_is_released_in_any_order(function: str) -> None:
    for newest_first in (False, True):
        column = rows(Counted(), [b"caf\xe9", b"tea"], [], [b"\xff"])
        arrays = moved(call(function, [column]))
        assert len(arrays) == (1 if function == "errors" else 3)
        for array in reversed(arrays) if newest_first else arrays:
            array.release(ctypes.byref(array))
            assert not array.release
        check(column, arrays=True)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("decode_strict", {}, 'column "raw": row 2 of the batch: invalid UTF-8 at byte 0: '),
    ("count_graphemes", {}, 'column "raw": row 2 of the batch: invalid UTF-8 at byte 0: '),
    ("normalize_nfc", {}, 'column "raw": row 2 of the batch: invalid UTF-8 at byte 0: '),
    (
        "is_valid",
        {"layout": b"i"},
        'column "raw": a column of binary or string values is needed, not one of ',
    ),
    ("is_valid", {"layout": b"w:8"}, "not one of Python objects (dtype Object)"),
    ("is_valid", {"layout": b"?"}, 'not one of Arrow\'s format "?"'),
    ("errors", {"n_buffers": 2}, "malformed Arrow data: a wrong number of buffers"),
    ("decode_null", {"offset": -1}, "malformed Arrow data: a negative offset"),
    ("repair", {}, 'column "raw": rows without options'),
    ("truncate", {}, 'column "raw": rows without options'),
]


@pytest.mark.parametrize(("function", "fields", "message"), WRONG)
def test_failures_release_everything(function: str, fields: dict[str, Any], message: str) -> None:
    column = rows(Counted(), [b"a", b"b"], [b"\xff"], [b"c"], **fields)
    result = call(function, [column])
    assert not result.private_data
    assert message in error()
    check(column, arrays=True)


def test_wrong_numbers_of_columns() -> None:
    assert not call("is_valid", []).private_data
    assert error() == "a column is needed"
    columns = [rows(Counted(), [b"a"]) for _ in range(4)]
    for array in moved(call("is_valid", columns)):
        array.release(ctypes.byref(array))
    for column in columns:
        check(column, arrays=True)


def test_options() -> None:
    for option, message in [
        (b"\xff", "malformed Arrow data: options that are not UTF-8"),
        (b"5 char", "a truncation with unknown options"),
        (b"5 word char end ", "a truncation with unknown options"),
        (b"-5 byte char end ", "a truncation with unknown options"),
        (b"1 byte char end ...", "a truncation with unknown options"),
    ]:
        columns = [rows(Counted(), [b"a"]), rows(Counted(), [option])]
        assert not call("truncate", columns).private_data
        assert message in error()
        for column in columns:
            check(column, arrays=True)
    columns = [rows(Counted(), [b"leadbyte"]), rows(Counted(), [], [b"6 byte char middle . .", b"other"])]
    [array] = moved(call("truncate", columns))
    assert ctypes.string_at(array.buffers[2], 6) == b"le. .e"
    array.release(ctypes.byref(array))


def test_fields() -> None:
    def field(function: str, *schemas: Schema) -> Schema:
        symbol = LIBRARY[f"_polars_plugin_field_{function}"]
        symbol.argtypes = [c_void_p, c_size_t, c_void_p, c_void_p, c_size_t]
        symbol.restype = None
        result = Schema()
        symbol((Schema * len(schemas))(*schemas), len(schemas), ctypes.byref(result), None, 0)
        return result

    counted = Counted()
    for function, layout, expected in [
        ("is_valid", b"vz", b"b"),
        ("count_chars", b"vu", b"I"),
        ("decode_null", b"vz", b"vu"),
        ("repair", b"vz", b"vz"),
        ("truncate", b"vu", b"vu"),
        ("errors", b"vz", b"+L"),
        ("decode_null", b"n", b"u"),
        ("repair", b"n", b"u"),
    ]:
        result = field(function, counted.schema(layout, name=b"raw"), counted.schema(b"vu"))
        assert (result.format, result.name, bool(result.private_data)) == (expected, b"raw", True)
        result.release(ctypes.byref(result))
        assert not result.release
    assert not field("is_valid").private_data
    assert not field("is_valid", counted.schema(b"g", name=b"raw")).private_data
    assert error().endswith("column of binary or string values is needed, not one of floating-point numbers")
    # The fields stay Polars' own.
    assert counted.released == 0


def test_each_thread_has_its_error() -> None:
    assert not call("is_valid", []).private_data
    others: list[str] = []
    threads = [threading.Thread(target=lambda: others.append(error())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert others == [""] * 3
    assert error() != ""


def test_a_name_may_be_any_bytes() -> None:
    counted = Counted()
    column = Column(counted, counted.schema(b"i", name=b'\xff"\n'), [])
    assert not call("is_valid", [column]).private_data
    assert error().startswith('column "�\\"\\n": ')


def test_panics_are_errors() -> None:
    panic: Anything = getattr(_leadbyte, "_panic_in_next_call", None)
    if panic is None:
        pytest.skip("a build without panic-injection")
    column = rows(Counted(), [b"a"])
    panic(True)
    assert not call("is_valid", [column]).private_data
    assert error() == 'column "raw": internal error, please report it: injected'
    check(column, arrays=True)
