"""Reports of errors in the columns of files."""

from __future__ import annotations

import os
import stat

from leadbyte._files.columns import Columns, TableScan
from leadbyte._files.tables import CountedFile, arrow_errors, open_table
from leadbyte._formats import PARQUET
from leadbyte._messages import number, printable, remaining
from leadbyte.cli.files import STANDARD_INPUT, column_format, is_url, open_file, table_format

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Container, Iterator
    from io import FileIO
    from typing import TypeAlias

    from leadbyte._files.invalid_rows import InvalidRows
    from leadbyte._files.quarantine import SeparatingScan
    from leadbyte.cli.errors import ErrorReport
    from leadbyte.cli.reading import Reading

    _Parts: TypeAlias = list[tuple[str, str]]


def is_regular(path: str) -> bool:
    """Return whether a path names a regular file; raise OSError if there is nothing."""
    return not is_url(path) and stat.S_ISREG(os.stat(path).st_mode)


class TableReader:
    """Looks for errors in files with columns, and reports them in the same forms as errors of texts.

    Columns that the options do not name are of the types ``kinds``.
    """

    def __init__(
        self, options: argparse.Namespace, errors: ErrorReport, reading: Reading, kinds: tuple[str, ...]
    ) -> None:
        self.names: list[str] = options.column_names
        self.threads: bool = options.jobs != 1
        self.errors = errors
        self.reading = reading
        self.kinds = kinds

    def find_format(self, path: str, file: FileIO, *, named: bool) -> str | None:
        """Return the format of an open file if its columns are to be read, None for a text.

        If columns were named, all files have columns: those below directories that have none are Skipped.
        """
        return column_format(path, file, named=named) if self.names else table_format(path, file)

    def scan_path(self, path: str, *, named: bool, formats: Container[str]) -> TableScan | None:
        """Return the scan of the columns of a file of one of these formats, None for a text."""
        if not self.names and path != STANDARD_INPUT and not is_regular(path):
            # A pipe can be opened only once.
            return None
        with open_file(path, named=named) as file:
            found = self.find_format(path, file, named=named)
            return self.scan(found, file, formats) if found else None

    def scan(self, found: str, file: FileIO, formats: Container[str]) -> TableScan:
        """Return the scan of the columns of an open file, at whose start it is.

        Raises OSError if its format is not one of ``formats``.
        """
        if found not in formats:
            message = f"the columns of {found} files are only checked, not repaired"
            raise OSError(message)
        counted = CountedFile(file, self.reading.advance)
        with arrow_errors():
            table = open_table(found, counted, self.names, threads=self.threads)
            columns = Columns(table.schema, self.names, self.kinds)
            scan = TableScan(columns, table.group, limit=self.errors.limit, kept=self.errors.kept)
            scan.add_all(table, counted)
        scan.status = os.fstat(file.fileno())
        scan.byte_count = scan.status.st_size
        return scan

    def separating_scan(self, path: str, file: CountedFile, rows: InvalidRows) -> SeparatingScan:
        """Return the scan of a Parquet file that puts its values with errors into a quarantine."""
        from leadbyte._files.quarantine import SeparatingScan

        table = open_table(PARQUET, file, self.names, threads=self.threads)
        columns = Columns(table.schema, self.names, self.kinds)
        scan = SeparatingScan(columns, table.group, rows, path)
        scan.add_all(table, file)
        return scan

    def report(self, path: str, scan: TableScan) -> None:
        """Print the errors of a file, and the columns that were not checked."""
        columns = number(len(scan.columns.chosen), "column")
        self.errors.report_file(
            path,
            valid=scan.valid,
            facts=lambda: self.facts(scan),
            lines=((None, line) for line in self.lines(path, scan)),
            content=f"{number(scan.row_count, 'row')} of {columns}",
        )
        if self.errors.options.format == "text":
            self.list_skipped(path, scan)

    def text(self, path: str, scan: TableScan) -> None:
        """Print the errors of a file that is repaired, and what the repaired file lacks."""
        self.errors.print_lines((None, line) for line in self.lines(path, scan))
        if scan.not_kept:
            self.errors.output.line((f"{printable(path)}:", "bold"), f" not kept: {', '.join(scan.not_kept)}")
        self.list_skipped(path, scan)

    def list_skipped(self, path: str, scan: TableScan) -> None:
        """Print the columns that were not read, if verbose."""
        for column in scan.columns.skipped if self.errors.options.verbose else []:
            self.errors.output.line(printable(f"{path}: column {column.name} skipped: {column.type}"))

    def facts(self, scan: TableScan) -> dict[str, object]:
        """Return the fields of a file for JSON."""
        limit = self.errors.limit
        errors = [error for found in scan.found for error in found.as_dicts(scan.group)][:limit]
        skipped = [{"name": column.name, "type": column.type} for column in scan.columns.skipped]
        return {
            "byte_count": scan.byte_count,
            "row_count": scan.row_count,
            "valid": scan.valid,
            "columns": [column.as_dict() for column in scan.columns.chosen.values()],
            "columns_skipped": skipped,
            "error_count": scan.error_count,
            "errors": errors,
            "errors_omitted": scan.error_count - len(errors),
        }

    def lines(self, path: str, scan: TableScan) -> Iterator[_Parts]:
        """Yield the lines of a report, in parts with their styles."""
        name = printable(path)
        shown = scan.found[: self.errors.limit]
        for found in shown:
            yield found.malformed.parts(f"{name}: {found.location(scan.group)}")
        more = scan.error_count - sum(len(found.malformed.errors) for found in shown)
        if more:
            rest = remaining(more, "error", shown=shown)
            columns = [column for column in scan.columns.chosen.values() if column.invalid_rows]
            counted = [
                f"{number(column.invalid_rows, 'row')} of {printable(column.name)}" for column in columns
            ]
            yield [(f"{name}:", "bold"), (f" {rest}; not valid: {', '.join(counted)}", "")]
