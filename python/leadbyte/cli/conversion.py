"""The way of a file's text from one encoding to another, and what cannot go it."""

from __future__ import annotations

import codecs
import sys

from leadbyte import BOM, count_chars
from leadbyte._encodings import LONGEST_MARK, find
from leadbyte.cli.location import LocationCounter
from leadbyte.transcode import Transcoder

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from typing_extensions import Buffer

    from leadbyte.transcode import _Marking

NEWLINES = {"keep": None, "lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}

# Error handlers by which something can be written for whatever cannot be decoded, or encoded.
MENDING_BYTES = frozenset({"ignore", "replace", "backslashreplace"})
MENDING_TEXT = MENDING_BYTES | {"xmlcharrefreplace", "namereplace"}

# Our own error handlers of the two halves of the way: they note what the one asked for does not mend.
DECODING, ENCODING = "leadbyte-convert-decoding", "leadbyte-convert-encoding"

# What stands, in a text and in its UTF-8, for bytes that could not be decoded: neither is ever text.
LOST, LOST_UTF8 = "\udfff", b"\xff"


class Flaw:
    """What cannot be converted: where, what, and what may be done about it."""

    def __init__(self, place: LocationCounter, message: str, advice: str, facts: dict[str, object]) -> None:
        self.place = place
        self.message = message
        self.advice = advice
        self.facts = facts

    def as_dict(self) -> dict[str, object]:
        """Return what JSON says of it."""
        place = {"line": self.place.line, "column": self.place.column}
        return {**place, **self.facts, "message": self.message, "advice": self.advice}


def undecodable(place: LocationCounter, encoding: str, offset: int, data: bytes, reason: str) -> Flaw:
    """Return the flaw that bytes are not in an encoding."""
    message = f"byte {offset}: not {encoding}: {data.hex(' ')} ({reason})"
    facts = {"start": offset, "end": offset + len(data), "bytes": data.hex(" "), "reason": reason}
    return Flaw(place, message, "another --from may be right, or --errors replace", facts)


def unencodable(place: LocationCounter, encoding: str, char: str) -> Flaw:
    """Return the flaw that an encoding lacks a character."""
    import unicodedata

    name = unicodedata.name(char, "")
    code_point = f"U+{ord(char):04X}"
    shown = f'"{char}" ' if char.isprintable() else ""
    message = f"not in {encoding}: {shown}{code_point}{name and ' '}{name}"
    if char == "\ufeff":
        advice = "--bom strip drops a byte order mark"
    elif "\ud800" <= char <= "\udfff":
        advice = "--errors surrogatepass or replace"
    else:
        advice = "--to utf-8 has all characters, or --errors replace"
    return Flaw(place, message, advice, {"char": char, "code_point": code_point, "name": name})


class Newlines:
    """Brings the ends of lines to one form, in UTF-8 that comes in pieces."""

    def __init__(self, policy: str) -> None:
        self.form = NEWLINES[policy]
        self.held = b""

    def unify(self, text: bytes, *, last: bool) -> bytes:
        """Return text with LF for CR LF and CR; a CR at its end waits for what follows."""
        if self.form is None:
            return text
        text = self.held + text
        self.held = b"\r" if text.endswith(b"\r") and not last else b""
        return text.removesuffix(self.held).replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def put(self, text: bytes) -> bytes:
        """Return unified text in the form asked for."""
        return text.replace(b"\n", self.form) if self.form else text


class Conversion:
    """A text's way from one encoding to another, piece by piece, by way of UTF-8.

    On the way line ends are changed, and lines counted. From the first flaw on, Python's codecs go on,
    slowly, to find others, until there are more than are shown; what is given meanwhile is of no use.
    """

    def __init__(self, options: argparse.Namespace, bom: _Marking) -> None:
        self.options = options
        self.bom = bom
        # One more than is shown.
        self.limit: int = options.max_errors + 1
        self.handler = codecs.lookup_error(options.errors)
        codecs.register_error(DECODING, self.on_decoding)
        codecs.register_error(ENCODING, self.on_encoding)
        decoding, encoding = self.handlers()
        # A mark that is to be known of is kept until the end.
        self.decoding = Transcoder(options.source, "utf-8", errors=decoding, bom="keep" if bom else None)
        # Of an encoding that Python lacks only one that goes the same way can tell what came before a flaw.
        lacking = decoding == "strict" and find(options.source).codec is None
        self.twin = Transcoder(options.source, "utf-8") if lacking else None
        self.encoding = Transcoder("utf-8", options.target, errors=encoding, bom=bom)
        self.source, self.target = self.decoding.source, self.encoding.target
        self.newlines = Newlines(options.newline)
        self.place = LocationCounter()
        # The first bytes of what came, and of what is UTF-8 now.
        self.head = self.start = b""
        self.byte_count = 0
        self.changed = True
        # What was noted in this piece: what is lost in it, and texts with the part that cannot be encoded.
        self.undecodable: list[tuple[int, bytes, str]] = []
        self.unencodable: list[tuple[str, int, int]] = []
        self.flaws: list[Flaw] = []
        # Whether enough of them are known, or no more can be found.
        self.ended = False

    def handlers(self) -> tuple[str, str]:
        """Return the names of the error handlers of both halves of the way."""
        errors: str = self.options.errors
        native = find(self.options.source).native is not None
        if errors in MENDING_BYTES:
            return errors, errors
        if errors == "strict" or (native and errors in MENDING_TEXT):
            # No other codec could take over from one of Python's in the middle of a text.
            return "strict" if native else DECODING, errors
        return DECODING, ENCODING

    def feed(self, data: Buffer) -> bytes:
        """Return what becomes of a piece."""
        return self.convert(data, last=False)

    def finish(self) -> bytes:
        """Return what becomes of what is unfinished at the end."""
        return self.convert(b"", last=True)

    def convert(self, data: Buffer, *, last: bool) -> bytes:
        """Return what becomes of a piece, or of what is unfinished."""
        text = self.start + self.newlines.unify(self.decode(data, last=last), last=last)
        mark = b""
        if self.bom and not self.place.char:
            # What may be part of a mark waits. Such a mark is no character of the text.
            self.start = text if len(text) < LONGEST_MARK and not last else b""
            if self.start:
                return b""
            mark = BOM if text.startswith(BOM) else b""
        text = text.removeprefix(mark)
        found = list(self.take_undecodable(text))
        if found:
            text = text.replace(LOST_UTF8, b"?")
        written = self.newlines.put(text)
        made = self.encode(mark, written, last=last)
        found += self.take_unencodable(written)
        self.flaws += sorted(found, key=lambda flaw: flaw.place.char)
        self.ended |= len(self.flaws) >= self.limit
        self.place.advance(text, len(text))
        return made

    def decode(self, data: Buffer, *, last: bool) -> bytes:
        """Return the UTF-8 of a piece, or of what is unfinished."""
        piece = memoryview(data)
        self.byte_count += len(piece)
        self.head += piece[: LONGEST_MARK - len(self.head)]
        try:
            text = self.decoding.finish() if last else self.decoding.feed(piece)
        except UnicodeDecodeError as error:
            if self.twin:
                # There are no handlers of ours: this is the only flaw to be found.
                self.ended = True
                self.note_undecodable(error)
                return self.before(piece) + LOST_UTF8
            source = self.rest_source(error.object)
            self.decoding = Transcoder(source, "utf-8", errors=DECODING)
            text = self.decoding.feed(error.object)
            return text + self.decoding.finish() if last else text
        if self.twin and not last:
            self.twin.feed(piece)
        return text

    def before(self, piece: memoryview) -> bytes:
        """Return the UTF-8 of what stands in a piece before what cannot be decoded."""
        assert self.twin
        text = b""
        for at in range(len(piece)):
            try:
                text += self.twin.feed(piece[at : at + 1])
            except UnicodeDecodeError:
                break
        return text

    def rest_source(self, rest: bytes) -> str:
        """Return the encoding of what came last, which the mark may be no part of that it began with."""
        name = self.source
        if len(rest) == self.byte_count or name not in {"utf-8-sig", "utf-16", "utf-32"}:
            return str(self.options.source)
        if name == "utf-8-sig":
            return "utf-8"
        orders = [f"{name}-le", f"{name}-be"]
        native, swapped = orders if sys.byteorder == "little" else reversed(orders)
        return swapped if self.head.startswith("\ufeff".encode(swapped)) else native

    def encode(self, mark: bytes, text: bytes, *, last: bool) -> bytes:
        """Return what becomes of a byte order mark, perhaps, and a piece that is UTF-8 now."""
        try:
            made = self.encoding.feed(mark + text)
        except UnicodeError as error:
            try:
                self.encoding = Transcoder("utf-8", self.options.target, errors=ENCODING)
                made = self.encoding.feed(text)
            except ValueError:
                if not isinstance(error, UnicodeEncodeError):
                    raise error from None
                # There are no handlers of ours, or what one gave does not fit.
                self.ended = True
                self.unencodable.clear()
                self.note_unencodable(error)
                return b""
        return made + self.encoding.finish() if last else made

    def on_decoding(self, error: UnicodeError) -> tuple[str | bytes, int]:
        """Handle an error on the way to UTF-8."""
        if isinstance(error, UnicodeEncodeError):
            # Surrogates are for the other half of the way.
            text = error.object[error.start : error.end].encode("utf-8", "surrogatepass")
            lost = LOST.encode("utf-8", "surrogatepass")
            return text.replace(lost, LOST_UTF8) if self.undecodable else text, error.end
        assert isinstance(error, UnicodeDecodeError)
        try:
            return self.handler(error)
        except (UnicodeError, TypeError):
            self.note_undecodable(error)
            return LOST, error.end

    def on_encoding(self, error: UnicodeError) -> tuple[str | bytes, int]:
        """Handle an error on the way from UTF-8."""
        if isinstance(error, UnicodeDecodeError):
            # A surrogate, from the other half of the way.
            return codecs.lookup_error("surrogatepass")(error)
        assert isinstance(error, UnicodeEncodeError)
        try:
            return self.handler(error)
        except UnicodeError:
            self.note_unencodable(error)
            return "", error.end

    def note_undecodable(self, error: UnicodeDecodeError) -> None:
        """Note bytes that are not in the encoding."""
        if len(self.undecodable) < self.limit:
            offset = self.byte_count - len(error.object) + error.start
            self.undecodable.append((offset, error.object[error.start : error.end], error.reason))

    def note_unencodable(self, error: UnicodeEncodeError) -> None:
        """Note characters that the encoding lacks."""
        if len(self.unencodable) < self.limit:
            self.unencodable.append((error.object, error.start, error.end))

    def take_undecodable(self, text: bytes) -> Iterator[Flaw]:
        """Give what was noted about the bytes that are lost in a piece that is UTF-8 now."""
        place, at = self.place.copy(), 0
        for offset, data, reason in self.undecodable:
            start = text.index(LOST_UTF8, at)
            place.advance(text[at:start], start - at)
            yield undecodable(place.copy(), self.source, offset, data, reason)
            place.advance(b"?", 1)
            at = start + len(LOST_UTF8)
        self.undecodable.clear()

    def take_unencodable(self, written: bytes) -> Iterator[Flaw]:
        """Give what was noted about the characters of a piece to be written that cannot be encoded."""
        place, at = self.place.copy(), 0
        for text, start, end in self.unencodable:
            # Before it there may be a mark.
            at = at or len(text) - count_chars(written)
            for index in range(start, min(end, start + self.limit)):
                passed = text[at:index].encode("utf-8", "surrogatepass")
                if self.options.newline == "cr":
                    passed = passed.replace(b"\r", b"\n")
                place.advance(passed, len(passed))
                yield unencodable(place.copy(), self.target, text[index])
                at = index
        self.unencodable.clear()
