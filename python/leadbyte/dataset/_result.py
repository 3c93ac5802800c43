"""What a scan of a dataset returns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


class Record:
    """What has fields that JSON can have."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON; bytes in hexadecimal."""
        return {field.name: for_json(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


def for_json(value: object) -> object:
    """Return a value as JSON has it."""
    if isinstance(value, tuple):
        return [for_json(item) for item in value]
    if isinstance(value, Record):
        return value.as_dict()
    return value.hex(" ") if isinstance(value, bytes) else value


@dataclass(frozen=True, slots=True)
class DatasetError(Record):
    """An error in a file: an ErrorSpan with its place in the dataset."""

    #: The URL of the file, without passwords and other secrets.
    url: str
    #: The first byte, in the file; of a compressed file, in the decompressed data; in a column, in the value.
    start: int
    #: The byte after the last one.
    end: int
    #: What is wrong, as in ErrorSpan.
    kind: str
    #: The reason that CPython gives.
    reason: str
    #: The bytes that are not UTF-8.
    data: bytes
    #: At most eight bytes before them.
    before: bytes
    #: At most eight bytes after them.
    after: bytes
    #: The line, from 1; None in a column.
    line: int | None = None
    #: The column in characters, from 1; None in a column of a table.
    column: int | None = None
    #: The row of the file, from 0; None in a text.
    row: int | None = None
    #: The name of the column; None in a text.
    column_name: str | None = None


@dataclass(frozen=True, slots=True)
class Failure(Record):
    """A file that could not be read, or a URL that could not be listed."""

    #: The URL, without passwords and other secrets.
    url: str
    #: What failed.
    message: str


@dataclass(frozen=True, slots=True)
class Counts(Record):
    """What is counted in a file, or in several."""

    byte_count: int = 0
    char_count: int = 0
    utf16_count: int = 0
    newline_count: int = 0
    row_count: int = 0
    error_count: int = 0
    ascii: bool = True
    max_char_width: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both."""
        return Counts(
            self.byte_count + other.byte_count,
            self.char_count + other.char_count,
            self.utf16_count + other.utf16_count,
            self.newline_count + other.newline_count,
            self.row_count + other.row_count,
            self.error_count + other.error_count,
            self.ascii and other.ascii,
            max(self.max_char_width, other.max_char_width),
        )


@dataclass(frozen=True, slots=True)
class DatasetScan(Record):
    """What :func:`scan` finds: counts of all files that could be read, and the first errors.

    Texts are counted as :func:`leadbyte.scan` does, compressed ones as decompressed; of tables, the values of
    the columns that hold text.
    """

    #: The number of files, with those that could not be read.
    file_count: int
    #: The number of files that are not UTF-8.
    invalid_count: int
    #: The number of files that could not be read; they are not in the other counts.
    failed_count: int
    #: The number of bytes of text.
    byte_count: int
    #: The number of characters, counted by their lead bytes.
    char_count: int
    #: The number of UTF-16 code units.
    utf16_count: int
    #: The number of line feeds.
    newline_count: int
    #: The number of rows of tables.
    row_count: int
    #: The number of errors.
    error_count: int
    #: Whether every byte is below 0x80.
    ascii: bool
    #: The maximum length in bytes that a lead byte announces, 1 to 4; 0 if there is no lead byte.
    max_char_width: int
    #: The first errors, in the order of the files.
    errors: tuple[DatasetError, ...]
    #: The first files that could not be read, in their order, up to 10,000.
    failures: tuple[Failure, ...]

    @property
    def valid(self) -> bool:
        """Whether all files could be read and are UTF-8."""
        return not (self.invalid_count or self.failed_count)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON, with ``valid``; bytes in hexadecimal."""
        return {**Record.as_dict(self), "valid": self.valid}
