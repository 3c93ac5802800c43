"""Reading pieces of files: ranges and compressed streams, complete and of one version, or an error."""

from __future__ import annotations

import bz2
import functools
import io
import lzma
import re
import sys
import zlib
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from leadbyte import Scanner
from leadbyte.dataset._retries import PERMANENT, WrongAnswerError, retried
from leadbyte.dataset._urls import open_filesystem, version

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from types import ModuleType
    from typing import BinaryIO, TypeAlias

    from fsspec import AbstractFileSystem
    from fsspec.spec import AbstractBufferedFile
    from typing_extensions import Buffer

    from leadbyte.dataset._tasks import File, Piece

    Bytes: TypeAlias = bytes | memoryview

# The number of bytes asked for at once: of a store, so that the time until the first one matters little; of a
# local file, so that they stay in the second-level cache until they are scanned.
REMOTE_PART = 8 << 20
LOCAL_PART = 512 << 10
# The number of bytes decompressed at once, and the number of bytes that they become at once, at most.
COMPRESSED_PART = 64 << 10
DECOMPRESSED_PART = 1 << 20
# The memory of a decompressor of xz; the highest level of the program takes an eighth of it.
MAX_XZ_BYTES = 512 << 20

# The statuses of a response to a request for a range, and what names the range.
HTTP_PARTIAL_CONTENT, HTTP_RANGE_NOT_SATISFIABLE = 206, 416
CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,19})-([0-9]{1,19})/([0-9]{1,19}|\*)", re.IGNORECASE)

CHANGED = "changed while it was read"


class ChangedError(OSError):
    """A file that has another size or version than it was listed with."""


def scan_piece(piece: Piece, max_errors: int) -> Scanner:
    """Return a scanner that has scanned a piece of text, decompressed, and keeps its first errors.

    Raises OSError, with a message that does not repeat the URL, if the piece cannot be read as a whole;
    ChangedError if the file is not the one that was listed.
    """
    scanner = Scanner._keeping(max_errors)
    for part in read_parts(piece.file, piece.start, piece.stop):
        scanner.update(part)
    return scanner


@contextmanager
def read_stream(file: File) -> Iterator[BinaryIO]:
    """Open a file as a stream of its bytes, decompressed.

    Reading raises the errors of `scan_piece`, ChangedError at the end of the file.
    """
    with closing(read_parts(file, 0, None)) as parts, io.BufferedReader(PartsIO(parts), LOCAL_PART) as stream:
        yield stream


class PartsIO(io.RawIOBase):
    """The bytes of a file, in parts, as a stream."""

    def __init__(self, parts: Iterator[Bytes]) -> None:
        self.parts = parts
        self.rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """Read at least a byte unless the file ends; return the number of bytes read."""
        memory = memoryview(buffer).cast("B")
        if not self.rest:
            self.rest = memoryview(next(self.parts, b""))
        length = min(len(memory), len(self.rest))
        memory[:length] = self.rest[:length]
        self.rest = self.rest[length:]
        return length


def read_parts(file: File, start: int, stop: int | None) -> Generator[Bytes, None, None]:
    """Return the bytes of a range of a file, or of a whole one decompressed, in parts that are not empty.

    A part is valid until the next one is taken. Raises the errors of `scan_piece`.
    """
    if file.size is None and file.version is None:
        # Web servers list names only.
        file = identified(file)
    parts = stored_parts(file, start, file.size if stop is None else stop)
    return decompressed(file, parts) if file.format in DECOMPRESSORS else parts


def stored_parts(file: File, start: int, stop: int | None) -> Generator[Bytes, None, None]:
    """Yield the bytes of a range of a file as they are stored; see read_parts."""
    offset = start
    with closing(retried(reader, file)) as source:
        while stop is None or offset < stop:
            try:
                part = retried(read_part, source, offset, stop)
            except OSError as error:
                raise reason(file, error) from error
            if not part:
                break
            yield part
            offset += len(part)
    if retried(has_changed, file):
        raise ChangedError(CHANGED)


