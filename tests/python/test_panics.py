"""A panic in any function of the extension module is a SystemError, and everything works afterwards.

For a build with the feature panic-injection, as the session ``debug`` makes it.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from leadbyte import _leadbyte

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not hasattr(_leadbyte, "_panic_in_next_call"), reason="a build without panic-injection"
)

lb: Any = _leadbyte
# None of these is short and exact, so that no fast path takes it.
DATA = bytearray(b"caf\xc3\xa9 \xff")
TEXT = "caf\xe9 \ud800"


def encodings() -> tuple[Any, Any]:
    return lb._Encoding.unicode("utf-8"), lb._Encoding.unicode("utf-16-le")


# Each function with a call of it.
FUNCTIONS: dict[str, Callable[[], Any]] = {
    "is_valid": lambda: lb.is_valid(DATA),
    "validate": lambda: lb.validate(b"text"),
    "is_ascii": lambda: lb.is_ascii(DATA),
    "count_chars": lambda: lb.count_chars(DATA),
    "count_widths": lambda: lb.count_widths(DATA),
    "count_utf16": lambda: lb.count_utf16(DATA),
    "count_newlines": lambda: lb.count_newlines(DATA),
    "sequence_length": lambda: lb.sequence_length(65),
    "scan": lambda: lb.scan(DATA),
    "iter_errors": lambda: lb.iter_errors(DATA),
    "locate": lambda: lb.locate(DATA, 1),
    "has_bom": lambda: lb.has_bom(DATA),
    "strip_bom": lambda: lb.strip_bom(DATA),
    "add_bom": lambda: lb.add_bom(DATA),
    "is_boundary": lambda: lb.is_boundary(DATA, 1),
    "floor_boundary": lambda: lb.floor_boundary(DATA, 1),
    "ceil_boundary": lambda: lb.ceil_boundary(DATA, 1),
    "cpu_info": lambda: lb.cpu_info(),
    "decode": lambda: lb.decode(DATA, errors="replace"),
    "encode": lambda: lb.encode(TEXT, errors="replace"),
    "encoded_len": lambda: lb.encoded_len("text"),
    "decode_many": lambda: lb.decode_many([b"text"]),
    "encode_many": lambda: lb.encode_many(["text"]),
    "repair": lambda: lb.repair(DATA),
    "to_well_formed": lambda: lb.to_well_formed(TEXT),
    "normalize": lambda: lb.normalize("NFC", TEXT),
    "is_normalized": lambda: lb.is_normalized("NFC", TEXT),
    "count_graphemes": lambda: lb.count_graphemes(TEXT),
    "graphemes": lambda: lb.graphemes(TEXT),
    "same_text": lambda: lb.same_text(TEXT, TEXT),
    "find_text": lambda: lb.find_text(TEXT, "f"),
    "detect": lambda: lb.detect(DATA),
    "_announced_length": lambda: lb._announced_length(65),
    "_census": lambda: lb._census(TEXT),
    "_describe": lambda: lb._describe(SPAN, b""),
    "_decode_prefix": lambda: lb._decode_prefix(DATA, "replace", True),
    "_decode_universal": lambda: lb._decode_universal(b"a\r\n"),
    "_read": lambda: lb._read(io.BytesIO(b"text"), 4),
    "_repair_prefix": lambda: lb._repair_prefix(DATA, "?", True),
    "_transcode": lambda: lb._transcode(DATA, *encodings(), "replace", None),
    "_undo_mojibake": lambda: lb._undo_mojibake(TEXT, "repair"),
    "_read_mixed": lambda: lb._read_mixed(DATA),
    "_is_valid_variant": lambda: lb._is_valid_variant("cesu-8", DATA),
    "_decode_variant": lambda: lb._decode_variant("cesu-8", DATA, "replace"),
    "_decode_variant_prefix": lambda: lb._decode_variant_prefix("cesu-8", DATA, "replace", True),
    "_encode_variant": lambda: lb._encode_variant("wtf-8", TEXT),
    "_decode_long": lambda: lb._decode_long("RFC 2279", b"text", True),
    "_encode_long": lambda: lb._encode_long("RFC 2279", b"text", 1, False, 1),
}
SPAN = next(lb.iter_errors(b"\xff"))
SCANNER, VALIDATOR = lb.Scanner(), lb.IncrementalValidator()
RESULTS = [SPAN, lb.locate(b"text", 1), lb.scan(b"text"), lb.detect(b"text")]
# Each method with a call of it. (What PyO3 derives, and getters of fields, have no code that could panic.)
METHODS: dict[str, Callable[[], Any]] = {
    **{f"{type(result).__name__}.as_dict": result.as_dict for result in RESULTS},
    **{f"{type(result).__name__}.__reduce__": result.__reduce__ for result in RESULTS},
    **{f"{type(result).__name__}.__repr__": result.__repr__ for result in RESULTS},
    **{
        f"{type(result).__name__}._restore": lambda result=result: pickle.loads(pickle.dumps(result))
        for result in RESULTS
    },
    "ErrorIterator.__next__": lambda: next(lb.iter_errors(DATA)),
    "Scanner.update": lambda: SCANNER.update(DATA),
    "Scanner.merge": lambda: SCANNER.merge(lb.Scanner()),
}


def functions() -> set[str]:
    return {
        name
        for name, value in vars(_leadbyte).items()
        if callable(value) and not isinstance(value, type) and name not in {"_panic_in_next_call", "_withdraw_panic"}
    }


def test_all_functions_are_called() -> None:
    assert functions() == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_panic_in_a_function(name: str) -> None:
    check(FUNCTIONS[name])


def check(call: Callable[[], Any]) -> None:
    expected = repr(call())
    lb._panic_in_next_call()
    try:
        with pytest.raises(SystemError, match="internal error, please report it: injected") as raised:
            call()
    finally:
        assert not lb._withdraw_panic()
    assert type(raised.value) is SystemError
    assert repr(call()) == expected
