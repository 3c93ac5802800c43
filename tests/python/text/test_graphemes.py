"""count_graphemes and graphemes: Unicode's own test, and properties of all texts."""

from __future__ import annotations

import itertools
import unicodedata
from typing import TYPE_CHECKING

import leadbyte
import normalization
import outcomes
import pytest
from hypothesis import given

if TYPE_CHECKING:
    from strategies import Anything


def check(clusters: list[str]) -> None:
    """Compare the clusters of a text, as str and as bytes."""
    text = "".join(clusters)
    found = leadbyte.graphemes(text)
    assert list(map(outcomes.of_str, found)) == list(map(outcomes.of_str, map("".join, map(list, clusters))))
    assert leadbyte.count_graphemes(text) == len(clusters)
    if not any("\ud800" <= char <= "\udfff" for char in text):
        data = text.encode()
        assert leadbyte.graphemes(data) == [cluster.encode() for cluster in clusters]
        assert leadbyte.count_graphemes(data) == leadbyte.count_graphemes(bytearray(data)) == len(clusters)


def test_unicodes_own_test() -> None:
    count = 0
    for row in normalization.rows("GraphemeBreakTest"):
        parts = [normalization.spelled(part.replace("×", "")) for part in row.split("÷")]  # noqa: RUF001
        check([part for part in parts if part])
        count += 1
    assert count > 800


@pytest.mark.parametrize(
    "cluster",
    [
        "u\u0308", "\r\n", "👩\u200d💻", "👩🏽\u200d🚀", "🇺🇦", "❤\ufe0f", "\u1100\u1161\u11a8", "각",
        "क\u094dष", "नि", "\u0600a", "\u200d", "🏴\U000e0067\U000e0062\U000e007f", "a\u200d",
    ],
)  # fmt: skip
def test_a_cluster_at_every_place_of_a_block(cluster: str) -> None:
    for filler, at in itertools.product("aé中😀\n", (*range(70), 127, 128, 255, 256, 300)):
        before = [filler] * at
        if cluster[0] == "\u200d" and at:
            # It joins whatever it follows, but for a control character.
            clusters = [*before, cluster] if filler == "\n" else [*before[1:], filler + cluster]
            check([*clusters, "x"])
        else:
            check([*before, cluster, "\n", filler])


@given(normalization.texts())
def test_clusters_are_the_text(text: str) -> None:
    clusters = leadbyte.graphemes(text)
    assert "".join(clusters) == text
    assert all(clusters)
    assert leadbyte.count_graphemes(text) == len(clusters)
    # None begins with a mark that something could bear it before.
    for before, cluster in itertools.pairwise(clusters):
        assert unicodedata.combining(cluster[0]) == 0 or unicodedata.category(before[-1]) in {
            "Cc",
            "Cf",
            "Cs",
            "Zl",
            "Zp",
        }
    # Between two clusters, the text may be cut.
    for count in range(len(clusters) + 1):
        assert leadbyte.count_graphemes("".join(clusters[:count])) == count


def test_surrogates_are_as_any_other_character() -> None:
    check(["\ud800", "\ud83d\u0301", "a\u0301", "\udc80", "\udc80"])


def test_long_texts() -> None:
    for unit in (["a"], ["e\u0301", "x"], ["👩\u200d💻", "🇺🇦"], ["क\u094dष", "नि"]):
        clusters = unit * 150_000
        text = "".join(clusters)
        assert leadbyte.count_graphemes(text) == len(clusters) == leadbyte.count_graphemes(text.encode())
    assert leadbyte.count_graphemes("e" + "\u0301" * 3_000_000) == 1


@pytest.mark.parametrize("wrong", normalization.NO_TEXTS)
def test_arguments_of_other_types(wrong: Anything) -> None:
    for function in (leadbyte.count_graphemes, leadbyte.graphemes):
        with pytest.raises(TypeError):
            function(wrong)


@pytest.mark.parametrize("data", [b"\xff", b"a\xc0\xb1", "é".encode()[:1]])
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    wanted = outcomes.outcome(leadbyte.validate, data)
    assert outcomes.outcome(leadbyte.count_graphemes, data) == wanted
    assert outcomes.outcome(leadbyte.graphemes, data) == wanted
