#!/usr/bin/env python3
"""Iteration over the lines of a large file: lines beside open() and other ways, interleaved in one process.

python benches/lines.py [--texts DIR] [--only TEXT]... [--size BYTES] [--record]

LEADBYTE_ISA selects an instruction set; a record of another than the best one has its name.
"""

from __future__ import annotations

import codecs
import itertools
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
import leadbyte.codec
import texts
from harness import (
    Target,
    argument_parser,
    in_turns,
    let_memory_be_used_again,
    print_outcomes,
    print_table,
    summaries,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

SIZE = 300 << 20
SHOWN = ("russian", "ascii", "english", "french", "chinese")
# The mean bytes of a line; lines of other texts are as they are.
LINE_BYTES = {"russian": 117, "ascii": 67}
BATCH = 128
BLOCK_BYTES = 1 << 20
ROUNDS = 5
TARGETS = {
    "russian": Target("open() / lines, Russian", 3, at_least=True),
    "ascii": Target("open() / lines, ASCII", 2, at_least=True),
}


def chunked(path: Path) -> Iterator[str]:
    """Yield lines by the fastest way with the standard library: decode blocks, and split them at LF."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    rest = ""
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK_BYTES):
            *lines, rest = (rest + decoder.decode(block)).split("\n")
            for line in lines:
                yield f"{line}\n"
    if rest := rest + decoder.decode(b"", final=True):
        yield rest


CONTESTANTS: dict[str, Callable[[Path], Iterable[object]]] = {
    "open": lambda path: path.open(encoding="utf-8"),
    "open, newline='\\n'": lambda path: path.open(encoding="utf-8", newline="\n"),
    "open, leadbyte-utf-8": lambda path: path.open(encoding="leadbyte-utf-8"),
    "blocks, decode, split": chunked,
    "lines": leadbyte.lines,
    "lines, newline='\\n'": lambda path: leadbyte.lines(path, newline="\n"),
    "lines.batches": lambda path: itertools.chain.from_iterable(leadbyte.lines(path).batches(BATCH)),
}


def wrapped(name: str, data: bytes) -> bytes:
    """Return a text with lines of about the length that is measured."""
    if name not in LINE_BYTES:
        return data
    words = data.decode().split()
    width = LINE_BYTES[name] * len(" ".join(words)) // len(" ".join(words).encode())
    text = " ".join(words)
    lines = (text[start : start + width - 1] for start in range(0, len(text), width - 1))
    return "".join(f"{line}\n" for line in lines).encode()


def consumed(lines: Callable[[Path], Iterable[object]], path: Path) -> float:
    """Return the seconds that iteration over all lines takes."""
    start = time.thread_time()
    for _ in lines(path):
        pass
    return time.thread_time() - start


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser(__doc__)
    parser.add_argument("--only", action="append", metavar="TEXT", help=f"one of {', '.join(SHOWN)}")
    parser.add_argument("--size", type=int, default=SIZE, metavar="BYTES", help="of each file")
    arguments = parser.parse_args()
    if arguments.only and arguments.record:
        parser.error("--record is for whole runs, not with --only")

    leadbyte.codec.register()
    let_memory_be_used_again()
    rows: list[Mapping[str, object]] = []
    measured: dict[Target, dict[str, float]] = {}
    corpora = {name: data for name, data in texts.load(arguments.texts).items() if name in SHOWN}
    for name, data in corpora.items():
        if arguments.only and name not in arguments.only:
            continue
        text = wrapped(name, data)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text.txt"
            with path.open("wb") as file:
                for _ in range(arguments.size // len(text) + 1):
                    file.write(text)
            size = path.stat().st_size
            count = sum(1 for _ in path.open("rb"))
            for contestant, lines in CONTESTANTS.items():
                pairs = zip(lines(path), path.open(encoding="utf-8"), strict=True)
                assert all(ours == line for ours, line in pairs), contestant
            turns = {name: partial(consumed, lines, path) for name, lines in CONTESTANTS.items()}
            times = in_turns(turns, rounds=ROUNDS)
        shown = []
        for contestant, taken in times.items():
            ratio = times["open"].best / taken.best
            row = {
                "text": name,
                "bytes_a_line": f"{size / count:.0f}",
                "way": contestant,
                "best_s": f"{taken.best:.3f}",
                "median_s": f"{taken.median:.3f}",
                "best_ns_a_line": f"{1e9 * taken.best / count:.1f}",
                "open_over_it": f"{ratio:.2f}",
            }
            rows.append(row)
            shown.append({key: row[key] for key in ("way", "best_s", "best_ns_a_line", "open_over_it")})
            if contestant == "lines" and name in TARGETS:
                measured[TARGETS[name]] = {name: ratio}
        print_table(f"{name}: {size / 1e6:.0f} MB, {size / count:.0f} bytes a line", shown)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        isa = leadbyte.cpu_info()["functions"]["lines"]
        facts = {"versions": f"leadbyte {leadbyte.__version__}", "isa": isa}
        write_record("lines", {**facts, **outcomes}, rows)


if __name__ == "__main__":
    main()
