"""find_text: texts found in texts, however their characters are composed."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import leadbyte
import normal_forms
import outcomes
import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from strategies import Anything

MANY = "x" * 300


@pytest.mark.parametrize(
    ("text", "needle", "found", "found_without_marks"),
    [
        ("für", "ü", 1, 1),
        ("fu\u0308r", "\xfc", 1, 1),
        ("f\xfcr", "u\u0308", 1, 1),
        ("f\xfcr", "u", -1, 1),
        ("fu\u0308r", "u", -1, 1),
        ("fur", "\xfc", -1, 1),
        ("fu\u0308ru", "u", 4, 1),
        ("fu\u0308r", "\u0308", -1, 0),  # without marks nothing is left of it
        ("\u1ec7", "\u00ea\u0323", 0, 0),
        ("\u1ec7", "\u00ea", -1, 0),
        ("e\u0302\u0323", "\u1ec7", 0, 0),
        ("각", "가", -1, -1),  # a syllable within another, which is no matter of marks
        ("가각", "\u1100\u1161\u11a8", 1, 1),
        ("\u1100\u1161\u11a8", "각", 0, 0),
        ("ﬁ", "fi", -1, -1),  # equal only by compatibility
        ("\u212b", "\u00c5", 0, 0),
        ("naïve café", "cafe", -1, 6),
        ("ἀρχή", "αρχη", -1, 0),
        ("й", "и", -1, 0),
        ("", "a", -1, -1),
        ("abc", "", 0, 0),
        ("", "", 0, 0),
        ("\ud800é", "é", 1, 1),
        ("a\udc80b", "\udc80b", 1, 1),
        ("😀u\u0308", "\xfc", 1, 1),
    ],
)
def test_found(text: str, needle: str, found: int, found_without_marks: int) -> None:
    for ignore_marks, at in ((False, found), (True, found_without_marks)):
        assert leadbyte.find_text(text, needle, ignore_marks=ignore_marks) == at
        if needle and at >= 0 and not ignore_marks:
            assert leadbyte.find_text(MANY + text, needle) == len(MANY) + at
        if not any("\ud800" <= char <= "\udfff" for char in text + needle):
            place = len(text[:at].encode()) if at >= 0 else -1
            for form in (needle, needle.encode()):
                assert leadbyte.find_text(text.encode(), form, ignore_marks=ignore_marks) == place
            assert leadbyte.find_text(text, bytearray(needle.encode()), ignore_marks=ignore_marks) == at


@given(normal_forms.texts(), st.text(st.sampled_from(normal_forms.TROUBLE), max_size=4), normal_forms.texts())
def test_what_is_put_in_is_found(before: str, part: str, after: str) -> None:
    # Between letters that nothing changes it has ends.
    part = f"q{part}q"
    text = f"{before}w{part}w{after}"
    place = leadbyte.find_text(text, unicodedata.normalize("NFD", part))
    assert place == leadbyte.find_text(text, unicodedata.normalize("NFC", part))
    assert 0 <= place <= len(before) + 1
    in_nfd = unicodedata.normalize("NFD", text)
    assert leadbyte.find_text(in_nfd, part) == len(unicodedata.normalize("NFD", text[:place]))


@given(st.text("abcd", max_size=30), st.text("abcd", max_size=3))
def test_plain_text_is_found_as_by_find(text: str, needle: str) -> None:
    for ignore_marks in (False, True):
        assert leadbyte.find_text(text, needle, ignore_marks=ignore_marks) == text.find(needle)
        assert leadbyte.find_text(text.encode(), needle, ignore_marks=ignore_marks) == text.find(needle)


def test_far_away() -> None:
    for filler in ("a", "é", "e\u0301", "ж", "😀"):
        text = filler * 400_000 + "fu\u0308r" + filler * 100
        assert leadbyte.find_text(text, "f\xfcr") == len(filler) * 400_000
        assert leadbyte.find_text(text, "fur") == -1
        assert leadbyte.find_text(text, "fur", ignore_marks=True) == len(filler) * 400_000
        data = text.encode()
        assert leadbyte.find_text(data, "f\xfcr") == len(filler.encode()) * 400_000
        # As long as several pieces.
        needle = filler * 30_000 + "f\xfcr"
        assert leadbyte.find_text(text, needle) == len(filler) * 370_000
        assert leadbyte.find_text(data, needle) == len(filler.encode()) * 370_000


@pytest.mark.parametrize("wrong", normal_forms.NO_TEXTS)
def test_arguments_of_other_types(wrong: Anything) -> None:
    with pytest.raises(TypeError):
        leadbyte.find_text(wrong, "a")
    with pytest.raises(TypeError):
        leadbyte.find_text("a", wrong)
    with pytest.raises(TypeError):
        leadbyte.find_text("a", "a", True)  # type: ignore[call-arg]


@pytest.mark.parametrize("data", [b"\xff", b"a\xc0\xb1"])
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    wanted = outcomes.outcome(leadbyte.validate, data)
    assert outcomes.outcome(leadbyte.find_text, data, "a") == wanted
    assert outcomes.outcome(leadbyte.find_text, "a", data) == wanted
