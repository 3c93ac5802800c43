"""The files of the given paths: directories searched, files opened, read and scanned."""

from __future__ import annotations

import io
import os
import stat
import sys
import threading

from leadbyte import Scanner

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", "CVS"})

# The number of bytes that are searched for a NUL, which text does not contain.
BINARY_PREFIX = 8 << 10

# The number of bytes read at once: they stay in the second-level cache until they are scanned.
BLOCK = 512 << 10
# The minimum size in bytes of a file that several threads scan.
MIN_SHARED_BYTES = 4 * BLOCK
# The number of these threads.
READERS = max(2, min(4, os.cpu_count() or 1))

# A file may have been replaced since its directory was listed: a FIFO must not block the walk.
GUARDED_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)
)

STANDARD_INPUT = "-"


class Skipped(Exception):
    """A file found below a directory is not read, for a reason."""


class Walk:
    """The files of the given paths, directories searched recursively."""

    def __init__(
        self,
        paths: list[str],
        *,
        directories: bool,
        on_error: Callable[[str, OSError], None],
        on_skip: Callable[[str, str], None],
    ) -> None:
        self.paths = paths
        self.directories = directories
        self.on_error = on_error
        self.on_skip = on_skip

    def __iter__(self) -> Iterator[tuple[str, bool]]:
        """Yield the path of each file and whether it was named; directories are sorted by name."""
        for path in self.paths:
            if self.directories and path != STANDARD_INPUT and os.path.isdir(path):
                for found in self.below(path):
                    yield found, False
            else:
                yield path, True

    def total(self) -> int | None:
        """Return the number of bytes to read, if that is known beforehand."""
        total = 0
        for path in self.paths:
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                return None
            if not stat.S_ISREG(status.st_mode):
                return None
            total += status.st_size
        return total

    def below(self, top: str) -> Iterator[str]:
        """Yield the regular files below a directory."""
        pending = [iter(self.entries(top))]
        while pending:
            entry = next(pending[-1], None)
            if entry is None:
                pending.pop()
                continue
            try:
                link, directory, file = (
                    entry.is_symlink(),
                    entry.is_dir(follow_symlinks=False),
                    entry.is_file(follow_symlinks=False),
                )
            except OSError as error:
                # Some file systems do not list the type with the name.
                self.on_error(entry.path, error)
                continue
            if directory:
                if entry.name not in VERSION_CONTROL:
                    pending.append(iter(self.entries(entry.path)))
            elif file:
                yield entry.path
            else:
                self.on_skip(entry.path, "link" if link else "not a regular file")

    def entries(self, directory: str) -> list[os.DirEntry[str]]:
        """Return the entries of a directory, sorted by name."""
        try:
            with os.scandir(directory) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.on_error(directory, error)
            return []


def open_guarded(path: str, flags: int) -> int:
    """Open a file found below a directory without ever blocking."""
    return os.open(path, flags | GUARDED_FLAGS)


def open_file(path: str, *, named: bool) -> io.FileIO:
    """Open a file, or standard input.

    Raises Skipped for a file found below a directory that is not regular, OSError if opening fails.
    """
    if path == STANDARD_INPUT:
        return io.FileIO(sys.__stdin__.fileno() if sys.__stdin__ else 0, closefd=False)
    file = io.FileIO(path, opener=None if named else open_guarded)
    if not named and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        reason = "not a regular file"
        raise Skipped(reason)
    return file


class Reader:
    """Reads files, one after another, into the same memory."""

    def __init__(self, *, errors: int, binary: bool, advance: Callable[[int], None]) -> None:
        self.errors = errors
        self.binary = binary
        self.advance = advance
        self.block = bytearray(BLOCK)
        self.memory = memoryview(self.block)

    def scan(self, path: str, *, named: bool) -> Scanner:
        """Return a scanner that has scanned a whole file; see open_file."""
        with open_file(path, named=named) as file:
            scanner = Scanner._keeping(self.errors)
            length = fill(file, self.memory)
            if not named and not self.binary and has_nul(self.block[: min(length, BINARY_PREFIX)]):
                reason = "binary"
                raise Skipped(reason)
            while True:
                scanner.update(self.memory[:length])
                self.advance(length)
                if length < BLOCK:
                    return scanner
                if scanner.byte_count == BLOCK and is_long(file):
                    return Shared(file, scanner, self.errors, self.advance).scan()
                length = fill(file, self.memory)


