"""``leadbyte repair``: replace invalid UTF-8 in files."""

from __future__ import annotations

import functools
import os
import sys

from leadbyte import Scanner
from leadbyte._files.binary import is_not_json_lines, is_not_utf8
from leadbyte._files.reading import BLOCK, read_some
from leadbyte._files.repair import repaired
from leadbyte._formats import (
    COMPRESSED_MAGIC,
    EXTENSIONS,
    MAGIC,
    NOT_FROM_PIPES,
    PARQUET,
    format_of,
    named_by,
)
from leadbyte._messages import number
from leadbyte._repair import DEFAULT_SUBSTITUTION
from leadbyte.cli.atomic import CHANGED, is_same_file
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import STANDARD_INPUT, JsonLinesFile, is_url
from leadbyte.cli.output import INVALID, VALID, Output
from leadbyte.cli.quarantine import QuarantinedRows, QuarantineError, check_options
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import STANDARD_OUTPUT, Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from io import FileIO
    from typing import Any, Literal, TypeAlias

    from typing_extensions import Buffer

    from leadbyte._files.columns import TableScan
    from leadbyte._files.json_lines import JsonLinesScan
    from leadbyte._files.writing import _Write
    from leadbyte.cli.table_reader import TableReader

    _Anything: TypeAlias = Any
    _Found: TypeAlias = Scanner | TableScan | JsonLinesScan

NOT_IN_PLACE = (
    "rows of a table are not dropped in place, as other columns would be lost; -o writes to a new file"
)


