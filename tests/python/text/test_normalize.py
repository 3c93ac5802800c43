"""normalize, is_normalized and is_equivalent: Unicode's own test, and unicodedata as far as it knows."""

from __future__ import annotations

import itertools
import unicodedata
from typing import TYPE_CHECKING

import leadbyte
import normalization
import outcomes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from normalization import FORMS

if TYPE_CHECKING:
    from normalization import Form
    from strategies import Anything


def check(form: Form, text: str, wanted: str) -> None:
    """Compare what a text becomes, as str and as bytes; the same object comes back if it is the same text."""
    normalized = leadbyte.normalize(form, text)
    assert outcomes.of_str(normalized)[:5] == outcomes.of_str(wanted)[:5], ascii((form, text))
    assert (normalized is text) is (text == wanted)
    assert leadbyte.is_normalized(form, text) is (text == wanted)
    data = text.encode("utf-8", "surrogatepass")
    if not any("\ud800" <= char <= "\udfff" for char in text):
        in_bytes = leadbyte.normalize(form, data)
        assert in_bytes == wanted.encode()
        assert (in_bytes is data) is (text == wanted)
        assert leadbyte.is_normalized(form, data) is (text == wanted)
        assert leadbyte.normalize(form, bytearray(data)) == wanted.encode()


def test_version() -> None:
    assert leadbyte.unidata_version == "18.0.0"
    for name in ("NormalizationTest", "GraphemeBreakTest"):
        with normalization.opened(name) as file:
            assert file.readline() == f"# {name}-{leadbyte.unidata_version}.txt\n"


@pytest.mark.once
@pytest.mark.one_implementation
def test_unicodes_own_test() -> None:
    count = 0
    for row in normalization.rows("NormalizationTest"):
        if row.startswith("@"):
            continue
        source, nfc, nfd, nfkc, nfkd = map(normalization.spelled, row.split(";")[:5])
        for form, wanted in zip(FORMS, (nfc, nfd, nfkc, nfkd), strict=True):
            assert leadbyte.normalize(form, source) == wanted, row
            assert leadbyte.normalize(form, source.encode()) == wanted.encode(), row
        check("NFC", nfd, nfc)
        check("NFD", nfc, nfd)
        check("NFKC", nfkd, nfkc)
        check("NFKD", nfkc, nfkd)
        count += 1
    assert count > 20_000


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("form", FORMS)
def test_every_character_that_unicodedata_knows(form: Form) -> None:
    known = normalization.assigned()
    for start in range(0, len(known), 1000):
        text = "x".join(known[start : start + 1000])
        assert leadbyte.normalize(form, text) == unicodedata.normalize(form, text)


@given(st.sampled_from(FORMS), normalization.texts())
def test_texts_of_any_kind(form: Form, text: str) -> None:
    check(form, text, unicodedata.normalize(form, text))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", ["\u0301", "\u0301\u0323", "é\u0323", "ﬁ", "\u1100\u1161", "\U0001d15e"])
def test_what_changes_at_every_place_of_a_block(form: Form, odd: str) -> None:
    for filler, at in itertools.product("aж😀", (*range(70), 126, 127, 128, 255, 256, 257, 300)):
        text = filler * at + odd + filler * 70
        check(form, text, unicodedata.normalize(form, text))


@pytest.mark.parametrize(
    ("form", "text", "wanted"),
    [
        ("NFKC", "\uff21", "A"),  # UCS-2 to ASCII
        ("NFKD", "\uff21é", "Ae\u0301"),
        ("NFKC", "\U0001d400", "A"),  # UCS-4 to ASCII
        ("NFKC", "\U0001d400é", "Aé"),
        ("NFKC", "\U0001d400ж", "Aж"),
        ("NFC", "e\u0301", "é"),  # UCS-2 to Latin-1
        ("NFC", "\u212aa", "Ka"),
        ("NFD", "é", "e\u0301"),  # Latin-1 to UCS-2
        ("NFKC", "\xb5", "\u03bc"),
        ("NFKD", "\xbc", "1\u20444"),
        ("NFKD", "\xaa", "a"),
        ("NFC", "\ufacf", "\U0002284a"),  # UCS-2 to UCS-4
        ("NFC", "\U0002f801\u00e9", "\u4e38é"),  # UCS-4 to UCS-2
        ("NFC", "é\U0001d15e", "é\U0001d157\U0001d165"),
    ],
)
def test_the_result_is_stored_in_the_narrowest_kind(form: Form, text: str, wanted: str) -> None:
    check(form, text, wanted)
    check(form, "a" * 100 + text, "a" * 100 + wanted)


