"""lines: the lines of open(path, ...)."""

from __future__ import annotations

import codecs
import gc
import gzip
import io
import itertools
import mmap
import os
import signal
import sys
import threading
import tracemalloc
import weakref
from typing import TYPE_CHECKING

import handlers
import leadbyte
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import _lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from strategies import Anything

NEWLINES = [None, "", "\n", "\r", "\r\n"]
INSERTS = "leadbyte-tests-lines inserts"
codecs.register_error(INSERTS, lambda error: ("<\r\n\u2028\r>", error.end))  # type: ignore[attr-defined]
HANDLERS = [*handlers.BUILT_IN, INSERTS]
LINES = b"a line of some length\n" * 300
REPLACING = ["ignore", "replace", "backslashreplace", "surrogateescape"]


class Pieces(io.RawIOBase):
    """A raw file that returns its data in pieces of given lengths, again and again."""

    def __init__(self, data: bytes, lengths: Iterable[int]) -> None:
        self.data = memoryview(data)
        self.lengths = itertools.cycle(lengths)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Anything) -> int:
        length = min(len(buffer), next(self.lengths), len(self.data))
        buffer[:length] = self.data[:length]
        self.data = self.data[length:]
        return length


def described(lines: Iterable[str], ignored: type[Exception] | tuple[()] = ()) -> list[Anything]:
    """Return the lines, with all there is to each, and the type and the reason of an exception at the end.

    After an exception that is ignored, the next line is asked for.
    """
    results: list[Anything] = []
    iterator = iter(lines)
    while True:
        try:
            # Whether a str of one character is shared, open() does not define.
            results.append(outcomes.of_str(next(iterator))[:-1])
        except StopIteration:
            return results
        except ignored:
            continue
        except (UnicodeError, TypeError) as error:
            results.append((type(error), getattr(error, "reason", "")))
            return results


def expected(data: bytes, encoding: str, errors: str, newline: str | None) -> list[Anything]:
    """Return what open() has, which gets a character at a time, so that no line before an error is lost."""
    file = io.BufferedReader(Pieces(data, [1]), 1)
    return described(io.TextIOWrapper(file, encoding=encoding, errors=errors, newline=newline))


def check(found: list[Anything], wanted: list[Anything], *, may_lack_lines: bool = False) -> None:
    """Compare what lines has with what open() has."""
    if not wanted or not issubclass(wanted[-1][0], Exception):
        assert found == wanted
        return
    assert found[-1] == wanted[-1]
    assert found[: len(wanted) - 1][: len(found) - 1] == wanted[:-1][: len(found) - 1]
    # open() loses a line before the error that ends with CR, as it has waited for an LF.
    assert len(found) - len(wanted) in (0, 1) or (may_lack_lines and len(found) < len(wanted))


texts = st.lists(
    st.one_of(
        st.sampled_from(
            [b"\r", b"\n", b"\r\n", b"\0", b"\xe2\x80\xa8", b"\xc2\x85", b"a", b"\xff", b"\xef\xbb"]
        ),
        strategies.texts(),
        st.sampled_from(strategies.BROKEN),
    ),
    max_size=12,
).map(b"".join)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


@given(
    texts,
    st.sampled_from(NEWLINES),
    st.sampled_from(HANDLERS),
    st.sampled_from(["utf-8", "utf-8-sig"]),
    st.lists(st.integers(1, 40), min_size=1, max_size=5),
)
def test_lines_are_those_of_open(
    data: bytes, newline: str | None, errors: str, encoding: str, lengths: list[int]
) -> None:
    options: Anything = {"encoding": encoding, "errors": errors, "newline": newline}
    wanted = expected(data, **options)
    for source in (Pieces(data, lengths), io.BytesIO(data), data, bytearray(data)):
        check(described(leadbyte.lines(source, **options)), wanted)


