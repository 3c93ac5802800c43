"""Conversions by way of str, for encodings and error handlers of which only Python has the implementation."""

from __future__ import annotations

import codecs
import contextlib
import re
from _thread import allocate_lock

from leadbyte import _double_byte
from leadbyte._arguments import check_bytes_like, snapshot
from leadbyte._bom import MAX_BOM_BYTES
from leadbyte._encodings import WITHOUT_SIGNATURE, Encoding, find, is_built_in
from leadbyte._incremental import CompleteDecoder, IncrementalEncoder
from leadbyte._leadbyte import _Encoding, _Transcoder, decode, encode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

    from leadbyte._incremental import _Decoder, _Encoder
    from leadbyte._leadbyte import _Fault


# Incomplete escape sequences of ISO 2022 at the end of data. Python's codecs look for the end of one within
# 15 bytes.
OPEN_ESCAPES = re.compile(rb"(?:\x1b[^@A-Z\x1b]{0,14})+\Z")
# An octal number of unicode_escape at the end of data that may continue, after backslashes that are escaped.
OPEN_OCTAL = re.compile(rb"(?<!\\)(?:\\\\)*(\\[0-7]{0,2})\Z")
# The most bytes that Python's multibyte decoders keep.
MAX_PENDING_BYTES = 8

# The byte for a malformed sequence in the UTF-8 of a decoder that collects faults; it never occurs in UTF-8.
MALFORMED = b"\xff"
# The number of bytes, or characters, that Python's codecs get at once: after a fault they get the rest again.
BLOCK = 4096
UNUSABLE = "this Transcoder has finished, has failed, or is at work"


class StrTranscoder:
    """A conversion of a text that comes in pieces, by way of str."""

    def __init__(self, source: Encoding, target: Encoding, errors: str, bom: str | None) -> None:
        self.decoder = decoder(source, errors)
        self.encoder = encoder(target if bom is None else without_signature(target), errors)
        self.bom = bom
        self.keeps_bom = bom == "keep" and target.has_bom
        self.signatures = source.signatures
        # Decoders that consume a byte order mark do not report it, so the first bytes are examined before.
        self.start = None if bom is None else b""
        self.had_bom = False
        self.started = bom is None
        self.open = True
        # The codecs of Python are not made to be used by several threads at once.
        self.lock = allocate_lock()

    def feed(self, data: Buffer, /, *, last: bool) -> bytes:
        """Return the conversion of the complete characters."""
        if not self.lock.acquire(blocking=False):
            raise ValueError(UNUSABLE)
        try:
            return self.convert(data, last=last)
        finally:
            self.lock.release()

    def convert(self, data: Buffer, *, last: bool) -> bytes:
        """Return the conversion of the complete characters; only one call at a time may be at work."""
        if not self.open:
            raise ValueError(UNUSABLE)
        self.open = False
        content = snapshot(data)
        if self.start is not None:
            content = self.start + content
            if len(content) < MAX_BOM_BYTES and not last:
                self.start, self.open = content, True
                return b""
            self.start, self.had_bom = None, content.startswith(self.signatures)
        text = self.decoder.decode(content, last)
        if not self.started and (text or last):
            self.started = True
            text = self.apply_bom_policy(text)
        converted = self.encoder.encode(text, last)
        self.open = not last
        return converted

    def apply_bom_policy(self, text: str) -> str:
        """Return the start of the text with or without a byte order mark."""
        if not self.had_bom and text[:1] == "\ufeff":
            self.had_bom, text = True, text[1:]
        wanted = self.bom == "add" or (self.keeps_bom and self.had_bom)
        return "\ufeff" + text if wanted else text


def without_signature(encoding: Encoding) -> Encoding:
    """Return the encoding that writes no byte order mark by default."""
    plain = WITHOUT_SIGNATURE.get(encoding.name)
    return find(plain) if plain else encoding


