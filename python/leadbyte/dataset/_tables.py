"""The text in the columns of Parquet and Arrow files.

A Parquet file is cut into pieces of some bytes as a text is, but row groups are read as a whole: each belongs
to one piece. So files are cut without reading their metadata, and the workers, which read it, know the number
of rows before each row group. They do not look at the metadata of columns: pyarrow ends the process if it is
malformed, or encrypted.
"""

from __future__ import annotations

import io
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from fsspec.implementations.local import LocalFileSystem

from leadbyte import Scanner
from leadbyte._files.columns import STRINGS, Columns, TableScan, as_large_binary
from leadbyte._files.errors import MAX_FORM_BYTES
from leadbyte._files.tables import CountedFile, arrow_errors, open_table
from leadbyte._formats import PARQUET
from leadbyte._messages import printable
from leadbyte.dataset._partial import TableState, counts_of, dataset_error
from leadbyte.dataset._reading import (
    CHANGED,
    ChangedError,
    has_changed,
    identified,
    read_part,
    reader,
    reason,
)
from leadbyte.dataset._retries import retried
from leadbyte.dataset._urls import open_filesystem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeAlias

    from typing_extensions import Buffer

    from leadbyte.dataset._reading import Reader
    from leadbyte.dataset._result import DatasetError
    from leadbyte.dataset._tasks import File, Piece

    _Anything: TypeAlias = Any
    StoredFile: TypeAlias = "io.FileIO | RemoteFile"


def scan_table(piece: Piece, columns: Sequence[str], max_errors: int) -> TableState:
    """Return the state of the columns of a piece that have these names, or without names of all of strings.

    Raises OSError if the piece cannot be read, or a column of these names does not exist or has no text;
    ChangedError if the file is not the one that was listed.
    """
    file = piece.file
    if file.size is None:
        file = identified(file)
    try:
        with open_stored(file) as stored, arrow_errors():
            state = scan_stored(piece, stored, columns, max_errors)
    except OSError as error:
        raise reason(file, error) from error
    if retried(has_changed, file):
        raise ChangedError(CHANGED)
    return state


def scan_stored(piece: Piece, stored: StoredFile, names: Sequence[str], max_errors: int) -> TableState:
    """Return the state of the columns of a piece of an open file."""
    table = open_table(piece.file.format, CountedFile(stored, lambda _: None), list(names), threads=False)
    columns = Columns(table.schema, list(names), STRINGS)
    if columns.unread:
        column = columns.unread[0]
        message = f"strings in the column {column.name} of {column.type} cannot be read; name others to check"
        raise OSError(printable(message))
    # The command counts malformed characters, each of at least one error.
    limit = max(max_errors, 1)
    scan = TableScan(columns, table.group, limit=limit, kept=limit * MAX_FORM_BYTES)
    scanner = Scanner()
    row_count = 0
    for first_row, batch in batches(piece, table, columns.tops):
        scan.row_count = first_row
        scan.add(0, batch)
        row_count += batch.num_rows
        for _, values, _ in columns.arrays(batch):
            scanner.update(text_of(values))
    # Values are counted one after another, which makes no difference to counts, but may to errors.
    counts = replace(counts_of(scanner.finish()), row_count=row_count, error_count=scan.error_count)
    return TableState(counts, tuple(row_errors(piece.file.shown, scan))[:limit])


def batches(piece: Piece, table: _Anything, names: list[str]) -> Iterator[tuple[int, _Anything]]:
    """Yield the batches of these columns in a piece, each with the number of rows before it."""
    if piece.file.format != PARQUET:
        row = 0
        for _, batch in table.batches(names):
            yield row, batch
            row += batch.num_rows
        return
    metadata = table.file.metadata
    first_row = 0
    for group in range(metadata.num_row_groups):
        if holds(piece, group, metadata.num_row_groups):
            row = first_row
            for batch in table.group_batches(group, names):
                yield row, batch
                row += batch.num_rows
        first_row += metadata.row_group(group).num_rows


def holds(piece: Piece, group: int, group_count: int) -> bool:
    """Return whether a row group belongs to a piece, as if all row groups of the file had the same size."""
    if piece.stop is None:
        return True
    return piece.start <= (piece.file.size or 0) * group // group_count < piece.stop


def row_errors(url: str, scan: TableScan) -> Iterator[DatasetError]:
    """Yield the errors that were kept."""
    for found in scan.found:
        for error in found.malformed.errors:
            yield dataset_error(url, error, row=found.row, column_name=found.column)


def text_of(array: _Anything) -> memoryview:
    """Return the bytes of all values of an array, one after another."""
    import pyarrow as pa

    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    array = as_large_binary(array)
    if array.null_count:
        # Nulls may have bytes, too.
        array = array.drop_null()
    _, offsets, data = array.buffers()
    if data is None or not len(array):
        return memoryview(b"")
    ends = pa.Array.from_buffers(pa.int64(), len(array) + 1, [None, offsets], offset=array.offset)
    return memoryview(data)[ends[0].as_py() : ends[-1].as_py()]


@contextmanager
def open_stored(file: File) -> Iterator[StoredFile]:
    """Open a file for reads at any offset."""
    filesystem, path = open_filesystem(file.url)
    if isinstance(filesystem, LocalFileSystem):
        with io.FileIO(path) as local:
            yield local
    elif file.size is None:
        message = "the server does not report its size, which columns are read by: download it first"
        raise OSError(message)
    else:
        with closing(reader(file)) as source:
            yield RemoteFile(source, file.size)


class RemoteFile(io.RawIOBase):
    """A file of a store, each part of which is requested again after errors that may pass."""

    def __init__(self, source: Reader, size: int) -> None:
        self.source = source
        self.size = size
        self.offset = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the offset."""
        return self.offset

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the offset and return it."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self.offset, io.SEEK_END: self.size}[whence]
        if start + offset < 0:
            message = "seek before the start of the file"
            raise ValueError(message)
        self.offset = start + offset
        return self.offset

    def readinto(self, buffer: Buffer) -> int:
        """Read at least a byte unless the file ends; return the number of bytes read."""
        memory = memoryview(buffer).cast("B")
        stop = min(self.offset + len(memory), self.size)
        if self.offset >= stop:
            return 0
        part = retried(read_part, self.source, self.offset, stop)
        memory[: len(part)] = part
        self.offset += len(part)
        return len(part)
