r"""CESU-8: UTF-16 whose code units are encoded as UTF-8 encodes characters (Unicode Technical Report 26).

Up to U+FFFF it equals UTF-8. A character beyond is six bytes, a surrogate pair of three bytes each; the
four-byte form of UTF-8 and lone surrogates are not allowed.

>>> from leadbyte.variants import cesu8
>>> cesu8.encode("5 😀"), cesu8.decode(b"\xed\xa0\xbd\xed\xb8\x80")
(b'5 \xed\xa0\xbd\xed\xb8\x80', '😀')
"""

from __future__ import annotations

from leadbyte._leadbyte import _decode_variant, _encode_variant, _is_valid_variant

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["decode", "encode", "is_valid"]


def is_valid(data: Buffer, /) -> bool:
    r"""Return whether bytes are CESU-8.

    ``data`` is any bytes-like object with a contiguous buffer; it is not copied.

    >>> cesu8.is_valid(b"\xed\xa0\xbd\xed\xb8\x80"), cesu8.is_valid("😀".encode())
    (True, False)
    """
    return _is_valid_variant("cesu-8", data)


def decode(data: Buffer, /, *, errors: str = "strict") -> str:
    r"""Return the text of CESU-8 bytes.

    ``data`` is any bytes-like object with a contiguous buffer; a mutable one is copied first. ``errors``
    names a handler, as for ``bytes.decode``; "surrogatepass" allows lone surrogates.

    Raises UnicodeDecodeError for bytes that are not CESU-8. A lone surrogate is one error of three bytes
    ("lone surrogate"), a character of four bytes one of four ("four-byte form"); others are the same as in
    UTF-8.

    >>> cesu8.decode(b"5 \xed\xa0\xbd")
    Traceback (most recent call last):
    UnicodeDecodeError: 'cesu-8' codec can't decode bytes in position 2-4: lone surrogate
    """
    return _decode_variant("cesu-8", data, errors)


def encode(text: str, /, *, errors: str = "strict") -> bytes:
    r"""Return the text as CESU-8 bytes.

    ``errors`` names a handler for surrogates, as for ``str.encode``. Raises UnicodeEncodeError if ``text``
    has some.

    >>> cesu8.encode("\ud83d", errors="replace")
    b'?'
    """
    return _encode_variant("cesu-8", text, errors)


def __dir__() -> list[str]:
    return __all__
