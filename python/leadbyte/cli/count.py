"""``leadbyte count``: count lines, characters, UTF-16 code units and bytes of files."""

from __future__ import annotations

import sys

from leadbyte.cli.arguments import is_dataset
from leadbyte.cli.output import ERROR, VALID, Output, number, printable
from leadbyte.cli.reading import Reading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from leadbyte import Scan

# The columns, in the order of wc, and their titles.
COLUMNS = {"newline_count": "newlines", "char_count": "chars", "utf16_count": "UTF-16", "byte_count": "bytes"}
# The width of a column, in characters.
WIDTH = 12


class Rows:
    """The rows of numbers: printed one by one, or as a table on a terminal with colours."""

    def __init__(self, options: argparse.Namespace, output: Output) -> None:
        self.output = output
        self.quiet = options.format == "quiet"
        self.columns = [column for column in COLUMNS if column in (options.columns or COLUMNS)]
        self.header = [*(COLUMNS[column] for column in self.columns), "path"]
        # On a terminal with colours the rows are kept until the table can be laid out.
        self.kept: list[list[str]] | None = None if output.console is None else []
        if self.kept is None and options.columns is None and options.format == "text":
            self.print(self.header)

    def add(self, facts: Mapping[str, object], name: str) -> None:
        """Print a row of numbers, or keep it for the table."""
        if self.quiet:
            return
        row = [*(str(facts[column]) for column in self.columns), name]
        if self.kept is None:
            self.print(row)
        else:
            self.kept.append(row)

    def print(self, row: list[str]) -> None:
        """Print a row in columns; a single number is not padded, as by wc."""
        *numbers, name = row
        width = WIDTH if len(numbers) > 1 else 0
        self.output.line(" ".join([*(number.rjust(width) for number in numbers), name]))

    def finish(self) -> None:
        """Print the table."""
        if self.kept:
            self.output.table(self.header, self.kept)

    def warn(self, subject: str) -> None:
        """Print a warning about what is not valid UTF-8, if that makes a difference to the numbers."""
        if not self.quiet and {"char_count", "utf16_count"} & set(self.columns):
            self.output.warn(f"{subject}; characters are counted by lead bytes")


class Count:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.reading = Reading(options, self.output, task="scan")
        self.rows = Rows(options, self.output)
        self.totals = dict.fromkeys(COLUMNS, 0)
        self.files = self.invalid = 0

    def run(self) -> int:
        """Count all paths; return the exit code."""
        for path, scanner in self.reading:
            self.report(path, scanner.finish())
        if self.reading.json:
            summary = {
                "files": self.files,
                "invalid": self.invalid,
                **self.totals,
                **self.reading.not_read(),
            }
            self.output.json({"summary": summary})
        elif self.files > 1 or len(self.options.paths) > 1:
            self.rows.add(self.totals, "total")
        self.rows.finish()
        return ERROR if self.reading.failed else VALID

    def report(self, path: str, scan: Scan) -> None:
        """Print the counts of a file."""
        facts = scan.as_dict()
        self.files += 1
        self.invalid += not scan.valid
        for column in COLUMNS:
            self.totals[column] += facts[column]
        if self.reading.json:
            del facts["error"]
            self.output.json({"path": path, **facts})
            return
        if not scan.valid:
            self.rows.warn(f"{printable(path)}: not valid UTF-8 ({number(scan.error_count, 'error')})")
        self.rows.add(facts, printable(path))


def count(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if is_dataset(options):
        from leadbyte.cli import datasets

        return datasets.count(options)
    return Count(options).run()
