"""The data of an explanation: characters, and malformed sequences of bytes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadbyte._explain import names
from leadbyte._explain.bits import hexadecimal, joined, split_bits, value
from leadbyte._leadbyte import _announced_length
from leadbyte.variants import cesu8

if TYPE_CHECKING:
    from leadbyte._explain.bits import Bits

# The most frequent encodings of bytes that are not UTF-8: Western European and Cyrillic.
LEGACY_ENCODINGS = ("iso-8859-1", "windows-1252", "windows-1251")


@dataclass(frozen=True)
class RowData:
    """A character, or a malformed sequence of bytes."""

    start: int
    """The offset of the first byte in the UTF-8."""
    index: int
    """The number of characters before it, counted by lead bytes, as by :func:`leadbyte.locate`."""

    @property
    def kind(self) -> str | None:
        """The kind of error, as in ErrorSpan.kind; None for a character."""
        raise NotImplementedError

    @property
    def symbol(self) -> str:
        """A visible representation."""
        raise NotImplementedError

    @property
    def utf8(self) -> bytes:
        """The bytes in UTF-8, or the malformed bytes."""
        raise NotImplementedError

    @property
    def utf8_length(self) -> int:
        """The number of bytes in UTF-8."""
        return len(self.utf8)

    @property
    def end(self) -> int:
        """The offset after the last byte in the UTF-8."""
        return self.start + self.utf8_length

    @property
    def utf8_bits(self) -> Bits:
        """The marker bits and the payload bits of each byte: ``(("110", "00010"), ("10", "100010"))``."""
        return split_bits(self.utf8)

    @property
    def utf8_binary(self) -> str:
        """The bits as text: ``110|00010 10|100010``."""
        return joined(self.utf8_bits)

    @property
    def utf8_hex(self) -> str:
        """The bytes in hexadecimal: ``C2 A2``."""
        return hexadecimal(self.utf8)

    @property
    def title(self) -> str:
        """The title of the steps."""
        return f"{self.symbol}  {self.utf8_hex}"


@dataclass(frozen=True)
class CharData(RowData):
    """A character, or in a str a lone surrogate, which UTF-8 cannot encode."""

    number: int
    """The code point."""

    @property
    def char(self) -> str:
        """The character."""
        return chr(self.number)

    @property
    def kind(self) -> str | None:
        """None, or "surrogate"."""
        return "surrogate" if names.is_surrogate(self.number) else None

    @property
    def symbol(self) -> str:
        """A visible representation: marks on a circle, controls as pictures, others as escapes."""
        return names.symbol(self.number)

    @property
    def code_point(self) -> str:
        """The code point in Unicode's notation: ``U+00A2``."""
        return names.notation(self.number)

    @property
    def name(self) -> str:
        """The name in Unicode, or the code point label in angle brackets."""
        return names.name(self.number)

    @property
    def binary(self) -> str:
        """The code point in binary, without leading zeros."""
        return f"{self.number:b}"

    @property
    def utf8(self) -> bytes:
        """The bytes in UTF-8; none for a surrogate."""
        return self.char.encode("utf-8", "ignore")

    @property
    def utf16(self) -> bytes:
        """The bytes in UTF-16, big-endian."""
        return self.char.encode("utf-16-be", "surrogatepass")

    @property
    def utf16_length(self) -> int:
        """The number of bytes in UTF-16."""
        return len(self.utf16)

    @property
    def utf16_hex(self) -> str:
        """The UTF-16 code units in hexadecimal: ``D83D DE00``."""
        return self.utf16.hex(" ", -2).upper()

    @property
    def title(self) -> str:
        """The title of the steps."""
        return f"{self.symbol}  {self.code_point}  {self.name}"


@dataclass(frozen=True)
class InvalidData(RowData):
    """A malformed sequence of bytes, which would have been one character, or a single invalid byte.

    Two encoded surrogates that form a pair, as in CESU-8, are one sequence too.
    """

    data: bytes
    """The bytes."""
    error_kind: str
    """The kind of error, as in ErrorSpan.kind."""
    reason: str
    """CPython's reason, as in UnicodeDecodeError.reason."""
    follower: bytes
    """The byte after them, where a continuation byte is missing; empty at the end of the data."""
    bom: str | None
    """The encoding whose byte order mark they are the start of."""

    @property
    def kind(self) -> str:
        """The kind of error, as in ErrorSpan.kind."""
        return self.error_kind

    @property
    def symbol(self) -> str:
        """The replacement character."""
        return "\ufffd"

    @property
    def utf8(self) -> bytes:
        """The bytes."""
        return self.data

    @property
    def announced(self) -> int:
        """The length in bytes that the first byte announces, up to 8; 0 for a continuation byte."""
        return _announced_length(self.data[0])

    @property
    def is_pair(self) -> bool:
        """Whether they are an encoded surrogate pair, as in CESU-8."""
        return cesu8.is_valid(self.data)

    @property
    def parts(self) -> tuple[bytes, ...]:
        """The bytes of each encoded number: the two surrogates of a pair, else all bytes."""
        return (self.data[:3], self.data[3:]) if self.is_pair else (self.data,)

    @property
    def decoded_value(self) -> int | None:
        """The value of the payload bits, ignoring all other rules, if the sequence is complete."""
        if self.is_pair:
            return ord(cesu8.decode(self.data))
        return value(self.utf8_bits) if len(self.data) == self.announced else None

    @property
    def shortest(self) -> bytes:
        """The shortest encoding of the decoded value; empty above U+10FFFF."""
        if self.decoded_value is None or self.decoded_value > sys.maxunicode:
            return b""
        return chr(self.decoded_value).encode("utf-8", "surrogatepass")

    @property
    def readings(self) -> dict[str, str]:
        """The text of the bytes in likely encodings, unless the sequence is complete."""
        found = {}
        for encoding in LEGACY_ENCODINGS if self.decoded_value is None else ():
            try:
                text = self.data.decode(encoding)
            except UnicodeDecodeError:
                continue
            # One byte may be any character, such as a quotation mark; several must be letters of a word.
            word = text.isalpha() and (text.islower() or text.isupper() or text.istitle())
            if word or (len(text) == 1 and text.isprintable()):
                found[encoding] = text
        return found
