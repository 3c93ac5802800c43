"""Bytes made valid, str made well-formed."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import handlers
import leadbyte
import outcomes
import pytest
import strategies
import substitution
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._leadbyte import _substitutions
from leadbyte._repair import repaired_blocks
from outcomes import outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from leadbyte._leadbyte import _Substitution as Substitution
    from strategies import Anything


def replaced(data: bytes, replacement: str = "\ufffd") -> bytes:
    """Repair by CPython."""
    name = f"leadbyte-tests-repair {replacement!a}"
    handlers.register(name, lambda error: (replacement, error.end))
    return data.decode("utf-8", name).encode()


@given(strategies.data(), st.sampled_from(["\ufffd", "", "?", "é", "<broken>", "😀" * 9]))
def test_any_data(data: bytes, replacement: str) -> None:
    assert leadbyte.repair(data) == replaced(data) == data.decode("utf-8", "replace").encode()
    assert leadbyte.repair(data, replacement=replacement) == replaced(data, replacement)
    assert leadbyte.repair(bytearray(data), replacement=replacement) == replaced(data, replacement)
    assert leadbyte.is_valid(leadbyte.repair(data))


def test_error_at_every_place() -> None:
    for sequence in strategies.BROKEN:
        for pattern in ("a", "я€"):
            for length in (0, 1, 31, 64, 130):
                text = bytes(strategies.filled(length, pattern.encode()))
                for at in range(length + 1):
                    data = text[:at] + sequence + text[at:]
                    assert leadbyte.repair(data) == data.decode("utf-8", "replace").encode()


def test_errors_at_every_distance() -> None:
    for distance in range(150):
        data = (b"x" * distance + b"\xff") * 5
        for replacement in ("\ufffd", "", "?", "long " * 30):
            assert leadbyte.repair(data, replacement=replacement) == replaced(data, replacement)


@pytest.mark.once
@pytest.mark.one_implementation
def test_large_data() -> None:
    for name, data in strategies.large_samples():
        for replacement in ("\ufffd", ""):
            same = leadbyte.repair(data, replacement=replacement) == replaced(data, replacement)
            assert same, name


@pytest.mark.parametrize(
    "data", [b"", b"a", "я€😀".encode() * 100, b"a" * strategies.CHUNK_BYTES * 2], ids=len
)
def test_valid_bytes_are_the_same_object(data: bytes) -> None:
    assert leadbyte.repair(data) is data
    assert leadbyte.repair(data, replacement="") is data


@pytest.mark.parametrize("make", [bytearray, memoryview, type("Bytes", (bytes,), {})])
def test_other_types_give_new_bytes(make: Callable[[bytes], Any]) -> None:
    for data in (b"", b"valid", b"x" * 1000, b"caf\xe9", b"\xff" * 300):
        repaired = leadbyte.repair(make(data))
        assert type(repaired) is bytes
        assert repaired == replaced(data)


@pytest.mark.parametrize("data", [b"valid", b"caf\xe9"], ids=repr)
@pytest.mark.parametrize("replacement", [None, 1, b"?", ["?"], bytearray()], ids=repr)
def test_replacement_that_is_no_str(data: bytes, replacement: Anything) -> None:
    given = "None" if replacement is None else type(replacement).__name__
    with pytest.raises(TypeError, match=f"^repair.. argument 'replacement' must be str, not {given}$"):
        leadbyte.repair(data, replacement=replacement)


@pytest.mark.parametrize("data", [b"valid", b"caf\xe9"], ids=repr)
@pytest.mark.parametrize("replacement", ["\ud800", "a\udcff", "\ud83d\ude00"], ids=ascii)
def test_replacement_with_surrogates(data: bytes, replacement: str) -> None:
    with pytest.raises(UnicodeEncodeError) as caught:
        leadbyte.repair(data, replacement=replacement)
    assert caught.value.object == replacement


def test_replacement_of_a_subclass() -> None:
    class Str(str):
        __slots__ = ()

        def encode(self, *_: object) -> bytes:
            raise AssertionError

    assert leadbyte.repair(b"a\xff", replacement=Str("é")) == "aé".encode()


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [([], {}), ([b"a", "?"], {}), ([], {"data": b"a"}), ([b"a"], {"errors": "x"}), (["a"], {}), ([None], {})],
    ids=repr,
)
def test_wrong_arguments(arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        leadbyte.repair(*arguments, **keywords)


def test_reference_counts_stay() -> None:
    data, replacement = b"valid" * 9, "".join(["a", "é"])
    broken = b"caf\xe9" * 9
    objects = [data, replacement, broken]
    before = list(map(sys.getrefcount, objects))
    for _ in range(10):
        leadbyte.repair(data, replacement=replacement)
        leadbyte.repair(broken, replacement=replacement)
    assert list(map(sys.getrefcount, objects)) == before


# The ways of substitution.


@given(
    strategies.data(), st.sampled_from(list(substitution.WAYS)), st.sampled_from(["\ufffd", "", "?", "<é>"])
)
def test_any_substitution(data: bytes, way: Substitution, replacement: str) -> None:
    expected = substitution.replaced(data, way, replacement).encode()
    assert leadbyte.repair(data, substitution=way, replacement=replacement) == expected


@given(
    strategies.data(),
    st.sampled_from(list(substitution.WAYS)),
    st.lists(st.integers(0, 40), max_size=20),
)
def test_substitution_in_blocks(data: bytes, way: Substitution, lengths: list[int]) -> None:
    file, cuts = io.BytesIO(data), iter(lengths)

    def read(memory: memoryview) -> int:
        return file.readinto(memory[: next(cuts, 100) or 1])

    memory = memoryview(bytearray(50))
    blocks = repaired_blocks(read, memory, leadbyte.Scanner(), replacement="\ufffd", substitution=way)
    assert b"".join(blocks) == substitution.replaced(data, way).encode()


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_substitution_in_short_blocks(length: int) -> None:
    """How an error is replaced depends on up to four bytes before a block, where there may be fewer."""
    memory = memoryview(bytearray(50))
    samples = ["F4 80 90 80 FE 90", "C2 90 ED", "ED BF A0 61", "F8 F4", "FE F4 BF 80"]
    for data in map(bytes.fromhex, samples):
        for way in substitution.WAYS:
            file = io.BytesIO(data)

            def read(free: memoryview, file: io.BytesIO = file) -> int:
                return file.readinto(free[:length])

            blocks = repaired_blocks(read, memory, leadbyte.Scanner(), replacement="\ufffd", substitution=way)
            assert b"".join(blocks) == substitution.replaced(data, way).encode()


@pytest.mark.once
@pytest.mark.one_implementation
def test_substitution_of_long_data() -> None:
    """Errors around the ends of the chunks in which long data is processed."""
    for way in substitution.WAYS:
        for sequence in (b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xc0\x80\xff"):
            for unit in (sequence, sequence + b"text " * 20):
                data = unit * (2 * strategies.CHUNK_BYTES // len(unit))
                one = substitution.replaced(unit * 2, way).encode()[
                    len(substitution.replaced(unit, way).encode()) :
                ]
                first = substitution.replaced(unit, way).encode()
                expected = first + one * (len(data) // len(unit) - 1)
                assert leadbyte.repair(data, substitution=way) == expected


def test_names_of_substitutions() -> None:
    assert tuple(substitution.WAYS) == _substitutions()
    with pytest.raises(ValueError, match=r"^substitution must be 'whatwg', .* or 'go-runs', not 'other'$"):
        leadbyte.repair(b"\xff", substitution="other")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^repair.. argument 'substitution' must be str, not None$"):
        leadbyte.repair(b"\xff", substitution=None)  # type: ignore[arg-type]


# Text.


def well_formed(text: str) -> str:
    """Join pairs and replace lone surrogates by CPython."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@given(strategies.surrogates())
