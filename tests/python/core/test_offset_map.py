"""OffsetMap: offsets, lines and columns of str and bytes against a naive count, single and in batches."""

from __future__ import annotations

import array
import copy
import gc
import mmap
import pickle
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING

import leadbyte
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from naive_offsets import UNITS, NaiveOffsets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from strategies import Anything

NEWLINES = ("universal", "lf")
ENCODINGS = {"byte": "utf-8", "char": "utf-32", "utf16": "utf-16"}
HUGE = (2**31, 2**63, 2**64, 10**30)
# The distances at which the index has numbers, and a few bytes around them.
BLOCK, SUPER_BLOCK = 256, 32 << 10


def with_line_ends() -> st.SearchStrategy[bytes]:
    """Yield data of any kind with line ends of any kind."""
    ends = st.sampled_from([b"\r", b"\n", b"\r\n", b"\n\r", b"\r\r\n", b"a", "é".encode(), b"\x80"])
    return st.lists(st.one_of(strategies.pieces(), ends), max_size=8).map(b"".join)


def check_offset(offsets: Anything, naive: NaiveOffsets, offset: int, source: Anything) -> None:
    byte, inside = naive.byte(offset, source)
    for target in UNITS:
        assert offsets.convert(offset, source, target) == naive.convert(offset, source, target)
        position = offsets.position(offset, unit=source, column_unit=target)
        assert tuple(position) == naive.position(offset, source, target)
    if inside:
        start = byte if source == "byte" else offset - 1
        with pytest.raises(ValueError, match=f" {offset} is inside .* that starts at .* {start}$"):
            offsets.convert(offset, source, "byte", strict=True)
    else:
        assert offsets.convert(offset, source, "byte", strict=True) == byte


def check_all(text: Anything, data: bytes, newlines: Anything) -> None:
    offsets = leadbyte.OffsetMap(text, newlines=newlines)
    naive = NaiveOffsets(data, newlines, is_text=isinstance(text, str))
    counts = (offsets.byte_count, offsets.char_count, offsets.utf16_count)
    assert counts == tuple(naive.count(unit) for unit in UNITS)
    assert offsets.line_count == len(naive.lines)
    for source in UNITS:
        count = naive.count(source)
        for offset in range(count + 1):
            check_offset(offsets, naive, offset, source)
        for target in UNITS:
            expected = [naive.convert(offset, source, target) for offset in range(count + 1)]
            assert offsets.convert_many(range(count + 1), source, target) == expected
            for line in range(len(naive.lines)):
                start, end = naive.lines[line]
                for column in range(end - start + 3):
                    expected_offset = naive.offset(line, column, source, target)
                    found = offsets.offset(line, column, unit=source, column_unit=target)
                    assert found == expected_offset


@given(with_line_ends(), st.sampled_from(NEWLINES))
@example(b"\x80\x80a\r\n\x80\xf0\x9f\n\n\r", "universal")
@example("a\r\nb\rc\n😀\r".encode(), "lf")
def test_bytes(data: bytes, newlines: str) -> None:
    check_all(data, data, newlines)


@given(strategies.surrogates(), st.sampled_from(NEWLINES))
@example("\ud83d\ude00😀\udfff\r\n€", "universal")
@example("\xff\r\r\n", "universal")
@example("a" * 300 + "\r\n", "lf")
def test_str(text: str, newlines: str) -> None:
    text = text[:70]
    check_all(text, text.encode("utf-8", "surrogatepass"), newlines)
    offsets = leadbyte.OffsetMap(text)
    for index in range(len(text) + 1):
        before = text[:index].encode("utf-16-le", "surrogatepass")
        assert offsets.convert(index, "char", "utf16") == len(before) // 2
        for end in range(len(text) + 1):
            assert offsets.slice(index, end, unit="char") == text[index:end]


