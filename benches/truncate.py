#!/usr/bin/env python3
"""truncate_many beside what Python programs usually do, on a million strings, interleaved in one process.

python benches/truncate.py [--texts DIR] [--only WORD]... [--record]
"""

from __future__ import annotations

import importlib.metadata
import random
import time
from timeit import Timer
from typing import TYPE_CHECKING

import grapheme
import leadbyte
import regex
import texts
from harness import (
    Target,
    argument_parser,
    in_turns,
    let_memory_be_used_again,
    parse_selection,
    print_outcomes,
    print_table,
    summaries,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MANY = 1_000_000
SAMPLE_COUNT = 2_000  # items for what takes microseconds each, and to compare the results
LENGTHS = (20, 200)  # characters
# "cut": about half of the strings are too long; "fit": few are, as where a limit guards a column.
LIMITS = {
    "char": {"cut": 110, "fit": 195},
    "utf16": {"cut": 110, "fit": 195},
    "grapheme": {"cut": 100, "fit": 195},
}
# By the mean length of a character.
BYTE_LIMITS = {"cut": {1: 110, 2: 200, 3: 300}, "fit": {1: 195, 2: 360, 3: 560}}
CLUSTERS = regex.compile(r"\X")
NAMES = {"leadbyte": leadbyte, "grapheme": grapheme, "CLUSTERS": CLUSTERS}
# What others do to a unit, and whether it is fast enough for all strings.
RECIPES = {
    "byte": {"[text.encode()[:limit].decode(errors='ignore') for text in items]": True},
    "char": {
        "[text[: limit - 1] + '…' if len(text) > limit else text for text in items]": True,
        "[text[:limit] for text in items]": True,
    },
    "utf16": {
        "[text.encode('utf-16-le')[: 2 * limit].decode('utf-16-le', 'ignore') for text in items]": True,
    },
    "grapheme": {
        "[''.join(CLUSTERS.findall(text)[:limit]) for text in items]": False,
        "[grapheme.slice(text, 0, limit) for text in items]": False,
    },
}
SHOWN = {"english", "russian", "emoji"}
ROUNDS = 3  # each takes seconds
TARGETS = {
    unit: Target(f"truncate_many / recipe, {unit}", bound, at_least=True)
    for unit, bound in (("byte", 10), ("char", 1), ("utf16", 10), ("grapheme", 10))
}


def strings(text: str) -> list[str]:
    """Return slices of a text, each a str of its own."""
    source = random.Random(0)
    long = text * (LENGTHS[1] // len(text) + 2)
    found = []
    for _ in range(MANY):
        start, length = source.randrange(len(text)), source.randint(*LENGTHS)
        found.append("".join(long[start : start + length]))
    return found


def limit_of(unit: str, case: str, text: str) -> int:
    """Return the limit for a case."""
    if unit == "byte":
        return BYTE_LIMITS[case][min(round(len(text.encode()) / len(text)), 3)]
    return LIMITS[unit][case]


def check(ours: str, recipe: str, items: list[str], limit: int) -> None:
    """Compare the results on some strings, as far as versions of Unicode agree."""
    names = {**NAMES, "items": items[:SAMPLE_COUNT], "limit": limit}
    pairs = list(zip(eval(ours, names), eval(recipe, names), strict=True))
    assert sum(own != other for own, other in pairs) <= (SAMPLE_COUNT // 100 if "grapheme" in ours else 0), (
        recipe
    )


def measure(unit: str, items: list[str], limit: int) -> dict[str, float]:
    """Return the nanoseconds a string of leadbyte, plain and with an ellipsis, and of the recipes."""
    plain = f"leadbyte.truncate_many(items, limit, unit='{unit}')"
    ellipsis = f"leadbyte.truncate_many(items, limit, unit='{unit}', ellipsis='…')"
    for recipe in RECIPES[unit]:
        check(ellipsis if "…" in recipe else plain, recipe, items, limit)

    def turn(expression: str, *, all_of_them: bool) -> Callable[[], float]:
        part = items if all_of_them else items[:SAMPLE_COUNT]
        timer = Timer(expression, timer=time.thread_time, globals={**NAMES, "items": part, "limit": limit})
        return lambda: timer.timeit(1) / len(part)

    turns = {name: turn(name, all_of_them=True) for name in (plain, ellipsis)}
    turns |= {recipe: turn(recipe, all_of_them=fast) for recipe, fast in RECIPES[unit].items()}
    return {name: 1e9 * taken.best for name, taken in in_turns(turns, rounds=ROUNDS).items()}


def load_shown(directory: Path | None) -> dict[str, bytes]:
    """Return the texts that are shown."""
    return {name: data for name, data in texts.load(directory).items() if name in SHOWN}


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser(__doc__)
    arguments, chosen, units = parse_selection(parser, load_shown, RECIPES)

    let_memory_be_used_again()
    rows: list[Mapping[str, object]] = []
    measured: dict[Target, dict[str, float]] = {}
    for name, data in chosen.items():
        text = data.decode()
        items = strings(text)
        lines = []
        for unit in units:
            for case in ("cut", "fit"):
                times = measure(unit, items, limit_of(unit, case, text))
                plain, ellipsis, *recipes = times
                for tool, taken in times.items():
                    own = times[ellipsis if "…" in tool else plain]
                    over = f"{taken / own:.2f}" if tool in recipes else ""
                    row = {
                        "unit": unit,
                        "text": name,
                        "case": case,
                        "tool": tool,
                        "best_ns_a_string": f"{taken:.1f}",
                    }
                    rows.append({**row, "leadbyte_over_it": over})
                first = times[recipes[0]] / times[ellipsis if "…" in recipes[0] else plain]
                measured.setdefault(TARGETS[unit], {})[f"{name}, {case}"] = first
                shown = ", ".join(f"{times[recipe]:.0f}" for recipe in recipes)
                line = {"unit": unit, "case": case, "truncate_many": f"{times[plain]:.0f}"}
                lines.append(
                    {
                        **line,
                        "with ellipsis": f"{times[ellipsis]:.0f}",
                        "recipes": shown,
                        "ratio": f"{first:.1f}",
                    }
                )
        print_table(f"{name}: ns a string, of a million", lines)
        del items
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("regex", "grapheme"))
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}, {versions}",
            "isa": leadbyte.cpu_info()["functions"]["truncate"],
        }
        write_record("truncate", {**facts, **outcomes}, rows)


if __name__ == "__main__":
    main()
