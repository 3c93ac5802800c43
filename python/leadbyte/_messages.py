"""Parts of messages: texts that are safe to print, sizes and counts."""

from __future__ import annotations

# The spaces of other widths, which are safe to print.
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def printable(text: str) -> str:
    r"""Return text, for instance a file name, with all characters escaped that are not printable.

    Control characters and the like become ``\x1b`` or ``\u202e``, bytes that are not UTF-8 ``\xff``.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in SPACES else escape(c) for c in text)


def escape(char: str) -> str:
    """Return the escape sequence of a character."""
    # Surrogates stand for bytes that the file system's encoding did not decode.
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def size(byte_count: float) -> str:
    """Return a number of bytes in a suitable unit."""
    unit = 0
    while byte_count >= 1000 and unit < len(UNITS) - 1:
        byte_count /= 1000
        unit += 1
    return f"{byte_count:.1f} {UNITS[unit]}" if unit else number(int(byte_count), "byte")


def number(count: int, name: str) -> str:
    """Return a count and a noun, in the plural unless the count is 1."""
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def remaining(count: int, name: str, *, shown: object) -> str:
    """Return the count of things that are not shown, as "2 more errors" if others are ``shown``."""
    return number(count, f"more {name}" if shown else name)


def not_installed(user: str, error: ModuleNotFoundError) -> ImportError:
    """Return the error about a package that a module requires, given the error of the import."""
    name = str(error.name).partition(".")[0]
    message = f"{user} requires {name}, which is not installed: pip install {name}"
    return ImportError(message, name=name)
