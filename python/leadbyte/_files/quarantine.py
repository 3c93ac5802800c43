"""Rows with errors, kept apart: lines of a text, or rows of a Parquet file, as JSON lines or as Parquet."""

from __future__ import annotations

import base64
import contextlib
import json
from dataclasses import dataclass, field

from leadbyte._files.columns import TableScan, value_bytes
from leadbyte._files.reading import BLOCK
from leadbyte._files.writing import discard
from leadbyte._invalid_lines import invalid_lines
from leadbyte._leadbyte import count_newlines, is_valid, repair
from leadbyte._messages import number

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer

    from leadbyte._files.columns import Column, Columns
    from leadbyte._files.invalid_rows import InvalidRows
    from leadbyte._files.writing import _Write
    from leadbyte._leadbyte import Scanner

    _Anything: TypeAlias = Any
    # The start and end of a line, the row to keep, and its replacement; None to leave the line out.
    _Line: TypeAlias = tuple[int, int, "InvalidRow | None", bytes | None]

    class _Lines(Protocol):
        line: int

        def find(self, block: memoryview, *, is_last: bool) -> Iterator[_Line]: ...


# A row of a text is kept in memory.
MAX_LINE_BYTES = 64 << 20
# How many rows, or bytes of rows, are written at once.
MAX_ROWS = 1 << 16
MAX_BYTES = 16 << 20
# The fields of a record with their types in Parquet.
FIELDS = {
    "file": "string",
    "line": "int64",
    "row_group": "int64",
    "row": "int64",
    "column": "string",
    "pointer": "string",
    "byte": "int64",
    "kind": "string",
    "error_count": "int64",
    "data": "large_binary",
}


