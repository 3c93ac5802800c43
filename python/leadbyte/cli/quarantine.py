"""Rows with errors, as ``leadbyte repair`` keeps them apart or drops them."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from io import FileIO

from leadbyte._files.invalid_rows import InvalidRows
from leadbyte._files.writing import PRIVATE_MODE, write_whole
from leadbyte._formats import EXTENSIONS, PARQUET
from leadbyte._messages import number, printable
from leadbyte.cli.files import STANDARD_INPUT
from leadbyte.cli.writing import STANDARD_OUTPUT, Incomplete

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from typing_extensions import Buffer

    from leadbyte._files.quarantine import Quarantine
    from leadbyte._files.writing import _Write
    from leadbyte.cli.writing import Writing

PARQUET_EXTENSIONS = tuple(end for end, found in EXTENSIONS.items() if found == PARQUET)


class QuarantineError(OSError):
    """The quarantine cannot be written; ``error`` is the error of the system."""

    def __init__(self, message: str, error: OSError) -> None:
        super().__init__(message)
        self.error = error


class QuarantinedRows(InvalidRows):
    """Counts rows with errors, and writes them to the quarantine of the options, if there is one.

    Beside an output the quarantine is a new file, which is complete before the output appears. In place, the
    rows of each file are appended, and on the disk, before the file is replaced.
    """

    def __init__(self, options: argparse.Namespace, writing: Writing) -> None:
        super().__init__(None)
        self.path: str | None = options.quarantine
        self.in_place: bool = options.in_place
        self.drops: bool = options.rows == "drop"
        self.writing = writing
        self.quarantine: Quarantine | None
        self.appended: AppendedLines | None = None
        self.stack = contextlib.ExitStack()

    @property
    def separated(self) -> bool:
        """Whether rows with errors are treated apart."""
        return self.drops or self.path is not None

    @property
    def remarks(self) -> list[str]:
        """The part of a summary about the quarantine."""
        return [f"{number(self.record_count, 'record')} in quarantine"] if self.quarantine else []

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Open the quarantine, if there is one, while files are repaired; raise OSError if that fails."""
        if self.path is None:
            yield
            return
        from leadbyte._files.quarantine import JsonQuarantine, ParquetQuarantine

        with self.errors():
            if self.in_place:
                lines = FileIO(self.path, "ab+", opener=functools.partial(os.open, mode=PRIVATE_MODE))
                self.appended = AppendedLines(self.stack.enter_context(lines))
                self.quarantine = JsonQuarantine(self.checked(self.appended.write))
            else:
                file = self.stack.enter_context(self.writing.opened(self.path, PRIVATE_MODE))
                is_parquet = self.path.lower().endswith(PARQUET_EXTENSIONS)
                kind = ParquetQuarantine if is_parquet else JsonQuarantine
                self.quarantine = kind(self.checked(functools.partial(write_whole, file)))
                self.writing.before_output = self.commit
        try:
            yield
        finally:
            self.close()

    def checked(self, write: _Write) -> _Write:
        """Return a function that writes a text, and names the quarantine in errors."""

        def write_text(text: Buffer) -> None:
            with self.errors():
                write(text)

        return write_text

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Name the quarantine in errors of the system."""
        try:
            yield
        except OSError as error:
            message = f"quarantine {printable(self.path or '')}: {error.strerror or error}"
            raise QuarantineError(message, error) from error

    def commit(self) -> None:
        """Complete the quarantine of an output."""
        if self.quarantine:
            self.quarantine.close()
            with self.errors():
                self.stack.close()

    def close(self) -> None:
        """Close the quarantine; unless it was completed, it is not wanted."""
        if self.quarantine and not self.in_place:
            self.quarantine.abandon()
        reason = Incomplete()
        with contextlib.suppress(Incomplete):
            self.stack.__exit__(Incomplete, reason, None)

    @contextlib.contextmanager
    def of_file(self, path: str) -> Iterator[None]:
        """Take back the rows of a file that is left unchanged, as an exception is raised."""
        counts = self.row_count, self.record_count
        if self.appended:
            self.appended.mark()
        try:
            yield
        except BaseException:
            self.writing.note_replaced()
            if path in self.writing.unreported:
                # Its rows are nowhere else.
                raise
            self.row_count, self.record_count = counts
            if self.appended and self.quarantine:
                self.quarantine.drop()
                self.appended.take_back()
            raise

    def sync(self) -> None:
        """Let the rows of a file that is replaced soon be on the disk."""
        if self.appended and self.quarantine:
            self.quarantine.flush()
            with contextlib.suppress(OSError):  # pipes cannot be synchronized
                os.fsync(self.appended.file.fileno())

    def refuse(self, path: str) -> None:
        """Raise OSError for the file to which rows are appended."""
        if self.appended and os.path.samestat(os.stat(path), self.appended.status):
            message = "is also the quarantine"
            raise OSError(message)


class AppendedLines:
    """A file to which lines are appended, as other processes may do at the same time.

    The lines since a mark are taken back only if nothing that others have written follows them.
    """

    def __init__(self, file: FileIO) -> None:
        self.file = file
        self.marked = self.end = 0
        self.is_alone = True

    @property
    def status(self) -> os.stat_result:
        """The status of the file."""
        return os.fstat(self.file.fileno())

    def mark(self) -> None:
        """Remember where the file ends."""
        self.marked = self.end = self.status.st_size
        self.is_alone = True

    def write(self, text: Buffer) -> None:
        """Append a text, after the last line, which a killed process may have left incomplete."""
        with locked(self.file):
            start = self.status.st_size
            self.is_alone = self.is_alone and start == self.end
            separator = b"\n" if self.is_incomplete() else b""
            try:
                # Known before, for a signal that comes after.
                self.end = start + len(separator) + memoryview(text).nbytes
                write_whole(self.file, separator)
                write_whole(self.file, text)
            except BaseException:
                self.end = self.status.st_size
                raise

    def is_incomplete(self) -> bool:
        """Return whether the last line of a regular file is incomplete."""
        file = self.file
        if not (stat.S_ISREG(self.status.st_mode) and file.seek(0, os.SEEK_END)):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"

    def take_back(self) -> None:
        """Remove the lines since the mark, if they are still the end."""
        with contextlib.suppress(OSError), locked(self.file):  # pipes cannot be truncated
            if self.is_alone and self.status.st_size == self.end:
                self.file.truncate(self.marked)


@contextlib.contextmanager
def locked(file: FileIO) -> Iterator[None]:
    """Let no other process of this command append to a file, or truncate it, where the system can."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def check_options(options: argparse.Namespace) -> None:
    """Refuse a quarantine that cannot be, and rows that would be lost."""
    path = options.quarantine
    if path is not None:
        check_quarantine(options, path)
    elif options.rows == "drop" and not options.backup:
        if options.in_place:
            options.refuse("argument --rows: rows are dropped in place only with --quarantine or --backup")
        if any(is_same(options.output, other) for other in options.paths):
            options.refuse(
                "argument --rows: rows are dropped from the output's own file only with --quarantine"
            )


def check_quarantine(options: argparse.Namespace, path: str) -> None:
    """Refuse a quarantine that cannot be."""
    if options.dry_run:
        options.refuse("argument --quarantine: not allowed with argument -n/--dry-run, which writes nothing")
    if path in {"", STANDARD_OUTPUT}:
        options.refuse("argument --quarantine: takes a file, as standard output has the text")
    if options.in_place and path.lower().endswith(PARQUET_EXTENSIONS):
        options.refuse(
            "argument --quarantine: with -i rows are appended as lines of JSON, not to a Parquet file"
        )
    if is_same(path, options.output):
        options.refuse("argument --quarantine: is also the output")
    if not options.in_place and os.path.isfile(path) and os.path.getsize(path):
        options.refuse("argument --quarantine: exists already, and may be the only place of its rows")
    if not options.in_place and any(is_same(path, other) for other in options.paths):
        options.refuse("argument --quarantine: is also an input")


def is_same(path: str, other: str) -> bool:
    """Return whether two paths name one file, which need not exist; not of standard input and output."""
    if {path, other} & {STANDARD_INPUT, STANDARD_OUTPUT}:
        return False
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)
