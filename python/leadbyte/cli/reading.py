"""What commands that read paths share: every file scanned, whatever happens on the way."""

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
    """All files that the options' paths mean, with a scanner that has taken each.

    What cannot be read is reported and counted in ``trouble``, what is passed over because it is binary
    in ``binary``.
    """

    def __init__(
        self, options: argparse.Namespace, output: Output, *, errors: int = 1, directories: bool = True
    ) -> None:
        self.output = output
        self.trouble = 0
        self.binary = 0
        self.json: bool = options.format == "json"
        self.verbose: bool = options.verbose and options.format not in {"list", "quiet"}
        self.walk = Walk(
            options.paths,
            directories=directories,
            trouble=self.report_trouble,
            skipped=self.report_skipped,
        )
        self.reader = Reader(errors=errors, binary=options.binary, advance=self.advance)

    def __iter__(self) -> Iterator[tuple[str, Scanner]]:
        """Give each file's path and scanner."""
        return self.each(self.reader.scan)

    def each(self, read: Callable[..., _T]) -> Iterator[tuple[str, _T]]:
        """Give each file's path and what ``read(path, named=...)`` makes of it."""
        progress = self.output.progress
        progress.total = self.walk.total()
        try:
            for path, named in self.walk:
                try:
                    found = read(path, named=named)
                except Skipped as reason:
                    self.report_skipped(path, str(reason))
                except OSError as error:
                    self.report_trouble(path, error)
                else:
                    progress.advance(files=1)
                    yield path, found
        finally:
            progress.finish()

    def advance(self, byte_count: int) -> None:
        """Note that so many bytes more were read."""
        self.output.progress.advance(byte_count=byte_count)

    def report_trouble(self, path: str, error: OSError) -> None:
        """Say that a path could not be read."""
        self.trouble += 1
        message = str(error.strerror or error)
        if not self.json or self.output.stream is not sys.stderr:
            self.output.warn(f"{printable(path)}: {message}")
        if self.json:
            self.output.json({"path": path, "trouble": message})

    def report_skipped(self, path: str, reason: str) -> None:
        """Note that a file was passed over."""
        self.binary += reason == "binary"
        if self.verbose and self.json:
            self.output.json({"path": path, "passed_over": reason})
        elif self.verbose:
            self.output.line(f"{printable(path)}: passed over: {reason}")
