#!/usr/bin/env python3
"""Shared by the Python benchmarks: interleaved measurements, tables, targets, and records of results."""

from __future__ import annotations

import argparse
import csv
import ctypes
import datetime as dt
import itertools
import os
import platform
import random
import re
import statistics
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

RECORDS = Path(__file__).parent / "record"

KINDS = {
    "files": "others' files",
    "usual": "sentences, usual encodings",
    "all": "sentences, any encoding",
}
"""The kinds of data of the record of detection."""

TURN = 0.0005  # seconds that one contestant runs in one turn, if one walk of its pool is shorter
BUDGET = 0.3  # seconds for the turns of all contestants, after the fewest rounds
ROUNDS = 5  # the fewest
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt


def argument_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments that every Python benchmark takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--texts",
        type=Path,
        default=os.environ.get("LEADBYTE_TEXTS"),
        metavar="DIR",
        help=".txt files to measure on (default: LEADBYTE_TEXTS, or else texts made for this run)",
    )
    parser.add_argument("--record", action="store_true", help="write the results to benches/record")
    return parser


def parse_selection(
    parser: argparse.ArgumentParser, load: Callable[[Path | None], dict[str, bytes]], parts: Iterable[str]
) -> tuple[argparse.Namespace, dict[str, bytes], list[str]]:
    """Parse the arguments; return them, and the texts and the parts that --only names, or all of them."""
    parts = list(parts)
    names = ", ".join(parts)
    parser.add_argument("--only", action="append", metavar="WORD", help=f"only this text or part ({names})")
    arguments = parser.parse_args()
    texts = load(arguments.texts)
    only = set(arguments.only or [])
    if only and arguments.record:
        parser.error("--record is for whole runs, not with --only")
    if unknown := only - {*texts, *parts}:
        parser.error(f"--only: no {', '.join(sorted(unknown))}; there are {', '.join([*parts, *texts])}")
    chosen = {text: data for text, data in texts.items() if text in only} or texts
    return arguments, chosen, [part for part in parts if part in only] or parts


@dataclass(frozen=True)
class Times:
    """The times of a contestant, in seconds."""

    best: float
    median: float


def in_turns(
    contestants: Mapping[str, Callable[[], float]], *, rounds: int, budget: float = 0.0
) -> dict[str, Times]:
    """Run all contestants round by round, each returning its time in seconds.

    There are at least ``rounds`` rounds, and more of them while ``budget`` seconds last.
    Their order differs in each round, since each run changes caches and branch predictors for the next.
    """
    order = list(contestants)
    source = random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in order}
    start = time.perf_counter()
    for turn in itertools.count():
        if turn >= rounds and time.perf_counter() - start >= budget:
            break
        source.shuffle(order)
        for name in order:
            times[name].append(contestants[name]())
    return {name: Times(min(taken), statistics.median(taken)) for name, taken in times.items()}


def walks_a_turn(seconds: float) -> int:
    """Return how often a contestant walks its pool in a turn, if one walk takes ``seconds``."""
    # The time of a thread can stand still during a short walk.
    return max(1, round(TURN / max(seconds, 1e-9)))


def timed(statement: str, names: Mapping[str, object], parts: int = 1) -> Callable[[], float]:
    """Return a contestant of `in_turns`: the time of a statement, divided by the parts that it walks."""
    timer = Timer(statement, timer=time.thread_time, globals={**names})
    walks = walks_a_turn(timer.timeit(1))
    return lambda: timer.timeit(walks) / walks / parts


def let_memory_be_used_again() -> None:
    """Have glibc keep freed memory, up to the size from which it always takes fresh memory.

    Otherwise earlier calls decide whether each block comes from the kernel. CPython's
    decoder, which allocates too much and shrinks, then runs at a third of its speed or less.
    """
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_THRESHOLD, 32 << 20)
        library.mallopt(M_TRIM_THRESHOLD, 1 << 30)


@dataclass(frozen=True)
class Target:
    """A bound for each of many measurements."""

    name: str
    bound: float
    at_least: bool
    """Whether the bound is the least that is good enough; else it is the most."""

    def met_by(self, value: float) -> bool:
        """Return whether one measurement is good enough."""
        return value >= self.bound if self.at_least else value <= self.bound

    def verdict(self, value: float) -> str:
        """Return one measurement as a cell of a table."""
        return f"{value:.2f} {'PASS' if self.met_by(value) else 'FAIL'}"

    def summary(self, values: Mapping[str, float]) -> str:
        """Return a summary of the measurements: the worst, and those that miss the bound."""
        worst = (min if self.at_least else max)(values, key=values.__getitem__)
        missed = [f"{place} {value:.2f}" for place, value in values.items() if not self.met_by(value)]
        verdict = f"{'FAIL' if missed else 'PASS'}; worst {values[worst]:.2f} ({worst})"
        if not missed or len(values) == 1:
            return verdict
        return f"{verdict}; missed {len(missed)} of {len(values)}: {', '.join(missed)}"


def summaries(measured: Mapping[Target, Mapping[str, float]]) -> dict[str, str]:
    """Return the result for each target."""
    return {
        f"target {target.name} {'>=' if target.at_least else '<='} {target.bound:g}": target.summary(values)
        for target, values in measured.items()
    }


def print_outcomes(outcomes: Mapping[str, str]) -> None:
    """Print the result for each target."""
    print()
    for target, outcome in outcomes.items():
        print(f"{target}: {outcome}")


def print_table(title: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows of cells, text to the left and numbers to the right."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells = [columns, *([row.get(column, "") for column in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(f"\n{title}")
    for line in cells:
        padded = (
            cell.rjust(width) if re.match(r"[\d.]", cell) or line is columns else cell.ljust(width)
            for cell, width in zip(line, widths, strict=True)
        )
        print("  ".join(padded).rstrip())


def cpu() -> str:
    """Return the CPU's name."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        info = ""
    found = re.search(r"^model name\s*: (.+)$", info, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or "unknown CPU"


def processor() -> str:
    """Return the family and the model of the CPU, as Linux numbers them."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    numbers = [re.search(rf"^{name}\s*: (\d+)$", info, re.MULTILINE) for name in ("cpu family", "model")]
    return ", ".join(number[1] for number in numbers if number) or "unknown"


def write_record(kind: str, facts: Mapping[str, str], rows: Iterable[Mapping[str, object]]) -> Path:
    """Write results as CSV, after lines that begin with ``# `` and have the system and ``facts``.

    LEADBYTE_ISA, if it chose the instruction set, is a part of the file's name.
    """
    today = dt.datetime.now(dt.timezone.utc).date().isoformat()
    here = {
        "date": today,
        "cpu": cpu(),
        "cpu family, model": processor(),
        "system": f"{platform.system().lower()} {platform.machine()}",
        "python": sys.version.split()[0],
    }
    rows = list(rows)
    slug = "-".join(re.findall(r"[a-z0-9]+", re.sub(r"\((R|TM)\)|Processor", "", cpu()).lower()))
    forced = os.environ.get("LEADBYTE_ISA")
    path = RECORDS / f"{today}-{slug}-{kind}{f'-{forced}' if forced else ''}.csv"
    RECORDS.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in {**here, **facts}.items())
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(f"\nrecorded in {path}")
    return path


def read_record(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return the facts and the rows of a record, also of one that the native benchmark wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = file.readlines()
    head = [line.removeprefix("# ").rstrip() for line in lines if line.startswith("# ")]
    facts = dict(line.split(": ", 1) for line in head)
    return facts, list(csv.DictReader(line for line in lines if not line.startswith("# ")))
