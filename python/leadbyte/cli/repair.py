"""``leadbyte repair``: what is not UTF-8 in files is replaced."""

from __future__ import annotations

import sys

from leadbyte import Scanner
from leadbyte._leadbyte import _repair_prefix
from leadbyte.cli.broken import ErrorReport
from leadbyte.cli.files import BLOCK, has_nul, read_some
from leadbyte.cli.output import TROUBLE, VALID, Output, number, size
from leadbyte.cli.reading import Reading
from leadbyte.cli.writing import Writing

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte.cli.writing import _Write


class Repair:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text.
        self.output = Output(sys.stderr)
        self.errors = ErrorReport(self.output, options)
        self.reading = Reading(options, self.output, errors=self.errors.kept, directories=options.in_place)
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=has_nul)
        self.memory = memoryview(bytearray(BLOCK))
        self.files = self.repaired = self.replaced = self.bytes = 0

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        self.writing.make_all(self.repair_file, self.report, in_place=self.repair_in_place)
        self.report_summary()
        return TROUBLE if self.reading.trouble else VALID

    def repair_in_place(self, path: str, *, named: bool) -> Scanner:
        """Have a file replaced unless it is valid; return a scanner that has taken it as it was."""
        self.writing.refuse_unsuitable(path, named=named)
        scanner = self.reading.reader.scan(path, named=named)
        if scanner.finish().valid:
            return scanner
        return self.writing.replace(path, self.repair_file, named=named)

    def repair_file(self, file: FileIO, write: _Write) -> Scanner:
        """Write a file's text to its end; return a scanner that has taken the file."""
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
            # The bytes of a character that the next block goes on with.
            unfinished = end - taken
            self.memory[:unfinished] = self.memory[taken:end]

    def report(self, path: str, scanner: Scanner) -> None:
        """Say what was replaced in a file."""
        scan = scanner.finish()
        self.files += 1
        self.repaired += not scan.valid
        self.replaced += scan.error_count
        self.bytes += scan.byte_count
        self.errors.tell(path, scan, scanner)

    def report_summary(self) -> None:
        """Print what all files came to, if there is something to say."""
        if self.options.format == "json":
            summary = {
                "files": self.files,
                "repaired": self.repaired,
                "replaced": self.replaced,
                "byte_count": self.bytes,
                "binary": self.reading.binary,
                "trouble": self.reading.trouble,
            }
            self.output.json({"summary": summary})
        elif self.options.format == "text" and (self.repaired or self.reading.verbose):
            did = "replaced" if self.options.replacement else "dropped"
            verdict = f"{self.repaired:,} repaired, {number(self.replaced, 'error')} {did}"
            self.output.line(f"{number(self.files, 'file')} read ({size(self.bytes)}): {verdict}")


def repair(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Repair(options).run()
