"""``leadbyte bom``: find, strip or add byte order marks."""

from __future__ import annotations

import os
import sys

from leadbyte import BOM
from leadbyte._bom import find_bom
from leadbyte._files.binary import has_nul
from leadbyte._files.reading import blocks, fill
from leadbyte._messages import number, printable
from leadbyte.cli.atomic import CHANGED
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import open_file, read_prefix, skip_binary
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Writing
from leadbyte.transcode import transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte import Scanner
    from leadbyte._files.writing import _Write


class BomFinder:
    """Finds the byte order marks of files."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def find(self, path: str, *, named: bool) -> str | None:
        """Return the encoding whose byte order mark a file begins with, or None; see open_file."""
        with open_file(path, named=named) as file:
            if not named and not self.options.binary:
                skip_binary(file, is_binary)
            bom = find_bom(read_prefix(file))
        return bom and bom[0]


def is_binary(prefix: bytes) -> bool:
    """Return whether a file with this prefix is considered binary: by its text, as UTF-16 has NULs."""
    bom = find_bom(prefix)
    return has_nul(transcode(prefix, bom[0], "utf-8", errors="replace") if bom else prefix)


class CheckBom:
    """One run of ``leadbyte bom check``."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.reading = Reading(options, self.output)
        self.files = self.with_bom = 0

    def run(self) -> int:
        """Check all paths; return the exit code."""
        for path, encoding in self.reading.each(BomFinder(self.options).find):
            self.report(path, encoding)
        self.report_summary()
        if self.reading.failed:
            return ERROR
        return INVALID if self.with_bom else VALID

    def report(self, path: str, encoding: str | None) -> None:
        """Report the byte order mark of a file."""
        self.files += 1
        self.with_bom += encoding is not None
        if self.options.format == "json":
            self.output.json({"path": path, "bom": encoding})
        elif self.options.format == "list" and encoding:
            self.output.name(path, null=self.options.null)
        elif self.options.format == "github" and encoding:
            from leadbyte.cli.github import annotation

            message = f"{printable(path)}: begins with a byte order mark: {encoding}"
            self.output.line(annotation(path, message, title="byte order mark", line=1, column=1))
        elif self.options.format == "text" and (encoding or self.options.verbose):
            self.output.line((f"{printable(path)}:", "bold"), f" {encoding or 'none'}")

    def report_summary(self) -> None:
        """Print the totals of all files."""
        if self.options.format == "json":
            not_read = self.reading.not_read()
            self.output.json({"summary": {"files": self.files, "with_bom": self.with_bom, **not_read}})
        elif self.options.format in {"text", "github"}:
            count = number(self.with_bom, "byte order mark") if self.with_bom else "no byte order mark"
            style = "bold red" if self.with_bom else "green"
            self.output.line(
                f"{number(self.files, 'file')} checked: ", (count, style), self.reading.skipped_remark()
            )


class Change:
    """The result for a file, the encoding of its byte order mark, and its scanner if it is not UTF-8."""

    def __init__(self, result: str, encoding: str | None, malformed: Scanner | None = None) -> None:
        self.result = result
        self.encoding = encoding
        self.malformed = malformed


