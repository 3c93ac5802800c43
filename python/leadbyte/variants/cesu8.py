r"""CESU-8: UTF-16, each unit written as UTF-8 writes a character (Unicode Technical Report 26).

Up to U+FFFF it is UTF-8. A character beyond takes six bytes, a pair of surrogates of three bytes each, where
UTF-8 has a form of four bytes; that form is not allowed, nor are surrogates that stand alone.

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
    r"""Return the text that CESU-8 bytes hold.

    ``data`` is any bytes-like object with a contiguous buffer; what may change is copied first. ``errors``
    names a handler, as for ``bytes.decode``; "surrogatepass" lets surrogates through that stand alone.

    Raises UnicodeDecodeError for what is not CESU-8. A surrogate that stands alone is one error of three
    bytes ("lone surrogate"), a character of four bytes one of four ("four-byte form"); others are those of
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