def read_part(source: Reader, offset: int, stop: int | None) -> Bytes:
    """Return the next bytes of a file, whose reader starts again after an error."""
    try:
        part = source.read(offset, stop)
        if not part and stop is not None:
            message = f"ends at byte {offset:,} instead of {stop:,}"
            raise OSError(message)  # noqa: TRY301 - handled as an error of the client
    except BaseException:
        source.close()
        raise
    return part


def identity(url: str) -> tuple[int | None, str | None]:
    """Return the size of a file and its version now, each None if unknown."""
    fs, path = open_filesystem(url)
    # An earlier listing, which the filesystem may keep, has what the file was then.
    fs.invalidate_cache()
    info = fs.info(path)
    return info.get("size"), version(info)


def identified(file: File) -> File:
    """Return a file with its size and version now, for one that was listed without."""
    size, found = retried(identity, file.url)
    return replace(file, size=size, version=found)


def has_changed(file: File) -> bool:
    """Return whether a file has another size or version than it was listed with."""
    known = zip((file.size, file.version), identity(file.url), strict=True)
    return any(None not in pair and pair[0] != pair[1] for pair in known)


def reason(file: File, error: OSError) -> OSError:
    """Return why a file cannot be read: an error, or that the file has changed."""
    with suppress(Exception):
        if not isinstance(error, PERMANENT) and has_changed(file):
            return ChangedError(CHANGED)
    return error


# Reading at an offset


class Reader(Protocol):
    """Reads a file in parts, each from an offset that is usually the end of the part before."""

    def read(self, offset: int, stop: int | None) -> Bytes:
        """Return some bytes before stop; none at the end of the file."""

    def close(self) -> None:
        """Release the file."""


def reader(file: File) -> Reader:
    """Return the reader for the filesystem of a file."""
    from fsspec.asyn import AsyncFileSystem
    from fsspec.implementations.local import LocalFileSystem
    from fsspec.implementations.memory import MemoryFileSystem

    # fsspec itself keeps filesystems, apart in each forked process: none is to be kept here.
    fs, path = open_filesystem(file.url)
    if isinstance(fs, LocalFileSystem):
        return LocalReader(path)
    if "http" in fs.protocol:
        return HttpReader(fs, path, file)
    # A file in memory has one position for all threads that have it open.
    if isinstance(fs, (AsyncFileSystem, MemoryFileSystem)) and file.size is not None:
        return RangeReader(fs, path)
    return FileReader(fs, path)


