"""Python's codecs of one or two bytes a character by tables: the same results and errors, in less time."""

from __future__ import annotations

import codecs
import functools
import itertools
import random
import sys
from typing import TYPE_CHECKING, Any

import leadbyte._double_byte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._double_byte import DECODED, ENCODED, decoding_table, encoding_table
from leadbyte._encodings import find
from leadbyte._incremental import CompleteDecoder
from leadbyte._leadbyte import _DoubleByteDecoder, _DoubleByteEncoder
from leadbyte._str_transcoder import decode_whole, decoder, encode_whole, encoder
from leadbyte.transcode import transcode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

pytestmark = pytest.mark.one_implementation

DECODING_HANDLERS = ["strict", "replace", "ignore", "backslashreplace", "surrogateescape"]
ENCODING_HANDLERS = ["strict", "replace", "ignore", "xmlcharrefreplace", "surrogateescape"]
# Characters of every kind: ASCII, Latin, kana, Han, Hangul, some beyond U+FFFF, controls.
CHARACTERS = st.sampled_from("a~\\\n\x80é€ｱあアー的中國気뷁갂한葛𠂇😀‾¥\uffff\ue000")


def outcome(call: Callable[[], str | bytes]) -> object:
    """Return what a call returns, or what the exception has."""
    try:
        return call()
    except UnicodeError as error:
        return type(error), error.args


@pytest.fixture(autouse=True)
def tables_from_the_first_byte_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadbyte._double_byte, "MIN_CONVERTED", 0)
    monkeypatch.setattr(leadbyte._double_byte, "MIN_PIECE", 1)


@pytest.mark.once
@pytest.mark.parametrize("name", sorted(DECODED))
def test_all_pairs_of_bytes(name: str) -> None:
    """Each pair, at the start of a line and after ASCII: it is in the table, or left to the codec."""
    for lead in range(0x100):
        lines = b"".join(bytes((lead, trail)) + b"a\n" for trail in range(0x100))
        assert decode_whole(find(name), lines, "replace") == lines.decode(name, "replace"), hex(lead)


@pytest.mark.once
@pytest.mark.parametrize("name", sorted(ENCODED))
def test_all_characters(name: str) -> None:
    text = "".join(map(chr, itertools.chain(range(0x30000), range(0xE0000, 0xE0200))))
    expected = text.encode(name, "xmlcharrefreplace")
    assert encode_whole(find(name), text, "xmlcharrefreplace") == expected


@pytest.mark.parametrize("name", sorted(DECODED))
@given(st.lists(CHARACTERS | st.binary(max_size=4), max_size=80), st.sampled_from(DECODING_HANDLERS))
def test_decoding_of_anything(name: str, parts: list[str | bytes], errors: str) -> None:
    data = b"".join(part if isinstance(part, bytes) else part.encode(name, "ignore") for part in parts)
    by_table = outcome(lambda: decode_whole(find(name), data, errors))
    assert by_table == outcome(lambda: data.decode(name, errors))


@pytest.mark.parametrize("name", sorted(ENCODED))
@given(st.lists(CHARACTERS, max_size=80).map("".join), st.sampled_from(ENCODING_HANDLERS))
def test_encoding_of_anything(name: str, text: str, errors: str) -> None:
    by_table = outcome(lambda: encode_whole(find(name), text, errors))
    assert by_table == outcome(lambda: text.encode(name, errors))


@pytest.mark.parametrize("name", sorted(DECODED))
@given(st.lists(st.lists(CHARACTERS | st.binary(max_size=2), max_size=30), max_size=5))
def test_pieces(name: str, pieces: list[list[str | bytes]]) -> None:
    """Pieces and their errors are what the codec's own incremental decoder and encoder give."""

    def feed(convert: Callable[[Any, bool], str | bytes], given: Sequence[str | bytes]) -> list[object]:
        found: list[object] = []
        for number, piece in enumerate(given, 1):
            found.append(outcome(functools.partial(convert, piece, number == len(given))))
            if isinstance(found[-1], tuple):
                break
        return found

    data = [
        b"".join(part if isinstance(part, bytes) else part.encode(name, "ignore") for part in piece)
        for piece in pieces
    ]
    own = CompleteDecoder(codecs.getincrementaldecoder(name)())
    assert feed(decoder(find(name), "strict").decode, data) == feed(own.decode, data)
    if name in ENCODED:
        texts = ["".join(part for part in piece if isinstance(part, str)) for piece in pieces]
        plain = codecs.getincrementalencoder(name)()
        assert feed(encoder(find(name), "strict").encode, texts) == feed(plain.encode, texts)


@pytest.mark.parametrize(
    ("name", "rare"),
    [("gb18030", "ɐ😀"), ("euc_jp", "丂"), ("big5hkscs", "Ê̄"), ("euc_kr", "뷁"), ("shift_jis", "ｱ")],
)
def test_long_text_with_rare_characters(name: str, rare: str) -> None:
    """What the tables lack, at all distances from the ends of steps."""
    source = random.Random(5)
    common = [char for char in "的中一人ab、。한국어かな" if char.encode(name, "ignore")]
    text = "".join(
        "".join(source.choices(common, k=source.choice((1, 9, 70, 3000, 70_000)))) + rare for _ in range(40)
    )
    data = text.encode(name)
    assert transcode(data, name, "utf-8") == text.encode()
    assert transcode(text.encode(), "utf-8", name) == data
    with pytest.raises(UnicodeDecodeError) as caught:
        transcode(data + b"\xff", name, "utf-8")
    assert (caught.value.object, caught.value.start) == (data + b"\xff", len(data))


def test_that_tables_are_used() -> None:
    data = ("中文," * 100).encode("gbk")
    assert decoding_table("gbk").decode_from(data, 0) == ("中文," * 100, len(data))
    assert decoding_table("gbk").decode_from(data, 5) == ("中文," * 99, len(data) - 5)
    assert encoding_table("gbk").encode_from("中文,", 1) == ("文,".encode("gbk"), 2)
    for nothing in (
        decoding_table("gbk").decode_from(data, sys.maxsize),
        decoding_table("gbk").decode_from(b"", 0),
    ):
        assert nothing == ("", 0)


def test_what_is_no_table() -> None:
    for table in ("", "a" * 256, "\uffff" * 256):
        with pytest.raises(ValueError, match=r"^not a table of characters"):
            _DoubleByteDecoder(table, "\uffff" * 65536)
        with pytest.raises(ValueError, match=r"^not a table of characters"):
            _DoubleByteEncoder(table)
