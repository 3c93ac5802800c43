"""detect: marks, structure, signatures, UTF-8 cut anywhere, and real sentences in legacy encodings."""

from __future__ import annotations

import bz2
import codecs
import copy
import gzip
import io
import lzma
import pickle
import random
import sqlite3
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, cast

import encoded
import leadbyte
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from leadbyte import Detection, Detector, detect, detect_all
from sentences import LANGUAGES, sentences

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"
# The share that must be right of samples in the encodings usual for their languages, by their length.
FLOORS = {50: 0.97, 200: 0.98, 2000: 0.96}
MARKS = {
    "utf-8-sig": codecs.BOM_UTF8 + RUSSIAN.encode(),
    "utf-16": codecs.BOM_UTF16_LE + RUSSIAN.encode("utf-16-le"),
    "utf-32": codecs.BOM_UTF32_BE + RUSSIAN.encode("utf-32-be"),
    "gb18030": ("\ufeff" + RUSSIAN).encode("gb18030"),
}
WIDE = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
FIELDS = ["encoding", "language", "declared", "bom", "valid_utf8", "truncated", "confidence", "kind"]


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("text", RUSSIAN)
    return file.getvalue()


def archived() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("text"))
    return file.getvalue()


def picture() -> bytes:
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + chunk + struct.pack(">I", zlib.crc32(chunk))


FORMATS = {
    "gzip": gzip.compress(RUSSIAN.encode()),
    "bzip2": bz2.compress(RUSSIAN.encode()),
    "xz": lzma.compress(RUSSIAN.encode()),
    "zip": zipped(),
    "tar": archived(),
    "png": picture(),
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "gif": b"GIF89a\x01\x00\x01\x00\x00\x00\x00;",
    "elf": b"\x7fELF\x02\x01\x01" + bytes(9),
    "wasm": b"\x00asm\x01\x00\x00\x00",
}


def reads(data: bytes, text: str) -> bool:
    """Return whether the encoding detected gives the text of the data."""
    encoding = detect(data).encoding
    return encoding is not None and data.decode(encoding) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_utf8_is_recognised_wherever_it_is_cut(language: str) -> None:
    text = " ".join(sentences(language)[:40])
    data = text.encode()
    for start in range(0, 400, 100):
        piece = text[start:].encode()
        for end in range(len(piece[:120]) + 1):
            if not piece[end - 1 : end].isascii() and piece[: end - 1].isascii():
                continue  # a short text is not cut within its first character beyond ASCII
            found = detect(piece[:end])
            assert found.encoding in ({"ascii", "utf-8"} if piece[:end].isascii() else {"utf-8"})
            assert found.kind == ("text" if end else "empty")
            assert found.truncated != found.valid_utf8
    found = detect(data)
    assert (found.encoding, found.valid_utf8, found.confidence) == (
        "ascii" if text.isascii() else "utf-8",
        True,
        1.0,
    )


@pytest.mark.parametrize("encoding", MARKS)
def test_marks(encoding: str) -> None:
    found = detect(MARKS[encoding])
    assert (found.encoding, found.bom, found.truncated, found.confidence) == (encoding, True, False, 1.0)
    assert MARKS[encoding].decode(encoding).lstrip("\ufeff") == RUSSIAN
    assert found.valid_utf8 == (encoding == "utf-8-sig")


def test_a_mark_before_what_it_does_not_fit() -> None:
    found = detect(codecs.BOM_UTF8 + b"caf\xe9 noir")
    assert (found.encoding, found.confidence, found.valid_utf8) == ("utf-8-sig", 0.5, False)
    assert detect(codecs.BOM_UTF16_LE + "\ud800".encode("utf-16-le", "surrogatepass") * 2).confidence == 0.5
    assert detect(codecs.BOM_UTF16_BE + RUSSIAN.encode("utf-16-be")[:-1]).truncated


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_utf16_and_utf32_without_a_mark(language: str, encoding: str) -> None:
    text = " ".join(sentences(language)[:10])
    for length in (20, 100, 300):
        data = text[:length].encode(encoding)
        found = detect(data)
        assert (found.encoding, found.bom, found.truncated) == (encoding, False, False), text[:length]
        assert detect(data[:-1]).encoding == encoding
        assert detect(data[:-1]).truncated


@pytest.mark.parametrize("kind", FORMATS)
def test_formats_that_are_no_text(kind: str) -> None:
    found = detect(FORMATS[kind])
    assert (found.encoding, found.kind, found.bom) == (None, kind, False)


def test_a_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "database") as database:
        database.execute("create table texts (text)")
    database.close()
    assert detect((tmp_path / "database").read_bytes()).kind == "sqlite"


def test_nul_is_binary_but_in_utf8() -> None:
    text = f"{RUSSIAN}\n" * 20
    for data in (text.encode("cp1251"), "Größe\n".encode("latin-1") * 20, text.encode() + b"\xff"):
        assert detect(data).kind == "text"
        assert detect(b"\0" + data).kind == "binary"
        assert detect(data[:40] + b"\0" + data[40:]).as_dict() == detect(b"\0" + data).as_dict()
    assert detect(f"{text}\0".encode()).encoding == "utf-8"
    assert detect(f"{text}\0".encode("utf-16-le")).encoding == "utf-16-le"


