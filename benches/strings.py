#!/usr/bin/env python3
"""decode, encode and their kin beside CPython's own, interleaved in one process.

python benches/strings.py [--texts DIR] [--only WORD]... [--record]
"""

from __future__ import annotations

import ctypes
import itertools
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any

import leadbyte
import leadbyte.codec
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
    walks_a_turn,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Row = dict[str, object]
Pool = list[Any]
Place = tuple[str, str, str]  # function, text, size

SIZES = {"4KiB": 4 << 10, "64KiB": 64 << 10, "4MiB": 4 << 20}
ASCII_SIZES = {
    "64B": 64,
    "256B": 256,
    "1KiB": 1 << 10,
    "16KiB": 16 << 10,
    "256KiB": 256 << 10,
    "4MiB": 4 << 20,
}
KEPT = 32 << 20  # bytes that are decoded while all results are kept
HUGE = {"64MB": 64 * 10**6, "100MB": 100 * 10**6}  # from 32 MiB on memory is fresh each time
FILES = {"8MB": 8 * 10**6, "24MB": 24 * 10**6, "100MB": 100 * 10**6}
READ_TEXT_SIZE = "24MB"
MANY = 1_000_000
DISTANCE = 1000  # bytes from one error to the next
DIRTY_SIZE = 64 << 10
HANDLERS = ("replace", "ignore", "surrogateescape", "backslashreplace")
NEWLINES = {"newline=''": "", r"newline='\n'": "\n", "newline=None": None}
# The decoder of CPython 3.14 is better where text is mostly ASCII.
FAST_CPYTHON = sys.version_info >= (3, 14)

leadbyte.codec.register()
NAMES: dict[str, Any] = {
    name: getattr(leadbyte, name)
    for name in ("decode", "encode", "decode_many", "repair", "is_valid", "read_text")
}


def at_least(name: str, bound: float) -> Target:
    """Return a target for leadbyte's speed over CPython's."""
    return Target(name, bound, at_least=True)


MEAN_OF_DECODE = at_least("decode / CPython, whole texts, geometric mean", 5 if FAST_CPYTHON else 7)
WORST_OF_DECODE = at_least("decode / CPython, whole texts, each", 2.5 if FAST_CPYTHON else 4)
MEANS_BY_SIZE = {
    size: at_least(f"decode / CPython, {size}, geometric mean", bound)
    for size, bound in (("4KiB", 4.5), ("64KiB", 4.5), ("4MiB", 5))
}
MEAN_OF_ENCODE = at_least("encode / CPython, whole texts, geometric mean", 6)
WORST_OF_ENCODE = at_least("encode / CPython, whole texts, each but emoji", 3.5)
EMOJI_OF_ENCODE = at_least("encode / CPython, whole texts, emoji", 3)
ASCII = {name: at_least(f"{name} / CPython, pure ASCII", 1) for name in ("decode", "encode")}
FRESH = at_least("decode / CPython, fresh memory above 32 MiB", 1.5)
TINY_ASCII = at_least("tiny / CPython, 11 ASCII bytes", 1)
TINY_CYRILLIC = at_least("tiny / CPython, 6 to 64 Cyrillic bytes", 1.3)
DECODE_MANY = at_least("decode_many / list comprehension", 1.5)
DIRTY = at_least("decode / CPython, an error every 1,000 bytes", 5)
REPAIR_OF_VALID = Target("repair / is_valid, valid bytes, time", 1.05, at_least=False)
REPAIR_OF_DIRTY = at_least("repair / decode and encode, an error every 1,000 bytes", 8)
FILES_BY_SIZE = {
    size: at_least(f"open(newline='') / CPython, {size}", bound)
    for size, bound in (("8MB", 3), ("24MB", 3), ("100MB", 1.8))
}
READ_TEXT = at_least(f"read_text / CPython's open, {READ_TEXT_SIZE}", 3)


