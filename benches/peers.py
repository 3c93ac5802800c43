#!/usr/bin/env python3
"""leadbyte beside CPython, NumPy, StringZilla, pyarrow, polars and wsaccel, interleaved in one process.

python benches/peers.py [--texts DIR] [--only WORD]... [--record]
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from timeit import Timer
from typing import TYPE_CHECKING, Any

import leadbyte
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import stringzilla
import texts
import wsaccel.utf8validator
from harness import (
    ROUNDS,
    Target,
    Times,
    argument_parser,
    in_turns,
    parse_selection,
    print_outcomes,
    print_table,
    summaries,
    walks_a_turn,
    write_record,
)
from leadbyte.websocket import Utf8Validator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SIZES = {"64KiB": 64 << 10, "256KiB": 256 << 10, "1MiB": 1 << 20, "64MiB": 64 << 20}
MESSAGES = {"128B": 128, "4KiB": 4 << 10, "64KiB": 64 << 10}  # of WebSockets
IN_CACHE = ("64KiB", "256KiB", "1MiB")  # where the targets hold
BUDGET = 0.5  # seconds for the turns of all contestants, after the fewest rounds

Row = dict[str, object]


@dataclass(frozen=True)
class Contestant:
    """One way to do the work: an expression about ``piece``, timed as it would be written in a program."""

    name: str
    expression: str
    prepare: Callable[[bytes], Any] = bytes
    """Makes the library's own object from a slice, before the clock starts."""
    right: Callable[[Any, bytes], bool] = lambda _result, _piece: True
    """Whether the result is right for a valid slice, for functions that do not only raise."""

    def timer(self, pieces: Sequence[bytes]) -> Timer:
        """Return a clock around a loop over the pieces."""
        pool = [self.prepare(piece) for piece in pieces]
        return Timer(f"for piece in pool: {self.expression}", globals={**NAMES, "pool": pool})

    def is_right(self, piece: bytes) -> bool:
        """Return whether the result is right for a valid slice."""
        results: list[Any] = []
        names = {**NAMES, "piece": self.prepare(piece), "keep": results.append}
        *before, expression = self.expression.split("; ")
        Timer("; ".join([*before, f"keep({expression})"]), globals=names).timeit(1)
        return self.right(results[0], piece)

    def refuses(self, piece: bytes) -> bool:
        """Return whether an invalid slice is rejected, by an exception or a false result."""
        try:
            return not self.is_right(piece)
        except (UnicodeDecodeError, pa.ArrowInvalid, pl.exceptions.PolarsError):
            return True


def count_is_right(count: Any, piece: bytes) -> bool:  # noqa: ANN401
    """Return whether a number, or an Arrow array of one, is the number of characters."""
    return bool((count[0].as_py() if isinstance(count, pa.Array) else count) == len(piece.decode()))


def scan_is_right(scan: leadbyte.Scan, piece: bytes) -> bool:
    """Return whether a scan found what CPython finds in a valid slice."""
    text = piece.decode() if scan.valid else ""
    return scan.valid and (scan.char_count, scan.newline_count) == (len(text), text.count("\n"))


def is_true(result: Any, _piece: bytes) -> bool:  # noqa: ANN401
    """Return whether a result is the bool ``True``."""
    return result is True


def is_whole_message(verdict: tuple[bool, bool, int, int], _piece: bytes) -> bool:
    """Return whether a message is valid and ends with a character."""
    return verdict[:2] == (True, True)


def as_arrow_binary(piece: bytes) -> pa.Array:
    """Return an array of one binary value."""
    return pa.array([piece], pa.binary())


NAMES: dict[str, Any] = {
    "is_valid": leadbyte.is_valid,
    "count_chars": leadbyte.count_chars,
    "scan": leadbyte.scan,
    "count_nonzero": np.count_nonzero,
    "utf8_length": pc.utf8_length,
    "utf8_count": stringzilla.utf8_count,
    "String": pl.String,
    "utf8": pa.string(),
    "own": Utf8Validator(),
    "wsaccel": wsaccel.utf8validator.Utf8Validator(),
}

IS_VALID = Contestant("is_valid", "is_valid(piece)", right=is_true)
SCAN = Contestant("scan", "scan(piece)", right=scan_is_right)
COUNT_CHARS = Contestant("count_chars", "count_chars(piece)", right=count_is_right)
DECODE = Contestant("CPython decode", "piece.decode()", right=lambda text, piece: text.encode() == piece)

VALIDATE = (
    IS_VALID,
    SCAN,
    Contestant("polars cast", "piece.cast(String)", lambda piece: pl.Series([piece], dtype=pl.Binary)),
    Contestant("pyarrow cast", "piece.cast(utf8)", as_arrow_binary),
    DECODE,
)
COUNT = (
    COUNT_CHARS,
    Contestant(
        "NumPy",
        "count_nonzero((piece & 0xC0) != 0x80)",
        lambda piece: np.frombuffer(piece, np.uint8),
        count_is_right,
    ),
    Contestant(
        "pyarrow utf8_length", "utf8_length(piece)", lambda piece: pa.array([piece.decode()]), count_is_right
    ),
    Contestant("StringZilla", "utf8_count(piece)", right=count_is_right),
    Contestant("CPython len(decode)", "len(piece.decode())", right=count_is_right),
)
WEBSOCKET = (
    Contestant("Utf8Validator", "own.reset(); own.validate(piece)", right=is_whole_message),
    Contestant("wsaccel", "wsaccel.reset(); wsaccel.validate(piece)", right=is_whole_message),
)
TINY = (IS_VALID, COUNT_CHARS, SCAN, DECODE)
LOOP = Contestant("loop", "piece")