def test_signatures_that_are_words() -> None:
    for text in ("GIF89a is a format", "MZ are letters", "ID3 and BZ", "OggS"):
        assert detect(text.encode()) == detect(b"text")
    assert detect("MZ heißt nichts, daß ich wüßte".encode("latin-1")).encoding == "windows-1252"


def test_text_in_other_encodings_is_text() -> None:
    for name in ("koi8-r", "utf-16-le", "shift_jis", "utf-8"):
        data = {"shift_jis": "日本の首都は東京です。"}.get(name, "Съешь ещё этих мягких булок").encode(name)
        for asked in (["ascii"], ["utf-8"], ["ascii", "utf-16-be"]):
            if name not in asked:
                found = detect(data, encodings=asked)
                assert (found.encoding, found.kind) == (None, "text"), (name, asked)
    assert detect(random.Random(0).randbytes(500), encodings=["utf-8"]).kind == "binary"


def test_noise_is_binary() -> None:
    source = random.Random(0)
    for length in (64, 500, 5000, 500_000):
        found = detect(source.randbytes(length))
        assert (found.encoding, found.kind) == (None, "binary")
    assert detect(bytes(100)).kind == "binary"
    assert detect(bytes(range(256))).kind == "binary"


LINED = [
    b"\x02" + b"SMITH".ljust(30) + b"JOHN".ljust(30) + b"\x03",
    b"\x07" + b"-" * 79,
    b"=" * 80 + b"\r\n" + b"Title".ljust(80) + b"\x07\n",
    b"downloading " + b"#" * 60 + b" " * 60 + b"\b" * 3,
]


@pytest.mark.parametrize("line", LINED)
@pytest.mark.parametrize("number", [1, 2, 50])
def test_padded_text_with_controls_is_ascii(line: bytes, number: int) -> None:
    for data in (line * number, b"." + line * number, (line * number).replace(b"-", b"+")):
        assert (detect(data).encoding, detect(data).confidence) == ("ascii", 1)


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "iso8859-5", "cp866"])
def test_a_control_anywhere_does_not_matter(encoding: str) -> None:
    text = f"{RUSSIAN}\n".encode(encoding) * 20
    for control in (b"\x0c", b"\x01", b"\x7f"):
        for place in (0, 1, 59, len(text)):
            data = text[:place] + control + text[place:]
            found = detect(data)
            assert found.confidence > 0.9
            assert data.decode(found.encoding or "") == data.decode(encoding)


def test_ascii() -> None:
    found = detect(b"plain\n")
    assert found.as_dict() == {
        "encoding": "ascii",
        "language": None,
        "declared": None,
        "bom": False,
        "valid_utf8": True,
        "truncated": False,
        "confidence": 1.0,
        "kind": "text",
    }
    assert detect(b"\x1b[31mred\x1b[0m").encoding == "ascii"


def test_nothing() -> None:
    found = detect(b"")
    assert (found.encoding, found.kind, found.valid_utf8, found.confidence) == ("utf-8", "empty", True, 1.0)


@pytest.mark.parametrize(
    ("language", "encoding"),
    [("de", "cp437"), ("pt", "cp850"), ("cs", "cp852"), ("ru", "cp855"), ("pl", "mac-latin2")],
)
def test_encodings_that_the_standard_lacks(language: str, encoding: str) -> None:
    text = " ".join(sentences(language)[:30]).encode(encoding, "ignore").decode(encoding)
    assert reads(text.encode(encoding), text)
    boxes = "╔═══╗\n║ 1 ║\n╚═══╝\n┌──┬─┐\n│█░│▒│\n└──┴─┘\n".encode(encoding, "ignore")
    data = text.encode(encoding) * 20 + boxes
    assert reads(data, data.decode(encoding))


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *((language, "cp037") for language in ("en", "de", "is")),
        *(("tr", encoding) for encoding in ("cp857", "cp1026", "mac-turkish")),
        *(("el", encoding) for encoding in ("cp737", "cp869", "cp875", "mac-greek")),
        *(("he", encoding) for encoding in ("cp424", "cp856", "cp862")),
        ("de", "cp273"), ("fr", "cp500"), ("es", "cp1140"),
        ("ar", "cp720"), ("lt", "cp775"), ("pt", "cp860"), ("is", "cp861"), ("fr", "cp863"), ("nb", "cp865"),
        ("uk", "cp1125"), ("hr", "mac-croatian"), ("ro", "mac-romanian"), ("is", "mac-iceland"),
        ("kk", "kz1048"), ("kk", "ptcp154"), ("ko", "johab"), ("ko", "iso2022_kr"), ("zh-Hans", "hz"),
    ],
)  # fmt: skip
def test_encodings_that_python_alone_has(language: str, encoding: str) -> None:
    text = " ".join(sentences(language)[:30])
    text = text.encode(encoding, "ignore").decode(encoding)
    for start in (0, 100):
        assert reads(text[start:].encode(encoding), text[start:])
        assert reads(text[start : start + 200].encode(encoding), text[start : start + 200])
    assert detect(text.encode(encoding)).confidence > 0.5


