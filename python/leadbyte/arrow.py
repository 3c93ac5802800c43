r"""Columns of text in Arrow's layouts: which rows are not UTF-8, where exactly, and how to repair them.

>>> import pyarrow as pa
>>> import leadbyte.arrow
>>> column = pa.array([b"caf\xc3\xa9", None, b"caf\xe9"])
>>> leadbyte.arrow.is_valid_utf8(column).to_pylist()
[True, None, False]
>>> leadbyte.arrow.decode(column, errors="replace").to_pylist()
['café', None, 'caf�']
>>> leadbyte.arrow.decode(column)
Traceback (most recent call last):
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data
in row 2

The functions take any object with the Arrow PyCapsule interface: arrays, chunked arrays and tables of
pyarrow, series and data frames of Polars and pandas, relations of DuckDB, and the arrays and tables of
nanoarrow and arro3. Rows are binary or string values of any layout: with offsets of 32 or 64 bits, views, of
a fixed size, in dictionaries or runs; nulls without a type count as strings. Of a table or struct array,
``column`` names one: ``a.b`` is the column ``b`` nested in ``a``. Lists and maps have the names of their
elements, as in ``tags`` and ``names.value``, and results are in the same lists. Errors have the number of the
row of the table:

>>> table = pa.table({"menu": [{"tags": [b"new", b"caf\xe9"]}, {"tags": []}]})
>>> leadbyte.arrow.decode(table, column="menu.tags", errors="replace").to_pylist()
[['new', 'caf�'], []]
>>> [error["row"] for error in leadbyte.arrow.errors(table, column="menu.tags")]
[0]

An object with ``__arrow_c_array__`` gives an :class:`Array`, any other a :class:`Stream`. Both have the
interface themselves, so ``pyarrow.array``, ``polars.Series`` and others read them without a copy. Null rows
stay null, whatever their bytes are. Without another library, ``to_pylist()`` and iteration give the rows.
Where the type of the rows stays the same, values of a fixed size still become binary, and an extension type
becomes the type that it is stored as.

``threads`` is the number of threads, 0 for one for each core.

Every function raises TypeError for an object without the interface, and for a column of another type;
ValueError for an array that contradicts itself, and for a stream that fails; OverflowError if a chunk of the
result exceeds 2 GiB and has offsets of 32 bits.
"""

from __future__ import annotations

from leadbyte._encodings import DETECTION, find
from leadbyte._leadbyte import (
    _arrow_audit,
    _arrow_count,
    _arrow_decode,
    _arrow_detect,
    _arrow_detect_rows,
    _arrow_errors,
    _arrow_is_valid,
    _arrow_normalize,
    _arrow_repair,
    _arrow_repair_mojibake,
    _arrow_sanitize,
    _arrow_transcode,
    _arrow_truncate,
    _Encoding,
)
from leadbyte._leadbyte import (
    _ArrowArray as Array,
)
from leadbyte._leadbyte import (
    _ArrowStream as Stream,
)
from leadbyte.transcode import check_bom

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Protocol, SupportsIndex, TypeAlias, overload

    from leadbyte._audit import _Policy
    from leadbyte._encodings import _Name
    from leadbyte._leadbyte import Detection
    from leadbyte.transcode import _BomPolicy

    class _ArrowArrayExportable(Protocol):
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

    class _ArrowStreamExportable(Protocol):
        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

    _Values: TypeAlias = _ArrowArrayExportable | _ArrowStreamExportable
    _ConversionErrors: TypeAlias = Literal[
        "strict", "replace", "ignore", "null", "backslashreplace", "xmlcharrefreplace"
    ]

__all__ = [
    "Array",
    "Stream",
    "audit",
    "count_chars",
    "count_graphemes",
    "count_utf16",
    "decode",
    "detect",
    "errors",
    "is_valid_utf8",
    "normalize",
    "repair",
    "repair_mojibake",
    "sanitize",
    "transcode",
    "truncate",
    "validate",
]

# The labels of the WHATWG Encoding Standard for encodings that Python calls otherwise.
LABELS = {
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "cp950": "big5",
    "iso2022_jp": "iso-2022-jp",
}


