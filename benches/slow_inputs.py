#!/usr/bin/env python3
"""The slowest input of each function whose time depends on the content, beside its typical speed.

python benches/slow_inputs.py [--texts DIR] [--only WORD]... [--minutes N] [--seed N] [--record]

Each function gets all families of input, at two sizes, and then a random search changes the slowest ones
while that makes them slower. The slowest and those whose time grows most are measured again at larger sizes,
so that caches and other programs are not mistaken for growth. Times are CPU times of the thread.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import leadbyte
import leadbyte.codec
import measured_calls
import texts
from harness import (
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
from input_families import Input, byte_count, inputs_of_data, inputs_of_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from measured_calls import Call

TYPICAL = ("english", "russian")
SIZE, GROWN = 4 << 10, 16 << 10  # bytes of all families
SEARCH_SIZE = 4 << 10
TYPICAL_SIZE = 64 << 10
CONFIRMED_SIZES = 8 << 10, 128 << 10  # the least and the most bytes of the smallest of three sizes
LARGER_SIZES = 4, 16  # times the smallest of three sizes, where growth is measured again
CONFIRMED_SECONDS = 0.04  # what the largest of three sizes should take
CONFIRMED = 2  # the number of the slowest inputs that are measured again, and of those that grow most
ROUNDS = 3
RANDOM_STARTS = 8  # the number of the slowest families that a search starts from
MAX_FAILURES = 40  # changes without effect before the next start
SLOWER = 1.03  # the least ratio of times that is more than noise
LONGEST_UNIT, MOST_UNITS, MOST_PARTS = 64, 24, 3

SPEED = Target("MB/s of the slowest input", 2, at_least=True)
GROWTH = Target("time for 4 n bytes / 4 times the time for n", 1.3, at_least=False)


def seconds_a_byte(call: Call, content: str | bytes, rounds: int = 2) -> float:
    """Return the least CPU time of a call a byte of its content."""
    argument = call.made(content) if call.made else content
    contestant = timed("run(argument)", {"run": call.run, "argument": argument}, byte_count(content))
    return min(contestant() for _ in range(rounds))


def confirmed(call: Call, given: Input[Any], size: int) -> tuple[float, float]:
    """Return the most seconds a byte at n, 2 n and 4 n bytes, and the growth: that at 4 n over that at n."""
    contents = {str(times): given.make(times * size) for times in (1, 2, 4)}
    turns = {
        times: timed(
            "run(argument)",
            {"run": call.run, "argument": call.made(content) if call.made else content},
            byte_count(content),
        )
        for times, content in contents.items()
    }
    seconds = [taken.best for taken in in_turns(turns, rounds=ROUNDS).values()]
    return max(seconds), seconds[-1] / seconds[0]


def lasting_growth(call: Call, given: Input[Any], size: int, growth: float) -> float:
    """Return the growth if it lasts at larger sizes, as a step to a slower cache does not; else the least."""
    for times in LARGER_SIZES:
        if not GROWTH.met_by(growth):
            growth = min(growth, confirmed(call, given, times * size)[1])
    return growth


class Search:
    """A random search for inputs that take a function longer than those known so far."""

    def __init__(self, call: Call, found: Mapping[str, Input[Any]], source: random.Random) -> None:
        self.call = call
        self.random = source
        self.units = [unit for given in found.values() for part in given.parts for unit in part]

    def changed(self, given: Input[Any]) -> Input[Any]:
        """Return an input with a random change."""
        parts = list(given.parts)
        at = self.random.randrange(len(parts))
        units = list(parts[at])
        index = self.random.randrange(len(units))
        unit, other = units[index], self.random.choice(self.units)
        cut = self.random.randrange(len(unit) + 1)
        match self.random.randrange(8):
            case 0:
                units.append(other)
            case 1:
                del units[index]
            case 2:
                units[index] = unit + other
            case 3:
                units[index] = unit[:cut] + other + unit[cut:]
            case 4:
                units[index] = unit[:cut] + unit[cut + 1 :]
            case 5:
                units[index] = unit + unit
            case 6:
                units[index] = other
            case _:
                parts.insert(at, (other,))
        kept = tuple(unit[:LONGEST_UNIT] for unit in units[-MOST_UNITS:] if unit)
        position = at + len(parts) - len(given.parts)
        parts[position : position + 1] = [kept] if kept else []
        return Input(tuple(parts[-MOST_PARTS:])) if parts else given

    def climb(self, starts: Sequence[Input[Any]], seconds: float) -> Input[Any]:
        """Return the slowest input that changes of some inputs lead to, in a time."""
        end = time.perf_counter() + seconds
        slowest, slowest_time = starts[0], 0.0
        for start in starts:
            best, best_time, failures = start, self.time(start), 0
            while failures < MAX_FAILURES and time.perf_counter() < end:
                candidate = self.changed(best)
                if self.time(candidate) > SLOWER * best_time:
                    # Once more, since the first time may include an interruption.
                    best_time, again = self.time(best), self.time(candidate)
                    if again > SLOWER * best_time:
                        best, best_time, failures = candidate, again, 0
                        continue
                failures += 1
            if best_time > slowest_time:
                slowest, slowest_time = best, best_time
        return slowest

    def time(self, given: Input[Any]) -> float:
        """Return the seconds a byte of an input."""
        return seconds_a_byte(self.call, given.make(SEARCH_SIZE))


def slowest(
    call: Call, families: Mapping[str, Input[Any]], seconds: float, seed: int
) -> tuple[tuple[str, float], tuple[str, float]]:
    """Return the slowest input and its seconds a byte, and the one that grows most and its growth."""
    small = {name: seconds_a_byte(call, given.make(SIZE)) for name, given in families.items()}
    large = {name: seconds_a_byte(call, given.make(GROWN)) for name, given in families.items()}
    by_time = sorted(families, key=large.__getitem__, reverse=True)
    by_growth = sorted(families, key=lambda name: large[name] / small[name], reverse=True)
    chosen = {name: families[name] for name in (*by_time[:CONFIRMED], *by_growth[:CONFIRMED])}
    least, most = CONFIRMED_SIZES
    size = min(max(least, int(CONFIRMED_SECONDS / large[by_time[0]] / 4)), most)
    if seconds:
        starts = [families[name] for name in by_time[:RANDOM_STARTS]]
        found = Search(call, families, random.Random(seed)).climb(starts, seconds)
        chosen.setdefault(f"found: {found}", found)
    times, growths = {}, {}
    for name, given in chosen.items():
        times[name], growth = confirmed(call, given, size)
        growths[name] = lasting_growth(call, given, size, growth)
    worst, grown = max(times, key=times.__getitem__), max(growths, key=growths.__getitem__)
    return (worst, times[worst]), (grown, growths[grown])


def functions(words: Sequence[str]) -> Iterator[tuple[str, str, Call]]:
    """Yield the name of each function that has one of the words, or of all, what it takes, and its call."""
    for takes, calls in (("data", measured_calls.of_data()), ("text", measured_calls.of_text())):
        for name, call in calls.items():
            if not words or any(word in name for word in words):
                yield name, takes, measured_calls.tried(call)


def main() -> None:
    """Measure all functions."""
    parser = argument_parser(__doc__)
    parser.add_argument("--only", action="append", metavar="WORD", help="only functions with it in the name")
    parser.add_argument("--minutes", type=float, default=2, metavar="N", help="of the random search")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random search")
    arguments = parser.parse_args()
    if arguments.only and arguments.record:
        parser.error("--record is for whole runs, not with --only")
    leadbyte.codec.register()
    let_memory_be_used_again()
    gc.freeze()  # the collections during calls are of their own objects

    corpora = texts.load(arguments.texts)
    families: dict[str, Mapping[str, Input[Any]]] = {"data": inputs_of_data(), "text": inputs_of_text()}
    wanted = list(functions(arguments.only or []))
    if not wanted:
        parser.error(f"--only: no function has {' or '.join(arguments.only)} in its name")
    rows = []
    measured: dict[Target, dict[str, float]] = {SPEED: {}, GROWTH: {}}
    for name, takes, call in wanted:
        row = {"function": name, "takes": takes}
        for text in TYPICAL:
            data = texts.whole(corpora[text][:TYPICAL_SIZE])
            row[f"{text}_mb_s"] = speed(seconds_a_byte(call, data if takes == "data" else data.decode()))
        seconds = 60 * arguments.minutes / len(wanted)
        (worst, taken), (grown, growth) = slowest(call, families[takes], seconds, arguments.seed)
        row |= {
            "slowest_mb_s": speed(taken),
            "slowest_input": worst,
            "growth": f"{growth:.2f}",
            "growing_input": grown,
        }
        rows.append(row)
        print(*row.values(), sep=", ", file=sys.stderr, flush=True)
        measured[SPEED][name], measured[GROWTH][name] = 1e-6 / taken, growth
    print_table("MB/s of UTF-8, CPU time", rows)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}",
            "isa": leadbyte.cpu_info()["functions"]["is_valid"],
            "families": f"{len(families['data'])} of data, {len(families['text'])} of text",
            "random search": f"{arguments.minutes:g} minutes, seed {arguments.seed}",
        }
        write_record("slow-inputs", {**facts, **outcomes}, rows)


def speed(seconds: float) -> str:
    """Return seconds a byte as MB/s with three digits, or more if there are more before the point."""
    return f"{1e-6 / seconds:.3g}" if seconds > 1e-9 else f"{1e-6 / seconds:.0f}"


if __name__ == "__main__":
    main()
