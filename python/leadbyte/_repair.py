"""Repair of a text that is read in blocks."""

from __future__ import annotations

from leadbyte._leadbyte import Scanner, _repair_prefix

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def repaired_blocks(
    read: Callable[[memoryview], int], memory: memoryview, scanner: Scanner, *, replacement: str
) -> Iterator[bytes]:
    """Yield a text with each error replaced, and scan it.

    ``read`` fills a part of the memory, from its start, and returns the number of bytes; 0 at the end.
    """
    unfinished = 0
    while True:
        length = read(memory[unfinished:])
        end = unfinished + length
        scanner.update(memory[unfinished:end])
        text, taken = _repair_prefix(memory[:end], replacement, not length)
        yield text
        if not length:
            return
        # The bytes of a character that continues in the next block.
        unfinished = end - taken
        memory[:unfinished] = memory[taken:end]
