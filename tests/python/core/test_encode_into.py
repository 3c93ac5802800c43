"""Str into a buffer: encode_into against a naive model, with every size of buffer and every error handler."""

from __future__ import annotations

import array
import codecs
import contextlib
import ctypes
import functools
import io
import mmap
import re
import sys
import threading
from typing import TYPE_CHECKING, Any

import handlers
import leadbyte
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcome, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

each_handler = pytest.mark.parametrize("errors", handlers.FOR_ENCODING)
UNTOUCHED = b"\xaa"
# The bytes on either side of a buffer, which nothing may write to.
GUARD_BYTES = 130
KINDS = {"ASCII": "a\x7f", "Latin-1": "aéÿ", "UCS-2": "aé€\uffff", "UCS-4": "aé€😀\U0010ffff"}
each_kind = pytest.mark.parametrize("chars", KINDS.values(), ids=KINDS)
SURROGATES = ["\ud800", "\udc80", "\udcff\udc80", "\udc80\ud800\udcff", "\ud83d\ude00", "\udfff" * 40]
as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8


def model(text: str, size: int, errors: str) -> tuple[bytes, int]:
    """Encode character by character, by CPython, until one does not fit.

    Return the bytes, and how many characters were read. Raise what CPython raises for the whole text.
    """
    written, at = b"", 0
    while at < len(text):
        run = re.compile("[\ud800-\udfff]*").match(text, at)
        end = run.end() if run else at
        replacement: str | bytes | None = None
        if at == end or errors in handlers.BUILT_IN:
            following = at + 1
            with contextlib.suppress(UnicodeEncodeError):
                replacement = text[at].encode("utf-8", errors)
        else:
            error = UnicodeEncodeError("utf-8", text, at, end, "surrogates not allowed")
            replacement, following = codecs.lookup_error(errors)(error)
            following += len(text) if following < 0 else 0
        if replacement is None or (isinstance(replacement, str) and not replacement.isascii()):
            text.encode("utf-8", errors)  # raises
            raise AssertionError
        piece = replacement.encode() if isinstance(replacement, str) else replacement
        if len(written) + len(piece) > size:
            break
        written, at = written + piece, following
    return written, at


def check(text: str, size: int, errors: str = "strict", offset: int = 0) -> None:
    """Encode into a buffer with that many bytes after the offset; compare with the model."""
    memory = bytearray(UNTOUCHED) * (GUARD_BYTES + offset + size + GUARD_BYTES)
    buffer = memoryview(memory)[GUARD_BYTES : GUARD_BYTES + offset + size]
    result = outcome(leadbyte.encode_into, text, buffer, offset=offset, errors=errors)
    expected = outcome(model, text, size, errors)
    before, after = memory[: GUARD_BYTES + offset], memory[GUARD_BYTES + offset :]
    if expected[0] is tuple:
        data, read = expected[1]
        assert result == (tuple, (len(data), read))
        assert after == data + UNTOUCHED * (len(after) - len(data))
    else:
        assert result == expected
        assert after[size:] == UNTOUCHED * GUARD_BYTES
    assert before == UNTOUCHED * len(before)


