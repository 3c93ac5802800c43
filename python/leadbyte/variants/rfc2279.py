r"""UTF-8 as it was before 2003: forms of one to six bytes, for integers up to 0x7FFFFFFF (RFC 2279).

The values are integers and not text: characters end at U+10FFFF, and surrogates are integers as any other.
Each integer has one valid form, the shortest; the decoder rejects *overlong* forms, and the encoder makes
them on request, for demonstrations and tests.

>>> from leadbyte.variants import rfc2279
>>> rfc2279.encode([0x31, 0x200000])
b'1\xf8\x88\x80\x80\x80'
>>> rfc2279.decode(b"1\xf8\x88\x80\x80\x80")
array('I', [49, 2097152])
"""

from __future__ import annotations

from leadbyte.variants import _integers

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable
    from typing import SupportsIndex

    from typing_extensions import Buffer

__all__ = ["IncrementalDecoder", "IncrementalEncoder", "decode", "encode"]


def encode(values: Iterable[SupportsIndex] | Buffer, /, *, min_length: int = 1) -> bytes:
    r"""Return the forms of integers.

    ``values`` is any iterable of integers, or a contiguous buffer of them: an array, a NumPy array of any
    integer type, bytes. Each gets the shortest form of those that have at least ``min_length`` bytes, 1 to 6.

    Raises ValueError for an integer that is not between 0 and 0x7FFFFFFF, or another ``min_length``;
    TypeError for other values.

    >>> rfc2279.encode(b"1", min_length=2), rfc2279.encode(b"1", min_length=3)
    (b'\xc0\xb1', b'\xe0\x80\xb1')
    >>> rfc2279.encode([0x31, -1])
    Traceback (most recent call last):
    ValueError: -1 at index 1 is not between 0 and 0x7FFFFFFF
    """
    return _integers.RFC2279.encode(values, min_length)


def decode(data: Buffer, /) -> array[int]:
    r"""Return the integers of forms, as an array of type code I, 4 bytes each.

    ``data`` is any bytes-like object with a contiguous buffer. Raises UnicodeDecodeError for malformed
    bytes ("overlong form" depends on the first two bytes only); its span is a maximal subpart, as in UTF-8.

    >>> rfc2279.decode(b"\xed\xa0\x80")
    array('I', [55296])
    >>> rfc2279.decode(b"1\xc0\xb1")
    Traceback (most recent call last):
    UnicodeDecodeError: 'rfc2279' codec can't decode byte 0xc0 in position 1: overlong form
    """
    return _integers.RFC2279.decode(data, final=True)[0]


class IncrementalDecoder(_integers.IncrementalDecoder):
    r"""Decodes bytes that come in pieces, cut anywhere; at most 5 bytes are kept.

    >>> decoder = rfc2279.IncrementalDecoder()
    >>> decoder.decode(b"1\xf8\x88"), decoder.decode(b"\x80\x80\x80", final=True)
    (array('I', [49]), array('I', [2097152]))
    """

    forms = _integers.RFC2279


class IncrementalEncoder(_integers.IncrementalEncoder):
    r"""Encodes integers that come in pieces.

    >>> rfc2279.IncrementalEncoder(min_length=2).encode([0x31])
    b'\xc0\xb1'
    """

    forms = _integers.RFC2279


def __dir__() -> list[str]:
    return __all__
