"""Columns of other libraries, made of the results of leadbyte.arrow."""

from __future__ import annotations

from leadbyte._messages import not_installed

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from polars import Series
    from pyarrow import Array as PyArrowArray
    from pyarrow import ChunkedArray

    from leadbyte.arrow import Array, Stream


def to_pyarrow(result: Array | Stream, /) -> PyArrowArray | ChunkedArray:
    """Return an array or a chunked array of pyarrow."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        user = "to_pyarrow()"
        raise not_installed(user, error) from None
    return pa.array(result) if hasattr(result, "__arrow_c_array__") else pa.chunked_array(result)


def to_polars(result: Array | Stream, /) -> Series:
    """Return a series of Polars."""
    try:
        import polars as pl
    except ModuleNotFoundError as error:
        user = "to_polars()"
        raise not_installed(user, error) from None
    if hasattr(pl.Series, "__arrow_c_stream__"):
        return pl.Series(result)
    # Older versions do not read capsules.
    return pl.from_arrow(to_pyarrow(result))


def runs_to_polars(result: Array | Stream, /) -> Series:
    """Return a series of Polars, which does not read runs, of their rows."""
    column = to_pyarrow(result)
    import pyarrow.compute as pc

    return to_polars(pc.run_end_decode(column))
