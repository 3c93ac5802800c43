"""Encodings to test with, and data in them. Nothing here uses leadbyte."""

from __future__ import annotations

import codecs
import encodings.aliases
import importlib
import itertools
import struct
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import strategies
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator


def names() -> Iterator[str]:
    """Yield what Python calls its encodings of text: names, aliases, other spellings."""
    for name in sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values(), "Utf-16-LE", "L 1"}):
        # Some aliases that have capitals lead nowhere; some encodings only Windows has.
        with suppress(LookupError):
            if codecs.lookup(name)._is_text_encoding:
                yield name


def charmaps() -> Iterator[str]:
    """Yield the names of Python's codecs of one byte a character."""
    for name in sorted(set(encodings.aliases.aliases.values())):
        if name in {"mbcs", "oem"}:  # which only Windows has
            continue
        module = importlib.import_module(f"encodings.{name}")
        if hasattr(module, "decoding_table"):
            yield codecs.lookup(name).name


UTF_16 = ["utf-16", "utf-16-le", "utf-16-be"]
UTF_32 = ["utf-32", "utf-32-le", "utf-32-be"]
UNICODE = ["utf-8", "utf-8-sig", *UTF_16, *UTF_32]
CHARMAPS = list(charmaps())
NAMES = list(names())
NATIVE = [*UNICODE, "latin-1", "ascii", *CHARMAPS]
MULTI_BYTE = ["gb18030", "gbk", "big5", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949", "iso2022_jp"]
OTHERS = [*MULTI_BYTE, "utf-7", "hz"]

TEXTS = {
    **strategies.SCRIPTS,
    "latin": "Ça va, naïve façade? £5 ½ ÿþ\n",
    "greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία\n",
    "japanese": "いろはにほへと ｶﾀｶﾅ 日本語\n",
    "korean": "다람쥐 헌 쳇바퀴에 타고파\n",
    "all of Latin-1": "".join(map(chr, range(0x100))),
    "marks": "\ufeff\ufeffa\ufeff",
}
SURROGATES = ["\ud800", "\udfff", "a\udc80€", "\udcff\udcff", "\ud83d\ude00", "\ude00\ud83d"]
# Code units at which the rules of UTF-16 and UTF-32 change.
UNITS_16 = [0, 0x41, 0x7F, 0x80, 0xE9, 0x7FF, 0x800, 0x20AC, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDFFF,
            0xE000, 0xFEFF, 0xFFFE, 0xFFFF]  # fmt: skip
UNITS_32 = [*UNITS_16, 0x10000, 0x1F600, 0x10FFFF, 0x110000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFE0000]


def packed(units: list[int], size: int, order: str = "<") -> bytes:
    """Return code units as bytes."""
    return struct.pack(f"{order}{len(units)}{'H' if size == 2 else 'I'}", *units)


def units_of(name: str) -> tuple[list[int], int, str] | None:
    """Return the interesting units of UTF-16 or UTF-32, their size and their order."""
    order = ">" if name.endswith("be") or (name[-1] in "62" and sys.byteorder == "big") else "<"
    if name in UTF_16:
        return UNITS_16, 2, order
    return (UNITS_32, 4, order) if name in UTF_32 else None


def broken(name: str) -> list[bytes]:
    """Return data that may not be in an encoding: sequences that break its rules, cut off, odd."""
    if found := units_of(name):
        units, size, order = found
        pairs = [packed(list(pair), size, order) for pair in itertools.product(units, repeat=2)]
        odd = [pairs[0] + bytes(number) for number in range(1, size)]
        cut = [packed([0x41, 0xD83D], size, order) + b"\0" * number for number in range(size)]
        return [*pairs, *odd, *cut]
    if name.startswith("utf-8"):
        marks = [codecs.BOM_UTF8[:length] for length in range(4)]
        return [*strategies.BROKEN, *marks, *(codecs.BOM_UTF8 + data for data in strategies.BROKEN[:4])]
    if name in MULTI_BYTE:
        return [bytes([lead, trail]) for lead in (0x41, 0x80, 0x81, 0x8F, 0xA1, 0xFE, 0xFF)
                for trail in (0x00, 0x30, 0x41, 0x7F, 0x80, 0xA1, 0xFF)]  # fmt: skip
    return [bytes(range(0x100)), bytes(range(0xFF, 0, -1)), b"\xff", b"\x98a\x81", b"\x80" * 40]


def valid(name: str) -> list[bytes]:
    """Return texts in an encoding, as far as it has their characters."""
    return [b"", *(text.encode(name, "ignore") for text in [*TEXTS.values(), "".join(TEXTS.values())])]


def data_in(name: str) -> st.SearchStrategy[bytes]:
    """Yield data in an encoding, or nearly."""
    if found := units_of(name):
        units, size, order = found
        some = st.lists(st.one_of(st.sampled_from(units), st.integers(0, 0xFFFF)), max_size=80)
        in_units = st.builds(
            lambda units, tail: packed(units, size, order) + tail, some, st.binary(max_size=size - 1)
        )
        text = st.text(max_size=60).map(lambda text: text.encode(name, "surrogatepass"))
        return st.one_of(in_units, text, st.binary(max_size=40))
    if name.startswith("utf-8"):
        return st.one_of(strategies.data(), strategies.data().map(codecs.BOM_UTF8.__add__))
    own = st.sampled_from([data for data in valid(name) if data])
    pieces = st.lists(
        st.one_of(
            st.binary(max_size=20), st.builds(lambda data, at: data[at : at + 30], own, st.integers(0, 30))
        )
    )
    return pieces.map(b"".join)
