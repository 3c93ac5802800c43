"""Reading whole files."""

from __future__ import annotations

import os

from leadbyte._leadbyte import BOM, _decode_universal, _detect_whole, _read, decode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from io import FileIO

__all__ = ["read_text"]

# The number of bytes from which memory is likely to be new, so that touching it takes longer than reading.
MIN_LARGE_BYTES = 4 << 20

NEWLINES = (None, "", "\n", "\r", "\r\n")

# The encodings that are not left to open().
NATIVE = ("utf-8", "utf-8-sig", "detect")


def read_text(
    path: int | str | bytes | os.PathLike[str] | os.PathLike[bytes],
    /,
    *,
    encoding: str | int = "utf-8",
    errors: str = "strict",
    newline: str | None = None,
) -> str:
    r"""Return the text of ``open(path, encoding=encoding, errors=errors, newline=newline).read()``.

    encoding: also ``"detect"`` or ``"auto"``, for what ``leadbyte.detect`` finds in the whole file, without
    the byte order mark of a UTF; the number of a Windows code page; or a label of the WHATWG Encoding
    Standard that Python does not know; but neither None nor ``"locale"``. UTF-8 and utf-8-sig are decoded by
    leadbyte, and others by Python's codecs.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "price.txt")
    ...     with open(path, "wb") as file:
    ...         _ = file.write(b"5 \xe2\x82\xac\r\n")
    ...     leadbyte.read_text(path), leadbyte.read_text(path, newline="")
    ('5 €\n', '5 €\r\n')
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "old.txt")
    ...     with open(path, "wb") as file:
    ...         _ = file.write("Добрый вечер".encode("koi8-r"))
    ...     leadbyte.read_text(path, encoding="detect")
    'Добрый вечер'

    Raises what ``open`` and ``read`` raise; UnicodeDecodeError if no text is detected.
    """
    if encoding == "auto":
        encoding = "detect"
    native = encoding if encoding in NATIVE else own_name(encoding)
    if native is None or newline not in NEWLINES:
        # open() raises the right exception.
        with open(path, encoding=str(encoding), errors=errors, newline=newline) as text_file:
            return text_file.read()
    with open(path, "rb", buffering=0) as file:
        data = read_all(file)
    if native == "detect":
        from leadbyte._sampling import decoding_name

        native = decoding_name(_detect_whole(data), data)
    if native == "utf-8-sig":
        # As in Python, a part of a byte order mark is not part of the text.
        data = b"" if len(data) < len(BOM) and BOM.startswith(data) else data.removeprefix(BOM)
    elif native != "utf-8":
        from leadbyte._encodings import find
        from leadbyte._str_transcoder import decoder

        return translated(decoder(find(native), errors).decode(data, True), newline)  # noqa: FBT003
    if newline is not None:
        return decode(data, errors=errors)
    if b"\r" in data and (text := _decode_universal(data)) is not None:
        return text
    # An error handler gets the bytes of the file, and its replacements are translated too.
    text = decode(data, errors=errors)
    return text if errors == "strict" else translated(text, newline)


def own_name(encoding: str | int) -> str | None:
    """Return a name by which ``find`` has an encoding that is decoded here; None if open() knows it."""
    from leadbyte._encodings import find

    found = find(encoding)
    is_for_open = isinstance(encoding, str) and found.codec is not None and found.name not in NATIVE
    if is_for_open:
        return None
    # A label of the WHATWG Encoding Standard may be of another encoding than the name in Python.
    return found.name if isinstance(encoding, int) or found.name in NATIVE else encoding


def translated(text: str, newline: str | None) -> str:
    """Return text with the newlines of open(newline=newline)."""
    if newline is None and "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def read_all(file: FileIO) -> bytes:
    """Return the rest of a file."""
    size = os.fstat(file.fileno()).st_size
    if size < MIN_LARGE_BYTES:
        return file.readall()
    # The file may have grown.
    return _read(file, max(size - file.tell(), 0)) + file.readall()
