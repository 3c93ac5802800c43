#!/usr/bin/env python3
"""decode, encode and their kin beside CPython, on inputs made to break them.

python tests/python/differential.py [--outcomes N] [--seed SEED] [--batch N] [--processes N]

An outcome is what one call comes to: the result and its storage, or the exception and its fields. Inputs
are drawn in batches, each from a seed of its own, so that what fails can be had again.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import handlers
import leadbyte
import outcomes
from outcomes import outcome
from strategies import BOUNDARY_BYTES, BROKEN, SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

INPUTS = 300  # of a batch
CHARS = "\0\n a\x7f\x80é\xff\u0100я\u07ff\u0800€\ud7ff\ue000\ufeff\uffff😀\U00010000\U0010ffff"
SURROGATES = "\ud800\udbff\udc00\udc7f\udc80\udcbf\udcff\udd00\udfff"
LONG = (2000, 20_000)


class Difference(Exception):
    """Two outcomes differ."""


# Inputs.


def of_any_bytes(source: random.Random) -> bytes:
    """Make a few bytes, any or those at which the rules change."""
    length = source.randrange(13)
    return (
        source.randbytes(length) if source.random() < 0.3 else bytes(source.choices(BOUNDARY_BYTES, k=length))
    )


def of_one_script(source: random.Random) -> bytes:
    """Make text of one script, whole, from a vector's edge or so."""
    script = source.choice(SCRIPT_TEXTS)
    start = source.randrange(len(script) // 2)
    return script[start : start + source.choice((3, 8, 16, 33, 65, 130))].encode()


def of_chars(source: random.Random) -> bytes:
    """Make text of a few different chars, in runs."""
    runs = (source.choice(CHARS) * source.choice((1, 1, 2, 3, 15, 31)) for _ in range(source.randrange(6)))
    return "".join(runs).encode()


def with_one_wide_char(source: random.Random) -> bytes:
    """Make a run of one char, with another somewhere."""
    before, char, after = source.randrange(140), source.choice(CHARS), source.randrange(70)
    common = source.choice("aaé я€😀")
    return (common * before + char + common * after).encode()


def mutated(source: random.Random) -> bytes:
    """Make text with bytes changed, inserted, deleted, or cut off at either end."""
    data = bytearray(source.choice(VALID)(source))
    for _ in range(source.randint(1, 3)):
        at = source.randrange(len(data) + 1)
        how = source.randrange(6)
        if how == 0:
            data[at : at + 1] = [source.choice(BOUNDARY_BYTES)]
        elif how == 1:
            data[at:at] = source.choice(BROKEN)
        elif how == 2:
            del data[at : at + source.randint(1, 3)]
        elif how == 3 and at < len(data):
            data[at] ^= 1 << source.randrange(8)
        elif how == 4:
            del data[-source.randint(1, 4) :]
        else:
            del data[: source.randint(1, 4)]
    return bytes(data)


def of_broken_parts(source: random.Random) -> bytes:
    """Join broken sequences and text, so that errors are neighbours."""
    parts = (
        source.choice(BROKEN) if source.random() < 0.6 else of_chars(source)
        for _ in range(source.randrange(6))
    )
    return b"".join(parts)


def with_surrogates(source: random.Random) -> bytes:
    """Make text with surrogates as three bytes, pairs among them."""
    chars = source.choices(CHARS + 2 * SURROGATES, k=source.randrange(20))
    return "".join(chars).encode("utf-8", "surrogatepass")


def long_with_rare_errors(source: random.Random) -> bytes:
    """Make long text with a few errors."""
    text = source.choice(SCRIPT_TEXTS).encode()
    length = source.randint(*LONG)
    data = bytearray((text * (length // len(text) + 1))[:length])
    for _ in range(source.randrange(4)):
        at = source.randrange(length)
        data[at : at + 1] = source.choice(BROKEN)
    return bytes(data)


SCRIPT_TEXTS = [script * 8 for script in [*SCRIPTS.values(), "".join(SCRIPTS.values())]]
VALID = [of_one_script, of_chars, with_one_wide_char]
MAKERS = [*VALID, of_broken_parts, with_surrogates, *3 * [of_any_bytes, mutated]]


def text_of(source: random.Random, data: bytes) -> str:
    """Make a str to encode: from chars and surrogates, or or from bytes with more put in."""
    how = source.randrange(4)
    if how == 0:
        return "".join(source.choices(CHARS + SURROGATES, k=source.randrange(40)))
    text = data.decode("utf-8", "replace" if how == 1 else "surrogateescape")
    if how == 2:
        at = source.randrange(len(text) + 1)
        run = "".join(source.choices(SURROGATES, k=source.choice((0, 1, 2, 3, 20))))
        text = text[:at] + run + text[at:]
    return text


# The comparisons.


def repaired(data: bytes, replacement: str) -> bytes:
    """Repair by CPython."""
    handlers.register("leadbyte-tests-repair", lambda error: (replacement, error.end))
    return data.decode("utf-8", "leadbyte-tests-repair").encode()


def well_formed(text: str) -> str:
    """Join pairs and replace lone surrogates by CPython."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encoded_length(text: str) -> int:
    """Count what CPython encodes."""
    return len(text.encode())


class Pair(NamedTuple):
    """A function of leadbyte and what CPython offers for it."""

    name: str
    ours: Callable[..., Any]
    cpythons: Callable[..., Any]
    keywords: Mapping[str, str] = MappingProxyType({})


FOR_BYTES = [
    *(
        Pair("decode", leadbyte.decode, outcomes.decode, {"errors": errors})
        for errors in handlers.FOR_DECODING
    ),
    Pair("repair", leadbyte.repair, functools.partial(repaired, replacement="\ufffd")),
    *(
        Pair(
            "repair",
            functools.partial(leadbyte.repair, replacement=new),
            functools.partial(repaired, replacement=new),
        )
        for new in ("", "?", "<é€>")
    ),
]
FOR_TEXTS = [
    *(
        Pair("encode", leadbyte.encode, outcomes.encode, {"errors": errors})
        for errors in handlers.FOR_ENCODING
    ),
    Pair("encoded_length", leadbyte.encoded_length, encoded_length),
    Pair("to_well_formed", leadbyte.to_well_formed, well_formed),
]


def differs(pair: Pair, argument: bytes | str) -> bool:
    """Return whether the two functions differ on an argument."""
    return outcome(pair.ours, argument, **pair.keywords) != outcome(pair.cpythons, argument, **pair.keywords)


def smallest(pair: Pair, argument: Any) -> Any:  # noqa: ANN401
    """Leave parts of an argument away for as long as the functions still differ."""
    size = len(argument) // 2
    while size:
        for at in range(0, len(argument), size):
            less = argument[:at] + argument[at + size :]
            if differs(pair, less):
                argument = less
                break
        else:
            size //= 2
    return argument


def reported(pair: Pair, argument: bytes | str) -> str:
    """Report a difference."""
    keywords = ", ".join(f"{name}={value!r}" for name, value in pair.keywords.items())
    return (
        f"{pair.name}({argument!a}, {keywords})\n"
        f"  leadbyte: {outcome(pair.ours, argument, **pair.keywords)!a}\n"
        f"  CPython:  {outcome(pair.cpythons, argument, **pair.keywords)!a}"
    )


def inputs(source: random.Random) -> Iterator[tuple[bytes, str]]:
    """Make the inputs of a batch: bytes and a str to each."""
    for _ in range(INPUTS):
        data = source.choice(MAKERS)(source)
        yield data, text_of(source, data)
    data = long_with_rare_errors(source)
    yield data, text_of(source, data)


def run_batch(seed: str, batch: int) -> Counter[str]:
    """Compare the outcomes of a batch; count them by function and by whether it raised or had errors."""
    source = random.Random(f"{seed}:{batch}")
    counts: Counter[str] = Counter()
    for data, text in inputs(source):
        for pairs, argument in ((FOR_BYTES, data), (FOR_TEXTS, text)):
            for pair in pairs:
                ours = outcome(pair.ours, argument, **pair.keywords)
                if ours != outcome(pair.cpythons, argument, **pair.keywords):
                    message = f"seed {seed}, batch {batch}: {reported(pair, smallest(pair, argument))}"
                    raise Difference(message)
                counts[pair.name] += 1
                counts["raised"] += isinstance(ours[0], type) and issubclass(ours[0], Exception)
    return counts


def run(wanted: int, seed: str, processes: int) -> Counter[str]:
    """Compare at least this many outcomes, on some processes."""
    first = run_batch(seed, 0)
    counts = Counter(first)
    each = compared(first)
    batches = range(1, -(-wanted // each) + 1) if wanted > each else range(0)
    with ProcessPoolExecutor(processes) as pool:
        for number, found in enumerate(pool.map(functools.partial(run_batch, seed), batches, chunksize=8)):
            counts += found
            if number % 400 == 399:
                print(f"{compared(counts):,} outcomes", flush=True)
    return counts


def compared(counts: Counter[str]) -> int:
    """Return the number of outcomes."""
    return sum(number for name, number in counts.items() if name != "raised")


def main() -> None:
    """Compare as many outcomes as are asked for."""
    parser = argparse.ArgumentParser(description="Compare leadbyte with CPython on adversarial inputs.")
    parser.add_argument("--outcomes", type=int, default=10_000_000, metavar="N", help="the minimum number")
    parser.add_argument("--seed", default="leadbyte", help="of all inputs")
    parser.add_argument("--batch", type=int, metavar="N", help="this batch only, in this process")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N")
    arguments = parser.parse_args()
    start = time.monotonic()
    if arguments.batch is not None:
        counts = run_batch(arguments.seed, arguments.batch)
    else:
        counts = run(arguments.outcomes, arguments.seed, arguments.processes)
    functions = ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items()) if name != "raised")
    isa = leadbyte.cpu_info()["override"] or leadbyte.cpu_info()["detected"][-1]
    print(f"{functions}; {counts['raised']:,} of them exceptions")
    took = f"seed {arguments.seed}, {isa}, {time.monotonic() - start:.0f} s"
    print(f"{compared(counts):,} outcomes equal CPython {sys.version.split()[0]}'s; {took}")


if __name__ == "__main__":
    try:
        main()
    except Difference as difference:
        raise SystemExit(str(difference)) from None
