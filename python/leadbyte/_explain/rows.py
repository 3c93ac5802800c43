"""What is told of a character, or of bytes that are none."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leadbyte._explain import names, steps, words
from leadbyte._explain.bits import hexadecimal, joined, plain, split_bits, value
from leadbyte._explain.languages import choose
from leadbyte._leadbyte import _announced_length
from leadbyte.variants import cesu8

if TYPE_CHECKING:
    from leadbyte._explain.bits import Bits
    from leadbyte._explain.languages import Language
    from leadbyte._explain.steps import Way

# What bytes that are not UTF-8 are most often in: the west of Europe, and Cyrillic.
LEGACY = ("iso-8859-1", "windows-1252", "windows-1251")


@dataclass(frozen=True)
class Row:
    """A character, or bytes that are none."""

    start: int
    """The offset of its first byte in the UTF-8."""
    index: int
    """The number of characters before it, lead bytes that is, as :func:`leadbyte.locate` counts."""

    @property
    def kind(self) -> str | None:
        """What is wrong with it, as in ErrorSpan.kind; None for a character."""
        raise NotImplementedError

    @property
    def symbol(self) -> str:
        """What it is shown as."""
        raise NotImplementedError

    @property
    def utf8(self) -> bytes:
        """Its bytes in UTF-8, or those that are not UTF-8."""
        raise NotImplementedError

    @property
    def utf8_length(self) -> int:
        """How many bytes it takes in UTF-8."""
        return len(self.utf8)

    @property
    def end(self) -> int:
        """The offset just past its last byte in the UTF-8."""
        return self.start + self.utf8_length

    @property
    def utf8_bits(self) -> Bits:
        """The marker bits and the other bits of each byte: ``(("110", "00010"), ("10", "100010"))``."""
        return split_bits(self.utf8)

    @property
    def utf8_binary(self) -> str:
        """The same as text: ``110|00010 10|100010``."""
        return joined(self.utf8_bits)

    @property
    def utf8_hex(self) -> str:
        """Its bytes: ``C2 A2``."""
        return hexadecimal(self.utf8)

    @property
    def title(self) -> str:
        """What stands above its steps."""
        return f"{self.symbol}  {self.utf8_hex}"

    def words(self, lang: str | None = None) -> str:
        """Return its name, or what is wrong with it.

        ``lang`` is "en", "ru", or None for the locale's language if that is known, else English.
        """
        raise NotImplementedError

    def steps(self, lang: str | None = None) -> str:
        """Return how it is encoded and decoded, step by step, in a language as for ``words``."""
        return "\n".join(map(plain, steps.lines(self, choose(lang))))

    def ways(self, language: Language) -> list[Way]:
        """Return the steps of each way that there is to go with it."""
        raise NotImplementedError

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return everything told of it, for JSON."""
        return {
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "kind": self.kind,
            "symbol": self.symbol,
            "words": self.words(lang),
            "utf8_hex": self.utf8_hex,
            "utf8_bits": [list(octet) for octet in self.utf8_bits],
            "utf8_length": self.utf8_length,
        }


