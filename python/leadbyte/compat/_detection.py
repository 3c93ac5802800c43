"""What chardet and charset-normalizer share: the encodings to choose from, and the names to report."""

from __future__ import annotations

import codecs
import functools

import leadbyte
from leadbyte._detect import reported_name
from leadbyte._leadbyte import _detectable_encodings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Set

    from leadbyte import Detection

# The bits of chardet.EncodingEra, and the bit of each encoding by its codec; all others are MODERN_WEB.
MODERN_WEB, LEGACY_ISO, LEGACY_MAC, LEGACY_REGIONAL, DOS, MAINFRAME = (1 << bit for bit in range(6))
ALL_ERAS = 63
ERAS = {
    **{f"iso8859-{part}": LEGACY_ISO for part in range(1, 17)},
    **dict.fromkeys(["cp1006", "cp1125", "cp720", "hp-roman8", "hz", "iso2022_kr"], LEGACY_REGIONAL),
    **dict.fromkeys(["koi8-t", "kz1048", "palmos", "ptcp154"], LEGACY_REGIONAL),
    **{f"cp{page}": DOS for page in (437, 737, 775, 850, 852, *range(855, 867), 869)},
    **dict.fromkeys(["cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"], MAINFRAME),
    "johab": LEGACY_ISO,
}

# The codecs of UTF-8, and the confidence from which on truncated data is certainly that.
UTF_8 = {"utf-8", "utf-8-sig"}
CERTAIN = 0.9

# The names that chardet reports, where they differ from the names of Python's codecs.
CHARDET_NAMES = {
    "cp855": "IBM855",
    "cp866": "IBM866",
    "cp874": "CP874",
    "cp932": "CP932",
    "cp949": "CP949",
    **{f"cp{number}": f"Windows-{number}" for number in range(1250, 1258)},
    "big5": "Big5",
    "euc_jp": "EUC-JP",
    "euc_kr": "EUC-KR",
    "gb18030": "GB18030",
    "gb2312": "GB2312",
    "hz": "HZ-GB-2312",
    "iso2022_jp": "ISO-2022-JP",
    "iso2022_kr": "ISO-2022-KR",
    **{f"iso8859-{part}": f"ISO-8859-{part}" for part in (1, 2, 5, 6, 7, 8, 9, 13)},
    "johab": "Johab",
    "koi8-r": "KOI8-R",
    "kz1048": "KZ1048",
    "mac-cyrillic": "MacCyrillic",
    "mac-greek": "MacGreek",
    "mac-iceland": "MacIceland",
    "mac-latin2": "MacLatin2",
    "mac-roman": "MacRoman",
    "mac-turkish": "MacTurkish",
    "shift_jis": "SHIFT_JIS",
    "tis-620": "TIS-620",
    "utf-8-sig": "UTF-8-SIG",
    "utf-16": "UTF-16",
    "utf-32": "UTF-32",
}

# Encodings of which chardet reports a subset, where that gives the same text.
SUBSETS = {"cp932": "shift_jis", "cp949": "euc_kr", "cp950": "big5", "big5hkscs": "big5"}


def codec_name(encoding: str, argument: str) -> str:
    """Return the name of Python's codec; ValueError, as chardet raises it, if there is none."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        message = f"Unknown encoding {encoding!r} in {argument}; give names that codecs.lookup() finds"
        raise ValueError(message) from None


def codec_names(encodings: Iterable[str], argument: str) -> set[str]:
    """Return the names of Python's codecs; ValueError if there is none, or no encoding at all."""
    if names := {codec_name(encoding, argument) for encoding in encodings}:
        return names
    message = f"{argument} must not be empty; leave it out, or give at least one encoding"
    raise ValueError(message)


def included(encodings: Iterable[str], argument: str) -> set[str]:
    """Return the codecs to consider; NotImplementedError if one is never detected."""
    names = {name: detected_name(name) for name in codec_names(encodings, argument)}
    if others := sorted(name for name, detected in names.items() if detected is None):
        message = f"{argument}: leadbyte does not detect {', '.join(others)}; leave that out"
        raise NotImplementedError(message)
    return {detected for detected in names.values() if detected is not None}


def excluded(encodings: Iterable[str], argument: str) -> set[str]:
    """Return the codecs not to consider."""
    return {detected for name in codec_names(encodings, argument) if (detected := detected_name(name))}


def detected_name(encoding: str) -> str | None:
    """Return the codec that detection reports for an encoding, which may be a part of it, or None."""
    try:
        return codecs.lookup(reported_name(encoding)).name
    except LookupError:
        return None


def find_of_eras(eras: int) -> Set[str]:
    """Return the codecs of the eras whose bits are set that are detected."""
    names = {codecs.lookup(name).name for name in _detectable_encodings()}
    return frozenset(name for name in names if era_of(name) & eras)


of_eras: Callable[[int], Set[str]] = functools.cache(find_of_eras)


def era_of(encoding: str) -> int:
    """Return the bit of the era of an encoding."""
    return LEGACY_MAC if encoding.startswith("mac-") else ERAS.get(encoding, MODERN_WEB)


def readings(
    data: bytes, encodings: Set[str] | None, *, only_best: bool, is_cut: bool = False
) -> dict[str, Detection]:
    """Return what the data can be in some encodings, or in all, by their codecs, the most probable first.

    An encoding that the data declares replaces one that gives the same text. Unless the data is cut, its
    last byte can be a letter instead of the start of a character; then those that decode all are returned.
    """
    if encodings is not None and not encodings:
        return {}
    if only_best:
        found = [leadbyte.detect(data, encodings=encodings)]
    else:
        found = leadbyte.detect_all(data, encodings=encodings)
    if found[0].truncated and found[0].confidence < CERTAIN and not is_cut:
        others = (of_eras(ALL_ERAS) if encodings is None else encodings) - UTF_8
        legacy = leadbyte.detect_all(data, encodings=others) if others else []
        found = [detection for detection in legacy if detection.encoding and not detection.truncated] or found
    by_name: dict[str, Detection] = {}
    for detection in found:
        if detection.encoding is not None:
            by_name.setdefault(
                declared_or(detection.encoding, detection.declared, data, encodings), detection
            )
    return by_name


def declared_or(encoding: str, declared: str | None, data: bytes, encodings: Set[str] | None) -> str:
    """Return the codec that is declared, if allowed and with the same text, or the codec of the encoding."""
    codec = codecs.lookup(encoding).name
    if declared is None or detected_name(declared) is None:
        return codec
    other = codecs.lookup(declared).name
    is_allowed = encodings is None or other in encodings
    return other if is_allowed and text_of(data, other) == text_of(data, codec) else codec


def chardet_name(encoding: str, data: bytes) -> str:
    """Return the name that chardet reports for a codec, given the data that it decodes."""
    subset = SUBSETS.get(encoding)
    if subset is not None and text_of(data, subset) == text_of(data, encoding):
        encoding = subset
    return CHARDET_NAMES.get(encoding, encoding)


def text_of(data: bytes, encoding: str) -> str | None:
    """Return the text of data, which may end with an incomplete character; None if it is not decodable."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeError:
        return None