def decoder(encoding: Encoding, errors: str) -> _Decoder:
    """Return an incremental decoder. LookupError if there is none, ValueError for an unsuitable handler."""
    if encoding.codec is None:
        return NativeDecoder(_Transcoder(native(encoding, errors), None, errors, None))
    if encoding.codec.incrementaldecoder is None:
        message = f"{encoding.name} cannot be decoded in pieces, only as a whole"
        raise LookupError(message)
    if encoding.signatures:
        return SignatureDecoder(encoding, errors)
    incremental: _Decoder = encoding.codec.incrementaldecoder(errors)
    if encoding.name.startswith("iso2022"):
        incremental = Iso2022Decoder(incremental)
    elif encoding.name == "unicode-escape":
        incremental = UnicodeEscapeDecoder(incremental)
    elif encoding.name in _double_byte.DECODED and is_built_in(errors):
        incremental = _double_byte.Decoder(incremental, encoding.name)
    return CompleteDecoder(incremental)


def encoder(encoding: Encoding, errors: str) -> _Encoder:
    """Return an incremental encoder. LookupError if there is none, ValueError for an unsuitable handler."""
    if encoding.codec is None:
        return NativeEncoder(_Transcoder(None, native(encoding, errors), errors, None))
    if encoding.codec.incrementalencoder is None:
        message = f"{encoding.name} cannot be encoded in pieces, only as a whole"
        raise LookupError(message)
    if encoding.name == "utf-8":
        return IncrementalEncoder(errors)
    incremental: _Encoder = encoding.codec.incrementalencoder(errors)
    if encoding.name in _double_byte.ENCODED and is_built_in(errors):
        return _double_byte.Encoder(incremental, encoding.name)
    return incremental


def decode_whole(encoding: Encoding, data: bytes, errors: str) -> str:
    """Return what ``encoding.decode`` returns or raises, in less time where there is a way."""
    if encoding.name == "utf-8":
        return decode(data, errors=errors)
    if _double_byte.decodes(encoding.name, len(data)) and is_built_in(errors):
        # Python raises exactly the right exception.
        with contextlib.suppress(UnicodeError, TypeError):
            return decoder(encoding, errors).decode(data, True)
    return encoding.decode(data, errors)


def encode_whole(encoding: Encoding, text: str, errors: str) -> bytes:
    """Return what ``encoding.encode`` returns or raises, in less time where there is a way."""
    if encoding.name == "utf-8":
        return encode(text, errors=errors)
    if _double_byte.encodes(encoding.name, len(text)) and is_built_in(errors):
        with contextlib.suppress(UnicodeError, TypeError):
            return encoder(encoding, errors).encode(text, True)
    return encoding.encode(text, errors)


def native(encoding: Encoding, errors: str) -> _Encoding:
    """Return the native encoding; ValueError if the handler is not one of Python's own."""
    if encoding.native is None or not is_built_in(errors):
        message = f"errors={errors!r}: {encoding.name} takes Python's own error handlers only"
        raise ValueError(message)
    return encoding.native


