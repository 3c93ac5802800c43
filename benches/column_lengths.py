#!/usr/bin/env python3
"""Columns of rows of about the same length, in each layout, beside pyarrow and Polars, on one thread.

python benches/column_lengths.py [--rows N] [--lengths N...] [--rounds N]

Prints a table in Markdown: the best of some rounds, in milliseconds, all jobs of a column in turns. To
compare two builds, run it with each in turns, and take ratios.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["POLARS_MAX_THREADS"] = "1"  # is read on import
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from leadbyte.arrow import count_chars, is_valid_utf8, repair, validate

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGES = {"ascii": ["en"], "russian": ["ru"], "mixed": ["en", "ru", "ja", "hi", "ar"]}
POOL = 50_000  # different rows
BAD_SHARE = 0.001


def rows_of(kind: str, length: int, count: int) -> pa.Array:
    """Return rows of half to one and a half times a length in bytes, in random order."""
    source = random.Random(length)
    texts = [" ".join(sentences(language)) for language in LANGUAGES[kind]]
    if kind == "ascii":
        texts = [text.encode("ascii", "ignore").decode() for text in texts]
    pool = []
    for index in range(POOL):
        text = texts[index % len(texts)]
        size = source.randint(max(1, length // 2), length * 3 // 2)
        start = source.randrange(len(text) - 200)
        pool.append(text[start : start + size].encode()[:size].decode(errors="ignore").encode())
    return pa.array(pool, pa.binary()).take(pa.array(source.choices(range(POOL), k=count), pa.int32()))


def spoiled(rows: pa.Array) -> pa.Array:
    """Return the rows, of which a share has a byte that is not UTF-8."""
    bad = set(random.Random(2).sample(range(len(rows)), round(len(rows) * BAD_SHARE)))
    mask = pa.array([index in bad for index in range(len(rows))])
    replacements = pa.array([rows[index].as_py() + b"\xff" for index in sorted(bad)], rows.type)
    return pc.replace_with_mask(rows, mask, replacements)


def jobs(rows: pa.Array) -> dict[str, Callable[[], object]]:
    """Return the calls that are measured on a column."""
    view, bad = rows.cast(pa.binary_view()), spoiled(rows)
    bad_view = bad.cast(pa.binary_view())
    series = pl.Series(rows)
    gathered = series.gather(random.Random(3).sample(range(len(series)), len(series)))
    text, text_view = rows.cast(pa.string()), view.cast(pa.string_view())
    text_series, gathered_text = series.cast(pl.String), gathered.cast(pl.String)
    return {
        "validate": lambda: validate(rows),
        "validate, views": lambda: validate(view),
        "validate, Polars": lambda: validate(series),
        "validate, gathered": lambda: validate(gathered),
        "is_valid_utf8, 0.1 % bad": lambda: is_valid_utf8(bad),
        "is_valid_utf8, 0.1 % bad, views": lambda: is_valid_utf8(bad_view),
        "repair": lambda: repair(rows),
        "repair, 0.1 % bad": lambda: repair(bad),
        "repair, views": lambda: repair(view),
        "repair, 0.1 % bad, views": lambda: repair(bad_view),
        "count_chars": lambda: count_chars(text),
        "pyarrow utf8_length": lambda: pc.utf8_length(text),
        "count_chars, views": lambda: count_chars(text_view),
        "count_chars, Polars": lambda: count_chars(text_series),
        "Polars len_chars": text_series.str.len_chars,
        "count_chars, gathered": lambda: count_chars(gathered_text),
        "Polars len_chars, gathered": gathered_text.str.len_chars,
    }


def milliseconds(job: Callable[[], object]) -> float:
    """Return how long a job takes."""
    start = time.perf_counter()
    job()
    return 1e3 * (time.perf_counter() - start)


def main() -> None:
    """Measure the columns of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=2_000_000, metavar="N")
    parser.add_argument("--lengths", type=int, nargs="+", default=[8, 24, 100], metavar="N")
    parser.add_argument("--rounds", type=int, default=7, metavar="N")
    arguments = parser.parse_args()
    best: dict[str, dict[str, float]] = {}
    for kind in LANGUAGES:
        for length in arguments.lengths:
            of_column = jobs(rows_of(kind, length, arguments.rows))
            taken = {name: float("inf") for name in of_column}
            for _ in range(arguments.rounds):
                for name, job in of_column.items():
                    taken[name] = min(taken[name], milliseconds(job))
            for name, time_taken in taken.items():
                best.setdefault(name, {})[f"{kind} {length}"] = time_taken
    columns = next(iter(best.values()))
    print("| ms |", " | ".join(columns), "|")
    print("|---|", "|".join("---:" for _ in columns), "|", sep="")
    for name, times in best.items():
        print(f"| {name} |", " | ".join(f"{times[column]:.2f}" for column in columns), "|")


if __name__ == "__main__":
    main()
