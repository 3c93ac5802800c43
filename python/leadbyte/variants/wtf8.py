r"""WTF-8: an extension of UTF-8 for ill-formed UTF-16, such as Windows file names and JavaScript strings.

A lone surrogate has three bytes. A pair is a character of four bytes, as in UTF-8; two surrogates of three
bytes that would be a pair are not allowed, so that each text has one form (Simon Sapin, "The WTF-8
encoding", https://simonsapin.github.io/wtf-8/). It is for use within a program, not for interchange.

>>> from leadbyte.variants import wtf8
>>> wtf8.encode("😀 \ud83d"), wtf8.decode(b"\xed\xa0\xbd")
(b'\xf0\x9f\x98\x80 \xed\xa0\xbd', '\ud83d')
"""

from __future__ import annotations

from leadbyte._leadbyte import _decode_variant, _encode_variant, _is_valid_variant

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["decode", "encode", "is_valid"]


def is_valid(data: Buffer, /) -> bool:
    r"""Return whether bytes are WTF-8.

    ``data`` is any bytes-like object with a contiguous buffer; it is not copied.

    >>> wtf8.is_valid(b"\xed\xa0\xbd"), wtf8.is_valid(b"\xed\xa0\xbd\xed\xb8\x80")
    (True, False)
    """
    return _is_valid_variant("wtf-8", data)


def decode(data: Buffer, /, *, errors: str = "strict") -> str:
    r"""Return the text of WTF-8 bytes, with lone surrogates.

    ``data`` is any bytes-like object with a contiguous buffer; a mutable one is copied first. ``errors``
    names a handler, as for ``bytes.decode``; "surrogatepass" allows pairs, as two surrogates.

    Raises UnicodeDecodeError for bytes that are not WTF-8. Two surrogates that would be a pair are one error
    of six bytes ("surrogate pair"); others are the same as in UTF-8.

    >>> wtf8.decode(b"\xed\xa0\xbd\xed\xb8\x80")
    Traceback (most recent call last):
    UnicodeDecodeError: 'wtf-8' codec can't decode bytes in position 0-5: surrogate pair
    """
    return _decode_variant("wtf-8", data, errors)


def encode(text: str, /, *, errors: str = "strict") -> bytes:
    r"""Return the text as WTF-8 bytes; it has all texts, so that ``errors`` does not matter.

    Two surrogates that are a pair become one character.

    >>> wtf8.encode("\ud83d\ude00")
    b'\xf0\x9f\x98\x80'
    """
    return _encode_variant("wtf-8", text, errors)


def __dir__() -> list[str]:
    return __all__
