"""Bytes made valid, str made well-formed, and many at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import handlers
import leadbyte
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcome, shown

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_large_data() -> None:
    for name, data in strategies.large_samples():
        for replacement in ("\ufffd", ""):
            same = leadbyte.repair(data, replacement=replacement) == replaced(data, replacement)
            assert same, name


@pytest.mark.parametrize("data", [b"", b"a", "я€😀".encode() * 100, b"a" * strategies.STEP * 2], ids=len)
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
@pytest.mark.parametrize("replacement", [1, b"?", ["?"], bytearray()], ids=repr)
def test_replacement_that_is_no_str(data: bytes, replacement: Anything) -> None:
    with pytest.raises(TypeError):
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


# Text.


def well_formed(text: str) -> str:
    """Join pairs and replace lone surrogates by CPython."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def surrogates() -> st.SearchStrategy[str]:
    parts = st.one_of(
        st.text(st.sampled_from("\ud800\ud83d\udbff\udc00\ude00\udfff"), max_size=9),
        st.sampled_from(list(strategies.SCRIPTS.values())),
        st.text(max_size=70),
    )
    return st.lists(parts, max_size=6).map("".join)


@given(surrogates())
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


@pytest.mark.parametrize("text", ["", "a", "é" * 99, "я" * 99, "😀" * 99, "a" * strategies.STEP], ids=len)
def test_well_formed_text_is_the_same_object(text: str) -> None:
    assert leadbyte.to_well_formed(text) is text


def test_large_text() -> None:
    for char in "яа😀":
        text = char * strategies.STEP + "\ud83d\ude00" + char * 5 + "\udc00"
        same = leadbyte.to_well_formed(text) == char * strategies.STEP + "😀" + char * 5 + "\ufffd"
        assert same


def test_subclass_of_str() -> None:
    class Str(str):
        __slots__ = ()

    assert leadbyte.to_well_formed(Str("a\ud800")) == "a\ufffd"
    assert leadbyte.to_well_formed(Str("text")) == "text"


# Many.

ITEMS: list[Any] = [
    b"",
    b"a",
    b"text" * 100,
    "é".encode(),
    "я€😀".encode() * 30,
    bytearray(b"array"),
    memoryview(b"view"),
]
TEXTS = ["", "a", "text" * 100, "é", "я€😀" * 30]


def test_many() -> None:
    assert leadbyte.decode_many(ITEMS) == [bytes(item).decode() for item in ITEMS]
    assert leadbyte.encode_many(TEXTS) == [text.encode() for text in TEXTS]
    assert leadbyte.decode_many([]) == []
    assert leadbyte.encode_many([]) == []
    many = [b"%d" % number for number in range(100_000)]
    assert leadbyte.encode_many(leadbyte.decode_many(many)) == many


@given(st.lists(strategies.data(), max_size=5), st.sampled_from(handlers.FOR_DECODING))
def test_decode_many_of_any_data(items: list[bytes], errors: str) -> None:
    def one_by_one(items: list[bytes], errors: str) -> list[str]:
        return [item.decode("utf-8", errors) for item in items]

    assert outcome(leadbyte.decode_many, items, errors) == outcome(one_by_one, items, errors)
    assert outcome(leadbyte.decode_many, items) == outcome(one_by_one, items, "strict")


@given(st.lists(surrogates(), max_size=5), st.sampled_from(handlers.FOR_ENCODING))
def test_encode_many_of_any_texts(items: list[str], errors: str) -> None:
    def one_by_one(items: list[str], errors: str) -> list[bytes]:
        return [item.encode("utf-8", errors) for item in items]

    assert outcome(leadbyte.encode_many, items, errors) == outcome(one_by_one, items, errors)
    assert outcome(leadbyte.encode_many, items) == outcome(one_by_one, items, "strict")


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
@pytest.mark.parametrize("items", [(), iter([]), None, "text", b"bytes", {}, set(), range(2)], ids=shown)
def test_only_a_list_is_taken(function: Callable[[Any], Any], items: Anything) -> None:
    with pytest.raises(TypeError, match="list"):
        function(items)


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
def test_wrong_arguments_of_many(function: Callable[..., Any]) -> None:
    calls: list[tuple[list[Any], dict[str, Any]]] = [
        ([], {}),
        ([[], "strict", 1], {}),
        ([], {"items": []}),
        ([[]], {"error": "strict"}),
    ]
    for arguments, keywords in calls:
        with pytest.raises(TypeError):
            function(*arguments, **keywords)


def test_items_that_are_wrong() -> None:
    wrong: list[Any] = ["text", 1, None, memoryview(b"text")[::2]]
    for item in wrong:
        expected = outcome(leadbyte.decode, item)
        assert outcome(leadbyte.decode_many, [b"good", item]) == expected
    not_text: list[Any] = [b"text", 1, None]
    for item in not_text:
        with pytest.raises(TypeError, match=f"str, not {type(item).__name__}"):
            leadbyte.encode_many(["good", item])


def test_subclass_of_list() -> None:
    class List(list[bytes]):
        pass

    assert leadbyte.decode_many(List([b"a", b"b"])) == ["a", "b"]


def test_handler_that_changes_the_list() -> None:
    items: list[bytes] = []

    def handler(error: UnicodeDecodeError) -> tuple[str, int]:
        change(error)
        return "|", error.end

    def grow(_: UnicodeDecodeError) -> None:
        if len(items) < 50:
            items.append(b"more")

    def shrink(_: UnicodeDecodeError) -> None:
        del items[1:]

    def drop_the_item(_: UnicodeDecodeError) -> None:
        items[0] = b"other"

    handlers.register("leadbyte-tests-list", handler)
    change = grow
    items[:] = [bytes([255, 97, number]) for number in range(3)]
    assert leadbyte.decode_many(items, "leadbyte-tests-list")[:3] == ["|a\0", "|a\1", "|a\2"]
    change = shrink
    items[:] = [bytes([255, 97]), *[b"text"] * 1000]
    assert leadbyte.decode_many(items, "leadbyte-tests-list")[0] == "|a"
    change = drop_the_item
    items[:] = [bytes([255, 97, 255, 98])]
    assert leadbyte.decode_many(items, "leadbyte-tests-list") == ["|a|b"]
    change = lambda _: items.clear()  # noqa: E731
    items[:] = [bytes([255, 97]), b"text"]
    assert leadbyte.decode_many(items, "leadbyte-tests-list") == ["|a"]


def test_item_that_changes_the_list_when_it_is_looked_at() -> None:
    if sys.version_info < (3, 12):
        pytest.skip("Python classes have buffers from 3.12 on")
    items: list[Any] = []

    class Exporter:
        def __buffer__(self, flags: int, /) -> memoryview:
            items.clear()
            return memoryview(b"text")

    items += [Exporter(), b"a", b"b"]
    assert leadbyte.decode_many(items) == ["text"]
