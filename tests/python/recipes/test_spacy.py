"""spaCy: spans in UTF-16 code units and bytes, and back."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import SCRIPTS

if TYPE_CHECKING:
    from naive_offsets import Unit
    from strategies import Anything

spacy = pytest.importorskip("spacy")

TEXTS = st.lists(st.sampled_from([*SCRIPTS.values(), *"aé€😀 \n", "Ada "]), max_size=8).map("".join)


@cache
def pipeline() -> Anything:
    return spacy.blank("en")


@given(TEXTS, st.sampled_from(["utf16", "byte"]))
def test_spans(text: str, unit: Unit) -> None:
    """Each token is found by its span in another unit, and its span is the span of its encoded text."""
    doc = pipeline()(text)
    offsets = leadbyte.OffsetMap(text)
    starts = offsets.convert_many([token.idx for token in doc], "char", unit)
    for token, start in zip(doc, starts, strict=True):
        encoded = token.text.encode("utf-16-le" if unit == "utf16" else "utf-8", "surrogatepass")
        end = start + len(encoded) // (2 if unit == "utf16" else 1)
        first, last = offsets.convert_many([start, end], unit, "char")
        assert doc.char_span(first, last)[0].i == token.i
        assert offsets.slice(start, end, unit=unit) == token.text
