r"""UTF-8 in Polars: expressions and series methods that validate, decode, repair and count.

Importing the module adds the namespace ``utf8`` to expressions and series. Expressions run inside of Polars'
engine, eagerly, lazily and in its streaming engine, without Python and without a copy of valid text:

>>> import polars as pl
>>> import leadbyte.polars
>>> df = pl.DataFrame({"raw": [b"caf\xc3\xa9", None, b"caf\xe9"]})
>>> df.select(pl.col("raw").utf8.is_valid()).to_series().to_list()
[True, None, False]
>>> df.lazy().select(pl.col("raw").utf8.decode(errors="replace")).collect().to_series().to_list()
['café', None, 'caf�']
>>> df["raw"].utf8.errors().to_list()[2]
[{'offset': 3, 'kind': 'truncated', 'reason': 'unexpected end of data', 'data': b'\xe9'}]

Columns are Binary, String or Null, which gives nulls. Polars trusts that its strings are UTF-8, but those
that come from other programs need not be. Null rows stay null.

Where a row must be UTF-8 but is not, Polars raises its ComputeError, which names the column and the row:

>>> df.select(pl.col("raw").utf8.decode())
Traceback (most recent call last):
polars.exceptions.ComputeError: the plugin failed with message: column "raw": row 2 of the batch: ...

Polars passes columns in batches of any size, and the number of the row is the one in its batch, from 0 on. In
a frame in memory the batch usually is the whole column. ``is_valid`` finds the rows whatever the batches are.

Type checkers do not know namespaces that are registered at run time. ``ExprNamespace(pl.col("raw"))`` is the
same as ``pl.col("raw").utf8``, and ``SeriesNamespace(series)`` as ``series.utf8``, with types.
"""

from __future__ import annotations

import re
import sys
from operator import index
from typing import TYPE_CHECKING, Generic, TypeVar

from leadbyte._messages import not_installed

try:
    import polars as pl
except ModuleNotFoundError as error:
    raise not_installed(__name__, error) from None

import leadbyte
from leadbyte import _leadbyte
from leadbyte._arguments import check_str

if TYPE_CHECKING:
    from typing import Literal, SupportsIndex

__all__ = ["ExprNamespace", "SeriesNamespace"]

_OLDEST = "0.20.31"


def _numbers(version: str) -> list[int]:
    """Return the numbers of a version, without the numbers of a release candidate."""
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


if _numbers(pl.__version__) < _numbers(_OLDEST):
    _message = f"leadbyte.polars needs Polars >= {_OLDEST}, this is {pl.__version__}"
    raise ImportError(_message)

from polars.plugins import register_plugin_function  # noqa: E402 -- absent from versions that are refused

_T = TypeVar("_T")
_HANDLERS = ("strict", "replace", "ignore", "null", "backslashreplace")


