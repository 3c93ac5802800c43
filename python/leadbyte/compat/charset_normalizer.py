"""Detection of encodings with the functions of charset-normalizer 3.

>>> from leadbyte.compat.charset_normalizer import detect, from_bytes
>>> best = from_bytes("Съешь ещё этих мягких французских булок".encode("windows-1251")).best()
>>> best.encoding, best.language, str(best)
('cp1251', 'Russian', 'Съешь ещё этих мягких французских булок')
>>> detect("Voilà".encode())["encoding"]
'utf-8'

Encodings have the names of Python's modules, such as ``utf_8`` and ``cp1252``; :func:`detect` has the names
of chardet. Encoding and confidence are the results of :func:`leadbyte.detect`.
"""

from __future__ import annotations

import codecs
import os
import re
from encodings.aliases import aliases
from typing import TypedDict

from leadbyte.compat._detection import ALL_ERAS, chardet_name, excluded, included, of_eras, readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Set
    from typing import BinaryIO

    from typing_extensions import Buffer

    from leadbyte import Detection

__all__ = ["CharsetMatch", "CharsetMatches", "detect", "from_bytes", "from_fp", "from_path", "is_binary"]

# The settings that have no counterpart here, with their defaults.
DEFAULTS: dict[str, object] = {
    "steps": 5,
    "chunk_size": 512,
    "threshold": 0.2,
    "preemptive_behaviour": True,
    "explain": False,
    "language_threshold": 0.1,
    "enable_fallback": True,
}

# The names of chardet that charset-normalizer has in small letters.
SMALL = {f"Windows-{page}" for page in (1250, 1251, 1253, 1255, 1256)}

# The declaration of an encoding at the start of HTML, XML, CSS or a script.
DECLARATION = re.compile(r"""((?:charset|encoding|coding)[ \t]*[=:]?[ \t]*["']?)([A-Za-z0-9][\w.:-]*)""")
MAX_DECLARATION_CHARS = 1024