class Repair:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        check_options(options)
        self.replacement: str = options.replacement
        if options.substitution != DEFAULT_SUBSTITUTION:
            refuse_other_than_text(options)
        if options.jsonl:
            refuse_json(options)
        self.output = Output.beside_text(options)
        self.errors = ErrorReport(self.output, options)
        directories = is_in_place(options)
        listed = options.column_names or options.jsonl or not directories
        task: Literal["list", "scan"] = "list" if listed else "scan"
        self.reading = Reading(
            options, self.output, task=task, errors=self.errors.kept, directories=directories
        )
        is_binary = is_json_binary if options.jsonl else is_text_binary
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=is_binary)
        self.results = Results(options, self.output, self.reading, done="repaired")
        self.memory = memoryview(bytearray(BLOCK))
        self.error_count = 0
        # The number of last records that are truncated.
        self.truncated_count = 0
        # Whether the output ends with a line feed, or is empty.
        self.line_ended = True
        self.rows = QuarantinedRows(options, self.writing)
        self.writing.loses_errors = not self.rows.separated

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        try:
            with self.rows.opened():
                self.writing.transform_all(self.repair_to_output, self.report, in_place=self.repair_in_place)
        except QuarantineError as error:
            self.reading.report_error(self.options.quarantine, error.error)
        facts: dict[str, object] = {"error_count": self.error_count}
        if self.rows.separated and not self.options.dry_run:
            facts["invalid_rows"] = self.rows.row_count
        if self.options.jsonl:
            facts["truncated_records"] = self.kept_count
        changed = bool(self.options.in_place or self.error_count)
        self.results.report_summary(changed=changed, facts=facts, remark=self.remark())
        return self.results.code or (INVALID if self.kept_count else VALID)

    @property
    def kept_count(self) -> int:
        """The number of truncated records that are kept as they are."""
        return 0 if self.rows.separated else self.truncated_count

    def remark(self) -> str:
        """Return the sentence about the errors, for people."""
        remarks = self.changes() if self.error_count > self.kept_count else []
        if self.kept_count:
            remarks.append(f"{number(self.kept_count, 'truncated record')} kept")
        return ", ".join(remarks)

    def changes(self) -> list[str]:
        """Return the remarks about the errors that are repaired."""
        count = self.error_count - self.truncated_count
        if self.rows.drops:
            if self.options.dry_run:
                return [f"the rows with {number(count, 'error')} would be dropped"]
            return [f"{number(self.rows.row_count, 'invalid row')} dropped", *self.rows.remarks]
        would = "would be " if self.options.dry_run else ""
        change = "replaced" if self.options.replacement else "dropped"
        changed = [f"{number(count, 'error')} {would}{change}"] if count else []
        return [*changed, *self.rows.remarks]

    @functools.cached_property
    def tables(self) -> TableReader:
        """The reader of files with columns, which most texts do not need."""
        from leadbyte._files.columns import STRINGS
        from leadbyte.cli.table_reader import TableReader

        return TableReader(self.options, self.errors, self.reading, STRINGS)

    def repair_json_in_place(self, path: str, *, named: bool) -> _Found:
        """Replace a file of JSON lines unless nothing can be repaired; return the scan of the old file."""
        self.writing.refuse_unsuitable(path, named=named)
        scan = self.reading.reader.scan_json_lines(path, named=named)
        repairable = scan.finish().error_count > (scan.truncated and not self.rows.separated)
        return self.replace(path, scan, named=named, changed=repairable)

    def replace(
        self, path: str, found: Scanner | JsonLinesScan, *, named: bool, changed: bool
    ) -> Scanner | JsonLinesScan:
        """Replace a text by its repair if it would change; return the scan of the old file."""
        if changed:
            self.writing.check_changeable(path, named=named)
        if not self.writing.is_wanted(path, changed=changed):
            return found
        self.rows.refuse(path)
        with self.rows.of_file(path):
            return self.writing.replace(path, functools.partial(self.repair_file, path), named=named)

    def repair_in_place(self, path: str, *, named: bool) -> _Found:
        """Replace a file unless it is valid; return the scan of the old file."""
        if self.options.jsonl:
            return self.repair_json_in_place(path, named=named)
        self.writing.refuse_unsuitable(path, named=named)
        table = None
        if not self.reading.scanned:
            table = self.tables.scan_path(path, named=named, formats=(PARQUET,))
        if table:
            self.refuse_columns()
            if not self.writing.is_wanted(path, changed=not table.valid):
                return table
            if self.rows.drops:
                raise OSError(NOT_IN_PLACE)
            self.rows.refuse(path)
            self.output.progress.expect(table.byte_count)
            rewrite = functools.partial(self.rewrite_table, table, path, in_place=True)
            with self.rows.of_file(path):
                return self.writing.replace(path, rewrite, named=named)
        scanner = self.reading.scan(path, named=named)
        changed = not scanner.finish().valid
        return self.replace(path, scanner, named=named, changed=changed)

    def rewrite_table(
        self, table: TableScan, path: str, file: FileIO, write: _Write, *, in_place: bool = False
    ) -> TableScan:
        """Write a Parquet file with its columns repaired; return the scan of the old one."""
        from leadbyte._files.parquet import repair_columns
        from leadbyte._files.tables import CountedFile, arrow_errors

        if not is_same_file(os.fstat(file.fileno()), table.status):
            raise OSError(CHANGED)
        counted = CountedFile(file, self.reading.advance)
        with arrow_errors():
            if self.rows.separated:
                scan = self.tables.separating_scan(path, counted, self.rows)
                self.rows.sync()
                table.dropped = scan.invalid if self.rows.drops else {}
            repair_columns(counted, write, table, replacement=self.options.replacement, in_place=in_place)
        return table

    def repair_to_output(self, file: FileIO, write: _Write) -> _Found:
        """Write the repaired text or table of a file; return the scan of the file."""
        path = file.name if isinstance(file.name, str) else STANDARD_INPUT
        if self.options.jsonl:
            return self.repair_file(path, file, self.after_lines(write))
        found = self.tables.find_format(path, file, named=True)
        if not found:
            return self.repair_file(path, file, write)
        self.refuse_columns()
        if not self.options.dry_run:
            self.refuse_output()
        table = self.tables.scan(found, file, (PARQUET,))
        file.seek(0)
        if not table.valid:
            return self.rewrite_table(table, path, file, write)
        while block := file.read(BLOCK):
            write(block)
        return table

    def refuse_columns(self) -> None:
        """Raise OSError if a table is to be repaired as only a text can be."""
        if self.options.substitution != DEFAULT_SUBSTITUTION:
            message = "--substitution is for texts, not for files with columns"
            raise OSError(message)

    def refuse_output(self) -> None:
        """Raise OSError if a table cannot be written to the output."""
        message = ""
        if len(self.options.paths) > 1:
            message = "a file with columns cannot be joined with others; -i repairs each in place"
        elif self.options.output == STANDARD_OUTPUT and sys.stdout.isatty():
            message = "a file with columns is not written to a terminal; -o writes to a file"
        if message:
            raise OSError(message)

    def repair_file(self, path: str, file: FileIO, write: _Write) -> Scanner | JsonLinesScan:
        """Write the repaired text, or JSON lines, of a file; return the scan of the file."""
        scan, texts = repaired(
            self.text_of(file),
            self.memory,
            path,
            self.rows if self.rows.separated else None,
            jsonl=self.options.jsonl,
            replacement=self.replacement,
            drops=self.rows.drops,
            kept=self.errors.kept,
            substitution=self.options.substitution,
        )
        for text in texts:
            write(text)
        self.rows.sync()
        return scan

    def after_lines(self, write: _Write) -> _Write:
        """Return a function that writes a file, after a line feed if the file before ended without one."""
        started = False

        def write_lines(text: Buffer) -> None:
            nonlocal started
            end = bytes(memoryview(text)[-1:])
            if not end:
                return
            if not (started or self.line_ended):
                write(b"\n")
            write(text)
            started, self.line_ended = True, end == b"\n"

        return write_lines

    def text_of(self, file: FileIO) -> Callable[[memoryview], int]:
        """Return a function that reads some of a text into memory."""
        jsonl = self.options.jsonl
        text: _Anything = JsonLinesFile(file) if jsonl else self.writing.as_text(file, NOT_FROM_PIPES)

        def read(memory: memoryview) -> int:
            length = read_some(text, memory)
            self.reading.advance(length)
            return length

        return read

    def report(self, path: str, found: _Found) -> None:
        """Report the errors of a file."""
        table: _Anything = found
        if not self.options.jsonl and not isinstance(found, Scanner):
            self.count(path, table, {**self.tables.facts(table), "not_kept": table.not_kept})
            if self.options.format == "text":
                self.tables.text(path, table)
            return
        text: _Anything = found
        scan = text.finish()
        truncated = int(self.options.jsonl and text.truncated)
        self.truncated_count += truncated
        left = 0 if self.rows.separated else truncated
        self.count(path, scan, self.errors.facts(scan, text), left)
        if self.options.format == "text":
            self.errors.text(path, scan, text)

    def count(self, path: str, scan: _Anything, facts: dict[str, object], left: int = 0) -> None:
        """Count the errors of a file, of which some may be left, and report the result."""
        self.error_count += scan.error_count
        result = self.results.done if scan.error_count > left else self.results.unchanged
        self.results.report(path, result, facts)


