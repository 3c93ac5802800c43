"""The modules for other packages, without these."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A module in the place of duckdb, whose connection can be anything.
DUCKDB = "import types; sys.modules['duckdb'] = types.SimpleNamespace(DuckDBPyConnection=object)"


@pytest.mark.parametrize(
    ("missing", "program", "user"),
    [
        ("polars", "import leadbyte.polars", "leadbyte.polars"),
        ("pandas", "import leadbyte.pandas", "leadbyte.pandas"),
        ("duckdb", "import leadbyte.duckdb; leadbyte.duckdb.register(1)", "leadbyte.duckdb"),
        ("numpy", f"{DUCKDB}; import leadbyte.duckdb; leadbyte.duckdb.register(1)", "leadbyte in SQL"),
        ("numpy", "import leadbyte.spark; leadbyte.spark.register(types)", "leadbyte in SQL"),
    ],
)
def test_message_names_the_package(missing: str, program: str, user: str) -> None:
    start = f"import sys, types; sys.modules['{missing}'] = None; types.udf = None; {program}"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=False)
    message = f"ImportError: {user} requires {missing}, which is not installed: pip install {missing}"
    assert done.stderr.splitlines()[-1] == message
