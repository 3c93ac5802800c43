"""read_text: what open(path, ...).read() gives."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING

import leadbyte
import leadbyte.codec
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._leadbyte import _read
from leadbyte.transcode import open_as_utf8, transcode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from strategies import Anything

NEWLINES = [None, "", "\n", "\r", "\r\n"]
HANDLERS = ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass"]
RETURNS = "leadbyte-tests-returns"
codecs.register_error(RETURNS, lambda error: ("\r\n\r", error.end))  # type: ignore[attr-defined]


def outcome(read: Callable[..., str], *arguments: Anything, **options: Anything) -> Anything:
    """Read; return the text, or all there is to the exception."""
    try:
        return read(*arguments, **options)
    except UnicodeDecodeError as error:
        return type(error), error.args
    except (LookupError, OSError, TypeError, ValueError) as error:
        return type(error), str(error)


def opened(path: Anything, **options: Anything) -> str:
    with open(path, encoding="utf-8", **options) as file:
        return file.read()


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "U8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "cp932", "unheard-of"],
)
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_encodings(path: Path, encoding: str, errors: str) -> None:
    for data in (
        b"", b"a\r\nb", b"\xe9\r", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbb\xbfcaf\xc3\xa9\r\n",
        b"\xef\xbb\xbf\xff", b"\xff\xfea\0\r\0\n\0", b"\x81", b"a\0",
    ):  # fmt: skip
        path.write_bytes(data)
        for newline in (None, ""):
            options: Anything = {"encoding": encoding, "errors": errors, "newline": newline}
            assert outcome(leadbyte.read_text, path, **options)[:1] == outcome(open_any, path, **options)[:1]
            if encoding != "unheard-of":
                assert outcome(leadbyte.read_text, path, **options) == outcome(open_any, path, **options)


def open_any(path: Path, **options: Anything) -> str:
    with path.open(**options) as file:
        text: str = file.read()
    return text


def test_detected_encodings(path: Path) -> None:
    text = "Съешь ещё этих мягких французских булок\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "koi8-r", "cp1251", "ascii"):
        expected = "plain text\r\n" if encoding == "ascii" else text
        path.write_bytes(expected.encode(encoding))
        assert leadbyte.read_text(path, encoding="detect", newline="") == expected
        assert leadbyte.read_text(path, encoding="detect") == expected.replace("\r", "")
    path.write_bytes(b"\x1f\x8b\x08\0\0")
    with pytest.raises(UnicodeDecodeError, match="not text in a known encoding, but gzip"):
        leadbyte.read_text(path, encoding="detect")


def test_encodings_that_open_lacks(path: Path) -> None:
    path.write_bytes(b"\x80\r\n")
    assert leadbyte.read_text(path, encoding=1252) == "€\n"
    assert leadbyte.read_text(path, encoding="whatwg:latin1", newline="") == "€\r\n"
    assert leadbyte.read_text(path, encoding="windows-874") == "€\n"


@pytest.mark.parametrize(
    ("label", "data"),
    [
        ("koi8-ru", b"\xae\xbe"), ("x-sjis", b"\x81\x60\x87\x40"), ("windows-949", b"\x8c\x63"),
        ("x-gbk", b"\x80"), ("whatwg:gb18030", b"\xa6\xd9"), ("whatwg:latin1", b"\x81"),
        ("whatwg:big5", b"\x87\x40"), ("whatwg:koi8-u", b"\xae"), ("whatwg:utf-16le", b"a\0"),
        ("whatwg:utf-8", b"\xc3\xa9"), (1251, b"\xff"),
    ],
)  # fmt: skip
def test_labels_have_their_meaning_in_the_standard(path: Path, label: str | int, data: bytes) -> None:
    """Python's codecs of the same names are others."""
    text = transcode(data, label, "utf-8").decode()
    path.write_bytes(data)
    assert leadbyte.read_text(path, encoding=label) == text
    for source in (data, path):
        assert [*leadbyte.lines(source, encoding=label)] == [text]


def test_a_whole_text_is_not_cut(path: Path) -> None:
    """Its last byte is one of another encoding than UTF-8, unless other characters are UTF-8."""
    path.write_bytes(b"caf\xe9")
    leadbyte.codec.register()
    decoder = codecs.getincrementaldecoder("leadbyte-detect")()
    texts = [
        leadbyte.read_text(path, encoding="detect"),
        *leadbyte.lines(b"caf\xe9", encoding="detect"),
        transcode(b"caf\xe9", "detect", "utf-8").decode(),
        open_as_utf8(io.BytesIO(b"caf\xe9"), "detect").read().decode(),
        b"caf\xe9".decode("leadbyte-detect"),
        decoder.decode(b"caf") + decoder.decode(b"\xe9", final=True),
    ]
    assert texts == ["café"] * 6
    cut = ("Съешь ещё " * 9).encode()[:-2]
    assert transcode(cut, "detect", "utf-8", errors="ignore").decode() == ("Съешь ещё " * 9)[:-2]


def same(path: Anything, **options: Anything) -> Anything:
    """Compare the two ways of reading; return what both give."""
    expected = outcome(opened, path, **options)
    assert outcome(leadbyte.read_text, path, **options) == expected
    return expected


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("read_text") / "file"


