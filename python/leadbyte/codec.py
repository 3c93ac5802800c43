r"""Codecs for functions that take the name of an encoding.

``leadbyte-utf-8`` and ``leadbyte-utf-8-sig`` are equivalent to Python's ``utf-8`` and ``utf-8-sig``;
``cesu-8``, ``mutf-8`` (Java's Modified UTF-8) and ``wtf-8`` are the codecs of ``leadbyte.variants``. A
file that is written with ``wtf-8`` loses a high surrogate at its end, as Python does not call its encoder
for the end. ``leadbyte-detect`` decodes by the encoding that ``leadbyte.detect`` finds, and encodes nothing.
Error handlers decode bytes that are not UTF-8 in a single-byte encoding, or replace them as other
programs do.

>>> import leadbyte.codec
>>> leadbyte.codec.register()
>>> b"\xe2\x82\xac".decode("leadbyte-utf-8")
'€'
>>> "€".encode("leadbyte-utf-8-sig")
b'\xef\xbb\xbf\xe2\x82\xac'
>>> "Добрый вечер".encode("koi8-r").decode("leadbyte-detect")
'Добрый вечер'
>>> "a\0😀".encode("mutf-8")
b'a\xc0\x80\xed\xa0\xbd\xed\xb8\x80'
>>> b"Zo\xc3\xab, Bj\xf6rn".decode(errors="leadbyte-cp1252")
'Zoë, Björn'

Most of the time is then spent in ``open``'s translation of newlines, which ``newline="\n"`` avoids.
"""

from __future__ import annotations

import codecs
import re
from functools import cache, partial

from leadbyte._arguments import snapshot
from leadbyte._incremental import BufferedDecoder, CompleteDecoder, IncrementalDecoder, IncrementalEncoder
from leadbyte._leadbyte import (
    BOM,
    Detector,
    _count_replacements,
    _decode_prefix,
    _decode_variant_prefix,
    _detect_whole,
    _detectable_encodings,
    _encode_variant,
    _substitutions,
    detect,
    encode,
)

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from leadbyte._leadbyte import Detection, _Substitution

__all__ = ["register"]

# The encodings of the error handlers, by their names in Python.
FALLBACKS = (
    *("cp437", "cp850", "cp852", "cp866", "cp874"),
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17))),
    *("koi8-r", "koi8-u", "mac-cyrillic", "mac-roman"),
)


def register() -> None:
    r"""Register the encodings and the error handlers; calling it again has no effect.

    The encodings are ``leadbyte-utf-8``, ``leadbyte-utf-8-sig``, ``leadbyte-detect``, ``cesu-8`` (or
    ``cesu8``), ``mutf-8`` (or ``mutf8``, ``modified-utf-8``, ``java-modified-utf-8``) and ``wtf-8`` (or
    ``wtf8``).

    The error handlers are ``leadbyte-`` and one of ``cp437``, ``cp850``, ``cp852``, ``cp866``, ``cp874``,
    ``cp1250`` to ``cp1258``, ``iso8859-1`` to ``iso8859-16`` (there is no 12), ``koi8-r``, ``koi8-u``,
    ``mac-cyrillic`` and ``mac-roman``. They decode the bytes that a decoder cannot decode in this encoding,
    by Python's table. An undefined byte below A0 becomes the C1 control of that number, as in the WHATWG
    Encoding Standard, and any other undefined byte U+FFFD, so that decoding never fails. They serve any
    decoder that calls error handlers; an encoder raises its UnicodeEncodeError. In contrast to
    :func:`leadbyte.mojibake.decode_mixed`, which decodes whole lines, they leave sequences of bytes that
    happen to be UTF-8 as they are.

    ``leadbyte-java``, ``leadbyte-okio``, ``leadbyte-go`` and ``leadbyte-go-runs`` replace malformed bytes
    by as many U+FFFD as these programs do (see :func:`leadbyte.repair`); ``leadbyte-whatwg`` is equivalent
    to ``replace``. They are exact for data that is decoded as a whole; an incremental decoder shows a handler
    only the chunk with the error.

    >>> import leadbyte.codec
    >>> leadbyte.codec.register()
    >>> b"\xcf\xf0\xe8\xe2\xe5\xf2 \xe2\x82\xac".decode(errors="leadbyte-cp1251")
    'Привет €'
    >>> leadbyte.decode(b"\xa4 \x81", errors="leadbyte-iso8859-15"), b"\x81".decode(errors="leadbyte-cp1252")
    ('€ \x81', '\x81')
    >>> b"\xed\xa0\x80".decode(errors="replace"), b"\xed\xa0\x80".decode(errors="leadbyte-java")
    ('\ufffd\ufffd\ufffd', '\ufffd')
    >>> "Ж".encode("ascii", errors="leadbyte-cp1251")
    Traceback (most recent call last):
        ...
    UnicodeEncodeError: 'ascii' codec can't encode character '\u0416' in position 0: ordinal not in range(128)
    """
    try:
        codecs.lookup(UTF_8.name)
    except LookupError:
        codecs.register(search)
        for encoding in FALLBACKS:
            codecs.register_error(f"leadbyte-{encoding}", partial(decode_in, encoding))
        for substitution in _substitutions():
            codecs.register_error(f"leadbyte-{substitution}", partial(replace_as, substitution))


