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
# Files of text, in which columns are looked for only with --column.
CSV_EXTENSIONS = (".csv", ".tsv")
