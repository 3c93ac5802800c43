"""casefold: the foldings of str.casefold, as far as this Python knows the characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import leadbyte
import normalization
import outcomes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from strategies import Anything

# As many units as the kernel folds at once, and one more.
LENGTHS = (0, 1, 63, 64, 65, 127, 128, 129, 200 if IS_REDUCED else 600)
LETTERS = "aZßÄæÞ\xd7µÿŸİ\u0131ŊŋŽ\u017fΣςΌΐϴЁёЖԱևაᲐᏸꭰẞﬃǅ\u0345中😀𐐀𞤀\u1e9a\ud800"


def check(text: str, wanted: str) -> None:
    """Compare the folding of a text, as str and as bytes; it is the same object if nothing changes."""
    folded = leadbyte.casefold(text)
    assert outcomes.of_str(folded)[:5] == outcomes.of_str(wanted)[:5], ascii(text)
    assert (folded is text) is (text == wanted)
    if not any("\ud800" <= char <= "\udfff" for char in text):
        data = text.encode()
        in_bytes = leadbyte.casefold(data)
        assert in_bytes == wanted.encode()
        assert (in_bytes is data) is (text == wanted)
        assert leadbyte.casefold(bytearray(data)) == wanted.encode()


@pytest.mark.once
@pytest.mark.one_implementation
def test_every_character() -> None:
    for char in normalization.assigned():
        check(char, char.casefold())


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("length", [63, 64, 200])
def test_every_character_among_others(length: int) -> None:
    characters = "".join(normalization.assigned())
    for start in range(0, len(characters), length):
        part = characters[start : start + length]
        check(part, part.casefold())
    assert leadbyte.casefold(characters) == characters.casefold()


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("filler", LETTERS, ids=ascii)
def test_every_place_in_a_block(filler: str) -> None:
    for length in LENGTHS:
        text = filler * length
        check(text, text.casefold())
        for char in LETTERS:
            for place in range(0, length, 13 if IS_REDUCED else 9):
                text = filler * place + char + filler * (length - place - 1)
                assert leadbyte.casefold(text) == text.casefold()


@given(normalization.texts())
def test_any_text(text: str) -> None:
    check(text, text.casefold())


@given(st.text(st.sampled_from(LETTERS), max_size=200), st.integers(0, 80))
def test_letters_of_many_scripts(text: str, more: int) -> None:
    text = "x" * more + text
    check(text, text.casefold())


@given(st.text(st.sampled_from("ﬃßΐİŉaЖΣ字"), max_size=300))
def test_many_that_fold_to_several(text: str) -> None:
    check(text, text.casefold())


def test_results_of_another_kind() -> None:
    for text in (
        "\u212a" * 300,
        "ẞ" * 300,
        "µ" * 300,
        "ŉ" * 300,
        "\u212b" * 300,
        "a" * 300 + "\u212a",
        "é" * 300 + "ẞ",
    ):
        check(text, text.casefold())


@pytest.mark.once
def test_long_text() -> None:
    for part in ("Straße ", "ПРИВЕТ, ", "ASCII ", "ﬃ", "😀A"):
        text = part * 400_000
        assert leadbyte.casefold(text) == text.casefold()
        assert leadbyte.casefold(text.encode()) == text.casefold().encode()


@pytest.mark.parametrize("wrong", normalization.NO_TEXTS)
def test_arguments_of_other_types(wrong: Anything) -> None:
    with pytest.raises(TypeError):
        leadbyte.casefold(wrong)
    with pytest.raises(TypeError):
        leadbyte.casefold("a", "b")  # type: ignore[call-overload]


@pytest.mark.parametrize("data", [b"\xff", b"A\xc0\xb1", b"\xed\xa0\x80"])
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    assert outcomes.outcome(leadbyte.casefold, data) == outcomes.outcome(leadbyte.validate, data)
