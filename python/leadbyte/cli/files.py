"""Files, opened, read and scanned one after another."""

from __future__ import annotations

import functools
import io
import os
import re
import stat
import sys

from leadbyte import Scanner
from leadbyte._files.binary import BINARY_PREFIX, has_nul
from leadbyte._files.reading import BLOCK, fill, read_some
from leadbyte._formats import (
    COMPRESSED_MAGIC,
    CSV,
    CSV_EXTENSIONS,
    EXTENSIONS,
    JSON_LINES_EXTENSIONS,
    MAGIC,
    MAGIC_BYTES,
    NOT_FROM_PIPES,
    format_of,
    may_become,
    named_by,
)

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias, TypeVar

    from typing_extensions import Buffer

    from leadbyte._files.json_lines import JsonLinesScan

    _Anything: TypeAlias = Any
    _S = TypeVar("_S", Scanner, JsonLinesScan)

# A file may have been replaced since its directory was listed: a FIFO must not block the walk.
GUARDED_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)
)

STANDARD_INPUT = "-"
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class Skipped(Exception):
    """A file found below a directory is not read, for a reason."""


def is_url(path: str) -> bool:
    """Return whether a path is a URL."""
    return "://" in path


def without_secrets(path: str) -> str:
    """Return a path, or a URL without its secrets."""
    if not is_url(path):
        return path
    from leadbyte.cli.remote import shown

    return shown(path)


def total_size(paths: list[str]) -> int | None:
    """Return the number of bytes to read, if that is known beforehand."""
    total = 0
    for path in paths:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        total += status.st_size
    return total


def open_guarded(path: str, flags: int, directory: int | None) -> int:
    """Open a file found below a directory without ever blocking."""
    return os.open(path, flags | GUARDED_FLAGS, dir_fd=directory)


def open_file(path: str, *, named: bool, directory: int | None = None) -> io.FileIO:
    """Open a file that is named, which may be a URL or standard input, or one found below a directory.

    With ``directory`` the path is a name in that one, which is open.

    Raises Skipped for a file found below a directory that is not regular, OSError if opening fails.
    """
    if named and path == STANDARD_INPUT:
        return io.FileIO(sys.__stdin__.fileno() if sys.__stdin__ else 0, closefd=False)
    if named and is_url(path):
        from leadbyte.cli.remote import PipedUrl

        return PipedUrl(path)
    opener = None if named else functools.partial(open_guarded, directory=directory)
    file = io.FileIO(path, opener=opener)
    if not named and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        reason = "not a regular file"
        raise Skipped(reason)
    return file


class TextFile:
    """An open file that is to be read as text; ``refused`` has the messages that refuse some starts."""

    def __init__(self, file: io.FileIO, refused: Mapping[bytes, str]) -> None:
        self.file = file
        self.refused = refused
        self.has_started = False

    def __getattr__(self, name: str) -> _Anything:
        """Return what the file has, for instance its position."""
        return getattr(self.file, name)

    def readinto(self, buffer: Buffer, /) -> int | None:
        """Read the available bytes into a buffer, at first enough to know; raise OSError."""
        if self.has_started:
            return self.file.readinto(buffer)
        self.has_started = True
        memory = memoryview(buffer).cast("B")
        length = read_some(self.file, memory)
        while self.needs_more(memory[:length]) and (more := read_some(self.file, memory[length:])):
            length += more
        self.refuse(memory[:length])
        return length

    def needs_more(self, start: memoryview) -> bool:
        """Return whether more bytes are needed to know how the file starts."""
        return may_become(start, self.refused)

    def refuse(self, start: memoryview) -> None:
        """Raise OSError for the start of a file that is not to be read."""
        refuse(start, self.refused)


class JsonLinesFile(TextFile):
    """An open file that is to be read as JSON lines."""

    def __init__(self, file: io.FileIO) -> None:
        super().__init__(file, other_than_json_lines())

    def needs_more(self, start: memoryview) -> bool:
        """Return whether more bytes are needed; the first line shows whether JSON is indented."""
        from leadbyte._files.json_lines import START_BYTES

        return super().needs_more(start) or (len(start) < START_BYTES and b"\n" not in bytes(start))

    def refuse(self, start: memoryview) -> None:
        """Raise OSError for the start of a file that cannot be JSON lines."""
        super().refuse(start)
        refuse_indented_json(start)


def columns_as_text(reason: str) -> dict[bytes, str]:
    """Return the messages that refuse files with columns, for a reason, as text, by the start of the file."""
    return {
        magic: f"starts as {found} files do, and {reason}; --binary reads it as text"
        for magic, found in MAGIC.items()
    }