def decode_in(encoding: str, error: UnicodeError) -> tuple[str, int]:
    """Return the text of the bytes of an error in a single-byte encoding, and the offset behind them."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    characters = table(encoding)
    return "".join([characters[byte] for byte in error.object[error.start : error.end]]), error.end


def replace_as(substitution: _Substitution, error: UnicodeError) -> tuple[str, int]:
    """Return as many U+FFFD as another program has for an error, and the offset behind it."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    start, end = error.start, error.end
    return "\ufffd" * _count_replacements(error.object, start, end, substitution), end


def make_table(encoding: str) -> str:
    """Return the characters of all bytes in a single-byte encoding."""
    characters = bytes(range(256)).decode(encoding, "replace")
    controls = enumerate(characters[:0xA0])
    defined = (chr(byte) if character == "\ufffd" else character for byte, character in controls)
    return "".join(defined) + characters[0xA0:]


table: Callable[[str], str] = cache(make_table)


def search(name: str) -> codecs.CodecInfo | None:
    """Return the codec of this name, in which Python writes ``_`` for ``-``."""
    name = name.replace("_", "-")
    return CODECS.get(ALIASES.get(name, name))


def encode_utf_8(text: str, errors: str = "strict") -> tuple[bytes, int]:
    """Return the UTF-8 of text and the length of text."""
    return encode(text, errors=errors), len(text)


def decode_utf_8(data: Buffer, errors: str = "strict") -> tuple[str, int]:
    """Return the text of UTF-8, and the number of bytes decoded."""
    return _decode_prefix(data, errors, True)


class StreamReader(codecs.StreamReader):
    """Reads text from a binary file."""

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Return the text of the next bytes, and the number of bytes decoded."""
        return _decode_prefix(input, errors)


class StreamWriter(codecs.StreamWriter):
    """Writes text to a binary file."""

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Return the UTF-8 of the next text, and the length of the text."""
        return encode_utf_8(input, errors)


# utf-8-sig: a byte order mark at the start is removed, or written.


def encode_utf_8_sig(text: str, errors: str = "strict") -> tuple[bytes, int]:
    """Return the byte order mark with the UTF-8 of text, and the length of text."""
    return BOM + encode(text, errors=errors), len(text)


def decode_utf_8_sig(data: Buffer, errors: str = "strict", final: bool = True) -> tuple[str, int]:
    """Return the text of UTF-8 without a byte order mark, and the number of bytes decoded, with the mark."""
    whole = snapshot(data)
    start = len(BOM) if whole.startswith(BOM) else 0
    text, length = _decode_prefix(whole[start:], errors, final)
    return text, start + length


