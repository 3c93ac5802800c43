#!/usr/bin/env python3
"""Look for calls and panics in the inner loops of all kernels, in the assembly of a release build.

    python tests/tools/inspect_loops.py ASSEMBLY

A kernel is compiled for an instruction set in a function ``trampoline`` of ``src/simd``, with all that it
calls inlined, but for functions of ``src/kernels`` that are compiled once, which are inspected as a part
of it. Their instructions are split into blocks at labels and jumps. Blocks that reach each other are a
loop; an inner loop is one that holds no other. None may call anything, nor have a way out to a panic, as
a check of bounds is. Every kernel of ``src/kernels`` must be found for every instruction set, and with a
loop over vectors of its width, so that a kernel that was not inspected does not pass.

The assembly must have symbols by the mangling v0, which has the kernel, and the numbers of the lines
that it is from; ``c++filt`` reads the symbols.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

KERNELS = Path(__file__).parents[2] / "src/kernels"
SOURCES = "".join(path.read_text(encoding="utf-8") for path in KERNELS.rglob("*.rs"))
PANIC = re.compile(r"panic|_fail|unwrap|handle_error")
# Instruction sets of each architecture, and what an instruction of them has that handles a whole vector.
VECTORS = {
    "x86_64": {"scalar": r"%r", "sse42": r"%xmm", "avx2": r"%ymm", "avx512": r"%zmm"},
    "aarch64": {"scalar": r"\bx\d", "neon": r"\bv\d+\.(16b|2d)"},
}
# The kernels that an instruction set leaves to another, by Task::Further.
FURTHER = r"^impl.* Kernel for &?(\w+)(?:(?!^impl)[\s\S])*?Task::Further;"
LEAVES = {"sse42": set(re.findall(FURTHER, SOURCES, re.MULTILINE))}
# Kernels of an instruction set that leaves the others to another one.
DOES_ONLY = {
    "avx512": {
        "CountsOf",
        "Decode",
        "DecodeSingleByte",
        "Encode",
        "EncodeSingleByte",
        "IsValid",
        "Length",
        "Measure",
        "Outside",
        "SingleByteLength",
        "Validate",
        "ValidateWary",
    },
}
# Functions of the kernels whose loops may call or panic, and what they may call, with the reason.
EXEMPT: dict[tuple[str, str], str] = {
    ("lanes_of", "memcpy"): "the rest of a piece is filled up to a block once, where blocks are unrolled",
    ("step", "memcpy"): "the last vectors of units go through memory where there are no partial stores",
    ("add_known", "count_four_byte_leads"): "it is rarely called, and from loops that need all registers",
    ("partial_window", "memcpy"): "the last bytes are filled up to a window, once or twice",
    ("splice", "memcpy"): "the text between two surrogates is copied, from block to block",
    ("splice", "slice_index_fail"): "bounds are checked once for each surrogate",
    ("put_run", "slice_index_fail"): "bounds are checked once for each surrogate",
    ("drop_surrogates", "memcpy"): "the last bytes are filled up to a window",
    ("drop_surrogates", "slice_index_fail"): "bounds are checked once for each block",
    ("run", "slice_index_fail"): "bounds are checked once for each block that a search does not exclude",
    ("over_start", "slice_index_fail"): "bounds are checked for each vector of less than a block",
    ("run", "memcpy"): "the last views are filled up to a chunk",
    ("run", "simd5masks"): "comparisons without vectors are compiled once",
    ("mark", "simd5masks"): "comparisons without vectors are compiled once",
    ("nth_of_chunk", "nth_by_one"): "it is for text that is not valid",
    ("marks_at", "partial_chunks"): "the last bytes are filled up to a chunk",
    ("byte_at", "other_byte"): "it is for text that is not valid",
    ("lead_before", "bytes_at"): "it is for text that is not valid, and for its last bytes",
    ("rank_and_start", "partial_chunks"): "the last bytes are filled up to half a block",
    ("offset_of", "start_of"): "it is for runs of continuation bytes",
    ("place_of_byte", "start_of"): "it is for bytes inside characters",
    ("marks", "simd5masks"): "comparisons without vectors are compiled once",
    ("last_bytes", "simd5masks"): "comparisons without vectors are compiled once",
    ("find", "simd5masks"): "comparisons without vectors are compiled once",
    ("unpaired", "simd5masks"): "comparisons without vectors are compiled once",
    ("unpaired", "*%r"): "comparisons without vectors are compiled once, and called by their addresses",
    ("find", "scalar4find"): "the search without vectors is compiled once",
    ("decode_single_byte", "scalar12decode_valid"): "it is called for some hundred bytes",
    ("copy_without_errors", "panic_bounds_check"): "it is for text that is not valid",
    ("each_block", "memcpy"): "the last units are filled up to a block",
    ("each_block", "slice_index_fail"): "bounds are checked once for each block",
}
# Kernels whose loops are all in other kernels or unrolled: single lookups, among others.
WITHOUT_LOOPS = {
    "Convert",
    "DecodeChecked",
    "FarByte",
    "FarColumn",
    "FindErrors",
    "FindPosition",
    "OffsetOf",
    "Ranks",
    "Select",
    "StartOf",
}

Node = TypeVar("Node", int, str)

LABEL = re.compile(r"(\.L\w+):")
FUNCTION = re.compile(r"(_R\w*8leadbyte(?:4simd\w*10trampoline|7kernels)\w*):")
TRAMPOLINE = re.compile(r"_R\w*8leadbyte4simd\w*10trampoline")
NAME = re.compile(r"leadbyte::simd::(\w+)::trampoline::<&?leadbyte::kernels::(?:[a-z_]+::)*(.*)>$")
CALL = re.compile(r"(?:call|callq|bl|blr)\s+(.*)")
JUMP = re.compile(r"(?:jmp|jmpq|b|br)\s+(.*)")
BRANCH = re.compile(r"(?:j[a-z]+|b\.\w+|cbn?z|tbn?z)\s+(?:.*, )?(\.L\w+)")
PLACE = re.compile(r"\.loc\s+(\d+) (\d+)")
FILE = re.compile(r'\.file\s+(\d+)\s.*"(?:[^"]*/)?src/kernels/([\w/]+\.rs)"')
END = re.compile(r"(?:ret|retq|ud2|brk)\b")


@dataclass
class Block:
    """Instructions that run one after another, and the numbers of the blocks that may follow."""

    instructions: list[str] = field(default_factory=list)
    # The numbers of the files and lines that they are from.
    places: set[tuple[str, int]] = field(default_factory=set)
    next: set[int] = field(default_factory=set)

    def callees(self) -> Iterator[str]:
        """Yield the functions that are called, or jumped to."""
        for instruction in self.instructions:
            match = CALL.match(instruction) or JUMP.match(instruction)
            if match and not match[1].startswith((".L", "*%", "x")):
                yield match[1]
            elif CALL.match(instruction):
                yield instruction

    def panics(self) -> bool:
        """Return whether it ends in a panic."""
        return self.instructions[-1:] == ["ud2"] or any(map(PANIC.search, self.callees()))


def blocks_of(lines: Iterable[str], tables: dict[str, set[str]]) -> list[Block]:
    """Return the blocks of a function; ``tables`` holds the labels in each jump table."""
    blocks = [Block()]
    numbers: dict[str, int] = {}
    targets: list[set[str]] = [set()]
    falls = True  # whether the last block continues in the next
    tables_used: set[str] = set()

    def start() -> None:
        if falls:
            blocks[-1].next.add(len(blocks))
        blocks.append(Block())
        targets.append(set())

    for line in lines:
        if label := LABEL.match(line):
            start()
            falls = True
            numbers[label[1]] = len(blocks) - 1
            continue
        if place := PLACE.match(line):
            blocks[-1].places.add((place[1], int(place[2])))
            continue
        if not falls:
            start()
            falls = True
        blocks[-1].instructions.append(line)
        tables_used.update(set(re.findall(r"\.L\w+", line)) & tables.keys())
        if jump := JUMP.match(line):
            falls = False
            if jump[1].startswith(".L"):
                targets[-1].add(jump[1])
            else:
                targets[-1].update(*(tables[table] for table in tables_used))
        elif branch := BRANCH.match(line):
            targets[-1].add(branch[1])
            start()
        elif END.match(line) or ((call := CALL.match(line)) and PANIC.search(call[1])):
            falls = False
    for block, labels in zip(blocks, targets, strict=True):
        block.next.update(numbers[label] for label in labels)
        block.next.discard(len(blocks))
    return blocks


def reached(edges: Mapping[Node, set[Node]], start: Node, allowed: set[Node]) -> set[Node]:
    """Return the allowed blocks, or functions, that can be reached from ``start`` over one edge or more."""
    seen: set[Node] = set()
    ahead = [start]
    while ahead:
        new = (edges[ahead.pop()] & allowed) - seen
        seen |= new
        ahead.extend(new)
    return seen


def inner_loops(blocks: list[Block]) -> list[set[int]]:
    """Return the loops that hold no other."""
    return list(loops_within({number: block.next for number, block in enumerate(blocks)}, {0}))


def loops_within(edges: dict[int, set[int]], entries: set[int]) -> Iterator[set[int]]:
    """Yield the inner loops of a graph that is entered at ``entries``."""
    for loop in cycles(edges):
        heads = {to for outside in edges.keys() - loop for to in edges[outside] & loop} | entries & loop
        # A loop that remains without the way back to this one's entry is a loop within it.
        within = {number: edges[number] & loop - heads for number in loop}
        yield from list(loops_within(within, heads)) or [loop]


def cycles(edges: dict[int, set[int]]) -> Iterator[set[int]]:
    """Yield the nodes that reach each other and themselves (Kosaraju's strongly connected components)."""
    backwards: dict[int, set[int]] = {number: set() for number in edges}
    for number, nexts in edges.items():
        for to in nexts:
            backwards[to].add(number)
    left = set(edges)
    for number in reversed(finished(edges)):
        if number in left:
            component = reached(backwards, number, left)
            left -= component | {number}
            if number in component:
                yield component


def finished(edges: dict[int, set[int]]) -> list[int]:
    """Return the nodes in the order in which a depth-first search leaves them."""
    order: list[int] = []
    seen: set[int] = set()
    for number, following in edges.items():
        ahead = [] if number in seen else [(number, iter(following))]
        seen.add(number)
        while ahead:
            node, nexts = ahead[-1]
            to = next((to for to in nexts if to not in seen), None)
            if to is None:
                order.append(node)
                ahead.pop()
            else:
                seen.add(to)
                ahead.append((to, iter(edges[to])))
    return order


def faults(blocks: list[Block], loop: set[int]) -> set[str]:
    """Return what an inner loop calls, and the panics that it may end in."""
    found = {callee for number in loop for callee in blocks[number].callees()}
    for way_out in {to for number in loop for to in blocks[number].next} - loop:
        block = blocks[way_out]
        while len(block.next) == 1 and not block.panics() and next(iter(block.next)) not in loop:
            passed, block = block, blocks[next(iter(block.next))]
            if block is passed:
                break
        if block.panics():
            found.add(f"a way out to {', '.join(block.callees()) or 'a trap'}")
    return found


def functions_of(files: dict[str, str], places: Iterable[tuple[str, int]]) -> list[str]:
    """Return the names of the functions of the kernels that some places are in."""
    found = set()
    for file, line in places:
        if file in files:
            above = (KERNELS / files[file]).read_text(encoding="utf-8").splitlines()[:line]
            found.update(re.findall(r"\bfn (\w+)", "\n".join(above))[-1:])
    return sorted(found)


def read(assembly: str) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """Return the lines of each trampoline and function of the kernels, and the labels in each jump table."""
    functions: dict[str, list[str]] = {}
    tables: dict[str, set[str]] = {}
    function: list[str] = []
    table: set[str] | None = None
    inside = False
    for raw in assembly.splitlines():
        if not inside and table is None and raw.startswith("\t"):
            continue  # most of the file describes lines and types
        line = raw.partition("#")[0].partition("//")[0].strip()
        if name := FUNCTION.match(line):
            function = functions.setdefault(name[1], [])
            inside = True
        elif line.startswith(".Lfunc_end"):
            inside = False
        elif line.startswith(".LJTI"):
            table = tables.setdefault(line.rstrip(":"), set())
        elif table is not None and (
            entry := re.match(r"\.(?:long|word|byte|hword|quad)\s+\(?(\.LBB\w+)", line)
        ):
            table.add(entry[1])
        elif LABEL.match(line) or PLACE.match(line) or (line and not line.startswith(".")):
            table = None
            if inside:
                function.append(line)
    return functions, tables


def callees(blocks: list[Block]) -> set[str]:
    """Return the symbols of the functions that a function calls."""
    return {callee.partition("@")[0].lstrip("*") for block in blocks for callee in block.callees()}


def names(symbols: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the instruction set and the kernel of the symbol of each trampoline."""
    read = subprocess.run(
        ["c++filt", "-s", "rust"], input="\n".join(symbols), capture_output=True, text=True, check=True
    )
    for line in read.stdout.splitlines():
        plain = re.sub(r"\[[0-9a-f]+\]|: bool", "", line)
        match = NAME.match(plain)
        if not match:
            message = f"a trampoline with a name of another form: {plain}"
            raise SystemExit(message)
        yield match[1], match[2]


def inspect(assembly: str, kernels: set[str]) -> tuple[list[str], list[str]]:
    """Return a line for each kernel that was inspected, and the faults."""
    architecture = "aarch64" if re.search(r"^\s+ret$", assembly, re.MULTILINE) else "x86_64"
    lines_of, tables = read(assembly)
    trampolines = list(filter(TRAMPOLINE.match, lines_of))
    parts = lines_of.keys() - set(trampolines)
    functions = {symbol: blocks_of(body, tables) for symbol, body in lines_of.items()}
    edges = {symbol: callees(blocks) for symbol, blocks in functions.items()}
    parts_of = {symbol: reached(edges, symbol, parts) | {symbol} for symbol in trampolines}
    loops_of = {symbol: inner_loops(functions[symbol]) for symbol in set().union(*parts_of.values())}
    files = {match[1]: match[2] for match in FILE.finditer(assembly)}
    lines, wrong = [], []
    seen: set[tuple[str, str]] = set()
    for (isa, kernel), symbol in sorted(zip(names(trampolines), trampolines, strict=True)):
        name = f"{isa} {kernel}"
        loops = [(functions[part], loop) for part in parts_of[symbol] for loop in loops_of[part]]
        sizes = []
        for blocks, loop in loops:
            instructions = [line for number in loop for line in blocks[number].instructions]
            vectors = sum(bool(re.search(VECTORS[architecture][isa], line)) for line in instructions)
            sizes.append((vectors, len(instructions)))
            callers = functions_of(files, {place for number in loop for place in blocks[number].places})
            wrong += [
                f"{name}: an inner loop of {len(instructions)} instructions has {fault}"
                f" (code of {', '.join(callers) or 'no kernel'})"
                for fault in sorted(faults(blocks, loop))
                if not any(function in callers and callee in fault for function, callee in EXEMPT)
            ]
        if any(vectors for vectors, _ in sizes):
            seen.add((isa, kernel.partition("<")[0]))
        vectors, size = max(sizes, default=(0, 0))
        lines.append(f"{name:32} {len(loops):3} inner loops; {vectors} of {size} instructions on vectors")
    expected = {
        (isa, kernel)
        for isa in VECTORS[architecture]
        for kernel in (kernels & DOES_ONLY.get(isa, kernels)) - LEAVES.get(isa, set())
    }
    wrong += [f"{isa} {kernel}: no loop over vectors was found" for isa, kernel in sorted(expected - seen)]
    return lines, wrong


def main() -> None:
    """Inspect the file that is named on the command line."""
    kernels = set(re.findall(r"^impl.* Kernel for &?(\w+)", SOURCES, re.MULTILINE)) - WITHOUT_LOOPS
    lines, wrong = inspect(Path(sys.argv[1]).read_text(encoding="utf-8"), kernels)
    print(*lines, sep="\n")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
