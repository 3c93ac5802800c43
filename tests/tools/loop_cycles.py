#!/usr/bin/env python3
"""Print the cycles of the inner loops of the kernels on several CPUs, as llvm-mca of LLVM computes them.

    python tests/tools/loop_cycles.py ASSEMBLY [--llvm-mca PROGRAM] > docs/explanation/kernels/loops.md

``nox -f packaging/noxfile.py -s wheels-3.11`` leaves the assembly of the wheel to publish in
target/x86_64-unknown-linux-gnu/dist/deps. llvm-mca takes one instruction after another, so of a loop with
branches it gets the shortest way around. Memory is taken to answer like the first cache.
"""

from __future__ import annotations

import argparse
import heapq
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import inspect_loops

if TYPE_CHECKING:
    from collections.abc import Iterator

CPUS = {
    "Zen 3": "znver3",
    "Zen 4": "znver4",
    "Haswell": "haswell",
    "Alder Lake": "alderlake",
    "Sapphire Rapids": "sapphirerapids",
}
WITHOUT_AVX512 = {"Zen 3", "Haswell", "Alder Lake"}
KERNELS = {
    "is_valid": r"IsValid<.*::Utf8, false>",
    "scan": r"Validate<.*::Utf8, true, true>",
    "is_valid, C2 to DF": r"CheckTier<0: u8, false, false>",
    "scan, C2 to DF": r"CheckTier<0: u8, true, true>",
    "is_valid, to EC without E0": r"CheckTier<1: u8, false, false>",
    "scan, to EC without E0": r"CheckTier<1: u8, true, true>",
    "is_valid, to EC": r"CheckTier<2: u8, false, false>",
    "scan, to EC": r"CheckTier<2: u8, true, true>",
    "is_valid, to EF without E0": r"CheckTier<3: u8, false, false>",
    "scan, to EF without E0": r"CheckTier<3: u8, true, true>",
    "count_chars": r"CountsOf",
    "newlines": r"CountNewlines",
    "decode, Latin-1": r"Decode<u8, false>",
    "decode, UCS-2": r"Decode<u16, false>",
    "decode, UCS-4": r"Decode<u32, false>",
    "length, UCS-2": r"Length<u16, true>",
    "encode, Latin-1": r"Encode<u8, true>",
    "encode, UCS-2": r"Encode<u16, true>",
    "encode, UCS-4": r"Encode<u32, true>",
}
"""What calls them, and the kernels."""

LEAST_VECTORS = 4  # instructions on vectors of a loop that is worth a row
ADVANCE = re.compile(r"(?:addq|subq)\s+\$(-?\d+), %r\w+|leaq\s+(-?\d+)\((%r\w+)\), \3")
HEAD = """# Cycles of the hot loops

What an iteration of each inner loop takes on CPUs with AVX2 and with AVX-512, in cycles, as computed by
llvm-mca of {version} from the machine code of the wheel for x86-64 Linux. *Step* is by how many bytes the
loop advances in its input or, if that is more, its output. Of loops with branches, marked "shortest", the
shortest way around is taken, so others take longer. Memory is taken to answer like the first cache.
[tests/tools/loop_cycles.py](../../../tests/tools/loop_cycles.py) makes this table.
"""


@dataclass(frozen=True)
class Loop:
    """An inner loop, or the shortest way around it."""

    task: str
    isa: str
    functions: str
    instructions: tuple[str, ...]
    branches: bool

    @property
    def step(self) -> int:
        """The bytes by which it advances, or 0 if no register is advanced by a constant."""
        found = (ADVANCE.match(line) for line in self.instructions)
        steps = [abs(int(match[1] or match[2])) for match in found if match]
        return max((step for step in steps if step >= 8), default=0)

    def cycles(self, program: str, cpu: str) -> float:
        """Return the cycles of an iteration, the mean of a thousand."""
        analyse = [program, f"-mcpu={cpu}", "-mtriple=x86_64-unknown-linux-gnu", "-iterations=1000"]
        code = "\n".join(re.sub(r"\.L\w+(?=$|\()", "0", line) for line in self.instructions)
        done = subprocess.run(analyse, input=code, capture_output=True, text=True, check=True)
        match = re.search(r"^Total Cycles:\s+(\d+)", done.stdout, re.MULTILINE)
        if match is None:
            message = f"no cycles in what {program} prints:\n{done.stdout}"
            raise SystemExit(message)
        return int(match[1]) / 1000


