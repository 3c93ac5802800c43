"""Functions that take the text of an output."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from typing import BinaryIO, TypeAlias

    from typing_extensions import Buffer

    _Write: TypeAlias = Callable[[Buffer], object]


def discard(_: Buffer) -> None:
    """Discard text."""


def write_whole(out: FileIO | BinaryIO, text: Buffer) -> None:
    """Write all of a text at once."""
    rest = memoryview(text)
    while rest:
        written = out.write(rest)
        if written is None:
            # The descriptor is non-blocking, and its reader is behind.
            import select

            select.select([], [out], [])
        else:
            rest = rest[written:]
