"""Neighbouring errors that are parts of one malformed sequence."""

from __future__ import annotations

from leadbyte._leadbyte import _announced_length

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import Protocol

    class _Span(Protocol):
        @property
        def start(self) -> int: ...
        @property
        def kind(self) -> str: ...


def belongs(span: _Span, bad: bytes, end: int) -> bool:
    """Return whether an error is a continuation byte of the malformed sequence ``bad`` that ends at ``end``.

    The leading one bits of the first byte announce the length of the sequence, up to 8 bytes.
    """
    return (
        span.start == end and span.kind == "unexpected_continuation" and len(bad) < _announced_length(bad[0])
    )
