r"""SQL functions for DuckDB on BLOB and VARCHAR: which rows are UTF-8, where exactly they are not, and repair.

>>> import duckdb
>>> import leadbyte.duckdb
>>> connection = duckdb.connect()
>>> leadbyte.duckdb.register(connection)
>>> connection.sql(r"SELECT utf8_is_valid('caf\xE9'::BLOB), utf8_decode('caf\xE9'::BLOB, 'replace')").fetchall()
[(False, 'caf�')]

NULL gives NULL. All text in results is VARCHAR; DuckDB's function ``encode`` gives the bytes.

| function | result |
|---|---|
| ``utf8_is_valid(data)`` | BOOLEAN: whether it is valid UTF-8 (RFC 3629) |
| ``utf8_decode(data[, errors[, key]])`` | VARCHAR; ``errors`` as in :func:`leadbyte.arrow.decode`: 'strict' raises an error, 'replace', 'ignore', 'null' or 'backslashreplace' |
| ``utf8_transcode(data, source[, errors[, key]])`` | VARCHAR of data in the encoding ``source``; ``errors`` as in :func:`leadbyte.arrow.transcode` |
| ``utf8_detect(data)`` | STRUCT(encoding VARCHAR, language VARCHAR, confidence DOUBLE): the encoding detected in the row alone; :func:`leadbyte.arrow.detect` takes a relation, and detects it in all rows |
| ``utf8_repair_mojibake(data[, languages])`` | VARCHAR with wrong decodings undone, as :func:`leadbyte.arrow.repair_mojibake` does; the rows of a batch support each other; ``languages`` as in 'de, tr' |
| ``utf8_repair(data[, replacement])`` | VARCHAR with a replacement for each error, U+FFFD by default |
| ``utf8_errors(data)`` | a list of STRUCT("offset" BIGINT, kind VARCHAR, reason VARCHAR, data BLOB) as in :class:`leadbyte.ErrorSpan`, with offsets in bytes; an empty list for valid data |
| ``utf8_count_chars(data)`` | INTEGER: the number of characters, as :func:`leadbyte.count_chars` counts |
| ``utf8_count_utf16(data)`` | INTEGER: the number of UTF-16 code units |
| ``utf8_count_graphemes(data)`` | INTEGER: the number of extended grapheme clusters (UAX 29) |
| ``utf8_truncate(data, limit[, unit[, ellipsis]])`` | VARCHAR of at most ``limit`` units: 'char' (by default), 'byte', 'utf16' or 'grapheme' |
| ``utf8_normalize(data[, form])`` | VARCHAR in a normalization form, 'NFC' by default |

The last three, ``utf8_repair_mojibake``, and ``utf8_decode`` with 'strict' fail for data that is not UTF-8, and
``utf8_transcode`` with 'strict' for data that is not in its encoding; the message shows the error, the bytes
around it, and the value of the column ``key`` in the row if one is given.

DuckDB passes rows in vectors to the functions of :mod:`leadbyte.arrow`. That requires NumPy and pyarrow, and
DuckDB 1.1 or later.
"""  # noqa: E501

from __future__ import annotations

from contextlib import suppress

from leadbyte._messages import not_installed

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]

TYPES = {
    "boolean": "BOOLEAN",
    "count": "INTEGER",
    "text": "VARCHAR",
    "errors": 'STRUCT("offset" BIGINT, kind VARCHAR, reason VARCHAR, data BLOB)[]',
    "detection": "STRUCT(encoding VARCHAR, language VARCHAR, confidence DOUBLE)",
}


def register(connection: DuckDBPyConnection, /) -> None:
    r"""Create the functions in a connection; those created before are replaced.

    >>> leadbyte.duckdb.register(connection)
    >>> connection.sql("SELECT utf8_count_chars('naïve')").fetchall()
    [(5,)]
    >>> leadbyte.duckdb.register("menu.db")
    Traceback (most recent call last):
    TypeError: register() argument must be a connection of DuckDB, as duckdb.connect() returns it, not str
    """
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise not_installed(__name__, error) from None

    if not isinstance(connection, duckdb.DuckDBPyConnection):
        message = (
            "register() argument must be a connection of DuckDB, as duckdb.connect() returns it, "
            f"not {type(connection).__name__}"
        )
        raise TypeError(message)

    from leadbyte._sql import FUNCTIONS

    for name, (function, result) in FUNCTIONS.items():
        creator = connection
        try:
            connection.remove_function(name)
        except duckdb.InvalidInputException:  # this connection has not created it
            pass
        except duckdb.CatalogException:  # nor is it there, but the connection will not create it again
            creator = connection.cursor()
        with suppress(duckdb.CatalogException):  # another connection to the same database has
            creator.create_function(
                name, function, None, TYPES[result], type="arrow", null_handling="special"
            )


def __dir__() -> list[str]:
    return __all__
