"""The operations on each file of a dataset: repair, or conversion to another encoding."""

from __future__ import annotations

import bz2
import contextlib
import dataclasses
import gzip
import io
import itertools
import lzma
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from leadbyte import Scanner, count_chars, repair
from leadbyte._encodings import DETECTION, find
from leadbyte._files.binary import BINARY_PREFIX, is_binary_in, is_not_json_lines, is_not_utf8
from leadbyte._files.columns import STRINGS, Columns, TableScan
from leadbyte._files.conversion import FileConversion, unsure
from leadbyte._files.invalid_rows import InvalidRows
from leadbyte._files.json_lines import (
    NOT_LINES,
    JsonLinesScan,
    is_indented_json,
)
from leadbyte._files.quarantine import SeparatingScan
from leadbyte._files.reading import BLOCK
from leadbyte._files.repair import repaired
from leadbyte._mixed import MixedDecoder, check_fallback, fallback_name
from leadbyte._recognition import Recognition
from leadbyte._sampling import MAX_WHOLE_BYTES, decoding_name, detect_samples, detect_start
from leadbyte.dataset._reading import (
    CHANGED,
    ChangedError,
    has_changed,
    identified,
    read_stream,
    zstd_module,
)
from leadbyte.dataset._retries import retried
from leadbyte.dataset._secrets import redacted
from leadbyte.dataset._tasks import PLAIN, TABLES
from leadbyte.transcode import PIECE_BYTES, MixedTranscoder, Transcoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, BinaryIO

    from typing_extensions import Buffer

    from leadbyte.dataset._manifest import OutputRecord
    from leadbyte.dataset._plan import OutputTask
    from leadbyte.dataset._quarantine import QuarantineDirectory
    from leadbyte.dataset._tasks import File
    from leadbyte.transcode import _BomPolicy

# What happens to rows with errors.
ROWS = ("repair", "drop")
# Why JSON lines are not repaired whose last record has no end.
TRUNCATED = 'the last record is truncated: rows="drop" leaves it out, and a quarantine keeps it apart'
# More bytes than decoders keep of a character that is not complete.
MAX_KEPT_BYTES = 64


class Writable(Protocol):
    """A new file."""

    def write(self, data: Buffer, /) -> int:
        """Write bytes; return their number."""

    def flush(self) -> None:
        """Leave flushing to the store."""

    def close(self) -> None:
        """Leave closing to the store."""


