"""leadbyte.mojibake: columns of cells, knowledge of languages, and data in mixed encodings."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

import pytest
from damaged import good
from hypothesis import example, given
from hypothesis import strategies as st
from leadbyte._leadbyte import _read_mixed
from leadbyte.codec import FALLBACKS
from leadbyte.mojibake import decode_mixed, explain, garble, repair, repair_many
from sentences import LANGUAGES, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT_CELLS = ["£5", "Über", "10×15", "€ 20", "café", "naïve", "Ægir", "½ l", "5 °C", "Åse"]


def as_windows_1252(cells: list[str]) -> list[str]:
    return [garble(cell, encoding="utf-8", misread_as="whatwg:windows-1252") for cell in cells]


def test_cells_support_each_other() -> None:
    damaged = as_windows_1252(SHORT_CELLS)
    assert repair_many(damaged) == SHORT_CELLS
    assert [repair(cell) for cell in damaged] != SHORT_CELLS
    assert repair_many([None, *damaged, "plain", None]) == [None, *SHORT_CELLS, "plain", None]


def test_a_certain_cell_supports_short_ones() -> None:
    words = ["да", "нет", "Омск", "Тула", "Уфа", "Съешь ещё этих мягких французских булок"]
    damaged = [garble(word, encoding="windows-1251", misread_as="latin-1") for word in words]
    assert repair_many(damaged) == words
    assert [repair(cell) for cell in damaged[:-1]] != words[:-1]


def test_only_a_part_of_a_column_is_damaged() -> None:
    clean = good("de")[:200] + [word for word in " ".join(good("de")).split() if not word.isascii()][:300]
    column = [*as_windows_1252(clean[::2]), *clean[1::2]]
    repaired = repair_many(column)
    assert repaired[250:] == clean[1::2]
    assert sum(a == b for a, b in zip(repaired, clean[::2], strict=False)) > 0.98 * 250


@pytest.mark.parametrize(
    "column",
    [
        ["Größe", "10 Å—", "Übung"],
        ["Müller", "Köln", "É…", "Zürich"],
        ["É…", "NÃO!", "VOCÊ…", "10 Å—", "HUHLL Õ…"],
        ["10 Å—"] * 9,
        ["─────", "├──┤", "╔══╗", "│ a │"],
        ["■ 製品", "■ 会社", "■", "■■"],
        ["ý", "þ", "Ýstanbul"],
        ["Ìsula Bouvet", "Ìsula de sa Natividade", "Ìsulas Cocos", "Ècuador"],
        ["'а': 'a', 'б': 'b', 'в': 'v'", "'ф': 'f', 'х': 'h', 'ц': 'c'", "'ї': 'yi', 'ґ': 'g'"],
    ],
)
def test_good_columns_are_left_alone(column: list[str]) -> None:
    assert repair_many(column) == column


def test_good_sentences_and_words_are_left_alone() -> None:
    for language in LANGUAGES:
        cells = good(language)
        words = list(dict.fromkeys(" ".join(cells[:100]).split()))
        for column in (cells, words):
            assert all(a is b for a, b in zip(column, repair_many(column), strict=True)), language


def test_one_text_is_repaired_as_alone() -> None:
    lines = [
        good("ru")[0],
        *as_windows_1252(good("fr")[:40]),
        *SHORT_CELLS,
        *as_windows_1252(SHORT_CELLS),
        *good("de")[:40],
    ]
    text = "\n".join(lines)
    for cells in ([text], [None, text], [text, "plain", text]):
        assert set(repair_many(cells)) <= {None, "plain", repair(text)}


PARTS = st.text(st.sampled_from("ÔÇÖ¼îфхыэ▀Ã©РџСЂ "), max_size=6)


@given(PARTS, PARTS)
@example("фхы", "э▀")
@example("ÔÇÖ", "Ô¼î")
def test_text_with_surrogates_is_repaired_as_alone(before: str, after: str) -> None:
    text = f"{before}\ud800{after}"
    assert repair_many([text, "Ãœber"]) == [repair(text), "Über"]


def test_the_order_has_no_effect() -> None:
    column = [
        *as_windows_1252(SHORT_CELLS),
        *SHORT_CELLS,
        *good("cs")[:50],
        *as_windows_1252(good("fr")[:20]),
    ]
    expected = dict(zip(column, repair_many(column), strict=True))
    random.Random(3).shuffle(column)
    assert dict(zip(column, repair_many(column), strict=True)) == expected


@given(st.lists(st.none() | st.text() | st.sampled_from(as_windows_1252(SHORT_CELLS))))
def test_any_column(column: list[str | None]) -> None:
    repaired = repair_many(iter(column))
    assert len(repaired) == len(column)
    for cell, result in zip(column, repaired, strict=True):
        assert type(result) is type(cell)
        assert result is cell or (cell and result and not cell.isascii())
    if len(column) == 1 and column[0] is not None:
        assert repaired[0] == repair(column[0])


def test_more_damaged_cells_than_are_sampled() -> None:
    clean = [f"{number} é" for number in range(30_000)]
    assert repair_many(as_windows_1252(clean)) == clean


def test_arguments_of_repair_many() -> None:
    for wrong in ("Ã©", b"", 5, None):
        with pytest.raises(TypeError):
            repair_many(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="argument 1 must be str, not bytes") as caught:
        repair_many(["", None, b""])  # type: ignore[list-item]
    assert sys.version_info < (3, 11) or caught.value.__notes__ == ["while repairing item 2"]

    def cells() -> Iterator[str]:
        yield "Ã©"
        raise KeyError

    with pytest.raises(KeyError):
        repair_many(cells())
    assert repair_many([]) == []
    assert repair_many(("Ã©tÃ©\ud800", "\udfff")) == ["été\ud800", "\udfff"]


def test_known_languages() -> None:
    for text, tags, repaired in (
        ("Ýstanbul", ["tr"], "İstanbul"),
        ("Ýstanbul", ("de", "TR-tr"), "İstanbul"),
        ("tõle függõ erõk", ["hu"], "tőle függő erők"),
        ("Reykjavík, Þýskaland", ["is", "tr"], "Reykjavík, Þýskaland"),
        ("João Simões", ["hu"], "João Simões"),
        ("Привет, мир", ["tr"], "Привет, мир"),
    ):
        assert repair(text, languages=tags) == repaired
        assert explain(text, languages=tags).text == repaired
        assert repair_many([text], languages=tags) == [repaired]
        assert repair(text) in {text, repaired}
        assert repair(text, languages=[]) == repair(text)
    assert repair("Ýstanbul") == "Ýstanbul"


@pytest.mark.parametrize(("language", "encoding"), [("tr", "windows-1254"), ("hu", "windows-1250")])
def test_known_language_of_sentences(language: str, encoding: str) -> None:
    own = [text for text in good(language) if not text.isascii()][-100:]
    assert [repair(text, languages=[language]) for text in own] == own
    damaged = {}
    for text in own:
        try:
            damaged[garble(text, encoding=encoding, misread_as="whatwg:windows-1252")] = text
        except UnicodeError:
            continue
    right = sum(repair(text, languages=[language]) == original for text, original in damaged.items())
    assert right > 0.9 * len(damaged) > 50


def test_unknown_languages() -> None:
    for function in (repair, explain, lambda text, languages: repair_many([text], languages=languages)):
        with pytest.raises(ValueError, match=r'BCP 47 tags of af, ar, .*, zh-Hant; not "tlh"'):
            function("", languages=["tr", "tlh"])
        with pytest.raises(TypeError, match="argument 'languages' must be an iterable of str, not str"):
            function("", languages="tr")
        with pytest.raises(TypeError, match="argument 'languages' must be str, not int"):
            function("", languages=[5])  # type: ignore[list-item]
        with pytest.raises(ValueError, match="BCP 47"):
            function("", languages=["\ud800"])


@pytest.mark.parametrize("line", ["£5", "£ 5", "© 2024", "§ 5", "×", "¡Hola!", "®", "Ï", "5 ½", "30 °C"])
@pytest.mark.parametrize("before", ["", "Menü\nGröße\n", "Total\n" * 30])
def test_a_sign_is_no_letter_of_another_script(before: str, line: str) -> None:
    data = "café crème\n".encode() + before.encode("cp1252") + line.encode("cp1252")
    assert decode_mixed(data) == f"café crème\n{before}{line}"
    assert decode_mixed(data + "; déjà".encode()) == f"café crème\n{before}{line}; déjà"


@pytest.mark.parametrize(
    ("encoding", "lines"),
    [
        ("shift_jis", "吾輩は猫である。名前はまだ無い。\nどこで\n生れた\n"),
        ("euc-jp", "吾輩は猫である。名前はまだ無い。\nどこで\n生れた\n"),
        ("euc-kr", "나는 유리를 먹을 수 있어요. 그래도 아프지 않아요\n"),
        ("gb18030", "我能吞下玻璃而不伤身体\n你好\n"),
        ("big5", "我能吞下玻璃而不傷身體。\n"),
    ],
)
def test_lines_in_encodings_of_several_bytes(encoding: str, lines: str) -> None:
    """They are decoded where they surely are in one, or follow a line that is; other lines stay."""
    around = "Zoë naïve 猫\n"
    text = around + lines + around
    data = around.encode() + lines.encode(encoding) + around.encode()
    assert decode_mixed(data) == text
    found = _read_mixed(data)[1]
    assert [(line, name) for line, name, _ in found] == [
        (number, encoding) for number in range(2, 2 + lines.count("\n"))
    ]
    russian = "Съешь же ещё этих мягких булок\nда\n"
    assert decode_mixed(data + russian.encode("cp1251")) == text + russian


def test_decode_mixed() -> None:
    lines = [text for language in ("ru", "de", "fr") for text in good(language)[:40]]
    encodings = {"windows-1251": good("ru")[:40], "windows-1252": good("de")[:40]}
    parts = []
    for number, line in enumerate(lines):
        own = next((name for name, known in encodings.items() if line in known), "utf-8")
        try:
            parts.append(line.encode(own if number % 2 else "utf-8"))
        except UnicodeError:
            parts.append(line.encode())
    decoded = decode_mixed(b"\n".join(parts)).split("\n")
    assert sum(a == b for a, b in zip(decoded, lines, strict=True)) > 0.97 * len(lines)
    for data in (b"caf\xe9", bytearray(b"caf\xe9"), memoryview(b"caf\xe9"), b""):
        assert decode_mixed(data) == bytes(data).decode("latin-1")
    with pytest.raises(BufferError):
        decode_mixed(memoryview(b"caf\xe9")[::2])


@pytest.mark.parametrize("name", [*FALLBACKS, 1251, "latin-1", "whatwg:windows-1252"])
def test_fallback(name: str | int) -> None:
    high = bytes(range(0x80, 0x100))
    codec = {1251: "cp1251", "whatwg:windows-1252": "latin-1"}.get(name, name)
    text = decode_mixed(
        "Привет €\n".encode() + b"a " + b" ".join(bytes([byte]) for byte in high), fallback=name
    )
    first, last = text.split("\n", 1)
    assert first == "Привет €"
    characters = last.removeprefix("a ")[::2]
    expected = "".join(bytes([byte]).decode(str(codec), "replace") for byte in high)
    if name == "whatwg:windows-1252":
        assert (characters[0], characters[1], characters[0x20:]) == ("€", "\x81", expected[0x20:])
    else:
        assert characters == expected


def test_fallbacks_of_several_bytes() -> None:
    for name, text in (
        ("gbk", "中华人民共和国"),
        ("shift_jis", "表示の予定"),
        ("euc-kr", "대한민국"),
        ("big5", "許功蓋"),
    ):
        assert decode_mixed(f"{text}\n".encode() + text.encode(name), fallback=name) == f"{text}\n{text}"
    for name in ("utf-16", "utf-8", "utf-8-sig", "ascii", "utf-7", "cp037"):
        with pytest.raises(ValueError, match="fallback must be a legacy encoding that contains ASCII"):
            decode_mixed(b"\xff", fallback=name)
    with pytest.raises(LookupError):
        decode_mixed(b"", fallback="unknown")
    with pytest.raises(TypeError):
        decode_mixed("")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text"),
    [("gbk", "中文"), ("shift_jis", "日本語"), ("big5", "中文"), ("euc-kr", "대한민국"), ("gb18030", "中文")],
)
def test_characters_of_several_bytes_beside_utf_8(name: str, text: str) -> None:
    """They are decoded together, though some of their bytes may look like UTF-8 or ASCII."""
    for before in ("Привет, мир, это длинная строка ", "é é é naïve café über größe "):
        line = before.encode() + text.encode(name)
        assert decode_mixed(line + b"\n", fallback=name) == f"{before}{text}\n"
        assert decode_mixed(line + b" " + text.encode(name), fallback=name) == f"{before}{text} {text}"


def test_long_lines_of_several_bytes_a_character() -> None:
    """The time is linear: it was quadratic, some 10 s for this line."""
    line = "中文字".encode("gbk") * 400_000
    assert decode_mixed(line, fallback="gbk") == line.decode("gbk")


def test_the_most_likely_of_whole_and_parts() -> None:
    """A line may have UTF-8 in it, and letters that happen to form it."""
    assert decode_mixed("Größe ".encode() + b"Gr\xf6\xdfe", fallback="cp1252") == "Größe Größe"
    for text in sentences("ru")[:100]:
        try:
            data = text.encode("cp1251")
        except UnicodeError:
            continue
        assert decode_mixed(data, fallback="cp1251") == text


def test_equal_cells_are_repaired_once() -> None:
    first, second, other = repair_many(["".join(["SÃ£o", " Paulo"]) for _ in range(2)] + ["MÃ¡laga"])
    assert (first, other) == ("São Paulo", "Málaga")
    assert first is second
    # Suspicious, but unchanged: each is returned itself.
    good = ["".join(["«Привет» ", "¶"]) for _ in range(2)]
    assert all(cell is known for cell, known in zip(good, repair_many(good), strict=True))
