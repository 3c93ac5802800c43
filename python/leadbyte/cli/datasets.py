"""``leadbyte check`` and ``leadbyte count`` of URLs: an engine scans all files as one data set."""

from __future__ import annotations

import itertools
import os
import sys

from leadbyte import ErrorSpan
from leadbyte._engines import CLUSTERS
from leadbyte._files.errors import Error, MalformedChar
from leadbyte._formats import CSV_EXTENSIONS
from leadbyte._messages import number, printable, remaining
from leadbyte.cli.errors import ErrorReport
from leadbyte.cli.files import STANDARD_INPUT, is_url, without_secrets
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.totals import COLUMNS, Rows, totals

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from leadbyte.dataset import DatasetError, DatasetScan
    from leadbyte.dataset._report import Report
    from leadbyte.dataset._tasks import Task

BLOCKSIZE = "64 MiB"
# The options that select files and report on each, with their values if they are not given.
FOR_FILES = {
    "-j/--jobs": ("jobs", 0),
    "--binary": ("binary", False),
    "--verbose": ("verbose", False),
    "--no-ignore": ("ignore", True),
    "--hidden": ("hidden", False),
    "--exclude": ("exclude", []),
}


class Dataset:
    """The files of the paths, as one data set."""

    def __init__(self, options: argparse.Namespace, output: Output) -> None:
        self.options = options
        self.output = output
        for flag, (name, default) in FOR_FILES.items():
            if getattr(options, name) != default:
                options.refuse(f"argument {flag}: not allowed with URLs or --engine")
        if STANDARD_INPUT in options.paths:
            options.refuse("argument PATH: standard input is not read with URLs or --engine")
        for path in options.paths if getattr(options, "column_names", None) else []:
            if path.lower().endswith(CSV_EXTENSIONS):
                shown = printable(without_secrets(path))
                options.refuse(f"argument --column: {shown}: CSV has columns without URLs and --engine only")
        if options.address and options.engine not in CLUSTERS:
            *others, last = CLUSTERS
            options.refuse(f"argument --address: requires --engine {', '.join(others)} or {last}")
        if options.engine == "dask" and not options.address:
            options.refuse("argument --engine: dask requires --address")

    def scan(self, *, max_errors: int = 0, report: Report | None = None) -> DatasetScan | None:
        """Return what an engine finds; None if it cannot, after a message about that."""
        from leadbyte.cli.remote import report_waiting
        from leadbyte.dataset._scan import run
        from leadbyte.dataset._secrets import redacted

        report_waiting(self.output.warn)
        options = self.options
        engine = options.engine or "threads"
        try:
            return run(
                options.paths,
                engine=f"{engine}:{options.address}" if options.address else engine,
                blocksize=BLOCKSIZE if options.blocksize is None else options.blocksize,
                max_errors=max_errors,
                report=options.report if report is None else report,
                columns=getattr(options, "column_names", None),
                jsonl=getattr(options, "jsonl", False),
                progress=self.advance,
            )
        except ValueError as error:
            options.refuse(redacted(" ".join(str(error).split())))
        except (ImportError, OSError, RuntimeError) as error:
            self.output.progress.clear()
            self.output.warn(printable(redacted(" ".join(str(error).split()))))
        finally:
            self.output.progress.finish()
        return None

    def advance(self, task: Task) -> None:
        """Show that an engine has taken a task."""
        files = sum(piece.is_last for piece in task.pieces)
        self.output.progress.advance(files=files, byte_count=task.byte_count)

    def report_failures(self, scan: DatasetScan) -> None:
        """Report the files that could not be read."""
        for failure in scan.failures:
            self.output.warn(printable(f"{failure.url}: {failure.message}"))
            if self.options.format == "json":
                self.output.json({"path": failure.url, "error": failure.message})
        if more := scan.failed_count - len(scan.failures):
            self.output.warn(f"{number(more, 'more file')} could not be read")


class DatasetChar:
    """A malformed character of a data set."""

    def __init__(self, found: DatasetError, malformed: MalformedChar, title: str) -> None:
        self.found = found
        self.malformed = malformed
        self.title = title

    def parts(self) -> list[tuple[str, str]]:
        """Return the line about the character, in parts with their styles."""
        found = self.found
        name = printable(found.url)
        if found.row is None:
            return self.malformed.parts(f"{name}:{found.line}:{found.column}:")
        return self.malformed.parts(f"{name}: row {found.row}, column {printable(found.column_name or '')}:")

    def annotation(self) -> str:
        """Return an annotation for GitHub, of a file if it is local."""
        from leadbyte.cli.github import annotation

        path = STANDARD_INPUT if is_url(self.found.url) else self.found.url
        message = "".join(text for text, _ in self.parts())
        line, column = self.found.line or 0, self.found.column or 0
        return annotation(path, message, title=self.title, line=line, column=column)

    def as_dicts(self) -> Iterator[dict[str, object]]:
        """Yield the fields of each error for JSON."""
        for fields in self.malformed.as_dicts():
            if self.found.row is None:
                yield fields
            else:
                del fields["line"]
                yield {**fields, "column": self.found.column_name, "row": self.found.row}


