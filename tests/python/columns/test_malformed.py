"""Arrays that contradict themselves: errors instead of crashes, and each struct is released once."""

from __future__ import annotations

import ctypes
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from c_data import Array, Counted, Exporter, StreamExporter, get_pointer, move, release_all
from leadbyte import arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c_data import Schema


lba: Any = arrow


@contextmanager
def counted() -> Iterator[Counted]:
    """Check that all structs made in a block are released once at its end."""
    count = Counted()
    yield count
    count.release_rest()
    assert count.released == count.exported


CALLS: dict[str, Callable[[Any], Any]] = {
    "is_valid_utf8": lba.is_valid_utf8,
    "errors": lba.errors,
    "validate": lba.validate,
    "decode": lambda values: lba.decode(values, errors="replace"),
    "repair": lba.repair,
    "count_chars": lba.count_chars,
    "count_graphemes": lba.count_graphemes,
    "truncate": lambda values: lba.truncate(values, 2, unit="byte"),
    "normalize": lambda values: lba.normalize("NFC", values),
    "transcode": lambda values: lba.transcode(values, "utf-8", "utf-16"),
    "detect": lba.detect,
    "detect per row": lambda values: lba.detect(values, per_row=True),
    "repair_mojibake": lba.repair_mojibake,
}


def ints(*values: int) -> bytes:
    return struct.pack(f"={len(values)}i", *values)


def longs(*values: int) -> bytes:
    return struct.pack(f"={len(values)}q", *values)


def view(length: int, number: int, start: int) -> bytes:
    return struct.pack("=i4sii", length, b"long", number, start)


