"""Which files are binary: those whose text has a NUL near its start."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable

# The number of bytes that are searched.
BINARY_PREFIX = 8 << 10


def has_nul(prefix: bytes | bytearray) -> bool:
    """Return whether a file in UTF-8 with this prefix is considered binary."""
    return b"\0" in prefix


def is_binary_in(source: str | int, prefix: bytes, candidates: Iterable[str | int] | None = None) -> bool:
    """Return whether a file in an encoding, which may be detected, is considered binary.

    It is judged by its text, as UTF-16 has NULs.
    """
    from leadbyte import detect
    from leadbyte._encodings import DETECTION
    from leadbyte.transcode import transcode

    if source in DETECTION:
        return detect(prefix, encodings=candidates).encoding is None
    try:
        return has_nul(transcode(prefix, source, "utf-8", errors="replace"))
    except UnicodeError:
        # Some of Python's codecs raise errors whatever the handler is.
        return False
