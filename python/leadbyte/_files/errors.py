"""Errors in a text, grouped by malformed characters."""

from __future__ import annotations

from leadbyte._leadbyte import Scanner
from leadbyte._messages import printable
from leadbyte._spans import belongs

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol

    class _Span(Protocol):
        @property
        def start(self) -> int: ...
        @property
        def end(self) -> int: ...
        @property
        def kind(self) -> str: ...
        @property
        def reason(self) -> str: ...
        @property
        def data(self) -> bytes: ...
        @property
        def message(self) -> str: ...

    class _Errors(Protocol):
        def errors(self) -> Iterable[Error]: ...


# The most bytes that a lead byte announces; each can be an error of its own.
MAX_FORM_BYTES = 8


class Error:
    """An error, its line and column, and some bytes before and after it."""

    def __init__(self, span: _Span, line: int, column: int, before: bytes, after: bytes) -> None:
        self.span = span
        self.line = line
        self.column = column
        self.before = before
        self.after = after

    @property
    def field(self) -> str:
        """The field of a record that it is in, for people."""
        return ""

    def facts(self) -> dict[str, object]:
        """Return fields for JSON that not all errors have."""
        return {}


class MalformedChar:
    """A malformed character: an error and the continuation bytes after it that its lead byte announces."""

    def __init__(self, error: Error) -> None:
        self.errors = [error]

    @property
    def first(self) -> Error:
        """The first error."""
        return self.errors[0]

    @property
    def last(self) -> Error:
        """The last error."""
        return self.errors[-1]

    @property
    def data(self) -> bytes:
        """The malformed bytes."""
        return b"".join(error.span.data for error in self.errors)

    @property
    def message(self) -> str:
        """The message for people."""
        return printable(self.first.span.message)

    def parts(self, location: str) -> list[tuple[str, str]]:
        """Return the line about the character, in parts with their styles."""
        before = self.first.before.hex(" ") + " " if self.first.before else ""
        after = " " + self.last.after.hex(" ") if self.last.after else ""
        field = f" {printable(self.first.field)}:" if self.first.field else ""
        parts = [(location, "bold"), (f"{field} byte {self.first.span.start}: {self.message}", "")]
        if not self.data:
            return parts
        shown = self.data.decode() if self.data.startswith(b"\\") else self.data.hex(" ")
        return [*parts, (": ", ""), (before, "dim"), (f"[{shown}]", "bold red"), (after, "dim")]

    def join(self, error: Error) -> bool:
        """Add an error if it is a continuation byte of the character; return whether it is."""
        if not belongs(error.span, self.data, self.last.span.end):
            return False
        self.errors.append(error)
        return True

    def as_dicts(self) -> Iterator[dict[str, object]]:
        """Yield the fields of each error for JSON; the message is about all of them."""
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
                "message": self.message,
                "message_start": self.first.span.start,
                "message_end": self.last.span.end,
                **error.facts(),
            }


def malformed_chars(scanner: Scanner | _Errors) -> Iterator[MalformedChar]:
    """Yield the errors that a scanner kept, grouped by malformed characters."""
    kept = (
        (Error(*facts) for facts in scanner._errors()) if isinstance(scanner, Scanner) else scanner.errors()
    )
    last: MalformedChar | None = None
    for error in kept:
        if last and last.join(error):
            continue
        if last:
            yield last
        last = MalformedChar(error)
    if last:
        yield last