TEXT = b"caf\xc3\xa9 and more than a view holds"
# A good array with three rows, to be damaged by other fields.
GOOD: dict[str, Any] = {"length": 3, "buffers": [None, ints(0, 3, 3, 9), TEXT]}
DAMAGED: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "a negative length": (b"z", {**GOOD, "length": -1}, "a negative length"),
    "a negative offset": (b"z", {**GOOD, "offset": -1}, "a negative offset"),
    "the longest length": (b"z", {**GOOD, "length": 2**63 - 1}, "longer than memory"),
    "the largest offset": (b"z", {**GOOD, "offset": 2**63 - 3}, "longer than memory"),
    "offset + length": (b"z", {**GOOD, "offset": 2**62, "length": 2**62}, "longer than memory"),
    "nulls below -1": (b"z", {**GOOD, "null_count": -2}, "number of nulls"),
    "more nulls than rows": (b"z", {**GOOD, "null_count": 4}, "number of nulls"),
    "nulls without bitmap": (b"z", {**GOOD, "null_count": 1}, "nulls without a bitmap"),
    "few buffers": (b"z", {**GOOD, "n_buffers": 2}, "number of buffers"),
    "many buffers": (b"z", {**GOOD, "n_buffers": 4}, "number of buffers"),
    "a negative number of buffers": (b"z", {**GOOD, "n_buffers": -1}, "number of buffers"),
    "negative buffers of views": (b"vz", {**GOOD, "n_buffers": -(2**63)}, "number of buffers"),
    "too many buffers of views": (b"vz", {**GOOD, "n_buffers": 2**62}, "number of buffers"),
    "one buffer of views": (b"vz", {**GOOD, "n_buffers": 1}, "number of buffers"),
    "no pointers": (b"z", {**GOOD, "buffers": None, "n_buffers": 3}, "buffers without pointers"),
    "no offsets": (b"z", {**GOOD, "buffers": [None, None, TEXT]}, "rows without a buffer"),
    "no bytes": (b"z", {**GOOD, "buffers": [None, ints(0, 3, 3, 9), None]}, "bytes without a buffer"),
    "descending offsets": (b"z", {**GOOD, "buffers": [None, ints(0, 6, 3, 9), TEXT]}, "row outside"),
    "negative offsets": (b"z", {**GOOD, "buffers": [None, ints(-3, 3, 3, 9), TEXT]}, "row outside"),
    "a negative last offset": (b"z", {**GOOD, "buffers": [None, ints(0, 3, 3, -9), TEXT]}, "negative length"),
    "offsets beyond the last": (b"z", {**GOOD, "buffers": [None, ints(0, 99, 99, 9), TEXT]}, "row outside"),
    "descending long offsets": (b"Z", {**GOOD, "buffers": [None, longs(0, 6, 3, 9), TEXT]}, "row outside"),
    "a negative long offset": (
        b"Z",
        {**GOOD, "buffers": [None, longs(-(2**63), 3, 3, 9), TEXT]},
        "row outside",
    ),
    "a long offset beyond": (b"U", {**GOOD, "buffers": [None, longs(0, 2**62, 3, 9), TEXT]}, "row outside"),
    "a width that is not a number": (b"w:x", GOOD, "a width"),
    "a negative width": (b"w:-3", GOOD, "a width"),
    "a width beyond memory": (
        b"w:2147483647",
        {"length": 2**40, "offset": 2**40, "buffers": [None, TEXT]},
        "longer than memory|negative length",
    ),
}
VIEWS = {
    "beyond the buffer": view(14, 0, 30),
    "a start beyond": view(13, 0, 99),
    "a buffer that is not there": view(13, 1, 0),
    "a negative buffer": view(13, -1, 0),
    "a negative start": view(13, 0, -1),
    "a negative length": view(-1, 0, 0),
    "the longest": view(2**31 - 1, 0, 2**31 - 1),
}
DAMAGED |= {
    f"a view: {name}": (
        b"vz",
        {"length": 2, "buffers": [None, view(13, 0, 0) + damaged, TEXT, longs(len(TEXT))]},
        "row outside",
    )
    for name, damaged in VIEWS.items()
}
DAMAGED |= {
    "no lengths of view buffers": (
        b"vz",
        {"length": 1, "buffers": [None, view(13, 0, 0), TEXT, None]},
        "lengths",
    ),
    "a negative length of a view buffer": (
        b"vu",
        {"length": 1, "buffers": [None, view(13, 0, 0), TEXT, longs(-1)]},
        "negative length",
    ),
    "a view buffer that is null": (
        b"vu",
        {"length": 1, "buffers": [None, view(13, 0, 0), None, longs(13)]},
        "bytes without a buffer",
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_arrays(name: str, call: str) -> None:
    layout, fields, message = DAMAGED[name]
    with counted() as count:
        values = Exporter(count.schema(layout), count.array(**fields))
        with pytest.raises(ValueError, match=message):
            CALLS[call](values)
    with counted() as count:
        stream = StreamExporter(count.stream(count.schema(layout), [count.array(**fields)]))
        with pytest.raises(ValueError, match=message):
            CALLS[call](stream)


def good(count: Counted) -> Array:
    return count.array(**GOOD)


def utf8(count: Counted) -> Schema:
    return count.schema(b"u", name=b"a")


def good_pair(count: Counted) -> tuple[Schema, Array]:
    return utf8(count), good(count)


def nested(count: Counted, depth: int, layout: bytes) -> Schema:
    schema = utf8(count)
    for _ in range(depth):
        if layout == b"+r":
            schema = count.schema(layout, [count.schema(b"i"), schema])
        elif layout == b"+s":
            schema = count.schema(layout, [schema])
        else:
            schema = count.schema(layout, dictionary=schema)
    return schema


def cyclic(count: Counted, layout: bytes) -> Schema:
    schema = count.schema(layout)
    schema.dictionary = ctypes.pointer(schema)
    return schema


def released(struct: Any) -> Any:  # noqa: ANN401
    """Release a struct, as if it had been moved."""
    struct.release(ctypes.byref(struct))
    return struct


# What fails before the array is looked at.
SCHEMAS: dict[str, tuple[Callable[[Counted], Schema], type[Exception], str]] = {
    "no format": (lambda count: count.schema(None), ValueError, "without a format"),
    "an unknown format": (lambda count: count.schema(b"\xff?"), TypeError, "Arrow's format"),
    "an empty format": (lambda count: count.schema(b""), TypeError, "Arrow's format"),
    "a struct without children": (lambda count: count.schema(b"+s"), TypeError, "name the column"),
    "a negative number of children": (
        lambda count: count.schema(b"+s", n_children=-1),
        ValueError,
        "number of children",
    ),
    "many children": (lambda count: count.schema(b"+s", n_children=2**40), ValueError, "number of children"),
    "children without pointers": (
        lambda count: count.schema(b"+s", n_children=2),
        ValueError,
        "without pointers",
    ),
    "a null child": (
        lambda count: count.schema(b"+r", [count.schema(b"i"), None]),
        ValueError,
        "child that is null",
    ),
    "a released child": (
        lambda count: count.schema(b"+r", [count.schema(b"i"), released(utf8(count))]),
        ValueError,
        "released",
    ),
    "one child of runs": (lambda count: count.schema(b"+r", [utf8(count)]), ValueError, "two children"),
    "run ends of text": (lambda count: count.schema(b"+r", [utf8(count)] * 2), ValueError, "not integers"),
    "unsigned run ends": (
        lambda count: count.schema(b"+r", [count.schema(b"I"), utf8(count)]),
        ValueError,
        "not integers",
    ),
    "indices of text": (lambda count: count.schema(b"z", dictionary=utf8(count)), ValueError, "not integers"),
    "a dictionary of integers": (
        lambda count: count.schema(b"i", dictionary=count.schema(b"i")),
        TypeError,
        "integers",
    ),
    "a dictionary of runs": (
        lambda count: count.schema(b"i", dictionary=nested(count, 1, b"+r")),
        TypeError,
        "runs within",
    ),
    "dictionaries of dictionaries": (
        lambda count: nested(count, 200, b"i"),
        TypeError,
        "dictionary of dictionaries",
    ),
    "runs of runs": (lambda count: nested(count, 200, b"+r"), TypeError, "runs within runs"),
    "structs of structs": (lambda count: nested(count, 200, b"+s"), TypeError, "nested too deeply"),
    "a dictionary of itself": (
        lambda count: cyclic(count, b"i"),
        Exception,
        "dictionary of dictionaries|released",
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_damaged_schemas(name: str) -> None:
    make, error, message = SCHEMAS[name]
    with counted() as count:
        schema = make(count)
        with pytest.raises(error, match=message):
            lba.decode(Exporter(schema, good(count)))
    with counted() as count:
        stream = count.stream(make(count), [good(count)])
        with pytest.raises(error, match=message):
            lba.decode(StreamExporter(stream))


def indices(count: Counted, **fields: Any) -> Array:  # noqa: ANN401
    options = {"length": 3, "buffers": [None, ints(0, 2, 1)], "dictionary": good(count), **fields}
    return count.array(**options)


def runs(count: Counted, *ends: int, **fields: Any) -> Array:  # noqa: ANN401
    children = fields.pop("children", None) or [count.array(len(ends), [None, ints(*ends)]), good(count)]
    return count.array(fields.pop("length", 5), [], children, **fields)


# Arrays with children, by the type.
NESTED: dict[str, tuple[str, Callable[[Counted], Array], str]] = {
    "an index beyond": (
        "d",
        lambda count: indices(count, buffers=[None, ints(0, 3, 1)]),
        "outside of its dictionary",
    ),
    "a negative index": (
        "d",
        lambda count: indices(count, buffers=[None, ints(0, -1, 1)]),
        "outside of its dictionary",
    ),
    "no indices": ("d", lambda count: indices(count, buffers=[None, None]), "rows without a buffer"),
    "no dictionary": ("d", lambda count: indices(count, dictionary=None), "child that is null"),
    "a released dictionary": (
        "d",
        lambda count: indices(count, dictionary=released(good(count))),
        "released",
    ),
    "a damaged dictionary": (
        "d",
        lambda count: indices(count, dictionary=count.array(**{**GOOD, "length": -1})),
        "negative length",
    ),
    "runs that end early": ("r", lambda count: runs(count, 1, 2, 4), "end before the last row"),
    "runs that end early, with an offset": (
        "r",
        lambda count: runs(count, 1, 2, 6, offset=2),
        "end before the last",
    ),
    "runs that descend": ("r", lambda count: runs(count, 3, 2, 5), "do not ascend"),
    "runs of no rows": ("r", lambda count: runs(count, 2, 2, 5), "do not ascend"),
    "runs that end at 0": ("r", lambda count: runs(count, 0, 2, 5), "do not ascend"),
    "a negative end": ("r", lambda count: runs(count, -1, 2, 5), "do not ascend"),
    "more ends than values": ("r", lambda count: runs(count, 1, 2, 3, 5), "values that differ"),
    "no runs": (
        "r",
        lambda count: runs(count, children=[count.array(0, [None, None]), count.array(0, [None] * 3)]),
        "end before",
    ),
    "a missing child": ("r", lambda count: runs(count, children=[good(count)]), "child is missing"),
    "a negative number of children": (
        "r",
        lambda count: runs(count, 1, 2, 5, n_children=-1),
        "child is missing",
    ),
    "a null child": ("r", lambda count: runs(count, children=[None, good(count)]), "child that is null"),
    "an end that is null": (
        "r",
        lambda count: runs(
            count, children=[count.array(3, [b"\x05", ints(1, 2, 5)], null_count=1), good(count)]
        ),
        "without an end",
    ),
    "no column": ("s", lambda count: count.array(3, [None]), "child is missing"),
    "no pointers": ("s", lambda count: count.array(3, [None], n_children=1), "child is missing"),
    "a null column": ("s", lambda count: count.array(3, [None], [None]), "child that is null"),
    "a short column": ("s", lambda count: count.array(4, [None], [good(count)]), "shorter than its parent"),
    "an offset beyond": (
        "s",
        lambda count: count.array(1, [None], [good(count)], offset=3),
        "shorter than its parent",
    ),
    "a released column": ("s", lambda count: count.array(3, [None], [released(good(count))]), "released"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", NESTED)
def test_damaged_arrays_with_children(name: str, call: str) -> None:
    kind, make, message = NESTED[name]
    with counted() as count:
        schema = {
            "d": lambda: count.schema(b"i", dictionary=utf8(count)),
            "r": lambda: count.schema(b"+r", [count.schema(b"i"), utf8(count)]),
            "s": lambda: count.schema(b"+s", [utf8(count)]),
        }[kind]()
        values = Exporter(schema, make(count))
        called = CALLS[call] if kind != "s" else lambda values: lba.decode(values, column="a")
        with pytest.raises(ValueError, match=message):
            called(values)


def test_capsules() -> None:
    with counted() as count:
        schema, array = utf8(count), good(count)
        for values, error, message in [
            (Exporter(array, schema, (b"arrow_array", b"arrow_schema")), ValueError, "arrow_schema"),
            (Exporter(schema, array, (b"arrow_schema", b"arrow_schema")), ValueError, "arrow_array"),
            (Exporter(None, None), TypeError, "PyCapsule"),
            (Exporter(5, array), TypeError, "PyCapsule"),
            (StreamExporter(count.stream(utf8(count)), b"arrow_array"), ValueError, "arrow_array_stream"),
        ]:
            with pytest.raises(error, match=message):
                lba.decode(values)
    for capsules in [None, (), 5, (1, 2, 3)]:
        values = Exporter()
        values.capsules = capsules
        with pytest.raises((TypeError, ValueError)):
            lba.decode(values)


def test_used_capsules() -> None:
    with counted() as count:
        values = Exporter(utf8(count), good(count))
        assert len(lba.decode(values)) == 3
        with pytest.raises(ValueError, match="the capsule is already consumed"):
            lba.decode(values)
        assert count.released == count.exported
    with counted() as count:
        values = Exporter(utf8(count), released(good(count)))
        with pytest.raises(ValueError, match="the capsule is already consumed"):
            lba.decode(values)
    with counted() as count:
        stream = StreamExporter(count.stream(utf8(count), [good(count)]))
        assert len(lba.decode(stream)) == 3
        with pytest.raises(ValueError, match="the capsule is already consumed"):
            lba.decode(stream)


def test_methods_that_raise() -> None:
    class Raises:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            raise KeyError(requested_schema)

    class Property:
        @property
        def __arrow_c_stream__(self) -> object:
            raise OSError

    with pytest.raises(KeyError):
        lba.decode(Raises())
    with pytest.raises(OSError):  # noqa: PT011
        lba.decode(Property())


@pytest.mark.parametrize("call", CALLS)
def test_streams_that_fail(call: str) -> None:
    for message, shown in [
        (b"no more rows", "no more rows"),
        (None, "failed without a message"),
        (b"\xff", "�"),
    ]:
        with counted() as count:
            stream = count.stream(utf8(count), [good(count)], message, fails=5)
            with pytest.raises(ValueError, match=f"the Arrow stream failed: .*{shown}"):
                CALLS[call](StreamExporter(stream))
        with counted() as count:
            stream = count.stream(None, [good(count)], message)
            with pytest.raises(ValueError, match=f"the Arrow stream failed: .*{shown}"):
                CALLS[call](StreamExporter(stream))


def test_streams_without_functions() -> None:
    for name in ("get_schema", "get_next", "get_last_error"):
        with counted() as count:
            stream = count.stream(utf8(count), [good(count)], fails=1)
            kind = type(getattr(stream, name))
            setattr(stream, name, kind())
            with pytest.raises(ValueError, match="stream"):
                lba.decode(StreamExporter(stream))


def test_streams_of_released_structs() -> None:
    with counted() as count:
        stream = count.stream(released(utf8(count)), [good(count)])
        with pytest.raises(ValueError, match="released"):
            lba.decode(StreamExporter(stream))
    with counted() as count:
        ended = count.stream(utf8(count), [good(count), released(good(count)), good(count)])
        assert len(lba.decode(StreamExporter(ended))) == 3  # a released array is the end


def test_arrays_of_another_type_than_their_stream() -> None:
    with counted() as count:
        stream = count.stream(utf8(count), [good(count), count.array(3, [None, ints(1, 2, 3)])])
        with pytest.raises(ValueError, match="number of buffers"):
            lba.decode(StreamExporter(stream))


@pytest.mark.parametrize("call", CALLS)
def test_good_arrays_are_released_with_their_results(call: str) -> None:
    with counted() as count:
        array = Exporter(utf8(count), good(count))
        stream = StreamExporter(count.stream(utf8(count), [good(count), good(count)]))
        results = [CALLS[call](array), CALLS[call](stream)]
        assert count.released < count.exported or call not in {"decode", "repair", "normalize"}
        capsules = [
            each.__arrow_c_stream__() for each in results if isinstance(each, (lba.Array, lba.Stream))
        ]
        del results, capsules
        assert count.released == count.exported


def test_empty_arrays() -> None:
    pa = pytest.importorskip("pyarrow", minversion="16")
    for layout, buffers in [(b"z", [None] * 3), (b"U", [None] * 3), (b"vz", [None] * 2), (b"vu", [None] * 3)]:
        for call in CALLS.values():
            with counted() as count:
                result = call(Exporter(count.schema(layout), count.array(0, buffers)))
                if isinstance(result, lba.Array):
                    pa.array(result).validate(full=True)
                    del result
    with counted() as count:
        inline = struct.pack("=i12s", 3, b"abc")
        result = lba.decode(Exporter(count.schema(b"vz"), count.array(1, [None, inline])))
        assert pa.array(result).to_pylist() == ["abc"]
        del result


def test_moved_children() -> None:
    """A consumer may move a child out, and release it after its parent."""
    _, capsule = lba.errors(Exporter(*good_pair(Counted()))).__arrow_c_array__()
    array = Array.from_address(get_pointer(capsule, b"arrow_array"))
    child = Array()
    move(array.children[2].contents, child)
    release_all([array])
    assert child.length == 0
    assert child.n_buffers == 3
    release_all([child])
    assert not child.release
