"""pyarrow: casts, columns that nothing has validated, and the reader of CSV."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import common
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

if TYPE_CHECKING:
    from collections.abc import Callable

data = common.vectors()


def attempt(function: Callable[..., str | bytes | None], *arguments: object) -> str | bytes | None:
    """Return the result, or None if Arrow refuses the bytes."""
    try:
        return function(*arguments)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def cast(each: bytes) -> str | None:
    """Return the text of a value that is cast."""
    text: str = pa.array([each], pa.binary()).cast(pa.string())[0].as_py()
    return text


def read_csv(each: bytes) -> str | None:
    """Return the text of a quoted field of a CSV file."""
    options = csv.ConvertOptions(column_types={"a": pa.string()}, strings_can_be_null=False)
    field = b'"' + each.replace(b'"', b'""') + b'"'
    parse = csv.ParseOptions(newlines_in_values=True)
    table = csv.read_csv(io.BytesIO(b"a,b\n" + field + b",\n"), convert_options=options, parse_options=parse)
    text: str = table["a"][0].as_py()
    return text


def validated(array: pa.StringArray) -> str | None:
    """Return the text of an array that Arrow validates in full."""
    array.validate(full=True)
    text: str = array[0].as_py()
    return text


def uppered(array: pa.StringArray) -> bytes | None:
    """Return the bytes of the text in capital letters."""
    return as_bytes(pc.utf8_upper(array))


def reversed_twice(array: pa.StringArray) -> bytes | None:
    """Return the bytes of the text in reverse order, in reverse order."""
    return as_bytes(pc.utf8_reverse(pc.utf8_reverse(array)))


def as_bytes(array: pa.StringArray) -> bytes | None:
    """Return the bytes of the only string of an array."""
    data: bytes = array.view(pa.binary())[0].as_py()
    return data


# Columns of strings that come from elsewhere: only validate(full=True) looks at their bytes.
unchecked = [pa.array([each], pa.binary()).view(pa.string()) for each in data]
OPERATIONS = {
    "cast(string)": [attempt(cast, each) for each in data],
    "csv.read_csv": [attempt(read_csv, each) for each in data],
    "validate(full=True)": [attempt(validated, array) for array in unchecked],
    "utf8_upper, not validated": [attempt(uppered, array) for array in unchecked],
    "utf8_reverse twice, not validated": [attempt(reversed_twice, array) for array in unchecked],
}
common.report("pyarrow", pa.__version__, OPERATIONS, list(OPERATIONS.values()))
