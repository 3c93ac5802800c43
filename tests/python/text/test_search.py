"""search: texts found in texts, however their characters are composed."""

from __future__ import annotations

import itertools
import math
import sys
import time
import unicodedata
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

import leadbyte
import normalization
import outcomes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from strategies import Anything

    # Where something is found.
    Place: TypeAlias = tuple[int, int] | None

MANY = "x" * 300
PLAIN = "~" * 70


# The maximum time in seconds of a search that takes some milliseconds.
PROMPTLY = 1.0


@pytest.mark.parametrize(
    ("text", "needle", "found", "found_without_marks"),
    [
        ("für", "ü", (1, 2), (1, 2)),
        ("fu\u0308r", "\xfc", (1, 3), (1, 3)),
        ("f\xfcr", "u\u0308", (1, 2), (1, 2)),
        ("f\xfcr", "u", None, (1, 2)),
        ("fu\u0308r", "u", None, (1, 3)),
        ("fur", "\xfc", None, (1, 2)),
        ("fu\u0308ru", "u", (4, 5), (1, 3)),
        ("fu\u0308r", "\u0308", None, (0, 0)),  # without marks nothing is left of it
        ("\u0308r", "\u0308", (0, 1), (0, 0)),
        ("a\n\u0308b", "\n", (1, 2), (1, 3)),
        ("a\u200b\u0308b", "a\u200b", (0, 2), (0, 3)),
        ("\u1ec7", "\u00ea\u0323", (0, 1), (0, 1)),
        ("\u1ec7", "\u00ea", None, (0, 1)),
        ("e\u0302\u0323", "\u1ec7", (0, 3), (0, 3)),
        ("각", "가", None, None),  # a syllable within another, which has nothing to do with marks
        ("가각", "\u1100\u1161\u11a8", (1, 2), (1, 2)),
        ("\u1100\u1161\u11a8", "각", (0, 3), (0, 3)),
        ("\u0f43", "\u0f42", None, None),  # it continues, though what follows does not compose with it
        ("\u0f42\u0fb7", "\u0f42", None, None),
        ("\u0f42\u0fb7", "\u0f43", (0, 2), (0, 2)),
        ("ﬁ", "fi", None, None),  # equal only by compatibility
        ("\u212b", "\u00c5", (0, 1), (0, 1)),
        ("naïve café", "cafe", None, (6, 10)),
        ("ἀρχή", "αρχη", None, (0, 4)),
        ("й", "и", None, (0, 1)),
        ("", "a", None, None),
        ("abc", "", (0, 0), (0, 0)),
        ("\u0308abc", "", (0, 0), (0, 0)),
        ("", "", (0, 0), (0, 0)),
        ("\ud800é", "é", (1, 2), (1, 2)),
        ("a\udc80b", "\udc80b", (1, 3), (1, 3)),
        ("😀u\u0308", "\xfc", (1, 3), (1, 3)),
    ],
)
def test_found(text: str, needle: str, found: Place, found_without_marks: Place) -> None:
    for ignore_marks, place in ((False, found), (True, found_without_marks)):
        assert leadbyte.search(text, needle, ignore_marks=ignore_marks) == place
        assert place == naive_find(text, needle, ignore_marks=ignore_marks)
        if needle > "\u0344" and place and not ignore_marks:
            start, end = place
            assert leadbyte.search(MANY + text, needle) == (len(MANY) + start, len(MANY) + end)
        if not any("\ud800" <= char <= "\udfff" for char in text + needle):
            in_bytes = place_in_bytes(text, place)
            for form in (needle, needle.encode()):
                assert leadbyte.search(text.encode(), form, ignore_marks=ignore_marks) == in_bytes
            assert leadbyte.search(text, bytearray(needle.encode()), ignore_marks=ignore_marks) == place


def place_in_bytes(text: str, place: Place) -> Place:
    """Return the place of characters of a text as one of bytes."""
    return place and (len(text[: place[0]].encode()), len(text[: place[1]].encode()))


def second_parts() -> set[str]:
    """Return the characters that are parts of others, and not the first ones."""
    jamo = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    parts = (unicodedata.decomposition(chr(code)).split() for code in range(sys.maxunicode + 1))
    return jamo | {
        chr(int(second, 16))
        for first, *seconds in filter(None, parts)
        if first[0] != "<"
        for second in seconds
    }


