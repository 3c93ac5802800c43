"""Detection of the encoding of files: of large ones in samples."""

from __future__ import annotations

import os
import re
import stat

from leadbyte._bom import is_wide
from leadbyte._leadbyte import BOM, Detector, IncrementalValidator, _detect_whole, ceil_boundary, detect

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import FileIO, RawIOBase

    from typing_extensions import Buffer

    from leadbyte._leadbyte import Detection


# The encoding in the error about data that has none.
DETECTOR = "leadbyte-detect"


def without_encoding(found: Detection) -> str:
    """Return why no encoding was detected."""
    if found.kind == "text":
        return "not text in any of the encodings to choose from"
    return f"not text in a known encoding, but {found.kind}"


def decoding_name(found: Detection, data: bytes) -> str:
    """Return the name by which to decode data, given its detection; raise if it is not text."""
    if found.encoding is None:
        raise UnicodeDecodeError(DETECTOR, data, 0, len(data), without_encoding(found))
    return "utf-8" if found.encoding == "ascii" else found.encoding


# The size in bytes of files above which only samples of them are read.
MAX_WHOLE_BYTES = 64 << 20

# The samples: the start and the end of the file, and others evenly between. All lengths are multiples of the
# code units of UTF-16 and UTF-32.
START_BYTES = 256 << 10
WINDOW_BYTES = 16 << 10
WINDOWS = 48

SPACE = re.compile(rb"[\t\n\r ]")


def sampled_size(file: FileIO) -> int | None:
    """Return the size of a file so large that its encoding is detected in samples; None for another."""
    status = os.fstat(file.fileno())
    is_sampled = stat.S_ISREG(status.st_mode) and status.st_size > MAX_WHOLE_BYTES
    return status.st_size if is_sampled else None


def detect_samples(file: RawIOBase, size: int, encodings: Iterable[str | int] | None = None) -> Detection:
    """Detect the encoding of a large file of this size from about a mebibyte of it, in constant time."""
    start = read_at(file, 0, START_BYTES)
    detector = Detector(encodings=encodings)
    detector.update(start)
    found = detector.finish()
    if found.encoding is None or is_wide(found.encoding):
        return found
    step = (size - WINDOW_BYTES) / WINDOWS
    last = read_at(file, size - WINDOW_BYTES, WINDOW_BYTES)
    between = (trimmed(read_at(file, int(number * step), WINDOW_BYTES)) for number in range(1, WINDOWS))
    pieces = [trimmed(start, is_first=True), *between, trimmed(last, is_last=True)]
    return detect(b"\n".join(pieces), encodings=encodings)


def detect_start(
    file: FileIO | None, pieces: Iterable[Buffer], encodings: Iterable[str | int] | None = None
) -> tuple[Detection, bytearray]:
    """Detect the encoding of the pieces of a file; return it with the pieces read.

    If the file itself is given, at its start, and large, samples are read, and then it is at its start again.
    """
    start = bytearray()
    if file and (size := sampled_size(file)):
        found = detect_samples(file, size, encodings)
        file.seek(0)
        return found, start
    for piece in pieces:
        start += piece
        if len(start) >= MAX_WHOLE_BYTES:
            return detect(start, encodings=encodings), start
    return _detect_whole(start, encodings), start


def read_at(file: RawIOBase, offset: int, size: int) -> bytes:
    """Return the bytes of a file from an offset on."""
    file.seek(offset)
    return file.read(size) or b""


def trimmed(piece: bytes, *, is_first: bool = False, is_last: bool = False) -> bytes:
    """Return a piece of a text without the partial characters at its ends."""
    start = 0 if is_first else ceil_boundary(piece, 0)
    validator = IncrementalValidator()
    if piece.startswith(BOM) or validator.update(piece[start:]):
        return piece[start : len(piece) if is_last else len(piece) - len(validator.pending)]
    # No encoding has spaces within characters.
    ends = [match.end() for match in SPACE.finditer(piece)]
    if not ends:
        return piece if is_first else b""
    return piece[0 if is_first else ends[0] : len(piece) if is_last else ends[-1]]
