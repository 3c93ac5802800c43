"""Results are stored as CPython stores its own, and encoding leaves nothing behind in a str."""

from __future__ import annotations

import copy
import ctypes
import functools
import pickle
import random
import sys
import threading
from typing import TYPE_CHECKING

import handlers
import leadbyte
import outcomes
import pytest
import strategies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LENGTHS = (*range(71), 127, 128, 129, 255, 256, 257, 4095, 4096)
# The largest char that fits each kind, and what else to fill it with.
KINDS = {"ASCII": "a\x7f", "Latin-1": "aéÿ", "UCS-2": "aé€\uffff", "UCS-4": "aé€😀\U0010ffff"}
each_kind = pytest.mark.parametrize("chars", KINDS.values(), ids=KINDS)


def texts(chars: str) -> Iterator[str]:
    """Yield texts of one kind and all lengths, the widest char anywhere."""
    source = random.Random(chars)
    for length in LENGTHS:
        for others in (chars[:1], chars):
            made = source.choices(others, k=length)
            if length:
                made[source.randrange(length)] = chars[-1]
            yield "".join(made)


@each_kind
def test_same_storage_as_cpythons(chars: str) -> None:
    for text in texts(chars):
        data = text.encode()
        decoded = leadbyte.decode(data)
        assert outcomes.of_str(decoded) == outcomes.of_str(data.decode())
        assert decoded == text
        assert text == decoded
        assert max(decoded, default="") == max(text, default="")


@each_kind
def test_works_as_any_other_str(chars: str) -> None:
    for text in texts(chars):
        decoded = leadbyte.decode(text.encode())
        assert {text: 1}[decoded] == {decoded: 1}[text] == 1
        assert pickle.loads(pickle.dumps(decoded)) == copy.deepcopy(decoded) == text
        assert decoded.encode("utf-8") == leadbyte.encode(decoded) == text.encode()
        assert decoded.encode("utf-16") == text.encode("utf-16")
        assert (decoded.upper(), decoded + "z", decoded * 2) == (text.upper(), text + "z", text * 2)
        assert decoded.find(chars[-1]) == text.find(chars[-1])
        for part in (
            slice(1, None),
            slice(None, -1),
            slice(None, None, -1),
            slice(1, 9),
            slice(None, None, 3),
        ):
            assert outcomes.of_str(decoded[part]) == outcomes.of_str(text[part])


@each_kind
def test_interning(chars: str) -> None:
    for text in texts(chars):
        if len(text) > 1:
            unique = text + "leadbyte interns"
            assert sys.intern(leadbyte.decode(unique.encode())) is sys.intern(
                leadbyte.decode(unique.encode())
            )
            interned = sys.intern(unique + "!")
            assert sys.intern(leadbyte.decode(interned.encode())) is interned


def only(char: str, error: UnicodeDecodeError) -> tuple[str, int]:
    return char, error.end


def test_shared_str_objects() -> None:
    empty = "".join([])
    assert (
        leadbyte.decode(b"")
        is leadbyte.decode(b"\xff", errors="ignore")
        is leadbyte.decode(bytearray())
        is empty
    )
    for code in range(256):
        char = chr(code)
        data = char.encode()
        assert leadbyte.decode(data) is char
        assert leadbyte.decode(b"\xff" + data, errors="ignore") is char
        assert leadbyte.decode(memoryview(data)) is char
        assert leadbyte.decode_many([data])[0] is char
        handlers.register("leadbyte-tests-one", functools.partial(only, char))
        assert leadbyte.decode(b"\xff", errors="leadbyte-tests-one") is char


def test_shared_bytes_objects() -> None:
    assert leadbyte.encode("") is leadbyte.encode("\ud800", errors="ignore") == b""
    for code in range(128):
        char = chr(code)
        assert leadbyte.encode(char) is char.encode()
        assert leadbyte.encode_many([char])[0] is char.encode()


@pytest.mark.parametrize("errors", handlers.BUILT_IN[1:6])
def test_storage_after_errors(errors: str) -> None:
    for chars in KINDS.values():
        for text in texts(chars):
            for broken in (b"\xff", b"\xed\xa0\x80", b"\xc3"):
                data = text.encode() + broken + text.encode()
                assert outcomes.outcome(leadbyte.decode, data, errors=errors) == outcomes.outcome(
                    outcomes.decode, data, errors
                )