def shaped(word: str) -> str:
    """Return an Arabic word in presentation forms, as far as CP864 has them."""
    forms = {
        (letter, form.strip("<>")): chr(code)
        for code in range(0xFE80, 0xFEF5)
        for form, letter in [unicodedata.decomposition(chr(code)).split()]
        if chr(code).encode("cp864", "ignore")
    }
    out, joins = "", False
    for at, letter in enumerate(word):
        kinds = ("medial", "final") if joins else ("initial", "isolated")
        wanted = kinds if at + 1 < len(word) else kinds[::-1]
        code = f"{ord(letter):04X}"
        joins = (code, "initial") in forms
        out += next(filter(None, (forms.get((code, kind)) for kind in (*wanted, "isolated", "initial"))), "")
    return out


def test_arabic_in_presentation_forms() -> None:
    text = " ".join(shaped(word) for word in " ".join(sentences("ar")[:20]).split())
    assert reads(text.encode("cp864"), text)


@pytest.mark.parametrize(
    ("encoding", "letters"),
    [
        ("iso8859-8", "אבגדהוזחטיכלמנסעפצקרשת"),
        ("cp1250", "ČčĆćŽžŠšĐđ"),
        ("iso8859-2", "ČčĆćŽžŠšĐđ"),
        ("cp737", "ΑΒΓΔΕΖΗΘαβγδεζηθ"),
    ],
)
@pytest.mark.parametrize("line", ["{}\n", 'key {}  "{}"\n', "<char-{}>\t{}\t# a letter\n"])
def test_lists_of_letters_are_unsure(encoding: str, letters: str, line: str) -> None:
    data = "".join(line.replace("{}", letter) for letter in letters).encode(encoding)
    assert detect(data).confidence < 0.9


def test_ebcdic_has_a_structure_of_its_own() -> None:
    lines = "\x85".join(sentences("en")[:20])
    assert reads(lines.encode("cp037"), lines)
    for data in (
        b"@" * 100,
        b"a@b.org\nc@d.org\n" * 9,
        "@élan@ @été@ ".encode() * 9,
        b"@property\n@final\n" * 9,
    ):
        assert detect(data).encoding in ("ascii", "utf-8")


# Starts of text in encodings of seven bits, and parts of what may follow.
SEQUENCES = {
    b"~{VPND~}": [b"~{", b"~}", b"~~", b"~\n", b"~", b"VPND", b"0!", b"hello ", b"\n", b"{", b"\x15", b"!"],
    b"\x1b$)C\x0e0!\x0f": [
        *(
            b"\x1b$)C",
            b"\x0e",
            b"\x0f",
            b"()",
            b"0!",
            b"\n",
            b"\r\n",
            b"hello",
            b"\x15",
            b"\x1b",
            b"\x1b(B",
            b"!",
        ),
    ],
    b"\x1b$B0!": [
        *(
            b"\x1b(B",
            b"\x1b(J",
            b"\x1b(I",
            b"\x1b$@",
            b"\x1b$B",
            b"\x1b$(D",
            b"\x1b$A",
            b"\x1b$(C",
            b"\x1b$(O",
        ),
        *(b"0!", b"hello", b"\n", b"\r", b"\x0e", b"\x15", b"6@", b"!", b"\x7f", b"\x1bN", b"\x1b.A"),
    ],
}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("日本の首都は東京です", "iso2022_jp"),
        ("日本の首都は東京です\nASCII と", "iso2022_jp"),
        ("ｶﾀｶﾅ", "iso2022_jp_ext"),
        ("日本の丂丄", "iso2022_jp_ext"),
        ("中国 日本 한국", "iso2022_jp_2"),
        ("日本 ① ㇰ", "iso2022_jp_2004"),
        ("서울은 대한민국의 수도이다", "iso2022_kr"),
        ("北京是中国的首都", "hz"),
    ],
)
def test_encodings_of_seven_bits(text: str, encoding: str) -> None:
    assert reads(text.encode(encoding), text)
    found = detect(text.encode(encoding)[:-1])
    assert found.encoding is not None


@given(
    st.sampled_from([*SEQUENCES]).flatmap(
        lambda start: st.tuples(st.just(start), st.lists(st.sampled_from(SEQUENCES[start]), max_size=8))
    )
)
@example((b"", [b"hello ", b"~{VPND~}", b" ~"]))
@example((b"", [b"~{VPND~}", b" ~", b"a"]))
@example((b"\x1b$)C", [b"\x0e", b"()", b"\x0f", b"d, ", b"\x0e", b"\x15)", b"\x0f", b" "]))
@example((b"\x1b$B", [b"0!", b"\n", b"0"]))
def test_confident_detection_of_seven_bits_can_be_decoded(data: tuple[bytes, list[bytes]]) -> None:
    text = data[0] + b"".join(data[1])
    for found in (detect(text), *detect_all(text)):
        if found.encoding and found.confidence > 0.5 and not found.truncated:
            text.decode(found.encoding)