SECOND_PARTS = second_parts()


@cache
def is_start(char: str) -> bool:
    """Return whether a character begins something, whatever is before it."""
    first = unicodedata.normalize("NFD", char)[0]
    return not unicodedata.combining(first) and first not in SECOND_PARTS


def is_end(before: str, char: str) -> bool:
    """Return whether an occurrence may end between a text and a character."""
    last, first = unicodedata.normalize("NFD", before)[-1], unicodedata.normalize("NFD", char)[0]
    return is_start(char) or (
        not unicodedata.combining(first)
        and is_start(last)
        and first not in "\u0fb5\u0fb7"
        and unicodedata.normalize("NFC", last + first) == last + first
    )


def has_no_marks(char: str) -> bool:
    """Return whether no mark belongs to a character, which is a control or the end of a line."""
    return unicodedata.category(char) in ("Cc", "Zl", "Zp") or char == "\u200b"


@lru_cache(10_000)
def plain(part: str, *, ignore_marks: bool, ignore_case: bool) -> str:
    """Return a text as it is compared."""
    decomposed = unicodedata.normalize("NFD", part)
    kept = "".join(char for char in decomposed if not (ignore_marks and unicodedata.combining(char)))
    # The Unicode Standard, D145.
    return unicodedata.normalize("NFD", kept.casefold()) if ignore_case else kept


def naive_find(
    text: str, needle: str, first: int = 0, *, ignore_marks: bool = False, ignore_case: bool = False
) -> Place:
    """Return the first part, from one start to another, that is equivalent, or a canonical caseless match."""
    compared = partial(plain, ignore_marks=ignore_marks, ignore_case=ignore_case)
    wanted = compared(needle)
    if not wanted:
        return first, first
    chars = [*enumerate(text)][first:]
    starts = [at for at, char in chars if (at == 0 or is_start(char)) and compared(char)]
    ends = [
        at
        for at in range(1, len(text) + 1)
        if at == len(text) or is_end(text[:at], text[at]) or (not ignore_marks and has_no_marks(text[at - 1]))
    ]
    places = ((start, end) for start in starts for end in ends if start < end)
    return next((place for place in places if compared(text[slice(*place)]) == wanted), None)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize(
    "alphabet",
    [
        "a\u0323\u0301\xe1\u1ea1",  # marks of the classes 220 and 230, and what they are composed to
        "u\u0308\u0344\xfc\ud800",  # a mark that is two, and a surrogate
        "\u1100\u1161\u11a8가각a",
        "\u0b95\u0bc6\u0bbe\u0bca\u0bcd",
        "a\u0f42\u0fb7\u0f43\u0f72",
        "sSß\u017fx",
        "\u03b1\u0345\u0301\u1fb3\u03b9",
        "fﬃFi\u0131",
    ],
)
def test_all_short_texts(alphabet: str) -> None:
    lengths = range(4 if IS_REDUCED else 5)
    texts = ["".join(chars) for length in lengths for chars in itertools.product(alphabet, repeat=length)]
    needles = [text for text in texts if 0 < len(text) < 3]
    for text, needle in itertools.product(texts, needles):
        for case, marks in itertools.product((False, True), repeat=2):
            found = leadbyte.search(text, needle, ignore_case=case, ignore_marks=marks)
            wanted = naive_find(text, needle, ignore_case=case, ignore_marks=marks)
            assert found == wanted, (text, needle, case, marks)
            if found:
                first = min(found[0] + 1, len(text))
                later = leadbyte.search(text, needle, first, ignore_case=case, ignore_marks=marks)
                wanted = naive_find(text, needle, first, ignore_case=case, ignore_marks=marks)
                assert later == wanted, (text, needle, first, case, marks)
            if is_start(needle[0]) and (not text or is_start(text[0])):
                # After the first units, which are not filtered.
                place = leadbyte.search(PLAIN + text, needle, ignore_case=case, ignore_marks=marks)
                assert place == (found and (len(PLAIN) + found[0], len(PLAIN) + found[1]))


