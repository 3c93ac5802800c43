"""The scan of a dataset: files are listed, cut into tasks, scanned by an engine, and the results merged."""

from __future__ import annotations

import itertools
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leadbyte.dataset._json_lines import is_json_lines
from leadbyte.dataset._partial import Partial, Run, Segment, TextState, Totals
from leadbyte.dataset._report import Report
from leadbyte.dataset._small_files import ValidTexts, grouped, scan_texts
from leadbyte.dataset._tasks import TABLES, cut, parse_blocksize
from leadbyte.dataset._urls import describe, directory_of, find_files
from leadbyte.dataset._waiting import about
from leadbyte.dataset.engines import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from leadbyte.dataset._partial import Completed, FileResult, State
    from leadbyte.dataset._result import DatasetScan
    from leadbyte.dataset._tasks import File, Piece, Task
    from leadbyte.dataset._urls import Source, Url

    # A name, a callable, or the client or session of a cluster.
    Engine: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class ScanTask:
    """The function that scans a task, on a worker."""

    max_errors: int
    columns: tuple[str, ...]
    report: Report | None
    jsonl: bool = field(default=False, kw_only=True)

    def __call__(self, task: Task) -> Partial:
        """Return the result of a task, and write the rows of the files that are complete in it."""
        rows: list[FileResult] = []
        completed = rows.append if self.report else ignore
        segment: Segment | None = None
        for pieces in ([piece] for piece in task.pieces) if self.jsonl else grouped(task.pieces):
            if len(pieces) > 1:
                following = Segment(task.index, task.index + 1, totals=self.scan_texts(pieces, completed))
            else:
                found = self.scan_piece(pieces[0])
                following = Segment.of(task.index, pieces[0], found, self.max_errors, completed)
            segment = segment.join(following, self.max_errors, completed) if segment else following
        if self.report and rows:
            self.report.write_task(task.index, rows)
        return Partial((segment,) if segment else (), self.max_errors)

    def scan_texts(self, pieces: list[Piece], completed: Completed) -> Totals:
        """Return the totals of small local texts."""
        totals, valid = Totals(), ValidTexts()
        for piece, scanner in scan_texts(pieces, self.max_errors):
            if scanner and not self.report and (scan := scanner.finish()).valid:
                valid.add(scan)
                continue
            found = TextState(scanner) if scanner else self.scan_piece(piece)
            result = Run(piece.file, is_first=True, is_last=True, found=found).result()
            completed(result)
            totals = totals.add(Totals.of(result), self.max_errors)
        return totals.add(valid.totals(), self.max_errors)

    def scan_piece(self, piece: Piece) -> State | str:
        """Return the state of a piece, or the message why it could not be read."""
        if piece.file.failed is not None:
            return piece.file.failed
        try:
            with about(piece.file.url):
                return self.scan_known(piece)
        except Exception as error:
            # Filesystems raise what the libraries below them do. Nothing of it may hide the other files.
            return describe(error, piece.file.url)

    def scan_known(self, piece: Piece) -> State | str:
        """Return what `scan_piece` does; raise what filesystems do."""
        if self.jsonl:
            from leadbyte.dataset._json_lines import scan_json_lines

            if piece.file.format in TABLES:
                return f"is a file of {piece.file.format}, which has no JSON lines"
            return scan_json_lines(piece, self.max_errors)
        if piece.file.format in TABLES:
            from leadbyte.dataset._tables import scan_table

            return scan_table(piece, self.columns, self.max_errors)
        from leadbyte.dataset._reading import scan_piece

        return TextState(scan_piece(piece, self.max_errors))


@dataclass(frozen=True, slots=True)
class Merge:
    """The function that merges the results of tasks, on a worker or on the driver."""

    report: Report | None

    def __call__(self, left: Partial, right: Partial) -> Partial:
        """Return the result of two, and write the row of each file that is complete now."""
        return left.merge(right, self.report.write_file if self.report else ignore)


def ignore(_result: FileResult) -> None:
    """Take the result of a file without a report."""


class Counted:
    """An iterator of tasks that counts them."""

    def __init__(self, tasks: Iterable[Task], progress: Callable[[Task], None] | None) -> None:
        self.tasks = iter(tasks)
        self.progress = progress
        self.count = 0

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        task = next(self.tasks)
        self.count += 1
        if self.progress:
            self.progress(task)
        return task


