"""The output of commands that transform files: where it goes, and which files are left unchanged."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import sys

from leadbyte._bom import is_wide
from leadbyte._files.binary import legacy_encoding
from leadbyte._files.writing import NEW_MODE, discard, write_whole
from leadbyte._messages import number, printable
from leadbyte.cli.atomic import (
    Place,
    check_directory,
    check_replaceable,
    check_unchanged,
    find_descriptor,
    open_stream,
    place_below,
    replacing,
)
from leadbyte.cli.files import (
    STANDARD_INPUT,
    Skipped,
    TextFile,
    columns_as_text,
    compressed_as_text,
    is_url,
    open_file,
    prefix_beyond_ascii,
    read_prefix,
    skip_binary,
)

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from io import FileIO
    from typing import Any, BinaryIO, Protocol, TypeAlias, TypeVar

    from typing_extensions import Buffer

    from leadbyte._files.writing import _Write
    from leadbyte.cli.output import Output
    from leadbyte.cli.reading import Reading

    _Anything: TypeAlias = Any
    _T = TypeVar("_T")

    class _Result(Protocol):
        @property
        def changed(self) -> bool: ...

    _M = TypeVar("_M", bound=_Result)

STANDARD_OUTPUT = "-"
# The most bytes of output that wait until it is certain that they are wanted.
MAX_HELD_BYTES = 16 << 20
# The directories in which tables log their files with the number of their bytes, and how names in them end.
TABLE_LOGS = {"_delta_log": ".json", "metadata": ".metadata.json", ".hoodie": "hoodie.properties"}
# The suffixes that editors and other programs append to the name of an old version.
BACKUP_SUFFIXES = (".bak", ".orig", "~")


class OutputFailed(Exception):
    """The output cannot be written, as opposed to an input file that cannot be read."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.error = error


class Incomplete(Exception):
    """The output would be incomplete, for a reason."""


class Failed(Exception):
    """A file cannot be transformed; ``result`` is the result to report."""

    def __init__(self, result: _Anything) -> None:
        super().__init__()
        self.result = result


def is_in_place(options: argparse.Namespace) -> bool:
    """Return whether files are replaced, or would be without a dry run."""
    return bool(options.in_place or (options.dry_run and options.output == STANDARD_OUTPUT))


def find_log(directory: str) -> str:
    """Return the log of a table that a directory has: Delta, Iceberg or Hudi; "" without one."""
    for log, pattern in TABLE_LOGS.items():
        path = os.path.join(directory, log)
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            if any(entry.name.endswith(pattern) for entry in entries):
                return path
    return ""


log_in: Callable[[str], str] = functools.cache(find_log)


def table_with(directory: str) -> str:
    """Return the log of the table that has files in a directory, which may be above it; "" without one."""
    while not (log := log_in(directory)) and (above := os.path.dirname(directory)) != directory:
        directory = above
    return log


