"""Repair of a text that is read in blocks."""

from __future__ import annotations

from leadbyte._leadbyte import Scanner, _repair_chunk

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leadbyte._leadbyte import _Substitution

DEFAULT_SUBSTITUTION: _Substitution = "whatwg"
# The number of bytes before a block that make a difference to how its errors are replaced.
CONTEXT_BYTES = 4


def repaired_blocks(
    read: Callable[[memoryview], int],
    memory: memoryview,
    scanner: Scanner,
    *,
    replacement: str,
    substitution: _Substitution = DEFAULT_SUBSTITUTION,
) -> Iterator[bytes]:
    """Yield a text with each error replaced, and scan it.

    ``read`` fills a part of the memory, from its start, and returns the number of bytes; 0 at the end.
    """
    context, unfinished = b"", 0
    while True:
        length = read(memory[unfinished:])
        end = unfinished + length
        scanner.update(memory[unfinished:end])
        data = b"".join((context, memory[:end]))
        text, taken = _repair_chunk(data, len(context), replacement, substitution, not length)
        yield text
        if not length:
            return
        context = data[max(0, taken - CONTEXT_BYTES) : taken]
        # The bytes of a character that continues in the next block.
        unfinished = len(data) - taken
        memory[:unfinished] = data[taken:]
