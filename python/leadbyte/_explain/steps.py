"""The steps of encoding and decoding one character."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from leadbyte._explain import names, words
from leadbyte._explain.bits import coloured, hexadecimal, split_bits, value
from leadbyte._explain.data import CharData, InvalidData
from leadbyte._leadbyte import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte._explain.bits import Bits, Line
    from leadbyte._explain.data import RowData
    from leadbyte._explain.languages import Language

# The code points that take one to four bytes (RFC 3629, section 3).
RANGES = ((0x0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF))
# The width of a line of text, in characters.
WIDTH = 78


class Procedure:
    """A titled list of steps, each a sentence or two with figures below."""

    def __init__(self, language: Language, title: str) -> None:
        self.language = language
        self.title = language.say(title)
        self.steps: list[tuple[str, tuple[Line, ...]]] = []

    def step(self, key: str, *figures: Line, **values: object) -> None:
        """Add a step: the key of a text of the language, its fields, and figures."""
        self.steps.append((self.language.say(key, **values), figures))

    def lines(self) -> Iterator[Line]:
        """Yield the lines of the title and the steps."""
        yield [(self.title, "bold")]
        for number, (text, figures) in enumerate(self.steps, 1):
            first = f"{number:3}. "
            indent = " " * len(first)
            for line in wrap(
                text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
            ):
                yield [line]
            for figure in figures:
                yield [f"{indent}  ", *figure]


def lines(row: RowData, language: Language) -> Iterator[Line]:
    """Yield the lines of all steps of a row."""
    yield [(row.title, "bold")]
    for procedure in procedures(row, language):
        yield []
        yield from procedure.lines()


def procedures(row: RowData, language: Language) -> list[Procedure]:
    """Return the steps of encoding and decoding a character, or of decoding bytes up to the error."""
    if isinstance(row, CharData):
        return of_char(row, language)
    assert isinstance(row, InvalidData)
    return [of_invalid(row, language)]


def of_char(row: CharData, language: Language) -> list[Procedure]:
    """Return the steps from a code point to UTF-8 and UTF-16 and back."""
    if names.is_surrogate(row.number):
        return [no_utf8(row, language)]
    utf16 = pair_of_units if row.number > 0xFFFF else one_unit
    return [to_utf8(row, language), from_utf8(row, language), *utf16(row, language)]


def to_utf8(row: CharData, language: Language) -> Procedure:
    """Return the steps from a code point to UTF-8."""
    procedure = Procedure(language, "to_utf8")
    bits = row.utf8_bits
    sizes = [len(payload) for _, payload in bits]
    octets = language.count(len(bits), "octets")
    procedure.step("range", **in_range(row), number=row.number, octets=octets)
    places: Bits = tuple((marker, "x" * len(payload)) for marker, payload in bits)
    sizes_sum = f"{' + '.join(map(str, sizes))} = {sum(sizes)}"
    ones = language.count(len(bits), "ones")
    procedure.step(one_or_more("markers", bits), coloured(places), ones=ones, sum=sizes_sum)
    procedure.step("padded", below_markers(bits), hex=f"{row.number:X}", count=sum(sizes))
    filled: list[Line] = [
        [*coloured([octet]), f" = {hexadecimal(row.utf8[at : at + 1])}"] for at, octet in enumerate(bits)
    ]
    if len(bits) > 1:
        filled = [[f"{language.say('octet', at=at)}: ", *line] for at, line in enumerate(filled, 1)][::-1]
    procedure.step(one_or_more("fill", bits), *filled)
    procedure.step("utf8_is", code=row.code_point, octets=octets, utf8=row.utf8_hex)
    return procedure


def from_utf8(row: CharData, language: Language) -> Procedure:
    """Return the steps from UTF-8 to a code point."""
    procedure = Procedure(language, "from_utf8")
    bits = row.utf8_bits
    lead(procedure, row.utf8)
    if len(bits) > 1:
        procedure.step("continuations", coloured(bits[1:]))
    procedure.step("payload", [f"{' '.join(payload for _, payload in bits)} = {row.number:X}"])
    octets = language.count(len(bits), "octets")
    procedure.step(one_or_more("checked", bits), **in_range(row), octets=octets, code=row.code_point)
    return procedure


def one_unit(row: CharData, language: Language) -> tuple[Procedure, Procedure]:
    """Return the steps from a code point of 16 bits to UTF-16 and back."""
    there, back = Procedure(language, "to_utf16"), Procedure(language, "from_utf16")
    there.step("unit", hex=f"{row.number:X}", unit=row.utf16_hex)
    utf16_is(there, row)
    back.step("unit_back", unit=row.utf16_hex, code=row.code_point)
    return there, back


def pair_of_units(row: CharData, language: Language) -> tuple[Procedure, Procedure]:
    """Return the steps from a code point of more than 16 bits to UTF-16 and back (RFC 2781, section 2)."""
    there, back = Procedure(language, "to_utf16"), Procedure(language, "from_utf16")
    rest = row.number - 0x10000
    first, second = divmod(rest, 1 << 10)
    high, low = row.utf16_hex.split()
    values = {"hex": f"{row.number:X}", "rest": f"{rest:X}", "code": row.code_point, "high": high, "low": low}
    values |= {"first": f"{first:X}", "second": f"{second:X}"}
    there.step("pair", **values)
    halves: list[Line] = [[f"{first:010b} = {first:X}"], [f"{second:010b} = {second:X}"]]
    there.step("subtract", [f"{rest:020b}"], **values)
    there.step("split", *halves)
    there.step("high", **values)
    there.step("low", **values)
    utf16_is(there, row)
    back.step("pair_back", **values)
    back.step("subtract_back", *halves, **values)
    back.step("together_back", [f"{rest:020b} = {rest:X}"])
    back.step("add_back", **values)
    return there, back


def no_utf8(row: CharData, language: Language) -> Procedure:
    """Return why a lone surrogate cannot be encoded."""
    procedure = Procedure(language, "to_utf8")
    procedure.step("no_utf8", hex=row.utf16_hex)
    procedure.step("lone_high" if row.number < 0xDC00 else "lone_low", unit=row.utf16_hex)
    return procedure


def of_invalid(row: InvalidData, language: Language) -> Procedure:
    """Return the steps of decoding bytes that are not UTF-8, up to the error."""
    procedure = Procedure(language, "reading_bytes")
    lead(procedure, row.data)
    if row.decoded_value is not None:
        decoded = map(split_bits, row.parts)
        procedure.step("spelled", *([*coloured(bits), f" = {value(bits):X}"] for bits in decoded))
    procedure.step("not_utf8", what=words.describe_invalid(row, language))
    if row.decoded_value is not None and (why := f"why_{row.error_kind}") in language.texts:
        procedure.step(why, data=row.utf8_hex, right=hexadecimal(row.shortest))
    signs = len(decode(row.data, errors="replace"))
    procedure.step("replaced", signs=language.count(signs, "signs"))
    return procedure


def lead(procedure: Procedure, octets: bytes) -> None:
    """Add the step about the first byte."""
    first = split_bits(octets[:1])
    marker, _ = first[0]
    ones = marker.count("1")
    key = {"0": "lead_one", "10": "lead_continuation", "11111110": "lead_never", "11111111": "lead_never"}
    language = procedure.language
    procedure.step(
        key.get(marker, "lead"),
        coloured(first),
        octet=hexadecimal(octets[:1]),
        ones=language.count(ones, "ones"),
        octets=language.count(ones, "octets"),
    )


def in_range(row: CharData) -> dict[str, str]:
    """Return a code point and the range of code points of equal length in UTF-8."""
    first, last = RANGES[len(row.utf8) - 1]
    return {"hex": f"{row.number:X}", "first": f"{first:X}", "last": f"{last:X}"}


def below_markers(bits: Bits) -> Line:
    """Return the payload bits, aligned with the octets that have the marker bits too."""
    return [" ".join(" " * (len(marker) + 1) + payload for marker, payload in bits)]


def one_or_more(key: str, bits: Bits) -> str:
    """Return the key of the text for one octet, or for several."""
    return f"{key}_one" if len(bits) == 1 else key


def utf16_is(procedure: Procedure, row: CharData) -> None:
    """Add the step about the code units and bytes of UTF-16."""
    big, little = row.utf16, row.char.encode("utf-16-le")
    procedure.step(
        "utf16_is", code=row.code_point, utf16=row.utf16_hex, big=hexadecimal(big), little=hexadecimal(little)
    )
