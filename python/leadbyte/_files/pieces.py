"""Text that is read in pieces, each of which ends with a line."""

from __future__ import annotations

from leadbyte._files.reading import BLOCK, read_some

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO


def pieces(file: FileIO, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Yield a file in pieces that end with a line feed, except perhaps the last one.

    A piece is about a block, or a line that is longer. ``advance`` gets the number of bytes of each block.
    """
    memory = memoryview(bytearray(BLOCK))
    # The line that is not complete, in blocks, of which there may be many: joined once.
    held: list[bytes] = []
    while length := read_some(file, memory):
        advance(length)
        block = bytes(memory[:length])
        if end := block.rfind(b"\n") + 1:
            yield b"".join([*held, block[:end]])
            held = [block[end:]] if end < length else []
        else:
            held.append(block)
    if held:
        yield b"".join(held)
