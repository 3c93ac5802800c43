"""``leadbyte repair``: what is not UTF-8 in files is replaced."""

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

    from leadbyte.cli.writing import _Write


class Repair:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text, unless there is none.
        self.output = Output(sys.stdout if options.dry_run else sys.stderr)
        self.errors = ErrorReport(self.output, options)
        directories = is_in_place(options)
        self.reading = Reading(options, self.output, errors=self.errors.kept, directories=directories)
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=has_nul)
        self.results = Results(options, self.output, self.reading, done="repaired")
        self.memory = memoryview(bytearray(BLOCK))
        self.error_count = 0

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        self.writing.make_all(self.repair_file, self.report, in_place=self.repair_in_place)
        words = ""
        if self.error_count:
            did = "replaced" if self.options.replacement else "dropped"
            would = "would be " if self.options.dry_run else ""
            words = f"{number(self.error_count, 'error')} {would}{did}"
        wanted = bool(self.options.in_place or self.error_count)
        self.results.tell_all(wanted=wanted, facts={"error_count": self.error_count}, words=words)
        return self.results.code

    def repair_in_place(self, path: str, *, named: bool) -> Scanner:
        """Have a file replaced unless it is valid; return a scanner that has taken it as it was."""
        self.writing.refuse_unsuitable(path, named=named)
        scanner = self.reading.reader.scan(path, named=named)
        if self.options.dry_run or scanner.finish().valid:
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
        self.error_count += scan.error_count
        result = self.results.unchanged if scan.valid else self.results.done
        self.results.tell(path, result, self.errors.facts(scan, scanner))
        if self.options.format == "text":
            self.errors.text(path, scan, scanner)


def repair(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Repair(options).run()
