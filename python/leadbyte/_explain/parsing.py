"""The rows of a text or of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadbyte._bom import find_bom
from leadbyte._explain.rows import Char, Invalid
from leadbyte._leadbyte import count_chars, decode, iter_errors
from leadbyte._spans import belongs
from leadbyte.variants import cesu8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte._explain.rows import Row
    from leadbyte._leadbyte import ErrorSpan

    # A malformed sequence: its first error, and its bytes.
    _Malformed = tuple[ErrorSpan, bytes]


def rows_of_text(text: str, start: int = 0, index: int = 0) -> Iterator[Char]:
    """Yield a row for each character of a text; its first byte and character have these indices."""
    for at, char in enumerate(text, index):
        row = Char(start, at, ord(char))
        start = row.end
        yield row


def rows_of_bytes(data: bytes, start: int = 0, index: int = 0) -> Iterator[Row]:
    """Yield a row for each character and malformed sequence of bytes, which start as for text."""
    at = 0
    for span, bad in malformed_sequences(data):
        good = data[at : span.start]
        yield from rows_of_text(decode(good), start + at, index)
        index += count_chars(good)
        at = span.start + len(bad)
        follower = data[at : at + 1] if span.kind == "missing_continuation" else b""
        bom = find_bom(data) if start + span.start == 0 else None
        encoding = bom and bom[0]
        yield Invalid(start + span.start, index, bad, span.kind, span.reason, follower, encoding)
        index += 1 + len(bad) - len(span.data)  # each byte after the error is one, too
    yield from rows_of_text(decode(data[at:]), start + at, index)


def malformed_sequences(data: bytes) -> list[_Malformed]:
    """Return all malformed sequences; an encoded surrogate pair counts as one."""
    found: list[_Malformed] = []
    for span in iter_errors(data):
        if found and belongs(span, found[-1][1], end(found[-1])):
            first, bad = found.pop()
            found.append((first, bad + span.data))
        else:
            found.append((span, span.data))
        if len(found) > 1 and is_pair(*found[-2:]):
            (first, high), (_, low) = found[-2:]
            found[-2:] = [(first, high + low)]
    return found


def end(malformed: _Malformed) -> int:
    """Return the offset after a malformed sequence."""
    span, bad = malformed
    return span.start + len(bad)


def is_pair(high: _Malformed, low: _Malformed) -> bool:
    """Return whether two malformed sequences are an encoded surrogate pair, as in CESU-8."""
    return end(high) == low[0].start and len(high[1]) == len(low[1]) and cesu8.is_valid(high[1] + low[1])
