"""The functions of the pages on redaction and citations, with spans in each unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from naive_offsets import UNITS, NaiveOffsets, Unit
from page_examples import RECIPES, names_of

if TYPE_CHECKING:
    from random import Random

REDACT = names_of(RECIPES / "redaction.md")["redact"]
CITE = names_of(RECIPES / "citations.md")["cite"]
TEXTS = st.lists(st.sampled_from([*"aé€😀\n.", "Ada", "Jürgen", "Łukasz 🎉"]), max_size=20).map("".join)
NAMES = re.compile("Ada|Jürgen|Łukasz 🎉")


def in_unit(text: str, offset: int, unit: Unit) -> int:
    """Convert an offset in characters by counting."""
    naive = NaiveOffsets(text.encode())
    return naive.before[unit][len(text[:offset].encode())]


@given(TEXTS, st.sampled_from(UNITS), st.randoms())
def test_redaction(text: str, unit: Unit, random: Random) -> None:
    """Nothing of a name is left, and nothing else is changed."""
    spans = [
        (in_unit(text, found.start(), unit), in_unit(text, found.end(), unit), "NAME")
        for found in NAMES.finditer(text)
    ]
    random.shuffle(spans)
    assert REDACT(text, spans, unit) == NAMES.sub("<NAME>", text)


@given(TEXTS)
def test_citations(text: str) -> None:
    ends = [found.end() for found in re.finditer(r"\.", text)]
    supports = [
        {"segment": {"endIndex": in_unit(text, end, "byte")}, "groundingChunkIndices": [index]}
        for end in ends
        for index in (0, 1)
    ]
    assert CITE(text, supports) == text.replace(".", ".[1][2]")
