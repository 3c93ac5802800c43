"""Rows with errors: lines of a text, or rows of a table."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeAlias

    _Anything: TypeAlias = Any

    class _Keeper(Protocol):
        def add(self, row: _Anything) -> object: ...


class InvalidRows:
    """Counts rows with errors, and puts them into a quarantine, if there is one.

    ``row_count`` counts lines, or rows of tables, ``record_count`` lines, or values of tables.
    """

    def __init__(self, quarantine: _Keeper | None) -> None:
        self.quarantine = quarantine
        self.row_count = self.record_count = 0

    def add(self, line: _Anything) -> None:
        """Count a line, and keep it."""
        self.row_count += 1
        self.keep(line)

    def keep(self, value: _Anything) -> None:
        """Keep a line, or a value of a row."""
        self.record_count += 1
        if self.quarantine:
            self.quarantine.add(value)
