"""``leadbyte check``: check that files are valid UTF-8 and locate errors."""

from __future__ import annotations

import sys

from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.output import ERROR, INVALID, VALID, Output, number, size
from leadbyte.cli.reading import Reading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from typing import Literal

    from leadbyte import Scanner


class Check:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.errors = ErrorReport(self.output, options)
        # Unless each valid file is listed, they are only counted.
        listed = options.format == "json" or (options.format == "text" and options.verbose)
        task: Literal["scan", "fold"] = "scan" if listed else "fold"
        self.reading = Reading(options, self.output, task=task, errors=self.errors.kept)
        self.files = self.invalid = self.bytes = self.chars = 0

    def run(self) -> int:
        """Check all paths; return the exit code."""
        for path, scanner in self.reading:
            self.report(path, scanner)
        self.files += self.reading.valid_files
        self.bytes += self.reading.valid_bytes
        self.chars += self.reading.valid_chars
        self.report_summary()
        if self.reading.failed:
            return ERROR
        return INVALID if self.invalid else VALID

    def report(self, path: str, scanner: Scanner) -> None:
        """Report the errors of a file."""
        scan = scanner.finish()
        self.files += 1
        self.invalid += not scan.valid
        self.bytes += scan.byte_count
        self.chars += scan.char_count
        if self.options.format == "list" and not scan.valid:
            self.output.name(path, null=self.options.null)
        else:
            self.errors.report(path, scan, scanner)

    def report_summary(self) -> None:
        """Print the totals of all files."""
        if self.options.format == "json":
            summary = {
                "files": self.files,
                "invalid": self.invalid,
                "byte_count": self.bytes,
                "char_count": self.chars,
                **self.reading.not_read(),
            }
            self.output.json({"summary": summary})
        elif self.options.format in {"text", "github"}:
            counted = (
                f"{number(self.files, 'file')} checked ({size(self.bytes)}, {number(self.chars, 'char')})"
            )
            verdict = f"{self.invalid:,} not valid UTF-8" if self.invalid else "all valid UTF-8"
            if not self.files:
                verdict = "nothing to check"
            style = "bold red" if self.invalid else "green"
            self.output.line(f"{counted}: ", (verdict, style), self.reading.skipped_remark())


def check(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Check(options).run()
