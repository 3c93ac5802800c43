"""What the runners in Python share: the protocol.

A runner reads lines of hex digits, the bytes of a vector each. It prints a line of JSON, with the name and
the version of its program and its operations, and then a line for each vector: a column for each operation,
separated by tabs. ``-`` means that the bytes are refused, ``?`` that the program was not asked, and ``!``
that it crashed; anything else is the text in hex: the UTF-8 of its code points, surrogates included.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# What an operation makes of bytes: a text, or bytes that are to be UTF-8, or None if it refuses them.
Decoder: TypeAlias = "Callable[[bytes], str | bytes | None]"


class Cell(str):
    """What is printed as it is."""

    __slots__ = ()


REFUSED, NOT_RUN, CRASHED = Cell("-"), Cell("?"), Cell("!")


def vectors() -> list[bytes]:
    """Read the vectors."""
    return [bytes.fromhex(line) for line in sys.stdin]


def cell(text: str | bytes | None) -> str:
    """Return what is printed for a text, or for bytes that are to be UTF-8; None means refused."""
    if text is None:
        return REFUSED
    if isinstance(text, Cell):
        return text
    return (text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text).hex()


# Sequences of each class, on which an operation is run that may crash, each time in a new process.
EXAMPLES = frozenset(
    map(
        bytes.fromhex,
        [
            *(
                "80",
                "C0 80",
                "C1 BF",
                "E0 80 80",
                "F0 80 80 80",
                "ED A0 80",
                "ED A0 BD ED B8 80",
                "F4 90 80 80",
            ),
            *("F5 80 80 80", "F8 88 80 80 80", "FC 84 80 80 80 80", "FF", "C2", "C2 41", "E2 82", "E2 82 41"),
            *("F0 9F 98", "F0 9F 98 41"),
        ],
    )
)


def isolated(name: str, each: bytes) -> bytes | str | None:
    """Run an operation of this program on an example, in a new process."""
    if each not in EXAMPLES:
        return NOT_RUN
    command = [sys.executable, *sys.argv, "--one", name, each.hex()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return CRASHED
    return None if done.stdout == REFUSED else bytes.fromhex(done.stdout)


def run_isolated(operations: dict[str, Decoder]) -> None:
    """Run the operation that the command line names, and exit; return if it names none."""
    if "--one" in sys.argv:
        name, digits = sys.argv[-2:]
        print(cell(operations[name](bytes.fromhex(digits))), end="")
        sys.exit()


def attempt(function: Decoder, *errors: type[Exception]) -> Decoder:
    """Return the function, with None instead of one of these exceptions."""

    def attempted(data: bytes) -> str | bytes | None:
        try:
            return function(data)
        except errors:
            return None

    return attempted


def report(
    program: str, version: str, operations: Iterable[str], columns: Sequence[Iterable[str | bytes | None]]
) -> None:
    """Print all results; each column has those of an operation."""
    print(json.dumps({"program": program, "version": version, "operations": list(operations)}))
    for row in zip(*columns, strict=True):
        print("\t".join(map(cell, row)))


def run_each(program: str, version: str, operations: dict[str, Decoder]) -> None:
    """Run each operation on each vector."""
    data = vectors()
    report(
        program, version, operations, [[function(each) for each in data] for function in operations.values()]
    )
