"""``leadbyte check``: check that files are valid UTF-8 and locate errors."""

from __future__ import annotations

import functools
import os
import sys

from leadbyte import Scanner
from leadbyte._formats import (
    ARROW,
    CSV,
    MAGIC_BYTES,
    NO_PYARROW,
    NOT_FROM_PIPES,
    PARQUET,
    MissingPyarrowError,
)
from leadbyte._messages import number
from leadbyte.cli.arguments import is_dataset
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import STANDARD_INPUT, Skipped, columns_as_text, open_file, refuse
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.totals import totals

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from typing import Any, Literal, TypeAlias

    from leadbyte import Scan
    from leadbyte._files.columns import TableScan
    from leadbyte._files.json_lines import JsonLinesCounts, JsonLinesScan
    from leadbyte.cli.table_reader import TableReader

    _Anything: TypeAlias = Any
    _Found: TypeAlias = Scanner | TableScan | JsonLinesScan


class Check:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.errors = ErrorReport(self.output, options)
        # Unless each valid file is listed, they are only counted.
        listed = options.format == "json" or (options.format == "text" and options.verbose)
        task: Literal["list", "scan", "fold"] = "scan" if listed else "fold"
        if options.column_names or options.jsonl:
            task = "list"
        self.reading = Reading(options, self.output, task=task, errors=self.errors.kept)
        self.files = self.invalid = self.bytes = self.chars = 0
        # The number of rows in files with columns; None if there is no such file.
        self.rows: int | None = None
        self.invalid_records = 0
        self.skipped_columns = 0
        # The number of files with columns that were not read, as pyarrow is not installed.
        self.skipped_tables = 0

    def run(self) -> int:
        """Check all paths; return the exit code."""
        for path, found in self.reading.each(self.read):
            if isinstance(found, Scanner) or self.options.jsonl:
                self.report(path, found)
            else:
                self.report_table(path, found)
        self.files += self.reading.valid_files
        self.bytes += self.reading.valid_bytes
        self.chars += self.reading.valid_chars
        missing = [NO_PYARROW] * self.skipped_tables + self.reading.missing_packages
        self.skipped_tables = len(missing)
        self.report_summary()
        for message in dict.fromkeys(missing):
            tables = number(missing.count(message), "table")
            self.output.warn(f"{tables} below directories not read: {message}")
        if self.reading.failed:
            return ERROR
        return INVALID if self.invalid or (self.skipped_tables and self.options.strict_skips) else VALID

    @functools.cached_property
    def tables(self) -> TableReader:
        """The reader of files with columns, which texts do not need."""
        from leadbyte._files.columns import BINARY, STRINGS
        from leadbyte.cli.table_reader import TableReader

        return TableReader(self.options, self.errors, self.reading, (*STRINGS, *BINARY))

    def read(self, path: str, *, named: bool) -> _Found:
        """Return the scan of the current file."""
        if self.options.jsonl:
            return self.reading.reader.scan_json_lines(path, named=named)
        if self.reading.scanned:
            if path == STANDARD_INPUT and not self.options.binary:
                start = start_of_input(self.reading.scanned.byte_count)
                refuse(start, columns_as_text(NOT_FROM_PIPES))
            return self.reading.scanned
        try:
            table = self.tables.scan_path(path, named=named, formats=(PARQUET, ARROW, CSV))
        except MissingPyarrowError as error:
            # Without pyarrow, directories are checked as far as that is possible.
            if named or self.options.column_names:
                raise
            self.skipped_tables += 1
            raise Skipped(str(error)) from None
        return table or self.reading.scan(path, named=named)

    def report(self, path: str, found: _Anything) -> None:
        """Report the errors of a text, or of JSON lines."""
        scan = found.finish()
        self.chars += scan.char_count
        if self.options.jsonl:
            self.invalid_records += scan.invalid_record_count
        if not self.count(path, scan):
            self.errors.report(path, scan, found)

    def report_table(self, path: str, scan: _Anything) -> None:
        """Report the errors of a file with columns."""
        self.rows = (self.rows or 0) + scan.row_count
        self.skipped_columns += len(scan.columns.skipped)
        if not self.count(path, scan):
            self.tables.report(path, scan)

    def count(self, path: str, scan: Scan | TableScan | JsonLinesCounts) -> bool:
        """Count a file, and list it if that is the format; return whether it is listed."""
        self.files += 1
        self.invalid += not scan.valid
        self.bytes += scan.byte_count
        if self.options.format == "list" and not scan.valid:
            self.output.name(path, null=self.options.null)
            return True
        return False

    def report_summary(self) -> None:
        """Print the totals of all files."""
        if self.options.format == "json":
            summary = {
                "files": self.files,
                "invalid": self.invalid,
                "byte_count": self.bytes,
                "char_count": self.chars,
                **({} if self.rows is None else {"row_count": self.rows}),
                **({"invalid_records": self.invalid_records} if self.options.jsonl else {}),
                **({"tables_skipped": self.skipped_tables} if self.skipped_tables else {}),
                **self.reading.not_read(),
            }
            self.output.json({"summary": summary})
        elif self.options.format in {"text", "github"}:
            skipped = f"; {number(self.skipped_columns, 'column')} skipped" if self.skipped_columns else ""
            tables = f"; {number(self.skipped_tables, 'table')} not read" if self.skipped_tables else ""
            counts = self.bytes, self.chars, self.rows
            records = f"; {number(self.invalid_records, 'invalid record')}" if self.invalid_records else ""
            self.output.line(
                *totals(self.files, self.invalid, counts, jsonl=self.options.jsonl),
                f"{records}{skipped}{self.reading.skipped_remark()}{tables}",
            )


def start_of_input(byte_count: int) -> bytes:
    """Return the first bytes of standard input, a file that was read up to the offset ``byte_count``."""
    with open_file(STANDARD_INPUT, named=True) as file:
        end = file.seek(-byte_count, os.SEEK_CUR) + byte_count
        start = file.read(MAGIC_BYTES)
        file.seek(end)
    return start


def check(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if options.jsonl and options.column_names:
        options.refuse("argument --jsonl: not allowed with argument --column")
    if is_dataset(options):
        from leadbyte.cli import datasets

        return datasets.check(options)
    if options.jsonl and options.jobs:
        options.refuse("argument --jsonl: not allowed with argument -j/--jobs; --engine reads in parallel")
    return Check(options).run()
