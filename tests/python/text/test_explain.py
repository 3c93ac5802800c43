"""``explain``: beside Python's own codecs and ``unicodedata``."""

from __future__ import annotations

import array
import json
import pickle
import re
import string
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import leadbyte
import oracle
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._explain import languages, names
from leadbyte._explain.rows import Char, Invalid
from reduced import IS_REDUCED

LANGUAGES = ["en", "ru"]
# Characters, with what articles and standards give for their UTF-8 and UTF-16.
EXAMPLES = [
    ("$", "U+0024", "24", "0024"),
    ("¢", "U+00A2", "C2 A2", "00A2"),
    ("О", "U+041E", "D0 9E", "041E"),
    ("€", "U+20AC", "E2 82 AC", "20AC"),
    ("𐍈", "U+10348", "F0 90 8D 88", "D800 DF48"),
    ("\U000103d5", "U+103D5", "F0 90 8F 95", "D800 DFD5"),
    ("𐰌", "U+10C0C", "F0 90 B0 8C", "D803 DC0C"),
    ("😀", "U+1F600", "F0 9F 98 80", "D83D DE00"),
    ("\uffff", "U+FFFF", "EF BF BF", "FFFF"),
    ("\U0010ffff", "U+10FFFF", "F4 8F BF BF", "DBFF DFFF"),
]
# Errors in bytes, as they are reported in English.
FAULTS = {
    "C0 B1": 'overlong encoding of U+0031 "1", whose valid form is 31',
    "C0 80": "overlong encoding of U+0000, whose valid form is 00",
    "E0 82 A2": 'overlong encoding of U+00A2 "¢", whose valid form is C2 A2',
    "F0 82 82 AC": 'overlong encoding of U+20AC "€", whose valid form is E2 82 AC',
    "F0 8D A0 80": "overlong encoding of surrogate U+D800, which is not a character",
    "C1": 'C1 can only start an overlong encoding; in ISO-8859-1 and Windows-1252 "Á", in Windows-1251 "Б"',
    "E0 80": "E0 80 can only start an overlong encoding",
    "ED A0 80": "surrogate U+D800, which is not a character",
    "ED A0": "ED A0 can only start a surrogate",
    "ED A0 BD ED B8 80": (
        'surrogates U+D83D and U+DE00 (CESU-8) for U+1F600 "😀", whose valid form is F0 9F 98 80'
    ),
    "F4 90 80 80": "U+110000 is above U+10FFFF",
    "F7 BF BF BF": "U+1FFFFF is above U+10FFFF",
    "F4 90": 'F4 90 never occurs in UTF-8 (would start a sequence above U+10FFFF); in Windows-1251 "фђ"',
    "F8 88 80 80 80": "sequence of 5 octets (RFC 2279) for the value 200000, removed in RFC 3629",
    "FD BF BF BF BF BF": "sequence of 6 octets (RFC 2279) for the value 7FFFFFFF, removed in RFC 3629",
    "FD 80 80": "FD 80 80 starts a sequence of 6 octets (RFC 2279), removed in RFC 3629",
    "FE 80 80 80 80 80 80": "FE 80 80 80 80 80 80 never occurs in UTF-8",
    "80": 'unexpected continuation byte 80; in Windows-1252 "€", in Windows-1251 "Ђ"',
    "8D": 'unexpected continuation byte 8D; in Windows-1251 "Ќ"',
    "A4": ('unexpected continuation byte A4; in ISO-8859-1, Windows-1252 and Windows-1251 "¤"'),
    "F1 80": "truncated sequence (2 of 4 octets): the data ends, expected a byte from 80 to BF",
    "F0": (
        "truncated sequence (1 of 4 octets): the data ends, expected a byte from 90 to BF; in ISO-8859-1 and"
        ' Windows-1252 "ð", in Windows-1251 "р"'
    ),
}
SAMPLES: list[str | bytes] = [
    *(text for text, *_ in EXAMPLES),
    "u\u0308\n\x7f\x85\xa0\xad\u200d\ud800\udfff\ue000\ufdd0\ufffe\U000e0041 漢ﾊא<&>\"'",
    *strategies.BROKEN,
    b"\xff\xfeA\0",
    b"\xfe\xff\0A",
    b"caf\xe9 \xe5\xb8 <&\xc0\xbc",
]
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("a€𐍈\ud800\udc00\ufeff")), max_size=20)


