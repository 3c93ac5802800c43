"""Text files of any size with errors at known offsets, made at the speed of the disk, and their contents."""

from __future__ import annotations

import functools
import mmap
import os
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import leadbyte
from leadbyte.dataset import DatasetError, DatasetScan
from sentences import LANGUAGES, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Each is one error, before whatever character.
DAMAGE = (b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xed\x9f", b"\xf0\x9f\x98", b"\xf4\x8f", b"\xc0")


@functools.cache
def valid_text() -> bytes:
    """Return megabytes of text whose characters have all lengths."""
    chosen = [sentence for language in LANGUAGES for sentence in sentences(language)]
    random.Random(0).shuffle(chosen)
    return "".join(f"{sentence} \U0001f600\n" for sentence in chosen).encode()


def excerpts(size: int, source: random.Random) -> Iterator[bytes]:
    """Yield parts of the text, cut between characters, of ``size`` bytes together."""
    text = valid_text()
    while size > 0:
        start = source.randrange(len(text) // 2)
        while is_continuation(text[start]):
            start += 1
        stop = min(start + size, len(text) - 1)
        while is_continuation(text[stop]):
            stop -= 1
        # A rest that is too short for a character.
        yield text[start:stop] or b"\n" * size
        size -= stop - start or size


def is_continuation(byte: int) -> bool:
    """Return whether no character starts with the byte."""
    return 0x80 <= byte < 0xC0


def write_damaged(path: Path, size: int, error_count: int, seed: int) -> list[tuple[int, bytes]]:
    """Write a file of about ``size`` bytes; return the offsets of its errors, and their bytes."""
    source = random.Random(seed)
    errors: list[tuple[int, bytes]] = []
    with path.open("wb") as file:
        for end in [*sorted(source.randrange(size) for _ in range(error_count)), size]:
            # A character keeps neighbouring errors apart.
            file.writelines(excerpts(max(end - file.tell(), 1 if errors else 0), source))
            errors.append((file.tell(), source.choice(DAMAGE)))
            file.write(errors[-1][1])
        file.truncate(errors.pop()[0])
    return errors


def write_folder(
    folder: Path, sizes: Iterable[int], bytes_an_error: int, seed: int = 0
) -> dict[str, list[tuple[int, bytes]]]:
    """Write files, one in five without errors; return the errors of each by its path."""
    folder.mkdir(parents=True)
    written = {}
    for index, size in enumerate(sizes):
        path = folder / f"{index:05}.txt"
        error_count = -(-size // bytes_an_error) if index % 5 else 0
        written[str(path)] = write_damaged(path, size, error_count, seed + index)
    return written


@contextmanager
def mapped(path: str) -> Iterator[mmap.mmap | bytes]:
    """Map a file into memory; an empty one cannot be mapped."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


def single_pass(paths: Iterable[str], max_errors: int) -> DatasetScan:
    """Return the results for files, each read as a whole and by one thread."""
    errors: list[DatasetError] = []
    scans = []
    for path in paths:
        with mapped(path) as data:
            scans.append(leadbyte.scan(data))
            for error in leadbyte.iter_errors(data, locations=True):
                if len(errors) == max_errors:
                    break
                place = error.location
                assert place
                start, end = error.start, error.end
                around = data[max(0, start - 8) : start], data[end : end + 8]
                found = error.kind, error.reason, error.data, *around, place.line, place.column
                errors.append(DatasetError(path, start, end, *found))
    return DatasetScan(
        file_count=len(scans),
        invalid_count=sum(not found.valid for found in scans),
        failed_count=0,
        byte_count=sum(found.byte_count for found in scans),
        char_count=sum(found.char_count for found in scans),
        utf16_count=sum(found.utf16_count for found in scans),
        newline_count=sum(found.newline_count for found in scans),
        row_count=0,
        error_count=sum(found.error_count for found in scans),
        invalid_record_count=0,
        ascii=all(found.ascii for found in scans),
        max_char_width=max(found.max_char_width for found in scans),
        errors=tuple(errors),
        failures=(),
    )


def peak_memory(process: int) -> int:
    """Return the most bytes of memory that a process of Linux had, or 0 if it is gone."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(lines.get("VmHWM", "0 kB").split()[0]) * 1024
