#!/usr/bin/env python3
"""Write conformance.jsonl: malformed and well-formed sequences, and what CPython's decoder finds in them.

python tests/vectors/make_conformance.py

Each line is an object. The data is ``before``, ``bytes`` and ``after``; ``before`` and ``after`` are lists of
pairs [hex, count]. ``valid`` and ``errors`` are those of the whole data. Each error is a maximal subpart:
[start, end, kind, reason]. ``text`` is what ``bytes`` becomes where U+FFFD replaces each error.
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
sys.path.insert(0, str(HERE.parent / "python"))

from oracle import errors  # noqa: E402
from strategies import BROKEN  # noqa: E402

Runs: TypeAlias = "list[tuple[bytes, int]]"

# First and second bytes on either side of each distinction of RFC 3629's table.
LEADS = bytes.fromhex("C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4")
SECONDS = bytes.fromhex("00 41 7F 80 8F 90 9F A0 BF C0 C2 E0 ED F0 F4 F5 FF")
TAILS = bytes.fromhex("41 80 BF C0")
# Offsets on either side of the edges of vectors and blocks.
OFFSETS = [edge + more for edge in (16, 32, 64, 128, 256) for more in (-1, 0, 1)]
# Text around a sequence: ASCII, and characters of two, three and four bytes.
FILLERS = ["a", "é€😀"]
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
    yield from BROKEN
    yield from (char.encode() for char in CHARS)


def run(filler: str, length: int) -> Runs:
    """Return so many bytes of a filler, with ASCII first where its characters do not fit."""
    count, rest = divmod(length, len(filler.encode()))
    return [(piece, times) for piece, times in ((b"a", rest), (filler.encode(), count)) if times]


def line(before: Runs, data: bytes, after: Runs) -> str:
    """Return the line of one sequence."""
    ends = [b"".join(piece * times for piece, times in runs) for runs in (before, after)]
    whole = ends[0] + data + ends[1]
    found = errors(whole)
    text = whole.decode("utf-8", "replace")
    text = text.removeprefix(ends[0].decode()).removesuffix(ends[1].decode())
    fields = {
        "before": [[piece.hex(), times] for piece, times in before],
        "bytes": data.hex(),
        "after": [[piece.hex(), times] for piece, times in after],
        "valid": not found,
        "errors": [[error.start, error.end, error.kind, error.reason] for error in found],
        "text": text,
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
    (HERE / "conformance.jsonl").write_text("".join(f"{each}\n" for each in lines()), "ascii")
