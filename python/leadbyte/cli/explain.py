"""``leadbyte explain``: show how characters are encoded, bit by bit."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import leadbyte
from leadbyte._explain import steps, table
from leadbyte._explain.explanation import Explanation
from leadbyte._explain.languages import choose
from leadbyte._explain.parsing import rows_of_bytes
from leadbyte._files.errors import MAX_FORM_BYTES
from leadbyte._files.location import LocationCounter
from leadbyte._files.reading import BLOCK, fill
from leadbyte._messages import number, printable
from leadbyte._split import whole_length
from leadbyte.cli.argument_types import escaped_bytes
from leadbyte.cli.files import open_file, without_secrets
from leadbyte.cli.output import ERROR, VALID, Output

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from io import FileIO

# The maximum offset in bytes up to which a file is read from its start, for line and column; beyond it, only
# the part that is shown is read.
MAX_LOCATED_OFFSET = 256 << 20
DEFAULT_COUNT = 16


class Explain:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.language = choose(options.lang)
        if options.lang is None and options.format != "json" and not self.language.is_in(sys.stdout.encoding):
            self.language = choose("en")

    def run(self) -> int:
        """Explain the file, code points, bytes or text of the options; return the exit code."""
        options = self.options
        if options.file is not None:
            return self.explain_file(options.file, options.byte or 0)
        if options.range is not None:
            self.show(leadbyte.explain("".join(map(chr, options.range))), offsets=False)
        elif options.hex is not None:
            self.show(leadbyte.explain(options.hex))
        else:
            self.show(leadbyte.explain(escaped_bytes(options.text) or options.text))
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
        path = without_secrets(path)
        if message:
            self.output.report_failure(path, message, as_json=self.options.format == "json")
            return ERROR
        location = window.location
        if self.options.format != "json":
            line = "" if location is None else f"{location.line}:{location.column}:"
            text = self.language.say("offset", offset=offset)
            self.output.line((f"{printable(path)}:{line}", "bold"), f" {text}")
        facts = {"path": path, **({} if location is None else vars(location)), "byte_offset": offset}
        self.show(window.shown, pointed=window.pointed, indexed=location is not None, facts=facts)
        return VALID

    def show(
        self,
        explanation: Explanation,
        *,
        offsets: bool = True,
        pointed: int | None = None,
        indexed: bool = True,
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """Print an explanation.

        ``pointed`` is the index of the row to point at, ``indexed`` whether the number of characters before
        the first row is known; the facts are added to the summary in JSON.
        """
        language, output = self.language, self.output
        if self.options.format == "json":
            for row in explanation:
                row_facts = row.as_dict(language.code)
                if not indexed:
                    row_facts["index"] = None
                if self.options.steps:
                    row_facts["steps"] = row.steps(language.code)
                output.json(row_facts)
            output.json({"summary": {**(facts or {}), **explanation.totals()}})
        elif self.options.steps:
            for at, row in enumerate(explanation):
                if at:
                    output.line()
                for line in steps.lines(row, language):
                    output.line(*line)
        else:
            lines = table.lines(explanation, language, columns=output.width, offsets=offsets, pointed=pointed)
            for line in lines:
                output.line(*line)
            if self.options.format != "quiet":
                output.line(table.summary(explanation, explanation.totals(), language))


class Window:
    """The characters around a byte of a file, about as many before it as after it.

    ``shown`` is their explanation, ``pointed`` the index of the row that contains the byte, ``location`` its
    location, if that is known, and ``length`` the length of the file in bytes, as far as it was read.
    """

    def __init__(self, offset: int, count: int) -> None:
        self.offset = offset
        self.count = count
        self.shown = Explanation(())
        self.pointed = 0
        self.location: LocationCounter | None = None
        self.length = 0

    def read(self, file: FileIO, advance: Callable[[int], None]) -> None:
        """Read the characters to show, with enough context on both sides that none is cut.

        Up to the maximum offset, everything before is read too, for line and column.
        """
        before = self.count // 2
        start = max(0, self.offset - (before + 2) * MAX_FORM_BYTES)
        location = LocationCounter()
        located = start <= MAX_LOCATED_OFFSET or not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        if located:
            read, rest = 0, b""
            for block in blocks_up_to(file, start):
                text = rest + block
                location.advance(text, cut := whole_length(text))
                rest = text[cut:]
                read += len(block)
                advance(len(block))
            start = read - len(rest)
        else:
            start, rest = file.seek(min(start, file.seek(0, os.SEEK_END))), b""
        length = self.offset - start - len(rest) + (self.count + 2) * MAX_FORM_BYTES
        data = rest + b"".join(map(bytes, blocks_up_to(file, length)))
        self.length = start + len(data)
        # The first bytes may belong to a character before them.
        skipped = 0 if located else leadbyte.ceil_boundary(data, 0)
        rows = [*rows_of_bytes(data[skipped:], start + skipped, location.char_offset)]
        at = next((at for at, row in enumerate(rows) if self.offset < row.end), len(rows))
        self.pointed = min(at, before)
        self.shown = Explanation(tuple(rows[at - self.pointed :][: self.count]))
        if located and self.length >= self.offset:
            location.advance(data, (rows[at].start if at < len(rows) else self.offset) - start)
            self.location = location


def blocks_up_to(file: FileIO, length: int) -> Iterator[memoryview]:
    """Read up to ``length`` bytes of a file; yield them in blocks that share one buffer."""
    memory = memoryview(bytearray(min(BLOCK, length)))
    while length and (read := fill(file, memory[:length])):
        yield memory[:read]
        length -= read


def explain(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if options.file is None and (options.byte is not None or options.count is not None):
        options.refuse("arguments --byte and --count: only allowed with a file")
    return Explain(options).run()
