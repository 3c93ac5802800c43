"""Locations in a text that is read in chunks."""

from __future__ import annotations

import leadbyte

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer


class LocationCounter:
    """Counts lines and columns, from 1, and characters, from 0, as leadbyte.Location does."""

    def __init__(self) -> None:
        self.line = self.column = self.utf16_column = 1
        self.char_offset = 0

    def copy(self) -> LocationCounter:
        """Return an independent copy."""
        other = LocationCounter()
        vars(other).update(vars(self))
        return other

    def advance(self, text: Buffer, offset: int) -> None:
        """Advance from the start of a chunk to the byte at an offset in it."""
        end = leadbyte.locate(text, offset)
        if end.line > 1:
            self.column = self.utf16_column = 1
        self.line += end.line - 1
        self.column += end.column - 1
        self.utf16_column += end.utf16_column - 1
        self.char_offset += end.char_offset

    def advance_over(self, text: bytes) -> None:
        """Advance over UTF-8 in which each lead byte is a character, also of an encoded surrogate."""
        last_line = text
        if lines := leadbyte.count_newlines(text):
            self.line += lines
            self.column = self.utf16_column = 1
            last_line = text[text.rindex(b"\n") + 1 :]
        self.column += leadbyte.count_chars(last_line)
        self.utf16_column += leadbyte.count_utf16(last_line)
        self.char_offset += leadbyte.count_chars(text)