def chars(text: str | bytes) -> list[Char]:
    """Return the rows that are characters."""
    return [row for row in leadbyte.explain(text) if isinstance(row, Char)]


def invalid(data: bytes) -> list[Invalid]:
    """Return the rows that are not."""
    return [row for row in leadbyte.explain(data) if isinstance(row, Invalid)]


@pytest.mark.parametrize(("text", "code_point", "utf8", "utf16"), EXAMPLES, ids=[row[1] for row in EXAMPLES])
def test_examples(text: str, code_point: str, utf8: str, utf16: str) -> None:
    (row,) = chars(text)
    assert (row.char, row.code_point, row.utf8_hex, row.utf16_hex) == (text, code_point, utf8, utf16)
    assert leadbyte.explain(bytes.fromhex(utf8)) == leadbyte.explain(text)
    for lang in LANGUAGES:
        steps = row.steps(lang)
        # Filled octets, from the last to the first, or the one.
        octets = re.findall(r"^ +(?:\w+ \d: )?([01]+)\|([01]+) = ([0-9A-F]{2})$", steps, re.MULTILINE)[::-1]
        assert " ".join(octet for *_, octet in octets) == utf8
        assert [(marker, payload) for marker, payload, _ in octets] == list(row.utf8_bits)
        assert f" {utf16}: " in steps
        assert all(f" + {int(unit, 16) & 0x3FF:X} = {unit}" in steps for unit in utf16.split()[1:])


def test_sizes_of_a_text_in_two_scripts() -> None:
    explanation = leadbyte.explain("Папа Hello")
    assert (explanation.char_count, explanation.utf8_length, explanation.utf16_length) == (10, 14, 20)
    assert explanation.error_count == 0
    assert str(explanation).endswith("\n10 characters: 14 bytes in UTF-8, 20 bytes in UTF-16")


def test_legacy_encodings_of_a_text_in_two_scripts() -> None:
    text = "Hello мир"
    assert text.encode("windows-1251") == b"Hello \xec\xe8\xf0"
    with pytest.raises(UnicodeEncodeError):
        text.encode("iso-8859-1")
    letters = [row.readings for row in invalid(text.encode("windows-1251"))]
    assert "".join(found["windows-1251"] for found in letters) == "мир"
    assert "".join(found["iso-8859-1"] for found in letters) == "ìèð"
    assert invalid(text.encode()) == []


@given(TEXTS)
def test_rows_of_text(text: str) -> None:
    rows = chars(text)
    assert "".join(row.char for row in rows) == text
    assert [row.index for row in rows] == list(range(len(text)))
    encodable = [row for row in rows if row.kind is None]
    assert "".join(row.char for row in encodable) == text.encode("utf-8", "ignore").decode()
    assert b"".join(row.utf8 for row in rows) == text.encode("utf-8", "ignore")
    assert bytes.fromhex("".join(row.utf8_hex for row in rows)) == text.encode("utf-8", "ignore")
    assert bytes.fromhex("".join(row.utf16_hex for row in rows)) == text.encode("utf-16-be", "surrogatepass")
    ends = [0, *(row.end for row in rows)]
    assert [row.start for row in rows] == ends[:-1]
    for row in encodable:
        assert int("".join(payload for _, payload in row.utf8_bits), 2) == row.number == int(row.binary, 2)
        octets = [int(marker + payload, 2) for marker, payload in row.utf8_bits]
        assert bytes(octets) == row.utf8
        assert row.utf8_binary.replace("|", "").split() == [f"{octet:08b}" for octet in octets]


