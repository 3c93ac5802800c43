"""Files, the pieces that they are cut into, and the tasks that a worker does one at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of bytes of a file, or the whole of one that is read as a stream.

    Neighbouring pieces of a file have the same end and start; the first starts at 0, the last ends at the size.
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


@dataclass(frozen=True, slots=True)
class Task:
    """Consecutive pieces, in the order of the listing; tasks are numbered from 0."""

    index: int
    pieces: tuple[Piece, ...]

    @property
    def byte_count(self) -> int:
        """The number of bytes to read, as far as that is known."""
        stops = ((piece.file.size or 0) if piece.stop is None else piece.stop for piece in self.pieces)
        return sum(stop - piece.start for piece, stop in zip(self.pieces, stops, strict=True))
