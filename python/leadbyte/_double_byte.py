"""Python's codecs of one or two bytes a character, by tables of their results for each character.

The tables are made of a codec's own results, when enough data has been converted. Characters that they lack
(longer sequences, malformed bytes, all that depends on what follows) are left to the codec, piece by piece.
"""

from __future__ import annotations

import codecs
import functools
from collections import Counter

from leadbyte._leadbyte import _DoubleByteDecoder, _DoubleByteEncoder

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from leadbyte._incremental import _Decoder, _Encoder

    _Table = TypeVar("_Table")


# The codecs that have no state, and ASCII; and those that also encode each character by itself.
DECODED = frozenset(
    {"big5", "big5hkscs", "cp932", "cp949", "cp950", "euc_jis_2004", "euc_jisx0213", "euc_jp", "euc_kr"}
    | {"gb18030", "gb2312", "gbk", "johab", "shift_jis"}
)
ENCODED = DECODED - {"big5hkscs", "euc_jis_2004", "euc_jisx0213"}

# Bytes or characters, converted in this process, after which a table is made: it takes as long as some MiB.
MIN_CONVERTED = 1 << 20
# The fewest of a piece for which a table is used, as each piece takes some microseconds.
MIN_PIECE = 1 << 12
# Bytes or characters for a codec where a table lacks one: each time twice as many, until there is a long run.
MIN_STEP, MAX_STEP = 16, 1 << 16
LONG_RUN = 256
# The most characters that a table converts at once.
MAX_CHARACTERS = 1 << 15

# A character that no encoding has, in the place of one that is missing.
MISSING = "\uffff"
REPLACED = "\ufffd"
# The bytes that can be first and second of two.
LEADS, TRAILS = range(0x80, 0x100), range(0x30, 0x100)

# How much this process has converted in such pieces, by the function for the table and the name of the codec.
converted: Counter[tuple[object, str]] = Counter()


def table_if_worth(make: Callable[[str], _Table], name: str, length: int) -> _Table | None:
    """Add to the count of converted data, and return the table if it takes less time with it."""
    if length < MIN_PIECE:
        return None
    converted[make, name] += length
    return make(name) if converted[make, name] >= MIN_CONVERTED else None


def make_decoding_table(name: str) -> _DoubleByteDecoder:
    """Return the table of a codec's characters of one or two bytes, up to U+FFFE."""
    decode = codecs.lookup(name).decode
    singles = [character(decode(bytes([byte]), "replace")[0]) for byte in range(256)]
    pairs = [MISSING] * (1 << 16)
    for lead in LEADS:
        if singles[lead] == MISSING:
            # A line feed is never a second byte.
            lines = decode(b"".join(bytes((lead, trail, 0x0A)) for trail in TRAILS), "replace")[0].split("\n")
            if len(lines) == len(TRAILS) + 1:
                start = lead << 8 | TRAILS.start
                pairs[start : start + len(TRAILS)] = map(character, lines[:-1])
    return _DoubleByteDecoder("".join(singles), "".join(pairs))


def make_encoding_table(name: str) -> _DoubleByteEncoder:
    """Return the table of the one or two bytes that a codec has for each character up to U+FFFF."""
    characters = [chr(code) for code in range(1 << 16) if not 0xD800 <= code < 0xE000]
    lines = codecs.lookup(name).encode("\0\n".join(characters), "replace")[0].split(b"\0\n")
    table = [MISSING] * (1 << 16)
    for char, line in zip(characters, lines, strict=True):
        if 1 <= len(line) <= 2 and (line != b"?" or char == "?"):
            table[ord(char)] = chr(int.from_bytes(line, "big"))
    return _DoubleByteEncoder("".join(table))


def character(text: str) -> str:
    """Return the text if it is one character that a table can have, else the sign for a missing one."""
    return text if len(text) == 1 and text < MISSING and text != REPLACED else MISSING


decoding_table: Callable[[str], _DoubleByteDecoder] = functools.cache(make_decoding_table)
encoding_table: Callable[[str], _DoubleByteEncoder] = functools.cache(make_encoding_table)


def decodes(name: str, length: int) -> bool:
    """Return whether data of this length is best decoded by a table, and count it."""
    return name in DECODED and table_if_worth(decoding_table, name, length) is not None


def encodes(name: str, length: int) -> bool:
    """Return whether text of this length is best encoded by a table, and count it."""
    return name in ENCODED and table_if_worth(encoding_table, name, length) is not None


def next_step(step: int, read: int) -> int:
    """Return how much a codec gets after a table has read something; ``step`` is what it got before."""
    return MIN_STEP if read >= LONG_RUN else min(2 * step, MAX_STEP)


class Decoder:
    """An incremental decoder of Python's, by the table of its characters.

    The error handler must be one of Python's own, as others would see that a piece is not decoded at once.
    """

    def __init__(self, decoder: _Decoder, name: str) -> None:
        self.decoder = decoder
        self.name = name
        self.getstate = decoder.getstate
        self.setstate = decoder.setstate

    def decode(self, data: bytes, final: bool) -> str:
        """Return the text of the complete characters."""
        table = table_if_worth(decoding_table, self.name, len(data))
        if table is None:
            return self.decoder.decode(data, final)
        kept = pending = self.getstate()[0]
        parts: list[str] = []
        at, step = 0, MIN_STEP
        while at < len(data):
            if not pending:
                text, read = table.decode_from(data, at)
                parts.append(text)
                at += read
                step = next_step(step, read)
                if len(text) == MAX_CHARACTERS:
                    continue
            piece = data[at : at + step]
            try:
                parts.append(self.decoder.decode(piece, final and at + len(piece) == len(data)))
            except UnicodeDecodeError as error:
                start = len(kept) + at - len(pending)
                span = start + error.start, start + error.end
                raise UnicodeDecodeError(error.encoding, kept + data, *span, error.reason) from None
            at += len(piece)
            pending = self.getstate()[0]
        return "".join(parts)


class Encoder:
    """An incremental encoder of Python's, by the table of the bytes of characters.

    The error handler must be one of Python's own, as others would see that a piece is not encoded at once.
    """

    def __init__(self, encoder: _Encoder, name: str) -> None:
        self.encoder = encoder
        self.name = name
        self.getstate = encoder.getstate
        self.setstate = encoder.setstate

    def encode(self, text: str, final: bool) -> bytes:
        """Return the bytes of the text."""
        table = table_if_worth(encoding_table, self.name, len(text))
        if table is None:
            return self.encoder.encode(text, final)
        parts: list[bytes] = []
        at, step = 0, MIN_STEP
        while at < len(text):
            encoded, read = table.encode_from(text, at)
            parts.append(encoded)
            at += read
            step = next_step(step, read)
            if read == MAX_CHARACTERS:
                continue
            piece = text[at : at + step]
            try:
                parts.append(self.encoder.encode(piece, final))
            except UnicodeEncodeError as error:
                span = at + error.start, at + error.end
                raise UnicodeEncodeError(error.encoding, text, *span, error.reason) from None
            at += len(piece)
        return b"".join(parts)
