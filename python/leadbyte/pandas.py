r"""The accessor ``utf8`` of pandas' series: which rows are UTF-8, where they are not, repair and counts.

>>> import pandas as pd
>>> import leadbyte.pandas
>>> dishes = pd.Series([b"caf\xc3\xa9", None, b"caf\xe9"], index=["a", "b", "c"])
>>> dishes.utf8.is_valid().to_list()
[True, <NA>, False]
>>> dishes.utf8.decode(errors="replace").dropna().to_dict()
{'a': 'café', 'c': 'caf�'}

Rows are bytes or str as objects, categories, strings of pandas, or binary values or strings of pyarrow.
Missing values stay missing. A str with a lone surrogate raises UnicodeEncodeError.

Results have the index and the name of the series. From a column of pyarrow comes a column of pyarrow;
otherwise booleans and numbers have the nullable types ``boolean`` and ``Int64``.

The functions are the same as in :mod:`leadbyte.arrow`. They require pyarrow, and pandas 2.2 or later.
"""

from __future__ import annotations

from leadbyte._messages import not_installed

try:
    import pandas as pd
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise not_installed(__name__, error) from None

from leadbyte import arrow

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, SupportsIndex

    from leadbyte import Detection
    from leadbyte._encodings import _Name
    from leadbyte.arrow import _ConversionErrors
    from leadbyte.transcode import _BomPolicy

__all__ = ["Utf8Accessor"]

# The types of columns of bytes that results have.
BYTES = {pa.binary(), pa.large_binary()}


