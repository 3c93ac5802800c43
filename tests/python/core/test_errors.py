"""Where bytes are not UTF-8, and why: is_valid, validate and iter_errors against CPython's decoder."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import leadbyte
import oracle
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import BOUNDARY_BYTES, all_sequences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Buffer

BYTES = range(256)
# The context of a sequence: nothing; a character; more than any vector, so that it lies across two.
SURROUNDINGS = [
    (b"", b""),
    (b"a", b"b"),
    (b"one line\n" + b"x" * 53, "и ещё 30 знаков, чтобы занять вектор".encode()),
]


def raised_by_validate(data: Buffer) -> UnicodeDecodeError | None:
    return oracle.raised_by(leadbyte.validate, data)


def found_errors(data: bytes) -> list[oracle.Error]:
    return [
        oracle.Error(error.start, error.end, error.reason, error.kind, error.data)
        for error in leadbyte.iter_errors(data)
    ]


def test_validate_returns_none() -> None:
    assert leadbyte.validate(b"text") is None  # type: ignore[func-returns-value]


def check(data: bytes) -> None:
    expected = oracle.decode_error(data)
    assert leadbyte.is_valid(data) is (expected is None)
    assert oracle.fields(raised_by_validate(data)) == oracle.fields(expected)
    assert found_errors(data) == oracle.errors(data)


def check_all(sequences: Iterable[bytes]) -> None:
    number = 0
    for sequence in sequences:
        for before, after in SURROUNDINGS:
            check(before + sequence + after)
        number += 1
    assert number


@pytest.mark.parametrize("length", [0, 1])
def test_every_sequence_of_up_to_one_byte(length: int) -> None:
    check_all(all_sequences(*[BYTES] * length))


@pytest.mark.one_implementation
@pytest.mark.once
@pytest.mark.parametrize("first", range(0, 256, 64))
def test_every_sequence_of_two_bytes(first: int) -> None:
    check_all(all_sequences(range(first, first + 64), BYTES))


@pytest.mark.one_implementation
@pytest.mark.once
def test_every_sequence_of_three_boundary_bytes() -> None:
    check_all(all_sequences(*[BOUNDARY_BYTES] * 3))


@pytest.mark.one_implementation
@pytest.mark.once
@pytest.mark.parametrize("lead", [0xC0, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xF8])
def test_every_sequence_of_four_boundary_bytes(lead: int) -> None:
    # The leads by the rule that they are for; all others follow one of theirs.
    seconds = BOUNDARY_BYTES if lead >= 0xE0 else BOUNDARY_BYTES[::3]
    for sequence in all_sequences([lead], seconds, BOUNDARY_BYTES[::2], BOUNDARY_BYTES[1::2]):
        check(sequence)
    check_all(all_sequences([lead], seconds, b"\x7f\x80\xbf\xc2", b"\x0a\x80\xbf\xf0"))


@pytest.mark.once
@pytest.mark.parametrize("sequence", strategies.BROKEN, ids=lambda sequence: sequence.hex("_"))
def test_broken_sequence_at_every_offset_of_a_vector(sequence: bytes) -> None:
    for offset in range(140):
        check(b"x" * offset + sequence)
        check(b"x" * offset + sequence + b"y" * 70)


@given(strategies.data())
def test_any_data(data: bytes) -> None:
    check(data)


@given(strategies.texts())
def test_text_is_valid(text: bytes) -> None:
    assert leadbyte.is_valid(text)
    leadbyte.validate(text)
    assert found_errors(text) == []


@given(st.text(st.characters(categories=["Cs"]), min_size=1), strategies.texts())
def test_surrogates_are_not_valid(surrogates: str, text: bytes) -> None:
    check(text + surrogates.encode("utf-8", "surrogatepass") + text)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in strategies.large_samples()])
def test_large_data(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize("make", [bytearray, memoryview], ids=["bytearray", "memoryview"])
@pytest.mark.parametrize("size", [0, strategies.CHUNK_BYTES], ids=["small", "large"])
def test_exception_of_other_types_holds_exact_bytes(make: type, size: int) -> None:
    data = b"a" * size + b"caf\xe9 "
    error = raised_by_validate(make(data))
    assert error is not None
    assert type(error.object) is bytes
    assert oracle.fields(error) == oracle.fields(oracle.decode_error(data))


def test_exception_of_a_subclass_holds_exact_bytes() -> None:
    class Subclass(bytes):
        pass

    data = Subclass(b"caf\xe9 ")
    error = raised_by_validate(data)
    assert error is not None
    assert type(error.object) is bytes
    assert oracle.fields(error) == oracle.fields(oracle.decode_error(data))


def test_exception_of_bytes_holds_equal_bytes_and_reads_as_cpythons() -> None:
    data = b"caf\xe9 "
    error = raised_by_validate(data)
    assert error is not None
    assert type(error) is UnicodeDecodeError
    assert str(error) == str(oracle.decode_error(data))
    assert error.args == ("utf-8", data, 3, 4, "invalid continuation byte")


def check_locations(data: bytes) -> None:
    located = list(leadbyte.iter_errors(data, locations=True))
    assert [error.start for error in located] == [error.start for error in oracle.errors(data)]
    assert [error.location for error in located] == [leadbyte.locate(data, error.start) for error in located]


@given(st.one_of(strategies.data(), strategies.pieces()))
def test_locations(data: bytes) -> None:
    check_locations(data)


@pytest.mark.parametrize("gap", [0, 1, 70, strategies.CHUNK_BYTES, 2 * strategies.CHUNK_BYTES + 9])
def test_locations_at_a_distance(gap: int) -> None:
    text = bytes(strategies.filled(gap, "я😀\n€".encode()))
    check_locations(text + b"\xff" + text + b"\xe2\x82" + text)


def test_locations_in_memory_that_changes() -> None:
    data = bytearray(b"a\xffb\xfe\nc\xf9")
    errors = leadbyte.iter_errors(data, locations=True)
    assert getattr(next(errors).location, "column", None) == 2
    data[2:4] = b"\n\n"
    location = next(errors).location
    assert location is not None
    # Data that was passed before is not counted again.
    assert (location.line, location.column, location.byte_offset) == (4, 2, 6)
    with pytest.raises(StopIteration):
        next(errors)


def drained(errors: Iterable[leadbyte.ErrorSpan]) -> list[leadbyte.ErrorSpan]:
    return list(errors)


def test_locations_seen_by_several_threads() -> None:
    data = b"\xff\n\xe2\x82 \xf0\x9f\x98\x80" * 3000
    for source in (data, bytearray(data)):
        errors = leadbyte.iter_errors(source, locations=True)
        with ThreadPoolExecutor(4) as pool:
            seen = [span for spans in pool.map(drained, [errors] * 4) for span in spans]
        seen.sort(key=lambda span: span.start)
        assert seen == list(leadbyte.iter_errors(data, locations=True))


def test_span_has_a_location_only_on_request() -> None:
    plain, located = (next(leadbyte.iter_errors(b"a\n\xff", locations=wanted)) for wanted in (False, True))
    assert plain.location is None
    assert located.location == leadbyte.locate(b"a\n\xff", 2)
    assert plain != located
    assert located == next(leadbyte.iter_errors(b"a\n\xff", locations=True))
    assert hash(located) == hash(next(leadbyte.iter_errors(b"a\n\xff", locations=True)))
    assert located != next(leadbyte.iter_errors(b"\na\xff", locations=True))
    assert repr(located) == f"{repr(plain)[:-1]}, location={located.location!r})"
    assert located.as_dict() == {**plain.as_dict(), "location": located.location.as_dict()}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(located, protocol)) == located
    assert copy.copy(located) == copy.deepcopy(located) == located


def test_errors_are_found_as_they_are_asked_for() -> None:
    data = bytearray(b"a\xffb\xfec")
    errors = leadbyte.iter_errors(data)
    assert iter(errors) is errors
    assert next(errors).data == b"\xff"
    data[3] = 0xF9
    assert next(errors).data == b"\xf9"
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(errors)


def spans() -> list[leadbyte.ErrorSpan]:
    found = (next(leadbyte.iter_errors(b"text" + broken), None) for broken in strategies.BROKEN)
    return [span for span in found if span is not None]


SPANS = pytest.mark.parametrize("span", spans(), ids=lambda span: span.data.hex("_") + "_" + span.kind)


def test_every_kind_is_among_the_samples() -> None:
    assert {span.kind for span in spans()} == {
        "unexpected_continuation",
        "overlong",
        "too_large",
        "invalid_start",
        "surrogate",
        "truncated",
        "missing_continuation",
    }


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_span_is_pickled(protocol: int) -> None:
    for span in spans():
        again = pickle.loads(pickle.dumps(span, protocol))
        assert type(again) is leadbyte.ErrorSpan
        assert again == span
        assert repr(again) == repr(span)


@SPANS
def test_span_is_copied(span: leadbyte.ErrorSpan) -> None:
    assert copy.copy(span) == span
    assert copy.deepcopy(span) == span


@SPANS
def test_span_is_shown_with_its_fields(span: leadbyte.ErrorSpan) -> None:
    assert repr(span) == (
        f"ErrorSpan(start={span.start}, end={span.end}, reason={span.reason!r},"
        f" kind={span.kind!r}, data={span.data!r})"
    )


def test_spans_are_equal_by_their_fields() -> None:
    one, same = (next(leadbyte.iter_errors(b"a\xffb")) for _ in range(2))
    others = [next(leadbyte.iter_errors(data)) for data in (b"\xff", b"a\xfe", b"a\xe2", b"a\xe2b")]
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same, *others}) == 5
    assert all(one != other for other in others)
    of_other_types: list[object] = [(1, 2, one.reason, one.kind, one.data), None]
    assert one not in of_other_types


def test_span_of_bytes_elsewhere_is_equal() -> None:
    assert next(leadbyte.iter_errors(b"ab\xff")) == next(leadbyte.iter_errors(b"cd\xffmore"))


@pytest.mark.parametrize("field", ["start", "end", "reason", "kind", "data", "location", "other"])
def test_span_is_frozen(field: str) -> None:
    span = next(leadbyte.iter_errors(b"\xff"))
    with pytest.raises(AttributeError):
        setattr(span, field, 0)
    with pytest.raises(AttributeError):
        delattr(span, field)


def test_span_is_made_by_the_package_only() -> None:
    with pytest.raises(TypeError):
        leadbyte.ErrorSpan()
    with pytest.raises(TypeError):
        type("Subclass", (leadbyte.ErrorSpan,), {})


def test_error_iterator_is_not_pickled() -> None:
    errors = leadbyte.iter_errors(b"\xff")
    with pytest.raises(TypeError):
        pickle.dumps(errors)
    with pytest.raises(TypeError):
        copy.copy(errors)


class Holder(bytearray):
    """Bytes with attributes, which may lead back to an iterator over them."""

    iterator: object


def test_error_iterator_in_a_cycle_is_collected() -> None:
    data = Holder(b"a\xffb\xff")
    data.iterator = leadbyte.iter_errors(data)
    next(leadbyte.iter_errors(data))
    collected = weakref.ref(data)
    del data
    gc.collect()
    assert collected() is None


def test_error_iterator_keeps_the_memory_where_it_is() -> None:
    data = bytearray(b"a\xffb\xff")
    errors = leadbyte.iter_errors(data)
    with pytest.raises(BufferError):
        data.append(0)
    assert [error.start for error in errors] == [1, 3]
    del errors
    data.append(0)


MESSAGES = {
    b"\xc0\xb1": 'overlong encoding of U+0031 "1"',
    b"\xc0": "C0 never occurs in UTF-8 (would start an overlong encoding)",
    b"\xed\xa0\x80": "surrogate U+D800 encoded in UTF-8",
    b"\xf4\x90\x80\x80": "U+110000 is above U+10FFFF",
    b"\xf8\x88\x80\x80\x80": "F8 never occurs in UTF-8 (would start a 5-byte sequence)",
    b"\xff\x80": "FF never occurs in UTF-8",
    b"\xe2\x82": "truncated 3-byte sequence (2 of 3 bytes) at the end of the data",
    b"\x80": "unexpected continuation byte 80",
}


@pytest.mark.parametrize("data", MESSAGES, ids=repr)
def test_message(data: bytes) -> None:
    span = next(leadbyte.iter_errors(data))
    assert span.message == span.as_dict()["message"] == MESSAGES[data]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(span, protocol)).message == span.message
    # The bytes after an error are not part of it.
    assert span == next(leadbyte.iter_errors(data + b"\xbf" * 9)) or span.kind == "truncated"
