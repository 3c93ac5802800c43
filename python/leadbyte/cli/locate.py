"""``leadbyte locate``: the line, column and character of a byte."""

from __future__ import annotations

import sys

from leadbyte.cli.files import BLOCK, fill, open_file
from leadbyte.cli.output import TROUBLE, VALID, Output, number, printable
from leadbyte.cli.place import Place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

# A character begins at most so many bytes before any of its bytes, and ends so many after it.
REACH = 3


class Locating:
    """One run of the command: comes to a byte of a file block by block."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.place = Place()

    def run(self) -> int:
        """Print where the byte stands; return the exit code."""
        path, offset = self.options.path, self.options.byte
        progress = self.output.progress
        progress.total = offset
        try:
            with open_file(path, named=True) as file:
                length = self.find(file, offset)
        except OSError as error:
            message = str(error.strerror or error)
        else:
            message = (
                f"byte {offset} is beyond the end, at {number(length, 'byte')}" if length < offset else ""
            )
        finally:
            progress.finish()
        if message:
            self.output.warn(f"{printable(path)}: {message}")
            return TROUBLE
        if self.options.format == "json":
            self.output.json({"path": path, **vars(self.place), "byte_offset": offset})
        else:
            where = f"{printable(path)}:{self.place.line}:{self.place.column}:"
            self.output.line((where, "bold"), f" byte {offset}, char {self.place.char}")
        return VALID

    def find(self, file: FileIO, offset: int) -> int:
        """Come to a byte of a file; return the length of what was read."""
        memory = memoryview(bytearray(BLOCK))
        start = kept = 0
        while True:
            length = fill(file, memory[kept:])
            self.output.progress.advance(byte_count=length)
            end = kept + length
            if offset + REACH < start + end or end < BLOCK:
                break
            # What may belong to the character is looked at again, with what follows.
            kept = 2 * REACH
            self.place.advance(memory[: end - kept], end - kept)
            start += end - kept
            memory[:kept] = memory[end - kept : end]
        if offset <= start + end:
            self.place.advance(memory[:end], offset - start)
        return start + end


def locate(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Locating(options).run()
