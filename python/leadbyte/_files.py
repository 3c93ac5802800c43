"""Reading whole files."""

from __future__ import annotations

import os

from leadbyte._leadbyte import _decode_universal, _read, decode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from io import FileIO

__all__ = ["read_text"]

# The number of bytes from which memory is likely to be new, so that touching it takes longer than reading.
MIN_LARGE_BYTES = 4 << 20

NEWLINES = (None, "", "\n", "\r", "\r\n")


def read_text(
    path: int | str | bytes | os.PathLike[str] | os.PathLike[bytes],
    /,
    *,
    errors: str = "strict",
    newline: str | None = None,
) -> str:
    r"""Return the text of ``open(path, encoding="utf-8", errors=errors, newline=newline).read()``.

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
        # open() raises the right exception.
        with open(path, encoding="utf-8", errors=errors, newline=newline) as text_file:
            return text_file.read()
    with open(path, "rb", buffering=0) as file:
        data = read_all(file)
    if newline is not None:
        return decode(data, errors=errors)
    if b"\r" in data and (text := _decode_universal(data)) is not None:
        return text
    # An error handler gets the bytes of the file, and its replacements are translated too.
    text = decode(data, errors=errors)
    if errors != "strict" and "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def read_all(file: FileIO) -> bytes:
    """Return the rest of a file."""
    size = os.fstat(file.fileno()).st_size
    if size < MIN_LARGE_BYTES:
        return file.readall()
    # The file may have grown.
    return _read(file, max(size - file.tell(), 0)) + file.readall()
