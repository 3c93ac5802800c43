"""Bytes to str: decode against CPython's, with every error handler."""

from __future__ import annotations

import codecs
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import handlers
import leadbyte
import oracle
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import _leadbyte
from outcomes import handled, outcome, shown
from strategies import BOUNDARY_BYTES, all_sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from handlers import Handler
    from strategies import Anything

each_handler = pytest.mark.parametrize("errors", handlers.FOR_DECODING)
# One char of each kind of storage, and the last that it takes.
KINDS = ["a", "\x7f", "é", "ÿ", "Ā", "я", "€", "\ud7ff", "\uffff", "😀", "\U0010ffff"]
BEFORE_AND_AFTER = [("", ""), ("a", "b"), ("мир", "€"), ("x" * 61, "é😀"), ("€" * 40, "y" * 70)]


def agree(data: bytes, errors: str) -> bool:
    return outcome(leadbyte.decode, data, errors=errors) == outcome(outcomes.decode, data, errors)


def check(data: bytes, errors: str = "strict") -> None:
    assert outcome(leadbyte.decode, data, errors=errors) == outcome(outcomes.decode, data, errors)


def check_all(sequences: Iterable[bytes], errors: Iterable[str] = ("strict", "replace")) -> None:
    number = 0
    for sequence in sequences:
        for name in errors:
            check(sequence, name)
        number += 1
    assert number


@pytest.mark.parametrize("kind", KINDS, ids=ascii)
def test_every_length_of_one_char(kind: str) -> None:
    for length in range(301):
        check((kind * length).encode("utf-8"))


@pytest.mark.parametrize("kind", KINDS[2:], ids=ascii)
def test_wide_char_at_every_place(kind: str) -> None:
    for other in ("a", "é", "я"):
        for length in (*range(1, 40), 64, 65, 130, 257):
            for at in range(length):
                check((other * at + kind + other * (length - 1 - at)).encode("utf-8"))


@pytest.mark.parametrize("script", strategies.SCRIPTS)
def test_every_length_of_a_script(script: str) -> None:
    text = strategies.SCRIPTS[script] * 20
    for start in (0, 1, 7):
        for length in range(301):
            check(text[start : start + length].encode())