class Transform(Protocol):
    """Writes the output of a file."""

    @property
    def settings(self) -> dict[str, Any]:
        """What decides about the outputs, for JSON."""

    def has_all(self, task: OutputTask, record: OutputRecord) -> bool:
        """Return whether all other files for an output, whose record is given, are there."""

    def __call__(self, task: OutputTask, sink: Writable, check: Callable[[], None]) -> FileCounts:
        """Write the output of a file; call ``check`` now and then, which may raise an exception to stop.

        Raises OSError or UnicodeError, whose message is without the URL, if that cannot be done.
        """


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The counts of a file: bytes, decompressed, and errors that are repaired in the output."""

    byte_count: int
    error_count: int = 0
    # Whether the file is binary, and its output a copy.
    skipped: bool = False
    # The lines of a text, or rows of a table, that have errors; only counted if they are treated apart.
    invalid_row_count: int = 0


@dataclass(frozen=True, slots=True)
class Repair:
    """Replaces bytes that are not UTF-8."""

    replacement: str
    # Whether binary files are repaired as text.
    binary: bool = False
    # "repair", or "drop": lines of texts and rows of tables that have errors are left out.
    rows: str = "repair"
    # Where such rows are written as they were.
    quarantine: QuarantineDirectory | None = None
    # Whether valid tables are written, too.
    copies: bool = True
    # Whether texts are JSON lines.
    jsonl: bool = False

    def __post_init__(self) -> None:
        """Raise TypeError or UnicodeEncodeError for text that cannot be in UTF-8, ValueError for ``rows``."""
        repair(b"", replacement=self.replacement)
        if self.jsonl:
            JsonLinesScan(0, replacement=self.replacement)
        if self.rows not in ROWS:
            message = f"rows must be one of {', '.join(ROWS)}, not {self.rows!r}"
            raise ValueError(message)

    @property
    def settings(self) -> dict[str, Any]:
        """What decides about the outputs; see Transform."""
        binary = {"binary": True} if self.binary else {}
        jsonl = {"format": "jsonl"} if self.jsonl else {}
        rows = {"rows": self.rows} if self.rows != ROWS[0] else {}
        kept = self.quarantine
        quarantine = {"quarantine": [redacted(kept.resolved), kept.format]} if kept else {}
        return {"call": "repair", "replacement": self.replacement, **binary, **jsonl, **rows, **quarantine}

    def has_all(self, task: OutputTask, record: OutputRecord) -> bool:
        """Return whether the rows that had errors are in quarantine, if they are to be."""
        return not (self.quarantine and record.invalid_row_count) or self.quarantine.has(task)

    def __call__(self, task: OutputTask, sink: Writable, check: Callable[[], None]) -> FileCounts:
        """Write the repaired text or table, and the rows that had errors; see Transform."""
        if not self.quarantine:
            rows = InvalidRows(None) if self.drops else None
            return self.repair_file(task.file, sink, check, rows)
        with self.quarantine.open(task) as kept:
            return self.repair_file(task.file, sink, check, InvalidRows(kept))

    @property
    def drops(self) -> bool:
        """Whether rows that have errors are left out."""
        return self.rows == "drop"

    def repair_file(
        self, file: File, sink: Writable, check: Callable[[], None], rows: InvalidRows | None
    ) -> FileCounts:
        """Write the repaired text or table; rows with errors are treated apart if ``rows`` counts them."""
        if file.format in TABLES:
            if self.jsonl:
                message = f"is a file of {file.format}, which has no JSON lines"
                raise OSError(message)
            return self.repair_table(file, sink, check, rows)
        if file.format == PLAIN:
            with read_stream(file) as stream:
                start = stream.read(BINARY_PREFIX)
                if self.is_binary(start):
                    return copy_rest(start, stream, sink, check)
                return self.repair_text(file, Joined(start, stream), sink.write, check, rows)
        # If nothing is to be repaired, the output has the same bytes.
        scanner = JsonLinesScan(0) if self.jsonl else Scanner()
        with read_stream(file) as stream:
            start = stream.read(BINARY_PREFIX)
            is_binary = self.is_binary(start)
            if not is_binary:
                scanner.update(start)
                for block in blocks(stream, check):
                    scanner.update(block)
        if isinstance(scanner, JsonLinesScan):
            scanner.end()
        scan = scanner.finish()
        if is_binary or scan.valid:
            copied = copy(file, sink, check)
            return FileCounts(copied, skipped=True) if is_binary else FileCounts(scan.byte_count)
        with compressed(file.format, sink) as output, read_stream(file) as stream:
            return self.repair_text(file, Joined(b"", stream), output.write, check, rows)

    def is_binary(self, start: bytes) -> bool:
        """Return whether a file that starts so is copied; raise OSError if JSON lines cannot start so."""
        if self.jsonl and is_indented_json(start):
            raise OSError(NOT_LINES)
        is_other = is_not_json_lines if self.jsonl else is_not_utf8
        return not self.binary and is_other(start)

    def repair_text(
        self,
        file: File,
        stream: Joined,
        write: Callable[[Buffer], object],
        check: Callable[[], None],
        rows: InvalidRows | None,
    ) -> FileCounts:
        """Write the repaired text of a stream; raise OSError if the last record cannot be repaired."""
        scan, texts = repaired(
            stream.read,
            memoryview(bytearray(BLOCK)),
            file.shown,
            rows,
            jsonl=self.jsonl,
            replacement=self.replacement,
            drops=self.drops,
        )
        for text in texts:
            write(text)
            check()
        if isinstance(scan, JsonLinesScan) and scan.truncated and not rows:
            raise OSError(TRUNCATED)
        counts = scan.finish()
        return FileCounts(
            counts.byte_count, counts.error_count, invalid_row_count=rows.row_count if rows else 0
        )

    def repair_table(
        self, file: File, sink: Writable, check: Callable[[], None], rows: InvalidRows | None
    ) -> FileCounts:
        """Write a Parquet file with its columns of strings repaired."""
        from leadbyte._files.parquet import repair_columns
        from leadbyte._files.tables import CountedFile, arrow_errors, open_table
        from leadbyte._formats import PARQUET
        from leadbyte.dataset._tables import open_stored

        if file.format != PARQUET:
            message = f"the columns of {file.format} files are only checked, not repaired"
            raise OSError(message)
        if file.size is None:
            file = identified(file)

        def write(data: Buffer) -> None:
            check()
            sink.write(data)

        with open_stored(file) as stored, arrow_errors():
            counted = CountedFile(stored, lambda _: check())
            table = open_table(PARQUET, counted, [], threads=False)
            columns = Columns(table.schema, [], STRINGS)
            scan = TableScan(columns, table.group, limit=0, kept=0)
            if rows:
                name = file.shown
                scan = SeparatingScan(columns, table.group, rows, name)
                scan.dropped = scan.invalid if self.drops else {}
            scan.add_all(table, counted)
            if not scan.valid:
                stored.seek(0)
                repair_columns(counted, write, scan, replacement=self.replacement, in_place=False)
        if scan.valid:
            if self.copies:
                copy(file, sink, check)
        elif retried(has_changed, file):
            raise ChangedError(CHANGED)
        return FileCounts(file.size or 0, scan.error_count, invalid_row_count=rows.row_count if rows else 0)


class Joined:
    """A stream whose start has been read."""

    def __init__(self, start: bytes, stream: BinaryIO) -> None:
        self.start = io.BytesIO(start)
        self.stream = stream

    def read(self, memory: memoryview) -> int:
        """Fill a part of the memory, from its start; return the number of bytes, 0 at the end."""
        length: int = self.start.readinto(memory) or self.stream.readinto(memory)  # type: ignore[attr-defined]
        return length


@dataclass(frozen=True, slots=True)
class Convert:
    """Converts texts to another encoding."""

    source: str | int
    target: str | int
    errors: str
    bom: _BomPolicy
    # Of the detection, from 0 to 1.
    min_confidence: float
    # Whether texts are converted that are UTF-8, or in the target encoding, already.
    force: bool = False
    # Whether binary files are converted as text.
    binary: bool = False
    # The encoding of lines that are not UTF-8.
    fallback: str | int | None = None

    def __post_init__(self) -> None:
        """Raise LookupError or ValueError for encodings, handlers and policies that are not possible."""
        self.transcoder("utf-8" if self.source in DETECTION else self.source)
        check_fallback(self.source, self.fallback, self.errors)

    @property
    def settings(self) -> dict[str, Any]:
        """What decides about the outputs; see Transform."""
        detects = self.source in DETECTION
        return {
            "call": "convert",
            "source": DETECTION[0] if detects else find(self.source).name,
            "target": find(self.target).name,
            "errors": self.errors,
            "bom": self.bom,
            "min_confidence": self.min_confidence if detects else None,
            **({"force": True} if self.force else {}),
            **({"binary": True} if self.binary else {}),
            **({} if self.fallback is None else {"fallback": fallback_name(self.fallback)}),
        }

    def has_all(self, _task: OutputTask, _record: OutputRecord) -> bool:
        """Return True: nothing is written beside an output."""
        return True

    def transcoder(self, source: str | int) -> Transcoder:
        """Return a new Transcoder."""
        return Transcoder(source, self.target, errors=self.errors, bom=self.bom)

    def __call__(self, task: OutputTask, sink: Writable, check: Callable[[], None]) -> FileCounts:
        """Write the text in the other encoding; see Transform."""
        file = task.file
        if file.format in TABLES:
            message = (
                f"the columns of {file.format} files are not converted; leadbyte.arrow.transcode does that"
            )
            raise OSError(message)
        with read_stream(file) as stream:
            start = stream.read(BINARY_PREFIX)
            is_binary = not self.binary and is_binary_in(self.source, start)
            if not is_binary:
                with compressed(file.format, sink) as output:
                    return self.convert_text(file, start, stream, output.write, check)
            if file.format == PLAIN:
                return copy_rest(start, stream, sink, check)
        return FileCounts(copy(file, sink, check), skipped=True)

    def convert_text(
        self,
        file: File,
        start: bytes,
        stream: BinaryIO,
        write: Callable[[Buffer], object],
        check: Callable[[], None],
    ) -> FileCounts:
        """Write the converted text of a file, whose stream has been read up to the end of its start."""
        byte_count = 0
        source = self.source
        data: Iterable[memoryview] = itertools.chain([memoryview(start)], blocks(stream, check))
        if source in DETECTION:
            source, read = self.detect(file, data)
            data = itertools.chain([memoryview(read)], data)
        mixed = None if self.fallback is None else MixedDecoder(self.fallback, self.errors)
        plain = self.transcoder(source)
        transcoder = MixedTranscoder(mixed, plain) if mixed else plain
        is_certain = self.force or self.source in DETECTION
        recognition = None if is_certain else Recognition(source, self.target, self.bom)
        try:
            for block in data:
                byte_count += len(block)
                if recognition and recognition.possible:
                    recognition.update(block)
                write(transcoder.feed(block))
            write(transcoder.finish())
        except UnicodeError as error:
            raise OSError(self.describe(file, source, check) or str(error)) from None
        if recognition and recognition.finish():
            message = f"{recognition.message}; force=True converts it all the same"
            raise OSError(message)
        return FileCounts(byte_count, invalid_row_count=mixed.mixed_count if mixed else 0)

    def detect(self, file: File, data: Iterable[memoryview]) -> tuple[str, bytearray]:
        """Return the encoding of a file, and the data read so far; raise OSError if it is not known."""
        if file.format == PLAIN and file.size is not None and file.size > MAX_WHOLE_BYTES:
            from leadbyte.dataset._tables import open_stored

            with open_stored(file) as stored:
                found, start = detect_samples(stored, file.size), bytearray()
        else:
            found, start = detect_start(None, data)
        if found.encoding is None or found.confidence < self.min_confidence:
            raise OSError(unsure(found).message)
        return decoding_name(found, b""), start

    def describe(self, file: File, source: str | int, check: Callable[[], None]) -> str:
        """Return what of a file cannot be converted first, and where; the file is read again.

        Returns an empty string if that is not found.
        """
        conversion = FileConversion(
            source, self.target, errors=self.errors, bom=self.bom, fallback=self.fallback
        )
        # The offset of the last block.
        last = 0
        with read_stream(file) as stream:
            for block in blocks(stream, check):
                last = conversion.byte_count
                conversion.feed(block)
                if conversion.faults:
                    break
            else:
                conversion.finish()
        if not conversion.faults:
            return ""
        fault = conversion.faults[0]
        place = f"line {fault.place.line}, column {fault.place.column}"
        if "start" in fault.facts:
            return f"{place}, {fault.message}"
        if self.fallback is not None:
            return f"{place}: {fault.message}"
        offset = self.byte_offset(file, source, last, fault.place.char_offset, check)
        return f"{place}, byte {offset}: {fault.message}"

    def byte_offset(
        self, file: File, source: str | int, last: int, char_offset: int, check: Callable[[], None]
    ) -> int:
        """Return the offset in bytes of a character, which ends after the offset ``last``."""
        decoder = Transcoder(source, "utf-8", errors=self.errors, bom=self.bom and "strip")
        chars = offset = 0
        with read_stream(file) as stream:
            for block in blocks(stream, check):
                start = min(len(block), max(0, last - MAX_KEPT_BYTES - offset))
                chars += count_chars(decoder.feed(block[:start]))
                for end in range(start, len(block)):
                    if chars == char_offset:
                        return offset + end
                    chars += count_chars(decoder.feed(block[end : end + 1]))
                offset += len(block)
        return offset


def blocks(stream: BinaryIO, check: Callable[[], None]) -> Iterator[memoryview]:
    """Yield the rest of a stream in blocks, each of which is valid until the next one."""
    memory = memoryview(bytearray(PIECE_BYTES))
    while length := stream.readinto(memory):  # type: ignore[attr-defined]
        yield memory[:length]
        check()


def copy(file: File, sink: Writable, check: Callable[[], None]) -> int:
    """Write a file as it is stored; return the number of its bytes."""
    with read_stream(dataclasses.replace(file, format=PLAIN)) as stream:
        return copy_rest(b"", stream, sink, check).byte_count


def copy_rest(start: bytes, stream: BinaryIO, sink: Writable, check: Callable[[], None]) -> FileCounts:
    """Write a binary file, whose start has been read from the stream."""
    byte_count = len(start)
    sink.write(start)
    for block in blocks(stream, check):
        sink.write(block)
        byte_count += len(block)
    return FileCounts(byte_count, skipped=True)


@contextlib.contextmanager
def compressed(compression: str, sink: Writable) -> Iterator[Any]:
    """Yield a file that compresses its data into a sink; for texts the sink itself."""
    if compression == PLAIN:
        yield sink
        return
    file: Any
    if compression == "gzip":
        # Without a name and a time, the same input gives the same output.
        file = gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0)
    elif compression == "zstd":
        file = zstd_module().ZstdFile(sink, "wb")
    else:
        file = {"bz2": bz2.BZ2File, "xz": lzma.LZMAFile}[compression](sink, "wb")
    with file:
        yield file