@pytest.mark.parametrize("script", strategies.SCRIPTS)
def test_encoding_leaves_nothing_in_the_str(script: str) -> None:
    for text in (strategies.SCRIPTS[script] * 30, strategies.SCRIPTS[script] + "\ud800", script + "\udcff"):
        text = "".join(list(text))  # noqa: PLW2901, of which nobody knows yet
        size = sys.getsizeof(text)
        for errors in handlers.FOR_ENCODING:
            outcomes.outcome(leadbyte.encode, text, errors=errors)
            outcomes.outcome(leadbyte.encode_many, [text], errors=errors)
        outcomes.outcome(leadbyte.encoded_length, text)
        outcomes.outcome(leadbyte.encode, text)
        leadbyte.to_well_formed(text)
        outcomes.outcome(lambda replacement: leadbyte.repair(b"a\xff", replacement=replacement), text)
        assert sys.getsizeof(text) == size


@each_kind
def test_encoding_a_str_with_its_utf8_inside(chars: str) -> None:
    cached = ctypes.pythonapi.PyUnicode_AsUTF8
    for text in texts(chars):
        expected = text.encode()
        before = sys.getsizeof(text)
        cached(ctypes.py_object(text))
        if len(text) > 1 and not text.isascii():
            assert sys.getsizeof(text) == before + len(expected) + 1
        for _ in range(2):
            assert leadbyte.encode(text) == leadbyte.encode(text, errors="replace") == expected
            assert leadbyte.encode_many([text, text]) == [expected] * 2
            assert leadbyte.encoded_length(text) == len(expected)
            assert leadbyte.to_well_formed(text) is text
            assert outcomes.of_bytes(leadbyte.encode(text)) == outcomes.of_bytes(text.encode())


class Str(str):
    __slots__ = ()


@each_kind
def test_encoding_an_instance_of_a_subclass_with_its_utf8_inside(chars: str) -> None:
    for text in texts(chars):
        instance = Str(text)
        ctypes.pythonapi.PyUnicode_AsUTF8(ctypes.py_object(instance))
        assert leadbyte.encode(instance) == text.encode()
        assert leadbyte.encoded_length(instance) == len(text.encode())
        assert leadbyte.to_well_formed(instance) == text


def test_surrogates_are_never_kept_as_utf8() -> None:
    for text in ("a\ud800", "€\udc80" * 50, "😀\udfff"):
        with pytest.raises(UnicodeEncodeError):
            ctypes.pythonapi.PyUnicode_AsUTF8(ctypes.py_object(text))
        for errors in handlers.FOR_ENCODING:
            assert outcomes.outcome(leadbyte.encode, text, errors=errors) == outcomes.outcome(
                outcomes.encode, text, errors
            )


def test_utf8_that_another_thread_asks_for_meanwhile() -> None:
    as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8
    for size in (100, 30_000):
        fresh = [f"{number} é€ " * size for number in range(20)]
        expected = [text.encode() for text in fresh]
        asking = threading.Thread(
            target=lambda fresh=fresh: [as_utf8(ctypes.py_object(text)) for text in fresh]
        )
        asking.start()
        results = [[leadbyte.encode(text) for text in fresh] for _ in range(10)]
        asking.join()
        assert all(result == expected for result in results)


@pytest.mark.parametrize("function", [leadbyte.encode, lambda text: leadbyte.repair(text.encode() + b"\xff")])
def test_bytes_are_stored_as_cpythons(function: Callable[[str], bytes]) -> None:
    for chars in KINDS.values():
        for text in texts(chars):
            result = function(text)
            copied = bytes(bytearray(result))
            assert outcomes.of_bytes(result) == outcomes.of_bytes(copied)
            # A C string to those who take it for one.
            assert ctypes.string_at(result, len(result) + 1) == copied + b"\0"


@each_kind
def test_utf8_of_a_result_ends_with_a_zero(chars: str) -> None:
    as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8
    as_utf8.restype = ctypes.c_void_p
    for text in texts(chars):
        decoded = leadbyte.decode(text.encode())
        address = as_utf8(ctypes.py_object(decoded))
        assert ctypes.string_at(address, len(text.encode()) + 1) == text.encode() + b"\0"
