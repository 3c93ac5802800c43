"""Transcoder and open_as_utf8: any cut of the data gives what the whole gives, in result and in error."""

from __future__ import annotations

import array
import csv
import io
import itertools
import threading
from typing import TYPE_CHECKING, NamedTuple

import families
import handlers
import leadbyte
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._encodings import find
from leadbyte._str_transcoder import fault_decoder, fault_encoder
from leadbyte.transcode import Transcoder, open_as_utf8, transcode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from strategies import Anything

WEB = [
    f"whatwg:{label}"
    for label in (
        *("gbk", "big5", "shift_jis", "euc-jp", "euc-kr", "iso-2022-jp"),
        *("windows-1252", "x-user-defined", "utf-16le"),
    )
]
SOURCES = [
    *families.UNICODE,
    "latin-1",
    "ascii",
    "cp1251",
    "cp037",
    *families.MULTI_BYTE,
    "utf-7",
    "hz",
    *WEB,
]
TARGETS = ["utf-8", "utf-16", "utf-32-be", "utf-8-sig", "cp1251", "gb18030", "whatwg:shift_jis"]
# Runs of unmappable characters are cut with the data; the result of this one is the same for all cuts.
REGISTERED = "leadbyte-tests-cut"
handlers.register(REGISTERED, lambda error: ("<>" * (error.end - error.start), error.end))
HANDLERS = [*handlers.BUILT_IN, REGISTERED]
BOM_POLICIES = [None, "keep", "strip", "add"]
TEXT = "a\nÇé я€日本語😀\ufeff한."


class Ending(NamedTuple):
    """The outcome of a stream: its output and its error, described so that cuts do not matter."""

    given: bytes
    error: Anything = None


def described(error: UnicodeError | TypeError, taken: int) -> Anything:
    """Describe an error by its offset in the whole stream, or for text by its first character."""
    if isinstance(error, TypeError):  # of handlers that only know how to encode
        return ("type",)
    if isinstance(error, UnicodeDecodeError):
        start = taken - len(error.object)
        return "decode", error.encoding, start + error.start, start + error.end, error.reason
    assert isinstance(error, UnicodeEncodeError)
    # Python's incremental encoders name the byte order after the BOM.
    return "encode", error.encoding[:6], error.object[error.start], error.reason


def whole(data: bytes, source: str, target: str, errors: str, bom: Anything = None) -> Ending:
    """Convert in one call."""
    try:
        return Ending(transcode(data, source, target, errors=errors, bom=bom))
    except (UnicodeError, TypeError) as error:
        return Ending(b"", described(error, len(data)))


