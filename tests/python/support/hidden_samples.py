"""Samples of text with hidden characters, made as attacks make them."""

from __future__ import annotations

RLO, LRI, RLI, PDI = "\u202e", "\u2066", "\u2067", "\u2069"

# The techniques of "Trojan Source: Invisible Vulnerabilities" (Boucher and Anderson, 2021), in the syntax of
# several languages: comments out of order, strings stretched, early returns.
COMMENTING_OUT = f"/*{RLO} }} {LRI}if (isAdmin){PDI} {LRI} begin admins only */"
STRETCHED_STRING = f'if (accessLevel != "user{RLO} {LRI}// Check if admin{PDI} {LRI}") {{'
EARLY_RETURN = f"''' Subtract funds from bank account then {RLI}''' ;return"
HOMOGLYPH_FREE = [COMMENTING_OUT, STRETCHED_STRING, EARLY_RETURN]
LINE_COMMENTS = ("// ", "# ", "-- ", "% ", "; ")


def trojan_sources() -> list[str]:
    """Return lines of source code, each with a control of direction that its line does not close."""
    samples = [*HOMOGLYPH_FREE, *(line.replace("'''", '"""') for line in HOMOGLYPH_FREE)]
    samples += [f"{comment}{RLO}nimda fi{LRI}" for comment in LINE_COMMENTS]
    samples += [f"x = 'a{opening}b'" for opening in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"]
    return samples


def with_tags(hidden: str) -> str:
    """Return ASCII as tags, which are not shown ("ASCII smuggling")."""
    return "".join(chr(0xE0000 + ord(char)) for char in hidden)


def with_selectors(data: bytes) -> str:
    """Return bytes as variation selectors after an emoji (Butler, "Smuggling arbitrary data through…")."""
    return "😊" + "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in data)


def with_zero_widths(data: bytes) -> str:
    """Return bits as zero-width spaces and non-joiners within a word."""
    bits = "".join(f"{byte:08b}" for byte in data)
    return "wa" + bits.translate({ord("0"): "\u200b", ord("1"): "\u200c"}) + "ter"