@given(
    text=st.text(st.sampled_from("aau\u0323\u0301\u0308\xfc\u1161\u11a8가\ud800"), max_size=24),
    needle=st.text(st.sampled_from("aau\u0323\u0301\u0308\xfc\u1161\u11a8가\ud800"), max_size=5),
    ignore_marks=st.booleans(),
)
def test_found_as_by_the_naive_search(text: str, needle: str, *, ignore_marks: bool) -> None:
    assert leadbyte.search(text, needle, ignore_marks=ignore_marks) == naive_find(
        text, needle, ignore_marks=ignore_marks
    )


# Letters that fold to several or from several, and marks, some of which fold to letters.
CASED = (
    "sSßẞ\u017fsSkKKiİ\u0131fﬁﬃIßΣ\u03c3\u03c2\u03b1\u0391ᾳ\u0345"
    "\u03b9\u0399\u0301µμåÅÅ\u030aŉn\u02bcéÉeEйЙи中😀\ud800 ԵևւåᏸᲐა\u212a\u212b"
)


@given(
    text=st.text(st.sampled_from(CASED), max_size=24),
    needle=st.text(st.sampled_from(CASED), max_size=5),
    filler=st.integers(0, 90),
    ignore_marks=st.booleans(),
    share=st.floats(0, 1),
)
def test_caseless_matches_of_the_naive_search(
    text: str, needle: str, filler: int, *, ignore_marks: bool, share: float
) -> None:
    text = "~" * filler + text
    first = int(share * len(text))
    wanted = naive_find(text, needle, first, ignore_case=True, ignore_marks=ignore_marks)
    assert leadbyte.search(text, needle, first, ignore_case=True, ignore_marks=ignore_marks) == wanted
    if "\ud800" not in text + needle:
        data = text.encode(), needle.encode()
        start = len(text[:first].encode())
        found = leadbyte.search(*data, start, ignore_case=True, ignore_marks=ignore_marks)
        assert found == place_in_bytes(text, wanted)
        inside = start + 1
        if inside < len(data[0]) and data[0][inside] & 0xC0 == 0x80:
            later = naive_find(text, needle, first + 1, ignore_case=True, ignore_marks=ignore_marks)
            found = leadbyte.search(*data, inside, ignore_case=True, ignore_marks=ignore_marks)
            assert found == place_in_bytes(text, later)


@given(st.text("sSß\u017f", max_size=40), st.text("sSßx", min_size=1, max_size=12), st.integers(0, 90))
def test_borders_within_characters(text: str, needle: str, filler: int) -> None:
    text = "~" * filler + text
    wanted = naive_find(text, needle, ignore_case=True, ignore_marks=False)
    assert leadbyte.search(text, needle, ignore_case=True) == wanted


@pytest.mark.one_implementation
def test_every_character_matches_its_variants() -> None:
    canonical = {}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) == "Cn":
            continue
        folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", char).casefold())
        canonical[char] = folded
    for char, folded in canonical.items():
        if folded == char or not is_start(char):
            continue
        for needle in (folded, char):
            for more in ("", "x"):
                text = f"{PLAIN}{char}x"
                wanted = (len(PLAIN), len(PLAIN) + 1 + len(more))
                assert leadbyte.search(text, needle + more, ignore_case=True) == wanted, (char, more)
                text = f"{PLAIN}{folded}x"
                wanted = (len(PLAIN), len(PLAIN) + len(folded) + len(more))
                assert leadbyte.search(text, needle + more, ignore_case=True) == wanted, (char, more)


@given(st.text("aab\u0301", max_size=40), st.integers(0, 40), st.integers(1, 12))
def test_periodic_texts(text: str, start: int, length: int) -> None:
    needle = text[start : start + length]
    assert leadbyte.search(text * 2, needle) == naive_find(text * 2, needle, ignore_marks=False)


@given(
    normalization.texts(),
    st.text(st.sampled_from(normalization.EDGE_CASES), max_size=4),
    normalization.texts(),
)
def test_what_is_put_in_is_found(before: str, part: str, after: str) -> None:
    # Between letters that nothing changes it has ends.
    part = f"q{part}q"
    text = f"{before}w{part}w{after}"
    place = leadbyte.search(text, unicodedata.normalize("NFD", part))
    assert place == leadbyte.search(text, unicodedata.normalize("NFC", part))
    assert place is not None
    start, end = place
    assert start <= len(before) + 1
    in_nfd, before_it, it = (
        unicodedata.normalize("NFD", some) for some in (text, text[:start], text[start:end])
    )
    assert leadbyte.search(in_nfd, part) == (len(before_it), len(before_it) + len(it))


