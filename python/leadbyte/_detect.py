"""The encodings among which detection chooses, and detection in files."""

from __future__ import annotations

import os
import re
import stat
from encodings import normalize_encoding
from encodings.aliases import aliases

from leadbyte._encodings import find
from leadbyte._leadbyte import (
    BOM,
    Detector,
    IncrementalValidator,
    _detectable_encodings,
    ceil_boundary,
    detect,
)

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import FileIO, RawIOBase

    from typing_extensions import Buffer

    from leadbyte._leadbyte import Detection

# The encodings that are reported for others, most of which are parts of them.
EXTENSIONS = {
    "big5": "cp950",
    "euc_jisx0213": "euc_jis_2004",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859_9": "windows-1254",
    "iso8859_11": "cp874",
    "shift_jis": "cp932",
    "tis_620": "cp874",
}


def codec_key(name: str) -> str:
    """Return the name of the module of Python's codec, without importing it."""
    key = normalize_encoding(name).lower()
    return aliases.get(key, key)


# The names that detect reports by the modules of their codecs.
REPORTED = EXTENSIONS | {codec_key(name): name for name in _detectable_encodings()}


def reported_names(encodings: Iterable[str | int]) -> list[str]:
    """Return the names that detect reports for some encodings."""
    if isinstance(encodings, (str, bytes)):
        message = f"encodings must be an iterable of names, not {type(encodings).__name__}"
        raise TypeError(message)
    return [reported_name(encoding) for encoding in encodings]


def reported_name(encoding: str | int) -> str:
    """Return the name that detect reports for an encoding."""
    try:
        return REPORTED[codec_key(find(encoding).name)]
    except KeyError:
        message = f"encoding {encoding!r} is not among those that are detected"
        raise LookupError(message) from None


def decoding_name(found: Detection, data: bytes) -> str:
    """Return the name by which to decode data with what was detected in it; raise if it is not text."""
    if found.encoding is None:
        reason = f"not text in a known encoding, but {found.kind}"
        raise UnicodeDecodeError("leadbyte-detect", data, 0, len(data), reason)
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
    if found.encoding is None or found.encoding.startswith(("utf-16", "utf-32")):
        return found
    step = (size - WINDOW_BYTES) / WINDOWS
    last = read_at(file, size - WINDOW_BYTES, WINDOW_BYTES)
    between = (trimmed(read_at(file, int(number * step), WINDOW_BYTES)) for number in range(1, WINDOWS))
    pieces = [trimmed(start, is_first=True), *between, trimmed(last, is_last=True)]
    return detect(b"\n".join(pieces), encodings=encodings)


def detect_start(
    file: FileIO | None, pieces: Iterable[Buffer], encodings: Iterable[str | int] | None = None
) -> tuple[Detection, bytearray]:
    """Detect the encoding of the pieces of a file; return it with what was read of them.

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
            break
    return detect(start, encodings=encodings), start


def read_at(file: RawIOBase, offset: int, size: int) -> bytes:
    """Return the bytes of a file from an offset on."""
    file.seek(offset)
    return file.read(size) or b""


def trimmed(piece: bytes, *, is_first: bool = False, is_last: bool = False) -> bytes:
    """Return a piece of a text without what is cut off from characters at its ends."""
    start = 0 if is_first else ceil_boundary(piece, 0)
    validator = IncrementalValidator()
    if piece.startswith(BOM) or validator.update(piece[start:]):
        return piece[start : len(piece) if is_last else len(piece) - len(validator.pending)]
    # No encoding has spaces within characters.
    ends = [match.end() for match in SPACE.finditer(piece)]
    if not ends:
        return piece if is_first else b""
    return piece[0 if is_first else ends[0] : len(piece) if is_last else ends[-1]]
