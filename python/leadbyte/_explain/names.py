"""Names and visible representations of code points."""

from __future__ import annotations

import unicodedata

# Control characters have no names, only aliases; the first of each in Unicode's NameAliases.txt.
CONTROLS = dict(
    zip(
        [*range(0x20), *range(0x7F, 0xA0)],
        """\
NULL, START OF HEADING, START OF TEXT, END OF TEXT, END OF TRANSMISSION, ENQUIRY, ACKNOWLEDGE, ALERT,
BACKSPACE, CHARACTER TABULATION, LINE FEED, LINE TABULATION, FORM FEED, CARRIAGE RETURN, SHIFT OUT,
SHIFT IN, DATA LINK ESCAPE, DEVICE CONTROL ONE, DEVICE CONTROL TWO, DEVICE CONTROL THREE,
DEVICE CONTROL FOUR, NEGATIVE ACKNOWLEDGE, SYNCHRONOUS IDLE, END OF TRANSMISSION BLOCK, CANCEL,
END OF MEDIUM, SUBSTITUTE, ESCAPE, INFORMATION SEPARATOR FOUR, INFORMATION SEPARATOR THREE,
INFORMATION SEPARATOR TWO, INFORMATION SEPARATOR ONE, DELETE, PADDING CHARACTER, HIGH OCTET PRESET,
BREAK PERMITTED HERE, NO BREAK HERE, INDEX, NEXT LINE, START OF SELECTED AREA, END OF SELECTED AREA,
CHARACTER TABULATION SET, CHARACTER TABULATION WITH JUSTIFICATION, LINE TABULATION SET,
PARTIAL LINE FORWARD, PARTIAL LINE BACKWARD, REVERSE LINE FEED, SINGLE SHIFT TWO, SINGLE SHIFT THREE,
DEVICE CONTROL STRING, PRIVATE USE ONE, PRIVATE USE TWO, SET TRANSMIT STATE, CANCEL CHARACTER,
MESSAGE WAITING, START OF GUARDED AREA, END OF GUARDED AREA, START OF STRING,
SINGLE GRAPHIC CHARACTER INTRODUCER, SINGLE CHARACTER INTRODUCER, CONTROL SEQUENCE INTRODUCER,
STRING TERMINATOR, OPERATING SYSTEM COMMAND, PRIVACY MESSAGE, APPLICATION PROGRAM COMMAND""".replace(
            "\n", " "
        ).split(", "),
        strict=True,
    )
)
DOTTED_CIRCLE = "\u25cc"
# Letters without a visible glyph.
INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0")
# Hangul vowels and final consonants are visible only after an initial consonant; this is an empty one.
HANGUL_FILLER = "\u115f"
PICTURES = {**{code: 0x2400 + code for code in range(0x21)}, 0x7F: 0x2421}


def notation(number: int) -> str:
    """Return ``U+20AC``."""
    return f"U+{number:04X}"


def name(number: int) -> str:
    """Return the name of a code point, or its label in angle brackets if it has none.

    Labels and rules for names follow The Unicode Standard, section 4.8.
    """
    char = chr(number)
    category = unicodedata.category(char)
    if category == "Cc":
        return f"<control-{number:04X}> {CONTROLS[number]}"
    labels = {"Co": "private-use", "Cs": "surrogate", "Cn": "reserved"}
    if category in labels:
        label = "noncharacter" if is_noncharacter(number) else labels[category]
        return f"<{label}-{number:04X}>"
    # By rule NR2; unicodedata follows the rule for all other ideographs.
    return unicodedata.name(char, f"TANGUT IDEOGRAPH-{number:04X}")


def is_surrogate(number: int) -> bool:
    """Return whether a code point is a surrogate of UTF-16."""
    return 0xD800 <= number <= 0xDFFF


def is_noncharacter(number: int) -> bool:
    """Return whether a code point is a noncharacter: the last two of each plane, and U+FDD0 to U+FDEF."""
    return number & 0xFFFE == 0xFFFE or 0xFDD0 <= number <= 0xFDEF


def symbol(number: int) -> str:
    """Return a visible representation: marks on a circle, controls as pictures, others as escapes."""
    char = chr(number)
    if number in PICTURES:
        return chr(PICTURES[number])
    if unicodedata.category(char).startswith("M"):
        return DOTTED_CIRCLE + char
    if not char.isprintable() or char in INVISIBLE:
        return char.encode("unicode_escape").decode("ascii")
    return HANGUL_FILLER + char if is_later_jamo(number) else char


def is_later_jamo(number: int) -> bool:
    """Return whether a code point is a conjoining Hangul vowel or final consonant."""
    return 0x1160 <= number <= 0x11FF or 0xD7B0 <= number <= 0xD7FF


def width(text: str) -> int:
    """Return the width of text in terminal columns (UAX 11, East Asian Width)."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(char) in {"Mn", "Me", "Cf"} or is_later_jamo(ord(char))
        else 2
        if unicodedata.east_asian_width(char) in {"W", "F"}
        else 1
        for char in text
    )
