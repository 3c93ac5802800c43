"""The encoding of text, character by character: :func:`leadbyte.explain`.

The layers, from the lowest: ``names`` and ``bits``, ``data``, ``words``, ``steps``, ``rows``, ``table`` and
``markup``, ``explanation``; ``parsing`` makes the rows. ``languages`` has all texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadbyte._explain.explanation import Explanation
from leadbyte._explain.parsing import rows_of_bytes, rows_of_text
from leadbyte._leadbyte import iter_errors

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Explanation", "explain"]


def explain(text_or_data: str | Buffer, /) -> Explanation:
    r"""Explain how each character of a text, or of bytes that are or should be UTF-8, is encoded.

    Malformed sequences of bytes are explained too, and so are lone surrogates in a str, which UTF-8 cannot
    encode. Names come from Python's ``unicodedata``. UTF-8 is defined by RFC 3629, UTF-16 by RFC 2781.

    Raises TypeError for an object that is neither str nor bytes-like.

    >>> print(leadbyte.explain("¢"))
    byte  char  number  code      binary  UTF-8 in bits        UTF-8  UTF-16  bytes 8/16  name
       0  ¢        162  U+00A2  10100010  110|00010 10|100010  C2 A2  00A2    2/2         CENT SIGN
    1 character: 2 bytes in UTF-8, 2 bytes in UTF-16
    >>> leadbyte.explain(b"5 \xc0\xb1")[2].words("en")
    'overlong encoding of U+0031 "1", whose valid form is 31'
    >>> leadbyte.explain(5)
    Traceback (most recent call last):
    TypeError: a bytes-like object is required, not 'int'
    """
    if isinstance(text_or_data, str):
        return Explanation(tuple(rows_of_text(text_or_data)))
    iter_errors(text_or_data)  # raises TypeError for objects that are not bytes-like
    return Explanation(tuple(rows_of_bytes(bytes(memoryview(text_or_data)))))
