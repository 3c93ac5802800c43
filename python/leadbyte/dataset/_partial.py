"""The result of a part of a scan, and the merge of two.

Tasks are consecutive pieces of a list of files. The result of neighbouring tasks is the totals of the files
that are complete in them, and the states of at most two that are not: the file that continues at the left
end, and the one at the right end. So the size of a result does not depend on the size of the data. Results
merge in any order, and data that was scanned twice counts once.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leadbyte import Scanner
from leadbyte._files.errors import Error
from leadbyte.dataset._result import Counts, DatasetError, DatasetScan, Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from leadbyte import Scan
    from leadbyte._leadbyte import _JsonFinding
    from leadbyte.dataset._tasks import File, Piece

    _Anything: TypeAlias = Any
    # The states of neighbouring pieces of a file.
    State: TypeAlias = "TextState | TableState | JsonLinesState"
    # Is called with each file when it is complete.
    Completed: TypeAlias = Callable[["FileResult"], None]

# The number of failures that are kept; a report has all.
MAX_FAILURES = 10_000

NO_COUNTS = Counts()


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result for a file."""

    file: File
    counts: Counts = NO_COUNTS
    bom: bool = False
    # The first errors.
    errors: tuple[DatasetError, ...] = ()
    # Why it could not be read.
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class TextState:
    """The state of neighbouring pieces of a text."""

    scanner: Scanner

    def join(self, following: TextState, limit: int) -> TextState:
        """Return the state merged with the state of the pieces that follow; both are unchanged."""
        return TextState(merged(self.scanner, following.scanner, limit))

    def result(self, file: File) -> FileResult:
        """Return the result of the file, if these are all of its pieces."""
        scan = self.scanner.finish()
        url = file.shown
        errors = tuple(
            dataset_error(url, error, line=error.line, column=error.column)
            for error in itertools.starmap(Error, self.scanner._errors())
        )
        return FileResult(file, counts_of(scan), bom=scan.bom, errors=errors)


def dataset_error(url: str, error: Error, **place: _Anything) -> DatasetError:
    """Return an error in a file, with the fields of its place."""
    span = error.span
    return DatasetError(
        url, span.start, span.end, span.kind, span.reason, span.data, error.before, error.after, **place
    )


def merged(scanner: Scanner, following: Scanner, limit: int) -> Scanner:
    """Return what two scanners have scanned, one after the other, with their first errors."""
    both = Scanner._keeping(limit)
    both.merge(scanner)
    both.merge(following)
    return both


def counts_of(scan: Scan) -> Counts:
    """Return the counts of a text."""
    return Counts(
        byte_count=scan.byte_count,
        char_count=scan.char_count,
        utf16_count=scan.utf16_count,
        newline_count=scan.newline_count,
        error_count=scan.error_count,
        ascii=scan.ascii,
        max_char_width=scan.max_char_width,
    )


