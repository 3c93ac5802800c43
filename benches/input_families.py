"""Families of input that may be slow: sequences of units, repeated, in random order, or one after another."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

Content = TypeVar("Content", str, bytes)
Units: TypeAlias = tuple[Content, ...]

MOST_SHOWN = 4  # units of a part


def byte_count(content: str | bytes) -> int:
    """Return the number of bytes of data, or of a text in UTF-8."""
    return len(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Input(Generic[Content]):
    """Parts of equal size, each a random sequence of its units, which of one unit is its repetition."""

    parts: tuple[Units[Content], ...]

    def make(self, size: int) -> Content:
        """Return about ``size`` bytes, the same each time."""
        empty = self.parts[0][0][:0]
        return empty.join(sequence(units, size // len(self.parts), empty) for units in self.parts)

    def __str__(self) -> str:
        """Return the first units of each part as Python writes them."""
        return ", then ".join(map(shown, self.parts))


def shown(units: Units[Content]) -> str:
    """Return the first units, as Python writes them, and the number of the others."""
    named = [*map(ascii, units[:MOST_SHOWN])]
    if len(units) > MOST_SHOWN:
        named.append(f"{len(units) - MOST_SHOWN} more")
    return " or ".join(named)


def sequence(units: Units[Content], size: int, empty: Content) -> Content:
    """Return a sequence of units of about ``size`` bytes, at least one."""
    mean = sum(map(byte_count, units)) / len(units)
    count = max(1, round(size / mean))
    if len(units) == 1:
        return units[0] * count
    return empty.join(random.Random(0).choices(units, k=count))


def span(first: int, last: int, step: int = 1) -> tuple[str, ...]:
    """Return the characters of a range of code points."""
    return tuple(map(chr, range(first, last + 1, step)))


def garbled(text: str, layers: int, misread_as: str) -> str:
    """Return a text whose bytes of UTF-8 were misread several times."""
    for _ in range(layers):
        text = text.encode().decode(misread_as, "replace")
    return text


RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю. "
FRENCH = "Dès Noël, où un zéphyr haï me vêt de glaçons würmiens. "
CHINESE = "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。"  # noqa: RUF001
JAPANESE = "いろはにほへと、ちりぬるを。カタカナ漢字"
KOREAN = "키스의 고유조건은 입술끼리 만나야 하고. "
PLANES = span(0x80, 0xD7FF, 61) + span(0xE000, 0x10FFFF, 977)
MARKS = (*span(0x300, 0x36F), "\u05b0", "\u064b", "\u0e38", "\u3099", "\U0001d165")

TEXTS: dict[str, Units[str]] = {
    "letters": ("a",),
    "spaces": (" ",),
    "digits": ("0",),
    "random digits": tuple("0123456789"),
    "random ASCII": span(0x20, 0x7E),
    "capitals and small letters": ("A", "b"),
    "words": ("word ", "and ", "another, ", "The ", "end. ", "\n"),
    "ASCII and Cyrillic": ("a", "ж"),
    "ASCII, 2, 3 and 4 bytes": ("a", "ж", "語", "😀"),
    "2 and 3 bytes": ("ж", "語"),
    "a Cyrillic letter": ("ж",),
    "a Chinese character": ("語",),
    "an emoji": ("😀",),
    "rare accents": ("é", *"a long line of plain letters "),
    "Latin-1": span(0xA0, 0xFF),
    "random Latin": span(0xC0, 0x24F),
    "random scripts": span(0x370, 0x1FFF, 7),
    "random Chinese": span(0x4E00, 0x9FA5, 3),
    "random planes": PLANES,
    "random planes and ASCII": PLANES[::4] + span(0x20, 0x7E) * 10,
    "private use": span(0xE000, 0xF8FF, 9),
    "noncharacters": ("\ufdd0", "\ufffe", "\U0010ffff"),
    "unassigned": ("\u0378", "\U000e0fff", "\u2fe0"),
    "acute accents": ("\u0301",),
    "random marks": MARKS,
    "marks in reverse order": ("a\u0301\u0323", "\u0345\u0301\u0334"),
    "letters with marks": ("e\u0301", "a\u0323\u0302", "я\u0306"),
    "composed letters": ("é", "ậ", "й", "ΐ", "\u1fa7"),
    "longest decompositions": ("\ufdfa", "\u1f82", "\u3316"),
    "composition exclusions": ("\u0958", "\ufb2c", "\u2adc"),
    "Hangul syllables": ("각", "가"),
    "random Hangul syllables": span(0xAC00, 0xD7A3, 5),
    "leading jamo": ("\u1100",),
    "random jamo": span(0x1100, 0x11FF),
    "jamo of syllables": ("\u1100\u1161\u11a8",),
    "vowel jamo after a syllable": ("가\u1161",),
    "regional indicators": ("🇺",),
    "flags and letters": ("🇺", "🇸", "a"),
    "ZWJ chains": ("👩\u200d",),
    "ZWJ alone": ("\u200d",),
    "families of emoji": ("👩\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "🏴\U000e0067\U000e007f"),
    "variation selectors": ("\ufe0f",),
    "Indic conjuncts": ("क\u094d", "क\u094dष", "\u200d"),
    "prepended marks": ("\u0600", "\u110bd"),
    "bidirectional controls": ("\u202e", "\u2066", "\u2069", "\u202c", "\u061c"),
    "bidirectional controls in text": ("a\u202e", "b\u2069", "א"),
    "tags": span(0xE0020, 0xE007F),
    "invisible characters": ("\u200b", "\u2060", "\ufeff", "\u00ad", "\u180e"),
    "controls": span(0, 0x1F) + span(0x7F, 0x9F),
    "NUL": ("\0",),
    "byte order marks": ("\ufeff",),
    "line feeds": ("\n",),
    "carriage returns": ("\r",),
    "CR LF": ("\r\n",),
    "newlines of all kinds": ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"),
    "letters and newlines of all kinds": ("a", "ж", "\n", "\r", "\r\n", "\x85", "\u2028"),
    "letters that fold to several": ("ß", "ŉ", "ΐ", "ﬃ", "İ"),
    "Greek sigmas": ("Σ", "ς", "σ "),  # noqa: RUF001
    "Turkish letters": ("İ", "ı", "I", "i"),  # noqa: RUF001
    "full-width forms": span(0xFF01, 0xFFEE),
    "compatibility characters": span(0x3300, 0x33FF) + span(0x2460, 0x24FF),
    "mathematical letters": span(0x1D400, 0x1D7FF),
    "replacement characters": ("\ufffd",),
    "replacement characters in text": ("\ufffd", "Ã", "a"),
    "high surrogates": ("\ud83d",),
    "surrogates and letters": ("\ud83d", "\ude00", "a", "ж"),
    "surrogate pairs": ("\ud83d\ude00",),
    "surrogate escapes": span(0xDC80, 0xDCFF),
    "JSON": ('{"a": [1, 2.5e3, null, "text"]}\n',),
    "JSON escapes": ('"\\u0436\\n\\\\', "\\ud83d\\ude00", "\\ud800", '"'),
    "backslashes": ("\\",),
    "quotation marks": ('"',),
    "opening brackets": ("[",),
    "JSON keys": ('{"a":',),
    "URL escapes": ("%D0", "%B6", "%"),
    "character references": ("&#1078;", "&eacute;", "&"),
    "declarations of encodings": ('<meta charset="koi8-r">', "# -*- coding: cp1251 -*-\n"),
    "UTF-7": ("+BDY-", "+2D3eAA-", "+", "-"),
    "base64": ("0LbQtdGA", "Cg==\n"),
    "Russian misread as cp1251": (garbled(RUSSIAN, 1, "cp1251"),),
    "Russian misread as Latin-1": (garbled(RUSSIAN, 1, "latin-1"),),
    "Russian misread 3 times": (garbled(RUSSIAN, 3, "cp1252"),),
    "French misread once": (garbled(FRENCH, 1, "cp1252"),),
    "French misread 5 times": (garbled(FRENCH, 5, "latin-1"),),
    "Chinese misread twice": (garbled(CHINESE, 2, "cp1252"),),
    "KOI8-R misread as cp1251": (RUSSIAN.encode("koi8-r", "ignore").decode("cp1251", "replace"),),
    "cp1251 misread as Latin-1": (RUSSIAN.encode("cp1251").decode("latin-1"),),
    "misread leads and letters": ("Ã", "Â", "â‚¬", "Ð", "Ñ", "a"),  # noqa: RUF001
    "misread and correct": (garbled(RUSSIAN, 1, "cp1251"), RUSSIAN, "Ã© ", "\n"),
    "misread with lost bytes": ("Ð ", "Ñ\x81", "Ñ?", "Рё", "Р°", "С\x8f"),  # noqa: RUF001
    "GBK misread as Latin-1": (CHINESE.encode("gb18030").decode("latin-1"),),
}

RANDOM_HIGH = tuple(bytes([byte]) for byte in range(0x80, 0x100))

DATA: dict[str, Units[bytes]] = {
    **{
        f"{byte:02X}": (bytes([byte]),)
        for byte in (0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xED, 0xF0, 0xF4, 0xF5, 0xFF)
    },
    "E2 82": (b"\xe2\x82",),
    "F0 9F 98": (b"\xf0\x9f\x98",),
    "ED A0 80": (b"\xed\xa0\x80",),
    "overlong": (b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf"),
    "above U+10FFFF": (b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfd\xbf\xbf\xbf\xbf\xbf"),
    "leads of all lengths": (b"\xc2", b"\xe1", b"\xf1"),
    "letters and truncated sequences": (b"a", b"\xe2\x82", b"\xf0\x9f", b"\xd0\xb6"),
    "letters and FF": (b"a", b"\xff"),
    "Cyrillic and FF": ("ж".encode(), b"\xff"),
    "lines with an error": (b"line \xff\n",),
    "a form of each kind": (b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5", b"\xe2\x82", b"\xff"),
    "random bytes": tuple(bytes([byte]) for byte in range(0x100)),
    "random high bytes": RANDOM_HIGH,
    "random high bytes and ASCII": (*RANDOM_HIGH, *(char.encode() for char in span(0x20, 0x7E))),
    "random high bytes and newlines": (*RANDOM_HIGH, b"\n", b"\r\n"),
    "zeros": (b"\0",),
    "zeros and letters": (b"a", b"\0"),
    "UTF-16": (RUSSIAN.encode("utf-16-le"),),
    "UTF-16, random surrogates": (b"\x3d\xd8", b"\x00\xde", b"a\0", b"\x36\x04"),
    "UTF-16, random units": tuple(unit.to_bytes(2, "little") for unit in range(0, 0x10000, 97)),
    "UTF-32": (RUSSIAN.encode("utf-32-le"),),
    "UTF-32, too large": (b"\0\0\x11\0", b"a\0\0\0", b"\0\xd8\0\0"),
    "byte order marks of all encodings": (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x2b\x2f\x76\x38-"),
    "cp1251": (RUSSIAN.encode("cp1251"),),
    "KOI8-R": (RUSSIAN.encode("koi8-r"),),
    "cp1252": (FRENCH.encode("cp1252"),),
    "IBM037": (FRENCH.encode("cp037"),),
    "GB 18030": (CHINESE.encode("gb18030"),),
    "GB 18030, four bytes": (b"\x810\x810", b"\x950\x846", b"\x810", b"a"),
    "Big5": (CHINESE.encode("big5"),),
    "Shift JIS": (JAPANESE.encode("shift_jis"),),
    "EUC-JP": (JAPANESE.encode("euc_jp"),),
    "EUC-KR": (KOREAN.encode("euc_kr"),),
    "ISO-2022-JP": (JAPANESE.encode("iso2022_jp"),),
    "ISO-2022, escape sequences": (b"\x1b$B", b"\x1b(B", b"\x1b(J", b"\x1b$@", b"\x1b(I", b"a"),
    "ISO-2022, escape characters": (b"\x1b",),
    "ISO-2022-KR": (b"\x1b$)C", b"\x0e", b"\x0f", b"!!"),
    "HZ": (b"~{", b"~}", b"~~", b"~\n", b"VP", b"~"),
    "UTF-8 and cp1251 in lines": (RUSSIAN.encode() + b"\n", RUSSIAN.encode("cp1251") + b"\n"),
    "UTF-8 and KOI8-R in a line": (RUSSIAN.encode(), RUSSIAN.encode("koi8-r")),
    "CESU-8": (b"\xed\xa0\xbd\xed\xb8\x80", b"\xc0\x80", b"a"),
}


def inputs_of_data() -> dict[str, Input[bytes]]:
    """Return the families as data: all texts in UTF-8, with surrogates, and data that is not a text."""
    encoded = {
        name: tuple(unit.encode("utf-8", "surrogatepass") for unit in units) for name, units in TEXTS.items()
    }
    return {name: Input((units,)) for name, units in {**encoded, **DATA}.items()}


def inputs_of_text() -> dict[str, Input[str]]:
    """Return the families as texts: all texts, and data that was misread as Latin-1."""
    misread = {
        f"{name} as Latin-1": tuple(unit.decode("latin-1") for unit in units) for name, units in DATA.items()
    }
    return {name: Input((units,)) for name, units in {**TEXTS, **misread}.items()}
