"""Pieces of files that are read through fsspec: complete and of one version, or an error."""

from __future__ import annotations

import bz2
import dataclasses
import errno
import gzip
import io
import itertools
import lzma
import os
import pickle
import random
import re
import sys
import tarfile
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import faulty_proxy as faults
import leadbyte
import pytest
from faulty_proxy import Fault, FaultyProxy
from object_store import SECRET, object_store, put, writer

fsspec = pytest.importorskip("fsspec")

from leadbyte import dataset  # noqa: E402
from leadbyte.dataset import _reading, _retries  # noqa: E402
from leadbyte.dataset._reading import ChangedError, read_stream, scan_piece  # noqa: E402
from leadbyte.dataset._tasks import File, Piece  # noqa: E402
from leadbyte.dataset._urls import file_format, find_files, open_filesystem, version  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.server import BaseHTTPRequestHandler

    from strategies import Anything

# Sequences of all lengths, newlines and errors, of which the last ends the file.
TEXT = random.Random(0).randbytes(1000) * 3 + "naïve €uro 🎉\n".encode() * 15_000 + b"\xe2\x82"
PART = 64 << 10
MAX_ERRORS = 1000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in small parts, and wait for hardly any time between attempts."""
    monkeypatch.setattr(_reading, "REMOTE_PART", PART)
    monkeypatch.setattr(_reading, "LOCAL_PART", PART)
    monkeypatch.setattr(_reading, "COMPRESSED_PART", 1000)
    monkeypatch.setattr(_reading, "DECOMPRESSED_PART", 3000)
    monkeypatch.setattr(_retries, "FIRST_WAIT", 0.001)


@pytest.fixture(scope="module")
def store() -> Iterator[FaultyProxy]:
    """Start an object store."""
    with object_store() as proxy:
        yield proxy


@pytest.fixture
def proxy(store: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    """Give the proxy of the store, whose client does not try again itself."""
    monkeypatch.setitem(fsspec.config.conf["s3"], "config_kwargs", {"retries": {"total_max_attempts": 1}})
    monkeypatch.setattr(fsspec.get_filesystem_class("s3"), "retries", 1)
    monkeypatch.setattr("s3fs.core.asyncio.sleep", no_sleep)
    store.requests.clear()
    yield store
    store.faults.clear()


async def no_sleep(_seconds: float) -> None:
    """Return at once."""


def listed(url: str) -> File:
    """Return a file as it is listed now."""
    fs, path = open_filesystem(url)
    fs.invalidate_cache()
    info = fs.info(path)
    return File(url, 0, info["size"], version(info), file_format(url))


def unknown(file: File) -> File:
    """Return a file as it is listed where listings have only names."""
    return dataclasses.replace(file, size=None, version=None)


class Found(NamedTuple):
    """The result for a file."""

    scan: leadbyte.Scan
    errors: list[tuple[leadbyte.ErrorSpan, int, int, bytes, bytes]]


def found_in(scanner: leadbyte.Scanner) -> Found:
    return Found(scanner.finish(), list(scanner._errors()))


def expected(data: bytes) -> Found:
    """Return the result for data; it is checked against CPython's decoder elsewhere."""
    scanner = leadbyte.Scanner._keeping(MAX_ERRORS)
    scanner.update(data)
    return found_in(scanner)


def scanned(file: File, cuts: tuple[int, ...] = ()) -> Found:
    """Return the result for a file, cut into pieces."""
    edges = [0, *cuts, file.size]
    whole = leadbyte.Scanner._keeping(MAX_ERRORS)
    for start, stop in itertools.pairwise(edges):
        assert start is not None
        whole.merge(scan_piece(Piece(file, start, stop), MAX_ERRORS))
    return found_in(whole)


def failure(file: File) -> OSError:
    """Return the error that a file cannot be read with."""
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its message is tested by the caller
        scan_piece(Piece(file, 0, None), MAX_ERRORS)
    error = caught.value
    assert SECRET not in str(error)
    assert file.url not in str(error)
    error.__cause__ = error.__context__ = None  # with distributed, pickle keeps these too
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    return error