class LocalReader:
    """Reads a local file, always into the same memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file: io.FileIO | None = None
        self.memory = memoryview(bytearray(LOCAL_PART))

    def read(self, offset: int, stop: int | None) -> Bytes:
        """Return the next bytes; see Reader."""
        if self.file is None:
            self.file = io.FileIO(self.path)
            self.file.seek(offset)
        length = LOCAL_PART if stop is None else min(LOCAL_PART, stop - offset)
        return self.memory[: self.file.readinto(self.memory[:length])]

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()
            self.file = None


class RangeReader:
    """Reads an object of a store by requests for ranges."""

    def __init__(self, fs: AbstractFileSystem, path: str) -> None:
        self.fs = fs
        self.path = path

    def read(self, offset: int, stop: int | None) -> Bytes:
        """Return the bytes of the next range; see Reader."""
        assert stop is not None
        length = min(REMOTE_PART, stop - offset)
        data: bytes = self.fs.cat_file(self.path, start=offset, end=offset + length)
        if len(data) > length:
            message = f"{len(data):,} bytes were sent for a range of {length:,}"
            raise WrongAnswerError(message)
        return data

    def close(self) -> None:
        """Do nothing: nothing is open between two requests."""


class FileReader:
    """Reads a file that its filesystem opens."""

    def __init__(self, fs: AbstractFileSystem, path: str) -> None:
        self.fs = fs
        self.path = path
        self.file: AbstractBufferedFile | None = None
        self.offset = 0

    def read(self, offset: int, stop: int | None) -> Bytes:
        """Return the next bytes; see Reader."""
        if self.file is None:
            self.file = self.open()
            self.offset = 0
        if self.offset != offset:
            self.seek(offset)
        length = REMOTE_PART if stop is None else min(REMOTE_PART, stop - offset)
        part: bytes = self.file.read(length)
        if len(part) > length:
            message = f"{len(part):,} bytes were sent for a range of {length:,}"
            raise WrongAnswerError(message)
        self.offset += len(part)
        return part

    def open(self) -> AbstractBufferedFile:
        """Return the open file."""
        return self.fs.open(self.path, "rb")

    def seek(self, offset: int) -> None:
        """Go to an offset of the open file, if need be by reading the data before."""
        assert self.file is not None
        try:
            self.file.seek(offset)
            self.offset = offset
        except ValueError:
            if offset < self.offset:
                self.close()
                self.file = self.open()
                self.offset = 0
            while self.offset < offset:
                if not (part := self.file.read(min(REMOTE_PART, offset - self.offset))):
                    message = f"ends at byte {self.offset:,} instead of after {offset:,}"
                    raise OSError(message) from None
                self.offset += len(part)

    def close(self) -> None:
        """Close the file, if it is open."""
        if self.file is not None:
            self.file.close()
            self.file = None


class HttpReader(FileReader):
    """Reads a file of a web server by requests for ranges, or as a stream if the server ignores ranges.

    The requests are made here, as the files of fsspec return the data sent, whatever range the server names.
    """

    def __init__(self, fs: AbstractFileSystem, path: str, file: File) -> None:
        super().__init__(fs, path)
        self.listed = file
        self.has_ranges = file.size is not None

    def read(self, offset: int, stop: int | None) -> Bytes:
        """Return the next bytes; see Reader."""
        if self.has_ranges:
            from fsspec.asyn import sync

            assert stop is not None
            end = min(offset + REMOTE_PART, stop)
            part: bytes | None = sync(self.fs.loop, self.request, offset, end)
            if part is not None:
                return part
            self.has_ranges = False
        return super().read(offset, stop)

    async def request(self, start: int, stop: int) -> bytes | None:
        """Return the bytes of a range, at least one; none after the end of the file.

        Returns None if the server sends all of the file, or all that follows. Raises WrongAnswerError if it
        sends another range, or one of another file than the one that was listed.
        """
        session = await self.fs.set_session()
        options = dict(self.fs.kwargs)
        asked = f"bytes={start}-{stop - 1}"
        # Data that is compressed on the way has other offsets.
        headers = {**options.pop("headers", {}), "Range": asked, "Accept-Encoding": "identity"}
        async with session.get(self.fs.encode_url(self.path), headers=headers, **options) as response:
            if response.status == HTTP_RANGE_NOT_SATISFIABLE:
                return b""
            response.raise_for_status()
            if response.status != HTTP_PARTIAL_CONTENT:
                return None
            last = self.last_sent(response.headers, asked, start)
            data = bytearray()
            while len(data) <= stop - start and (part := await response.content.readany()):
                data += part
        if last >= stop or len(data) > stop - start:
            # Some web servers ignore where a range ends.
            return None
        if len(data) != last + 1 - start:
            message = f"{len(data):,} bytes were sent for the range {start}-{last}"
            raise OSError(message)
        return bytes(data)

    def last_sent(self, headers: Mapping[str, str], asked: str, start: int) -> int:
        """Return the offset of the last byte of the range that a response has.

        Raises WrongAnswerError if its range starts elsewhere, or is one of another file.
        """
        sent = headers.get("Content-Range")
        found = CONTENT_RANGE.fullmatch(sent or "")
        tag, version = headers.get("ETag"), self.listed.version
        if not found or not start == int(found[1]) <= int(found[2]):
            answer = f"Content-Range: {sent}" if sent else f"{headers.get('Content-Type')}, no Content-Range"
        elif found[3] not in {"*", str(self.listed.size)}:
            answer = f"Content-Range: {sent}, and not of {self.listed.size} bytes"
        elif tag and version and version.endswith('"') and tag != version:
            answer = f"ETag: {tag}, and not {version}"
        else:
            return int(found[2])
        message = f"the server answered a request for {asked} with {answer}"
        raise WrongAnswerError(message)

    def open(self) -> AbstractBufferedFile:
        """Return the file, open as a stream."""
        file = self.fs.open(self.path, "rb", block_size=0)
        if file.r.status == HTTP_PARTIAL_CONTENT:
            file.close()
            sent = file.r.headers.get("Content-Range")
            message = f"the server answered a request for the whole file with Content-Range: {sent}"
            raise WrongAnswerError(message)
        return file


# Compressed streams


class Decompressor(Protocol):
    """Decompresses one stream of possibly several that follow each other, as bz2.BZ2Decompressor."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether there is nothing to return without more data."""

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the stream."""

    def decompress(self, data: Buffer, max_length: int) -> bytes:
        """Return what data becomes, at most max_length bytes."""


class GzipDecompressor:
    """Decompresses one member of a gzip file."""

    def __init__(self) -> None:
        self.member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        return self.member.eof

    @property
    def needs_input(self) -> bool:
        """Whether there is nothing to return without more data."""
        return not self.member.eof and not self.member.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the member."""
        return self.member.unused_data

    def decompress(self, data: Buffer, max_length: int) -> bytes:
        """Return what data becomes, at most max_length bytes."""
        return self.member.decompress(data or self.member.unconsumed_tail, max_length)


