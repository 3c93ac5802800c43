"""Splitting bytes and files into parts of about equal sizes."""

from __future__ import annotations

import operator

from leadbyte._arguments import check_binary_file
from leadbyte._leadbyte import _floor_cluster, _split_points, floor_boundary

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal, SupportsIndex, TypeAlias

    from typing_extensions import Buffer

    from leadbyte._arguments import _BinaryFile

    _Boundary: TypeAlias = Literal["char", "line", "grapheme"]
    _Read: TypeAlias = Callable[[int, int], bytes]
    # The state of a walk through characters, and the start of the cluster of the last one.
    _Walk: TypeAlias = tuple[int | None, int]

__all__ = ["split_points"]

MAX_CHAR_BYTES = 4
# The number of bytes first read for the end of a line, and for a cluster boundary. Reads grow up to a block.
NEAR_BYTES = 4 << 10
BLOCK_BYTES = 1 << 20

TEXT_START: _Walk = (None, 0)


def whole_length(data: bytes | bytearray | memoryview) -> int:
    """Return the length in bytes of the characters and errors of data that bytes after it do not change."""
    return floor_boundary(data, max(0, len(data) - (MAX_CHAR_BYTES - 1)))


def split_points(
    data: Buffer | _BinaryFile, n: SupportsIndex, /, *, boundary: _Boundary = "char"
) -> list[int]:
    r"""Return n + 1 offsets in bytes that split data into n parts of about equal sizes.

    The first is 0, the last is the length, and none is less than the one before: parts are empty where a line
    is longer than a part, or where n is larger than the number of characters.

    data: any bytes-like object with a contiguous buffer, which need not be UTF-8; or a seekable binary file,
    of which a few bytes are read around each offset, more where a line is long. Its position is restored.
    n: raises ValueError if it is less than 1.
    boundary: where data is split. ``"char"``: between characters, by ``floor_boundary``; ``"line"``: after
    line feeds, so that CR LF stays whole (a CR alone ends no line); ``"grapheme"``: between extended grapheme
    clusters (UAX 29), in which an error counts as U+FFFD does. The character or cluster at an offset that is
    not a boundary goes to the part after it, the rest of a line to the part before.

    >>> leadbyte.split_points('\u0430\u0431\u0432\u0433'.encode(), 3)
    [0, 2, 4, 8]
    >>> import io
    >>> leadbyte.split_points(io.BytesIO(b'one\ntwo\nthree\n'), 2, boundary='line')
    [0, 8, 14]
    >>> leadbyte.split_points(io.StringIO('text'), 2)
    Traceback (most recent call last):
    TypeError: data must be a binary file, not a text file: open it with mode 'rb', or pass file.buffer
    """
    if not hasattr(data, "seek") or has_buffer(data):
        return _split_points(data, n, boundary)  # type: ignore[arg-type]
    # Raises what all calls raise for these arguments.
    _split_points(b"", min(operator.index(n), 1), boundary)
    return file_points(data, operator.index(n), boundary)  # type: ignore[arg-type]


def has_buffer(data: object) -> bool:
    """Return whether an object is bytes-like, as an mmap, which is also a file, is."""
    try:
        memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def file_points(file: _BinaryFile, n: int, boundary: _Boundary) -> list[int]:
    """Return the offsets in a file, whose position is restored."""
    check_binary_file(file, "data")
    if hasattr(file, "seekable") and not file.seekable():
        message = "data must be a seekable file or bytes-like: read this one, and pass the bytes"
        raise ValueError(message)
    position = file.tell()
    try:
        size = file.seek(0, 2)
        find = {"char": chars, "line": lines, "grapheme": clusters}[boundary]
        points = [size] * (n + 1)  # raises MemoryError now, if it does
        points[0] = 0
        equal = (size * number // n for number in range(1, n))
        for number, point in enumerate(find(reader(file), size, equal), 1):
            points[number] = point
        return points
    finally:
        file.seek(position)


def reader(file: _BinaryFile) -> _Read:
    """Return a function that reads up to a number of bytes from an offset, fewer only at the end."""

    def read(start: int, length: int) -> bytes:
        file.seek(start)
        data = file.read(length)
        # A raw file may return less.
        while data and len(data) < length and (more := file.read(length - len(data))):
            data += more
        return data

    return read


def chars(read: _Read, size: int, equal: Iterator[int]) -> Iterator[int]:
    """Yield the boundary between characters for each offset."""
    for to in equal:
        yield floor_char(read, size, to)


def floor_char(read: _Read, size: int, to: int) -> int:
    """Return the last boundary between characters up to an offset."""
    if to >= size:
        return size
    start = max(to - MAX_CHAR_BYTES, 0)
    return start + floor_boundary(read(start, to + 1 - start), to - start)


def lines(read: _Read, size: int, equal: Iterator[int]) -> Iterator[int]:
    """Yield the end of the line for each offset, in ascending order."""
    end = 0
    for to in equal:
        # The line that contains the offset ends there, too.
        if to > end:
            end = line_end(read, size, to - 1)
        yield end


def line_end(read: _Read, size: int, start: int) -> int:
    """Return the end of the line that contains the byte at an offset."""
    length = NEAR_BYTES
    while data := read(start, length):
        if newline := data.find(b"\n") + 1:
            return start + newline
        start += len(data)
        length = min(2 * length, BLOCK_BYTES)
    return size


def clusters(read: _Read, size: int, equal: Iterator[int]) -> Iterator[int]:
    """Yield the boundary between clusters for each offset, in ascending order."""
    at, walk, floor = 0, TEXT_START, 0
    for offset in equal:
        to = floor_char(read, size, offset)
        if to - NEAR_BYTES > at and (found := floor_cluster(read, to - NEAR_BYTES, to, None)):
            at, (floor, walk) = to, found
        # No cluster is certain to start there: the walk continues where it ended, and nothing is read twice.
        while at < to:
            end = min(to, floor_char(read, size, at + BLOCK_BYTES))
            floor, walk = floor_cluster(read, at, end, walk) or (end, walk)
            at = end
        yield floor


def floor_cluster(read: _Read, start: int, to: int, walk: _Walk | None) -> tuple[int, _Walk] | None:
    """Return the last boundary between clusters up to an offset, and the walk to there.

    ``walk`` is that to ``start``. Without it, return None unless a cluster starts between them for certain.
    """
    window = read(start, to - start + MAX_CHAR_BYTES)
    relative = walk and (walk[0], walk[1] - start)
    found = _floor_cluster(window, min(to - start, len(window)), relative)
    return found and (found[0] + start, (found[1], found[2] + start))
