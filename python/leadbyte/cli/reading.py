"""The input files of a command: found below paths, scanned, and reported if that fails."""

from __future__ import annotations

import sys

from leadbyte.cli.files import Reader, Skipped, Walk
from leadbyte.cli.output import printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from leadbyte import Scanner
    from leadbyte.cli.output import Output

    _T = TypeVar("_T")


class Reading:
    """All files of the options' paths, each with a scanner that has scanned it.

    Files that cannot be read are reported and counted in ``failed``, skipped binary files in ``binary``.
    """

    def __init__(
        self, options: argparse.Namespace, output: Output, *, errors: int = 1, directories: bool = True
    ) -> None:
        self.output = output
        self.failed = 0
        self.binary = 0
        self.json: bool = options.format == "json"
        self.verbose: bool = options.verbose and options.format not in {"list", "quiet"}
        self.walk = Walk(
            options.paths,
            directories=directories,
            on_error=self.report_error,
            on_skip=self.report_skipped,
        )
        self.reader = Reader(errors=errors, binary=options.binary, advance=self.advance)

    def __iter__(self) -> Iterator[tuple[str, Scanner]]:
        """Yield the path and scanner of each file."""
        return self.each(self.reader.scan)

    def each(self, read: Callable[..., _T]) -> Iterator[tuple[str, _T]]:
        """Yield the path of each file and the result of ``read(path, named=...)``."""
        progress = self.output.progress
        progress.total = self.walk.total()
        try:
            for path, named in self.walk:
                try:
                    found = read(path, named=named)
                except Skipped as reason:
                    self.report_skipped(path, str(reason))
                except OSError as error:
                    self.report_error(path, error)
                else:
                    progress.advance(files=1)
                    yield path, found
        finally:
            progress.finish()

    def advance(self, byte_count: int) -> None:
        """Report the progress in bytes."""
        self.output.progress.advance(byte_count=byte_count)

    def report_error(self, path: str, error: OSError) -> None:
        """Report a path that could not be read, and count it."""
        self.failed += 1
        message = str(error.strerror or error)
        if not self.json or self.output.stream is not sys.stderr:
            self.output.warn(f"{printable(path)}: {message}")
        if self.json:
            self.output.json({"path": path, "error": message})

    def report_skipped(self, path: str, reason: str) -> None:
        """Count a file that is skipped, and report it if verbose."""
        self.binary += reason == "binary"
        if self.verbose and self.json:
            self.output.json({"path": path, "skipped": reason})
        elif self.verbose:
            self.output.line(f"{printable(path)}: skipped: {reason}")