@pytest.mark.once
@pytest.mark.one_implementation
@given(with_line_ends(), st.sampled_from(NEWLINES), st.data())
def test_longer_texts(piece: bytes, newlines: Anything, draw: st.DataObject) -> None:
    length = draw.draw(
        st.sampled_from([BLOCK - 1, 3 * BLOCK, SUPER_BLOCK - 1, SUPER_BLOCK, SUPER_BLOCK + 77])
    )
    data = (b"x" * draw.draw(st.integers(0, 70)) + piece * (length // max(len(piece), 1)))[:length]
    offsets, naive = leadbyte.OffsetMap(data, newlines=newlines), NaiveOffsets(data, newlines)
    for source in UNITS:
        count = naive.count(source)
        some = draw.draw(st.lists(st.integers(0, count), min_size=1, max_size=9))
        for offset in some:
            check_offset(offsets, naive, offset, source)
        for target in UNITS:
            expected = [naive.convert(offset, source, target) for offset in some]
            assert offsets.convert_many(some, source, target) == expected
            line = draw.draw(st.integers(0, len(naive.lines) - 1))
            column = draw.draw(st.one_of(st.integers(0, 9), st.integers(0, length)))
            assert offsets.offset(line, column, unit=source, column_unit=target) == (
                naive.offset(line, column, source, target)
            )
        assert offsets.slice(some[0], some[-1], unit=source) == naive.slice(some[0], some[-1], source)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_threads_build_the_same_index(threads: int) -> None:
    data = bytes(strategies.filled(5 * strategies.CHUNK_BYTES + 999)) + b"\r\n"
    offsets = leadbyte.OffsetMap(data, threads=threads)
    assert offsets.char_count == leadbyte.count_chars(data)
    assert offsets.utf16_count == leadbyte.count_utf16(data)
    assert offsets.line_count == leadbyte.count_newlines(data) + 1
    for byte in range(0, len(data), 99_991):
        location = leadbyte.locate(data, byte)
        assert offsets.convert(byte, "byte", "char") == location.char_offset
        line, character = offsets.position(byte)
        assert (line + 1, character + 1) == (location.line, location.utf16_column)
        line, character = offsets.position(byte, column_unit="char")
        assert (line + 1, character + 1) == (location.line, location.column)


def test_names_of_the_language_server_protocol() -> None:
    offsets = leadbyte.OffsetMap("a€😀\nж")
    for source, target in product(UNITS, UNITS):
        there: Anything = ENCODINGS[source]
        back: Anything = ENCODINGS[target]
        for offset in range(6):
            assert offsets.convert(offset, there, back) == offsets.convert(offset, source, target)
            assert offsets.position(offset, unit=there, column_unit=back) == (
                offsets.position(offset, unit=source, column_unit=target)
            )


class TestConvertMany:
    OFFSETS = leadbyte.OffsetMap("a€😀" * 30_000)
    CHARS = (89_999, 0, 3, 1, 90_000, 2) * 6000
    BYTES = tuple(index // 3 * 8 + (0, 1, 4)[index % 3] for index in CHARS)

    @pytest.mark.parametrize("make", [list, tuple, iter])
    def test_iterables(self, make: Anything) -> None:
        converted = self.OFFSETS.convert_many(make(self.CHARS), "char", "byte")
        assert type(converted) is list
        assert converted == [*self.BYTES]
        assert self.OFFSETS.convert_many([], "char", "byte") == []

    @pytest.mark.parametrize("code", ["i", "q"])
    @pytest.mark.parametrize("make", [memoryview, copy.copy])
    def test_buffers(self, code: Anything, make: Anything) -> None:
        converted = self.OFFSETS.convert_many(make(array.array(code, self.CHARS)), "char", "byte")
        assert type(converted) is memoryview
        assert (converted.format, converted.itemsize, converted.ndim) == ("q", 8, 1)
        assert converted.tolist() == [*self.BYTES]
        assert self.OFFSETS.convert_many(array.array(code), "char", "byte").tolist() == []

    @pytest.mark.parametrize("code", ["i", "q"])
    @pytest.mark.parametrize("given", ["i", "q", "list"])
    def test_out(self, code: Anything, given: Anything) -> None:
        source: Anything = [*self.CHARS] if given == "list" else array.array(given, self.CHARS)
        out = array.array(code, [7]) * len(self.CHARS)
        assert self.OFFSETS.convert_many(source, "char", "byte", out=out) is out
        assert out.tolist() == [*self.BYTES]

    def test_in_place(self) -> None:
        items = array.array("q", self.CHARS)
        assert self.OFFSETS.convert_many(items, "char", "byte", out=items) is items
        assert items.tolist() == [*self.BYTES]

    def test_numpy(self) -> None:
        numpy = pytest.importorskip("numpy")
        for dtype in ("int32", "int64"):
            given = numpy.array(self.CHARS, dtype)
            for shape in ((-1,), (6, -1)):
                converted = numpy.asarray(self.OFFSETS.convert_many(given.reshape(shape), "char", "byte"))
                assert converted.dtype == numpy.int64
                assert converted.tolist() == [*self.BYTES]
            assert self.OFFSETS.convert_many(given, "char", "byte", out=given) is given
            assert given.tolist() == [*self.BYTES]
            frozen = numpy.zeros(1, dtype)
            frozen.flags.writeable = False
            with pytest.raises(
                TypeError, match="out must be a writable, contiguous buffer of int32 or int64"
            ):
                self.OFFSETS.convert_many([0], "char", "byte", out=frozen)
        with pytest.raises(TypeError, match="the items of offsets must be int32 or int64; their format is"):
            self.OFFSETS.convert_many(numpy.zeros(3, "uint64"), "char", "byte")
        with pytest.raises(TypeError, match="offsets must be contiguous, as numpy"):
            self.OFFSETS.convert_many(numpy.zeros((4, 4), "int64")[::2, ::2], "char", "byte")

    @pytest.mark.parametrize("code", ["b", "B", "h", "H", "I", "Q", "f", "d"])
    def test_other_items(self, code: str) -> None:
        items: Anything = memoryview(bytearray(8)).cast(code)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match=f'offsets must be int32 or int64; their format is "{code}"'):
            self.OFFSETS.convert_many(items, "char", "byte")
        with pytest.raises(TypeError, match=f'out must be int32 or int64; their format is "{code}"'):
            self.OFFSETS.convert_many([0], "char", "byte", out=items)

    @pytest.mark.parametrize("given", [b"12345678", "12", 5, None, [1.0], ["1"], [[1]]], ids=repr)
    def test_no_offsets(self, given: Anything) -> None:
        with pytest.raises(TypeError):
            self.OFFSETS.convert_many(given, "char", "byte")

    @pytest.mark.parametrize("out", [[0], (0,), 5, "1", memoryview(array.array("q", [1])).toreadonly()])
    def test_no_out(self, out: Anything) -> None:
        with pytest.raises(TypeError, match="out must be a writable, contiguous buffer of int32 or int64"):
            self.OFFSETS.convert_many([0], "char", "byte", out=out)

    @pytest.mark.parametrize("length", [0, 1, 3])
    def test_out_of_another_length(self, length: int) -> None:
        out = array.array("q", [7] * length)
        with pytest.raises(ValueError, match=f"out must have 2 items, not {length}"):
            self.OFFSETS.convert_many([1, 2], "char", "byte", out=out)
        assert out.tolist() == [7] * length

    @pytest.mark.parametrize("index", [0, 1, 20_000])
    @pytest.mark.parametrize("wrong", [90_001, -1, 2**31 - 1, -(2**31)])
    def test_out_of_range(self, index: int, wrong: int) -> None:
        offsets = [*self.CHARS]
        offsets[index] = wrong
        for items in (offsets, array.array("i", offsets), array.array("q", offsets)):
            message = rf"^offsets\[{index}\] out of range: it must be between 0 and 90000, the number of char"
            with pytest.raises(IndexError, match=message):
                self.OFFSETS.convert_many(items, "char", "byte")
        with pytest.raises(IndexError, match=r"^offsets\[1\] out of range"):
            self.OFFSETS.convert_many([0, 10**30], "char", "byte")

    @pytest.mark.one_implementation
    @pytest.mark.skipif(sys.platform != "linux", reason="needs private anonymous memory that is not touched")
    @pytest.mark.once
    def test_overflow(self) -> None:
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        with mmap.mmap(-1, 2**31 + 5, flags=private, prot=mmap.PROT_READ) as zeros:
            offsets = leadbyte.OffsetMap(zeros, threads=0)
            out = array.array("i", [0, 0])
            assert offsets.convert_many([1, 2**31 - 1], "char", "byte", out=out).tolist() == [1, 2**31 - 1]
            with pytest.raises(
                OverflowError, match=r"offset 2147483648 does not fit in out\[1\]; pass int64"
            ):
                offsets.convert_many([1, 2**31], "char", "byte", out=out)
            del offsets


@pytest.mark.parametrize("text", ["", "a€😀\nb", b"", b"a\n\xff\x80"], ids=repr)
def test_out_of_range(text: str | bytes) -> None:
    offsets = leadbyte.OffsetMap(text)
    counts: Anything = zip(UNITS, (offsets.byte_count, offsets.char_count, offsets.utf16_count), strict=True)
    for unit, count in counts:
        for beyond in (count + 1, *HUGE, -1, *(-number for number in HUGE)):
            message = rf"^offset out of range: it must be between 0 and {count}, the number of "
            with pytest.raises(IndexError, match=message):
                offsets.convert(beyond, unit, "byte")
            with pytest.raises(IndexError, match=message):
                offsets.position(beyond, unit=unit)
            with pytest.raises(IndexError, match=r"^start out of range"):
                offsets.slice(beyond, 0, unit=unit)
            with pytest.raises(IndexError, match=r"^end out of range"):
                offsets.slice(0, beyond, unit=unit)
    last = offsets.line_count - 1
    for line in (last + 1, *HUGE, -1, *(-number for number in HUGE)):
        with pytest.raises(IndexError, match=f"line out of range: it must be between 0 and {last}, the last"):
            offsets.offset(line, 0)
    for column in (-1, -(10**30)):
        with pytest.raises(IndexError, match="character out of range: it must not be negative"):
            offsets.offset(0, column)
    for column in (2**31, 10**30):
        assert offsets.offset(last, column) == offsets.byte_count


@pytest.mark.parametrize("wrong", ["", "bytes", "Byte", "utf8", "utf-8 ", "grapheme", "й"])
def test_unknown_names(wrong: Anything) -> None:
    offsets = leadbyte.OffsetMap("text")
    known = "must be 'byte', 'char', 'utf16', 'utf-8', 'utf-32' or 'utf-16', not '"
    calls: dict[str, Callable[[], object]] = {
        "source": lambda: offsets.convert(0, wrong, "byte"),
        "target": lambda: offsets.convert(0, "byte", wrong),
        "unit": lambda: offsets.position(0, unit=wrong),
        "column_unit": lambda: offsets.offset(0, 0, column_unit=wrong),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=rf"^{name} {known}"):
            call()
    with pytest.raises(ValueError, match=r"^unit must be"):
        offsets.slice(0, 0, unit=wrong)
    with pytest.raises(ValueError, match=r"^target must be"):
        offsets.convert_many([], "byte", wrong)
    with pytest.raises(ValueError, match="newlines must be 'universal' or 'lf', not '"):
        leadbyte.OffsetMap("text", newlines=wrong)


@pytest.mark.parametrize("wrong", [None, 5, b"byte"])
def test_names_that_are_no_str(wrong: Anything) -> None:
    offsets = leadbyte.OffsetMap("text")
    with pytest.raises(TypeError, match=r"convert\(\) argument 'source' must be str, not "):
        offsets.convert(0, wrong, "byte")
    with pytest.raises(TypeError, match=r"OffsetMap\(\) argument 'newlines' must be str, not "):
        leadbyte.OffsetMap("text", newlines=wrong)


@pytest.mark.parametrize("wrong", [1.0, "1", None], ids=repr)
def test_offsets_that_are_no_integers(wrong: Anything) -> None:
    offsets = leadbyte.OffsetMap("text")
    with pytest.raises(TypeError):
        offsets.convert(wrong, "byte", "char")
    with pytest.raises(TypeError):
        offsets.position(wrong)
    with pytest.raises(TypeError):
        offsets.offset(0, wrong)


class TestPosition:
    def test_it_is_a_value(self) -> None:
        one, same, other = (leadbyte.OffsetMap("я\n😀 two").position(offset) for offset in (8, 8, 2))
        line, character = one
        assert (line, character) == (one.line, one.character) == (1, 3)
        assert repr(one) == "Position(line=1, character=3)"
        assert one == same == leadbyte.Position(1, 3) != other
        assert hash(one) == hash(same)
        assert other < one >= same
        assert one.as_dict() == {"line": 1, "character": 3}
        assert leadbyte.OffsetMap("я\n😀 two").offset(*one) == 8
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(one, protocol)) == copy.copy(one) == one
        with pytest.raises(AttributeError):
            one.line = 2  # type: ignore[misc]

    def test_it_is_not_made_of_negative_numbers(self) -> None:
        with pytest.raises(OverflowError):
            leadbyte.Position(-1, 0)


class TestText:
    """What a map does with its text."""

    @pytest.mark.parametrize("newlines", NEWLINES)
    @pytest.mark.parametrize("text", ["", "a\r\né", "a€\ud83d", b"a\r\xff", "x\ry" * 300], ids=repr)
    def test_pickling_holds_it(self, text: str | bytes, newlines: Anything) -> None:
        offsets: Anything = leadbyte.OffsetMap(text, newlines=newlines)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(offsets, protocol))
            assert type(again) is leadbyte.OffsetMap
            assert again.line_count == offsets.line_count
            assert again.slice(0, offsets.byte_count, unit="byte") == text
        assert copy.copy(offsets) is copy.deepcopy(offsets) is offsets

    def test_pickling_copies_other_buffers(self) -> None:
        offsets = leadbyte.OffsetMap(memoryview("a€".encode()))
        again = pickle.loads(pickle.dumps(offsets))
        assert again.slice(1, 4, unit="byte") == "€".encode()

    def test_subclass_of_str(self) -> None:
        class Text(str):
            __slots__ = ()

            def __getitem__(self, _index: object) -> str:
                return "other"

            def encode(self, *_: object) -> bytes:
                return b"other"

        offsets = leadbyte.OffsetMap(Text("a€"))
        assert offsets.slice(0, 2, unit="char") == "a€"
        assert type(offsets.slice(0, 2, unit="char")) is str

    def test_its_utf8_is_not_kept_inside_it(self) -> None:
        text = "".join(map(chr, range(0x400, 0x500)))
        size = sys.getsizeof(text)
        offsets = leadbyte.OffsetMap(text)
        assert offsets.convert(5, "char", "byte") == 10
        assert sys.getsizeof(text) == size

    def test_utf8_that_is_kept_already(self) -> None:
        # The strict codec of a C function keeps it.
        text = "".join(map(chr, range(0x500, 0x600)))
        with pytest.raises(AttributeError):
            getattr(None, text)
        check_all(text[:40], text[:40].encode(), "lf")
        assert leadbyte.OffsetMap(text).convert(5, "char", "byte") == 10

    def test_it_is_not_resized_while_mapped(self) -> None:
        data = bytearray(b"a\xe2\x82\xac")
        offsets = leadbyte.OffsetMap(data)
        with pytest.raises(BufferError):
            data.append(0)
        assert offsets.convert(4, "byte", "char") == 2
        del offsets
        data.append(0)

    @pytest.mark.one_implementation
    def test_it_lives_as_long_as_its_map(self) -> None:
        offsets = leadbyte.OffsetMap("€".encode() * 999)
        gc.collect()
        assert offsets.slice(0, 9, unit="byte") == "€€€".encode()

    @pytest.mark.one_implementation
    def test_cycle_is_collected(self) -> None:
        class Holder(bytearray):
            offsets: object

        for wrapped in (False, True):
            data = Holder(b"a\xe2\x82\xac")
            data.offsets = leadbyte.OffsetMap(memoryview(data) if wrapped else data)
            collected = weakref.ref(data)
            del data
            gc.collect()
            assert collected() is None

    def test_mapped_file(self, tmp_path: Path) -> None:
        path = tmp_path / "text"
        path.write_bytes("a€😀\r\n".encode() * 5000)
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            offsets = leadbyte.OffsetMap(mapped)
            assert offsets.convert(5 * 4000 + 2, "char", "byte") == 10 * 4000 + 4
            assert offsets.line_count == 5001
            assert offsets.position(14) == leadbyte.Position(1, 2)
            assert offsets.slice(1, 3, unit="char") == "€😀".encode()
            with pytest.raises(BufferError):
                mapped.close()
            del offsets

    @given(strategies.data(), strategies.data(), st.data())
    def test_it_changes(self, before: bytes, after: bytes, draw: st.DataObject) -> None:
        data = bytearray(before)
        offsets = leadbyte.OffsetMap(data)
        memoryview(data)[: len(after)] = after[: len(before)]
        for unit, count in zip(
            UNITS, (offsets.byte_count, offsets.char_count, offsets.utf16_count), strict=True
        ):
            offset, column = draw.draw(st.integers(0, count)), draw.draw(st.integers(0, 99))
            for target in UNITS:
                assert offsets.convert(offset, unit, target) >= 0
                assert offsets.convert_many([offset], unit, target)[0] >= 0
                position = offsets.position(offset, unit=unit, column_unit=target)
                assert position.line < offsets.line_count
                line = draw.draw(st.integers(0, offsets.line_count - 1))
                assert offsets.offset(line, column, unit=unit, column_unit=target) >= 0
            assert len(offsets.slice(0, offset, unit=unit)) <= len(before)

    @pytest.mark.one_implementation
    def test_it_changes_during_calls(self) -> None:
        data = bytearray(strategies.filled(300_000))
        offsets = leadbyte.OffsetMap(data)
        stopped = threading.Event()

        def write() -> None:
            while not stopped.is_set():
                for value in (0, 0x80, 0xFF, 0x0A, 0x0D):
                    memoryview(data)[100_000:200_000] = bytes([value]) * 100_000

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(5):
                for unit, target in product(UNITS, UNITS):
                    chars = array.array("q", range(0, offsets.char_count, 7))
                    assert len(offsets.convert_many(chars, unit, target)) == len(chars)
                leadbyte.OffsetMap(data, threads=3)
        finally:
            stopped.set()
            writer.join()


@pytest.mark.one_implementation
def test_many_threads_ask_at_once() -> None:
    data = bytes(strategies.filled(200_000))
    offsets, naive = leadbyte.OffsetMap(data), NaiveOffsets(data)

    def ask(first: int) -> bool:
        return all(
            offsets.convert(byte, "byte", "utf16") == naive.convert(byte, "byte", "utf16")
            for byte in range(first, len(data), 997)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(8)))


def test_index_is_small() -> None:
    assert sys.getsizeof(leadbyte.OffsetMap(strategies.filled(1 << 20))) < 0.026 * (1 << 20)


def test_map_is_shown_by_its_length() -> None:
    assert repr(leadbyte.OffsetMap("a€")) == "<leadbyte.OffsetMap of 4 bytes>"


@pytest.mark.parametrize("wrong", [None, 5, ["a"]])
def test_no_text(wrong: Anything) -> None:
    with pytest.raises(TypeError):
        leadbyte.OffsetMap(wrong)


@pytest.mark.parametrize("threads", [-1, 10**30])
def test_wrong_number_of_threads(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be a positive number"):
        leadbyte.OffsetMap("text", threads=threads)
