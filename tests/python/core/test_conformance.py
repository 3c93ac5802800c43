"""The vectors that CPython's decoder made; Rust's tests run them on each implementation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import leadbyte
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).parents[2] / "vectors" / "conformance.jsonl"


class Vector(NamedTuple):
    data: bytes
    valid: bool
    errors: list[tuple[int, int, str, str]]
    repaired: bytes


def vectors() -> Iterator[Vector]:
    """Read the file."""
    for line in FILE.read_text("ascii").splitlines():
        fields = json.loads(line)
        before, after = (
            b"".join(bytes.fromhex(digits) * count for digits, count in fields.get(end, []))
            for end in ("before", "after")
        )
        yield Vector(
            before + bytes.fromhex(fields["bytes"]) + after,
            fields["valid"],
            [tuple(error) for error in fields.get("errors", [])],
            before + fields["text"].encode() + after,
        )


VECTORS = list(vectors())


def test_vectors_are_there() -> None:
    assert len(VECTORS) > 4000


def test_errors() -> None:
    for data, valid, errors, _ in VECTORS:
        assert leadbyte.is_valid(data) == valid
        found = [(error.start, error.end, error.kind, error.reason) for error in leadbyte.iter_errors(data)]
        assert found == errors, data
        assert leadbyte.scan(data).error_count == len(errors), data


def test_first_error_is_raised() -> None:
    for data, valid, errors, _ in VECTORS:
        for function in (leadbyte.validate, leadbyte.decode):
            if valid:
                function(data)
                continue
            with pytest.raises(UnicodeDecodeError) as raised:
                function(data)
            start, end, _, reason = errors[0]
            fields = raised.value.object, raised.value.start, raised.value.end, raised.value.reason
            assert fields == (data, start, end, reason)


def test_repair() -> None:
    for data, _, _, repaired in VECTORS:
        assert leadbyte.repair(data) == repaired
        assert leadbyte.decode(data, errors="replace") == repaired.decode()
