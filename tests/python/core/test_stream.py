"""StreamDecoder: text that arrives in pieces."""

from __future__ import annotations

import array
import asyncio
import codecs
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._arguments import snapshot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

HANDLERS = ["strict", "ignore", "replace", "backslashreplace", "surrogateescape"]
CHUNKS = [b"caf\xc3", b"", b"\xa9 \xf0", b"\x9f", b"\x98", b"\x80 \xff", b"\xe2\x82"]
TEXT = ["caf", "é ", "😀 \ufffd", "\ufffd"]


def fed(feed: Callable[[bytes], str], piece: bytes) -> object:
    """Feed a piece; return the text, or all there is to the exception."""
    try:
        return feed(piece)
    except UnicodeDecodeError as error:
        return error.args


@given(strategies.data(), strategies.cuts(), st.sampled_from(HANDLERS))
def test_as_cpython(data: bytes, places: list[int], errors: str) -> None:
    ours, theirs = leadbyte.StreamDecoder(errors=errors), codecs.getincrementaldecoder("utf-8")(errors)
    for piece in strategies.cut(data, places):
        assert fed(ours.feed, piece) == fed(theirs.decode, piece)
        assert ours.pending == theirs.getstate()[0]


@pytest.mark.parametrize("data", [strategies.TEXT, *strategies.BROKEN], ids=repr)
def test_cut_at_every_byte(data: bytes) -> None:
    whole = data.decode("utf-8", "replace")
    for at in range(len(data) + 1):
        decoder = leadbyte.StreamDecoder()
        before = decoder.feed(data[:at])
        assert len(decoder.pending) <= 3
        assert data[:at].decode("utf-8", "replace")[: len(before)] == before
        assert before + decoder.feed(data[at:]) + decoder.finish() == whole
        assert decoder.pending == b""
    assert "".join(leadbyte.StreamDecoder().iter_text(bytes([byte]) for byte in data)) == whole


@given(st.text(), strategies.cuts())
def test_valid_text_never_gets_a_replacement(text: str, places: list[int]) -> None:
    decoder = leadbyte.StreamDecoder()
    pieces = strategies.cut(text.encode("utf-8", "ignore"), places)
    assert sum(decoder.feed(piece).count("\ufffd") for piece in pieces) == text.count("\ufffd")
    assert decoder.finish() == ""


@pytest.mark.parametrize(
    "name", ["leadbyte-utf-8", "leadbyte-utf-8-sig", "cesu-8", "mutf-8", "wtf-8", "leadbyte-detect"]
)
def test_final_is_any_truth_value(name: str) -> None:
    """As of Python's own decoders, which take an int."""
    leadbyte.codec.register()
    for last in (1, 0, 2, True, False):
        for decoder in (codecs.getincrementaldecoder(name)(), leadbyte.IncrementalDecoder()):
            text = decoder.decode(b"a", last)  # type: ignore[arg-type]
            assert text + decoder.decode(b"", True) == "a"


def test_finish_gives_what_is_left_and_starts_again() -> None:
    decoder = leadbyte.StreamDecoder()
    assert decoder.feed(b"a\xf0\x9f\x98") == "a"
    assert decoder.pending == b"\xf0\x9f\x98"
    assert (decoder.finish(), decoder.finish(), decoder.pending) == ("\ufffd", "", b"")
    assert decoder.feed("мир".encode()) == "мир"


def test_strict() -> None:
    decoder = leadbyte.StreamDecoder(errors="strict")
    assert decoder.feed(b"a\xe2") == "a"
    with pytest.raises(UnicodeDecodeError) as raised:
        decoder.feed(b"\x82\xff")
    assert raised.value.args == ("utf-8", b"\xe2\x82\xff", 0, 2, "invalid continuation byte")
    # As if that piece had not come.
    assert decoder.pending == b"\xe2"
    with pytest.raises(UnicodeDecodeError):
        decoder.finish()
    assert (decoder.pending, decoder.finish()) == (b"", "")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array.array("B", data)])
def test_any_buffer(kind: type) -> None:
    decoder = leadbyte.StreamDecoder()
    assert [decoder.feed(kind(chunk)) for chunk in (b"5 \xe2", b"\x82", b"\xac")] == ["5 ", "", "€"]


@pytest.mark.parametrize("decode", [leadbyte.StreamDecoder().feed, leadbyte.IncrementalDecoder().decode])
def test_numpy_arrays(decode: Callable[[Any], str]) -> None:
    numpy = pytest.importorskip("numpy")
    assert decode(numpy.frombuffer("é".encode(), numpy.uint8)) == "é"
    assert [decode(numpy.frombuffer(data, "S1")) for data in (b"\xe2\x82", b"\xac\xe2\x82", b"\xac")] == [
        "",
        "€",
        "€",
    ]
    assert decode(numpy.array([[0x6161, 0x61C3]], ">u2")) == "aaa"
    assert decode(b"\xa9") == "é"
    with pytest.raises(TypeError, match="neither bytes nor integers"):
        decode(numpy.array([1.0]))


def test_bytes_are_not_copied() -> None:
    data = bytes(100_000)
    assert snapshot(data) is data


@pytest.mark.parametrize("pending", [b"", b"\xe2"])
def test_text_is_no_bytes(pending: bytes) -> None:
    decoder = leadbyte.StreamDecoder()
    decoder.feed(pending)
    with pytest.raises(TypeError):
        decoder.feed("text")  # type: ignore[arg-type]


def test_iter_text() -> None:
    decoder = leadbyte.StreamDecoder()
    assert list(decoder.iter_text(CHUNKS)) == TEXT
    assert list(decoder.iter_text([b"", b""])) == []
    assert list(decoder.iter_text(iter([b"\xac"]))) == ["\ufffd"]


def test_iter_text_gives_what_it_can_at_once() -> None:
    taken = []

    def chunks() -> Iterator[bytes]:
        for chunk in (b"a", b"b\xe2", b"\x82\xac"):
            taken.append(chunk)
            yield chunk

    text = leadbyte.StreamDecoder().iter_text(chunks())
    assert next(text) == "a"
    assert taken == [b"a"]


def test_aiter_text() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for chunk in CHUNKS:
            await asyncio.sleep(0)
            yield chunk

    async def collect() -> list[str]:
        return [text async for text in leadbyte.StreamDecoder().aiter_text(chunks())]

    assert asyncio.run(collect()) == TEXT
