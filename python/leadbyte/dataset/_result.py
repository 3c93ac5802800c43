"""What a scan of a dataset returns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


class Record:
    """A result with fields that JSON can have."""

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
    """An error in a file: the fields of ErrorSpan, with the place in the dataset.

    ``url`` is the URL of the file, without passwords and other secrets. ``start`` and ``end`` are in bytes:
    in the file, in the decompressed data of a compressed one, or in the value of a column. ``data`` is the
    bytes that are not UTF-8, ``before`` and ``after`` at most eight bytes beside them.

    ``line`` and ``column`` count from 1, the latter in characters; they are None in tables. ``row`` counts
    from 0, and ``column_name`` is the name in the table, with a number if several columns have the same:
    ``name (2 of 2)``; they are None in texts.

    In JSON lines ``pointer`` is the JSON Pointer (RFC 6901) of the value in its record, "" for the record
    itself, or if ``in_key`` the pointer of the object with the key. It is None beyond 1,000 nested arrays and
    objects and 4 KiB of keys, and in other files.
    """

    url: str
    start: int
    end: int
    kind: str
    reason: str
    data: bytes
    before: bytes
    after: bytes
    line: int | None = None
    column: int | None = None
    row: int | None = None
    column_name: str | None = None
    pointer: str | None = None
    in_key: bool = False


@dataclass(frozen=True, slots=True)
class Failure(Record):
    """A file that could not be read or written, or a URL that could not be listed.

    ``url`` and ``message`` are without passwords and other secrets.
    """

    url: str
    message: str


@dataclass(frozen=True, slots=True)
class Counts(Record):
    """The counts of a file, or of several."""

    byte_count: int = 0
    char_count: int = 0
    utf16_count: int = 0
    newline_count: int = 0
    row_count: int = 0
    error_count: int = 0
    invalid_record_count: int = 0
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
            self.invalid_record_count + other.invalid_record_count,
            self.ascii and other.ascii,
            max(self.max_char_width, other.max_char_width),
        )


@dataclass(frozen=True, slots=True)
class DatasetScan(Record):
    """What :func:`scan` finds: counts of all files that could be read, and the first errors.

    ``file_count`` is the number of files, of which ``invalid_count`` have errors and ``failed_count`` could
    not be read. The other counts have the same names and meanings as in :class:`leadbyte.Scan`: of texts,
    compressed ones as decompressed, and of the values of columns that hold text. ``row_count`` is the number
    of rows of tables, ``invalid_record_count`` the number of JSON lines with errors.

    ``errors`` are the first errors, in the order of the files, and ``failures`` the first 10,000 files that
    could not be read.
    """

    file_count: int
    invalid_count: int
    failed_count: int
    byte_count: int
    char_count: int
    utf16_count: int
    newline_count: int
    row_count: int
    error_count: int
    invalid_record_count: int
    ascii: bool
    max_char_width: int
    errors: tuple[DatasetError, ...]
    failures: tuple[Failure, ...]

    @property
    def valid(self) -> bool:
        """Whether all files could be read and have no errors."""
        return not (self.invalid_count or self.failed_count)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON, with ``valid``; bytes in hexadecimal."""
        return {**Record.as_dict(self), "valid": self.valid}
