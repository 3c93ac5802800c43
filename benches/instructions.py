#!/usr/bin/env python3
"""Instructions that leadbyte takes without vectors, beside CPython's, counted by Valgrind's Callgrind.

    python benches/instructions.py [--texts DIR] [--record]

An emulated or simple CPU takes about as long as there are instructions, and their number hardly differs from
run to run, whatever else the machine does. Counted are calls on slices of 64 KiB, by LEADBYTE_ISA=scalar, as
the difference between processes with and without them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from statistics import geometric_mean

import leadbyte
import texts
from harness import argument_parser, print_table, write_record

SIZE = 64 << 10
SLICES = 16
CPYTHON = {"decode": "bytes.decode(data)", "encode": "str.encode(text)"}
# Each with the call of CPython beside it, which has no other way to validate or to count.
LEADBYTE = {
    "is_valid": ("leadbyte.is_valid(data)", "decode"),
    "count_chars": ("leadbyte.count_chars(data)", "decode"),
    "decode": ("leadbyte.decode(data)", "decode"),
    "encode": ("leadbyte.encode(text)", "encode"),
}
SCRIPT = """
import sys, leadbyte
with open(sys.argv[1], "rb") as file:
    whole = file.read()
slices = [part.encode() for part in whole.decode().split("\\0")]
strings = [data.decode() for data in slices]
for data, text in zip(slices, strings):
    {}
"""


def instructions(statement: str, path: Path) -> int:
    """Return the number of instructions of a process that runs a statement on each slice of a file."""
    options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = ["valgrind", *options, sys.executable, "-c", SCRIPT.format(statement), str(path)]
    # With this seed dicts take the same instructions in each process.
    env = {**os.environ, "LEADBYTE_ISA": "scalar", "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True, env=env)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    assert collected, done.stderr
    return int(collected[1])


def row(name: str, text: bytes, folder: Path) -> dict[str, str]:
    """Return the instructions for each byte of UTF-8 of the calls on a text, and CPython's over them."""
    parts = texts.slices(text, SIZE)[:SLICES]
    path = folder / f"{name}.txt"
    path.write_bytes(b"\0".join(parts))
    size = sum(map(len, parts))
    nothing = instructions("pass", path)

    def taken(statement: str) -> float:
        return (instructions(statement, path) - nothing) / size

    theirs = {call: taken(statement) for call, statement in CPYTHON.items()}
    cells = {"text": name}
    for call, (statement, beside) in LEADBYTE.items():
        ours = taken(statement)
        cells[call] = f"{ours:.3f}"
        cells[f"{call}, ratio"] = f"{theirs[beside] / ours:.2f}"
    return cells


def main() -> None:
    """Count, print, and record if requested."""
    arguments = argument_parser(__doc__.splitlines()[0]).parse_args()
    chosen = texts.load(arguments.texts)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(row, chosen, chosen.values(), repeat(Path(folder))))
    mean = {"text": "geometric mean"}
    for call in LEADBYTE:
        mean[call] = ""
        mean[f"{call}, ratio"] = f"{geometric_mean(float(cells[f'{call}, ratio']) for cells in rows):.2f}"
    print_table("Instructions a byte without vectors, and CPython's over them", [*rows, mean])
    if arguments.record:
        facts = {"leadbyte": leadbyte.__version__, "slices": f"{SLICES} of {SIZE} bytes"}
        write_record("instructions-scalar", facts, rows)


if __name__ == "__main__":
    main()
