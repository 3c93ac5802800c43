"""The codecs of leadbyte.codec and the incremental classes, against Python's utf-8 and utf-8-sig."""

from __future__ import annotations

import codecs
import ctypes
import io
import pickle
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import leadbyte
import leadbyte.codec
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from strategies import Anything

leadbyte.codec.register()
PAIRS = [("leadbyte-utf-8", "utf-8"), ("leadbyte-utf-8-sig", "utf-8-sig")]
pairs = pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[ours for ours, _ in PAIRS])
DECODING = ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass", "unknown"]
ENCODING = [*DECODING, "xmlcharrefreplace", "namereplace"]
TEXT = "".join(strategies.SCRIPTS.values())
SURROGATES = ["\ud800", "\udfff", "\ud83d\ude00", "a\udc80€", "\udcff\udcff"]
DATA = [
    b"", b"a", strategies.TEXT, *strategies.BROKEN, b"".join(strategies.BROKEN),
    *(codecs.BOM_UTF8[:length] for length in range(4)), codecs.BOM_UTF8 * 2,
    codecs.BOM_UTF8 + strategies.TEXT, codecs.BOM_UTF8 + b"\xff",
    b"\xef\xbb\xff", b"\xef\xbbA", b"\xefA", b"a\xef\xbb\xbf",
]  # fmt: skip


class Outcome(NamedTuple):
    """What calling something came to."""

    result: Anything
    error: Anything = None


def outcome(function: Callable[..., Anything], *arguments: Anything) -> Outcome:
    """Call a function; return its result, or all there is to an exception."""
    try:
        return Outcome(function(*arguments))
    except UnicodeError as error:
        return Outcome(None, (type(error), error.args))
    except LookupError as error:
        # Some versions of Python say beside which codec it was.
        return Outcome(None, (type(error), "unknown error handler name 'unknown'" in str(error)))


def test_registered_once() -> None:
    info = codecs.lookup("leadbyte-utf-8")
    leadbyte.codec.register()
    leadbyte.codec.register()
    assert codecs.lookup("leadbyte-utf-8") is info


def test_not_registered_by_import() -> None:
    program = "import codecs, leadbyte, leadbyte.codec; codecs.lookup('leadbyte-utf-8')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("LookupError: unknown encoding: leadbyte-utf-8\n")


@pytest.mark.parametrize("name", ["leadbyte-utf-8", "leadbyte_utf_8", "LEADBYTE-UTF-8", "Leadbyte utf 8"])
def test_spellings(name: str) -> None:
    assert codecs.lookup(name).name == "leadbyte-utf-8"


@pytest.mark.parametrize("name", ["leadbyte-utf-16", "leadbyte", "leadbyte-utf-8-bom", "utf-8-leadbyte"])
def test_other_names(name: str) -> None:
    with pytest.raises(LookupError):
        codecs.lookup(name)


@pairs
def test_names(ours: str, theirs: str) -> None:
    assert codecs.lookup(ours).name == ours
    assert codecs.lookup(theirs).name == theirs


@pairs
@pytest.mark.parametrize("errors", DECODING)
def test_decode(ours: str, theirs: str, errors: str) -> None:
    for data in DATA:
        assert outcome(data.decode, ours, errors) == outcome(data.decode, theirs, errors)
        for kind in (bytes, bytearray, memoryview):
            found = outcome(codecs.lookup(ours).decode, kind(data), errors)
            assert found == outcome(codecs.lookup(theirs).decode, kind(data), errors)


@pairs
@pytest.mark.parametrize("errors", ENCODING)
def test_encode(ours: str, theirs: str, errors: str) -> None:
    for text in ("", "a", TEXT, *SURROGATES, "\ufeffa", "".join(SURROGATES)):
        assert outcome(text.encode, ours, errors) == outcome(text.encode, theirs, errors)
        found = outcome(codecs.lookup(ours).encode, text, errors)
        assert found == outcome(codecs.lookup(theirs).encode, text, errors)


@pairs
@pytest.mark.parametrize("argument", ["text", 5, None, [65]])
def test_decode_of_no_bytes(ours: str, theirs: str, argument: Anything) -> None:
    for encoding in (ours, theirs):
        with pytest.raises(TypeError):
            codecs.decode(argument, encoding)


@pairs
@pytest.mark.parametrize("argument", [b"text", 5, None])
def test_encode_of_no_text(ours: str, theirs: str, argument: Anything) -> None:
    for encoding in (ours, theirs):
        with pytest.raises(TypeError):
            codecs.encode(argument, encoding)