@dataclass(slots=True)
class InvalidRow:
    """A line of a text or a value of a table that has errors.

    ``line`` counts from 1; ``row`` from 0, in the file. ``byte`` is the offset of the first error: in the
    file if it is a text, else in the value. ``kind`` is its kind, and in JSON lines ``pointer`` the JSON
    Pointer of the value that it is in. ``data`` is the line without the line feed at its end, or the value.
    """

    file: str
    byte: int
    kind: str
    error_count: int
    data: bytes
    line: int | None = field(default=None, kw_only=True)
    row_group: int | None = field(default=None, kw_only=True)
    row: int | None = field(default=None, kw_only=True)
    column: str | None = field(default=None, kw_only=True)
    pointer: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        r"""Escape bytes in the name of the file that are not UTF-8: ``caf\xe9``."""
        self.file = self.file.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Quarantine:
    """Takes rows, and writes many of them at once."""

    def __init__(self) -> None:
        self.rows: list[InvalidRow] = []
        self.byte_count = 0

    def add(self, row: InvalidRow) -> None:
        """Take a row."""
        self.rows.append(row)
        self.byte_count += len(row.data)
        if len(self.rows) >= MAX_ROWS or self.byte_count >= MAX_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the rows taken since the last call."""
        if self.rows:
            self.write_rows()
            self.drop()

    def write_rows(self) -> None:
        """Write the rows that were taken, all of which exist."""
        raise NotImplementedError

    def close(self) -> None:
        """Write the rest, and what ends the file."""
        self.flush()

    def drop(self) -> None:
        """Forget the rows taken since the last call of ``flush``."""
        self.rows.clear()
        self.byte_count = 0

    def abandon(self) -> None:
        """Write nothing more, as the file is not wanted."""
        self.drop()


class JsonQuarantine(Quarantine):
    """Writes rows as lines of JSON, the data in Base64; fields that do not apply are left out."""

    def __init__(self, write: _Write) -> None:
        super().__init__()
        self.write = write

    def write_rows(self) -> None:
        """Write a line for each row."""
        self.write("".join(map(json_line, self.rows)).encode())


def json_line(row: InvalidRow) -> str:
    """Return a row as a line of JSON."""
    fields = {name: getattr(row, name) for name in FIELDS if name != "data"}
    fields["base64"] = base64.b64encode(row.data).decode()
    return json.dumps({name: value for name, value in fields.items() if value is not None}) + "\n"


class ParquetQuarantine(Quarantine):
    """Writes rows as row groups of a Parquet file, which is complete when it is closed."""

    def __init__(self, write: _Write) -> None:
        """Raise MissingPyarrowError without pyarrow."""
        from leadbyte._files.tables import arrow_errors

        super().__init__()
        with arrow_errors():
            import pyarrow as pa
            from pyarrow.parquet import ParquetWriter

            from leadbyte._files.parquet import CallbackFile

            types = {name: getattr(pa, kind)() for name, kind in FIELDS.items()}
            self.schema = pa.schema(list(types.items()))
            self.sink = CallbackFile(write)
            self.writer = ParquetWriter(self.sink, self.schema, compression="zstd")

    def write_rows(self) -> None:
        """Write a row group."""
        import pyarrow as pa

        columns = {name: [getattr(row, name) for row in self.rows] for name in FIELDS}
        self.writer.write_table(pa.table(columns, self.schema))

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        super().close()
        self.writer.close()

    def abandon(self) -> None:
        """Write nothing more, as the file is not wanted."""
        super().abandon()
        self.sink.write_bytes = discard
        with contextlib.suppress(Exception):
            self.writer.close()


class TextLines:
    """Finds the lines that have errors in blocks of whole lines; scans these. ``line`` is the next one."""

    def __init__(self, scanner: Scanner, file: str, replacement: str | None) -> None:
        self.scanner = scanner
        self.file = file
        self.replacement = replacement
        self.offset = 0
        self.line = 1

    def find(self, block: memoryview, *, is_last: bool) -> Iterator[_Line]:
        """Yield start and end of each line that has errors, the row to keep, and its replacement."""
        del is_last  # a line is a line
        self.scanner.update(block)
        counted = 0
        if not is_valid(block):
            data = bytes(block)
            for start, after, first, count in invalid_lines(data):
                self.line += count_newlines(block[counted:start])
                counted = start
                content = data[start:after].removesuffix(b"\n")
                row = InvalidRow(
                    self.file, self.offset + first.start, first.kind, count, content, line=self.line
                )
                kept = None
                if self.replacement is not None:
                    kept = repair(block[start:after], replacement=self.replacement)
                yield start, after, row, kept
        self.line += count_newlines(block[counted:])
        self.offset += len(block)


def separated_lines(
    read: Callable[[memoryview], int], lines: _Lines, add: Callable[[InvalidRow], object]
) -> Iterator[Buffer]:
    """Yield a text without the lines that have errors, or with their replacements; add these.

    Lines end with line feeds. ``read`` fills a part of a block of memory, from its start, and returns the
    number of bytes; 0 at the end. Each text that is yielded is valid until the next one. Raises OSError for a
    line of more than 64 MiB.
    """
    memory = bytearray(BLOCK)
    unfinished = 0
    while True:
        length = read(memoryview(memory)[unfinished:])
        end = unfinished + length
        # Of the part before, no line has ended.
        stop = memory.rfind(b"\n", unfinished, end) + 1 if length else end
        block = memoryview(memory)[:stop]
        done = 0
        for start, after, row, kept in lines.find(block, is_last=not length):
            yield block[done:start]
            if row is not None:
                add(row)
            if kept is not None:
                yield kept
            done = after
        yield block[done:]
        if not length:
            return
        unfinished = end - stop
        if stop:
            memory[:unfinished] = memory[stop:end]
            if unfinished < BLOCK < len(memory):
                # After a long line, others should not be held all at once. (The last text may be in use.)
                memory = memory[:BLOCK]
        if unfinished == len(memory):
            if unfinished >= MAX_LINE_BYTES:
                size = number(MAX_LINE_BYTES, "byte")
                message = f"line {lines.line} has more than {size}, so it cannot be kept apart or dropped"
                raise OSError(message)
            # The last text may still be in use, so its memory keeps its size.
            memory = memory + bytes(unfinished)


class SeparatingScan(TableScan):
    """A scan of the columns of a file that only puts values with errors into a quarantine."""

    def __init__(self, columns: Columns, group: str, rows: InvalidRows, name: str) -> None:
        super().__init__(columns, group, limit=0, kept=0)
        self.rows = rows
        self.name = name
        # The rows of each row group that have errors, counted from its start.
        self.invalid: dict[int, set[int]] = {}

    def keep(self, group: int, column: Column, values: _Anything, rows: _Anything, found: _Anything) -> None:
        """Keep the values of a column in a batch that have errors."""
        invalid = self.invalid.setdefault(group, set())
        for index, byte, kind, count in first_errors(found):
            row = self.row_count + (index if rows is None else rows[index].as_py())
            data = bytes(value_bytes(values[index]))
            self.rows.keep(
                InvalidRow(self.name, byte, kind, count, data, row_group=group, row=row, column=column.name)
            )
            self.rows.row_count += row - self.first_row not in invalid
            invalid.add(row - self.first_row)


def first_errors(found: _Anything) -> Iterator[tuple[int, int, str, int]]:
    """Yield the row of each value of a table of errors, offset and kind of the first, and their number."""
    import pyarrow as pa
    from pyarrow import compute

    runs = compute.run_end_encode(found.field("row"))
    ends = runs.run_ends
    starts = pa.concat_arrays([pa.array([0], ends.type), ends[:-1]])
    columns = (
        runs.values,
        found.field("offset").take(starts),
        found.field("kind").take(starts),
        compute.subtract(ends, starts),
    )
    for index, byte, kind, count in zip(*columns, strict=True):
        yield index.as_py(), byte.as_py(), kind.as_py(), count.as_py()
