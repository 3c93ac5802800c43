"""All examples of the pages about other tools, also those that need the tools: blocks named ``pycon``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from page_examples import RECIPES, code, run_examples

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [page for page in sorted(RECIPES.glob("*.md")) if code(page, "pycon")]

IMPORTED = re.compile(r"^>>> (?:import|from) (.+?)(?: import .*)?$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_page(page: Path) -> None:
    for modules in IMPORTED.findall("".join(code(page, "pycon"))):
        for module in modules.split(", "):
            pytest.importorskip(module)
    assert run_examples(page.name, "\n".join(code(page, "python|pycon")))
