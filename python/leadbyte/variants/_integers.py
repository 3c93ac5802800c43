"""The implementation of rfc2279 and extended: integers to bytes and back."""

from __future__ import annotations

import operator
import sys
from array import array
from itertools import islice

from leadbyte._arguments import snapshot
from leadbyte._leadbyte import _decode_integers, _encode_integers

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

    from typing_extensions import Buffer

SIGNED, UNSIGNED = "bhilqn", "BHILQN"
# The prefixes of a format in native byte order.
NATIVE = ("", "@", "=", "<" if sys.byteorder == "little" else ">")
# The number of integers that are taken at once: Ctrl-C stops between two batches.
BATCH = 64 << 10


class Forms:
    """Forms of bytes for integers: their name, the type code of the arrays, and the largest integer."""

    def __init__(self, name: str, typecode: str, largest: int) -> None:
        self.name = name
        self.typecode = typecode
        self.largest = largest

    def encode(self, values: Iterable[SupportsIndex] | Buffer, min_length: int) -> bytes:
        """Return the forms of integers, each of at least ``min_length`` bytes."""
        try:
            view = memoryview(values)  # type: ignore[arg-type] # it may be no buffer
        except TypeError:
            values = self.as_array(values)  # type: ignore[arg-type] # it is an iterable, or wrong
            view = memoryview(values)
        order, letter = view.format[:-1], view.format[-1:]
        if order not in NATIVE or not letter or letter not in SIGNED + UNSIGNED:
            message = f"values must be integers in native byte order, not of format {view.format!r}"
            raise TypeError(message)
        # Passes the object instead of the view, so that it raises the exception if it is not contiguous.
        return _encode_integers(
            self.name,
            values,  # type: ignore[arg-type] # it is a buffer
            view.itemsize,
            letter in SIGNED,
            min_length,
        )

    def as_array(self, values: Iterable[SupportsIndex]) -> array[int]:
        """Return the integers as an array."""
        numbers = array("Q")
        iterator = iter(values)
        while items := list(islice(iterator, BATCH)):
            try:
                numbers.extend(array("Q", items))  # type: ignore[arg-type] # it takes whatever has __index__
            except OverflowError:
                for index, value in enumerate(map(operator.index, items), len(numbers)):
                    if not 0 <= value <= self.largest:
                        message = f"{value} at index {index} is not between 0 and 0x{self.largest:X}"
                        raise ValueError(message) from None
                raise
        return numbers

    def decode(self, data: Buffer, final: bool) -> tuple[array[int], int]:
        """Return the integers of forms, and the number of bytes decoded."""
        integers, length = _decode_integers(self.name, data, final)
        result = array(self.typecode)
        result.frombytes(integers)
        return result, length


RFC2279 = Forms("rfc2279", "I", 0x7FFFFFFF)
EXTENDED = Forms("extended", "Q", 0x3FFFFFFFFFF)


class IncrementalDecoder:
    """Decodes bytes that come in pieces, cut anywhere."""

    forms: Forms

    def __init__(self) -> None:
        self.buffer = b""

    def decode(self, data: Buffer, final: bool = False) -> array[int]:
        """Return the integers that ``data`` completes; after an exception the state is unchanged."""
        known = self.buffer + snapshot(data)
        integers, length = self.forms.decode(known, final)
        self.buffer = known[length:]
        return integers

    def reset(self) -> None:
        """Start again."""
        self.buffer = b""

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes of an incomplete form, and 0."""
        return self.buffer, 0

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Restore a state."""
        self.buffer = state[0]


class IncrementalEncoder:
    """Encodes integers that come in pieces; each form has at least ``min_length`` bytes."""

    forms: Forms

    def __init__(self, *, min_length: int = 1) -> None:
        self.min_length = min_length

    def encode(self, values: Iterable[SupportsIndex] | Buffer, final: bool = False) -> bytes:  # noqa: ARG002
        """Return the forms of ``values``; ``final`` has no effect."""
        return self.forms.encode(values, self.min_length)

    def reset(self) -> None:
        """Do nothing: there is no state."""

    def getstate(self) -> int:
        """Return 0: there is no state."""
        return 0

    def setstate(self, state: int) -> None:
        """Do nothing: there is no state."""
