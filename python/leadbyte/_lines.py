"""Lines of files and of bytes-like objects."""

from __future__ import annotations

import codecs
import io

from leadbyte._arguments import check_binary_file
from leadbyte._encodings import find, is_built_in
from leadbyte._incremental import CompleteDecoder, IncrementalDecoder
from leadbyte._leadbyte import Detector, LineIterator, _detect_whole, encode
from leadbyte._read_text import NATIVE, NEWLINES, own_name
from leadbyte._sampling import decoding_name
from leadbyte._split import has_buffer
from leadbyte._str_transcoder import NativeDecoder
from leadbyte._str_transcoder import decoder as incremental_decoder

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import TypeAlias

    from typing_extensions import Buffer

    from leadbyte._arguments import _BinaryFile
    from leadbyte._incremental import _Decoder

    _Path: TypeAlias = int | str | os.PathLike[str] | os.PathLike[bytes]
    _Read: TypeAlias = Callable[[int], Buffer | None]

__all__ = ["lines"]

# The number of bytes that are read at once. These and the lines made of them stay in the second-level cache;
# an eighth of it takes 8 % longer.
BLOCK_BYTES = 128 << 10


def lines(
    file_or_data: _Path | _BinaryFile | Buffer,
    /,
    *,
    encoding: str | int = "utf-8",
    errors: str = "strict",
    newline: str | None = None,
) -> LineIterator:
    r"""Iterate over the lines of ``open(path, encoding=encoding, errors=errors, newline=newline)``.

    Lines keep their ends, as ``newline`` translates them, and are not split at other characters, such as
    U+2028. Memory is limited to the longest line. ``batches(n)`` iterates over lists of n lines. ``close()``,
    which ``with`` calls, closes a file that was opened here, as its end does.

    file_or_data: a path, or the number of an open file; a binary file, which is read from its position on,
    further than the lines returned so far, and is left open; or any bytes-like object, such as a memory map.
    encoding: as for ``read_text``; ``"auto"`` is ``"detect"``. To detect, a seekable file is read twice.
    errors: an error handler. In UTF-8, an error that is not replaced concerns one line: the ``object`` of the
    exception is the line in bytes, and the next call continues after it. In other encodings, and by handlers
    that are not Python's own, it is the block that was decoded, and the error is final. The ``location`` of
    the exception, where it is known, counts from where the reading began, and its lines are these lines.
    After another exception, as of the handler of a signal, the next call continues where this one was; in
    encodings that Python does not have, it may raise the exception again.

    >>> import io
    >>> list(leadbyte.lines(b"one\r\ntwo\xe2\x80\xa8\nthree"))
    ['one\n', 'two\u2028\n', 'three']
    >>> with leadbyte.lines(io.BytesIO(b"a;b\r\nc;d\r\n"), newline="") as file:
    ...     list(file.batches(100))
    [['a;b\r\n', 'c;d\r\n']]
    >>> try:
    ...     list(leadbyte.lines(b"one\ntwo \xff\n"))
    ... except UnicodeDecodeError as error:
    ...     print(error.location.line, error.location.column, error.object)
    2 5 b'two \xff\n'
    """
    reading = Reading(encoding, errors, newline)
    if has_buffer(file_or_data):
        return reading.of_data(file_or_data)  # type: ignore[arg-type]
    if hasattr(file_or_data, "read"):
        return reading.of_file(file_or_data)  # type: ignore[arg-type]
    file: io.FileIO = open(file_or_data, "rb", buffering=0)  # type: ignore[arg-type, assignment] # noqa: SIM115
    try:
        return reading.of_file(file, file.close)
    except BaseException:
        file.close()
        raise


