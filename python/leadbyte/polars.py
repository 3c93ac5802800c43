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

Columns are Binary, String, Null, which gives nulls, or Categorical and Enum, which are computed once for each
category and give String. Polars trusts that its strings are UTF-8, but those that come from other programs
need not be. Null rows stay null.

Where a row must be UTF-8 but is not, Polars raises its ComputeError, which has the column, the row and the
bytes around the error:

>>> df.select(pl.col("raw").utf8.decode())
Traceback (most recent call last):
polars.exceptions.ComputeError: the plugin failed with message: column "raw": row 2 of the batch: ...

Polars passes columns in batches of any size, or groups, and the number of the row is the one in its batch,
from 0 on. Where Polars is eager, the batch is the whole column. Methods that raise the error take ``key``, a
column or an expression whose value for the row the message has, too; its values are cast to strings, and one
value is the key of all rows. ``is_valid`` finds the rows whatever the batches are.

>>> df.with_columns(id=pl.Series([7, 8, 9])).select(pl.col("raw").utf8.decode(key="id"))
Traceback (most recent call last):
polars.exceptions.ComputeError: the plugin failed with message: column "raw": row 2 of the batch, key 9: ...

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
from leadbyte._detect import reported_names
from leadbyte._encodings import find
from leadbyte.arrow import native
from leadbyte.transcode import check_bom

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, SupportsIndex, TypeAlias

    from leadbyte._encodings import _Name
    from leadbyte.arrow import _ConversionErrors
    from leadbyte.transcode import _BomPolicy

    _Key: TypeAlias = str | pl.Expr | pl.Series | None

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
_CONVERSION_HANDLERS = (*_HANDLERS, "xmlcharrefreplace")


def _check_handler(errors: str, function: str, handlers: tuple[str, ...]) -> None:
    """Raise the exception for the name of an error handler that is not one of these."""
    check_str(errors, function, "'errors'")
    if errors not in handlers:
        *others, last = map(repr, handlers)
        message = f"errors must be {', '.join(others)} or {last}, not {errors!r}"
        raise ValueError(message)


