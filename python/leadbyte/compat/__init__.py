"""Drop-in replacements for the calls that programs make to chardet, charset-normalizer and ftfy.

Change the import, and the calls stay: ``chardet.detect(data)`` works with either of

    import chardet
    from leadbyte.compat import chardet

The functions have the signatures and the results of the packages, with encodings and repairs as
``leadbyte.detect`` and ``leadbyte.mojibake.repair`` find them. An argument that cannot be honoured raises
NotImplementedError, which names it.

>>> from leadbyte.compat import charset_normalizer
>>> str(charset_normalizer.from_bytes("Съешь ещё булок".encode("koi8-r")).best())
'Съешь ещё булок'
"""

from __future__ import annotations

from leadbyte.compat import chardet, charset_normalizer, ftfy

__all__ = ["chardet", "charset_normalizer", "ftfy"]


def __dir__() -> list[str]:
    return __all__