@pytest.mark.parametrize(
    ("fault", "name"), [*((fault, "text.txt") for fault in faults.TRANSIENT), ("reset", "text.gz")]
)
def test_transient_faults_change_nothing(proxy: FaultyProxy, fault: str, name: str) -> None:
    data = gzip.compress(TEXT, 0) if name.endswith(".gz") else TEXT
    file = listed(put(name, data))
    proxy.requests.clear()
    proxy.faults += [Fault(faults.send), Fault(faults.TRANSIENT[fault], times=3)]
    assert scanned(file) == expected(TEXT)
    assert not any(fault.times for fault in proxy.faults)
    ranges = [headers["Range"] for method, _, headers in proxy.requests if method == "GET"]
    # Only what failed is asked for again.
    assert ranges[0] == f"bytes=0-{PART - 1}"
    assert not any(asked.startswith("bytes=0-") for asked in ranges[1:])
    assert len(ranges) <= len(data) // PART + 1 + 3


def test_each_part_has_its_own_attempts(proxy: FaultyProxy) -> None:
    file = listed(put("text.txt", TEXT))
    fault = faults.TRANSIENT["internal error"]
    for _ in range(-(-len(TEXT) // PART)):
        proxy.faults += [Fault(fault, times=4), Fault(faults.send)]
    proxy.faults.append(Fault(fault, method="HEAD", times=4))
    assert scanned(file) == expected(TEXT)
    assert not any(fault.times for fault in proxy.faults)


def test_client_that_tries_again_itself(store: FaultyProxy) -> None:
    file = listed(put("text.txt", TEXT))
    store.faults += [Fault(faults.TRANSIENT["truncated"], times=2), Fault(faults.TRANSIENT["unavailable"])]
    assert scanned(file) == expected(TEXT)
    assert not any(fault.times for fault in store.faults)


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (faults.TRANSIENT["internal error"], OSError, "500 InternalError on purpose"),
        (faults.TRANSIENT["unavailable"], OSError, "503 ServiceUnavailable on purpose"),
        (faults.TRANSIENT["timeout"], TimeoutError, "timed out"),
        (faults.TRANSIENT["refused"], OSError, "Could not connect"),
        (faults.TRANSIENT["truncated"], OSError, "payload is not completed"),
        (faults.TRANSIENT["shortened"], OSError, "ends at byte [0-9,]+ instead of"),
        (faults.DENIED, PermissionError, "AccessDenied on purpose"),
        (faults.NOT_FOUND, FileNotFoundError, "No such file or directory"),
    ],
)
def test_permanent_faults(
    proxy: FaultyProxy, answer: faults.Answer, kind: type[OSError], message: str
) -> None:
    file = listed(put("text.txt", TEXT))
    proxy.requests.clear()
    proxy.faults += [Fault(faults.send), Fault(answer, times=-1)]
    error = failure(file)
    assert type(error) is kind
    assert re.search(message, str(error)), error
    gets = [method for method, _, _ in proxy.requests if method == "GET"]
    assert len(gets) < 30
    if kind in {PermissionError, FileNotFoundError}:
        assert len(gets) == 2


def test_errors_that_another_attempt_does_not_change() -> None:
    exceptions: Anything = pytest.importorskip("botocore.exceptions")
    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        archive.writestr("a.txt", b"abc")
        archive.getinfo("a.txt").flag_bits |= 1
        with pytest.raises(RuntimeError) as encrypted:
            archive.read("a.txt")
    for error in (
        exceptions.NoCredentialsError(),
        OSError(errno.ELOOP, "loop"),
        zipfile.BadZipFile("Bad CRC-32"),
        tarfile.ReadError("bad checksum"),
        encrypted.value,
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
        OverflowError("port must be 0-65535."),
    ):
        attempts = iter([error])

        def attempt(attempts: Iterator[Exception] = attempts) -> None:
            raise next(attempts)

        with pytest.raises(OSError) as raised:  # noqa: PT011 - any message
            _retries.retried(attempt)
        assert raised.value.__cause__ is error


@pytest.mark.parametrize("name", ["text.txt", "text.gz"])
@pytest.mark.parametrize(
    "other", [TEXT[::-1], TEXT[: PART + 10], TEXT * 2, b""], ids=["same size", "shorter", "longer", "empty"]
)
def test_object_changed_midway(proxy: FaultyProxy, name: str, other: bytes) -> None:
    def stored(data: bytes) -> bytes:
        return gzip.compress(data, 0, mtime=0) if name.endswith(".gz") else data

    fs, _ = open_filesystem(put(name, stored(TEXT)))
    # The listing is kept by s3fs.
    fs.ls("bucket", refresh=True)
    file = listed(f"s3://bucket/{name}")
    fs.ls("bucket", refresh=True)
    change = partial(put, name, stored(other))
    proxy.faults += [Fault(faults.send), Fault(faults.send, before=change)]
    assert isinstance(failure(file), ChangedError)