def test_lone_surrogates_stay() -> None:
    for form in FORMS:
        for text in ("\ud800", "\udc80é\ud83d\ude00", "\ud83d\u0301", "e\u0301\udfff"):
            check(form, text, unicodedata.normalize(form, text))


@given(
    st.text(
        st.sampled_from("\u1100\u1112\u1113\u1161\u1175\u1176\u11a7\u11a8\u11c2\u11c3각가힣a\u0301"),
        max_size=20,
    )
)
def test_hangul(text: str) -> None:
    for form in FORMS:
        check(form, text, unicodedata.normalize(form, text))


@pytest.mark.once
@pytest.mark.one_implementation
def test_long_texts() -> None:
    for filler in ("a", "é", "ж", "😀"):
        text = filler * ((1 << 20) // len(filler.encode())) + "e\u0301\u0323" + filler * 1000 + "ﬁ"
        for form in FORMS:
            check(form, text, unicodedata.normalize(form, text))


@pytest.mark.parametrize("form", ["", "NFX", "nfc", "NFC ", "é", "\U0001f600", "NFKCC"])
def test_no_such_form(form: Anything) -> None:
    with pytest.raises(ValueError, match=r"^invalid normalization form$"):
        unicodedata.normalize(form, "a")
    for function in (leadbyte.normalize, leadbyte.is_normalized):
        with pytest.raises(ValueError, match=r"^invalid normalization form$"):
            function(form, "a")
    with pytest.raises(ValueError, match=r"^invalid normalization form$"):
        leadbyte.is_equivalent("a", "a", form)


@pytest.mark.parametrize("wrong", normalization.NO_TEXTS)
def test_arguments_of_other_types(wrong: Anything) -> None:
    for function in (leadbyte.normalize, leadbyte.is_normalized):
        with pytest.raises(TypeError):
            function("NFC", wrong)
        with pytest.raises(TypeError, match="argument 1 must be str"):
            function(wrong, "a")
    with pytest.raises(TypeError):
        leadbyte.is_equivalent("a", wrong)


@pytest.mark.parametrize("data", [b"\xff", b"a\xc0\xb1", "é".encode()[:1], b"\xed\xa0\x80"])
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    wanted = outcomes.outcome(leadbyte.validate, data)
    assert outcomes.outcome(leadbyte.normalize, "NFC", data) == wanted
    assert outcomes.outcome(leadbyte.is_normalized, "NFC", data) == wanted
    assert outcomes.outcome(leadbyte.is_equivalent, data, "a") == wanted


def test_a_subclass_of_str() -> None:
    class Text(str):
        __slots__ = ()

    text = Text("e\u0301")
    assert outcomes.of_str(leadbyte.normalize("NFC", text)) == outcomes.of_str("é")
    unchanged = leadbyte.normalize("NFD", text)
    assert unchanged == text
    assert type(unchanged) is str


def test_is_equivalent() -> None:
    assert leadbyte.is_equivalent("\xfc", "u\u0308")
    assert leadbyte.is_equivalent("\xfc", "u\u0308", "NFD")
    assert leadbyte.is_equivalent("\xfc", "u\u0308".encode())
    assert leadbyte.is_equivalent("\xfc".encode(), bytearray("u\u0308".encode()), form="NFKC")
    assert not leadbyte.is_equivalent("\xfc", "u")
    assert not leadbyte.is_equivalent("ﬁ", "fi")
    assert leadbyte.is_equivalent("ﬁ", "fi", "NFKC")
    assert leadbyte.is_equivalent("", b"")
    assert leadbyte.is_equivalent("\udc80", "\udc80")


@given(normalization.texts(), normalization.texts(), st.sampled_from(FORMS))
def test_is_equivalent_is_what_equal_forms_are(a: str, b: str, form: Form) -> None:
    equal = unicodedata.normalize(form, a) == unicodedata.normalize(form, b)
    assert leadbyte.is_equivalent(a, b, form) is equal
    assert leadbyte.is_equivalent(a, unicodedata.normalize("NFD", a), form)
