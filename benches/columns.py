#!/usr/bin/env python3
"""Columns beside pyarrow and Polars: ten million strings in 18 scripts, interleaved, on one thread.

python benches/columns.py [--rows N] [--only WORD]... [--record]
"""

from __future__ import annotations

import importlib.metadata
import os
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["POLARS_MAX_THREADS"] = "1"  # is read on import
import leadbyte
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from harness import Target, argument_parser, in_turns, print_outcomes, print_table, summaries, write_record
from leadbyte.arrow import count_chars, decode, is_valid_utf8

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROWS = 10_000_000
BYTES = (5, 200)  # of a row; short rows are as frequent as in a logarithmic scale
POOL = 200_000  # different rows
BAD_SHARE = 0.001
ROUNDS = 5
LANGUAGES = ("en", "ru", "el", "ar", "he", "hi", "hy", "ka", "th", "ko", "ja", "zh-Hant")
# Six scripts of which there are no sentences here: ranges of their letters.
LETTERS = (
    (0x985, 0x9B9),
    (0xB85, 0xBB9),
    (0xC05, 0xC39),
    (0x1200, 0x135A),
    (0x1000, 0x102A),
    (0x1F600, 0x1F64F),
)

CAST = Target("decode / pyarrow's cast", 12, at_least=True)
CAST_VIEWS = Target("decode / pyarrow's cast, views", 8, at_least=True)
CAST_ASCII = Target("decode / pyarrow's cast, ASCII", 2.5, at_least=True)
POLARS = Target("decode / Polars' strict cast", 7, at_least=True)
POLARS_ASCII = Target("decode / Polars' strict cast, ASCII", 1, at_least=True)
POLARS_SHUFFLED = Target("decode / Polars' strict cast, shuffled by a gather", 1.5, at_least=True)
BAD_ROWS = Target("decode with 0.1 % bad rows / decode", 2, at_least=False)
LENGTH_POLARS = Target("count_chars / pl.str.len_chars", 3, at_least=True)
LENGTH_PYARROW = Target("count_chars / pc.utf8_length", 10, at_least=True)


def texts() -> list[str]:
    """Return a long text for each script."""
    source = random.Random(0)
    real = [" ".join(sentences(language)) for language in LANGUAGES]
    made = ["".join(chr(source.randint(*letters)) for _ in range(20_000)) for letters in LETTERS]
    return real + made


def pool(texts: list[str]) -> list[bytes]:
    """Return rows of many lengths, each a slice of one of the texts."""
    source = random.Random(0)
    rows = []
    low, high = BYTES
    for index in range(POOL):
        text = texts[index % len(texts)]
        start = source.randrange(len(text) - high)
        length = round(low * (high / low) ** source.random())
        cut = text[start : start + length].encode()[:length]
        rows.append(cut.decode(errors="ignore").encode())
    return rows


def column(rows: list[bytes], count: int) -> pa.Array:
    """Return ``count`` of the rows in random order."""
    source = random.Random(1)
    indices = pa.array(source.choices(range(len(rows)), k=count), pa.int32())
    return pa.array(rows, pa.large_binary()).take(indices)


def spoiled(rows: pa.Array) -> pa.Array:
    """Return the rows, of which a share has a byte that is not UTF-8."""
    source = random.Random(2)
    bad = source.sample(range(len(rows)), round(len(rows) * BAD_SHARE))
    mask = [False] * len(rows)
    for index in bad:
        mask[index] = True
    replacements = pa.array([rows[index].as_py() + b"\xff" for index in sorted(bad)], rows.type)
    return pc.replace_with_mask(rows, pa.array(mask), replacements)


