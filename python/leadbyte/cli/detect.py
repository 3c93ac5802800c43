"""``leadbyte detect``: what files are in."""

from __future__ import annotations

import sys
from collections import Counter

from leadbyte import IncrementalValidator, ceil_boundary, detect, is_ascii
from leadbyte.cli.files import BLOCK, fill, open_file
from leadbyte.cli.output import INVALID, TROUBLE, VALID, Output, number, printable
from leadbyte.cli.reading import Reading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte import Detection

# So much of a file is looked at as a whole; what follows only goes on with UTF-8, or does not.
WHOLE = 64 << 20


class Detect:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.reading = Reading(options, self.output)
        self.found: Counter[str] = Counter()

    def run(self) -> int:
        """Look at all paths; return the exit code."""
        unknown = 0
        for path, detection in self.reading.each(self.read):
            unknown += detection.encoding is None
            self.found[name(detection)] += 1
            self.report(path, detection)
        self.report_summary()
        if self.reading.trouble:
            return TROUBLE
        return INVALID if unknown else VALID

    def read(self, path: str, *, named: bool) -> Detection:
        """Return what a file is in."""
        with open_file(path, named=named) as file:
            data = self.take(file, WHOLE)
            validator = IncrementalValidator()
            if len(data) < WHOLE or not validator.update(data):
                return detect(data)
            return self.read_on(file, data, validator)

    def read_on(self, file: FileIO, data: bytes, validator: IncrementalValidator) -> Detection:
        """Return what a file is in that begins with UTF-8."""
        telling, before = whole_chars(data), data[-BLOCK:]
        while block := self.take(file, BLOCK):
            around = before + block
            if not validator.update(block):
                # Where it ceases to be UTF-8 tells more than what could be in many encodings.
                return detect(around[ceil_boundary(around, 0) :])
            if is_ascii(telling) and not is_ascii(block):
                telling = whole_chars(around)
            before = block
        return detect(telling + validator.pending)

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

    def report(self, path: str, detection: Detection) -> None:
        """Say what a file is in."""
        if self.options.format == "json":
            self.output.json({"path": path, **detection.as_dict()})
            return
        style = "green" if detection.valid_utf8 else "yellow" if detection.encoding else "red"
        self.output.line((f"{printable(path)}:", "bold"), " ", (name(detection), style), remarks(detection))

    def report_summary(self) -> None:
        """Print what all files come to."""
        files = sum(self.found.values())
        if self.options.format == "json":
            summary = {
                "files": files,
                "found": dict(self.found.most_common()),
                "trouble": self.reading.trouble,
            }
            self.output.json({"summary": summary})
        elif files > 1:
            counted = ", ".join(f"{count:,} {name}" for name, count in self.found.most_common())
            self.output.line(f"{number(files, 'file')}: {counted}")


def whole_chars(data: bytes) -> bytes:
    """Return UTF-8 that was cut anywhere without the parts of characters at its ends."""
    data = data[ceil_boundary(data, 0) :]
    validator = IncrementalValidator()
    validator.update(data)
    return data[: len(data) - len(validator.pending)]


def name(detection: Detection) -> str:
    """Return what a file is in, or what it is, in a word."""
    return detection.encoding or (detection.kind if detection.kind != "text" else "unknown")


def remarks(detection: Detection) -> str:
    """Return what else there is to say of a file."""
    said = []
    if detection.encoding is not None and detection.kind == "text" and not detection.valid_utf8:
        said.append(f"{detection.confidence:.0%} sure")
    if detection.bom:
        said.append("with a byte order mark")
    if detection.truncated:
        said.append("ends inside a character")
    return f" ({', '.join(said)})" if said else ""


def detect_files(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Detect(options).run()
