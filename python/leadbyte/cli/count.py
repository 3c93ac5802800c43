"""``leadbyte count``: count lines, characters, UTF-16 code units and bytes of files."""

from __future__ import annotations

import sys

from leadbyte._messages import number, printable
from leadbyte.cli.arguments import is_dataset
from leadbyte.cli.output import ERROR, VALID, Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.totals import COLUMNS, Rows

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

    from leadbyte import Scan


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
        for path, scanner in self.reading.each(self.reading.scan):
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