def place_of(text: str, needle: str) -> Place:
    """Return the place that str.find reports."""
    at = text.find(needle)
    return None if at < 0 else (at, at + len(needle))


@given(st.text("abcd", max_size=30), st.text("abcd", max_size=3))
def test_plain_text_is_found_as_by_find(text: str, needle: str) -> None:
    for ignore_marks in (False, True):
        assert leadbyte.search(text, needle, ignore_marks=ignore_marks) == place_of(text, needle)
        assert leadbyte.search(text.encode(), needle, ignore_marks=ignore_marks) == place_of(text, needle)


# Letters that match others of another length in UTF-8, that match several, and that are marks in the text.
VARIED = [
    *"asßkif1eéếάᾳ가각각कй😀𐐀",
    *"\u017f\u212a\u0130\ufb03\u0301\u0323\u03b1\u03b9\u0345\u093c\u0958\u0438\u0306\u0fb2\u0f71\u094d",
]


@given(
    st.lists(st.sampled_from(VARIED), min_size=1, max_size=8).flatmap(
        lambda letters: st.tuples(*[st.text(st.sampled_from(letters), min_size=1, max_size=28)] * 2)
    ),
    st.sampled_from(["0", "00日", "0Я"]),
    st.integers(70, 300),
    st.integers(0, 28),
    st.sampled_from([{}, {"ignore_case": True}, {"ignore_marks": True}]),
)
def test_behind_long_text_as_behind_one_char(
    texts: tuple[str, str], filler: str, length: int, start: int, ignored: dict[str, bool]
) -> None:
    """Only long text is filtered."""
    text, other = texts
    before = (filler * length)[: length - 1] + "0"
    for needle in (other, text[start : start + len(other)]):
        if leadbyte.search(before, needle, **ignored) is None:
            found = leadbyte.search("0" + text, needle, **ignored)
            chars = found and (found[0] + len(before) - 1, found[1] + len(before) - 1)
            assert leadbyte.search(before + text, needle, **ignored) == chars
            offsets = chars and tuple(len((before + text)[:at].encode()) for at in chars)
            assert leadbyte.search((before + text).encode(), needle, **ignored) == offsets


def test_far_away() -> None:
    for filler in ("a", "é", "e\u0301", "ж", "😀"):
        text = filler * 400_000 + "fu\u0308r" + filler * 100
        start = len(filler) * 400_000
        assert leadbyte.search(text, "f\xfcr") == (start, start + 4)
        assert leadbyte.search(text, "fur") is None
        assert leadbyte.search(text, "fur", ignore_marks=True) == (start, start + 4)
        data = text.encode()
        start = len(filler.encode()) * 400_000
        assert leadbyte.search(data, "f\xfcr") == (start, start + 5)
        # As long as several pieces.
        needle = filler * 30_000 + "f\xfcr"
        start = len(filler) * 370_000
        assert leadbyte.search(text, needle) == (start, start + len(filler) * 30_000 + 4)
        start = len(filler.encode()) * 370_000
        assert leadbyte.search(data, needle) == (start, start + len(filler.encode()) * 30_000 + 5)


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("Straße", "STRASSE", (0, 6)),
        ("Straße", "s", (0, 1)),
        ("ßs", "s", (1, 2)),
        ("ßß", "sss", None),
        ("ßx", "sx", None),
        ("ßsx", "sx", (1, 3)),
        ("ΟΔΥΣΣΕΎΣ", "οδυσσεύς", (0, 8)),
        ("F\xdcR", "u\u0308r", (1, 3)),
        ("FU\u0308R", "\xfc", (1, 3)),
        ("FUR", "\xfc", None),
        ("İ", "i", None),
        ("İ", "i\u0307", (0, 1)),
        ("\u1fb3", "\u03b9", None),
        ("\u1fb3", "\u0391\u0399", (0, 1)),
        ("ЁЛКА", "елка", None),
        ("ЁЛКА", "ёлка", (0, 4)),
        ("\u212a", "k", (0, 1)),
        ("ﬃ", "FFI", (0, 1)),
        ("ﬃ", "ff", None),
    ],
)
def test_found_caseless(text: str, needle: str, found: Place) -> None:
    assert leadbyte.search(text, needle, ignore_case=True) == found
    assert naive_find(text, needle, ignore_case=True, ignore_marks=False) == found
    in_filler = found and (len(PLAIN) + found[0], len(PLAIN) + found[1])
    assert leadbyte.search(PLAIN + text + "~", needle, ignore_case=True) == in_filler
    in_bytes = found and (len(text[: found[0]].encode()), len(text[: found[1]].encode()))
    assert leadbyte.search(text.encode(), needle, ignore_case=True) == in_bytes