class _Namespace(Generic[_T]):
    """The methods of both namespaces."""

    def _call(self, function: str, *options: str, key: _Key = None, of_column: bool = False) -> _T:
        """Return the result of a function of the plugin, which may need the whole column at once."""
        raise NotImplementedError

    def is_valid(self) -> _T:
        r"""Return whether each row is valid UTF-8 (RFC 3629), as Boolean.

        >>> pl.Series([b"caf\xc3\xa9", None, b"caf\xe9"]).utf8.is_valid().to_list()
        [True, None, False]
        """
        return self._call("is_valid")

    def decode(
        self,
        *,
        errors: Literal["strict", "replace", "ignore", "null", "backslashreplace"] = "strict",
        key: _Key = None,
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
        _check_handler(errors, "decode", _HANDLERS)
        return self._call(f"decode_{errors}", key=key)

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

    def count_graphemes(self, *, key: _Key = None) -> _T:
        r"""Return the number of extended grapheme clusters (UAX 29) of each row, as UInt32.

        Raises ComputeError for a row that is not UTF-8.

        >>> pl.Series(["cafe\u0301", None, "👩‍💻"]).utf8.count_graphemes().to_list()
        [4, None, 1]
        """
        return self._call("count_graphemes", key=key)

    def truncate(  # noqa: PLR0913 -- as leadbyte.truncate, and a key
        self,
        limit: SupportsIndex,
        /,
        *,
        unit: Literal["byte", "char", "utf16", "grapheme"],
        boundary: Literal["char", "grapheme"] = "char",
        ellipsis: str = "",
        side: Literal["end", "start", "middle"] = "end",
        key: _Key = None,
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
        options = f"{min(index(limit), sys.maxsize)} {unit} {boundary} {side} {ellipsis}"
        return self._call("truncate", options, key=key)

    def normalize(self, form: Literal["NFC", "NFD", "NFKC", "NFKD"], /, *, key: _Key = None) -> _T:
        r"""Return the rows in a normalization form (UAX 15). The type stays the same.

        Where all rows are in that form, nothing is copied. Raises ComputeError for a row that is not UTF-8,
        and ValueError for an unknown form.

        >>> pl.Series(["cafe\u0301"]).utf8.normalize("NFC").to_list()
        ['café']
        """
        leadbyte.normalize(form, "")  # raises the exceptions for wrong arguments
        return self._call(f"normalize_{form.lower()}", key=key)

    def transcode(
        self,
        source: _Name,
        target: _Name = "utf-8",
        /,
        *,
        errors: _ConversionErrors = "strict",
        bom: _BomPolicy = None,
        key: _Key = None,
    ) -> _T:
        r"""Return the rows, which are in the encoding ``source``, in the encoding ``target``.

        The rows are String if ``target`` is UTF-8, otherwise Binary. Each is a whole text. The arguments and
        their exceptions are the same as for :func:`leadbyte.arrow.transcode`; ComputeError is raised for a
        row that cannot be converted.

        >>> pl.Series([b"caf\xe9", None, b"5 \x80"]).utf8.transcode("windows-1252").to_list()
        ['café', None, '5 €']
        >>> pl.Series(["5 €"]).utf8.transcode("utf-8", "latin-1", errors="replace").to_list()
        [b'5 ?']
        """
        _check_handler(errors, "transcode", _CONVERSION_HANDLERS)
        definitions = [native(name).definition for name in (source, target)]
        if bom is not None:
            check_bom(bom, find(target))
        is_text = find(target).name in {"utf-8", "utf-8-sig"}
        options = "\n".join([errors, bom or "", *definitions])
        return self._call("transcode" if is_text else "transcode_to_bytes", options, key=key)

    def detect(self, *, per_row: bool = False, encodings: Iterable[str | int] | None = None) -> _T:
        r"""Detect the encoding of the column, or of each row.

        The result is a struct of ``encoding`` and ``language`` (String, null if there is none) and
        ``confidence`` (Float64): one for the column, as :func:`leadbyte.arrow.detect` detects it in a sample of
        the rows, or in ``group_by`` of each group. With ``per_row`` it is one for each row, detected in the row
        alone. ``encodings`` are the names of those to choose from.

        >>> names = pl.Series([name.encode("cp1251") for name in ["Съешь ещё", "этих мягких", "булок"]])
        >>> names.utf8.detect().item()["encoding"]
        'windows-1251'
        >>> names.utf8.transcode("windows-1251").to_list()
        ['Съешь ещё', 'этих мягких', 'булок']
        >>> pl.Series(["Добрый день".encode("cp1251"), b"ok"]).utf8.detect(per_row=True).struct.field("encoding").to_list()
        ['windows-1251', 'ascii']
        """  # noqa: E501
        names = [] if encodings is None else reported_names(encodings)
        if encodings is not None and not names:
            message = "encodings must have a name, or be None for all encodings"
            raise ValueError(message)
        function = "detect_rows" if per_row else "detect"
        return self._call(function, " ".join(names), of_column=not per_row)

    def repair_mojibake(self, *, languages: Iterable[str] | None = None, key: _Key = None) -> _T:
        r"""Return the rows with wrong decodings undone, as :func:`leadbyte.mojibake.repair_many` does.

        The rows of the column, or of a group, support each other, so Polars passes them at once, also in its
        streaming engine. The type stays the same. ``languages`` are BCP 47 tags of the languages that the
        rows may be in; ValueError is raised for one that is not known, ComputeError for a row that is not
        UTF-8.

        >>> pl.Series(["Â£5", "Ãœber", "10Ã—15", None, "plain"]).utf8.repair_mojibake().to_list()
        ['£5', 'Über', '10×15', None, 'plain']
        """
        tags = languages if languages is None or isinstance(languages, str) else list(languages)
        leadbyte.mojibake.repair_many([], languages=tags)  # raises the exceptions for wrong arguments
        return self._call("repair_mojibake", " ".join(tags or ()), key=key, of_column=True)

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

    def _call(self, function: str, *options: str, key: _Key = None, of_column: bool = False) -> pl.Expr:
        arguments = [self._expr, *map(pl.lit, options)]
        if key is not None:
            if not isinstance(key, str | pl.Expr | pl.Series):
                message = f"argument 'key' must be str, an expression or a series, not {type(key).__name__}"
                raise TypeError(message)
            keys = pl.col(key) if isinstance(key, str) else pl.lit(key) if isinstance(key, pl.Series) else key
            arguments = [*(arguments if options else [self._expr, pl.lit("")]), keys.cast(pl.String)]
        return register_plugin_function(
            plugin_path=_leadbyte.__file__,
            function_name=function,
            args=arguments,
            is_elementwise=not of_column,
            returns_scalar=function == "detect",
        )


@pl.api.register_series_namespace("utf8")
class SeriesNamespace(_Namespace[pl.Series]):
    r"""The namespace ``utf8`` of series.

    >>> pl.Series("raw", [b"caf\xc3\xa9", b"caf\xe9"]).utf8.is_valid().to_list()
    [True, False]
    """

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def _call(self, function: str, *options: str, key: _Key = None, of_column: bool = False) -> pl.Series:
        expression = ExprNamespace(pl.lit(self._series))
        return pl.select(expression._call(function, *options, key=key, of_column=of_column)).to_series()


def __dir__() -> list[str]:
    return __all__
