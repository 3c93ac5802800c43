"""``leadbyte check``: check that files are valid UTF-8 and locate errors."""

from __future__ import annotations

import sys

from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.output import ERROR, INVALID, VALID, Output, number, printable, size
from leadbyte.cli.reading import Reading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

    from leadbyte import Scanner


class Check:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.errors = ErrorReport(self.output, options)
        self.reading = Reading(options, self.output, errors=self.errors.kept)
        self.files = self.invalid = self.bytes = self.chars = 0

    def run(self) -> int:
        """Check all paths; return the exit code."""
        for path, scanner in self.reading:
            self.report(path, scanner)
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
            self.output.line(printable(path))
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
                "binary": self.reading.binary,
                "failed": self.reading.failed,
            }
            self.output.json({"summary": summary})
        elif self.options.format in {"text", "github"}:
            counted = (
                f"{number(self.files, 'file')} checked ({size(self.bytes)}, {number(self.chars, 'char')})"
            )
            verdict = f"{self.invalid:,} not valid UTF-8" if self.invalid else "all valid UTF-8"
            if not self.files:
                verdict = "nothing to check"
            skipped = self.reading.binary
            binary = f"; {number(skipped, 'binary file')} skipped" if skipped else ""
            style = "bold red" if self.invalid else "green"
            self.output.line(f"{counted}: ", (verdict, style), binary)


def check(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Check(options).run()