@pytest.mark.parametrize("data", [b"~{name~} and ~/.config", b"\x1b[1mbold\x1b[0m", b"a ~ b ~{", b"\x1b(B"])
def test_other_sequences_are_ascii(data: bytes) -> None:
    assert detect(data).encoding == "ascii"


def test_where_nothing_indicates_an_encoding_it_is_that_of_the_web() -> None:
    for data in (
        b"I am some latin 1 \xc2 text",
        b"\x80 5",
        b"Price: 5 \x80.",
        b"\xa9 2024 Someone",
        b"20 \xb0",
    ):
        assert detect(data).encoding == "windows-1252", data
    # CA may be a no-break space of the Macintosh.
    for byte in {*range(0x82, 0x8D), *range(0x91, 0x9D), *range(0x9E, 0x100)} - {0xCA}:
        data = b"This is a line of text, " + bytes([byte]) + b" and more of it."
        assert detect(data).encoding == "windows-1252", data


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("café", "windows-1252"),
        ("Type to search…", "macintosh"),
        ("Il client SSO è stato modificato.", "cp437"),
        ("Verschnörkelt", "cp437"),
        ("Følgende pakker er holdt tilbake:", "macintosh"),
        ("La password è scaduta", "cp437"),
        ("24 \xd7 80 \xd7 2", "windows-1252"),
        ('A “quick check” may be “maybe”: assert_eq!(decompose("ä"), compose("ä"), "ä");', "windows-1252"),
        ("Kunne ikke ændre ikon", "cp437"),
        ("Not\xa0a\xa0word\xa0more, nor\xa0less", "windows-1252"),
    ],
)
def test_short_texts(text: str, encoding: str) -> None:
    codec = "mac-roman" if encoding == "macintosh" else encoding
    found = detect(text.encode(codec))
    assert (found.encoding, found.truncated) == (encoding, False)


def test_longer_text_may_be_cut_within_its_only_character() -> None:
    found = detect(b"plain text\n" * 30 + "café".encode("latin-1"))
    assert (found.encoding, found.truncated) == ("utf-8", True)


def test_confidence_is_the_share_of_right_answers() -> None:
    found = [
        (detection.confidence, sample.read_as(detection.encoding))
        for language, encodings in encoded.USUAL.items()
        for encoding in (*encodings, "cp850", "cp852")
        for size in (12, 25, 50)
        for sample in encoded.samples(language, encoding, size, 3)
        if (detection := detect(sample.data)).confidence < 1
    ]
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.0)):
        part = [(confidence, right) for confidence, right in found if low <= confidence < high]
        mean = sum(confidence for confidence, _ in part) / len(part)
        error = abs(mean - sum(right for _, right in part) / len(part))
        assert error < 0.1 + len(part) ** -0.5, (low, len(part))


def boxes() -> str:
    rows = [f"║ {name:<12} │ {size:>8} ║" for name, size in (("AUTOEXEC.BAT", 312), ("CONFIG.SYS", 128))]
    return (
        "\n".join(["╔" + "═" * 14 + "╤" + "═" * 10 + "╗", *rows, "╚" + "═" * 14 + "╧" + "═" * 10 + "╝"])
        + "\n"
    )


def test_box_drawings() -> None:
    text = boxes()
    assert detect(text.encode()).encoding == "utf-8"
    for encoding in ("cp437", "cp850", "ibm866"):
        plain = text.translate(str.maketrans("╤╧", "══"))
        assert reads(plain.encode(encoding), plain)
    russian = RUSSIAN + text
    assert reads(russian.encode("cp866"), russian)
    simple = text.translate(str.maketrans("╔╗╚╝═║╤╧", "┌┐└┘─│┬┴")) + RUSSIAN
    assert reads(simple.encode("koi8-r"), simple)


def test_clean_text_is_never_taken_for_another_encoding() -> None:
    log = "".join(
        f'192.0.2.{i} - - [21/Nov/2026:06:25:{i:02} +0000] "GET /~user/{i}?q=%7B{i}%7D HTTP/1.1" 200 {i}\n'
        for i in range(60)
    )
    table = "".join(
        f"| {i} | {i * i:>9} | {'x' * (i % 7):<8} |\n+---+-----------+----------+\n" for i in range(60)
    )
    code = '#!/bin/sh\nset -e\nfor f in ~/{a,b}@*.txt; do echo "${f%.*}" >> $OUT || exit 1; done\n' * 20
    mails = "".join(f"user{i}@example.org;" for i in range(60))
    for text in (log, table, code, mails, "@" * 60, "~{}~" * 9, "+AGE-" * 9):
        for end in (len(text), 40, 41, 200):
            assert detect(text[:end].encode()).encoding == "ascii", text[:end]
    for language in LANGUAGES:
        for sentence in sentences(language)[:40]:
            assert detect(sentence.encode()).encoding in ("utf-8", "ascii")


