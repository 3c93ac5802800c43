"""split_points and chunks, compared with a search through all offsets; of memory and of files."""

from __future__ import annotations

import array
import gc
import io
import itertools
import mmap
import os
import random
import tempfile
import threading
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from test_truncate import CLUSTERS, cluster_offsets, floor

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

BOUNDARIES = ("char", "line", "grapheme")
ADVERSARIAL = {
    "marks": "e" + "\u0301" * 20_000,
    "flags": "🇺" * 20_001,
    "conjuncts": "क\u094d" * 15_000,
    "emoji": "👩\u200d" * 15_000,
    "one line": "text " * 5_000,
    "no text": "",
}


def naive_point(data: bytes, to: int, boundary: str) -> int:
    """Return the boundary for an offset."""
    if boundary == "char":
        return floor(data, to)
    if boundary == "line":
        ends = (at for at in range(to, len(data)) if at == 0 or data[at - 1] == ord("\n"))
        return next(ends, len(data))
    return max(at for at in cluster_offsets(data) if at <= floor(data, to))


def naive_chunks(data: bytes, max_bytes: int, boundary: str) -> list[bytes]:
    """Return the chunks."""
    clusters = cluster_offsets(data) if boundary == "grapheme" else []
    found, start = [], 0
    while start < len(data):
        last = start + max_bytes
        end = floor(data, last)
        if last >= len(data):
            end = len(data)
        elif boundary == "line":
            end = data.rfind(b"\n", start, last) + 1 or end
        elif boundary == "grapheme":
            end = max((at for at in clusters if start < at <= end), default=end)
        found.append(data[start:end])
        start = end
    return found


