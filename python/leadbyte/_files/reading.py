"""Reading of files into memory."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterator

# The number of bytes read at once: they stay in the second-level cache until they are scanned.
BLOCK = 512 << 10


def fill(file: io.RawIOBase, memory: memoryview) -> int:
    """Read until memory is full or the file ends; return the number of bytes read."""
    length = 0
    while length < len(memory) and (read := read_some(file, memory[length:])):
        length += read
    return length


def read_some(file: io.RawIOBase, memory: memoryview) -> int:
    """Read the available bytes, at least one unless the file ends; return the number of bytes read."""
    while (read := file.readinto(memory)) is None:
        # The descriptor is non-blocking, and no data is available yet.
        import select

        select.select([file], [], [])
    return read


def blocks(file: io.RawIOBase, advance: Callable[[int], None]) -> Iterator[memoryview]:
    """Yield a file in blocks that share one buffer; before each ``advance`` gets its number of bytes."""
    memory = memoryview(bytearray(BLOCK))
    while length := read_some(file, memory):
        advance(length)
        yield memory[:length]


def read_whole(file: io.FileIO) -> bytearray:
    """Read a file to its end.

    Memory for all of a regular file is allocated first, so that one that is too long is refused at once. What
    has no length is read in blocks, between which Ctrl-C is noticed: it may have no end.
    """
    data = bytearray(os.fstat(file.fileno()).st_size)
    with memoryview(data) as memory:
        length = fill(file, memory)
    del data[length:]
    block = memoryview(bytearray(BLOCK))
    while length := fill(file, block):
        data += block[:length]
    return data
