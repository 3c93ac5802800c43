"""The examples of docs/how-to/columns, with the newest packages, where they are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_examples import COLUMNS, run_page

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted(COLUMNS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_page(page: Path) -> None:
    pytest.importorskip("pyarrow", minversion="26")
    run_page(page)
