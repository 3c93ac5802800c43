#!/usr/bin/env python3
"""decode and repair of data with errors, at every density, beside CPython's own; by each instruction set.

python benches/errors.py [--texts DIR] [--peers LIBRARY] [--record]
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import statistics
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import leadbyte
import texts
from harness import (
    ROUNDS,
    Target,
    argument_parser,
    in_turns,
    let_memory_be_used_again,
    print_outcomes,
    print_table,
    summaries,
    timed,
    write_record,
)

from transcode import Library

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Row = dict[str, object]

SIZE = 256 << 10
BUDGET = 0.05  # seconds for the turns of both contestants, after the fewest rounds
# Bytes from one error to the next.
DISTANCES = (2, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
DENSE = 30  # up to this distance errors are dense
# What takes the place of a byte.
WRONG_BYTES = (0xFF, 0x80, 0xE2, 0xF0, 0x41)
PATTERNS = {
    "FF": b"\xff",
    "80": b"\x80",
    "C0": b"\xc0",
    "E2 82": b"\xe2\x82",
    "F0 9F": b"\xf0\x9f",
    "ED A0 80": b"\xed\xa0\x80",
}
LEGACY = {"koi8-r": "russian", "cp1251": "russian", "latin-1": "french"}
CALLS = {
    "replace": ("decode(piece, errors='replace')", "piece.decode(errors='replace')"),
    "ignore": ("decode(piece, errors='ignore')", "piece.decode(errors='ignore')"),
    "surrogateescape": (
        "decode(piece, errors='surrogateescape')",
        "piece.decode(errors='surrogateescape')",
    ),
    "backslashreplace": (
        "decode(piece, errors='backslashreplace')",
        "piece.decode(errors='backslashreplace')",
    ),
    "repair": ("repair(piece)", "piece.decode(errors='replace').encode()"),
}
BESIDE_CPYTHON = {"avx512": (8, 4), "avx2": (4, 2.5), "sse42": (1, 1), "neon": (1, 1), "scalar": (1, 1)}
SPEEDS = {"avx512": 4, "avx2": 2, "sse42": 1}  # GB/s
CLEAN_SHARE = 0.4  # of the speed of valid text, where errors are sparse


def damaged(text: bytes, distance: int, source: random.Random) -> bytes:
    """Return the text with a wrong byte about every ``distance`` bytes."""
    data = bytearray(text)
    at = source.randrange(distance)
    while at < len(data):
        data[at] = source.choice(WRONG_BYTES)
        at += source.randint(1, 2 * distance - 1)
    return bytes(data)


def long(text: bytes, size: int = SIZE) -> bytes:
    """Return a text over and over."""
    return bytes(itertools.islice(itertools.cycle(text), size))


def pieces(corpora: Mapping[str, bytes]) -> Iterator[tuple[str, int, bytes]]:
    """Yield data with errors, its name, and the distance of the errors; 0 if they are dense."""
    source = random.Random("errors")
    yield "random", 0, source.randbytes(SIZE)
    for name, pattern in PATTERNS.items():
        yield name, 0, long(pattern)
    for encoding, text in LEGACY.items():
        yield encoding, 0, long(corpora[text].decode().encode(encoding, "ignore"))
    for name in ("russian", "english", "emoji"):
        for distance in DISTANCES:
            yield f"{name}/{distance}", distance, damaged(long(corpora[name]), distance, source)


def measure(corpora: Mapping[str, bytes], library: str | None) -> list[Row]:
    """Measure the implementation of this process."""
    let_memory_be_used_again()
    isa = leadbyte.cpu_info()["functions"]["decode"]
    names: dict[str, Any] = {"decode": leadbyte.decode, "repair": leadbyte.repair}
    rows: list[Row] = []

    def add(function: str, text: str, distance: int, data: bytes) -> None:
        pool = [data, bytes(bytearray(data))]
        ours, theirs = CALLS[function]
        results = [eval(call, {**names, "piece": data}) for call in (ours, theirs)]  # noqa: S307, RUF100
        assert results[0] == results[1], f"{ours} of {text} is wrong"
        calls = {"leadbyte": ours, "CPython": theirs}
        turns = {
            name: timed(f"for piece in pool: {call}", {**names, "pool": pool}) for name, call in calls.items()
        }
        peers = Library(library).peers("utf-8", "utf-16-le") if not distance and text == "valid" else {}
        turns |= {name: peer.turn(pool) for name, peer in peers.items()}
        taken = in_turns(turns, rounds=ROUNDS, budget=BUDGET)
        speeds = {name: sum(map(len, pool)) / times.best / 1e9 for name, times in taken.items()}
        rows.append(
            {
                "isa": isa,
                "function": function,
                "text": text,
                "distance": distance,
                "leadbyte_gb_s": f"{speeds['leadbyte']:.3f}",
                "cpython_gb_s": f"{speeds['CPython']:.3f}",
                "ratio": f"{speeds['leadbyte'] / speeds['CPython']:.2f}",
                "simdutf_gb_s": f"{max(speeds[name] for name in peers):.3f}" if peers else "",
            }
        )

    add("replace", "valid", 0, long(corpora["russian"])[: SIZE - 1].decode(errors="ignore").encode())
    for text, distance, data in pieces(corpora):
        for function in CALLS:
            add(function, text, distance, data)
    return rows


def measured_by(isa: str, corpora: Mapping[str, bytes], library: str | None) -> list[Row]:
    """Measure an implementation, in a process of its own, as it is chosen at import."""
    chosen = patch.dict(os.environ, LEADBYTE_ISA=isa)
    with chosen, multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (corpora, library))


def judged(rows: list[Row]) -> dict[str, str]:
    """Return the result for each target."""
    found: dict[Target, dict[str, float]] = {}
    for isa in dict.fromkeys(str(row["isa"]) for row in rows):
        of_isa = {str(row["text"]): row for row in rows if (row["isa"], row["function"]) == (isa, "replace")}
        valid = float(str(of_isa.pop("valid")["leadbyte_gb_s"]))
        named = [name for name in of_isa if not name.startswith(("english", "emoji"))]
        dense = [name for name in named if int(str(of_isa[name]["distance"])) <= DENSE]
        ratios = {name: float(str(of_isa[name]["ratio"])) for name in dense}
        speeds = {name: float(str(of_isa[name]["leadbyte_gb_s"])) for name in named}
        mean, least = BESIDE_CPYTHON[isa]
        found[Target(f"{isa}: replace / CPython, dense errors, geometric mean", mean, at_least=True)] = {
            "all": statistics.geometric_mean(ratios.values())
        }
        found[Target(f"{isa}: replace / CPython, dense errors, each", least, at_least=True)] = ratios
        if isa in SPEEDS:
            found[Target(f"{isa}: replace, GB/s, dense errors, each", SPEEDS[isa], at_least=True)] = {
                name: speeds[name] for name in dense
            }
        found[Target(f"{isa}: replace / valid text, sparse errors", CLEAN_SHARE, at_least=True)] = {
            name: speeds[name] / valid for name in named if name not in dense
        }
    return summaries(found)


def main() -> None:
    """Measure all implementations and print the tables."""
    parser = argument_parser(__doc__)
    parser.add_argument("--peers", default=os.environ.get("LEADBYTE_PEERS"), metavar="LIBRARY")
    arguments = parser.parse_args()
    corpora = texts.load(arguments.texts)
    rows: list[Row] = []
    for isa in reversed(leadbyte.cpu_info()["implementations"]):
        of_isa = measured_by(isa, corpora, arguments.peers)
        rows += of_isa
        table: dict[str, dict[str, str]] = {}
        for row in of_isa:
            cell = f"{float(str(row['leadbyte_gb_s'])):.2f} ({float(str(row['ratio'])):.1f})"
            table.setdefault(str(row["text"]), {"text": str(row["text"])})[str(row["function"])] = cell
        print_table(f"{isa}: GB/s of 256 KiB, in brackets the speedup over CPython", list(table.values()))
    outcomes = judged(rows)
    print_outcomes(outcomes)
    if arguments.record:
        versions = [f"leadbyte {leadbyte.__version__}", Library(arguments.peers).versions()]
        facts = {"versions": ", ".join(filter(None, versions)), "isa": str(rows[0]["isa"])}
        write_record("errors", {**facts, **outcomes}, rows)


if __name__ == "__main__":
    main()
