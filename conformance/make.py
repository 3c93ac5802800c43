#!/usr/bin/env python3
"""Write vectors.jsonl: well-formed and malformed sequences of UTF-8, and what decoders make of them.

python conformance/make.py

README.md explains the file. Errors are those of CPython's decoder, texts those of plain decoders in Python;
run.py compares them with other programs.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/python/support"))

from oracle import errors  # noqa: E402
from strategies import BROKEN  # noqa: E402
from substitution import WAYS, continuations, replaced  # noqa: E402

Runs: TypeAlias = "list[tuple[bytes, int]]"

# First and second bytes on either side of each distinction of RFC 3629's table.
LEADS = bytes.fromhex("C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4")
SECONDS = bytes.fromhex("00 41 7F 80 8F 90 9F A0 BF C0 C2 E0 ED F0 F4 F5 FF")
TAILS = bytes.fromhex("41 80 BF C0")
# Lead bytes of sequences that are malformed as a whole, and the lengths in bytes that they announce: of five
# and six bytes in RFC 2279, of seven and eight by the same pattern.
ANNOUNCED = {
    0xC0: 2,
    0xC1: 2,
    0xE0: 3,
    0xED: 3,
    0xF0: 4,
    0xF4: 4,
    0xF5: 4,
    0xF7: 4,
    0xF8: 5,
    0xFB: 5,
    0xFC: 6,
    0xFD: 6,
    0xFE: 7,
    0xFF: 8,
}
# What follows such a sequence: nothing, a character, a lead byte, a continuation byte, a high surrogate.
FOLLOWING = [bytes.fromhex(digits) for digits in ("", "41", "C3 A9", "E2", "80", "ED A0 80")]
# Offsets on either side of the edges of vectors and blocks.
OFFSETS = [edge + more for edge in (16, 32, 64, 128, 256) for more in (-1, 0, 1)]
# Text around a sequence: ASCII, and characters of two, three and four bytes.
FILLERS = ["a", "é€😀"]
# Truncated sequences before a character.
CUT = [bytes.fromhex(digits) for digits in ("E2 82 41", "F0 9F 98 41")]
CHARS = "\0\x7f\x80߿ࠀ퟿\ue000\ufeff\uffff\U00010000\U0010ffff"


def sequences() -> Iterator[bytes]:
    """Give every byte alone and after a character, and sequences from boundary bytes, whole and truncated."""
    for byte in range(0x100):
        yield bytes([byte])
        yield bytes([byte, 0x41])
    for lead, second in itertools.product(LEADS, SECONDS):
        yield bytes([lead, second])
        for tail in TAILS:
            yield bytes([lead, second, tail])
            if lead >= 0xF0:
                yield from (bytes([lead, second, tail, last]) for last in TAILS)
    yield from (*BROKEN, *CUT)
    yield from (char.encode() for char in CHARS)
    for (lead, length), second in itertools.product(ANNOUNCED.items(), bytes.fromhex("80 90 A0 BF")):
        for present, following in itertools.product(range(2, length + 1), FOLLOWING):
            yield bytes([lead, second, *[0x80] * (present - 2)]) + following


def class_of(data: bytes) -> str:
    """Return the class of a sequence: of what is malformed in it, if that is of one class."""
    found, at = set(), 0
    while at < len(data):
        lead = data[at]
        announced = 8 - (0xFF - lead).bit_length() or 1
        length = 1 + continuations(data, at + 1, max(0, announced - 1))
        found.add(class_of_sequence(data[at : at + length], announced))
        at += length
    found.discard("valid")
    return next(iter(found), "valid") if len(found) < 2 else "mixed"


def class_of_sequence(sequence: bytes, announced: int) -> str:
    """Return the class of a lead byte with the continuation bytes that it announces, or of another byte."""
    lead, length = sequence[0], len(sequence)
    for is_of_class, name in (
        (0x80 <= lead <= 0xBF, "unexpected continuation"),
        (lead >= 0xFE, "FE or FF"),
        (length < announced, "truncated"),
        (announced > 4, "five or six bytes"),
    ):
        if is_of_class:
            return name
    value = lead & (0x7F >> announced) if announced > 1 else lead
    for byte in sequence[1:]:
        value = value << 6 | byte & 0x3F
    if value < (0, 0, 0x80, 0x800, 0x10000)[announced]:
        return "overlong"
    if 0xD800 <= value <= 0xDFFF:
        return "surrogate"
    return "above U+10FFFF" if value > 0x10FFFF else "valid"


def run(filler: str, length: int) -> Runs:
    """Return this number of bytes of a filler, with ASCII first where its characters do not fit."""
    count, rest = divmod(length, len(filler.encode()))
    return [(piece, times) for piece, times in ((b"a", rest), (filler.encode(), count)) if times]


def line(before: Runs, data: bytes, after: Runs) -> str:
    """Return the line of one sequence."""
    ends = [b"".join(piece * times for piece, times in runs) for runs in (before, after)]
    whole = ends[0] + data + ends[1]
    found = errors(whole)
    text = whole.decode("utf-8", "replace")
    texts = {way: replaced(whole, way) for way in WAYS}
    assert texts.pop("whatwg") == text
    different: dict[str, str] = {way: other for way, other in texts.items() if other != text}
    fields: dict[str, object] = {
        "before": [[piece.hex(), times] for piece, times in before],
        "bytes": data.hex(),
        "after": [[piece.hex(), times] for piece, times in after],
        "class": class_of(data),
        "valid": not found,
        "errors": [[error.start, error.end, error.kind, error.reason] for error in found],
        **{
            name: each.removeprefix(ends[0].decode()).removesuffix(ends[1].decode())
            for name, each in [("text", text), *different.items()]
        },
    }
    return json.dumps({name: value for name, value in fields.items() if value != []}, separators=(",", ":"))


def lines() -> Iterator[str]:
    """Give all lines: sequences alone, then some of them at the edges of vectors and blocks."""
    for data in dict.fromkeys(sequences()):
        yield line([], data, [])
    at_edges = [*BROKEN, *(char.encode() for char in CHARS)]
    for data, offset, filler in itertools.product(at_edges, OFFSETS, FILLERS):
        # The data ends or continues, alternating.
        after = run(filler, 66) if (offset + len(filler)) % 2 else []
        yield line(run(filler, offset), data, after)


if __name__ == "__main__":
    (HERE / "vectors.jsonl").write_text("".join(f"{each}\n" for each in lines()), "ascii")
