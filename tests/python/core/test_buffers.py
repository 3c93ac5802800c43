"""Every bytes-like type is taken, and refused, just as CPython's own decoder does it."""

from __future__ import annotations

import array
import codecs
import ctypes
import inspect
import mmap
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import handlers  # noqa: F401, which registers them
import leadbyte
import oracle
import public_functions
import pytest
import strategies
from leadbyte import _leadbyte
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from strategies import Anything

    Function = Callable[[Any], Any]

pytestmark = pytest.mark.one_implementation


def errors_of(data: Anything) -> list[Anything]:
    return list(leadbyte.iter_errors(data))


def decoded_item(data: Anything) -> Anything:
    # As an item, None would stay None.
    function: Function = leadbyte.decode if data is None else lambda item: leadbyte.decode_many([item])
    return function(data)


def validated(data: Anything) -> Anything:
    validator = leadbyte.IncrementalValidator()
    return validator.update(data), validator.finish(), validator.error


def update(data: Anything) -> leadbyte.Scan:
    scanner = leadbyte.Scanner()
    scanner.update(data)
    return scanner.finish()


def lines_of(data: Anything) -> list[str]:
    # An object without a buffer may be a path.
    leadbyte.is_valid(data)
    return list(leadbyte.lines(data, errors="backslashreplace"))


def inserted(data: Anything) -> bytes:
    offsets = leadbyte.EditableOffsetMap(b"")
    offsets.replace(0, 0, data)
    return offsets.slice(0, offsets.byte_count, unit="byte")


def mapped_text(data: Anything) -> Anything:
    offsets: Anything = leadbyte.OffsetMap(data)
    return offsets.slice(0, offsets.char_count, unit="char")


def streamed(data: Anything) -> Anything:
    decoder = leadbyte.StreamDecoder()
    return decoder.feed(data), decoder.pending, decoder.feed(data), decoder.pending


def decoded_in_pieces(make: Callable[[], Any], data: Anything) -> Anything:
    decoder = make()
    text = decoder.decode(data)
    assert type(decoder.getstate()[0]) is bytes
    return text, decoder.getstate(), decoder.decode(data), decoder.getstate()


def decoded_after_a_lead(make: Callable[[], Any], data: Anything) -> Anything:
    decoder = make()
    decoder.decode(b"\xe2")
    return decoder.decode(data), decoder.getstate()


def registered(encoding: str) -> Anything:
    leadbyte.codec.register()
    return codecs.getincrementaldecoder(encoding)("replace")


DECODERS: dict[str, Callable[[], Any]] = {
    "IncrementalDecoder": lambda: leadbyte.IncrementalDecoder("replace"),
    **{name: partial(registered, name) for name in ("leadbyte-utf-8-sig", "leadbyte-detect", "cesu-8")},
    "rfc2279": leadbyte.variants.rfc2279.IncrementalDecoder,
}

FUNCTIONS: dict[str, Function] = {
    "StreamDecoder.feed": streamed,
    **{
        f"{name}, {function.__name__}": partial(function, make)
        for name, make in DECODERS.items()
        for function in (decoded_in_pieces, decoded_after_a_lead)
    },
    **{name: function.call for name, function in public_functions.FUNCTIONS.items() if function.takes_data},
    "scan_threads": lambda data: leadbyte.scan(data, threads=2),
    "Scanner.update": update,
    "OffsetMap": mapped_text,
    "EditableOffsetMap.replace": inserted,
    "lines": lines_of,
    "split_points": lambda data: leadbyte.split_points(data, 3, boundary="line"),
    "decode": leadbyte.decode,
    "decode, replace": lambda data: leadbyte.decode(data, errors="replace"),
    "decode, registered": lambda data: leadbyte.decode(data, errors="leadbyte-tests-decode hex"),
    "decode_many": decoded_item,
    "_decode_prefix": lambda data: _leadbyte._decode_prefix(data, "ignore", False),
    "IncrementalValidator.update": validated,
}
each_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


