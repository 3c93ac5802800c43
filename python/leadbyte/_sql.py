"""Functions of SQL on columns, for engines that call Python with arrays of pyarrow: DuckDB and Spark.

The first argument is a column of bytes or strings. The others are settings, columns, too, as engines pass
constants that way. The result is an array, null where any argument is null. Text in it has a type of strings.
A row that is not UTF-8 raises ValueError without the number of the row: engines report the message alone, and
pass rows in batches. Instead it has the bytes around the error, and the value of a key column if given.
"""

from __future__ import annotations

from leadbyte._messages import not_installed, number

try:
    import numpy as np
    import pyarrow as pa
except ModuleNotFoundError as error:
    user = "leadbyte in SQL"
    raise not_installed(user, error) from None

from leadbyte import arrow

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, TypeAlias

    Column: TypeAlias = pa.Array | pa.ChunkedArray
    Function: TypeAlias = Callable[..., pa.Array]
    Result: TypeAlias = Literal["boolean", "count", "text", "errors", "detection"]
    Computed: TypeAlias = arrow.Array | arrow.Stream | pa.Array
    Errors: TypeAlias = Literal["strict", "replace", "ignore", "null", "backslashreplace"]
    Unit: TypeAlias = Literal["byte", "char", "utf16", "grapheme"]
    ConversionErrors: TypeAlias = arrow._ConversionErrors
    Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

# How many bytes before and after an error its message shows.
CONTEXT_BYTES = 20

# Types of results. Of a column with 64-bit offsets, texts have these, too.
TYPES: dict[Result, pa.DataType] = {
    "boolean": pa.bool_(),
    "count": pa.int32(),
    "text": pa.string(),
    "errors": pa.list_(
        pa.struct({"offset": pa.int64(), "kind": pa.string(), "reason": pa.string(), "data": pa.binary()})
    ),
    "detection": pa.struct({"encoding": pa.string(), "language": pa.string(), "confidence": pa.float64()}),
}

# View types, whose rows pyarrow does not take, and types with the same values; the cast needs pyarrow 18.
WITHOUT_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}

# The functions by name, and what they return.
FUNCTIONS: dict[str, tuple[Function, Result]] = {}


def sql_function(result: Result, *, has_key: bool = False) -> Callable[[Callable[..., Computed]], Function]:
    """Return a decorator for functions of a column and settings that all rows share.

    With ``has_key`` they take one more column after all settings, whose value for a row its error names.
    """

    def decorate(function: Callable[..., Computed]) -> Function:
        name = function.__name__
        argument_count = function.__code__.co_argcount
        least, most = argument_count - len(function.__defaults__ or ()), argument_count + has_key

        def by_row(values: pa.Array, settings: list[pa.Array]) -> pa.Array:
            if values.type in WITHOUT_VIEWS:
                values = values.cast(WITHOUT_VIEWS[values.type])
            groups: dict[tuple[object, ...], list[int]] = {}
            for row, key in enumerate(zip(*(column.to_pylist() for column in settings), strict=True)):
                if None not in key:
                    groups.setdefault(key, []).append(row)
            parts = [pa.nulls(0, TYPES[result])]
            places: dict[int, int] = {}
            for key, rows in groups.items():
                try:
                    computed = function(values.take(pa.array(rows)), *key)
                except UnicodeDecodeError as error:
                    error.row = rows[error.row]  # type: ignore[attr-defined]
                    raise
                parts.append(array(computed).cast(TYPES[result]))
                places.update(zip(rows, range(len(places), len(places) + len(rows)), strict=True))
            places_of_rows = [places.get(row) for row in range(len(values))]
            return pa.concat_arrays(parts).take(pa.array(places_of_rows, pa.int64()))

        def call(*columns: Column) -> pa.Array:
            if not columns or len(columns) > most:
                taken = number(most, "argument") if least == most else f"{least} to {most} arguments"
                message = f"{name}() takes {taken}, not {len(columns)}"
                raise TypeError(message)
            values, *settings = map(array, columns)
            if pa.types.is_nested(values.type):
                message = f"{name}() takes bytes or text, not {values.type}"
                raise TypeError(message)
            keys = settings.pop() if has_key and len(columns) > argument_count else None
            try:
                if all(map(is_constant, settings)):
                    return array(function(values, *(column[0].as_py() for column in settings)))
                return by_row(values, settings)
            except UnicodeDecodeError as error:
                raise ValueError(undecodable(error, keys)) from None

        # Spark finds the types here, and the function by its name.
        call.__annotations__ = {"columns": pa.Array, "return": pa.Array}
        call.__name__ = call.__qualname__ = name
        call.__doc__ = function.__doc__
        FUNCTIONS[name] = call, result
        return call

    return decorate


