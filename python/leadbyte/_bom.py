"""Byte order marks."""

from __future__ import annotations

# That of UTF-32-LE begins with that of UTF-16-LE.
MARKS = {
    encoding: "\ufeff".encode(encoding)
    for encoding in ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
}


def find_bom(data: bytes) -> tuple[str, int] | None:
    """Return the encoding whose byte order mark data begin with, and the mark's length in bytes."""
    for encoding, mark in MARKS.items():
        if data.startswith(mark):
            return encoding, len(mark)
    return None
