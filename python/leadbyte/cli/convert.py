"""``leadbyte convert``: files from one encoding to another."""

from __future__ import annotations

import functools
import os
import sys

from leadbyte.cli.conversion import Conversion
from leadbyte.cli.files import has_nul, open_file, read_some
from leadbyte.cli.output import Output, printable
from leadbyte.cli.output_directory import OutputDirectory
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import STANDARD_OUTPUT, Failed, Writing, discard, is_in_place
from leadbyte.transcode import transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from typing_extensions import Buffer

    from leadbyte.cli.conversion import Flaw
    from leadbyte.cli.writing import _Write
    from leadbyte.transcode import _Marking


# Bytes read at once: as many as stay in the second-level cache on both halves of the way.
PIECE = 64 << 10


class Changing(Exception):
    """What becomes of a text is not what it was."""


class Comparison:
    """Compares what is written with what was read, both piece by piece."""

    def __init__(self) -> None:
        self.read = self.written = b""
        self.changed = False

    def update(self, read: Buffer, written: bytes) -> None:
        """Take what was read, and what of it is written at once: most of it, if it stays the same."""
        if self.changed:
            return
        self.read += read
        self.written += written
        common = min(len(self.read), len(self.written))
        ahead = max(len(self.read), len(self.written)) - common
        self.changed = self.read[:common] != self.written[:common] or ahead > PIECE
        self.read, self.written = self.read[common:], self.written[common:]

    def finish(self) -> bool:
        """Return whether there is a difference."""
        return self.changed or self.read != self.written


class Convert:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text, unless there is none.
        self.output = Output(sys.stdout if options.dry_run else sys.stderr)
        into_directory = options.output != STANDARD_OUTPUT and os.path.isdir(options.output)
        self.tree = OutputDirectory(options.output, options.paths) if into_directory else None
        # Whether all texts are to be one.
        self.joined = not (is_in_place(options) or into_directory)
        self.reading = Reading(options, self.output, directories=not self.joined)
        self.writing = Writing(options, self.output, self.reading, done="converted", is_binary=self.is_binary)
        self.memory = memoryview(bytearray(PIECE))
        # In the middle of an output there are no byte order marks.
        marks = options.bom or transcode(b"", "utf-8", options.target)
        self.bom_within: _Marking = "strip" if marks else None
        self.begun = False
        self.results = Results(options, self.output, self.reading, done="converted")

    def run(self) -> int:
        """Convert all paths; return the exit code."""
        if self.tree is not None:
            self.writing.each(functools.partial(self.convert_into, self.tree), self.report)
        else:
            self.writing.transform_all(self.convert_file, self.report, in_place=self.convert_in_place)
        self.results.report_summary(changed=self.options.in_place)
        return self.results.code

    def convert_in_place(self, path: str, *, named: bool) -> Conversion:
        """Have a file replaced, unless it would be the same."""
        self.writing.refuse_unsuitable(path, named=named)
        tried = self.try_out(path, named=named)
        if tried is not None and (self.options.dry_run or not tried.changed):
            return tried
        return self.writing.replace(path, self.convert_file, named=named)

    def try_out(self, path: str, *, named: bool) -> Conversion | None:
        """Convert a file to discard; in earnest only to the first change, and then return nothing."""
        with open_file(path, named=named) as file:
            self.writing.skip_binary(file, named=named)
            comparison = Comparison()

            def stop_at_change(_: Buffer) -> None:
                if comparison.changed and not self.options.dry_run:
                    raise Changing

            try:
                conversion = self.convert_file(file, stop_at_change, comparison)
            except Changing:
                # The rest is not read here.
                self.output.progress.expect(file.tell() - os.fstat(file.fileno()).st_size)
                return None
            conversion.changed = comparison.finish()
            return conversion

    def convert_into(self, tree: OutputDirectory, path: str, *, named: bool) -> Conversion:
        """Write a file's text to another file in a directory."""
        target = tree.target(path, named=named)
        with open_file(path, named=named) as file:
            self.writing.skip_binary(file, named=named)
            if self.options.dry_run:
                return self.convert_file(file, discard)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with self.writing.opened(target) as new:
                return self.convert_file(file, new.write)

    def convert_file(self, file: FileIO, write: _Write, comparison: Comparison | None = None) -> Conversion:
        """Write a file's text in the other encoding; raise Failed if that cannot be done."""
        bom = self.bom_within if self.begun else self.options.bom
        conversion = Conversion(self.options, bom)
        length = 1
        while length and not conversion.ended:
            length = read_some(file, self.memory)
            self.reading.advance(length)
            text = conversion.feed(self.memory[:length]) if length else conversion.finish()
            if comparison:
                comparison.update(self.memory[:length], text)
            if text and not conversion.flaws:
                write(text)
                self.begun = self.joined
        if conversion.flaws:
            raise Failed(conversion)
        return conversion

    def is_binary(self, prefix: bytes) -> bool:
        """Return whether what a file begins with is taken for binary: by its text, as UTF-16 has NULs."""
        return has_nul(transcode(prefix, self.options.source, "utf-8", errors="replace"))

    def report(self, path: str, conversion: Conversion) -> None:
        """Say what became of a file."""
        results = self.results
        if conversion.flaws:
            result = results.failed
        else:
            result = results.done if conversion.changed else results.unchanged
        results.report(path, result, self.facts(conversion))
        if conversion.flaws and self.options.format == "text":
            self.report_flaws(printable(path), conversion.flaws)

    def facts(self, conversion: Conversion) -> dict[str, object]:
        """Return what JSON says of a file."""
        limit = self.options.max_errors
        return {
            "byte_count": conversion.byte_count,
            "errors": [flaw.as_dict() for flaw in conversion.flaws[:limit]],
            "more_errors": len(conversion.flaws) > limit,
        }

    def report_flaws(self, name: str, flaws: list[Flaw]) -> None:
        """Print what of a file cannot be converted."""
        shown = flaws[: self.options.max_errors]
        for flaw in shown:
            place = f"{name}:{flaw.place.line}:{flaw.place.column}:"
            self.output.line((place, "bold"), f" {flaw.message}")
        more = "there is more of it; " if len(flaws) > len(shown) else ""
        advice = "; ".join(dict.fromkeys(flaw.advice for flaw in flaws))
        self.output.line((f"{name}:", "bold"), f" not converted; {more}{advice}")


def convert(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    try:
        # Unknown names and what does not go together are errors in the arguments.
        Conversion(options, options.bom)
    except (LookupError, ValueError) as error:
        options.refuse(str(error))
    return Convert(options).run()
