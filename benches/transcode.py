#!/usr/bin/env python3
"""transcode beside CPython, simdutf and encoding_rs, bytes to bytes, interleaved in one process.

python benches/transcode.py [--texts DIR] [--peers LIBRARY] [--only WORD]... [--record]
"""

from __future__ import annotations

import ctypes
import os
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import leadbyte
import texts
from harness import (
    BUDGET,
    ROUNDS,
    Target,
    Times,
    argument_parser,
    in_turns,
    let_memory_be_used_again,
    parse_selection,
    print_outcomes,
    print_table,
    summaries,
    timed,
    walks_a_turn,
    write_record,
)
from leadbyte.transcode import transcode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Row = dict[str, object]

SIZES = {"64KiB": 64 << 10, "4MiB": 4 << 20, "whole": 0}
IN_CACHE = ("64KiB", "whole")  # where the targets hold
MEANT = ("french", "russian", "chinese", "hindi", "emoji")  # whose means are judged
PAGES = {
    "windows-1252": "french",
    "iso-8859-15": "french",
    "windows-1251": "russian",
    "koi8-r": "russian",
    "koi8-u": "russian",
    "ibm866": "russian",
    "iso-8859-5": "russian",
    "windows-1253": "greek",
    "windows-1255": "hebrew",
    "windows-1256": "arabic",
}
# The numbers of the peers in native/src/peers.rs: the faster of a pair counts.
SIMDUTF = {
    ("utf-8", "utf-16-le"): (0, 1),
    ("utf-8", "utf-32-le"): (2, 3),
    ("utf-16-le", "utf-8"): (4, 5),
    ("utf-32-le", "utf-8"): (6, 7),
}
ENCODING_RS_TO_UTF8, ENCODING_RS_FROM_UTF8 = 8, 9
WIDE = leadbyte.cpu_info()["detected"][-1] == "avx512" and not leadbyte.cpu_info()["override"]


def at_least(name: str, bound: float) -> Target:
    """Return a target for leadbyte's speed over another's."""
    return Target(name, bound, at_least=True)


BESIDE_CPYTHON = at_least("transcode / CPython, geometric mean of five texts", 8)
BESIDE_SIMDUTF = at_least("transcode / simdutf, geometric mean of five texts", 1.5)
TO_UTF8 = at_least("a page to UTF-8 / encoding_rs", 12 if WIDE else 2)
FROM_UTF8 = at_least("UTF-8 to a page / encoding_rs", 4)


class Piece(ctypes.Structure):
    """A piece of data: its address and its length, for the peers."""

    _fields_ = (("start", ctypes.c_char_p), ("length", ctypes.c_size_t))


@dataclass(frozen=True)
class Peer:
    """One of the peers in a library, by its number."""

    library: ctypes.CDLL
    number: int
    label: bytes

    def convert(self, data: bytes, capacity: int) -> bytes:
        """Convert one piece, whose result has at most ``capacity`` bytes."""
        out = ctypes.create_string_buffer(capacity)
        length = self.library.convert(
            self.number, self.label, ctypes.c_size_t(len(self.label)), data, ctypes.c_size_t(len(data)), out,
            ctypes.c_size_t(capacity),
        )  # fmt: skip
        assert length <= capacity, f"peer {self.number} gives {length} bytes"
        return out.raw[:length]

    def turn(self, pool: Sequence[bytes]) -> Callable[[], float]:
        """Return a function that times a walk over a pool, a loop in the library without Python code."""
        pieces = (Piece * len(pool))(*(Piece(piece, len(piece)) for piece in pool))

        def walk(walks: int) -> float:
            start = time.thread_time()
            self.library.walk(
                self.number, self.label, ctypes.c_size_t(len(self.label)), pieces,
                ctypes.c_size_t(len(pool)), ctypes.c_size_t(walks),
            )  # fmt: skip
            return (time.thread_time() - start) / walks

        walks = walks_a_turn(walk(1))
        return lambda: walk(walks)


class Library:
    """The peers; none without a library."""

    def __init__(self, path: str | None) -> None:
        """Load them."""
        self.loaded = ctypes.CDLL(path) if path else None
        if self.loaded:
            self.loaded.convert.restype = self.loaded.walk.restype = ctypes.c_size_t
            self.loaded.versions.restype = ctypes.c_char_p

    def versions(self) -> str:
        """Return the versions of the peers, if there are any."""
        versions = self.loaded.versions().decode().split(", ") if self.loaded else []
        return ", ".join(version for version in versions if version.startswith(("simdutf ", "encoding_rs ")))

    def peers(self, source: str, target: str) -> dict[str, Peer]:
        """Return the peers that convert from one to the other."""
        if self.loaded is None:
            return {}
        numbers = SIMDUTF.get((source, target), ())
        if numbers:
            names = ("simdutf", "simdutf valid")
            return {name: Peer(self.loaded, number, b"") for name, number in zip(names, numbers, strict=True)}
        number = ENCODING_RS_TO_UTF8 if target == "utf-8" else ENCODING_RS_FROM_UTF8
        label = source if target == "utf-8" else target
        return {"encoding_rs": Peer(self.loaded, number, label.encode())}


def expression(source: str, target: str) -> dict[str, str]:
    """Return the expressions of all contestants, as they would be written in a program."""
    return {
        "leadbyte": f"transcode(piece, {source!r}, {target!r})",
        "CPython": f"piece.decode({source!r}).encode({target!r})",
        "loop": "piece",
    }


