#!/usr/bin/env python3
"""Print how much machine code a library has, by groups and by functions with their copies.

    python tests/tools/code_size.py LIBRARY [--top NUMBER]

The library, or an object file, must have its symbols, by the mangling v0, which has the types that generic
code was compiled for: ``CARGO_PROFILE_DIST_STRIP=none`` and ``-C symbol-mangling-version=v0``. ``nm`` of
binutils reads them. A function belongs to the module of the crate that its name has first, so that what the
standard library does with a type of the crate counts there, and else to its crate; a kernel that was
compiled for an instruction set belongs to the module of the kernel. Generic functions whose symbols differ in
types only are copies.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

CRATE = "leadbyte"
# Areas that are split further.
DEEP = {"kernels", "columns"}
# The crates of the standard library and those that are compiled into it.
STANDARD = {
    *[
        "addr2line",
        "adler2",
        "alloc",
        "compiler_builtins",
        "core",
        "gimli",
        "hashbrown",
        "memchr",
        "miniz_oxide",
    ],
    *["object", "panic_unwind", "rustc_demangle", "std"],
}
TRAMPOLINE = re.compile(
    rf"{CRATE}::(?:simd::\w+::trampoline|kernels::\w+::run_separately)::<(?:\w+, )?&?(.*)>$"
)
PATH = re.compile(rf"\b{CRATE}((?:::[a-z_0-9]+)+)(?=::)")
ROOT = re.compile(r"[<&(*]*(?:dyn |mut |const )*(?:\[)?([a-z_][a-z_0-9]*)::")


class Function(NamedTuple):
    """A symbol of machine code: its number of bytes, and its name."""

    size: int
    name: str


class Row(NamedTuple):
    """The bytes and the number of the functions of one name."""

    size: int
    functions: int
    name: str


def read(listing: str) -> Iterator[Function]:
    """Yield the functions in what ``nm --print-size --demangle`` prints."""
    for line in listing.splitlines():
        match = re.match(r"[0-9a-f]+ ([0-9a-f]+) [tTwW] (.*)", line)
        if match:
            yield Function(int(match[1], 16), match[2])


def kernel(name: str) -> str:
    """Return the type of the kernel if a function is one for an instruction set, else its name."""
    match = TRAMPOLINE.match(name)
    return match[1] if match else name


def group(name: str) -> str:
    """Return the area of the crate that a function belongs to, as a path, or its crate."""
    path = PATH.search(kernel(name))
    if path:
        first, *others = path[1].split("::")[1:]
        return "/".join([first, *others[:1]]) if first in DEEP else first
    if re.search(rf"\b{CRATE}::", name):
        return "the root"
    match = ROOT.match(name)
    if not match:
        return "others"
    return "std" if match[1] in STANDARD else f"crate {match[1]}"


def without_types(name: str) -> str:
    """Return a name without its generic arguments."""
    kept: list[str] = []
    depth = 0
    plain = kernel(name)
    for before, char in zip(" " + plain, plain, strict=False):
        opens = char == "<" and (depth > 0 or before == ":" or before.isalnum() or before == "_")
        if opens:
            depth += 1
        elif char == ">" and before != "-" and depth > 0:
            depth -= 1
        elif depth == 0:
            kept.append(char)
    return re.sub(r"#\d+|::(?=$|>)|::(?=::)", "", "".join(kept))


def rows(functions: Iterable[Function], key: Callable[[str], str]) -> list[Row]:
    """Return the functions summed by a key of their names, the largest first."""
    sizes: defaultdict[str, list[int]] = defaultdict(list)
    for function in functions:
        sizes[key(function.name)].append(function.size)
    return sorted((Row(sum(each), len(each), name) for name, each in sizes.items()), reverse=True)


def table(found: list[Row], count: str, name: str) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| kB | {count} | {name} |", "|---:|---:|---|"]
    return [*lines, *(f"| {row.size / 1000:.1f} | {row.functions} | `{row.name}` |" for row in found)]


def report(functions: list[Function], top: int) -> list[str]:
    """Return the lines of all tables."""
    whole = sum(function.size for function in functions)
    copied = [row for row in rows(functions, without_types) if row.functions > 1]
    return [
        f"{whole / 1000:.1f} kB of machine code in {len(functions)} functions",
        "",
        *table(rows(functions, group), "functions", "group"),
        "",
        *table(copied[:top], "copies", "generic function"),
        "",
        *table(rows(functions, str)[:top], "", "function"),
    ]


def main() -> None:
    """Read the library that is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("library")
    parser.add_argument("--top", type=int, default=30, help="the number of functions in a table")
    options = parser.parse_args()
    command = ["nm", "--print-size", "--demangle", options.library]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    functions = list(read(listing))
    if not functions:
        parser.error(f"{options.library} has no symbols of functions")
    print(*report(functions, options.top), sep="\n")


if __name__ == "__main__":
    main()
