"""Real sentences in every legacy encoding of the Encoding Standard and of Python that can hold them."""

from __future__ import annotations

import codecs
import contextlib
import itertools
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from leadbyte.transcode import transcode
from sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES = [
    "ar", "be", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga", "he",
    "hr", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "mk", "nb", "nl", "pl", "pt", "ro", "ru", "sk",
    "sl", "sq", "sr", "sv", "th", "tr", "uk", "vi", "zh-Hans", "zh-Hant",
]  # fmt: skip
UNSPACED = {"ja", "th", "zh-Hans", "zh-Hant"}
# The Standard's encodings, and the codecs of Python that are the same or nearly so.
CODECS = {
    "ibm866": ["cp866"],
    **{f"iso-8859-{part}": [f"iso8859-{part}"] for part in (*range(2, 9), 10, 13, 14, 15, 16)},
    "koi8-r": ["koi8-r"],
    "koi8-u": ["koi8-u"],
    "macintosh": ["mac-roman"],
    "windows-874": ["cp874", "iso8859-11", "tis-620"],
    **{f"windows-{page}": [f"cp{page}"] for page in range(1250, 1259)},
    "x-mac-cyrillic": ["mac-cyrillic"],
    "gbk": ["gb18030", "gbk", "gb2312"],
    "gb18030": ["gb18030", "gbk", "gb2312"],
    "big5": ["cp950", "big5hkscs", "big5"],
    "euc-jp": ["euc_jp", "euc_jis_2004", "euc_jisx0213"],
    "iso-2022-jp": ["iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_ext"],
    "shift_jis": ["cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213"],
    "euc-kr": ["cp949", "euc_kr"],
    "utf-16le": ["utf-16-le"],
    "utf-16be": ["utf-16-be"],
}
# Those that the Standard lacks.
OTHERS = [
    "cp037", "cp273", "cp424", "cp437", "cp500", "cp720", "cp737", "cp775", "cp850", "cp852",
    "cp855", "cp856", "cp857", "cp858", "cp860", "cp861", "cp862", "cp863", "cp864", "cp865",
    "cp869", "cp875", "cp1026", "cp1125", "cp1140", "hp-roman8", "hz", "iso2022_kr", "johab",
    "koi8-t", "kz1048", "mac-croatian", "mac-greek", "mac-iceland", "mac-latin2", "mac-romanian",
    "mac-turkish", "ptcp154",
]  # fmt: skip
CODECS.update({name: [name] for name in OTHERS})
CODECS["windows-1252"].append("iso8859-1")
CODECS["windows-1254"].append("iso8859-9")
CYRILLIC = ("windows-1251", "iso-8859-5", "x-mac-cyrillic")
# In what each language was mostly written.
USUAL = {
    **dict.fromkeys(
        ["ca", "da", "de", "en", "es", "eu", "fi", "fr", "ga", "id", "is", "it", "nb", "nl", "pt", "sv"],
        ("windows-1252", "iso-8859-15", "macintosh"),
    ),
    **dict.fromkeys(["cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq"], ("windows-1250", "iso-8859-2")),
    **dict.fromkeys(["et", "lt", "lv"], ("windows-1257", "iso-8859-4", "iso-8859-13")),
    **dict.fromkeys(["mk", "sr"], CYRILLIC),
    **dict.fromkeys(["bg", "ru"], (*CYRILLIC, "koi8-r", "ibm866")),
    **dict.fromkeys(["be", "uk"], (*CYRILLIC, "koi8-u")),
    "ar": ("windows-1256", "iso-8859-6"),
    "el": ("windows-1253", "iso-8859-7"),
    "fa": ("windows-1256",),
    "he": ("windows-1255", "iso-8859-8"),
    "ja": ("shift_jis", "euc-jp", "iso-2022-jp"),
    "ko": ("euc-kr",),
    "th": ("windows-874",),
    "tr": ("windows-1254",),
    "vi": ("windows-1258",),
    "zh-Hans": ("gbk", "gb18030"),
    "zh-Hant": ("big5",),
}


class Sample(NamedTuple):
    """A text, and its bytes in an encoding."""

    language: str
    encoding: str
    text: str
    data: bytes

    def read_as(self, name: str | None) -> bool:
        """Return whether an encoding makes the text of the bytes."""
        try:
            return name is not None and self.data.decode(name) == self.text
        except (LookupError, ValueError):
            return False

    def is_named(self, name: str | None) -> bool:
        """Return whether an encoding is the one that was written."""
        accepted = {codecs.lookup(codec).name for codec in CODECS[self.encoding]}
        return name is not None and codecs.lookup(name).name in accepted


def with_tones_apart(text: str) -> str:
    """Return Vietnamese as Windows-1258 has it: with the tone behind a letter that lacks it."""

    def apart(char: str) -> str:
        parts = unicodedata.normalize("NFD", char)
        if len(parts) < 2 or (char < "\u0180" and char not in "ìÌòÒõÕýÝãÃĩĨũŨ"):
            return char
        return unicodedata.normalize("NFC", parts[:-1]) + parts[-1]

    return "".join(map(apart, text))


def encode(text: str, encoding: str) -> bytes | None:
    """Return text in an encoding; None if that, or its codec in Python, cannot hold it."""
    if encoding in OTHERS:
        with contextlib.suppress(UnicodeEncodeError):
            data = text.encode(encoding)
            return data if data.decode(encoding) == text else None
        return None
    try:
        data = transcode(text.encode(), "utf-8", f"whatwg:{encoding}" if encoding[:3] != "utf" else encoding)
    except UnicodeEncodeError:
        return None
    return data if any(Sample("", encoding, text, data).read_as(name) for name in CODECS[encoding]) else None


def cut(text: str, encoding: str, size: int) -> str:
    """Return the start of a text, at most this many bytes."""
    low, high = 0, min(size, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        data = encode(text[:middle], encoding)
        low, high = (middle, high) if data and len(data) <= size else (low, middle - 1)
    return text[:low]


def samples(language: str, encoding: str, size: int, count: int) -> Iterator[Sample]:
    """Yield up to this many samples: consecutive sentences that an encoding can encode, cut to a size."""
    apart = with_tones_apart if encoding == "windows-1258" and language == "vi" else str
    able = [
        sentence
        for sentence in map(apart, sentences(language))
        if sentence.isprintable() and encode(sentence, encoding) is not None
    ]
    if len(able) < 2 * count:
        return
    for number in range(count):
        first = number * len(able) // count
        text, space = "", "" if language in UNSPACED else " "
        for sentence in itertools.islice(itertools.cycle(able), first, first + len(able)):
            if len(text) >= size:
                break
            text += (space if text else "") + sentence
        text = cut(text, encoding, size)
        data = encode(text, encoding)
        if data and not text.isascii():
            yield Sample(language, encoding, text, data)
