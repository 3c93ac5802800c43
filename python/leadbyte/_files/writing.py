"""Functions that take the text of an output, and the permissions of new files."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from typing import BinaryIO, TypeAlias

    from typing_extensions import Buffer

    _Write: TypeAlias = Callable[[Buffer], object]

# The permissions of a new file, but for those that the process takes from all its files.
NEW_MODE = 0o666
# The same, of one that may have what others must not read.
PRIVATE_MODE = 0o600


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