def is_undecided(data: bytes) -> bool:
    """Return whether data is an incomplete byte order mark."""
    return len(data) < len(BOM) and BOM.startswith(data)


class SigIncrementalEncoder(IncrementalEncoder):
    """An incremental encoder that writes a byte order mark first."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self.first = 1

    def encode(self, input: str, final: bool = False) -> bytes:
        """Return the UTF-8 of the next text."""
        bom, self.first = BOM if self.first else b"", 0
        return bom + super().encode(input, final)

    def reset(self) -> None:
        """Start again, with a byte order mark."""
        super().reset()
        self.first = 1

    def getstate(self) -> int:
        """Return 1 if the byte order mark is still to be written, else 0."""
        return self.first

    def setstate(self, state: int | str) -> None:
        """Restore a state."""
        self.first = int(state)


class SigIncrementalDecoder(BufferedDecoder):
    """An incremental decoder that removes a byte order mark at the start."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self.first = 1

    def _buffer_decode(  # type: ignore[override] # it gets bytes only
        self, input: bytes, errors: str, final: bool
    ) -> tuple[str, int]:
        if not self.first:
            return _decode_prefix(input, errors, final)
        if is_undecided(input):
            return "", 0
        self.first = 0
        return decode_utf_8_sig(input, errors, final)

    def reset(self) -> None:
        """Start again."""
        super().reset()
        self.first = 1

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes of an incomplete character, and 1 at the start of the text, else 0."""
        return super().getstate()[0], self.first

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Restore a state."""
        super().setstate(state)
        self.first = state[1]


class SigStreamReader(codecs.StreamReader):
    """Reads text from a binary file, without a byte order mark at its start."""

    first = True

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Return the text of the next bytes, and the number of bytes decoded."""
        if not self.first:
            return _decode_prefix(input, errors)
        if is_undecided(input):
            return "", 0
        self.first = False
        return decode_utf_8_sig(input, errors, final=False)

    def reset(self) -> None:
        """Start again."""
        super().reset()
        self.first = True


class SigStreamWriter(codecs.StreamWriter):
    """Writes text to a binary file, with a byte order mark at its start."""

    first = True

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Return the UTF-8 of the next text."""
        encoder, self.first = encode_utf_8_sig if self.first else encode_utf_8, False
        return encoder(input, errors)

    def reset(self) -> None:
        """Start again, with a byte order mark."""
        super().reset()
        self.first = True


