"""What became of files that a command changes, told file by file and in the end."""

from __future__ import annotations

from leadbyte.cli.output import INVALID, TROUBLE, VALID, number, printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

    from leadbyte.cli.output import Output
    from leadbyte.cli.reading import Reading


class Results:
    """Counts and tells what became of files; ``done`` is what is done to them, in a word."""

    def __init__(self, options: argparse.Namespace, output: Output, reading: Reading, *, done: str) -> None:
        self.options = options
        self.output = output
        self.reading = reading
        self.done, self.unchanged, self.failed = done, "unchanged", f"not {done}"
        self.counts = {self.done: 0, self.unchanged: 0, self.failed: 0}

    @property
    def code(self) -> int:
        """The exit code."""
        if self.reading.trouble:
            return TROUBLE
        changed = self.options.check and self.counts[self.done]
        return INVALID if self.counts[self.failed] or changed else VALID

    def tell(self, path: str, result: str, facts: dict[str, object]) -> None:
        """Count a file and say what became of it; in text, why it failed is for the command to say."""
        self.counts[result] += 1
        wanted = self.options.dry_run or self.options.verbose
        if self.options.format == "json":
            self.output.json({"path": path, "result": result, **facts})
        elif self.options.format == "text" and wanted and result != self.failed:
            self.output.line(f"{printable(path)}: {self.in_words(result)}")

    def tell_all(self, *, wanted: bool, facts: dict[str, object] | None = None, words: str = "") -> None:
        """Say what all files came to, in text if that is wanted or something failed.

        The command adds facts to JSON, and words to text.
        """
        files = sum(self.counts.values())
        if self.options.format == "json":
            counts = {result.replace(" ", "_"): count for result, count in self.counts.items()}
            trouble = {"binary": self.reading.binary, "trouble": self.reading.trouble}
            self.output.json({"summary": {"files": files, **counts, **(facts or {}), **trouble}})
        elif self.options.format == "text" and (
            wanted or self.options.dry_run or self.options.verbose or self.counts[self.failed]
        ):
            counted = [f"{count:,} {self.in_words(result)}" for result, count in self.counts.items() if count]
            did = ", ".join([*counted, *([words] if words else [])])
            self.output.line(f"{number(files, 'file')} read: {did or 'nothing to do'}")

    def in_words(self, result: str) -> str:
        """Return what became of a file, or would have."""
        return f"would be {result}" if self.options.dry_run and result == self.done else result
