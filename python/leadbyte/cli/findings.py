"""Hidden characters in files: the search, and reports of what it finds."""

from __future__ import annotations

import os

from leadbyte._audit import finding
from leadbyte._leadbyte import _Audit
from leadbyte._messages import printable, remaining

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

    from leadbyte import Finding
    from leadbyte.cli.output import Output


def search_for(options: argparse.Namespace, path: str) -> _Audit:
    """Return a search in a file, whose language may be known by its extension."""
    extension = os.path.splitext(path)[1][1:].lower()
    return _Audit(options.policy, is_str=False, extension=extension)


class Findings:
    """The findings in a file: a limited number of them, and the number of all."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.byte_count = self.count = 0
        self.shown: list[Finding] = []

    @property
    def changed(self) -> bool:
        """Whether the file changes if it is sanitized."""
        return self.count > 0

    @property
    def missing(self) -> int:
        """The number of findings that may still be kept."""
        return self.limit - len(self.shown)

    def search(self, search: _Audit, piece: bytes) -> None:
        """Add the findings in a piece."""
        self.byte_count += len(piece)
        while self.missing > 0 and (found := search.next(piece)):
            self.count += 1
            self.shown.append(finding(found))
        if self.missing <= 0:
            self.count += search.count_rest(piece)

    def as_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return {
            "byte_count": self.byte_count,
            "finding_count": self.count,
            "findings": [finding.as_dict() for finding in self.shown],
            "findings_omitted": self.count - len(self.shown),
        }


class FindingReport:
    """Reports the findings of files as messages, or as annotations for GitHub."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def text(self, path: str, findings: Findings) -> None:
        """Print the findings of a file."""
        name = printable(path)
        for found in findings.shown:
            place = f"{name}:{found.location.line}:{found.location.column}:"
            self.output.line((place, "bold"), f" {message(found)}")
        if more := findings.count - len(findings.shown):
            rest = remaining(more, "finding", shown=findings.shown)
            self.output.line((f"{name}:", "bold"), f" {rest}")

    def github(self, path: str, findings: Findings) -> None:
        """Print the findings of a file as annotations for GitHub."""
        from leadbyte.cli.github import annotation

        for found in findings.shown:
            title = "not valid UTF-8" if found.kind == "invalid" else "hidden character"
            line, column = found.location.line, found.location.column
            self.output.line(annotation(path, message(found), title=title, line=line, column=column))
        if more := findings.count - len(findings.shown):
            rest = remaining(more, "finding", shown=findings.shown)
            self.output.line(annotation(path, rest, title="hidden characters"))


def message(found: Finding) -> str:
    """Return a finding as a sentence: the character, its kind, and why it is a finding."""
    if found.char is None:
        return f"{found.why} ({found.kind})"
    return f"U+{ord(found.char):04X} {found.name} {found.why} ({found.kind})"