def other_than_json_lines() -> dict[bytes, str]:
    """Return the messages that refuse files which cannot be JSON lines, by their start."""
    tables = {
        magic: f"starts as {found} files do, which have no JSON lines" for magic, found in MAGIC.items()
    }
    return {**tables, **compressed_as_text()}


def compressed_as_text(way: str = "") -> dict[bytes, str]:
    """Return the messages that refuse compressed files as text, with a way out, by the start of the file."""
    advice = "leadbyte check reads compressed files with --engine, and leadbyte.dataset.repair repairs them"
    return {magic: f"starts as {found} does; {advice}{way}" for magic, found in COMPRESSED_MAGIC.items()}


def refuse(start: bytes | bytearray | memoryview, refused: Mapping[bytes, str]) -> None:
    """Raise OSError for the start of a file that has a message."""
    if message := named_by(start, refused):
        raise OSError(message)


def refuse_indented_json(start: memoryview) -> None:
    """Raise OSError for the start of a file that seems to be JSON over several lines."""
    from leadbyte._files.json_lines import NOT_LINES, is_indented_json

    if is_indented_json(start):
        raise OSError(NOT_LINES)


class Reader:
    """Reads files, one after another, into the same memory; with ``tables`` none that has columns."""

    def __init__(
        self, *, errors: int, binary: bool, advance: Callable[[int], None], tables: bool = False
    ) -> None:
        self.errors = errors
        self.binary = binary
        self.tables = tables
        self.advance = advance
        self.block = bytearray(BLOCK)
        self.memory = memoryview(self.block)

    def scan(self, path: str, *, named: bool) -> Scanner:
        """Return a scanner that has scanned a whole file; see open_file."""
        return self.read(path, Scanner._keeping(self.errors), named=named)

    def scan_json_lines(self, path: str, *, named: bool) -> JsonLinesScan:
        """Return the scan of a whole file of JSON lines; see open_file."""
        from leadbyte._files.json_lines import JsonLinesScan

        if not named and not path.lower().endswith(JSON_LINES_EXTENSIONS):
            reason = "not named as JSON lines"
            raise Skipped(reason)
        scan = self.read(path, JsonLinesScan(self.errors), named=named, jsonl=True)
        scan.end()
        return scan

    def read(self, path: str, scanner: _S, *, named: bool, jsonl: bool = False) -> _S:
        """Let a scanner scan a whole file, and return it."""
        with open_file(path, named=named) as file:
            length = fill(file, self.memory)
            if jsonl:
                refuse(self.memory[:length], other_than_json_lines())
                refuse_indented_json(self.memory[:length])
            elif not named and not self.binary and has_nul(self.block[: min(length, BINARY_PREFIX)]):
                reason = "binary"
                raise Skipped(reason)
            elif self.tables and not self.binary:
                refuse(self.memory[:length], columns_as_text(NOT_FROM_PIPES))
            while True:
                scanner.update(self.memory[:length])
                self.advance(length)
                if length < BLOCK:
                    return scanner
                length = fill(file, self.memory)


def read_prefix(file: io.FileIO) -> bytes:
    """Return the first bytes of a file, which distinguish text and binary files."""
    prefix = bytearray(BINARY_PREFIX)
    return bytes(prefix[: fill(file, memoryview(prefix))])


def prefix_beyond_ascii(file: io.FileIO) -> bytes:
    """Return the first bytes of a file after the ASCII at its start, which most encodings share."""
    memory = memoryview(bytearray(BLOCK))
    start = 0
    while length := fill(file, memory):
        if found := BEYOND_ASCII.search(memory[:length]):
            start += found.start()
            break
        start += length
    file.seek(start)
    return read_prefix(file)


def skip_binary(file: io.FileIO, is_binary: Callable[[bytes], bool]) -> None:
    """Raise Skipped for a file found below a directory that seems to be binary; go back to its start."""
    if is_binary(read_prefix(file)):
        reason = "binary"
        raise Skipped(reason)
    file.seek(0)


def table_format(path: str, file: io.FileIO) -> str | None:
    """Return the format of a file with columns, at whose start the file is; None for another file."""
    if path == STANDARD_INPUT or not file.seekable():
        return None
    start = bytearray(MAGIC_BYTES)
    fill(file, memoryview(start))
    file.seek(0)
    return format_of(start) or EXTENSIONS.get(os.path.splitext(path)[1].lower())


def column_format(path: str, file: io.FileIO, *, named: bool) -> str:
    """Return the format of a file with columns, if one was asked for; a file given by name may be any CSV.

    Raises Skipped for another file that was found below a directory.
    """
    found = table_format(path, file)
    if not found and not named and not path.lower().endswith(CSV_EXTENSIONS):
        reason = "no columns"
        raise Skipped(reason)
    return found or CSV