# The languages of the model, by the first part of their codes.
LANGUAGES = {
    "af": "Afrikaans",
    "ar": "Arabic",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "cs": "Czech",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Farsi",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "he": "Hebrew",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "kk": "Kazakh",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mk": "Macedonian",
    "mn": "Mongolian",
    "nb": "Norwegian",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovene",
    "sq": "Albanian",
    "sr": "Serbian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


class _Result(TypedDict):
    """What :func:`detect` returns."""

    encoding: str | None
    language: str
    confidence: float | None


class CharsetMatch:
    r"""Bytes with an encoding that they can be in; ``str`` decodes them, without a byte order mark.

    Bytes that are not decodable, such as an incomplete character at the end, become U+FFFD. Matches are equal
    if their encodings and texts are; a match also equals each name of its encoding.

    >>> from leadbyte.compat.charset_normalizer import from_bytes
    >>> best = from_bytes(b"\xef\xbb\xbfcaf\xc3\xa9").best()
    >>> best, best.bom, str(best), best.output("latin-1")
    (<CharsetMatch 'utf_8'>, True, 'café', b'caf\xe9')
    >>> best == "utf-8", best == "latin-1"
    (True, False)
    """

    def __init__(self, raw: bytes, encoding: str, detection: Detection) -> None:
        self._raw = raw
        self._codec = encoding
        self._detection = detection
        self._text: str | None = None

    def __str__(self) -> str:
        """Return the text."""
        if self._text is None:
            text = self._raw.decode(self._codec, "replace")
            self._text = text.removeprefix("\ufeff") if self.bom else text
        return self._text

    def __repr__(self) -> str:
        """Return the encoding in brackets."""
        return f"<{type(self).__name__} {self.encoding!r}>"

    def __eq__(self, other: object) -> bool:
        """Return whether the other is an equal match or a name of the encoding."""
        if isinstance(other, str):
            try:
                return self.encoding == module_name(other)
            except LookupError:
                return False
        if not isinstance(other, CharsetMatch):
            return NotImplemented
        return self.encoding == other.encoding and str(self) == str(other)

    def __lt__(self, other: object) -> bool:
        """Return whether it is more probable than the other: the first of sorted matches is the best."""
        return self.chaos < other.chaos if isinstance(other, CharsetMatch) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # names that it equals have other hashes

    @property
    def encoding(self) -> str:
        """The name of Python's module for the encoding, such as ``utf_8``."""
        return module_name(self._codec.removesuffix("-sig"))

    @property
    def encoding_aliases(self) -> list[str]:
        """The other names of the encoding in Python."""
        return sorted(alias for alias, name in aliases.items() if name == self.encoding)

    @property
    def could_be_from_charset(self) -> list[str]:
        """The encodings that give the same text, the one that was detected first; decodes with each."""
        others = {module_name(name) for name in of_eras(ALL_ERAS)} - {self.encoding}
        return [self.encoding, *(other for other in sorted(others) if self._is_same(other))]

    def _is_same(self, encoding: str) -> bool:
        try:
            return self._raw.decode(encoding) == str(self)
        except UnicodeError:
            return False

    @property
    def language(self) -> str:
        """The language in English, or ``Unknown``."""
        return language_of(self._detection) or "Unknown"

    @property
    def languages(self) -> list[str]:
        """The language in English, or nothing."""
        return [language] if (language := language_of(self._detection)) else []

    @property
    def bom(self) -> bool:
        """Whether the bytes begin with a byte order mark."""
        return self._detection.bom

    @property
    def byte_order_mark(self) -> bool:
        """Whether the bytes begin with a byte order mark."""
        return self.bom

    @property
    def chaos(self) -> float:
        """The probability that the encoding is wrong: 1 less the confidence."""
        return round(1 - self._detection.confidence, 4)

    @property
    def raw(self) -> bytes:
        """The bytes as they were given."""
        return self._raw

    @property
    def fingerprint(self) -> int:
        """The hash of the text."""
        return hash(str(self))

    def output(self, encoding: str = "utf_8") -> bytes:
        """Return the text in another encoding, in which ``?`` replaces characters that it lacks.

        The name in a declaration at the start, such as ``<meta charset=...>``, is replaced too.
        """
        text = str(self)
        declared = self._detection.declared
        for found in DECLARATION.finditer(text[:MAX_DECLARATION_CHARS]):
            if found[2].lower() == declared:
                text = text[: found.start(2)] + encoding.replace("_", "-") + text[found.end(2) :]
                break
        return text.encode(encoding, "replace")


class CharsetMatches:
    """The encodings that bytes can be in, the most probable first; none if the bytes are not text.

    It is iterable, has a length, and is indexed by numbers and by names of encodings.

    >>> from leadbyte.compat.charset_normalizer import from_bytes
    >>> matches = from_bytes("Привет".encode())
    >>> matches.best() is matches[0] is matches["utf-8"]
    True
    >>> matches["ascii"]
    Traceback (most recent call last):
    KeyError: 'ascii'
    """

    def __init__(self, results: list[CharsetMatch] | None = None) -> None:
        self._results = list(results or ())

    def __iter__(self) -> Iterator[CharsetMatch]:
        """Iterate over the matches."""
        return iter(self._results)

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self._results)

    def __getitem__(self, item: int | str) -> CharsetMatch:
        """Return a match; IndexError or KeyError if there is none."""
        if isinstance(item, int):
            return self._results[item]
        for match in self._results:
            if match == item:
                return match
        raise KeyError(item)

    def best(self) -> CharsetMatch | None:
        """Return the most probable match, or None."""
        return self._results[0] if self._results else None

    def first(self) -> CharsetMatch | None:
        """Return what :meth:`best` returns."""
        return self.best()


def from_bytes(
    sequences: Buffer,
    *,
    cp_isolation: Collection[str] | None = None,
    cp_exclusion: Collection[str] | None = None,
    **settings: object,
) -> CharsetMatches:
    """Return the encodings that bytes can be in.

    cp_isolation, cp_exclusion: the only encodings to consider, and those not to.
    settings: ``steps``, ``chunk_size``, ``threshold``, ``preemptive_behaviour``, ``explain``,
        ``language_threshold`` and ``enable_fallback``, with charset-normalizer's defaults only.

    Raises TypeError if sequences is not bytes-like and for any other setting, NotImplementedError for another
    value of a setting, ValueError for an unknown encoding.

    >>> from leadbyte.compat.charset_normalizer import from_bytes
    >>> from_bytes("Hello мир".encode("koi8-r"), cp_isolation=["cp1251", "koi8-r"]).best().encoding
    'koi8_r'
    >>> from_bytes(b"abc", threshold=0.5)
    Traceback (most recent call last):
    NotImplementedError: threshold=0.5: leadbyte has no such setting; leave it out
    """
    check(settings)
    raw = bytes_of(sequences)
    encodings: Set[str] | None = included(cp_isolation, "cp_isolation") if cp_isolation else None
    if cp_exclusion:
        encodings = (encodings or of_eras(ALL_ERAS)) - excluded(cp_exclusion, "cp_exclusion")
    found = readings(raw, encodings, only_best=False)
    return CharsetMatches([CharsetMatch(raw, name, detection) for name, detection in found.items()])


