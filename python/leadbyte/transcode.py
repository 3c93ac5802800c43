r"""Conversions from one encoding to another, bytes to bytes.

>>> from leadbyte.transcode import transcode
>>> transcode("Привет €".encode("utf-16"), "utf-16", "utf-8").decode()
'Привет €'
>>> transcode(b"\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "koi8-r")
b'\xf0\xd2\xc9\xd7\xc5\xd4'
>>> transcode(b"\x82\xa0", "utf-8", "utf-16-le")
Traceback (most recent call last):
UnicodeDecodeError: 'utf-8' codec can't decode byte 0x82 in position 0: invalid start byte

As a source, ``detect`` or ``auto`` is the encoding that :func:`leadbyte.detect` finds.

A name has Python's meaning. With the prefix ``whatwg:`` it has the meaning of the WHATWG Encoding Standard,
as in browsers, where ``latin1`` is Windows-1252, but for byte order marks, which are characters there; so
have labels that Python does not know. A number is a
Windows code page.

>>> transcode(b"\x80 5", "whatwg:latin1", 65001).decode()
'€ 5'
"""

from __future__ import annotations

import io
import os

from leadbyte._arguments import check_binary_file, check_handler, check_str, snapshot
from leadbyte._copying import NotCopyable
from leadbyte._encodings import DETECTION, Encoding, find, is_built_in
from leadbyte._leadbyte import _detect_whole, _transcode, _Transcoder
from leadbyte._str_transcoder import StrTranscoder, decode_whole, encode_whole

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal, TypeAlias

    from typing_extensions import Buffer

    from leadbyte._arguments import _BinaryFile
    from leadbyte._encodings import _Name
    from leadbyte._mixed import MixedDecoder

    _BomPolicy: TypeAlias = Literal["keep", "strip", "add"] | None

__all__ = ["Transcoder", "open_as_utf8", "transcode"]

# The number of bytes read at once.
PIECE_BYTES = 1 << 18


def transcode(
    data: Buffer, /, source: _Name, target: _Name, *, errors: str = "strict", bom: _BomPolicy = None
) -> bytes:
    r"""Return data, which is in the encoding ``source``, in the encoding ``target``.

    It returns or raises what ``bytes(data).decode(source, errors).encode(target, errors)`` does:
    UnicodeDecodeError for data that is malformed in ``source``, UnicodeEncodeError for a character that
    ``target`` does not have, LookupError for an unknown encoding or, where one is needed, an unknown handler.

    ``bom`` is the policy for a byte order mark. None is the default of the encodings (``utf-16``, ``utf-32``
    and ``utf-8-sig`` consume one and write one). "keep" writes one if there was one and ``target`` has one,
    "strip" writes none, "add" writes one (ValueError if ``target`` has none).

    With the source "detect" or "auto" it is what :func:`leadbyte.detect` finds in data; UnicodeDecodeError if
    that is not text.

    >>> from leadbyte.transcode import transcode
    >>> transcode(b"caf\xe9 \xa4", "iso8859-15", "utf-8")
    b'caf\xc3\xa9 \xe2\x82\xac'
    >>> transcode("5 €".encode(), source="utf-8", target="latin-1", errors="xmlcharrefreplace")
    b'5 &#8364;'
    """
    if source in DETECTION:
        from leadbyte._sampling import decoding_name

        found = _detect_whole(data)
        source = decoding_name(found, b"" if found.encoding else snapshot(data))
    reader, writer = find(source), find(target)
    own = True
    if errors != "strict" or bom is not None:
        check_str(errors, "transcode", "'errors'")
        check_bom(bom, writer)
        own = is_built_in(errors)
    native_source, native_target = reader.native, writer.native
    if native_source is not None and native_target is not None:
        try:
            return _transcode(data, native_source, native_target, errors if own else "strict", bom)
        except (UnicodeError, TypeError):
            # Python raises exactly the right exception, and calls other handlers.
            if own and not (reader.codec and writer.codec):
                raise
    content = snapshot(data)
    if bom is None and reader.codec and writer.codec:
        return encode_whole(writer, decode_whole(reader, content, errors), errors)
    return StrTranscoder(reader, writer, errors, bom).feed(content, last=True)


