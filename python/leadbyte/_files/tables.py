"""Files with columns, read in batches through pyarrow: Parquet, Arrow and CSV."""

from __future__ import annotations

import contextlib
import io

from leadbyte._files.binary import BINARY_PREFIX, has_nul
from leadbyte._files.reading import fill
from leadbyte._formats import (
    ARROW,
    MAGIC_BYTES,
    NO_PYARROW,
    NOT_FROM_PIPES,
    PARQUET,
    MissingPyarrowError,
    format_of,
)
from leadbyte._leadbyte import BOM, detect
from leadbyte._messages import number, printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import RawIOBase
    from typing import Any, TypeAlias

    _Anything: TypeAlias = Any

DELIMITERS = ",\t;|"
# The number of rows of Parquet and of bytes of CSV that are read at once. A record of CSV may not be longer.
# Small Parquet files can have many long rows: a value that many rows have is stored once.
BATCH_ROWS = 1 << 13
BATCH_BYTES = 16 << 20
# The key of Parquet's metadata for the types of Arrow.
ARROW_SCHEMA = b"ARROW:schema"
# Its encoding in Thrift as the key of a pair, with a value after it. The name of a column has another one.
ARROW_SCHEMA_KEY = b"\x18\x0cARROW:schema\x18"
# A Parquet file ends with its metadata, the length of that in 4 bytes, and its first 4 bytes again.
PARQUET_MAGIC = b"PAR1"
FOOTER_END_BYTES = 8


class CountedFile:
    """A file for pyarrow, which counts the bytes that are read, to report the progress to ``advance``."""

    def __init__(self, file: RawIOBase, advance: Callable[[int], None]) -> None:
        self.file = file
        self.advance = advance
        self.byte_count = 0

    def close(self) -> None:
        """Leave the file open, as it belongs to the caller."""

    def __getattr__(self, name: str) -> _Anything:
        """Return what the file has, for instance its position."""
        return getattr(self.file, name)

    def read(self, size: int) -> memoryview:
        """Read as many bytes, fewer only at the end."""
        memory = memoryview(bytearray(size))
        length = fill(self.file, memory)
        self.byte_count += length
        return memory[:length]

    def report(self) -> None:
        """Report the number of bytes read since the last call; pyarrow reads on other threads, too."""
        count, self.byte_count = self.byte_count, 0
        self.advance(count)