class RawFile(io.RawIOBase):
    """A file of which every read returns a few bytes only."""

    def __init__(self, data: bytes) -> None:
        """Hold the data."""
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Change the position."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        """Read a few bytes."""
        return self._file.read(min(3 if size is None or size < 0 else size, 3))


def check_points(data: bytes, n: int) -> None:
    """Compare the points of memory and of files with the naive ones."""
    for boundary in BOUNDARIES:
        found = leadbyte.split_points(data, n, boundary=boundary)  # type: ignore[arg-type]
        middle = [naive_point(data, len(data) * number // n, boundary) for number in range(1, n)]
        assert found == [0, *middle, len(data)], boundary
        assert found == sorted(found)
        for file in (io.BytesIO(data), RawFile(data)):
            position = file.seek(len(data) // 2)
            assert leadbyte.split_points(file, n, boundary=boundary) == found  # type: ignore[arg-type]
            assert file.tell() == position


def check_chunks(data: bytes, max_bytes: int) -> None:
    """Compare chunks with the naive ones."""
    for boundary in BOUNDARIES:
        found = [bytes(chunk) for chunk in leadbyte.chunks(data, max_bytes, boundary=boundary)]  # type: ignore[arg-type]
        assert found == naive_chunks(data, max_bytes, boundary), boundary
        assert b"".join(found) == data
        assert all(0 < len(chunk) <= max_bytes for chunk in found)


def data() -> st.SearchStrategy[bytes]:
    """Yield data with clusters of several characters, valid or not."""
    clusters = st.text(st.sampled_from(CLUSTERS), max_size=30).map(str.encode)
    return st.lists(st.one_of(strategies.pieces(), clusters), max_size=4).map(
        lambda parts: b"".join(parts)[:200]
    )


@given(data(), st.integers(1, 12))
@example(b"", 3)
@example(b"ab", 9)
@example(b"\x80" * 20, 7)
@example(b"a\r\nb\rc\n\nd", 9)
def test_points_of_any_data(data: bytes, n: int) -> None:
    check_points(data, n)


@given(data(), st.integers(4, 40))
@example(b"\x80" * 20, 4)
@example("😀".encode() * 5, 4)
@example("🇺🇦🇩".encode() * 5, 10)
@example(b"a\r\n" * 9, 4)
def test_chunks_of_any_data(data: bytes, max_bytes: int) -> None:
    check_chunks(data, max_bytes)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_texts(name: str) -> None:
    """Time is linear, also with many cuts in one cluster, and files are split where memory is."""
    for before, after in itertools.product(("", "first\n"), ("\r", "\nlast")):
        data = (before + ADVERSARIAL[name] + after).encode()
        for n in (1, 2, 7, 3000):
            for boundary in BOUNDARIES:
                found = leadbyte.split_points(data, n, boundary=boundary)  # type: ignore[arg-type]
                assert found == sorted(found)
                assert (len(found), found[0], found[-1]) == (n + 1, 0, len(data))
                if n < 10:
                    assert leadbyte.split_points(io.BytesIO(data), n, boundary=boundary) == found  # type: ignore[arg-type]
        clusters = set(cluster_offsets(data))
        assert clusters.issuperset(leadbyte.split_points(data, 500, boundary="grapheme"))
        for max_bytes, boundary in itertools.product((4, 50, 5000), BOUNDARIES):
            chunks = [bytes(chunk) for chunk in leadbyte.chunks(data, max_bytes, boundary=boundary)]  # type: ignore[arg-type]
            assert b"".join(chunks) == data
            assert all(len(chunk) <= max_bytes for chunk in chunks)


def test_long_lines_and_clusters_of_files() -> None:
    """Reads grow up to a block."""
    source = random.Random(1)
    lines = ["x" * source.choice((10, 5_000, 300_000, 2_500_000)) for _ in range(9)]
    data = "\n".join([*lines, "e" + "\u0301" * 1_500_000, "🇺" * 700_001, "last"]).encode()
    for n, boundary in itertools.product((2, 13), BOUNDARIES):
        found = leadbyte.split_points(data, n, boundary=boundary)  # type: ignore[arg-type]
        assert leadbyte.split_points(io.BytesIO(data), n, boundary=boundary) == found  # type: ignore[arg-type]


def test_reads_of_files_are_few() -> None:
    """A sparse file of a tebibyte."""
    with tempfile.TemporaryFile() as file:
        size = 1 << 40
        try:
            os.truncate(file.fileno(), size)
        except OSError:
            pytest.skip("no file can be this large here")
        for place in range(1, 8):
            file.seek(size // 8 * place + 10)
            file.write(b"\n\n")
        file.seek(3)
        for raw in (file, open(file.fileno(), "rb", buffering=0, closefd=False)):  # noqa: SIM115
            position = raw.tell()
            points = leadbyte.split_points(raw, 8, boundary="line")
            assert points == [0, *(size // 8 * place + 11 for place in range(1, 8)), size]
            for boundary in ("char", "grapheme"):
                points = leadbyte.split_points(raw, 8, boundary=boundary)
                assert points == [size // 8 * place for place in range(9)]
            assert raw.tell() == position


def test_wrong_files() -> None:
    with pytest.raises(
        TypeError,
        match=r"must be a binary file, not a text file: open it with mode 'rb', or pass file\.buffer",
    ):
        leadbyte.split_points(io.StringIO("text"), 2)  # type: ignore[arg-type]
    read, write = os.pipe()
    os.close(write)
    with (
        open(read, "rb") as pipe,
        pytest.raises(ValueError, match="data must be a seekable file or bytes-like"),
    ):
        leadbyte.split_points(pipe, 2)

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if size:
                raise OSError(5, "failed")
            return b""

    file = Failing(b"some text")
    file.seek(4)
    with pytest.raises(OSError, match="failed"):
        leadbyte.split_points(file, 2)
    assert file.tell() == 4


def test_files_that_shrink() -> None:
    class Shrinking(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if size:
                self.truncate(5)
            return super().read(size)

    for boundary in BOUNDARIES:
        points = leadbyte.split_points(Shrinking(b"text " * 9000), 5, boundary=boundary)  # type: ignore[arg-type]
        assert len(points) == 6


@pytest.mark.parametrize("make", [bytes, io.BytesIO], ids=["bytes", "file"])
def test_wrong_numbers_and_boundaries(make: Callable[[bytes], Any]) -> None:
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        ((0,), {}, ValueError, "n must be at least 1, not 0"),
        ((-(10**30),), {}, ValueError, "n must be at least 1, not -1"),
        ((None,), {}, TypeError, "NoneType"),
        ((2.0,), {}, TypeError, "float"),
        ((2,), {"boundary": "word"}, ValueError, "boundary must be 'char', 'line' or 'grapheme', not 'word'"),
        ((2,), {"boundary": None}, TypeError, "argument 'boundary' must be str, not None"),
        ((2, "line"), {}, TypeError, "positional"),
        ((), {}, TypeError, "positional"),
    ]
    for arguments, keywords, error, message in wrong:
        with pytest.raises(error, match=message):
            leadbyte.split_points(make(b"text"), *arguments, **keywords)
    with pytest.raises((MemoryError, OverflowError)):
        leadbyte.split_points(b"text", 10**30)
    for number, message in ((3, "not 3"), (0, "not 0"), (-1, "not -1")):
        with pytest.raises(ValueError, match=f"max_bytes must be at least 4, {message}"):
            leadbyte.chunks(b"text", number)
    with pytest.raises(ValueError, match="boundary must be 'char', 'line' or 'grapheme', not 'word'"):
        leadbyte.chunks(b"text", 4, boundary="word")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        leadbyte.chunks(b"text", 4, "line")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "wrong", ["text", None, 1, memoryview(b"text")[::2]], ids=["str", "None", "int", "strided"]
)
def test_data_that_is_not_bytes_like(wrong: Anything) -> None:
    for function in (leadbyte.split_points, leadbyte.chunks):
        with pytest.raises((TypeError, BufferError)):
            function(wrong, 4)


def test_chunks_are_views() -> None:
    data = bytearray(b"one\ntwo\nthree\n")
    chunks = leadbyte.chunks(data, 9, boundary="line")
    assert iter(chunks) is chunks
    first = next(chunks)
    assert (type(first), first.format, first.ndim, first.obj) == (memoryview, "B", 1, data)
    data[0] = ord("O")
    assert bytes(first) == b"One\ntwo\n"
    with pytest.raises(BufferError):
        data.append(0)
    assert [bytes(chunk) for chunk in chunks] == [b"three\n"]
    assert next(chunks, None) is None
    del chunks, first
    gc.collect()
    data.append(0)
    assert len(list(leadbyte.chunks(data, 10**30))) == 1


def test_chunks_of_other_objects() -> None:
    numbers = array.array("i", [1, 10, 100] * 5)
    assert b"".join(leadbyte.chunks(numbers, 8)) == numbers.tobytes()
    square = memoryview(bytes(range(12))).cast("B", (3, 4))
    assert b"".join(leadbyte.chunks(square, 5)) == bytes(range(12))
    assert list(leadbyte.chunks(b"", 5)) == list(leadbyte.chunks(array.array("i"), 5)) == []
    with tempfile.TemporaryFile() as file:
        file.write(b"line\n" * 5000)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            chunks = [bytes(chunk) for chunk in leadbyte.chunks(mapped, 4096, boundary="line")]
            assert chunks == naive_chunks(b"line\n" * 5000, 4096, "line")
            points = leadbyte.split_points(mapped, 3, boundary="line")
            assert points == leadbyte.split_points(file, 3, boundary="line") == [0, 8335, 16670, 25000]


def test_chunks_of_numpy_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    for kind in ("i8", ">i4", "S3", "?"):
        items = numpy.array([b"1", b"0", b"100"]).astype(kind)
        assert b"".join(leadbyte.chunks(items, 5)) == items.tobytes()


def test_one_iterator_in_many_threads() -> None:
    """Each chunk is taken by one of them."""
    data = b"a line\n" * 20_000
    for boundary in BOUNDARIES:
        chunks = leadbyte.chunks(data, 10, boundary=boundary)  # type: ignore[arg-type]
        taken: list[list[memoryview]] = [[], [], [], []]
        threads = [threading.Thread(target=part.extend, args=[chunks]) for part in taken]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        together = sorted(bytes(chunk) for part in taken for chunk in part)
        assert together == sorted(bytes(chunk) for chunk in leadbyte.chunks(data, 10, boundary=boundary))  # type: ignore[arg-type]


def test_data_that_changes_meanwhile() -> None:
    data = bytearray("aé€😀\u0301\n".encode() * 2000)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for at in range(0, len(data), 7):
                data[at] ^= 0xFF

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _, boundary in itertools.product(range(20), BOUNDARIES):
            points = leadbyte.split_points(data, 900, boundary=boundary)  # type: ignore[arg-type]
            assert points == sorted(points)
            sizes = [len(chunk) for chunk in leadbyte.chunks(data, 20, boundary=boundary)]  # type: ignore[arg-type]
            assert sum(sizes) == len(data)
            assert max(sizes) <= 20
    finally:
        stop.set()
        thread.join()
