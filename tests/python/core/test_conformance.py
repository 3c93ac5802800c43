"""The vectors of conformance/; Rust's tests run them on each implementation."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import leadbyte
import leadbyte.codec
import pytest
from leadbyte._leadbyte import _substitutions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte._leadbyte import _Substitution as Substitution

FOLDER = Path(__file__).parents[3] / "conformance"
FILE = FOLDER / "vectors.jsonl"


WAYS = _substitutions()
# A program with each way of substitution, and its operation.
PROGRAMS: dict[Substitution, tuple[str, str]] = {
    "whatwg": ("Node.js", "TextDecoder"),
    "java": ("Java", "new String(bytes, UTF_8)"),
    "okio": ("Okio", "Buffer.readUtf8CodePoint"),
    "go": ("Go", "[]rune(string)"),
    "go-runs": ("Go", "strings.ToValidUTF8"),
}


class Vector(NamedTuple):
    data: bytes
    valid: bool
    errors: list[tuple[int, int, str, str]]
    # By the way of substitution.
    repaired: dict[Substitution, bytes]


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
            {way: before + fields.get(way, fields["text"]).encode() + after for way in WAYS},
        )


VECTORS = list(vectors())


def test_vectors_are_there() -> None:
    assert len(VECTORS) > 4000


def test_programs_were_run_with_these_vectors() -> None:
    """A program gave the texts of each way of substitution: ``conformance/run.py`` compared them."""
    results = json.loads((FOLDER / "results.json").read_text("utf-8"))
    assert results["vectors_sha256"] == hashlib.sha256(FILE.read_bytes()).hexdigest(), (
        "run conformance/run.py --record"
    )
    found = {
        (program, each["operation"]): each["rule"]
        for program, fields in results["programs"].items()
        for each in fields.get("operations", [])
    }
    assert {way: found[operation] for way, operation in PROGRAMS.items()} == {way: way for way in WAYS}


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
        assert leadbyte.repair(data) == repaired["whatwg"]
        assert leadbyte.decode(data, errors="replace") == repaired["whatwg"].decode()
        for way in WAYS:
            assert leadbyte.repair(data, substitution=way) == repaired[way], (data, way)


def test_error_handlers() -> None:
    leadbyte.codec.register()
    for data, _, _, repaired in VECTORS:
        for way in WAYS:
            text = repaired[way].decode()
            assert data.decode(errors=f"leadbyte-{way}") == text, (data, way)
            assert leadbyte.decode(data, errors=f"leadbyte-{way}") == text, (data, way)