def zstd_module() -> ModuleType:
    """Return the module for zstd; raise OSError if there is none.

    The package zstandard is not used: its readers do not report that a frame is truncated.
    """
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        message = "zstd is read by Python 3.14 or later, or with: pip install backports.zstd"
        raise OSError(message) from None
    module: ModuleType = zstd
    return module


def zstd_decompressor() -> Decompressor:
    """Return a decompressor of one frame."""
    decompressor: Decompressor = zstd_module().ZstdDecompressor()
    return decompressor


DECOMPRESSORS: dict[str, Callable[[], Decompressor]] = {
    "gzip": GzipDecompressor,
    "bz2": bz2.BZ2Decompressor,
    "xz": functools.partial(lzma.LZMADecompressor, memlimit=MAX_XZ_BYTES),
    "zstd": zstd_decompressor,
}


def decompressed(file: File, parts: Generator[Bytes, None, None]) -> Generator[Bytes, None, None]:
    """Yield the decompressed bytes of a file, all its streams, with NULs as padding between and after them.

    Other data after a stream is an error, while the files of the modules lzma and zstd ignore it: it may be a
    damaged stream.
    """
    stream = DECOMPRESSORS[file.format]()
    with closing(parts):
        for part in parts:
            for start in range(0, len(part), COMPRESSED_PART):
                data: Bytes = memoryview(part)[start : start + COMPRESSED_PART]
                while data:
                    if stream.eof:
                        data = bytes(data).lstrip(b"\0")
                        if not data:
                            break
                        stream = DECOMPRESSORS[file.format]()
                    try:
                        yield from output(stream, data)
                    except Exception as error:
                        damaged = OSError(f"damaged {file.format} data: {error}")
                        raise reason(file, damaged) from error
                    data = stream.unused_data if stream.eof else b""
    if not stream.eof:
        message = f"truncated {file.format} data"
        raise OSError(message)


def output(stream: Decompressor, data: Bytes) -> Iterator[bytes]:
    """Yield what the data of a stream becomes, in parts."""
    while True:
        if part := stream.decompress(data, DECOMPRESSED_PART):
            yield part
        if stream.eof or stream.needs_input:
            return
        data = b""