def has_nul(prefix: bytes | bytearray) -> bool:
    """Return whether a file with this prefix is considered binary."""
    return b"\0" in prefix


def is_long(file: io.FileIO) -> bool:
    """Return whether a file is regular and long enough to share among threads."""
    status = os.fstat(file.fileno())
    return stat.S_ISREG(status.st_mode) and status.st_size >= MIN_SHARED_BYTES and file.tell() == BLOCK


def fill(file: io.FileIO, memory: memoryview) -> int:
    """Read until memory is full or the file ends; return the number of bytes read."""
    length = 0
    while length < len(memory) and (read := read_some(file, memory[length:])):
        length += read
    return length


def read_some(file: io.FileIO, memory: memoryview) -> int:
    """Read what is available, at least a byte unless the file ends; return the number of bytes read."""
    while (read := file.readinto(memory)) is None:
        # The descriptor is non-blocking, and no data is available yet.
        import select

        select.select([file], [], [])
    return read


class Shared:
    """A long file, read and scanned by several threads, block by block.

    A thread that is free takes the next block; the scanners of blocks are merged in order. The file is not
    mapped into memory, so it may shrink meanwhile: it ends with the first block that is short.
    """

    def __init__(
        self, file: io.FileIO, scanner: Scanner, errors: int, advance: Callable[[int], None]
    ) -> None:
        self.file = file
        self.scanner = scanner
        self.errors = errors
        self.advance = advance
        self.lock = threading.Lock()
        self.seeking = threading.Lock()
        self.next_block = self.merged_blocks = scanner.byte_count // BLOCK
        self.waiting: dict[int, tuple[Scanner, int]] = {}
        self.stopped = False
        self.failure: Exception | None = None

    def scan(self) -> Scanner:
        """Return the scanner that has scanned the whole file."""
        reported = self.scanner.byte_count
        others: list[threading.Thread] = []
        for _ in range(READERS - 1):
            other = threading.Thread(target=self.help, daemon=True)
            try:
                other.start()
            except RuntimeError:
                # If no thread can be started, the present ones do the work.
                break
            others.append(other)
        try:
            for _ in self.work():
                reported = self.report(reported)
        finally:
            # After an interrupt, do not wait for a disk that does not answer.
            timeout = None if self.stopped else 0.2
            self.stopped = True
            for other in others:
                other.join(timeout)
        self.report(reported)
        if self.failure is not None:
            raise self.failure
        # As if it had been read in order: another process may read the rest of standard input.
        self.file.seek(self.scanner.byte_count)
        return self.scanner

    def help(self) -> None:
        """Scan blocks on another thread than the main one."""
        try:
            for _ in self.work():
                pass
        except Exception as error:
            self.failure = error
            self.stopped = True

    def report(self, reported: int) -> int:
        """Report the progress since ``reported`` bytes; return the number of bytes reported now."""
        merged = self.scanner.byte_count
        self.advance(merged - reported)
        return merged

    def work(self) -> Iterator[None]:
        """Scan one block after another."""
        memory = memoryview(bytearray(BLOCK))
        while not self.stopped:
            with self.lock:
                block = self.next_block
                self.next_block += 1
            length = self.fill_at(memory, block * BLOCK)
            scanner = Scanner._keeping(self.errors)
            scanner.update(memory[:length])
            with self.lock:
                self.waiting[block] = scanner, length
                self.merge_waiting()
            yield

    def merge_waiting(self) -> None:
        """Merge the scanners of the next blocks, as far as they are scanned."""
        while not self.stopped and self.merged_blocks in self.waiting:
            scanner, length = self.waiting.pop(self.merged_blocks)
            self.scanner.merge(scanner)
            self.merged_blocks += 1
            if length < BLOCK:
                self.stopped = True

    def fill_at(self, memory: memoryview, offset: int) -> int:
        """Read at an offset until memory is full or the file ends."""
        if not hasattr(os, "preadv"):
            with self.seeking:
                self.file.seek(offset)
                return fill(self.file, memory)
        length = 0
        while length < len(memory):
            read = os.preadv(self.file.fileno(), [memory[length:]], offset + length)
            if not read:
                break
            length += read
        return length
