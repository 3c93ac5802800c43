r"""The relatives of UTF-8: forms that look like it, mean something of their own, and are no UTF-8.

``cesu8``, ``mutf8`` (Java's Modified UTF-8) and ``wtf8`` hold text: each has ``is_valid``, ``decode`` and
``encode``. ``rfc2279`` and ``extended`` hold integers up to 31 and 42 bits: ``encode`` and ``decode``.
``leadbyte.codec.register()`` makes the first three known as encodings. ``leadbyte.decode`` and its kin refuse
all that UTF-8 does not have.

>>> from leadbyte.variants import cesu8, rfc2279
>>> cesu8.encode("😀")
b'\xed\xa0\xbd\xed\xb8\x80'
>>> rfc2279.encode([0x7FFFFFFF])
b'\xfd\xbf\xbf\xbf\xbf\xbf'
"""

from leadbyte.variants import cesu8, extended, mutf8, rfc2279, wtf8

__all__ = ["cesu8", "extended", "mutf8", "rfc2279", "wtf8"]
