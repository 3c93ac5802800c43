"""What commands that make files anew share: where the new text goes, and what is left as it was."""

from __future__ import annotations

import contextlib
import os
import stat
import sys

from leadbyte.cli.atomic import find_descriptor, open_stream, replacing
from leadbyte.cli.files import BINARY_PREFIX, STANDARD_INPUT, Skipped, fill, open_file
from leadbyte.cli.output import printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from io import FileIO
    from typing import Any, BinaryIO, Protocol, TypeAlias, TypeVar

    from typing_extensions import Buffer

    from leadbyte.cli.output import Output
    from leadbyte.cli.reading import Reading

    _Write: TypeAlias = Callable[[Buffer], object]
    _Anything: TypeAlias = Any
    _T = TypeVar("_T")

    class _Made(Protocol):
        changed: bool

    _M = TypeVar("_M", bound=_Made)

STANDARD_OUTPUT = "-"
# The suffixes that editors and other programs give to the old version of a file.
BACKUP_SUFFIXES = (".bak", ".orig", "~")
CHANGED = "changed while it was read, and is left as it is"


class OutputFailed(Exception):
    """What is written cannot be: that is not the fault of a file that is read."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.error = error


class Unfinished(Exception):
    """The output is not all that was asked for, and why."""


class Failed(Exception):
    """Nothing can be made of a file; ``made`` is what is known of it."""

    def __init__(self, made: _Anything) -> None:
        super().__init__()
        self.made = made


def is_in_place(options: argparse.Namespace) -> bool:
    """Return whether files are replaced, or would be but for a dry run."""
    return bool(options.in_place or (options.dry_run and options.output == STANDARD_OUTPUT))


class Writing:
    """Where new text goes: to standard output, to a file, or to the old file's place.

    ``done`` is what is done to a file, in a word. What ``is_binary`` takes for binary, by its beginning, is
    replaced only if that is wanted. What makes new text is called ``make``: it is given a file and what
    writes, and returns what is to be reported, or raises Failed with that.
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
        if options.backup and not options.in_place:
            options.refuse("argument --backup: only allowed with argument -i/--in-place")
        self.options = options
        self.output = output
        self.reading = reading
        self.done = done
        self.is_binary = is_binary
        # The files that could be read, but of which nothing could be made.
        self.failed = 0

    def make_all(
        self,
        make: Callable[[FileIO, _Write], _T],
        report: Callable[[str, _T], None],
        *,
        in_place: Callable[..., _T],
    ) -> None:
        """Make all files anew, where the options say, and report each; ``in_place`` does that for a path."""
        if is_in_place(self.options):
            self.each(in_place, report)
        elif self.options.dry_run:
            self.each(self.opening(make, nowhere), report)
        else:
            self.to_output(make, report)

    def if_changed(self, make: Callable[[FileIO, _Write], _M]) -> Callable[..., _M]:
        """Return what has a path's file replaced, unless it would be the same, by a look at it first."""
        look = self.opening(make, nowhere)

        def make_of(path: str, *, named: bool) -> _M:
            self.refuse_unsuitable(path, named=named)
            made = look(path, named=named)
            return made if self.options.dry_run or not made.changed else self.replace(path, make, named=named)

        return make_of

    def each(self, make_of: Callable[..., _T], report: Callable[[str, _T], None]) -> None:
        """Report what ``make_of(path, named=...)`` returns, or fails with, for each file."""

        def attempt(path: str, *, named: bool) -> _T:
            try:
                return make_of(path, named=named)
            except Failed as failed:
                self.failed += 1
                made: _T = failed.made
                return made
            except UnicodeError as error:
                # Some codecs of Python have their own ways to fail.
                raise OSError(str(error)) from error

        for path, made in self.reading.each(attempt):
            report(path, made)

    def opening(self, make: Callable[[FileIO, _Write], _T], write: _Write) -> Callable[..., _T]:
        """Return what opens a file, unless it is passed over, and has something made of it and written."""

        def make_of(path: str, *, named: bool) -> _T:
            with open_file(path, named=named) as file:
                self.skip_binary(file, named=named)
                return make(file, write)

        return make_of

    def to_output(self, make: Callable[[FileIO, _Write], _T], report: Callable[[str, _T], None]) -> None:
        """Write what ``make`` does of all files, one after another, to standard output or to a file.

        That file is there once all of them were made.
        """
        if self.options.output == STANDARD_OUTPUT:
            # Without a buffer, whose rest Python would insist on writing after Ctrl-C.
            with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as file:
                self.write_to(file, make, report)
            return
        path = self.options.output
        try:
            stream = open_stream(path)
            with stream or self.replacing(path) as file:
                self.write_to(file, make, report)
                if not stream:
                    self.insist_on_all()
        except Unfinished as reason:
            self.output.warn(f"{printable(path)}: not written, as {reason}")
        except BrokenPipeError:
            raise
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
        report: Callable[[str, _T], None],
    ) -> None:
        """Write what ``make`` does of all files, but the one that is written to."""
        output = os.fstat(out.fileno())

        def make_apart(file: FileIO, write: _Write) -> _T:
            if stat.S_ISREG(output.st_mode) and os.path.samestat(output, os.fstat(file.fileno())):
                message = "is also the output"
                raise OSError(message)
            return make(file, write)

        def write(text: Buffer) -> None:
            try:
                with self.output.progress.hidden():
                    write_whole(out, text)
            except OSError as error:
                raise OutputFailed(error) from error

        try:
            self.each(self.opening(make_apart, write), report)
        except OutputFailed as failed:
            raise failed.error from None

    def refuse_unsuitable(self, path: str, *, named: bool) -> None:
        """Raise OSError or Skipped for what cannot or should not be replaced."""
        message = ""
        if not named:
            if is_backup(path, self.options.backup):
                reason = "backup"
                raise Skipped(reason)
        elif kind := irreplaceable(path):
            if self.options.in_place:
                message = f"{kind} cannot be {self.done} in place"
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
        with self.replacing(path, backup=self.options.backup) as new:
            with open_file(path, named=named) as file:
                status = os.fstat(file.fileno())
                self.output.progress.expect(status.st_size)
                made = make(file, new.write)
            if is_changed(path, status):
                raise OSError(CHANGED)
        return made

    @contextlib.contextmanager
    def opened(self, path: str) -> Iterator[FileIO | BinaryIO]:
        """Give a file to write what is to be at a path."""
        with open_stream(path) or self.replacing(path) as file:
            yield file

    @contextlib.contextmanager
    def replacing(self, path: str, *, backup: str | None = None) -> Iterator[BinaryIO]:
        """Give a file to write that takes the path's place; say so if other names lead to the old one."""
        linked = os.path.exists(path) and os.stat(path).st_nlink > 1
        with replacing(path, backup=backup) as new:
            yield new
        if linked and self.options.format == "text":
            self.output.warn(f"{printable(path)}: its other hard links still lead to the old file")


def irreplaceable(path: str) -> str:
    """Return what a path is that is no regular file by a name of its own, or an empty string."""
    if path == STANDARD_INPUT:
        return "standard input"
    if find_descriptor(path):
        return "an open descriptor, so it"
    return "" if stat.S_ISREG(os.stat(path).st_mode) else "not a regular file, so it"


def is_backup(path: str, suffix: str | None) -> bool:
    """Return whether a path is that of a backup: that of another file, and a suffix."""
    for known in (*BACKUP_SUFFIXES, *([suffix] if suffix else [])):
        original = path.removesuffix(known)
        if original != path and os.path.basename(original) and os.path.isfile(original):
            return True
    return False


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
