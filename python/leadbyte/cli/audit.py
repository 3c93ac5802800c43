"""``leadbyte audit``: find hidden characters in files."""

from __future__ import annotations

import sys

from leadbyte._files.binary import has_nul
from leadbyte._files.pieces import pieces
from leadbyte._messages import number, printable, size
from leadbyte.cli.files import open_file, skip_binary
from leadbyte.cli.findings import FindingReport, Findings, search_for
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.reading import Reading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse


class Audit:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(sys.stdout)
        self.report = FindingReport(self.output)
        self.reading = Reading(options, self.output)
        self.files = self.found = self.bytes = self.count = 0

    def run(self) -> int:
        """Search all paths; return the exit code."""
        for path, findings in self.reading.each(self.read):
            self.files += 1
            self.found += findings.changed
            self.bytes += findings.byte_count
            self.count += findings.count
            self.report_file(path, findings)
        self.report_summary()
        if self.reading.failed:
            return ERROR
        return INVALID if self.found else VALID

    def read(self, path: str, *, named: bool) -> Findings:
        """Return the findings in a file; raise Skipped for a binary one below a directory."""
        findings = Findings(self.options.max_errors)
        search = search_for(self.options, path)
        with open_file(path, named=named) as file:
            if not named and not self.options.binary:
                skip_binary(file, has_nul)
            before = None
            for piece in pieces(file, self.reading.advance):
                if before is not None:
                    search = search.next_piece(before)
                findings.search(search, piece)
                before = piece
        return findings

    def report_file(self, path: str, findings: Findings) -> None:
        """Report the findings of a file in the chosen format."""
        output_format = self.options.format
        if output_format == "json":
            self.output.json({"path": path, **findings.as_dict()})
        elif output_format == "list" and findings.count:
            self.output.name(path, null=self.options.null)
        elif output_format == "github":
            self.report.github(path, findings)
        elif output_format == "text" and findings.count:
            self.report.text(path, findings)
        elif output_format == "text" and self.options.verbose:
            self.output.line(f"{printable(path)}: nothing found")

    def report_summary(self) -> None:
        """Print the totals of all files."""
        if self.options.format == "json":
            summary = {
                "files": self.files,
                "with_findings": self.found,
                "byte_count": self.bytes,
                "finding_count": self.count,
                **self.reading.not_read(),
            }
            self.output.json({"summary": summary})
        elif self.options.format in {"text", "github"}:
            found = f"{number(self.count, 'finding')} in {number(self.found, 'file')}"
            self.output.line(
                f"{number(self.files, 'file')} searched, {size(self.bytes)}: ",
                (found if self.count else "nothing found", "bold red" if self.count else "bold green"),
                self.reading.skipped_remark(),
            )


def audit(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Audit(options).run()
