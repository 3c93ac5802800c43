"""Calls of the extension module that hold buffers, raise, run handlers, and detach from the interpreter.

Executed with a dict of its own for its names, it can be called however late: at shutdown Python clears the
names of modules.
"""

from __future__ import annotations

import codecs
import os
import types
from typing import TYPE_CHECKING, Any

from leadbyte import _leadbyte

if TYPE_CHECKING:
    from collections.abc import Callable


def question(error: UnicodeError) -> tuple[str, int]:
    """Handle an error in Python code."""
    assert isinstance(error, (UnicodeDecodeError, UnicodeEncodeError))
    return "?", error.end


# The functions themselves, since the names of their module are cleared too.
leadbyte: Any = types.SimpleNamespace(**vars(_leadbyte))
codecs.register_error("leadbyte-tests-question", question)
write = os.write


def outcome(function: Callable[..., Any], *arguments: object, **keywords: object) -> object:
    """Return what a call gives or raises, to be compared."""
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__, str(error)
    return result if isinstance(result, (bool, int, str, bytes, list, tuple)) else repr(result)


def spans(data: object) -> list[tuple[int, int]]:
    """Iterate over errors, by an iterator that holds a buffer."""
    return [(error.start, error.end) for error in leadbyte.iter_errors(data)]


def stream(data: object) -> tuple[str, bool, bool]:
    """Use the classes for data in pieces."""
    scanner, validator = leadbyte.Scanner(), leadbyte.IncrementalValidator()
    scanner.update(data)
    return repr(scanner.finish()), validator.update(data), validator.finish()


def on_bytes(data: object) -> list[object]:
    """Call what takes a bytes-like object."""
    functions = [
        *[leadbyte.is_valid, leadbyte.validate, leadbyte.count_chars, leadbyte.count_widths, leadbyte.scan],
        *[leadbyte.decode, leadbyte.repair, leadbyte.detect, leadbyte.count_graphemes, leadbyte.strip_bom],
        *[leadbyte.add_bom, leadbyte.is_ascii, spans, stream],
    ]
    results = [outcome(function, data) for function in functions]
    handlers = ["strict", "replace", "leadbyte-tests-question", "leadbyte-tests-unknown"]
    results += [outcome(leadbyte.decode, data, errors=errors) for errors in handlers]
    results.append(outcome(leadbyte.normalize, "NFC", data))
    results.append(outcome(leadbyte.scan, data, threads=2))
    results.append(outcome(leadbyte.decode_many, [data] * 3))
    results.append(outcome(leadbyte._decode_variant, "cesu-8", data))
    return results


def on_text(text: object) -> list[object]:
    """Call what takes a str."""
    results = [outcome(function, text) for function in [leadbyte.encode, leadbyte.to_well_formed]]
    results.append(outcome(leadbyte.encode, text, errors="leadbyte-tests-question"))
    buffer = bytearray(1 << 17)
    results.append(outcome(leadbyte.encode_into, text, buffer, offset=1, errors="leadbyte-tests-question"))
    results.append(bytes(buffer))
    results.append(outcome(leadbyte.graphemes, text))
    results.append(outcome(leadbyte._encode_variant, "wtf-8", text))
    results.append(outcome(leadbyte._undo_mojibake, text, "repair"))
    results.append(outcome(leadbyte._undo_mojibake_of_column, [text, text], ["ru"]))
    return results


def outcomes(size: int = 1 << 18) -> list[object]:
    """Return the outcomes of all calls; on long inputs, of ``size`` bytes, work is done detached."""
    data = [b"", b"x", b"caf\xc3\xa9", b"\xff", b"a\xe2\x82", bytes(size), bytes(size) + b"\xff"]
    data.append(b"\xd0\x96\xff" * (size // 64))
    results = []
    for given in data:
        results += on_bytes(given) + on_bytes(bytearray(given)) + on_bytes(memoryview(given))
    for text in ["", "x", "caf\xe9", "\ud800", "\u0416\ud800" * (size // 64)]:
        results += on_text(text)
    for wrong in [None, 5, memoryview(bytes(8))[::2]]:
        results += on_bytes(wrong) + on_text(wrong)
    return results


def report(text: object) -> None:
    """Print a line, also when there is no standard output any more."""
    write(1, f"{text}\n".encode())
