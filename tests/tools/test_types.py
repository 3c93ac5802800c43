"""What type checkers see of the package: wrong names are errors, and overloads give precise types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mypy import api

if TYPE_CHECKING:
    from pathlib import Path

# Each line with the error that mypy must report for it, or none.
PROGRAM = """\
import gzip
import zipfile
import leadbyte
leadbyte.is_valid(b"")
leadbyte.is_valide(b"")  # error: Module has no attribute "is_valide"
leadbyte.polars  # error: Module has no attribute "polars"
leadbyte.arrow.decode
leadbyte.arrow.decod  # error: Module has no attribute "decod"
leadbyte.dataset.scan
leadbyte.duckdb.register
leadbyte.mojibake.repair("")
leadbyte.spark.register
for error in leadbyte.iter_errors(b"", locations=True):
    error.location.line + error.location.columns  # error: "Location" has no attribute "columns"
    error.message.upper()
for plain in leadbyte.iter_errors(b""):
    plain.location.line  # error: Item "None" of "Location | None" has no attribute "line"
def errors_of(data: bytes, wanted: bool) -> list[leadbyte.ErrorSpan]:
    return list(leadbyte.iter_errors(data, locations=wanted))
def line_count(offsets: leadbyte.OffsetMap[str] | leadbyte.EditableOffsetMap[bytes]) -> int:
    return offsets.line_count
leadbyte.truncate_many(["one", None, b"three"], 3, unit="byte")
with gzip.open("text.gz") as packed:
    leadbyte.split_points(packed, 2)
    leadbyte.lines(packed)
    leadbyte.transcode.open_as_utf8(packed, "cp1251")
with zipfile.ZipFile("text.zip").open("text") as member:
    leadbyte.split_points(member, 2)
    leadbyte.lines(member)
    leadbyte.transcode.open_as_utf8(member, "cp1251")
"""


def test_wrong_names_are_reported(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    out, err, _ = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(tmp_path / "program.py")])
    reported = re.findall(r"program\.py:(\d+): error: (.*?)(?:;.*)?  \[", out)
    lines = enumerate(PROGRAM.splitlines(), 1)
    expected = [
        (str(number), line.partition("# error: ")[2]) for number, line in lines if "# error: " in line
    ]
    assert reported == expected, out + err
