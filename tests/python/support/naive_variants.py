"""What CESU-8, Modified UTF-8 and WTF-8 should be: naive codecs and vectors. Nothing here uses leadbyte."""

from __future__ import annotations

import codecs
import itertools
import re
from pathlib import Path
from typing import NamedTuple

VECTORS = Path(__file__).parents[2] / "vectors" / "variants.txt"

SINGLES = (
    rb"[\x01-\x7F]|[\xC2-\xDF][\x80-\xBF]|\xE0[\xA0-\xBF][\x80-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}"
    rb"|\xED[\x80-\x9F][\x80-\xBF]"
)
FOUR = rb"\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}|\xF4[\x80-\x8F][\x80-\xBF]{2}"
PAIR = rb"\xED[\xA0-\xAF][\x80-\xBF]\xED[\xB0-\xBF][\x80-\xBF]"
LONE = rb"\xED[\xA0-\xBF][\x80-\xBF]"
# What the forms may begin with, longest first.
STARTED = (
    rb"\xF0[\x90-\xBF][\x80-\xBF]?|[\xF1-\xF3][\x80-\xBF]{1,2}|\xF4[\x80-\x8F][\x80-\xBF]?"
    rb"|\xE0[\xA0-\xBF]|[\xE1-\xEF][\x80-\xBF]|[\xC2-\xF4]"
)


class Variant(NamedTuple):
    """A variant: forms that are allowed, and those that are not, with why."""

    name: str
    allowed: bytes
    forbidden: dict[str, bytes]
    start: bytes = STARTED


CESU8 = Variant("cesu-8", SINGLES + rb"|\x00|" + PAIR, {"lone surrogate": LONE, "four-byte form": FOUR})
MUTF8 = Variant(
    "mutf-8",
    PAIR + b"|" + LONE + b"|" + SINGLES + rb"|\xC0\x80",
    {"null byte": rb"\x00", "four-byte form": FOUR},
    STARTED + rb"|\xC0",
)
# A pair is not an allowed form, though its first half would be one.
WTF8 = Variant(
    "wtf-8",
    SINGLES + rb"|\x00|" + FOUR + rb"|(?!" + PAIR + rb")" + LONE,
    {"surrogate pair": PAIR},
)
VARIANTS = {variant.name: variant for variant in (CESU8, MUTF8, WTF8)}


def spelled(form: bytes) -> str:
    """Return the text of an allowed form."""
    if form == b"\xc0\x80":
        return "\0"
    units = form.decode("utf-8", "surrogatepass")
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def error_at(variant: Variant, data: bytes, at: int) -> tuple[int, str]:
    """Return where the error ends that starts there, and why it is one."""
    for reason, forms in variant.forbidden.items():
        if found := re.compile(forms).match(data, at):
            return found.end(), reason
    start = re.compile(variant.start).match(data, at)
    if not start:
        return at + 1, "invalid start byte"
    return start.end(), "unexpected end of data" if start.end() == len(data) else "invalid continuation byte"


def decode(variant: str, data: bytes, errors: str = "strict") -> str:
    """Decode form by form; a handler is called for each error."""
    rules = VARIANTS[variant]
    if errors == "surrogatepass":
        rules = rules._replace(allowed=rules.allowed + b"|" + LONE)
    run = re.compile(rb"(?:" + rules.allowed + rb")*")
    pieces: list[str] = []
    at, error = 0, None
    while True:
        found = run.match(data, at)
        assert found
        pieces += map(spelled, re.findall(rules.allowed, found[0]))
        at = found.end()
        if at == len(data):
            # By chars, of which CPython shares some.
            return "".join(list("".join(pieces)))
        end, reason = error_at(rules, data, at)
        if error is None:
            error = UnicodeDecodeError(variant, data, at, end, reason)
        error.start, error.end, error.reason = at, end, reason
        replacement, at = codecs.lookup_error(errors)(error)
        data = error.object
        at += len(data) if at < 0 else 0
        assert isinstance(replacement, str)
        pieces.append(replacement)


def encode(variant: str, text: str) -> bytes:
    """Encode a text without errors: with surrogates only if the variant has them."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if variant == "wtf-8":
        return joined.encode("utf-8", "surrogatepass")
    utf16 = joined.encode("utf-16-be", "strict" if variant == "cesu-8" else "surrogatepass")
    units = "".join(chr(high << 8 | low) for high, low in zip(utf16[::2], utf16[1::2], strict=True))
    data = units.encode("utf-8", "surrogatepass")
    return data.replace(b"\0", b"\xc0\x80") if variant == "mutf-8" else data


class Vector(NamedTuple):
    """A text, and its forms by the JDK and ICU."""

    text: str
    mutf8: bytes
    cesu8: bytes | None


def vectors() -> list[Vector]:
    """Return the vectors."""
    lines = VECTORS.read_text(encoding="ascii").splitlines()
    rows = (line.split(" ") for line in itertools.dropwhile(lambda line: line.startswith("#"), lines))
    return [
        Vector(
            bytes.fromhex(units).decode("utf-16-be", "surrogatepass"),
            bytes.fromhex(mutf8),
            None if cesu8 == "-" else bytes.fromhex(cesu8),
        )
        for units, mutf8, cesu8 in rows
    ]
