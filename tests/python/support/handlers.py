"""Error handlers to test with, registered as ``leadbyte-tests-NAME``. Nothing here uses leadbyte."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

# What a handler returns is for the codec to judge.
Handler = Callable[[Any], Any]

BUILT_IN = [
    "strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass",
    "xmlcharrefreplace", "namereplace",
]  # fmt: skip


def register(name: str, handler: Handler) -> None:
    """Register a handler, whatever it may return."""
    codecs.register_error(name, cast("Any", handler))


def on_large_stack(call: Callable[[], object]) -> object:
    """Return or raise what a call that recurses does, in frames that are large if not optimised."""
    before = threading.stack_size(64 << 20)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(call).result()
    finally:
        threading.stack_size(before)


def refuse(error: UnicodeError) -> Any:  # noqa: ANN401
    """Raise the error."""
    raise error


def shorten(error: UnicodeDecodeError) -> tuple[str, int]:
    """Continue in other bytes, without the error and what followed."""
    error.object = error.object[: error.start] + b"\xc3\xa9!"
    return "", error.start


def lengthen(error: UnicodeDecodeError) -> tuple[str, int]:
    """Continue in other bytes, with the error repaired and much behind it."""
    repaired = (
        error.object[: error.start] + b"??????" + error.object[error.end :].replace(b"\xff", b"\xc3\xa9")
    )
    error.object = repaired
    return "\u20ac", error.start + 6


# All of these come to an end, whatever the data.
DECODING: dict[str, Handler] = {
    "hex": lambda error: (f"<{error.object[error.start : error.end].hex()}>", error.end),
    "wider": lambda error: ("aé€😀\udcff"[error.start % 5] * (error.start % 3), error.end),
    "skip": lambda error: ("?", min(error.end + 2, len(error.object))),
    "step": lambda error: ("\ud83d", error.start + 1),
    "from the end": lambda error: ("я", error.end - len(error.object) or error.end),
    "shorten": shorten,
    "lengthen": lengthen,
}
ENCODING: dict[str, Handler] = {
    "hex": lambda error: (
        "".join(f"<{ord(char):x}>" for char in error.object[error.start : error.end]),
        error.end,
    ),
    "bytes": lambda error: (b"\xff\x00\xed\xa0\x80"[error.start % 5 :], error.end),
    "skip": lambda error: (b"?", min(error.end + 2, len(error.object))),
    "step": lambda error: ("long " * 20, error.start + 1),
    "from the end": lambda error: ("", error.end - len(error.object) or error.end),
    "not ASCII": lambda error: ("é" if error.start % 2 else "e", error.end),
}


def registered(kind: str, functions: dict[str, Handler]) -> list[str]:
    """Register handlers; return the names."""
    names = []
    for name, handler in functions.items():
        names.append(f"leadbyte-tests-{kind} {name}")
        register(names[-1], handler)
    return names


FOR_DECODING = BUILT_IN + registered("decode", DECODING)
FOR_ENCODING = BUILT_IN + registered("encode", ENCODING)