def check_bom(bom: _BomPolicy, writer: Encoding) -> None:
    """Raise ValueError if ``bom`` is not a policy, or ``writer`` has no byte order mark to add."""
    if bom not in (None, "keep", "strip", "add"):
        message = f"bom must be None, 'keep', 'strip' or 'add', not {bom!r}"
        raise ValueError(message)
    if bom == "add" and not writer.has_bom:
        message = f"bom='add': {writer.name} has no byte order mark"
        raise ValueError(message)


class Transcoder(NotCopyable):
    r"""Converts bytes in one encoding, in pieces cut anywhere, to another encoding.

    The arguments and the results are the same as for :func:`transcode`; UTF-7, which has several forms of a
    text, begins a new run of Base64 with each piece. An incomplete character at the end of
    a piece is kept until the next, so that memory is bounded by the size of the pieces, except for a run of
    Base64 in UTF-7, which Python's codec reads again with each piece until it ends. The ``object`` of a
    UnicodeDecodeError is the kept bytes and the piece, the ``object`` of a UnicodeEncodeError their text.
    After an error the Transcoder takes no more data. A Transcoder can neither be copied nor pickled.

    LookupError is raised at once for an unknown handler, for "detect" and "auto", as data that is yet to come
    cannot be looked at, and for Punycode and IDNA, which are for names of domains: only :func:`transcode`,
    without ``bom``, converts them, as a whole.

    >>> from leadbyte.transcode import Transcoder
    >>> transcoder = Transcoder("shift_jis", "utf-8")
    >>> transcoder.feed(b"\x82"), transcoder.feed(b"\xa0"), transcoder.finish()
    (b'', b'\xe3\x81\x82', b'')
    """

    __slots__ = ("_feed", "source", "target")

    source: str
    """The name of the encoding of the input."""
    target: str
    """The name of the encoding of the output."""

    def __init__(
        self, source: _Name, target: _Name, *, errors: str = "strict", bom: _BomPolicy = None
    ) -> None:
        if source in DETECTION:
            message = "a Transcoder does not detect its source; transcode and open_as_utf8 do"
            raise LookupError(message)
        reader, writer = find(source), find(target)
        check_handler(errors, "Transcoder")
        check_bom(bom, writer)
        self.source, self.target = reader.name, writer.name
        engine: _Transcoder | StrTranscoder
        if reader.native and writer.native and is_built_in(errors):
            engine = _Transcoder(reader.native, writer.native, errors, bom)
        else:
            engine = StrTranscoder(reader, writer, errors, bom)
        self._feed = engine.feed

    def feed(self, data: Buffer, /) -> bytes:
        """Return the conversion of the characters that ``data``, any bytes-like object, completes."""
        return self._feed(data, last=False)

    def finish(self) -> bytes:
        """Return the end of the output; raise UnicodeDecodeError if a character is incomplete."""
        return self._feed(b"", last=True)

    def iter_bytes(self, chunks: Iterable[Buffer], /) -> Iterator[bytes]:
        """Yield the conversion of chunks to their end, no empty bytes."""
        for chunk in chunks:
            if converted := self.feed(chunk):
                yield converted
        if converted := self.finish():
            yield converted


