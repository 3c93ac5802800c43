"""Encoding and decoding one character step by step."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from leadbyte._explain import names
from leadbyte._explain.bits import coloured, hexadecimal, split_bits, value
from leadbyte._leadbyte import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte._explain.bits import Bits, Line
    from leadbyte._explain.languages import Language
    from leadbyte._explain.rows import Char, Invalid, Row

# What takes one to four bytes (RFC 3629, section 3).
RANGES = ((0x0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF))
WIDTH = 78


class Way:
    """The steps of one way, each a sentence or two and figures below, under a title."""

    def __init__(self, language: Language, title: str) -> None:
        self.language = language
        self.title = language.say(title)
        self.steps: list[tuple[str, tuple[Line, ...]]] = []

    def step(self, key: str, *figures: Line, **values: object) -> None:
        """Add a step: a text of the language, its fields, and figures."""
        self.steps.append((self.language.say(key, **values), figures))

    def lines(self) -> Iterator[Line]:
        """Give the lines of text that the steps make."""
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


def lines(row: Row, language: Language) -> Iterator[Line]:
    """Give the lines of text that all steps of a row make."""
    yield [(row.title, "bold")]
    for way in row.ways(language):
        yield []
        yield from way.lines()


def of_char(row: Char, language: Language) -> list[Way]:
    """Return the steps from a code point to UTF-8 and UTF-16 and back."""
    if names.is_surrogate(row.number):
        return [no_utf8(row, language)]
    utf16 = pair_of_units if row.number > 0xFFFF else one_unit
    return [to_utf8(row, language), from_utf8(row, language), *utf16(row, language)]


def to_utf8(row: Char, language: Language) -> Way:
    """Return the steps from a code point to UTF-8."""
    way = Way(language, "to_utf8")
    bits = row.utf8_bits
    sizes = [len(payload) for _, payload in bits]
    octets = language.count(len(bits), "octets")
    way.step("range", **in_range(row), number=row.number, octets=octets)
    places: Bits = tuple((marker, "x" * len(payload)) for marker, payload in bits)
    sizes_sum = f"{' + '.join(map(str, sizes))} = {sum(sizes)}"
    ones = language.count(len(bits), "ones")
    way.step(one_or_more("markers", bits), coloured(places), ones=ones, sum=sizes_sum)
    way.step("padded", below_markers(bits), hex=f"{row.number:X}", count=sum(sizes))
    filled: list[Line] = [
        [*coloured([octet]), f" = {hexadecimal(row.utf8[at : at + 1])}"] for at, octet in enumerate(bits)
    ]
    if len(bits) > 1:
        filled = [[f"{language.say('octet', at=at)}: ", *line] for at, line in enumerate(filled, 1)][::-1]
    way.step(one_or_more("fill", bits), *filled)
    way.step("utf8_is", code=row.code_point, octets=octets, utf8=row.utf8_hex)
    return way


def from_utf8(row: Char, language: Language) -> Way:
    """Return the steps from UTF-8 to a code point."""
    way = Way(language, "from_utf8")
    bits = row.utf8_bits
    lead(way, row.utf8)
    if len(bits) > 1:
        way.step("continuations", coloured(bits[1:]))
    way.step("payload", [f"{' '.join(payload for _, payload in bits)} = {row.number:X}"])
    octets = language.count(len(bits), "octets")
    way.step(one_or_more("checked", bits), **in_range(row), octets=octets, code=row.code_point)
    return way


def one_unit(row: Char, language: Language) -> tuple[Way, Way]:
    """Return the steps from a code point of 16 bits to UTF-16 and back."""
    there, back = Way(language, "to_utf16"), Way(language, "from_utf16")
    there.step("unit", hex=f"{row.number:X}", unit=row.utf16_hex)
    utf16_is(there, row)
    back.step("unit_back", unit=row.utf16_hex, code=row.code_point)
    return there, back


def pair_of_units(row: Char, language: Language) -> tuple[Way, Way]:
    """Return the steps from a code point of more than 16 bits to UTF-16 and back (RFC 2781, section 2)."""
    there, back = Way(language, "to_utf16"), Way(language, "from_utf16")
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


def no_utf8(row: Char, language: Language) -> Way:
    """Return why a surrogate by itself is nothing."""
    way = Way(language, "to_utf8")
    way.step("no_utf8", hex=row.utf16_hex)
    way.step("lone_high" if row.number < 0xDC00 else "lone_low", unit=row.utf16_hex)
    return way


def of_invalid(row: Invalid, language: Language) -> Way:
    """Return the steps of decoding bytes that are not UTF-8, up to what is wrong."""
    way = Way(language, "reading_bytes")
    lead(way, row.data)
    if row.spelled is not None:
        spelled = map(split_bits, row.parts)
        way.step("spelled", *([*coloured(bits), f" = {value(bits):X}"] for bits in spelled))
    way.step("not_utf8", what=row.words(language.code))
    if row.spelled is not None and (why := f"why_{row.fault}") in language.texts:
        way.step(why, data=row.utf8_hex, right=hexadecimal(row.shortest))
    signs = len(decode(row.data, errors="replace"))
    way.step("replaced", signs=language.count(signs, "signs"))
    return way


def lead(way: Way, octets: bytes) -> None:
    """Add what the first byte tells."""
    first = split_bits(octets[:1])
    marker, _ = first[0]
    ones = marker.count("1")
    key = {"0": "lead_one", "10": "lead_continuation", "11111110": "lead_never", "11111111": "lead_never"}
    language = way.language
    way.step(
        key.get(marker, "lead"),
        coloured(first),
        octet=hexadecimal(octets[:1]),
        ones=language.count(ones, "ones"),
        octets=language.count(ones, "octets"),
    )


def in_range(row: Char) -> dict[str, str]:
    """Return a code point and the range of those that take as many bytes."""
    first, last = RANGES[len(row.utf8) - 1]
    return {"hex": f"{row.number:X}", "first": f"{first:X}", "last": f"{last:X}"}


def below_markers(bits: Bits) -> Line:
    """Return the bits that carry the number, each where it stands in the octets with their markers."""
    return [" ".join(" " * (len(marker) + 1) + payload for marker, payload in bits)]


def one_or_more(key: str, bits: Bits) -> str:
    """Return the name of the text for one octet, or that for more."""
    return f"{key}_one" if len(bits) == 1 else key


def utf16_is(way: Way, row: Char) -> None:
    """Add what the units and bytes of UTF-16 are."""
    big, little = row.utf16, row.char.encode("utf-16-le")
    way.step(
        "utf16_is", code=row.code_point, utf16=row.utf16_hex, big=hexadecimal(big), little=hexadecimal(little)
    )
