"""``leadbyte sanitize``: remove hidden characters from files."""

from __future__ import annotations

from leadbyte._audit import finding
from leadbyte._files.binary import is_not_utf8
from leadbyte._files.pieces import pieces
from leadbyte._messages import number
from leadbyte.cli.files import STANDARD_INPUT
from leadbyte.cli.findings import FindingReport, Findings, search_for
from leadbyte.cli.output import Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte._files.writing import _Write


class Sanitize:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output.beside_text(options)
        self.findings = FindingReport(self.output)
        self.reading = Reading(options, self.output, directories=is_in_place(options))
        self.writing = Writing(options, self.output, self.reading, done="sanitized", is_binary=is_not_utf8)
        self.writing.loses_errors = True
        self.results = Results(options, self.output, self.reading, done="sanitized")
        self.count = 0

    def run(self) -> int:
        """Sanitize all paths; return the exit code."""
        self.refuse_replacement()
        in_place = self.writing.if_changed(self.sanitize_file)
        self.writing.transform_all(self.sanitize_file, self.report, in_place=in_place)
        remark = ""
        if self.count:
            change = "replaced" if self.options.replacement else "removed"
            would = "would be " if self.options.dry_run else ""
            remark = f"{number(self.count, 'finding')} {would}{change}"
        changed = bool(self.options.in_place or self.count)
        self.results.report_summary(changed=changed, facts={"finding_count": self.count}, remark=remark)
        return self.results.code

    def refuse_replacement(self) -> None:
        """Exit with an error if the policy finds something in the replacement."""
        try:
            search_for(self.options, "").sanitize(b"", self.options.replacement, 0)
        except ValueError as error:
            self.options.refuse(f"argument --replacement: {error}")

    def sanitize_file(self, file: FileIO, write: _Write) -> Findings:
        """Write the sanitized text of a file."""
        findings = Findings(self.options.max_errors)
        search = search_for(self.options, file.name if isinstance(file.name, str) else STANDARD_INPUT)
        for piece in pieces(self.writing.as_text(file), self.reading.advance):
            text, count, found = search.sanitize(piece, self.options.replacement, max(findings.missing, 0))
            findings.byte_count += len(piece)
            findings.count += count
            findings.shown += map(finding, found)
            search = search.next_piece(piece)
            write(piece if text is None else text)
        return findings

    def report(self, path: str, findings: Findings) -> None:
        """Report the findings in a file."""
        self.count += findings.count
        if self.options.format == "text":
            self.findings.text(path, findings)
        result = self.results.done if findings.changed else self.results.unchanged
        self.results.report(path, result, findings.as_dict())


def sanitize(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Sanitize(options).run()