@dataclass(frozen=True)
class Duel:
    """Two ways to the same result: expressions about ``piece``, timed as in a program."""

    function: str
    ours: str
    theirs: str

    def check(self, pool: Pool) -> None:
        """Check that both give the same result."""
        for piece in pool:
            ours, theirs = (
                eval(expression, {**NAMES, "piece": piece})  # noqa: S307, RUF100
                for expression in (self.ours, self.theirs)
            )
            assert ours == theirs, f"{self.ours} and {self.theirs} differ"

    def run(self, pool: Pool, *, keep: bool = False, budget: float = BUDGET) -> dict[str, Times]:
        """Check the results, then time walks over the pool by both in turns, and by a bare loop.

        Each result is freed before the next call, which reuses its memory, or all results are kept. The times
        are CPU times, since interruptions affect the slower contestant more, which would distort the ratio.
        """
        self.check(pool)

        def turn(expression: str) -> Callable[[], float]:
            walk = f"kept = [{expression} for piece in pool]" if keep else f"for piece in pool: {expression}"
            timer = Timer(walk, timer=time.thread_time, globals={**NAMES, "pool": pool})
            walks = 1 if keep else walks_a_turn(timer.timeit(1))

            def timed() -> float:
                if keep:
                    give_memory_back()
                return timer.timeit(walks) / walks

            return timed

        turns = {"leadbyte": turn(self.ours), "CPython": turn(self.theirs), "loop": turn("piece")}
        return in_turns(turns, rounds=ROUNDS, budget=budget)


DECODE = Duel("decode", "decode(piece)", "piece.decode()")
ENCODE = Duel("encode", "encode(piece)", "piece.encode()")


