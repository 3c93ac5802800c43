"""What rfc2279 and extended have in common: integers in, integers out."""

from __future__ import annotations

import operator
import sys
from array import array

from leadbyte._leadbyte import _decode_long, _encode_long

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

    from typing_extensions import Buffer

SIGNED, UNSIGNED = "bhilqn", "BHILQN"
# Before the letter; without one the order is the machine's, too.
NATIVE = ("", "@", "=", "<" if sys.byteorder == "little" else ">")


def encode(extended: bool, values: Iterable[SupportsIndex] | Buffer, min_length: int) -> bytes:
    """Return the forms of integers, each of at least so many bytes."""
    try:
        view = memoryview(values)  # type: ignore[arg-type] # it may be no buffer
    except TypeError:
        return _encode_long(extended, as_array(extended, values), 8, False, min_length)  # type: ignore[arg-type]
    order, letter = view.format[:-1], view.format[-1:]
    if order not in NATIVE or not letter or letter not in SIGNED + UNSIGNED:
        raise TypeError(f"values must be integers in the machine's byte order, not of format {view.format!r}")
    return _encode_long(extended, values, view.itemsize, letter in SIGNED, min_length)


def as_array(extended: bool, values: Iterable[SupportsIndex]) -> array[int]:
    """Return the integers as an array."""
    items = values if isinstance(values, (list, tuple)) else list(values)
    try:
        return array("Q", items)
    except OverflowError:
        largest = (1 << (42 if extended else 31)) - 1
        for index, value in enumerate(map(operator.index, items)):
            if not 0 <= value <= largest:
                raise ValueError(f"{value} at index {index} is not between 0 and 0x{largest:X}") from None
        raise


def decode(extended: bool, data: Buffer, final: bool) -> tuple[array[int], int]:
    """Return the integers that bytes are the forms of, and how many bytes that were."""
    integers, length = _decode_long(extended, data, final)
    result = array("Q" if extended else "I")
    result.frombytes(integers)
    return result, length


class IncrementalDecoder:
    """Decodes bytes that come in pieces, cut anywhere."""

    extended: bool

    def __init__(self) -> None:
        self.buffer = b""

    def decode(self, data: Buffer, final: bool = False) -> array[int]:
        """Return the integers that are complete with ``data``; if that raises, it is as if it had not come."""
        data = self.buffer + bytes(data) if self.buffer else data
        integers, length = decode(self.extended, data, final)
        self.buffer = bytes(memoryview(data).cast("B")[length:])
        return integers

    def reset(self) -> None:
        """Begin anew."""
        self.buffer = b""

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes of an unfinished form, and 0."""
        return self.buffer, 0

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Go back to a state."""
        self.buffer = state[0]


class IncrementalEncoder:
    """Encodes integers that come in pieces; each form has at least ``min_length`` bytes."""

    extended: bool

    def __init__(self, *, min_length: int = 1) -> None:
        self.min_length = min_length

    def encode(self, values: Iterable[SupportsIndex] | Buffer, final: bool = False) -> bytes:  # noqa: ARG002
        """Return the forms of ``values``; whether more follow makes no difference."""
        return encode(self.extended, values, self.min_length)

    def reset(self) -> None:
        """Begin anew: there is nothing to forget."""

    def getstate(self) -> int:
        """Return 0: nothing is kept."""
        return 0

    def setstate(self, state: int) -> None:
        """Go back to a state: there is only one."""
