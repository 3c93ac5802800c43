"""``leadbyte normalize``: files in one of the normal forms of Unicode."""

from __future__ import annotations

import sys

from leadbyte import Scanner, normalize
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import BLOCK, has_nul, read_some
from leadbyte.cli.output import Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Failed, Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte.cli.writing import _Write

# A normal form is the same whether text is taken as a whole or in pieces that begin with ASCII, which neither
# composes with what comes before, nor changes places with it.
NOT_ASCII = bytes(range(0x80, 0x100))


class Text:
    """What became of a text: whether it changed, and what has taken it as it was."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.changed = False


class Normalize:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text, unless there is none.
        self.output = Output(sys.stdout if options.dry_run else sys.stderr)
        self.errors = ErrorReport(self.output, options)
        directories = is_in_place(options)
        self.reading = Reading(options, self.output, errors=self.errors.kept, directories=directories)
        self.writing = Writing(options, self.output, self.reading, done="normalized", is_binary=has_nul)
        self.results = Results(options, self.output, self.reading, done="normalized")

    def run(self) -> int:
        """Normalize all paths; return the exit code."""
        self.writing.make_all(
            self.normalize_file, self.report, in_place=self.writing.if_changed(self.normalize_file)
        )
        self.results.tell_all(wanted=self.options.in_place)
        return self.results.code

    def normalize_file(self, file: FileIO, write: _Write) -> Text:
        """Write a file's text in the normal form; raise Failed if it is not UTF-8."""
        text = Text(Scanner._keeping(self.errors.kept))
        held = b""
        memory = memoryview(bytearray(BLOCK))
        while length := read_some(file, memory):
            self.reading.advance(length)
            text.scanner.update(memory[:length])
            block = held + memory[:length]
            # All but the last ASCII and what follows, unless that is all there is.
            end = max(len(block.rstrip(NOT_ASCII)) - 1, 0)
            held = block[end:]
            self.put(block[:end], text, file, write)
        self.put(held, text, file, write)
        return text

    def put(self, piece: bytes, text: Text, file: FileIO, write: _Write) -> None:
        """Write a piece of text in the normal form."""
        try:
            normal = normalize(self.options.form, piece)
        except UnicodeDecodeError:
            # The rest is read to know of all that is wrong.
            memory = memoryview(bytearray(BLOCK))
            while length := read_some(file, memory):
                self.reading.advance(length)
                text.scanner.update(memory[:length])
            raise Failed(text) from None
        text.changed |= normal is not piece
        write(normal)

    def report(self, path: str, text: Text) -> None:
        """Say what became of a file."""
        results = self.results
        scan = text.scanner.finish()
        facts = {"byte_count": scan.byte_count, **self.errors.as_dict(text.scanner)}
        if scan.valid:
            results.tell(path, results.done if text.changed else results.unchanged, facts)
            return
        results.tell(path, results.failed, facts)
        if self.options.format == "text":
            self.errors.refuse(path, text.scanner, results.failed)


def normalize_files(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Normalize(options).run()