def test_any_text(text: str) -> None:
    result = leadbyte.to_well_formed(text)
    expected = well_formed(text)
    if expected == text:
        assert result is text
    else:
        assert outcomes.of_str(result) == outcomes.of_str(expected)


def test_surrogate_at_every_place() -> None:
    for pattern in ("a", "é", "я€", "😀é"):
        for count in (*range(20), 31, 33, 64, 130):
            text = (pattern * count)[:count]
            for at in range(count + 1):
                for put in ("\ud800", "\udfff", "\ud83d\ude00", "\ude00\ud83d", "\ud800\ud83d\ude00"):
                    new = text[:at] + put + text[at:]
                    assert outcome(leadbyte.to_well_formed, new) == outcome(well_formed, new)


@pytest.mark.parametrize(
    "text", ["", "a", "é" * 99, "я" * 99, "😀" * 99, "a" * strategies.CHUNK_BYTES], ids=len
)
def test_well_formed_text_is_the_same_object(text: str) -> None:
    assert leadbyte.to_well_formed(text) is text


def test_large_text() -> None:
    for char in "яа😀":
        # The pair follows a chunk, or is in two chunks.
        for before in (strategies.CHUNK_BYTES, strategies.CHUNK_BYTES - 1):
            text = char * before + "\ud83d\ude00" + char * 5 + "\udc00"
            same = leadbyte.to_well_formed(text) == char * before + "😀" + char * 5 + "\ufffd"
            assert same


def test_subclass_of_str() -> None:
    class Str(str):
        __slots__ = ()

    assert leadbyte.to_well_formed(Str("a\ud800")) == "a\ufffd"
    assert leadbyte.to_well_formed(Str("text")) == "text"