def loops(assembly: str) -> Iterator[Loop]:
    """Yield the inner loops of the kernels, each once."""
    lines_of, tables = inspect_loops.read(assembly)
    symbols = list(filter(inspect_loops.TRAMPOLINE.match, lines_of))
    files = {match[1]: match[2] for match in inspect_loops.FILE.finditer(assembly)}
    kernels = list(zip(inspect_loops.names(symbols), symbols, strict=True))
    for task, pattern in KERNELS.items():
        for (isa, kernel), symbol in kernels:
            if isa not in {"avx2", "avx512"} or not re.fullmatch(pattern, kernel):
                continue
            blocks = inspect_loops.blocks_of(lines_of[symbol], tables)
            found = {}
            for loop in inspect_loops.inner_loops(blocks):
                way = shortest_way(blocks, loop)
                instructions = tuple(line for number in way for line in blocks[number].instructions)
                if sum(bool(re.search(r"%[yz]mm", line)) for line in instructions) < LEAST_VECTORS:
                    continue
                places = {place for number in way for place in blocks[number].places}
                functions = inspect_loops.functions_of(files, places)
                # Loops that differ in their registers alone are copies of one.
                shape = tuple(re.sub(r"%\w+|\.L\w+|-?\d*(?=\()", "", line) for line in instructions)
                branches = len(way) < len(loop)
                found[shape] = Loop(task, isa, ", ".join(functions), instructions, branches)
            yield from found.values()


def shortest_way(blocks: list[inspect_loops.Block], loop: set[int]) -> list[int]:
    """Return the blocks of the way around a loop that has the fewest instructions, from its entry on."""
    entries = {to for number, block in enumerate(blocks) if number not in loop for to in block.next & loop}
    ways = []
    for entry in entries or {min(loop)}:
        ahead = [(len(blocks[entry].instructions), [entry])]
        seen: set[int] = set()
        while ahead:
            length, way = heapq.heappop(ahead)
            if entry in blocks[way[-1]].next:
                ways.append((length, way))
                break
            seen.add(way[-1])
            for number in blocks[way[-1]].next & loop - seen:
                heapq.heappush(ahead, (length + len(blocks[number].instructions), [*way, number]))
    return min(ways)[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Cycles of the inner loops of the kernels, by llvm-mca.")
    parser.add_argument("assembly", type=Path)
    parser.add_argument("--llvm-mca", default="llvm-mca", metavar="PROGRAM", help="of LLVM 16 or newer")
    chosen = parser.parse_args()
    printed = subprocess.run(
        [chosen.llvm_mca, "--version"], capture_output=True, text=True, check=True
    ).stdout
    version = re.search(r"LLVM version [\d.]+", printed)
    rows = []
    for loop in loops(chosen.assembly.read_text(encoding="utf-8")):
        cells = [
            ""
            if loop.isa == "avx512" and name in WITHOUT_AVX512
            else f"{loop.cycles(chosen.llvm_mca, cpu):.1f}"
            for name, cpu in CPUS.items()
        ]
        names = f"`{loop.functions}`" if loop.functions else ""
        size = f"{len(loop.instructions)}{', shortest' if loop.branches else ''}"
        rows.append([loop.task, loop.isa, names, size, str(loop.step or ""), *cells])
    if not rows:
        message = f"no kernel of x86-64 in {chosen.assembly}"
        raise SystemExit(message)
    columns = ["called by", "with", "code of", "instructions", "step", *CPUS]
    print(HEAD.format(version=version[0] if version else "LLVM"))
    for cells in [columns, ["---"] * 3 + ["---:"] * (len(columns) - 3), *rows]:
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
