"""The work on the files of a dataset that is written, file by file, and what it returns."""

from __future__ import annotations

import errno
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leadbyte.dataset import _manifest, _reading
from leadbyte.dataset._manifest import OutputRecord
from leadbyte.dataset._partial import MAX_FAILURES
from leadbyte.dataset._result import Failure, Record
from leadbyte.dataset._store import OutputError, mode_from
from leadbyte.dataset._urls import describe
from leadbyte.dataset._waiting import about

if TYPE_CHECKING:
    from typing import TypeVar

    from typing_extensions import Self

    from leadbyte.dataset._plan import OutputTask
    from leadbyte.dataset._store import Store
    from leadbyte.dataset._transforms import Transform

    _T = TypeVar("_T")

# The time that threads have to end after their current block, in seconds.
STOP_SECONDS = 5.0
# Errors after which no other output can be written.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@dataclass(frozen=True, slots=True)
class DatasetOutput(Record):
    """What :func:`repair` or :func:`convert` has written.

    ``file_count`` has all files, ``written_count`` those that this call has written and ``failed_count``
    those that failed; earlier calls wrote the others. ``skipped_count`` has the binary files, whose outputs
    are copies. The next counts are of all that did not fail: ``byte_count`` of the files, decompressed
    unless skipped, ``output_byte_count`` of the outputs as they are stored, and ``error_count`` of the errors
    that were repaired; ``invalid_row_count`` of the lines, or the rows of tables, that had errors, if they
    were dropped, or have a quarantine or a fallback. ``failures`` has the first 10,000 files that failed, and
    ``skipped`` the URLs of the first 10,000 binary files, in their order.
    """

    file_count: int
    written_count: int
    failed_count: int
    skipped_count: int
    byte_count: int
    output_byte_count: int
    error_count: int
    invalid_row_count: int
    failures: tuple[Failure, ...]
    skipped: tuple[str, ...]


class PartialOutput:
    """The sums of some outputs, and the first files that failed, by their numbers."""

    def __init__(self) -> None:
        self.written_count = self.failed_count = self.skipped_count = 0
        self.byte_count = self.output_byte_count = self.error_count = self.invalid_row_count = 0
        self.failures: dict[int, Failure] = {}
        self.skipped: dict[int, str] = {}

    @classmethod
    def of(cls, task: OutputTask, record: OutputRecord, *, written: bool) -> PartialOutput:
        """Return the counts of one output, which this call has written or an earlier one."""
        partial = cls()
        partial.written_count = int(written)
        partial.byte_count, partial.error_count = record.byte_count, record.error_count
        partial.output_byte_count = record.output_size
        partial.invalid_row_count = record.invalid_row_count
        if record.skipped:
            partial.skipped_count = 1
            partial.skipped[task.index] = record.url
        return partial

    @classmethod
    def failed(cls, task: OutputTask, message: str) -> Self:
        """Return the counts of a file that failed."""
        partial = cls()
        partial.failed_count = 1
        partial.failures[task.index] = Failure(task.file.shown, message)
        return partial

    def merge(self, other: PartialOutput) -> PartialOutput:
        """Add the counts of other outputs; return all."""
        self.written_count += other.written_count
        self.failed_count += other.failed_count
        self.skipped_count += other.skipped_count
        self.byte_count += other.byte_count
        self.output_byte_count += other.output_byte_count
        self.error_count += other.error_count
        self.invalid_row_count += other.invalid_row_count
        self.failures.update(other.failures)
        self.skipped.update(other.skipped)
        if len(self.failures) > 2 * MAX_FAILURES:
            self.failures = first(self.failures)
        if len(self.skipped) > 2 * MAX_FAILURES:
            self.skipped = first(self.skipped)
        return self

    def output(self, file_count: int) -> DatasetOutput:
        """Return the result of this number of files."""
        return DatasetOutput(
            file_count=file_count,
            written_count=self.written_count,
            failed_count=self.failed_count,
            skipped_count=self.skipped_count,
            byte_count=self.byte_count,
            output_byte_count=self.output_byte_count,
            error_count=self.error_count,
            invalid_row_count=self.invalid_row_count,
            failures=tuple(first(self.failures).values()),
            skipped=tuple(first(self.skipped).values()),
        )


