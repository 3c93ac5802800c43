"""Byte-level tokens of Hugging Face tokenizers: their spans, and their bytes in a stream."""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import RECIPES, names_of
from strategies import SCRIPTS

if TYPE_CHECKING:
    from strategies import Anything

tokenizers = pytest.importorskip("tokenizers")

TEXTS = st.lists(st.sampled_from([*SCRIPTS.values(), *"aé€😀 \n", "hello"]), max_size=8).map("".join)

TOKEN_BYTES = names_of(RECIPES / "tokens.md")["token_bytes"]


@cache
def tokenizer() -> Anything:
    """Return a tokenizer that knows few words, so that it cuts many characters."""
    trained = tokenizers.ByteLevelBPETokenizer(trim_offsets=False)
    trained.train_from_iterator(SCRIPTS.values(), vocab_size=400, min_frequency=1, show_progress=False)
    return trained


def spans(tokens: list[str]) -> list[tuple[int, int]]:
    """Return the span of each token in bytes: it writes each byte as a character."""
    ends = [0, *itertools.accumulate(map(len, tokens))]
    return list(itertools.pairwise(ends))


@given(TEXTS)
def test_spans(text: str) -> None:
    """A token covers all characters of which it has a byte."""
    data = text.encode()
    offsets = leadbyte.OffsetMap(data)
    encoding = tokenizer().encode(text)
    in_bytes = spans(encoding.tokens)
    starts = offsets.convert_many([start for start, _ in in_bytes], "byte", "char")
    ends = offsets.convert_many([leadbyte.ceil_boundary(data, end) for _, end in in_bytes], "byte", "char")
    assert list(zip(starts, ends, strict=True)) == encoding.offsets
    assert [text[start:end] for start, end in encoding.offsets] == [
        offsets.slice(start, leadbyte.ceil_boundary(data, end), unit="byte").decode()
        for start, end in in_bytes
    ]


@given(TEXTS)
def test_stream(text: str) -> None:
    data = text.encode()
    tokens = tokenizer().encode(text).tokens
    pieces = [data[start:end] for start, end in spans(tokens)]
    assert pieces == list(map(TOKEN_BYTES, tokens))
    shown = list(leadbyte.StreamDecoder().iter_text(pieces))
    assert "".join(shown) == text
    # A character is shown with the token that completes it.
    assert len(shown) == len({leadbyte.floor_boundary(data, end) for _, end in spans(tokens)} - {0})
