"""Polars: casts, the reader of CSV, and strings from Arrow that nothing has validated."""

from __future__ import annotations

import io

import common
import polars as pl
import pyarrow as pa
from polars.exceptions import PolarsError


def cast(each: bytes) -> str | None:
    """Return the text of a value that is cast."""
    try:
        text: str = pl.Series([each]).cast(pl.String)[0]
    except PolarsError:
        return None
    return text


def read_csv(each: bytes, encoding: str) -> str | None:
    """Return the text of a quoted field of a CSV file."""
    field = b'"' + each.replace(b'"', b'""') + b'"'
    options = {"schema": {"a": pl.String, "b": pl.Int8}, "encoding": encoding}
    try:
        table = pl.read_csv(io.BytesIO(b"a,b\n" + field + b",1\n"), **options)
    except PolarsError:
        return None
    text: str = table["a"][0]
    return text


def as_strings(each: bytes) -> pl.Series:
    """Return the bytes as a series of strings, which come from Arrow."""
    series = pl.from_arrow(pa.array([each], pa.binary()).view(pa.string()).cast(pa.large_string()))
    assert isinstance(series, pl.Series)
    return series


ISOLATED = {
    "string of Arrow": lambda each: as_strings(each).cast(pl.Binary)[0],
    "string of Arrow, to_uppercase": lambda each: as_strings(each).str.to_uppercase().cast(pl.Binary)[0],
    "string of Arrow, reverse": lambda each: as_strings(each).str.reverse().cast(pl.Binary)[0],
    "string of Arrow, to_list": lambda each: as_strings(each).to_list()[0],
}
common.run_isolated(ISOLATED)
data = common.vectors()
common.report(
    "Polars",
    pl.__version__,
    ["cast(String)", "read_csv", 'read_csv, encoding="utf8-lossy"', *ISOLATED],
    [
        [cast(each) for each in data],
        [read_csv(each, "utf8") for each in data],
        [read_csv(each, "utf8-lossy") for each in data],
        *([common.isolated(name, each) for each in data] for name in ISOLATED),
    ],
)
