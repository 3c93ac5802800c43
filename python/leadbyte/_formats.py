"""The formats of files that have columns, and how they are recognized."""

from __future__ import annotations

PARQUET, ARROW, CSV = "Parquet", "Arrow", "CSV"
# Files whose names end so have columns.
EXTENSIONS = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".arrow": ARROW,
    ".arrows": ARROW,
    ".feather": ARROW,
}
# Files that start with these bytes have columns, whatever their names are; PARE is encrypted Parquet.
MAGIC = {b"PAR1": PARQUET, b"PARE": PARQUET, b"ARROW1": ARROW}
MAGIC_BYTES = max(map(len, MAGIC))
# Files named so are JSON lines.
JSON_LINES_EXTENSIONS = (".jsonl", ".ndjson", ".jsonlines")
# Files that start with these bytes are compressed.
COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"\xfd7zXZ": "xz",
}
# Why columns are not read: of a file in a pipe, the end is not there when it is needed.
NOT_FROM_PIPES = "columns are read from files, not from pipes"
# Files of text, in which columns are looked for only with --column.
CSV_EXTENSIONS = (".csv", ".tsv")


NO_PYARROW = 'columns are read through pyarrow: pip install "leadbyte[arrow]"'


class MissingPyarrowError(OSError):
    """A file with columns cannot be read, as pyarrow is not installed."""


def format_of(start: bytes | bytearray | memoryview) -> str | None:
    """Return the format of a file with columns that starts so; None for another file."""
    return next((found for magic, found in MAGIC.items() if start[: len(magic)] == magic), None)


def compression_of(start: bytes | bytearray | memoryview) -> str | None:
    """Return how a file that starts so is compressed; None for another file."""
    return next((found for magic, found in COMPRESSED.items() if start[: len(magic)] == magic), None)


def may_have_columns(start: memoryview) -> bool:
    """Return whether more bytes are needed to know that format."""
    return any(len(start) < len(magic) and magic[: len(start)] == start for magic in MAGIC)
