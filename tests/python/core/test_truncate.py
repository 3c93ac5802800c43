"""truncate and truncate_many, compared with a search through all offsets."""

from __future__ import annotations

import array
import itertools
import mmap
import sys
import tempfile
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import leadbyte
import normalization
import oracle
import outcomes
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

AnyText = TypeVar("AnyText", str, bytes)

UNITS = ("byte", "char", "utf16", "grapheme")
BOUNDARIES = ("char", "grapheme")
SIDES = ("end", "start", "middle")
CHOICES = list(itertools.product(UNITS, BOUNDARIES, SIDES))
ELLIPSES = ("", "…", "...", "😀", "e\u0301")
CLUSTERS = "👩\u200d💻🇺🇦🇩e\u0301\r\nक\u094dषनि각\u1100\u1161\u11a8\u0600a❤\ufe0f"
FUNCTIONS: list[Callable[..., Any]] = [leadbyte.truncate, leadbyte.truncate_many]


def encoded(text: str) -> bytes:
    """Encode a text, also with surrogates."""
    return text.encode("utf-8", "surrogatepass")


def is_lead(byte: int) -> bool:
    """Return whether a byte is not a continuation byte."""
    return byte & 0xC0 != 0x80


def chars_with_lengths(data: bytes) -> list[tuple[str, int]]:
    """Return the characters of bytes, U+FFFD for an error, and their lengths."""
    found = []
    while data:
        try:
            char, length = data[:4].decode()[0], 0
        except UnicodeDecodeError as error:
            char, length = (data[: error.start].decode()[0], 0) if error.start else ("\ufffd", error.end)
        found.append((char, length or len(char.encode())))
        data = data[found[-1][1] :]
    return found


def cluster_offsets(text: str | bytes) -> list[int]:
    """Return the offsets of all cluster boundaries."""
    if isinstance(text, str):
        chars, lengths = text, [1] * len(text)
    else:
        pairs = chars_with_lengths(text)
        chars, lengths = "".join(char for char, _ in pairs), [length for _, length in pairs]
    counts = itertools.accumulate(map(len, leadbyte.graphemes(chars)), initial=0)
    offsets = list(itertools.accumulate(lengths, initial=0))
    return [offsets[count] for count in counts]


def size(text: str | bytes, unit: str) -> int:
    """Return the length of a text in a unit."""
    if unit == "grapheme":
        return len(cluster_offsets(text)) - 1
    if isinstance(text, str):
        lengths = {"byte": len(encoded(text)), "utf16": len(text) + sum(char > "\uffff" for char in text)}
        return lengths.get(unit, len(text))
    chars = sum(map(is_lead, text))
    return {"byte": len(text), "char": chars, "utf16": chars + sum(byte >= 0xF0 for byte in text)}[unit]


def offsets(text: str | bytes, unit: str) -> list[int]:
    """Return the offsets at which a text may be cut."""
    if unit == "grapheme":
        return cluster_offsets(text)
    if isinstance(text, str):
        return [*range(len(text) + 1)]
    leads = [at for at, byte in enumerate(text) if is_lead(byte)]
    return [*leads, len(text)]


def floor(data: bytes, at: int) -> int:
    """Return the boundary at most three bytes before an offset, or the offset."""
    at = min(at, len(data))
    near = [i for i in range(max(at - 3, 0), at + 1) if i == len(data) or is_lead(data[i])]
    return near[-1] if near else at


def head_end(text: str | bytes, limit: int, unit: str) -> int:
    """Return the end of the longest start that is not longer than a limit."""
    if unit == "byte" and isinstance(text, bytes):
        return floor(text, limit)
    return max((at for at in offsets(text, unit) if size(text[:at], unit) <= limit), default=0)


def tail_start(text: str | bytes, limit: int, unit: str) -> int:
    """Return the start of the longest end that is not longer than a limit."""
    if unit == "byte" and isinstance(text, bytes):
        return oracle.ceil_boundary(text, max(0, len(text) - limit))
    return min(at for at in offsets(text, unit) if size(text[at:], unit) <= limit)