def is_text_binary(prefix: bytes) -> bool:
    """Return whether a file with this prefix is considered binary, and has no columns."""
    return is_not_utf8(prefix) and not format_of(prefix)


def is_json_binary(prefix: bytes) -> bool:
    """Return whether a file with this prefix is considered binary, and not refused for its format."""
    return is_not_json_lines(prefix) and not named_by(prefix, {**MAGIC, **COMPRESSED_MAGIC})


def refuse_other_than_text(options: argparse.Namespace) -> None:
    """Refuse options with which each error has one replacement."""
    others = {
        "--jsonl": options.jsonl,
        "--column": options.column_names,
        "--rows drop": options.rows == "drop",
        "--quarantine": options.quarantine is not None,
    }
    for other, given in others.items():
        if given:
            options.refuse(f"argument --substitution: not allowed with argument {other}")


def refuse_json(options: argparse.Namespace) -> None:
    """Refuse options that JSON lines do not have, and a replacement that would end a string."""
    from leadbyte._leadbyte import _JsonLines

    if options.column_names:
        options.refuse("argument --jsonl: not allowed with argument --column")
    if options.jobs:
        options.refuse("argument --jsonl: not allowed with argument -j/--jobs")
    try:
        _JsonLines(0, replacement=options.replacement)
    except ValueError as error:
        options.refuse(f"argument --replacement: {error}")


def repair(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if any(is_url(path) and path.lower().endswith((*EXTENSIONS,)) for path in options.paths):
        options.refuse(
            "argument PATH: the columns of files behind URLs are repaired by leadbyte.dataset.repair"
        )
    return Repair(options).run()
