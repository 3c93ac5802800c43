"""Which files are binary: those with a NUL near their start, which text does not contain."""

from __future__ import annotations

# The number of bytes that are searched.
BINARY_PREFIX = 8 << 10


def has_nul(prefix: bytes | bytearray) -> bool:
    """Return whether a file with this prefix is considered binary."""
    return b"\0" in prefix
