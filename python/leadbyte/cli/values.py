"""What arguments of the command give, from the text that was typed."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError


def natural_number(text: str) -> int:
    """Return the number, 0 or more, that an argument gives."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        message = f"must be a whole number, 0 or more: {text!r}"
        raise ArgumentTypeError(message)
    return number


def hex_bytes(text: str) -> bytes:
    r"""Return the bytes that hexadecimal digits give, however they are set off: F0 90, f090, 0xF0, \xF0."""
    try:
        return bytes.fromhex(text.replace("\\x", " ").replace("0x", " ").replace(",", " "))
    except ValueError:
        message = f"must be bytes in hexadecimal, two digits each: {text!r}"
        raise ArgumentTypeError(message) from None


def code_points(text: str) -> range:
    """Return the code points from one to another, or just one."""
    first, _, last = text.upper().replace("U+", "").replace("0X", "").replace("..", "-").partition("-")
    try:
        found = range(int(first, 16), int(last or first, 16) + 1)
    except ValueError:
        found = range(0)
    if not found or not 0 <= found[0] <= found[-1] <= 0x10FFFF:
        message = f"must be code points in hexadecimal, 3105-312F for instance, up to 10FFFF: {text!r}"
        raise ArgumentTypeError(message)
    return found


def suffix(text: str) -> str:
    """Return a suffix for names of files."""
    if not text or os.path.basename(text) != text or "\0" in text:
        message = f"must be the end of a file's name: {text!r}"
        raise ArgumentTypeError(message)
    return text


def valid_text(text: str) -> str:
    """Return text that can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        message = f"must itself be valid text: {text!r}"
        raise ArgumentTypeError(message) from None
    return text
