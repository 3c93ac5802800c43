"""Small local texts, which the extension reads: most of the time for one would be Python's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from leadbyte._leadbyte import Scanner, _FileReader
from leadbyte.dataset._partial import Totals
from leadbyte.dataset._result import Counts
from leadbyte.dataset._tasks import PLAIN
from leadbyte.dataset._urls import version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from leadbyte import Scan
    from leadbyte.dataset._tasks import File, Piece

MAX_SMALL_BYTES = 1 << 20


def grouped(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield neighbouring pieces that are small local texts together, and others alone."""
    small: list[Piece] = []
    for piece in pieces:
        if is_small(piece):
            small.append(piece)
            continue
        if small:
            yield small
            small = []
        yield [piece]
    if small:
        yield small


def is_small(piece: Piece) -> bool:
    """Return whether a piece is a whole text, which is local and small; only paths of POSIX are local."""
    file = piece.file
    size = file.size
    return (
        size is not None
        and size <= MAX_SMALL_BYTES
        and piece.start == 0
        and piece.stop == size
        and file.format == PLAIN
        and file.failed is None
        and file.url[0] == "/"
        and ":" not in file.url
    )


def scan_texts(pieces: Sequence[Piece], max_errors: int) -> Iterator[tuple[Piece, Scanner | None]]:
    """Yield the scanners of small local texts; None for one that cannot be read, or has changed."""
    reader = _FileReader(
        [piece.file.url for piece in pieces],
        "scan",
        directories=False,
        ignore=False,
        hidden=True,
        exclude=[],
        jobs=1,  # the engine has threads, processes or machines
        errors=max_errors,
        binary=True,
        tables=([], [], False),
        waiting=nothing,
    )
    for piece, (_, _, found) in zip(pieces, reader, strict=True):
        is_read = isinstance(found, Scanner) and is_unchanged(piece.file, found.byte_count)
        yield piece, found if is_read else None  # type: ignore[misc]


def nothing() -> None:
    """Do nothing while a file is read."""


def is_unchanged(file: File, byte_count: int) -> bool:
    """Return whether this number of bytes is all of a local file, which is still the one that was listed."""
    try:
        status = os.stat(file.url)
    except OSError:
        return False
    return status.st_size == file.size == byte_count and version_of(status) == file.version


class ValidTexts:
    """The sums of valid texts: with a Counts for each, a scan of many takes a quarter longer."""

    def __init__(self) -> None:
        self.file_count = self.byte_count = self.char_count = self.utf16_count = self.newline_count = 0
        self.max_char_width = 0
        self.ascii = True

    def add(self, scan: Scan) -> None:
        """Add a text."""
        self.file_count += 1
        self.byte_count += scan.byte_count
        self.char_count += scan.char_count
        self.utf16_count += scan.utf16_count
        self.newline_count += scan.newline_count
        self.ascii = self.ascii and scan.ascii
        self.max_char_width = max(self.max_char_width, scan.max_char_width)

    def totals(self) -> Totals:
        """Return the totals."""
        counts = Counts(
            byte_count=self.byte_count,
            char_count=self.char_count,
            utf16_count=self.utf16_count,
            newline_count=self.newline_count,
            ascii=self.ascii,
            max_char_width=self.max_char_width,
        )
        return Totals(self.file_count, counts=counts)
