"""Short descriptions of characters and errors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from leadbyte._bom import BOMS
from leadbyte._explain import names
from leadbyte._explain.bits import hexadecimal, split_bits, value
from leadbyte._explain.data import CharData, InvalidData
from leadbyte._leadbyte import iter_errors

if TYPE_CHECKING:
    from leadbyte._explain.data import RowData
    from leadbyte._explain.languages import Language

CONTINUATIONS = [bytes([byte]) for byte in range(0x80, 0xC0)]


def describe(row: RowData, language: Language) -> str:
    """Return the name of a character, or a description of the error."""
    if isinstance(row, CharData):
        return describe_char(row, language)
    assert isinstance(row, InvalidData)
    return describe_invalid(row, language)


def describe_char(row: CharData, language: Language) -> str:
    """Return the name of a character, with a remark on a special one."""
    if row.number == 0xFEFF and row.start == 0:
        remark = "byte_order_mark"
    elif row.kind:
        remark = "lone_surrogate"
    elif names.is_noncharacter(row.number):
        remark = "noncharacter"
    else:
        return row.name
    return f"{row.name} ({language.say(remark)})"


def describe_invalid(row: InvalidData, language: Language) -> str:
    """Return a description of an error in bytes, and their text in likely encodings."""
    what = describe_error(row, language)
    if row.bom is not None:
        bom = hexadecimal(BOMS[row.bom])
        return language.say("marked", what=what, mark=bom, encoding=row.bom.upper())
    encodings_of: dict[str, list[str]] = {}
    for encoding, text in row.readings.items():
        encodings_of.setdefault(text, []).append(encoding.title().replace("Iso", "ISO"))
    if not encodings_of:
        return what
    readings = [
        language.say("reading", text=text, encodings=language.list(encodings))
        for text, encodings in encodings_of.items()
    ]
    return language.say("readings", what=what, readings=", ".join(readings))


def describe_error(row: InvalidData, language: Language) -> str:
    """Return a description of the error in bytes."""
    key, number = row.error_kind, row.decoded_value
    if key == "invalid_start" and row.announced <= 6:
        key = "long_form"
    values: dict[str, object] = {
        "data": hexadecimal(row.data),
        "came": len(row.data),
        "octets": language.count(row.announced, "octets_of"),
    }
    if key in {"truncated", "missing_continuation"}:
        values |= {"next": could_follow(row.data, language), "follower": hexadecimal(row.follower)}
    elif number is None:
        # The first bytes alone are the error, except for these kinds, whose text is the same.
        key += "_part" * (key not in {"unexpected_continuation", "invalid_start"})
    else:
        values |= {"code": names.notation(number), "hex": f"{number:X}", "char": quoted(number, language)}
        if row.is_pair:
            key = "surrogate_pair"
            high, low = (names.notation(value(split_bits(part))) for part in row.parts)
            values |= {"high": high, "low": low}
        elif key == "overlong" and names.is_surrogate(number):
            key = "overlong_surrogate"
        if key in {"overlong", "surrogate_pair"}:
            values["right"] = hexadecimal(row.shortest)
    return language.say(key, **values)


def quoted(number: int, language: Language) -> str:
    """Return a code point, with its character if that is visible."""
    if number > sys.maxunicode or not chr(number).isprintable() or chr(number).isspace():
        return names.notation(number)
    return language.say("quoted", code=names.notation(number), char=names.symbol(number))


def could_follow(data: bytes, language: Language) -> str:
    """Return the range of bytes that can follow the start of a character."""
    # With such a byte it is a character, or a longer start of one.
    longer = (next(iter_errors(data + byte), None) for byte in CONTINUATIONS)
    good = [
        byte
        for byte, error in zip(CONTINUATIONS, longer, strict=True)
        if error is None or error.end > len(data)
    ]
    return language.say("from_to", first=hexadecimal(good[0]), last=hexadecimal(good[-1]))
