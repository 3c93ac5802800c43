"""What CPython returns for bytes, and naive definitions of everything else. Nothing here uses leadbyte."""

from __future__ import annotations

import codecs
import threading
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

BOM = codecs.BOM_UTF8
CONTINUATIONS = bytes(range(0x80, 0xC0))
CONTEXT = 8

_HANDLER = "leadbyte-tests-record"
_recorded = threading.local()


class Error(NamedTuple):
    start: int
    end: int
    reason: str
    kind: str
    data: bytes


def _record(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    _recorded.spans.append((error.start, error.end, error.reason))
    return "", error.end


codecs.register_error(_HANDLER, _record)


def spans(data: bytes) -> list[tuple[int, int, str]]:
    """Return start, end and reason of each error, as CPython's decoder reports its error handler."""
    _recorded.spans = []
    data.decode("utf-8", _HANDLER)
    found: list[tuple[int, int, str]] = _recorded.spans
    return found


def errors(data: bytes) -> list[Error]:
    """Return all errors of data."""
    return [
        Error(start, end, reason, kind(data, start, end), data[start:end])
        for start, end, reason in spans(data)
    ]


def kind(data: bytes, start: int, end: int) -> str:
    """Return the kind of the error data[start:end]: the first row of the table in the API that fits."""
    lead = data[start]
    second = data[start + 1] if start + 1 < len(data) else 0x00
    rows = [
        (0x80 <= lead <= 0xBF, "unexpected_continuation"),
        (lead in {0xC0, 0xC1}, "overlong"),
        (0xF5 <= lead <= 0xF7, "too_large"),
        (0xF8 <= lead <= 0xFF, "invalid_start"),
        (lead == 0xE0 and 0x80 <= second <= 0x9F, "overlong"),
        (lead == 0xF0 and 0x80 <= second <= 0x8F, "overlong"),
        (lead == 0xED and 0xA0 <= second <= 0xBF, "surrogate"),
        (lead == 0xF4 and 0x90 <= second <= 0xBF, "too_large"),
        (end == len(data), "truncated"),
    ]
    return next((name for fits, name in rows if fits), "missing_continuation")


def raised_by(function: Callable[[T], object], argument: T) -> UnicodeDecodeError | None:
    """Return the UnicodeDecodeError that a function raises, if it does."""
    try:
        function(argument)
    except UnicodeDecodeError as error:
        return error
    return None


def decode_error(data: bytes) -> UnicodeDecodeError | None:
    """Return what decoding data raises, if anything."""
    return raised_by(bytes.decode, data)


def fields(error: UnicodeDecodeError | None) -> tuple[str, bytes, int, int, str] | None:
    """Return the five fields of an exception."""
    if error is None:
        return None
    return error.encoding, error.object, error.start, error.end, error.reason


def is_lead(byte: int) -> bool:
    """Return whether a byte is anything but 10xxxxxx."""
    return byte & 0b1100_0000 != 0b1000_0000


def chars(data: bytes) -> int:
    """Return the number of lead bytes."""
    return len(data.translate(None, CONTINUATIONS))


def widths(data: bytes) -> tuple[int, int, int, int]:
    """Return the number of lead bytes by the length that they announce."""
    groups = (range(0x80), range(0xC0, 0xE0), range(0xE0, 0xF0), range(0xF0, 0x100))
    one, two, three, four = (len(data) - len(data.translate(None, bytes(group))) for group in groups)
    return one, two, three, four


def utf16_count(data: bytes) -> int:
    """Return the number of lead bytes, with four-byte leads counted twice."""
    return chars(data) + widths(data)[3]


def scan(data: bytes) -> dict[str, Any]:
    """Return the fields of a Scan, the error as an Error."""
    found = errors(data)
    return {
        "byte_count": len(data),
        "char_count": chars(data),
        "utf16_count": utf16_count(data),
        "newline_count": data.count(b"\n"),
        "ascii": data.isascii(),
        "max_char_width": max((width for width, number in enumerate(widths(data), 1) if number), default=0),
        "bom": data.startswith(BOM),
        "valid": not found,
        "error": found[0] if found else None,
        "error_count": len(found),
    }


def replaced(data: bytes) -> str:
    """Return the text with U+FFFD in the place of each error, as CPython decodes it."""
    return data.decode("utf-8", "replace")


def code_units(text: str) -> int:
    """Return the number of UTF-16 code units of a text."""
    return len(text.encode("utf-16-le")) // 2


def place(data: bytes, offset: int) -> tuple[int, int]:
    """Return the line and the column of an offset where a character or an error starts."""
    before = data[:offset]
    return 1 + before.count(b"\n"), 1 + len(replaced(before[before.rfind(b"\n") + 1 :]))


def sequences(data: bytes) -> list[tuple[int, int]]:
    """Return the spans of all characters and errors, in order."""
    broken = {start: end for start, end, _ in spans(data)}
    found, at = [], 0
    while at < len(data):
        end = broken.get(at) or next(
            end for end in range(at + 1, at + 5) if end == len(data) or is_lead(data[end]) or end in broken
        )
        found.append((at, end))
        at = end
    return found


def located(data: bytes, offset: int) -> tuple[int, int, int, int, int]:
    """Return line, column, UTF-16 column, char and byte offset of any byte of data, or of their end."""
    start = next((start for start, end in sequences(data) if start <= offset < end), offset)
    line = data[data.rfind(b"\n", 0, start) + 1 : start]
    utf16_column = code_units(replaced(line)) + 1
    return *place(data, start), utf16_column, len(replaced(data[:start])), offset


def noted_errors(data: bytes, limit: int) -> list[tuple[Error, int, int, bytes, bytes]]:
    """Return the first errors, each with its line, its column and the bytes before and after it."""
    return [
        (
            error,
            *place(data, error.start),
            data[max(0, error.start - CONTEXT) : error.start],
            data[error.end : error.end + CONTEXT],
        )
        for error in errors(data)[:limit]
    ]


def is_boundary(data: bytes, offset: int) -> bool:
    """Return whether a byte at an offset is a lead byte, or the end of the data."""
    return offset == len(data) or is_lead(data[offset])


def floor_boundary(data: bytes, offset: int) -> int:
    """Return the nearest boundary, at most three bytes back; the offset itself where there is none."""
    for back in range(4):
        if offset - back >= 0 and is_boundary(data, offset - back):
            return offset - back
    return offset


def ceil_boundary(data: bytes, offset: int) -> int:
    """Return the nearest boundary, at most three bytes ahead; else the end of the character around offset."""
    for ahead in range(4):
        if offset + ahead <= len(data) and is_boundary(data, offset + ahead):
            return offset + ahead
    return next((end for start, end in sequences(data) if start < offset < end), offset)
