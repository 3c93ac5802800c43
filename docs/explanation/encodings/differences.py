#!/usr/bin/env python3
"""Computes the tables of legacy.md: the differences between the legacy encodings of Python and WHATWG.

python docs/explanation/encodings/differences.py

WHATWG's side is ``whatwg:LABEL`` in leadbyte.transcode, that is encoding_rs. Every byte sequence is decoded
separately on both sides, and every character found in this way is encoded separately.
"""

from __future__ import annotations

import codecs
import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from leadbyte.transcode import transcode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Taken = TypeVar("Taken", bytes, str)
Given = TypeVar("Given", bytes, str)

PAGE = Path(__file__).parent / "legacy.md"
ESCAPE = b"\x1b"
START, END = "<!-- differences -->", "<!-- /differences -->"

# Encoding Standard, section 4.2: all encodings and their labels.
LABELS = {
    name: labels.split()
    for name, labels in {
        "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
        "ibm866": "866 cp866 csibm866 ibm866",
        "iso-8859-2": (
            "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"
        ),
        "iso-8859-3": (
            "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"
        ),
        "iso-8859-4": (
            "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"
        ),
        "iso-8859-5": (
            "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"
        ),
        "iso-8859-6": (
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
            "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
        ),
        "iso-8859-7": (
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
            "iso_8859-7 iso_8859-7:1987 sun_eu_greek"
        ),
        "iso-8859-8": (
            "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
            "iso_8859-8 iso_8859-8:1988 visual"
        ),
        "iso-8859-8-i": "csiso88598i iso-8859-8-i logical",
        "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
        "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
        "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
        "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
        "iso-8859-16": "iso-8859-16",
        "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
        "koi8-u": "koi8-ru koi8-u",
        "macintosh": "csmacintosh mac macintosh x-mac-roman",
        "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
        "windows-1250": "cp1250 windows-1250 x-cp1250",
        "windows-1251": "cp1251 windows-1251 x-cp1251",
        "windows-1252": (
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
            "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
        ),
        "windows-1253": "cp1253 windows-1253 x-cp1253",
        "windows-1254": (
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
            "latin5 windows-1254 x-cp1254"
        ),
        "windows-1255": "cp1255 windows-1255 x-cp1255",
        "windows-1256": "cp1256 windows-1256 x-cp1256",
        "windows-1257": "cp1257 windows-1257 x-cp1257",
        "windows-1258": "cp1258 windows-1258 x-cp1258",
        "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
        "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
        "gb18030": "gb18030",
        "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
        "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
        "iso-2022-jp": "csiso2022jp iso-2022-jp",
        "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
        "euc-kr": (
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
            "ksc_5601 windows-949"
        ),
        "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
        "utf-16be": "unicodefffe utf-16be",
        "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
        "x-user-defined": "x-user-defined",
    }.items()
}
# Names that Python has since a certain version.
NEW_NAMES = {"windows-31j": ("cp932", "3.13")}