def is_unmappable(char: str, target: str) -> bool:
    """Return whether an encoding has neither a character nor its byte, if that was escaped."""
    try:
        char.encode(target, "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def endings(data: bytes, source: str, target: str, errors: str, bom: Anything = None) -> list[Ending]:
    """Return the possible outcomes of a stream: an unmappable character may precede malformed data.

    It may also follow escaped bytes, with which it is a run of unmappable characters in the whole.
    """
    expected = [whole(data, source, target, errors, bom)]
    if errors == "surrogateescape" and expected[0].error and expected[0].error[0] == "encode":
        kind, encoding, char, reason = expected[0].error
        if "\udc80" <= char <= "\udcff" and "whatwg:" not in source + target:
            char = next(char for char in data.decode(source, errors) if is_unmappable(char, target))
            expected.append(Ending(b"", (kind, encoding, char, reason)))
    if expected[0].error and expected[0].error[0] == "decode":
        before = whole(data[: expected[0].error[2]], source, target, errors, bom)
        expected += [before] if before.error and before.error[0] == "encode" else []
    return expected


def in_pieces(pieces: Sequence[bytes], source: str, target: str, errors: str, bom: Anything = None) -> Ending:
    """Convert piece by piece."""
    transcoder = Transcoder(source, target, errors=errors, bom=bom)
    given, taken = [], 0
    try:
        for piece in pieces:
            taken += len(piece)
            given.append(transcoder.feed(piece))
        given.append(transcoder.finish())
    except (UnicodeError, TypeError) as error:
        with pytest.raises(ValueError, match=r"finished|failed"):
            transcoder.feed(b"a")
        return Ending(b"", described(error, taken))
    return Ending(b"".join(given))


def cut_everywhere(data: bytes) -> Iterator[list[bytes]]:
    """Cut data in two at every byte, and into pieces of one, two and three bytes."""
    for at in range(len(data) + 1):
        yield [data[:at], data[at:]]
    for size in (1, 2, 3):
        yield [data[at : at + size] for at in range(0, len(data), size)]


def samples(source: str) -> list[bytes]:
    """Give short data in an encoding, valid and not."""
    if source.startswith("whatwg:"):
        valid = [
            transcode(TEXT.encode(), "utf-8", source, errors="ignore"),
            transcode(b"abc", "utf-8", source),
        ]
        return [*valid, valid[0] + b"\x80", b"\xff\xfe", b"\x81", b"\x1b$B\x1b(B", b"\x81\x30\x81"]
    marked = [("\ufeff" + TEXT).encode(source, "ignore")]
    broken = families.broken(source)
    few = broken[:: max(1, len(broken) // 12)]
    text = TEXT.encode(source, "ignore")
    return [b"", text, *marked, *few, text[:20] + broken[-1] + text[:12], text[:-1]]


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
def test_cut_everywhere(source: str, target: str) -> None:
    for data, errors in itertools.product(samples(source), ("strict", "replace")):
        expected = endings(data, source, target, errors)
        for pieces in cut_everywhere(data):
            assert in_pieces(pieces, source, target, errors) in expected, (pieces, errors)


@pytest.mark.parametrize("source", [name for name in SOURCES if name.startswith("iso2022")])
@pytest.mark.parametrize("length", range(18))
def test_an_escape_sequence_without_end_is_cut_everywhere(source: str, length: int) -> None:
    for end in (b"", b"B", b'a\x1b$B$"\x1b(B', b"\x1b\x1b$" + bytes(12)):
        data = b"a\x1b$" + bytes(length) + end
        for errors in ("strict", "replace"):
            expected = endings(data, source, "utf-8", errors)
            for pieces in cut_everywhere(data):
                assert in_pieces(pieces, source, "utf-8", errors) in expected, (pieces, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("source", families.CHARMAPS)
def test_every_page_cut(source: str) -> None:
    data = bytes(range(0x100))
    for errors in ("replace", "ignore"):
        for target in ("utf-8", "utf-16-le"):
            expected = whole(data, source, target, errors)
            for size in (1, 7, 130):
                pieces = [data[at : at + size] for at in range(0, len(data), size)]
                assert in_pieces(pieces, source, target, errors) == expected
    back = transcode(data, source, "utf-8", errors="ignore")
    for pieces in cut_everywhere(back):
        assert in_pieces(pieces, "utf-8", source, "strict") == whole(back, "utf-8", source, "strict")


def test_an_unmappable_character_after_an_escaped_byte() -> None:
    data, names = b"\x80\xc2\x80", ("utf-8", "cp1251")
    expected = endings(data, *names, "surrogateescape")
    assert [ending.error[2] for ending in expected] == ["\udc80", "\x80"]
    for pieces in ([data], *cut_everywhere(data)):
        assert in_pieces(pieces, *names, "surrogateescape") in expected


@given(
    st.data(),
    st.tuples(st.sampled_from(SOURCES), st.sampled_from(TARGETS)),
    st.sampled_from(HANDLERS),
    st.sampled_from(BOM_POLICIES),
    strategies.cuts(),
)
def test_any_cut(
    data: st.DataObject, names: tuple[str, str], errors: str, bom: Anything, places: list[int]
) -> None:
    source, target = names
    if source.startswith("whatwg:"):
        content = b"".join(data.draw(st.lists(st.sampled_from(samples(source)), max_size=4)))
    else:
        content = data.draw(families.data_in(source))
    if errors == REGISTERED and "whatwg" in source + target:
        errors = "replace"
    if bom == "add" and target in {"cp1251", "whatwg:shift_jis"}:
        bom = "keep"
    some = in_pieces(strategies.cut(content, places), source, target, errors, bom)
    assert some in endings(content, source, target, errors, bom)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("bom", BOM_POLICIES)
@pytest.mark.parametrize("target", ["utf-8", "utf-16", "utf-32-be", "gb18030"])
@pytest.mark.parametrize("source", [*families.UNICODE, "gb18030", "whatwg:utf-16le"])
def test_marks_cut_everywhere(source: str, target: str, bom: Anything) -> None:
    for text in ("", "\ufeff", "\ufeff\ufeff", "a", "\ufeffa€"):
        data = transcode(text.encode(), "utf-8", source)
        expected = whole(data, source, target, "strict", bom)
        for pieces in cut_everywhere(data):
            assert in_pieces(pieces, source, target, "strict", bom) == expected


@pytest.mark.parametrize("errors", ["surrogateescape", "ignore", "replace", "backslashreplace"])
@pytest.mark.parametrize(
    ("source", "data"),
    [
        ("gb18030", b"abc\xdc1a"),
        ("gb18030", b"\x84J\x953\x1c"),
        ("euc_jp", b"a\x8f0"),
        ("euc_jis_2004", b"\x8e\x8fa"),
    ],
)
def test_truncated_characters_are_decoded_to_the_end(source: str, data: bytes, errors: str) -> None:
    expected = data.decode(source, errors)
    for pieces in cut_everywhere(data):
        decoder = fault_decoder(find(source), errors, keep_bom=False)
        parts = [decoder.feed_with_faults(piece, last=False) for piece in pieces]
        parts.append(decoder.feed_with_faults(b"", last=True))
        assert b"".join(part for part, _ in parts) == expected.encode("utf-8", "surrogatepass")
        assert not any(faults for _, faults in parts)
        assert in_pieces(pieces, source, "utf-16-le", errors) == whole(data, source, "utf-16-le", errors)
        file = io.BytesIO(b"".join(pieces))
        assert "".join(leadbyte.lines(file, encoding=source, errors=errors, newline="")) == expected


def test_it_gives_what_it_can_at_once() -> None:
    transcoder = Transcoder("utf-8", "utf-16-le")
    assert transcoder.feed(b"a\xe2") == b"a\0"
    assert transcoder.feed(b"\x82\xacb\xf0") == b"\xac\x20b\0"
    assert transcoder.feed(b"\x9f\x98") == b""
    assert transcoder.feed(b"\x80") == b"\x3d\xd8\x00\xde"
    assert transcoder.finish() == b""


def test_objects_of_errors() -> None:
    transcoder = Transcoder("utf-8", "utf-16-le")
    transcoder.feed(b"abc\xe2")
    with pytest.raises(UnicodeDecodeError) as raised:
        transcoder.feed(b"\x82a")
    assert raised.value.args == ("utf-8", b"\xe2\x82a", 0, 2, "invalid continuation byte")
    transcoder = Transcoder("utf-8", "latin-1")
    transcoder.feed("abcé\u20ac".encode()[:-1])
    with pytest.raises(UnicodeEncodeError) as raised_too:
        transcoder.feed("€x".encode()[-2:])
    assert raised_too.value.object[raised_too.value.start] == "€"
    transcoder = Transcoder("utf-16-le", "utf-8")
    transcoder.feed(b"a\0\x3d\xd8")
    with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
        transcoder.finish()


@pytest.mark.parametrize("names", [("utf-8", "utf-16"), ("cp037", "utf-8"), ("whatwg:gbk", "utf-8")])
def test_nothing_after_the_end(names: tuple[str, str]) -> None:
    transcoder = Transcoder(*names)
    transcoder.feed(b"a")
    transcoder.finish()
    for data in (b"", b"a"):
        with pytest.raises(ValueError, match="finished"):
            transcoder.feed(data)
    with pytest.raises(ValueError, match="finished"):
        transcoder.finish()


def test_nothing_at_all() -> None:
    for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1251", "gb18030"):
        assert Transcoder("utf-8", name).finish() == "".encode(name)
        assert list(Transcoder("utf-8", name).iter_bytes([])) == [part for part in ["".encode(name)] if part]


def test_names_as_resolved() -> None:
    assert (Transcoder("L1", 1251).source, Transcoder("L1", 1251).target) == ("iso8859-1", "cp1251")
    transcoder = Transcoder("whatwg:latin1", "UTF8")
    assert (transcoder.source, transcoder.target) == ("windows-1252", "utf-8")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("utf-9", "utf-8"), LookupError),
        (("utf-8", "base64"), LookupError),
        (("utf-8", 99999), LookupError),
        (("utf-8",), TypeError),
        (("utf-8", None), TypeError),
        (("utf-8", "utf-16", None), TypeError),
    ],
)
def test_wrong_arguments(arguments: tuple[Anything, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        Transcoder(*arguments)
    with pytest.raises(ValueError, match="bom="):
        Transcoder("utf-8", "latin-1", bom="add")
    with pytest.raises(ValueError, match="bom must be"):
        Transcoder("utf-8", "latin-1", bom="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["idna", "punycode"])
def test_encodings_of_domains_are_converted_as_a_whole(name: str) -> None:
    text = "привет мир"
    assert transcode(text.encode(), "utf-8", name) == text.encode(name)
    assert transcode(text.encode(name), name, "utf-8").decode() == text
    with pytest.raises(LookupError, match="cannot be encoded in pieces, only as a whole"):
        Transcoder("utf-8", name)
    with pytest.raises(LookupError, match="cannot be decoded in pieces, only as a whole"):
        open_as_utf8(io.BytesIO(), name)


@pytest.mark.parametrize(
    "data", [rb"\120\1\12x\0", rb"a\\120\\\120\\", rb"\x41\u0416\U0001F600\N{DIGIT ONE}1", b"\\1", b"\\12"]
)
def test_octal_numbers_are_cut_anywhere(data: bytes) -> None:
    for pieces in cut_everywhere(data):
        ending = in_pieces(pieces, "unicode_escape", "utf-8", "strict")
        assert ending == Ending(data.decode("unicode_escape").encode())


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array.array("B", data)])
@pytest.mark.parametrize("target", ["utf-16-le", "cp037"])
def test_any_buffer(kind: Callable[[bytes], Anything], target: str) -> None:
    transcoder = Transcoder("utf-8", target)
    given = [transcoder.feed(kind(chunk)) for chunk in (b"5 \xc3", b"", b"\xa9")]
    assert b"".join(given) == "5 é".encode(target)
    wrongs: list[Anything] = ["text", None, memoryview(b"abcd")[::2]]
    for wrong in wrongs:
        with pytest.raises((TypeError, BufferError)):
            Transcoder("utf-8", target).feed(wrong)


def test_piece_that_changes_afterwards() -> None:
    transcoder = Transcoder("utf-8", "utf-16-le")
    piece = bytearray(b"a\xe2\x82")
    given = transcoder.feed(piece)
    piece[:] = b"xyz"
    assert given + transcoder.feed(b"\xac") == "a€".encode("utf-16-le")


def test_iter_bytes() -> None:
    chunks = [b"", b"a\xe2", b"\x82", b"\xac", b""]
    assert list(Transcoder("utf-8", "utf-16-be").iter_bytes(chunks)) == [b"\0a", b"\x20\xac"]
    taken = []

    def lazily() -> Iterator[bytes]:
        for chunk in chunks:
            taken.append(chunk)
            yield chunk

    given = Transcoder("utf-8", "utf-16-be").iter_bytes(lazily())
    assert next(given) == b"\0a"
    assert len(taken) == 2
    with pytest.raises(UnicodeDecodeError):
        list(Transcoder("utf-8", "utf-16").iter_bytes([b"\xe2"]))


def test_threads_that_feed_one() -> None:
    """A piece is taken whole or refused; nothing is mixed."""
    transcoder = Transcoder("cp1251", "utf-8")
    piece = b"\xff" * 300_000
    given: list[int] = []

    def feed() -> None:
        for _ in range(20):
            try:
                given.append(len(transcoder.feed(piece)))
            except ValueError:
                given.append(0)

    threads = [threading.Thread(target=feed) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(given) <= {0, 2 * len(piece)}
    assert any(given)


# Files.

RUSSIAN = "имя;сумма\r\n«Ёж»;5 €\r\n" * 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Make a file of Windows-1251."""
    made = tmp_path / "table.csv"
    made.write_bytes(RUSSIAN.encode("cp1251"))
    return made


def test_file_by_path(path: Path) -> None:
    for name in (path, str(path)):
        with open_as_utf8(name, "cp1251") as file:
            assert file.readable()
            assert not file.writable()
            assert file.read() == RUSSIAN.encode()
            assert file.read() == b""
            raw = file.raw._file  # type: ignore[attr-defined]
        assert file.closed
        assert raw.closed


def test_file_that_is_open(path: Path) -> None:
    with path.open("rb") as opened:
        with open_as_utf8(opened, "windows-1251") as file:
            assert file.read(3) == "и".encode() + "м".encode()[:1]
        assert not opened.closed
    with open_as_utf8(io.BytesIO(b"\xff\xfea\0"), "utf-16") as file:
        assert file.read() == b"a"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 8191, 10_000_000])
def test_read_sizes(path: Path, size: int) -> None:
    with open_as_utf8(path, 1251) as file:
        assert b"".join(iter(lambda: file.read(size), b"")) == RUSSIAN.encode()
    with open_as_utf8(path, 1251) as file:
        assert b"".join(iter(lambda: file.read1(size), b"")) == RUSSIAN.encode()


def test_readinto_and_peek(path: Path) -> None:
    with open_as_utf8(path, "cp1251") as file:
        assert file.peek(2)[:2] == "и".encode()
        out = array.array("H", bytes(20))
        assert file.readinto(out) == 20
        assert out.tobytes() == RUSSIAN.encode()[:20]
        assert file.readline() == RUSSIAN.encode()[20:].partition(b"\n")[0] + b"\n"


class Dribble(io.RawIOBase):
    """A raw file that gives a byte at a time, and sometimes nothing yet."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.waiting = False

    def readable(self) -> bool:
        return True

    def read(self, _size: int = -1, /) -> bytes | None:
        self.waiting = not self.waiting
        if self.waiting:
            return None
        byte, self.data = self.data[:1], self.data[1:]
        return byte


def test_file_that_dribbles() -> None:
    dribble: Anything = Dribble("я€".encode("utf-16-le"))
    file = open_as_utf8(dribble, "utf-16-le")
    given = b""
    while dribble.data:
        given += file.read(1) or b""
    while byte := file.read(1) or file.read(1):
        given += byte
    assert given == "я€".encode()


def test_file_to_text_and_tables(path: Path) -> None:
    with open_as_utf8(path, "cp1251") as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        assert list(csv.reader(text, delimiter=";"))[:2] == [["имя", "сумма"], ["«Ёж»", "5 €"]]
    with open_as_utf8(path, "cp1251") as file:
        assert [line.decode() for line in file] == RUSSIAN.splitlines(keepends=True)


def test_file_for_pandas(path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with open_as_utf8(path, "cp1251") as file:
        assert pandas.read_csv(file, sep=";", encoding="utf-8")["имя"][0] == "«Ёж»"


@pytest.mark.one_implementation
def test_file_for_polars(path: Path) -> None:
    polars = pytest.importorskip("polars")
    with open_as_utf8(path, "cp1251") as file:
        assert polars.read_csv(file, separator=";")["имя"][0] == "«Ёж»"


def test_file_without_seek(path: Path) -> None:
    with open_as_utf8(path, "cp1251") as file:
        assert not file.seekable()
        with pytest.raises(io.UnsupportedOperation):
            file.seek(0)
        with pytest.raises(io.UnsupportedOperation):
            file.tell()


def test_marks_of_files() -> None:
    for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"):
        data = transcode("a€".encode(), "utf-8", name, bom="add")
        assert open_as_utf8(io.BytesIO(data), name).read() == "a€".encode()


def test_errors_in_files() -> None:
    data = b"text\x98"
    with pytest.raises(UnicodeDecodeError):
        open_as_utf8(io.BytesIO(data), "cp1251").read()
    assert open_as_utf8(io.BytesIO(data), "cp1251", errors="replace").read() == "text\ufffd".encode()
    with pytest.raises(LookupError):
        open_as_utf8(io.BytesIO(data), "utf-9")
    with pytest.raises(UnicodeDecodeError, match="truncated"):
        open_as_utf8(io.BytesIO(b"a"), "utf-16-le").read()


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_as_utf8(tmp_path / "none", "cp1251")
    with pytest.raises(LookupError):
        open_as_utf8(tmp_path / "none", "utf-9")


@pytest.mark.parametrize("piece", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("encoding", "data", "text", "faults"),
    [
        ("ascii", b"a\xffb\xfe\xfd", b"a\xffb\xff\xff", [(1, b"\xff"), (3, b"\xfe"), (4, b"\xfd")]),
        ("utf-8", b"\xe2\x82a\xe2\x82\xac\xff", b"\xffa\xe2\x82\xac\xff", [(0, b"\xe2\x82"), (6, b"\xff")]),
        ("utf-16-le", b"a\0\0\xdcb\0\0", b"a\xffb\xff", [(2, b"\0\xdc"), (6, b"\0")]),
        ("whatwg:shift_jis", b"\x82\xa0\xff\x82", "あ".encode() + b"\xff\xff", [(2, b"\xff"), (3, b"\x82")]),
        ("euc_kr", b"\xb0\xa1\xff\xffa\xb0", "가".encode() + b"\xff\xffa\xff", None),
        ("iso2022_jp", b'\x1b$B$"\xff\x1b(Ba', "あ".encode() + b"\xffa", [(5, b"\xff")]),
    ],
)
def test_faults_of_decoders(
    encoding: str, data: bytes, text: bytes, faults: list[tuple[int, bytes]] | None, piece: int
) -> None:
    decoder = fault_decoder(find(encoding), "strict", keep_bom=False)
    pieces = [data[start : start + piece] for start in range(0, len(data), piece)]
    results = [decoder.feed_with_faults(part, last=False) for part in pieces]
    results.append(decoder.feed_with_faults(b"", last=True))
    found = [(start, part) for _, collected in results for start, part, _ in collected]
    assert b"".join(converted for converted, _ in results) == text
    assert found == faults or faults is None
    assert all(data[start : start + len(part)] == part for start, part in found)


@pytest.mark.parametrize(
    "encoding", ["latin-1", "utf-16-be", "shift_jis", "iso2022_jp", "whatwg:windows-1252"]
)
def test_faults_of_encoders(encoding: str) -> None:
    text = "a\ud800é あ\udfff\U0001f600z"
    plain = encoding.removeprefix("whatwg:").replace("windows-", "cp")
    lacking, offset = [], 0
    for char in text:
        encoded = char.encode("utf-8", "surrogatepass")
        try:
            char.encode(plain)
        except UnicodeEncodeError:
            lacking.append((offset, encoded))
        offset += len(encoded)
    encoder = fault_encoder(find(encoding), "strict")
    data = text.encode("utf-8", "surrogatepass")
    converted, faults = encoder.feed_with_faults(data, last=True)
    assert [(start, char) for start, char, _ in faults] == lacking
    assert converted == text.encode(plain, "ignore")


def test_surrogates_of_a_codec_are_not_in_an_encoding_that_python_lacks() -> None:
    data = "a\ud800".encode("utf-7", "surrogatepass")
    with pytest.raises(UnicodeEncodeError) as found:
        Transcoder("utf-7", "whatwg:windows-1252").feed(data)
    assert (found.value.object, found.value.start, found.value.end) == ("a\ud800", 1, 2)
    transcoder = Transcoder("utf-7", "whatwg:windows-1252", errors="xmlcharrefreplace")
    assert transcoder.feed(data) + transcoder.finish() == b"a&#55296;"
