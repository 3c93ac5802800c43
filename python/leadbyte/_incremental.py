"""The incremental decoder and encoder: CPython's protocol over the native functions."""

from __future__ import annotations

import codecs

from leadbyte._arguments import snapshot
from leadbyte._leadbyte import _decode_prefix, encode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import Protocol

    from typing_extensions import Buffer

    class _Decoder(Protocol):
        """The part of an incremental decoder that is used in the package."""

        def decode(self, data: bytes, final: bool, /) -> str: ...
        def getstate(self) -> tuple[bytes, int]: ...
        def setstate(self, state: tuple[bytes, int], /) -> None: ...

    class _Encoder(Protocol):
        """The part of an incremental encoder that is used in the package."""

        def encode(self, text: str, final: bool, /) -> bytes: ...
        def getstate(self) -> int | str: ...
        def setstate(self, state: int | str, /) -> None: ...


__all__ = ["IncrementalDecoder", "IncrementalEncoder"]


class BufferedDecoder(codecs.BufferedIncrementalDecoder):
    """An incremental decoder of any bytes-like objects: Python's own adds what it keeps to its argument."""

    def decode(self, input: Buffer, final: bool = False) -> str:
        """Return the text that ``input`` completes; with ``final``, the text to its end."""
        return super().decode(snapshot(input), final)


class IncrementalDecoder(BufferedDecoder):
    r"""Decodes UTF-8 in chunks, as ``codecs.getincrementaldecoder("utf-8")`` does.

    A chunk is any bytes-like object, as for :func:`decode`.

    >>> decoder = leadbyte.IncrementalDecoder()
    >>> decoder.decode(b"5 \xe2\x82"), decoder.decode(b"\xac", True)
    ('5 ', '€')
    >>> decoder.decode(b"\xe2\x82", True)
    Traceback (most recent call last):
    UnicodeDecodeError: 'utf-8' codec can't decode bytes in position 0-1: unexpected end of data
    """

    __module__ = "leadbyte"

    def _buffer_decode(self, input: Buffer, errors: str, final: bool) -> tuple[str, int]:
        return _decode_prefix(input, errors, final)


class CompleteDecoder:
    """An incremental decoder of Python's that leaves nothing at the end of the data.

    Decoders of multibyte encodings call the error handler once for a truncated character at the end, and keep
    the bytes that it leaves until the next call.
    """

    def __init__(self, decoder: _Decoder) -> None:
        self.decoder = decoder
        self.getstate = decoder.getstate
        self.setstate = decoder.setstate

    def decode(self, data: bytes, final: bool = False) -> str:
        """Return the text of the complete characters; with ``final``, the text to the end of the data."""
        text = self.decoder.decode(data, final)
        # Each call decodes one byte at least, unless the error handler goes back.
        for _ in self.getstate()[0] if final else b"":
            text += self.decoder.decode(b"", True)
        return text


class IncrementalEncoder(codecs.IncrementalEncoder):
    r"""Encodes text in chunks, as ``codecs.getincrementalencoder("utf-8")`` does.

    >>> encoder = leadbyte.IncrementalEncoder(errors="replace")
    >>> encoder.encode("5 €"), encoder.encode("\ud800", True)
    (b'5 \xe2\x82\xac', b'?')
    """

    __module__ = "leadbyte"

    def encode(self, input: str, final: bool = False) -> bytes:  # noqa: ARG002
        """Return the UTF-8 of ``input``; ``final`` makes no difference."""
        return encode(input, errors=self.errors)
