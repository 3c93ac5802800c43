r"""Columns of text in Arrow's layouts: which rows are not UTF-8, where exactly, and how to repair them.

>>> import pyarrow as pa
>>> import leadbyte.arrow
>>> column = pa.array([b"caf\xc3\xa9", None, b"caf\xe9"])
>>> pa.array(leadbyte.arrow.is_valid_utf8(column)).to_pylist()
[True, None, False]
>>> pa.array(leadbyte.arrow.decode(column, errors="replace")).to_pylist()
['café', None, 'caf�']
>>> leadbyte.arrow.decode(column)
Traceback (most recent call last):
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data
in row 2

The functions take any object with the Arrow PyCapsule interface: arrays, chunked arrays and tables of
pyarrow, series and data frames of Polars and pandas, relations of DuckDB, and those of nanoarrow and arro3.
Rows are binary or string values of any layout: with offsets of 32 or 64 bits, views, of a fixed size, in
dictionaries or runs. Of a table or struct array, ``column`` names one.

An object with ``__arrow_c_array__`` gives an :class:`Array`, any other a :class:`Stream`. Both have the
interface themselves, so ``pyarrow.array``, ``polars.Series`` and others read them without a copy. Null rows
stay null, whatever their bytes are.

``threads`` is the number of threads, 0 for one for each core.

Every function raises TypeError for an object without the interface, and for a column of another type;
ValueError for an array that contradicts itself, and for a stream that fails; OverflowError if a chunk of the
result exceeds 2 GiB and has offsets of 32 bits.
"""

from __future__ import annotations

from leadbyte._leadbyte import (
    _arrow_count,
    _arrow_decode,
    _arrow_errors,
    _arrow_is_valid,
    _arrow_normalize,
    _arrow_repair,
    _arrow_truncate,
    _ArrowArray as Array,
    _ArrowStream as Stream,
)

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import Literal, Protocol, SupportsIndex, TypeAlias

    class _ArrowArrayExportable(Protocol):
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

    class _ArrowStreamExportable(Protocol):
        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

    _Values: TypeAlias = _ArrowArrayExportable | _ArrowStreamExportable

__all__ = [
    "Array",
    "Stream",
    "count_chars",
    "count_graphemes",
    "count_utf16",
    "decode",
    "errors",
    "is_valid_utf8",
    "normalize",
    "repair",
    "truncate",
    "validate",
]


