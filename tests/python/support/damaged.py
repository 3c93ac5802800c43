"""Sentences that were read in the wrong encoding: those that are made here, and those that people wrote."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leadbyte.mojibake import garble
from sentences import LANGUAGES, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

Pair = tuple[str, str]

PAIRS: list[Pair] = [
    *(
        ("utf-8", read)
        for read in ("windows-1252", "windows-1251", "windows-1250", "windows-1253", "latin-1")
    ),
    ("windows-1251", "latin-1"),
    ("windows-1251", "windows-1252"),
    ("windows-1251", "koi8-r"),
    ("koi8-r", "windows-1251"),
    ("windows-1251", "ibm866"),
    ("ibm866", "windows-1251"),
    ("windows-1250", "windows-1252"),
    ("windows-1253", "windows-1252"),
]
"""The encodings written, and the encodings they are read as."""

SPOKEN = ("ru", "uk", "de", "fr", "el", "pl")
"""The languages that sentences are damaged in."""

REGIONAL: list[tuple[tuple[str, ...], list[Pair]]] = [
    (
        ("de", "fr", "es", "it", "pt", "sv", "fi", "nl", "da", "ca", "is"),
        [
            *(("utf-8", read) for read in ("cp437", "cp850")),
            *(("windows-1252", read) for read in ("cp437", "cp850")),
            *((wrote, "windows-1252") for wrote in ("cp437", "cp850")),
        ],
    ),
    (
        ("cs", "sk", "pl", "hr", "sl", "hu", "ro"),
        [("windows-1250", "windows-1252"), ("iso8859-2", "windows-1252")],
    ),
    (("tr",), [("windows-1254", "windows-1252")]),
]
"""Languages, and damage that is usual in them."""

# What sentences of the collection have that were damaged before they came into it: controls of Latin-1 for
# quotes and œ, letters that the language does not have, U+FFFD read wrongly.
CONTROLS = "[\x80-\x9f]"
FOREIGN = {"hu": "[õûÕÛ]", "ro": "[ãÃ]|ï¿½|ďż˝", "tr": "[ýþðÝÞÐ]"}
# The numbers of others, each looked at by a reader.
FOUND = {
    "af": (484,),
    "cs": (
        22,
        34,
        44,
        45,
        56,
        67,
        69,
        96,
        115,
        132,
        137,
        168,
        170,
        222,
        227,
        239,
        256,
        283,
        287,
        350,
        353,
        363,
        385,
        387,
        389,
        426,
        469,
        476,
        486,
        491,
    ),
    "da": (441,),
    "de": (
        151,
        157,
    ),
    "eo": (11, 102, 112, 144, 163, 175, 263, 347, 387),
    "fi": (59,),
    "fr": (92,),
    "hr": (
        7,
        179,
        395,
    ),
    "hu": (122, 338),
    "id": (199,),
    "sk": (124,),
    "sl": (
        99,
        127,
        144,
        443,
        457,
    ),
    "sq": (415,),
    "sv": (396,),
    "tr": (346,),
}


class Damaged(NamedTuple):
    """A sentence, and the result of its damage."""

    language: str
    pairs: tuple[Pair, ...]
    sentence: str
    text: str


def is_found(language: str, number: int, sentence: str) -> bool:
    """Return whether something happened to a sentence."""
    signs = f"{CONTROLS}|{FOREIGN[language]}" if language in FOREIGN else CONTROLS
    return number in FOUND.get(language, ()) or re.search(signs, sentence) is not None


def good(language: str) -> list[str]:
    """Return the sentences of a language that nothing happened to."""
    numbered = enumerate(sentences(language), 1)
    return [sentence for number, sentence in numbered if not is_found(language, number, sentence)]


def found() -> Iterator[str]:
    """Yield the sentences that something happened to."""
    for language in LANGUAGES:
        numbered = enumerate(sentences(language), 1)
        yield from (sentence for number, sentence in numbered if is_found(language, number, sentence))


def once() -> list[tuple[Pair, ...]]:
    """Return the ways to damage a text once."""
    return [(pair,) for pair in PAIRS]


def twice() -> list[tuple[Pair, ...]]:
    """Return the ways to damage a text twice in the same way."""
    return [(pair, pair) for pair in PAIRS]


def mixed() -> list[tuple[Pair, ...]]:
    """Return the ways to damage a text in two ways, one after the other."""
    return list(itertools.permutations(PAIRS, 2))


def damaged(count: int, ways: list[tuple[Pair, ...]]) -> Iterator[Damaged]:
    """Yield the results of each kind of damage to this many sentences of each language."""
    for language in SPOKEN:
        for sentence, pairs in itertools.product(good(language)[:count], ways):
            text = sentence
            try:
                for wrote, read in pairs:
                    text = garble(text, encoding=standard(wrote), misread_as=standard(read))
            except UnicodeError:
                continue
            if text != sentence:
                yield Damaged(language, pairs, sentence, text)


def regional(count: int) -> Iterator[Damaged]:
    """Yield the results of regional damage to this many sentences of each language.

    The parameters of the repair were tuned on the first half of the sentences of a language; these are of
    the second, on which nothing was tuned.
    """
    for languages, pairs in REGIONAL:
        for language, (wrote, read) in itertools.product(languages, pairs):
            all_good = [sentence for sentence in good(language) if not sentence.isascii()]
            for sentence in all_good[len(all_good) // 2 :][:count]:
                try:
                    text = garble(sentence, encoding=standard(wrote), misread_as=standard(read))
                except UnicodeError:
                    continue
                if text != sentence:
                    yield Damaged(language, ((wrote, read),), sentence, text)


def standard(name: str) -> str:
    """Return a name by which no byte is lost."""
    return f"whatwg:{name}" if name.startswith("windows") else name


class Case(NamedTuple):
    """A test case of ftfy."""

    label: str
    original: str
    fixed: str
    expect: str


def ftfy_cases() -> list[Case]:
    """Return ftfy's published test cases."""
    path = Path(__file__).parents[2] / "vectors/ftfy/cases.json"
    return [Case(**case) for case in json.loads(path.read_bytes())]
