"""Conversion of a file's text from one encoding to another, and the faults in it."""

from __future__ import annotations

import itertools

from leadbyte import BOM, detect
from leadbyte._arguments import check_handler
from leadbyte._encodings import WITHOUT_SIGNATURE, find, is_built_in
from leadbyte._files.location import LocationCounter
from leadbyte._mixed import MixedDecoder
from leadbyte._sampling import without_encoding
from leadbyte._str_transcoder import MALFORMED, fault_decoder, fault_encoder, without_signature
from leadbyte.transcode import check_bom

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Buffer

    from leadbyte._leadbyte import Detection, _Fault
    from leadbyte._recognition import Recognition
    from leadbyte.transcode import _BomPolicy

NEWLINES = {"keep": None, "lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}

# The start of a text in which its encoding may be declared, in bytes, and what each declaration contains.
HEAD_BYTES = 8 << 10
DECLARING = (b"charset", b"coding", b"fenc")

# Python's own error handlers that only encoders take.
ENCODING_HANDLERS = frozenset({"xmlcharrefreplace", "namereplace"})


class Fault:
    """A part of a file that cannot be converted: where, what, and advice."""

    def __init__(self, place: LocationCounter, message: str, advice: str, facts: dict[str, object]) -> None:
        self.place = place
        self.message = message
        self.advice = advice
        self.facts = facts

    def as_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        place = {"line": self.place.line, "column": self.place.column}
        return {**place, **self.facts, "message": self.message, "advice": self.advice}


def malformed(place: LocationCounter, encoding: str, found: _Fault, *, option: str) -> Fault:
    """Return the fault of bytes that are malformed in the encoding of an option."""
    offset, data, reason = found
    message = f"byte {offset}: not {encoding}: {data.hex(' ')} ({reason})"
    facts = {"start": offset, "end": offset + len(data), "bytes": data.hex(" "), "reason": reason}
    return Fault(place, message, f"another {option} may be right, or --errors replace", facts)


def unmappable(place: LocationCounter, encoding: str, char: str) -> Fault:
    """Return the fault of a character that an encoding does not have."""
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
    return Fault(place, message, advice, {"char": char, "code_point": code_point, "name": name})


# What to do if a text seems to be in another encoding.
OTHER_SOURCE = "if it is in another encoding, name that with --from; --force converts it all the same"


def unsure(found: Detection) -> Fault:
    """Return the fault of an encoding that was not detected with enough confidence."""
    if found.encoding is None:
        message = without_encoding(found)
        advice = "if it is text, name its encoding with --from"
    else:
        message = f"unsure of the encoding: maybe {found.encoding} ({found.confidence:.0%} sure)"
        advice = "name its encoding with --from, or lower --min-confidence"
    return Fault(LocationCounter(), message, advice, {"detection": found.as_dict()})


def recognized(found: Recognition) -> Fault:
    """Return the fault of a text that is in another encoding than the source."""
    return Fault(LocationCounter(), found.message, OTHER_SOURCE, {})


def converted(found: Detection, source: str, target: str) -> Fault:
    """Return the fault of a text that is detected as one in the target encoding."""
    message = f"{target} already, not {source} ({found.confidence:.0%} sure)"
    return Fault(LocationCounter(), message, OTHER_SOURCE, {"detection": found.as_dict()})


def any_form(name: str) -> str:
    """Return the name of an encoding, if it is one, without byte order mark and order of bytes."""
    try:
        encoding = find(name).name
    except LookupError:
        return name
    return WITHOUT_SIGNATURE.get(encoding, encoding).removesuffix("-le").removesuffix("-be")


class Newlines:
    """Converts line ends in UTF-8 that comes in pieces."""

    def __init__(self, policy: str) -> None:
        self.form = NEWLINES[policy]
        self.held = b""

    def unify(self, text: bytes, *, last: bool) -> bytes:
        """Return text with LF for CR LF and CR; a CR at its end is held until the next byte is known."""
        if self.form is None:
            return text
        text = self.held + text
        self.held = b"\r" if text.endswith(b"\r") and not last else b""
        return text.removesuffix(self.held).replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def apply(self, text: bytes) -> bytes:
        """Return unified text with the wanted line ends."""
        return text.replace(b"\n", self.form) if self.form else text


class FileConversion:
    """The conversion of a file's text from one encoding to another, piece by piece.

    Between decoder and encoder the text is UTF-8; there line ends are converted, and lines counted. After the
    first fault the result is of no use, and the conversion only searches for more, until there are more than
    are shown.
    """

    def __init__(  # noqa: PLR0913 -- the options of the command
        self,
        source_name: str | int,
        target_name: str | int,
        *,
        errors: str = "strict",
        bom: _BomPolicy = None,
        newline: str = "keep",
        fallback: str | int | None = None,
        max_errors: int = 0,
    ) -> None:
        source, target = find(source_name), find(target_name)
        check_handler(errors, "convert")
        check_bom(bom, target)
        if bom is None and source.signatures and not target.signatures:
            # Else a second mark would begin the new text.
            bom = "strip"
        self.source, self.target = source.name, target.name
        encodes_only = errors in ENCODING_HANDLERS and is_built_in(errors)
        reading_errors = "strict" if encodes_only else errors
        # Decodes lines that are not UTF-8 in another encoding, if there is a fallback.
        self.mixed = None if fallback is None else MixedDecoder(fallback, reading_errors, limit=max_errors)
        self.decoder = self.mixed or fault_decoder(source, reading_errors, keep_bom=bom is not None)
        self.encoder = fault_encoder(without_signature(target) if bom else target, errors)
        self.bom = bom
        self.has_bom = target.has_bom
        self.started = bom is None
        self.newlines = Newlines(newline)
        # The start of the text in UTF-8.
        self.head = b""
        self.place = LocationCounter()
        self.byte_count = 0
        # The number of bytes that the encoder got.
        self.encoded_count = 0
        self.changed = True
        # Whether the text is left as it is, as it is in the target encoding already.
        self.already = False
        # One more than is shown.
        self.limit = max_errors + 1
        self.faults: list[Fault] = []

    @property
    def ended(self) -> bool:
        """Whether enough faults are known."""
        return len(self.faults) >= self.limit

    @property
    def stale_declaration(self) -> str | None:
        """The encoding that a changed text declares, as HTML and XML do, if it is another than the target."""
        if self.faults or self.already or not self.changed:
            return None
        start = self.head.lower()
        declared = detect(self.head).declared if any(sign in start for sign in DECLARING) else None
        return None if declared is None or any_form(declared) == any_form(self.target) else declared

    def feed(self, data: Buffer) -> bytes:
        """Return the conversion of a piece."""
        return self.convert(data, last=False)

    def finish(self) -> bytes:
        """Return the conversion of an incomplete character at the end."""
        return self.convert(b"", last=True)

    def convert(self, data: Buffer, *, last: bool) -> bytes:
        """Return the conversion of a piece, which may be the last."""
        self.byte_count += memoryview(data).nbytes
        text, decoding_faults = self.decoder.feed_with_faults(data, last=last)
        text = self.newlines.unify(text, last=last)
        bom = b""
        if not self.started and (text or last):
            bom, text = self.apply_bom_policy(text)
            # More byte order marks that are to be left out may be in the next piece.
            self.started = last or bool(text) or self.bom != "strip"
        found = list(self.malformed(text, decoding_faults))
        if found:
            text = text.replace(MALFORMED, b"?")
        written = self.newlines.apply(text)
        self.head += written[: HEAD_BYTES - len(self.head)]
        converted, encoding_faults = self.encoder.feed_with_faults(bom + written, last=last)
        first = self.encoded_count + len(bom)
        found += self.unmappable(written, ((start - first, char) for start, char, _ in encoding_faults))
        self.encoded_count = first + len(written)
        self.faults += sorted(found, key=lambda fault: fault.place.char_offset)
        self.place.advance_over(text)
        return converted

    def apply_bom_policy(self, text: bytes) -> tuple[bytes, bytes]:
        """Return the byte order mark to write, and the text without one, as it is not a character of it."""
        had_bom = text.startswith(BOM)
        wanted = self.bom == "add" or (self.bom == "keep" and had_bom and self.has_bom)
        text = text.removeprefix(BOM)
        while self.bom == "strip" and text.startswith(BOM):
            text = text.removeprefix(BOM)
        return BOM if wanted else b"", text

    def malformed(self, text: bytes, faults: list[_Fault]) -> Iterator[Fault]:
        """Yield the faults of malformed bytes in a piece of text."""
        place, at = self.place.copy(), 0
        encoding, option = (self.mixed.name, "--fallback") if self.mixed else (self.source, "--from")
        for found in faults[: self.limit]:
            start = text.index(MALFORMED, at)
            place.advance_over(text[at:start])
            yield malformed(place.copy(), encoding or "text", found, option=option)
            place.advance_over(b"?")
            at = start + len(MALFORMED)

    def unmappable(self, written: bytes, faults: Iterable[tuple[int, bytes]]) -> Iterator[Fault]:
        """Yield the faults of unmappable characters in a piece of text as it is written."""
        place, at = self.place.copy(), 0
        for start, char in itertools.islice(faults, self.limit):
            passed = written[at:start]
            if self.newlines.form == b"\r":
                passed = passed.replace(b"\r", b"\n")
            place.advance_over(passed)
            yield unmappable(place.copy(), self.target, char.decode("utf-8", "surrogatepass"))
            at = start