@dataclass(frozen=True)
class Char(Row):
    """A character, or in a str a lone surrogate, which has no form in UTF-8."""

    number: int
    """The code point."""

    @property
    def char(self) -> str:
        """The character itself."""
        return chr(self.number)

    @property
    def kind(self) -> str | None:
        """None, or "surrogate"."""
        return "surrogate" if names.is_surrogate(self.number) else None

    @property
    def symbol(self) -> str:
        """What it is shown as: marks on a circle, controls as pictures, what else is invisible as escapes."""
        return names.symbol(self.number)

    @property
    def code_point(self) -> str:
        """The code point in Unicode's notation: ``U+00A2``."""
        return names.notation(self.number)

    @property
    def name(self) -> str:
        """Its name in Unicode, or in brackets what it is instead of a character with a name."""
        return names.name(self.number)

    @property
    def binary(self) -> str:
        """The code point's binary digits, without zeros in front."""
        return f"{self.number:b}"

    @property
    def utf8(self) -> bytes:
        """Its bytes in UTF-8; none for a surrogate."""
        return self.char.encode("utf-8", "ignore")

    @property
    def utf16(self) -> bytes:
        """Its bytes in UTF-16, the high byte of each code unit first."""
        return self.char.encode("utf-16-be", "surrogatepass")

    @property
    def utf16_length(self) -> int:
        """How many bytes it takes in UTF-16."""
        return len(self.utf16)

    @property
    def utf16_hex(self) -> str:
        """Its code units in UTF-16: ``D83D DE00``."""
        return self.utf16.hex(" ", -2).upper()

    @property
    def title(self) -> str:
        """What stands above its steps."""
        return f"{self.symbol}  {self.code_point}  {self.name}"

    def words(self, lang: str | None = None) -> str:
        """Return its name, and in brackets what is special about it."""
        return words.of_char(self, choose(lang))

    def ways(self, language: Language) -> list[Way]:
        """Return the steps to UTF-8 and UTF-16 and back."""
        return steps.of_char(self, language)

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return everything told of it, for JSON."""
        return {
            **super().as_dict(lang),
            "char": self.char,
            "number": self.number,
            "code_point": self.code_point,
            "name": self.name,
            "binary": self.binary,
            "utf16_hex": self.utf16_hex,
            "utf16_length": self.utf16_length,
        }


@dataclass(frozen=True)
class Invalid(Row):
    """Bytes that are not UTF-8: what would have been one character, or a byte that can be none.

    Two surrogates that would have been one character are told together too (CESU-8).
    """

    data: bytes
    """The bytes."""
    fault: str
    """What is wrong with them, as in ErrorSpan.kind."""
    reason: str
    """The same in CPython's words."""
    follower: bytes
    """The byte that stands where another of theirs should; none at the end of the data."""
    mark: str | None
    """The encoding that they begin the byte order mark of."""

    @property
    def kind(self) -> str:
        """What is wrong with them."""
        return self.fault

    @property
    def symbol(self) -> str:
        """The sign that takes the place of what is no character."""
        return "\ufffd"

    @property
    def utf8(self) -> bytes:
        """The bytes."""
        return self.data

    @property
    def announced(self) -> int:
        """How many bytes the first announces, up to 8 as in forms given up; 0 for a continuation byte."""
        return _announced_length(self.data[0])

    @property
    def is_pair(self) -> bool:
        """Whether they are two surrogates that are a pair, as CESU-8 writes one character."""
        return cesu8.is_valid(self.data)

    @property
    def parts(self) -> tuple[bytes, ...]:
        """What would be a number each: the two surrogates of a pair, else all bytes."""
        return (self.data[:3], self.data[3:]) if self.is_pair else (self.data,)

    @property
    def spelled(self) -> int | None:
        """The number that they spell if one asks for no rule but the pattern, if they are all there."""
        if self.is_pair:
            return ord(cesu8.decode(self.data))
        return value(self.utf8_bits) if len(self.data) == self.announced else None

    @property
    def shortest(self) -> bytes:
        """The form of the number that they spell; none if Unicode does not go so far."""
        if self.spelled is None or self.spelled > sys.maxunicode:
            return b""
        return chr(self.spelled).encode("utf-8", "surrogatepass")

    @property
    def readings(self) -> dict[str, str]:
        """What they are in encodings that they may well be in, unless they are a whole broken form."""
        found = {}
        for encoding in LEGACY if self.spelled is None else ():
            try:
                text = self.data.decode(encoding)
            except UnicodeDecodeError:
                continue
            # One byte may be any sign, such as a quotation mark; several are letters of a word.
            word = text.isalpha() and (text.islower() or text.isupper() or text.istitle())
            if word or (len(text) == 1 and text.isprintable()):
                found[encoding] = text
        return found

    def words(self, lang: str | None = None) -> str:
        """Return what is wrong with them, and what else they may be."""
        return words.of_invalid(self, choose(lang))

    def ways(self, language: Language) -> list[Way]:
        """Return the steps of decoding them, up to what is wrong."""
        return [steps.of_invalid(self, language)]

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return everything told of them, for JSON."""
        return {
            **super().as_dict(lang),
            "reason": self.reason,
            "spelled": None if self.spelled is None else names.notation(self.spelled),
            "readings": self.readings,
            "mark": self.mark,
        }
