"""The bits of bytes, most significant first, with marker bits and payload bits separated."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

# A line of text in parts, plain or with a style of rich's.
Line: TypeAlias = list[str | tuple[str, str]]
Bits: TypeAlias = tuple[tuple[str, str], ...]

MARKER = "bold magenta"


def split_bits(octets: bytes) -> Bits:
    """Return the marker bits of each byte, up to its first zero, and its payload bits."""
    digits = [f"{octet:08b}" for octet in octets]
    # Only FF has no zero: it has marker bits only.
    ends = [octet.find("0") + 1 or 8 for octet in digits]
    return tuple((octet[:end], octet[end:]) for octet, end in zip(digits, ends, strict=True))


def joined(bits: Bits) -> str:
    """Return bits as text: ``110|00010 10|100010``."""
    return " ".join(f"{marker}|{payload}" for marker, payload in bits)


def coloured(bits: Iterable[tuple[str, str]]) -> Line:
    """Return bits as a line, with the marker bits in colour."""
    line: Line = []
    for marker, payload in bits:
        line += [" "] * bool(line) + [(marker, MARKER), f"|{payload}"]
    return line


def plain(line: Line) -> str:
    """Return a line without styles."""
    return "".join(part if isinstance(part, str) else part[0] for part in line)


def value(bits: Bits) -> int:
    """Return the value of the payload bits."""
    return int("".join(payload for _, payload in bits), 2)


def hexadecimal(octets: bytes) -> str:
    """Return bytes in capital hexadecimal digits: ``C2 A2``."""
    return octets.hex(" ").upper()
