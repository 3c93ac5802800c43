"""Errors in JSON lines, which programs refuse to load, with their records, fields and offsets."""

from __future__ import annotations

import re

from leadbyte._files.errors import Error
from leadbyte._files.quarantine import InvalidRow
from leadbyte._leadbyte import BOM, ErrorSpan, Scanner, _JsonLines, count_newlines

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from typing_extensions import Buffer

    from leadbyte import Scan
    from leadbyte._files.quarantine import _Line
    from leadbyte._leadbyte import _JsonFinding

# How many characters of a JSON Pointer are shown to people.
SHOWN_CHARS = 200
# The kind of a last record that is not complete.
TRUNCATED_RECORD = "truncated_record"
# The kind of a byte order mark before a record, which is not a part of it.
BOM_KIND = "bom"
# The reasons of the errors that JSON lines may have in valid UTF-8, by kind.
REASONS = {
    "lone_surrogate": "surrogate without its other half",
    "nul": "U+0000",
    BOM_KIND: "byte order mark",
    TRUNCATED_RECORD: "end of the file within the record",
}


# In this many bytes at the start of a file, its first line is looked at.
START_BYTES = 64 << 10
ESCAPE = re.compile(rb"\\.")
# Why a file is not read whose first record continues after its line, as indented JSON does.
NOT_LINES = "seems to be JSON over several lines, not JSON lines, of which each is a record"


def is_indented_json(start: bytes | bytearray | memoryview) -> bool:
    """Return whether a file that starts so seems to be JSON over several lines.

    Its first line ends between two values. Records that are truncated elsewhere may be of JSON lines.
    """
    line, line_feed, _ = bytes(memoryview(start)[:START_BYTES]).removeprefix(BOM).partition(b"\n")
    line = line.strip()
    if not (line_feed and line[:1] in (b"{", b"[") and line[-1:] in (b"{", b"[", b",")):
        return False
    if ESCAPE.sub(b"", line).count(b'"') % 2:
        # A string has been cut off.
        return False
    search = _JsonLines(0)
    search.update(line)
    search.finish()
    return search.is_truncated


class JsonSpan:
    """An error that is not one of UTF-8, with the fields of ErrorSpan."""

    def __init__(self, start: int, end: int, kind: str, data: bytes) -> None:
        self.start = start
        self.end = end
        self.kind = kind
        self.data = data

    @property
    def reason(self) -> str:
        """The reason, which depends on the kind only."""
        return REASONS[self.kind]

    @property
    def message(self) -> str:
        """The sentence for people."""
        if self.kind == "lone_surrogate":
            return f"U+{self.data[2:].decode().upper()}, a {self.reason}"
        return self.reason


class JsonError(Error):
    """An error in a record, given its span, line and column, and the bytes before and after it.

    ``pointer`` is the JSON Pointer (RFC 6901) of its value, or None; ``in_key`` is whether it is in a key,
    then the pointer is of the object.
    """

    def __init__(
        self,
        span: ErrorSpan | JsonSpan,
        place: tuple[int, int],
        around: tuple[bytes, bytes],
        pointer: str | None,
        *,
        in_key: bool,
    ) -> None:
        super().__init__(span, *place, *around)
        self.pointer = pointer
        self.in_key = in_key

    @property
    def field(self) -> str:
        """The field, for people."""
        if self.pointer is None:
            return ""
        key = "key in " if self.in_key else ""
        shown = self.pointer if len(self.pointer) <= SHOWN_CHARS else f"{self.pointer[:SHOWN_CHARS]}…"
        return f"{key}{shown}" if shown else f"{key and 'key'}"

    def facts(self) -> dict[str, object]:
        """Return the fields for JSON that errors in a text do not have."""
        return {"pointer": self.pointer, "in_key": self.in_key}


def restored_span(start: int, end: int, kind: str, data: bytes, after: bytes) -> ErrorSpan | JsonSpan:
    """Return an error, of UTF-8 or another, given its fields and the bytes after it."""
    if kind in REASONS:
        return JsonSpan(start, end, kind, data)
    return ErrorSpan._restore(start, kind, data, after, None)


