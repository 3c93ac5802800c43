"""What commands that make files anew share: where the new text goes, and what is left as it was."""

from __future__ import annotations

import os
import stat
import sys

from leadbyte.cli.files import BINARY_PREFIX, STANDARD_INPUT, Skipped, fill, open_file
from leadbyte.cli.output import printable
from leadbyte.cli.replacement import replacing

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from io import FileIO
    from typing import BinaryIO, TypeAlias, TypeVar

    from typing_extensions import Buffer

    from leadbyte.cli.output import Output
    from leadbyte.cli.reading import Reading

    _Write: TypeAlias = Callable[[Buffer], object]
    _T = TypeVar("_T")

STANDARD_OUTPUT = "-"
CHANGED = "changed while it was read, and is left as it is"


class OutputFailed(Exception):
    """What is written cannot be: that is not the fault of a file that is read."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.error = error


class Unfinished(Exception):
    """The output is not all that was asked for, and why."""


class Writing:
    """Where new text goes: to standard output, to a file, or to the old file's place.

    ``done`` is what is done to a file, in a word. What ``is_binary`` takes for binary, by its beginning, is
    replaced only if that is wanted.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        output: Output,
        reading: Reading,
        *,
        done: str,
        is_binary: Callable[[bytes], bool],
    ) -> None:
        self.options = options
        self.output = output
        self.reading = reading
        self.done = done
        self.is_binary = is_binary
        # The files that could be read, but of which nothing could be made.
        self.failed = 0

    def to_output(
        self, make: Callable[[FileIO, _Write], _T], each: Callable[[Callable[..., _T]], None]
    ) -> None:
        """Write what ``make`` does of all files, one after another, to standard output or to a file.

        That file is there once all of them were made. ``each`` calls what it gets for each file.
        """
        if self.options.output == STANDARD_OUTPUT:
            # Without a buffer, whose rest Python would insist on writing after Ctrl-C.
            with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as file:
                self.write_to(file, make, each)
            return
        path = self.options.output
        special = os.path.exists(path) and not os.path.isfile(path)
        try:
            with open(path, "wb", buffering=0) if special else replacing(path) as file:
                self.write_to(file, make, each)
                self.insist_on_all()
        except Unfinished as reason:
            if not special:
                self.output.warn(f"{printable(path)}: not written, as {reason}")
        except OSError as error:
            self.reading.report_trouble(path, error)

    def insist_on_all(self) -> None:
        """Raise Unfinished if something could not be read, or not be made."""
        if self.reading.trouble or self.failed:
            reason = f"not everything could be {'read' if self.reading.trouble else self.done}"
            raise Unfinished(reason)

    def write_to(
        self,
        out: FileIO | BinaryIO,
        make: Callable[[FileIO, _Write], _T],
        each: Callable[[Callable[..., _T]], None],
    ) -> None:
        """Write what ``make`` does of all files."""

        def write(text: Buffer) -> None:
            try:
                with self.output.progress.hidden():
                    write_whole(out, text)
            except OSError as error:
                raise OutputFailed(error) from error

        try:
            each(making(make, write))
        except OutputFailed as failed:
            raise failed.error from None

    def refuse_unsuitable(self, path: str, *, named: bool) -> None:
        """Raise OSError or Skipped for what cannot or should not be replaced."""
        backup = self.options.backup
        message = ""
        if not named:
            if backup and path.endswith(backup):
                reason = "backup"
                raise Skipped(reason)
        elif path == STANDARD_INPUT:
            message = f"standard input cannot be {self.done} in place"
        elif not stat.S_ISREG(os.stat(path).st_mode):
            message = f"not a regular file, so it cannot be {self.done} in place"
        elif not self.options.binary:
            with open_file(path, named=True) as file:
                if self.is_binary(read_prefix(file)):
                    message = f"seems to be binary, and is {self.done} only with --binary"
        if message:
            raise OSError(message)

    def skip_binary(self, file: FileIO, *, named: bool) -> None:
        """Raise Skipped for a file that was found and seems to be binary."""
        if not named and not self.options.binary:
            if self.is_binary(read_prefix(file)):
                reason = "binary"
                raise Skipped(reason)
            file.seek(0)

    def replace(self, path: str, make: Callable[[FileIO, _Write], _T], *, named: bool) -> _T:
        """Put what ``make`` writes for a file in its place, unless it raises; return what it returns."""
        with replacing(path, backup=self.options.backup) as new:
            with open_file(path, named=named) as file:
                status = os.fstat(file.fileno())
                self.output.progress.expect(status.st_size)
                made = make(file, new.write)
            if is_changed(path, status):
                raise OSError(CHANGED)
        if status.st_nlink > 1 and self.options.format == "text":
            self.output.warn(f"{printable(path)}: its other hard links still lead to the old file")
        return made


def making(make: Callable[[FileIO, _Write], _T], write: _Write) -> Callable[..., _T]:
    """Return what opens a file and has something made of it and written."""

    def make_of(path: str, *, named: bool) -> _T:
        with open_file(path, named=named) as file:
            return make(file, write)

    return make_of


def nowhere(_: Buffer) -> None:
    """Write nothing."""


def read_prefix(file: FileIO) -> bytes:
    """Return the beginning of a file, by which text and binary files are told apart."""
    prefix = bytearray(BINARY_PREFIX)
    return bytes(prefix[: fill(file, memoryview(prefix))])


def write_whole(out: FileIO | BinaryIO, text: Buffer) -> None:
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


def is_changed(path: str, status: os.stat_result) -> bool:
    """Return whether a path leads to another file than it did, or one that was written to."""
    now = os.stat(path)
    facts = [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in (status, now)]
    return facts[0] != facts[1]
