"""Whole files."""

from __future__ import annotations

from leadbyte._leadbyte import decode, is_valid

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import os

__all__ = ["read_text"]

NEWLINES = (None, "", "\n", "\r", "\r\n")


def read_text(
    path: int | str | bytes | os.PathLike[str] | os.PathLike[bytes],
    /,
    *,
    errors: str = "strict",
    newline: str | None = None,
) -> str:
    r"""Return what ``open(path, encoding="utf-8", errors=errors, newline=newline).read()`` gives.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "price.txt")
    ...     with open(path, "wb") as file:
    ...         _ = file.write(b"5 \xe2\x82\xac\r\n")
    ...     leadbyte.read_text(path), leadbyte.read_text(path, newline="")
    ('5 €\n', '5 €\r\n')

    Raises what ``open`` and ``read`` raise.
    """
    if newline not in NEWLINES:
        # It is for open to say so.
        with open(path, encoding="utf-8", errors=errors, newline=newline) as text_file:
            return text_file.read()
    with open(path, "rb", buffering=0) as file:
        data = file.readall()
    translated = newline is None
    # A handler is to see what stands in the file, so only valid bytes are translated before decoding.
    if translated and b"\r" in data and is_valid(data):
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = decode(data, errors)
    # What a handler puts in the place of errors is translated too.
    if translated and errors != "strict" and "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text
