"""EditableOffsetMap: after any edits, what a map of the edited text returns."""

from __future__ import annotations

import array
import copy
import gc
import mmap
import pickle
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import leadbyte
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from naive_offsets import UNITS, NaiveOffsets
from signals import Interrupted, signal_after, with_timers

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import Anything

LINE_ENDS = st.sampled_from([b"", b"\r", b"\n", b"\r\n", b"\n\r", b"\r\r\n"])
PIECES = st.builds(lambda first, piece, last: first + piece + last, LINE_ENDS, strategies.pieces(), LINE_ENDS)


def surrogatepass(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class Edits(RuleBasedStateMachine):
    """Edits a map of bytes, and the bytes themselves."""

    newlines: Anything = "universal"

    @initialize(
        data=st.one_of(PIECES, st.builds(lambda piece: piece * 99, PIECES)),
        newlines=st.sampled_from(["universal", "lf"]),
    )
    def start(self, data: bytes, newlines: str) -> None:
        self.original = bytearray(data)
        self.data = data
        self.newlines = newlines
        self.offsets: Anything = leadbyte.EditableOffsetMap(self.original, newlines=self.newlines)

    @rule(start=st.integers(0, 1 << 16), length=st.integers(0, 40), inserted=PIECES)
    def replace(self, start: int, length: int, inserted: bytes) -> None:
        start %= len(self.data) + 1
        end = min(start + length, len(self.data))
        self.offsets.replace(start, end, inserted)
        self.data = self.data[:start] + inserted + self.data[end:]

    @rule(inserted=PIECES)
    def append(self, inserted: bytes) -> None:
        self.replace(len(self.data), 0, inserted)

    @rule(at=st.integers(0, 1 << 16), text=st.text(max_size=9))
    def type(self, at: int, text: str) -> None:
        at %= len(self.data) + 1
        for index, char in enumerate(text):
            place = at + len(text[:index].encode())
            self.offsets.replace(place, place, char)
        self.data = self.data[:at] + text.encode() + self.data[at:]

    @rule(times=st.integers(1, 50), piece=PIECES)
    def repeat(self, times: int, piece: bytes) -> None:
        for _ in range(times):
            self.replace(len(self.data) // 2, 1, piece[:3])

    @precondition(lambda self: len(self.data) > 1000)
    @rule()
    def remove_much(self) -> None:
        self.replace(9, len(self.data), b"")

    @rule()
    def copy(self) -> None:
        self.offsets = copy.copy(self.offsets)

    @rule()
    def pickle(self) -> None:
        self.offsets = pickle.loads(pickle.dumps(self.offsets))

    @rule(wrong=st.integers(1, 99))
    def fail(self, wrong: int) -> None:
        length = len(self.data)
        for start, end in ((length + wrong, length + wrong), (0, length + wrong), (-wrong, 0), (length, -1)):
            with pytest.raises(IndexError):
                self.offsets.replace(start, end, b"x")

    @invariant()
    def counts(self) -> None:
        naive = NaiveOffsets(self.data, self.newlines)
        offsets = self.offsets
        assert (offsets.byte_count, offsets.char_count, offsets.utf16_count) == tuple(map(naive.count, UNITS))
        assert offsets.line_count == len(naive.lines)
        assert offsets.slice(0, len(self.data), unit="byte") == offsets.text == self.data

    @rule(at=st.integers(0, 1 << 16), column=st.integers(0, 50))
    def query(self, at: int, column: int) -> None:
        naive, offsets = NaiveOffsets(self.data, self.newlines), self.offsets
        line = at % len(naive.lines)
        for unit in UNITS:
            offset = at % (naive.count(unit) + 1)
            for target in UNITS:
                converted = naive.convert(offset, unit, target)
                assert offsets.convert(offset, unit, target) == converted
                assert offsets.convert_many([offset, 0], unit, target) == [converted, 0]
                position = offsets.position(offset, unit=unit, column_unit=target)
                assert tuple(position) == naive.position(offset, unit, target)
                found = offsets.offset(line, column, unit=unit, column_unit=target)
                assert found == naive.offset(line, column, unit, target)
            assert offsets.slice(0, offset, unit=unit) == naive.slice(0, offset, unit)
            if naive.byte(offset, unit)[1]:
                with pytest.raises(ValueError, match=f" {offset} is inside "):
                    offsets.convert(offset, unit, "byte", strict=True)


# The tests of the crate apply many edits on every implementation.
TestEdits = pytest.mark.once(pytest.mark.one_implementation(Edits.TestCase))
TestEdits.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


@given(strategies.surrogates(), strategies.surrogates(), st.data())
def test_str(text: str, inserted: str, draw: st.DataObject) -> None:
    offsets = leadbyte.EditableOffsetMap(text)
    for piece in (inserted, surrogatepass(inserted), "", inserted[:1]):
        start = draw.draw(st.integers(0, len(text)))
        end = draw.draw(st.integers(start, len(text)))
        place = len(surrogatepass(text[:start])), len(surrogatepass(text[:end]))
        if isinstance(piece, bytes) and not leadbyte.is_valid(piece):
            with pytest.raises(UnicodeDecodeError):
                offsets.replace(*place, piece)
            continue
        offsets.replace(*place, piece)
        text = text[:start] + (inserted if isinstance(piece, bytes) else piece) + text[end:]
        assert offsets.slice(0, len(text), unit="char") == text
        assert offsets.char_count == len(text)
        assert offsets.slice(start, len(text), unit="char") == text[start:]
    again: Anything = pickle.loads(pickle.dumps(offsets))
    assert again.slice(0, len(text), unit="char") == text


def test_text_remains_text() -> None:
    offsets = leadbyte.EditableOffsetMap("a€b")
    for start, end, name in ((2, 4, "start"), (1, 3, "end"), (3, 3, "start")):
        with pytest.raises(
            ValueError, match=r"is inside the character U\+20AC .* that starts at byte 1"
        ) as caught:
            offsets.replace(start, end, "x")
        assert type(caught.value) is ValueError, name
    for data in (b"\xff", b"\xe2\x82", bytearray(b"a\x80")):
        with pytest.raises(UnicodeDecodeError):
            offsets.replace(0, 0, data)
    assert offsets.slice(0, 5, unit="byte") == "a€b"
    of_bytes = leadbyte.EditableOffsetMap("a€b".encode())
    with pytest.raises(UnicodeEncodeError):
        of_bytes.replace(0, 0, "\ud800")
    of_bytes.replace(2, 3, b"\xff")
    assert of_bytes.slice(0, 5, unit="byte") == b"a\xe2\xff\xacb"


def test_messages() -> None:
    offsets = leadbyte.EditableOffsetMap("a€b")
    for start, end, message in (
        (0, 6, r"^end out of range: it must be between 0 and 5, the number of bytes in the text$"),
        (5, 4, r"^start out of range: it must be between 0 and 4, the end of the range$"),
        (10**30, 4, r"^start out of range"),
        (0, -(10**30), r"^end out of range"),
    ):
        with pytest.raises(IndexError, match=message):
            offsets.replace(start, end, "")
    for wrong in (None, 5, ["a"]):
        with pytest.raises(TypeError):
            offsets.replace(0, 0, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        offsets.replace(1.0, 2, "")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="newlines must be 'universal' or 'lf', not 'cr'"):
        leadbyte.EditableOffsetMap("", newlines="cr")  # type: ignore[call-overload]
    with pytest.raises(
        IndexError, match=r"^offsets\[1\] out of range: it must be between 0 and 3, the number of c"
    ):
        offsets.convert_many([3, 4], "char", "byte")
    assert repr(offsets) == "<leadbyte.EditableOffsetMap of 5 bytes>"


def test_batches() -> None:
    offsets = leadbyte.EditableOffsetMap("€" * 30_000)
    offsets.replace(3, 6, "ab")
    chars = array.array("q", range(30_002))
    expected = [0, 3, 4, *range(5, 5 + 3 * 29_999, 3)]
    assert offsets.convert_many(chars, "char", "byte").tolist() == expected
    assert offsets.convert_many(chars, "char", "byte", out=chars) is chars
    assert chars.tolist() == expected


def test_a_mapped_file_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("a€\n".encode() * 5000)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        offsets = leadbyte.EditableOffsetMap(mapped)
        offsets.replace(5, 5, "😀")
        assert offsets.slice(0, 10, unit="byte") == "a€\n😀a".encode()
        assert offsets.line_count == 5001
        assert mapped[5:6] == b"a"
        with pytest.raises(BufferError):
            mapped.close()
        del offsets


def test_what_is_inserted_is_copied() -> None:
    inserted = bytearray(b"text")
    offsets = leadbyte.EditableOffsetMap(b"")
    offsets.replace(0, 0, inserted)
    inserted[:] = b"more than before"
    assert offsets.slice(0, 4, unit="byte") == b"text"


@with_timers
@pytest.mark.once
def test_an_edit_that_is_made_raises_nothing() -> None:
    offsets = leadbyte.EditableOffsetMap(b"\xffabc\n" * 4_000_000)
    results: list[None] = []
    # The handler of a signal runs after the call to extend, if not before.
    with pytest.raises(Interrupted), signal_after(0.003):
        results.extend(map(offsets.replace, [1], [offsets.byte_count - 1], [b""]))
    assert (results, offsets.byte_count) == ([None], 2)


def test_copies_are_independent() -> None:
    offsets = leadbyte.EditableOffsetMap("text")
    for other in (copy.copy(offsets), copy.deepcopy(offsets)):
        other.replace(0, 4, "")
        assert (other.byte_count, offsets.byte_count) == (0, 4)


def test_cycle_is_collected() -> None:
    class Holder(bytearray):
        offsets: object

    data = Holder(b"a\xe2\x82\xac")
    data.offsets = leadbyte.EditableOffsetMap(data)
    collected = weakref.ref(data)
    del data
    gc.collect()
    assert collected() is None


def test_a_text_that_changes() -> None:
    data = bytearray(strategies.filled(100_000))
    offsets = leadbyte.EditableOffsetMap(data)
    for index in range(300):
        data[index * 300 : index * 300 + 300] = bytes([index % 256]) * 300
        at = index * 7919 % offsets.byte_count
        offsets.replace(at, min(at + index % 9, offsets.byte_count), bytes([index % 256]) * (index % 7))
        for unit in ("byte", "char", "utf16"):
            count = {"byte": offsets.byte_count, "char": offsets.char_count, "utf16": offsets.utf16_count}[
                unit
            ]
            assert offsets.convert(at % (count + 1), unit, "char") >= 0
            assert offsets.position(at % (count + 1), unit=unit).line < offsets.line_count
        assert offsets.offset(index % offsets.line_count, 5) <= offsets.byte_count


def test_many_threads_edit_and_ask() -> None:
    line = "é😀 text\n"
    offsets = leadbyte.EditableOffsetMap(line * 50_000)
    barrier = threading.Barrier(4)

    def work(number: int) -> None:
        barrier.wait()
        for index in range(200):
            offsets.replace(0, 0, line)
            assert offsets.offset(number * 100 + index, 1) % len(line.encode()) == 2
            assert offsets.slice(0, len(line), unit="char") == line
            if index % 50 == 0:
                assert offsets.slice(0, offsets.char_count, unit="char")[:8] == line
                assert len(offsets.convert_many(array.array("q", range(20_000)), "char", "byte")) == 20_000

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert offsets.line_count == 50_000 + 800 + 1
    assert offsets.slice(0, offsets.char_count, unit="char") == line * 50_800
