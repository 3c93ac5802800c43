"""``leadbyte repair``: what is not UTF-8 in files is replaced."""

from __future__ import annotations

import os
import stat
import sys

from leadbyte import Scanner
from leadbyte._leadbyte import _repair_prefix
from leadbyte.cli.broken import ErrorReport
from leadbyte.cli.files import BINARY_PREFIX, BLOCK, STANDARD_INPUT, Skipped, open_file, read_some
from leadbyte.cli.output import TROUBLE, VALID, Output, number, printable, size
from leadbyte.cli.reading import Reading
from leadbyte.cli.replacement import replacing

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from io import FileIO
    from typing import BinaryIO

STANDARD_OUTPUT = "-"


class OutputFailed(Exception):
    """What is written cannot be: that is not the fault of a file that is read."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.error = error


class Unfinished(Exception):
    """Something could not be read, so the output is not all that was asked for."""


class Repair:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text.
        self.output = Output(sys.stderr)
        self.errors = ErrorReport(self.output, options)
        self.reading = Reading(options, self.output, errors=self.errors.kept, directories=options.in_place)
        self.memory = memoryview(bytearray(BLOCK))
        self.files = self.repaired = self.replaced = self.bytes = 0

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        if self.options.in_place:
            self.repair_each(self.repair_in_place)
        elif self.options.output == STANDARD_OUTPUT:
            # Without a buffer, whose rest Python would insist on writing after Ctrl-C.
            with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as file:
                self.repair_to(file)
        else:
            self.repair_to_file(self.options.output)
        self.report_summary()
        return TROUBLE if self.reading.trouble else VALID

    def repair_to_file(self, path: str) -> None:
        """Write what is read to a file that is there once all of it was read."""
        special = os.path.exists(path) and not os.path.isfile(path)
        try:
            with open(path, "wb", buffering=0) if special else replacing(path) as file:
                self.repair_to(file)
                self.insist_on_all()
        except Unfinished:
            if not special:
                self.output.warn(f"{printable(path)}: not written, as not everything could be read")
        except OSError as error:
            self.reading.report_trouble(path, error)

    def insist_on_all(self) -> None:
        """Raise Unfinished if something could not be read."""
        if self.reading.trouble:
            raise Unfinished

    def repair_to(self, out: FileIO | BinaryIO) -> None:
        """Write what is read, one file after another."""

        def write(text: bytes) -> None:
            try:
                with self.output.progress.hidden():
                    write_whole(out, text)
            except OSError as error:
                raise OutputFailed(error) from error

        def repair(path: str, *, named: bool) -> Scanner:
            with open_file(path, named=named) as file:
                return self.repair_file(file, write)

        try:
            self.repair_each(repair)
        except OutputFailed as failed:
            raise failed.error from None

    def repair_in_place(self, path: str, *, named: bool) -> Scanner:
        """Have a file replaced unless it is valid; return a scanner that has taken it as it was."""
        backup = self.options.backup
        if named:
            refuse_unsuitable(path, binary=self.options.binary)
        elif backup and path.endswith(backup):
            reason = "backup"
            raise Skipped(reason)
        scanner = self.reading.reader.scan(path, named=named)
        if scanner.finish().valid:
            return scanner
        with replacing(path, backup=backup) as new:
            with open_file(path, named=named) as file:
                status = os.fstat(file.fileno())
                self.output.progress.expect(status.st_size)
                scanner = self.repair_file(file, new.write)
            if is_changed(path, status):
                message = "changed while it was read, and is left as it is"
                raise OSError(message)
        if status.st_nlink > 1 and self.options.format == "text":
            self.output.warn(f"{printable(path)}: its other hard links still lead to the old file")
        return scanner

    def repair_file(self, file: FileIO, write: Callable[[bytes], object]) -> Scanner:
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

    def repair_each(self, repair: Callable[..., Scanner]) -> None:
        """Repair all paths in this way."""
        for path, scanner in self.reading.each(repair):
            self.report(path, scanner)

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


def write_whole(out: FileIO | BinaryIO, text: bytes) -> None:
    """Write all of a text; whoever reads it need not wait for what follows."""
    rest = memoryview(text)
    while rest:
        written = out.write(rest)
        if written is None:
            # Somebody has made it non-blocking, and nobody has read yet.
            import select

            select.select([], [out], [])
        else:
            rest = rest[written:]


def refuse_unsuitable(path: str, *, binary: bool) -> None:
    """Raise OSError for what was named but cannot or should not be repaired in place."""
    message = ""
    if path == STANDARD_INPUT:
        message = "standard input cannot be repaired in place"
    elif not stat.S_ISREG(os.stat(path).st_mode):
        message = "not a regular file, so it cannot be repaired in place"
    elif not binary:
        with open_file(path, named=True) as file:
            if b"\0" in file.read(BINARY_PREFIX):
                message = "seems to be binary; --binary repairs it all the same"
    if message:
        raise OSError(message)


def is_changed(path: str, status: os.stat_result) -> bool:
    """Return whether a path leads to another file than it did, or one that was written to."""
    now = os.stat(path)
    facts = [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in (status, now)]
    return facts[0] != facts[1]


def repair(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Repair(options).run()
