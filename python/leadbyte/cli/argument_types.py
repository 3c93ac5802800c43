"""The types of the command's arguments: functions that convert their text, for argparse."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError

MAX_THREADS = 1024
# Nothing has as many; one more is still a length.
MAX_LIMIT = sys.maxsize - 1


def natural_number(text: str) -> int:
    """Convert an integer, 0 or more."""
    return integer(text, 0)


def positive_number(text: str) -> int:
    """Convert an integer, 1 or more."""
    return integer(text, 1)


def limit(text: str) -> int:
    """Convert a limit, 0 or more."""
    return min(natural_number(text), MAX_LIMIT)


def thread_count(text: str) -> int:
    """Convert a number of threads."""
    number = positive_number(text)
    if number > MAX_THREADS:
        message = f"must be an integer, {MAX_THREADS} or less: {text!r}"
        raise ArgumentTypeError(message)
    return number


def integer(text: str, least: int) -> int:
    """Convert an integer."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        message = f"must be an integer, {least} or more: {text!r}"
        raise ArgumentTypeError(message)
    return number


def confidence(text: str) -> float:
    """Convert a confidence, 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        message = f"must be a number from 0 to 1: {text!r}"
        raise ArgumentTypeError(message)
    return number


def names(text: str) -> list[str]:
    """Convert a list of names, with commas between them."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        message = f"must be names with commas between them: {text!r}"
        raise ArgumentTypeError(message)
    return found


def encoding(text: str) -> str:
    """Check the name of an encoding."""
    from leadbyte._encodings import find

    name = valid_text(text)
    try:
        find(name)
    except LookupError:
        message = f"unknown encoding: {name}; leadbyte convert --list lists all"
        raise ArgumentTypeError(message) from None
    return name


def encoding_or_detection(text: str) -> str:
    """Check the name of an encoding, or of its detection."""
    from leadbyte._encodings import DETECTION

    return text if text in DETECTION else encoding(text)


def candidates(text: str) -> list[str]:
    """Convert a list of encodings that are detected."""
    from leadbyte._detect import reported_names

    found = [encoding(name) for name in names(text)]
    try:
        reported_names(found)
    except LookupError as error:
        raise ArgumentTypeError(str(error)) from None
    return found


def policy(text: str) -> str | list[str]:
    """Convert the name of a policy, or kinds with commas between them."""
    from leadbyte._leadbyte import _Audit

    try:
        _Audit(text, is_str=False)
    except ValueError as error:
        kinds = names(text)
        try:
            _Audit(kinds, is_str=False)
        except ValueError:
            raise ArgumentTypeError(str(error)) from None
        return kinds
    return text


def hex_bytes(text: str) -> bytes:
    r"""Convert bytes in hexadecimal, with or without separators and prefixes: F0 90, f090, 0xF0, \xF0."""
    try:
        return bytes.fromhex(text.replace("\\x", " ").replace("0x", " ").replace(",", " "))
    except ValueError:
        message = f"must be bytes in hexadecimal, two digits each: {text!r}"
        raise ArgumentTypeError(message) from None


def code_points(text: str) -> range:
    """Convert a range of code points, or a single one."""
    first, _, last = text.upper().replace("U+", "").replace("0X", "").replace("..", "-").partition("-")
    try:
        found = range(int(first, 16), int(last or first, 16) + 1)
    except ValueError:
        found = range(0)
    if not found or not 0 <= found[0] <= found[-1] <= 0x10FFFF:
        message = f"must be code points in hexadecimal up to 10FFFF, for instance 3105-312F: {text!r}"
        raise ArgumentTypeError(message)
    return found


def output_path(text: str) -> str:
    """Check the path of an output."""
    if not text:
        message = "must be a path"
        raise ArgumentTypeError(message)
    if not os.path.basename(text) and not os.path.isdir(text):
        message = f"must be a directory that exists: {text!r}"
        raise ArgumentTypeError(message)
    return text


def suffix(text: str) -> str:
    """Check a suffix of file names."""
    if not text or os.path.basename(text) != text or "\0" in text:
        message = f"must be a suffix of file names: {text!r}"
        raise ArgumentTypeError(message)
    return text


def escaped_bytes(text: str) -> bytes | None:
    """Return the bytes of an argument if the encoding of the locale does not have all of them."""
    if os.name == "posix" and any("\udc80" <= char <= "\udcff" for char in text):
        return os.fsencode(text)
    return None


def as_utf8(text: str) -> str:
    """Return the text of an argument, as UTF-8 if it is not in the encoding of the locale."""
    data = escaped_bytes(text)
    try:
        return text if data is None else data.decode()
    except UnicodeDecodeError:
        return text


def valid_text(text: str) -> str:
    """Check that text can be encoded as UTF-8."""
    text = as_utf8(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        message = f"must be valid text: {text!r}"
        raise ArgumentTypeError(message) from None
    return text
