"""Counting, byte order marks, boundaries and places against naive definitions."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import leadbyte
import oracle
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

BOM = oracle.BOM
HUGE = [2**31, 2**63 - 1, 2**63, 2**64, 10**30]


class Index:
    """An integer in all but type."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        """Return the value, as operator.index does."""
        return self.value


class Failing:
    """An integer that cannot say which."""

    def __index__(self) -> int:
        """Raise something that no function raises by itself."""
        raise LookupError


def check_counts(data: bytes) -> None:
    assert leadbyte.count_chars(data) == oracle.chars(data)
    assert leadbyte.count_widths(data) == oracle.widths(data)
    assert leadbyte.count_utf16(data) == oracle.utf16_count(data)
    assert leadbyte.count_newlines(data) == data.count(b"\n")
    assert leadbyte.is_ascii(data) is data.isascii()


@given(strategies.data())
def test_counts_of_any_data(data: bytes) -> None:
    check_counts(data)


@pytest.mark.once
@pytest.mark.parametrize("byte", range(256))
def test_counts_of_each_byte_at_every_length(byte: int) -> None:
    for length in (*range(70), 127, 128, 129, 255, 256, 257, 8191, 8192, 8193):
        check_counts(bytes([byte]) * length)


@pytest.mark.parametrize("byte", strategies.BOUNDARY_BYTES)
def test_counts_of_a_byte_at_every_offset(byte: int) -> None:
    for offset in range(200):
        data = bytearray(b"x" * 200)
        data[offset] = byte
        check_counts(bytes(data))


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in strategies.large_samples()])
def test_counts_of_large_data(data: bytes) -> None:
    check_counts(data)


@given(strategies.texts())
def test_counts_of_text_are_those_of_its_str(data: bytes) -> None:
    text = data.decode()
    assert leadbyte.count_chars(data) == len(text)
    assert leadbyte.count_utf16(data) == len(text.encode("utf-16-le")) // 2
    assert leadbyte.is_ascii(data) is text.isascii()


@pytest.mark.one_implementation
@pytest.mark.parametrize("byte", range(-1, 257))
def test_sequence_length(byte: int) -> None:
    # A byte starts a sequence if some continuation makes a character of it.
    lengths = [
        1 + len(rest)
        for rest in (b"", b"\x80", b"\xbf\x80", b"\x80\x80", b"\xbf\x80\x80", b"\x80\x80\x80")
        if byte in range(256) and oracle.decode_error(bytes([byte]) + rest) is None
    ]
    if lengths:
        assert leadbyte.sequence_length(byte) == min(lengths)
    else:
        with pytest.raises(ValueError, match="lead_byte"):
            leadbyte.sequence_length(byte)


@pytest.mark.parametrize("number", [*HUGE, *(-number for number in HUGE)])
def test_sequence_length_of_huge_numbers(number: int) -> None:
    with pytest.raises(ValueError, match="lead_byte"):
        leadbyte.sequence_length(number)


def test_sequence_length_of_integers_of_other_types() -> None:
    assert leadbyte.sequence_length(True) == 1
    assert leadbyte.sequence_length(Index(0xE2)) == 3
    with pytest.raises(LookupError):
        leadbyte.sequence_length(Failing())


@pytest.mark.parametrize("value", [65.0, "a", b"a", None, [65]], ids=repr)
def test_sequence_length_of_no_integer(value: Anything) -> None:
    with pytest.raises(TypeError):
        leadbyte.sequence_length(value)


def test_bom() -> None:
    assert type(leadbyte.BOM) is bytes
    assert "\ufeff".encode() == leadbyte.BOM


@given(st.one_of(strategies.data(), strategies.data().map(lambda data: BOM + data)))
def test_bom_functions(data: bytes) -> None:
    assert leadbyte.has_bom(data) is data.startswith(BOM)
    assert leadbyte.strip_bom(data) == data.removeprefix(BOM)
    assert leadbyte.add_bom(data) == (data if data.startswith(BOM) else BOM + data)


@pytest.mark.parametrize("data", [b"", b"\xef", b"\xef\xbb", b"\xef\xbb\xbe", b"\xff\xfe", b"a" + BOM])
def test_no_bom(data: bytes) -> None:
    assert leadbyte.has_bom(data) is False
    assert leadbyte.strip_bom(data) is data
    assert leadbyte.add_bom(data) == BOM + data


@pytest.mark.parametrize("rest", [b"", b"text", b"\xff", BOM, b"a" * strategies.CHUNK_BYTES], ids=len)
def test_bom_that_is_there_stays_alone(rest: bytes) -> None:
    data = BOM + rest
    assert leadbyte.add_bom(data) is data
    assert leadbyte.strip_bom(data) == rest
    assert leadbyte.add_bom(leadbyte.add_bom(rest)) == leadbyte.add_bom(rest)


@pytest.mark.parametrize("make", [bytearray, memoryview, type("Subclass", (bytes,), {})])
@pytest.mark.parametrize("data", [b"text", BOM + b"text", b"", BOM])
def test_bom_functions_give_bytes_for_all_types(make: type, data: bytes) -> None:
    stripped, added = leadbyte.strip_bom(make(data)), leadbyte.add_bom(make(data))
    assert type(stripped) is type(added) is bytes
    assert stripped == data.removeprefix(BOM)
    assert added == BOM + data.removeprefix(BOM)


@given(strategies.pieces())
def test_boundaries_at_every_offset(data: bytes) -> None:
    for offset in range(len(data) + 1):
        assert leadbyte.is_boundary(data, offset) is oracle.is_boundary(data, offset)
        assert leadbyte.floor_boundary(data, offset) == oracle.floor_boundary(data, offset)
        assert leadbyte.ceil_boundary(data, offset) == oracle.ceil_boundary(data, offset)


@pytest.mark.parametrize("length", range(9))
def test_boundaries_among_continuation_bytes(length: int) -> None:
    for data in (b"\x80" * length, b"a" + b"\xbf" * length, b"\xf0" + b"\x90" * length + b"a"):
        for offset in range(len(data) + 1):
            assert leadbyte.is_boundary(data, offset) is oracle.is_boundary(data, offset)
            assert leadbyte.floor_boundary(data, offset) == oracle.floor_boundary(data, offset)
            assert leadbyte.ceil_boundary(data, offset) == oracle.ceil_boundary(data, offset)


@given(strategies.texts(), st.integers(0, 1000))
def test_boundaries_of_text_cut_it_into_text(data: bytes, offset: int) -> None:
    offset %= len(data) + 1
    for place in (leadbyte.floor_boundary(data, offset), leadbyte.ceil_boundary(data, offset)):
        assert data[:place].decode() + data[place:].decode() == data.decode()


def fields(location: leadbyte.Location) -> tuple[int, ...]:
    return tuple(location.as_dict().values())


@given(strategies.pieces())
def test_locate_every_offset(data: bytes) -> None:
    for offset in range(len(data) + 1):
        assert fields(leadbyte.locate(data, offset)) == oracle.located(data, offset)
        assert leadbyte.locate(data, offset, unit="byte") == leadbyte.locate(data, offset)


@given(strategies.pieces())
def test_locate_every_char_and_code_unit(data: bytes) -> None:
    chars = units = 0
    for start, end in [*oracle.sequences(data), (len(data), len(data))]:
        expected = fields(leadbyte.locate(data, start))
        assert fields(leadbyte.locate(data, chars, unit="char")) == expected
        width = oracle.code_units(oracle.replaced(data[start:end])) or 1
        for unit in range(units, units + width):
            assert fields(leadbyte.locate(data, unit, unit="utf16")) == expected
        chars, units = chars + 1, units + width
    # The end has counted as a character.
    for beyond in (chars, chars + 1, *HUGE):
        with pytest.raises(IndexError, match=f"between 0 and {chars - 1}, the number of characters"):
            leadbyte.locate(data, beyond, unit="char")
    for beyond in (units, *HUGE):
        with pytest.raises(IndexError, match=f"between 0 and {units - 1}, the number of UTF-16 code units"):
            leadbyte.locate(data, beyond, unit="utf16")


@given(strategies.texts(), st.data())
def test_locate_chars_and_code_units_of_text(data: bytes, draw: st.DataObject) -> None:
    text = data.decode()
    char = draw.draw(st.integers(0, len(text)))
    location = leadbyte.locate(data, char, unit="char")
    assert (location.char_offset, location.byte_offset) == (char, len(text[:char].encode()))
    assert location.utf16_column == len(text[:char].rpartition("\n")[2].encode("utf-16-le")) // 2 + 1
    assert leadbyte.locate(data, len(text[:char].encode("utf-16-le")) // 2, unit="utf16") == location
    assert leadbyte.locate(data, location.byte_offset) == location


@pytest.mark.parametrize("unit", ["", "bytes", "Byte", "utf-16", "grapheme", "й"])
def test_locate_by_unknown_unit(unit: Anything) -> None:
    with pytest.raises(ValueError, match="unit must be 'byte', 'char' or 'utf16', not '"):
        leadbyte.locate(b"text", 1, unit=unit)


@pytest.mark.parametrize("unit", [None, 1, b"byte"])
def test_locate_by_unit_that_is_no_str(unit: Anything) -> None:
    with pytest.raises(TypeError, match=r"locate\(\) argument 'unit' must be str"):
        leadbyte.locate(b"text", 1, unit=unit)


@given(strategies.data(), st.integers(0, 1 << 16))
def test_locate_any_offset(data: bytes, offset: int) -> None:
    offset %= len(data) + 1
    assert fields(leadbyte.locate(data, offset)) == oracle.located(data, offset)


@pytest.mark.parametrize("pattern", [b"a", "я€\n".encode(), "я".encode(), b"\x80", b"\n"], ids=repr)
def test_locate_in_large_data(pattern: bytes) -> None:
    data = bytes(strategies.filled(2 * strategies.CHUNK_BYTES + 99, pattern))
    for offset in (0, strategies.CHUNK_BYTES, strategies.CHUNK_BYTES + 1, len(data)):
        start = offset if pattern == b"\x80" else oracle.floor_boundary(data, offset)
        location = leadbyte.locate(data, offset)
        line, column = oracle.place(data, start)
        assert fields(location) == (line, column, column, len(oracle.replaced(data[:start])), offset)
        if pattern != b"\x80":
            expected = (line, column, column, location.char_offset, start)
            for unit in ("char", "utf16"):
                assert fields(leadbyte.locate(data, location.char_offset, unit=unit)) == expected


def test_location_is_a_value() -> None:
    one, same, other = (leadbyte.locate(b"one\ntwo", offset) for offset in (5, 5, 6))
    assert repr(one) == "Location(line=2, column=2, utf16_column=2, char_offset=5, byte_offset=5)"
    assert one == same != other
    assert hash(one) == hash(same)
    assert len({one, same, other}) == 2
    others: list[object] = [(2, 2, 2, 5, 5), None]
    assert one not in others
    assert copy.copy(one) == copy.deepcopy(one) == one
    for field in ("line", "column", "utf16_column", "char_offset", "byte_offset", "other"):
        with pytest.raises(AttributeError):
            setattr(one, field, 1)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_location_is_pickled(protocol: int) -> None:
    location = leadbyte.locate(b"one\ntwo", 5)
    again = pickle.loads(pickle.dumps(location, protocol))
    assert type(again) is leadbyte.Location
    assert again == location


AT_OFFSET: list[Callable[[Any, Any], Any]] = [
    leadbyte.is_boundary,
    leadbyte.floor_boundary,
    leadbyte.ceil_boundary,
    leadbyte.locate,
]
each_function_at_offset = pytest.mark.parametrize(
    "function", AT_OFFSET, ids=lambda function: str(function.__name__)
)


@each_function_at_offset
@pytest.mark.parametrize("data", [b"", b"text"])
def test_offset_out_of_range(function: Callable[[Any, Any], Any], data: bytes) -> None:
    beyond = [len(data) + 1, len(data) + 9, *HUGE] if function is leadbyte.locate else []
    for offset in (-1, -len(data) - 1, *(-number for number in HUGE), *beyond):
        with pytest.raises(IndexError, match="out of range"):
            function(data, offset)
        with pytest.raises(IndexError, match="out of range"):
            function(data, Index(offset))


@pytest.mark.parametrize("data", [b"", b"text", b"\x80" * 9, "€".encode()[:2]])
def test_boundaries_beyond_the_end(data: bytes) -> None:
    for i in (len(data), len(data) + 1, len(data) + 9, *HUGE):
        for index in (i, Index(i)):
            assert leadbyte.floor_boundary(data, index) == leadbyte.ceil_boundary(data, index) == len(data)
            assert leadbyte.is_boundary(data, index) is (i == len(data))


@each_function_at_offset
@pytest.mark.parametrize("offset", [1.0, "1", None, b"1"], ids=repr)
def test_offset_that_is_no_integer(
    function: Callable[[Anything, Anything], Anything], offset: Anything
) -> None:
    with pytest.raises(TypeError):
        function(b"text", offset)


@each_function_at_offset
def test_offset_by_index(function: Callable[[Any, Any], Any]) -> None:
    data = "я€".encode()
    assert function(data, Index(3)) == function(data, 3)
    assert function(data, True) == function(data, 1)
    with pytest.raises(LookupError):
        function(data, Failing())


@each_function_at_offset
def test_index_may_change_the_data(function: Callable[[Any, Any], Any]) -> None:
    data = bytearray("я€".encode())

    class Changing:
        def __index__(self) -> int:
            data[0] = 0xFF
            try:
                data.clear()
            except BufferError:
                return 3
            return 0

    function(data, Changing())
    data.append(0)
