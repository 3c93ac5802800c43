"""How text is made of bytes, told character by character: :func:`leadbyte.explain`."""

from __future__ import annotations

from leadbyte._explain.explanation import Explanation
from leadbyte._explain.reading import rows_of_bytes, rows_of_text
from leadbyte._leadbyte import iter_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Explanation", "explain"]


def explain(text_or_data: str | Buffer, /) -> Explanation:
    r"""Return how each character of a text, or of bytes that are or should be UTF-8, is made.

    Bytes that are not UTF-8 are explained too, and so are lone surrogates in a str, which have no form in
    UTF-8. Names are those of Python's ``unicodedata``. The definitions are those of RFC 3629 (UTF-8), RFC 2781
    (UTF-16) and RFC 2279 (UTF-8 until 2003).

    Raises TypeError for what is neither str nor bytes-like.

    >>> print(leadbyte.explain("5 €"))
    byte  char  number  code    binary          UTF-8 in bits                UTF-8     UTF-16  8/16  name
       0  5         53  U+0035  110101          0|0110101                    35        0035     1/2  DIGIT FIVE
       1  ␠         32  U+0020  100000          0|0100000                    20        0020     1/2  SPACE
       2  €       8364  U+20AC  10000010101100  1110|0010 10|000010 10|101100  E2 82 AC  20AC     3/2  EURO SIGN
    3 characters: 5 bytes in UTF-8, 6 bytes in UTF-16
    >>> leadbyte.explain(b"5 \xc0\xb1")[2].words("en")
    'overlong form of U+0031 "1", which is written 31'
    >>> leadbyte.explain(5)
    Traceback (most recent call last):
    TypeError: a bytes-like object is required, not 'int'
    """
    if isinstance(text_or_data, str):
        return Explanation(tuple(rows_of_text(text_or_data)))
    iter_errors(text_or_data)  # refuses what is not bytes-like, as all functions do
    return Explanation(tuple(rows_of_bytes(bytes(memoryview(text_or_data)))))