def check_every_size(text: str, errors: str = "strict") -> None:
    for size in range(len(text.encode("utf-8", "surrogatepass")) + 3):
        check(text, size, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@each_kind
def test_every_size_of_the_buffer(chars: str) -> None:
    for count in range(9):
        check_every_size(chars * count)
        check_every_size("a" * count + chars)
    for text in (chars * 40, "a" * 70 + chars * 9, chars[-1] * 90):
        check_every_size(text)


@each_kind
def test_every_offset(chars: str) -> None:
    for offset in range(70):
        for size in (0, 1, 3, 4, 40):
            check(chars * 12, size, offset=offset)


@pytest.mark.parametrize("script", strategies.SCRIPTS)
def test_scripts(script: str) -> None:
    text = strategies.SCRIPTS[script] * 3
    for size in (*range(70), len(text), len(text.encode()) - 1, len(text.encode())):
        check(text, size)


@pytest.mark.once
@pytest.mark.one_implementation
@each_handler
@pytest.mark.parametrize("run", SURROGATES, ids=lambda run: ascii(run)[:30])
def test_every_size_with_surrogates(run: str, errors: str) -> None:
    for text in (run, "a" + run + "b", "é€" + run, "😀" + run + "я" + run, run + "x" * 30 + run):
        check_every_size(text, errors)


@each_handler
@given(
    text=st.text(st.sampled_from("a\x7f\x80ÿĀ\u07ff\u0800\uffff😀\U0010ffff\ud800\udc80\udcff"), max_size=60),
    size=st.integers(0, 300),
    offset=st.integers(0, 70),
)
def test_any_text(errors: str, text: str, size: int, offset: int) -> None:
    check(text, size, errors, offset)


@given(text=st.text(max_size=200), size=st.integers(0, 900))
def test_any_clean_text(text: str, size: int) -> None:
    check(text, size)
    as_utf8(ctypes.py_object(text))
    check(text, size)


@pytest.mark.once
@pytest.mark.one_implementation
@each_kind
def test_large_texts(chars: str) -> None:
    for count in (
        4 << 10,
        16 << 10,
        (4 << 10) + 5,
        (16 << 10) + 5,
        strategies.LARGE,
        strategies.CHUNK_BYTES + 5,
    ):
        text = chars * (count // len(chars)) + chars[-1]
        data = text.encode()
        for size in (len(data) + 1, len(data), len(data) - 1, len(data) // 2 + 1, len(data) // 3):
            written = leadbyte.floor_boundary(data, size)
            read = len(data[:written].decode())
            for ready in (text, "".join(list(text))):
                buffer = bytearray(UNTOUCHED) * size
                assert leadbyte.encode_into(ready, buffer) == (written, read)
                assert bytes(buffer[:written]) == data[:written]
                assert not buffer[written:].strip(UNTOUCHED)
                as_utf8(ctypes.py_object(text))


@pytest.mark.parametrize("errors", ["strict", "replace", "surrogatepass", "leadbyte-tests-encode hex"])
def test_surrogates_in_large_texts(errors: str) -> None:
    for at in (4095, 4096, 16383, 16384, 16385, 100_000, strategies.CHUNK_BYTES + 9):
        text = "я" * at + "\udc80" + "я" * 50_000 + "\ud800€"
        buffer = bytearray(4 * len(text))
        result = outcome(leadbyte.encode_into, text, buffer, errors=errors)
        data = outcome(outcomes.encode, text, errors)
        if errors == "strict":
            assert result == data
            assert bytes(buffer[: 2 * at]) == text[:at].encode()
        else:
            assert result == (tuple, (len(data[1]), len(text)))
            assert bytes(buffer[: len(data[1])]) == data[1]
            small = bytearray(2 * at)
            following = leadbyte.encode_into(text, small, errors="ignore")
            assert following == (2 * at, at + 1)


def test_encoding_leaves_nothing_in_the_str() -> None:
    for chars in (*KINDS.values(), "a\ud800"):
        text = "".join(list(chars * 50))
        before = sys.getsizeof(text)
        outcome(leadbyte.encode_into, text, bytearray(99), errors="replace")
        assert sys.getsizeof(text) == before


def test_text_in_several_buffers() -> None:
    text = "".join(sample * 20 for sample in strategies.SCRIPTS.values())
    for size in (4, 5, 7, 64, 1000):
        data, read, buffer = b"", 0, bytearray(size)
        while read < len(text):
            written, chars = leadbyte.encode_into(text[read:], buffer)
            data, read = data + buffer[:written], read + chars
        assert data == text.encode()


def test_a_replacement_is_written_as_a_whole_or_not_at_all() -> None:
    handlers.register("leadbyte-tests-six", lambda error: (b"\xff" * 6, error.end))
    for size in range(20):
        buffer = bytearray(size)
        _, read = leadbyte.encode_into("ab\ud800" * 2, buffer, errors="leadbyte-tests-six")
        assert buffer.count(0xFF) == 6 * (read // 3)


# Buffers.


def mapped(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size)


# Each makes a buffer of a number of bytes, which is a multiple of 8.
TYPES: dict[str, Callable[[int], Any]] = {
    "bytearray": bytearray,
    "memoryview": lambda size: memoryview(bytearray(size)),
    "sliced memoryview": lambda size: memoryview(bytearray(size + 9))[4:-5],
    "cast memoryview": lambda size: memoryview(bytearray(size)).cast("I"),
    "two-dimensional memoryview": lambda size: memoryview(bytearray(size)).cast("B", (2, size // 2)),
    **{
        f"array of {code}": functools.partial(lambda code, size: array.array(code, bytes(size)), code)
        for code in "bBhHiIlLqQ"
    },
    "mmap": mapped,
    "ctypes chars": lambda size: (ctypes.c_char * size)(),
    "ctypes integers": lambda size: (ctypes.c_uint32 * (size // 4))(),
}


@pytest.mark.parametrize("make", TYPES.values(), ids=TYPES)
def test_types_of_buffers(make: Callable[[int], Any]) -> None:
    for text in ("", "text", "é" * 5, "€" * 9, "😀" * 8, "a\ud800"):
        for offset in (0, 3, 16):
            buffer = make(16)
            expected, read = model(text, 16 - offset, "replace")
            assert leadbyte.encode_into(text, buffer, offset=offset, errors="replace") == (
                len(expected),
                read,
            )
            assert bytes(memoryview(buffer).cast("B")) == (bytes(offset) + expected).ljust(16, b"\0")


def test_arrays_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.zeros(8, "uint8")
    assert leadbyte.encode_into("€uro", array, offset=numpy.int64(1)) == (6, 4)
    assert array.tobytes() == b"\0\xe2\x82\xacuro\0"
    grid = numpy.zeros((4, 4), "<u4")
    assert leadbyte.encode_into("x" * 99, grid) == (64, 64)
    for refused in (
        grid[:, 1:3],
        numpy.zeros(3, object),
        numpy.zeros(3),
        numpy.frombuffer(b"read-only", "uint8"),
    ):
        with pytest.raises(TypeError):
            leadbyte.encode_into("x", refused)


def closed() -> mmap.mmap:
    mapping = mapped(8)
    mapping.close()
    return mapping


def released() -> memoryview:
    view = memoryview(bytearray(8))
    view.release()
    return view


@pytest.mark.parametrize(
    "buffer",
    [
        b"bytes", "text", None, 1, [1], object(), bytearray, memoryview(b"bytes"),
        memoryview(bytearray(8)).toreadonly(), memoryview(bytearray(8))[::2],
        memoryview(bytearray(8))[::-1], released(), closed(),
    ],
    ids=shown,
)  # fmt: skip
def test_buffers_that_are_refused_as_by_readinto(buffer: Anything) -> None:
    with pytest.raises(TypeError, match="read-write bytes-like object, not"):
        io.BytesIO(b"text").readinto(buffer)
    for text in ("", "text", "€"):
        with pytest.raises(
            TypeError, match=r"encode_into\(\) argument 2 must be read-write bytes-like object, not"
        ):
            leadbyte.encode_into(text, buffer)


@pytest.mark.parametrize("make", [lambda: array.array("d", [1.0]), ctypes.py_object * 1, ctypes.c_wchar * 2])
def test_buffers_of_other_items_are_refused(make: Callable[[], Any]) -> None:
    buffer = make()
    before = bytes(memoryview(buffer).tobytes()) if isinstance(buffer, array.array) else None
    with pytest.raises(TypeError, match="a bytes-like object is required, but the buffer of this"):
        leadbyte.encode_into("text", buffer)
    assert before is None or memoryview(buffer).tobytes() == before


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python classes have buffers from 3.12 on")
def test_buffer_of_a_python_class() -> None:
    class Exporter:
        def __init__(self) -> None:
            self.memory, self.taken, self.released = bytearray(8), 0, 0

        def __buffer__(self, flags: int, /) -> memoryview:
            self.taken += 1
            return memoryview(self.memory)

        def __release_buffer__(self, view: memoryview, /) -> None:
            view.release()
            self.released += 1

    exporter: Any = Exporter()
    assert leadbyte.encode_into("€€€", exporter, offset=1) == (6, 2)
    assert exporter.memory == b"\0" + "€€".encode() + b"\0"
    wrong_offsets: list[Any] = [9, "x"]
    for offset in wrong_offsets:
        with pytest.raises((IndexError, TypeError)):
            leadbyte.encode_into("€", exporter, offset=offset)
    with pytest.raises(UnicodeEncodeError):
        leadbyte.encode_into("\ud800", exporter)
    assert exporter.taken == exporter.released == 4


# Arguments.


@pytest.mark.parametrize("offset", [-1, -8, 9, 10**30, -(10**30)])
def test_offset_out_of_range(offset: int) -> None:
    buffer = bytearray(8)
    with pytest.raises(
        IndexError, match="offset out of range: it must be between 0 and 8, the length of the buffer"
    ):
        leadbyte.encode_into("text", buffer, offset=offset)
    buffer.clear()


@pytest.mark.parametrize("offset", ["1", None, 1.0, [1]], ids=repr)
def test_offset_of_a_wrong_type(offset: Anything) -> None:
    buffer = bytearray(8)
    with pytest.raises(TypeError):
        leadbyte.encode_into("text", buffer, offset=offset)
    buffer.clear()


def test_offset_in_bytes_whatever_the_items() -> None:
    buffer = array.array("H", bytes(8))
    assert leadbyte.encode_into("abc", buffer, offset=5) == (3, 3)
    assert leadbyte.encode_into("abc", buffer, offset=8) == (0, 0)
    assert buffer.tobytes() == bytes(5) + b"abc"


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ([], {}),
        (["a"], {}),
        (["a", bytearray(1), 0], {}),
        (["a"], {"buffer": bytearray(1)}),
        (["a", bytearray(1)], {"offsets": 1}),
        (["a", bytearray(1)], {"offset": 1, "error": "strict"}),
        ([b"a", bytearray(1)], {}),
        ([None, bytearray(1)], {}),
        (["a", bytearray(1)], {"errors": None}),
    ],
    ids=repr,
)
def test_wrong_arguments(arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="encode_into"):
        leadbyte.encode_into(*arguments, **keywords)


def test_keywords_in_any_order() -> None:
    for keywords in ({"offset": 1, "errors": "ignore"}, {"errors": "ignore", "offset": 1}):
        buffer = bytearray(3)
        assert leadbyte.encode_into("a\ud800", buffer, **keywords) == (1, 2)  # type: ignore[arg-type]
        assert buffer == b"\0a\0"


@pytest.mark.skipif(sys.flags.dev_mode, reason="CPython looks handlers up at once in development mode")
def test_unknown_handler() -> None:
    assert leadbyte.encode_into("a\ud800", bytearray(0), errors="unknown") == (0, 0)
    with pytest.raises(LookupError, match="unknown error handler name"):
        leadbyte.encode_into("a\ud800", bytearray(1), errors="unknown")


# What handlers may do meanwhile.


def handled_by(handler: Callable[[UnicodeEncodeError], tuple[str | bytes, int]]) -> str:
    handlers.register("leadbyte-tests-into", handler)
    return "leadbyte-tests-into"


def test_handler_cannot_resize_or_release_the_buffer() -> None:
    memory = bytearray(b"\0" * 200)
    view = memoryview(memory)
    for attempt in (memory.clear, lambda: memory.extend(b"more" * 999), view.release):

        def handler(error: UnicodeEncodeError, attempt: Callable[[], object] = attempt) -> tuple[str, int]:
            attempt()
            return "?", error.end

        with pytest.raises(BufferError):
            leadbyte.encode_into("text\ud800", view, errors=handled_by(handler))
        assert memory[:5] == b"text\0"
    view.release()
    memory.clear()


def test_handler_that_drops_the_buffer() -> None:
    held: list[Any] = [bytearray(50)]

    def handler(error: UnicodeEncodeError) -> tuple[str, int]:
        held.clear()
        return "?" * 20, error.end

    # The only other reference is the argument's.
    assert leadbyte.encode_into("é\ud800€\ud800", held[0], errors=handled_by(handler)) == (45, 4)


def test_handler_that_writes_to_the_buffer() -> None:
    buffer = bytearray(12)

    def handler(error: UnicodeEncodeError) -> tuple[str, int]:
        if error.start == 2:
            buffer[:] = b"-" * len(buffer)
            assert leadbyte.encode_into("\ud800" * 3 + "!", buffer, offset=8, errors="replace") == (4, 4)
        return "?", error.end

    assert leadbyte.encode_into("ab\ud800cd\ud800", buffer, errors=handled_by(handler)) == (6, 6)
    assert buffer == b"--?cd?--???!"


def test_handler_is_called_once_for_each_run_that_is_reached() -> None:
    seen: list[tuple[int, int]] = []

    def handler(error: UnicodeEncodeError) -> tuple[str, int]:
        seen.append((error.start, error.end))
        return "??", error.end

    text = "a\ud800\ud800b\udfffc\udfff"
    for size, runs in [(0, []), (1, [(1, 3)]), (3, [(1, 3)]), (4, [(1, 3), (4, 5)]), (6, [(1, 3), (4, 5)])]:
        seen.clear()
        leadbyte.encode_into(text, bytearray(size), errors=handled_by(handler))
        assert seen == runs


def test_exception_holds_the_text_itself() -> None:
    for text in ("a\ud800", "x" * 1000 + "\udfff", "😀\udc80"):
        with pytest.raises(UnicodeEncodeError) as caught:
            leadbyte.encode_into(text, bytearray(2000))
        assert caught.value.object is text


def test_reference_counts_stay() -> None:
    buffer = bytearray(20)
    for text in ("".join(["ab"] * 30), "".join(["é€"] * 30), "".join(["a\ud800"] * 30)):
        for errors in handlers.FOR_ENCODING:
            before = sys.getrefcount(text), sys.getrefcount(buffer)
            for _ in range(10):
                outcome(leadbyte.encode_into, text, buffer, errors=errors)
            assert (sys.getrefcount(text), sys.getrefcount(buffer)) == before
    buffer.clear()


def test_threads_that_write_to_one_buffer() -> None:
    size = strategies.CHUNK_BYTES
    memory = bytearray(UNTOUCHED) * (size + 2 * GUARD_BYTES)
    buffer = memoryview(memory)[GUARD_BYTES:-GUARD_BYTES]
    texts = ["é€😀" * (size // 9), "a" * size, "ÿ" * (size // 2), "€\ud800" * (size // 4)]
    results: list[tuple[int, int]] = []

    def work(text: str) -> None:
        results.extend(
            leadbyte.encode_into(text, buffer, offset=offset, errors="replace") for offset in (0, 1, 63)
        )

    threads = [threading.Thread(target=work, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3 * len(texts)
    assert memory[:GUARD_BYTES] == memory[-GUARD_BYTES:] == UNTOUCHED * GUARD_BYTES
