"""The fold: scan, Scan and Scanner, over any cut and any tree of merges."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from typing import TYPE_CHECKING, Any, cast

import leadbyte
import oracle
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from leadbyte import Scan, Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from strategies import Anything

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
SAMPLES = [b"", b"text\n", "\ufeffмяч €\n😀".encode(), b"caf\xe9 \xff", b"\x80\x80", b"\xe2\x82"]
# Cuts of these fall inside characters, errors and byte order marks of every sort.
ADVERSARIAL = [
    b"".join(strategies.BROKEN),
    b"\n".join(strategies.BROKEN),
    b"a".join(strategies.BROKEN),
    "\ufeff\ufeff€😀éa".encode(),
    b"\xf0\x9f\xf0\x9f\x98\xf0\x9f\x98\x80\x80\xe2\x82\xe2\x82\xac\xac\xc3\xc3\xa9\xa9",
    b"\x80\x80\x80\x80\x80\xf0\x80\x80\x80\x80\x80",
]


def fields(scan: Scan) -> dict[str, Any]:
    """Return the fields of a Scan in the form of the oracle's."""
    names = [
        "byte_count", "char_count", "utf16_count", "newline_count", "ascii",
        "max_char_width", "bom", "valid", "error", "error_count",
    ]  # fmt: skip
    return {name: plain(getattr(scan, name)) for name in names}


def plain(value: Anything) -> Anything:
    """Return a span as a tuple, and anything else as it is."""
    if not isinstance(value, leadbyte.ErrorSpan):
        return value
    return oracle.Error(value.start, value.end, value.reason, value.kind, value.data)


def scanner_of(*pieces: bytes) -> Scanner:
    scanner = Scanner()
    for piece in pieces:
        scanner.update(piece)
    return scanner


def noted(scanner: Scanner) -> list[tuple[oracle.Error, int, int, bytes, bytes]]:
    return [(plain(span), *rest) for span, *rest in scanner._errors()]


def restore(*state: Anything) -> Scanner:
    """Make a Scanner of the state that pickles hold."""
    return cast("Callable[..., Scanner]", vars(Scanner)["_restore"].__func__)(*state)


def state_of(scanner: Scanner) -> tuple[bytes, bool]:
    """Return the state that a pickle holds."""
    return cast("tuple[Any, tuple[bytes, bool]]", scanner.__reduce__())[1]


@given(strategies.data())
def test_scan_of_any_data(data: bytes) -> None:
    assert fields(leadbyte.scan(data)) == oracle.scan(data)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in strategies.large_samples()])
def test_scan_of_large_data(data: bytes) -> None:
    expected = oracle.scan(data)
    for threads in (1, 2):
        assert fields(leadbyte.scan(data, threads=threads)) == expected


@pytest.mark.parametrize("threads", [0, 1, 2, 3, 8, 2**31, sys.maxsize])
@pytest.mark.parametrize("size", [0, 5, 3 * strategies.CHUNK_BYTES + 1])
def test_threads(threads: int, size: int) -> None:
    data = bytes(strategies.filled(size, strategies.TEXT + b"\xff"))
    scan = leadbyte.scan(data, threads=threads)
    assert scan == leadbyte.scan(data)
    assert scan.error_count == len(oracle.spans(data))