def measure(source: str, target: str, pool: Sequence[bytes], library: Library) -> dict[str, Times]:
    """Check the results, then time walks over the pool by all in turns, and by a bare loop."""
    peers = library.peers(source, target)
    for piece in pool:
        right = piece.decode(source).encode(target)
        assert transcode(piece, source, target) == right
        for name, peer in peers.items():
            assert peer.convert(piece, len(right)) == right, f"{name} is wrong"

    names = {"transcode": transcode, "pool": pool}
    turns = {
        name: timed(f"for piece in pool: {statement}", names)
        for name, statement in expression(source, target).items()
    }
    turns |= {name: peer.turn(pool) for name, peer in peers.items()}
    return in_turns(turns, rounds=ROUNDS, budget=BUDGET)


class Report:
    """Tables as they are made, rows for the record, and the results for the targets."""

    def __init__(self, library: Library) -> None:
        """Begin with nothing."""
        self.library = library
        self.rows: list[Row] = []
        self.measured: dict[Target, dict[str, float]] = {}

    def run(self, source: str, target: str, text: str, size: str, data: bytes) -> dict[str, float]:
        """Measure one conversion of a text; return how many times as fast as the others leadbyte is."""
        utf8 = texts.rotations(data) if size == "whole" else texts.slices(data, SIZES[size])
        pool = [piece.decode().encode(source, "ignore") for piece in utf8]
        if target != "utf-8":  # what the target lacks is left out
            pool = [
                piece.decode(source).encode(target, "ignore").decode(target).encode(source) for piece in pool
            ]
        total = sum(len(piece.decode(source).encode()) for piece in pool)
        times = measure(source, target, pool, self.library)
        loop = times.pop("loop").best
        ours = times["leadbyte"].best - loop
        ratios: dict[str, float] = {}
        for tool, taken in times.items():
            # The peers' loops are not Python's.
            best = taken.best - (loop if tool in {"leadbyte", "CPython"} else 0)
            ratios[tool] = best / ours
            self.rows.append(
                {
                    "function": f"{source} to {target}",
                    "text": text,
                    "size": size,
                    "tool": tool,
                    "best_gb_s": f"{total / best / 1e9:.3f}",
                    "leadbyte_over_it": f"{best / ours:.2f}",
                }
            )
        return ratios

    def show(self, title: str, first: int) -> None:
        """Print the rows from the first on, a line a conversion and text, a column a size and tool."""
        lines: dict[str, dict[str, str]] = {}
        for row in self.rows[first:]:
            name = f"{row['function']}, {row['text']}"
            line = lines.setdefault(name, {"": name})
            cell = row["best_gb_s"] if row["tool"] == "leadbyte" else row["leadbyte_over_it"]
            line[f"{row['size']} {row['tool']}"] = str(cell)
        print_table(
            f"{title}: GB/s of UTF-8, and how many times the others' speed that is", list(lines.values())
        )

    def unicode(self, corpora: Mapping[str, bytes]) -> None:
        """Convert between UTF-8 and UTF-16, and UTF-32."""
        for source, target in SIMDUTF:
            first = len(self.rows)
            for size in SIZES:
                found = {text: self.run(source, target, text, size, data) for text, data in corpora.items()}
                means = [ratios for text, ratios in found.items() if text in MEANT]
                if len(means) < len(MEANT) or size not in IN_CACHE:
                    continue
                place = f"{source} to {target}, {size}"
                by_cpython = statistics.geometric_mean([ratios["CPython"] for ratios in means])
                self.judge(BESIDE_CPYTHON, place, by_cpython)
                if self.library.loaded:
                    best = [min(ratios["simdutf"], ratios["simdutf valid"]) for ratios in means]
                    self.judge(BESIDE_SIMDUTF, place, statistics.geometric_mean(best))
            self.show(f"{source} to {target}", first)

    def pages(self, corpora: Mapping[str, bytes]) -> None:
        """Convert between UTF-8 and single-byte encodings."""
        for to_utf8 in (True, False):
            first = len(self.rows)
            for page, text in PAGES.items():
                if text not in corpora:
                    continue
                names = (page, "utf-8") if to_utf8 else ("utf-8", page)
                for size in SIZES:
                    ratios = self.run(*names, text, size, corpora[text])
                    if self.library.loaded and size in IN_CACHE:
                        place = f"{page}, {size}"
                        self.judge(TO_UTF8 if to_utf8 else FROM_UTF8, place, ratios["encoding_rs"])
            self.show("pages to UTF-8" if to_utf8 else "UTF-8 to pages", first)

    def judge(self, target: Target, place: str, value: float) -> None:
        """Note a measurement of a target."""
        self.measured.setdefault(target, {})[place] = value


def main() -> None:
    """Measure the selected parts."""
    parser = argument_parser("leadbyte's transcode beside CPython, simdutf and encoding_rs.")
    parser.add_argument(
        "--peers",
        default=os.environ.get("LEADBYTE_PEERS"),
        metavar="LIBRARY",
        help="simdutf and encoding_rs, built by cargo build --profile dist -p leadbyte-benches --lib "
        "(default: LEADBYTE_PEERS; without it only CPython is beside)",
    )
    arguments, chosen, parts = parse_selection(parser, texts.load, ("unicode", "pages"))

    let_memory_be_used_again()
    report = Report(Library(arguments.peers))
    for part in parts:
        getattr(report, part)(chosen)
    outcomes = summaries(report.measured)
    print_outcomes(outcomes)
    if arguments.record:
        used = ", ".join(f"{function} {isa}" for function, isa in leadbyte.cpu_info()["functions"].items())
        versions = ", ".join(filter(None, [f"leadbyte {leadbyte.__version__}", report.library.versions()]))
        write_record("transcode", {"versions": versions, "isa": used, **outcomes}, report.rows)


if __name__ == "__main__":
    main()