SINGLE_BYTE = [
    ("ibm866", "cp866"),
    *((f"iso-8859-{part}", f"iso8859-{part}") for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    ("koi8-r", "koi8-r"),
    ("koi8-u", "koi8-u"),
    ("macintosh", "mac-roman"),
    ("x-mac-cyrillic", "mac-cyrillic"),
    ("windows-874", "cp874"),
    ("windows-874", "tis-620"),
    ("windows-874", "iso8859-11"),
    *((f"windows-{page}", f"cp{page}") for page in (1250, 1251, 1252)),
    ("windows-1252", "iso8859-1"),
    ("windows-1252", "ascii"),
    *((f"windows-{page}", f"cp{page}") for page in (1253, 1254)),
    ("windows-1254", "iso8859-9"),
    *((f"windows-{page}", f"cp{page}") for page in (1255, 1256, 1257, 1258)),
]
MULTI_BYTE = [
    ("gbk", "gb2312"),
    ("gbk", "gbk"),
    ("gb18030", "gb18030"),
    ("big5", "big5"),
    ("big5", "cp950"),
    ("big5", "big5hkscs"),
    ("euc-jp", "euc_jp"),
    ("iso-2022-jp", "iso2022_jp"),
    ("shift_jis", "shift_jis"),
    ("shift_jis", "cp932"),
    ("euc-kr", "euc_kr"),
    ("euc-kr", "cp949"),
]
MAX_LISTED = 12  # differences that are listed individually
MAX_SINGLE = 100_000  # sequences that are compared individually, not in blocks


@dataclass(frozen=True)
class Side:
    """One of the two sides, under one name."""

    name: str

    def decode(self, data: bytes) -> str | None:
        """Decode with Python's codec; return None for an error."""
        try:
            return data.decode(self.name)
        except UnicodeDecodeError:
            return None

    def encode(self, text: str) -> bytes | None:
        """Encode with Python's codec; return None for an error."""
        try:
            return text.encode(self.name)
        except UnicodeEncodeError:
            return None


class Whatwg(Side):
    """The side of WHATWG."""

    def decode(self, data: bytes) -> str | None:
        """Decode as in browsers, but strictly; return None for an error."""
        try:
            return transcode(data, f"whatwg:{self.name}", "utf-8").decode()
        except UnicodeDecodeError:
            return None

    def encode(self, text: str) -> bytes | None:
        """Encode as in browsers, but strictly; return None for an error."""
        try:
            return transcode(text.encode(), "utf-8", f"whatwg:{self.name}")
        except UnicodeEncodeError:
            return None


@dataclass(frozen=True)
class Difference(Generic[Taken, Given]):
    """The results of both sides for one input; None is an error."""

    what: Taken
    whatwg: Given | None
    python: Given | None


InDecoding: TypeAlias = "Difference[bytes, str]"
InEncoding: TypeAlias = "Difference[str, bytes]"


def differing(
    items: Sequence[Taken],
    whatwg: Callable[[Taken], Given | None],
    python: Callable[[Taken], Given | None],
    block: int = 1,
) -> Iterator[Difference[Taken, Given]]:
    """Yield the differences; blocks without any are not compared item by item."""
    for start in range(0, len(items), block):
        some = items[start : start + block]
        joined = some[0][:0].join(some)
        found = whatwg(joined)
        if found == python(joined) and (block == 1 or found is not None):
            continue
        if block == 1:
            yield Difference(joined, found, python(joined))
        else:
            yield from differing(some, whatwg, python)


def sequences(label: str, whatwg: Side, python: Side) -> Iterator[list[bytes]]:
    """Yield lists of all byte sequences that may be characters, one list per length."""
    singles = [bytes([byte]) for byte in range(256)]
    if label == "iso-2022-jp":
        columns = [bytes([byte]) for byte in range(0x21, 0x7F)]
        back = ESCAPE + b"(B"
        for escape in (ESCAPE + b"(J", ESCAPE + b"(I"):
            yield [escape + column + back for column in columns]
        pairs = [first + second for first, second in itertools.product(columns, columns)]
        for escape in (ESCAPE + b"$@", ESCAPE + b"$B"):
            yield [escape + pair + back for pair in pairs]
        return
    yield singles
    leads = [lead for lead in singles if whatwg.decode(lead) is None and python.decode(lead) is None]
    yield [lead + second for lead, second in itertools.product(leads, singles)]
    if label == "euc-jp":
        high = singles[0xA1:0xFF]
        yield [b"\x8f" + second + third for second, third in itertools.product(high, high)]
    if label == "gb18030":
        high, digits = singles[0x81:0xFF], singles[0x30:0x3A]
        yield [b"".join(four) for four in itertools.product(high, digits, high, digits)]


def compare(label: str, codec: str) -> tuple[list[InDecoding], list[InEncoding]]:
    """Return the differences between a WHATWG encoding and a codec in decoding and in encoding."""
    whatwg, python = Whatwg(label), Side(codec)
    decoding: list[InDecoding] = []
    found: set[str] = set()
    for items in sequences(label, whatwg, python):
        if len(items) > MAX_SINGLE:
            decoding += differing(items, whatwg.decode, python.decode, block=1260)
            continue
        for item in items:
            ours, theirs = whatwg.decode(item), python.decode(item)
            found.update(ours or "", theirs or "")
            if ours != theirs:
                decoding.append(Difference(item, ours, theirs))
    everything = label == "gb18030"
    if everything:
        found = {chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000}
    encoding = differing(sorted(found), whatwg.encode, python.encode, block=512 if everything else 1)
    return decoding, list(encoding)


# Formatting in Markdown.


def escape_of(data: bytes) -> tuple[str, bytes]:
    """Return the escape sequence at the start of data, formatted, and the bytes up to the next one."""
    if data[:1] != ESCAPE:
        return "", data
    return f"`ESC {data[1:3].decode()}` ", data[3:].partition(ESCAPE)[0]


def format_bytes(data: bytes) -> str:
    """Format bytes in hexadecimal."""
    escape, body = escape_of(data)
    return f"{escape}{body.hex(' ').upper()}"


def format_difference(item: InDecoding) -> str:
    """Format the decoded characters of both sides, or of the only side without an error."""
    whatwg, python = (
        "".join(f"U+{ord(char):04X}" for char in text or "") for text in (item.whatwg, item.python)
    )
    return f"{whatwg}, Python {python}" if whatwg and python else whatwg or python


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, ["---"] * len(header), *rows])


def ranges(numbers: Sequence[int], form: str) -> str:
    """Format ascending numbers, consecutive ones as ranges."""
    runs = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    spans = [[number for _, number in run] for _, run in runs]
    return ", ".join(
        form.format(span[0]) if len(span) == 1 else f"{form.format(span[0])} to {form.format(span[-1])}"
        for span in spans
    )


def format_together(values: Sequence[str | None], numbers: Sequence[int]) -> str:
    """Format the values of some bytes on one side: nothing, controls, or one character each."""
    codes = [ord(value) for value in values if value is not None]
    if not codes:
        return "nothing"
    return "the control of the same number" if codes == numbers else ranges(codes, "U+{:04X}")