def json_errors(findings: Iterable[_JsonFinding], scanner: Scanner) -> Iterator[JsonError]:
    """Yield the errors of findings, with the bytes around them that a scanner has kept."""
    around = {span.start: (before, after) for span, _, _, before, after in scanner._errors()}
    for kind, start, end, line, column, data, pointer, in_key in findings:
        beside = around.get(start, (b"", b""))
        span = restored_span(start, end, kind, data, beside[1])
        yield JsonError(span, (line, column), beside, pointer, in_key=in_key)


class JsonLinesCounts:
    """The counts of a file of JSON lines."""

    def __init__(self, scan: Scan, error_count: int, invalid_record_count: int) -> None:
        self.scan = scan
        self.byte_count = scan.byte_count
        self.char_count = scan.char_count
        self.error_count = error_count
        self.invalid_record_count = invalid_record_count
        self.valid = not error_count

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, for JSON."""
        return {
            **self.scan.as_dict(),
            "valid": self.valid,
            "invalid_records": self.invalid_record_count,
            "error_count": self.error_count,
        }


class JsonLinesScan:
    """The scan of a file of JSON lines: counts, and a limited number of its errors.

    With a ``replacement``, ``update`` and ``end`` return the repaired text, None if it is the piece itself.
    """

    def __init__(self, limit: int, *, replacement: str | None = None, records: bool = False) -> None:
        self.scanner = Scanner._keeping(limit)
        self.search = _JsonLines(limit, replacement=replacement, records=records)

    def update(self, data: Buffer) -> bytes | None:
        """Scan the piece that follows."""
        self.scanner.update(data)
        return self.search.update(data)

    def end(self) -> bytes | None:
        """End the text, whose last record may be truncated."""
        return self.search.finish()

    @property
    def truncated(self) -> bool:
        """Whether the last record is not complete."""
        return self.search.is_truncated

    def errors(self) -> list[JsonError]:
        """Return the errors that were kept."""
        return list(json_errors(self.search.findings(), self.scanner))

    def finish(self) -> JsonLinesCounts:
        """Return the counts."""
        search = self.search
        return JsonLinesCounts(self.scanner.finish(), search.finding_count, search.invalid_record_count)


def repaired_records(
    read: Callable[[memoryview], int], memory: memoryview, scan: JsonLinesScan
) -> Iterator[Buffer]:
    """Yield JSON lines as a scan repairs them, whose replacement it has.

    ``read`` fills the memory from its start, and returns the number of bytes; 0 at the end.
    """
    while length := read(memory):
        repaired = scan.update(memory[:length])
        yield memory[:length] if repaired is None else repaired
    yield scan.end() or b""


class JsonRecords:
    """Finds the records that have errors in blocks of whole lines, to keep them apart.

    With a ``replacement``, they are repaired, but a last one that is truncated. Without, they are left out,
    unless nothing is wrong with them but a byte order mark.
    """

    def __init__(self, scan: JsonLinesScan, file: str, replacement: str | None) -> None:
        self.scan = scan
        self.file = file
        self.replacement = replacement
        self.offset = 0
        self.line = 1

    def find(self, block: memoryview, *, is_last: bool) -> Iterator[_Line]:
        """Yield start and end of each record that has errors, the row to keep, and its replacement."""
        self.scan.update(block)
        if is_last:
            self.scan.end()
        data = b""
        for offset, line, kind, byte, pointer, count in self.scan.search.take_records():
            data = data or bytes(block)
            start = offset - self.offset
            end = data.find(b"\n", start) + 1 or len(data)
            record = data[start:end]
            row = None
            if kind != BOM_KIND:
                content = record.removesuffix(b"\n")
                row = InvalidRow(self.file, byte, kind, count, content, line=line, pointer=pointer)
            is_truncated = is_last and self.scan.truncated and end == len(data)
            yield start, end, row, None if row and is_truncated else self.kept(record, row)
        self.line += count_newlines(block)
        self.offset += len(block)

    def kept(self, record: bytes, row: InvalidRow | None) -> bytes | None:
        """Return what takes the place of a record; None to leave it out."""
        if row and self.replacement is None:
            return None
        search = _JsonLines(0, replacement=self.replacement or "")
        text = search.update(record)
        return (record if text is None else text) + (search.finish() or b"")
