"""The examples of docs/how-to/datasets whose packages are installed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from page_examples import DATASETS, code, is_translation, run_page

if TYPE_CHECKING:
    from pathlib import Path

# Others have commands only, which test_docs.py runs.
PAGES = sorted(page for page in DATASETS.glob("*.md") if code(page, "pycon") and not is_translation(page))


@pytest.mark.filterwarnings("ignore")  # of Ray, Spark and Dask
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any("SparkSession" in block for block in code(page, "pycon")) and not shutil.which("java"):
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.chdir(tmp_path)
    run_page(page)
