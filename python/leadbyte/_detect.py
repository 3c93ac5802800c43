"""The names of the encodings among which detection chooses."""

from __future__ import annotations

from encodings import normalize_encoding
from encodings.aliases import aliases

from leadbyte._encodings import find
from leadbyte._leadbyte import _detectable_encodings

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable

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