@pytest.mark.parametrize("size", FLOORS)
def test_real_sentences_in_legacy_encodings(size: int) -> None:
    usual = [
        sample
        for language, encodings in encoded.USUAL.items()
        for encoding in encodings
        for sample in encoded.samples(language, encoding, size, 2)
    ]
    right = [sample.read_as(detect(sample.data).encoding) for sample in usual]
    assert len(right) > 100
    assert sum(right) >= FLOORS[size] * len(right)


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("ru", "koi8-r"),
        ("uk", "cp1251"),
        ("el", "iso8859-7"),
        ("ja", "cp932"),
        ("zh-Hant", "cp950"),
        ("th", "cp874"),
    ],
)
def test_what_stands_far_inside_ascii(language: str, encoding: str) -> None:
    text = sentences(language)[3][:60]
    for size in (1 << 10, 1 << 16, 3 << 20):
        plain = "a line of plain text\n" * (size // 21)
        for data in (plain + text, text + plain, plain + text + "\n" + plain):
            assert reads(data.encode(encoding), data), size


@pytest.mark.parametrize(
    ("language", "encoding", "codec"),
    [("ja", "shift_jis", "cp932"), ("zh-Hans", "gb18030", "gb18030"), ("ko", "euc-kr", "cp949")],
)
def test_characters_of_several_bytes_in_long_data(language: str, encoding: str, codec: str) -> None:
    (sample, *_) = encoded.samples(language, encoding, 3000, 3)
    text = "".join(sample.text.split())
    for start in range(3):
        data = text[start:] * (1 + 200_000 // len(text))
        assert reads(data.encode(codec), data)


def test_a_few_errors_in_utf8() -> None:
    text = " ".join(sentences("ru")[:20]).encode()
    found = detect(text[:500] + b"\xff" + text[501:])
    assert (found.encoding, found.valid_utf8, found.kind) == ("utf-8", False, "text")
    assert found.confidence <= 0.5
    # Its first character cut, as in a piece of a stream.
    assert detect(text[1:]).encoding == "utf-8"


def test_bytes_that_a_codec_of_python_lacks() -> None:
    data = "Señor Müller, año pasado en Köln".encode("cp1252") + b"\x81"
    assert reads(data, data.decode("latin-1"))
    data = RUSSIAN.encode("cp1251") + b"\x98"
    found = detect(data)
    assert (found.encoding, found.confidence) == ("windows-1251", 0.5)
    assert data.decode("windows-1251", "replace") == RUSSIAN + "\ufffd"


def broken_samples() -> st.SearchStrategy[bytes]:
    """Give text in a legacy encoding, cut somewhere and with other bytes put in."""
    whole = [
        sample.data
        for encoding in encoded.CODECS
        for language in ("ru", "pl", "ja", "zh-Hant", "ko", "fr")
        for sample in encoded.samples(language, encoding, 100, 1)
    ]

    def broken(data: bytes, start: int, at: int, other: bytes, end: int) -> bytes:
        return data[start:at] + other + data[at:end]

    place = st.integers(0, 100)
    return st.builds(broken, st.sampled_from(whole), place, place, st.binary(max_size=3), place)


@given(strategies.data() | st.binary(max_size=300) | broken_samples())
@example(b"\xff\xfe")
@example(b"\xff\xfe\x00\x00")
@example(b"\x84\x31\x95\x33")
@example(b"\x1b$B")
@example(b"\x80" * 70)
@example(b"\x81" * 999)
def test_any_bytes_get_an_answer_that_decodes(data: bytes) -> None:
    found = detect(data)
    assert 0 < found.confidence <= 1
    assert (found.encoding is None) == (found.kind not in {"text", "empty"})
    assert found.valid_utf8 == leadbyte.is_valid(data)
    if found.encoding is not None:
        data.decode(found.encoding, "replace")
        if found.confidence > 0.5:
            codecs.getincrementaldecoder(found.encoding)().decode(data, not found.truncated)
    assert pickle.loads(pickle.dumps(found)) == found
    readings = detect_all(data)
    assert readings[0] == found
    assert len({reading.encoding for reading in readings}) == len(readings)
    assert [reading.confidence for reading in readings] == sorted(
        (reading.confidence for reading in readings), reverse=True
    )
    for encoding in ("utf-8", "windows-1252", "koi8-r", "cp932"):
        only = detect(data, encodings=[encoding])
        assert only.encoding in {None, encoding}
        if only.encoding and only.confidence > 0.5:
            codecs.getincrementaldecoder(encoding)().decode(data, not only.truncated)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda found: pickle.loads(pickle.dumps(found))])
@pytest.mark.parametrize(
    "data",
    [b"", b"text", RUSSIAN.encode("koi8-r"), b"<meta charset=koi8-r>", FORMATS["gzip"], bytes(100)],
)
def test_copies_are_the_same(make: Callable[[Detection], Detection], data: bytes) -> None:
    found = detect(data)
    again = make(found)
    assert (again, hash(again), repr(again)) == (found, hash(found), repr(found))
    assert [getattr(again, field) for field in FIELDS] == list(found.as_dict().values())
    assert list(found.as_dict()) == FIELDS
    assert found != detect(b"\xef\xbb\xbf")