class ChangeBom:
    """One run of a command that changes byte order marks."""

    done = ""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.errors = ErrorReport(self.output, options)
        self.reading = Reading(options, self.output, errors=self.errors.kept)
        self.writing = Writing(options, self.output, self.reading, done=self.done, is_binary=is_binary)
        self.results = Results(options, self.output, self.reading, done=self.done)
        self.finder = BomFinder(options)

    def run(self) -> int:
        """Change the byte order marks of all paths; return the exit code."""
        self.writing.each(self.change_suitable, self.report)
        self.results.report_summary(changed=True)
        return self.results.code

    def report(self, path: str, change: Change) -> None:
        """Report the result for a file."""
        facts: dict[str, object] = {"bom": change.encoding}
        if change.malformed is not None:
            facts.update(self.errors.as_dict(change.malformed))
        self.results.report(path, change.result, facts)
        if change.result == self.results.failed and self.options.format == "text":
            self.report_failure(path, change)

    def change_suitable(self, path: str, *, named: bool) -> Change:
        """Change the byte order mark of a file that can be replaced."""
        self.writing.refuse_unsuitable(path, named=named)
        return self.change(path, self.finder.find(path, named=named), named=named)

    def change(self, path: str, encoding: str | None, *, named: bool) -> Change:
        """Change the byte order mark of a file, given its encoding, or None if there is none."""
        raise NotImplementedError

    def report_failure(self, path: str, change: Change) -> None:
        """Report why a file was left unchanged."""
        raise NotImplementedError

    def start_of(self, file: FileIO) -> bytes:
        """Return the next bytes of a file, as many as a byte order mark has."""
        start = bytearray(len(BOM))
        return bytes(start[: fill(file, memoryview(start))])

    def copy(self, file: FileIO, write: _Write) -> None:
        """Copy the rest of a file."""
        for block in blocks(file, self.reading.advance):
            write(block)


class StripBom(ChangeBom):
    """One run of ``leadbyte bom strip``."""

    done = "stripped"

    def change(self, path: str, encoding: str | None, *, named: bool) -> Change:
        """Remove the byte order mark of a file in UTF-8."""
        if encoding is None:
            return Change(self.results.unchanged, None)
        if encoding != "utf-8":
            return Change(self.results.failed, encoding)
        if self.writing.is_wanted(path, changed=True):
            # The file is read only once.
            self.output.progress.expect(-os.stat(path).st_size)
            self.writing.replace(path, self.copy_text, named=named)
        return Change(self.results.done, encoding)

    def copy_text(self, file: FileIO, write: _Write) -> None:
        """Copy the file without its byte order mark, and without those that may follow it."""
        start = self.start_of(file)
        if start != BOM:
            raise OSError(CHANGED)
        while start == BOM:
            start = self.start_of(file)
        write(start)
        self.copy(file, write)

    def report_failure(self, path: str, change: Change) -> None:
        """Report that other encodings need their byte order mark."""
        reason = f"{change.encoding} needs its byte order mark, which indicates the byte order"
        family = str(change.encoding)[: len("utf-16")]
        self.output.line(
            (f"{printable(path)}:", "bold"),
            f" {self.results.failed}: {reason}; leadbyte convert --from {family} converts it to UTF-8",
        )


class AddBom(ChangeBom):
    """One run of ``leadbyte bom add``."""

    done = "added"

    def change(self, path: str, encoding: str | None, *, named: bool) -> Change:
        """Add a byte order mark to a file that is valid UTF-8 and has none."""
        if encoding is not None:
            return Change(self.results.unchanged, encoding)
        scanner = self.reading.reader.scan(path, named=named)
        if not scanner.finish().valid:
            return Change(self.results.failed, None, scanner)
        if self.writing.is_wanted(path, changed=True):
            self.writing.replace(path, self.copy_with_bom, named=named)
        return Change(self.results.done, None)

    def copy_with_bom(self, file: FileIO, write: _Write) -> None:
        """Write a byte order mark and the file, which has none."""
        start = self.start_of(file)
        if start == BOM:
            raise OSError(CHANGED)
        write(BOM + start)
        self.copy(file, write)

    def report_failure(self, path: str, change: Change) -> None:
        """Report where the file is not UTF-8."""
        if change.malformed is not None:
            self.errors.refuse(path, change.malformed, self.results.failed)


def check(options: argparse.Namespace) -> int:
    """Run the command that finds byte order marks; return its exit code."""
    return CheckBom(options).run()


def strip(options: argparse.Namespace) -> int:
    """Run the command that removes byte order marks; return its exit code."""
    return StripBom(options).run()


def add(options: argparse.Namespace) -> int:
    """Run the command that adds byte order marks; return its exit code."""
    return AddBom(options).run()
