"""The report of a scan: a directory of rows, one per file, which the workers write."""

from __future__ import annotations

import functools
import json
import operator
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadbyte._files.writing import NEW_MODE, PRIVATE_MODE
from leadbyte.dataset._secrets import redacted
from leadbyte.dataset._store import Store, mode_from

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from leadbyte.dataset._partial import FileResult

ENDINGS = (".jsonl", ".parquet")
# The columns of a row with their types in Arrow.
COLUMNS = {
    "url": "string",
    "size": "int64",
    "version": "string",
    "format": "string",
    "failed": "string",
    "valid": "bool",
    "byte_count": "int64",
    "char_count": "int64",
    "utf16_count": "int64",
    "newline_count": "int64",
    "row_count": "int64",
    "ascii": "bool",
    "max_char_width": "int8",
    "bom": "bool",
    "error_count": "int64",
    "invalid_record_count": "int64",
    "error_offset": "int64",
    "error_line": "int64",
    "error_column": "int64",
    "error_row": "int64",
    "error_column_name": "string",
    "error_pointer": "string",
    "error_kind": "string",
    "error_reason": "string",
}


@dataclass(frozen=True, slots=True)
class Report:
    """A directory of files in a format, each written by the worker that completes the files it is about.

    A task that is repeated writes the same file again, so each row is there once.
    """

    url: str
    # Whether names of local files that are not UTF-8 are as Python has them, which other programs refuse.
    exact: bool = False

    def create(self) -> None:
        """Create the directory.

        Raises ValueError if the name does not end in a format, FileExistsError if the directory is not empty.
        """
        if not self.url.rstrip("/").endswith(ENDINGS):
            message = (
                f"report must be a directory whose name ends in .jsonl or .parquet, not {redacted(self.url)}"
            )
            raise ValueError(message)
        if self.url.rstrip("/").endswith(".parquet"):
            import_pyarrow()
        store = Store(self.url)
        path = store.path("")
        if store.names() or store.fs.isfile(path):
            message = f"the report exists already: {store.shown()}"
            raise FileExistsError(message)
        store.make_directory("")

    def write_task(self, index: int, results: Iterable[FileResult]) -> None:
        """Write the rows of the files that are complete in a task."""
        self.write(f"task-{index:08}", list(results))

    def write_file(self, result: FileResult) -> None:
        """Write the row of a file that was cut across tasks."""
        self.write(f"file-{result.file.index:08}", [result])

    def row(self, result: FileResult) -> dict[str, Any]:
        """Return the row of a file."""
        facts = row(result)
        if not self.exact:
            facts["url"] = facts["url"].encode("utf-8", "backslashreplace").decode()
        return facts

    def write(self, name: str, results: list[FileResult]) -> None:
        """Write rows to a file, which is never seen in part, and is as private as what the rows are about."""
        rows = [self.row(result) for result in results]
        store = Store(self.url)
        ending = os.path.splitext(self.url.rstrip("/"))[1]
        # Readers skip names with a dot; a repeated task may write at the same time.
        temporary = f".{name}-{uuid.uuid4().hex}{ending}"
        content = as_parquet(rows) if ending == ".parquet" else as_json_lines(rows)
        store.replace(temporary, f"{name}{ending}", content, mode_for(results))


def mode_for(results: list[FileResult]) -> int:
    """Return the permissions of a file with rows about others, which have keys of JSON."""
    read = [result.file.url for result in results if result.failed is None]
    try:
        return functools.reduce(operator.and_, map(mode_from, read), NEW_MODE)
    except OSError:
        # One of them is gone.
        return PRIVATE_MODE


def import_pyarrow() -> None:
    """Raise ImportError with advice if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        message = 'a report in Parquet is written through pyarrow: pip install "leadbyte[arrow]"'
        raise ImportError(message, name="pyarrow") from None


def row(result: FileResult) -> dict[str, Any]:
    """Return the row of a file: its counts and its first error, or why it could not be read."""
    file = result.file
    facts: dict[str, Any] = dict.fromkeys(COLUMNS)
    facts |= {"url": file.shown, "size": file.size, "version": file.version, "format": file.format}
    if result.failed is not None:
        return {**facts, "failed": result.failed}
    facts |= {**result.counts.as_dict(), "bom": result.bom, "valid": not result.counts.error_count}
    for error in result.errors[:1]:
        facts |= {
            "error_offset": error.start,
            "error_line": error.line,
            "error_column": error.column,
            "error_row": error.row,
            "error_column_name": error.column_name,
            "error_pointer": error.pointer,
            "error_kind": error.kind,
            "error_reason": error.reason,
        }
    return facts


def as_json_lines(rows: list[dict[str, Any]]) -> bytes:
    """Return rows as JSON lines."""
    return "".join(json.dumps(facts, ensure_ascii=False) + "\n" for facts in rows).encode(
        "utf-8", "surrogatepass"
    )


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    """Return rows as a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist(rows, schema), sink)
    return bytes(sink.getvalue())