def duration(text: str | bytes, needle: str | bytes) -> float:
    """Return the seconds of the processor that the best of three searches takes."""
    best = math.inf
    for _ in range(3):
        started = time.thread_time()
        leadbyte.search(text, needle)
        leadbyte.search(text, needle, ignore_case=True)
        best = min(best, time.thread_time() - started)
    return best


# Texts and needles of these lengths, of which as much as possible is nearly a match.
HARD: dict[str, Callable[[int], tuple[str, str]]] = {
    "marks": lambda length: ("a" + "\u0301" * length, "a" + "\u0301" * (length // 2)),
    "marks out of order": lambda length: ("\u0301\u0323" * (length // 2), "\u0301"),
    "marks to be sorted in both": lambda length: (
        "a" + "\u0301\u0323" * (length // 2),
        "a" + "\u0301\u0323" * (length // 2) + "\u0308",
    ),
    "half of it": lambda length: ("a" * length, "a" * (length // 2) + "b"),
    "each end but one": lambda length: ("a\u0301" * (length // 2), "a\u0301" * (length // 4) + "a"),
    "decomposed": lambda length: ("é" * length, "e\u0301" * (length // 2) + "e"),
    "expanding": lambda length: ("ß" * length, "s" * (length // 2) + "S"),
    "starts within characters": lambda length: ("xß" * length, "s" * 15 + "x"),
    "many candidates": lambda length: ("abcdefghijklmnopq" * (length // 17), "ABCDEFGHIJKLMNOPR"),
}


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("encoded", [False, True], ids=["str", "bytes"])
def test_time_is_linear(name: str, *, encoded: bool) -> None:
    def seconds(length: int) -> float:
        text, needle = HARD[name](length)
        return duration(text.encode(), needle.encode()) if encoded else duration(text, needle)

    short, long = seconds(200_000), seconds(800_000)
    assert long < PROMPTLY
    # Four times as much; of what takes the square of the time, sixteen times.
    assert long < 9 * short + 0.05


@pytest.mark.once
@pytest.mark.one_implementation
def test_named_inputs_take_no_long_time() -> None:
    assert duration("\u0301" * 80_000, "\u0301\u0308") < PROMPTLY
    assert duration(b"ab" * (2 << 20), b"ab" * (1 << 20) + b"c") < PROMPTLY
    assert duration("ab" * (2 << 20), "ab" * (1 << 20) + "c") < PROMPTLY


@pytest.mark.parametrize("text", ["", "aé", b"a\xc3\xa9"])
def test_start(text: str | bytes) -> None:
    empty, end = text[:0], len(text)
    assert leadbyte.search(text, empty, end) == (end, end)
    assert leadbyte.search(text, "é", end) is None
    for outside in (-1, end + 1, 1 << 80):
        with pytest.raises(
            IndexError, match=f"start out of range: it must be between 0 and {end}, the length"
        ):
            leadbyte.search(text, empty, outside)
    with pytest.raises(TypeError):
        leadbyte.search(text, empty, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", normalization.NO_TEXTS)
def test_arguments_of_other_types(wrong: Anything) -> None:
    with pytest.raises(TypeError):
        leadbyte.search(wrong, "a")
    with pytest.raises(TypeError):
        leadbyte.search("a", wrong)
    with pytest.raises(TypeError):
        leadbyte.search("a", "a", 0, True)  # type: ignore[call-arg]


@pytest.mark.parametrize("data", [b"\xff", b"a\xc0\xb1"])
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    wanted = outcomes.outcome(leadbyte.validate, data)
    assert outcomes.outcome(leadbyte.search, data, "a") == wanted
    assert outcomes.outcome(leadbyte.search, "a", data) == wanted