def restored_error(found: DatasetError, *, jsonl: bool) -> Error:
    """Return an error of a data set, which may be of JSON lines, as one of a file."""
    place, around = (found.line or 0, found.column or 0), (found.before, found.after)
    if not jsonl:
        span = ErrorSpan._restore(found.start, found.kind, found.data, found.after, None)
        return Error(span, *place, *around)
    from leadbyte._files.json_lines import JsonError, restored_span

    restored = restored_span(found.start, found.end, found.kind, found.data, found.after)
    return JsonError(restored, place, around, found.pointer, in_key=found.in_key)


def malformed_chars(errors: Iterable[DatasetError], *, jsonl: bool = False) -> list[DatasetChar]:
    """Return errors, which may be of JSON lines, grouped by malformed characters."""
    chars: list[DatasetChar] = []
    for _, group in itertools.groupby(errors, lambda error: (error.url, error.row, error.column_name)):
        malformed: MalformedChar | None = None
        for found in group:
            error = restored_error(found, jsonl=jsonl)
            if malformed is None or not malformed.join(error):
                malformed = MalformedChar(error)
                chars.append(DatasetChar(found, malformed, "JSON lines" if jsonl else "not valid UTF-8"))
    return chars


def check(options: argparse.Namespace) -> int:
    """Run ``check``; return its exit code."""
    output = Output(sys.stdout)
    dataset = Dataset(options, output)
    errors = ErrorReport(output, options)
    scan = list_invalid(dataset) if options.format == "list" else dataset.scan(max_errors=errors.kept)
    if scan is None:
        return ERROR
    chars = malformed_chars(scan.errors, jsonl=options.jsonl)[: errors.limit]
    if options.format == "json":
        report_json(dataset, scan, chars)
    else:
        report(dataset, scan, chars)
    if scan.failed_count:
        return ERROR
    return INVALID if scan.invalid_count else VALID


def report(dataset: Dataset, scan: DatasetScan, chars: list[DatasetChar]) -> None:
    """Print the first errors, the failures and the totals of all files."""
    output, form = dataset.output, dataset.options.format
    summarized = form in {"text", "github"}
    if summarized:
        for char in chars:
            output.line(*(char.parts() if form == "text" else [char.annotation()]))
        more = scan.error_count - sum(len(char.malformed.errors) for char in chars)
        if more:
            output.line(remaining(more, "error", shown=chars))
    dataset.report_failures(scan)
    if summarized:
        failed = f"; {scan.failed_count:,} could not be read" if scan.failed_count else ""
        files = scan.file_count - scan.failed_count
        counts = scan.byte_count, scan.char_count, scan.row_count or None
        invalid_records = scan.invalid_record_count
        records = f"; {number(invalid_records, 'invalid record')}" if invalid_records else ""
        output.line(*totals(files, scan.invalid_count, counts, jsonl=dataset.options.jsonl), records, failed)


def report_json(dataset: Dataset, scan: DatasetScan, chars: list[DatasetChar]) -> None:
    """Print the files of the first errors, the failures and the totals as JSON."""
    errors = ((char.found.url, fields) for char in chars for fields in char.as_dicts())
    listed = list(itertools.islice(errors, dataset.options.max_errors))
    for url, found in itertools.groupby(listed, lambda error: error[0]):
        dataset.output.json({"path": url, "valid": False, "errors": [fields for _, fields in found]})
    dataset.report_failures(scan)
    summary = {
        "files": scan.file_count - scan.failed_count,
        "invalid": scan.invalid_count,
        "byte_count": scan.byte_count,
        "char_count": scan.char_count,
        **({"row_count": scan.row_count} if scan.row_count else {}),
        **({"invalid_records": scan.invalid_record_count} if dataset.options.jsonl else {}),
        "failed": scan.failed_count,
        "error_count": scan.error_count,
        "errors_omitted": scan.error_count - len(listed),
    }
    dataset.output.json({"summary": summary})


def list_invalid(dataset: Dataset) -> DatasetScan | None:
    """Print the names of all files that are not valid; return the result of the scan."""
    import json
    import tempfile

    options = dataset.options
    if options.report is not None or options.engine in CLUSTERS:
        options.refuse("argument --list: not allowed with --report or a cluster, use the rows of --report")
    from leadbyte.dataset._report import Report

    with tempfile.TemporaryDirectory(prefix="leadbyte-") as directory:
        report = Report(os.path.join(directory, "files.jsonl"), exact=True)
        scan = dataset.scan(report=report)
        if scan is None:
            return None
        invalid = []
        for name in os.listdir(report.url):
            with open(os.path.join(report.url, name), encoding="utf-8", errors="surrogatepass") as rows:
                invalid += [row["url"] for row in map(json.loads, rows) if row["valid"] is False]
    for url in sorted(invalid):
        dataset.output.name(url, null=options.null)
    return scan


def count(options: argparse.Namespace) -> int:
    """Run ``count``; return its exit code."""
    output = Output(sys.stdout)
    dataset = Dataset(options, output)
    scan = dataset.scan()
    if scan is None:
        return ERROR
    dataset.report_failures(scan)
    counts = {column: getattr(scan, column) for column in COLUMNS}
    if options.format == "json":
        files = {"files": scan.file_count - scan.failed_count, "invalid": scan.invalid_count}
        output.json({"summary": {**files, **counts, "failed": scan.failed_count}})
    else:
        rows = Rows(options, output)
        if scan.invalid_count:
            rows.warn(f"{number(scan.invalid_count, 'file')} not valid UTF-8")
        rows.add(counts, "total")
        rows.finish()
    return ERROR if scan.failed_count else VALID
