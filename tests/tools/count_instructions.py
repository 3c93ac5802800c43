#!/usr/bin/env python3
"""Count the instructions of every kernel under Callgrind, and compare them with the record.

    python tests/tools/count_instructions.py [--record]

Times differ from run to run and from machine to machine, instructions hardly do. Each kernel may take at
most 2 % more instructions for each byte of UTF-8 than ``tests/record/instructions.csv`` has for it;
``--record`` writes that file. Valgrind has no AVX-512. Another compiler gives other code, so the record
holds for the version of rustc in its first line.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests/record/instructions.csv"
SETS = ["sse42", "avx2"]
TOLERANCE = 1.02

Key = tuple[str, str, str]


def build() -> Path:
    """Build the program that calls the kernels, with its symbols, and return its path."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), "instructions")
    env = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_PROFILE_DIST_STRIP": "none"}
    command = ["cargo", "build", "--profile", "dist", "-p", "leadbyte-benches", "--bin", "instructions"]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return target / "dist/instructions"


def count(program: Path) -> dict[Key, float]:
    """Return the instructions for each byte by kernel, instruction set and text."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        texts = [sys.executable, str(ROOT / "benches/texts.py"), name]
        subprocess.run(texts, check=True, stdout=subprocess.DEVNULL)
        valgrind = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--quiet"]
        valgrind += ["--toggle-collect=*measured*", "--dump-after=instructions::measured*"]
        valgrind += [f"--callgrind-out-file={directory}/out", str(program), name, *SETS]
        calls = subprocess.run(valgrind, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        counts: dict[Key, float] = {}
        for number, call in enumerate(calls, 1):
            kernel, isa, text, length = call.split(",")
            dump = (directory / f"out.{number}").read_text(encoding="utf-8")
            totals = re.search(r"^(?:totals|summary): (\d+)", dump, re.MULTILINE)
            if totals is None:
                message = f"Callgrind's profile of {call} has no total"
                raise SystemExit(message)
            counts[kernel, isa, text] = int(totals[1]) / int(length)
    return counts


def rustc() -> str:
    """Return the version of the compiler."""
    return subprocess.run(
        ["rustc", "--version"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def read() -> tuple[str, dict[Key, float]]:
    """Return the compiler and the counts of the record."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        head = file.readline().removeprefix("# ").rstrip()
        counts = {
            (row["kernel"], row["instruction set"], row["text"]): float(row["instructions per byte"])
            for row in csv.DictReader(file)
        }
    return head, counts


def write(counts: dict[Key, float]) -> None:
    """Write the record."""
    lines = [f"# {rustc()}", "kernel,instruction set,text,instructions per byte"]
    lines += [f"{','.join(key)},{number:.4f}" for key, number in sorted(counts.items())]
    RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def compare(counts: dict[Key, float], record: dict[Key, float]) -> list[str]:
    """Return the errors in some counts."""
    wrong = [
        f"{' '.join(key)}: {counts[key]:.4f} instructions per byte instead of {expected:.4f}"
        for key, expected in record.items()
        if key in counts and counts[key] > expected * TOLERANCE
    ]
    missing = sorted(record.keys() ^ counts.keys())
    return wrong + [f"{' '.join(key)}: not in both the record and the run" for key in missing]


def main() -> None:
    """Count and compare, or record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if platform.machine().lower() not in {"x86_64", "amd64"} or shutil.which("valgrind") is None:
        print("skipped: this needs x86-64 and valgrind")
        return
    compiler, record = read() if RECORD.exists() else ("", {})
    if not arguments.record and compiler != rustc():
        print(f"skipped: the record is by {compiler or 'no compiler'}, and this is {rustc()}; record again")
        return
    counts = count(build())
    if arguments.record:
        write(counts)
        return
    wrong = compare(counts, record)
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(f"{len(counts)} counts are at most {TOLERANCE - 1:.0%} above the record")


if __name__ == "__main__":
    main()
