"""Files, the pieces that they are cut into, and the tasks that a worker does one at a time."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadbyte._formats import ARROW, PARQUET
from leadbyte.dataset._secrets import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The number of pieces of a task, however small they are.
MAX_PIECES = 1000
# The format of files that are read as they are, and those whose columns are read.
PLAIN = "text"
TABLES = (PARQUET, ARROW)
# The formats whose files are cut; others are read from the start on.
CUT = (PLAIN, PARQUET)
UNITS = {"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


# Both are never changed. Frozen, they would take four times as long to make.
@dataclass(slots=True, unsafe_hash=True)
class File:
    """A file of a dataset, as it was listed."""

    url: str
    # The place in the listing, from 0.
    index: int
    # In bytes; None if the store does not report it.
    size: int | None
    # What differs between two versions of a file, as an ETag or the time of the last change; None if unknown.
    version: str | None
    # "text", a compression of fsspec ("gzip", "bz2", "xz", "zstd"), "Parquet" or "Arrow".
    format: str
    # Why it cannot be read, if that is known from the listing.
    failed: str | None = None
    # Whether it never changes, as the files of a snapshot.
    constant: bool = False

    @property
    def shown(self) -> str:
        """The URL without secrets."""
        return shown(self.url)


@dataclass(slots=True, unsafe_hash=True)
class Piece:
    """A range of bytes of a file, or the whole of one that is read as a stream.

    Neighbouring pieces of a file have the same end and start; the first starts at 0, the last ends at the
    size.
    """

    file: File
    start: int
    # None: the whole file, whatever its size.
    stop: int | None

    @property
    def is_first(self) -> bool:
        """Whether the file starts with this piece."""
        return self.start == 0

    @property
    def is_last(self) -> bool:
        """Whether the file ends with this piece."""
        return self.stop is None or self.stop == self.file.size

    @property
    def byte_count(self) -> int:
        """The number of bytes to read, as far as that is known."""
        stop = self.file.size if self.stop is None else self.stop
        return (stop or 0) - self.start


@dataclass(frozen=True, slots=True)
class Task:
    """Consecutive pieces, in the order of the listing; tasks are numbered from 0."""

    index: int
    pieces: tuple[Piece, ...]

    @property
    def byte_count(self) -> int:
        """The number of bytes to read, as far as that is known."""
        return sum(piece.byte_count for piece in self.pieces)


def parse_blocksize(blocksize: int | str) -> int:
    """Return a positive number of bytes, which may have a unit; raise ValueError for anything else.

    >>> parse_blocksize("64 MiB"), parse_blocksize("1 GB")
    (67108864, 1000000000)
    """
    number, unit = 0.0, ""
    if isinstance(blocksize, int):
        number = blocksize
    elif parts := re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", blocksize):
        number, unit = float(parts[1]), parts[2].lower()
    if unit not in UNITS or not 1 <= number * UNITS[unit] < math.inf:
        message = (
            f'blocksize must be a positive number of bytes, or one with a unit as "64 MiB", not {blocksize!r}'
        )
        raise ValueError(message)
    return int(number * UNITS[unit])


def cut(files: Iterable[File], blocksize: int) -> Iterator[Task]:
    """Yield the tasks of files: pieces of at most ``blocksize`` bytes; small ones share a task."""
    index = 0
    pieces: list[Piece] = []
    byte_count = 0
    for file in files:
        for piece in cut_file(file, blocksize):
            # A piece that is read to an unknown end counts as a block.
            size = blocksize if file.size is None else piece.byte_count
            if pieces and (byte_count + size > blocksize or len(pieces) == MAX_PIECES):
                yield Task(index, tuple(pieces))
                index += 1
                pieces.clear()
                byte_count = 0
            pieces.append(piece)
            byte_count += size
    if pieces:
        yield Task(index, tuple(pieces))


def cut_file(file: File, blocksize: int) -> Iterable[Piece]:
    """Return the pieces of a file."""
    size = file.size
    if size is None or file.format not in CUT or file.failed:
        return (Piece(file, 0, None),)
    if size <= blocksize:
        return (Piece(file, 0, size),)
    return (Piece(file, start, min(start + blocksize, size)) for start in range(0, size, blocksize))
