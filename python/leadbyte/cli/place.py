"""Places in a text that is read piece by piece."""

from __future__ import annotations

import leadbyte

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer


class Place:
    """A line and column, from 1, and a character, from 0; columns count characters."""

    def __init__(self) -> None:
        self.line = self.column = 1
        self.char = 0

    def copy(self) -> Place:
        """Return the same place, to go on from by itself."""
        other = Place()
        other.line, other.column, other.char = self.line, self.column, self.char
        return other

    def advance(self, text: Buffer, offset: int) -> None:
        """Go on from the start of some text to a byte in it."""
        way = leadbyte.locate(text, offset)
        self.column = way.column if way.line > 1 else self.column + way.column - 1
        self.line += way.line - 1
        self.char += way.char