@given(strategies.data())
def test_rows_of_bytes(data: bytes) -> None:
    explanation = leadbyte.explain(data)
    assert b"".join(row.utf8 for row in explanation) == data
    ends = [0, *(row.end for row in explanation)]
    assert [row.start for row in explanation] == ends[:-1]
    assert "".join(row.char for row in chars(data)) == data.decode(errors="ignore")
    errors = oracle.errors(data)
    firsts = {error.start: error for error in errors}
    for row in invalid(data):
        assert (row.kind, row.reason) == (firsts[row.start].kind, firsts[row.start].reason)
    # Each error belongs to one of the rows.
    starts = [row.start for row in explanation]
    assert {max(start for start in starts if start <= error.start) for error in errors} == {
        row.start for row in invalid(data)
    }
    for sample in explanation[:: len(explanation) // 5 + 1]:
        assert sample.index == leadbyte.locate(data, sample.start).char_offset


@pytest.mark.once
@given(st.one_of(TEXTS, strategies.pieces()))
def test_everything_can_be_reported(what: str | bytes) -> None:
    explanation = leadbyte.explain(what)
    assert json.loads(json.dumps(explanation.as_dict())) == explanation.as_dict()
    for lang in LANGUAGES:
        assert explanation.table(lang).count("\n") == len(explanation) + 1
        assert len(explanation.steps(lang).split("\n\n")) >= 2 * len(explanation)
        assert len(ET.fromstring(explanation.html(lang)).findall("tbody/tr")) == len(explanation)


def test_names_of_all_code_points() -> None:
    labels = {"Cc": "control", "Co": "private-use", "Cs": "surrogate", "Cn": "reserved"}
    # From there on most are in ranges that have one rule each.
    every = [*range(0x3400), *range(0x3400, sys.maxunicode + 1, 5 if IS_REDUCED else 1)]
    for number in [*every, *(0x10000 * plane + low for plane in range(17) for low in (0xFFFE, 0xFFFF))]:
        name, category = names.name(number), unicodedata.category(chr(number))
        if category == "Cc":
            label, _, alias = name.partition("> ")
            assert label == f"<control-{number:04X}"
            assert unicodedata.lookup(alias) == chr(number)
        elif 0xFDD0 <= number <= 0xFDEF or number % 0x10000 >= 0xFFFE:
            assert name == f"<noncharacter-{number:04X}>"
        elif category in labels:
            assert name == f"<{labels[category]}-{number:04X}>"
        else:
            assert name == unicodedata.name(chr(number), f"TANGUT IDEOGRAPH-{number:04X}")


@pytest.mark.once
def test_symbols_can_be_seen() -> None:
    symbols = {number: names.symbol(number) for number in range(sys.maxunicode + 1)}
    assert all(symbol.isprintable() and symbol.strip() == symbol for symbol in symbols.values())
    shown = {"\n": "␊", "\0": "␀", "\x7f": "␡", " ": "␠", "\x85": r"\x85", "\u0308": "\u25cc\u0308"}
    shown |= {"\xa0": r"\xa0", "\u200d": r"\u200d", "\ud800": r"\ud800", "\U000e0041": r"\U000e0041"}
    assert {char: symbols[ord(char)] for char in shown} == shown
    assert symbols[ord("€")] == "€"
    assert (symbols[0x1161], names.width(symbols[0x1161])) == ("\u115f\u1161", 2)
    assert symbols[0x3164] == r"\u3164"


@pytest.mark.parametrize("data", FAULTS)
def test_what_is_wrong_in_words(data: str) -> None:
    (row,) = leadbyte.explain(bytes.fromhex(data))
    assert row.words("en") == FAULTS[data]
    assert re.search("[а-я]", row.words("ru"))


def test_what_breaks_off_in_words() -> None:
    (beginning,) = invalid(b"\xe2\x82A")
    assert (
        beginning.words("en") == "truncated sequence (2 of 3 octets): expected a byte from 80 to BF, found 41"
    )
    letter, *_ = invalid("мир".encode("cp1251"))
    assert letter.words("ru") == (
        "незавершённая последовательность (1 из 3 октетов): ожидался байт от 80 до BF, а не E8;"
        " в ISO-8859-1 и Windows-1252 это «ì», в Windows-1251 это «м»"
    )


def test_what_could_follow() -> None:
    for data in map(
        bytes.fromhex, ["C2", "DF", "E0", "E1", "E0 A0", "ED", "F0", "F1", "F4", "F4 8F", "F0 90 80"]
    ):
        could = [
            byte
            for byte in range(0x80, 0xC0)
            if not (found := oracle.spans(data + bytes([byte]))) or found[0][1] == len(data) + 1
        ]
        assert f"a byte from {could[0]:02X} to {could[-1]:02X}" in invalid(data)[0].words("en")


def test_pairs_of_surrogates_are_shown_together() -> None:
    high, low = b"\xed\xa0\xbd", b"\xed\xb8\x80"
    rows = invalid(high + high + low + high + low + low + high)
    assert [row.data for row in rows] == [high, high + low, high + low, low, high]
    assert [row.decoded_value for row in rows] == [0xD83D, 0x1F600, 0x1F600, 0xDE00, 0xD83D]
    assert [row.data for row in invalid(high + b"A" + low)] == [high, low]


def test_surrogates_in_a_text() -> None:
    low, letter = chars("\udc00A")
    assert (low.kind, low.utf8, low.utf8_bits, low.utf16_hex, low.start, low.end) == (
        "surrogate", b"", (), "DC00", 0, 0,
    )  # fmt: skip
    assert letter.start == 0
    assert "not allowed in UTF-8" in low.steps("en")
    assert leadbyte.explain("\udc00A").error_count == 1


def test_byte_order_marks() -> None:
    mark, letter, other = leadbyte.explain("\ufeffA\ufeff")
    assert mark.words("en") == "ZERO WIDTH NO-BREAK SPACE (byte order mark)"
    assert other.words("en") == "ZERO WIDTH NO-BREAK SPACE"
    marks = {row.bom for row in invalid(b"\xfe\xff\0A")}
    assert marks == {"utf-16-be", None}
    assert invalid(b"\xff\xfe\0\0A\0\0\0")[0].bom == "utf-32-le"
    assert invalid(b"A\xff\xfe")[0].bom is None
    assert letter.words("en") == "LATIN CAPITAL LETTER A"


def test_sequence() -> None:
    explanation = leadbyte.explain("a€\ud800")
    assert (len(explanation), explanation[-1].symbol, explanation[1:].rows) == (
        3,
        r"\ud800",
        explanation.rows[1:],
    )
    assert [row.symbol for row in explanation] == ["a", "€", r"\ud800"]
    assert explanation[1] in explanation
    assert explanation == leadbyte.explain("a€\ud800") != leadbyte.explain("a€")
    assert hash(explanation) == hash(leadbyte.explain("a€\ud800"))
    assert pickle.loads(pickle.dumps(explanation)) == explanation
    assert not leadbyte.explain("")
    assert repr(leadbyte.explain("")) == "<Explanation: 0 characters: 0 bytes in UTF-8, 0 bytes in UTF-16>"
    with pytest.raises(AttributeError):
        explanation.rows = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        explanation[0].start = 1  # type: ignore[misc]


def test_vectors_of_the_live_page() -> None:
    """They are what the package returns; live/tests compares the page with them."""
    script = Path(__file__).parents[2] / "vectors/explain.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)


def test_types() -> None:
    expected = leadbyte.explain(b"caf\xe9")
    for data in (bytearray(b"caf\xe9"), memoryview(b"caf\xe9"), array.array("B", b"caf\xe9")):
        assert leadbyte.explain(data) == expected
    for other in (5, None, ["a"]):
        with pytest.raises(TypeError, match="a bytes-like object is required"):
            leadbyte.explain(other)  # type: ignore[arg-type]
    with pytest.raises(BufferError):
        leadbyte.explain(memoryview(b"caf\xe9")[::2])


@pytest.mark.parametrize("what", SAMPLES, ids=ascii)
def test_html(what: str | bytes) -> None:
    explanation = leadbyte.explain(what)
    page = explanation._repr_html_()
    assert page == explanation.html("en")
    root = ET.fromstring(page)
    assert {element.tag for element in root.iter()} <= {
        "table", "caption", "thead", "tbody", "tr", "th", "td", "b",
    }  # fmt: skip
    rows = [["".join(cell.itertext()) for cell in row] for row in root.findall("tbody/tr")]
    assert [row[1] for row in rows] == [row.symbol for row in explanation]
    assert [row[5] for row in rows] == [row.utf8_binary for row in explanation]
    markers = [mark.text for mark in root.iter("b")]
    assert markers == [marker for row in explanation for marker, _ in row.utf8_bits]
    # Nothing comes from elsewhere, and letters keep the colour of the page.
    assert not re.search(r"https?:|url\(|<script|(?<!-)color:", page.replace("background-color:", ""))


def test_html_of_a_long_text() -> None:
    root = ET.fromstring(leadbyte.explain("a" * 10_001).html("en"))
    assert len(root.findall("tbody/tr")) == 500
    assert root.findtext("caption") == (
        "10001 characters: 10001 bytes in UTF-8, 20002 bytes in UTF-16; 9501 rows more not shown"
    )


@pytest.mark.once
@pytest.mark.parametrize("width", [80, 100, 120, 150, None])
def test_table_fits(width: int | None) -> None:
    for what in SAMPLES:
        explanation = leadbyte.explain(what)
        # What would be a character of more bytes than any has takes more.
        if all(len(row.utf8) <= 4 for row in explanation):
            for lang in LANGUAGES:
                lines = explanation.table(lang, width=width).split("\n")
                assert all(names.width(line) <= (width or 1000) for line in lines)
                assert all(line == line.rstrip() for line in lines)


def test_table_is_aligned() -> None:
    explanation = leadbyte.explain("a漢ﾊ\u0308\u200d")
    header, *lines, _ = explanation.table("en").split("\n")
    for title, name in (("code", "code_point"), ("UTF-8 in bits", "utf8_binary"), ("name", "name")):
        for line, row in zip(lines, explanation, strict=True):
            assert names.width(line[: line.index(getattr(row, name))]) == header.index(title)


def test_languages_have_the_same_texts() -> None:
    english, *others = (languages.known(code) for code in languages.CODES)
    assert [english.code, *(other.code for other in others)] == LANGUAGES
    for other in others:
        assert other.texts.keys() == english.texts.keys()
        assert other.things.keys() == english.things.keys()
        for key, text in english.texts.items():
            assert fields(other.texts[key]) == fields(text), key
        assert {len(forms) for forms in other.things.values()} == {1 + max(map(other.plural, range(200)))}


def fields(text: str) -> set[str]:
    """Return the names of the fields in a text."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.once
def test_texts_are_all_used() -> None:
    """No text is left over: all are used by some sample."""
    reported = dict.fromkeys(LANGUAGES, "")
    for what in [*SAMPLES, *map(bytes.fromhex, FAULTS), "a" * 501, b"\xe2\x82A"]:
        explanation = leadbyte.explain(what)
        for lang in LANGUAGES:
            reported[lang] += f"{explanation.html(lang)}\n{explanation.table(lang)}\n"
            reported[lang] += re.sub(r"\s+", " ", explanation[:20].steps(lang))
    for lang in LANGUAGES:
        for key, text in languages.known(lang).texts.items():
            # Text between the fields; the command alone prints an offset.
            parts = [part.strip() for part, *_ in string.Formatter().parse(text)]
            assert key == "offset" or all(part in reported[lang] for part in parts), key


@pytest.mark.parametrize(
    ("number", "reported"),
    [
        (1, "1 октет"),
        (2, "2 октета"),
        (5, "5 октетов"),
        (11, "11 октетов"),
        (21, "21 октет"),
        (112, "112 октетов"),
    ],
)
def test_russian_numbers(number: int, reported: str) -> None:
    assert languages.known("ru").count(number, "octets") == reported


@pytest.mark.parametrize(
    ("variables", "lang"),
    [
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru"}, "ru"),
        ({"LANG": "Russian_Russia.1251"}, "ru"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "run_BI"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "ru_RU.UTF-8"}, "en"),
        ({"LC_MESSAGES": "ru_UA.KOI8-U", "LANG": "en_US"}, "ru"),
        ({"LANGUAGE": "de:ru:en", "LC_ALL": "en_US"}, "ru"),
        ({}, "en"),
    ],
    ids=repr,
)
def test_language_of_the_locale(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], lang: str
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    explanation = leadbyte.explain("€")
    assert explanation.steps() == explanation.steps(lang)
    assert explanation.table() == explanation.table(lang)
    assert str(explanation) == explanation.table("en")
    assert explanation[0].as_dict() == explanation[0].as_dict("en")


@pytest.mark.parametrize("lang", ["de", "", "EN", "ru_RU"])
def test_unknown_languages(lang: str) -> None:
    with pytest.raises(ValueError, match="lang must be None or one of en, ru, not"):
        leadbyte.explain("a").table(lang)


def test_imported_only_when_asked_for() -> None:
    script = (
        "import sys, leadbyte; assert 'leadbyte._explain' not in sys.modules;"
        " leadbyte.explain('a'); assert 'leadbyte._explain' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], timeout=60, check=True)
