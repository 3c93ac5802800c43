"""What README.md and README.ru.md claim, besides their examples, which test_docs.py runs."""

from __future__ import annotations

import array
import builtins
import importlib.metadata
import importlib.util
import inspect
import mmap
import re
from typing import TYPE_CHECKING

import leadbyte
import pytest
from command_table import COMMANDS, PARSERS, READERS
from page_examples import PROJECT, code

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from strategies import Anything

README, RUSSIAN = PAGES = [PROJECT / "README.md", PROJECT / "README.ru.md"]
NAMES = [page.name for page in PAGES]
FAST = ["## How fast", "## Скорость"]


def cells(page: Path, heading: str, column: int) -> str:
    """Return the cells of a column of a table, by a part of the text before it."""
    _, _, rest = page.read_text(encoding="utf-8").partition(heading)
    table = re.search(r"^\|.*\n\|[-|: ]+\n((?:\|.*\n)+)", rest, re.MULTILINE)
    assert table
    return " ".join(re.split(r"(?<!\\)\|", row)[column] for row in table[1].splitlines())


def command_lines(page: Path) -> list[list[str]]:
    """Return the words of the command lines in a page's table of commands."""
    heading = "and this command:" if page == README else "и эта команда:"
    lines = re.findall(r"`leadbyte (.*?)`", cells(page, heading, 1))
    return [re.sub(r"[\[\]\\]", "", line).split() for line in lines]


def commands_of(words: list[str]) -> dict[str, list[str]]:
    """Return the commands that a line of the table names, with the options it names."""
    names = [words[0]] if words[0] in COMMANDS else [f"{words[0]} {action}" for action in words[1].split("|")]
    options = [word for alternatives in words for word in alternatives.split("|") if word.startswith("--")]
    return dict.fromkeys(names, options)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_table_of_commands(page: Path) -> None:
    named = set()
    for words in command_lines(page):
        for name, options in commands_of(words).items():
            named.add(name)
            assert {*options} <= {*PARSERS[name]._option_string_actions}
    assert named == {*COMMANDS}


def test_tables_of_figures() -> None:
    """README.ru.md has the figures of README.md, which benches/report.py writes: copy them."""
    tables = [
        cells(page, heading, 2) + cells(page, heading, 3) for page, heading in zip(PAGES, FAST, strict=True)
    ]
    assert re.findall(r"\d+(?:[.,]\d+)?", tables[0]) == [
        number.replace(",", ".") for number in re.findall(r"\d+(?:[.,]\d+)?", tables[1])
    ]


def test_both_pages_have_the_same_commands() -> None:
    english, russian = ([commands_of(words) for words in command_lines(page)] for page in PAGES)
    assert sorted(map(sorted, english)) == sorted(map(sorted, russian))
    installing = [
        [block for block in code(page, "console") if block.startswith("$ python3 -m venv")] for page in PAGES
    ]
    assert installing[0] == installing[1]
    assert len(installing[0]) == 2


def test_both_pages_have_the_same_sections() -> None:
    """They are in the same order, with the same functions, the same peers and the same program in Rust."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    headings = [re.findall("^## (.*)$", text, re.MULTILINE) for text in texts]
    assert len(headings[0]) == len(headings[1]) == 9
    assert [heading for heading in headings[0] if heading in {"In Python", "In Rust"}] == headings[0][2:4]
    assert [heading for heading in headings[1] if heading in {"В Python", "В Rust"}] == headings[1][2:4]
    functions = [
        cells(page, heading, 2) for page, heading in zip(PAGES, ("## In Python", "## В Python"), strict=True)
    ]
    assert re.findall("`(.*?)`", functions[0]) == re.findall("`(.*?)`", functions[1])
    peers = [
        cells(page, heading, 1)
        for page, heading in zip(PAGES, ("## How it compares", "## Сравнение"), strict=True)
    ]
    assert re.findall(r"`.*?`|\]\((.*?)\)", peers[0]) == re.findall(r"`.*?`|\]\((.*?)\)", peers[1])
    assert code(README, "python|rust") == code(RUSSIAN, "python|rust")


def test_no_example_scrolls() -> None:
    """GitHub shows 97 columns, at a width of 860 pixels."""
    wide = [
        line
        for page in PAGES
        for block in code(page, "console|python|rust")
        for line in block.splitlines()
        if len(line) > 97
    ]
    assert wide == []


def test_all_guides_are_listed() -> None:
    text = README.read_text(encoding="utf-8")
    guides = [page for page in (PROJECT / "docs/how-to").glob("*.md") if not page.name.endswith(".ru.md")]
    assert [page.name for page in guides if f"/docs/how-to/{page.name})" not in text] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json(name: str) -> None:
    options = PARSERS[name]._option_string_actions
    assert "--json" in options or "json" in (options["--format"].choices or ())


def test_memory_of_every_command_is_measured() -> None:
    """All but the exceptions of the pages."""
    measured = {re.sub(r" --.*", "", line) for line in READERS}
    assert measured == {*COMMANDS} - {"mojibake garble"}
    for page in PAGES:
        assert re.search(r"\([^()]*`mojibake garble`[^()]*\)", page.read_text(encoding="utf-8"))


def named(path: str) -> Anything:
    """Return the object that a name in README.md's table of functions refers to."""
    first, _, rest = path.partition(".")
    if first in {"polars", "duckdb", "spark", "pandas"}:
        # The module imports its engine.
        assert importlib.util.find_spec(f"leadbyte.{first}")
        return f"leadbyte.{path}"
    modules = [leadbyte, leadbyte.transcode, builtins]
    owner = next(module for module in modules if hasattr(module, first))
    return getattr(getattr(owner, first), rest) if rest else getattr(owner, first)


def test_functions() -> None:
    names = re.findall(r"`(.+?)`", cells(README, "## In Python", 2))
    assert len(names) > 60
    for name in names:
        path, _, parameters = name.partition("(")
        found = named(path)
        if parameter := parameters.rstrip("=)"):
            assert parameter in inspect.signature(found).parameters


def test_package() -> None:
    """It has no dependencies but extras, and those that the pages name."""
    try:
        metadata = importlib.metadata.metadata("leadbyte")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    assert all("extra ==" in line for line in metadata.get_all("Requires-Dist", []))
    python, extras = metadata["Requires-Python"], {*metadata.get_all("Provides-Extra", [])}
    for page in PAGES:
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert f"CPython {python.removeprefix('>=')} " in text
        assert {*re.findall(r"leadbyte\[(\w+)\]", text)} <= extras


def mapped(data: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(data))
    memory[:] = data
    return memory


@pytest.mark.parametrize(
    "buffer", [bytes, bytearray, memoryview, mapped, lambda data: array.array("B", data)]
)
def test_bytes_like_objects(buffer: Callable[[bytes], Anything]) -> None:
    data = "Привет, мир €".encode()
    assert leadbyte.is_valid(buffer(data))
    assert leadbyte.decode(buffer(data)) == data.decode()