def give_memory_back() -> None:
    """Have the C library return free memory to the kernel, so that the next results are in fresh memory."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def repeated(text: bytes, size: int) -> bytes:
    """Repeat a text to ``size`` bytes, or a few less."""
    return texts.whole((text * (size // len(text) + 1))[:size])


def dirty(text: bytes) -> bytes:
    """Insert a byte that never occurs in UTF-8 every ``DISTANCE`` bytes."""
    starts = range(0, len(text), DISTANCE - 1)
    return b"\xff".join(texts.whole(text[start : start + DISTANCE - 1]) for start in starts)


class Report:
    """Tables as they are made, rows for the record, and the results for the targets."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rows: list[Row] = []
        self.measured: dict[Target, dict[str, float]] = {}

    def judge(self, target: Target, place: str, value: float) -> None:
        """Note a measurement of a target."""
        self.measured.setdefault(target, {})[place] = value

    def add(self, place: Place, calls: int, total: int, times: Mapping[str, Times]) -> float:
        """Note the times of ``calls`` calls on ``total`` bytes of UTF-8; return CPython's time over ours."""
        loop = times["loop"].best
        ours, theirs = times["leadbyte"].best - loop, times["CPython"].best - loop
        self.rows.append(
            {
                **dict(zip(("function", "text", "size"), place, strict=True)),
                "leadbyte_gb_s": f"{total / ours / 1e9:.3f}",
                "cpython_gb_s": f"{total / theirs / 1e9:.3f}",
                "leadbyte_ns_a_call": f"{ours / calls * 1e9:.1f}",
                "cpython_ns_a_call": f"{theirs / calls * 1e9:.1f}",
                "ratio": f"{theirs / ours:.2f}",
                "bound": "",
            }
        )
        return theirs / ours

    def duel(self, duel: Duel, text: str, size: str, pool: Pool, *, keep: bool = False) -> float:
        """Let both run over a pool; return CPython's time over ours."""
        times = duel.run(pool, keep=keep)
        total = sum(len(piece) if isinstance(piece, bytes) else len(piece.encode()) for piece in pool)
        function = f"{duel.function}, kept" if keep else duel.function
        return self.add((function, text, size), len(pool), total, times)

    def show(self, title: str, first: int, column: str = "leadbyte_gb_s") -> None:
        """Print the rows from the first on, a line a text and our speed, CPython's and the ratio a size."""
        lines: dict[str, dict[str, str]] = {}
        for row in self.rows[first:]:
            line = lines.setdefault(str(row["text"]), {"text": str(row["text"])})
            theirs = row[column.replace("leadbyte", "cpython")]
            bound = f" of {row['bound']}" if row["bound"] else ""
            line[f"{row['function']} {row['size']}"] = f"{row['ratio']}{bound}  ({row[column]} / {theirs})"
        print_table(title, list(lines.values()))

    def bulk(self, corpora: Mapping[str, bytes]) -> None:
        """Decode and encode whole texts, and decode pieces of them."""
        others = {text: data for text, data in corpora.items() if not data.isascii()}
        first = len(self.rows)
        ratios: dict[str, dict[str, float]] = {}
        for text, data in others.items():
            pool = texts.rotations(data)
            decoded = [piece.decode() for piece in pool]
            ratios.setdefault("decode", {})[text] = self.duel(DECODE, text, "whole", pool)
            ratios.setdefault("encode", {})[text] = self.duel(ENCODE, text, "whole", decoded)
            for size, length in SIZES.items():
                ratios.setdefault(size, {})[text] = self.duel(DECODE, text, size, texts.slices(data, length))
        self.show("decode and encode: how many times CPython's speed (GB/s of both)", first)
        for text, ratio in ratios["decode"].items():
            self.judge(WORST_OF_DECODE, text, ratio)
        for text, ratio in ratios["encode"].items():
            self.judge(EMOJI_OF_ENCODE if text == "emoji" else WORST_OF_ENCODE, text, ratio)
        means = {"decode": MEAN_OF_DECODE, "encode": MEAN_OF_ENCODE, **MEANS_BY_SIZE}
        for what, target in means.items():
            self.judge(target, f"{len(others)} texts", statistics.geometric_mean(list(ratios[what].values())))

    def kept(self, corpora: Mapping[str, bytes]) -> None:
        """Decode and encode whole texts while all results are kept, which takes fresh memory."""
        first = len(self.rows)
        for text, data in corpora.items():
            pool = texts.rotations(data)
            pool *= max(1, KEPT // sum(map(len, pool)))
            self.duel(DECODE, text, "whole", pool, keep=True)
            self.duel(ENCODE, text, "whole", [piece.decode() for piece in pool], keep=True)
        self.show("results kept, in fresh memory (no target)", first)

    def huge(self, corpora: Mapping[str, bytes]) -> None:
        """Decode data so large that its memory is always fresh."""
        first = len(self.rows)
        for text, data in corpora.items():
            for size, length in HUGE.items():
                ratio = self.duel(DECODE, text, size, [repeated(data, length)])
                self.judge(FRESH, f"{text}/{size}", ratio)
        self.show("decode above 32 MiB, in fresh memory", first)

    def plain(self, corpora: Mapping[str, bytes]) -> None:
        """Decode and encode pure ASCII of all sizes."""
        text, data = next(((text, data) for text, data in corpora.items() if data.isascii()), ("made", b""))
        data = data or repeated(texts.make("english").decode().encode("ascii", "ignore"), 1 << 20)
        first = len(self.rows)
        for size, length in ASCII_SIZES.items():
            pool = texts.slices(data, length)[: texts.TINY_POOL]
            self.judge(ASCII["decode"], size, self.duel(DECODE, text, size, pool))
            decoded = [piece.decode() for piece in pool]
            self.judge(ASCII["encode"], size, self.duel(ENCODE, text, size, decoded))
        self.show("pure ASCII", first)

    def tiny(self) -> None:
        """Decode and encode a few bytes at a call."""
        first = len(self.rows)
        for name, pool in texts.tiny_slices():
            target = {"11 ASCII": TINY_ASCII}.get(name) or (TINY_CYRILLIC if "Cyrillic" in name else None)
            for duel, pieces in ((DECODE, pool), (ENCODE, [piece.decode() for piece in pool])):
                ratio = self.duel(duel, name, "call", pieces)
                if target:
                    self.judge(target, f"{duel.function} {name}", ratio)
        self.show("tiny: ns a call, best round, without the loop around it", first, "leadbyte_ns_a_call")

    def many(self) -> None:
        """Decode a million short strings."""
        first = len(self.rows)
        duel = Duel("decode_many", "decode_many(piece)", "[item.decode() for item in piece]")
        for name, pool in texts.tiny_slices():
            items = [bytes(bytearray(piece)) for piece in itertools.islice(itertools.cycle(pool), MANY)]
            times = duel.run([items])
            ratio = self.add((duel.function, name, "million"), MANY, sum(map(len, items)), times)
            self.judge(DECODE_MANY, name, ratio)
        self.show("decode_many: ns an item", first, "leadbyte_ns_a_call")

    def dirty(self, corpora: Mapping[str, bytes]) -> None:
        """Decode and repair text with errors."""
        first = len(self.rows)
        for text, data in corpora.items():
            pieces = texts.slices(data, DIRTY_SIZE)
            pool = list(map(dirty, pieces))
            for errors in HANDLERS:
                duel = Duel(errors, f"decode(piece, errors='{errors}')", f"piece.decode('utf-8', '{errors}')")
                self.judge(DIRTY, f"{text}/{errors}", self.duel(duel, text, "64KiB", pool))
            by_cpython = "piece.decode('utf-8', 'replace').encode()"
            ratio = self.duel(Duel("repair", "repair(piece)", by_cpython), text, "64KiB", pool)
            self.judge(REPAIR_OF_DIRTY, text, ratio)
        self.show("an error every 1,000 bytes", first)

    def repair(self, corpora: Mapping[str, bytes]) -> None:
        """Repair valid data, beside mere validation."""
        table = []
        for text, data in corpora.items():
            pool = texts.slices(data, DIRTY_SIZE)
            duel = Duel("repair of valid", "repair(piece) is piece", "is_valid(piece)")
            times = duel.run(pool)
            ratio = (times["leadbyte"].best - times["loop"].best) / (
                times["CPython"].best - times["loop"].best
            )
            self.judge(REPAIR_OF_VALID, text, ratio)
            table.append({"text": text, "repair / is_valid, time": f"{ratio:.3f}"})
        print_table("repair of valid bytes, 64KiB", table)

    def files(self, corpora: Mapping[str, bytes]) -> None:
        """Read whole files, from the page cache."""
        first = len(self.rows)
        with tempfile.TemporaryDirectory(prefix="leadbyte-") as made:
            for (text, data), (size, length) in itertools.product(corpora.items(), FILES.items()):
                path = Path(made, "text.txt")
                content = repeated(data, length)
                path.write_bytes(content)
                decoding = DECODE.run([content])["CPython"].best
                for described, newline in NEWLINES.items():
                    theirs = f"open(piece, encoding='utf-8', newline={newline!r}).read()"
                    duel = Duel(f"open, {described}", theirs.replace("'utf-8'", "'leadbyte-utf-8'"), theirs)
                    times = duel.run([path])
                    ratio = self.add((duel.function, text, size), 1, length, times)
                    # What a codec would gain that takes no time: all else is the file's and its newlines'.
                    reading = times["CPython"].best
                    bound = f"{reading / (reading - decoding):.2f}" if reading > decoding else "none"
                    self.rows[-1]["bound"] = bound
                    if newline == "":
                        self.judge(FILES_BY_SIZE[size], f"{text} (bound {bound})", ratio)
                if size == READ_TEXT_SIZE:
                    duel = Duel("read_text", "read_text(piece)", "open(piece, encoding='utf-8').read()")
                    ratio = self.add((duel.function, text, size), 1, length, duel.run([path]))
                    self.judge(READ_TEXT, text, ratio)
        self.show("files: read() of the whole", first)


PARTS = ("tiny", "many", "plain", "bulk", "dirty", "repair", "kept", "huge", "files")


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser("leadbyte's decode, encode and their kin beside CPython's own.")
    arguments, chosen, parts = parse_selection(parser, texts.load, PARTS)
    others = {text: data for text, data in chosen.items() if not data.isascii()}

    let_memory_be_used_again()
    report = Report()
    for part in parts:
        if part in {"tiny", "many"}:
            getattr(report, part)()
        else:
            getattr(report, part)(chosen if part in {"plain", "repair"} else others)
    outcomes = summaries(report.measured)
    print_outcomes(outcomes)
    if arguments.record:
        used = leadbyte.cpu_info()["functions"]
        isa = ", ".join(f"{function} {isa}" for function, isa in used.items())
        write_record(
            "strings", {"versions": f"leadbyte {leadbyte.__version__}", "isa": isa, **outcomes}, report.rows
        )


if __name__ == "__main__":
    main()