class NativeDecoder:
    """An incremental decoder of an encoding that Python does not have."""

    def __init__(self, transcoder: _Transcoder) -> None:
        self.transcoder = transcoder

    def decode(self, data: bytes, final: bool) -> str:
        """Return the text of the complete characters."""
        return decode(self.transcoder.feed(data, last=final), errors="surrogatepass")

    def getstate(self) -> tuple[bytes, int]:
        """Raise NotImplementedError: the state cannot be copied."""
        raise NotImplementedError

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Raise NotImplementedError: the state cannot be copied."""
        raise NotImplementedError


class NativeEncoder:
    """An incremental encoder of an encoding that Python does not have."""

    def __init__(self, transcoder: _Transcoder) -> None:
        self.transcoder = transcoder

    def encode(self, text: str, final: bool) -> bytes:
        """Return the bytes of text."""
        return self.transcoder.feed(text.encode("utf-8", "surrogatepass"), last=final)

    def getstate(self) -> int:
        """Raise NotImplementedError: the state cannot be copied."""
        raise NotImplementedError

    def setstate(self, state: int | str) -> None:
        """Raise NotImplementedError: the state cannot be copied."""
        raise NotImplementedError


class SignatureDecoder:
    """An incremental decoder of an encoding that consumes a byte order mark, as ``bytes.decode`` does.

    Python's own require a byte order mark in UTF-16 and UTF-32, and swallow a part of one in UTF-8; and the
    state of the codecs for UTF-16 and UTF-32 cannot be restored if the byte order is not the machine's. With
    ``keep_bom`` the byte order mark is the first character of the text.
    """

    def __init__(self, encoding: Encoding, errors: str, *, keep_bom: bool = False) -> None:
        self.encoding = encoding
        self.errors = errors
        self.keep_bom = keep_bom
        # Whether the first character that the codec returns is the byte order mark, and unwanted.
        self.skips_bom = False
        self.start = b""
        self.rest: _Decoder | None = None

    def decode(self, data: bytes, final: bool) -> str:
        """Return the text of the complete characters."""
        if self.rest is None:
            data = self.start + data
            signatures = self.encoding.signatures
            if not final and any(bom.startswith(data) and bom != data for bom in signatures):
                self.start = data
                return ""
            self.start = b""
            codec = self.codec_name(data)
            self.skips_bom = not self.keep_bom and codec != self.encoding.name and data.startswith(signatures)
            self.rest = codecs.getincrementaldecoder(codec)(self.errors)
        text = self.rest.decode(data, final)
        if text and self.skips_bom:
            self.skips_bom, text = False, text[1:]
        return text

    def codec_name(self, data: bytes) -> str:
        """Return the name of the codec for a text that starts with data."""
        name = self.encoding.name
        plain = WITHOUT_SIGNATURE[name]
        if plain == "utf-8":
            # Exceptions of utf-8-sig are about the data without the byte order mark.
            return plain if self.keep_bom or not data.startswith(self.encoding.signatures) else name
        swapped = f"{name}-be" if plain.endswith("le") else f"{name}-le"
        return swapped if data.startswith("\ufeff".encode(swapped)) else plain

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes that are kept, and the state of the codec."""
        return self.rest.getstate() if self.rest else (self.start, 0)

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Return to a state after the start of the text."""
        if self.rest:
            self.rest.setstate(state)


class EscapeDecoder:
    """An incremental decoder that takes escape sequences in several pieces, which its codec does not."""

    def __init__(self, decoder: _Decoder) -> None:
        self.decoder = decoder
        self.kept = b""

    def incomplete(self, data: bytes) -> int:
        """Return the number of bytes at the end of data that are to be kept."""
        raise NotImplementedError

    def decode(self, data: bytes, final: bool) -> str:
        """Return the text of the complete characters."""
        data = self.kept + data
        end = len(data) - (0 if final else self.incomplete(data))
        data, self.kept = data[:end], data[end:]
        try:
            return self.decoder.decode(data, final)
        except UnicodeDecodeError as error:
            error.object += self.kept
            raise

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes that are kept, and the state of the codec."""
        pending, state = self.decoder.getstate()
        return pending + self.kept, state

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Return to a state."""
        self.kept, number = state
        self.decoder.setstate((b"", number))


class Iso2022Decoder(EscapeDecoder):
    """A decoder of ISO 2022: Python's keep eight bytes of a sequence, and fail if it is longer."""

    def incomplete(self, data: bytes) -> int:
        """Return the length of a long escape sequence at the end of data that may continue."""
        known = self.decoder.getstate()[0] + data
        escapes = OPEN_ESCAPES.search(known, max(0, len(known) - 256))
        opened = len(escapes[0]) if escapes else 0
        return min(opened, len(data)) if opened > MAX_PENDING_BYTES else 0


class UnicodeEscapeDecoder(EscapeDecoder):
    """A decoder of unicode_escape: Python's takes the first digits of an octal number as a whole."""

    def incomplete(self, data: bytes) -> int:
        """Return the length of a backslash and digits at the end of data that more may follow."""
        octal = OPEN_OCTAL.search(data)
        return len(octal[1]) if octal else 0


class CodecDecoder:
    """Decodes to UTF-8 by one of Python's codecs, and continues after malformed bytes."""

    def __init__(self, decoder: _Decoder) -> None:
        self.decoder = decoder
        self.position = 0

    def feed_with_faults(self, data: Buffer, *, last: bool) -> tuple[bytes, list[_Fault]]:
        """Return the UTF-8 of the next bytes, and the faults in them."""
        parts: list[bytes] = []
        faults: list[_Fault] = []
        check_bytes_like(data)
        view = memoryview(data)
        for start in range(0, max(len(view), 1), BLOCK):
            final = last and start + BLOCK >= len(view)
            self.decode(bytes(view[start : start + BLOCK]), final, parts, faults)
        return b"".join(parts), faults

    def decode(self, data: bytes, final: bool, parts: list[bytes], faults: list[_Fault]) -> None:
        """Append the UTF-8 of a block, and the faults in it. UnicodeError for an unsuitable replacement."""
        while True:
            _, state = self.decoder.getstate()
            try:
                parts.append(to_utf8(self.decoder.decode(data, final)))
            except UnicodeDecodeError as error:
                all_data, start, end = error.object, error.start, max(error.end, error.start + 1)
                # The codec may have kept bytes before these, and has perhaps decoded some of them.
                before = self.position - (len(all_data) - len(data))
                self.decoder.setstate((b"", state))
                parts += to_utf8(self.decoder.decode(all_data[:start], False)), MALFORMED
                faults.append((before + start, all_data[start:end], error.reason))
                self.position, data = before + end, all_data[end:]
            except (TypeError, IndexError) as error:
                # The codec does not take what the error handler returned.
                raise UnicodeError(str(error)) from error
            else:
                self.position += len(data)
                return