class Wtf8IncrementalEncoder(codecs.IncrementalEncoder):
    """An incremental encoder of WTF-8, which keeps a high surrogate until the next character."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self.kept = ""

    def encode(self, input: str, final: bool = False) -> bytes:
        """Return the WTF-8 of the next text, except a high surrogate at its end."""
        text = self.kept + input
        self.kept = text[-1:] if not final and "\ud800" <= text[-1:] <= "\udbff" else ""
        return _encode_variant("wtf-8", text[: len(text) - len(self.kept)], self.errors)

    def reset(self) -> None:
        """Start again."""
        super().reset()
        self.kept = ""

    def getstate(self) -> int:
        """Return the kept surrogate, or 0."""
        return ord(self.kept) if self.kept else 0

    def setstate(self, state: int | str) -> None:
        """Restore a state."""
        self.kept = chr(int(state)) if state else ""


# leadbyte-detect: the encoding that is detected in the data.


def encode_detected(text: str, errors: str = "strict") -> tuple[bytes, int]:  # noqa: ARG001
    """Raise UnicodeError: there is no encoding to detect."""
    message = "leadbyte-detect only decodes; name the encoding to encode with, such as utf-8"
    raise UnicodeError(message)


def decode_detected(data: Buffer, errors: str = "strict") -> tuple[str, int]:
    """Return the text of data in the encoding that is detected in it, and the length of data."""
    whole = snapshot(data)
    return DetectIncrementalDecoder(errors).decode_as(_detect_whole(whole), whole, final=True), len(whole)


def is_plain(data: bytes) -> bool:
    """Return whether data is the same text in all encodings, as ASCII is without escape sequences."""
    return data.isascii() and not (b"\x1b" in data or b"\x0e" in data or b"~{" in data)


class DetectIncrementalEncoder(codecs.IncrementalEncoder):
    """An incremental encoder that always raises UnicodeError."""

    def encode(self, input: str, final: bool = False) -> bytes:  # noqa: ARG002
        """Raise UnicodeError: there is no encoding to detect."""
        return encode_detected(input)[0]


class DetectIncrementalDecoder(codecs.IncrementalDecoder):
    """An incremental decoder that keeps data until its encoding is detected.

    ASCII without escape sequences is the same in every encoding: when much is held, it is passed on, and so
    are the lines of it that follow. The first other line is detected with what the start declares. However
    data is cut, it is passed on up to the same bytes: those that are held and a number are the state.
    """

    # The number of the encoding, its place in DECODABLE from 1, and its decoder; None until it is known.
    number: int
    decoder: CompleteDecoder | None

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self.reset()

    def reset(self) -> None:
        """Start again."""
        self.start(0, b"")

    def start(self, passed: int, held: bytes) -> None:
        """Start a detection with bytes that are held.

        ``passed`` is 0 at the start of the data, or 1 and the number of the declared encoding after ASCII.
        """
        self.number, self.decoder = 0, None
        self.passed, self.held = passed, b""
        self.detector = Detector()
        if passed:
            # With anything before, no file format starts here.
            declared = f'<meta charset="{DECODABLE[passed - 2]}">' if passed > 1 else ""
            self.detector.update(f"{declared}\n".encode())
        self.hold(held)

    def decode(self, input: Buffer, final: bool = False) -> str:
        """Return the text of the next bytes, or nothing until the encoding is detected."""
        data = snapshot(input)
        if self.decoder is not None:
            return self.decoder.decode(data, final)
        texts = []
        before = self.getstate()
        try:
            for start in range(0, max(len(data), 1), PIECE_BYTES):
                if self.decoder is not None:
                    texts.append(self.decoder.decode(data[start:], final))
                    break
                end = start + PIECE_BYTES
                texts.append(self.detect(data[start:end], final=final and end >= len(data)))
        except BaseException:
            self.setstate(before)
            raise
        return "".join(texts)

    def detect(self, data: bytes, *, final: bool) -> str:
        """Return the text of the next bytes that is known with them."""
        texts = []
        while True:
            if self.passed and is_plain(self.held):
                text, data = self.pass_lines(data)
                texts.append(text)
                if not data and not final:
                    return "".join(texts)
                self.start(self.passed, self.held)
            length = MAX_HELD_BYTES - len(self.held)
            part, data = (data[:length], data[length:]) if length > 0 else (data, b"")
            self.hold(part)
            if len(self.held) == MAX_HELD_BYTES and self.held.isascii() and not self.detector.done:
                # It looked like an escape sequence, but is not.
                end = max(self.held.rfind(b"\n") + 1, MAX_HELD_BYTES - PASSED_BYTES)
                texts.append(self.held[:end].decode("ascii"))
                self.start(self.passed or 1 + self.declared(), self.held[end:])
            elif not data:
                break
        if final or self.detector.done:
            found = self.detector._finish_whole() if final else self.detector.finish()
            texts.append(self.decode_as(found, self.held, final=final))
        return "".join(texts)

    def pass_lines(self, data: bytes) -> tuple[str, bytes]:
        """Return the text of lines of ASCII, and the bytes after all that is ASCII; hold the rest of that."""
        plain = self.held + data
        if not is_plain(plain) and (other := OTHER.search(plain)):
            plain = plain[: other.start()]
        data = data[len(plain) - len(self.held) :]
        end = plain.rfind(b"\n") + 1
        # Of a line without an end all but the last bytes.
        end += max(len(plain) - end - PASSED_BYTES, 0) // PASSED_BYTES * PASSED_BYTES
        self.held = plain[end:]
        return plain[:end].decode("ascii"), data

    def hold(self, data: bytes) -> None:
        """Hold more bytes for the detection."""
        self.held += data
        self.detector.update(data)

    def declared(self) -> int:
        """Return the number of the encoding that the bytes that are held declare, or 0."""
        declared = self.detector.finish().declared
        if declared is None:
            return 0
        try:
            # Among a single encoding nothing at all is in that, by the name that is reported.
            name = Detector(encodings=[declared]).finish().encoding or ""
        except LookupError:
            return 0
        return DECODABLE.index(name) + 1

    def decode_as(self, found: Detection, data: bytes, *, final: bool) -> str:
        """Return the text of data in the encoding that was found, which further data has, too."""
        from leadbyte._sampling import decoding_name

        return self.open(DECODABLE.index(decoding_name(found, data)) + 1).decode(data, final)

    def open(self, number: int) -> CompleteDecoder:
        """Start the decoder of an encoding, given its number, and return it."""
        self.number, self.held = number, b""
        self.decoder = CompleteDecoder(codecs.getincrementaldecoder(DECODABLE[number - 1])(self.errors))
        return self.decoder

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes not decoded yet, and the number of the encoding with its decoder's state.

        While the encoding is not known, it is 0, with `passed` instead of a decoder's state.
        """
        held, state = self.decoder.getstate() if self.decoder is not None else (self.held, self.passed)
        return held, state << NUMBER_BITS | self.number

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Restore a state."""
        held, numbers = state
        number, numbers = numbers & ((1 << NUMBER_BITS) - 1), numbers >> NUMBER_BITS
        if number:
            self.open(number).setstate((held, numbers))
        else:
            self.start(numbers, held)


# The number of bytes of ASCII that are held before some are passed on; and of a long line, how many at once.
MAX_HELD_BYTES = 16 << 10
PASSED_BYTES = 1 << 10
# The number of bytes that are looked at together until the encoding is known.
PIECE_BYTES = 64 << 10
# The first byte of a line that is not ASCII in all encodings: of ISO-2022, HZ or beyond.
OTHER = re.compile(rb"[\x80-\xff\x1b\x0e]|~\{")
# The bits of the number of an encoding: TextIOWrapper has 31 for the state, of which ISO-2022-JP takes 23,
# and ISO-2022-KR more than there are.
NUMBER_BITS = 7

# The names of the encodings that are detected.
DECODABLE = _detectable_encodings()


class DetectStreamReader(codecs.StreamReader):
    """Reads text from a binary file in the encoding that is detected in the first bytes read."""

    decoder: DetectIncrementalDecoder | None = None

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Return the text of the next bytes, and their number."""
        decoder = self.decoder
        if decoder is not None:
            return decoder.decode(input), len(input)
        decoder = DetectIncrementalDecoder(errors)
        text = decoder.decode_as(detect(input), input, final=False)
        self.decoder = decoder
        return text, len(input)

    def reset(self) -> None:
        """Start again."""
        super().reset()
        self.decoder = None


