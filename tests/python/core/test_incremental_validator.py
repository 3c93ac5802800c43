"""IncrementalValidator: any cut of the data gives what the whole gives."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import leadbyte
import oracle
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterable


def reported(error: leadbyte.ErrorSpan | None) -> oracle.Error | None:
    return error and oracle.Error(error.start, error.end, error.reason, error.kind, error.data)


def check(pieces: Iterable[bytes]) -> None:
    validator = leadbyte.IncrementalValidator()
    so_far = b""
    for piece in pieces:
        so_far += piece
        found = oracle.errors(so_far)
        # An incomplete character at the end may continue.
        final = [error for error in found if error.kind != "truncated"]
        assert validator.update(piece) is (not final)
        assert reported(validator.error) == (final[0] if final else None)
        expected = b"" if final or not found else found[0].data
        assert validator.pending == expected
    found = oracle.errors(so_far)
    assert validator.finish() is (not found)
    assert reported(validator.error) == (found[0] if found else None)


@given(strategies.data(), strategies.cuts())
def test_any_cut(data: bytes, at: list[int]) -> None:
    check(strategies.cut(data, at))


@pytest.mark.parametrize("broken", strategies.BROKEN, ids=lambda sequence: sequence.hex("_"))
def test_broken_sequence_cut_everywhere(broken: bytes) -> None:
    for before, after in ((b"", b""), ("я€".encode(), b"b"), (b"x" * 70, "😀".encode())):
        data = before + broken + after
        for cut in range(len(data) + 1):
            check([data[:cut], data[cut:]])
        check([data[at : at + 1] for at in range(len(data))])


def test_every_char_cut_everywhere() -> None:
    for char in "\0aé\u07ff\u0800€\ud7ff\ue000\uffff\U00010000😀\U0010ffff":
        data = ("x" + char + "y").encode()
        for first in range(len(data) + 1):
            for second in range(first, len(data) + 1):
                check([data[:first], data[first:second], data[second:]])


def test_offsets_count_from_the_start_of_all_pieces() -> None:
    validator = leadbyte.IncrementalValidator()
    for _ in range(3):
        assert validator.update(b"x" * strategies.LARGE)
    assert validator.update(b"\xe2\x82")
    assert not validator.update(b"a")
    assert validator.error is not None
    start = 3 * strategies.LARGE
    assert (validator.error.start, validator.error.end, validator.error.data) == (
        start,
        start + 2,
        b"\xe2\x82",
    )


def test_after_an_error_nothing_more_is_taken() -> None:
    validator = leadbyte.IncrementalValidator()
    assert not validator.update(b"a\xff")
    first = validator.error
    assert not validator.update(b"fine\xfe")
    assert validator.error == first
    assert not validator.finish()
    assert validator.error == first


def test_finished() -> None:
    validator = leadbyte.IncrementalValidator()
    assert validator.update("€".encode())
    assert validator.finish()
    with pytest.raises(ValueError, match="finished"):
        validator.update(b"more")
    with pytest.raises(ValueError, match="finished"):
        validator.update(b"")


def test_reset() -> None:
    validator = leadbyte.IncrementalValidator()
    for piece in (b"a\xff", b"text\xe2", "€".encode()):
        validator.update(piece)
        validator.finish()
        validator.reset()
        assert (validator.error, validator.pending) == (None, b"")
        assert validator.update(b"a\xe2\x82")
        assert validator.pending == b"\xe2\x82"
        assert not validator.finish()
        assert validator.error is not None
        assert validator.error.start == 1
        validator.reset()


def test_nothing_is_a_text() -> None:
    validator = leadbyte.IncrementalValidator()
    assert validator.error is None
    assert validator.pending == b""
    assert validator.finish()


def test_wrong_arguments() -> None:
    validator = leadbyte.IncrementalValidator()
    for wrong in ("text", None, 1, memoryview(b"text")[::2]):
        with pytest.raises((TypeError, BufferError)):
            validator.update(wrong)  # type: ignore[arg-type]
    assert validator.finish()


def test_fields_cannot_be_set() -> None:
    validator = leadbyte.IncrementalValidator()
    for name in ("error", "pending", "other"):
        with pytest.raises(AttributeError):
            setattr(validator, name, None)


@given(strategies.data(), strategies.cuts(), st.sampled_from(["kept", "pickled"]))
@example(b"a text, and then \x80", [], "pickled")
@example(b"\xc2\xc2", [1], "pickled")
def test_errors_have_locations_on_request(data: bytes, cuts: list[int], way: str) -> None:
    validator = leadbyte.IncrementalValidator(locations=True)
    for piece in strategies.cut(data, cuts):
        validator.update(piece)
        if way == "pickled":
            validator = pickle.loads(pickle.dumps(validator))
    validator.finish()
    first = next(leadbyte.iter_errors(data, locations=True), None)
    assert validator.error == first
    plain = leadbyte.IncrementalValidator()
    plain.update(data)
    plain.finish()
    assert plain.error is None or plain.error.location is None
    validator.reset()
    validator.update(b"a\n\xff")
    assert validator.error
    assert validator.error.location == leadbyte.locate(b"a\n\xff", 2)


def test_no_piece_is_lost_between_threads() -> None:
    """Long pieces are looked at while other threads run."""
    good, bad = b"x" * 300_000, b"x" * 150_000 + b"\xff" + b"x" * 150_000
    for _ in range(30):
        validator = leadbyte.IncrementalValidator()
        with ThreadPoolExecutor(4) as pool:
            for piece in (good, bad, good, good):
                pool.submit(validator.update, piece)
        assert validator.error is not None
        assert (validator.error.start - 150_000) % 300_000 == 0