def is_valid_utf8(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return whether each row is valid UTF-8 (RFC 3629), as booleans; null for a null row.

    >>> pa.array(is_valid_utf8(pa.array([b"caf\xc3\xa9", None, b"caf\xe9"]))).to_pylist()
    [True, None, False]
    """
    return _arrow_is_valid(values, column, threads)


def validate(values: _Values, /, *, column: str | None = None, threads: int = 1) -> None:
    r"""Raise UnicodeDecodeError for the first row that is not UTF-8.

    The exception is the one that ``bytes.decode`` raises for the row. Its attribute ``row`` is the number of
    the row, from 0 on; from Python 3.11 on a note says it.

    >>> validate(pa.array([b"caf\xc3\xa9", None]))
    >>> validate(pa.array([b"caf\xc3\xa9", b"caf\xe9"]))
    Traceback (most recent call last):
    UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data
    in row 1
    """
    _arrow_decode(values, column, threads, "strict")


def errors(values: _Values, /, *, column: str | None = None) -> Array | Stream:
    r"""Return a table of all errors: a struct for each, in the order of the rows.

    Its fields are ``row`` (int64, from 0 on), ``offset`` (int64, in bytes from the start of the row), ``kind``
    and ``reason`` (string, as in :class:`leadbyte.ErrorSpan`), and ``data`` (binary: the invalid bytes).

    >>> pa.table(errors(pa.chunked_array([[b"a"], [b"caf\xe9 \xff"]]))).to_pylist()
    [{'row': 1, 'offset': 3, 'kind': 'missing_continuation', 'reason': 'invalid continuation byte', 'data': b'\xe9'}, {'row': 1, 'offset': 5, 'kind': 'invalid_start', 'reason': 'invalid start byte', 'data': b'\xff'}]
    """  # noqa: E501
    return _arrow_errors(values, column)


def decode(
    values: _Values,
    /,
    *,
    errors: Literal["strict", "replace", "ignore", "null", "backslashreplace"] = "strict",
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows as strings. Where all rows are valid, nothing is copied.

    ``errors`` says what becomes of a row that is not UTF-8: "strict" raises UnicodeDecodeError, as
    :func:`validate` does; "replace", "ignore" and "backslashreplace" give what ``bytes.decode`` gives; "null"
    makes the row null.

    Strings may be given, too: many programs write strings that are not UTF-8, which this detects or repairs.

    >>> pa.array(decode(pa.array([b"caf\xc3\xa9", b"caf\xe9"]), errors="null")).to_pylist()
    ['café', None]
    """
    return _arrow_decode(values, column, threads, errors)


def repair(
    values: _Values, /, *, replacement: str = "�", column: str | None = None, threads: int = 1
) -> Array | Stream:
    r"""Return the rows with ``replacement`` in place of each error; "" removes errors.

    The type stays the same: binary values are binary, strings are strings. Where all rows are valid, nothing
    is copied.

    >>> pa.array(repair(pa.array([b"caf\xe9"]), replacement="?")).to_pylist()
    [b'caf?']
    """
    return _arrow_repair(values, column, threads, replacement)


def count_chars(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return the number of characters of each row: of lead bytes, as :func:`leadbyte.count_chars` counts.

    The numbers are int32, or int64 for rows with offsets of 64 bits. Null rows are null.

    >>> pa.array(count_chars(pa.array(["café", None, "мир"]))).to_pylist()
    [4, None, 3]
    """
    return _arrow_count(values, column, threads, "char")


def count_utf16(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return the number of UTF-16 code units of each row, as :func:`leadbyte.count_utf16` counts.

    The numbers are int32, or int64 for rows with offsets of 64 bits. Null rows are null.

    >>> pa.array(count_utf16(pa.array(["café", None, "😀"]))).to_pylist()
    [4, None, 2]
    """
    return _arrow_count(values, column, threads, "utf16")


def count_graphemes(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return the number of extended grapheme clusters (UAX 29) of each row.

    The numbers are int32, or int64 for rows with offsets of 64 bits. Null rows are null. Raises
    UnicodeDecodeError for a row that is not UTF-8, as :func:`validate` does.

    >>> pa.array(count_graphemes(pa.array(["cafe\u0301", None, "👩‍💻"]))).to_pylist()
    [4, None, 1]
    """
    return _arrow_count(values, column, threads, "grapheme")


def truncate(
    values: _Values,
    limit: SupportsIndex,
    /,
    *,
    unit: Literal["byte", "char", "utf16", "grapheme"],
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: Literal["end", "start", "middle"] = "end",
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows with at most ``limit`` units each, as :func:`leadbyte.truncate` cuts them.

    The type stays the same. Strings must be UTF-8, otherwise UnicodeDecodeError is raised, as by
    :func:`validate`; binary values need not be.

    >>> pa.array(truncate(pa.array(["naïve", "na", None]), 3, unit="byte")).to_pylist()
    ['na', 'na', None]
    >>> pa.array(truncate(pa.array(["leadbyte"]), 6, unit="char", ellipsis="…")).to_pylist()
    ['leadb…']
    """
    return _arrow_truncate(
        values,
        column,
        threads,
        limit,
        unit=unit,
        boundary=boundary,
        ellipsis=ellipsis,
        side=side,
    )


def normalize(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"],
    values: _Values,
    /,
    *,
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows in a normalization form (UAX 15). Where all are in that form, nothing is copied.

    The type stays the same. Raises UnicodeDecodeError for a row that is not UTF-8, as :func:`validate` does.

    >>> pa.array(normalize("NFC", pa.array(["cafe\u0301"]))).to_pylist()
    ['café']
    """
    return _arrow_normalize(form, values, column, threads)