@dataclass(frozen=True, slots=True)
class JsonLinesState:
    """The state of neighbouring pieces of JSON lines: their bytes, and errors in records that start there."""

    scanner: Scanner
    newline_count: int
    # The first findings, with lines that count from the start of the first piece.
    findings: tuple[_JsonFinding, ...]
    finding_count: int
    invalid_record_count: int

    def join(self, following: JsonLinesState, limit: int) -> JsonLinesState:
        """Return the state merged with the state of the pieces that follow; both are unchanged."""
        moved = (
            (kind, start, end, line + self.newline_count, *rest)
            for kind, start, end, line, *rest in following.findings
        )
        return JsonLinesState(
            merged(self.scanner, following.scanner, limit),
            self.newline_count + following.newline_count,
            (*self.findings, *moved)[:limit],  # type: ignore[arg-type]
            self.finding_count + following.finding_count,
            self.invalid_record_count + following.invalid_record_count,
        )

    def result(self, file: File) -> FileResult:
        """Return the result of the file, if these are all of its pieces."""
        from leadbyte._files.json_lines import json_errors

        scan = self.scanner.finish()
        url = file.shown
        errors = tuple(
            dataset_error(
                url,
                error,
                line=error.line,
                column=error.column,
                pointer=error.pointer,
                in_key=error.in_key,
            )
            for error in json_errors(self.findings, self.scanner)
        )
        counts = replace(
            counts_of(scan),
            error_count=self.finding_count,
            invalid_record_count=self.invalid_record_count,
        )
        return FileResult(file, counts, bom=scan.bom, errors=errors)


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of the row groups in neighbouring pieces of a file."""

    counts: Counts
    # The first errors, by row.
    errors: tuple[DatasetError, ...]

    def join(self, following: TableState, limit: int) -> TableState:
        """Return the state merged with the state of the pieces that follow; both are unchanged."""
        # Row groups may be stored in another order than they are numbered.
        errors = sorted(self.errors + following.errors, key=lambda error: error.row or 0)
        return TableState(self.counts + following.counts, tuple(errors[: max(limit, 1)]))

    def result(self, file: File) -> FileResult:
        """Return the result of the file, if these are all of its pieces."""
        return FileResult(file, self.counts, errors=self.errors)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring pieces of a file: their state, or the message why one could not be read."""

    file: File
    is_first: bool
    is_last: bool
    found: State | str

    def join(self, following: Run, limit: int) -> Run:
        """Return the run with the pieces that follow."""
        found = self.found
        if not isinstance(found, str):
            next_found = following.found
            # Both are of one class, as pieces of one file are.
            found = next_found if isinstance(next_found, str) else found.join(next_found, limit)  # type: ignore[arg-type]
        return Run(self.file, self.is_first, following.is_last, found)

    def result(self) -> FileResult:
        """Return the result of the file, if these are all of its pieces."""
        if isinstance(self.found, str):
            return FileResult(self.file, failed=self.found)
        return self.found.result(self.file)


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of complete files, with the first errors and failures."""

    file_count: int = 0
    invalid_count: int = 0
    failed_count: int = 0
    counts: Counts = NO_COUNTS
    errors: tuple[DatasetError, ...] = ()
    failures: tuple[Failure, ...] = ()

    @classmethod
    def of(cls, result: FileResult) -> Totals:
        """Return the totals of one file."""
        if result.failed is not None:
            return cls(1, failed_count=1, failures=(Failure(result.file.shown, result.failed),))
        return cls(1, int(result.counts.error_count > 0), 0, result.counts, result.errors)

    def add(self, following: Totals, limit: int) -> Totals:
        """Return the totals with the totals of the files that follow, and at most ``limit`` errors."""
        return Totals(
            self.file_count + following.file_count,
            self.invalid_count + following.invalid_count,
            self.failed_count + following.failed_count,
            self.counts + following.counts,
            (self.errors + following.errors)[:limit],
            (self.failures + following.failures)[:MAX_FAILURES],
        )


@dataclass(frozen=True, slots=True)
class Segment:
    """The results of the tasks from ``start`` to before ``stop``."""

    start: int
    stop: int
    # The file that starts before the first task; the totals of complete files; the file that starts here and
    # ends after the last task. A file that is larger than the whole segment is the one at the left.
    left: Run | None = None
    totals: Totals = Totals()
    right: Run | None = None

    @property
    def unfinished(self) -> Run | None:
        """The file that continues after the last task."""
        return self.right or (self.left if self.left and not self.left.is_last else None)

    def join(self, following: Segment, limit: int, completed: Completed) -> Segment:
        """Return the segment with the one that follows, with at most ``limit`` errors."""
        run = self.unfinished
        if run is None or following.left is None or run.file.index != following.left.file.index:
            if run or following.left:
                message = f"tasks {self.start} to {following.stop - 1} are not consecutive pieces of files"
                raise ValueError(message)
            totals = self.totals.add(following.totals, limit)
            return Segment(self.start, following.stop, self.left, totals, following.right)
        run = run.join(following.left, limit)
        left, totals, right = self.left, self.totals, following.right
        if not run.is_first:
            left = run
        elif run.is_last:
            result = run.result()
            completed(result)
            totals = totals.add(Totals.of(result), limit)
        else:
            right = run
        return Segment(self.start, following.stop, left, totals.add(following.totals, limit), right)

    @classmethod
    def of(cls, index: int, piece: Piece, found: State | str, limit: int, completed: Completed) -> Segment:
        """Return the segment of one piece of a task."""
        run = Run(piece.file, piece.is_first, piece.is_last, found)
        if not run.is_first:
            return cls(index, index + 1, left=run)
        if not run.is_last:
            return cls(index, index + 1, right=run)
        result = run.result()
        completed(result)
        return cls(index, index + 1, totals=Totals().add(Totals.of(result), limit))


@dataclass(frozen=True, slots=True)
class Partial:
    """The result of some tasks: disjoint segments in order, each with the first ``limit`` errors."""

    segments: tuple[Segment, ...]
    limit: int

    def merge(self, other: Partial, completed: Completed) -> Partial:
        """Return the result of the tasks of both, and call ``completed`` with each file that is complete now.

        Raises ValueError if they share some tasks of a segment, but not all: such results cannot be merged.
        """
        segments: list[Segment] = []
        for segment in sorted(self.segments + other.segments, key=lambda item: (item.start, -item.stop)):
            last = segments[-1] if segments else None
            if last is None or last.stop < segment.start:
                segments.append(segment)
            elif last.stop == segment.start:
                segments[-1] = last.join(segment, self.limit, completed)
            elif segment.stop > last.stop:
                message = f"results of tasks up to {last.stop - 1} and from {segment.start} on overlap"
                raise ValueError(message)
        return Partial(tuple(segments), self.limit)

    def result(self, task_count: int) -> DatasetScan:
        """Return the result of all tasks; raise RuntimeError if the result of one is missing."""
        missing, stop = [], 0
        for segment in (*self.segments, Segment(task_count, task_count)):
            if segment.start > stop:
                missing.append(f"{stop} to {segment.start - 1}")
            stop = segment.stop
        if missing:
            message = f"the engine returned no results of tasks {', '.join(missing)} of {task_count}"
            raise RuntimeError(message)
        if self.segments and self.segments[0].stop != task_count:
            message = (
                f"the engine returned results of {self.segments[0].stop} tasks, but {task_count} were given"
            )
            raise RuntimeError(message)
        totals = self.segments[0].totals if self.segments else Totals()
        counts = totals.counts
        return DatasetScan(
            file_count=totals.file_count,
            invalid_count=totals.invalid_count,
            failed_count=totals.failed_count,
            byte_count=counts.byte_count,
            char_count=counts.char_count,
            utf16_count=counts.utf16_count,
            newline_count=counts.newline_count,
            row_count=counts.row_count,
            error_count=counts.error_count,
            invalid_record_count=counts.invalid_record_count,
            ascii=counts.ascii,
            max_char_width=counts.max_char_width,
            errors=totals.errors,
            failures=totals.failures,
        )
