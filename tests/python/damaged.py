"""Sentences that were read in the wrong encoding: those that are made here, and those that people wrote."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leadbyte.mojibake import damage
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
"""What is written, and what it is read as."""

SPOKEN = ("ru", "uk", "de", "fr", "el", "pl")
"""The languages that sentences are damaged in."""

# Numbers of sentences that were damaged before they came into the collection, each looked at by a reader:
# French ones have controls for quotes, Turkish ones were read as Windows-1252, Czech ones as Windows-1250,
# and in Romanian ones U+FFFD itself was read wrongly.
FOUND = {
    "af": (484,),
    "cs": (
        22,
        96,
        115,
        132,
        137,
        170,
        227,
        283,
        350,
        353,
        385,
        387,
        389,
        426,
        469,
        476,
        491,
    ),
    "de": (
        151,
        157,
    ),
    "fi": (
        59,
        183,
        388,
    ),
    "fr": (
        1,
        3,
        8,
        15,
        16,
        21,
        27,
        29,
        36,
        49,
        81,
        86,
        92,
        95,
        100,
        105,
        117,
        119,
        121,
        125,
        133,
        136,
        144,
        145,
        147,
        155,
        157,
        158,
        162,
        173,
        175,
        183,
        211,
        214,
        220,
        222,
        226,
        230,
        250,
        254,
        261,
        265,
        290,
        298,
        305,
        306,
        308,
        316,
        322,
        327,
        332,
        333,
        338,
        350,
        360,
        368,
        371,
        376,
        383,
        384,
        387,
        392,
        393,
        395,
        397,
        403,
        416,
        421,
        423,
        425,
        426,
        434,
        445,
        452,
        459,
        476,
        477,
        480,
        491,
    ),
    "hr": (
        179,
        395,
    ),
    "hu": (122,),
    "id": (199,),
    "nb": (
        34,
        42,
        51,
        192,
        233,
        282,
        308,
    ),
    "ro": (
        20,
        21,
        25,
        31,
        52,
        66,
        87,
        110,
        116,
        134,
        147,
        185,
        187,
        189,
        210,
        230,
        240,
        251,
        252,
        254,
        256,
        277,
        283,
        284,
        345,
        357,
        370,
        378,
        380,
        386,
        400,
        412,
        414,
        437,
        457,
        465,
        471,
        477,
        478,
    ),
    "sk": (124,),
    "sl": (
        99,
        144,
        443,
    ),
    "sv": (
        366,
        396,
        423,
    ),
    "tr": (
        3,
        5,
        13,
        19,
        21,
        27,
        28,
        31,
        32,
        33,
        36,
        43,
        49,
        53,
        58,
        59,
        60,
        62,
        66,
        69,
        72,
        75,
        87,
        98,
        103,
        126,
        129,
        152,
        154,
        157,
        169,
        171,
        173,
        174,
        179,
        185,
        194,
        197,
        206,
        208,
        213,
        214,
        215,
        217,
        223,
        231,
        232,
        235,
        240,
        241,
        255,
        259,
        263,
        270,
        273,
        284,
        285,
        286,
        288,
        289,
        301,
        316,
        324,
        325,
        328,
        330,
        331,
        332,
        345,
        346,
        349,
        350,
        360,
        366,
        374,
        375,
        376,
        377,
        379,
        384,
        387,
        393,
        394,
        397,
        413,
        425,
        434,
        438,
        440,
        445,
        446,
        449,
        450,
        452,
        468,
        470,
        475,
        478,
        487,
        489,
    ),
}


class Damaged(NamedTuple):
    """A sentence, and what became of it."""

    language: str
    pairs: tuple[Pair, ...]
    sentence: str
    text: str


def good(language: str) -> list[str]:
    """Return the sentences of a language that nothing happened to."""
    found = FOUND.get(language, ())
    return [sentence for number, sentence in enumerate(sentences(language), 1) if number not in found]


def found() -> Iterator[tuple[str, str]]:
    """Give the sentences that something happened to, and their languages."""
    for language in LANGUAGES:
        for number in FOUND.get(language, ()):
            yield language, sentences(language)[number - 1]


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
    """Give what each way makes of so many sentences of each language, where it can and something changes."""
    for language in SPOKEN:
        for sentence, pairs in itertools.product(good(language)[:count], ways):
            text = sentence
            try:
                for wrote, read in pairs:
                    text = damage(text, standard(wrote), standard(read))
            except UnicodeError:
                continue
            if text != sentence:
                yield Damaged(language, pairs, sentence, text)


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
    path = Path(__file__).parent.parent / "vectors/ftfy/cases.json"
    return [Case(**case) for case in json.loads(path.read_bytes())]
