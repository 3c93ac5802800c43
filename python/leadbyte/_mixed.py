"""UTF-8 with lines in other encodings, as it comes in pieces."""

from __future__ import annotations

import functools

from leadbyte._bom import UTF16_BOMS
from leadbyte._encodings import DETECTION, find, find_fallback
from leadbyte._invalid_lines import invalid_lines
from leadbyte._leadbyte import _MojibakeBlocks, _read_mixed, count_newlines, is_valid, iter_errors
from leadbyte._line_buffer import LineBuffer

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

    from leadbyte._encodings import _Name
    from leadbyte._leadbyte import _Fault

# A line that is longer is decoded in parts.
MAX_LINE_BYTES = 64 << 20
REPLACEMENT = "\ufffd".encode()
MALFORMED = b"\xff"
# Single-byte encodings leave fewer bytes undefined; the lead bytes of others are, by themselves.
MAX_UNDEFINED = 64


def check_fallback(source: _Name, fallback: _Name | None, errors: str) -> None:
    """Raise LookupError or ValueError if lines that are not in ``source`` cannot be in ``fallback``."""
    if fallback is None:
        return
    if source in DETECTION or find(source).name != "utf-8":
        message = "only the source utf-8 has a fallback"
        raise ValueError(message)
    MixedDecoder(fallback, errors)


def fallback_name(fallback: _Name) -> str:
    """Return the one name of a fallback."""
    return DETECTION[0] if fallback in DETECTION else find(fallback).name


class MixedDecoder:
    """Returns text as UTF-8, its lines that are not UTF-8 decoded in a legacy encoding.

    The ``fallback`` is its name, or "auto" or "detect" for the most likely encoding of each line. With the
    errors "strict", bytes that it does not define are faults, else U+FFFD. At least the first ``limit`` of
    these lines are kept, with the names of their encodings.
    """

    def __init__(self, fallback: _Name, errors: str, *, limit: int = 0) -> None:
        """Raise LookupError or ValueError for a fallback or errors that cannot be."""
        if errors not in {"strict", "replace"}:
            message = f"with a fallback, errors must be strict or replace, not {errors}"
            raise ValueError(message)
        self.blocks = _MojibakeBlocks(None) if fallback in DETECTION else None
        self.native = None if self.blocks else find_fallback(fallback)
        self.name = "" if self.blocks else find(fallback).name
        self.is_strict = errors == "strict"
        self.limit = limit
        self.lines = LineBuffer(MAX_LINE_BYTES)
        self.failed = False
        self.line_count = self.byte_count = 0
        # Of the lines that are not UTF-8: their number, the last one, and the first ones.
        self.mixed_count = self.last_mixed = 0
        self.mixed: list[tuple[int, str]] = []

    def feed(self, data: Buffer) -> bytes:
        """Return the lines that the data completes; raise UnicodeDecodeError for undefined bytes."""
        return self.checked(data, last=False)

    def finish(self) -> bytes:
        """Return the last line, without its line feed."""
        return self.checked(b"", last=True)

    def checked(self, data: Buffer, *, last: bool) -> bytes:
        """Return the lines that the data completes, or all."""
        if self.failed:
            message = "this decoder has failed, and takes no more data"
            raise ValueError(message)
        text, faults = self.feed_with_faults(data, last=last)
        for _, malformed, reason in faults:
            self.failed = True
            raise UnicodeDecodeError(self.name or "utf-8", malformed, 0, len(malformed), reason)
        return text

    def feed_with_faults(self, data: Buffer, *, last: bool) -> tuple[bytes, list[_Fault]]:
        """Return the lines that the data completes, or all, and their faults, each a byte FF in the text."""
        lines = self.lines.feed(data)
        if last:
            lines += self.lines.finish()
        faults: list[_Fault] = []
        if not self.byte_count and lines.startswith(UTF16_BOMS):
            faults.append((0, lines[:2], "a byte order mark of UTF-16"))
            return MALFORMED, faults
        text = lines if is_valid(lines) else self.decode(lines, faults)
        self.line_count += count_newlines(lines)
        self.byte_count += len(lines)
        return text, faults

    def decode(self, lines: bytes, faults: list[_Fault]) -> bytes:
        """Return whole lines as UTF-8."""
        parts = []
        done, line = 0, self.line_count + 1
        for start, end, error, _ in invalid_lines(lines):
            parts.append(lines[done:start])
            line += count_newlines(lines[done:start])
            data = lines[start:end]
            text, encoding = self.decode_line(data)
            if self.is_strict and REPLACEMENT in text and self.has_undefined(data):
                at, malformed = self.find_undefined(data) or (error.start - start, error.data)
                faults.append((self.byte_count + start + at, malformed, f"undefined in {encoding}"))
                text = self.decode_line(data[:at])[0] + MALFORMED + b"\n" * data.endswith(b"\n")
            parts.append(text)
            if line != self.last_mixed:
                # Else it is another part of a line that is decoded in parts.
                self.mixed_count += 1
                self.mixed += [(line, encoding)] if len(self.mixed) < self.limit else []
                self.last_mixed = line
            done = end
            line += data.endswith(b"\n")
        return b"".join([*parts, lines[done:]])

    def decode_line(self, line: bytes) -> tuple[bytes, str]:
        """Return a line that is not UTF-8 as UTF-8, and the name of its encoding."""
        if is_valid(line):
            return line, self.name
        if self.blocks:
            text, [(_, encoding, _)] = self.blocks.read(line)
            return text, encoding
        return _read_mixed(line, self.native)[0].encode("utf-8", "surrogatepass"), self.name

    def has_undefined(self, line: bytes) -> bool:
        """Return whether a line has bytes that its encoding does not define."""
        # Without the characters that the line has itself.
        return REPLACEMENT in self.decode_line(line.replace(REPLACEMENT, b"   "))[0]

    @functools.cached_property
    def undefined(self) -> frozenset[int]:
        """The bytes that the fallback does not define, if it has one byte for each character."""
        if self.blocks:
            return frozenset()
        found = [byte for byte in range(0x80, 0x100) if self.decode_line(bytes([byte]))[0] == REPLACEMENT]
        return frozenset(found if len(found) <= MAX_UNDEFINED else [])

    def find_undefined(self, line: bytes) -> tuple[int, bytes] | None:
        """Return place and value of a byte of a line that a single-byte encoding does not define."""
        errors = [error.start for error in iter_errors(line) if error.data[0] in self.undefined]
        places = errors or [place for place, byte in enumerate(line) if byte in self.undefined]
        return (places[0], line[places[0] : places[0] + 1]) if places else None
