"""Texts that are not in the encoding to convert from, but in UTF-8 or in the target already."""

from __future__ import annotations

from leadbyte._bom import BOMS, MAX_BOM_BYTES, UTF16_BOMS, is_wide
from leadbyte._encodings import find
from leadbyte._leadbyte import BOM, IncrementalValidator, is_ascii
from leadbyte.transcode import Transcoder, transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer

    from leadbyte.transcode import _BomPolicy

# Text that all supersets of ASCII encode in the same way, and text that only UTF-8 encodes so.
ASCII_SAMPLE = b"Aa0 "
UTF8_SAMPLE = "é€".encode()


class Utf8:
    """Finds out whether a text that comes in pieces is UTF-8, which text in another encoding hardly ever is.

    ASCII indicates nothing, unless the other encoding is not a superset of it, as UTF-16 and EBCDIC. A text
    in these may be ASCII too, but then it has NULs.
    """

    def __init__(self, *, ascii_counts: bool) -> None:
        self.ascii_counts = ascii_counts
        self.validator = IncrementalValidator()
        self.possible = True
        self.evident = False

    def update(self, data: Buffer) -> None:
        """Take a piece."""
        self.possible = self.validator.update(data)
        if self.ascii_counts:
            content = bytes(data)
            self.possible = self.possible and b"\0" not in content
            self.evident = self.evident or bool(content)
        else:
            self.evident = self.evident or not is_ascii(data)

    def finish(self) -> bool:
        """Return whether the text is UTF-8, as far as the data until now shows it."""
        return self.evident and self.validator.finish()


class Marked:
    """Finds out whether a text that comes in pieces begins with a byte order mark and is in its encoding."""

    def __init__(self, marks: tuple[bytes, ...], encoding: str | int) -> None:
        self.marks = marks
        self.start: bytes | None = b""
        self.transcoder = Transcoder(encoding, "utf-8")
        self.possible = True

    def update(self, data: Buffer) -> None:
        """Take a piece."""
        if self.start is not None:
            self.start = data = self.start + bytes(data)
            if len(self.start) < MAX_BOM_BYTES:
                self.possible = any(mark.startswith(data[: len(mark)]) for mark in self.marks)
                return
            self.possible = self.is_marked(self.start)
            self.start = None
        try:
            self.transcoder.feed(data)
        except UnicodeError:
            self.possible = False

    def is_marked(self, start: bytes) -> bool:
        """Return whether it begins with one of the marks, and not with a longer one of another encoding."""
        # Which begins with the mark of UTF-16 LE.
        longer = BOMS["utf-32-le"]
        is_longer = longer not in self.marks and start.startswith(longer)
        return start.startswith(self.marks) and not is_longer

    def finish(self) -> bool:
        """Return whether the text is in the encoding, as far as the data until now shows it."""
        try:
            if self.start is not None:
                self.transcoder.feed(self.start)
            self.transcoder.finish()
        except UnicodeError:
            return False
        return self.start is None or self.is_marked(self.start)


class Recognition:
    """Finds out whether a text that comes in pieces would be damaged by its conversion.

    That is so if it is UTF-8, but the source is another encoding, if it begins with the byte order mark that
    the conversion writes, or if it is UTF-16 with one. What else is in the target encoding already cannot be
    known.
    """

    def __init__(self, source: str | int, target: str | int, bom: _BomPolicy) -> None:
        self.source, self.target = find(source).name, shown(target)
        # The encodings that may still be found, by their names.
        self.readers: dict[str, Utf8 | Marked] = {}
        self.found: list[str] = []
        from_utf8, to_utf8 = (decoded(UTF8_SAMPLE, name) == UTF8_SAMPLE for name in (source, target))
        if not from_utf8:
            reader = Utf8(ascii_counts=decoded(ASCII_SAMPLE, source) != ASCII_SAMPLE)
            self.readers[self.target if to_utf8 else "UTF-8"] = reader
        if not is_wide(self.source):
            self.readers["UTF-16"] = Marked(UTF16_BOMS, "utf-16")
        mark = transcode(b"", "utf-8", target, bom=bom)
        consumed = mark in find(source).signatures or (bom is not None and decoded(mark, source) == BOM)
        # The byte order marks of a text that is in the target encoding.
        self.marks: tuple[bytes, ...] = ()
        if mark and not consumed and (from_utf8 or not to_utf8):
            self.marks = find(target).signatures or (mark,)
            self.readers[self.target] = Marked(self.marks, target)

    @property
    def possible(self) -> bool:
        """Whether it may still be so."""
        return bool(self.readers)

    def update(self, data: Buffer) -> None:
        """Take a piece."""
        for name, reader in list(self.readers.items()):
            reader.update(data)
            if not reader.possible:
                del self.readers[name]

    def finish(self) -> bool:
        """Return whether it is so, once all pieces are known."""
        self.found = [name for name, reader in self.readers.items() if reader.finish()]
        return bool(self.found)

    @property
    def already(self) -> bool:
        """Whether the text is in the target encoding."""
        return self.target in self.found

    @property
    def message(self) -> str:
        """The finding, as a reason not to convert the text."""
        if self.already:
            return f"already {self.target}, not {self.source}"
        return f"{self.found[0]}, not {self.source}"


def shown(encoding: str | int) -> str:
    """Return the name of an encoding, with or without a byte order mark."""
    return find(encoding).name.upper().removesuffix("-SIG")


def decoded(data: bytes, source: str | int) -> bytes:
    """Return data in an encoding as UTF-8, as far as its codec can replace malformed bytes."""
    try:
        return transcode(data, source, "utf-8", errors="replace")
    except UnicodeError:
        return b""