class Reading:
    """How lines are read: the arguments of open()."""

    def __init__(self, encoding: str | int, errors: str, newline: str | None) -> None:
        name = "detect" if encoding == "auto" else encoding
        native = name if name in NATIVE else own_name(name)
        # Raises what open() raises.
        known = str(encoding) if native is None else "utf-8"
        file = io.BufferedReader(io.BytesIO())  # type: ignore[type-var, unused-ignore]
        io.TextIOWrapper(file, encoding=known, errors=errors, newline=newline)
        self.encoding = known if native is None else str(native)
        self.is_known_to_open = native is None
        self.errors = errors
        self.newline = newline

    def of_data(self, data: Buffer) -> LineIterator:
        """Return the lines of a bytes-like object."""
        if self.encoding == "detect":
            self.encoding = decoding_name(_detect_whole(data), bytes(memoryview(data)[:BLOCK_BYTES]))
        return self.of(data)

    def of_file(self, file: _BinaryFile, release: Callable[[], None] | None = None) -> LineIterator:
        """Return the lines of a binary file."""
        check_binary_file(file, "data")
        # Does not wait for more bytes than there are.
        read: _Read = getattr(file, "read1", file.read)
        if self.encoding == "detect":
            self.encoding = detected_name(file, read)
        return self.of(read, release)

    def of(self, source: Buffer | _Read, release: Callable[[], None] | None = None) -> LineIterator:
        """Return the lines of a text in this encoding."""
        return LineIterator(
            source,
            decoder=None if self.is_by_line() else BlockDecoder(self.decoder, self.errors),
            errors=self.errors,
            newline=NEWLINES.index(self.newline),
            skips_bom=self.encoding == "utf-8-sig",
            release=release,
            block_bytes=BLOCK_BYTES,
        )

    def is_by_line(self) -> bool:
        """Return whether each line is decoded by itself, without a decoder of blocks."""
        # Without the errors between them, a CR and an LF are one line end.
        joins = self.errors == "ignore" and self.newline not in ("\n", "\r")
        return self.encoding in ("utf-8", "utf-8-sig") and is_built_in(self.errors) and not joins

    def decoder(self) -> _Decoder:
        """Return a new decoder of blocks."""
        if self.encoding in ("utf-8", "utf-8-sig"):
            return IncrementalDecoder(self.errors)
        if self.is_known_to_open:
            return CompleteDecoder(codecs.getincrementaldecoder(self.encoding)(self.errors))
        return incremental_decoder(find(self.encoding), self.errors)


def detected_name(file: _BinaryFile, read: _Read) -> str:
    """Return the name of the encoding of a file, or of the codec that detects it in the first bytes."""
    if not file.seekable():
        return "leadbyte-detect"
    position = file.tell()
    start = block = read(BLOCK_BYTES)
    detector = Detector()
    while block and not detector.update(block):
        block = read(BLOCK_BYTES)
    file.seek(position)
    return decoding_name(detector._finish_whole(), bytes(start or b""))


class BlockDecoder:
    """Decodes blocks of bytes to UTF-8, with surrogates if there are some. A UnicodeDecodeError is the end.

    After another exception, as of the handler of a signal, the same block can be decoded again.
    """

    def __init__(self, new_decoder: Callable[[], _Decoder], errors: str) -> None:
        self.new_decoder = new_decoder
        self.decoder = new_decoder()
        self.has_state = not isinstance(self.decoder, NativeDecoder)
        # A handler that is not Python's own must not be called twice for an error.
        self.is_repeatable = is_built_in(errors) and self.has_state
        self.position = 0
        # The state of the decoder before the block that is being decoded.
        self.before: tuple[bytes, int] | None = None
        self.error: BaseException | None = None
        # The offset in bytes of the error in all data, if the text before it has been returned.
        self.error_offset: int | None = None

    def decode(self, data: bytes, final: bool) -> bytes:
        """Return the text of the next bytes. An error is raised after the text before it was returned."""
        if self.error:
            raise self.error
        if self.before is None:
            self.before = self.decoder.getstate() if self.has_state else (b"", 0)
        elif self.position == 0:
            self.decoder = self.new_decoder()
        else:
            self.decoder.setstate(self.before)
        try:
            text, next_error = self.text(data, final, *self.before)
            encoded = encode(text, errors="surrogatepass")
        except BaseException as error:
            if self.position and not self.has_state:
                self.error = error
            raise
        # At once, without a call between them: an interrupted call has no effect.
        self.before, self.error, self.position = None, next_error, self.position + len(data)
        return encoded

    def text(
        self, data: bytes, final: bool, kept: bytes, state: int
    ) -> tuple[str, UnicodeDecodeError | None]:
        """Return the text of a block, and the error after it, if there is one."""
        try:
            return self.decoder.decode(data, final), None
        except UnicodeDecodeError as error:
            if not self.is_repeatable or error.object != kept + data:
                raise
            self.error_offset = self.position - len(kept) + error.start
            self.decoder.setstate((b"", state))
            text = self.decoder.decode(error.object[: error.start], False)
            if not text:
                raise
            return text, error