@pytest.mark.parametrize("newline", NEWLINES, ids=repr)
def test_newlines(path: Path, newline: str | None) -> None:
    for data in (
        b"", b"\r", b"\n", b"\r\n", b"\r\r\n\n", b"a\r\nb\rc\nd\n\r", "один\r\n€\r😀\n".encode() * 9999,
        b"a" * 8191 + b"\r\n", b"a" * 8192 + b"\r\n", b"\n" * 20_000 + b"\r", b"\xef\xbb\xbfa\r\n",
    ):  # fmt: skip
        path.write_bytes(data)
        assert isinstance(same(path, newline=newline), str)


def pieces() -> st.SearchStrategy[bytes]:
    return st.one_of(strategies.pieces(), st.sampled_from([b"\r", b"\n", b"\r\n", b"\r\r\n"]))


@given(
    st.lists(pieces(), max_size=10).map(b"".join),
    st.sampled_from(NEWLINES),
    st.sampled_from([*HANDLERS, RETURNS]),
)
def test_as_open(path: Path, data: bytes, newline: str | None, errors: str) -> None:
    path.write_bytes(data)
    same(path, newline=newline, errors=errors)


@pytest.mark.parametrize("returns", [b"", b"\r\n" * 3000], ids=["unix", "returns"])
@pytest.mark.parametrize("errors", [*HANDLERS, RETURNS, "unknown"])
def test_errors_far_into_the_file(path: Path, errors: str, returns: bytes) -> None:
    path.write_bytes(strategies.TEXT * 100 + returns + b"\xff\r\n\xe2\x82")
    same(path, errors=errors)


def test_exception_names_the_file(path: Path) -> None:
    data = b"one\r\ntwo\r\n\xff\r\n"
    path.write_bytes(data)
    assert same(path) == (UnicodeDecodeError, ("utf-8", data, 10, 11, "invalid start byte"))


def test_handler_sees_the_file_itself(path: Path) -> None:
    seen = []

    def record(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        seen.append(error.args)
        return "\r", error.end

    codecs.register_error("leadbyte-tests-seen", record)
    path.write_bytes(b"one\r\n\xff\n")
    assert same(path, errors="leadbyte-tests-seen") == "one\n\n"
    assert seen == [("utf-8", b"one\r\n\xff\n", 5, 6, "invalid start byte")] * 2


def test_unknown_handler_matters_once_an_error_occurs(path: Path) -> None:
    path.write_bytes(b"fine")
    assert same(path, errors="unknown") == "fine"
    path.write_bytes(b"\xff")
    assert same(path, errors="unknown")[0] is LookupError


@pytest.mark.parametrize("newline", ["\n\r", "\r\r", "x", "\0"])
def test_newline_that_is_none(path: Path, newline: str) -> None:
    path.write_bytes(b"text")
    assert same(path, newline=newline)[0] is ValueError
    assert same(path.with_name("missing"), newline=newline)[0] in {FileNotFoundError, ValueError}


def test_kinds_of_paths(path: Path) -> None:
    path.write_bytes("мир".encode())
    for kind in (path, str(path), os.fsencode(path)):
        assert same(kind) == "мир"


def test_descriptor(path: Path) -> None:
    path.write_bytes("мир € и так далее".encode())
    descriptor = os.open(path, os.O_RDONLY)
    os.lseek(descriptor, 7, os.SEEK_SET)
    assert leadbyte.read_text(descriptor) == "€ и так далее"
    # As open does by default, it closes what it was given.
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.close(descriptor)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_pipe() -> None:
    read, write = os.pipe()
    os.write(write, b"\xe2\x82\xac\r\n")
    os.close(write)
    assert leadbyte.read_text(read) == "€\n"


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="files without a size")
def test_file_without_a_size() -> None:
    assert "Name:" in leadbyte.read_text("/proc/self/status")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert same(tmp_path / "missing")[0] is FileNotFoundError
    assert same(tmp_path)[0] in {IsADirectoryError, PermissionError}
    assert same("nul\0byte")[0] is ValueError
    assert same(-1)[0] is ValueError
    assert same(1.5)[0] is TypeError
    assert same(None)[0] is TypeError


@pytest.fixture
def in_huge_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read small files as large ones."""
    monkeypatch.setattr("leadbyte._read_text.MIN_LARGE_BYTES", 1)


@pytest.mark.usefixtures("in_huge_pages")
def test_long_files(path: Path) -> None:
    for data in (b"a", b"ab", strategies.TEXT * 9000, b"a\r\n" * 400_000, b"a" * (1 << 20), b"a" * (2 << 20)):
        path.write_bytes(data)
        assert isinstance(same(path), str)
    test_descriptor(path)


def test_file_that_changes_its_length_meanwhile(path: Path) -> None:
    data = strategies.TEXT * 9000
    path.write_bytes(data)
    for length in (0, 1, 2, 1 << 20, (1 << 20) + 1, len(data), len(data) + 1, 9 << 20):
        with path.open("rb", buffering=0) as file:
            assert _read(file, length) == data[:length]
            assert file.readall() == data[length:]


@pytest.mark.usefixtures("in_huge_pages")
def test_behind_the_end(path: Path) -> None:
    path.write_bytes(b"text")
    descriptor = os.open(path, os.O_RDONLY)
    os.lseek(descriptor, 10, os.SEEK_SET)
    assert leadbyte.read_text(descriptor) == ""


def test_file_that_gives_more_than_it_is_asked_for() -> None:
    class Raw:
        def read(self, length: int) -> bytes:
            return b"x" * (length + 1)

    with pytest.raises(OSError, match="more bytes than it was asked for"):
        leadbyte._leadbyte._read(Raw(), 3)  # type: ignore[arg-type]
