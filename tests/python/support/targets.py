"""The checks of the Python fuzz targets.

``fuzz/python/run.py`` calls them with generated inputs, ``test_corpus.py`` with those in ``fuzz/corpus/``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from differential import FOR_BYTES, FOR_TEXTS, Difference, Pair, differs, reported, smallest
from trees import check_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def check(pairs: list[Pair], argument: bytes | str) -> None:
    """Compare functions with CPython's on one argument."""
    for pair in pairs:
        if differs(pair, argument):
            raise Difference(reported(pair, smallest(pair, argument)))


def texts(data: bytes) -> Iterator[str]:
    """Yield the texts that bytes are in several encodings, surrogates among them."""
    yield data.decode("utf-8", "surrogateescape")
    yield data.decode("utf-16-le", "surrogatepass") if len(data) % 2 == 0 else data.decode("latin-1")


def decode(data: bytes) -> None:
    """Compare decode and repair."""
    check(FOR_BYTES, data)


def encode(data: bytes) -> None:
    """Compare encode, encoded_length and to_well_formed."""
    for text in texts(data):
        check(FOR_TEXTS, text)


TARGETS: dict[str, Callable[[bytes], None]] = {"decode": decode, "encode": encode, "tree": check_tree}
