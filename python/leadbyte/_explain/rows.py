"""The rows of an explanation: their data, with its description and steps in a language."""

from __future__ import annotations

from typing import Any

from leadbyte._explain import names, steps, words
from leadbyte._explain.bits import plain
from leadbyte._explain.data import CharData, InvalidData, RowData
from leadbyte._explain.languages import choose


class Row(RowData):
    """A character, or a malformed sequence of bytes."""

    def words(self, lang: str | None = None) -> str:
        """Return the name of the character, or a description of the error.

        ``lang`` is "en", "ru", or None for the language of the locale if that is known, else English.
        """
        return words.describe(self, choose(lang))

    def steps(self, lang: str | None = None) -> str:
        """Return the steps of encoding and decoding, in a language as for ``words``."""
        return "\n".join(map(plain, steps.lines(self, choose(lang))))

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return all facts, for JSON."""
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


class Char(CharData, Row):
    """A character, or in a str a lone surrogate, which UTF-8 cannot encode."""

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return all facts, for JSON."""
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


class Invalid(InvalidData, Row):
    """A malformed sequence of bytes, which would have been one character, or a single invalid byte."""

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return all facts, for JSON."""
        return {
            **super().as_dict(lang),
            "reason": self.reason,
            "decoded_value": None if self.decoded_value is None else names.notation(self.decoded_value),
            "readings": self.readings,
            "bom": self.bom,
        }