def cases(rows: pa.Array, ascii_rows: pa.Array) -> dict[str, dict[str, Callable[[], object]]]:
    """Return the measurements: for each case, functions by tool."""
    small, view = rows.cast(pa.binary()), rows.cast(pa.binary_view())
    bad, ascii_view = spoiled(small), ascii_rows.cast(pa.binary_view())
    series, ascii_series = pl.Series(view), pl.Series(ascii_view)
    source = random.Random(3)
    gathered = series.gather(source.sample(range(len(series)), len(series)))
    text, text_series = small.cast(pa.string()), series.cast(pl.String)
    bad_series = pl.Series(bad)

    def cast(column: pa.Array, target: pa.DataType) -> Callable[[], object]:
        return lambda: column.cast(target)

    def strict(series: pl.Series) -> dict[str, Callable[[], object]]:
        return {"leadbyte": lambda: decode(series), "polars cast": lambda: series.cast(pl.String)}

    return {
        "binary": {"leadbyte": lambda: decode(small), "pyarrow cast": cast(small, pa.string())},
        "large binary": {
            "leadbyte": lambda: decode(rows),
            "pyarrow cast": cast(rows, pa.large_string()),
        },
        "binary view": {"leadbyte": lambda: decode(view), "pyarrow cast": cast(view, pa.string_view())},
        "ASCII, binary": {
            "leadbyte": lambda: decode(ascii_rows),
            "pyarrow cast": cast(ascii_rows, pa.large_string()),
        },
        "ASCII, binary view": {
            "leadbyte": lambda: decode(ascii_view),
            "pyarrow cast": cast(ascii_view, pa.string_view()),
        },
        "polars": strict(series),
        "polars, ASCII": strict(ascii_series),
        "polars, shuffled": strict(gathered),
        "0.1 % bad, binary": {
            "leadbyte": lambda: decode(bad, errors="replace"),
            "leadbyte, all good": lambda: decode(small),
            "leadbyte, is_valid_utf8": lambda: is_valid_utf8(bad),
        },
        "0.1 % bad, polars": {
            "leadbyte": lambda: decode(bad_series, errors="replace"),
            "leadbyte, all good": lambda: decode(series),
        },
        "length, binary": {
            "leadbyte": lambda: count_chars(text),
            "pyarrow utf8_length": lambda: pc.utf8_length(text),
        },
        "length, polars": {
            "leadbyte": lambda: count_chars(text_series),
            "polars len_chars": text_series.str.len_chars,
        },
    }


TARGETS: dict[tuple[str, str], tuple[Target, ...]] = {
    ("binary", "pyarrow cast"): (CAST,),
    ("large binary", "pyarrow cast"): (CAST,),
    ("binary view", "pyarrow cast"): (CAST_VIEWS,),
    ("ASCII, binary", "pyarrow cast"): (CAST_ASCII,),
    ("ASCII, binary view", "pyarrow cast"): (CAST_ASCII,),
    ("polars", "polars cast"): (POLARS,),
    ("polars, ASCII", "polars cast"): (POLARS_ASCII,),
    ("polars, shuffled", "polars cast"): (POLARS_SHUFFLED,),
    ("length, binary", "pyarrow utf8_length"): (LENGTH_PYARROW,),
    ("length, polars", "polars len_chars"): (LENGTH_POLARS,),
}


def check(case: str, tools: Mapping[str, Callable[[], object]]) -> None:
    """Compare the results of the tools, unless they differ on purpose."""
    ours, *others = (
        tools[tool] for tool in tools if tool not in {"leadbyte, all good", "leadbyte, is_valid_utf8"}
    )
    for other in others:
        theirs = pa.chunked_array(other())
        assert pa.chunked_array(ours()).cast(theirs.type).equals(theirs), case


def timed(function: Callable[[], object]) -> Callable[[], float]:
    """Return a turn: the seconds that a call takes."""

    def turn() -> float:
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    return turn


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N")
    parser.add_argument("--only", action="append", metavar="WORD", help="only cases with this word")
    arguments = parser.parse_args()
    rows = column(pool(texts()), arguments.rows)
    ascii_rows = column(pool(texts()[:1]), arguments.rows)
    records: list[Mapping[str, object]] = []
    lines = []
    measured: dict[Target, dict[str, float]] = {}
    for case, tools in cases(rows, ascii_rows).items():
        if arguments.only and not any(word in case for word in arguments.only):
            continue
        check(case, tools)
        times = in_turns({tool: timed(function) for tool, function in tools.items()}, rounds=ROUNDS)
        own = times["leadbyte"]
        for tool, taken in times.items():
            ratio = taken.best / own.best
            cells = {"case": case, "tool": tool, "best_ms": f"{1e3 * taken.best:.1f}"}
            records.append(
                {**cells, "median_ms": f"{1e3 * taken.median:.1f}", "over_leadbyte": f"{ratio:.2f}"}
            )
            lines.append({**cells, "ratio": f"{ratio:.2f}"})
            for target in TARGETS.get((case, tool), ()):
                measured.setdefault(target, {})[case] = ratio
        if "leadbyte, all good" in times:
            measured.setdefault(BAD_ROWS, {})[case] = own.best / times["leadbyte, all good"].best
    gigabytes = rows.nbytes / 1e9
    print_table(f"{len(rows):,} rows, {gigabytes:.2f} GB", lines)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        names = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("pyarrow", "polars"))
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}, {names}",
            "isa": leadbyte.cpu_info()["functions"]["is_valid"],
            "rows": str(len(rows)),
        }
        write_record("columns", {**facts, **outcomes}, records)


if __name__ == "__main__":
    main()
