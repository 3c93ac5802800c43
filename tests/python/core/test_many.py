"""Many texts at once: decode_many and encode_many."""

from __future__ import annotations

import re
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

import handlers
import leadbyte
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcome, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from strategies import Anything


class Str(str):
    __slots__ = ()


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

    assert outcome(leadbyte.decode_many, items, errors=errors) == outcome(one_by_one, items, errors)
    assert outcome(leadbyte.decode_many, items) == outcome(one_by_one, items, "strict")


@given(st.lists(strategies.surrogates(), max_size=5), st.sampled_from(handlers.FOR_ENCODING))
def test_encode_many_of_any_texts(items: list[str], errors: str) -> None:
    def one_by_one(items: list[str], errors: str) -> list[bytes]:
        return [item.encode("utf-8", errors) for item in items]

    assert outcome(leadbyte.encode_many, items, errors=errors) == outcome(one_by_one, items, errors)
    assert outcome(leadbyte.encode_many, items) == outcome(one_by_one, items, "strict")


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
@pytest.mark.parametrize("items", [None, 1, object(), list], ids=shown)
def test_only_iterables_are_taken(function: Callable[[Any], Any], items: Anything) -> None:
    with pytest.raises(TypeError, match=f"'{type(items).__name__}' object is not iterable"):
        function(items)


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
@pytest.mark.parametrize("items", ["", "text", Str("text"), b"", b"bytes", bytearray(b"bytes")], ids=shown)
def test_one_item_is_no_iterable(function: Callable[[Any], Any], items: Anything) -> None:
    taken = {leadbyte.decode_many: "bytes-like objects", leadbyte.encode_many: "str"}[function]
    wrong = f"{function.__name__}() argument 1 must be an iterable of {taken}, not {type(items).__name__}"
    with pytest.raises(TypeError, match=f"^{re.escape(wrong)}$"):
        function(items)


class Hinting:
    """An iterator that claims to have this many items."""

    def __init__(self, items: list[Any], hint: int) -> None:
        self.items = iter(items)
        self.hint = hint

    def __iter__(self) -> Hinting:
        return self

    def __next__(self) -> Any:  # noqa: ANN401
        return next(self.items)

    def __length_hint__(self) -> int:
        return self.hint


class Failing(Hinting):
    """An iterator whose hint raises an exception."""

    def __length_hint__(self) -> int:
        message = "no hint"
        raise LookupError(message)


def test_exception_of_the_hint() -> None:
    for function in (leadbyte.decode_many, leadbyte.encode_many):
        with pytest.raises(LookupError, match="no hint"):
            function(Failing([b"a"], 0))


ITERABLES: dict[str, Callable[[list[Any]], Iterable[Any]]] = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "generator": lambda items: (item for item in items),
    "deque": deque,
    "dict": lambda items: dict(enumerate(items)).values(),
    "too short a hint": lambda items: Hinting(items, 0),
    "too long a hint": lambda items: Hinting(items, 1000),
}


@pytest.mark.parametrize("make", ITERABLES.values(), ids=ITERABLES)
def test_iterables(make: Callable[[list[Any]], Iterable[Any]]) -> None:
    texts = ["мир", None, "", "a" * 100, "\U0001f600", None]
    data = [None if text is None else text.encode() for text in texts]
    for count in range(len(texts) + 1):
        assert leadbyte.decode_many(make(data[:count])) == texts[:count]
        assert leadbyte.encode_many(make(texts[:count])) == data[:count]
        assert leadbyte.decode_many(make(data[:count]), errors="replace") == texts[:count]
        assert leadbyte.encode_many(make(texts[:count]), errors="replace") == data[:count]


def test_arrays_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    texts = numpy.array(["мир", "a", "é"])
    assert leadbyte.encode_many(texts) == [str(text).encode() for text in texts]
    assert leadbyte.encode_many(texts.astype(object)) == [str(text).encode() for text in texts]
    assert leadbyte.decode_many(numpy.array([b"a", b"\xd1\x8f"])) == ["a", "я"]
    assert leadbyte.decode_many(numpy.array([b"a", None], dtype=object)) == ["a", None]


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
def test_iterable_that_fails(function: Callable[[Any], Any]) -> None:
    def failing() -> Iterator[Any]:
        yield None
        raise LookupError(1)

    with pytest.raises(LookupError) as caught:
        function(failing())
    assert caught.value.args == (1,)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(
    ("function", "items", "note"),
    [
        (leadbyte.decode_many, [b"a", None, b"\xff", b"\xfe"], "while decoding item 2"),
        (leadbyte.decode_many, [bytearray(b"\xff")], "while decoding item 0"),
        (leadbyte.decode_many, [b"a", "text"], "while decoding item 1"),
        (leadbyte.encode_many, ["a", "\ud800"], "while encoding item 1"),
        (leadbyte.encode_many, ["a", None, 1], "while encoding item 2"),
    ],
    ids=ascii,
)
def test_error_names_the_item(function: Callable[..., Any], items: list[Any], note: str) -> None:
    for errors in ("strict", "unknown"):
        with pytest.raises((TypeError, UnicodeError, LookupError)) as caught:
            function(items, errors=errors)
        # Python 3.10 has no notes.
        assert getattr(caught.value, "__notes__", []) == [note] * (sys.version_info >= (3, 11))


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
@pytest.mark.parametrize("errors", [None, 1, b"strict"], ids=repr)
def test_errors_of_wrong_types_for_many(function: Callable[..., Any], errors: Anything) -> None:
    given = "None" if errors is None else type(errors).__name__
    with pytest.raises(TypeError, match=f"{function.__name__}.. argument 'errors' must be str, not {given}"):
        function([], errors=errors)


@pytest.mark.parametrize("function", [leadbyte.decode_many, leadbyte.encode_many])
def test_wrong_arguments_of_many(function: Callable[..., Any]) -> None:
    calls: list[tuple[list[Any], dict[str, Any]]] = [
        ([], {}),
        ([[], "strict"], {}),
        ([[], "strict", 1], {}),
        ([], {"items": []}),
        ([[]], {"error": "strict"}),
    ]
    for arguments, keywords in calls:
        with pytest.raises(TypeError):
            function(*arguments, **keywords)


def test_items_that_are_wrong() -> None:
    wrong: list[Any] = ["text", 1, memoryview(b"text")[::2]]
    for item in wrong:
        expected = outcome(leadbyte.decode, item)
        assert outcome(leadbyte.decode_many, [b"good", item]) == expected
    not_text: list[Any] = [b"text", 1]
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
    assert leadbyte.decode_many(items, errors="leadbyte-tests-list")[:3] == ["|a\0", "|a\1", "|a\2"]
    change = shrink
    items[:] = [bytes([255, 97]), *[b"text"] * 1000]
    assert leadbyte.decode_many(items, errors="leadbyte-tests-list")[0] == "|a"
    change = drop_the_item
    items[:] = [bytes([255, 97, 255, 98])]
    assert leadbyte.decode_many(items, errors="leadbyte-tests-list") == ["|a|b"]
    change = lambda _: items.clear()  # noqa: E731
    items[:] = [bytes([255, 97]), b"text"]
    assert leadbyte.decode_many(items, errors="leadbyte-tests-list") == ["|a"]


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
