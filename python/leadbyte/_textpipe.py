"""Conversions by way of str: for codecs and error handlers that are Python's."""

from __future__ import annotations

import codecs
import re

from leadbyte._encodings import LONGEST_MARK, MARKS, PLAIN, Encoding, find, is_built_in
from leadbyte._leadbyte import _Encoding, _Pipe, decode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer


# Escape sequences of ISO 2022 that no letter has ended yet. Python's codecs look for one among 15 bytes.
OPEN_ESCAPES = re.compile(rb"(?:\x1b[^@A-Z\x1b]{0,14})+\Z")
KEPT_BY_PYTHON = 8


class TextPipe:
    """A conversion of a text that comes in pieces."""

    def __init__(self, reader: Encoding, writer: Encoding, errors: str, bom: str | None) -> None:
        self.decode = decoder(reader, errors)
        plain = None if bom is None else PLAIN.get(writer.name)
        self.encode = encoder(find(plain) if plain else writer, errors)
        self.bom = bom
        self.keeps = bom == "keep" and writer.has_mark
        self.marks = MARKS.get(reader.name, ())
        # A mark that the decoder takes is gone from its text; so the first bytes are looked at before.
        self.start = None if bom is None else b""
        self.marked = False
        self.begun = bom is None
        self.open = True

    def feed(self, data: Buffer, /, *, last: bool) -> bytes:
        """Return what is complete with data."""
        if not self.open:
            message = "this Transcoder has finished, or has failed"
            raise ValueError(message)
        self.open = False
        content = snapshot(data)
        if self.start is not None:
            content = self.start + content
            if len(content) < LONGEST_MARK and not last:
                self.start, self.open = content, True
                return b""
            self.start, self.marked = None, content.startswith(self.marks)
        text = self.decode(content, last)
        if not self.begun and (text or last):
            self.begun = True
            text = self.with_mark(text)
        converted = self.encode(text, last)
        self.open = not last
        return converted

    def with_mark(self, text: str) -> str:
        """Return the start of the text with a mark or without, as it is wanted."""
        if not self.marked and text[:1] == "\ufeff":
            self.marked, text = True, text[1:]
        wanted = self.bom == "add" or (self.keeps and self.marked)
        return "\ufeff" + text if wanted else text


def decoder(encoding: Encoding, errors: str) -> Callable[[bytes, bool], str]:
    """Return what decodes text in pieces."""
    if encoding.codec is None:
        pipe = _Pipe(*natively(encoding, find("utf-8"), errors), errors, None)
        inner = errors if errors.startswith("surrogate") else "strict"
        return lambda data, last: decode(pipe.feed(data, last=last), errors=inner)
    if encoding.codec.incrementaldecoder is None:
        message = f"{encoding.name} cannot be decoded in pieces"
        raise LookupError(message)
    if encoding.name in MARKS:
        return after_the_mark(encoding.name, errors)
    incremental = encoding.codec.incrementaldecoder(errors)
    return after_the_escape(incremental) if encoding.name.startswith("iso2022") else incremental.decode


def after_the_mark(name: str, errors: str) -> Callable[[bytes, bool], str]:
    """Return what decodes in pieces an encoding that reads a mark, as ``bytes.decode`` does.

    Python's own incremental decoders insist on a mark in UTF-16 and UTF-32, and swallow half a one in UTF-8.
    """
    start = b""
    rest: Callable[[bytes, bool], str] | None = None

    def decode_piece(data: bytes, last: bool) -> str:  # noqa: FBT001 # as the codecs' own
        nonlocal start, rest
        if rest is None:
            start += data
            if not last and any(mark.startswith(start) and mark != start for mark in MARKS[name]):
                return ""
            data, start = start, b""
            chosen = name if data.startswith(MARKS[name]) else PLAIN[name]
            rest = codecs.getincrementaldecoder(chosen)(errors).decode
        return rest(data, last)

    return decode_piece


def after_the_escape(decoder: codecs.IncrementalDecoder) -> Callable[[bytes, bool], str]:
    """Return what decodes in pieces, also with a long escape sequence in several of them.

    Python's own incremental decoders keep back eight bytes of one, and fail where it is longer.
    """
    kept = b""

    def decode_piece(data: bytes, last: bool) -> str:  # noqa: FBT001 # as the codecs' own
        nonlocal kept
        data = kept + data
        known = decoder.getstate()[0] + data
        escapes = None if last else OPEN_ESCAPES.search(known, max(0, len(known) - 256))
        opened = len(escapes[0]) if escapes else 0
        end = len(data) - (min(opened, len(data)) if opened > KEPT_BY_PYTHON else 0)
        data, kept = data[:end], data[end:]
        try:
            return decoder.decode(data, last)
        except UnicodeDecodeError as error:
            error.object += kept
            raise

    return decode_piece


def snapshot(data: Buffer) -> bytes:
    """Return the bytes of a contiguous buffer; TypeError or BufferError for anything else."""
    return codecs.readbuffer_encode(memoryview(data))[0]


def encoder(encoding: Encoding, errors: str) -> Callable[[str, bool], bytes]:
    """Return what encodes text in pieces."""
    if encoding.codec is None:
        pipe = _Pipe(*natively(find("utf-8"), encoding, errors), errors, None)
        return lambda text, last: pipe.feed(text.encode("utf-8", "surrogatepass"), last=last)
    if encoding.codec.incrementalencoder is None:
        message = f"{encoding.name} cannot be encoded in pieces"
        raise LookupError(message)
    return encoding.codec.incrementalencoder(errors).encode


def natively(reader: Encoding, writer: Encoding, errors: str) -> tuple[_Encoding, _Encoding]:
    """Return what a native conversion takes; ValueError if it does not know the handler."""
    if reader.native is None or writer.native is None or not is_built_in(errors):
        name = writer.name if reader.codec else reader.name
        message = f"errors={errors!r}: {name} takes Python's own error handlers only"
        raise ValueError(message)
    return reader.native, writer.native