def steps(encoding: str, errors: str, pieces: list[bytes]) -> list[Anything]:
    """Decode pieces; return what came of each and the state after it, up to the first exception."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    taken: list[Anything] = []
    for index, piece in enumerate(pieces):
        found = outcome(decoder.decode, piece, index == len(pieces) - 1)
        taken.append((found, decoder.getstate()))
        if found.error:
            break
    return taken


@pytest.mark.one_implementation
@pairs
@pytest.mark.parametrize("errors", DECODING)
def test_incremental_decoder_cut_at_every_byte(ours: str, theirs: str, errors: str) -> None:
    for data in DATA:
        cuts = [[data[:at], data[at:]] for at in range(min(len(data), 300) + 1)]
        cuts += [[bytes([byte]) for byte in data] + [b""], [data], [data, b"", b""]]
        for pieces in cuts:
            assert steps(ours, errors, pieces) == steps(theirs, errors, pieces)


@pytest.mark.one_implementation
@given(strategies.data(), strategies.cuts(), st.sampled_from(PAIRS), st.sampled_from(DECODING))
def test_incremental_decoder(data: bytes, places: list[int], pair: tuple[str, str], errors: str) -> None:
    pieces = strategies.cut(data, places)
    assert steps(pair[0], errors, pieces) == steps(pair[1], errors, pieces)


@pairs
@pytest.mark.parametrize("data", [b"a\xe2\x82", codecs.BOM_UTF8 + b"a\xf0", b"\xef\xbb", b""])
def test_state_of_a_decoder(ours: str, theirs: str, data: bytes) -> None:
    for_ours, for_theirs = (codecs.getincrementaldecoder(encoding)() for encoding in (ours, theirs))
    assert for_ours.decode(data) == for_theirs.decode(data)
    state = for_ours.getstate()
    assert state == for_theirs.getstate()
    assert type(state[1]) is int
    for decoder in (for_ours, for_theirs):
        decoder.reset()
        assert decoder.decode(codecs.BOM_UTF8 + b"b") in {"b", "\ufeffb"}
        decoder.setstate(state)
    rest = b"\xbf\x82\xac"
    assert outcome(for_ours.decode, rest, True) == outcome(for_theirs.decode, rest, True)


@pairs
def test_decoder_after_an_exception(ours: str, theirs: str) -> None:
    for_ours, for_theirs = (codecs.getincrementaldecoder(encoding)() for encoding in (ours, theirs))
    for piece in (b"a\xe2", b"\x82\xff", b"\xac", b"\x82\xac"):
        assert outcome(for_ours.decode, piece) == outcome(for_theirs.decode, piece)
        assert for_ours.getstate() == for_theirs.getstate()


@pairs
@pytest.mark.parametrize("errors", ENCODING)
def test_incremental_encoder(ours: str, theirs: str, errors: str) -> None:
    for_ours, for_theirs = (codecs.getincrementalencoder(encoding)(errors) for encoding in (ours, theirs))
    for text in ("", "a", TEXT, *SURROGATES):
        assert outcome(for_ours.encode, text) == outcome(for_theirs.encode, text)
        assert for_ours.getstate() == for_theirs.getstate()
    for state in (1, 0):
        for_ours.setstate(state)
        for_theirs.setstate(state)
        assert for_ours.encode("a") == for_theirs.encode("a")
    for_ours.reset()
    for_theirs.reset()
    assert for_ours.encode("€", final=True) == for_theirs.encode("€", final=True)


def test_top_level_classes() -> None:
    info = codecs.lookup("leadbyte-utf-8")
    assert info.incrementaldecoder is leadbyte.IncrementalDecoder
    assert info.incrementalencoder is leadbyte.IncrementalEncoder
    assert leadbyte.IncrementalDecoder("replace").errors == "replace"
    assert leadbyte.IncrementalEncoder().errors == "strict"
    assert pickle.loads(pickle.dumps(leadbyte.IncrementalDecoder)) is leadbyte.IncrementalDecoder


@pairs
@pytest.mark.parametrize("newline", [None, "", "\n", "\r", "\r\n"], ids=repr)
def test_open(tmp_path: Path, ours: str, theirs: str, newline: str | None) -> None:
    text = "один\r\n€\r\n\r😀" * 5000 + "\r"
    for encoding in (ours, theirs):
        with (tmp_path / encoding).open("w", encoding=encoding, newline=newline) as file:
            file.write(text[:7])
            file.write(text[7:])
    assert (tmp_path / ours).read_bytes() == (tmp_path / theirs).read_bytes()
    for path in (tmp_path / ours, tmp_path / theirs):
        opened = [path.open(encoding=encoding, newline=newline) for encoding in (ours, theirs)]
        with opened[0] as for_ours, opened[1] as for_theirs:
            assert for_ours.readline() == for_theirs.readline()
            assert for_ours.read(5) == for_theirs.read(5)
            assert for_ours.read() == for_theirs.read()
            assert for_ours.newlines == for_theirs.newlines
            for file in opened:
                file.seek(0)
            assert list(for_ours) == list(for_theirs)


@pairs
def test_tell_and_seek(tmp_path: Path, ours: str, theirs: str) -> None:
    path = tmp_path / "file"
    path.write_text(TEXT * 100, encoding=theirs)
    with path.open(encoding=ours) as for_ours, path.open(encoding=theirs) as for_theirs:
        places = []
        for size in (0, 1, 1, 2, 3, 50, 8191, 1, 9000):
            assert for_ours.read(size) == for_theirs.read(size)
            places.append(for_ours.tell())
            assert places[-1] == for_theirs.tell()
        for place in (*reversed(places), 0):
            assert for_ours.seek(place) == for_theirs.seek(place)
            assert for_ours.read(20) == for_theirs.read(20)
        assert for_ours.seek(0, io.SEEK_END) == for_theirs.seek(0, io.SEEK_END)
        assert for_ours.read() == for_theirs.read() == ""


@pairs
def test_append_and_write_elsewhere(tmp_path: Path, ours: str, theirs: str) -> None:
    for encoding in (ours, theirs):
        path = tmp_path / encoding
        for mode, text in (("w", "раз\n"), ("a", "два\n"), ("a", "три\n")):
            with path.open(mode, encoding=encoding) as file:
                file.write(text)
        with path.open("r+", encoding=encoding) as file:
            assert file.readline() == "раз\n"
            file.seek(0)
            file.write("Я")
            file.seek(0, io.SEEK_END)
            file.write("€")
        (tmp_path / f"new {encoding}").touch()
        with (tmp_path / f"new {encoding}").open("a", encoding=encoding) as file:
            file.write("€")
    assert (tmp_path / ours).read_bytes() == (tmp_path / theirs).read_bytes()
    assert (tmp_path / ours).read_bytes().count(codecs.BOM_UTF8) == (ours == "leadbyte-utf-8-sig")
    assert (tmp_path / f"new {ours}").read_bytes() == (tmp_path / f"new {theirs}").read_bytes()


@pairs
@pytest.mark.parametrize("errors", DECODING[:-1])
def test_open_with_errors(tmp_path: Path, ours: str, theirs: str, errors: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\n".join(strategies.BROKEN) * 50)
    found = []
    for encoding in (ours, theirs):
        with path.open(encoding=encoding, errors=errors) as file:
            found.append([outcome(file.read, 1000), outcome(file.read)])
    assert found[0] == found[1]


@pairs
@pytest.mark.parametrize("errors", DECODING[1:-2])
def test_stream_reader(ours: str, theirs: str, errors: str) -> None:
    for data in DATA:
        for size in (-1, 1, 2, 3, 4, 100):
            readers = [codecs.getreader(encoding)(io.BytesIO(data), errors) for encoding in (ours, theirs)]
            while True:
                for_ours, for_theirs = (reader.read(size) for reader in readers)
                assert for_ours == for_theirs
                if not for_ours:
                    break
            for reader in readers:
                reader.seek(0)
            assert readers[0].readlines() == readers[1].readlines()


@pairs
def test_stream_writer(ours: str, theirs: str) -> None:
    written = []
    for encoding in (ours, theirs):
        raw = io.BytesIO()
        writer = codecs.getwriter(encoding)(raw, "surrogateescape")
        writer.write("€")
        writer.writelines(["a\n", "\udcff"])
        writer.reset()
        writer.write("b")
        writer.seek(0)
        writer.write("c")
        written.append(raw.getvalue())
    assert written[0] == written[1]


@pairs
def test_codecs_open_and_iterators(tmp_path: Path, ours: str, theirs: str) -> None:
    path = tmp_path / "file"
    path.write_text(TEXT, encoding=theirs, newline="")
    with codecs.StreamReaderWriter(path.open("rb"), *codecs.lookup(ours)[2:]) as file:
        assert file.read() == TEXT
    encoded = list(codecs.iterencode(iter(TEXT), ours))
    assert encoded == list(codecs.iterencode(iter(TEXT), theirs))
    assert "".join(codecs.iterdecode(encoded, ours)) == TEXT


DETECTED = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "koi8-r", "cp1251"])
@pytest.mark.parametrize("plain", [0, 40_000])
def test_detected_encodings(tmp_path: Path, encoding: str, plain: int) -> None:
    path = tmp_path / "text"
    text = "ASCII\n" * plain + DETECTED * 999
    data = text.encode(encoding)
    path.write_bytes(data)
    assert data.decode("leadbyte-detect") == text
    with path.open(encoding="leadbyte-detect") as file:
        assert list(file) == text.splitlines(keepends=True)
        file.seek(0)
        assert file.read(10) == text[:10]
    # As codecs.open() does, which is deprecated from Python 3.14 on.
    with codecs.getreader("leadbyte-detect")(path.open("rb")) as stream:
        assert stream.read() == text
        stream.reset()
    assert "".join(codecs.iterdecode([data[:3], data[3:9999], data[9999:]], "leadbyte-detect")) == text


@pytest.mark.parametrize("length", [0, 9, 2000])
def test_states_of_detecting_decoders(length: int) -> None:
    data = (DETECTED * 99).encode("koi8-r")
    decoder = codecs.getincrementaldecoder("leadbyte-detect")()
    start = decoder.decode(data[:length])
    state = decoder.getstate()
    rest = decoder.decode(data[length:], True)
    assert start + rest == DETECTED * 99
    decoder.setstate(state)
    assert decoder.decode(data[length:], True) == rest


# Much ASCII, whose start declares the encoding of the few characters after it; and a line without an end.
DECLARED = {
    encoding: f'<meta charset="{encoding}">\n{plain * count}{word}\n'
    for encoding, word, plain, count in [
        ("ibm866", "Да", "plain text\n", 8000),
        ("iso-8859-2", "éé", "plain text\n", 1600),
        ("iso2022_jp", "日本語のテキスト", "plain text\n", 3000),
        ("hz", "中文", "plain text {\n", 3000),
        ("koi8-r", "Привет", "plain text ", 3000),
        ("shift_jis", "日", "plain text\n", 1500),
        ("utf-8", "é€", "plain text\n", 3000),
    ]
}


@pytest.mark.one_implementation
@pytest.mark.parametrize("encoding", DECLARED)
def test_detection_does_not_depend_on_how_data_is_cut(encoding: str) -> None:
    text = DECLARED[encoding]
    data = text.encode(encoding)
    new = codecs.getincrementaldecoder("leadbyte-detect")
    assert new().decode(data, True) == text
    for seed in range(4):
        random = Random(seed)
        decoder, found, at = new(), "", 0
        while at < len(data):
            piece = data[at : at + random.choice([1, 7, 100, 5000, 8192, 100_000])]
            at += len(piece)
            found += decoder.decode(piece, at == len(data))
            if random.random() < 0.5:
                # Its state is all that another one needs.
                state = decoder.getstate()
                decoder = new()
                decoder.setstate(state)
        assert found == text


@pytest.mark.one_implementation
@pytest.mark.parametrize("encoding", DECLARED)
def test_places_in_text_whose_encoding_is_detected(encoding: str) -> None:
    data = DECLARED[encoding].encode(encoding)

    def opened() -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(data), "leadbyte-detect", newline="")

    file = opened()
    # As long as ASCII is held, tell() is slow.
    text = file.read(20_000)
    places = []
    while line := file.readline():
        places.append((file.tell(), len(text := text + line)))
    assert text == DECLARED[encoding]
    for place, length in places[:: max(1, len(places) // 20)]:
        for again in (file, opened()):
            again.seek(place)
            assert again.read() == text[length:]


def test_detecting_decoders_after_an_exception() -> None:
    binary = b"\0\1\2\xff\xfe\3" * 20
    decoder = codecs.getincrementaldecoder("leadbyte-detect")()
    assert decoder.decode(b"plain ") == ""
    for _ in range(2):
        with pytest.raises(UnicodeDecodeError, match="not text in a known encoding, but binary"):
            decoder.decode(binary, True)
    assert decoder.decode(b"text", True) == "plain text"
    decoder = codecs.getincrementaldecoder("leadbyte-detect")("unknown")
    assert decoder.decode(b"plain ") == ""
    with pytest.raises(LookupError):
        decoder.decode("€".encode() * 20 + b"\xff", True)
    decoder.errors = "replace"
    assert decoder.decode("€".encode() * 20 + b"\xff", True) == "plain " + "€" * 20 + "\ufffd"
    reader = codecs.getreader("leadbyte-detect")(io.BytesIO(binary))
    for _ in range(3):
        with pytest.raises(UnicodeDecodeError):
            reader.read(5)


@pytest.mark.parametrize("argument", [[97, 98], 5, "text", memoryview(b"abcd")[::2]])
def test_detection_in_no_bytes(argument: Anything) -> None:
    with pytest.raises((TypeError, BufferError)):
        codecs.decode(argument, "leadbyte-detect")


def test_objects_with_the_buffer_protocol() -> None:
    data = (ctypes.c_ubyte * 7)(*codecs.BOM_UTF8, *b"text")
    for encoding in ("leadbyte-utf-8-sig", "leadbyte-detect"):
        assert codecs.decode(data, encoding) == "text"


def test_complete_text_is_cut_utf_8_unless_it_declares_otherwise() -> None:
    data = '<meta charset="ibm866">\nplain text ёж'.encode("cp866")
    assert data.decode("leadbyte-detect")[-2:] == "ёж"
    for start in (b"", b'<meta charset="utf-8">'):
        with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
            (start + b"plain text that was cut at \xe2\x82").decode("leadbyte-detect")


def test_escape_sequences_of_terminals() -> None:
    text = "\x1b[31mred\x1b[0m text, not a sequence ~{\n" * 3000
    assert text.encode().decode("leadbyte-detect") == text
    decoder = codecs.getincrementaldecoder("leadbyte-detect")()
    found = [decoder.decode(text[at : at + 999].encode()) for at in range(0, len(text), 999)]
    # No more is held than a detection needs.
    assert len(text) - len("".join(found)) < 20_000
    assert "".join(found) + decoder.decode(b"", True) == text


def test_what_cannot_be_detected() -> None:
    with pytest.raises(UnicodeDecodeError, match="not text in a known encoding, but gzip"):
        b"\x1f\x8b\x08\0\0".decode("leadbyte-detect")
    assert b"".decode("leadbyte-detect") == ""
    for encode in (
        codecs.getincrementalencoder("leadbyte-detect")().encode,
        codecs.getencoder("leadbyte-detect"),
    ):
        with pytest.raises(UnicodeError, match="leadbyte-detect only decodes"):
            encode("text")
    with pytest.raises(UnicodeError, match="leadbyte-detect only decodes"):
        codecs.getwriter("leadbyte-detect")(io.BytesIO()).write("text")


def fallback(encoding: str, data: bytes) -> str:
    """Decode as the error handlers do, byte by byte."""
    characters = [bytes([byte]).decode(encoding, "replace") for byte in data]
    pairs = zip(data, characters, strict=True)
    return "".join(chr(byte) if char == "\ufffd" and byte < 0xA0 else char for byte, char in pairs)


@pytest.mark.one_implementation
@pytest.mark.parametrize("encoding", leadbyte.codec.FALLBACKS)
def test_fallback_handlers(encoding: str) -> None:
    name = f"leadbyte-{encoding}"
    for byte in range(0x80, 0x100):
        single = bytes([byte])
        expected = fallback(encoding, single)
        for data, text in ((single, expected), (b"a" + single + b"\xe2\x82\xac", f"a{expected}€")):
            assert data.decode(errors=name) == leadbyte.decode(data, errors=name) == text
            assert data.decode("leadbyte-utf-8", name) == text
        assert (b"a" + single).decode("ascii", name) == f"a{expected}"
    # An incomplete sequence is one error of several bytes.
    for data in (b"\xe2\x82", b"\xf0\x9f\x98", b"\xe2\x82A"):
        assert data.decode(errors=name) == leadbyte.decode(data, errors=name)
        assert data.decode(errors=name) == fallback(encoding, data)
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        leadbyte.encode("\udc80", errors=name)
    with pytest.raises(UnicodeEncodeError):
        "\u0f00".encode("ascii", name)
    with pytest.raises(UnicodeTranslateError):
        codecs.lookup_error(name)(UnicodeTranslateError("a", 0, 1, "reason"))


def test_fallback_handlers_in_files(tmp_path: Path) -> None:
    path = tmp_path / "mixed.log"
    path.write_bytes("Zoë\n".encode() + "Björn\n".encode("latin-1"))
    with path.open(encoding="utf-8", errors="leadbyte-cp1252") as file:
        assert file.read() == "Zoë\nBjörn\n"
    assert leadbyte.read_text(path, errors="leadbyte-cp1252") == "Zoë\nBjörn\n"
    with pytest.raises(LookupError):
        b"\xff".decode(errors="leadbyte-utf-16")