def scan(
    urls: Source | Iterable[Source],
    *,
    engine: Engine = "threads",
    blocksize: int | str = "64 MiB",
    max_errors: int = 100,
    report: Url | None = None,
    columns: Iterable[str] | None = None,
    format: str | None = None,  # noqa: A002 - the word of the readers of other libraries
) -> DatasetScan:
    r"""Validate all files of URLs, count their characters and newlines, and find their first errors.

    ``urls`` is a URL of fsspec, a path, a glob or a directory, or any iterable of these, from which the next
    is taken when it is needed. Texts are cut every ``blocksize`` bytes, anywhere, and merged exactly: the
    result is the same as of one pass over each file. Compressed files (``.gz``, ``.bz2``, ``.xz``, ``.zst``)
    are decompressed, and the columns of strings in Parquet and Arrow files are read, or the ``columns`` of
    these names, which may be of bytes. Strings within unions, and in structs or lists that are encoded as
    dictionaries or runs, cannot be read, and are a failure.

    Of a table of Delta or Iceberg, which is a directory, or a ``DeltaTable`` or a ``Table`` that a catalog of
    pyiceberg has loaded, the files of the current snapshot are read.

    ``engine`` is what runs the scan: ``"threads"``, ``"processes"``, an engine of a cluster, or a callable of
    :mod:`leadbyte.dataset.engines`. The first ``max_errors`` errors are kept, in the order of the files.
    ``report`` is the URL of a new directory for a row per file, named ``*.jsonl`` or ``*.parquet``.

    With ``format="jsonl"`` files are JSON lines, and what programs refuse to load is an error, too: escapes
    of lone surrogates (``\ud800``), U+0000, byte order marks, and a last record that is truncated. Each error
    then has the JSON Pointer of its value.

    A file that cannot be read is in ``failures`` of the result. Raises FileNotFoundError if ``urls`` is one
    URL without files, FileExistsError if the report exists, ValueError for an unknown engine or a wrong size.

    >>> import fsspec
    >>> texts = {"/texts/a.txt": b"caf\xc3\xa9\n", "/texts/b.txt": b"one\ncaf\xe9\n"}
    >>> fsspec.filesystem("memory").pipe(texts)
    >>> found = leadbyte.dataset.scan("memory://texts")
    >>> found.file_count, found.invalid_count, found.char_count, found.newline_count
    (2, 1, 14, 3)
    >>> error, = found.errors
    >>> error.url, error.start, error.line, error.column
    ('memory://texts/b.txt', 7, 2, 4)
    """
    return run(
        urls,
        engine=engine,
        blocksize=blocksize,
        max_errors=max_errors,
        report=report,
        columns=columns,
        jsonl=is_json_lines(format),
    )


def check(
    urls: Source | Iterable[Source],
    *,
    engine: Engine = "threads",
    blocksize: int | str = "64 MiB",
    max_errors: int = 100,
    report: Url | None = None,
    columns: Iterable[str] | None = None,
    format: str | None = None,  # noqa: A002 - as in scan
) -> bool:
    """Return whether no file has errors; all are read, and the arguments are the same as for :func:`scan`.

    Raises OSError if a file could not be read and no other is invalid.

    >>> leadbyte.dataset.check([])
    True
    """
    found = scan(
        urls,
        engine=engine,
        blocksize=blocksize,
        max_errors=max_errors,
        report=report,
        columns=columns,
        format=format,
    )
    if found.failures and not found.invalid_count:
        first = found.failures[0]
        others = f", and {found.failed_count - 1} more" if found.failed_count > 1 else ""
        message = f"{first.url} could not be read: {first.message}{others}"
        raise OSError(message)
    return found.valid


def outside(files: Iterable[File], directory: str) -> Iterator[File]:
    """Yield the files that are not in a directory, which may be listed while it is written."""
    start = ""
    for file in files:
        start = start or directory_of(directory)
        if not file.url.startswith(start):
            yield file


def run(
    urls: Source | Iterable[Source],
    *,
    engine: Engine,
    blocksize: int | str,
    max_errors: int,
    report: Url | Report | None,
    columns: Iterable[str] | None,
    jsonl: bool = False,
    progress: Callable[[Task], None] | None = None,
) -> DatasetScan:
    """Scan as :func:`scan` does, and call ``progress`` with each task that an engine takes."""
    if max_errors < 0:
        message = f"max_errors must be 0 or more, not {max_errors}"
        raise ValueError(message)
    if jsonl and columns:
        message = "columns are of tables, not of JSON lines"
        raise ValueError(message)
    # Scanners count in 64 bits.
    max_errors = min(max_errors, sys.maxsize)
    do_tasks = find(engine)
    written = report if report is None or isinstance(report, Report) else Report(os.fspath(report))
    files = find_files(urls)
    if written:
        files = outside(files, written.url)
    counted = Counted(cut(files, parse_blocksize(blocksize)), progress)
    # An error in a single URL is found before a report or a cluster is touched.
    first = next(counted, None)
    if written:
        written.create()
    if first is None:
        return Partial((), max_errors).result(0)
    names = (columns,) if isinstance(columns, str) else tuple(columns or ())
    scan_task = ScanTask(max_errors, names, written, jsonl=jsonl)
    tasks = itertools.chain([first], counted)
    result: Partial = do_tasks(tasks, scan_task, Merge(written))
    return result.result(counted.count)