def from_fp(
    fp: BinaryIO,
    *,
    cp_isolation: Collection[str] | None = None,
    cp_exclusion: Collection[str] | None = None,
    **settings: object,
) -> CharsetMatches:
    """Return the encodings that the rest of a binary file can be in.

    The settings and errors are the same as for :func:`from_bytes`.

    >>> import io
    >>> from leadbyte.compat.charset_normalizer import from_fp
    >>> from_fp(io.BytesIO("été".encode())).best().encoding
    'utf_8'
    """
    return from_bytes(fp.read(), cp_isolation=cp_isolation, cp_exclusion=cp_exclusion, **settings)


def from_path(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes],
    *,
    cp_isolation: Collection[str] | None = None,
    cp_exclusion: Collection[str] | None = None,
    **settings: object,
) -> CharsetMatches:
    """Return the encodings that a file can be in.

    The settings and errors are the same as for :func:`from_bytes`, with the errors of ``open``.

    >>> from leadbyte.compat.charset_normalizer import from_path
    >>> from_path("no such file")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no such file'
    """
    with open(path, "rb") as file:
        return from_fp(file, cp_isolation=cp_isolation, cp_exclusion=cp_exclusion, **settings)


def is_binary(
    fp_or_path_or_payload: str | os.PathLike[str] | BinaryIO | Buffer,
    *,
    cp_isolation: Collection[str] | None = None,
    cp_exclusion: Collection[str] | None = None,
    **settings: object,
) -> bool:
    r"""Return whether a file, given by its path or open, or bytes are not text.

    The settings and errors are the same as for :func:`from_bytes`, but ``enable_fallback`` is False.

    >>> from leadbyte.compat.charset_normalizer import is_binary
    >>> is_binary(b"GIF89a\x01\x00\x01\x00"), is_binary(b"a text")
    (True, False)
    """
    if settings.pop("enable_fallback", False):
        raise unsupported("enable_fallback", value=True)
    data = fp_or_path_or_payload
    if isinstance(data, (str, os.PathLike)):
        with open(data, "rb") as file:
            data = file.read()
    elif hasattr(data, "read"):
        data = data.read()
    return not from_bytes(data, cp_isolation=cp_isolation, cp_exclusion=cp_exclusion, **settings)


def detect(byte_str: Buffer, should_rename_legacy: bool = False) -> _Result:
    r"""Return the encoding of bytes under chardet's name, the language and the confidence.

    ``should_rename_legacy`` gives the name of Python's module instead. If the bytes are not text,
    ``encoding`` and ``confidence`` are None. Raises TypeError if byte_str is not bytes-like.

    >>> from leadbyte.compat.charset_normalizer import detect
    >>> detect("Съешь ещё этих мягких булок".encode("koi8-r"))["encoding"]
    'KOI8-R'
    >>> detect(b"GIF89a\x01\x00\x01\x00")
    {'encoding': None, 'language': '', 'confidence': None}
    """
    raw = bytes_of(byte_str)
    for codec, found in readings(raw, None, only_best=True).items():
        name = module_name(codec) if should_rename_legacy else chardet_name(codec, raw)
        name = name.lower() if name in SMALL else name
        return {"encoding": name, "language": language_of(found) or "", "confidence": found.confidence}
    return {"encoding": None, "language": "", "confidence": None}


def bytes_of(data: Buffer) -> bytes:
    """Return data as bytes, itself if it is bytes; TypeError if it is not bytes-like."""
    return data if type(data) is bytes else bytes(memoryview(data).cast("B"))


def module_name(encoding: str) -> str:
    """Return the name of Python's module for an encoding; LookupError if there is none."""
    name = codecs.lookup(encoding).name.replace("-", "_")
    return aliases.get(name, name)


def language_of(detection: Detection) -> str | None:
    """Return the language in English, or None."""
    return LANGUAGES.get((detection.language or "").partition("-")[0])


def check(settings: dict[str, object]) -> None:
    """Raise an exception for settings that are not at their defaults."""
    for name, value in settings.items():
        if name not in DEFAULTS:
            message = f"{name!r} is not a setting of charset-normalizer"
            raise TypeError(message)
        if value != DEFAULTS[name]:
            raise unsupported(name, value)


def unsupported(name: str, value: object) -> NotImplementedError:
    """Return the exception for a setting that has no counterpart."""
    return NotImplementedError(f"{name}={value!r}: leadbyte has no such setting; leave it out")


def __dir__() -> list[str]:
    return __all__