class _Namespace(Generic[_T]):
    """The methods of both namespaces."""

    def _call(self, function: str, *options: str) -> _T:
        """Return the result of a function of the plugin."""
        raise NotImplementedError

    def is_valid(self) -> _T:
        r"""Return whether each row is valid UTF-8 (RFC 3629), as Boolean.

        >>> pl.Series([b"caf\xc3\xa9", None, b"caf\xe9"]).utf8.is_valid().to_list()
        [True, None, False]
        """
        return self._call("is_valid")

    def decode(
        self, *, errors: Literal["strict", "replace", "ignore", "null", "backslashreplace"] = "strict"
    ) -> _T:
        r"""Return the rows as String. Where all rows are valid, nothing is copied.

        ``errors`` is the policy for rows that are not UTF-8: "strict" raises ComputeError; "replace",
        "ignore" and "backslashreplace" give what ``bytes.decode`` gives; "null" makes the row null. Raises
        ValueError for another value.

        >>> raw = pl.Series([b"caf\xc3\xa9", b"caf\xe9"])
        >>> raw.utf8.decode(errors="null").to_list()
        ['café', None]
        >>> raw.utf8.decode(errors="backslashreplace").to_list()
        ['café', 'caf\\xe9']
        """
        check_str(errors, "decode", "'errors'")
        if errors not in _HANDLERS:
            *others, last = map(repr, _HANDLERS)
            message = f"errors must be {', '.join(others)} or {last}, not {errors!r}"
            raise ValueError(message)
        return self._call(f"decode_{errors}")

    def repair(self, *, replacement: str = "�") -> _T:
        r"""Return the rows with ``replacement`` in place of each error; "" removes errors.

        The type stays the same. Where all rows are valid, nothing is copied.

        >>> pl.Series([b"caf\xe9"]).utf8.repair(replacement="?").to_list()
        [b'caf?']
        """
        leadbyte.repair(b"", replacement=replacement)  # raises the exceptions for wrong arguments
        return self._call("repair", replacement)

    def count_chars(self) -> _T:
        r"""Return the number of characters of each row, as UInt32.

        These are the lead bytes, as :func:`leadbyte.count_chars` counts them, in rows that are UTF-8 or not.

        >>> pl.Series(["café", None, "мир"]).utf8.count_chars().to_list()
        [4, None, 3]
        """
        return self._call("count_chars")

    def count_utf16(self) -> _T:
        r"""Return the number of UTF-16 code units of each row, as UInt32.

        They are counted as :func:`leadbyte.count_utf16` does, in rows that are UTF-8 or not.

        >>> pl.Series(["café", None, "😀"]).utf8.count_utf16().to_list()
        [4, None, 2]
        """
        return self._call("count_utf16")

    def count_graphemes(self) -> _T:
        r"""Return the number of extended grapheme clusters (UAX 29) of each row, as UInt32.

        Raises ComputeError for a row that is not UTF-8.

        >>> pl.Series(["cafe\u0301", None, "👩‍💻"]).utf8.count_graphemes().to_list()
        [4, None, 1]
        """
        return self._call("count_graphemes")

    def truncate(
        self,
        limit: SupportsIndex,
        /,
        *,
        unit: Literal["byte", "char", "utf16", "grapheme"],
        boundary: Literal["char", "grapheme"] = "char",
        ellipsis: str = "",
        side: Literal["end", "start", "middle"] = "end",
    ) -> _T:
        r"""Return the rows with at most ``limit`` units each, as :func:`leadbyte.truncate` cuts them.

        The type stays the same. Strings must be UTF-8, otherwise ComputeError is raised; binary values need
        not be. The arguments and their exceptions are the same as for :func:`leadbyte.truncate`.

        >>> pl.Series(["naïve", "na", None]).utf8.truncate(3, unit="byte").to_list()
        ['na', 'na', None]
        >>> pl.Series(["leadbyte"]).utf8.truncate(6, unit="char", ellipsis="…").to_list()
        ['leadb…']
        """
        # Raises the exceptions for wrong arguments; Polars would replace surrogates.
        leadbyte.truncate("", limit, unit=unit, boundary=boundary, ellipsis=ellipsis, side=side)
        leadbyte.encode(ellipsis)
        return self._call("truncate", f"{min(index(limit), sys.maxsize)} {unit} {boundary} {side} {ellipsis}")

    def normalize(self, form: Literal["NFC", "NFD", "NFKC", "NFKD"], /) -> _T:
        r"""Return the rows in a normalization form (UAX 15). The type stays the same.

        Where all rows are in that form, nothing is copied. Raises ComputeError for a row that is not UTF-8,
        and ValueError for an unknown form.

        >>> pl.Series(["cafe\u0301"]).utf8.normalize("NFC").to_list()
        ['café']
        """
        leadbyte.normalize(form, "")  # raises the exceptions for wrong arguments
        return self._call(f"normalize_{form.lower()}")

    def errors(self) -> _T:
        r"""Return a list of the errors of each row, empty where the row is valid, null where it is null.

        Each is a struct of ``offset`` (Int64, in bytes from the start of the row), ``kind`` and ``reason``
        (String, as in :class:`leadbyte.ErrorSpan`), and ``data`` (Binary: the invalid bytes).

        >>> pl.Series([b"caf\xe9 \xff", b"tea"]).utf8.errors().list.len().to_list()
        [2, 0]
        """
        return self._call("errors")


@pl.api.register_expr_namespace("utf8")
class ExprNamespace(_Namespace[pl.Expr]):
    r"""The namespace ``utf8`` of expressions.

    >>> df = pl.DataFrame({"raw": [b"caf\xc3\xa9", b"caf\xe9"]})
    >>> df.filter(pl.col("raw").utf8.is_valid()).to_series().to_list()
    [b'caf\xc3\xa9']
    """

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def _call(self, function: str, *options: str) -> pl.Expr:
        return register_plugin_function(
            plugin_path=_leadbyte.__file__,
            function_name=function,
            args=[self._expr, *map(pl.lit, options)],
            is_elementwise=True,
        )


@pl.api.register_series_namespace("utf8")
class SeriesNamespace(_Namespace[pl.Series]):
    r"""The namespace ``utf8`` of series.

    >>> pl.Series("raw", [b"caf\xc3\xa9", b"caf\xe9"]).utf8.is_valid().to_list()
    [True, False]
    """

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def _call(self, function: str, *options: str) -> pl.Series:
        return pl.select(ExprNamespace(pl.lit(self._series))._call(function, *options)).to_series()


def __dir__() -> list[str]:
    return __all__
