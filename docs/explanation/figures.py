#!/usr/bin/env python3
"""Draws the figures of utf-8.md and utf-8.ru.md.

python docs/explanation/figures.py

Each figure is a function that draws it in a given language. Figures are narrow, to be legible on a phone, and
have a background, to be legible on pages of any colour. Each has a title and a description for screen
readers.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = Path(__file__).parent / "figures"
# The part of a file name between the figure's name and ".svg", as for the pages.
LANGUAGES = {"en": "", "ru": ".ru"}

WIDTH = 400  # in the unit of all coordinates
SHOWN = 560  # pixels, if the page is wide enough
MARGIN = 20
BIT = 10.5
OCTET = 8 * BIT + 8  # with the gap after it
ROW = 22
BYTE = 36  # in hexadecimal

PALETTES = {
    "light": {
        "card": "#fdfcf9", "edge": "#8c959f", "pen": "#1f2328", "ink": "#1f2328", "soft": "#57606a",
        "marker": "#ffc680", "number": "#cfe4ff", "zeros": "#e9ecef", "ascii": "#cdeccd",
        "continuation": "#e1e5ea", "two": "#ffeb9c", "three": "#ffcf9e", "four": "#f7b5ab",
    },
    "dark": {
        "card": "#1c2128", "edge": "#768390", "pen": "#e6edf3", "ink": "#e6edf3", "soft": "#adb8c2",
        "marker": "#8a4b00", "number": "#1b4474", "zeros": "#343b44", "ascii": "#22512c",
        "continuation": "#3d4651", "two": "#665200", "three": "#7c4310", "four": "#7f2d2d",
    },
}  # fmt: skip
STROKES = {"edge", "pen"}
STYLE = """
    text { font: 14px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
    .mono { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    .small { font-size: 13px; }
    .big { font-size: 26px; }
    .strong { font-weight: bold; }
    .middle { text-anchor: middle; }
    .end { text-anchor: end; }
    .struck { text-decoration: line-through; }
    .edge, .pen { fill: none; stroke-width: 1.5; }
"""

LEADS = ["0", "110", "1110", "11110"]
PAYLOAD_BITS = [7, 11, 16, 21]
FIRST = [0, 0x80, 0x800, 0x10000]
LAST = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF]
KINDS = ["ascii", "two", "three", "four"]


def style() -> str:
    """Return the style sheet: the fonts, and the colours of the light and the dark scheme."""
    light, dark = (
        "".join(
            f"    .{name} {{ {'stroke' if name in STROKES else 'fill'}: {colour}; }}\n"
            for name, colour in palette.items()
        )
        for palette in PALETTES.values()
    )
    return f"{STYLE}{light}    @media (prefers-color-scheme: dark) {{\n{dark}    }}\n  "


def octets(bits: str) -> list[tuple[str, str]]:
    """Distribute the bits of a code point over bytes; return the marker bits and the other bits of each."""
    length = PAYLOAD_BITS.index(len(bits)) + 1
    markers = [LEADS[length - 1], *["10"] * (length - 1)]
    sizes = [8 - len(marker) for marker in markers]
    groups = (bits[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True))
    return list(zip(markers, groups, strict=True))


def in_hex(data: bytes) -> list[str]:
    """Return bytes in hexadecimal."""
    return [f"{byte:02X}" for byte in data]


def kinds_of_bytes() -> list[str]:
    """Return the kind of each byte in UTF-8, derived from Python's encoder."""
    kinds = ["never"] * 0x80 + ["continuation"] * 0x40 + ["never"] * 0x40
    # All numbers of one lead byte differ in their last six bits at least.
    for number in [*range(0x80), *range(0x80, 0xD800, 0x40), *range(0xE000, 0x110000, 0x40)]:
        data = chr(number).encode()
        kinds[data[0]] = KINDS[len(data) - 1]
    return kinds


class Drawing:
    """A figure in one language that is being drawn."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "lang": language})
        self.root.attrib |= {"role": "img", "aria-labelledby": "title desc"}
        self.title = self.add("title", id="title")
        self.description = self.add("desc", id="desc")
        self.add("style").text = style()
        self.cards = [self.add("rect", kind, x=1, y=1, width=WIDTH - 2, rx=8) for kind in ("card", "edge")]

    def say(self, *, en: str, ru: str) -> str:
        """Return the text in the figure's language."""
        return {"en": en, "ru": ru}[self.language]

    def number_of_bytes(self, number: int) -> str:
        """Return a number of bytes, up to 20, in words."""
        forms = self.say(en="byte bytes bytes", ru="байт байта байт").split()
        return f"{number} {forms[0 if number == 1 else 1 if number < 5 else 2]}"

    def describe(self, title: str, description: str) -> None:
        """Set the title and the description."""
        self.title.text, self.description.text = title, description

    def add(self, tag: str, kind: str = "", **attributes: float | str) -> ET.Element:
        """Add an element."""
        given = {"class": kind} if kind else {}
        return ET.SubElement(self.root, tag, given | {name: f"{value}" for name, value in attributes.items()})

    def text(self, x: float, y: float, text: str, kind: str = "ink") -> None:
        """Write a line."""
        self.add("text", kind, x=x, y=y).text = text

    def char(self, x: float, y: float, char: str, kind: str = "") -> None:
        """Write a character centred at x; the Gothic letter hwair is drawn, as few fonts include it."""
        if char == "𐍈":
            radius = 9 if kind == "big" else 5
            self.add("circle", "pen", cx=x, cy=y - radius, r=radius)
            self.add("circle", "ink", cx=x, cy=y - radius, r=radius / 4)
        else:
            self.text(x, y, char, f"ink middle {kind}".rstrip())

    def path(self, kind: str, path: str) -> None:
        """Draw a line."""
        self.add("path", kind, d=path)

    def arc(self, start: float, end: float, y: float) -> None:
        """Draw an arrow in an arc to the left."""
        tip = f"M{end} {y - 8} V{y} L{end + 8} {y - 3}"
        self.path("pen", f"M{start} {y} Q{(start + end) / 2} {y - 26} {end} {y} {tip}")

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a box."""
        self.add("rect", kind, x=x, y=y, width=width, height=height, rx=2)

    def byte(self, x: float, y: float, byte: str, kind: str) -> None:
        """Draw a byte, as a box."""
        self.box(x + 1, y, BYTE - 2, ROW, kind)
        self.text(x + BYTE / 2, y + 15.5, byte, "ink mono middle")

    def bits(self, x: float, y: float, bits: str, kind: str) -> float:
        """Draw a box of bits, if there are any, and return the x coordinate of its end."""
        end = x + BIT * len(bits)
        if bits:
            self.box(x, y, end - x, ROW, kind)
            places = " ".join(f"{x + BIT * (place + 0.5)}" for place in range(len(bits)))
            strong = " strong" if kind == "marker" else ""
            self.add("text", f"ink mono middle{strong}", x=places, y=y + 15.5).text = bits
        return end

    def octets(self, y: float, octets: Iterable[tuple[str, str]]) -> None:
        """Draw bytes as boxes of bits."""
        for place, (marker, number) in enumerate(octets):
            end = self.bits(MARGIN + place * OCTET, y, marker, "marker")
            self.bits(end, y, number, "number")

    def step(self, y: float, number: int, words: str) -> None:
        """Write the number and the text of a step."""
        self.box(MARGIN, y - 14, 18, 19, "zeros")
        self.text(MARGIN + 9, y, f"{number}", "ink middle")
        self.text(MARGIN + 28, y, words)

    def key(self, y: float, kind: str, words: str, note: str = "") -> None:
        """Draw an entry of the legend."""
        self.box(MARGIN, y, 16, 16, kind)
        self.text(MARGIN + 24, y + 12.5, words, "ink small")
        if note:
            self.text(WIDTH - MARGIN, y + 12.5, note, "soft mono small end")

    def end(self, height: float) -> None:
        """Set the height of the figure."""
        for card in self.cards:
            card.set("height", f"{height - 2}")
        self.root.set("viewBox", f"0 0 {WIDTH} {height}")
        self.root.attrib |= {"width": f"{SHOWN}", "height": f"{height * SHOWN / WIDTH:g}"}


def lengths(draw: Drawing) -> None:
    """Draw the patterns of one to four bytes."""
    draw.describe(
        draw.say(en="The four lengths of UTF-8", ru="Четыре длины в UTF-8"),
        draw.say(
            en="0xxxxxxx for U+0000 to U+007F. 110xxxxx 10xxxxxx for U+0080 to U+07FF. 1110xxxx and two times"
            " 10xxxxxx for U+0800 to U+FFFF. 11110xxx and three times 10xxxxxx for U+10000 to U+10FFFF.",
            ru="0xxxxxxx для U+0000–U+007F. 110xxxxx 10xxxxxx для U+0080–U+07FF. 1110xxxx и два раза 10xxxxxx"
            " для U+0800–U+FFFF. 11110xxx и три раза 10xxxxxx для U+10000–U+10FFFF.",
        ),
    )
    y = 30
    for length, (size, first, last) in enumerate(zip(PAYLOAD_BITS, FIRST, LAST, strict=True), 1):
        draw.text(MARGIN, y, f"U+{first:04X} – U+{last:04X}", "ink mono strong")
        bits = draw.say(en=f"{size} bits", ru=f"{size} бит")
        draw.text(WIDTH - MARGIN, y, f"{draw.number_of_bytes(length)}, x: {bits}", "soft small end")
        draw.octets(y + 8, octets("x" * size))
        y += 58
    draw.key(y - 10, "marker", draw.say(en="marker bits", ru="маркерные биты"))
    draw.key(y + 12, "number", draw.say(en="bits of the code point", ru="биты кодовой позиции"))
    draw.end(y + 44)


def steps(draw: Drawing, *, char: str) -> None:
    """Draw the three steps of encoding a character."""
    data = in_hex(char.encode())
    length = len(data)
    size, first, last = PAYLOAD_BITS[length - 1], FIRST[length - 1], LAST[length - 1]
    number = f"{ord(char):0{size}b}"
    filled = octets(number)
    binary = " ".join(map("".join, filled))
    draw.describe(
        draw.say(en=f"{char} in three steps", ru=f"{char} за три шага"),
        draw.say(
            en=f"U+{ord(char):04X} takes {draw.number_of_bytes(length)}. Its {size} bits are {number}."
            f" With the marker bits they are {binary}, in hexadecimal {' '.join(data)}.",
            ru=f"U+{ord(char):04X} занимает {draw.number_of_bytes(length)}. Биты числа, {size} бит: {number}."
            f" С маркерными битами: {binary}, шестнадцатерично {' '.join(data)}.",
        ),
    )
    draw.char(MARGIN + 12, 40, char, "big")
    draw.text(MARGIN + 36, 38, f"U+{ord(char):04X}", "ink mono strong")
    draw.text(WIDTH - MARGIN, 38, f"{ord(char):X} = {ord(char):b}", "soft mono small end")
    which = draw.say(
        en=f"{ord(char):X} is from {first:X} to {last:X}: {draw.number_of_bytes(length)}",
        ru=f"{ord(char):X} — от {first:X} до {last:X}: {draw.number_of_bytes(length)}",
    )
    draw.step(70, 1, which)
    draw.octets(82, octets("x" * size))
    if length == 1:
        draw.step(132, 2, draw.say(en="7 bits, in one group", ru="7 бит, одна группа"))
        draw.step(194, 3, draw.say(en="The marker bit before it: 0", ru="Перед ней маркерный бит: 0"))
    else:
        split = draw.say(
            en=f"Split the {size} bits by six, from the right",
            ru=f"Делим {size} бит по шесть, начиная справа",
        )
        draw.step(132, 2, split)
        draw.step(
            194, 3, draw.say(en="Marker bits before each group", ru="Маркерные биты перед каждой группой")
        )
    for place, (marker, group) in enumerate(filled):
        draw.bits(MARGIN + place * OCTET + BIT * len(marker), 144, group, "number")
        draw.text(MARGIN + place * OCTET + 4 * BIT, 246, data[place], "ink mono strong middle")
    draw.octets(206, filled)
    draw.end(262)


def map_of_bytes(draw: Drawing) -> None:
    """Draw the kinds of the 256 bytes."""
    draw.describe(
        draw.say(en="The kinds of the 256 bytes", ru="Виды 256 байтов"),
        draw.say(
            en="A grid of 16 by 16. 00 to 7F are ASCII, 80 to BF continuation bytes, C2 to DF lead bytes of"
            " two, E0 to EF of three, F0 to F4 of four bytes. C0, C1 and F5 to FF never occur.",
            ru="Таблица 16 на 16. 00–7F — ASCII, 80–BF — байты продолжения, C2–DF — ведущие байты"
            " двух байтов, E0–EF — трёх, F0–F4 — четырёх. C0, C1 и F5–FF не встречаются никогда.",
        ),
    )
    kinds = kinds_of_bytes()
    side = (WIDTH - 2 * MARGIN) / 16
    for byte, kind in enumerate(kinds):
        x, y = MARGIN + byte % 16 * side, MARGIN + byte // 16 * side
        draw.box(x, y, side - 1, side - 1, "card" if kind == "never" else kind)
        looks = "soft mono small middle struck" if kind == "never" else "ink mono small middle"
        draw.text(x + side / 2 - 0.5, y + 15.5, f"{byte:02X}", looks)
    y = MARGIN + 16 * side + 12
    for kind, which, words in [
        ("ascii", "00–7F", draw.say(en="ASCII: a whole character", ru="ASCII: целый символ")),
        ("continuation", "80–BF", draw.say(en="continuation byte", ru="байт продолжения")),
        ("two", "C2–DF", draw.say(en="lead byte, one more follows", ru="ведущий, за ним ещё один")),
        ("three", "E0–EF", draw.say(en="lead byte, two more follow", ru="ведущий, за ним ещё два")),
        ("four", "F0–F4", draw.say(en="lead byte, three more follow", ru="ведущий, за ним ещё три")),
    ]:
        draw.key(y, kind, words, f"{which}: {kinds.count(kind):>3}")
        y += 22
    draw.key(y, "card", draw.say(en="never", ru="не бывает"), f"C0 C1 F5–FF: {kinds.count('never'):>3}")
    draw.text(MARGIN, y + 12.5, "C0", "soft mono small struck")
    draw.end(y + 30)


def middle(draw: Drawing) -> None:
    """Draw the way to the start of a character."""
    draw.describe(
        draw.say(en="Back to the start of a character", ru="Назад к началу символа"),
        draw.say(
            en="The bytes of a, €, 𐍈 and я. From the last byte of 𐍈 three steps back over the bytes"
            " that start with 10 lead to the lead byte F0.",
            ru="Байты символов a, €, 𐍈 и я. От последнего байта 𐍈 три шага назад по байтам, которые"
            " начинаются с 10, ведут к ведущему байту F0.",
        ),
    )
    kinds = kinds_of_bytes()
    landed = MARGIN + BYTE * (len("a€𐍈".encode()) - 0.5)
    draw.text(landed, 28, draw.say(en="given offset", ru="смещение"), "ink middle")
    draw.path("pen", f"M{landed} 36 V66 M{landed - 5} 59 L{landed} 66 L{landed + 5} 59")
    draw.text(landed - 2 * BYTE, 42, draw.say(en="3 steps back", ru="3 шага назад"), "soft small end")
    for step in range(3):
        draw.arc(landed - step * BYTE - 4, landed - (step + 1) * BYTE + 4, 66)
    x = MARGIN
    for char in "a€𐍈я":
        data = char.encode()
        for place, byte in enumerate(data):
            draw.byte(x + place * BYTE, 70, f"{byte:02X}", kinds[byte])
            marker = "10" if place else LEADS[len(data) - 1]
            draw.text(x + (place + 0.5) * BYTE, 108, marker, "soft mono small middle")
        width = len(data) * BYTE
        draw.path("edge", f"M{x + 3} 118 v5 h{width - 6} v-5")
        draw.char(x + width / 2, 142, char)
        x += width
    draw.end(158)


def overlong(draw: Drawing) -> None:
    """Draw the overlong encodings of a character."""
    draw.describe(
        draw.say(en="The slash and its overlong encodings", ru="Косая черта и её избыточно длинные записи"),
        draw.say(
            en="The bits 101111 in one byte, 2F, and with zeros before them in two bytes, C0 AF, in three,"
            " E0 80 AF, and in four, F0 80 80 AF. Only 2F is UTF-8.",
            ru="Биты 101111 в одном байте, 2F, и с нулями впереди в двух, C0 AF, в трёх, E0 80 AF, и в"
            " четырёх, F0 80 80 AF. UTF-8 — только 2F.",
        ),
    )
    y = 30
    for length, size in enumerate(PAYLOAD_BITS, 1):
        filled = octets(f"{ord('/'):0{size}b}")
        data = in_hex(bytes(int("".join(octet), 2) for octet in filled))
        draw.text(MARGIN, y, " ".join(data), "ink mono strong" if length == 1 else "soft mono")
        verdict = "✓ UTF-8" if length == 1 else draw.say(en="✗ overlong", ru="✗ избыточная")
        draw.text(WIDTH - MARGIN, y, verdict, "ink small end")
        for place, (marker, bits) in enumerate(filled, 4 - length):
            x = draw.bits(MARGIN + place * OCTET, y + 8, marker, "marker")
            zeros = bits[:-6] if place == 3 else bits
            draw.bits(draw.bits(x, y + 8, zeros, "zeros"), y + 8, bits[len(zeros) :], "number")
        y += 58
    draw.key(y - 10, "number", draw.say(en="the bits of /, that is 2F", ru="биты символа /, то есть 2F"))
    draw.key(y + 12, "zeros", draw.say(en="redundant zeros", ru="лишние нули"))
    draw.end(y + 44)


def code_space(draw: Drawing) -> None:
    """Draw the ranges of code points and their lengths in UTF-8 and UTF-16."""
    draw.describe(
        draw.say(en="All code points and their lengths", ru="Все кодовые позиции и их длина"),
        draw.say(
            en="0 to 7F: 1 byte in UTF-8, 2 in UTF-16. 80 to 7FF: 2 and 2. 800 to FFFF: 3 and 2, and in the"
            " middle of them a gap, the surrogates D800 to DFFF. 10000 to 10FFFF: 4 and 4.",
            ru="0–7F: 1 байт в UTF-8, 2 в UTF-16. 80–7FF: 2 и 2. 800–FFFF: 3 и 2, а посередине пропуск,"
            " суррогаты D800–DFFF. 10000–10FFFF: 4 и 4.",
        ),
    )
    y = 26
    draw.text(MARGIN + 214, y, "UTF-8", "ink strong")
    draw.text(MARGIN + 288, y, "UTF-16", "ink strong")
    y += 10
    for first, last, char in [
        (0, 0x7F, "$"),
        (0x80, 0x7FF, "¢"),
        (0x800, 0xD7FF, "€"),
        (0xD800, 0xDFFF, ""),
        (0xE000, 0xFFFF, "ﬁ"),
        (0x10000, 0x10FFFF, "𐍈"),
    ]:
        kind = KINDS[len(char.encode()) - 1] if char else "card"
        draw.box(MARGIN, y, WIDTH - 2 * MARGIN, 44, kind)
        draw.text(MARGIN + 10, y + 18, f"{first:X}–{last:X}", "ink mono strong")
        count = f"{last - first + 1:,}".replace(",", draw.say(en=",", ru="\N{NO-BREAK SPACE}"))
        draw.text(MARGIN + 10, y + 35, count, "ink small")
        if char:
            draw.char(MARGIN + 170, y + 28, char)
            for x, encoding in ((214, "utf-8"), (288, "utf-16-be")):
                draw.text(MARGIN + x, y + 27, draw.number_of_bytes(len(char.encode(encoding))))
        else:
            nothing = draw.say(en="surrogates: no characters", ru="суррогаты — не символы")
            draw.text(MARGIN + 160, y + 27, nothing, "soft")
        y += 47
    draw.end(y + 14)


def sizes(draw: Drawing) -> None:
    """Draw the bytes of one text in UTF-8 and UTF-16."""
    text = "Папа Hello"
    draw.describe(
        draw.say(en=f"“{text}” in UTF-8 and in UTF-16", ru=f"«{text}» в UTF-8 и в UTF-16"),
        draw.say(
            en="In UTF-8 each of the four Cyrillic letters takes two bytes and each of the other six"
            " characters one, together 14. In UTF-16 each of the ten takes two, together 20,"
            " of which six are 00.",
            ru="В UTF-8 каждая из четырёх русских букв занимает два байта, каждый из остальных шести"
            " символов — один, вместе 14. В UTF-16 каждый из десяти занимает два, вместе 20,"
            " из них шесть — 00.",
        ),
    )
    kinds = kinds_of_bytes()
    y = 30
    for name, encoding in (("UTF-8", "utf-8"), ("UTF-16", "utf-16-be")):
        draw.text(MARGIN, y, name, "ink strong")
        total = draw.number_of_bytes(len(text.encode(encoding)))
        draw.text(WIDTH - MARGIN, y, total, "ink strong end")
        for place, char in enumerate(text):
            x = MARGIN + place * BYTE
            draw.char(x + BYTE / 2, y + 28, char.replace(" ", "␣"))
            for row, byte in enumerate(char.encode(encoding)):
                kind = kinds[byte] if encoding == "utf-8" else "number" if byte else "zeros"
                draw.byte(x, y + 38 + row * (ROW + 2), f"{byte:02X}", kind)
        y += 120
    draw.end(y - 22)


def surrogates(draw: Drawing) -> None:
    """Draw the construction of a surrogate pair."""
    char = "𐍈"
    number = f"{ord(char) - 0x10000:020b}"
    units = in_hex(char.encode("utf-16-be"))
    draw.describe(
        draw.say(en=f"{char} as a surrogate pair", ru=f"{char} как суррогатная пара"),
        draw.say(
            en=f"10348 minus 10000 is 348, in 20 bits {number}. 110110 before the high ten bits gives D800,"
            " 110111 before the low ten gives DF48.",
            ru=f"10348 минус 10000 — это 348, в 20 битах {number}. 110110 перед десятью старшими битами"
            " даёт D800, 110111 перед десятью младшими — DF48.",
        ),
    )
    draw.char(MARGIN + 12, 40, char, "big")
    draw.text(MARGIN + 36, 38, f"U+{ord(char):04X}", "ink mono strong")
    draw.step(
        70, 1, draw.say(en="Subtract 10000: 10348 − 10000 = 348", ru="Вычесть 10000: 10348 − 10000 = 348")
    )
    draw.step(98, 2, draw.say(en="20 bits, split into ten and ten", ru="20 бит, пополам: десять и десять"))
    draw.step(160, 3, draw.say(en="Marker bits before each half", ru="Маркерные биты перед каждой половиной"))
    for place, marker in enumerate(("110110", "110111")):
        x = MARGIN + place * (16 * BIT + 24)
        half = number[place * 10 : place * 10 + 10]
        draw.bits(x + 6 * BIT, 110, half, "number")
        draw.bits(draw.bits(x, 172, marker, "marker"), 172, half, "number")
        unit = " ".join(units[2 * place : 2 * place + 2])
        draw.text(x + 8 * BIT, 212, unit, "ink mono strong middle")
    draw.end(228)


FIGURES: dict[str, Callable[[Drawing], None]] = {
    "lengths": lengths,
    "dollar": partial(steps, char="$"),
    "cent": partial(steps, char="¢"),
    "euro": partial(steps, char="€"),
    "hwair": partial(steps, char="𐍈"),
    "bytes": map_of_bytes,
    "middle": middle,
    "overlong": overlong,
    "code-space": code_space,
    "sizes": sizes,
    "surrogates": surrogates,
}


def images() -> dict[str, str]:
    """Return all figures in all languages: file names and their contents."""
    drawn = {}
    for name, figure in FIGURES.items():
        for language, suffix in LANGUAGES.items():
            drawing = Drawing(language)
            figure(drawing)
            ET.indent(drawing.root)
            drawn[f"{name}{suffix}.svg"] = ET.tostring(drawing.root, encoding="unicode") + "\n"
    return drawn


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, svg in images().items():
        (FOLDER / file).write_text(svg, encoding="utf-8", newline="\n")
