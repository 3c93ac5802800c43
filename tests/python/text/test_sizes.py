"""``compare_sizes``: beside what Python's own codecs make of the text."""

from __future__ import annotations

import pickle

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._sizes import MULTI_BYTE, SINGLE_BYTE, UNIVERSAL, Part

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text("aя—€日ł😀\n"),
    st.text(st.characters(max_codepoint=0x4FF)),
)
FIRSTS = {"0-7F": "\0", "80-7FF": "\x80", "800-FFFF": "\u0800", "10000-10FFFF": "\U00010000"}
LASTS = {"0-7F": "\x7f", "80-7FF": "\u07ff", "800-FFFF": "\uffff", "10000-10FFFF": "\U0010ffff"}


def encoded(text: str, encoding: str) -> int | None:
    """Return the text's length in an encoding that can hold it."""
    try:
        return len(text.encode(encoding))
    except UnicodeEncodeError:
        return None


@given(TEXTS)
def test_each_encoding_is_what_its_codec_makes(text: str) -> None:
    sizes = leadbyte.compare_sizes(text)
    assert sizes.chars == len(text)
    assert sizes.utf8 == encoded(text, "utf-8")
    assert sizes.utf16 == encoded(text, "utf-16-le")
    assert sizes.utf32 == encoded(text, "utf-32-le")
    legacy = {name: encoded(text, name) for name in [*SINGLE_BYTE, *MULTI_BYTE, UNIVERSAL]}
    assert sizes.legacy == {name: size for name, size in legacy.items() if size is not None}
    assert list(sizes.legacy.values()) == sorted(sizes.legacy.values())


@given(TEXTS)
def test_parts_are_the_whole(text: str) -> None:
    sizes = leadbyte.compare_sizes(text)
    for parts in (sizes.ranges, sizes.scripts):
        assert all(part.chars for part in parts)
        for field in ("chars", "utf8", "utf16", "utf32"):
            assert sum(getattr(part, field) for part in parts) == getattr(sizes.whole, field)


@given(TEXTS)
def test_bytes_are_the_text_that_they_hold(text: str) -> None:
    sizes = leadbyte.compare_sizes(text)
    for data in (text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert leadbyte.compare_sizes(data) == sizes
    assert hash(leadbyte.compare_sizes(text.encode())) == hash(sizes)


@pytest.mark.parametrize("name", FIRSTS)
def test_ranges(name: str) -> None:
    text = FIRSTS[name] + LASTS[name]
    (part,) = leadbyte.compare_sizes(text).ranges
    assert part == Part(name, 2, len(text.encode()), len(text.encode("utf-16-le")), 8)


def test_scripts() -> None:
    sizes = leadbyte.compare_sizes("Папа, hi! 日本")
    assert [(part.name, part.chars) for part in sizes.scripts] == [
        ("Common", 4), ("Cyrillic", 4), ("Han", 2), ("Latin", 2),
    ]  # fmt: skip


def test_long_texts() -> None:
    text = "Папа Hello 日本語 😀\n" * 30_000
    sizes = leadbyte.compare_sizes(text.encode())
    assert sizes == leadbyte.compare_sizes(text)
    assert (sizes.chars, sizes.utf8) == (len(text), len(text.encode()))


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "The text is empty."),
        ("Hello", "The text is ASCII"),
        ("Папа Hello", "UTF-8 is smaller than UTF-16, which would take 43% more"),
        ("мир", "UTF-8 and UTF-16 are equally large"),
        ("日本語", "UTF-16 would take 33% less: 100% of the characters are from U+0800 to U+FFFF"),
    ],
)
def test_advice(text: str, advice: str) -> None:
    first, *others = leadbyte.compare_sizes(text).advice
    assert first.startswith(advice)
    if text == "мир":
        assert others[0].startswith("windows-1251 would take 50% less than UTF-8")


def test_errors() -> None:
    with pytest.raises(UnicodeDecodeError) as decoding:
        leadbyte.compare_sizes(b"abc\xff")
    assert (decoding.value.start, decoding.value.end) == (3, 4)
    with pytest.raises(UnicodeEncodeError) as encoding:
        leadbyte.compare_sizes("abc\ud800")
    assert (encoding.value.start, encoding.value.end) == (3, 4)
    with pytest.raises(TypeError):
        leadbyte.compare_sizes(3)  # type: ignore[arg-type]


def test_result() -> None:
    sizes = leadbyte.compare_sizes("Папа Hello")
    assert pickle.loads(pickle.dumps(sizes)) == sizes
    assert sizes.encodings["utf-16"] == sizes.utf16 == 20
    assert sizes != leadbyte.compare_sizes("Мама Hello!")
    fields = sizes.as_dict()
    assert fields["ranges"][0] == {"name": "0-7F", "chars": 6, "utf8": 6, "utf16": 12, "utf32": 24}  # type: ignore[index]
    with pytest.raises(AttributeError):
        sizes.legacy = {}  # type: ignore[misc]
    assert str(sizes).splitlines()[:5] == [
        "bytes  of UTF-8  encoding",
        "   14      100%  utf-8",
        "   20      143%  utf-16",
        "   40      286%  utf-32",
        "   10       71%  windows-1251, iso-8859-5, koi8-r, koi8-u, ibm866, mac-cyrillic",
    ]