SPEED_OF_VALIDATION = Target("is_valid / polars, speed", 1, at_least=True)
SPEED_OF_COUNTING = Target("count_chars / NumPy, speed", 5, at_least=True)
COST_OF_SCAN = Target("scan / is_valid, time", 1.6, at_least=False)
COST_OF_A_CALL = Target("is_valid / decode, time", 1, at_least=False)


def measure(contestants: Sequence[Contestant], pieces: Sequence[bytes]) -> dict[str, Times]:
    """Check the answers, then time a walk over the pieces by each contestant in turns."""
    for contestant in contestants:
        assert all(map(contestant.is_right, pieces)), f"{contestant.name} is wrong"
        if contestant.right is not count_is_right:  # which need no validity
            assert contestant.refuses(pieces[0][:-1] + b"\xff"), f"{contestant.name} takes anything"

    def turn(contestant: Contestant) -> Callable[[], float]:
        timer = contestant.timer(pieces)
        walks = walks_a_turn(timer.timeit(1))
        return lambda: timer.timeit(walks) / walks

    turns = {contestant.name: turn(contestant) for contestant in (*contestants, LOOP)}
    return in_turns(turns, rounds=ROUNDS, budget=BUDGET)


def rows_of(
    function: str, text: str, size: str, pieces: Sequence[bytes], times: dict[str, Times]
) -> list[Row]:
    """Make the rows of a record; the loop's own time is taken off the cost of a call."""
    total = sum(map(len, pieces))
    return [
        {
            "function": function,
            "text": text,
            "size": size,
            "tool": tool,
            "best_gb_s": f"{total / taken.best / 1e9:.3f}",
            "median_gb_s": f"{total / taken.median / 1e9:.3f}",
            "best_ns_a_call": f"{(taken.best - times[LOOP.name].best) / len(pieces) * 1e9:.2f}",
        }
        for tool, taken in times.items()
        if tool != LOOP.name
    ]


class Report:
    """Tables as they are made, rows for the record, and the results for the targets."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rows: list[Row] = []
        self.measured: dict[Target, dict[str, float]] = {}

    def judge(self, target: Target, place: str, value: float, *, binding: bool = True) -> str:
        """Note a measurement of a target, if it holds at that place; return it as a cell."""
        if not binding:
            return f"{value:.2f}"
        self.measured.setdefault(target, {})[place] = value
        return target.verdict(value)

    def bulk(self, corpora: dict[str, bytes], size: str) -> None:
        """Measure validation and counting of all texts at one size."""
        for function, contestants in (("validate", VALIDATE), ("count", COUNT)):
            table = []
            for text, data in corpora.items():
                pieces = texts.slices(data, SIZES[size])
                times = measure(contestants, pieces)
                new = rows_of(function, text, size, pieces, times)
                self.rows += new
                place, binding = f"{text}/{size}", size in IN_CACHE
                row = {"text": text, **{str(row["tool"]): str(row["best_gb_s"]) for row in new}}
                best = {name: taken.best for name, taken in times.items()}
                for target, value in (
                    [
                        (SPEED_OF_VALIDATION, best["polars cast"] / best["is_valid"]),
                        (COST_OF_SCAN, best["scan"] / best["is_valid"]),
                    ]
                    if function == "validate"
                    else [(SPEED_OF_COUNTING, best["NumPy"] / best["count_chars"])]
                ):
                    row[target.name] = self.judge(target, place, value, binding=binding)
                table.append(row)
            print_table(f"{function}, {size}: GB/s, best round", table)

    def messages(self, text: str, data: bytes) -> None:
        """Measure the validators of WebSockets."""
        table = []
        for size, length in MESSAGES.items():
            pieces = texts.slices(data, length)
            new = rows_of("websocket", text, size, pieces, measure(WEBSOCKET, pieces))
            self.rows += new
            speeds = {str(row["tool"]): str(row["best_gb_s"]) for row in new}
            table.append({"text": text, "size": size, **speeds})
        print_table("websocket: GB/s, best round", table)

    def tiny(self) -> None:
        """Measure calls on a few bytes."""
        table = []
        for name, pieces in texts.tiny_slices():
            new = rows_of("tiny", name, f"{len(pieces[0])}B", pieces, measure(TINY, pieces))
            self.rows += new
            cost = {str(row["tool"]): str(row["best_ns_a_call"]) for row in new}
            value = float(cost["is_valid"]) / float(cost["CPython decode"])
            verdict = self.judge(COST_OF_A_CALL, name, value, binding=name == "11 ASCII")
            table.append({"bytes": name, **cost, COST_OF_A_CALL.name: verdict})
        print_table("tiny: ns a call, best round, without the loop around it", table)


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser("leadbyte beside CPython, NumPy, StringZilla, pyarrow, polars and wsaccel.")
    arguments, chosen, parts = parse_selection(parser, texts.load, ["tiny", "websocket", *SIZES])

    report = Report()
    for part in parts:
        if part == "tiny":
            report.tiny()
        elif part == "websocket":
            for text, data in chosen.items():
                report.messages(text, data)
        else:
            report.bulk(chosen, part)
    outcomes = summaries(report.measured)
    print_outcomes(outcomes)
    if arguments.record:
        tools = ("leadbyte", "numpy", "polars", "pyarrow", "stringzilla", "wsaccel")
        versions = ", ".join(f"{tool} {version(tool)}" for tool in tools)
        isa = ", ".join(f"{function} {isa}" for function, isa in leadbyte.cpu_info()["functions"].items())
        write_record("peers", {"versions": versions, "isa": isa, **outcomes}, report.rows)


if __name__ == "__main__":
    main()