@contextlib.contextmanager
def arrow_errors() -> Iterator[None]:
    """Raise errors of pyarrow about a file as OSError, and a lack of pyarrow too."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingPyarrowError(NO_PYARROW) from None
    try:
        yield
    except MemoryError:
        # Of a malformed file, sizes can be any number.
        message = "it needs more memory than there is"
        raise OSError(message) from None
    except UnicodeDecodeError as error:
        # Values are read as bytes.
        name = printable(error.object.decode("utf-8", "surrogateescape"))
        message = f'the name of a column is not UTF-8: "{name}"'
        raise OSError(message) from error
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, OverflowError) as error:
        if isinstance(error, OSError) and error.strerror:
            raise
        # Some messages have several lines, and bytes of the file.
        raise OSError(printable(" ".join(str(error).split())) or type(error).__name__) from error


class ParquetTable:
    """An open Parquet file."""

    group = "row group"

    def __init__(self, file: CountedFile, *, threads: bool) -> None:
        self.file: _Anything = open_plain_parquet(file)
        self.schema: _Anything = self.file.schema_arrow
        self.threads = threads

    def batches(self, names: list[str]) -> Iterator[tuple[int, _Anything]]:
        """Yield all batches of these columns, each with the number of its row group."""
        for group in range(self.file.num_row_groups):
            for batch in self.group_batches(group, names):
                yield group, batch

    def group_batches(self, group: int, names: list[str]) -> Iterator[_Anything]:
        """Yield the batches of these columns in a row group; raise OSError if rows are missing."""
        expected = self.file.metadata.row_group(group).num_rows
        row_count = 0
        for batch in self.file.iter_batches(
            batch_size=BATCH_ROWS, row_groups=[group], columns=names, use_threads=self.threads
        ):
            yield batch
            row_count += batch.num_rows
        # pyarrow takes a malformed page without rows for the end.
        if row_count != expected:
            message = f"row group {group} has {number(expected, 'row')}, of which {row_count:,} can be read"
            raise OSError(message)


def open_parquet(file: CountedFile, **options: _Anything) -> _Anything:
    """Return an open Parquet file, reading which raises an error where the checksum of a page is wrong."""
    from pyarrow.parquet import ParquetFile

    return ParquetFile(file, page_checksum_verification=True, **options)


def open_plain_parquet(file: CountedFile) -> _Anything:
    """Return an open Parquet file whose columns have the types of Parquet, not those that Arrow stores.

    pyarrow converts to some of those, as dictionaries with small indices, only if all strings are valid.
    """
    from pyarrow.parquet import read_metadata

    # A malformed footer is an error here. pyarrow may crash if it writes the metadata of one.
    read_metadata(file)
    end = file.seek(-FOOTER_END_BYTES, io.SEEK_END)
    footer_end = bytes(file.read(FOOTER_END_BYTES))
    length = int.from_bytes(footer_end[:4], "little")
    file.seek(end - length)
    footer = bytes(file.read(length)).replace(ARROW_SCHEMA_KEY, ARROW_SCHEMA_KEY.lower())
    return open_parquet(file, metadata=read_metadata(io.BytesIO(PARQUET_MAGIC + footer + footer_end)))


class ArrowTable:
    """An open Arrow file, in the IPC format for files or for streams."""

    group = "record batch"

    def __init__(self, file: CountedFile, *, threads: bool) -> None:
        from pyarrow import ipc

        options = ipc.IpcReadOptions(use_threads=threads)
        start = bytes(file.read(MAGIC_BYTES))
        file.seek(0)
        is_file = format_of(start) is not None
        self.reader: _Anything = (ipc.open_file if is_file else ipc.open_stream)(file, options=options)
        self.schema: _Anything = self.reader.schema
        self.file = file
        self.is_file = is_file

    def batches(self, names: list[str]) -> Iterator[tuple[int, _Anything]]:
        """Yield all record batches, reduced to these columns, with their numbers.

        Raises OSError if data follows the end of a stream, as it may be another stream.
        """
        reader = self.reader
        batches = map(reader.get_batch, range(reader.num_record_batches)) if self.is_file else reader
        kept = [index for index, name in enumerate(self.schema.names) if name in names]
        for group, batch in enumerate(batches):
            yield group, validated(batch.select(kept))
        if not self.is_file and self.file.read(1):
            message = f"data follows the end of the stream, from byte {self.file.tell() - 1:,} on"
            raise OSError(message)


def validated(batch: _Anything) -> _Anything:
    """Return a batch with bytes in place of strings; raise pyarrow.ArrowInvalid if it contradicts itself.

    Only the declared types differ: Arrow would not accept strings that are not UTF-8.
    """
    import pyarrow as pa

    # Buffers are as long as their arrays need, which the declaration takes for granted.
    batch.validate()
    schema = pa.schema([field.with_type(without_strings(field.type)) for field in batch.schema])
    _, capsule = batch.__arrow_c_array__()
    declared = pa.RecordBatch._import_from_c_capsule(schema.__arrow_c_schema__(), capsule)
    declared.validate(full=True)
    return declared


def without_strings(data_type: _Anything) -> _Anything:
    """Return the type of the same layout that has bytes in place of strings."""
    import pyarrow as pa

    if isinstance(data_type, pa.BaseExtensionType):
        return without_strings(data_type.storage_type)
    fields = [data_type.field(index) for index in range(data_type.num_fields)]
    fields = [field.with_type(without_strings(field.type)) for field in fields]
    nested = {
        pa.DictionaryType: lambda: pa.dictionary(
            data_type.index_type, without_strings(data_type.value_type), data_type.ordered
        ),
        pa.RunEndEncodedType: lambda: pa.run_end_encoded(data_type.run_end_type, fields[1].type),
        pa.StructType: lambda: pa.struct(fields),
        pa.MapType: lambda: pa.map_(*fields[0].type, data_type.keys_sorted),
        pa.ListType: lambda: pa.list_(*fields),
        pa.LargeListType: lambda: pa.large_list(*fields),
        pa.FixedSizeListType: lambda: pa.list_(*fields, data_type.list_size),
        pa.ListViewType: lambda: pa.list_view(*fields),
        pa.LargeListViewType: lambda: pa.large_list_view(*fields),
        pa.DenseUnionType: lambda: pa.dense_union(fields, data_type.type_codes),
        pa.SparseUnionType: lambda: pa.sparse_union(fields, data_type.type_codes),
    }
    simple = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }
    build = nested.get(type(data_type))
    return build() if build else simple.get(data_type, data_type)


class CsvTable:
    """An open CSV file, of which some columns are read as bytes."""

    group = ""

    def __init__(self, file: CountedFile, columns: list[str], *, threads: bool) -> None:
        import pyarrow as pa
        from pyarrow import csv

        delimiter, names, is_empty = read_header(file, columns)
        # pyarrow finds only the first column of a name, and none whose name is not UTF-8.
        is_renamed = len({*names}) < len(names) or any("\ufffd" in name for name in names)
        labels = list(map(str, range(len(names)))) if is_renamed else names
        chosen = [index for index, name in enumerate(names) if name in columns]
        self.schema: _Anything = pa.schema([(names[index], pa.binary()) for index in chosen])
        self.reader: _Anything = ()
        if is_empty:  # pyarrow refuses a header without a line break
            return
        with csv_errors():
            self.reader = csv.open_csv(
                file,
                read_options=csv.ReadOptions(
                    block_size=BATCH_BYTES,
                    use_threads=threads,
                    column_names=labels if is_renamed else None,
                    skip_rows_after_names=int(is_renamed),
                ),
                parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    check_utf8=False,
                    include_columns=[labels[index] for index in chosen],
                    column_types={labels[index]: pa.binary() for index in chosen},
                ),
            )

    def batches(self, _names: list[str]) -> Iterator[tuple[int, _Anything]]:
        """Yield all batches; raise OSError for a row that has more or fewer fields than the header."""
        import pyarrow as pa

        with csv_errors():
            for batch in self.reader:
                yield 0, pa.RecordBatch.from_arrays(batch.columns, schema=self.schema)


@contextlib.contextmanager
def csv_errors() -> Iterator[None]:
    """Raise what pyarrow raises for malformed CSV as OSError, with advice."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as error:
        message = f"{error}; without --column it is read as text"
        raise OSError(message) from error