def test_fields_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        detect(b"").kind = "text"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Detection()


@pytest.mark.parametrize("field", ["encoding", "language", "kind"])
def test_a_state_of_another_version(field: str) -> None:
    restore, (fields,) = cast("Any", detect(b"text").__reduce__())
    with pytest.raises(ValueError, match="of this version"):
        restore({**fields, field: "unheard-of"})


def test_arguments() -> None:
    for data in (bytearray(b"text"), memoryview(b"text"), memoryview(b"text").cast("H")):
        assert detect(data) == detect(b"text")
    with pytest.raises(TypeError, match="a bytes-like object is required, not 'str'"):
        detect("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        detect(data=b"text")  # type: ignore[call-arg]


def test_all_readings() -> None:
    readings = detect_all("Привет".encode("koi8-r"))
    assert readings[0].encoding == "koi8-r"
    assert len(readings) > 1
    assert sum(reading.confidence for reading in readings) <= 1.1
    # Encodings that give the same text count as one.
    texts = [
        "café noir".encode("latin-1").decode(str(found.encoding)) for found in detect_all(b"caf\xe9 noir")
    ]
    assert len(set(texts)) == len(texts)
    for certain in (b"", b"text", RUSSIAN.encode(), *MARKS.values(), *FORMATS.values()):
        assert detect_all(certain) == [detect(certain)]


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ("utf8", "utf-8"),
        ("latin-1", "iso-8859-1"),
        ("CP1251", "windows-1251"),
        (1251, "windows-1251"),
        ("1251", "windows-1251"),
        ("whatwg:latin1", "windows-1252"),
        ("shift_jis", "cp932"),
        ("gbk", "gb18030"),
        ("euc-kr", "cp949"),
        ("mac-roman", "macintosh"),
        ("iso-8859-9", "windows-1254"),
        ("cp866", "ibm866"),
    ],
)
def test_names_of_encodings(given: str | int, reported: str) -> None:
    assert detect(b"caf\xc3\xa9", encodings=[given]).encoding == reported
    assert detect(b"text", encodings=[given]).encoding == reported
    assert detect(b"", encodings=[given]).encoding == reported


def test_only_some_encodings() -> None:
    assert detect(b"text", encodings=["utf-8"]).encoding == "utf-8"
    assert detect(codecs.BOM_UTF8 + b"text", encodings=["utf-8"]).bom
    assert detect(codecs.BOM_UTF16_LE + b"t\0", encodings=["utf-16-le"]).encoding == "utf-16-le"
    assert detect(RUSSIAN.encode("koi8-r"), encodings=["cp1251", "cp1252"]).encoding != "koi8-r"
    assert detect(RUSSIAN.encode(), encodings=("cp1251",)).confidence <= 0.99
    assert detect(b"text", encodings=["utf-16-le"]).encoding is None
    assert detect(FORMATS["png"], encodings=iter(["utf-8"])).kind == "png"
    # Text in none of the encodings is not binary data.
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-32-be"):
        found = detect("Grüße aus Köln\n".encode(encoding), encodings=["cp1251"])
        assert found.kind == "text", encoding
    assert detect(b"\x00\x01\xff\xfe\x80" * 9, encodings=["utf-8"]).kind == "binary"
    # The encodings that detection knows, each among others.
    for encoding in leadbyte._leadbyte._detectable_encodings():
        assert detect(b"caf\xe9 noir", encodings=[encoding, "koi8-r"]).encoding in {encoding, "koi8-r", None}


def test_wrong_encodings() -> None:
    for function in (detect, detect_all):
        with pytest.raises(LookupError, match="unknown encoding: utf-9"):
            function(b"", encodings=["utf-8", "utf-9"])
        with pytest.raises(LookupError, match="encoding 'utf-7' is not among those that are detected"):
            function(b"", encodings=["utf-7"])
        with pytest.raises(ValueError, match="encodings must have a name"):
            function(b"", encodings=[])
        with pytest.raises(TypeError, match="encodings must be an iterable of names, not str"):
            function(b"", encodings="utf-8")
        with pytest.raises(TypeError):
            function(b"", encodings=1251)  # type: ignore[arg-type]


def test_declared_encodings() -> None:
    html = b'<html><head><meta charset="%s"></head><body>%s</body></html>'
    for label, text, encoding in (
        ("iso-8859-2", b"\xa9koda", "iso-8859-2"),
        ("iso-8859-1", b"\xa9 2026", "windows-1252"),
        ("windows-1252", RUSSIAN.encode("koi8-r"), "koi8-r"),
        ("utf-8", "déjà vu".encode("cp1252"), "windows-1252"),
        ("koi8-r", RUSSIAN.encode(), "utf-8"),
        ("unheard-of", "Grüße aus Köln".encode("cp1252"), "windows-1252"),
    ):
        found = detect(html % (label.encode(), text))
        assert (found.declared, found.encoding) == (label, encoding)
    assert detect(b"# coding: latin-1\n").declared == "latin-1"
    assert detect(b"plain").declared is None


