#!/usr/bin/env python3
"""Fills the tables of conformance.md from conformance/results.json.

python docs/explanation/conformance.py [--check]

With ``--check`` nothing is written, and the exit code is 1 if the page is out of date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Json: TypeAlias = "dict[str, Any]"

PAGE = Path(__file__).parent / "conformance.md"
RESULTS: Json = json.loads((PAGE.parents[2] / "conformance/results.json").read_text("utf-8"))
TABLE = re.compile(r"(?<=<!-- table: )([a-z]+)( -->\n).*?(?=<!-- /table -->)", re.DOTALL)

REFUSED, CRASHED = "-", "!"
LONGEST_CHAR_DIGITS = 8
WAYS = ("whatwg", "java", "okio", "go", "go-runs")
# The sequences whose U+FFFD are counted, by class.
COUNTED = [
    "80", "C0 80", "E0 80 80", "F0 80 80 80", "ED A0 80", "ED A0 BD ED B8 80", "F4 90 80 80", "F5 80 80 80",
    "F8 88 80 80 80", "FC 84 80 80 80 80", "FF", "E2 82", "F0 9F 98",
]  # fmt: skip
# The sequences that are read silently or crash.
SHOWN = ["80", "C0 80", "C1 BF", "C2 41", "E2 82 41", "F0 9F 98 41", "ED A0 80", "F4 90 80 80", "FF", "E2 82"]


class Operation(NamedTuple):
    """An operation of a program, with its recorded results."""

    program: str
    name: str
    results: Json

    @property
    def rule(self) -> str:
        """The rule by which it treats malformed sequences."""
        rule: str = self.results["rule"]
        return rule

    def example(self, digits: str) -> str:
        """Return the result for a sequence."""
        cell: str = self.results["examples"].get(digits.lower(), "?")
        return cell


def operations() -> Iterator[Operation]:
    """Yield all operations that were run."""
    for program, results in RESULTS["programs"].items():
        for each in results.get("operations", []):
            yield Operation(program, each["operation"], each)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def code(text: str) -> str:
    """Return a text in Markdown's code."""
    return f"`{text}`"


def programs() -> str:
    """Return the table of the programs and their versions."""
    rows = [
        [program, results.get("version", "not run"), results.get("not_run", "")]
        for program, results in RESULTS["programs"].items()
    ]
    when = f"Run on {RESULTS['date']}, {RESULTS['platform']}.\n\n"
    if any(row[2] for row in rows):
        return when + table(["program", "version", "why not"], rows)
    return when + table(["program", "version"], (row[:2] for row in rows))


def strict() -> str:
    """Return the table of the operations that refuse all malformed sequences."""
    by_program: dict[str, list[Operation]] = {}
    for each in operations():
        if each.rule == "refuses":
            by_program.setdefault(each.program, []).append(each)
    return table(
        ["program", "operations"],
        ([program, ", ".join(code(each.name) for each in found)] for program, found in by_program.items()),
    )


def altered() -> str:
    """Return the table of the valid text that is refused or altered."""
    rows = []
    for each in operations():
        # Letters are changed on purpose.
        if each.results["altered_count"] and "upper" not in each.name:
            shortest = {len(digits) for digits in list(each.results["altered"])[:1]}
            changes = [
                f"{points(digits)} {points(cell)}"
                for digits, cell in each.results["altered"].items()
                if len(digits) in shortest or len(digits) <= LONGEST_CHAR_DIGITS
            ]
            rows.append([each.program, code(each.name), ", ".join(changes)])
    return table(["program", "operation", "text and result"], rows)


def points(cell: str) -> str:
    """Return the code points of a result."""
    known = {"": "dropped", REFUSED: "refused", CRASHED: "crash"}
    if cell in known:
        return known[cell]
    return code(" ".join(f"U+{ord(char):04X}" for char in bytes.fromhex(cell).decode()))


def replacing() -> str:
    """Return the table of the numbers of U+FFFD."""
    rows = []
    for each in operations():
        rule = each.rule.removesuffix(", by ?")
        if rule in WAYS or (rule == "own" and is_replacing(each)):
            rows.append([each.program, code(each.name), each.rule, *counts(each)])
    rows.sort(key=lambda row: (WAYS.index(row[2]) if row[2] in WAYS else len(WAYS), row[0]))
    return table(["program", "operation", "rule", *COUNTED], rows)


def is_replacing(operation: Operation) -> bool:
    """Return whether an operation writes a replacement for FF."""
    return operation.example("FF") in {"efbfbd", "3f"}


def counts(operation: Operation) -> list[str]:
    """Return the numbers of replacements of the sequences that are counted."""
    return [count(operation.example(digits)) for digits in COUNTED]


def count(cell: str) -> str:
    """Return the number of replacements in a result, or the result itself if there is something else."""
    if cell in {"?", REFUSED, CRASHED}:
        return {"?": "", REFUSED: "refused", CRASHED: "crash"}[cell]
    try:
        text = bytes.fromhex(cell).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # characters above U+10FFFF, of Perl
        return code(bytes.fromhex(cell).hex(" ").upper())
    if text.strip("\ufffd") and text.strip("?"):
        return code(" ".join(f"U+{ord(char):04X}" for char in text))
    return str(len(text))


def others() -> str:
    """Return the table of the operations that read malformed bytes without an error, or crash."""
    rows = []
    for each in operations():
        rule = each.rule.removesuffix(", by ?")
        takes_more = not each.example("E2 82 41").endswith("41")
        is_silent = takes_more or not is_replacing(each) or not all(map(str.isdigit, counts(each)))
        if rule in {"refuses", "drops", *WAYS} or not is_silent:
            continue
        rows.append([each.program, code(each.name), *(shown(each, digits) for digits in SHOWN)])
    return table(["program", "operation", *SHOWN], rows)


def shown(operation: Operation, digits: str) -> str:
    """Return the result for a sequence, in hex unless it is kept."""
    cell = operation.example(digits)
    known = {"?": "", REFUSED: "refused", CRASHED: "**crash**", "": "dropped"}
    if cell in known:
        return known[cell]
    data = bytes.fromhex(cell)
    return "kept" if data == bytes.fromhex(digits) else code(data.hex(" ").upper())


def dropping() -> str:
    """Return the table of the operations that remove malformed sequences."""
    found = [each for each in operations() if each.rule == "drops"]
    return table(["program", "operation"], ([each.program, code(each.name)] for each in found))


TABLES: dict[str, Callable[[], str]] = {
    each.__name__: each for each in (programs, strict, replacing, dropping, others, altered)
}


def main() -> None:
    """Fill the page, or check that it is filled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page is out of date")
    page = PAGE.read_text(encoding="utf-8")
    filled = TABLE.sub(lambda match: f"{match[1]}{match[2]}\n{TABLES[match[1]]()}\n", page)
    if parser.parse_args().check:
        sys.exit(page != filled)
    PAGE.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