@pytest.mark.parametrize("size", [0, strategies.CHUNK_BYTES])
@pytest.mark.parametrize("threads", [-1, -(2**63), -(10**30), 2**64, 10**30], ids=repr)
def test_threads_out_of_range(threads: int, size: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        leadbyte.scan(b"a" * size, threads=threads)


def test_threads_beyond_what_can_be_printed() -> None:
    with pytest.raises(ValueError, match="threads"):
        leadbyte.scan(b"text", threads=10**5000)


@pytest.mark.parametrize("threads", ["x", None, 1.5, b"1", [1]], ids=repr)
def test_threads_that_are_no_integer(threads: Anything) -> None:
    with pytest.raises(TypeError):
        leadbyte.scan(b"text", threads=threads)


def test_threads_by_index() -> None:
    class Index:
        def __index__(self) -> int:
            return 2

    class Failing:
        def __index__(self) -> int:
            raise LookupError

    assert leadbyte.scan(b"text", threads=Index()).char_count == 4
    assert leadbyte.scan(b"text", threads=True).char_count == 4
    with pytest.raises(LookupError):
        leadbyte.scan(b"text", threads=Failing())


@given(strategies.data(), strategies.cuts())
def test_scanner_over_any_cut(data: bytes, cuts: list[int]) -> None:
    pieces = strategies.cut(data, cuts)
    scanner = scanner_of(*pieces)
    assert scanner.byte_count == len(data)
    assert fields(scanner.finish()) == oracle.scan(data)


@given(strategies.data(), strategies.cuts(), st.lists(st.integers(0, 100), min_size=9, max_size=9))
def test_scanner_over_any_tree_of_merges(data: bytes, cuts: list[int], order: list[int]) -> None:
    row = [scanner_of(piece) for piece in strategies.cut(data, cuts)]
    while len(row) > 1:
        left = order.pop() % (len(row) - 1)
        right = row.pop(left + 1)
        taken = right.byte_count
        assert row[left].merge(right) is None  # type: ignore[func-returns-value]
        assert right.byte_count == taken
    assert fields(row[0].finish()) == oracle.scan(data)


@pytest.mark.parametrize("data", ADVERSARIAL, ids=range(len(ADVERSARIAL)))
def test_scanner_over_every_cut(data: bytes) -> None:
    expected = leadbyte.scan(data)
    assert fields(expected) == oracle.scan(data)
    for at in range(len(data) + 1):
        assert scanner_of(data[:at], data[at:]).finish() == expected


@pytest.mark.parametrize("data", ADVERSARIAL[3:], ids=range(3, len(ADVERSARIAL)))
def test_scanner_over_every_two_cuts(data: bytes) -> None:
    expected = leadbyte.scan(data)
    for second in range(len(data) + 1):
        for first in range(second + 1):
            left, middle, right = (
                scanner_of(piece) for piece in (data[:first], data[first:second], data[second:])
            )
            middle.merge(right)
            left.merge(middle)
            assert left.finish() == expected


@pytest.mark.parametrize("data", ADVERSARIAL, ids=range(len(ADVERSARIAL)))
@pytest.mark.parametrize("size", range(1, 6))
def test_scanner_over_small_pieces(data: bytes, size: int) -> None:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert scanner_of(*pieces).finish() == leadbyte.scan(data)


@pytest.mark.parametrize("data", SAMPLES)
def test_empty_pieces_change_nothing(data: bytes) -> None:
    scanner = scanner_of(b"", data, b"")
    scanner.merge(Scanner())
    before = Scanner()
    before.merge(scanner)
    assert before.finish() == scanner.finish() == leadbyte.scan(data)


@given(strategies.data())
def test_merging_with_itself_means_the_data_twice(data: bytes) -> None:
    scanner = scanner_of(data)
    scanner.merge(scanner)
    assert fields(scanner.finish()) == oracle.scan(data * 2)


def test_update_and_merge_return_none() -> None:
    scanner = Scanner()
    assert scanner.update(b"a") is None  # type: ignore[func-returns-value]
    assert scanner.merge(Scanner()) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("data", SAMPLES)
def test_finished_scanner_takes_nothing_more(data: bytes) -> None:
    scanner = scanner_of(data)
    scan = scanner.finish()
    for more in (b"more", b""):
        with pytest.raises(ValueError, match="finished"):
            scanner.update(more)
    for other in (Scanner(), scanner):
        with pytest.raises(ValueError, match="finished"):
            scanner.merge(other)
    assert scanner.byte_count == len(data)
    assert scanner.finish() == scan


@pytest.mark.parametrize("data", SAMPLES)
def test_finished_scanner_can_be_merged_into_another(data: bytes) -> None:
    scanner, finished = scanner_of(b"\xe2\x82"), scanner_of(data)
    finished.finish()
    scanner.merge(finished)
    assert fields(scanner.finish()) == oracle.scan(b"\xe2\x82" + data)


@pytest.mark.parametrize("other", [None, b"text", 1, Scanner], ids=repr)
def test_merge_with_anything_else(other: Anything) -> None:
    with pytest.raises(TypeError):
        Scanner().merge(other)


def test_scanner_is_shown_with_its_bytes() -> None:
    assert repr(scanner_of(b"text")) == "<leadbyte.Scanner of 4 bytes>"


@pytest.mark.one_implementation
@each_protocol
@given(strategies.data(), strategies.cuts())
def test_scanner_is_pickled_midway(protocol: int, data: bytes, cuts: list[int]) -> None:
    scanner = Scanner()
    for piece in strategies.cut(data, cuts):
        scanner.update(piece)
        scanner = pickle.loads(pickle.dumps(scanner, protocol))
    assert fields(scanner.finish()) == oracle.scan(data)


@each_protocol
def test_pickle_remembers_that_a_scanner_has_finished(protocol: int) -> None:
    scanner = scanner_of(b"text")
    scanner.finish()
    again = pickle.loads(pickle.dumps(scanner, protocol))
    assert again.finish() == scanner.finish()
    with pytest.raises(ValueError, match="finished"):
        again.update(b"more")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copy_of_a_scanner_goes_its_own_way(copied: Callable[[Scanner], Scanner]) -> None:
    scanner = scanner_of(b"one\n\xe2")
    other = copied(scanner)
    scanner.update(b"\x82\xac")
    assert other.byte_count == 5
    assert fields(scanner.finish()) == oracle.scan(b"one\n\xe2\x82\xac")
    assert fields(other.finish()) == oracle.scan(b"one\n\xe2")


def use(scanner: Scanner) -> None:
    """Call everything that a Scanner has."""
    pickle.loads(pickle.dumps(scanner)).finish()
    scanner.merge(scanner)
    scanner.update(b"\x80\x80\xff\n\xe2")
    scanner._errors()
    repr(scanner)
    repr(scanner.finish())


@given(st.binary(max_size=200))
@example(b"")
@example(b"\x01")
def test_garbage_is_no_state_of_a_scanner(state: bytes) -> None:
    with pytest.raises(ValueError, match="state"):
        restore(state, False)


@given(strategies.pieces(), st.data())
def test_damaged_state_gives_no_scanner_or_a_harmless_one(piece: bytes, draw: st.DataObject) -> None:
    scanner = Scanner._keeping(4)
    scanner.update(piece)
    state = bytearray(state_of(scanner)[0])
    for _ in range(draw.draw(st.integers(1, 3))):
        at = draw.draw(st.integers(0, len(state) - 1))
        length = draw.draw(st.sampled_from([1, 8]))
        state[at : at + length] = draw.draw(st.binary(max_size=8) | st.sampled_from([b"\xff" * 8, bytes(8)]))
    try:
        damaged = restore(bytes(state), False)
    except ValueError:
        return
    use(damaged)


@given(strategies.pieces(), st.integers(0, 1000))
def test_truncated_or_extended_state_is_none(piece: bytes, at: int) -> None:
    state, finished = state_of(scanner_of(piece))
    assert restore(state, finished).finish() == leadbyte.scan(piece)
    with pytest.raises(ValueError, match="state"):
        restore(state[: at % len(state)], finished)
    with pytest.raises(ValueError, match="state"):
        restore(state + b"\0", finished)


@pytest.mark.parametrize("state", [None, "text", 1], ids=repr)
def test_state_of_another_type(state: Anything) -> None:
    with pytest.raises(TypeError):
        restore(state, False)


@pytest.mark.parametrize("data", SAMPLES)
def test_scan_as_dict_and_text(data: bytes) -> None:
    scan = leadbyte.scan(data)
    values = {name: getattr(scan, name) for name in oracle.scan(data)}
    assert {name: plain(value) for name, value in values.items()} == oracle.scan(data)
    assert repr(scan) == f"Scan({', '.join(f'{name}={value!r}' for name, value in values.items())})"
    facts = scan.as_dict()
    assert list(facts) == list(values)
    assert json.loads(json.dumps(facts)) == facts == {**values, "error": scan.error and scan.error.as_dict()}


def test_scans_are_equal_by_their_fields() -> None:
    scans = [leadbyte.scan(data) for data in SAMPLES]
    assert scans == [leadbyte.scan(bytearray(data)) for data in SAMPLES]
    assert len({*scans, *(leadbyte.scan(data) for data in SAMPLES)}) == len(SAMPLES)
    assert leadbyte.scan(b"one") == leadbyte.scan(b"two")
    of_other_types: list[object] = [leadbyte.scan(b"one").as_dict(), None]
    assert leadbyte.scan(b"one") not in of_other_types
    assert leadbyte.scan(b"\xff") != leadbyte.scan(b"\xfe")


@each_protocol
@pytest.mark.parametrize("data", SAMPLES)
def test_scan_is_pickled(data: bytes, protocol: int) -> None:
    scan = leadbyte.scan(data)
    again = pickle.loads(pickle.dumps(scan, protocol))
    assert type(again) is Scan
    assert again == scan
    assert hash(again) == hash(scan)


@pytest.mark.parametrize("data", SAMPLES)
def test_scan_is_copied(data: bytes) -> None:
    scan = leadbyte.scan(data)
    assert copy.copy(scan) == copy.deepcopy(scan) == scan


@pytest.mark.parametrize("field", [*oracle.scan(b""), "other"])
def test_scan_is_frozen(field: str) -> None:
    scan = leadbyte.scan(b"\xff")
    with pytest.raises(AttributeError):
        setattr(scan, field, 0)
    with pytest.raises(AttributeError):
        delattr(scan, field)


@pytest.mark.parametrize("field", ["byte_count", "other", "update"])
def test_scanner_is_frozen(field: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Scanner(), field, 0)


def test_scan_is_made_by_the_package_only() -> None:
    with pytest.raises(TypeError):
        Scan()
    with pytest.raises(TypeError):
        type("Subclass", (Scan,), {})


@given(strategies.data(), st.integers(1, 30))
def test_kept_errors_of_any_data(data: bytes, limit: int) -> None:
    scanner = Scanner._keeping(limit)
    scanner.update(data)
    assert noted(scanner) == oracle.noted_errors(data, limit)


@given(strategies.data(), strategies.cuts(), st.integers(1, 30), st.lists(st.integers(0, 9), min_size=9))
def test_kept_errors_over_any_cut(data: bytes, cuts: list[int], limit: int, order: list[int]) -> None:
    row = [Scanner._keeping(limit) for _ in range(len(cuts) + 1)]
    for scanner, piece in zip(row, strategies.cut(data, cuts), strict=True):
        scanner.update(piece)
    while len(row) > 1:
        left = order.pop() % (len(row) - 1)
        row[left].merge(row.pop(left + 1))
    assert noted(row[0]) == oracle.noted_errors(data, limit)
    assert fields(row[0].finish()) == oracle.scan(data)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("data", ADVERSARIAL, ids=range(len(ADVERSARIAL)))
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 13])
def test_kept_errors_over_small_pieces(data: bytes, size: int) -> None:
    scanner = Scanner._keeping(1000)
    for at in range(0, len(data), size):
        scanner.update(data[at : at + size])
        so_far = data[: at + size]
        assert noted(scanner) == oracle.noted_errors(so_far, 1000)


def pieces_of(data: bytes, size: int) -> Iterable[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("size", [64 << 10, strategies.CHUNK_BYTES, strategies.CHUNK_BYTES + 1])
def test_kept_errors_of_large_data(size: int) -> None:
    data = bytes(strategies.filled(5 << 19, "я€😀\n".encode() * 999 + b"\xe2\x82\n\xff"))
    scanner = Scanner._keeping(50)
    for piece in pieces_of(data, size):
        scanner.update(piece)
    assert noted(scanner) == oracle.noted_errors(data, 50)