@each_handler
def test_broken_sequences(errors: str) -> None:
    for before, after in BEFORE_AND_AFTER:
        for sequence in strategies.BROKEN:
            check(before.encode() + sequence + after.encode(), errors)
            check(before.encode() + sequence * 3, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@each_handler
@pytest.mark.parametrize("sequence", [b"\xff", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xb1"])
def test_error_at_every_place(sequence: bytes, errors: str) -> None:
    for pattern in ("a", "я€", "😀é"):
        for length in (0, 1, 15, 31, 33, 63, 64, 65, 127, 129):
            text = bytes(strategies.filled(length, pattern.encode()))
            for at in range(length + 1):
                check(text[:at] + sequence + text[at:], errors)


@each_handler
def test_errors_at_every_distance(errors: str) -> None:
    for distance in range(150):
        text = (
            bytes(strategies.filled(distance, ("x" * 40 + "я" * 20).encode()))
            .decode(errors="ignore")
            .encode()
        )
        check((text + b"\xff") * 4, errors)
        check((text + b"\xe2\x82") * 4 + "é".encode(), errors)


@each_handler
def test_every_sequence_of_two_boundary_bytes(errors: str) -> None:
    check_all(all_sequences(BOUNDARY_BYTES, BOUNDARY_BYTES), [errors])


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("last", [b"", b"a", b"\x80", b"\xbf"], ids=repr)
def test_every_sequence_of_three_boundary_bytes(last: bytes) -> None:
    check_all(sequence + last for sequence in all_sequences(*[BOUNDARY_BYTES] * 3))


@each_handler
@given(data=strategies.data())
def test_any_data(errors: str, data: bytes) -> None:
    check(data, errors)


@pytest.mark.parametrize("fill", ["plain text ", "naïve ", "мир ", "中文", "한국어 ", "😀"], ids=ascii)
def test_other_char_or_error_at_any_place_of_long_text(fill: str) -> None:
    encoded = fill.encode() * (5000 // len(fill.encode()))
    for at in (*range(0, 60, 7), 250, 1030, len(encoded) - 20, len(encoded)):
        before = encoded[:at].decode(errors="ignore").encode()
        for other in (b"", b"\xff", b"\xe4\xb8", *(kind.encode() for kind in "éяﬀ😀")):
            data = before + other + encoded
            check(data)
            check(data + b"\xe2", "replace")
            assert decoded_size(leadbyte.decode, data) == decoded_size(outcomes.decode, data)


def decoded_size(decode: Callable[..., str], data: bytes) -> int:
    """Return the bytes of memory that the text takes."""
    return sys.getsizeof(decode(data, errors="replace"))


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize(
    "errors", ["strict", "ignore", "replace", "surrogateescape", "leadbyte-tests-decode hex"]
)
def test_large_data(errors: str) -> None:
    for name, data in strategies.large_samples():
        # Without pytest's comparison, which takes minutes for megabytes.
        assert agree(data, errors), name


@pytest.mark.parametrize("make", [bytearray, memoryview, lambda data: memoryview(b"?" + data)[1:]])
@each_handler
def test_handlers_with_other_types(make: Callable[[bytes], Any], errors: str) -> None:
    for data in (b"", b"a", "é€😀".encode(), b"caf\xe9 \xed\xa0\x80 \xf0\x9f", b"x" * 200 + b"\xff\xe2\x82"):
        assert outcome(leadbyte.decode, make(data), errors=errors) == outcome(outcomes.decode, data, errors)


def test_subclasses() -> None:
    class Bytes(bytes):
        def decode(self, *_: object) -> str:
            raise AssertionError

    class Name(str):
        __slots__ = ()

    for data in (b"", b"a", "€".encode(), b"\xff\xe2"):
        for errors in handlers.FOR_DECODING:
            expected = outcome(outcomes.decode, data, errors)
            assert outcome(leadbyte.decode, Bytes(data), errors=errors) == expected
            assert outcome(leadbyte.decode, data, errors=Name(errors)) == expected


def test_errors_by_keyword() -> None:
    assert leadbyte.decode(b"\xff", errors="replace") == "\ufffd"
    assert leadbyte.decode(b"\xff", **{"".join(["err", "ors"]): "ignore"}) == ""
    with pytest.raises(UnicodeDecodeError):
        leadbyte.decode(b"\xff")


@pytest.mark.parametrize("data", [b"", b"text", b"\xff"], ids=repr)
@pytest.mark.parametrize("errors", [None, 1, b"strict", ["strict"], "\udc80", "a\0b", "strict\0"], ids=repr)
def test_errors_of_wrong_types_and_values(data: bytes, errors: Anything) -> None:
    assert outcome(leadbyte.decode, data, errors=errors) == outcome(bytes.decode, data, errors=errors)
    assert outcome(leadbyte.decode, bytearray(data), errors=errors) == outcome(
        bytes.decode, data, "utf-8", errors
    )


@pytest.mark.skipif(sys.flags.dev_mode, reason="CPython looks handlers up at once in development mode")
@pytest.mark.parametrize("errors", ["unknown", "", "Strict", "strict ", "é", "replac", "x" * 1000], ids=ascii)
def test_unknown_handlers(errors: str) -> None:
    for data in (b"", b"text", "мир".encode(), b"\xff", b"caf\xe9 ", b"x" * 300 + b"\xff"):
        check(data, errors)
    assert leadbyte.decode(b"text", errors=errors) == "text"
    with pytest.raises(LookupError, match="unknown error handler name"):
        leadbyte.decode(b"\xff", errors=errors)


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ([], {}),
        ([], {"data": b"a"}),
        ([], {"errors": "strict"}),
        ([b"a", "strict"], {}),
        ([b"a", "latin-1"], {}),
        ([b"a", "strict", 1], {}),
        ([b"a", "strict"], {"errors": "strict"}),
        ([b"a"], {"error": "strict"}),
        ([b"a"], {"encoding": "utf-8"}),
        ([b"a"], {"errors": "strict", "final": True}),
        (["text"], {}),
        ([None, "strict"], {}),
    ],
    ids=repr,
)
def test_wrong_arguments(arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        leadbyte.decode(*arguments, **keywords)


def test_strict_error_is_new_each_time() -> None:
    errors = [oracle.raised_by(leadbyte.decode, b"\xff") for _ in range(2)]
    assert errors[0] is not errors[1]


# The protocol of handlers.


DATA = [
    b"\xff",
    b"a\xffb",
    b"\xe2\x82",
    b"ab\xff\xfe\xe2\x82 \xf0\x9f\x98\xed\xa0\x80z",
    "é\udc80€".encode("utf-8", "surrogatepass"),
    b"x" * 100 + b"\xff" + "€".encode() * 50 + b"\xc0" + "😀".encode(),
]


def check_handler(make: Callable[[], Handler], samples: Iterable[bytes] = DATA) -> None:
    """Check that a new handler is called alike, and what comes of it."""
    for data in samples:
        assert handled(leadbyte.decode, data, make) == handled(outcomes.decode, data, make)
        assert handled(leadbyte.decode, bytearray(data), make) == handled(outcomes.decode, data, make)


@pytest.mark.parametrize("name", handlers.DECODING)
def test_registered_handlers_see_the_same(name: str) -> None:
    check_handler(lambda: handlers.DECODING[name])


def test_one_exception_is_used_again() -> None:
    _, seen, objects = handled(leadbyte.decode, b"a\xff\xe2\x82b\xf0", lambda: lambda error: ("", error.end))
    assert [(reported[6], reported[7], reported[8]) for reported in seen] == [
        (1, 2, "invalid start byte"),
        (2, 4, "invalid continuation byte"),
        (5, 6, "unexpected end of data"),
    ]
    assert objects == 1


class Tuple(tuple[Any, ...]):
    __slots__ = ()


class Str(str):
    __slots__ = ()


class Index:
    def __init__(self, value: Anything) -> None:
        self.value = value

    def __index__(self) -> Any:  # noqa: ANN401
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


@pytest.mark.parametrize(
    "result",
    [
        None, 1, "text", b"text", [], (), ("",), ("", 1, 2), ["", 1], iter(("", 1)), Tuple(("x",)),
        (1, 1), (b"", 1), (bytearray(), 1), (None, 1), (1, ""), ("", "1"), ("", None), ("", 1.0), ("", 1j),
        ("", 10**30), ("", -(10**30)), ("", sys.maxsize), ("", -sys.maxsize - 1), ("", sys.maxsize + 1),
        Tuple(("x", 1)), (Str("sub"), 1), (Str("é€"), 1), ("", True), ("", Index(1)), ("", Index(-1)),
        ("", Index(10**20)), ("", Index("1")), ("", Index(ValueError("no index"))),
    ],
    ids=shown,
)  # fmt: skip
def test_result_of_a_handler(result: Anything) -> None:
    def make() -> Handler:
        rest = iter([result])
        return lambda error: next(rest, ("|", error.end))

    check_handler(make)


@pytest.mark.parametrize("position", range(-12, 13))
def test_position_of_a_handler(position: int) -> None:
    def make() -> Handler:
        rest = iter([("<", position), (">", position - 1)])
        return lambda error: next(rest, ("|", error.end))

    check_handler(
        make, [b"\xff", b"abc\xffdef", b"ab\xff\xfe\xe2\x82cd", "я€".encode() + b"\xff" + "😀".encode()]
    )


@pytest.mark.parametrize(
    "replacement",
    [
        "",
        "a",
        "é",
        "ÿĀ",
        "€",
        "😀",
        "\udc80",
        "\ud83d\ude00",
        "\0",
        "long " * 100,
        "wide€" * 60,
        "\U0010ffff",
    ],
    ids=lambda replacement: ascii(replacement)[:20],
)
def test_replacement_of_a_handler(replacement: str) -> None:
    check_handler(lambda: lambda error: (replacement, error.end))
    texts = ["", "plain", "é" * 33, "я" * 33, "😀" * 33]
    check_handler(
        lambda: lambda error: (replacement, error.end),
        [one.encode() + b"\xff" + other.encode() for one in texts for other in texts],
    )


@pytest.mark.parametrize(
    "new",
    [
        b"", b"a", b"abcdefgh", b"\xff\xfe\xfd\xfc", "é€😀".encode() * 20, b"\xe2\x82", b"\xff",
        "text", None, 1, bytearray(b"abc"), memoryview(b"abc"), type("Bytes", (bytes,), {})(b"abc\xff\xfed"),
    ],
    ids=shown,
)  # fmt: skip
@pytest.mark.parametrize("position", [0, 1, 2, 7, -1, -3])
def test_object_that_a_handler_replaces(new: Anything, position: int) -> None:
    def make() -> Handler:
        calls: list[int] = []

        def handler(error: UnicodeDecodeError) -> tuple[str, int]:
            calls.append(1)
            if len(calls) > 1:
                return "|", error.end
            error.object = new
            return "<", position

        return handler

    check_handler(make)


@pytest.mark.parametrize("attribute", ["object", "encoding", "reason", "start", "end", "args"])
@pytest.mark.parametrize("value", [None, 0, 5, "text", b"text", -(10**6)], ids=repr)
def test_attribute_that_a_handler_sets(attribute: str, value: Anything) -> None:
    def make() -> Handler:
        def handler(error: UnicodeDecodeError) -> tuple[str, int]:
            end = error.end
            setattr(error, attribute, value)
            return "|", end

        return handler

    check_handler(make)


@pytest.mark.parametrize("attribute", ["object", "encoding", "reason", "start"])
def test_attribute_that_a_handler_deletes(attribute: str) -> None:
    def make() -> Handler:
        def handler(error: UnicodeDecodeError) -> tuple[str, int]:
            end = error.end
            delattr(error, attribute)
            return "|", end

        return handler

    def reported(function: Callable[..., Any], data: bytes) -> Any:  # noqa: ANN401
        # An exception without its attributes cannot always be described.
        name = f"leadbyte-tests-delete {attribute}"
        handlers.register(name, make())
        try:
            return function(data, errors=name)
        except Exception as error:
            return type(error), str(error)

    for data in DATA:
        assert reported(leadbyte.decode, data) == reported(outcomes.decode, data)


@pytest.mark.parametrize(
    "raised", [ValueError("mine"), KeyboardInterrupt(), StopIteration(1), UnicodeError("other")], ids=repr
)
def test_handler_that_raises(raised: BaseException) -> None:
    def handler(error: UnicodeDecodeError) -> tuple[str, int]:
        if error.start > 2:
            raise raised
        return "|", error.end

    handlers.register("leadbyte-tests-raise", handler)
    with pytest.raises(type(raised)) as caught:
        leadbyte.decode(b"\xff\xfe abc \xff", errors="leadbyte-tests-raise")
    assert caught.value is raised
    assert raised.__context__ is None


def test_handler_that_raises_the_error_after_others() -> None:
    def make() -> Handler:
        rest = iter(["|"])
        return lambda error: (next(rest), error.end) if error.start < 3 else handlers.refuse(error)

    check_handler(make)


def test_handler_that_is_not_callable() -> None:
    with pytest.raises(TypeError, match="handler must be callable"):
        codecs.register_error("leadbyte-tests-none", None)  # type: ignore[arg-type]
    check(b"\xff", "leadbyte-tests-none")


@pytest.mark.parametrize("size", [0, 100, 200_000])
def test_handler_that_changes_the_bytes_being_decoded(size: int) -> None:
    text = b"a" * size + b"\xff\xc3\xa9\xfe" + "€".encode() * 10 + b"\xff"
    data = bytearray(text)

    def handler(error: UnicodeDecodeError) -> tuple[str, int]:
        data[:] = b"\x80" * len(data)
        return "|", error.end

    handlers.register("leadbyte-tests-change", handler)
    decoded = leadbyte.decode(data, errors="leadbyte-tests-change")
    assert decoded == "a" * size + "|é|" + "€" * 10 + "|"


def test_handler_that_empties_the_bytes_being_decoded() -> None:
    data = bytearray(b"text \xff\xc3\xa9\xfe more")
    refused: list[BufferError] = []

    def handler(error: UnicodeDecodeError) -> tuple[str, int]:
        try:
            data.clear()
        except BufferError as error_:
            refused.append(error_)
        return "|", error.end

    handlers.register("leadbyte-tests-empty", handler)
    assert leadbyte.decode(data, errors="leadbyte-tests-empty") == "text |é| more"
    data.clear()


def test_handler_that_is_registered_again_during_a_call() -> None:
    name = "leadbyte-tests-again"

    def second(error: UnicodeDecodeError) -> tuple[str, int]:
        return "2", error.end

    def first(error: UnicodeDecodeError) -> tuple[str, int]:
        handlers.register(name, second)
        return "1", error.end

    results = []
    for function in (outcomes.decode, leadbyte.decode):
        handlers.register(name, first)
        results.append([function(data, errors=name) for data in (b"\xff\xfea\xff", b"\xff")])
    assert results == [["11a1", "2"]] * 2


def test_handler_that_decodes() -> None:
    def make() -> Handler:
        def handler(error: UnicodeDecodeError) -> tuple[str, int]:
            inner = error.object[error.end :]
            return f"[{leadbyte.decode(inner, errors='leadbyte-tests-inner')}]", error.end

        handlers.register("leadbyte-tests-inner", handler)
        return handler

    check_handler(make, [b"a\xffb\xfec\xfdd", b"\xff" * 6])


def test_handler_that_recurses_for_ever() -> None:
    def handler(error: UnicodeDecodeError) -> tuple[str, int]:
        return leadbyte.decode(error.object, errors="leadbyte-tests-recurse"), error.end

    handlers.register("leadbyte-tests-recurse", handler)
    with pytest.raises(RecursionError):
        handlers.on_large_stack(lambda: leadbyte.decode(b"a\xff", errors="leadbyte-tests-recurse"))


def test_error_that_a_handler_keeps() -> None:
    kept: list[UnicodeDecodeError] = []

    def handler(error: UnicodeDecodeError) -> tuple[str, int]:
        kept.append(error)
        return "", error.end

    handlers.register("leadbyte-tests-keep", handler)
    data = bytes([97]) * 100 + b"\xff\xfe"
    leadbyte.decode(bytearray(data), errors="leadbyte-tests-keep")
    assert oracle.fields(kept[0]) == ("utf-8", data, 101, 102, "invalid start byte")


RENAMED = """
import codecs, sys
import leadbyte

def outcome(function, *arguments, **keywords):
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        return type(error), str(error)
    # What a registered "strict" returns, CPython 3.14 stores wider than needed: it equals no other str.
    return "".join(list(result)) if isinstance(result, str) else result

for name in ("strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass",
             "xmlcharrefreplace", "namereplace"):
    original = codecs.lookup_error(name)
    codecs.register_error(name, lambda error: ("<>", error.end))
    for data in (b"a\\xffb\\xe2\\x82c", b"\\xed\\xa0\\x80", b"ok"):
        for make in (bytes, bytearray):
            got = outcome(leadbyte.decode, make(data), errors=name)
            expected = outcome(data.decode, "utf-8", name)
            assert got == expected, (name, data, got, expected)
            got, expected = outcome(leadbyte.decode, make(data)), outcome(data.decode)
            assert got == expected, (name, data, got, expected)
    for text in ("a\\ud800b", "\\udc80", "\\udcff\\ud800", "ok"):
        got, expected = outcome(leadbyte.encode, text, errors=name), outcome(text.encode, "utf-8", name)
        assert got == expected, (name, ascii(text), got, expected)
        got, expected = outcome(leadbyte.encode, text), outcome(text.encode)
        assert got == expected, (name, ascii(text), got, expected)
    codecs.register_error(name, original)
    assert outcome(leadbyte.decode, b"a\\xff", errors=name) == outcome(b"a\\xff".decode, "utf-8", name)
"""


def test_built_in_handlers_renamed() -> None:
    """CPython asks the registry for some of its own handlers, and not for others."""
    done = subprocess.run(
        [sys.executable, "-c", RENAMED], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


# Decoding of what may continue, for the codec.


def check_prefix(data: bytes, errors: str | None) -> None:
    for final in (False, True):
        assert outcome(_leadbyte._decode_prefix, data, errors, final) == outcome(
            codecs.utf_8_decode, data, errors, final
        )


@each_handler
def test_prefix(errors: str) -> None:
    for before, _ in BEFORE_AND_AFTER:
        for sequence in strategies.BROKEN:
            check_prefix(before.encode() + sequence, errors)
        for char in "aéя€\ud7ff\uffff😀\U0010ffff":
            encoded = char.encode()
            for cut in range(len(encoded) + 1):
                check_prefix(before.encode() + encoded[:cut], errors)


@given(strategies.data(), st.sampled_from(handlers.FOR_DECODING))
def test_prefix_of_any_data(data: bytes, errors: str) -> None:
    check_prefix(data, errors)
    for cut in range(max(0, len(data) - 5), len(data)):
        check_prefix(data[:cut], errors)


def test_prefix_with_other_types() -> None:
    for make in (bytearray, memoryview):
        for data in (b"", b"a\xe2\x82", b"\xff\xf0\x9f", "é".encode()):
            for final in (False, True):
                assert outcome(_leadbyte._decode_prefix, make(data), "replace", final) == outcome(
                    codecs.utf_8_decode, data, "replace", final
                )


@pytest.mark.parametrize("first", range(0, 256, 32))
def test_prefix_of_every_two_bytes(first: int) -> None:
    for data in all_sequences(range(first, first + 32), range(0x70, 0x100, 3), [0x80, 0xBF][: 1 + first % 2]):
        check_prefix(data, "replace")
        check_prefix(data[:2], "strict")


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("errors", ["replace", "ignore", "surrogateescape", "surrogatepass"])
def test_more_errors_than_are_kept(errors: str) -> None:
    """After the first million errors the others are searched again."""
    data = b"\xed\xa0\x80" * 350_000 + b"a\xff" * 400_000 + "я".encode()
    check(data, errors)
    check(data[:-2], errors)
    assert leadbyte.repair(data) == data.decode(errors="replace").encode()
    for end in (b"\xe2\x82", b"\xed\xa0"):
        check_prefix(data + end, errors)


@pytest.mark.once
@pytest.mark.parametrize("errors", ["replace", "ignore", "surrogateescape"])
@pytest.mark.parametrize("text", ["é", "жи", "漢字", "😀", "plain text é", "ascii"])
def test_the_next_error_at_each_offset(text: str, errors: str) -> None:
    """An error that is far from the one before, wherever in the blocks that are validated together."""
    data = (text * 2000).encode()[:3000]
    for offset in range(1500, 1500 + 130):
        for malformed in (b"\xff", b"\xc4", b"\xf0\x9f", b"\xed\xa0\x80"):
            damaged = data[:900] + b"\xff" + data[900 : 900 + offset] + malformed
            check(damaged, errors)
            check(damaged + data[900 + offset :], errors)
