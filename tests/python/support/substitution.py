"""Plain decoders that replace malformed UTF-8 as other programs do, each one sequence after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from leadbyte._leadbyte import _Substitution as Substitution


def char_length(data: bytes, at: int) -> int:
    """Return the length in bytes of the character that starts at an offset; 0 if none does."""
    for end in range(at + 1, min(at + 4, len(data)) + 1):
        try:
            data[at:end].decode()
        except UnicodeDecodeError:
            continue
        return end - at
    return 0


def continuations(data: bytes, at: int, most: int) -> int:
    """Return the number of continuation bytes from an offset on, up to a maximum."""
    found = 0
    while found < most and at + found < len(data) and 0x80 <= data[at + found] <= 0xBF:
        found += 1
    return found


def maximal_subpart(data: bytes, at: int) -> int:
    """Return the length of the maximal subpart at an offset: the Unicode Standard, table 3-7."""
    lead = data[at]
    second = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
    missing = 1 if 0xC2 <= lead <= 0xDF else 2 if 0xE0 <= lead <= 0xEF else 3 if 0xF0 <= lead <= 0xF4 else 0
    least, most = second.get(lead, (0x80, 0xBF))
    if missing and at + 1 < len(data) and least <= data[at + 1] <= most:
        return 2 + continuations(data, at + 2, missing - 1)
    return 1


def java(data: bytes, at: int) -> int:
    """Return the length of what Java replaces: a maximal subpart, or a surrogate, complete or not."""
    if data[at] == 0xED and at + 1 < len(data) and 0xA0 <= data[at + 1] <= 0xBF:
        return 2 + continuations(data, at + 2, 1)
    return maximal_subpart(data, at)


def okio(data: bytes, at: int) -> int:
    """Return the length of what Okio replaces: a lead byte with the continuation bytes that it announces."""
    lead = data[at]
    announced = 1 if 0xC0 <= lead <= 0xDF else 2 if 0xE0 <= lead <= 0xEF else 3 if 0xF0 <= lead <= 0xF7 else 0
    return 1 + continuations(data, at + 1, announced)


def go(data: bytes, at: int) -> int:  # noqa: ARG001
    """Return 1, the length of what Go replaces."""
    return 1


def go_runs(data: bytes, at: int) -> int:
    """Return the length of all that is malformed."""
    end = at
    while end < len(data) and not char_length(data, end):
        end += 1
    return end - at


WAYS: Mapping[Substitution, Callable[[bytes, int], int]] = {
    "whatwg": maximal_subpart,
    "java": java,
    "okio": okio,
    "go": go,
    "go-runs": go_runs,
}


def replaced(data: bytes, way: Substitution, replacement: str = "\ufffd") -> str:
    """Return the text of data with malformed bytes replaced."""
    text, at = [], 0
    while at < len(data):
        length = char_length(data, at)
        text.append(data[at : at + length].decode() if length else replacement)
        at += length or WAYS[way](data, at)
    return "".join(text)
