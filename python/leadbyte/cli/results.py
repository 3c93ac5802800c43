"""The results of commands that change files, for each file and in a summary."""

from __future__ import annotations

from leadbyte._messages import number, printable
from leadbyte.cli.output import ERROR, INVALID, VALID

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

    from leadbyte.cli.output import Output
    from leadbyte.cli.reading import Reading


class Results:
    """Counts and reports the results for files; ``done`` is the participle of the change: "repaired".

    ``already`` is how text calls files that are in the encoding that they are to be converted to: "already
    UTF-8"; without it there are none.
    """

    already = "already encoded"

    def __init__(
        self, options: argparse.Namespace, output: Output, reading: Reading, *, done: str, already: str = ""
    ) -> None:
        self.options = options
        self.output = output
        self.reading = reading
        self.done, self.unchanged, self.failed = done, "unchanged", f"not {done}"
        self.shown_already = already
        self.counts = {
            self.done: 0, self.unchanged: 0, **({self.already: 0} if already else {}), self.failed: 0,
        }  # fmt: skip

    @property
    def code(self) -> int:
        """The exit code of the command."""
        if self.reading.failed:
            return ERROR
        changed = self.options.check and self.counts[self.done]
        return INVALID if self.counts[self.failed] or changed else VALID

    def report(self, path: str, result: str, facts: dict[str, object]) -> None:
        """Count a file and report its result; in text, the command itself reports why a file failed."""
        self.counts[result] += 1
        listed = self.options.dry_run or self.options.verbose
        if self.options.format == "json":
            self.output.json({"path": path, "result": result, **facts})
        elif self.options.format == "text" and listed and result != self.failed:
            self.output.line(f"{printable(path)}: {self.label(result)}")

    @property
    def file_count(self) -> int:
        """The number of files that were read."""
        return sum(self.counts.values())

    def report_summary(
        self, *, changed: bool, facts: dict[str, object] | None = None, remark: str = ""
    ) -> None:
        """Report the counts of all results, in text only if there may be changes or something failed.

        The facts are added to JSON, the remark to text, where nothing counts that was not written after all.
        """
        files = self.file_count
        if self.options.format == "json":
            counts = {result.replace(" ", "_"): count for result, count in self.counts.items()}
            not_read = self.reading.not_read()
            written = {"written": False} if self.reading.unwritten else {}
            self.output.json({"summary": {"files": files, **counts, **(facts or {}), **not_read, **written}})
        elif self.options.format == "text" and (
            changed or self.options.dry_run or self.options.verbose or self.counts[self.failed]
        ):
            counted = [f"{count:,} {self.label(result)}" for result, count in self.counts.items() if count]
            if self.counts.get(self.already):
                counted.append(f"--force converts files that are {self.shown_already}")
            results = ", ".join([*counted, *([remark] if remark else [])])
            if self.reading.unwritten:
                results = "nothing written"
            if not (results or self.reading.failed):
                results = "nothing to do"
            read = f"{number(files, 'file')} read"
            self.output.line(f"{read}: {results}" if results else read, self.reading.skipped_remark())

    def label(self, result: str) -> str:
        """Return a result as text: in a dry run, a change is one that would be made."""
        if result == self.already:
            return self.shown_already
        return f"would be {result}" if self.options.dry_run and result == self.done else result