class DetectStreamWriter(codecs.StreamWriter):
    """Raises UnicodeError for any text."""

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Raise UnicodeError: there is no encoding to detect."""
        return encode_detected(input, errors)


class VariantStreamReader(codecs.StreamReader):
    """Reads text from a binary file."""

    def __init__(self, variant: str, stream: codecs._ReadableStream, errors: str = "strict") -> None:
        super().__init__(stream, errors)
        self.variant = variant

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Return the text of the next bytes, and the number of bytes decoded."""
        # At the end of the file it gets once more the bytes that were left, which may be a high surrogate.
        final = len(input) == len(self.bytebuffer)
        return _decode_variant_prefix(self.variant, input, errors, final)


class VariantStreamWriter(codecs.StreamWriter):
    """Writes text to a binary file by an incremental encoder."""

    def __init__(
        self,
        encoder: codecs._IncrementalEncoder,
        stream: codecs._WritableStream,
        errors: str = "strict",
    ) -> None:
        super().__init__(stream, errors)
        self.encoder = encoder(errors)

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Return the bytes of the next text, and the length of the text."""
        self.encoder.errors = errors
        return self.encoder.encode(input), len(input)

    def reset(self) -> None:
        """Write a surrogate that is kept, and start again."""
        if kept := self.encoder.encode("", True):
            self.stream.write(kept)
        self.encoder.reset()

    def seek(self, offset: int, whence: int = 0) -> None:
        """Write a surrogate that is kept, and move in the file."""
        self.reset()
        super().seek(offset, whence)

    def close(self) -> None:
        """Write a surrogate that is kept, and close the file."""
        self.reset()
        self.stream.close()

    def __exit__(self, *_exception: object) -> None:
        """Close the file."""
        self.close()


class VariantIncrementalDecoder(BufferedDecoder):
    """An incremental decoder of a variant of UTF-8."""

    def __init__(self, variant: str, errors: str = "strict") -> None:
        super().__init__(errors)
        self.variant = variant

    def _buffer_decode(self, input: Buffer, errors: str, final: bool) -> tuple[str, int]:
        return _decode_variant_prefix(self.variant, input, errors, final)


class VariantIncrementalEncoder(codecs.IncrementalEncoder):
    """An incremental encoder of a variant of UTF-8."""

    def __init__(self, variant: str, errors: str = "strict") -> None:
        super().__init__(errors)
        self.variant = variant

    def encode(self, input: str, final: bool = False) -> bytes:  # noqa: ARG002
        """Return the bytes of the next text."""
        return _encode_variant(self.variant, input, self.errors)


def variant_codec(variant: str, encoder: codecs._IncrementalEncoder | None = None) -> codecs.CodecInfo:
    """Return the codec of a variant of UTF-8."""
    encoder = encoder or partial(VariantIncrementalEncoder, variant)

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return _encode_variant(variant, text, errors), len(text)

    def decode(data: Buffer, errors: str = "strict") -> tuple[str, int]:
        return _decode_variant_prefix(variant, data, errors, True)

    return codecs.CodecInfo(
        encode,
        decode,
        partial(VariantStreamReader, variant),
        partial(VariantStreamWriter, encoder),
        encoder,
        partial(VariantIncrementalDecoder, variant),
        name=variant,
    )


UTF_8 = codecs.CodecInfo(
    encode_utf_8,
    decode_utf_8,
    StreamReader,
    StreamWriter,
    IncrementalEncoder,
    IncrementalDecoder,
    name="leadbyte-utf-8",
)
UTF_8_SIG = codecs.CodecInfo(
    encode_utf_8_sig,
    decode_utf_8_sig,
    SigStreamReader,
    SigStreamWriter,
    SigIncrementalEncoder,
    SigIncrementalDecoder,
    name="leadbyte-utf-8-sig",
)
DETECT = codecs.CodecInfo(
    encode_detected,
    decode_detected,
    DetectStreamReader,
    DetectStreamWriter,
    DetectIncrementalEncoder,
    DetectIncrementalDecoder,
    name="leadbyte-detect",
)
CODECS = {
    codec.name: codec
    for codec in (
        DETECT,
        UTF_8,
        UTF_8_SIG,
        variant_codec("cesu-8"),
        variant_codec("mutf-8"),
        variant_codec("wtf-8", Wtf8IncrementalEncoder),
    )
}
ALIASES = {
    "cesu8": "cesu-8",
    "mutf8": "mutf-8",
    "modified-utf-8": "mutf-8",
    "modified-utf8": "mutf-8",
    "java-modified-utf-8": "mutf-8",
    "wtf8": "wtf-8",
}


def __dir__() -> list[str]:
    return __all__
