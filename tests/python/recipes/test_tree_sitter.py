"""tree-sitter: the text and the points of its nodes, also after edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    from strategies import Anything

tree_sitter = pytest.importorskip("tree_sitter")
grammar = pytest.importorskip("tree_sitter_python")

PARTS = [*"()=#' \n\r", "\r\n", "\n    ", "if 1:\n", "name", "é", "€", "変数", "'Grüße 😀'"]
SOURCES = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


def parser() -> Anything:
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def nodes(node: Anything) -> Iterator[Anything]:
    """Yield a node and all below it."""
    yield node
    for child in node.children:
        yield from nodes(child)


def check(
    tree: Anything, offsets: leadbyte.OffsetMap[str] | leadbyte.EditableOffsetMap[str], text: str
) -> None:
    """Compare all nodes with the slices and positions of a map."""
    for node in nodes(tree.root_node):
        span = node.start_byte, node.end_byte
        start, end = (offsets.convert(offset, "byte", "char", strict=True) for offset in span)
        assert text[start:end] == offsets.slice(*span, unit="byte") == node.text.decode()
        points = [tuple(point) for point in (node.start_point, node.end_point)]
        assert [tuple(offsets.position(offset, column_unit="byte")) for offset in span] == points
        assert [offsets.offset(*point, column_unit="byte") for point in points] == list(span)


@given(SOURCES)
def test_nodes(text: str) -> None:
    check(parser().parse(text.encode()), leadbyte.OffsetMap(text, newlines="lf"), text)


@given(SOURCES, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), SOURCES), max_size=4))
def test_edits(text: str, edits: list[tuple[int, int, str]]) -> None:
    """With the offsets and points of the map, a tree follows the edits."""
    offsets = leadbyte.EditableOffsetMap(text, newlines="lf")

    def point(byte: int) -> tuple[int, int]:
        row, column = offsets.position(byte, column_unit="byte")
        return row, column

    tree = parser().parse(text.encode())
    for first, length, new in edits:
        start, end = (min(offset, len(text)) for offset in (first, first + length))
        text = text[:start] + new + text[end:]
        start_byte, end_byte = offsets.convert_many([start, end], "char", "byte")
        start_point, end_point = point(start_byte), point(end_byte)
        offsets.replace(start_byte, end_byte, new)
        new_end = start_byte + len(new.encode())
        tree.edit(start_byte, end_byte, new_end, start_point, end_point, point(new_end))
        tree = parser().parse(text.encode(), tree)
        assert offsets.slice(0, offsets.byte_count, unit="byte") == text
        check(tree, offsets, text)
