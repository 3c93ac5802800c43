"""Offsets, lines and columns by counting byte by byte: the oracle of the tests of offset maps."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Literal, TypeAlias

import oracle

Unit: TypeAlias = Literal["byte", "char", "utf16"]
UNITS: tuple[Unit, ...] = ("byte", "char", "utf16")
CONTINUATIONS = range(0x80, 0xC0)


def weight(byte: int, unit: Unit) -> int:
    """Return the number of units that start with a byte."""
    if unit == "byte":
        return 1
    if byte in CONTINUATIONS:
        return 0
    return 2 if unit == "utf16" and byte >= 0xF0 else 1


WEIGHTS = {unit: bytes(weight(byte, unit) for byte in range(0x100)) for unit in UNITS}
LINE_ENDS = {"universal": re.compile(b"\r\n|[\r\n]"), "lf": re.compile(b"\n")}


class NaiveOffsets:
    """A text, its lines, and for each unit the numbers of them before each byte."""

    def __init__(self, data: bytes, newlines: str = "universal", *, is_text: bool = False) -> None:
        self.data = data
        # With one lead byte in the place of each error; of a str only surrogates are not UTF-8.
        self.chars = bytearray(data)
        for start, end, _ in () if is_text else oracle.spans(data):
            self.chars[start:end] = b"?".ljust(end - start, b"\x80")
        self.before = {unit: [*accumulate(self.chars.translate(WEIGHTS[unit]), initial=0)] for unit in UNITS}
        self.universal = newlines == "universal"
        # The start of each line, and its end without the line end.
        self.lines = []
        start = 0
        for line_end in LINE_ENDS[newlines].finditer(data):
            self.lines.append((start, line_end.start()))
            start = line_end.end()
        self.lines.append((start, len(data)))

    def count(self, unit: Unit) -> int:
        """Return the number of units."""
        return self.before[unit][-1]

    def floor(self, byte: int) -> int:
        """Return the start of the character that a byte belongs to."""
        while 0 < byte < len(self.data) and self.chars[byte] in CONTINUATIONS:
            byte -= 1
        return byte

    def byte(self, offset: int, unit: Unit) -> tuple[int, bool]:
        """Return the byte of an offset, rounded down, and whether it is inside a character."""
        if unit == "byte":
            return self.floor(offset), self.floor(offset) != offset
        if offset == 0:
            return 0, False
        byte = bisect_right(self.before[unit], offset) - 1
        return byte, self.before[unit][byte] != offset

    def convert(self, offset: int, source: Unit, target: Unit) -> int:
        """Return an offset in another unit."""
        return self.before[target][self.byte(offset, source)[0]]

    def position(self, offset: int, unit: Unit, column_unit: Unit) -> tuple[int, int]:
        """Return line and column."""
        byte = self.byte(offset, unit)[0]
        if self.universal and byte and self.data[byte - 1 : byte + 1] == b"\r\n":
            byte -= 1
        line = bisect_right(self.lines, (byte, len(self.data) + 1)) - 1
        before = self.before[column_unit]
        return line, before[byte] - before[self.lines[line][0]]

    def offset(self, line: int, column: int, unit: Unit, column_unit: Unit) -> int:
        """Return the offset of a line and a column."""
        (start, end), before = self.lines[line], self.before[column_unit]
        if start == column == 0:
            byte = 0
        elif column_unit == "byte":
            byte = self.floor(min(start + column, end))
        else:
            byte = min(bisect_right(before, before[start] + column) - 1, end)
        return self.before[unit][byte]

    def slice(self, start: int, end: int, unit: Unit) -> bytes:
        """Return the bytes between two offsets."""
        return self.data[self.byte(start, unit)[0] : self.byte(end, unit)[0]]
