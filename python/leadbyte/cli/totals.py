"""What ``leadbyte check`` and ``leadbyte count`` print of files and of data sets alike."""

from __future__ import annotations

from leadbyte._messages import number, size

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from leadbyte.cli.output import Output

# The columns, in the order of wc, and their titles.
COLUMNS = {"newline_count": "newlines", "char_count": "chars", "utf16_count": "UTF-16", "byte_count": "bytes"}
# The width of a column, in characters.
WIDTH = 12


class Rows:
    """The rows of numbers: printed one by one, or as a table on a terminal with colours."""

    def __init__(self, options: argparse.Namespace, output: Output) -> None:
        self.output = output
        self.quiet = options.format == "quiet"
        self.columns = [column for column in COLUMNS if column in (options.columns or COLUMNS)]
        self.header = [*(COLUMNS[column] for column in self.columns), "path"]
        # On a terminal with colours the rows are kept until the table can be laid out.
        self.kept: list[list[str]] | None = None if output.console is None else []
        if self.kept is None and options.columns is None and options.format == "text":
            self.print(self.header)

    def add(self, facts: Mapping[str, object], name: str) -> None:
        """Print a row of numbers, or keep it for the table."""
        if self.quiet:
            return
        row = [*(str(facts[column]) for column in self.columns), name]
        if self.kept is None:
            self.print(row)
        else:
            self.kept.append(row)

    def print(self, row: list[str]) -> None:
        """Print a row in columns; a single number is not padded, as by wc."""
        *numbers, name = row
        width = WIDTH if len(numbers) > 1 else 0
        self.output.line(" ".join([*(number.rjust(width) for number in numbers), name]))

    def finish(self) -> None:
        """Print the table."""
        if self.kept:
            self.output.table(self.header, self.kept)

    def warn(self, subject: str) -> None:
        """Print a warning about data that is not valid UTF-8, if that makes a difference to the numbers."""
        if not self.quiet and {"char_count", "utf16_count"} & set(self.columns):
            self.output.warn(f"{subject}; characters are counted by lead bytes")


def totals(
    files: int, invalid: int, counts: tuple[int, int, int | None], *, jsonl: bool
) -> tuple[str, tuple[str, str]]:
    """Return the totals of files, which may be JSON lines, and the verdict, in parts of a line.

    The counts are of bytes, characters, and rows, or None.
    """
    byte_count, char_count, row_count = counts
    contents = [number(char_count, "char")] if char_count or row_count is None else []
    contents += [] if row_count is None else [number(row_count, "row")]
    good, bad = ("no errors", "with errors") if jsonl else ("all valid UTF-8", "not valid UTF-8")
    verdict = f"{invalid:,} {bad}" if invalid else good
    if not files:
        verdict = "nothing to check"
    style = "bold red" if invalid else "green"
    return f"{number(files, 'file')} checked ({size(byte_count)}, {', '.join(contents)}): ", (verdict, style)
