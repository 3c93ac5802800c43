"""From text or bytes to rows."""

from __future__ import annotations

from leadbyte._bom import find_bom
from leadbyte._explain.rows import Char, Invalid
from leadbyte._leadbyte import count_chars, decode, iter_errors
from leadbyte._spans import belongs
from leadbyte.variants import cesu8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte import ErrorSpan
    from leadbyte._explain.rows import Row


def rows_of_text(text: str, start: int = 0, index: int = 0) -> Iterator[Char]:
    """Give a row for each character, counting bytes and characters from these numbers on."""
    for at, char in enumerate(text, index):
        row = Char(start, at, ord(char))
        start = row.end
        yield row


def rows_of_bytes(data: bytes) -> Iterator[Row]:
    """Give a row for each character, and for bytes that are none."""
    start = index = 0
    for row in invalid_rows(data):
        yield from rows_of_text(decode(data[start : row.start]), start, index)
        yield row
        start, index = row.end, row.index + count_chars(row.data)
    yield from rows_of_text(decode(data[start:]), start, index)


def invalid_rows(data: bytes) -> Iterator[Invalid]:
    """Give a row for each broken character."""
    mark, _ = find_bom(data) or (None, 0)
    start = index = 0
    for span, bad in broken_chars(data):
        index += count_chars(data[start : span.start])
        start, after = span.start, span.start + len(bad)
        follower = data[after : after + 1] if span.kind == "missing_continuation" else b""
        yield Invalid(start, index, bad, span.kind, span.reason, follower, None if start else mark)


def broken_chars(data: bytes) -> list[tuple[ErrorSpan, bytes]]:
    """Return the first error of each broken character, and the character's bytes.

    Surrogates that are a pair count as one character.
    """
    found: list[tuple[ErrorSpan, bytes]] = []
    for span in iter_errors(data):
        if found and belongs(span, found[-1][1], end(found[-1])):
            first, bad = found.pop()
            found.append((first, bad + span.data))
        else:
            found.append((span, span.data))
        if len(found) > 1 and is_pair(*found[-2:]):
            low, high = found.pop(), found.pop()
            found.append((high[0], high[1] + low[1]))
    return found


def end(broken: tuple[ErrorSpan, bytes]) -> int:
    """Return the offset just past a broken character."""
    return broken[0].start + len(broken[1])


def is_pair(high: tuple[ErrorSpan, bytes], low: tuple[ErrorSpan, bytes]) -> bool:
    """Return whether two broken characters are one in CESU-8: a high surrogate and a low one after it."""
    return end(high) == low[0].start and len(high[1]) == len(low[1]) and cesu8.is_valid(high[1] + low[1])