def is_valid_utf8(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return whether each row is valid UTF-8 (RFC 3629), as booleans; null for a null row.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import is_valid_utf8
    >>> pa.array(is_valid_utf8(pa.array([b"caf\xc3\xa9", None, b"caf\xe9"]))).to_pylist()
    [True, None, False]
    """
    return _arrow_is_valid(values, column, threads)


def validate(values: _Values, /, *, column: str | None = None, threads: int = 1) -> None:
    r"""Raise UnicodeDecodeError for the first row that is not UTF-8.

    The exception is the one that ``bytes.decode`` raises for the row. Its attribute ``row`` is the number of
    the row, from 0 on; from Python 3.11 on a note names it.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import validate
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

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import errors
    >>> pa.table(errors(pa.chunked_array([[b"a"], [b"caf\xe9 \xff"]]))).to_pylist()
    [{'row': 1, 'offset': 3, 'kind': 'missing_continuation', 'reason': 'invalid continuation byte', 'data': b'\xe9'}, {'row': 1, 'offset': 5, 'kind': 'invalid_start', 'reason': 'invalid start byte', 'data': b'\xff'}]
    """  # noqa: E501
    return _arrow_errors(values, column)


def audit(
    values: _Values, /, *, policy: _Policy = "source-code", column: str | None = None
) -> Array | Stream:
    r"""Return a table of the hidden characters in the rows: a struct for each, in the order of the rows.

    Its fields are ``row`` (int64, from 0 on), ``offset`` (int64, in bytes from the start of the row), ``kind``
    and ``why`` (string, as in :class:`leadbyte.Finding`), and ``data`` (binary: the bytes of the character, or
    invalid bytes). ``policy`` is as for :func:`leadbyte.audit`.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import audit
    >>> pa.table(audit(pa.chunked_array([["a", "b\0"]]), policy="postgresql")).to_pylist()
    [{'row': 1, 'offset': 1, 'kind': 'nul', 'why': 'ends the text where strings end with a NUL, and databases refuse it', 'data': b'\x00'}]
    """  # noqa: E501
    return _arrow_audit(values, column, policy)


def sanitize(
    values: _Values,
    /,
    *,
    policy: _Policy,
    replacement: str = "",
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows without what ``policy`` finds: each finding is replaced, by default by nothing.

    The type stays the same: binary values are binary, strings are strings. Where nothing is found, nothing is
    copied. ``policy`` and ``replacement`` are as for
    :func:`leadbyte.sanitize`.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import sanitize
    >>> pa.array(sanitize(pa.array(["a\u200bb", "می\u200cخواهم"]), policy="llm-input")).to_pylist()
    ['ab', 'می\u200cخواهم']
    """
    return _arrow_sanitize(values, column, threads, policy, replacement)


def decode(
    values: _Values,
    /,
    *,
    errors: Literal["strict", "replace", "ignore", "null", "backslashreplace"] = "strict",
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows as strings. Where all rows are valid, nothing is copied.

    ``errors`` is the policy for rows that are not UTF-8: "strict" raises UnicodeDecodeError, as
    :func:`validate` does; "replace", "ignore" and "backslashreplace" give what ``bytes.decode`` gives; "null"
    makes the row null.

    Strings may be given, too: many programs write strings that are not UTF-8, which this detects or repairs.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import decode
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

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import repair
    >>> pa.array(repair(pa.array([b"caf\xe9"]), replacement="?")).to_pylist()
    [b'caf?']
    """
    return _arrow_repair(values, column, threads, replacement)


def count_chars(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return the number of characters of each row: of lead bytes, as :func:`leadbyte.count_chars` counts.

    The numbers are int32, or int64 for rows with offsets of 64 bits. Null rows are null.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import count_chars
    >>> pa.array(count_chars(pa.array(["café", None, "мир"]))).to_pylist()
    [4, None, 3]
    """
    return _arrow_count(values, column, threads, "char")


def count_utf16(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return the number of UTF-16 code units of each row, as :func:`leadbyte.count_utf16` counts.

    The numbers are int32, or int64 for rows with offsets of 64 bits. Null rows are null.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import count_utf16
    >>> pa.array(count_utf16(pa.array(["café", None, "😀"]))).to_pylist()
    [4, None, 2]
    """
    return _arrow_count(values, column, threads, "utf16")


def count_graphemes(values: _Values, /, *, column: str | None = None, threads: int = 1) -> Array | Stream:
    r"""Return the number of extended grapheme clusters (UAX 29) of each row.

    The numbers are int32, or int64 for rows with offsets of 64 bits. Null rows are null. Raises
    UnicodeDecodeError for a row that is not UTF-8, as :func:`validate` does.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import count_graphemes
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

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import truncate
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

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import normalize
    >>> pa.array(normalize("NFC", pa.array(["cafe\u0301"]))).to_pylist()
    ['café']
    """
    return _arrow_normalize(form, values, column, threads)


def transcode(
    values: _Values,
    /,
    source: _Name,
    target: _Name = "utf-8",
    *,
    errors: _ConversionErrors = "strict",
    bom: _BomPolicy = None,
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows, which are in the encoding ``source``, in the encoding ``target``.

    The rows are strings if ``target`` is UTF-8, otherwise binary values. Each row is a whole text, converted
    as :func:`leadbyte.transcode.transcode` does; ``bom`` is the policy for a byte order mark in each of them.
    ``errors`` is one of its handlers, or "null", which makes a row null that cannot be converted.
    "xmlcharrefreplace" is for characters that ``target`` does not have.

    Names are the same as for :func:`leadbyte.transcode.transcode`. Encodings with several bytes per
    character, such as Shift_JIS, have the tables of the WHATWG Encoding Standard. Rows in ASCII are not
    copied if both encodings contain it.

    Raises UnicodeDecodeError for a row that is malformed in ``source``, and UnicodeEncodeError for a
    character that ``target`` does not have, with the attribute ``row`` and the note of :func:`validate`;
    LookupError for an unknown encoding, and for one that has a codec in Python only, such as UTF-7. The
    encoding of a column is detected by :func:`detect`.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import transcode
    >>> pa.array(transcode(pa.array([b"caf\xe9", None, b"5 \x80"]), "windows-1252")).to_pylist()
    ['café', None, '5 €']
    >>> pa.array(transcode(pa.array(["5 €"]), "utf-8", "latin-1", errors="replace")).to_pylist()
    [b'5 ?']
    >>> transcode(pa.array([b"ok", b"5 \x98"]), "cp1251")
    Traceback (most recent call last):
    UnicodeDecodeError: 'charmap' codec can't decode byte 0x98 in position 2: character maps to <undefined>
    in row 1
    """
    reader, writer = native(source), native(target)
    if bom is not None:
        check_bom(bom, find(target))
    return _arrow_transcode(values, column, threads, reader, writer, errors, bom)


def native(name: _Name) -> _Encoding:
    """Return the native implementation of an encoding; LookupError if there is none."""
    if name in DETECTION:
        message = f"transcode does not detect, as {name!r} asks: detect the encoding of the column first"
        raise LookupError(message)
    encoding = find(name)
    found = encoding.native or _Encoding.whatwg(LABELS.get(encoding.name) or encoding.name.replace("_", "-"))
    if found is None:
        message = f"{encoding.name} has a codec in Python only; columns cannot be converted with it"
        raise LookupError(message)
    return found


if TYPE_CHECKING:

    @overload
    def detect(
        values: _Values,
        /,
        *,
        per_row: Literal[False] = False,
        encodings: Iterable[str | int] | None = None,
        column: str | None = None,
        threads: int = 1,
    ) -> Detection: ...

    @overload
    def detect(
        values: _Values,
        /,
        *,
        per_row: Literal[True],
        encodings: Iterable[str | int] | None = None,
        column: str | None = None,
        threads: int = 1,
    ) -> Array | Stream: ...

    @overload
    def detect(
        values: _Values,
        /,
        *,
        per_row: bool,
        encodings: Iterable[str | int] | None = None,
        column: str | None = None,
        threads: int = 1,
    ) -> Detection | Array | Stream: ...


def detect(
    values: _Values,
    /,
    *,
    per_row: bool = False,
    encodings: Iterable[str | int] | None = None,
    column: str | None = None,
    threads: int = 1,
) -> Detection | Array | Stream:
    r"""Detect the encoding of the column, or of each row.

    For the column it returns the :class:`leadbyte.Detection` of a sample of its rows, as the lines of a text:
    UTF-8 if nine of ten rows are that are not ASCII, otherwise the encoding of those that are not UTF-8.
    Short rows support each other, so this is the way to find the encoding of names or titles. ``valid_utf8``
    is exact: it is false if any row is not UTF-8. Null rows are skipped.

    With ``per_row`` it returns a struct for each row, for columns of documents from different sources:
    ``encoding`` and ``language`` (string, null if there is none) and ``confidence`` (double), as
    :func:`leadbyte.detect` detects them in the row alone.

    ``encodings`` are the names of those to choose from, as for :func:`leadbyte.detect`, with the same
    exceptions. ``threads`` is for detection per row only.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import detect
    >>> column = pa.array(["Привет".encode("koi8-r"), None, "Мы тут".encode("koi8-r"), b"ok"])
    >>> detect(column).encoding
    'koi8-r'
    >>> rows = pa.array(detect(pa.array([b"text", "Добрый день".encode("cp1251")]), per_row=True))
    >>> rows.field("encoding").to_pylist(), rows.field("language").to_pylist()
    (['ascii', 'windows-1251'], [None, 'ru'])
    """
    if per_row:
        return _arrow_detect_rows(values, column, threads, encodings)
    return _arrow_detect(values, column, threads, encodings)


def repair_mojibake(
    values: _Values,
    /,
    *,
    languages: Iterable[str] | None = None,
    column: str | None = None,
    threads: int = 1,
) -> Array | Stream:
    r"""Return the rows with wrong decodings undone, as :func:`leadbyte.mojibake.repair_many` repairs them.

    The rows of all chunks support each other: a short one that may be good or damaged is repaired if others
    show its damage. The type stays the same, and where nothing is repaired, nothing is copied. ``languages``
    are BCP 47 tags of the languages that the rows may be in.

    Raises UnicodeDecodeError for a row that is not UTF-8, as :func:`validate` does; ValueError for a tag that
    is not known.

    >>> import pyarrow as pa
    >>> from leadbyte.arrow import repair_mojibake
    >>> column = pa.array(["Â£5", "Ãœber", "10Ã—15", None, "plain", "Größe"])
    >>> pa.array(repair_mojibake(column)).to_pylist()
    ['£5', 'Über', '10×15', None, 'plain', 'Größe']
    """
    return _arrow_repair_mojibake(values, column, threads, languages)


def __dir__() -> list[str]:
    return __all__