def naive(text: AnyText, limit: int, choices: tuple[str, str, str], ellipsis: AnyText) -> AnyText:
    """Return the truncated text."""
    unit, boundary, side = choices
    if size(text, unit) <= limit:
        return text
    kept = limit - size(ellipsis, unit)
    clusters = cluster_offsets(text) if boundary == "grapheme" else []
    head = 0
    if side != "start":
        head = head_end(text, kept if side == "end" else kept - kept // 2, unit)
        head = max((at for at in clusters if at <= head), default=head)
    tail = len(text)
    if side != "end":
        tail = tail_start(text, kept - size(text[:head], unit), unit)
        tail = min((at for at in clusters if at >= tail), default=tail)
    return text[:head] + ellipsis + text[tail:]


def check(text: str | bytes, limit: int, ellipsis: str) -> None:
    """Compare all ways to truncate a text with the naive one."""
    own: str | bytes = ellipsis if isinstance(text, str) else encoded(ellipsis)
    for unit, boundary, side in CHOICES:
        reserved = size(own, unit)
        arguments: dict[str, Any] = {"unit": unit, "boundary": boundary, "side": side, "ellipsis": ellipsis}
        if reserved > limit:
            with pytest.raises(
                ValueError, match=f"longer than the limit of {limit}, .* length is {reserved}$"
            ):
                leadbyte.truncate(text, limit, **arguments)
            continue
        wanted = naive(text, limit, (unit, boundary, side), own)  # type: ignore[type-var]
        found: str | bytes = leadbyte.truncate(text, limit, **arguments)
        shown = f"{text!a} {limit} {arguments}: {found!a}, not {wanted!a}"
        if isinstance(text, str):
            assert outcomes.outcome(lambda text=found: text) == outcomes.of_str(wanted), shown  # type: ignore[arg-type]
        assert found == wanted, shown
        assert (found is text) == (size(text, unit) <= limit) or len(text) <= 1, shown
        assert size(found, unit) <= limit, shown
        items: list[Any] = [text, None]
        assert leadbyte.truncate_many(items, limit, **arguments) == [wanted, None]


def texts() -> st.SearchStrategy[str]:
    """Yield text of one script or of several, with clusters of several characters and lone surrogates."""
    parts = st.one_of(
        strategies.texts().map(bytes.decode),
        st.text(st.sampled_from(CLUSTERS), max_size=12),
        normalization.texts(),
        strategies.surrogates(),
    )
    return st.lists(parts, max_size=3).map(lambda parts: "".join(parts)[:150])


@pytest.mark.one_implementation
@given(texts(), st.integers(0, 60), st.sampled_from(ELLIPSES))
@example("👩\u200d💻" * 3, 5, "…")
@example("🇺🇦" * 9, 7, "")
def test_any_str(text: str, limit: int, ellipsis: str) -> None:
    check(text, limit, ellipsis)


@pytest.mark.once
@pytest.mark.one_implementation
@given(texts(), st.integers(0, 60), st.sampled_from(ELLIPSES))
def test_any_utf8(text: str, limit: int, ellipsis: str) -> None:
    check(text.encode("utf-8", "replace"), limit, ellipsis)


@given(strategies.data(), st.integers(0, 60), st.sampled_from(ELLIPSES))
@example(b"\x80" * 9, 5, "")
@example(b"\xc2\x80\x80\x80\x80", 4, "")
@example(b"\x80\x80abc\x80\x80", 1, "…")
@example(b"\xf0\xf0\xf0\xf0", 3, "")
@example("é".encode()[:1] * 9, 3, "")
def test_any_bytes(data: bytes, limit: int, ellipsis: str) -> None:
    check(data[:150], limit, ellipsis)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("filler", ["a", "é", "€", "😀", "e\u0301", "🇺", "\u094dक", "\n"], ids=ascii)
def test_all_limits_around_blocks(filler: str) -> None:
    """A character of another width is at every place of a block that is weighed at once."""
    for other, at in itertools.product("a😀", (0, 1, 15, 16, 17, 33, 63, 64, 65)):
        text = filler * at + other + filler * (70 - at)
        for limit in (at - 1, at, at + 1, 2 * at + 1, 3 * at):
            for unit, side in itertools.product(UNITS[:3], SIDES):
                if limit >= 0:
                    keywords: dict[str, Any] = {"unit": unit, "side": side}
                    wanted = naive(text, limit, (unit, "char", side), "")
                    assert leadbyte.truncate(text, limit, **keywords) == wanted
                    data = leadbyte.truncate(text.encode(), limit, **keywords)
                    assert data == wanted.encode()


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize(
    "text", ["a" * 3, "aé€😀" * 300_000, "e\u0301\r\n" * 300_000], ids=["a", "mixed", "marks"]
)
def test_long_texts(text: str) -> None:
    """Limits near the end need all of the text; work is detached, in blocks of a mebibyte."""
    whole: list[str | bytes] = [text, text.encode()]
    units = {
        unit: leadbyte.count_graphemes(text) if unit == "grapheme" else size(text, unit) for unit in UNITS
    }
    for (unit, total), item in itertools.product(units.items(), whole):
        keywords: dict[str, Any] = {"unit": unit}
        for limit in (total, total + 1, sys.maxsize, 10**30):
            assert leadbyte.truncate(item, limit, **keywords) is item
        last = leadbyte.truncate(item, 1, side="start", unit="grapheme")
        first = leadbyte.truncate(item, 1, unit="grapheme")
        kept = total - size(last, unit)
        assert leadbyte.truncate(item, kept, boundary="grapheme", **keywords) == item[: -len(last)]
        kept = total - size(first, unit)
        assert (
            leadbyte.truncate(item, kept, boundary="grapheme", side="start", **keywords) == item[len(first) :]
        )


def test_other_bytes_like_objects() -> None:
    data = "naïve".encode()
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            for item in (bytearray(data), memoryview(data), array.array("B", data), mapped):
                for limit in (3, 9):
                    found = leadbyte.truncate(item, limit, unit="byte")
                    assert (type(found), found) == (bytes, data[: {3: 2}.get(limit)])


def test_subclasses() -> None:
    class Text(str):
        __slots__ = ()

    class Data(bytes):
        __slots__ = ()

    wide = [Text("naïve"), Text("na\u20acve"), Text("na😀ve"), Text("naive")]
    for text, limit in itertools.product(wide, (2, 9)):
        found = leadbyte.truncate(text, limit, unit="char", ellipsis=Text(""))
        assert (type(found), found) == (str, str(text)[:limit])
    for limit in (2, 9):
        cut = leadbyte.truncate(Data(b"naive"), limit, unit="char")
        assert (type(cut), cut) == (bytes, b"naive"[:limit])


def test_what_an_ellipsis_may_be() -> None:
    for ellipsis in ("…", "\ud800", "é", "😀", ""):
        wanted = "ab" + ellipsis
        limit = 2 + len(ellipsis)
        assert outcomes.of_str(leadbyte.truncate("abcdef", limit, unit="char", ellipsis=ellipsis)) == (
            outcomes.of_str(wanted)
        )
    # Surrogates cannot be encoded; that matters only where the ellipsis is needed.
    assert leadbyte.truncate(b"ab", 3, unit="byte", ellipsis="\ud800") == b"ab"
    with pytest.raises(UnicodeEncodeError):
        leadbyte.truncate(b"abcd", 3, unit="byte", ellipsis="\ud800")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_wrong_arguments(function: Callable[..., Any]) -> None:
    name = function.__name__
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        (([], -1), {}, ValueError, "limit must be at least 0, not -1"),
        (([], -(10**30)), {}, ValueError, "limit must be at least 0, not -1"),
        (([], None), {}, TypeError, "NoneType"),
        (([], 1.5), {}, TypeError, "float"),
        (
            ([], 1),
            {"unit": "bytes"},
            ValueError,
            "unit must be 'byte', 'char', 'utf16' or 'grapheme', not 'bytes'",
        ),
        (([], 1), {"unit": None}, TypeError, f"{name}.. argument 'unit' must be str, not None"),
        (([], 1), {"boundary": "line"}, ValueError, "boundary must be 'char' or 'grapheme', not 'line'"),
        (([], 1), {"boundary": 1}, TypeError, f"{name}.. argument 'boundary' must be str, not int"),
        (([], 1), {"side": "left"}, ValueError, "side must be 'end', 'start' or 'middle', not 'left'"),
        (([], 1), {"side": b"end"}, TypeError, f"{name}.. argument 'side' must be str, not bytes"),
        (([], 1), {"ellipsis": b"."}, TypeError, f"{name}.. argument 'ellipsis' must be str, not bytes"),
        (([], 1), {"ellipsis": ".."}, ValueError, "ellipsis must not be longer than the limit of 1, but its"),
        (([], 1, "byte"), {}, TypeError, "positional"),
        (([],), {}, TypeError, "positional"),
    ]
    for arguments, keywords, error, message in wrong:
        with pytest.raises(error, match=message):
            function(*arguments, **{"unit": "byte", **keywords})
    with pytest.raises(TypeError, match="unit"):
        function([], 1)


