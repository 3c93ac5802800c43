"""Which files are not to be changed as UTF-8: binary ones, with a NUL near their start, and others."""

from __future__ import annotations

from leadbyte._bom import BOMS, UTF16_BOMS, is_wide

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable

    from leadbyte import Detection

# The number of bytes that are searched.
BINARY_PREFIX = 8 << 10

# The fewest characters beyond ASCII for each error in a prefix that is UTF-8 in any case: sequences that are
# valid by chance are rarer than errors.
MIN_SEQUENCES = 4

# The confidence from which on a text is in the encoding that is detected.
MIN_CONFIDENCE = 0.9
# The fewest different letters beyond ASCII in such a text.
MIN_DIFFERENT_LETTERS = 6

# The controls that text does not have.
CONTROLS = frozenset(range(0x20)) - frozenset(b"\b\t\n\v\f\r\x1a\x1b")


# What a JSON text begins with, and what may precede it in a file to be repaired.
JSON_STARTS = b'{["-0123456789tfn'
BEFORE_JSON = b" \t\r\n\0"


def has_nul(prefix: bytes | bytearray) -> bool:
    """Return whether a file in UTF-8 with this prefix is considered binary."""
    return b"\0" in prefix


def is_not_utf8(prefix: bytes) -> bool:
    """Return whether a file with this prefix must not be changed as if it were UTF-8, with errors or without.

    It has a NUL, the byte order mark of UTF-16, the signature of a binary format, or controls, and is not
    text in any encoding, or it is UTF-16 without a mark. Text in several encodings may be UTF-8 with errors.
    The prefix may end within a character, and have one error for each MIN_SEQUENCES characters beyond ASCII.
    """
    from leadbyte import detect, iter_errors
    from leadbyte._split import MAX_CHAR_BYTES

    if has_nul(prefix) or prefix.startswith(UTF16_BOMS):
        return True
    errors, sequences = errors_and_sequences(prefix)
    if errors and any(error.kind == "truncated" for error in iter_errors(prefix[-MAX_CHAR_BYTES:])):
        errors -= 1
    if errors * MIN_SEQUENCES <= sequences:
        return False
    found = detect(prefix)
    if found.kind == "text":
        return bool(found.encoding and is_wide(found.encoding) and is_sure(prefix, found))
    return found.kind != "binary" or bool(CONTROLS.intersection(prefix))


def errors_and_sequences(prefix: bytes) -> tuple[int, int]:
    """Return the number of errors of UTF-8, and at least how many characters beyond ASCII are valid."""
    from leadbyte import scan

    counts = scan(prefix)
    # Each of them has three continuation bytes at most.
    return counts.error_count, (counts.byte_count - counts.char_count) // 3


def legacy_encoding(prefix: bytes) -> str | None:
    """Return the legacy encoding that a text with this prefix surely is in, whose letters UTF-8 would lose.

    It is None if the text may be UTF-8 with errors, or nearly all of its letters are ASCII.
    """
    from leadbyte import detect

    errors, sequences = errors_and_sequences(prefix)
    if not errors or errors < 2 * sequences:
        return None
    found = detect(prefix)
    return found.encoding if is_sure(prefix, found) else None


def is_sure(prefix: bytes, found: Detection) -> bool:
    """Return whether a text with this prefix surely is in the encoding found, which is not UTF-8.

    Errors hardly ever look like many different letters, a fifth of all or more.
    """
    if found.encoding is None or found.encoding == "utf-8" or found.confidence < MIN_CONFIDENCE:
        return False
    letters = list(filter(str.isalpha, prefix.decode(found.encoding, "ignore")))
    others = [letter for letter in letters if not letter.isascii()]
    return len(set(others)) >= MIN_DIFFERENT_LETTERS and 5 * len(others) >= len(letters)


def is_not_json_lines(prefix: bytes) -> bool:
    """Return whether a file with this prefix must not be changed as if it were JSON lines in UTF-8.

    In a file that begins with a record, a NUL is an error like others.
    """
    start = prefix.removeprefix(BOMS["utf-8"]).lstrip(BEFORE_JSON)
    begins = start[:1] in JSON_STARTS and start[1:2] != b"\0"
    return not begins and is_not_utf8(prefix)


def is_binary_in(source: str | int, prefix: bytes, candidates: Iterable[str | int] | None = None) -> bool:
    """Return whether a file in an encoding, which may be detected, is considered binary.

    It is judged by its text, as UTF-16 has NULs, and by its signature.
    """
    from leadbyte import detect
    from leadbyte._encodings import DETECTION
    from leadbyte.transcode import transcode

    if source in DETECTION:
        return detect(prefix, encodings=candidates).encoding is None
    if has_nul(transcode(prefix, source, "utf-8", errors="replace")):
        return True
    return detect(prefix).kind not in {"text", "binary", "empty"}