class Utf8Accessor:
    """The methods of ``Series.utf8``."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def is_valid(self) -> pd.Series:
        r"""Return whether each row is valid UTF-8 (RFC 3629).

        >>> pd.Series([b"caf\xc3\xa9", b"caf\xe9"]).utf8.is_valid().to_list()
        [True, False]
        """
        return self._result(arrow.is_valid_utf8(self._column()), pd.BooleanDtype())

    def validate(self) -> None:
        r"""Raise UnicodeDecodeError for the first row that is not UTF-8.

        The exception is the one that ``bytes.decode`` raises for the row. Its attribute ``row`` is the
        position of the row, from 0 on, as in ``iloc``.

        >>> pd.Series([b"caf\xc3\xa9", b"caf\xe9"]).utf8.validate()
        Traceback (most recent call last):
        UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data
        in row 1
        """
        arrow.validate(self._column())

    def errors(self) -> pd.DataFrame:
        r"""Return all errors: a row for each, with the label that its row has in the index of the series.

        The columns are ``row`` (the position, from 0 on), ``offset`` (in bytes from the start of the row),
        ``kind``, ``reason`` and ``data`` (as in :class:`leadbyte.ErrorSpan`).

        >>> pd.Series([b"caf\xe9 \xff"], index=["menu"]).utf8.errors()[["row", "offset", "kind", "data"]]
              row  offset                  kind     data
        menu    0       3  missing_continuation  b'\xe9'
        menu    0       5         invalid_start  b'\xff'
        """
        frame: pd.DataFrame = pa.table(arrow.errors(self._column())).to_pandas()
        frame.index = self._series.index.take(frame["row"])
        return frame

    def decode(
        self, *, errors: Literal["strict", "replace", "ignore", "null", "backslashreplace"] = "strict"
    ) -> pd.Series:
        r"""Return the rows as strings.

        ``errors`` is the policy for rows that are not UTF-8: "strict" raises UnicodeDecodeError, as
        :meth:`validate` does; "replace", "ignore" and "backslashreplace" give what ``bytes.decode`` gives;
        "null" gives a missing value.

        >>> pd.Series([b"caf\xc3\xa9", b"caf\xe9"]).utf8.decode(errors="ignore").to_list()
        ['café', 'caf']
        """
        return self._result(arrow.decode(self._column(), errors=errors))

    def repair(self, *, replacement: str = "\ufffd") -> pd.Series:
        r"""Return the rows with ``replacement`` in place of each error; "" removes errors.

        Bytes remain bytes.

        >>> pd.Series([b"caf\xe9"]).utf8.repair(replacement="?").to_list()
        [b'caf?']
        """
        return self._result(arrow.repair(self._column(), replacement=replacement))

    def count_chars(self) -> pd.Series:
        """Return the number of characters of each row: of lead bytes, as :func:`leadbyte.count_chars` counts.

        >>> pd.Series(["café", "мир"]).utf8.count_chars().to_list()
        [4, 3]
        """
        return self._result(arrow.count_chars(self._column()), pd.Int64Dtype())

    def count_utf16(self) -> pd.Series:
        """Return the number of UTF-16 code units of each row, as :func:`leadbyte.count_utf16` counts.

        >>> pd.Series(["café", "😀"]).utf8.count_utf16().to_list()
        [4, 2]
        """
        return self._result(arrow.count_utf16(self._column()), pd.Int64Dtype())

    def count_graphemes(self) -> pd.Series:
        r"""Return the number of extended grapheme clusters (UAX 29) of each row.

        Raises UnicodeDecodeError for a row that is not UTF-8, as :meth:`validate` does.

        >>> pd.Series(["cafe\u0301", "👩‍💻"]).utf8.count_graphemes().to_list()
        [4, 1]
        """
        return self._result(arrow.count_graphemes(self._column()), pd.Int64Dtype())

    def truncate(
        self,
        limit: SupportsIndex,
        /,
        *,
        unit: Literal["byte", "char", "utf16", "grapheme"],
        boundary: Literal["char", "grapheme"] = "char",
        ellipsis: str = "",
        side: Literal["end", "start", "middle"] = "end",
    ) -> pd.Series:
        """Return the rows with at most ``limit`` units each, as :func:`leadbyte.truncate` cuts them.

        >>> pd.Series(["naïve", "na"]).utf8.truncate(3, unit="byte").to_list()
        ['na', 'na']
        """
        result = arrow.truncate(
            self._column(), limit, unit=unit, boundary=boundary, ellipsis=ellipsis, side=side
        )
        return self._result(result)

    def normalize(self, form: Literal["NFC", "NFD", "NFKC", "NFKD"], /) -> pd.Series:
        r"""Return the rows in a normalization form (UAX 15).

        Raises UnicodeDecodeError for a row that is not UTF-8, as :meth:`validate` does.

        >>> pd.Series(["cafe\u0301"]).utf8.normalize("NFC").to_list()
        ['café']
        """
        return self._result(arrow.normalize(form, self._column()))

    def transcode(
        self,
        source: _Name,
        target: _Name = "utf-8",
        /,
        *,
        errors: _ConversionErrors = "strict",
        bom: _BomPolicy = None,
    ) -> pd.Series:
        r"""Return the rows, which are in the encoding ``source``, in the encoding ``target``.

        The rows are strings if ``target`` is UTF-8, otherwise bytes. The arguments and their exceptions are
        the same as for :func:`leadbyte.arrow.transcode`.

        >>> pd.Series([b"caf\xe9", b"5 \x80"]).utf8.transcode("windows-1252").to_list()
        ['café', '5 €']
        """
        return self._result(arrow.transcode(self._column(), source, target, errors=errors, bom=bom))

    def detect(
        self, *, per_row: bool = False, encodings: Iterable[str | int] | None = None
    ) -> Detection | pd.DataFrame:
        r"""Detect the encoding of the series, or of each row.

        For the series it returns a :class:`leadbyte.Detection`, as :func:`leadbyte.arrow.detect` does. With
        ``per_row`` it returns a data frame with the index of the series and the columns ``encoding``,
        ``language`` and ``confidence``, which have missing values where a row is missing.

        >>> names = pd.Series([name.encode("koi8-r") for name in ["Привет", "Мы тут"]], index=["a", "b"])
        >>> names.utf8.detect().encoding
        'koi8-r'
        >>> pd.Series([b"text"], index=["a"]).utf8.detect(per_row=True)["encoding"].to_dict()
        {'a': 'ascii'}
        """
        if not per_row:
            return arrow.detect(self._column(), encodings=encodings)
        found = pa.chunked_array(arrow.detect(self._column(), per_row=True, encodings=encodings))
        if not pa.types.is_struct(found.type):
            message = f"detect(per_row=True) takes rows of bytes or text, not {self._series.dtype}"
            raise TypeError(message)
        names = ["encoding", "language", "confidence"]
        frame: pd.DataFrame = pa.table(found.flatten(), names).to_pandas()
        return frame.set_axis(self._series.index)

    def repair_mojibake(self, *, languages: Iterable[str] | None = None) -> pd.Series:
        r"""Return the rows with wrong decodings undone, as :func:`leadbyte.mojibake.repair_many` does.

        The rows support each other. ``languages`` are BCP 47 tags of the languages that the rows may be in.

        >>> pd.Series(["Â£5", "Ãœber", "10Ã—15"]).utf8.repair_mojibake().to_list()
        ['£5', 'Über', '10×15']
        """
        return self._result(arrow.repair_mojibake(self._column(), languages=languages))

    def _column(self) -> pa.Array | pa.ChunkedArray:
        """Return the series as an array of pyarrow."""
        series = self._series
        if isinstance(series.dtype, pd.CategoricalDtype):
            # Categories that no row has are of any type.
            used = series.cat.remove_unused_categories().cat
            codes = pa.array(used.codes, mask=used.codes.to_numpy() < 0)
            categories = pd.Series(used.categories, dtype=None if len(used.categories) else object)
            return pa.DictionaryArray.from_arrays(codes, Utf8Accessor(categories)._column())
        if series.dtype != object:
            return pa.array(series, from_pandas=True)
        is_text = pd.api.types.infer_dtype(series, skipna=True) == "string"
        # The offsets have 64 bits, as a chunk with 32 bits holds at most 2 GiB.
        return pa.array(series, pa.large_string() if is_text else pa.large_binary(), from_pandas=True)

    def _result(
        self, result: arrow.Array | arrow.Stream, nullable: pd.api.extensions.ExtensionDtype | None = None
    ) -> pd.Series:
        """Return a column as a series. Where it is neither text nor of pyarrow, its type is ``nullable``."""
        column = pa.chunked_array(result)
        if isinstance(self._series.dtype, pd.CategoricalDtype) and pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if isinstance(self._series.dtype, pd.ArrowDtype):
            values = pd.arrays.ArrowExtensionArray(column)
        elif nullable is not None:
            values = nullable.__from_arrow__(column)
        elif isinstance(self._series.dtype, pd.StringDtype) and column.type not in BYTES:
            values = self._series.dtype.__from_arrow__(column)
        else:
            values = column.to_pandas().array
        return pd.Series(values, index=self._series.index, name=self._series.name)


pd.api.extensions.register_series_accessor("utf8")(Utf8Accessor)


def __dir__() -> list[str]:
    return __all__
