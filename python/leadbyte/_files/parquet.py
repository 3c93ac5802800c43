"""Parquet files, rewritten with other values and, as far as possible, with everything else kept."""

from __future__ import annotations

import contextlib
import itertools

from leadbyte._files.columns import (
    LISTS,
    VIEWS,
    as_list,
    is_kind,
    leaf_types,
    storage_type,
)
from leadbyte._files.tables import ARROW_SCHEMA, open_parquet, open_plain_parquet
from leadbyte._files.writing import discard
from leadbyte._messages import printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from leadbyte._files.columns import Column, TableScan, _Place
    from leadbyte._files.tables import CountedFile
    from leadbyte._files.writing import _Write

    _Anything: TypeAlias = Any

# The encodings of levels and of the values of dictionaries, and the one that writers fall back to.
COMMON_ENCODINGS = {"RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "PLAIN"}
# What decides how the writer stores types: versions of the format, and options with their values.
VERSIONS = ("2.6", "2.4", "1.0")
TYPE_OPTIONS = {
    "use_deprecated_int96_timestamps": [False, True],
    "store_decimal_as_integer": [False, True],
    "use_compliant_nested_type": [True, False],
    "write_time_adjusted_to_utc": [False, True],
}


class CallbackFile:
    """A file for pyarrow, written by a function."""

    closed = False

    def __init__(self, write: _Write) -> None:
        self.write_bytes = write
        self.byte_count = 0

    def write(self, data: bytes) -> int:
        """Write bytes."""
        self.write_bytes(data)
        self.byte_count += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self.byte_count

    def writable(self) -> bool:
        """Return that bytes can be written."""
        return True

    def flush(self) -> None:
        """Leave flushing to the caller."""

    def close(self) -> None:
        """Leave closing to the caller."""


def repair_columns(
    file: CountedFile, write: _Write, scan: TableScan, *, replacement: str, in_place: bool
) -> None:
    """Rewrite a Parquet file, one row group after another, with the columns repaired that were scanned.

    Rows that the scan has as dropped are left out. Properties that are not kept are added to the scan. In
    place, all types must be kept: otherwise OSError is raised before anything is written.
    """
    from pyarrow.parquet import ParquetWriter

    source = open_parquet(file)
    old = source.metadata
    options, changed = type_options(old, source.schema_arrow)
    if in_place and changed:
        message = f"left unchanged, as not all is kept: {', '.join(changed)}; -o writes to another file"
        raise OSError(printable(message))
    plain = open_plain_parquet(file)
    check_chunks(file, plain.metadata)
    repaired = {place: column for place, column in scan.columns.chosen.items() if column.invalid_rows}
    sink = CallbackFile(write)
    paths = {column.path for column in repaired.values()}
    writer = ParquetWriter(sink, source.schema_arrow, **options, **column_options(old, paths))
    try:
        for group in range(old.num_row_groups):
            dropped = scan.dropped.get(group, set())
            table = repaired_table((source, plain), group, repaired, replacement, dropped)
            writer.write_table(table, row_group_size=max(table.num_rows, 1))
            file.report()
        writer.close()
    except BaseException:
        # The writer would write the end of the file even now.
        sink.write_bytes = discard
        with contextlib.suppress(Exception):
            writer.close()
        raise
    others = differences(old, writer.writer.metadata, same_rows=not scan.dropped)
    scan.not_kept = list(map(printable, [*changed, *others]))


def check_chunks(file: CountedFile, metadata: _Anything) -> None:
    """Raise an error of pyarrow if the metadata of a column is malformed.

    To read a row of each row group raises one. To look at the metadata itself would end the process.
    """
    reader = open_parquet(file, metadata=metadata, pre_buffer=False)
    for group in range(metadata.num_row_groups):
        next(reader.iter_batches(batch_size=1, row_groups=[group]), None)


def type_options(old: _Anything, schema: _Anything) -> tuple[dict[str, _Anything], list[str]]:
    """Return the options by which a new file has the types of the old one, and the others."""
    from pyarrow.parquet import ParquetWriter

    stored = {"store_schema": ARROW_SCHEMA in (old.metadata or {})}
    versions = sorted(VERSIONS, key=lambda version: version != old.format_version)
    choices = known_options(TYPE_OPTIONS)
    tried = []
    for version, *values in itertools.product(versions, *choices.values()):
        options = {**stored, "version": version, **dict(zip(choices, values, strict=True))}
        # An empty file shows how types are stored.
        with ParquetWriter(CallbackFile(discard), schema, **options) as writer:
            pass
        changed = changed_types(old, writer.writer.metadata)
        tried.append((options, changed))
        if not changed:
            break
    return min(tried, key=lambda found: len(found[1]))


def known_options(options: dict[str, _Anything]) -> dict[str, _Anything]:
    """Return the options that the writer of this version of pyarrow has."""
    import inspect

    from pyarrow.parquet import write_table

    names = inspect.signature(write_table).parameters
    return {name: value for name, value in options.items() if name in names}


def column_options(old: _Anything, repaired: set[str]) -> dict[str, _Anything]:
    """Return the options by which columns are compressed, encoded and described as in the old file."""
    codecs: dict[str, str] = {}
    encodings: dict[str, str] = {}
    dictionaries: set[str] = set()
    described: set[str] = set()
    filters: dict[str, dict[str, object]] = {}
    is_indexed = False
    for _, column in column_chunks(old):
        path = column.path_in_schema
        codecs.setdefault(path, "NONE" if column.compression == "UNCOMPRESSED" else column.compression)
        encodings.update((path, name) for name in column.encodings if name not in COMMON_ENCODINGS)
        dictionaries.update([path] if column.has_dictionary_page else [])
        described.update([path] if column.is_stats_set else [])
        if has_bloom_filter(column):
            filters[path] = {"ndv": max(column.num_values, 1)}
        is_indexed |= column.has_offset_index
    options = {
        "compression": codecs or "snappy",
        "use_dictionary": sorted(dictionaries) or False,
        "column_encoding": {path: name for path, name in encodings.items() if path not in dictionaries},
        "write_statistics": sorted(described) or False,
        "write_page_index": is_indexed,
        "bloom_filter_options": filters,
        "sorting_columns": still_sorted(old, repaired) or None,
    }
    return known_options(options)


def has_bloom_filter(column: _Anything) -> bool:
    """Return whether a chunk of a column has a Bloom filter, where pyarrow reports that."""
    return getattr(column, "bloom_filter_offset", None) is not None


def still_sorted(old: _Anything, repaired: set[str]) -> list[_Anything]:
    """Return the columns that all row groups are sorted by, up to the first one that is repaired."""
    groups = [old.row_group(index).sorting_columns for index in range(old.num_row_groups)]
    if not groups or any(group != groups[0] for group in groups):
        return []
    return list(
        itertools.takewhile(
            lambda column: old.schema.column(column.column_index).path not in repaired, groups[0]
        )
    )


def column_chunks(metadata: _Anything) -> Iterator[tuple[_Anything, _Anything]]:
    """Yield all chunks of all columns, each with its row group."""
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        for column in range(group.num_columns):
            yield group, group.column(column)


def changed_types(old: _Anything, new: _Anything) -> list[str]:
    """Return descriptions of the columns whose types differ in two files."""
    if old.schema.equals(new.schema):
        return []
    before, after = ({column.path: described(column) for column in columns(data)} for data in (old, new))
    changed = [
        f"type of {path} ({kind} became {after.get(path, 'another column')})"
        for path, kind in before.items()
        if after.get(path) != kind
    ]
    return changed or ["names of groups in the schema"]


def columns(metadata: _Anything) -> Iterator[_Anything]:
    """Yield the columns of the schema of a file."""
    return map(metadata.schema.column, range(len(metadata.schema)))


def described(column: _Anything) -> str:
    """Return the physical and the logical type of a column."""
    logical = str(column.logical_type)
    return column.physical_type if logical == "None" else f"{column.physical_type} {logical}"


def differences(old: _Anything, new: _Anything, *, same_rows: bool) -> list[str]:
    """Return descriptions of what a new file has not kept, other than types, and if not the same, rows."""
    found = []
    if same_rows and row_counts(old) != row_counts(new):
        found.append(f"row groups ({old.num_row_groups} became {new.num_row_groups})")
    if key_values(old) != key_values(new):
        found.append("key-value metadata")
    if old.created_by != new.created_by:
        found.append(f'created_by ("{old.created_by}" became "{new.created_by}")')
    before, after = column_features(old), column_features(new)
    lost = ((path, features - after.get(path, set())) for path, features in before.items())
    return [*found, *(f"{feature} of {path}" for path, features in lost for feature in sorted(features))]


def row_counts(metadata: _Anything) -> list[int]:
    """Return the number of rows of each row group."""
    return [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]


def key_values(metadata: _Anything) -> dict[bytes, bytes]:
    """Return the key-value metadata of a file, without the schema that Arrow keeps there."""
    return {key: value for key, value in (metadata.metadata or {}).items() if key != ARROW_SCHEMA}


def column_features(metadata: _Anything) -> dict[str, set[str]]:
    """Return what the chunks of each column have, in words."""
    found: dict[str, set[str]] = {}
    for group, column in column_chunks(metadata):
        features = found.setdefault(column.path_in_schema, set())
        features.add(f"{column.compression} compression")
        features.update(f"{name} encoding" for name in column.encodings if name not in COMMON_ENCODINGS)
        for feature, is_there in (
            ("dictionary", column.has_dictionary_page),
            ("statistics", column.is_stats_set),
            ("geospatial statistics", getattr(column, "is_geo_stats_set", False)),
            ("Bloom filter", has_bloom_filter(column)),
            ("page index", column.has_offset_index),
            ("metadata", getattr(column, "metadata", None)),
        ):
            features.update([feature] if is_there else [])
        for sorting in group.sorting_columns:
            if metadata.schema.column(sorting.column_index).path == column.path_in_schema:
                features.add("sort order")
    return found


def repaired_table(
    files: tuple[_Anything, _Anything],
    group: int,
    repaired: dict[_Place, Column],
    replacement: str,
    dropped: set[int],
) -> _Anything:
    """Return a row group without the rows that are dropped, and with the columns at these places repaired.

    ``files`` are the same file with the types of Arrow and of Parquet. The columns at the top that are
    repaired come from the second, and so do dictionaries, as some are not read if a string is invalid, and
    views, of which pyarrow takes no rows.
    """
    import pyarrow as pa

    source, plain = files
    schema = source.schema_arrow
    kinds = ("is_dictionary", *(VIEWS if dropped else ()))
    encoded = {field.name for field in schema if has_leaf(field.type, kinds)}
    from_plain = encoded.union(column.top for column in repaired.values())
    kept = read_columns(source, group, set(schema.names) - from_plain, dropped)
    changed = read_columns(plain, group, from_plain, dropped)
    arrays = []
    for index, field in enumerate(schema):
        if field.name in from_plain:
            column = changed[field.name].pop(0)
            chunks = [repaired_array((index,), chunk, repaired, replacement) for chunk in column.chunks]
            array = pa.chunked_array(chunks, column.type)
            # A cast to the same type makes arrays of nulls in lists too short.
            arrays.append(array if column.type == field.type else cast_to_field(array, field))
        else:
            arrays.append(kept[field.name].pop(0))
    return pa.Table.from_arrays(arrays, schema=schema)


def cast_to_field(array: _Anything, field: _Anything) -> _Anything:
    """Return an array as the type of its field; raise OSError where pyarrow cannot make that."""
    import pyarrow as pa

    try:
        return array.cast(field.type)
    except pa.ArrowNotImplementedError as error:  # views in lists of fixed size that have nulls
        message = f'pyarrow {pa.__version__} cannot write column "{field.name}" of type {field.type}: {error}'
        raise OSError(printable(message)) from error


def has_leaf(data_type: _Anything, kinds: tuple[str, ...]) -> bool:
    """Return whether a type has one of these kinds, by itself or nested."""
    return any(is_kind(leaf, kinds) for *_, leaf in leaf_types("", (), data_type))


def read_columns(
    file: _Anything, group: int, names: set[str], dropped: set[int]
) -> dict[str, list[_Anything]]:
    """Return the columns of a row group with these names, in their order where several have the same name."""
    import pyarrow as pa

    table = file.read_row_group(group, columns=sorted(names))
    if dropped:
        rows = [row for row in range(table.num_rows) if row not in dropped]
        table = table.take(pa.array(rows, pa.int64()))
    found: dict[str, list[_Anything]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        found.setdefault(name, []).append(column)
    return found


def repaired_array(
    place: _Place, array: _Anything, repaired: dict[_Place, Column], replacement: str
) -> _Anything:
    """Return an array of the same type with the columns at these places repaired, however they are nested."""
    import pyarrow as pa

    from leadbyte.arrow import repair

    kind = array.type
    if not any(other[: len(place)] == place for other in repaired):
        return array
    if storage_type(kind) is not kind:
        storage = repaired_array(place, array.storage, repaired, replacement)
        return pa.ExtensionArray.from_storage(kind, storage)
    if is_kind(kind, ("is_struct",)):
        parts = [
            repaired_array((*place, index), array.field(index), repaired, replacement)
            for index in range(kind.num_fields)
        ]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)
    if is_kind(kind, LISTS):
        values = repaired_array((*place, 0), as_list(array).values, repaired, replacement)
        buffers = array.buffers()[: kind.num_buffers]
        return pa.Array.from_buffers(kind, len(array), buffers, array.null_count, array.offset, [values])
    values = pa.array(repair(array, replacement=replacement))
    if is_kind(kind, ("is_fixed_size_binary",)):
        return with_size(kind.byte_width, values, repaired[place].name)
    return values


def with_size(size: int, values: _Anything, name: str) -> _Anything:
    """Return the bytes of a column as bytes of a fixed size; raise OSError if a value has another one."""
    import pyarrow as pa
    from pyarrow import compute

    lengths = compute.binary_length(values)
    others = lengths.filter(compute.not_equal(lengths, size))
    if len(others):
        message = (
            f'column "{name}" has values of a fixed size of {size} bytes, but a repaired one has {others[0]}'
            ": cast the column to binary first, or replace each error by as many bytes as it has"
        )
        raise OSError(message)
    return values.cast(pa.binary(size))
