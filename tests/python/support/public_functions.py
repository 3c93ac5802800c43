"""The functions of the package, each with its signature and a call: several tests are of each of them."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import leadbyte

if TYPE_CHECKING:
    from collections.abc import Callable


class Function(NamedTuple):
    """A call with data or a text that need not be valid, or with nothing that varies; and the signature.

    ``vectors`` is the instruction set that ``cpu_info()`` reports of the function: the ``"best"``, or the
    one for ``"counting"`` or for ``"further"`` work on text; functions that run no kernel have none.
    """

    call: Callable[[Any], object]
    signature: str = "(data, /)"
    vectors: str = ""

    @property
    def takes_data(self) -> bool:
        """Whether the call is with a bytes-like object."""
        return self.signature.startswith("(data,")

    @property
    def takes_text(self) -> bool:
        """Whether the call is with a str."""
        return self.signature.startswith(("(text,", "(text_or_data"))

    @property
    def takes_str(self) -> bool:
        """Whether any argument may be a str."""
        return any(sign in self.signature for sign in ("text", "encodings", "'"))


def installed_and_removed() -> None:
    """Install the hooks for exceptions, and restore those before."""
    hooks = sys.excepthook, threading.excepthook
    leadbyte.install_excepthook()
    sys.excepthook, threading.excepthook = hooks


FUNCTIONS = {
    "add_bom": Function(leadbyte.add_bom),
    "audit": Function(
        lambda text: [found.as_dict() for found in leadbyte.audit(text)],
        "(text_or_data: 'str | Buffer', /, *, policy: '_Policy' = 'source-code') -> 'Iterator[Finding]'",
        vectors="further",
    ),
    "casefold": Function(leadbyte.casefold, "(text_or_data, /)", vectors="further"),
    "ceil_boundary": Function(lambda data: leadbyte.ceil_boundary(data, 1), "(data, /, i)"),
    "chunks": Function(
        lambda data: list(map(bytes, leadbyte.chunks(data, 999, boundary="grapheme"))),
        "(data, max_bytes, /, *, boundary='char')",
    ),
    "compare_sizes": Function(
        lambda text: leadbyte.compare_sizes(text).as_dict(), "(text_or_data: 'str | Buffer', /) -> 'Sizes'"
    ),
    "count_chars": Function(leadbyte.count_chars, vectors="counting"),
    "count_graphemes": Function(leadbyte.count_graphemes, "(text_or_data, /)", vectors="further"),
    "count_newlines": Function(leadbyte.count_newlines, vectors="counting"),
    "count_utf16": Function(leadbyte.count_utf16, vectors="counting"),
    "count_widths": Function(leadbyte.count_widths, vectors="counting"),
    "cpu_info": Function(lambda _: leadbyte.cpu_info(), "()"),
    "decode": Function(
        lambda data: leadbyte.decode(data, errors="replace"), "(data, /, *, errors='strict')", vectors="best"
    ),
    "decode_many": Function(lambda _: leadbyte.decode_many([b"text"]), "(items, /, *, errors='strict')"),
    "detect": Function(leadbyte.detect, "(data, /, *, encodings=None)"),
    "detect_all": Function(leadbyte.detect_all, "(data, /, *, encodings=None)"),
    "encode": Function(
        lambda text: leadbyte.encode(text, errors="replace"), "(text, /, *, errors='strict')", vectors="best"
    ),
    "encode_into": Function(
        lambda text: leadbyte.encode_into(text, bytearray(9), errors="replace"),
        "(text, buffer, /, *, offset=0, errors='strict')",
        vectors="best",
    ),
    "encode_many": Function(lambda _: leadbyte.encode_many(["text"]), "(items, /, *, errors='strict')"),
    "encoded_length": Function(leadbyte.encoded_length, "(text, /)", vectors="best"),
    "explain": Function(
        lambda text: leadbyte.explain(text).as_dict(),
        "(text_or_data: 'str | Buffer', /) -> 'Explanation'",
    ),
    "explain_error": Function(
        lambda _: leadbyte.explain_error(UnicodeDecodeError("utf-8", b"caf\xe9", 3, 4, "invalid")),
        "(exc: 'UnicodeError', /) -> 'str'",
    ),
    "floor_boundary": Function(lambda data: leadbyte.floor_boundary(data, 1), "(data, /, i)"),
    "graphemes": Function(leadbyte.graphemes, "(text_or_data, /)", vectors="further"),
    "has_bom": Function(leadbyte.has_bom),
    "install_excepthook": Function(lambda _: installed_and_removed(), "() -> 'None'"),
    "is_ascii": Function(leadbyte.is_ascii, vectors="counting"),
    "is_boundary": Function(lambda data: leadbyte.is_boundary(data, 1), "(data, /, i)"),
    "is_equivalent": Function(
        lambda _: leadbyte.is_equivalent("é", "e\u0301"), "(a, b, /, form='NFC')", vectors="further"
    ),
    "is_normalized": Function(
        lambda _: leadbyte.is_normalized("NFC", "e\u0301"), "(form, text_or_data, /)", vectors="further"
    ),
    "is_valid": Function(leadbyte.is_valid, vectors="best"),
    "iter_errors": Function(
        lambda data: list(leadbyte.iter_errors(data)), "(data, /, *, locations=False)", vectors="best"
    ),
    "lines": Function(
        lambda data: list(leadbyte.lines(data, errors="backslashreplace")),
        "(file_or_data: '_Path | _BinaryFile | Buffer', /, *, encoding: 'str | int' = 'utf-8',"
        " errors: 'str' = 'strict', newline: 'str | None' = None) -> 'LineIterator'",
        vectors="best",
    ),
    "locate": Function(
        lambda data: leadbyte.locate(data, 1), "(data, /, offset, *, unit='byte')", vectors="counting"
    ),
    "normalize": Function(
        lambda _: leadbyte.normalize("NFC", "e\u0301"), "(form, text_or_data, /)", vectors="further"
    ),
    "read_text": Function(
        lambda _: leadbyte.read_text(__file__),
        "(path: 'int | str | bytes | os.PathLike[str] | os.PathLike[bytes]', /, *,"
        " encoding: 'str | int' = 'utf-8', errors: 'str' = 'strict', newline: 'str | None' = None) -> 'str'",
    ),
    "repair": Function(
        leadbyte.repair, "(data, /, *, replacement='\ufffd', substitution='whatwg')", vectors="best"
    ),
    "sanitize": Function(
        lambda text: leadbyte.sanitize(text, policy="source-code", replacement="?"),
        "(text_or_data: 'str | Buffer', /, *, policy: '_Policy', replacement: 'str' = '') -> 'str | bytes'",
        vectors="further",
    ),
    "scan": Function(leadbyte.scan, "(data, /, *, threads=1)", vectors="best"),
    "search": Function(
        lambda text: leadbyte.search(text, "f", ignore_case=True),
        "(text_or_data, needle, /, start=0, *, ignore_case=False, ignore_marks=False)",
        vectors="further",
    ),
    "sequence_length": Function(lambda _: leadbyte.sequence_length(65), "(lead_byte, /)"),
    "split_points": Function(
        lambda data: leadbyte.split_points(data, 3, boundary="line"),
        "(data: 'Buffer | _BinaryFile', n: 'SupportsIndex', /, *, boundary: '_Boundary' = 'char')"
        " -> 'list[int]'",
    ),
    "strip_bom": Function(leadbyte.strip_bom),
    "to_well_formed": Function(leadbyte.to_well_formed, "(text, /)", vectors="best"),
    "truncate": Function(
        lambda text: leadbyte.truncate(text, 2, unit="byte"),
        "(text_or_data, limit, /, *, unit, boundary='char', ellipsis='', side='end')",
        vectors="counting",
    ),
    "truncate_many": Function(
        lambda _: leadbyte.truncate_many(["text"], 2, unit="byte"),
        "(items, limit, /, *, unit, boundary='char', ellipsis='', side='end')",
    ),
    "validate": Function(leadbyte.validate, vectors="best"),
}
