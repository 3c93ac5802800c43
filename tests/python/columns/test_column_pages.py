"""The examples of docs/how-to/columns whose packages are installed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from page_examples import COLUMNS, code, run_page

if TYPE_CHECKING:
    from pathlib import Path

# Others have commands only, which test_docs.py runs.
PAGES = sorted(page for page in COLUMNS.glob("*.md") if code(page, "pycon"))


# Engines warn about the packages that they require, and leave files open after an error.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any("SparkSession" in block for block in code(page, "pycon")) and not shutil.which("java"):
        pytest.skip("Spark needs Java")
    monkeypatch.chdir(tmp_path)  # pages change the directory
    run_page(page)