def test_object_deleted_midway(proxy: FaultyProxy) -> None:
    file = listed(put("text.txt", TEXT))
    delete = partial(writer().rm_file, "bucket/text.txt")
    proxy.faults += [Fault(faults.send), Fault(faults.send, before=delete)]
    assert isinstance(failure(file), FileNotFoundError)


def test_object_cut_anywhere(store: FaultyProxy) -> None:
    file = listed(put("text.txt", TEXT))
    cuts = sorted(random.Random(1).sample(range(len(TEXT)), 20))
    assert scanned(file, tuple(cuts)) == expected(TEXT)
    assert store


# Web servers


@pytest.fixture
def web_url(proxy: FaultyProxy) -> str:
    """Give the URL of a file on a web server."""
    put("text.txt", TEXT)
    return f"{proxy.url}/bucket/text.txt"


@pytest.mark.parametrize("has_ranges", [True, False])
@pytest.mark.parametrize("fault", faults.TRANSIENT)
def test_web_server(proxy: FaultyProxy, web_url: str, fault: str, *, has_ranges: bool) -> None:
    file = listed(web_url)
    assert (file.size, file.version is None) == (len(TEXT), False)
    proxy.faults.append(Fault(faults.TRANSIENT[fault], times=2))
    if not has_ranges:
        proxy.faults.append(Fault(faults.send, without="Range", times=-1))
    assert scanned(file, (PART + 1,)) == expected(TEXT)


def test_web_server_that_ignores_where_ranges_end(proxy: FaultyProxy, web_url: str) -> None:
    def without_end(
        request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes
    ) -> None:
        if "Range" in request.headers:
            body = TEXT[int(request.headers["Range"].removeprefix("bytes=").partition("-")[0]) :]
        faults.send(request, status, {**headers, "Content-Length": str(len(body))}, body)

    file = listed(web_url)
    proxy.faults.append(Fault(without_end, times=-1))
    assert scanned(file, (PART + 1,)) == expected(TEXT)


def with_headers(headers: dict[str, str], changed: dict[str, str | None]) -> dict[str, str]:
    """Return headers with others instead of some, or without those whose value is None."""
    names = {name.lower() for name in changed}
    kept = {name: value for name, value in headers.items() if name.lower() not in names}
    return {**kept, **{name: value for name, value in changed.items() if value is not None}}


def other_headers(*, stored: bytes = TEXT, shift: int = 0, **changed: str | None) -> faults.Answer:
    """Return an answer to a request for a range with other headers, and bytes some way from those asked for.

    In a header, ``{start}``, ``{last}`` and ``{total}`` are what the range should be.
    """

    def answer(request: BaseHTTPRequestHandler, _status: int, headers: dict[str, str], _body: bytes) -> None:
        start, last = map(int, request.headers["Range"].removeprefix("bytes=").split("-"))
        body = stored[start + shift : last + 1 + shift]
        others: dict[str, str | None] = {"Content-Length": str(len(body))}
        for name, value in changed.items():
            text = value and value.format(start=start, last=last, total=len(stored))
            others[name.replace("_", "-")] = text
        faults.send(request, 206, with_headers(headers, others), body)

    return answer


# Answers with other bytes than those asked for, from the second part on, and the messages.
LIES: dict[str, tuple[faults.Answer, str]] = {
    "start": (
        other_headers(shift=-1, Content_Range="bytes 65535-131070/{total}"),
        f"Content-Range: bytes 65535-131070/{len(TEXT)}",
    ),
    "from the beginning": (
        other_headers(shift=-PART, Content_Range="bytes 0-65535/{total}"),
        f"Content-Range: bytes 0-65535/{len(TEXT)}",
    ),
    "end before start": (
        other_headers(Content_Range="bytes {start}-0/{total}"),
        f"Content-Range: bytes 65536-0/{len(TEXT)}",
    ),
    "total": (
        other_headers(Content_Range="bytes {start}-{last}/99999999"),
        f"Content-Range: bytes 65536-131071/99999999, and not of {len(TEXT)} bytes",
    ),
    "several ranges": (
        other_headers(Content_Range=None, Content_Type="multipart/byteranges; boundary=x"),
        "multipart/byteranges; boundary=x, no Content-Range",
    ),
    "no range": (
        other_headers(Content_Range=None, Content_Type="text/plain"),
        "text/plain, no Content-Range",
    ),
    "no unit": (
        other_headers(Content_Range="{start}-{last}/{total}"),
        f"Content-Range: 65536-131071/{len(TEXT)}",
    ),
    "another version": (other_headers(ETag='"other"'), 'ETag: "other", and not '),
}


