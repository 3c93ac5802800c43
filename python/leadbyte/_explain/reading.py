"""From text or bytes to rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadbyte._bom import find_bom
from leadbyte._explain.rows import Char, Invalid
from leadbyte._leadbyte import count_chars, decode, iter_errors
from leadbyte._spans import belongs
from leadbyte.variants import cesu8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte import ErrorSpan
    from leadbyte._explain.rows import Row

    # A broken character: its first error, and its bytes.
    _Broken = tuple[ErrorSpan, bytes]


def rows_of_text(text: str, start: int = 0, index: int = 0) -> Iterator[Char]:
    """Give a row for each character of a text before which there are so many bytes and characters."""
    for at, char in enumerate(text, index):
        row = Char(start, at, ord(char))
        start = row.end
        yield row


def rows_of_bytes(data: bytes, start: int = 0, index: int = 0) -> Iterator[Row]:
    """Give a row for each character of bytes, and for each broken one; what is before is as for text."""
    at = 0
    for span, bad in broken_chars(data):
        good = data[at : span.start]
        yield from rows_of_text(decode(good), start + at, index)
        index += count_chars(good)
        at = span.start + len(bad)
        follower = data[at : at + 1] if span.kind == "missing_continuation" else b""
        mark = find_bom(data) if start + span.start == 0 else None
        encoding = mark and mark[0]
        yield Invalid(start + span.start, index, bad, span.kind, span.reason, follower, encoding)
        index += count_chars(bad)
    yield from rows_of_text(decode(data[at:]), start + at, index)


def broken_chars(data: bytes) -> list[_Broken]:
    """Return all broken characters; two surrogates that are a pair count as one."""
    found: list[_Broken] = []
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


def end(broken: _Broken) -> int:
    """Return the offset just past a broken character."""
    span, bad = broken
    return span.start + len(bad)


def is_pair(high: _Broken, low: _Broken) -> bool:
    """Return whether two broken characters are one in CESU-8: a high surrogate and a low one after it."""
    return end(high) == low[0].start and len(high[1]) == len(low[1]) and cesu8.is_valid(high[1] + low[1])
