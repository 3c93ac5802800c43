"""The forms of RFC 2279 and longer ones, against their definition."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import re
import threading
from array import array
from typing import TYPE_CHECKING

import leadbyte
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte.variants import extended, rfc2279

if TYPE_CHECKING:
    from types import ModuleType

    from strategies import Anything

# For each length the first lead byte, and the largest integer (RFC 2279, section 2).
FORMS = [
    (0x00, 0x7F), (0xC0, 0x7FF), (0xE0, 0xFFFF), (0xF0, 0x1FFFFF), (0xF8, 0x3FFFFFF), (0xFC, 0x7FFFFFFF),
    (0xFE, 0xFFFFFFFFF), (0xFF, 0x3FFFFFFFFFF),
]  # fmt: skip
LARGEST = {rfc2279: 0x7FFFFFFF, extended: 0x3FFFFFFFFFF}
LONGEST = {rfc2279: 6, extended: 8}
EDGES = sorted({edge for _, largest in FORMS for edge in (largest - 1, largest, largest + 1)} | {0, 0xD800})[
    :-1
]

both = pytest.mark.parametrize("module", LARGEST, ids=lambda module: module.__name__.rpartition(".")[2])


def form(value: int, length: int) -> bytes:
    """Return the form of ``length`` bytes that encodes an integer."""
    lead, _ = FORMS[length - 1]
    rest = [0x80 | value >> 6 * place & 0x3F for place in reversed(range(length - 1))]
    return bytes([lead | value >> 6 * (length - 1), *rest])


def shortest(value: int) -> int:
    """Return the length of the shortest form."""
    return next(length for length, (_, largest) in enumerate(FORMS, 1) if value <= largest)


def encoded(values: list[int], min_length: int = 1) -> bytes:
    """Return the forms of integers."""
    return b"".join(form(value, max(shortest(value), min_length)) for value in values)


@both
@pytest.mark.parametrize("min_length", [-1, 0, 2**64])
def test_no_length(module: ModuleType, min_length: int) -> None:
    with pytest.raises(ValueError, match=rf"min_length must be between 1 and \d, not {min_length}"):
        module.encode([1], min_length=min_length)


@both
@pytest.mark.parametrize("min_length", range(1, 9))
def test_edges(module: ModuleType, min_length: int) -> None:
    values = [value for value in EDGES if value <= LARGEST[module]]
    if min_length > LONGEST[module]:
        with pytest.raises(ValueError, match=r"min_length must be between 1 and 6, not \d"):
            module.encode(values, min_length=min_length)
        return
    data = module.encode(values, min_length=min_length)
    assert data == encoded(values, min_length)
    assert list(module.decode(module.encode(values))) == values
    for value in values:
        if shortest(value) < min_length:
            with pytest.raises(UnicodeDecodeError, match="overlong form"):
                module.decode(form(value, min_length))


def test_type_codes() -> None:
    assert (rfc2279.decode(b"").typecode, rfc2279.decode(b"a").itemsize) == ("I", 4)
    assert (extended.decode(b"").typecode, extended.decode(b"a").itemsize) == ("Q", 8)


def integers(largest: int) -> st.SearchStrategy[list[int]]:
    """Give integers of all sizes, and long runs of them."""
    value = st.one_of(st.integers(0, largest), st.sampled_from([edge for edge in EDGES if edge <= largest]))
    run = st.builds(lambda value, times: [value] * times, value, st.integers(1, 1200))
    return st.lists(st.one_of(value.map(lambda value: [value]), run), max_size=8).map(
        lambda runs: list(itertools.chain.from_iterable(runs))
    )


@pytest.mark.once
@pytest.mark.one_implementation
@both
@given(st.data())
def test_round_trip(module: ModuleType, data: st.DataObject) -> None:
    values = data.draw(integers(LARGEST[module]))
    least = data.draw(st.integers(1, LONGEST[module]))
    assert module.encode(values, min_length=least) == encoded(values, least)
    assert list(module.decode(encoded(values))) == values


@pytest.mark.once
@pytest.mark.one_implementation
@both
@given(st.data(), strategies.cuts())
def test_incremental_decoder(module: ModuleType, data: st.DataObject, cuts: list[int]) -> None:
    values = data.draw(integers(LARGEST[module]))
    decoder = module.IncrementalDecoder()
    found = array(module.decode(b"").typecode)
    for piece in strategies.cut(encoded(values), cuts):
        found += decoder.decode(piece)
        assert len(decoder.getstate()[0]) < LONGEST[module]
    assert list(found + decoder.decode(b"", final=True)) == values


@both
def test_incremental_decoder_cut_at_every_byte(module: ModuleType) -> None:
    values = [value for value in EDGES if value <= LARGEST[module]]
    data = encoded(values)
    for at in range(len(data) + 1):
        decoder = module.IncrementalDecoder()
        first = decoder.decode(bytearray(data[:at]))
        state = decoder.getstate()
        decoder.reset()
        assert list(decoder.decode(b"1", True)) == [0x31]
        decoder.setstate(state)
        assert list(first + decoder.decode(memoryview(data)[at:], True)) == values


@both
def test_incremental_decoder_after_an_error(module: ModuleType) -> None:
    decoder = module.IncrementalDecoder()
    assert list(decoder.decode(b"1\xf8\x88")) == [0x31]
    for wrong in (b"1", b"\x80\xff"):
        with pytest.raises(UnicodeDecodeError) as raised:
            decoder.decode(wrong)
        assert raised.value.object == b"\xf8\x88" + wrong
        assert decoder.getstate() == (b"\xf8\x88", 0)
    with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
        decoder.decode(b"\x80", final=True)
    assert list(decoder.decode(b"\x80\x80\x80", final=True)) == [0x200000]


@both
def test_incremental_encoder(module: ModuleType) -> None:
    encoder = module.IncrementalEncoder(min_length=2)
    assert encoder.encode([0x31]) + encoder.encode(b"1", final=True) == b"\xc0\xb1\xc0\xb1"
    encoder.setstate(encoder.getstate())
    encoder.reset()
    assert encoder.encode([]) == b""


@pytest.mark.parametrize(
    ("data", "start", "end", "reason"),
    [
        (b"1\xc0\xb1", 1, 2, "overlong form"),
        (b"\xc1", 0, 1, "overlong form"),
        (b"\xe0\x80\xb1", 0, 1, "overlong form"),
        (b"\xe0\x9f", 0, 1, "overlong form"),
        (b"\xf0\x8f\xbf\xbf", 0, 1, "overlong form"),
        (b"\xf8\x87\xbf\xbf\xbf", 0, 1, "overlong form"),
        (b"\xfc\x83\xbf\xbf\xbf\xbf", 0, 1, "overlong form"),
        (b"\x80", 0, 1, "invalid start byte"),
        (b"\xfc\x84\x80\x80\x80", 0, 5, "unexpected end of data"),
        (b"\xfc\x84\x80\x80\x801", 0, 5, "invalid continuation byte"),
        (b"\xe2\x82\xac\xff", 3, 4, "invalid start byte"),
        (b"\xfe\x82\x80\x80\x80\x80\x80", 0, 1, "invalid start byte"),
    ],
)
def test_errors(data: bytes, start: int, end: int, reason: str) -> None:
    with pytest.raises(UnicodeDecodeError) as raised:
        rfc2279.decode(data)
    error = raised.value
    assert (error.encoding, error.object, error.start, error.end) == ("rfc2279", data, start, end)
    assert error.reason == reason


@pytest.mark.parametrize(
    "data", [b"\xfe\x81\xbf\xbf\xbf\xbf\xbf", b"\xff\x80\xbf\xbf\xbf\xbf\xbf\xbf", b"\xff\x80"]
)
def test_overlong_forms_of_seven_and_eight_bytes(data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError, match=r"'extended' codec .* overlong form"):
        extended.decode(data)


CODES = "bBhHiIlLqQ"


@both
@pytest.mark.parametrize("code", CODES)
def test_arrays(module: ModuleType, code: str) -> None:
    values = [0, 1, 0x31, 0x7F] * 300
    assert module.encode(array(code, values)) == bytes(values)
    assert module.encode(memoryview(array(code, values))) == bytes(values)
    if code.islower():
        wrong = f"{-2} at index 1201 is not between 0 and 0x{LARGEST[module]:X}"
        with pytest.raises(ValueError, match=re.escape(wrong)):
            module.encode(array(code, [*values, 1, -2]))


@both
@pytest.mark.parametrize(
    "values", [range(300), (1, 2), {5: "five"}, iter([0xD800]), [True], b"abc", bytearray(b"\xff")]
)
def test_other_values(module: ModuleType, values: Anything) -> None:
    listed = values if isinstance(values, (bytes, bytearray)) else list(values)
    given_again = iter(listed) if not hasattr(values, "__len__") else values
    assert module.encode(given_again) == encoded(list(map(int, listed)))


class Index:
    def __index__(self) -> int:
        return 0x31


@both
def test_index(module: ModuleType) -> None:
    assert module.encode([Index()]) == b"1"


@both
@pytest.mark.parametrize("wrong", [-1, "above", 1 << 63, 1 << 64, 1 << 200, -(1 << 64)])
def test_integers_out_of_range(module: ModuleType, wrong: int | str) -> None:
    value = LARGEST[module] + 1 if isinstance(wrong, str) else wrong
    message = f"{value} at index 3 is not between 0 and 0x{LARGEST[module]:X}"
    with pytest.raises(ValueError, match=re.escape(message)):
        module.encode([1, 2, 3, value, -1])


@both
@pytest.mark.parametrize(
    "wrong",
    ["1", ["1"], [1.5], 5, None, array("d", [1.0]), (ctypes.c_char * 2)(), memoryview(b"ab").cast("c")],
)
def test_what_are_no_integers(module: ModuleType, wrong: Anything) -> None:
    with pytest.raises(TypeError):
        module.encode(wrong)


@both
def test_buffers_that_are_refused(module: ModuleType) -> None:
    with pytest.raises(BufferError):
        module.encode(memoryview(array("I", range(10)))[::2])
    with pytest.raises(BufferError):
        module.decode(memoryview(b"abcd")[::2])
    for swapped in (ctypes.c_uint32.__ctype_be__, ctypes.c_uint32.__ctype_le__):
        if swapped is not ctypes.c_uint32:
            with pytest.raises(TypeError, match="native byte order"):
                module.encode((swapped * 2)())
    for wrong in ("text", None, 5):
        with pytest.raises(TypeError):
            module.decode(wrong)


@both
@pytest.mark.parametrize("wrong", [0, 9, "1", 1.5])
def test_wrong_min_length(module: ModuleType, wrong: Anything) -> None:
    with pytest.raises((ValueError, TypeError)):
        module.encode([1], min_length=wrong)


@both
def test_numpy(module: ModuleType) -> None:
    numpy = pytest.importorskip("numpy")
    for kind in ("u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        values = numpy.arange(100, dtype=kind)
        assert module.encode(values) == bytes(range(100))
        assert module.encode(values.reshape(10, 10)) == bytes(range(100))
    assert (numpy.asarray(module.decode(b"12")) == [0x31, 0x32]).all()
    with pytest.raises(ValueError, match="not C-contiguous"):
        module.encode(numpy.arange(10)[::2])
    for wrong in (numpy.zeros(2), numpy.zeros(2, bool), numpy.zeros(2, ">u4"), numpy.zeros(2, "U1")):
        with pytest.raises(TypeError):
            module.encode(wrong)


def test_utf_8_refuses_longer_and_overlong_forms() -> None:
    longer = [form(0x200000, 5), form(0x7FFFFFFF, 6), form(1 << 31, 7), form(1 << 36, 8)]
    overlong = [form(value, length) for value in (0, 0x31, 0xE9, 0x20AC) for length in range(4, 9)]
    for data in [*longer, *overlong, b"\xc0\xb1", b"\xe0\x80\xb1"]:
        assert not leadbyte.is_valid(data)
        with pytest.raises(UnicodeDecodeError):
            leadbyte.decode(data)


@pytest.mark.one_implementation
@pytest.mark.once
@both
def test_memory_that_changes(module: ModuleType) -> None:
    values = array("Q", [0x31, 0x200000] * 20_000)
    data = bytearray(encoded(list(values)))
    finished = threading.Event()

    def change() -> None:
        for index in itertools.cycle(range(0, len(values), 97)):
            values[index] ^= 1 << 24
            data[index] ^= 0x80
            if finished.is_set():
                return

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(30):
            assert set(module.decode(module.encode(values))) <= {0x31, 0x200000, 0x1000031, 0x1200000}
            with contextlib.suppress(UnicodeDecodeError):
                module.decode(data)
    finally:
        finished.set()
        other.join()
