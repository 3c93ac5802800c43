"""JSON lines in pieces of files.

A piece has the records that start in it: it is read from the byte before it on, which may be a line feed, and
the rest of its last record after its end. So one worker reads each record, however files are cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadbyte import Scanner
from leadbyte._files.json_lines import NOT_LINES, START_BYTES, is_indented_json
from leadbyte._leadbyte import _JsonLines
from leadbyte.dataset._partial import JsonLinesState
from leadbyte.dataset._reading import REMOTE_PART, read_parts

if TYPE_CHECKING:
    from leadbyte.dataset._tasks import File, Piece

# The number of bytes that are first read after a piece, for the rest of its last record; then twice as many.
REST_BYTES = 64 << 10


def is_json_lines(name: str | None) -> bool:
    """Return whether a format is JSON lines, not None; raise ValueError for another."""
    if name not in {None, "jsonl"}:
        message = f"format must be 'jsonl' or None, not {name!r}"
        raise ValueError(message)
    return name is not None


def scan_json_lines(piece: Piece, max_errors: int) -> JsonLinesState:
    """Return what a piece has; raises what `scan_piece` raises."""
    # The start of a file decides, however it is cut.
    is_long = piece.is_last or (piece.stop or 0) >= START_BYTES
    if piece.is_first and not is_long:
        check_start(piece.file)
    scanner = Scanner._keeping(max_errors)
    search = _JsonLines(max_errors)
    # The offset of the first record that starts in the piece, once it is known.
    first = None if piece.start else 0
    offset = max(piece.start - 1, 0)
    last = b"\n"
    for part in read_parts(piece.file, offset, piece.stop):
        memory = memoryview(part)
        if is_long and not offset and is_indented_json(memory):
            raise OSError(NOT_LINES)
        scanner.update(memory[max(piece.start - offset, 0) :])
        if first is not None:
            search.update(memory)
        elif line_feed := bytes(memory).find(b"\n") + 1:
            first = offset + line_feed
            search.update(memory[line_feed:])
        offset += len(memory)
        last = bytes(memory[-1:])
    if first is not None and first < offset and last != b"\n" and not piece.is_last:
        read_rest(piece, offset, search)
    search.finish()
    counts = Scanner()
    counts.merge(scanner)
    base = first or 0
    lines = int(base > piece.start)
    findings = (
        (kind, start + base, end + base, line + lines, *rest)
        for kind, start, end, line, *rest in search.findings()
    )
    newline_count = counts.finish().newline_count
    return JsonLinesState(
        scanner,
        newline_count,
        (*findings,),  # type: ignore[arg-type]
        search.finding_count,
        search.invalid_record_count,
    )


def check_start(file: File) -> None:
    """Raise OSError if a file seems to be JSON over several lines."""
    start = b"".join(bytes(part) for part in read_parts(file, 0, min(START_BYTES, file.size or 0)))
    if is_indented_json(start):
        raise OSError(NOT_LINES)


def read_rest(piece: Piece, offset: int, search: _JsonLines) -> None:
    """Let a search have the rest of a record that continues after a piece, up to its line feed."""
    size = piece.file.size or 0
    length = REST_BYTES
    while offset < size:
        stop = min(offset + length, size)
        ended = False
        for part in read_parts(piece.file, offset, stop):
            if not ended:
                rest = bytes(part)
                line_feed = rest.find(b"\n") + 1
                search.update(rest[: line_feed or len(rest)])
                ended = line_feed > 0
        if ended:
            return
        offset = stop
        length = min(2 * length, REMOTE_PART)
