"""Byte order marks."""

from __future__ import annotations

# UTF-32-LE comes first, as its byte order mark begins with the one of UTF-16-LE.
BOMS = {
    encoding: "\ufeff".encode(encoding)
    for encoding in ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
}
UTF16_BOMS = (BOMS["utf-16-le"], BOMS["utf-16-be"])
# The length of the longest one.
MAX_BOM_BYTES = max(map(len, BOMS.values()))


def is_wide(encoding: str) -> bool:
    """Return whether the code units of an encoding, by its name, have several bytes."""
    return encoding.startswith(("utf-16", "utf-32"))


def find_bom(data: bytes) -> tuple[str, int] | None:
    """Return the encoding of the byte order mark that data begins with, and its length in bytes, or None."""
    for encoding, bom in BOMS.items():
        if data.startswith(bom):
            return encoding, len(bom)
    return None
