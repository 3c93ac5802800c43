r"""Detection of encodings with the functions of chardet 5 to 7.

>>> from leadbyte.compat import chardet
>>> result = chardet.detect("Съешь ещё этих мягких французских булок".encode("windows-1251"))
>>> result["encoding"], result["language"], result["mime_type"]
('Windows-1251', 'ru', 'text/plain')
>>> detector = chardet.UniversalDetector()
>>> for line in [b"caf\xc3\xa9\n", b"th\xc3\xa9\n"]:
...     detector.feed(line)
>>> detector.close()["encoding"]
'utf-8'

A result is a dict of ``encoding``, by chardet's name, ``confidence``, ``language`` and ``mime_type``.
Encoding and confidence are the results of :func:`leadbyte.detect`.
"""

from __future__ import annotations

import warnings
from typing import TypedDict

import leadbyte
from leadbyte.compat._detection import (
    ALL_ERAS,
    chardet_name,
    codec_name,
    detected_name,
    excluded,
    included,
    of_eras,
    readings,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from typing_extensions import Buffer

    from leadbyte import Detection

__all__ = ["UniversalDetector", "detect", "detect_all"]

MINIMUM_THRESHOLD = 0.2
MAX_BYTES = 200_000
CHUNK_SIZE = 65_536
ALL_LANGUAGES = 31

# The confidence of an encoding that only an argument names.
UNSUPPORTED = 0.1

# Supersets by the encodings that they replace, if they are preferred.
SUPERSETS = {
    "ascii": "cp1252",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-2": "cp1250",
    "iso8859-5": "cp1251",
    "iso8859-6": "cp1256",
    "iso8859-7": "cp1253",
    "iso8859-8": "cp1255",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "iso8859-13": "cp1257",
    "tis-620": "cp874",
}

# Media types by the kinds of data that leadbyte.detect reports.
MEDIA_TYPES = {
    "7z": "application/x-7z-compressed",
    "avi": "video/x-msvideo",
    "bzip2": "application/x-bzip2",
    "class": "application/java-vm",
    "elf": "application/x-elf",
    "empty": "text/plain",
    "exe": "application/vnd.microsoft.portable-executable",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gzip": "application/gzip",
    "jpeg": "image/jpeg",
    "macho": "application/x-mach-binary",
    "matroska": "video/webm",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "rar": "application/vnd.rar",
    "sqlite": "application/x-sqlite3",
    "tar": "application/x-tar",
    "text": "text/plain",
    "tiff": "image/tiff",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xz": "application/x-xz",
    "zip": "application/zip",
    "zstd": "application/zstd",
}
# Media types by the start of text that declares its encoding.
MARKUP = {b"<?xml": "text/xml", b"<": "text/html", b"#": "text/x-python"}


class _Result(TypedDict):
    """The report on some data."""

    encoding: str | None
    confidence: float
    language: str | None
    mime_type: str | None


NO_RESULT: _Result = {"encoding": None, "confidence": 0.0, "language": None, "mime_type": None}


class Search:
    """What to detect: the arguments that all functions share, checked."""

    def __init__(
        self,
        should_rename_legacy: bool,
        encoding_era: int,
        max_bytes: int,
        *,
        prefer_superset: bool,
        compat_names: bool,
        include_encodings: Iterable[str] | None,
        exclude_encodings: Iterable[str] | None,
        no_match_encoding: str,
        empty_input_encoding: str,
    ) -> None:
        if should_rename_legacy:
            message = "should_rename_legacy is deprecated; use prefer_superset=True"
            warnings.warn(message, DeprecationWarning, stacklevel=3)
        if not isinstance(max_bytes, int) or isinstance(max_bytes, bool) or max_bytes < 1:
            message = f"max_bytes must be a positive integer, not {max_bytes!r}"
            raise ValueError(message)
        if not 0 < encoding_era <= ALL_ERAS:
            message = f"encoding_era must be a sum of bits from 1 to {ALL_ERAS}, not {encoding_era!r}"
            raise ValueError(message)
        self.max_bytes = max_bytes
        self.prefer_superset = prefer_superset or should_rename_legacy
        self.compat_names = compat_names
        self.allowed: Set[str] | None = None
        if encoding_era != ALL_ERAS or include_encodings is not None or exclude_encodings is not None:
            self.allowed = of_eras(encoding_era)
            if include_encodings is not None:
                self.allowed &= included(include_encodings, "include_encodings")
            if exclude_encodings is not None:
                self.allowed -= excluded(exclude_encodings, "exclude_encodings")
        self.no_match = codec_name(no_match_encoding, "no_match_encoding")
        self.empty_input = codec_name(empty_input_encoding, "empty_input_encoding")

    def results(self, data: Buffer, *, only_best: bool) -> list[_Result]:
        """Return the results for data, best first: at least one."""
        given = memoryview(data).cast("B")
        window, is_cut = bytes(given[: self.max_bytes]), len(given) > self.max_bytes
        if not window:
            return [self.unsupported(self.empty_input)]
        named: dict[str, _Result] = {}
        found = readings(window, self.allowed, only_best=only_best, is_cut=is_cut)
        for encoding, detection in found.items():
            name = self.name(encoding, window)
            named.setdefault(name, result(detection, name, media_type(detection, window)))
        if named:
            return list(named.values())
        plain = leadbyte.detect(window)
        return [
            result(plain, None, media_type(plain, window))
            if plain.encoding is None
            else self.unsupported(self.no_match)
        ]

    def unsupported(self, encoding: str) -> _Result:
        """Return the result for an encoding that only an argument names."""
        if self.allowed is not None and (detected_name(encoding) or encoding) not in self.allowed:
            message = f"no allowed encoding fits, and {encoding} is not allowed either"
            warnings.warn(message, UserWarning, stacklevel=4)
            return {**NO_RESULT}
        name = self.name(encoding, b"")
        return {
            "encoding": name,
            "confidence": UNSUPPORTED,
            "language": None,
            "mime_type": MEDIA_TYPES["text"],
        }

    def name(self, encoding: str, window: bytes) -> str:
        """Return the name to report for a codec that decodes the window."""
        if self.prefer_superset:
            superset = SUPERSETS.get(encoding, encoding)
            is_allowed = self.allowed is None or superset in self.allowed
            encoding = superset if is_allowed and text_of(window, superset) is not None else encoding
        return chardet_name(encoding, window) if self.compat_names else encoding


def media_type(detection: Detection, data: bytes) -> str:
    """Return the media type of data."""
    if detection.declared is not None:
        for start, name in MARKUP.items():
            if data.lstrip().startswith(start):
                return name
    return MEDIA_TYPES.get(detection.kind, "application/octet-stream")


def result(detection: Detection, name: str | None, mime_type: str) -> _Result:
    """Return a detection under the name of its encoding."""
    return {
        "encoding": name,
        "confidence": detection.confidence,
        "language": detection.language and detection.language.partition("-")[0],
        "mime_type": mime_type,
    }


def detect(
    byte_str: Buffer,
    should_rename_legacy: bool = False,
    encoding_era: int = ALL_ERAS,
    chunk_size: int = CHUNK_SIZE,
    max_bytes: int = MAX_BYTES,
    *,
    prefer_superset: bool = False,
    compat_names: bool = True,
    include_encodings: Iterable[str] | None = None,
    exclude_encodings: Iterable[str] | None = None,
    no_match_encoding: str = "cp1252",
    empty_input_encoding: str = "utf-8",
) -> _Result:
    """Detect the encoding of the first ``max_bytes`` bytes.

    ``language`` is an ISO 639 code, or None where nothing speaks for a language; ``encoding`` is None if the
    bytes are not text.

    prefer_superset: report Windows-1252 for ASCII and ISO-8859-1, CP949 for EUC-KR and so on, where that
        decodes the bytes. ``should_rename_legacy`` is its older name, which is deprecated.
    compat_names: report the names of chardet 5, otherwise the names of Python's codecs.
    include_encodings, exclude_encodings: the only ones to consider, and those not to.
    encoding_era: a sum of the bits of ``chardet.EncodingEra``, each of a group of encodings.
    no_match_encoding, empty_input_encoding: what to report with a confidence of 0.1 if none of the included
        encodings fits, and if there are no bytes.
    chunk_size: has no effect, as in chardet 7.

    Raises TypeError if byte_str is not bytes-like, ValueError for an unknown encoding or a number out of
    range.

    >>> from leadbyte.compat.chardet import detect
    >>> detect(b"abc")["encoding"], detect(b"abc", prefer_superset=True)["encoding"]
    ('ascii', 'Windows-1252')
    >>> detect("Привет, мир".encode("koi8-r"), include_encodings=["koi8-r", "koi8-u"])["encoding"]
    'KOI8-R'
    >>> detect(b"", max_bytes=0)
    Traceback (most recent call last):
    ValueError: max_bytes must be a positive integer, not 0
    """
    warn_of("chunk_size", chunk_size, CHUNK_SIZE)
    search = Search(
        should_rename_legacy,
        encoding_era,
        max_bytes,
        prefer_superset=prefer_superset,
        compat_names=compat_names,
        include_encodings=include_encodings,
        exclude_encodings=exclude_encodings,
        no_match_encoding=no_match_encoding,
        empty_input_encoding=empty_input_encoding,
    )
    return search.results(byte_str, only_best=True)[0]


def detect_all(
    byte_str: Buffer,
    ignore_threshold: bool = False,
    should_rename_legacy: bool = False,
    encoding_era: int = ALL_ERAS,
    chunk_size: int = CHUNK_SIZE,
    max_bytes: int = MAX_BYTES,
    *,
    prefer_superset: bool = False,
    compat_names: bool = True,
    include_encodings: Iterable[str] | None = None,
    exclude_encodings: Iterable[str] | None = None,
    no_match_encoding: str = "cp1252",
    empty_input_encoding: str = "utf-8",
) -> list[_Result]:
    """Detect the encodings that the first ``max_bytes`` bytes can be in, the most probable first.

    Results with a confidence of 0.2 and less are left out, unless ``ignore_threshold`` is true or there are
    no others. Encodings that give the same text are one result. The other arguments and the errors are the
    same as for :func:`detect`.

    >>> from leadbyte.compat.chardet import detect_all
    >>> [result["encoding"] for result in detect_all("Съешь ещё булок".encode())]
    ['utf-8']
    >>> detect_all(b"abc", include_encodings=["ansi"])
    Traceback (most recent call last):
    ValueError: Unknown encoding 'ansi' in include_encodings; give names that codecs.lookup() finds
    """
    warn_of("chunk_size", chunk_size, CHUNK_SIZE)
    search = Search(
        should_rename_legacy,
        encoding_era,
        max_bytes,
        prefer_superset=prefer_superset,
        compat_names=compat_names,
        include_encodings=include_encodings,
        exclude_encodings=exclude_encodings,
        no_match_encoding=no_match_encoding,
        empty_input_encoding=empty_input_encoding,
    )
    results = search.results(byte_str, only_best=False)
    probable = [result for result in results if result["confidence"] > MINIMUM_THRESHOLD]
    return results if ignore_threshold or not probable else probable


class UniversalDetector:
    r"""Detects the encoding of bytes in pieces; the result is the same as of :func:`detect` for all of them.

    The arguments and errors are the same as for :func:`detect`; ``lang_filter`` has no effect, as in chardet
    7. At most ``max_bytes`` bytes are kept.

    >>> from leadbyte.compat.chardet import UniversalDetector
    >>> detector = UniversalDetector()
    >>> detector.feed(b"caf\xc3"), detector.done, detector.result["encoding"]
    (None, False, None)
    >>> detector.feed(b"\xa9"), detector.close()["encoding"], detector.done
    (None, 'utf-8', True)
    >>> detector.feed(b"")
    Traceback (most recent call last):
    ValueError: feed() after close(); call reset() to begin with other data
    """

    MINIMUM_THRESHOLD = MINIMUM_THRESHOLD

    def __init__(
        self,
        lang_filter: int = ALL_LANGUAGES,
        should_rename_legacy: bool = False,
        encoding_era: int = ALL_ERAS,
        max_bytes: int = MAX_BYTES,
        *,
        prefer_superset: bool = False,
        compat_names: bool = True,
        include_encodings: Iterable[str] | None = None,
        exclude_encodings: Iterable[str] | None = None,
        no_match_encoding: str = "cp1252",
        empty_input_encoding: str = "utf-8",
    ) -> None:
        warn_of("lang_filter", lang_filter, ALL_LANGUAGES)
        self._search = Search(
            should_rename_legacy,
            encoding_era,
            max_bytes,
            prefer_superset=prefer_superset,
            compat_names=compat_names,
            include_encodings=include_encodings,
            exclude_encodings=exclude_encodings,
            no_match_encoding=no_match_encoding,
            empty_input_encoding=empty_input_encoding,
        )
        self.reset()

    def reset(self) -> None:
        """Begin with other data."""
        self._data = bytearray()
        self._result: _Result | None = None

    def feed(self, byte_str: Buffer) -> None:
        """Add the next bytes; those beyond ``max_bytes`` are ignored.

        Raises TypeError if byte_str is not bytes-like, ValueError after :meth:`close`.
        """
        if self._result is not None:
            message = "feed() after close(); call reset() to begin with other data"
            raise ValueError(message)
        # One byte more, to know that there are more.
        rest = self._search.max_bytes + 1 - len(self._data)
        self._data += memoryview(byte_str).cast("B")[:rest]

    def close(self) -> _Result:
        """End the data and return the result."""
        if self._result is None:
            self._result = self._search.results(self._data, only_best=True)[0]
        return self.result

    @property
    def done(self) -> bool:
        """Whether more bytes would not change the result."""
        return self._result is not None or len(self._data) >= self._search.max_bytes

    @property
    def result(self) -> _Result:
        """The result; before :meth:`close` its ``encoding`` is None and its ``confidence`` 0."""
        return {**(NO_RESULT if self._result is None else self._result)}


def warn_of(name: str, value: int, default: int) -> None:
    """Warn about an argument that has no effect, as chardet does."""
    if value != default:
        message = f"{name} has no effect, as in chardet 7; leave it out"
        warnings.warn(message, DeprecationWarning, stacklevel=3)


def __dir__() -> list[str]:
    return __all__
