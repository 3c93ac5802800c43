"""The class Explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from leadbyte._explain import markup, table
from leadbyte._explain.bits import plain
from leadbyte._explain.languages import choose
from leadbyte._explain.rows import Char, Row

if TYPE_CHECKING:
    from typing import SupportsIndex


@dataclass(frozen=True, repr=False)
class Explanation(Sequence[Row]):
    r"""What :func:`leadbyte.explain` returns: a row for each character and each malformed sequence of bytes.

    ``str`` returns a table, a notebook shows one. All rows have ``start`` and ``end`` (offsets in bytes of
    UTF-8), ``index`` (of the character), ``kind`` (None for characters), ``symbol`` (a visible
    representation), ``utf8`` (bytes), ``utf8_hex``, ``utf8_bits`` and ``utf8_binary`` (marker bits apart),
    ``words(lang)``, ``steps(lang)`` and ``as_dict()``. Rows of characters also have ``char``, ``number``,
    ``code_point``, ``name``, ``binary``, ``utf16`` (bytes, big-endian) and ``utf16_hex``; rows of malformed
    sequences have ``kind`` and ``reason`` as in ErrorSpan, ``decoded_value`` (the value of the payload bits,
    if the sequence is complete) and ``readings`` (the text of the bytes in likely encodings).

    Texts are in English ("en") or Russian ("ru"); methods but ``as_dict()`` default to the language of the
    locale, str and notebooks to English.

    >>> explanation = leadbyte.explain("¢\ud800")
    >>> explanation
    <Explanation: 2 characters: 2 bytes in UTF-8, 4 bytes in UTF-16; 1 error>
    >>> row = explanation[0]
    >>> row.code_point, row.name, row.utf8_binary, row.utf8_hex, row.utf16_hex
    ('U+00A2', 'CENT SIGN', '110|00010 10|100010', 'C2 A2', '00A2')
    >>> explanation[1].kind, explanation[1].utf8
    ('surrogate', b'')
    >>> print(leadbyte.explain(b"\xed\xa0\x80")[0].words("en"))
    surrogate U+D800, which is not a character
    >>> explanation.steps("de")
    Traceback (most recent call last):
    ValueError: lang must be None or one of en, ru, not 'de'
    """

    __module__ = "leadbyte"

    rows: tuple[Row, ...]
    """All rows."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Explanation: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Row | Explanation:
        """Return a row, or the explanation of a part."""
        if isinstance(index, slice):
            return Explanation(self.rows[index])
        return self.rows[index]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def char_count(self) -> int:
        """The number of characters, including lone surrogates, without malformed sequences."""
        return len(self._chars())

    @property
    def error_count(self) -> int:
        """The number of lone surrogates and malformed sequences."""
        return sum(row.kind is not None for row in self.rows)

    @property
    def utf8_length(self) -> int:
        """The number of bytes in UTF-8, malformed sequences included."""
        return sum(row.utf8_length for row in self.rows)

    @property
    def utf16_length(self) -> int:
        """The number of bytes of the characters in UTF-16, without a byte order mark."""
        return sum(row.utf16_length for row in self._chars())

    def _chars(self) -> list[Char]:
        """Return the rows that are characters."""
        return [row for row in self.rows if isinstance(row, Char)]

    def table(self, lang: str | None = None, *, width: int | None = None) -> str:
        """Return the table as text, wrapped to a width in columns, or one line per row."""
        language = choose(lang)
        lines = table.lines(self.rows, language, columns=width)
        return "\n".join([*map(plain, lines), table.summary(self.rows, self.totals(), language)])

    def html(self, lang: str | None = None) -> str:
        """Return the table in HTML, self-contained, for light and dark pages."""
        return "\n".join(markup.elements(self.rows, self.totals(), choose(lang)))

    def steps(self, lang: str | None = None) -> str:
        """Return the steps of encoding and decoding each character, in text and figures."""
        return "\n\n".join(row.steps(lang) for row in self.rows)

    def totals(self) -> dict[str, int]:
        """Return ``char_count``, ``error_count``, ``utf8_length`` and ``utf16_length``."""
        return {
            "char_count": self.char_count,
            "error_count": self.error_count,
            "utf8_length": self.utf8_length,
            "utf16_length": self.utf16_length,
        }

    def as_dict(self, lang: str | None = "en") -> dict[str, Any]:
        """Return all rows and totals, for JSON; ``lang`` is the language of descriptions."""
        return {"rows": [row.as_dict(lang) for row in self.rows], **self.totals()}

    def __str__(self) -> str:
        """Return the table in English."""
        return self.table("en")

    def _repr_html_(self) -> str:
        """Return the table in English, for notebooks."""
        return self.html("en")

    def __repr__(self) -> str:
        """Return the totals, as below the table."""
        return f"<Explanation: {table.summary(self.rows, self.totals(), choose('en'))}>"
