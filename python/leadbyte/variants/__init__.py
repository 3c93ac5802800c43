r"""Variants of UTF-8: encodings with the same bit patterns that are not UTF-8.

``cesu8``, ``mutf8`` (Java's Modified UTF-8) and ``wtf8`` hold text: each has ``is_valid``, ``decode`` and
``encode``. ``rfc2279`` and ``extended`` hold integers up to 31 and 42 bits: ``encode`` and ``decode``.
``leadbyte.codec.register()`` registers the first three as encodings. ``leadbyte.decode`` and the other
functions of the top level accept UTF-8 only.

>>> from leadbyte.variants import cesu8, rfc2279
>>> cesu8.encode("😀")
b'\xed\xa0\xbd\xed\xb8\x80'
>>> rfc2279.encode([0x7FFFFFFF])
b'\xfd\xbf\xbf\xbf\xbf\xbf'
"""

from leadbyte.variants import cesu8, extended, mutf8, rfc2279, wtf8

__all__ = ["cesu8", "extended", "mutf8", "rfc2279", "wtf8"]


def __dir__() -> list[str]:
    return __all__
