"""``leadbyte explain``: how characters are made of bytes."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import leadbyte
from leadbyte._explain import steps, table
from leadbyte._explain.explanation import Explanation
from leadbyte._explain.languages import choose
from leadbyte._explain.reading import rows_of_bytes
from leadbyte.cli.errors import MAX_FORM_BYTES
from leadbyte.cli.files import BLOCK, fill, open_file
from leadbyte.cli.output import TROUBLE, VALID, Output, number, printable
from leadbyte.cli.place import Place

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from io import FileIO

# Up to here a file is read from its start, to tell line and column; beyond, only what is shown is read.
NEAR = 256 << 20
DEFAULT_COUNT = 16


class Explain:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        try:
            self.language = choose(options.lang)
        except ValueError as error:
            options.refuse(f"argument --lang: {error}")

    def run(self) -> int:
        """Explain what is asked for; return the exit code."""
        options = self.options
        if options.file is not None:
            return self.explain_file(options.file, options.byte or 0)
        if options.range is not None:
            self.show(leadbyte.explain("".join(map(chr, options.range))), offsets=False)
        else:
            self.show(leadbyte.explain(given(options.text) if options.hex is None else options.hex))
        return VALID

    def explain_file(self, path: str, offset: int) -> int:
        """Explain the characters around a byte of a file; return the exit code."""
        window = Window(offset, DEFAULT_COUNT if self.options.count is None else self.options.count)
        progress = self.output.progress
        try:
            with open_file(path, named=True) as file:
                window.read(file, lambda length: progress.advance(byte_count=length))
        except OSError as error:
            message = str(error.strerror or error)
        else:
            length = number(window.length, "byte")
            message = f"byte {offset} is beyond the end, at {length}" if window.length < offset else ""
        finally:
            progress.finish()
        if message:
            self.output.warn(f"{printable(path)}: {message}")
            return TROUBLE
        place = window.place
        if self.options.format != "json":
            line = "" if place is None else f"{place.line}:{place.column}:"
            told = self.language.say("offset", offset=offset)
            self.output.line((f"{printable(path)}:{line}", "bold"), f" {told}")
        facts = {"path": path, **({} if place is None else vars(place)), "byte_offset": offset}
        self.show(window.shown, pointed=window.pointed, counted=place is not None, facts=facts)
        return VALID

    def show(
        self,
        explanation: Explanation,
        *,
        offsets: bool = True,
        pointed: int | None = None,
        counted: bool = True,
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """Print an explanation.

        ``pointed`` is the number of the row to point at, ``counted`` whether it is known how many characters
        there are before the first; the facts are for JSON, to stand with the summary.
        """
        language, output = self.language, self.output
        if self.options.format == "json":
            for row in explanation:
                told = row.as_dict(language.code)
                if not counted:
                    told["index"] = None
                if self.options.steps:
                    told["steps"] = row.steps(language.code)
                output.json(told)
            output.json({"summary": {**(facts or {}), **explanation.totals()}})
        elif self.options.steps:
            for at, row in enumerate(explanation):
                if at:
                    output.line()
                for line in steps.lines(row, language):
                    output.line(*line)
        else:
            made = table.lines(explanation, language, columns=output.width, offsets=offsets, pointed=pointed)
            for line in made:
                output.line(*line)
            output.line(table.summary(explanation, language))


class Window:
    """The characters around a byte of a file, about as many before it as after it.

    ``shown`` are these, ``pointed`` is the number of that which has the byte, ``place`` is where that stands,
    if it is known, and ``length`` that of the file, as far as it was read.
    """

    def __init__(self, offset: int, count: int) -> None:
        self.offset = offset
        self.count = count
        self.shown = Explanation(())
        self.pointed = 0
        self.place: Place | None = None
        self.length = 0

    def read(self, file: FileIO, advance: Callable[[int], None]) -> None:
        """Read what is to be shown, and so much around it that what it is made of is whole.

        Where that tells line and column and does not take long, all that is before is read too.
        """
        before = self.count // 2
        start = max(0, self.offset - (before + 2) * MAX_FORM_BYTES)
        place = Place()
        near = start <= NEAR or not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        if near:
            come = 0
            for block in blocks(file, start):
                place.advance(block, len(block))
                come += len(block)
                advance(len(block))
            start = come
        else:
            start = file.seek(min(start, file.seek(0, os.SEEK_END)))
        data = b"".join(map(bytes, blocks(file, self.offset - start + (self.count + 2) * MAX_FORM_BYTES)))
        self.length = start + len(data)
        # What stands at the start may belong to a character before it.
        skipped = leadbyte.ceil_boundary(data, 0) if start else 0
        rows = [*rows_of_bytes(data[skipped:], start + skipped, place.char)]
        at = next((at for at, row in enumerate(rows) if self.offset < row.end), len(rows))
        self.pointed = min(at, before)
        self.shown = Explanation(tuple(rows[at - self.pointed :][: self.count]))
        if near and self.length >= self.offset:
            place.advance(data, (rows[at].start if at < len(rows) else self.offset) - start)
            self.place = place


def blocks(file: FileIO, length: int) -> Iterator[memoryview]:
    """Read so many bytes of a file, or up to its end, giving the same memory filled again and again."""
    memory = memoryview(bytearray(min(BLOCK, length)))
    while length and (read := fill(file, memory[:length])):
        yield memory[:read]
        length -= read


def given(text: str) -> str | bytes:
    """Return an argument's text, or its bytes if they are not in the encoding of the environment."""
    if os.name == "posix" and any("\udc80" <= char <= "\udcff" for char in text):
        return os.fsencode(text)
    return text


def explain(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if options.file is None and (options.byte is not None or options.count is not None):
        options.refuse("arguments --byte and --count: only allowed with argument --file")
    return Explain(options).run()