class CodecEncoder:
    """Encodes UTF-8 by one of Python's codecs, and continues after unmappable characters."""

    def __init__(self, encoder: _Encoder) -> None:
        self.encoder = encoder
        self.position = 0

    def feed_with_faults(self, data: bytes, *, last: bool) -> tuple[bytes, list[_Fault]]:
        """Return the bytes of the next text, and the faults in it."""
        parts: list[bytes] = []
        faults: list[_Fault] = []
        text = data.decode("utf-8", "surrogatepass")
        for start in range(0, max(len(text), 1), BLOCK):
            final = last and start + BLOCK >= len(text)
            self.encode(text[start : start + BLOCK], final, parts, faults)
        return b"".join(parts), faults

    def encode(self, text: str, final: bool, parts: list[bytes], faults: list[_Fault]) -> None:
        """Append the bytes of a block, and the faults in it. UnicodeError for an unsuitable replacement."""
        while True:
            state = self.encoder.getstate()
            try:
                parts.append(self.encoder.encode(text, final))
            except UnicodeEncodeError as error:
                if not error.object.endswith(text):
                    # It is about the replacement.
                    raise
                # The codec may have kept characters before these, which can be encoded.
                kept = len(error.object) - len(text)
                start, end = error.start - kept, max(error.end, error.start + 1) - kept
                self.encoder.setstate(state)
                parts.append(self.encoder.encode(text[:start], False))
                self.position += len(to_utf8(text[:start]))
                for char in map(to_utf8, text[start:end]):
                    faults.append((self.position, char, error.reason))
                    self.position += len(char)
                text = text[end:]
            except (TypeError, IndexError) as error:
                raise UnicodeError(str(error)) from error
            else:
                self.position += len(to_utf8(text))
                return


def to_utf8(text: str) -> bytes:
    """Return text in UTF-8, with surrogates."""
    return text.encode("utf-8", "surrogatepass")


def fault_decoder(source: Encoding, errors: str, *, keep_bom: bool) -> _Transcoder | CodecDecoder:
    """Return what decodes to UTF-8 and collects faults."""
    if source.native and is_built_in(errors):
        return _Transcoder(source.native, None, errors, "keep" if keep_bom else None, collect_faults=True)
    errors = fault_handler(errors)
    if source.codec and source.signatures:
        return CodecDecoder(SignatureDecoder(source, errors, keep_bom=keep_bom))
    return CodecDecoder(decoder(source, errors))


def fault_encoder(target: Encoding, errors: str) -> _Transcoder | CodecEncoder:
    """Return what encodes UTF-8 and collects faults."""
    if target.native and is_built_in(errors):
        return _Transcoder(None, target.native, errors, None, collect_faults=True)
    return CodecEncoder(encoder(target, fault_handler(errors)))


def fault_handler(errors: str) -> str:
    """Return the name of an error handler that returns what ``errors`` returns, or raises its argument.

    Whatever else a handler raises, or does to its argument, would hide where the fault is.
    """
    if is_built_in(errors):
        return errors
    handler = codecs.lookup_error(errors)

    def handle(error: UnicodeError) -> tuple[str | bytes, int]:
        assert isinstance(error, (UnicodeDecodeError, UnicodeEncodeError))
        given = error.object, error.start, error.end
        try:
            return handler(error)
        except Exception:
            error.object, error.start, error.end = given
            raise error from None

    name = f"leadbyte-convert-{errors}"
    codecs.register_error(name, handle)
    return name