def test_binding_declarations() -> None:
    korean = b"\xa4\xb7 \xa4\xbf \xa4\xb1 \xb5\xb5 \xb1\xd7 \xb0\xc7"
    for start in (b'<?xml version="1.0" encoding="euc-kr"?>\n', b"#!/bin/sh\n# -*- coding: euc-kr -*-\n"):
        assert (detect(start + korean).encoding, detect(start + korean).confidence) == ("cp949", 0.99)
        assert detect(start + b"\xff" + RUSSIAN.encode("cp1251")).encoding == "windows-1251"
        assert detect(start + korean, encodings=["euc-jp", "cp1251"]).encoding != "cp949"
    # It was EBCDIC before it was converted to what it is in.
    for page in ("cp037", "IBM500"):
        data = f'<?xml version="1.0" encoding="{page}"?>\n<a>café au lait, très bon</a>'.encode("cp1252")
        assert detect(data).encoding == "windows-1252"


def test_names_that_only_python_takes_are_binding() -> None:
    text = "caf\xe9 \xa9 \xdf\xe0\xe1"
    for label, codec in {
        "latin-1": "latin-1",
        "latin_1": "latin-1",
        "iso8859_15": "iso8859-15",
        "cp_is": "cp861",
        "mac_roman": "mac-roman",
        "850": "cp850",
    }.items():
        data = f"# -*- coding: {label} -*-\n".encode() + text.encode(codec, "ignore")
        found = detect(data)
        assert data.decode(str(found.encoding)) == data.decode(codec), (label, found)
    data = (
        b"<?xml version='1.0' encoding='windows_1251'?><r>" + "café".encode("cp1251", "ignore") + b"\x82</r>"
    )
    assert detect(data).encoding == "windows-1251"


@pytest.mark.parametrize("name", ["Jörg Müller", "José Martínez", "Ville Skyttä", "Íñigo Peña", "Zoë Brontë"])
@pytest.mark.parametrize(
    "notice", ["Copyright © 2003 {}", "Copyright © {}", "© 1999-2004, {}.", "(c) ©2010 {}"]
)
def test_copyright_is_no_letter(name: str, notice: str) -> None:
    """A9 is a capital letter in ISO 8859-2 to -5, -10, -14 and -16."""
    line = f"{notice.format(name)}\n".encode("latin-1")
    for number in (1, 3, 20):
        for other in (b"", b"A line of a program.\n" * 300, b"A line of a program.\n" * 3000):
            data = (line + other) * number
            assert "©" in data.decode(str(detect(data).encoding))


@pytest.mark.parametrize(
    "text",
    [
        "didn\u2019t, didn\u2019t",
        "Let\u2019s go!",
        "Macy\u2019s, Kohl\u2019s, Lowe\u2019s",
        "Men\u2019s shoes",
        "user\u2019s guide",
        "name=we\u2019re&x=1",
        "Microsoft® Windows®",
        "id,name\n1,Coca-Cola®\n",
        "100 µm",
        "5 m², 5 m²",
        "10 m³",
        "nº 5",
    ],
)
def test_signs_where_they_are_usual(text: str) -> None:
    """They are others in other encodings: í on the Macintosh, ľ, ł and ş in Central Europe, « in MS-DOS."""
    data = text.encode("windows-1252")
    assert data.decode(str(detect(data).encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("»Haus« und »Hof«", "cp437"), ("el país vecino", "macintosh"), ("tanít", "macintosh")],
)
def test_letters_where_signs_are_usual(text: str, encoding: str) -> None:
    data = text.encode("mac-roman" if encoding == "macintosh" else encoding)
    assert data.decode(str(detect(data).encoding)) == text


def test_size_makes_no_guess_sure() -> None:
    """A sample of long data has the surroundings of each byte once, and no other ASCII."""
    line = "2002-10-15  Ville Skyttä  <ville@example.org>\n".encode("latin-1")
    for number in (300, 800, 1500):
        found = detect((line + b"A line of a program.\n" * number) * 3)
        assert found.encoding == "windows-1252" or found.confidence < 0.9


@pytest.mark.parametrize("word", ["Kai Großjohann", "Jiří", "30 °C", "1½", "naïve", "Þór Ævarsson"])
def test_repetition_is_hardly_evidence(word: str) -> None:
    """A word on each line does not make a wrong guess sure, and nor does the ASCII between."""
    codec = "iso-8859-2" if word == "Jiří" else "latin-1"
    for other in (
        b"\n",
        b" <a@example.org>\n\n\t* a.el (foo): Fix it.\n",
        b"\n" + b"A line of a program.\n" * 30,
    ):
        for number in (20, 200):
            found = detect((word.encode(codec) + other) * number)
            assert found.confidence < 0.9 or word in word.encode(codec).decode(str(found.encoding)), found