def first(files: dict[int, _T]) -> dict[int, _T]:
    """Return the files that are kept, by their numbers."""
    return dict(sorted(files.items())[:MAX_FAILURES])


class StoppedError(Exception):
    """The run has ended, and an output that is not complete is not wanted any more."""


class Job:
    """Writes the outputs of tasks: on threads, or by copies in other processes."""

    def __init__(self, store: Store, transform: Transform) -> None:
        self.store = store
        self.transform = transform
        self.stopped = False
        # The number of tasks that are being done.
        self.active = 0
        self.idle = threading.Condition()

    def __reduce__(self) -> tuple[type[Job], tuple[Store, Transform]]:
        """Return what a copy in another process is made of."""
        return Job, (self.store, self.transform)

    def __call__(self, task: OutputTask) -> PartialOutput:
        """Write the output of a task unless it is there; return its counts, or why it failed.

        Raises OutputError if nothing can be written any more.
        """
        with self.idle:
            self.active += 1
        try:
            return self.partial(task)
        finally:
            with self.idle:
                self.active -= 1
                self.idle.notify_all()

    def partial(self, task: OutputTask) -> PartialOutput:
        """Return the counts of the output of a task, or why it failed."""
        if task.file.failed is not None:
            return self.failed(task, task.file.failed)
        try:
            with about(task.file.url):
                return self.attempt(task)
        except OutputError as error:
            if error.errno in FULL:
                raise
            return self.failed(task, describe(error))
        except StoppedError:
            raise
        except Exception as error:
            # Filesystems raise what the libraries below them do. Nothing of it may hide the other files.
            return self.failed(task, describe(error))

    def attempt(self, task: OutputTask) -> PartialOutput:
        """Write the output of a task unless it is there; return its counts, or raise why it failed."""
        if task.file.version is None and not task.file.constant:
            # HTTP lists files without versions: what follows is about the version that there is now.
            whole = replace(task.pieces[0], file=_reading.identified(task.file))
            task = replace(task, pieces=(whole,))
        if task.record and self.is_current(task.record, task):
            return PartialOutput.of(task, task.record, written=False)
        record = _manifest.find_committed(self.store, task.output)
        if not (record and self.is_current(record, task)):
            record = self.write(task)
        return PartialOutput.of(task, record, written=True)

    def failed(self, task: OutputTask, message: str) -> PartialOutput:
        """Return the counts of a file that failed."""
        return PartialOutput.failed(task, message)

    def is_current(self, record: OutputRecord, task: OutputTask) -> bool:
        """Return whether all that is written is there, and was made from this version of the file."""
        return (
            record.is_of(task.file)
            and self.store.size(task.output) == record.output_size
            and self.transform.has_all(task, record)
        )

    def write(self, task: OutputTask) -> OutputRecord:
        """Write the output of a task; return its record."""
        file = task.file
        self.check()
        temporary = _manifest.temporary_name(task.output)
        with self.store.create(temporary, mode_from(file.url)) as sink:
            counts = self.transform(task, sink, self.check)
        record = OutputRecord(
            url=file.shown,
            size=file.size,
            version=file.version,
            output=task.output,
            output_size=sink.size,
            temporary=temporary,
            byte_count=counts.byte_count,
            error_count=counts.error_count,
            skipped=counts.skipped,
            invalid_row_count=counts.invalid_row_count,
        )
        _manifest.commit(self.store, record, replaces=task.record is not None)
        return record

    def check(self) -> None:
        """Raise StoppedError if the output is not wanted any more."""
        if self.stopped:
            raise StoppedError

    def stop(self) -> None:
        """Let threads end after their current blocks, and wait for that."""
        self.stopped = True
        with self.idle:
            self.idle.wait_for(lambda: not self.active, STOP_SECONDS)
