r"""Spark's four functions that validate strings, for all versions and for Python, and more SQL functions.

Spark does not validate strings as it reads files. Since version 4 it has the functions :func:`is_valid_utf8`,
:func:`make_valid_utf8`, :func:`validate_utf8` and :func:`try_validate_utf8`. The functions of this module
take a column of Spark, also of version 3.5, or the name of one, and return a column: Spark's own functions
where it has them. Or they take bytes, and return the value that Spark does, which requires no Spark:

>>> import leadbyte.spark
>>> leadbyte.spark.make_valid_utf8(b"caf\xe9 \xe2\x82")
'caf� �'

:func:`register` creates SQL functions in a session: counts, errors with their offsets, and others.

Executors must have leadbyte, pyarrow and NumPy, and before Spark 4.1 pandas. They pass batches of rows to the
functions of :mod:`leadbyte.arrow`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import leadbyte

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import Column, SparkSession
    from typing_extensions import Buffer


__all__ = [
    "InvalidUtf8String",
    "is_valid_utf8",
    "make_valid_utf8",
    "register",
    "try_validate_utf8",
    "validate_utf8",
]

TYPES = {
    "boolean": "boolean",
    "count": "int",
    "text": "string",
    "errors": "array<struct<offset: bigint, kind: string, reason: string, data: binary>>",
    "detection": "struct<encoding: string, language: string, confidence: double>",
}


class InvalidUtf8String(UnicodeDecodeError):
    r"""What :func:`validate_utf8` raises, with the error condition and the message of Spark.

    >>> try:
    ...     leadbyte.spark.validate_utf8(b"caf\xe9")
    ... except leadbyte.spark.InvalidUtf8String as error:
    ...     print(error.getCondition(), error.getSqlState(), error.start, error.reason)
    INVALID_UTF8_STRING 22029 3 unexpected end of data
    """

    def __str__(self) -> str:
        """Return Spark's message."""
        data = self.getMessageParameters()["str"]
        message = f"Invalid UTF8 byte sequence found in string: {data}. SQLSTATE: {self.getSqlState()}"
        return f"[{self.getCondition()}] {message}"

    def getCondition(self) -> str:  # noqa: N802 - as in PySparkException
        """Return the name of the error condition."""
        return "INVALID_UTF8_STRING"

    def getMessageParameters(self) -> dict[str, str]:  # noqa: N802
        r"""Return the parameters of the message: ``str`` is all bytes, as ``\x63\x61\x66\xE9``."""
        return {"str": "".join(f"\\x{byte:02X}" for byte in self.object)}

    def getSqlState(self) -> str:  # noqa: N802
        """Return the SQLSTATE."""
        return "22029"


@overload
def is_valid_utf8(data: Buffer, /) -> bool: ...
@overload
def is_valid_utf8(data: None, /) -> None: ...
@overload
def is_valid_utf8(data: Column | str, /) -> Column: ...
def is_valid_utf8(data: Any, /) -> Any:
    r"""Return whether the data is valid UTF-8.

    data: bytes, a column, or the name of one, as the functions of Spark take it. None gives None. Raises
    ImportError for a name without Spark.

    >>> leadbyte.spark.is_valid_utf8(b"caf\xc3\xa9"), leadbyte.spark.is_valid_utf8(b"caf\xe9")
    (True, False)
    """
    if (column := as_column(data)) is not None:
        return of_column("is_valid_utf8", column, "utf8_is_valid")
    return None if data is None else leadbyte.is_valid(data)


@overload
def make_valid_utf8(data: Buffer, /) -> str: ...
@overload
def make_valid_utf8(data: None, /) -> None: ...
@overload
def make_valid_utf8(data: Column | str, /) -> Column: ...
def make_valid_utf8(data: Any, /) -> Any:
    r"""Return the text with U+FFFD in place of each error, as ``bytes.decode(errors="replace")`` does.

    >>> leadbyte.spark.make_valid_utf8(b"caf\xe9 \xf0\x9f\x98")
    'caf� �'
    """
    if (column := as_column(data)) is not None:
        return of_column("make_valid_utf8", column, "utf8_repair")
    return None if data is None else leadbyte.decode(data, errors="replace")


