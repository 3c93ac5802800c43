"""The comparison of counted instructions with a record reports what exceeds the tolerance or is missing."""

from __future__ import annotations

from count_instructions import compare, read

VALID = ("is-valid", "avx2", "english")
SCAN = ("scan", "avx2", "english")


def test_counts_within_the_tolerance() -> None:
    assert compare({VALID: 1.0}, {VALID: 1.0}) == []
    assert compare({VALID: 1.019}, {VALID: 1.0}) == []
    assert compare({VALID: 0.5}, {VALID: 1.0}) == []


def test_counts_above_the_tolerance() -> None:
    wrong = "is-valid avx2 english: 1.0300 instructions per byte instead of 1.0000"
    assert compare({VALID: 1.03}, {VALID: 1.0}) == [wrong]


def test_kernels_that_are_not_in_both() -> None:
    assert compare({VALID: 1.0}, {VALID: 1.0, SCAN: 1.0}) == [
        "scan avx2 english: not in both the record and the run"
    ]
    assert compare({SCAN: 1.0}, {}) == ["scan avx2 english: not in both the record and the run"]


def test_record() -> None:
    compiler, counts = read()
    assert compiler.startswith("rustc ")
    assert {isa for _, isa, _ in counts} == {"sse42", "avx2"}
    assert all(number > 0 for number in counts.values())