def open_table(found: str, file: CountedFile, columns: list[str], *, threads: bool) -> _Anything:
    """Return the open table of a file in a format."""
    if found == PARQUET:
        return ParquetTable(file, threads=threads)
    if found == ARROW:
        return ArrowTable(file, threads=threads)
    return CsvTable(file, columns, threads=threads)


def read_header(file: CountedFile, columns: list[str]) -> tuple[str, list[str], bool]:
    """Return the delimiter of a header with these columns, all names there, and whether nothing follows it.

    Raises OSError if there is no such delimiter.
    """
    import csv

    if not file.seekable():
        raise OSError(NOT_FROM_PIPES)
    start = bytes(file.read(BATCH_BYTES))
    is_whole = len(start) < BATCH_BYTES
    start = start.removeprefix(BOM)
    file.seek(0)
    text = start.decode("utf-8", "replace")
    found: list[str] = []
    for delimiter in DELIMITERS:
        names: list[str] = []
        # A quote that is never closed makes a name too long for csv.
        with contextlib.suppress(csv.Error):
            # A name in quotes may have line breaks.
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        if set(columns) <= set(names):
            return delimiter, names, is_whole and is_one_record(text, delimiter)
        found = max(found, names, key=len)
    missing = next(name for name in columns if name not in found)
    raise OSError(other_content(start) or no_column(missing, found))


def is_one_record(text: str, delimiter: str) -> bool:
    """Return whether CSV is one well-formed record."""
    import csv

    try:
        next(csv.reader(rest := io.StringIO(text, newline=""), delimiter=delimiter, strict=True), None)
    except csv.Error:
        return False
    return not rest.read(1)


def other_content(start: bytes) -> str:
    """Return the message about a file, given its start, if it cannot be read as CSV in UTF-8; else ""."""
    if format_of(start):
        # Of standard input.
        return NOT_FROM_PIPES
    prefix = start[:BINARY_PREFIX]
    found = detect(prefix)
    if found.encoding is None and (has_nul(prefix) or found.kind not in {"text", "binary"}):
        return f"not CSV, but {found.kind}"
    if found.encoding and (has_nul(prefix) or found.bom):
        return f"not CSV in UTF-8, but in {found.encoding}; leadbyte convert converts it"
    return ""


def no_column(name: str, columns: list[str]) -> str:
    """Return the message about a column that does not exist."""
    there = f"the columns are {', '.join(columns)}" if columns else "there is none"
    return printable(f'no column "{name}"; {there}')
