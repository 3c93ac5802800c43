"""``leadbyte repair``: replace invalid UTF-8 in files."""

from __future__ import annotations

import sys

from leadbyte import Scanner
from leadbyte._leadbyte import _repair_prefix
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import BLOCK, has_nul, read_some
from leadbyte.cli.output import Output, number
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO
    from typing import Literal

    from leadbyte.cli.writing import _Write


class Repair:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text, except in a dry run, which has none.
        self.output = Output(sys.stdout if options.dry_run else sys.stderr)
        self.errors = ErrorReport(self.output, options)
        directories = is_in_place(options)
        task: Literal["list", "scan"] = "scan" if directories else "list"
        self.reading = Reading(
            options, self.output, task=task, errors=self.errors.kept, directories=directories
        )
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=has_nul)
        self.results = Results(options, self.output, self.reading, done="repaired")
        self.memory = memoryview(bytearray(BLOCK))
        self.error_count = 0

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        self.writing.transform_all(self.repair_file, self.report, in_place=self.repair_in_place)
        remark = ""
        if self.error_count:
            change = "replaced" if self.options.replacement else "dropped"
            would = "would be " if self.options.dry_run else ""
            remark = f"{number(self.error_count, 'error')} {would}{change}"
        changed = bool(self.options.in_place or self.error_count)
        self.results.report_summary(changed=changed, facts={"error_count": self.error_count}, remark=remark)
        return self.results.code

    def repair_in_place(self, path: str, *, named: bool) -> Scanner:
        """Replace a file unless it is valid; return a scanner that has scanned the old file."""
        self.writing.refuse_unsuitable(path, named=named)
        scanner = self.reading.scan(path, named=named)
        if self.options.dry_run or scanner.finish().valid:
            return scanner
        # It was scanned ahead, and may have been repaired since then under another name.
        self.output.progress.expect(scanner.byte_count)
        scanner = self.reading.reader.scan(path, named=named)
        if scanner.finish().valid:
            return scanner
        return self.writing.replace(path, self.repair_file, named=named)

    def repair_file(self, file: FileIO, write: _Write) -> Scanner:
        """Write the repaired text of a file; return a scanner that has scanned the file."""
        scanner = Scanner._keeping(self.errors.kept)
        unfinished = 0
        while True:
            length = read_some(file, self.memory[unfinished:])
            end = unfinished + length
            scanner.update(self.memory[unfinished:end])
            text, taken = _repair_prefix(self.memory[:end], self.options.replacement, not length)
            write(text)
            if not length:
                return scanner
            self.reading.advance(length)
            # The bytes of a character that continues in the next block.
            unfinished = end - taken
            self.memory[:unfinished] = self.memory[taken:end]

    def report(self, path: str, scanner: Scanner) -> None:
        """Report the errors of a file."""
        scan = scanner.finish()
        self.error_count += scan.error_count
        result = self.results.unchanged if scan.valid else self.results.done
        self.results.report(path, result, self.errors.facts(scan, scanner))
        if self.options.format == "text":
            self.errors.text(path, scan, scanner)


def repair(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Repair(options).run()