@overload
def validate_utf8(data: Buffer, /) -> str: ...
@overload
def validate_utf8(data: None, /) -> None: ...
@overload
def validate_utf8(data: Column | str, /) -> Column: ...
def validate_utf8(data: Any, /) -> Any:
    r"""Return the text, or raise :class:`InvalidUtf8String` if the data is not UTF-8.

    In a column it is the query that fails: since Spark 4 with the same error condition, before that with a
    PythonException.

    >>> leadbyte.spark.validate_utf8(b"caf\xe9")
    Traceback (most recent call last):
    leadbyte.spark.InvalidUtf8String: [INVALID_UTF8_STRING] Invalid UTF8 byte sequence found in string: \x63\x61\x66\xE9. SQLSTATE: 22029
    """  # noqa: E501
    if (column := as_column(data)) is not None:
        return of_column("validate_utf8", column, "utf8_decode")
    try:
        return None if data is None else leadbyte.decode(data)
    except UnicodeDecodeError as error:
        raise InvalidUtf8String(*error.args) from None


@overload
def try_validate_utf8(data: Buffer | None, /) -> str | None: ...
@overload
def try_validate_utf8(data: Column | str, /) -> Column: ...
def try_validate_utf8(data: Any, /) -> Any:
    r"""Return the text, or None if the data is not UTF-8.

    >>> leadbyte.spark.try_validate_utf8(b"caf\xe9") is None
    True
    """
    if (column := as_column(data)) is not None:
        return of_column("try_validate_utf8", column, "utf8_decode", "null")
    try:
        return None if data is None else leadbyte.decode(data)
    except UnicodeDecodeError:
        return None


def register(session: SparkSession, /) -> None:
    """Create SQL functions in a session; those created before are replaced.

    They are the functions of :mod:`leadbyte.duckdb`, with the same arguments: ``utf8_is_valid``,
    ``utf8_decode``, ``utf8_repair``, ``utf8_errors``, ``utf8_count_chars``, ``utf8_count_utf16``,
    ``utf8_count_graphemes``, ``utf8_truncate``, ``utf8_normalize``, ``utf8_transcode``, ``utf8_detect`` and
    ``utf8_repair_mojibake``, on BINARY and STRING. Before Spark 4.1 a STRING that may not be UTF-8 must be
    passed as ``CAST(text AS BINARY)``, and ``utf8_detect`` of NULL is a struct of NULLs.

    >>> leadbyte.spark.register("local")
    Traceback (most recent call last):
    TypeError: register() argument must be a session of Spark, not str
    """
    if not hasattr(session, "udf"):
        message = f"register() argument must be a session of Spark, not {type(session).__name__}"
        raise TypeError(message)

    from leadbyte._sql import FUNCTIONS

    for name in FUNCTIONS:
        session.udf.register(name, user_function(name))


def as_column(data: object) -> Column | None:
    """Return a column of Spark, or the one of a name; None for bytes. Spark is imported for a name only."""
    if isinstance(data, str):
        try:
            from pyspark.sql.functions import col
        except ImportError:
            message = (
                "a str is the name of a column, for which pyspark is not installed; text is given as bytes"
            )
            raise ImportError(message, name="pyspark") from None
        return col(data)
    kind = type(data)
    return data if kind.__name__ == "Column" and kind.__module__.startswith("pyspark.") else None


def of_column(name: str, column: Column, replacement: str, *settings: str) -> Column:
    """Return Spark's own function of a column, or before Spark 4 the replacement with its settings."""
    from pyspark.sql import functions

    if hasattr(functions, name):
        return getattr(functions, name)(column)
    return user_function(replacement)(column.cast("binary"), *map(functions.lit, settings))


def user_function(name: str) -> Any:  # noqa: ANN401 - a function of Spark, which has no types here
    """Return a function of SQL as a user-defined function of Spark."""
    from pyspark.sql import functions

    from leadbyte._sql import FUNCTIONS

    function, result = FUNCTIONS[name]
    if hasattr(functions, "arrow_udf"):
        return functions.arrow_udf(function, TYPES[result])

    import pandas as pd
    import pyarrow as pa

    is_struct = result == "detection"

    def of_series(*series: pd.Series | pd.DataFrame) -> pd.Series | pd.DataFrame:
        columns = [pa.array(column, from_pandas=True) for column in series[1:]]
        if series and isinstance(series[0], pd.DataFrame):
            columns.insert(0, pa.Table.from_pandas(series[0]).to_struct_array())
        elif series:
            # Objects are bytes or text. Numbers stay numbers, whose memory would be read as bytes.
            kind = pa.binary() if series[0].dtype.kind == "O" else None
            columns.insert(0, pa.array(series[0], kind, from_pandas=True))
        found = function(*columns)
        if is_struct:
            return pa.table(found.flatten(), [field.name for field in found.type]).to_pandas()
        return found.to_pandas(integer_object_nulls=True)

    of_series.__name__ = name
    of_series.__annotations__ = {"series": pd.Series, "return": pd.DataFrame if is_struct else pd.Series}
    return functions.pandas_udf(of_series, TYPES[result])


def __dir__() -> list[str]:
    return __all__