class Writing:
    """Writes transformed text: to standard output, to a file, or in place of the old file.

    ``done`` is the participle of the change: "repaired". Files that ``is_binary`` considers binary, given
    their prefix, are replaced only with --binary. A ``transform`` is called with a file and a function that
    writes, and returns a result to be reported, or raises Failed with it.
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
        # Whether bytes that are not UTF-8 are lost, so that no text in a legacy encoding may be replaced.
        self.loses_errors = False
        # The number of files that could be read, but not transformed.
        self.failed = 0
        # The devices and inodes of the new files, or in a dry run of those that would be replaced.
        self.replaced: set[tuple[int, int]] = set()
        # The paths of those that are not reported yet.
        self.unreported: set[str] = set()
        # The path of the file that is being replaced, with the device and the inode of the new file.
        self.replacement: tuple[str, tuple[int, int]] | None = None
        # The status of the file that is replaced by the output, when it was read.
        self.read_output: os.stat_result | None = None
        # Called when an output is complete, before it appears.
        self.before_output: Callable[[], None] = lambda: None

    def transform_all(
        self,
        transform: Callable[[FileIO, _Write], _T],
        report: Callable[[str, _T], None],
        *,
        in_place: Callable[..., _T],
    ) -> None:
        """Transform all files as the options specify, and report each; ``in_place`` does so for a path."""
        if is_in_place(self.options):
            self.each(in_place, report)
        elif self.options.dry_run:
            self.each(self.opening(transform, discard), report)
            self.check_output()
        else:
            self.to_output(transform, report)

    def if_changed(self, transform: Callable[[FileIO, _Write], _M]) -> Callable[..., _M]:
        """Return a function that replaces the file of a path if a trial shows that it would change."""
        trial = self.opening(transform, discard)

        def transform_path(path: str, *, named: bool) -> _M:
            self.refuse_unsuitable(path, named=named)
            result = trial(path, named=named)
            if result.changed and self.loses_errors:
                self.check_changeable(path, named=named)
            if not self.is_wanted(path, changed=result.changed):
                return result
            return self.replace(path, transform, named=named)

        return transform_path

    def each(self, transform_path: Callable[..., _T], report: Callable[[str, _T], None]) -> None:
        """Report the result of ``transform_path(path, named=...)`` for each file, also if it fails."""

        def attempt(path: str, *, named: bool) -> _T:
            try:
                return transform_path(path, named=named)
            except Failed as failed:
                self.failed += 1
                result: _T = failed.result
                return result
            except UnicodeError as error:
                # Some of Python's codecs raise errors of their own.
                raise OSError(str(error)) from error

        try:
            for path, result in self.reading.each(attempt):
                report(path, result)
                self.unreported.discard(path)
        except BaseException:
            self.note_replaced()
            if self.replaced and not self.options.dry_run and self.options.format != "quiet":
                for path in sorted(self.unreported):
                    self.output.warn(f"{printable(path)}: {self.done}")
                self.output.warn(f"stopped after {number(len(self.replaced), 'file')} {self.done}")
            raise

    def opening(self, transform: Callable[[FileIO, _Write], _T], write: _Write) -> Callable[..., _T]:
        """Return a function that opens the file of a path, unless it is skipped, and transforms it."""

        def transform_path(path: str, *, named: bool) -> _T:
            with self.reading_from(path, named=named) as file:
                self.skip_binary(file, named=named)
                if self.is_output(file):
                    self.read_output = os.fstat(file.fileno())
                    self.refuse_legacy(file)
                return transform(file, write)

        return transform_path

    def to_output(self, transform: Callable[[FileIO, _Write], _T], report: Callable[[str, _T], None]) -> None:
        """Transform all files, one after another, to standard output or to a file.

        An output file appears only once all of them are transformed.
        """
        if self.options.output == STANDARD_OUTPUT:
            # Unbuffered, as Python would write the rest of a buffer even after Ctrl-C.
            with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as file:
                self.write_to(file, transform, report)
            self.before_output()
            return
        path = self.options.output
        try:
            stream = open_stream(path)
            with stream or self.replacing(path) as file:
                self.write_to(file, transform, report)
                if not stream:
                    self.check_complete()
                self.before_output()
        except Incomplete as reason:
            self.reading.unwritten = True
            self.reading.print_error(path, f"not written, as {reason}")
        except BrokenPipeError:
            raise
        except OSError as error:
            self.reading.unwritten = True
            self.reading.report_error(path, error)

    def check_output(self) -> None:
        """Report if it can be foreseen that an output cannot be written."""
        path = self.options.output
        try:
            if not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode):
                check_directory(os.path.dirname(os.path.realpath(path)))
        except OSError as error:
            self.reading.report_error(path, error)

    def check_complete(self) -> None:
        """Raise Incomplete if a file could not be read, or not be transformed."""
        if self.reading.failed or self.failed:
            reason = f"not all files could be {'read' if self.reading.failed else self.done}"
            raise Incomplete(reason)

    def write_to(
        self,
        out: FileIO | BinaryIO,
        transform: Callable[[FileIO, _Write], _T],
        report: Callable[[str, _T], None],
    ) -> None:
        """Transform all files except the one that is written to."""
        output = os.fstat(out.fileno())

        def transform_other(file: FileIO, write: _Write) -> _T:
            if stat.S_ISREG(output.st_mode) and os.path.samestat(output, os.fstat(file.fileno())):
                message = "is also the output"
                raise OSError(message)
            return transform(file, write)

        def write(text: Buffer) -> None:
            try:
                with self.output.progress.hidden():
                    write_whole(out, text)
            except OSError as error:
                raise OutputFailed(error) from error

        try:
            self.each(self.opening(transform_other, write), report)
        except OutputFailed as failed:
            raise failed.error from None

    def refuse_unsuitable(self, path: str, *, named: bool) -> None:
        """Raise OSError or Skipped for a file that cannot or should not be replaced."""
        message = ""
        if not named:
            if is_backup(path, self.options.backup):
                reason = "backup"
                raise Skipped(reason)
        elif kind := irreplaceable(path):
            if self.options.in_place:
                message = f"{kind} cannot be {self.done} in place"
                if is_url(path):
                    option = f"{self.options.instead} -o".lstrip()
                    message += f"; {option} writes to a file, leadbyte.dataset to another URL"
        elif not self.options.binary:
            with open_file(path, named=True) as file:
                prefix = read_prefix(file)
            if self.is_binary(prefix):
                message = f"seems to be {kind_of_binary(prefix)}; it is changed only with --binary"
        if message:
            raise OSError(message)
        if self.replaced and identity(os.stat(path)) in self.replaced:
            reason = f"{self.done} under another name"
            raise Skipped(reason)

    def is_wanted(self, path: str, *, changed: bool) -> bool:
        """Return whether a file is to be replaced; raise OSError if it would change, but must not."""
        if changed:
            self.refuse_table(path)
            if self.options.dry_run:
                check_replaceable(path, self.options.backup)
                with contextlib.suppress(OSError):  # standard input
                    self.replaced.add(identity(os.stat(path)))
        return changed and not self.options.dry_run

    def refuse_table(self, path: str) -> None:
        """Raise OSError for a path among the files of a table, which must be as its log has them."""
        table = table_with(os.path.dirname(os.path.realpath(path)))
        if table:
            message = (
                f"is a file of a table ({printable(table)}), whose log counts its bytes: it cannot be "
                f"{self.done} there; write a copy elsewhere, with leadbyte.dataset or -o, and load that"
            )
            raise OSError(message)

    def skip_binary(self, file: FileIO, *, named: bool) -> None:
        """Raise Skipped for a file found below a directory that seems to be binary."""
        if not named and not self.options.binary:
            skip_binary(file, self.is_binary)

    def check_changeable(self, path: str, *, named: bool) -> None:
        """Raise for a file that would change and is not UTF-8 with errors.

        Skipped for one below a directory that seems to be binary, OSError for text in a legacy encoding.
        """
        if named and irreplaceable(path):
            return
        with open_file(path, named=named) as file:
            self.skip_binary(file, named=named)
            self.refuse_legacy(file)

    def is_output(self, file: FileIO) -> bool:
        """Return whether a file is to be replaced by the output."""
        path = self.options.output
        if path == STANDARD_OUTPUT or not os.path.exists(path):
            return False
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))

    def refuse_legacy(self, file: FileIO) -> None:
        """Raise OSError for a file in a legacy encoding whose letters would be lost without a backup."""
        if not self.loses_errors or self.options.backup or not file.seekable():
            return
        encoding = legacy_encoding(prefix_beyond_ascii(file))
        file.seek(0)
        if encoding:
            message = (
                f"seems to be text in {encoding}, and would lose its letters; leadbyte convert "
                f"--from {encoding} makes UTF-8 of it, and with --backup it is {self.done} all the same"
            )
            raise OSError(message)

    def replace(self, path: str, transform: Callable[[FileIO, _Write], _T], *, named: bool) -> _T:
        """Replace a file by what ``transform`` writes, unless it raises; return its result."""
        self.refuse_table(path)
        with (
            self.place(path, named=named) as place,
            open_file(place.name, named=named, directory=place.directory) as file,
        ):
            status = os.fstat(file.fileno())
            self.output.progress.expect(status.st_size)
            self.replacement = None
            try:
                with replacing(place, old=file, backup=self.options.backup) as new:
                    result = transform(file, new.write)
                    self.replacement = path, identity(os.fstat(new.fileno()))
            finally:
                self.note_replaced(place)
        self.warn_of_links(path, status)
        return result

    def note_replaced(self, place: Place | None = None) -> None:
        """Note the file that was being replaced if its new one is there, also if a signal came after that.

        Without its place, as after a signal that came here, it is found by its path.
        """
        if self.replacement is None:
            return
        path, new = self.replacement
        with contextlib.suppress(OSError):
            if identity(place.status() if place else os.stat(path)) == new:
                self.replaced.add(new)
                self.unreported.add(path)
        self.replacement = None

    def as_text(self, file: FileIO, reason: str = "") -> FileIO:
        """Return a file to be read as text, without --binary only if it has no columns and is plain."""
        columns = columns_as_text(reason or f"columns are not {self.done}")
        text: _Anything = TextFile(file, {**columns, **compressed_as_text("; --binary reads it as text")})
        return file if self.options.binary else text

    @contextlib.contextmanager
    def reading_from(self, path: str, *, named: bool) -> Iterator[FileIO]:
        """Open a file for reading; only links that were named are followed."""
        if named:
            with open_file(path, named=True) as file:
                yield file
            return
        with (
            self.place(path, named=False) as place,
            open_file(place.name, named=False, directory=place.directory) as file,
        ):
            yield file

    @contextlib.contextmanager
    def place(self, path: str, *, named: bool) -> Iterator[Place]:
        """Yield the place of a file that is to be replaced; only links that were named are followed."""
        if named:
            yield Place(os.path.realpath(path))
            return
        tops = (top for top in self.options.paths if path.startswith(os.path.join(top, "")))
        with place_below(max(tops, key=len), path) as place:
            yield place

    @contextlib.contextmanager
    def opened(self, path: str, mode: int = NEW_MODE) -> Iterator[FileIO | BinaryIO]:
        """Open a path for writing: a stream as it is, another file to be replaced or made at the end.

        A new one has the permissions of the mode, at most.
        """
        with open_stream(path) or self.replacing(path, mode) as file:
            yield file

    @contextlib.contextmanager
    def replacing(self, path: str, mode: int = NEW_MODE) -> Iterator[BinaryIO]:
        """Open a new file that replaces the one at a path, if there is one, at the end."""
        self.refuse_table(path)
        status = os.stat(path) if os.path.exists(path) else None
        place = Place(os.path.realpath(path))

        def check() -> None:
            if self.read_output and path == self.options.output:
                check_unchanged(place, place.name, self.read_output)

        with replacing(place, mode=mode, check=check) as new:
            yield new
        if status:
            self.warn_of_links(path, status)

    def warn_of_links(self, path: str, status: os.stat_result) -> None:
        """Warn if a file that was replaced has other hard links."""
        if status.st_nlink > 1 and self.options.format == "text":
            self.output.warn(f"{printable(path)}: its other hard links still refer to the old file")


def identity(status: os.stat_result) -> tuple[int, int]:
    """Return what two names of a file have in common."""
    return status.st_dev, status.st_ino


def kind_of_binary(prefix: bytes) -> str:
    """Return what a file with this prefix, which is considered binary, seems to be."""
    from leadbyte import detect

    encoding = detect(prefix).encoding
    if encoding and is_wide(encoding):
        return f"text in {encoding} (leadbyte convert --from {encoding} makes UTF-8 of it)"
    return "binary"


def irreplaceable(path: str) -> str:
    """Return why a path cannot be replaced, or an empty string."""
    if path == STANDARD_INPUT:
        return "standard input"
    if is_url(path):
        return "a URL, so it"
    if find_descriptor(path):
        return "an open descriptor, so it"
    return "" if stat.S_ISREG(os.stat(path).st_mode) else "not a regular file, so it"


def is_backup(path: str, suffix: str | None) -> bool:
    """Return whether a path names a backup: the path of another file with a suffix."""
    for known in (*BACKUP_SUFFIXES, *([suffix] if suffix else [])):
        original = path.removesuffix(known)
        if original != path and os.path.basename(original) and os.path.isfile(original):
            return True
    return False
