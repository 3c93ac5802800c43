#!/usr/bin/env python3
"""Fills the inventory of unsafe code in security.md: how much each file of the crate and the bindings has.

python docs/explanation/unsafe_code.py [--check]

A file is described by the first line of its own documentation. With ``--check`` nothing is written, and
the exit code is 1 if the page is out of date.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parent / "security.md"
PROJECT = PAGE.parents[2]
FOLDERS = ("src", "python/src")
INVENTORY = re.compile(r"(?<=<!-- unsafe code -->\n).*?(?=<!-- /unsafe code -->)", re.DOTALL)
# Comments, which are not nested in these files, and strings.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"', re.DOTALL)
BLOCK = re.compile(r"\bunsafe\s*\{")
DECLARATION = re.compile(r"\bunsafe\s+(?:fn|impl|trait|extern)\b")


def rows() -> Iterator[tuple[str, int, int, str]]:
    """Yield each file with unsafe code, its numbers of blocks and declarations, and its purpose."""
    for folder in FOLDERS:
        for path in sorted((PROJECT / folder).rglob("*.rs")):
            source = path.read_text(encoding="utf-8")
            code = NO_CODE.sub(" ", source)
            blocks, declarations = len(BLOCK.findall(code)), len(DECLARATION.findall(code))
            if blocks or declarations:
                purpose = re.match(r"//! ((?:.|\n//! )*?[.:])(?=\s|$)", source)
                if not purpose:
                    sys.exit(f"{path}: its documentation does not start with a sentence")
                text = purpose[1].replace("\n//! ", " ").rstrip(".:")
                yield path.relative_to(PROJECT).as_posix(), blocks, declarations, text


def inventory() -> str:
    """Return the table."""
    found = list(rows())
    blocks, declarations = sum(row[1] for row in found), sum(row[2] for row in found)
    lines = [f"| `{name}` | {blocks} | {declared} | {text} |" for name, blocks, declared, text in found]
    return "\n".join(
        [
            "",
            "| file | blocks | declarations | purpose of the file |",
            "|---|---:|---:|---|",
            *lines,
            f"| {len(found)} files | {blocks} | {declarations} | |",
            "",
            "",
        ]
    )


def main() -> None:
    """Fill the page, or check that it is filled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page is out of date")
    page = PAGE.read_text(encoding="utf-8")
    filled = INVENTORY.sub(lambda _: inventory(), page)
    if parser.parse_args().check:
        sys.exit(page != filled)
    PAGE.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
