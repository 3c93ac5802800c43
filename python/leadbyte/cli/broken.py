"""The errors of a file as commands tell of them: by character, with line, column and words."""

from __future__ import annotations

import sys

from leadbyte._leadbyte import _describe
from leadbyte._spans import belongs
from leadbyte.cli.output import number, printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from leadbyte import ErrorSpan, Scan, Scanner
    from leadbyte.cli.output import Output

# The longest form that a lead byte announces, in bytes: each can be an error of its own.
LONGEST_FORM = 8


class Broken:
    """A broken character: an error and the stray continuation bytes that would have belonged to it."""

    def __init__(self, span: ErrorSpan, line: int, column: int, before: bytes, after: bytes) -> None:
        self.span = span
        self.line = line
        self.column = column
        self.before = before
        self.after = after
        self.following = b""
        self.error_count = 1

    @property
    def end(self) -> int:
        """The offset just past its last byte."""
        return self.span.end + len(self.following)

    @property
    def bad(self) -> bytes:
        """The bad bytes."""
        return self.span.data + self.following

    @property
    def words(self) -> str:
        """What is wrong, in words."""
        return printable(_describe(self.span, self.following))

    def join(self, span: ErrorSpan, after: bytes) -> bool:
        """Take an error in, if it is a byte that would have belonged to the character."""
        if not belongs(span, self.bad, self.end):
            return False
        self.following += span.data
        self.after = after
        self.error_count += 1
        return True

    def as_dict(self) -> dict[str, object]:
        """Return what JSON says of it."""
        return {
            "line": self.line,
            "column": self.column,
            "start": self.span.start,
            "end": self.end,
            "kind": self.span.kind,
            "reason": self.span.reason,
            "message": self.words,
            "bytes": self.bad.hex(" "),
            "before": self.before.hex(" "),
            "after": self.after.hex(" "),
        }


def broken_chars(scanner: Scanner) -> list[Broken]:
    """Return the errors that a scanner kept, neighbours joined that would have been one character."""
    found: list[Broken] = []
    for span, line, column, before, after in scanner._errors():
        if not (found and found[-1].join(span, after)):
            found.append(Broken(span, line, column, before, after))
    return found


class ErrorReport:
    """Tells of at most so many broken characters a file."""

    def __init__(self, output: Output, options: argparse.Namespace) -> None:
        self.output = output
        self.options = options
        self.limit: int = options.max_errors
        # One more than is shown, so that the last one shown is joined to its end.
        self.kept = min((self.limit + 1) * LONGEST_FORM, sys.maxsize)

    def tell(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print what is wrong with a file in the format asked for, or that nothing is, if that is wanted."""
        if self.options.format == "json":
            self.json(path, scan, scanner)
        elif self.options.format == "text" and not scan.valid:
            self.text(path, scan, scanner)
        elif self.options.format == "github" and not scan.valid:
            self.github(path, scan, scanner)
        elif self.options.format == "text" and self.options.verbose:
            self.output.line(f"{printable(path)}: valid, {number(scan.chars, 'char')}")

    def shown(self, scanner: Scanner) -> list[Broken]:
        """Return the errors to show."""
        return broken_chars(scanner)[: self.limit]

    def json(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print what JSON says of a file."""
        facts = scan.as_dict()
        del facts["error"]
        facts["errors"] = [] if scan.valid else [broken.as_dict() for broken in self.shown(scanner)]
        self.output.json({"path": path, **facts})

    def refuse(self, path: str, scanner: Scanner, failed: str) -> None:
        """Print the errors of a file that is left as it was for that reason; ``failed`` is what it is not."""
        self.text(path, scanner.finish(), scanner)
        advice = "leadbyte convert or repair makes UTF-8 of it"
        self.output.line((f"{printable(path)}:", "bold"), f" {failed}: not valid UTF-8; {advice}")

    def text(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print a file's errors."""
        for _, parts in self.lines(path, scan, scanner):
            self.output.line(*parts)

    def github(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print a file's errors as annotations for GitHub."""
        from leadbyte.cli.github import annotation

        for broken, parts in self.lines(path, scan, scanner):
            line, column = (broken.line, broken.column) if broken else (0, 0)
            message = "".join(text for text, _ in parts)
            self.output.line(annotation(path, message, title="not valid UTF-8", line=line, column=column))

    def lines(
        self, path: str, scan: Scan, scanner: Scanner
    ) -> Iterator[tuple[Broken | None, list[tuple[str, str]]]]:
        """Give the lines that tell of a file's errors, in parts with their styles, and what each is about."""
        name = printable(path)
        shown = self.shown(scanner)
        for broken in shown:
            before = broken.before.hex(" ") + " " if broken.before else ""
            after = " " + broken.after.hex(" ") if broken.after else ""
            yield (
                broken,
                [
                    (f"{name}:{broken.line}:{broken.column}:", "bold"),
                    (f" byte {broken.span.start}: {broken.words}: ", ""),
                    (before, "dim"),
                    (f"[{broken.bad.hex(' ')}]", "bold red"),
                    (after, "dim"),
                ],
            )
        more = scan.error_count - sum(broken.error_count for broken in shown)
        if more:
            rest = number(more, "more error") if shown else number(more, "error")
            yield None, [(f"{name}:", "bold"), (f" {rest}", "")]