def outcome(function: Function, data: Anything) -> Anything:
    """Return what a function returns, or the type and the text of what it raises."""
    try:
        return function(data)
    except Exception as error:
        return type(error), str(error)


def mapped(data: bytes) -> mmap.mmap:
    mapping = mmap.mmap(-1, len(data))
    mapping[:] = data
    return mapping


class Subclass(bytes):
    pass


class ArraySubclass(bytearray):
    pass


def cast(item: Anything, data: bytes) -> Anything:
    return memoryview(data).cast(item)


# Each makes an object whose memory holds the data, the length of which is a multiple of 8.
TYPES: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytes subclass": Subclass,
    "bytearray": bytearray,
    "bytearray subclass": ArraySubclass,
    "memoryview": memoryview,
    "writable memoryview": lambda data: memoryview(bytearray(data)),
    "read-only memoryview": lambda data: memoryview(bytearray(data)).toreadonly(),
    "sliced memoryview": lambda data: memoryview(b"\xff" + data + b"\xff")[1:-1],
    "cast memoryview": lambda data: memoryview(data).cast("I"),
    "two-dimensional memoryview": lambda data: memoryview(data).cast("B", (2, len(data) // 2)),
    "memoryview of an array": lambda data: memoryview(array.array("H", data)),
    **{f"array of {typecode}": partial(array.array, typecode) for typecode in "bBhHiIlLqQ"},
    **{f"memoryview of {item}": partial(cast, item) for item in ("c", "@h", "n", "N", "?")},
    "mmap": mapped,
    "ctypes chars": lambda data: (ctypes.c_char * len(data)).from_buffer_copy(data),
    "ctypes integers": lambda data: (ctypes.c_uint32 * (len(data) // 4)).from_buffer_copy(data),
}
SAMPLES = {
    "text": ("мир €\n".encode() * 4)[:40],
    "bom": oracle.BOM + b"text " * 9,
    "errors": b"caf\xe9 \xff\xc0\xb1" * 2,
    "large": bytes(strategies.filled(strategies.CHUNK_BYTES + 800, "€".encode())),
    "large errors": bytes(strategies.filled(strategies.CHUNK_BYTES + 800, b"a" * 70_000 + b"\xff")),
}


class Pair(ctypes.Structure):
    _fields_ = (("first", ctypes.c_int), ("second", ctypes.c_char))


def characters() -> array.array[str]:
    """Make an array of characters; the old typecode is deprecated where there is a new one."""
    return array.array("u" if sys.version_info < (3, 13) else "w", "text")


# What the memory of each holds, and what the message reports of it.
OTHER_ITEMS: dict[str, tuple[Callable[[], Any], str]] = {
    "doubles": (
        lambda: array.array("d", [1.0]),
        "neither bytes nor integers; cast a memoryview of it to 'B'",
    ),
    "floats": (lambda: memoryview(bytes(8)).cast("f"), "neither bytes nor integers"),
    "pointers": (lambda: memoryview(bytes(8)).cast("P"), "neither bytes nor integers"),
    "characters": (characters, "characters; pass them as a str"),
    "wide characters": (lambda: (ctypes.c_wchar * 2)("a", "b"), "characters; pass them as a str"),
    "objects": (ctypes.py_object * 1, "Python objects; pass them one by one"),
    "structures": (Pair * 1, "neither bytes nor integers"),
}


@each_function
@pytest.mark.parametrize("items", OTHER_ITEMS)
def test_buffers_of_other_items_are_refused(function: Function, items: str) -> None:
    make, message = OTHER_ITEMS[items]
    data = make()
    with pytest.raises(TypeError, match="a bytes-like object is required, but the buffer") as raised:
        function(data)
    assert message in str(raised.value)
    assert memoryview(data).format is not None  # still alive, with no view left behind
    if isinstance(data, array.array):
        data.append(data[0])


@each_function
@pytest.mark.parametrize("make", TYPES.values(), ids=TYPES)
def test_type_gives_what_its_bytes_give(function: Function, make: Callable[[bytes], Any]) -> None:
    # Long data is processed in steps, with the buffer held: with one object of each kind.
    is_short = IS_REDUCED and make not in {bytearray, memoryview, mapped}
    for sample in SAMPLES.values():
        if is_short and len(sample) > 1000:
            continue
        data = sample[: len(sample) // 8 * 8]
        assert outcome(function, make(data)) == outcome(function, data)


@pytest.mark.parametrize(
    "empty",
    [b"", Subclass(), bytearray(), memoryview(b""), array.array("I"), (ctypes.c_char * 0)()],
    ids=lambda empty: type(empty).__name__,
)
def test_empty_buffers(empty: Anything) -> None:
    assert leadbyte.is_valid(empty) is True
    assert leadbyte.scan(empty) == leadbyte.scan(b"")
    assert errors_of(empty) == []
    assert leadbyte.strip_bom(empty) == b""
    assert leadbyte.add_bom(empty) == leadbyte.BOM
    assert leadbyte.locate(empty, 0).char_offset == 0


@pytest.mark.skipif(not hasattr(inspect, "BufferFlags"), reason="Python classes have buffers from 3.12 on")
@each_function
def test_buffer_of_a_python_class(function: Function) -> None:
    class Exporter:
        released = 0

        def __buffer__(self, flags: int, /) -> memoryview:
            return memoryview(b"caf\xe9 \xff")

        def __release_buffer__(self, view: memoryview, /) -> None:
            view.release()
            self.released += 1

    exporter = Exporter()
    assert outcome(function, exporter) == outcome(function, b"caf\xe9 \xff")
    assert exporter.released >= 1


def refused() -> Iterator[Any]:
    yield from ("text", 1, 1.5, None, [1], (1,), {}, object(), int, range(3))
    yield memoryview(b"text")[::2]
    yield memoryview(bytearray(b"text"))[::-1]
    yield memoryview(array.array("I", [1, 2, 3]))[::2]
    released = memoryview(b"text")
    released.release()
    yield released
    closed = mmap.mmap(-1, 10)
    closed.close()
    yield closed


@each_function
@pytest.mark.parametrize("data", list(refused()), ids=lambda data: type(data).__name__)
def test_refused_as_cpythons_decoder_refuses_it(function: Function, data: Anything) -> None:
    expected = outcome(codecs.utf_8_decode, data)
    assert issubclass(expected[0], (TypeError, BufferError, ValueError))
    if function in {mapped_text, inserted} and data == "text":
        # These take text, too.
        assert outcome(function, data) in {"text", b"text"}
    elif isinstance(data, str):
        kind, message = outcome(function, data)
        assert (kind, message.partition("; ")[0]) == expected
    else:
        assert outcome(function, data) == expected


DATA_ONLY = ["is_valid", "validate", "is_ascii", "has_bom", "strip_bom", "add_bom", "scan", "iter_errors"]
DATA_ONLY += ["count_chars", "count_widths", "count_utf16", "count_newlines"]
WITH_OFFSET = {"locate": "offset", "is_boundary": "i", "floor_boundary": "i", "ceil_boundary": "i"}


@pytest.mark.parametrize("name", [*DATA_ONLY, "sequence_length"])
@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ([], {}),
        ([b"a", b"b"], {}),
        ([b"a", 1, 2, 3], {}),
        ([], {"data": b"a"}),
        ([], {"lead_byte": 65}),
        ([b"a"], {"errors": 1}),
    ],
    ids=repr,
)
def test_wrong_arguments(name: str, arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        getattr(leadbyte, name)(*arguments, **keywords)


@pytest.mark.parametrize("name", WITH_OFFSET)
@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ([], {}),
        ([b"a"], {}),
        ([b"a", 1, 1], {}),
        ([b"a"], {"index": 1}),
        ([b"a", 1], {"i": 1, "offset": 1}),
        ([], {"data": b"a", "i": 1, "offset": 1}),
        ([b"a", 1], {"threads": 1}),
        ([1, b"a"], {}),
    ],
    ids=repr,
)
def test_wrong_arguments_with_an_offset(name: str, arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        getattr(leadbyte, name)(*arguments, **keywords)


@pytest.mark.parametrize("name", WITH_OFFSET)
def test_offset_may_be_named(name: str) -> None:
    function = getattr(leadbyte, name)
    assert function(b"\x80a", **{WITH_OFFSET[name]: 1}) == function(b"\x80a", 1)


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [([b"a", 1], {}), ([], {"threads": 1}), ([b"a"], {"thread": 1}), ([b"a"], {"threads": 1, "x": 2})],
    ids=repr,
)
def test_wrong_arguments_of_scan(arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="scan"):
        leadbyte.scan(*arguments, **keywords)


def test_wrong_arguments_of_classes_and_cpu_info() -> None:
    calls: list[Callable[..., Any]] = [leadbyte.Scanner, leadbyte.Scanner().finish, leadbyte.cpu_info]
    for call in calls:
        with pytest.raises(TypeError):
            call(b"text")
    methods: list[Callable[..., Any]] = [leadbyte.Scanner().update, leadbyte.Scanner().merge]
    for method in methods:
        with pytest.raises(TypeError):
            method()
        with pytest.raises(TypeError):
            method(leadbyte.Scanner(), leadbyte.Scanner())


@each_function
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_buffer_is_released_after_the_call(function: Function, sample: bytes) -> None:
    data = bytearray(sample)
    outcome(function, data)
    data.clear()


@pytest.mark.parametrize("name", WITH_OFFSET)
@pytest.mark.parametrize("offset", [-1, -(10**30), "x", None], ids=repr)
def test_buffer_is_released_after_a_wrong_offset(name: str, offset: Anything) -> None:
    data = bytearray(b"text")
    with pytest.raises((IndexError, TypeError)):
        getattr(leadbyte, name)(data, offset)
    data.clear()


@pytest.mark.parametrize("threads", [-1, "x", None], ids=repr)
def test_buffer_is_released_after_wrong_threads(threads: Anything) -> None:
    data = bytearray(b"text")
    with pytest.raises((ValueError, TypeError)):
        leadbyte.scan(data, threads=threads)
    data.clear()


def test_buffer_is_released_after_an_update_that_is_refused() -> None:
    data = bytearray(b"text")
    scanner = leadbyte.Scanner()
    scanner.finish()
    with pytest.raises(ValueError, match="finished"):
        scanner.update(data)
    data.clear()


@pytest.mark.parametrize("through", [lambda data: data, memoryview], ids=["itself", "memoryview"])
def test_error_iterator_holds_the_buffer(through: Callable[[bytearray], Any]) -> None:
    data = bytearray(b"a\xffb\xff")
    errors = leadbyte.iter_errors(through(data))
    assert next(errors).start == 1
    with pytest.raises(BufferError):
        data.append(0)
    assert next(errors).start == 3
    with pytest.raises(BufferError):
        data.clear()
    del errors
    data.clear()


def test_bytes_outlive_their_last_name() -> None:
    errors = leadbyte.iter_errors(b"x" * 5000 + bytes([255]) * 2)
    assert [error.start for error in errors] == [5000, 5001]


@pytest.mark.parametrize("threads", [1, 2])
def test_resizing_during_a_scan_is_refused(threads: int) -> None:
    data = bytearray(64 << 20)
    finished = threading.Event()

    def scan_again_and_again() -> None:
        while not finished.is_set():
            leadbyte.scan(data, threads=threads)

    other = threading.Thread(target=scan_again_and_again)
    other.start()
    refusals, deadline = 0, time.monotonic() + 20
    try:
        while not refusals and time.monotonic() < deadline:
            try:
                data.append(0)
                data.pop()
            except BufferError:
                refusals += 1
    finally:
        finished.set()
        other.join()
    assert refusals
    data.append(0)
    assert leadbyte.scan(data).byte_count == (64 << 20) + 1


def test_reference_counts_stay() -> None:
    data = b"caf\xe9 \xff" * 3
    for function in FUNCTIONS.values():
        before = sys.getrefcount(data)
        for _ in range(10):
            with suppress(UnicodeDecodeError):
                function(data)
        assert sys.getrefcount(data) == before
