"""``leadbyte detect``: detect the encoding of files."""

from __future__ import annotations

import functools
import os
import sys
from collections import Counter

from leadbyte import IncrementalValidator, ceil_boundary, detect, is_ascii
from leadbyte._files.reading import BLOCK, fill
from leadbyte._messages import number, printable
from leadbyte._sampling import MAX_WHOLE_BYTES, detect_samples, sampled_size
from leadbyte.cli.files import open_file
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.reading import Reading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte import Detection


class Detect:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.detect = functools.partial(detect, encodings=options.candidates)
        # Threads choose among all encodings.
        self.reading = Reading(options, self.output, task="list" if options.candidates else "detect")
        self.found: Counter[str] = Counter()

    def run(self) -> int:
        """Detect the encodings of all paths; return the exit code."""
        unknown = 0
        for path, (detection, sampled) in self.reading.each(self.read):
            unsure = self.is_unsure(detection)
            unknown += detection.encoding is None or unsure
            self.found["unsure" if unsure else name(detection)] += 1
            self.report(path, detection, unsure=unsure, sampled=sampled)
        self.report_summary()
        if self.reading.failed:
            return ERROR
        return INVALID if unknown else VALID

    def is_unsure(self, detection: Detection) -> bool:
        """Return whether the confidence in an encoding is below the minimum."""
        return detection.encoding is not None and detection.confidence < self.options.min_confidence

    def read(self, path: str, *, named: bool) -> tuple[Detection, bool]:
        """Detect the encoding of the current file; also return whether only samples of it were read."""
        if self.reading.detected is not None:
            return self.reading.detected, False
        with open_file(path, named=named) as file:
            if size := sampled_size(file):
                detection = detect_samples(file, size, self.options.candidates)
                self.reading.advance(os.fstat(file.fileno()).st_size)
                return detection, True
            data = self.take(file, MAX_WHOLE_BYTES)
            validator = IncrementalValidator()
            if len(data) < MAX_WHOLE_BYTES or not validator.update(data):
                return self.detect(data), False
            return self.detect_rest(file, data, validator), False

    def detect_rest(self, file: FileIO, data: bytes, validator: IncrementalValidator) -> Detection:
        """Detect the encoding of a stream that begins with valid UTF-8."""
        sample, before = whole_chars(data), data[-BLOCK:]
        while block := self.take(file, BLOCK):
            around = before + block
            if not validator.update(block):
                # The bytes around the first error are more specific than the valid ones before.
                return self.detect(around[ceil_boundary(around, 0) :])
            if is_ascii(sample) and not is_ascii(block):
                sample = whole_chars(around)
            before = block
        return self.detect(sample + validator.pending)

    def take(self, file: FileIO, size: int) -> bytes:
        """Return the next bytes of a file, fewer only at its end."""
        blocks = []
        while size:
            block = bytearray(min(size, BLOCK))
            length = fill(file, memoryview(block))
            self.reading.advance(length)
            blocks.append(block[:length])
            if length < len(block):
                break
            size -= length
        return b"".join(blocks)

    def report(self, path: str, detection: Detection, *, unsure: bool, sampled: bool) -> None:
        """Report the encoding of a file."""
        if self.options.format == "json":
            self.output.json({"path": path, **detection.as_dict(), "unsure": unsure, "sampled": sampled})
        if self.options.format != "text":
            return
        style = "red" if unsure or not detection.encoding else "green" if detection.valid_utf8 else "yellow"
        found = f"unsure, maybe {name(detection)}" if unsure else name(detection)
        remark = remarks(detection, sampled=sampled)
        self.output.line((f"{printable(path)}:", "bold"), " ", (found, style), remark)

    def report_summary(self) -> None:
        """Print the totals of all files."""
        files = sum(self.found.values())
        if self.options.format == "json":
            not_read = self.reading.not_read()
            # Binary files are read too, and found.
            del not_read["binary"]
            summary = {"files": files, "found": dict(self.found.most_common()), **not_read}
            self.output.json({"summary": summary})
        elif files > 1 and self.options.format == "text":
            counted = ", ".join(f"{count:,} {name}" for name, count in self.found.most_common())
            self.output.line(f"{number(files, 'file')}: {counted}{self.reading.skipped_remark()}")


def whole_chars(data: bytes) -> bytes:
    """Return UTF-8 without the parts of characters at its ends, where it was cut."""
    data = data[ceil_boundary(data, 0) :]
    validator = IncrementalValidator()
    validator.update(data)
    return data[: len(data) - len(validator.pending)]


def name(detection: Detection) -> str:
    """Return the encoding of a file, or its kind if it is not text."""
    return detection.encoding or (detection.kind if detection.kind != "text" else "unknown")


def remarks(detection: Detection, *, sampled: bool) -> str:
    """Return the remarks about a file, in parentheses."""
    found = []
    if detection.encoding is not None and detection.kind == "text" and not detection.valid_utf8:
        found.append(f"{detection.confidence:.0%} sure")
    if detection.bom:
        found.append("with a byte order mark")
    if detection.truncated:
        found.append("ends inside a character")
    if sampled:
        found.append("from samples")
    return f" ({', '.join(found)})" if found else ""


def detect_files(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Detect(options).run()