def array(column: Column | Computed) -> pa.Array:
    """Return a column as one array of pyarrow."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column if isinstance(column, pa.Array) else pa.array(column)


def is_constant(column: pa.Array) -> bool:
    """Return whether a column has rows, and all of them have one value, which is not null."""
    return len(column) > 0 and column[0].is_valid and column[1:].equals(column[:-1])


def undecodable(error: UnicodeDecodeError, keys: pa.Array | None) -> str:
    """Return the message for a row that cannot be decoded, with the bytes around the error, and its key."""
    start, end = max(error.start - CONTEXT_BYTES, 0), error.end + CONTEXT_BYTES
    before, after = "..." if start else "", "..." if end < len(error.object) else ""
    key = "" if keys is None else f", key {keys[error.row].as_py()}"  # type: ignore[attr-defined]
    return f"{error}, in {before}{error.object[start:end]!r}{after}{key}"


@sql_function("boolean")
def utf8_is_valid(values: pa.Array) -> Computed:
    """Return whether each row is valid UTF-8."""
    return arrow.is_valid_utf8(values)


@sql_function("text", has_key=True)
def utf8_decode(values: pa.Array, errors: Errors = "strict") -> Computed:
    """Return the rows as strings."""
    return arrow.decode(values, errors=errors)


@sql_function("text", has_key=True)
def utf8_transcode(values: pa.Array, source: str, errors: ConversionErrors = "strict") -> Computed:
    """Return the rows, which are in another encoding, as strings."""
    return arrow.transcode(values, source, errors=errors)


@sql_function("detection")
def utf8_detect(values: pa.Array) -> Computed:
    """Return a struct of ``encoding``, ``language`` and ``confidence``, detected in each row."""
    found = array(arrow.detect(values, per_row=True))
    # Without the types of the fields that are never null.
    return pa.StructArray.from_arrays(
        [found.field(name) for name in ("encoding", "language", "confidence")],
        fields=list(TYPES["detection"]),
        mask=found.is_null(),
    )


@sql_function("text")
def utf8_repair_mojibake(values: pa.Array, languages: str = "") -> Computed:
    """Return the rows as strings with wrong decodings undone; ``languages`` have commas between them."""
    tags = languages.replace(",", " ").split() or None
    return arrow.repair_mojibake(arrow.decode(values), languages=tags)


@sql_function("text")
def utf8_repair(values: pa.Array, replacement: str = "\ufffd") -> Computed:
    """Return the rows as strings, with a replacement for each error."""
    return arrow.decode(arrow.repair(values, replacement=replacement))


@sql_function("errors")
def utf8_errors(values: pa.Array) -> Computed:
    """Return a list of the errors of each row: structs of ``offset``, ``kind``, ``reason`` and ``data``."""
    table = array(arrow.errors(values))
    ends = np.searchsorted(table.field("row").to_numpy(), np.arange(len(values) + 1))
    names = ["offset", "kind", "reason", "data"]
    structs = pa.StructArray.from_arrays([table.field(name) for name in names], names)
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), structs, mask=values.is_null())


@sql_function("count")
def utf8_count_chars(values: pa.Array) -> Computed:
    """Return the number of characters of each row."""
    return arrow.count_chars(values)


@sql_function("count")
def utf8_count_utf16(values: pa.Array) -> Computed:
    """Return the number of UTF-16 code units of each row."""
    return arrow.count_utf16(values)


@sql_function("count")
def utf8_count_graphemes(values: pa.Array) -> Computed:
    """Return the number of extended grapheme clusters of each row."""
    return arrow.count_graphemes(values)


@sql_function("text")
def utf8_truncate(values: pa.Array, limit: int, unit: Unit = "char", ellipsis: str = "") -> Computed:
    """Return the rows as strings of at most ``limit`` units."""
    return arrow.truncate(arrow.decode(values), limit, unit=unit, ellipsis=ellipsis)


@sql_function("text")
def utf8_normalize(values: pa.Array, form: Form = "NFC") -> Computed:
    """Return the rows as strings in a normalization form."""
    return arrow.normalize(form, arrow.decode(values))
