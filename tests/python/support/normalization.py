"""Texts that look the same and are not, and data that is not text. Nothing here uses leadbyte."""

from __future__ import annotations

import gzip
import io
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: list[Form] = ["NFC", "NFD", "NFKC", "NFKD"]
VECTORS = Path(__file__).parents[2] / "vectors/unicode"

# Characters that meet others: marks that compose, marks that do not, what decomposes, jamo, joiners.
EDGE_CASES = (
    "aué\u00c5\u1e69\u1ec7\u212b\ufb01²¼ﾊﾞ가각\u1100\u1161\u11a8\u0300\u0301\u0307\u0308\u0323\u0338\u0345\u0344"
    "\u0f71\u0f73\u093c\u094dकड़\u0958\u200c\u200d\ufe0f👩💻🏽🇺🇦\r\n\u0600\u0903\u09c7\u09be\U00011099\U000110ba"
    "\U0001d15e\U0002f800\ufacf\ufdfa"
)
# Not bytes-like, and no str.
NO_TEXTS = [None, 1, 1.5, ["a"], object()]


def opened(name: str) -> TextIO:
    """Open one of Unicode's tests."""
    return io.TextIOWrapper(gzip.open(VECTORS / f"{name}.txt.gz"), encoding="utf-8")


def rows(name: str) -> Iterator[str]:
    """Yield the rows of one of Unicode's tests, without comments."""
    with opened(name) as file:
        for line in file:
            if row := line.partition("#")[0].strip():
                yield row


def spelled(numbers: str) -> str:
    """Return the text that code points in hex spell."""
    return "".join(chr(int(number, 16)) for number in numbers.split())


def is_assigned(text: str) -> bool:
    """Return whether this Python knows all the characters."""
    return all(unicodedata.category(char) != "Cn" for char in text)


@cache
def assigned() -> list[str]:
    """Return all characters that this Python knows, and the surrogates."""
    return list(filter(is_assigned, map(chr, range(sys.maxunicode + 1))))


def texts() -> st.SearchStrategy[str]:
    """Yield runs of characters that nothing changes, and others between, in a str of any kind."""
    run = st.builds(lambda char, times: char * times, st.sampled_from("aéж中😀\udc80"), st.integers(0, 150))
    some = st.text(st.one_of(st.sampled_from(EDGE_CASES), st.characters()), max_size=8)
    narrow = st.text(st.characters(max_codepoint=0xFF), max_size=80)
    parts = st.lists(st.tuples(run, some), max_size=5)
    return st.one_of(parts.map(lambda parts: "".join(map("".join, parts))), narrow).filter(is_known)


def is_known(text: str) -> bool:
    """Return whether this Python knows all characters that are characters, as they may have come later."""
    return all(unicodedata.category(char) != "Cn" or is_noncharacter(ord(char)) for char in text)


def is_noncharacter(code_point: int) -> bool:
    """Return whether a code point will never be a character."""
    return 0xFDD0 <= code_point <= 0xFDEF or code_point & 0xFFFE == 0xFFFE
