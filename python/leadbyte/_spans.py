"""Neighbouring errors that are one broken character."""

from __future__ import annotations

from leadbyte._leadbyte import _announced_length

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from leadbyte import ErrorSpan


def belongs(span: ErrorSpan, bad: bytes, end: int) -> bool:
    """Return whether an error is a byte that would have belonged to bad, which ends at end.

    The lead byte tells how many there would have been, in UTF-8 as it was first meant.
    """
    return (
        span.start == end and span.kind == "unexpected_continuation" and len(bad) < _announced_length(bad[0])
    )
