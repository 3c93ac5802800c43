"""The outcomes of calls, comparable: a result and how it is stored, or an exception."""

from __future__ import annotations

import itertools
import re
import sys
from typing import TYPE_CHECKING, Any

import handlers

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

Outcome = tuple[Any, ...]

CHARS = [chr(code) for code in range(256)]
_numbers = itertools.count()


def shown(value: object) -> str:
    """Return what a value is in the name of a test: the same in each process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", f"{type(value).__name__} {value!a}")[:40]


def decode(data: bytes, errors: str = "strict") -> str:
    """Decode by CPython."""
    return data.decode("utf-8", errors)


def encode(text: str, errors: str = "strict") -> bytes:
    """Encode by CPython, and without what a subclass may do."""
    return str.encode(text, "utf-8", errors)


def transcode(data: Anything, source: str, target: str, errors: str = "strict") -> bytes:
    """Decode and encode by CPython."""
    return bytes(data).decode(source, errors).encode(target, errors)


def of_str(text: str) -> Outcome:
    """Describe a str: what all its users see, its kind of storage by its size, and whether it is shared.

    A Latin-1 char has the same kind in each str, but the size of the shared one includes its UTF-8 form as
    soon as anyone asked for that.
    """
    latin1_char = len(text) == 1 and text < "\u0100"
    shared = not text or (latin1_char and text is CHARS[ord(text)])
    return type(text), text, hash(text), text.isascii(), not latin1_char and sys.getsizeof(text), shared


def of_bytes(data: bytes) -> Outcome:
    """Describe bytes: what all their users see, and their size."""
    return type(data), data, hash(data), sys.getsizeof(data)


def of_error(error: BaseException) -> Outcome:
    """Describe an exception."""
    reported = (type(error), str(error), type(error.__context__), type(error.__cause__))
    if isinstance(error, (UnicodeDecodeError, UnicodeEncodeError)):
        fields = (error.encoding, error.object, error.start, error.end, error.reason)
        return *reported, *fields, type(error.object), error.args
    return reported


def outcome(function: Callable[..., Any], *arguments: Anything, **keywords: Anything) -> Outcome:
    """Call a function; describe what it returns or raises."""
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        return of_error(error)
    if isinstance(result, str):
        return of_str(result)
    return of_bytes(result) if isinstance(result, bytes) else (type(result), result)


def handled(
    function: Callable[..., Any], argument: Anything, make_handler: Callable[[], handlers.Handler]
) -> tuple[Outcome, list[Outcome], int]:
    """Call a codec with a new error handler.

    Return the outcome, what the handler was called with, and how many exception objects that were.
    """
    seen: list[Outcome] = []
    objects: list[UnicodeError] = []
    handler = make_handler()

    def recording(error: UnicodeError) -> Anything:
        seen.append(of_error(error))
        objects.append(error)
        return handler(error)

    name = f"leadbyte-tests-{next(_numbers)}"
    handlers.register(name, recording)
    try:
        return outcome(function, argument, errors=name), seen, len(set(map(id, objects)))
    finally:
        handlers.register(name, handlers.refuse)
