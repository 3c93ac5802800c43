r"""Validation of WebSocket text messages (RFC 6455), a drop-in replacement for wsaccel and autobahn.

>>> from leadbyte.websocket import Utf8Validator
>>> validator = Utf8Validator()
>>> validator.validate(b"5 \xe2\x82")  # valid, ends with a character, index in this chunk, index in all
(True, False, 4, 4)
>>> validator.validate(b"\xac \xff")
(False, False, 2, 6)
"""

from __future__ import annotations

from leadbyte._arguments import check_bytes_like
from leadbyte._copying import NotCopyable
from leadbyte._leadbyte import IncrementalValidator, sequence_length

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

    from leadbyte import ErrorSpan

__all__ = ["UTF8_ACCEPT", "UTF8_REJECT", "Utf8Validator"]

UTF8_ACCEPT = 0
UTF8_REJECT = 1

# States after a first byte that limits the second: A0 to BF, 80 to 9F, 90 to BF, 80 to 8F.
LIMITED = {b"\xe0": 4, b"\xed": 5, b"\xf0": 6, b"\xf4": 8}
# States by the number of continuation bytes that are still to come.
MISSING = (0, 2, 3, 7)


class Utf8Validator(NotCopyable):
    """Validates chunks of bytes, cut anywhere, and locates the first invalid byte.

    It cannot be copied or pickled.
    """

    __slots__ = ("_decoded", "_failed", "_total", "_validator", "codepoint")

    UTF8_ACCEPT = UTF8_ACCEPT
    UTF8_REJECT = UTF8_REJECT

    def __init__(self) -> None:
        self._validator = IncrementalValidator()
        self.reset()

    def reset(self) -> None:
        """Reset to the initial state."""
        self._validator.reset()
        self._failed = False
        # The number of bytes validated one by one, which do not count in indices, and in chunks.
        self._decoded = self._total = 0
        self.codepoint = 0

    def decode(self, b: int) -> int:
        """Validate one byte; return the state.

        That is UTF8_ACCEPT at the end of a character, whose code point is then in ``codepoint``, UTF8_REJECT
        after an invalid byte and from then on, and another number within a character.
        """
        char = self._validator.pending + bytes((b,))
        self._decoded += 1
        if not self._validator.update(char[-1:]):
            self._failed = True
            return UTF8_REJECT
        pending = self._validator.pending
        if pending:
            return LIMITED.get(pending) or MISSING[sequence_length(pending[0]) - len(pending)]
        self.codepoint = ord(char.decode())
        return UTF8_ACCEPT

    def validate(self, buf: Buffer) -> tuple[bool, bool, int, int]:
        """Validate a chunk; return (valid, complete, index, total index).

        ``complete`` is whether the chunk ends at the end of a character. The indices are the offsets of the
        first invalid byte, in bytes from the start of this chunk and since the last reset, or the lengths if
        there is none. After an invalid byte only empty chunks are valid until the next reset.
        """
        check_bytes_like(buf)
        length = len(buf) if isinstance(buf, bytes) else memoryview(buf).nbytes
        if self._failed:
            return not length, False, 0, self._total
        validator = self._validator
        if validator.update(buf):
            self._total += length
            return True, not validator.pending, length, self._total
        self._failed = True
        index = first_rejected(validator.error) - self._decoded - self._total
        self._total += index
        return False, False, index, self._total


def first_rejected(error: ErrorSpan | None) -> int:
    """Return the offset of the first byte that cannot be part of valid UTF-8."""
    if error is None:
        return 0
    return error.start if error.reason == "invalid start byte" else error.end


def __dir__() -> list[str]:
    return __all__
