"""All examples of the pages about other tools, also those that need the tools: blocks named ``pycon``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_examples import RECIPES, code, is_translation, run_page

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [page for page in sorted(RECIPES.glob("*.md")) if code(page, "pycon") and not is_translation(page)]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_page(page: Path) -> None:
    run_page(page)