@given(
    texts,
    st.sampled_from(NEWLINES),
    st.sampled_from([*REPLACING, "strict", "surrogatepass", INSERTS]),
    st.sampled_from(
        ["utf-16", "utf-16-le", "utf-32-be", "cp1251", "cp932", "gb18030", "iso2022_jp", "utf-7"]
    ),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
def test_lines_in_other_encodings(
    data: bytes, newline: str | None, errors: str, encoding: str, lengths: list[int]
) -> None:
    options: Anything = {"encoding": encoding, "errors": errors, "newline": newline}
    for sample in (data, data.decode(errors="ignore").encode(encoding, "ignore")):
        wanted = expected(sample, **options)
        for source in (Pieces(sample, lengths), io.BytesIO(sample), sample):
            # Of a handler that raises another exception, lines that are decoded at once with it are lost.
            check(described(leadbyte.lines(source, **options)), wanted, may_lack_lines=True)


def test_blocks_may_be_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\xef\xbb\xbfone\r\n\rtwo\r\r\n\xe2\x82\xac\xff\n\xe2\x82\nend\r"
    for size in range(1, 9):
        monkeypatch.setattr(_lines, "BLOCK_BYTES", size)
        for newline, errors in itertools.product(NEWLINES, [*REPLACING, INSERTS]):
            for encoding in ("utf-8", "utf-8-sig"):
                options: Anything = {"encoding": encoding, "errors": errors, "newline": newline}
                assert described(leadbyte.lines(data, **options)) == expected(data, **options)
                assert described(leadbyte.lines(bytearray(data), **options)) == expected(data, **options)


@pytest.mark.parametrize("newline", NEWLINES)
def test_ends_of_files(newline: str | None) -> None:
    for data in (b"", b"\n", b"\r", b"\r\n", b"a", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"a\r", b"\n\r\n"):
        for encoding in ("utf-8", "utf-8-sig", "utf-16-le", "cp1251"):
            options: Anything = {"encoding": encoding, "errors": "ignore", "newline": newline}
            for source in (data, io.BytesIO(data), Pieces(data, [1])):
                assert described(leadbyte.lines(source, **options)) == expected(data, **options)


def test_long_lines(path: Path) -> None:
    long = "съешь" * 200_000
    text = f"{long}\r\n\n{long}😀\n{long}"
    path.write_bytes(text.encode())
    with path.open(encoding="utf-8") as file:
        wanted = list(file)
    assert list(leadbyte.lines(path)) == list(leadbyte.lines(text.encode())) == wanted
    assert list(leadbyte.lines(path, newline="")) == text.splitlines(keepends=True)


@pytest.mark.once
@pytest.mark.one_implementation
def test_memory_is_constant(path: Path) -> None:
    with path.open("wb") as target:
        for _ in range(16):
            target.write("съешь ещё этих булок\n".encode() * 8000)

    def peak(lines: Iterable[object]) -> int:
        tracemalloc.start()
        for _ in lines:
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for source in (path, mapped):
            with leadbyte.lines(source) as lines:
                assert peak(lines) < 1 << 20
            with leadbyte.lines(source, errors=INSERTS) as lines:
                assert peak(lines.batches(100)) < 1 << 20


def test_strict_errors_are_those_of_a_line() -> None:
    data = "один\r\nжить \xe9\n".encode() + b"\xf0\x9f\x98\x80 \xe2\x82\r\n" + b"x" * 99 + b"\nthree\xff"
    for source in (data, Pieces(data, [1]), Pieces(data, [7, 3])):
        lines = leadbyte.lines(source)
        assert next(lines) == "один\n"
        assert next(lines) == "жить \xe9\n"
        with pytest.raises(UnicodeDecodeError) as raised:
            next(lines)
        error: Anything = raised.value
        assert (error.encoding, error.object, error.start, error.end, error.reason) == (
            "utf-8", b"\xf0\x9f\x98\x80 \xe2\x82\r\n", 5, 7, "invalid continuation byte",
        )  # fmt: skip
        offset = data.index(b"\xe2\x82\r")
        assert error.location == leadbyte.locate(data, offset)
        assert (error.location.line, error.location.column, error.location.utf16_column) == (3, 3, 4)
        if hasattr(error, "__notes__"):
            assert error.__notes__ == [f"line 3, column 3, byte offset {offset}"]
        assert next(lines) == "x" * 99 + "\n"
        with pytest.raises(UnicodeDecodeError) as raised:
            next(lines)
        error = raised.value
        assert error.object == b"three\xff"
        assert error.location == leadbyte.locate(data, len(data) - 1)
        assert list(lines) == []


@pytest.mark.parametrize("encoding", ["U8", "UTF8", "utf_8_sig", 65001])
def test_errors_concern_one_line_by_any_name_of_utf8(encoding: str | int) -> None:
    lines = leadbyte.lines(b"one\ntwo \xff\nthree\n", encoding=encoding)
    assert next(lines) == "one\n"
    with pytest.raises(UnicodeDecodeError) as raised:
        next(lines)
    assert raised.value.object == b"two \xff\n"
    assert list(lines) == ["three\n"]


@pytest.mark.parametrize(
    ("data", "newline", "place"),
    [
        (b"a\nb\xff\r\n", "\r\n", (1, 4, 4)),
        ("a\r\n\n€\n😀".encode() + b"\xff", "\r\n", (2, 5, 6)),
        ("a\r\n\n😀".encode() + b"\xff", "\r", (2, 4, 5)),
        (b"a\rb\xff\r", None, (2, 2, 2)),
        (b"a\nb\xff\r\n", None, (2, 2, 2)),
    ],
)
def test_lines_of_locations_are_those_of_the_iteration(
    data: bytes, newline: str | None, place: tuple[int, int, int]
) -> None:
    with pytest.raises(UnicodeDecodeError) as raised:
        list(leadbyte.lines(data, newline=newline))
    where: leadbyte.Location = raised.value.location  # type: ignore[attr-defined]
    assert (where.line, where.column, where.utf16_column) == place
    assert where.char_offset == leadbyte.locate(data, where.byte_offset).char_offset


@pytest.mark.parametrize(
    ("encoding", "end", "line"),
    [("utf-8-sig", b"\xff", 3), ("utf-16", b"\0\xdc", 3), ("cp932", b"\x81\x20", 3), ("ascii", b"\xe9", 3)],
)
def test_errors_have_locations(encoding: str, end: bytes, line: int) -> None:
    start = "one\r\ntwo\r\nab".encode(encoding)
    for source in (start + end, Pieces(start + end, [1])):
        lines = leadbyte.lines(source, encoding=encoding)
        assert [next(lines), next(lines)] == ["one\n", "two\n"]
        with pytest.raises(UnicodeDecodeError) as raised:
            next(lines)
        location: leadbyte.Location = raised.value.location  # type: ignore[attr-defined]
        assert (location.line, location.column, location.byte_offset) == (line, 3, len(start))
        assert list(lines) == []


def test_a_line_that_cannot_be_decoded_is_not_skipped() -> None:
    for source in (b"ab\xff\ncd\n", Pieces(b"ab\xff\ncd\n", [2, 9])):
        lines = leadbyte.lines(source, errors="xmlcharrefreplace")
        for _ in range(3):
            with pytest.raises(TypeError):
                next(lines)


def test_handlers_run_once_an_error_in_order() -> None:
    seen: list[tuple[bytes, int]] = []

    def handler(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        seen.append((error.object[error.start : error.end], error.end))
        return "?", error.end

    handlers.register("leadbyte-tests-lines", handler)
    data = b"a\xff\nb\xfe\xfd\n" + b"c" * 100 + b"\n\xe2\x82"
    for source in (data, Pieces(data, [1]), io.BytesIO(data)):
        seen.clear()
        lines = list(leadbyte.lines(source, errors="leadbyte-tests-lines"))
        assert lines == ["a?\n", "b??\n", "c" * 100 + "\n", "?"]
        assert [bad for bad, _ in seen] == [b"\xff", b"\xfe", b"\xfd", b"\xe2\x82"]


def test_batches() -> None:
    data = b"".join(b"%d\n" % number for number in range(1000))
    for n in (1, 2, 63, 64, 65, 999, 1000, 5000):
        batches = list(leadbyte.lines(data).batches(n))
        assert [len(batch) for batch in batches[:-1]] == [n] * (len(batches) - 1)
        assert list(itertools.chain(*batches)) == list(leadbyte.lines(data))
    for n in (0, -1):
        with pytest.raises(ValueError, match="n must be at least 1"):
            leadbyte.lines(data).batches(n)


def test_batches_lose_nothing_before_an_error() -> None:
    lines = leadbyte.lines(b"1\n2\n\xff\n3\n4\n")
    batches = lines.batches(3)
    assert next(batches) == ["1\n", "2\n"]
    with pytest.raises(UnicodeDecodeError):
        next(batches)
    assert next(lines) == "3\n"
    assert list(batches) == [["4\n"]]


def test_files_that_were_opened_are_closed(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    descriptors = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    with leadbyte.lines(path) as lines:
        assert next(lines) == "one\n"
    with pytest.raises(ValueError, match="closed"):
        next(lines)
    lines.close()
    assert list(leadbyte.lines(os.open(path, os.O_RDONLY))) == ["one\n", "two\n"]
    with pytest.raises(ValueError, match="illegal newline"):
        leadbyte.lines(path, newline="x")
    path.write_bytes(b"\x1f\x8b\x08\0\0")
    with pytest.raises(UnicodeDecodeError, match="gzip"):
        leadbyte.lines(path, encoding="detect")
    if descriptors:
        assert set(os.listdir("/proc/self/fd")) == descriptors


def test_files_that_were_passed_remain_open(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    with path.open("rb") as file:
        assert file.readline() == b"one\n"
        with leadbyte.lines(file) as lines:
            assert list(lines) == ["two\n"]
        assert not file.closed
    data = bytearray(b"one\ntwo\n")
    with leadbyte.lines(data) as lines:
        assert next(lines) == "one\n"
        with pytest.raises(BufferError):
            data.append(1)
    data.append(1)


def test_files_of_all_kinds(path: Path) -> None:
    data = "один\nжить\n".encode() * 30_000
    wanted = data.decode().splitlines(keepends=True)
    path.write_bytes(gzip.compress(data, 1))
    with gzip.open(path) as compressed:
        assert list(leadbyte.lines(compressed)) == wanted
    path.write_bytes(data)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert list(leadbyte.lines(mapped)) == wanted

    class Readable:
        def __init__(self) -> None:
            self.file = io.BytesIO(data)

        def read(self, size: int) -> bytearray:
            return bytearray(self.file.read(size))

    assert list(leadbyte.lines(Readable())) == wanted  # type: ignore[arg-type]
    with path.open(encoding="utf-8") as text, pytest.raises(TypeError, match="must be a binary file"):
        leadbyte.lines(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        leadbyte.lines(1.5)  # type: ignore[arg-type]


def test_lines_of_a_pipe_do_not_wait() -> None:
    reading, writing = os.pipe()
    with open(writing, "wb", buffering=0) as target, open(reading, "rb", buffering=0) as source:
        lines = leadbyte.lines(source)
        for number in range(3):
            target.write(b"%d\npart" % number)
            assert next(lines).endswith(f"{number}\n")
        os.set_blocking(reading, False)
        with pytest.raises(BlockingIOError):
            next(lines)
        target.write(b"\n")
        assert next(lines) == "part\n"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_signals_interrupt_a_read() -> None:
    reading, writing = os.pipe()

    def interrupt(*_: object) -> None:
        with pytest.raises(RuntimeError, match="that has not returned"):
            next(lines)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with open(writing, "wb", buffering=0) as target, open(reading, "rb") as source:
            lines = leadbyte.lines(source)
            target.write(b"one")
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                next(lines)
            target.write(b" line\n")
            assert next(lines) == "one line\n"
    finally:
        signal.signal(signal.SIGALRM, before)


def test_reading_continues_after_an_exception() -> None:
    class Failing(io.BytesIO):
        calls = 0

        def read1(self, _size: int | None = -1) -> bytes:
            self.calls += 1
            if self.calls % 2:
                raise TimeoutError
            return super().read(1)

    file = Failing(b"\xef\xbb\xbfab\ncd")
    lines = leadbyte.lines(file, encoding="utf-8-sig")
    found = []
    for _ in range(40):
        try:
            found.append(next(lines))
        except TimeoutError:
            continue
        except StopIteration:
            break
    assert found == ["ab\n", "cd"]


@pytest.mark.parametrize(
    ("encoding", "errors"),
    [
        ("utf-8", "ignore"), ("utf-8-sig", INSERTS), ("utf-16", "strict"), ("cp1251", "strict"),
        ("cp932", INSERTS), ("iso2022_jp", "strict"), ("utf-7", "strict"), ("unicode_escape", "strict"),
        ("detect", "strict"),
    ],
)  # fmt: skip
def test_decoding_continues_after_an_exception(
    encoding: str, errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no effect, even at the end of the decoding of a block."""
    codec = "utf-16" if encoding == "detect" else encoding
    data = "один\nжить\n三\n".encode(codec, "replace") * 3 + b"\xff\xff"
    for size in (3, 8, 99):
        # A file that cannot be read twice to detect its encoding.
        wanted = described(leadbyte.lines(Pieces(data, [size]), encoding=encoding, errors=errors))
        with monkeypatch.context() as patch:
            patch.setattr(_lines, "encode", interrupted_first(leadbyte.encode))
            lines = leadbyte.lines(Pieces(data, [size]), encoding=encoding, errors=errors)
            assert described(lines, ignored=TimeoutError) == wanted


def interrupted_first(function: Callable[..., Anything]) -> Callable[..., Anything]:
    """Return a function that raises TimeoutError in every other call, from the first on."""
    calls = itertools.count()

    def interrupted(*arguments: Anything, **keywords: Anything) -> Anything:
        if next(calls) % 2 == 0:
            raise TimeoutError
        return function(*arguments, **keywords)

    return interrupted


def test_decoding_that_cannot_continue_raises_its_exception_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lines, "BLOCK_BYTES", 3)
    lines = leadbyte.lines(b"ab\ncd\n", encoding="x-mac-cyrillic")
    assert next(lines) == "ab\n"
    with monkeypatch.context() as patch:
        patch.setattr(_lines, "encode", interrupted_first(leadbyte.encode))
        with pytest.raises(TimeoutError):
            next(lines)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            next(lines)


def test_handlers_may_raise_once() -> None:
    seen: set[tuple[bytes, int]] = set()

    def handler(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        if (error.object, error.start) not in seen:
            seen.add((error.object, error.start))
            raise TimeoutError
        return "?", error.end

    handlers.register("leadbyte-tests-lines", handler)
    lines = leadbyte.lines(b"a\xff\nb\xfe\xfd\nc", errors="leadbyte-tests-lines")
    assert described(lines, ignored=TimeoutError) == described(["a?\n", "b??\n", "c"])


def test_calls_from_within_a_call() -> None:
    class Recursive(io.BytesIO):
        def read1(self, _size: int | None = -1) -> bytes:
            next(lines)
            return b""

    lines = leadbyte.lines(Recursive())
    for _ in range(2):
        with pytest.raises(RuntimeError, match="that has not returned"):
            next(lines)

    handlers.register("leadbyte-tests-lines", lambda _: next(lines))
    lines = leadbyte.lines(b"\xff\n", errors="leadbyte-tests-lines")
    with pytest.raises(RuntimeError, match="that has not returned"):
        next(lines)


def test_threads_get_each_line_once() -> None:
    data = b"".join(b"%d\n" % number for number in range(40_000))
    lines = leadbyte.lines(Pieces(data, [1000]))
    found: list[list[str]] = [[], [], []]

    def read(into: list[str]) -> None:
        into.extend(lines)

    threads = [threading.Thread(target=read, args=(into,)) for into in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, itertools.chain(*found))) == list(range(40_000))


def test_changing_memory_never_makes_a_malformed_str() -> None:
    data = bytearray("ещё\n".encode() * 5000)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for index in range(0, len(data), 97):
                data[index] ^= 0x80

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(20):
            for line in leadbyte.lines(data, errors="replace"):
                assert line == line.encode("utf-32", "surrogatepass").decode("utf-32", "surrogatepass")
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("before", ["", "text\n", "text\n" * 60_000, "мир\n"])
@pytest.mark.parametrize("end", [b"caf\xe9", b"\xe9", b"caf\xc3", "日本語".encode("shift_jis"), b"\xe2\x82"])
def test_the_end_of_a_file_is_detected_as_that_of_its_bytes(path: Path, before: str, end: bytes) -> None:
    data = before.encode() + end
    path.write_bytes(data)

    def read(source: Path | bytes) -> str | None:
        try:
            return "".join(leadbyte.lines(source, encoding="detect"))
        except UnicodeDecodeError as error:
            return error.reason

    assert read(path) == read(data)


def test_detection(path: Path) -> None:
    text = "Съешь ещё этих мягких французских булок\nжить\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "koi8-r", "cp1251"):
        data = text.encode(encoding)
        path.write_bytes(data)
        for name in ("detect", "auto"):
            for source in (path, data, io.BytesIO(data)):
                assert "".join(leadbyte.lines(source, encoding=name)) == text
    reading, writing = os.pipe()
    with open(writing, "wb") as target:
        target.write(text.encode("koi8-r"))
    with open(reading, "rb") as pipe:
        assert "".join(leadbyte.lines(pipe, encoding="detect")) == text
    assert list(leadbyte.lines("тест".encode("cp1251"), encoding=1251)) == ["тест"]
    assert list(leadbyte.lines("тест".encode("mac-cyrillic"), encoding="x-mac-cyrillic")) == ["тест"]


@pytest.mark.parametrize(
    "options",
    [
        {"encoding": "unheard-of"}, {"encoding": "hex"}, {"errors": 1}, {"newline": "\n\n"},
        {"newline": b"\n"}, {"newline": "universal"},
    ],
)  # fmt: skip
def test_wrong_arguments(options: dict[str, Anything], path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises((LookupError, TypeError, ValueError)) as ours:
        leadbyte.lines(path, **options)
    with pytest.raises((LookupError, TypeError, ValueError)) as theirs:
        path.open(**{"encoding": "utf-8", **options})
    assert ours.type is theirs.type
    if theirs.type is ValueError:
        assert str(ours.value) == str(theirs.value)


def test_missing_files_and_directories(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        leadbyte.lines(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        leadbyte.lines(tmp_path)


@pytest.mark.parametrize("is_error_pending", [False, True])
def test_cycles_are_collected(*, is_error_pending: bool) -> None:
    class File(io.BytesIO):
        lines: Anything

        def read1(self, size: int | None = -1) -> bytes:
            if data := super().read1(size):
                return data
            raise OSError

    file = File(b"one\ntwo\n")
    file.lines = leadbyte.lines(file)
    next(file.lines.batches(3) if is_error_pending else file.lines)
    gone = weakref.ref(file)
    del file
    gc.collect()
    assert gone() is None


@pytest.mark.one_implementation
def test_lines_that_are_not_taken_are_freed() -> None:
    def use() -> None:
        next(leadbyte.lines(LINES))
        with leadbyte.lines(io.BytesIO(LINES)) as lines:
            next(lines)
            next(lines.batches(70))
        with pytest.raises(UnicodeDecodeError):
            next(leadbyte.lines(b"\xff\n" + LINES))

    use()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(100):
        use()
    gc.collect()
    assert sys.getallocatedblocks() - before < 500


def test_it_is_an_iterator() -> None:
    lines: Iterator[str] = leadbyte.lines(b"1\n2\n3\n")
    assert iter(lines) is lines
    for line in lines:
        assert line == "1\n"
        break
    assert type(lines).__next__(lines) == "2\n"
    assert list(lines) == ["3\n"]
    assert list(lines) == []
