"""The formats of files that have columns, and how they are recognized."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Mapping

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
COMPRESSED_MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
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
    return named_by(start, MAGIC)


def named_by(start: bytes | bytearray | memoryview, names: Mapping[bytes, str]) -> str | None:
    """Return the name of the bytes that a file starts with; None for another file."""
    return next((name for magic, name in names.items() if start[: len(magic)] == magic), None)


def may_become(start: memoryview, names: Mapping[bytes, str]) -> bool:
    """Return whether more bytes are needed to know that name."""
    return any(len(start) < len(magic) and magic[: len(start)] == start for magic in names)
