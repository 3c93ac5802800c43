"""Reports of the errors of a file: line, column and message.

JSON has each error of ``iter_errors``; a message for people is about a whole malformed character.
"""

from __future__ import annotations

import itertools
import sys

from leadbyte._files.errors import MAX_FORM_BYTES, MalformedChar, malformed_chars
from leadbyte._messages import number, printable, remaining

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from leadbyte import Scan, Scanner
    from leadbyte._files.json_lines import JsonLinesCounts, JsonLinesScan
    from leadbyte.cli.output import Output

    # The parts of a line with their styles, and the character of a text that it is about.
    _Line: TypeAlias = tuple["MalformedChar | None", list[tuple[str, str]]]


class ErrorReport:
    """Reports a limited number of errors per file: as errors in JSON, else as messages."""

    def __init__(self, output: Output, options: argparse.Namespace) -> None:
        self.output = output
        self.options = options
        self.limit: int = options.max_errors
        # One character more than is shown, so that the last one is complete; JSON shows errors instead.
        shown = self.limit * (1 if options.format == "json" else MAX_FORM_BYTES)
        self.kept = min(shown + MAX_FORM_BYTES, sys.maxsize)
        # The title of annotations for GitHub.
        self.title = "JSON lines" if getattr(options, "jsonl", False) else "not valid UTF-8"

    def report(self, path: str, scan: Scan | JsonLinesCounts, scanner: Scanner | JsonLinesScan) -> None:
        """Print the errors of a file in the chosen format, or with --verbose that there are none."""
        self.report_file(
            path,
            valid=scan.valid,
            facts=lambda: self.facts(scan, scanner),
            lines=self.lines(path, scan, scanner),
            content=number(scan.char_count, "char"),
        )

    def report_file(
        self,
        path: str,
        *,
        valid: bool,
        facts: Callable[[], dict[str, object]],
        lines: Iterable[_Line],
        content: str,
    ) -> None:
        """Print the errors of a file in the chosen format: the fields for JSON, or the lines of a report."""
        if self.options.format == "json":
            self.output.json({"path": path, **facts()})
        elif self.options.format == "text" and not valid:
            self.print_lines(lines)
        elif self.options.format == "github" and not valid:
            self.github(path, lines)
        elif self.options.format == "text" and self.options.verbose:
            self.output.line(f"{printable(path)}: valid, {content}")

    def shown(self, scanner: Scanner | JsonLinesScan) -> list[MalformedChar]:
        """Return the errors to show."""
        return list(itertools.islice(malformed_chars(scanner), self.limit))

    def facts(self, scan: Scan | JsonLinesCounts, scanner: Scanner | JsonLinesScan) -> dict[str, object]:
        """Return the fields of a file for JSON."""
        facts = scan.as_dict()
        del facts["error"]
        return {**facts, **self.as_dict(scanner)}

    def as_dict(self, scanner: Scanner | JsonLinesScan) -> dict[str, object]:
        """Return the fields of the errors of a scanner for JSON: their number, and the first of them."""
        count = scanner.finish().error_count
        found = (error for char in malformed_chars(scanner) for error in char.as_dicts())
        errors = list(itertools.islice(found, self.limit))
        return {"error_count": count, "errors": errors, "errors_omitted": count - len(errors)}

    def refuse(self, path: str, scanner: Scanner, failed: str) -> None:
        """Print the errors because of which a file is left unchanged; ``failed`` names the work not done."""
        self.text(path, scanner.finish(), scanner)
        advice = "leadbyte convert or leadbyte repair can fix it"
        self.output.line((f"{printable(path)}:", "bold"), f" {failed}: not valid UTF-8; {advice}")

    def text(self, path: str, scan: Scan | JsonLinesCounts, scanner: Scanner | JsonLinesScan) -> None:
        """Print the errors of a file."""
        self.print_lines(self.lines(path, scan, scanner))

    def print_lines(self, lines: Iterable[_Line]) -> None:
        """Print the lines of a report."""
        for _, parts in lines:
            self.output.line(*parts)

    def github(self, path: str, lines: Iterable[_Line]) -> None:
        """Print the lines of a report as annotations for GitHub."""
        from leadbyte.cli.github import annotation

        for malformed, parts in lines:
            line, column = (malformed.first.line, malformed.first.column) if malformed else (0, 0)
            message = "".join(text for text, _ in parts)
            self.output.line(annotation(path, message, title=self.title, line=line, column=column))

    def lines(
        self, path: str, scan: Scan | JsonLinesCounts, scanner: Scanner | JsonLinesScan
    ) -> Iterator[_Line]:
        """Yield the lines of a report, in parts with their styles, and the character that each is about."""
        name = printable(path)
        shown = self.shown(scanner)
        for malformed in shown:
            yield malformed, malformed.parts(f"{name}:{malformed.first.line}:{malformed.first.column}:")
        more = scan.error_count - sum(len(malformed.errors) for malformed in shown)
        if more:
            yield None, [(f"{name}:", "bold"), (f" {remaining(more, 'error', shown=shown)}", "")]
