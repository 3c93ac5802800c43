"""Lines that are not UTF-8."""

from __future__ import annotations

from leadbyte._leadbyte import iter_errors

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte._leadbyte import ErrorSpan


def invalid_lines(data: bytes) -> Iterator[tuple[int, int, ErrorSpan, int]]:
    """Yield the lines that have errors, each up to its line feed.

    Of each: start and end in bytes, its first error, and the number of its errors.
    """
    start = end = count = 0
    first: ErrorSpan | None = None
    for error in iter_errors(data):
        if first is None or error.start >= end:
            if first is not None:
                yield start, end, first, count
            start = max(end, data.rfind(b"\n", end, error.start) + 1)
            end = data.find(b"\n", error.end) + 1 or len(data)
            first, count = error, 0
        count += 1
    if first is not None:
        yield start, end, first, count