@pytest.mark.parametrize("wrong", [*normalization.NO_TEXTS, None], ids=outcomes.shown)
def test_wrong_texts(wrong: Anything) -> None:
    with pytest.raises((TypeError, BufferError, ValueError)):
        leadbyte.truncate(wrong, 1, unit="char")
    if wrong is not None:
        with pytest.raises((TypeError, BufferError, ValueError)) as caught:
            leadbyte.truncate_many(["text", wrong], 1, unit="char")
        assert getattr(caught.value, "__notes__", ["while truncating item 1"]) == ["while truncating item 1"]


def test_many() -> None:
    items: Any = ["naïve", None, b"naive", bytearray(b"naive"), "", "na"]
    wanted: list[Any] = ["n…", None, b"n\xe2\x80\xa6", b"n\xe2\x80\xa6", "", "na"]
    for iterable in (items, tuple(items), iter(items)):
        assert leadbyte.truncate_many(iterable, 4, unit="byte", ellipsis="…") == wanted
    assert leadbyte.truncate_many([], 4, unit="byte") == []
    long = ["text of any kind", "€" * 50] * 500
    assert leadbyte.truncate_many(long, 9, unit="char") == [text[:9] for text in long]
    for one in ("text", b"text", bytearray(b"text")):
        with pytest.raises(TypeError, match="must be an iterable of str or bytes-like objects, not"):
            leadbyte.truncate_many(one, 4, unit="byte")  # type: ignore[call-overload]


def test_nothing_is_read_beyond_the_limit() -> None:
    """Else this would take minutes."""
    long: list[str | bytes] = ["a€" * 10_000_000, bytes(50_000_000)]
    for text in long:
        for _, (unit, boundary, side) in itertools.product(range(500), CHOICES):
            keywords: dict[str, Any] = {"unit": unit, "boundary": boundary, "side": side}
            leadbyte.truncate(text, 50, **keywords)


def test_data_that_changes_meanwhile() -> None:
    """The result is any, but memory is safe."""
    data = bytearray("aé€😀\u0301".encode() * 5000)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for at in range(0, len(data), 7):
                data[at] ^= 0xFF

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _, (unit, boundary, side) in itertools.product(range(20), CHOICES):
            keywords: dict[str, Any] = {"unit": unit, "boundary": boundary, "side": side}
            assert len(leadbyte.truncate(data, 9000, **keywords)) <= len(data)
    finally:
        stop.set()
        thread.join()
