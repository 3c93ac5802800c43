"""``leadbyte normalize``: convert files to a Unicode normalization form."""

from __future__ import annotations

from leadbyte import Scanner, normalize
from leadbyte._files.binary import is_not_utf8
from leadbyte._files.reading import blocks
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.output import Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Failed, Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte._files.writing import _Write

# Text may be normalized in pieces that begin with ASCII, which never composes with the characters before it,
# nor is reordered with them.
NOT_ASCII = bytes(range(0x80, 0x100))


class Normalization:
    """The result of the normalization of a file: whether it changed, and its scanner."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.changed = False


class Normalize:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output.beside_text(options)
        self.errors = ErrorReport(self.output, options)
        directories = is_in_place(options)
        self.reading = Reading(options, self.output, errors=self.errors.kept, directories=directories)
        self.writing = Writing(options, self.output, self.reading, done="normalized", is_binary=is_not_utf8)
        self.results = Results(options, self.output, self.reading, done="normalized")

    def run(self) -> int:
        """Normalize all paths; return the exit code."""
        self.writing.transform_all(
            self.normalize_file, self.report, in_place=self.writing.if_changed(self.normalize_file)
        )
        self.results.report_summary(changed=self.options.in_place)
        return self.results.code

    def normalize_file(self, file: FileIO, write: _Write) -> Normalization:
        """Write the normalized text of a file; raise Failed if it is not UTF-8."""
        result = Normalization(Scanner._keeping(self.errors.kept))
        file = self.writing.as_text(file)
        # The last ASCII character and the text after it, in blocks, of which there may be many: joined once.
        held: list[bytes] = []
        for read in blocks(file, self.reading.advance):
            result.scanner.update(read)
            block = bytes(read)
            if end := len(block.rstrip(NOT_ASCII)):
                self.write_piece(b"".join([*held, block[: end - 1]]), result, file, write)
                held = [block[end - 1 :]]
            else:
                held.append(block)
        self.write_piece(b"".join(held), result, file, write)
        return result

    def write_piece(self, piece: bytes, result: Normalization, file: FileIO, write: _Write) -> None:
        """Write a piece of text in the normalization form."""
        try:
            normalized = normalize(self.options.form, piece)
        except UnicodeDecodeError:
            # The rest is scanned for further errors.
            for block in blocks(file, self.reading.advance):
                result.scanner.update(block)
            raise Failed(result) from None
        result.changed |= normalized is not piece
        write(normalized)

    def report(self, path: str, result: Normalization) -> None:
        """Report the normalization of a file."""
        results = self.results
        scan = result.scanner.finish()
        facts = {"byte_count": scan.byte_count, **self.errors.as_dict(result.scanner)}
        if scan.valid:
            results.report(path, results.done if result.changed else results.unchanged, facts)
            return
        results.report(path, results.failed, facts)
        if self.options.format == "text":
            self.errors.refuse(path, result.scanner, results.failed)


def normalize_files(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Normalize(options).run()
