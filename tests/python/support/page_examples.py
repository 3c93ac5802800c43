"""The examples in pages and docstrings."""

from __future__ import annotations

import doctest
import re
import textwrap
from pathlib import Path
from typing import Any

import leadbyte
import pytest

RECIPES = Path(__file__).parents[3] / "docs/how-to/offsets"
COLUMNS = RECIPES.parent / "columns"
DATASETS = RECIPES.parent / "datasets"
IMPORTED = re.compile(r"^>>> (?:import|from) (.+?)(?: import .*)?$", re.MULTILINE)
VARIANTS = {name: getattr(leadbyte.variants, name) for name in leadbyte.variants.__all__}


def code(page: Path, language: str) -> list[str]:
    """Return the blocks of code of a language, a regular expression, in a page, also those in lists."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^( *)```(?:{language})\n(.*?)^\1```", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block[2]) for block in found]


def run_examples(name: str, text: str) -> int:
    """Run the examples in a text; return their number."""
    return run(name, text)[0]


def run_page(page: Path) -> None:
    """Run all examples in a page, of which there are some; skip it if a package is missing."""
    for modules in IMPORTED.findall("".join(code(page, "pycon"))):
        for module in modules.split(", "):
            pytest.importorskip(module.partition(" as ")[0])
    assert run_examples(page.name, "\n".join(code(page, "python|pycon")))


def names_of(page: Path) -> dict[str, Any]:
    """Run the examples in a page that need no other packages; return the names that they define."""
    return run(page.name, "\n".join(code(page, "python")))[1]


def run(name: str, text: str) -> tuple[int, dict[str, Any]]:
    """Run the examples in a text; return their number, and the names that they define."""
    test = doctest.DocTestParser().get_doctest(text, {"leadbyte": leadbyte, **VARIANTS}, name, name, 0)
    report: list[str] = []
    results = doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
    assert results.failed == 0, "".join(report)
    return results.attempted, test.globs
