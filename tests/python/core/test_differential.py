"""A part of the differential test; differential.py runs as many outcomes as one likes."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import differential
import outcomes
import pytest

SEED = "tests"
BATCHES = 14  # about 120,000 outcomes


@pytest.mark.thread_unsafe(reason="the handlers take notes in one place")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_outcomes_equal_cpythons(batch: int) -> None:
    counts = differential.run_batch(SEED, batch)
    assert differential.compared(counts) > 5000
    # Inputs are such that much fails, and much does not.
    assert 0.1 < counts["raised"] / differential.compared(counts) < 0.6


def test_inputs_are_the_same_each_time() -> None:
    first, second = (list(differential.inputs(random.Random("seed"))) for _ in range(2))
    assert first == second


def test_difference_is_found_and_made_small() -> None:
    def wrong(data: bytes, errors: str) -> str:
        return outcomes.decode(data, errors).replace("é", "e")

    pair = differential.Pair("decode", wrong, outcomes.decode, {"errors": "replace"})
    data = b"some text caf\xc3\xa9 and more \xff"
    assert differential.differs(pair, data)
    assert differential.smallest(pair, data) == "é".encode()
    assert "decode(b'\\xc3\\xa9', errors='replace')" in differential.reported(pair, "é".encode())


@pytest.mark.one_implementation
def test_script() -> None:
    script = Path(differential.__file__)
    done = subprocess.run(
        [sys.executable, script, "--outcomes", "20000"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "outcomes equal CPython" in done.stdout.splitlines()[-1]
