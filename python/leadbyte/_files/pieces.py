"""Text that is read in pieces, each of which ends with a line."""

from __future__ import annotations

from leadbyte._files.reading import blocks
from leadbyte._line_buffer import LineBuffer

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO


def pieces(file: FileIO, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Yield a file in pieces that end with a line feed, except perhaps the last one.

    A piece is about a block, or a line that is longer. ``advance`` gets the number of bytes of each block.
    """
    lines = LineBuffer()
    for block in blocks(file, advance):
        if piece := lines.feed(block):
            yield piece
    if piece := lines.finish():
        yield piece
