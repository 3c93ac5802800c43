"""The Language Server Protocol: positions and edits, compared with the conversions of pygls."""

from __future__ import annotations

from typing import Literal, TypeAlias

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import RECIPES, names_of

types = pytest.importorskip("lsprotocol.types")
workspace = pytest.importorskip("pygls.workspace")

NAMES = names_of(RECIPES / "language-server.md")
# pygls also splits lines at VT, FF and others, which end no line in the protocol.
TEXTS = st.lists(st.sampled_from(["a", "é", "€", "😀", "𐍈", "\n", "\r\n", "\r", " "]), max_size=30).map(
    "".join
)
Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def boundaries(text: str) -> list[int]:
    """Return the offsets that have a position: none is between CR and LF."""
    return [i for i in range(len(text) + 1) if text[i - 1 : i + 1] != "\r\n"]


@given(TEXTS, ENCODINGS)
def test_positions(text: str, encoding: Encoding) -> None:
    offsets = leadbyte.OffsetMap(text)
    document = workspace.TextDocument("file:///x", text, position_codec=workspace.PositionCodec(encoding))
    for offset in boundaries(text):
        line, character = position = offsets.position(offset, unit="char", column_unit=encoding)
        assert offsets.offset(*position, unit="char", column_unit=encoding) == offset
        if line < len(document.lines):  # pygls knows no empty line after the last line end
            assert document.offset_at_position(types.Position(line, character)) == offset
        if offset < len(text):
            assert document.client_position_at_offset(offset) == types.Position(line, character)


@given(TEXTS, ENCODINGS)
def test_length_in_units(text: str, encoding: Encoding) -> None:
    length = leadbyte.OffsetMap(text).convert(len(text), "char", encoding)
    assert workspace.PositionCodec(encoding).client_num_units(text) == length


@given(TEXTS, ENCODINGS, st.data())
def test_edits(text: str, encoding: Encoding, data: st.DataObject) -> None:
    offsets = leadbyte.EditableOffsetMap(text)
    document = workspace.TextDocument("file:///x", text, position_codec=workspace.PositionCodec(encoding))
    for _ in range(4):
        places = st.sampled_from(boundaries(text))
        start, end = sorted(data.draw(st.tuples(places, places)))
        new = data.draw(TEXTS)
        text = text[:start] + new + text[end:]
        first, last = (offsets.position(place, unit="char", column_unit=encoding) for place in (start, end))
        span = types.Range(types.Position(*first), types.Position(*last))
        document.apply_change(types.TextDocumentContentChangePartial(range=span, text=new))
        start, end = (offsets.offset(*place, column_unit=encoding) for place in (first, last))
        offsets.replace(start, end, new)
        assert offsets.slice(0, offsets.byte_count, unit="byte") == document.source == text


@given(TEXTS, TEXTS, st.data())
def test_changes(text: str, new: str, data: st.DataObject) -> None:
    """The function of the page applies changes as pygls does, and those that end after the last line."""
    NAMES["document"] = offsets = leadbyte.EditableOffsetMap(text)
    document = workspace.TextDocument("file:///x", text)
    places = st.sampled_from([offsets.position(place, unit="char") for place in boundaries(text)])
    first, last = sorted(tuple(place) for place in data.draw(st.tuples(places, places)))
    start, end = ({"line": line, "character": character} for line, character in (first, last))
    NAMES["apply"]({"range": {"start": start, "end": end}, "text": new})
    span = types.Range(types.Position(*first), types.Position(*last))
    document.apply_change(types.TextDocumentContentChangePartial(range=span, text=new))
    assert offsets.slice(0, offsets.byte_count, unit="byte") == document.source
    NAMES["apply"](
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}, "text": new}
    )
    assert offsets.slice(0, offsets.byte_count, unit="byte") == new
