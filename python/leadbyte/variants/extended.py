r"""The forms of ``rfc2279`` and two more, for integers up to 0x3FFFFFFFFFF: 42 bits.

The lead bytes FE and FF announce seven and eight bytes, with 36 and 42 bits; no standard defines them. The
values are integers and not text. Each integer has one valid form, the shortest; the decoder rejects
*overlong* forms, and the encoder makes them on request.

>>> from leadbyte.variants import extended
>>> extended.encode([1 << 31, 1 << 36])
b'\xfe\x82\x80\x80\x80\x80\x80\xff\x81\x80\x80\x80\x80\x80\x80'
>>> extended.decode(b"\xfe\x82\x80\x80\x80\x80\x80")
array('Q', [2147483648])
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
    integer type, bytes. Each gets the shortest form of those that have at least ``min_length`` bytes, 1 to 8.

    Raises ValueError for an integer that is not between 0 and 0x3FFFFFFFFFF, or another ``min_length``;
    TypeError for other values.

    >>> extended.encode(b"1", min_length=8)
    b'\xff\x80\x80\x80\x80\x80\x80\xb1'
    >>> extended.encode([0x31, -1])
    Traceback (most recent call last):
    ValueError: -1 at index 1 is not between 0 and 0x3FFFFFFFFFF
    """
    return _integers.EXTENDED.encode(values, min_length)


def decode(data: Buffer, /) -> array[int]:
    r"""Return the integers of forms, as an array of type code Q, 8 bytes each.

    ``data`` is any bytes-like object with a contiguous buffer. Raises UnicodeDecodeError for malformed
    bytes ("overlong form" depends on the first two bytes only); its span is a maximal subpart, as in UTF-8.

    >>> extended.decode(b"\xed\xa0\x80")
    array('Q', [55296])
    >>> extended.decode(b"1\xc0\xb1")
    Traceback (most recent call last):
    UnicodeDecodeError: 'extended' codec can't decode byte 0xc0 in position 1: overlong form
    """
    return _integers.EXTENDED.decode(data, final=True)[0]


class IncrementalDecoder(_integers.IncrementalDecoder):
    r"""Decodes bytes that come in pieces, cut anywhere; at most 7 bytes are kept.

    >>> decoder = extended.IncrementalDecoder()
    >>> decoder.decode(b"1\xf8\x88"), decoder.decode(b"\x80\x80\x80", final=True)
    (array('Q', [49]), array('Q', [2097152]))
    """

    forms = _integers.EXTENDED


class IncrementalEncoder(_integers.IncrementalEncoder):
    r"""Encodes integers that come in pieces.

    >>> extended.IncrementalEncoder(min_length=2).encode([0x31])
    b'\xc0\xb1'
    """

    forms = _integers.EXTENDED


def __dir__() -> list[str]:
    return __all__
