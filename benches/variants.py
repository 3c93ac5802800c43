#!/usr/bin/env python3
"""Modified UTF-8 beside the package mutf8, and all variants beside UTF-8, interleaved in one process.

python benches/variants.py [--texts DIR] [--only WORD]... [--record]
"""

from __future__ import annotations

import importlib.metadata
import statistics
from typing import TYPE_CHECKING, Any

import leadbyte
import mutf8.cmutf8
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
    write_record,
)
from leadbyte.variants import cesu8, wtf8
from leadbyte.variants import mutf8 as ours

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Row = dict[str, object]
Place = tuple[str, str, str]  # function, text, size

SIZES = {"64B": 64, "1KiB": 1 << 10, "64KiB": 64 << 10, "whole": 0}
PACKAGE_TEXTS = ("russian", "french", "chinese", "hindi", "english")  # by which the package is judged
NAMES: dict[str, Any] = {
    "leadbyte": leadbyte, "cesu8": cesu8, "mutf8": ours, "wtf8": wtf8, "package": mutf8.cmutf8,
}  # fmt: skip
# Each function with its contestants, ours first; "utf8" is the same text in UTF-8.
DECODING = {
    "mutf8.decode": ["mutf8.decode(data)", "package.decode_modified_utf8(data)", "leadbyte.decode(utf8)"],
    "cesu8.decode": ["cesu8.decode(data)", "leadbyte.decode(utf8)"],
    "wtf8.decode": ["wtf8.decode(data)", "leadbyte.decode(utf8)"],
}
ENCODING = {
    "mutf8.encode": ["mutf8.encode(text)", "package.encode_modified_utf8(text)", "leadbyte.encode(text)"],
    "cesu8.encode": ["cesu8.encode(text)", "leadbyte.encode(text)"],
    "wtf8.encode": ["wtf8.encode(text)", "leadbyte.encode(text)"],
}
VALIDATION = {
    f"{name}.is_valid": [f"{name}.is_valid(data)", "leadbyte.is_valid(utf8)"]
    for name in ("cesu8", "mutf8", "wtf8")
}
PARTS = {"decode": DECODING, "encode": ENCODING, "is_valid": VALIDATION}
TARGETS = {
    (part, size): Target(f"mutf8.{part} / package, {size}, geometric mean", 10, at_least=True)
    for part in ("decode", "encode")
    for size in ("64KiB", "whole")
}
VALID = Target("cesu8 and wtf8.is_valid / is_valid, 64KiB and whole, time", 1.5, at_least=False)


def measure(expressions: Sequence[str], pool: Sequence[tuple[bytes, bytes, str]]) -> dict[str, Times]:
    """Time walks over the pool by all in turns, without the loop itself."""
    turns = {
        statement: timed(f"for data, utf8, text in pool: {statement}", {**NAMES, "pool": pool})
        for statement in (*expressions, "data")
    }
    times = in_turns(turns, rounds=ROUNDS, budget=BUDGET)
    loop = times.pop("data").best
    return {tool: Times(taken.best - loop, taken.median - loop) for tool, taken in times.items()}


def pool_of(variant: str, pieces: Sequence[bytes]) -> list[tuple[bytes, bytes, str]]:
    """Return pieces of text in a variant and in UTF-8, and as str; what all make of them is compared."""
    pool = []
    for utf8 in pieces:
        text = utf8.decode()
        data = NAMES[variant].encode(text)
        assert NAMES[variant].decode(data) == text
        assert NAMES[variant].is_valid(data)
        if variant == "mutf8":
            assert mutf8.cmutf8.encode_modified_utf8(text) == data
            assert mutf8.cmutf8.decode_modified_utf8(data) == text
        pool.append((data, utf8, text))
    return pool


class Report:
    """Tables as they are made, rows for the record, and the results for the targets."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rows: list[Row] = []
        self.measured: dict[Target, dict[str, float]] = {}

    def run(self, part: str, corpora: Mapping[str, bytes]) -> None:
        """Measure the functions of a part on all texts."""
        for function, expressions in PARTS[part].items():
            variant = function.partition(".")[0]
            lines = []
            for size, length in SIZES.items():
                ratios: dict[str, dict[str, float]] = {}
                for text, data in corpora.items():
                    pieces = texts.slices(data, length) if length else texts.rotations(data)
                    times = measure(expressions, pool_of(variant, pieces))
                    own, *others = expressions
                    ratios[text] = {other: times[other].best / times[own].best for other in others}
                    lines.append(self.add((function, text, size), sum(map(len, pieces)), times, ratios[text]))
                self.judge(part, function, size, ratios)
            print_table(f"{function}: GB/s of UTF-8, and how many times the others' speed that is", lines)

    def add(
        self, place: Place, total: int, times: Mapping[str, Times], ratios: Mapping[str, float]
    ) -> dict[str, str]:
        """Note a measurement; return its line of the table."""
        own = next(iter(times))
        speed = f"{total / times[own].best / 1e9:.3f}"
        row = dict(zip(("function", "text", "size"), place, strict=True))
        for tool, taken in times.items():
            over = f"{ratios[tool]:.2f}" if tool in ratios else ""
            speed_of_tool = f"{total / taken.best / 1e9:.3f}"
            self.rows.append({**row, "tool": tool, "best_gb_s": speed_of_tool, "leadbyte_over_it": over})
        return {
            "text": place[1],
            "size": place[2],
            own: speed,
            **{tool: f"{over:.2f}" for tool, over in ratios.items()},
        }

    def judge(self, part: str, function: str, size: str, ratios: Mapping[str, Mapping[str, float]]) -> None:
        """Note what the targets want of the measurements of a function."""
        if function.startswith("mutf8") and (target := TARGETS.get((part, size))):
            beside = [next(iter(ratios[text].values())) for text in PACKAGE_TEXTS if text in ratios]
            if len(beside) == len(PACKAGE_TEXTS):
                self.measured.setdefault(target, {})["five texts"] = statistics.geometric_mean(beside)
        if part == "is_valid" and not function.startswith("mutf8") and size in {"64KiB", "whole"}:
            for text in ratios.keys() - {"emoji"}:
                over = ratios[text]["leadbyte.is_valid(utf8)"]
                self.measured.setdefault(VALID, {})[f"{function}, {text}, {size}"] = 1 / over


def main() -> None:
    """Measure the selected parts."""
    parser = argument_parser("leadbyte's variants beside the package mutf8 and UTF-8.")
    arguments, chosen, parts = parse_selection(parser, texts.load, PARTS)

    let_memory_be_used_again()
    report = Report()
    for part in parts:
        report.run(part, chosen)
    outcomes = summaries(report.measured)
    print_outcomes(outcomes)
    if arguments.record:
        used = ", ".join(f"{function} {isa}" for function, isa in leadbyte.cpu_info()["functions"].items())
        versions = f"leadbyte {leadbyte.__version__}, mutf8 {importlib.metadata.version('mutf8')}"
        write_record("variants", {"versions": versions, "isa": used, **outcomes}, report.rows)


if __name__ == "__main__":
    main()
