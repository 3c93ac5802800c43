"""The examples in pages and docstrings."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest

if TYPE_CHECKING:
    from strategies import Anything

PROJECT = Path(__file__).parents[3]
DOCS = PROJECT / "docs"
RECIPES = DOCS / "how-to/offsets"
COLUMNS = RECIPES.parent / "columns"
DATASETS = RECIPES.parent / "datasets"
REFERENCE = DOCS / "reference"
IMPORTED = re.compile(r"^(?:>>> )?(?:import|from) (.+?)(?: import .*)?$", re.MULTILINE)
VARIANTS = {name: getattr(leadbyte.variants, name) for name in leadbyte.variants.__all__}


def is_translation(page: Path) -> bool:
    """Return whether a page has the examples of a page in English, which are run there only."""
    return page.name.endswith(".ru.md") and page.is_relative_to(DOCS) and "explanation" not in page.parts


def code(page: Path, language: str) -> list[str]:
    """Return the blocks of code of a language, a regular expression, in a page, also those in lists."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^( *)```(?:{language})\n(.*?)^\1```", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block[2]) for block in found]


def run_examples(name: str, text: str) -> int:
    """Run the examples in the docstring of a name of the package; return their number."""
    return run(name, text, {"leadbyte": leadbyte, **VARIANTS})[0]


def run_page(page: Path) -> None:
    """Run all examples in a page, of which there are some; skip it if a package is missing."""
    for module in imported("".join(code(page, "pycon"))):
        pytest.importorskip(module)
    assert run_blocks(page, "python|pycon")[0]


def imported(text: str) -> list[str]:
    """Return the modules that a text imports."""
    return [
        module.partition(" as ")[0]
        for modules in IMPORTED.findall(text)
        for module in modules.partition("  #")[0].split(", ")
    ]


def names_of(page: Path) -> dict[str, Any]:
    """Run the examples in a page that need no other packages; return the names that they define."""
    return run_blocks(page, "python")[1]


def run_blocks(page: Path, language: str) -> tuple[int, dict[str, Any]]:
    """Run the blocks of code of a page from top to bottom, as somebody types them into a new interpreter.

    Blocks without prompts are run if what they import is installed; blocks of the reference are signatures.
    Returns the number of examples with prompts, and the names that are defined.
    """
    count, names = 0, {"__name__": "__main__"}
    for number, block in enumerate(code(page, language), 1):
        if ">>>" in block:
            attempted, names = run(f"{page.name}, block {number}", block, names)
            count += attempted
            continue
        program = compile(block, page.name, "exec")
        roots = [module.partition(".")[0] for module in imported(block)]
        if page.parent != REFERENCE and all(map(importlib.util.find_spec, roots)):
            exec(program, names)
    return count, names


def run_changed(page: Path, language: str, part: str, names: dict[str, Any]) -> Anything:
    """Run the examples in a page whose source has a part, with other names; return the last value shown.

    The page must have been run, and the names must be those that it defines, with other values.
    """
    texts = code(page, language)
    sources = [example.source for text in texts for example in doctest.DocTestParser().get_examples(text)]
    values: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "displayhook", values.append)
        for source in sources:
            if part in source:
                exec(compile(source, page.name, "single"), names)
    return values[-1] if values else None


def run(name: str, text: str, names: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Run the examples in a text with some names; return their number, and all names then."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    test.globs = names  # not a copy: functions of earlier blocks see the names of later ones
    report: list[str] = []
    results = doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
    assert results.failed == 0, "".join(report)
    return results.attempted, test.globs
