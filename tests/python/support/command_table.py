"""The commands of ``leadbyte``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadbyte.cli.arguments import parser

if TYPE_CHECKING:
    from collections.abc import Iterator


def parsers(top: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield a parser and the parsers of the commands below it, by the words after ``leadbyte``."""
    yield name, top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield from parsers(below, f"{name} {word}".strip())


# The parsers of all commands, also of those that only have others, and of the program.
PARSERS = dict(parsers(parser()))
# The commands for texts.
COMMANDS = [name for name, each in PARSERS.items() if each.get_default("command") and name != "completion"]
# Those that read files of any size in constant memory; the file is their last argument.
READERS = [
    *("check", "count", "detect", "repair", "normalize", "sizes", "locate --byte 5000"),
    *("convert --from utf-8 --to cp1251", "explain --byte 5000", "bom check", "bom strip", "bom add"),
    *("mojibake repair", "mojibake explain", "audit", "sanitize --policy llm-input"),
]
