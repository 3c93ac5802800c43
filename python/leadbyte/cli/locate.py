"""``leadbyte locate``: convert between offsets and line and column."""

from __future__ import annotations

import sys

import leadbyte
from leadbyte._files.location import LocationCounter
from leadbyte._files.reading import BLOCK, fill
from leadbyte._messages import number, printable
from leadbyte._split import whole_length
from leadbyte.cli.files import open_file, total_size, without_secrets
from leadbyte.cli.output import ERROR, VALID, Output

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from io import FileIO
    from typing import Literal


def char_count(data: memoryview) -> int:
    """Return the number of characters, each error counted as one."""
    return leadbyte.locate(data, len(data)).char_offset


COUNTS: dict[str, Callable[[memoryview], int]] = {
    "byte": len,
    "char": char_count,
    "utf16": lambda data: leadbyte.OffsetMap(data, newlines="lf").utf16_count,
}
NAMES = {"byte": "byte", "char": "char", "utf16": "UTF-16 code unit"}


class NotFoundError(Exception):
    """The file has no such offset, line or column."""


class OffsetTarget:
    """An offset in bytes, characters or UTF-16 code units."""

    def __init__(self, offset: int, unit: Literal["byte", "char", "utf16"]) -> None:
        self.offset = self.left = offset
        self.unit = unit

    def find(self, block: memoryview, _before: LocationCounter, *, last: bool) -> int | None:
        """Return the offset in bytes in a block, or None if it is in a later one.

        Raises NotFoundError if there is no later one.
        """
        length = COUNTS[self.unit](block)
        if self.left < length or (last and self.left == length):
            return leadbyte.locate(block, self.left, unit=self.unit).byte_offset
        if last:
            name = NAMES[self.unit]
            end = number(self.offset - self.left + length, name)
            message = f"{name} {self.offset} is beyond the end, at {end}"
            raise NotFoundError(message)
        return None

    def skip(self, data: memoryview) -> None:
        """Skip the data before the next block."""
        self.left -= COUNTS[self.unit](data)


class LineTarget:
    """A line and a column in characters, both from 1."""

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column

    def find(self, block: memoryview, before: LocationCounter, *, last: bool) -> int | None:
        """Return the offset in bytes in a block after a location, or None if it is in a later one.

        Raises NotFoundError if there is no later one, or the line ends before the column.
        """
        newlines = self.line - before.line
        if newlines > (found := leadbyte.count_newlines(block)):
            if last:
                message = f"line {self.line} is beyond the end, in line {before.line + found}"
                raise NotFoundError(message)
            return None
        start = offset_after_newline(block, newlines) if newlines else 0
        first_column = 1 if newlines else before.column
        ended = found > newlines
        end = offset_after_newline(block, newlines + 1) - 1 if ended else len(block)
        columns = char_count(block[start:end])
        if self.column < first_column + columns:
            return (
                start + leadbyte.locate(block[start:end], self.column - first_column, unit="char").byte_offset
            )
        if not (ended or last):
            return None
        if self.column == first_column + columns:
            return end
        message = (
            f"column {self.column} is beyond the end of line {self.line}, at column {first_column + columns}"
        )
        raise NotFoundError(message)

    def skip(self, data: memoryview) -> None:
        """Skip the data before the next block: its location is all that is needed."""


def offset_after_newline(block: memoryview, newline: int) -> int:
    """Return the offset in bytes after the line feed of this number, from 1."""
    start, end = 0, len(block)
    while end - start > 1:
        middle = (start + end) // 2
        first_half = leadbyte.count_newlines(block[start:middle])
        if newline <= first_half:
            end = middle
        else:
            newline -= first_half
            start = middle
    return end


class Locate:
    """One run of the command: reads a file block by block up to an offset, or a line and column."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.location = LocationCounter()

    def run(self) -> int:
        """Print the location; return the exit code."""
        path, asked = self.options.path, self.options.byte
        progress = self.output.progress
        progress.total = total_size([path]) if asked is None else asked
        message = ""
        try:
            with open_file(path, named=True) as file:
                offset = self.find(file)
        except OSError as error:
            message = str(error.strerror or error)
        except NotFoundError as error:
            message = str(error)
        finally:
            progress.finish()
        path = without_secrets(path)
        if message:
            self.output.report_failure(path, message, as_json=self.options.format == "json")
            return ERROR
        location = self.location
        if self.options.format == "json":
            self.output.json({"path": path, **vars(location), "byte_offset": offset})
        else:
            prefix = f"{printable(path)}:{location.line}:{location.column}:"
            offsets = f"byte {offset}, char {location.char_offset}, UTF-16 column {location.utf16_column}"
            self.output.line((prefix, "bold"), f" {offsets}")
        return VALID

    def find(self, file: FileIO) -> int:
        """Advance the location to the target in a file; return its offset in bytes.

        Raises NotFoundError if the file does not have it.
        """
        target = self.target()
        memory = memoryview(bytearray(BLOCK))
        start = kept = 0
        while True:
            length = fill(file, memory[kept:])
            self.output.progress.advance(byte_count=length)
            block = memory[: kept + length]
            last = len(block) < BLOCK
            # A character that may be incomplete is kept for the next block.
            cut = len(block) if last else whole_length(block)
            whole = block[:cut]
            found = target.find(whole, self.location, last=last)
            if found is not None:
                self.location.advance(whole, found)
                return start + found
            target.skip(whole)
            self.location.advance(whole, len(whole))
            start += len(whole)
            kept = len(block) - cut
            memory[:kept] = block[cut:]

    def target(self) -> OffsetTarget | LineTarget:
        """Return what the options ask for."""
        options = self.options
        if options.line is not None:
            return LineTarget(options.line, options.column or 1)
        if options.char is not None:
            return OffsetTarget(options.char, "char")
        if options.utf16 is not None:
            return OffsetTarget(options.utf16, "utf16")
        return OffsetTarget(options.byte, "byte")


def locate(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if options.column is not None and options.line is None:
        options.refuse("argument --column: only allowed with argument --line")
    return Locate(options).run()
