"""The input files of a command: found below paths, scanned, and reported if that fails."""

from __future__ import annotations

import itertools
import os
import sys

from leadbyte._cores import core_count
from leadbyte._formats import EXTENSIONS, MAGIC
from leadbyte._leadbyte import Scanner, _FileReader
from leadbyte._messages import number, printable
from leadbyte.cli.files import Reader, Skipped, is_url, total_size, without_secrets

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from typing import Literal, TypeVar

    from leadbyte import Detection
    from leadbyte.cli.output import Output

    _T = TypeVar("_T")

# The reason for which a directory is skipped whose log decides about its files.
TABLE = "table"
# The most threads that read files, unless an option asks for more.
MAX_JOBS = 8


class Reading:
    """All files of the options' paths; threads scan them, or detect their encodings, ahead of the command.

    Files that cannot be read are counted in ``failed``, and reported, those that are skipped by the reason in
    ``skipped``. By the task "fold", valid files are only counted, in ``valid_files``, with the sums of their
    bytes and characters. A command with --column reads files with columns itself: those that were named,
    and with --binary, or --strict-skips as an option, also those below directories.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        output: Output,
        *,
        task: Literal["list", "scan", "fold", "detect"] = "list",
        errors: int = 1,
        directories: bool = True,
    ) -> None:
        has_tables = hasattr(options, "column_names")
        tables = (
            [ending[1:] for ending in EXTENSIONS if has_tables],
            [magic for magic in MAGIC if has_tables],
            hasattr(options, "strict_skips") and not options.jsonl,
        )
        self.output = output
        self.paths: list[str] = options.paths
        self.failed = 0
        # Whether the output was not written, as something failed.
        self.unwritten = False
        self.skipped = {"binary": 0, "ignored": 0, "hidden": 0}
        self.valid_files = self.valid_bytes = self.valid_chars = 0
        # The messages about tables of a lake below directories that were not read for lack of a package.
        self.missing_packages: list[str] = []
        self.json: bool = options.format == "json"
        self.verbose: bool = options.verbose and options.format not in {"list", "quiet"}
        self.reader = Reader(errors=errors, binary=options.binary, tables=has_tables, advance=self.advance)
        # What a thread has found in the current file, if one has read it.
        self.scanned: Scanner | None = None
        self.detected: Detection | None = None

        def find(paths: list[str]) -> _FileReader:
            return _FileReader(
                paths,
                task,
                directories=directories,
                ignore=options.ignore,
                hidden=options.hidden,
                exclude=options.exclude,
                jobs=options.jobs or min(core_count(), MAX_JOBS),
                errors=errors,
                binary=options.binary,
                tables=tables,
                waiting=self.show_progress,
            )

        try:
            # Threads read local files only.
            self.groups = [
                [(url, True, None) for url in paths] if remote else find([*paths])
                for remote, paths in itertools.groupby(self.paths, is_url)
            ]
        except ValueError as error:
            options.refuse(f"argument --exclude: {error}")
        self.readers = [files for files in self.groups if isinstance(files, _FileReader)]

    def scan(self, path: str, *, named: bool) -> Scanner:
        """Return a scanner that has scanned the current file; see open_file."""
        return self.scanned or self.reader.scan(path, named=named)

    def each(self, read: Callable[..., _T]) -> Iterator[tuple[str, _T]]:
        """Yield the path of each file and the result of ``read(path, named=...)``."""
        progress = self.output.progress
        progress.total = total_size(self.paths)
        try:
            for encoded_path, named, result in itertools.chain.from_iterable(self.groups):
                self.show_progress()
                if isinstance(result, tuple):
                    self.add_valid(*result)
                    continue
                path = os.fsdecode(encoded_path)
                try:
                    self.take(result)
                    found = read(path, named=named)
                    path = without_secrets(path)
                except Skipped as reason:
                    if str(reason) == TABLE:
                        yield from self.each_of_table(path, read)
                    else:
                        self.report_skipped(path, str(reason))
                except OSError as error:
                    self.report_error(path, error)
                else:
                    progress.advance(files=1)
                    yield path, found
        finally:
            progress.finish()

    def each_of_table(self, directory: str, read: Callable[..., _T]) -> Iterator[tuple[str, _T]]:
        """Yield what `each` does for the files of the table of a lake in a directory, as its log has them."""
        from leadbyte._files.lake import MissingPackageError, directory_files

        try:
            files = directory_files(directory)
        except MissingPackageError as error:
            if directory in self.paths:
                self.report_error(directory, error)
            else:
                self.missing_packages.append(str(error))
                self.report_skipped(directory, str(error))
            return
        except OSError as error:
            self.report_error(directory, error)
            return
        self.take(None)
        for file in files:
            self.show_progress()
            if file.failed:
                self.report_error(file.url, OSError(file.failed))
                continue
            try:
                found = read(file.url, named=True)
            except OSError as error:
                self.report_error(file.url, error)
            else:
                self.output.progress.advance(files=1)
                yield file.url, found

    def take(self, result: Scanner | Detection | str | OSError | None) -> None:
        """Keep what a thread has found in the current file; raise why it has not read it."""
        self.scanned = self.detected = None
        if isinstance(result, OSError):
            raise result
        if isinstance(result, str):
            raise Skipped(result)
        if isinstance(result, Scanner):
            self.scanned = result
        else:
            self.detected = result

    def add_valid(self, files: int, byte_count: int, char_count: int) -> None:
        """Count valid files."""
        self.valid_files += files
        self.valid_bytes += byte_count
        self.valid_chars += char_count
        self.output.progress.advance(files=files)

    def show_progress(self) -> None:
        """Report the progress of the threads."""
        for files in self.readers:
            self.advance(files._take_byte_count())

    def advance(self, byte_count: int) -> None:
        """Report the progress in bytes."""
        self.output.progress.advance(byte_count=byte_count)

    def report_error(self, path: str, error: OSError) -> None:
        """Report a path that could not be read, and count it."""
        self.failed += 1
        self.print_error(without_secrets(path), str(error.strerror or error))

    def print_error(self, path: str, message: str) -> None:
        """Print an error, and as an object in JSON."""
        if not self.json or self.output.stream is not sys.stderr:
            self.output.warn(f"{printable(path)}: {message}")
        if self.json:
            self.output.json({"path": path, "error": message})

    def report_skipped(self, path: str, reason: str) -> None:
        """Count a file or directory that is skipped, and report it if verbose."""
        counted = "ignored" if reason == "excluded" else reason
        if counted in self.skipped:
            self.skipped[counted] += 1
        if self.verbose and self.json:
            self.output.json({"path": path, "skipped": reason})
        elif self.verbose:
            self.output.line(f"{printable(path)}: skipped: {reason}")

    def not_read(self) -> dict[str, int]:
        """Return the numbers of the files and directories that were not read, for JSON."""
        return {**self.skipped, "failed": self.failed}

    def skipped_remark(self) -> str:
        """Return the remark about skipped files, and files that failed, to end a summary."""
        binary, ignored, hidden = self.skipped.values()
        counted = [
            *([f"{number(binary, 'binary file')} skipped"] if binary else []),
            *([f"{ignored:,} ignored"] if ignored else []),
            *([f"{hidden:,} hidden"] if hidden else []),
            *([f"{self.failed:,} failed"] if self.failed else []),
        ]
        return "".join(f"; {part}" for part in counted)
