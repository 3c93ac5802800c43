"""``leadbyte check``: whether files are UTF-8, and where they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from leadbyte._leadbyte import _describe
from leadbyte.cli.output import INVALID, TROUBLE, VALID, number, printable, size
from leadbyte.cli.reading import Reading

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from leadbyte import ErrorSpan, Scan, Scanner

# The longest form that a lead byte announces, in bytes: each can be an error of its own.
LONGEST_FORM = 8


class Broken(NamedTuple):
    """A broken character: an error and the stray continuation bytes that would have belonged to it."""

    span: ErrorSpan
    following: bytes
    spans: int
    line: int
    column: int
    before: bytes
    after: bytes

    @property
    def end(self) -> int:
        """The offset just past its last byte."""
        return self.span.end + len(self.following)

    @property
    def words(self) -> str:
        """What is wrong, in words."""
        return printable(_describe(self.span, self.following))

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON says of it."""
        return {
            "line": self.line,
            "column": self.column,
            "start": self.span.start,
            "end": self.end,
            "kind": self.span.kind,
            "reason": self.span.reason,
            "message": self.words,
            "bytes": (self.span.data + self.following).hex(" "),
            "before": self.before.hex(" "),
            "after": self.after.hex(" "),
        }


def announced_length(lead: int) -> int:
    """Return how many bytes a lead byte from C0 on announces, well-formed or not."""
    return 8 - (~lead & 0xFF).bit_length()


def join(errors: Iterable[tuple[ErrorSpan, int, int, bytes, bytes]]) -> Iterator[Broken]:
    """Join neighbouring errors that would have been one character."""
    current: Broken | None = None
    for span, line, column, before, after in errors:
        if current is not None:
            length = current.end - current.span.start
            lead = current.span.data[0]
            if (
                span.start == current.end
                and span.kind == "unexpected_continuation"
                and lead >= 0xC0
                and length < announced_length(lead)
            ):
                following = current.following + span.data
                current = current._replace(following=following, spans=current.spans + 1, after=after)
                continue
            yield current
        current = Broken(span, b"", 1, line, column, before, after)
    if current is not None:
        yield current


class Check:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # One more than is shown, so that the last one shown is joined to its end.
        self.reading = Reading(options, errors=(options.max_errors + 1) * LONGEST_FORM)
        self.output = self.reading.output
        self.files = self.invalid = self.bytes = self.chars = 0

    def run(self) -> int:
        """Check all paths; return the exit code."""
        for path, scanner in self.reading:
            self.report(path, scanner)
        self.report_summary()
        if self.reading.trouble:
            return TROUBLE
        return INVALID if self.invalid else VALID

    def report(self, path: str, scanner: Scanner) -> None:
        """Say what is wrong with a file."""
        scan = scanner.finish()
        self.files += 1
        self.invalid += not scan.valid
        self.bytes += scan.byte_count
        self.chars += scan.chars
        options = self.options
        if options.quiet:
            return
        if options.json:
            self.report_json(path, scan, scanner)
        elif options.list:
            if not scan.valid:
                self.output.line(printable(path))
        elif not scan.valid:
            self.report_errors(path, scan, scanner)
        elif options.verbose:
            self.output.line(f"{printable(path)}: valid, {number(scan.chars, 'char')}")

    def shown(self, scanner: Scanner) -> list[Broken]:
        """Return the errors to show."""
        return list(join(scanner._errors()))[: self.options.max_errors]

    def report_json(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print what JSON says of a file."""
        facts = scan.as_dict()
        del facts["error"]
        facts["errors"] = [] if scan.valid else [broken.as_dict() for broken in self.shown(scanner)]
        self.output.json({"path": path, **facts})

    def report_errors(self, path: str, scan: Scan, scanner: Scanner) -> None:
        """Print a file's errors."""
        name = printable(path)
        shown = self.shown(scanner)
        for broken in shown:
            place = f"{name}:{broken.line}:{broken.column}:"
            bad = (broken.span.data + broken.following).hex(" ")
            before = broken.before.hex(" ") + " " if broken.before else ""
            after = " " + broken.after.hex(" ") if broken.after else ""
            self.output.line(
                (place, "bold"),
                f" byte {broken.span.start}: {broken.words}: ",
                (before, "dim"),
                (f"[{bad}]", "bold red"),
                (after, "dim"),
            )
        more = scan.error_count - sum(broken.spans for broken in shown)
        if more:
            self.output.line(
                (f"{name}:", "bold"), f" {number(more, 'more error') if shown else number(more, 'error')}"
            )

    def report_summary(self) -> None:
        """Print what all files come to."""
        options = self.options
        if options.json:
            summary = {
                "files": self.files,
                "invalid": self.invalid,
                "byte_count": self.bytes,
                "chars": self.chars,
                "binary": self.reading.binary,
                "trouble": self.reading.trouble,
            }
            self.output.json({"summary": summary})
        elif not (options.quiet or options.list):
            counted = (
                f"{number(self.files, 'file')} checked ({size(self.bytes)}, {number(self.chars, 'char')})"
            )
            verdict = f"{self.invalid:,} not valid UTF-8" if self.invalid else "all valid UTF-8"
            if not self.files:
                verdict = "nothing to say"
            passed_over = self.reading.binary
            binary = f"; {number(passed_over, 'binary file')} passed over" if passed_over else ""
            style = "bold red" if self.invalid else "green"
            self.output.line(f"{counted}: ", (verdict, style), binary)


def check(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return Check(options).run()
