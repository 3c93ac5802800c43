"""``leadbyte bom``: the byte order marks that files begin with."""

from __future__ import annotations

import os
import sys

from leadbyte import BOM
from leadbyte._bom import find_bom
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import BLOCK, Skipped, has_nul, open_file, read_some
from leadbyte.cli.output import INVALID, TROUBLE, VALID, Output, number, printable
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import CHANGED, Writing, read_prefix
from leadbyte.transcode import transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte import Scanner
    from leadbyte.cli.writing import _Write


class Marks:
    """Finds the byte order marks of files."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def find(self, path: str, *, named: bool) -> str | None:
        """Return the encoding whose mark a file begins with; see open_file."""
        with open_file(path, named=named) as file:
            prefix = read_prefix(file)
        if not named and not self.options.binary and is_binary(prefix):
            reason = "binary"
            raise Skipped(reason)
        mark = find_bom(prefix)
        return mark and mark[0]


def is_binary(prefix: bytes) -> bool:
    """Return whether what a file begins with is taken for binary: by its text, as UTF-16 has NULs."""
    mark = find_bom(prefix)
    return has_nul(transcode(prefix, mark[0], "utf-8", errors="replace") if mark else prefix)


class CheckBom:
    """One run of ``leadbyte bom check``."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.reading = Reading(options, self.output)
        self.files = self.marked = 0

    def run(self) -> int:
        """Look at all paths; return the exit code."""
        for path, encoding in self.reading.each(Marks(self.options).find):
            self.report(path, encoding)
        self.report_summary()
        if self.reading.trouble:
            return TROUBLE
        return INVALID if self.marked else VALID

    def report(self, path: str, encoding: str | None) -> None:
        """Say what a file begins with."""
        self.files += 1
        self.marked += encoding is not None
        if self.options.format == "json":
            self.output.json({"path": path, "bom": encoding})
        elif self.options.format == "list" and encoding:
            self.output.line(printable(path))
        elif self.options.format == "github" and encoding:
            from leadbyte.cli.github import annotation

            message = f"{printable(path)}: begins with a byte order mark: {encoding}"
            self.output.line(annotation(path, message, title="byte order mark", line=1, column=1))
        elif self.options.format == "text" and (encoding or self.options.verbose):
            self.output.line((f"{printable(path)}:", "bold"), f" {encoding or 'none'}")

    def report_summary(self) -> None:
        """Print what all files come to."""
        if self.options.format == "json":
            trouble = {"binary": self.reading.binary, "trouble": self.reading.trouble}
            self.output.json({"summary": {"files": self.files, "marked": self.marked, **trouble}})
        elif self.options.format in {"text", "github"}:
            marks = number(self.marked, "byte order mark") if self.marked else "no byte order mark"
            style = "bold red" if self.marked else "green"
            self.output.line(f"{number(self.files, 'file')} checked: ", (marks, style))


class Change:
    """What became of a file, whose mark it began with, and what has taken it if it is no UTF-8."""

    def __init__(self, result: str, encoding: str | None, broken: Scanner | None = None) -> None:
        self.result = result
        self.encoding = encoding
        self.broken = broken


class ChangeBom:
    """One run of a command that changes marks."""

    done = ""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.errors = ErrorReport(self.output, options)
        self.reading = Reading(options, self.output, errors=self.errors.kept)
        self.writing = Writing(options, self.output, self.reading, done=self.done, is_binary=is_binary)
        self.results = Results(options, self.output, self.reading, done=self.done)
        self.marks = Marks(options)
        self.memory = memoryview(bytearray(BLOCK))

    def run(self) -> int:
        """Change the marks of all paths; return the exit code."""
        for path, change in self.reading.each(self.change_suitable):
            facts: dict[str, object] = {"bom": change.encoding}
            if change.broken is not None:
                facts.update(self.errors.as_dict(change.broken))
            self.results.tell(path, change.result, facts)
            if change.result == self.results.failed and self.options.format == "text":
                self.complain(path, change)
        self.results.tell_all(wanted=True)
        return self.results.code

    def change_suitable(self, path: str, *, named: bool) -> Change:
        """Change the mark of a file if that can be done in its place."""
        self.writing.refuse_unsuitable(path, named=named)
        return self.change(path, self.marks.find(path, named=named), named=named)

    def change(self, path: str, encoding: str | None, *, named: bool) -> Change:
        """Change the mark of a file that begins with that of an encoding, or none."""
        raise NotImplementedError

    def complain(self, path: str, change: Change) -> None:
        """Say why a file was left as it was."""
        raise NotImplementedError

    def copy(self, file: FileIO, write: _Write) -> None:
        """Write the rest of a file."""
        while length := read_some(file, self.memory):
            self.reading.advance(length)
            write(self.memory[:length])


class StripBom(ChangeBom):
    """One run of ``leadbyte bom strip``."""

    done = "stripped"

    def change(self, path: str, encoding: str | None, *, named: bool) -> Change:
        """Take the mark off a file in UTF-8."""
        if encoding is None:
            return Change(self.results.unchanged, None)
        if encoding != "utf-8":
            return Change(self.results.failed, encoding)
        if not self.options.dry_run:
            # It is read only once.
            self.output.progress.expect(-os.stat(path).st_size)
            self.writing.replace(path, self.copy_text, named=named)
        return Change(self.results.done, encoding)

    def copy_text(self, file: FileIO, write: _Write) -> None:
        """Write what follows the mark."""
        if file.read(len(BOM)) != BOM:
            raise OSError(CHANGED)
        self.copy(file, write)

    def complain(self, path: str, change: Change) -> None:
        """Say that other encodings need theirs."""
        needs = f"{change.encoding} needs its byte order mark, which tells the order of bytes"
        family = str(change.encoding)[: len("utf-16")]
        self.output.line(
            (f"{printable(path)}:", "bold"),
            f" {self.results.failed}: {needs}; leadbyte convert --from {family} makes UTF-8 of it",
        )


class AddBom(ChangeBom):
    """One run of ``leadbyte bom add``."""

    done = "marked"

    def change(self, path: str, encoding: str | None, *, named: bool) -> Change:
        """Put the mark of UTF-8 before a file that is valid and has none."""
        if encoding is not None:
            return Change(self.results.unchanged, encoding)
        scanner = self.reading.reader.scan(path, named=named)
        if not scanner.finish().valid:
            return Change(self.results.failed, None, scanner)
        if not self.options.dry_run:
            self.writing.replace(path, self.copy_marked, named=named)
        return Change(self.results.done, None)

    def copy_marked(self, file: FileIO, write: _Write) -> None:
        """Write a mark and the file."""
        write(BOM)
        self.copy(file, write)

    def complain(self, path: str, change: Change) -> None:
        """Say where the file is not UTF-8."""
        if change.broken is not None:
            self.errors.refuse(path, change.broken, self.results.failed)


def check(options: argparse.Namespace) -> int:
    """Run the command that finds marks; return its exit code."""
    return CheckBom(options).run()


def strip(options: argparse.Namespace) -> int:
    """Run the command that takes marks off; return its exit code."""
    return StripBom(options).run()


def add(options: argparse.Namespace) -> int:
    """Run the command that puts marks before files; return its exit code."""
    return AddBom(options).run()
