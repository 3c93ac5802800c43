"""``leadbyte locate``: print the line, column and character of a byte offset."""

from __future__ import annotations

import sys

from leadbyte.cli.files import BLOCK, fill, open_file
from leadbyte.cli.location import LocationCounter
from leadbyte.cli.output import ERROR, VALID, Output, number, printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

# The maximum distance in bytes from a byte of a character to its first or last byte.
MAX_REACH_BYTES = 3


class Locate:
    """One run of the command: reads a file block by block up to a byte."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.location = LocationCounter()

    def run(self) -> int:
        """Print the location of the byte; return the exit code."""
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
            return ERROR
        if self.options.format == "json":
            self.output.json({"path": path, **vars(self.location), "byte_offset": offset})
        else:
            prefix = f"{printable(path)}:{self.location.line}:{self.location.column}:"
            self.output.line((prefix, "bold"), f" byte {offset}, char {self.location.char}")
        return VALID

    def find(self, file: FileIO, offset: int) -> int:
        """Advance the location to a byte of a file; return the number of bytes read."""
        memory = memoryview(bytearray(BLOCK))
        start = kept = 0
        while True:
            length = fill(file, memory[kept:])
            self.output.progress.advance(byte_count=length)
            end = kept + length
            if offset + MAX_REACH_BYTES < start + end or end < BLOCK:
                break
            # The bytes that may belong to the character are kept and read again with the next block.
            kept = 2 * MAX_REACH_BYTES
            self.location.advance(memory[: end - kept], end - kept)
            start += end - kept
            memory[:kept] = memory[end - kept : end]
        if offset <= start + end:
            self.location.advance(memory[:end], offset - start)
        return start + end


def locate(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Locate(options).run()
