"""The errors of a file as commands report them: with line, column and words.

JSON has each error by itself, as ``iter_errors`` has; a message for people is about a whole character.
"""

from __future__ import annotations

import sys

from leadbyte._leadbyte import _error_message
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


class Error:
    """An error and its place, with some bytes before and after it."""

    def __init__(self, span: ErrorSpan, line: int, column: int, before: bytes, after: bytes) -> None:
        self.span = span
        self.line = line
        self.column = column
        self.before = before
        self.after = after


class Broken:
    """A broken character: an error and the stray continuation bytes that would have belonged to it."""

    def __init__(self, error: Error) -> None:
        self.errors = [error]

    @property
    def first(self) -> Error:
        """The error that it begins with."""
        return self.errors[0]

    @property
    def last(self) -> Error:
        """The error that it ends with."""
        return self.errors[-1]

    @property
    def bad(self) -> bytes:
        """The bad bytes."""
        return b"".join(error.span.data for error in self.errors)

    @property
    def words(self) -> str:
        """What is wrong, in words."""
        return printable(_error_message(self.first.span, self.bad[len(self.first.span.data) :]))

    def join(self, error: Error) -> bool:
        """Take an error in, if it is a byte that would have belonged to the character."""
        if not belongs(error.span, self.bad, self.last.span.end):
            return False
        self.errors.append(error)
        return True

    def as_dicts(self) -> Iterator[dict[str, object]]:
        """Give what JSON has of each error; the message is about the bytes of all, and where these are."""
        for error in self.errors:
            yield {
                "line": error.line,
                "column": error.column,
                "start": error.span.start,
                "end": error.span.end,
                "kind": error.span.kind,
                "reason": error.span.reason,
                "bytes": error.span.data.hex(" "),
                "before": error.before.hex(" "),
                "after": error.after.hex(" "),
                "message": self.words,
                "message_start": self.first.span.start,
                "message_end": self.last.span.end,
            }


def broken_chars(scanner: Scanner) -> list[Broken]:
    """Return the errors that a scanner kept, neighbours joined that would have been one character."""
    found: list[Broken] = []
    for facts in scanner._errors():
        error = Error(*facts)
        if not (found and found[-1].join(error)):
            found.append(Broken(error))
    return found


class ErrorReport:
    """Reports a limited number of errors a file: in JSON of errors, else of messages."""

    def __init__(self, output: Output, options: argparse.Namespace) -> None:
        self.output = output
        self.options = options
        self.limit: int = options.max_errors
        # One more than is shown, so that the last one shown is joined to its end.
        self.kept = min((self.limit + 1) * LONGEST_FORM, sys.maxsize)

    def report(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print what is wrong with a file in the format asked for, or that nothing is, if that is wanted."""
        if self.options.format == "json":
            self.output.json({"path": path, **self.facts(scan, scanner)})
        elif self.options.format == "text" and not scan.valid:
            self.text(path, scan, scanner)
        elif self.options.format == "github" and not scan.valid:
            self.github(path, scan, scanner)
        elif self.options.format == "text" and self.options.verbose:
            self.output.line(f"{printable(path)}: valid, {number(scan.char_count, 'char')}")

    def shown(self, scanner: Scanner) -> list[Broken]:
        """Return the errors to show."""
        return broken_chars(scanner)[: self.limit]

    def facts(self, scan: Scan, scanner: Scanner) -> dict[str, object]:
        """Return what JSON says of a file."""
        facts = scan.as_dict()
        del facts["error"]
        return {**facts, **self.as_dict(scanner)}

    def as_dict(self, scanner: Scanner) -> dict[str, object]:
        """Return what JSON says of the errors that a scanner found: their number, and the first of them."""
        count = scanner.finish().error_count
        errors = [error for broken in broken_chars(scanner) for error in broken.as_dicts()][: self.limit]
        return {"error_count": count, "errors": errors, "errors_omitted": count - len(errors)}

    def refuse(self, path: str, scanner: Scanner, failed: str) -> None:
        """Print the errors of a file that is left as it was for that reason; ``failed`` is what it is not."""
        self.text(path, scanner.finish(), scanner)
        advice = "leadbyte convert or leadbyte repair can fix it"
        self.output.line((f"{printable(path)}:", "bold"), f" {failed}: not valid UTF-8; {advice}")

    def text(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print a file's errors."""
        for _, parts in self.lines(path, scan, scanner):
            self.output.line(*parts)

    def github(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print a file's errors as annotations for GitHub."""
        from leadbyte.cli.github import annotation

        for broken, parts in self.lines(path, scan, scanner):
            line, column = (broken.first.line, broken.first.column) if broken else (0, 0)
            message = "".join(text for text, _ in parts)
            self.output.line(annotation(path, message, title="not valid UTF-8", line=line, column=column))

    def lines(
        self, path: str, scan: Scan, scanner: Scanner
    ) -> Iterator[tuple[Broken | None, list[tuple[str, str]]]]:
        """Give the lines that tell of a file's errors, in parts with their styles, and what each is about."""
        name = printable(path)
        shown = self.shown(scanner)
        for broken in shown:
            first = broken.first
            before = first.before.hex(" ") + " " if first.before else ""
            after = " " + broken.last.after.hex(" ") if broken.last.after else ""
            yield (
                broken,
                [
                    (f"{name}:{first.line}:{first.column}:", "bold"),
                    (f" byte {first.span.start}: {broken.words}: ", ""),
                    (before, "dim"),
                    (f"[{broken.bad.hex(' ')}]", "bold red"),
                    (after, "dim"),
                ],
            )
        more = scan.error_count - sum(len(broken.errors) for broken in shown)
        if more:
            rest = number(more, "more error") if shown else number(more, "error")
            yield None, [(f"{name}:", "bold"), (f" {rest}", "")]