@pytest.mark.parametrize("lie", LIES)
def test_web_server_that_answers_with_another_range(proxy: FaultyProxy, web_url: str, lie: str) -> None:
    answer, expected_answer = LIES[lie]
    file = listed(web_url)
    proxy.requests.clear()
    proxy.faults += [Fault(faults.send), Fault(answer, times=-1)]
    error = failure(file)
    asked = f"the server answered a request for bytes={PART}-{2 * PART - 1} with "
    assert str(error).startswith(asked + expected_answer)
    # Another attempt would not change it.
    assert sum(method == "GET" for method, _, _ in proxy.requests) == 2
    proxy.faults.insert(0, Fault(faults.send))
    (reported,) = dataset.scan([web_url]).failures
    assert (reported.url, reported.message) == (web_url, str(error))


def test_web_server_that_sends_less_or_more_than_asked(proxy: FaultyProxy, web_url: str) -> None:
    """Half of a range is continued; after one that continues to the end, the file is read as a stream."""

    def half(request: BaseHTTPRequestHandler, _: int, headers: dict[str, str], body: bytes) -> None:
        start = int(request.headers["Range"].removeprefix("bytes=").partition("-")[0])
        body = body[: len(body) // 2 + 1]
        sent = f"bytes {start}-{start + len(body) - 1}/*"
        headers = with_headers(headers, {"Content-Range": sent, "Content-Length": str(len(body))})
        faults.send(request, 206, headers, body)

    file = listed(web_url)
    proxy.faults.append(Fault(half, times=5))
    assert scanned(file) == expected(TEXT)
    proxy.faults.append(
        Fault(other_headers(Content_Range=f"bytes {{start}}-{len(TEXT) - 1}/{{total}}"), times=1)
    )
    proxy.requests.clear()
    assert scanned(file) == expected(TEXT)
    assert ["Range" in headers for method, _, headers in proxy.requests if method == "GET"] == [True, False]


def test_web_server_that_answers_a_request_for_all_with_a_range(proxy: FaultyProxy, web_url: str) -> None:
    def some(request: BaseHTTPRequestHandler, _: int, headers: dict[str, str], body: bytes) -> None:
        sent = {"Content-Range": f"bytes 0-9/{len(body)}", "Content-Length": "10"}
        headers = with_headers(headers, {**sent})
        faults.send(request, 206, headers, body[:10])

    proxy.faults += [
        Fault(faults.without_size, method="HEAD", times=-1),
        Fault(faults.without_size, times=1),
        Fault(some, times=-1),
    ]
    file = listed(web_url)
    assert file.size is None
    assert str(failure(file)) == (
        f"the server answered a request for the whole file with Content-Range: bytes 0-9/{len(TEXT)}"
    )


@pytest.mark.parametrize(
    "other", [TEXT[::-1], TEXT[: PART + 10], TEXT * 2], ids=["same", "shorter", "longer"]
)
def test_file_of_a_web_server_changed_midway(proxy: FaultyProxy, web_url: str, other: bytes) -> None:
    file = listed(web_url)
    proxy.requests.clear()
    proxy.faults += [Fault(faults.send), Fault(faults.send, before=partial(put, "text.txt", other))]
    assert isinstance(failure(file), ChangedError)
    # The first response of the other version ends it.
    assert sum(method == "GET" for method, _, _ in proxy.requests) == 2


def test_table_of_a_web_server_without_ranges(proxy: FaultyProxy) -> None:
    """A table is read from its end, for which the stream is opened again."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stored = io.BytesIO()
    parquet.write_table(pa.table({"text": ["naïve", "€"] * 100}), stored)
    put("table.parquet", stored.getvalue())
    proxy.faults.append(Fault(faults.send, without="Range", times=-1))
    found = dataset.scan(f"{proxy.url}/bucket/table.parquet")
    assert (found.failures, found.row_count, found.char_count) == ((), 200, 600)


def test_directories_of_web_servers(proxy: FaultyProxy, web_url: str) -> None:
    def with_directories(
        request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes
    ) -> None:
        pages = {"/bucket/": b'<a href="below/">', "/bucket/below/": b'<a href="/bucket/below/text.txt">'}
        if page := pages.get(request.path):
            status, headers, body = 200, {"Content-Length": str(len(page)), "Content-Type": "text/html"}, page
        faults.send(request, status, headers, body)

    put("below/text.txt", TEXT)
    proxy.faults.append(Fault(with_directories, times=-1))
    url = web_url.removesuffix("text.txt")
    for start in (url, f"{url}below/", f"{url}*/*.txt"):
        assert [file.url for file in find_files(start)] == [f"{url}below/text.txt"]


@pytest.mark.parametrize("fault", ["reset", "slow"])
def test_web_server_whose_listing_has_only_names(proxy: FaultyProxy, web_url: str, fault: str) -> None:
    proxy.faults += [Fault(faults.TRANSIENT[fault], times=2)]
    file = unknown(listed(web_url))
    assert scanned(file) == expected(TEXT)
    proxy.faults += [Fault(faults.send), Fault(faults.send, before=partial(put, "text.txt", TEXT[::-1]))]
    assert isinstance(failure(file), ChangedError)


def test_web_server_that_reports_no_size(proxy: FaultyProxy, web_url: str) -> None:
    proxy.faults += [
        Fault(faults.without_size, method="HEAD", times=-1),
        Fault(faults.without_size, times=-1),
    ]
    file = listed(web_url)
    assert (file.size, file.version is None) == (None, False)
    assert scanned(file) == expected(TEXT)
    proxy.faults.insert(0, Fault(faults.ended_chunks, times=2))
    assert scanned(file) == expected(TEXT)
    proxy.faults.insert(0, Fault(faults.ended_chunks, times=-1))
    assert "not completed" in str(failure(file))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, PermissionError("Unauthorized")),
        (403, PermissionError("Forbidden")),
        (404, FileNotFoundError("No such file or directory")),
        (410, OSError("410 Gone")),
        (503, OSError("503 Service Unavailable")),
    ],
)
@pytest.mark.parametrize("has_size", [True, False])
def test_refusals_of_web_servers(
    proxy: FaultyProxy, web_url: str, status: int, expected: OSError, *, has_size: bool
) -> None:
    file = listed(f"{web_url}?token={SECRET}")
    answer = faults.error(status, "Refused")
    proxy.faults += [Fault(answer, times=-1), Fault(answer, method="HEAD", times=-1)]
    error = failure(file if has_size else unknown(file))
    assert (type(error), str(error)) == (type(expected), str(expected))


# Local files


def local(path: Path, data: bytes) -> File:
    """Write a file; return it as it is listed."""
    path.write_bytes(data)
    os.utime(path, (1, 1))
    return listed(str(path))


def replaced(path: Path) -> None:
    """Replace a file by another of the same size and time."""
    other = path.with_suffix(".new")
    other.write_bytes(TEXT)
    os.utime(other, (1, 1))
    other.replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "other time": lambda path: os.utime(path, (1, 2)),
    "replaced": replaced,
    "longer": lambda path: os.truncate(path, len(TEXT) + 1),
    "shorter": lambda path: os.truncate(path, PART + 1),
    "deleted": Path.unlink,
}


@pytest.mark.parametrize("change", CHANGES)
def test_local_file_changed_midway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    file = local(tmp_path / "text.txt", TEXT)
    read = _reading.LocalReader.read

    def read_and_change(reader: _reading.LocalReader, offset: int, stop: int | None) -> bytes | memoryview:
        part = read(reader, offset, stop)
        if not offset:
            CHANGES[change](tmp_path / "text.txt")
        return part

    monkeypatch.setattr(_reading.LocalReader, "read", read_and_change)
    assert isinstance(failure(file), FileNotFoundError if change == "deleted" else ChangedError)


def test_local_files(tmp_path: Path) -> None:
    cuts = tuple(sorted(random.Random(1).sample(range(len(TEXT)), 50)))
    assert scanned(local(tmp_path / "text.txt", TEXT), cuts) == expected(TEXT)
    assert scanned(local(tmp_path / "empty", b"")) == expected(b"")
    (tmp_path / "link").symlink_to("text.txt")
    assert scanned(listed(str(tmp_path / "link"))) == expected(TEXT)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_local_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = local(tmp_path / "text.txt", TEXT)
    (tmp_path / "text.txt").chmod(0)
    error = failure(file)
    assert isinstance(error, PermissionError)
    assert str(error) == "Permission denied"


def test_local_file_that_is_a_directory(tmp_path: Path) -> None:
    error = failure(File(str(tmp_path), 0, 10, None, "text"))
    assert isinstance(error, IsADirectoryError)
    assert str(error) == "Is a directory"


# Other filesystems


def test_other_filesystems(store: FaultyProxy, tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe_file("/text.txt", TEXT)
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("text.txt", TEXT)
    put("text.txt", TEXT)
    for url in (
        "memory://text.txt",
        f"zip://text.txt::{tmp_path}/archive.zip",
        "simplecache::s3://bucket/text.txt",
        f"file://{local(tmp_path / 'text.txt', TEXT).url}",
    ):
        assert scanned(listed(url), (PART + 3, PART + 5)) == expected(TEXT)
    assert store


# Compressed streams


def compress_zstd(data: bytes) -> bytes:
    """Compress data, with a checksum."""
    zstd: Anything = pytest.importorskip(
        f"{'compression' if sys.version_info >= (3, 14) else 'backports'}.zstd"
    )
    return bytes(zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}))


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": compress_zstd,
}
ended = pytest.mark.parametrize("ending", COMPRESS)


@ended
def test_compressed(tmp_path: Path, ending: str) -> None:
    data = COMPRESS[ending](TEXT)
    path = tmp_path / f"text.{ending}"
    file = local(path, data)
    assert scanned(file) == expected(TEXT)
    with read_stream(file) as stream:
        assert stream.read(10) == TEXT[:10]
        assert stream.readline() == io.BytesIO(TEXT[10:]).readline()
        stream.read(PART)
        rest = stream.read()
        assert TEXT.endswith(rest)
        assert not stream.read()
    # Several streams, padding, and a great deal of data from few bytes.
    zeros = bytes(5 << 20)
    several = local(path, data + COMPRESS[ending](b"") + bytes(512) + COMPRESS[ending](zeros) + bytes(4))
    assert scanned(several) == expected(TEXT + zeros)


@ended
def test_truncated_at_each_byte(tmp_path: Path, ending: str) -> None:
    data = COMPRESS[ending](b"caf\xc3\xa9\n" * 10)
    for length in range(len(data)):
        for whole in (b"", data):
            truncated = whole + data[:length]
            file = local(tmp_path / f"text.{ending}", truncated)
            if truncated == data:
                assert scanned(file).scan.byte_count == 60
            else:
                assert f"truncated {file.format} data" in str(failure(file))


@ended
def test_damaged(tmp_path: Path, ending: str) -> None:
    data = COMPRESS[ending](TEXT)
    middle = len(data) // 2
    for damaged in (
        data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :],
        b"not compressed",
        data + b"more",
        data + bytes(4) + b"more",
        data + data[:100][::-1] + data,
    ):
        file = local(tmp_path / f"text.{ending}", damaged)
        assert re.match(f"(damaged {file.format} data: .|truncated {file.format} data$)", str(failure(file)))


def test_zstd_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("compression.zstd", "compression", "backports.zstd", "backports"):
        monkeypatch.setitem(sys.modules, module, None)
    message = str(failure(local(tmp_path / "text.zst", b"")))
    assert message == "zstd is read by Python 3.14 or later, or with: pip install backports.zstd"


# Settings


def test_requester_pays(store: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    file = listed(put("text.txt", TEXT))
    monkeypatch.setitem(fsspec.config.conf["s3"], "requester_pays", "true")
    store.requests.clear()
    assert scanned(file) == expected(TEXT)
    assert {headers.get("x-amz-request-payer") for _, _, headers in store.requests} == {"requester"}


# Whole datasets


def stored_files(proxy: FaultyProxy, prefix: str) -> dict[str, bytes]:
    """Store some objects; return their data by URL."""
    texts = {f"{prefix}/{number}.txt": TEXT[number * 1000 :] for number in range(8)}
    proxy.requests.clear()
    return {put(name, data): data for name, data in texts.items()}


def test_scan_with_transient_faults(proxy: FaultyProxy) -> None:
    files = stored_files(proxy, "transient")
    proxy.faults += [
        Fault(faults.TRANSIENT["unavailable"], "list-type", times=2),
        Fault(faults.TRANSIENT["reset"], "list-type"),
        *(
            Fault(answer, f"transient/{number % 8}", times=2)
            for number, answer in enumerate(faults.TRANSIENT.values())
        ),
    ]
    found = dataset.scan("s3://bucket/transient", blocksize=PART + 1)
    assert not any(fault.times for fault in proxy.faults)
    assert found == dataset.scan(sorted(files), blocksize=10 * PART)
    assert found.byte_count == sum(map(len, files.values()))
    assert found.error_count == sum(leadbyte.scan(data).error_count for data in files.values())


def test_scan_with_permanent_faults(proxy: FaultyProxy) -> None:
    files = stored_files(proxy, "permanent")
    urls = sorted(files)
    proxy.faults += [
        Fault(faults.DENIED, "permanent/1", times=-1),
        Fault(faults.TRANSIENT["internal error"], "permanent/3", times=-1),
        Fault(faults.send, "permanent/4", before=partial(put, "permanent/4.txt", b"other")),
        Fault(faults.send, "permanent/6", before=partial(writer().rm_file, "bucket/permanent/6.txt")),
        Fault(faults.DENIED, "prefix=denied", times=-1),
    ]
    found = dataset.scan([*urls, "s3://bucket/denied", "s3://bucket/none"], blocksize=PART)
    assert [(failure.url, failure.message) for failure in found.failures] == [
        (urls[1], "AccessDenied on purpose"),
        (urls[3], "500 InternalError on purpose"),
        (urls[4], "changed while it was read"),
        (urls[6], "No such file or directory"),
        ("s3://bucket/denied", "AccessDenied on purpose"),
        ("s3://bucket/none", "No such file or directory"),
    ]
    proxy.faults.clear()
    others = dataset.scan([urls[number] for number in (0, 2, 5, 7)])
    assert (found.file_count, found.failed_count, others.file_count) == (10, 6, 4)
    assert found.errors == others.errors
    same = ("byte_count", "char_count", "utf16_count", "newline_count", "error_count", "invalid_count")
    assert [getattr(found, name) for name in same] == [getattr(others, name) for name in same]
    with pytest.raises(FileNotFoundError, match=r"^s3://bucket/none: No such file or directory$"):
        dataset.scan("s3://bucket/none")


def test_directory_that_cannot_be_listed(proxy: FaultyProxy) -> None:
    put("listed/a/text.txt", TEXT)
    put("listed/b/text.txt", TEXT)
    proxy.faults.append(Fault(faults.TRANSIENT["unavailable"], "prefix=listed%2Fa", times=-1))
    found = dataset.scan("s3://bucket/listed")
    assert [(failure.url, failure.message) for failure in found.failures] == [
        ("s3://bucket/listed/a", "503 ServiceUnavailable on purpose")
    ]
    assert found.byte_count == len(TEXT)


def test_objects_that_are_not_listed(proxy: FaultyProxy) -> None:
    put("slashes/a/b.txt", TEXT)
    url = put("slashes/a//c.txt", TEXT)
    found = dataset.scan("s3://bucket/slashes")
    assert [(failure.url, failure.message) for failure in found.failures] == [
        ("s3://bucket/slashes/a/", "names with two slashes are not listed: name the files")
    ]
    assert found.byte_count == dataset.scan(url).byte_count == len(TEXT)
    assert not dataset.scan("s3://bucket/slashes/a/*.txt").failures
    assert proxy


def test_message_of_a_client_that_shows_a_part_of_the_url(proxy: FaultyProxy) -> None:
    (failure,) = dataset.scan([f"s3://reader:{SECRET}@bucket/text.txt"]).failures
    assert failure.url == "s3://reader:***@bucket/text.txt"
    assert failure.message.startswith(
        'ParamValidationError: Parameter validation failed: Invalid bucket name "reader:***@bucket": '
    )
    assert not proxy.requests
