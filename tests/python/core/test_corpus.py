"""The Python fuzz targets over the inputs that are kept for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from targets import TARGETS

CORPORA = Path(__file__).parents[3] / "fuzz" / "corpus"


@pytest.mark.thread_unsafe(reason="the handlers take notes in one place")
@pytest.mark.parametrize("target", TARGETS)
def test_corpus(target: str) -> None:
    inputs = sorted((CORPORA / target).iterdir())
    assert inputs
    for path in inputs:
        TARGETS[target](path.read_bytes())