def test_header_of_a_catalogue_is_binding() -> None:
    """A few words are hardly evidence; gettext reads them as declared."""
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\nmsgid "Yes"\nmsgstr "{}"\n'
    for encoding, detected, text in (
        ("ISO-8859-2", "iso-8859-2", "Ł"),
        ("KOI8-R", "koi8-r", "Да"),
        ("ISO-8859-15", "iso-8859-15", "€"),
    ):
        for comment in ("", "# Translators:\n" + "# A <a@example.org>, 2003.\n" * 100):
            data = comment + header.format(encoding, text)
            assert detect(data.encode(encoding)).encoding == detected
            assert detect(data.encode()).encoding == "utf-8"


@pytest.mark.parametrize("codec", ["euc-jp", "gb18030"])
def test_characters_of_two_equal_bytes(codec: str) -> None:
    """Two of them are four equal bytes, which in single-byte encodings are a line."""
    for text in ("いいですか。いいえ、いいんです。", "それはいいけど、いい天気だからいいね。"):
        assert text.encode(codec).decode(str(detect(text.encode(codec)).encoding)) == text


def test_python_knows_declared_labels() -> None:
    for label in ("x-sjis", "x-gbk", "windows-874", "csISO88596E", "logical", "x-mac-ukrainian", "unicode"):
        declared = detect(b"<meta charset=%s>" % label.encode()).declared
        assert declared
        assert codecs.lookup(declared)


def test_languages() -> None:
    for text, language in (
        (RUSSIAN, "ru"),
        ("Voix ambiguë de ce cœur qui préfère les jattes", "fr"),
        ("日本の首都は東京です", "ja"),
        ("x = 1", None),
    ):
        assert detect(text.encode()).language == language
        assert detect(text.encode("utf-16")).language == language
    assert detect(RUSSIAN.encode("koi8-r")).language == "ru"
    assert detect(b"\n".join([b"x" * 9000, RUSSIAN.encode() * 400])).language == "ru"


def in_pieces(data: bytes, cuts: list[int], **options: Any) -> tuple[Detection, bool]:  # noqa: ANN401
    """Detect data in pieces, sometimes with a pickled detector; return the result and whether it is done."""
    detector = Detector(**options)
    ends = sorted(min(cut, len(data)) for cut in cuts)
    for number, (start, end) in enumerate(zip([0, *ends], [*ends, len(data)], strict=True)):
        assert detector.update(bytearray(data[start:end])) == detector.done
        if number % 2:
            detector = pickle.loads(pickle.dumps(detector))
    return detector.finish(), detector.done


@given(
    strategies.data() | broken_samples(),
    st.integers(0, 400),
    st.integers(0, 2000) | st.integers(60_000, 70_000),
    st.lists(st.integers(0, 70_000), max_size=5),
)
def test_pieces_make_no_difference(data: bytes, repeated: int, ascii_length: int, cuts: list[int]) -> None:
    data = b"plain text " * (ascii_length // 11) + data * (1 + repeated // 20)
    whole, done = in_pieces(data, [])
    assert in_pieces(data, cuts) == (whole, done)
    if not done and len(data) <= 64 << 10:
        assert whole == detect(data)


def test_detector_is_done_early() -> None:
    text = RUSSIAN * 40
    for data, encoding in (
        (text.encode(), "utf-8"),
        (text.encode("koi8-r"), "koi8-r"),
        (text.encode("utf-16"), "utf-16"),
        (FORMATS["png"] + bytes(2000), None),
    ):
        detector = Detector()
        assert not detector.done
        assert detector.update(data)
        assert detector.done
        assert detector.update(b"\xff" * 99)
        assert (detector.finish().encoding, detector.finish().truncated) == (encoding, False)
    found, done = in_pieces(b"plain " * 99_999 + "Съешь ещё этих мягких".encode("cp1251"), [7])
    assert (found.encoding, done) == ("windows-1251", False)
    found, _ = in_pieces(b"<meta charset=koi8-r>" + b"plain " * 99_999 + b"\xf0", [])
    assert found.declared == "koi8-r"


def test_detector_of_some_encodings() -> None:
    found, _ = in_pieces("Привет".encode("koi8-r"), [1, 2], encodings=["cp1251", "cp866"])
    assert found.encoding in {"windows-1251", "ibm866"}
    with pytest.raises(ValueError, match="encodings must have a name"):
        Detector(encodings=[])


def test_finished_detector() -> None:
    detector = Detector()
    assert detector.finish().kind == "empty"
    for finished in (detector, copy.copy(detector)):
        with pytest.raises(ValueError, match="has finished"):
            finished.update(b"text")


@pytest.mark.parametrize(
    "state",
    [
        (["unheard-of"], b"", None, (False, False, False)),
        ([], b"", None, (False, False, False)),
        (None, bytes(65_536), None, (False, False, False)),
        (None, bytes(65_537), None, (True, False, False)),
        (None, b"", bytes(33), (False, False, False)),
    ],
)
def test_a_detector_of_another_version(state: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="not the state of a Detector"):
        Detector._restore(*state)  # type: ignore[attr-defined]
