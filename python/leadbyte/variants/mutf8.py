r"""Modified UTF-8: the encoding of strings in ``java.io.DataInput``, Java class files and JNI.

It is CESU-8 with two differences. U+0000 is ``C0 80``, and a byte 00 is not allowed; and lone surrogates are
allowed, as a Java string is any sequence of UTF-16 code units. The two bytes of length that
``DataOutput.writeUTF`` writes before a string are not part of it.

The names of the package mutf8 are here too: ``from leadbyte.variants import mutf8`` replaces its import. That
package accepts bytes that are not Modified UTF-8, such as C3 28 or FF, which are errors here; up to version
1.0.6 it also decodes characters beyond U+FFFF incorrectly.

>>> from leadbyte.variants import mutf8
>>> mutf8.encode("a\0😀")
b'a\xc0\x80\xed\xa0\xbd\xed\xb8\x80'
>>> mutf8.decode(b"\xed\xa0\xbd")
'\ud83d'
"""

from __future__ import annotations

from leadbyte._leadbyte import _decode_variant, _encode_variant, _is_valid_variant

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["decode", "decode_modified_utf8", "encode", "encode_modified_utf8", "is_valid"]


def is_valid(data: Buffer, /) -> bool:
    r"""Return whether bytes are Modified UTF-8.

    ``data`` is any bytes-like object with a contiguous buffer; it is not copied.

    >>> mutf8.is_valid(b"a\xc0\x80"), mutf8.is_valid(b"a\0")
    (True, False)
    """
    return _is_valid_variant("mutf-8", data)


def decode(data: Buffer, /, *, errors: str = "strict") -> str:
    r"""Return the text of Modified UTF-8 bytes, with lone surrogates.

    ``data`` is any bytes-like object with a contiguous buffer; a mutable one is copied first. ``errors``
    names a handler, as for ``bytes.decode``.

    Raises UnicodeDecodeError for bytes that are not Modified UTF-8. A byte 00 is an error ("null byte"), and
    so is a character of four bytes ("four-byte form"); others are the same as in UTF-8.

    >>> mutf8.decode(b"a\0")
    Traceback (most recent call last):
    UnicodeDecodeError: 'mutf-8' codec can't decode byte 0x00 in position 1: null byte
    """
    return _decode_variant("mutf-8", data, errors)


def encode(text: str, /, *, errors: str = "strict") -> bytes:
    r"""Return the text as Modified UTF-8 bytes. It can encode every text, so that ``errors`` has no effect.

    >>> mutf8.encode("\ud83d")
    b'\xed\xa0\xbd'
    """
    return _encode_variant("mutf-8", text, errors)


def decode_modified_utf8(s: Buffer) -> str:
    """Return ``decode(s)``, under the name in the package mutf8."""
    return _decode_variant("mutf-8", s)


def encode_modified_utf8(u: str) -> bytes:
    """Return ``encode(u)``, under the name in the package mutf8."""
    return _encode_variant("mutf-8", u)


def __dir__() -> list[str]:
    return __all__
