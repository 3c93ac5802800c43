"""Checks of arguments, with the messages of CPython's own functions."""

from __future__ import annotations

import codecs
import io

from leadbyte._leadbyte import floor_boundary

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import IO, TypeAlias

    from typing_extensions import Buffer

    _BinaryFile: TypeAlias = IO[bytes] | io.RawIOBase | io.BufferedIOBase


def check_str(value: str, function: str, argument: str) -> None:
    """Raise TypeError if an argument, given by its position or its name in quotes, is not a str."""
    if not isinstance(value, str):
        given = "None" if value is None else type(value).__name__
        is_undecoded = isinstance(value, (bytes, bytearray)) and not argument.startswith("'")
        way = "; leadbyte.decode returns the str of UTF-8" if is_undecoded else ""
        message = f"{function}() argument {argument} must be str, not {given}{way}"
        raise TypeError(message)


def check_bytes_like(data: object) -> None:
    """Raise TypeError if an argument is a str where bytes are expected."""
    if isinstance(data, str):
        message = "a bytes-like object is required, not 'str'; leadbyte.encode returns the UTF-8 of a str"
        raise TypeError(message)


def check_binary_file(file: object, argument: str) -> None:
    """Raise TypeError if an argument is a text file, or is not a file."""
    if isinstance(file, (io.TextIOBase, codecs.StreamReader, codecs.StreamReaderWriter)):
        message = (
            f"{argument} must be a binary file, not a text file: open it with mode 'rb', or pass file.buffer"
        )
        raise TypeError(message)
    if not hasattr(file, "read"):
        message = f"{argument} must be a binary file, not {type(file).__name__}"
        raise TypeError(message)


def snapshot(data: Buffer) -> bytes:
    """Return the bytes of a bytes-like object, a copy unless it is bytes; raise what ``decode`` raises."""
    if type(data) is bytes:
        return data
    floor_boundary(data, 0)
    return codecs.readbuffer_encode(data)[0]


def check_handler(errors: str, function: str) -> None:
    """Raise LookupError if no error handler has this name."""
    check_str(errors, function, "'errors'")
    codecs.lookup_error(errors)