def single_byte_rows(label: str, codec: str, differences: Sequence[InDecoding]) -> Iterator[list[str]]:
    """Yield a row for each kind of bytes: nothing, a control or a character on either side."""

    def kind(difference: InDecoding) -> list[str]:
        byte = difference.what[0]
        return [
            "nothing" if value is None else "control" if value == chr(byte) and byte < 0xA0 else "character"
            for value in (difference.whatwg, difference.python)
        ]

    for _, group in itertools.groupby(sorted(differences, key=kind), kind):
        some = list(group)
        numbers = [difference.what[0] for difference in some]
        yield [
            f"`{label}`",
            f"`{codec}`",
            ranges(numbers, "{:02X}"),
            format_together([difference.whatwg for difference in some], numbers),
            format_together([difference.python for difference in some], numbers),
        ]


def multi_byte_cells(differences: Sequence[Difference[Any, Any]]) -> list[str]:
    """Return the numbers of items that only WHATWG has, that only Python has, and that differ."""
    kinds = [(item.python is None, item.whatwg is None) for item in differences]
    counts = [kinds.count((True, False)), kinds.count((False, True)), kinds.count((False, False))]
    return [f"{count:,}" for count in counts]


def listed(differences: Sequence[InDecoding]) -> str:
    """List differences, or their lead bytes if there are many."""
    if len(differences) <= MAX_LISTED:
        return "; ".join(f"{format_bytes(item.what)}: {format_difference(item)}" for item in differences)
    places: dict[str, list[int]] = {}
    for item in differences:
        escape, body = escape_of(item.what)
        length = "1 byte" if len(body) == 1 else f"{len(body)} bytes"
        places.setdefault(f"{escape}{length}", []).append(body[0])
    return "; ".join(
        f"{place} from {ranges(sorted(set(numbers)), '{:02X}')} ({len(numbers):,})"
        for place, numbers in places.items()
    )


def multi_byte_list(label: str, codec: str, differences: Sequence[InDecoding]) -> Iterator[str]:
    """Yield a line for each kind of difference in decoding."""
    kinds = {
        "only WHATWG": [item for item in differences if item.python is None],
        "only Python": [item for item in differences if item.whatwg is None],
        "differently": [item for item in differences if item.python is not None and item.whatwg is not None],
    }
    for kind, some in kinds.items():
        if some:
            yield f"- `{label}`, `{codec}`, {kind}: {listed(some)}"


def label_rows() -> Iterator[list[str]]:
    """Yield a row for each encoding: its labels, grouped by their meaning in Python."""
    for name, labels in LABELS.items():
        by_codec: dict[str, list[str]] = {}
        for label in labels:
            by_codec.setdefault(python_name(label), []).append(f"`{label}`")
        unknown = by_codec.pop("", [])
        known = "; ".join(f"**{codec}**: {', '.join(some)}" for codec, some in by_codec.items())
        yield [f"`{name}`", known, ", ".join(unknown)]


def python_name(label: str) -> str:
    """Return the name of Python's codec for a label; empty if there is none."""
    if label in NEW_NAMES:
        codec, version = NEW_NAMES[label]
        return f"{codec} (from Python {version})"
    try:
        return codecs.lookup(label).name
    except LookupError:
        return ""


def section() -> str:
    """Compute the part of the page between the markers."""
    single = {pair: compare(*pair)[0] for pair in SINGLE_BYTE}
    multi = {pair: compare(*pair) for pair in MULTI_BYTE}
    agreeing = [f"`{label}` = `{codec}`" for (label, codec), found in single.items() if not found]
    agreeing += [f"`{label}` = `{codec}`" for (label, codec), found in multi.items() if not any(found)]
    parts = [
        f"All bytes are the same in both directions: {', '.join(agreeing)}.",
        "### Single bytes",
        table(
            ["WHATWG", "Python's codec", "bytes", "in WHATWG", "in Python"],
            [row for pair, found in single.items() for row in single_byte_rows(*pair, found)],
        ),
        "### Several bytes",
        "Numbers of byte sequences that are decoded, and of characters that are encoded, each separately:",
        table(
            [
                "WHATWG",
                "Python's codec",
                *(
                    f"{what}: {who}"
                    for what in ("decoded", "encoded")
                    for who in ("only WHATWG", "only Python", "differently")
                ),
            ],
            [
                [f"`{label}`", f"`{codec}`", *multi_byte_cells(decoding), *multi_byte_cells(encoding)]
                for (label, codec), (decoding, encoding) in multi.items()
            ],
        ),
        "Differences in decoding, by the first byte:",
        "\n".join(line for pair, (decoding, _) in multi.items() for line in multi_byte_list(*pair, decoding)),
        "### Labels",
        table(["WHATWG", "labels that Python knows, by codec", "labels that only WHATWG has"], label_rows()),
    ]
    return "\n\n".join(parts)


def main() -> None:
    """Write the section into the page."""
    text = PAGE.read_text(encoding="utf-8")
    body = f"{START}\n\n{section()}\n\n{END}"
    PAGE.write_text(
        re.sub(f"{START}.*{END}", lambda _: body, text, flags=re.DOTALL), encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