def open_as_utf8(
    file: str | os.PathLike[str] | _BinaryFile,
    /,
    source: _Name,
    *,
    errors: str = "strict",
    fallback: _Name | None = None,
) -> io.BufferedReader:
    r"""Return a binary file with the text of ``file``, in UTF-8 without a byte order mark.

    ``file`` is a path, or an open binary file; a file that was opened by its path is closed with the result.
    The text is converted as it is read. With the source "detect" or "auto", the start of the file, up to
    64 MiB of it, is read at once and its encoding detected, in a larger regular file the encoding of samples;
    UnicodeDecodeError if it is not text. This serves readers that take UTF-8 only: csv, pandas, polars.

    With the source "utf-8", lines that are not UTF-8 are decoded in the encoding ``fallback``, a legacy one
    that contains ASCII, or with "auto" in the most likely one of each. ValueError for another source or
    fallback, or other errors than "strict" and "replace".

    >>> import csv, io
    >>> from leadbyte.transcode import open_as_utf8
    >>> with open_as_utf8(io.BytesIO(b"\xe8\xec\xff;1\n"), "cp1251") as file:
    ...     list(csv.reader(io.TextIOWrapper(file, "utf-8", newline=""), delimiter=";"))
    [['имя', '1']]
    >>> open_as_utf8(io.BytesIO("é\n".encode() + b"\xe9\n"), "utf-8", fallback="cp1252").read().decode()
    'é\né\n'
    """
    detects = source in DETECTION
    # A wrong argument is an error before the file is opened.
    transcoder: Transcoder | MixedTranscoder
    transcoder = Transcoder("utf-8" if detects else source, "utf-8", errors=errors, bom="strip")
    if fallback is not None:
        from leadbyte._mixed import MixedDecoder, check_fallback

        check_fallback(source, fallback, errors)
        transcoder = MixedTranscoder(MixedDecoder(fallback, errors), transcoder)
    own: io.FileIO | None = None
    opened: _BinaryFile
    if isinstance(file, (str, os.PathLike)):
        opened = own = io.FileIO(os.fspath(file))
    else:
        check_binary_file(file, "file")
        opened = file
    ready = b""
    if detects:
        from leadbyte._sampling import decoding_name, detect_start

        try:
            found, start = detect_start(own, pieces_of(opened))
            name = decoding_name(found, bytes(start))
            transcoder = Transcoder(name, "utf-8", errors=errors, bom="strip")
            ready = transcoder.feed(start)
        except BaseException:
            if own:
                own.close()
            raise
    return io.BufferedReader(TranscodingReader(opened, transcoder, own, ready))


def pieces_of(file: _BinaryFile) -> Iterator[bytes]:
    """Yield the rest of a file in pieces."""
    while piece := file.read(PIECE_BYTES):
        yield piece
    if piece is None:
        message = "the file has no data yet, and does not block"
        raise BlockingIOError(message)


class MixedTranscoder:
    """A Transcoder from UTF-8 that gets lines in other encodings decoded."""

    def __init__(self, mixed: MixedDecoder, transcoder: Transcoder) -> None:
        self.mixed = mixed
        self.transcoder = transcoder

    def feed(self, data: Buffer) -> bytes:
        """Return the conversion of the lines that the data completes."""
        return self.transcoder.feed(self.mixed.feed(data))

    def finish(self) -> bytes:
        """Return the end of the output."""
        return self.transcoder.feed(self.mixed.finish()) + self.transcoder.finish()


class TranscodingReader(io.RawIOBase):
    """A binary file whose text is converted as it is read."""

    def __init__(
        self,
        file: _BinaryFile,
        transcoder: Transcoder | MixedTranscoder,
        own: io.FileIO | None,
        ready: bytes,
    ) -> None:
        super().__init__()
        self._file = file
        self._transcoder: Transcoder | MixedTranscoder | None = transcoder
        self._own = own
        self._ready = memoryview(ready)

    @property
    def name(self) -> object:
        """The name of the source file."""
        return getattr(self._file, "name", None)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer, /) -> int | None:
        """Fill a buffer with the next bytes; return their number, 0 at the end."""
        while not self._ready and self._transcoder is not None:
            piece = self._file.read(PIECE_BYTES)
            if piece is None:
                return None
            if piece:
                self._ready = memoryview(self._transcoder.feed(piece))
            else:
                self._ready = memoryview(self._transcoder.finish())
                self._transcoder = None
        out = memoryview(buffer).cast("B")
        ready, self._ready = self._ready[: len(out)], self._ready[len(out) :]
        out[: len(ready)] = ready
        return len(ready)

    def close(self) -> None:
        """Close the source file, if it was opened by its path."""
        if self._own:
            self._own.close()
        super().close()


def __dir__() -> list[str]:
    return __all__
