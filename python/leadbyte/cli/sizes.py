"""``leadbyte sizes``: compare the size of texts across encodings."""

from __future__ import annotations

import sys
from collections import Counter

from leadbyte._encodings import DETECTION
from leadbyte._files.reading import blocks
from leadbyte._leadbyte import _census
from leadbyte._messages import printable
from leadbyte._sampling import DETECTOR, decoding_name, detect_start
from leadbyte._sizes import of_census, wrapped
from leadbyte.cli.files import open_file, without_secrets
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.transcode import Transcoder

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

    from leadbyte import Sizes


class CompareSizes:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.read = 0
        # Of the current file.
        self.encoding: str = options.encoding

    def run(self) -> int:
        """Compare the sizes of each file's text; return the exit code."""
        try:
            return max(self.compare(path) for path in self.options.paths)
        finally:
            self.output.progress.finish()

    def compare(self, path: str) -> int:
        """Print the sizes of a file's text; return the exit code."""
        try:
            sizes = self.sizes(path)
        except OSError as error:
            return self.fail(path, str(error.strerror or error), ERROR)
        except UnicodeDecodeError as error:
            return self.fail(path, self.fault(error), INVALID)
        except UnicodeError as error:
            return self.fail(path, str(error), ERROR)
        self.show(without_secrets(path), sizes)
        return VALID

    def fault(self, error: UnicodeDecodeError) -> str:
        """Return the message about data that is not in the encoding, or not text."""
        if error.encoding == DETECTOR:
            return error.reason
        # The end of the error's object is the end of the data read.
        offset = self.read - len(error.object) + error.start
        fault = f"byte {offset} is not {self.encoding}: {error.reason}"
        return f"{fault}; leadbyte detect may detect the encoding"

    def fail(self, path: str, message: str, code: int) -> int:
        """Report why a file has no sizes; return the exit code."""
        as_json = self.options.format == "json"
        self.output.report_failure(without_secrets(path), message, as_json=as_json)
        return code

    def sizes(self, path: str) -> Sizes:
        """Return the sizes of a file's text."""
        counts: Counter[int] = Counter()
        scripts: dict[int, str] = {}
        self.read = 0

        def count(text: bytes) -> None:
            for code_point, times, script in _census(text):
                counts[code_point] += times
                scripts[code_point] = script

        with open_file(path, named=True) as file:
            self.encoding, start = self.options.encoding, bytearray()
            if self.encoding in DETECTION:
                found, start = detect_start(file, blocks(file, self.advance))
                self.encoding = decoding_name(found, bytes(start))
            transcoder = Transcoder(self.encoding, "utf-8", bom="strip")
            count(transcoder.feed(start))
            for block in blocks(file, self.advance):
                count(transcoder.feed(block))
        count(transcoder.finish())
        return of_census(
            (code_point, times, scripts[code_point]) for code_point, times in sorted(counts.items())
        )

    def advance(self, length: int) -> None:
        """Count bytes that were read."""
        self.read += length
        self.output.progress.advance(byte_count=length)

    def show(self, path: str, sizes: Sizes) -> None:
        """Print the sizes of a file's text."""
        if self.options.format == "json":
            self.output.json({"path": path, **sizes.as_dict()})
            return
        if len(self.options.paths) > 1:
            self.output.line((f"{printable(path)}:", "bold"))
        if self.output.console is None:
            self.output.line(str(sizes))
        else:
            for header, *rows in sizes.tables():
                self.output.table(header, rows)
                self.output.line()
            for sentence in sizes.advice:
                self.output.line(wrapped(sentence))
        if len(self.options.paths) > 1:
            self.output.line()


def sizes(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return CompareSizes(options).run()
