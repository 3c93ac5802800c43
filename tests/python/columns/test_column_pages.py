"""The examples of docs/how-to/columns whose packages are installed."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from page_examples import COLUMNS, code, is_translation, run_blocks, run_changed, run_page

# Others have commands only, which test_docs.py runs.
PAGES = sorted(page for page in COLUMNS.glob("*.md") if code(page, "pycon") and not is_translation(page))


# Engines warn about the packages that they require, and leave files open after an error.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any("SparkSession" in block for block in code(page, "pycon")) and not shutil.which("java"):
        pytest.skip("Spark needs Java")
    monkeypatch.chdir(tmp_path)  # pages change the directory
    run_page(page)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_recipes_for_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    """The rows are the same as of Python's module, also with line breaks in quotes and U+2028."""
    for module in ("duckdb", "polars", "pyarrow"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    page = COLUMNS / "csv.md"
    _, names = run_blocks(page, "pycon")
    lines = [
        b"dish,price",
        b'"two\r\nlines",4',
        "a\u2028b,5".encode(),
        b"caf\xe9 au lait,3",
        b'"a ""b""\n",2',
        b"",
    ]
    data = end.join(lines)
    header, *rows = csv.reader(io.StringIO(data.decode(errors="replace"), newline=""))
    expected = [(dish, int(price)) for dish, price in rows]
    assert (header, len(expected)) == (["dish", "price"], 4)
    names |= {"data": data, "clean": names["leadbyte"].repair(data)}
    assert run_changed(page, "pycon", "pl.read_csv(clean)", names) == expected
    assert run_changed(page, "pycon", "duckdb.read_csv(", names) == expected
    # Large files are read in blocks, which may end inside of quotes.
    lines[1:2] = [b'"two\nlines",4'] * 100_000
    Path("menu.csv").write_bytes(end.join(lines))
    run_changed(page, "pycon", "menu = pa.csv.read_csv", names)
    assert names["menu"]["price"].to_pylist() == [4] * 100_000 + [5, 3, 2]


@pytest.mark.parametrize("page", sorted(COLUMNS.glob("*.md")), ids=lambda page: page.name)
def test_pages_install_what_duckdb_reads_objects_with(page: Path) -> None:
    """DuckDB itself does not require fsspec."""
    if "duckdb.read_csv(io." in (text := page.read_text(encoding="utf-8")):
        installed = next(line for line in text.splitlines() if line.startswith("$ pip install"))
        assert "fsspec" in installed
