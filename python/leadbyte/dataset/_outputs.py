"""Repair and conversion of the files of a dataset: one output a file, complete or not at all."""

from __future__ import annotations

import errno
import threading
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from leadbyte._engines import LOCAL
from leadbyte.dataset import _manifest
from leadbyte.dataset._manifest import OutputRecord
from leadbyte.dataset._partial import MAX_FAILURES
from leadbyte.dataset._plan import Plan
from leadbyte.dataset._quarantine import QuarantineDirectory, check_format
from leadbyte.dataset._result import Failure, Record
from leadbyte.dataset._secrets import redacted
from leadbyte.dataset._store import OutputError, Store
from leadbyte.dataset._transforms import Convert, Repair
from leadbyte.dataset._urls import describe
from leadbyte.dataset._waiting import about
from leadbyte.dataset.engines import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias, TypeVar

    from leadbyte.dataset._plan import OutputTask
    from leadbyte.dataset._transforms import Transform
    from leadbyte.dataset._urls import Url
    from leadbyte.transcode import _BomPolicy

    Engine: TypeAlias = Literal["threads", "processes"]
    _T = TypeVar("_T")

# The number of files after which their records are joined.
JOINED_FILES = 10_000
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


def repair(
    urls: Url | Iterable[Url],
    output: Url,
    *,
    engine: Engine = "threads",
    replacement: str = "\ufffd",
    binary: bool = False,
    rows: Literal["repair", "drop"] = "repair",
    quarantine: Url | None = None,
    quarantine_format: Literal["jsonl", "parquet"] = "jsonl",
) -> DatasetOutput:
    r"""Write all files of URLs with bytes that are not UTF-8 replaced, as :func:`leadbyte.repair` does it.

    ``urls`` are the same as for :func:`scan`. Each file becomes one below the directory ``output``, which is
    new or the directory of an earlier call, and keeps its path below the directory or the glob that it was
    found by. Valid files are copied as they are. Compressed files are written with the same compression. Of
    Parquet files the columns of strings are repaired. Binary files, with a NUL in their first 8 KiB, are
    copied and reported as skipped; with ``binary`` they are repaired as text.

    With the rows "drop", lines of texts, which end with line feeds, and rows of tables are left out if they
    have errors. ``quarantine`` is another directory, where such rows are written as they were: the rows of
    ``a/b.txt`` to ``a/b.txt.jsonl``, as lines of JSON with the data in Base64, or to Parquet files. A record
    has the file, the line or the row group, the row and the column, the offset in bytes of the first error
    (in the text, or in the value of the table), its kind, and the number of errors. A file with a line of
    more than 64 MiB fails then.

    An output appears when it is complete. A call that was stopped, whatever stopped it, is continued by the
    same call: outputs that are there are not written again, unless their files have changed. ``engine`` is
    "threads" or "processes".

    A file that cannot be read or written, or that changes meanwhile, is in ``failures`` of the result, and
    has no output. Raises ValueError if two files have the same output or if ``output`` belongs to another
    call, FileExistsError if it has other files, RuntimeError if another process is writing there, and OSError
    if nothing can be written.

    >>> import fsspec
    >>> files = fsspec.filesystem("memory")
    >>> files.pipe({"/texts/a.txt": b"caf\xc3\xa9\n", "/texts/b.txt": b"caf\xe9\n"})
    >>> done = leadbyte.dataset.repair("memory://texts", "memory://repaired")
    >>> done.file_count, done.error_count, files.cat("/repaired/b.txt")
    (2, 1, b'caf\xef\xbf\xbd\n')
    >>> leadbyte.dataset.repair("memory://texts", "memory://repaired").written_count
    0
    """
    check_format(quarantine_format)
    kept = None if quarantine is None else QuarantineDirectory(Store(quarantine), quarantine_format)
    return run(urls, output, Repair(replacement, binary, rows, kept), engine, kept)


def convert(
    urls: Url | Iterable[Url],
    output: Url,
    source: str | int,
    target: str | int = "utf-8",
    *,
    engine: Engine = "threads",
    errors: str = "strict",
    bom: _BomPolicy = None,
    min_confidence: float = 0.9,
    force: bool = False,
    binary: bool = False,
    fallback: str | int | None = None,
) -> DatasetOutput:
    r"""Write all text files of URLs in another encoding, as :func:`leadbyte.transcode.transcode` converts.

    ``urls``, ``output`` and ``engine`` are the same as for :func:`repair`, and so are the guarantees.
    ``source``, ``target``, ``errors`` and ``bom`` are the same as for ``transcode``. With the source "detect"
    or "auto" the encoding of each file is detected; a file fails if the confidence is below
    ``min_confidence``. Without ``force`` a file fails, too, that is UTF-8 already, or in the target encoding
    by its byte order mark. Binary files, with a NUL in the text of their first 8 KiB or in an encoding that
    is not detected, are copied and reported as skipped, unless ``binary`` is given.

    A file with text that cannot be converted fails; the message has the line, the column and the offset in
    bytes. Raises what :func:`repair` does, and LookupError for an unknown encoding or error handler.

    >>> import fsspec
    >>> files = fsspec.filesystem("memory")
    >>> files.pipe("/old/a.txt", b"caf\xe9\n")
    >>> done = leadbyte.dataset.convert("memory://old", "memory://new", "cp1252")
    >>> done.written_count, files.cat("/new/a.txt")
    (1, b'caf\xc3\xa9\n')
    >>> done = leadbyte.dataset.convert("memory://old", "memory://ascii", "cp1252", "ascii")
    >>> done.failures[0].message
    'line 1, column 4, byte 3: not in ascii: "é" U+00E9 LATIN SMALL LETTER E WITH ACUTE'
    """
    return run(
        urls, output, Convert(source, target, errors, bom, min_confidence, force, binary, fallback), engine
    )


class Partial:
    """The sums of some outputs, and the first files that failed, by their numbers."""

    def __init__(self) -> None:
        self.written_count = self.failed_count = self.skipped_count = 0
        self.byte_count = self.output_byte_count = self.error_count = self.invalid_row_count = 0
        self.failures: dict[int, Failure] = {}
        self.skipped: dict[int, str] = {}

    @classmethod
    def of(cls, task: OutputTask, record: OutputRecord, *, written: bool) -> Partial:
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
    def failed(cls, task: OutputTask, message: str) -> Partial:
        """Return the counts of a file that failed."""
        partial = cls()
        partial.failed_count = 1
        partial.failures[task.index] = Failure(redacted(task.file.url), message)
        return partial

    def merge(self, other: Partial) -> Partial:
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

    def __call__(self, task: OutputTask) -> Partial:
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

    def partial(self, task: OutputTask) -> Partial:
        """Return the counts of the output of a task, or why it failed."""
        if task.file.failed is not None:
            return Partial.failed(task, task.file.failed)
        with about(task.file.url):
            return self.partial_of_known(task)

    def partial_of_known(self, task: OutputTask) -> Partial:
        """Return what `partial` does, of a file that was listed."""
        try:
            if task.record and self.is_current(task.record, task):
                return Partial.of(task, task.record, written=False)
            record = _manifest.find_committed(self.store, task.output)
            if not (record and self.is_current(record, task)):
                record = self.write(task)
            return Partial.of(task, record, written=True)
        except OutputError as error:
            if error.errno in FULL:
                raise
            return Partial.failed(task, describe(error))
        except StoppedError:
            raise
        except Exception as error:
            # Filesystems raise what the libraries below them do. Nothing of it may hide the other files.
            return Partial.failed(task, describe(error))

    def is_current(self, record: OutputRecord, task: OutputTask) -> bool:
        """Return whether an output is there, and was made from this version of the file."""
        return record.is_of(task.file) and self.store.size(task.output) == record.output_size

    def write(self, task: OutputTask) -> OutputRecord:
        """Write the output of a task; return its record."""
        file = task.file
        self.check()
        temporary = _manifest.temporary_name(task.output)
        with self.store.create(temporary) as sink:
            counts = self.transform(task, sink, self.check)
        record = OutputRecord(
            url=redacted(file.url),
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
        _manifest.commit(self.store, record)
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


def run(
    urls: Url | Iterable[Url],
    output: Url,
    transform: Transform,
    engine: Engine,
    quarantine: QuarantineDirectory | None = None,
) -> DatasetOutput:
    """Write the outputs of all files that are not yet there."""
    if engine not in LOCAL:
        message = f"engine must be one of {', '.join(LOCAL)}, not {engine!r}"
        raise ValueError(message)
    store = Store(output)
    check_directory(store, transform)
    if quarantine:
        quarantine.check(store)
    with closing(Plan()) as plan:
        plan.add_files(urls, store, quarantine.store if quarantine else None)
        store.make_directory(_manifest.DIRECTORY)
        with _manifest.locked(store), ExitStack() as stack:
            if quarantine:
                stack.enter_context(quarantine.owned_by(store))
            if not check_directory(store, transform):
                _manifest.start(store, transform.settings)
            _manifest.recover(store)
            plan.add_records(_manifest.read_joined(store), store)
            total = write_all(plan, Job(store, transform), engine)
    return DatasetOutput(
        file_count=plan.file_count,
        written_count=total.written_count,
        failed_count=total.failed_count,
        skipped_count=total.skipped_count,
        byte_count=total.byte_count,
        output_byte_count=total.output_byte_count,
        error_count=total.error_count,
        invalid_row_count=total.invalid_row_count,
        failures=tuple(first(total.failures).values()),
        skipped=tuple(first(total.skipped).values()),
    )


def check_directory(store: Store, transform: Transform) -> bool:
    """Return whether earlier calls have written to the directory.

    Raises FileExistsError if something else has, ValueError if they did something else with the files.
    """
    settings = _manifest.read_settings(store)
    if settings is None:
        if any(name != _manifest.DIRECTORY for name in store.names()):
            message = f"{store.shown('')} is not empty: outputs are written to a new directory"
            raise FileExistsError(message)
        return False
    if settings != transform.settings:
        message = f"{store.shown('')} has the outputs of another call ({settings}): write to a new directory"
        raise ValueError(message)
    return True


def write_all(plan: Plan, job: Job, engine: Engine) -> Partial:
    """Write the outputs of a plan by an engine, and leave no temporary file, whatever happens."""

    def tasks() -> Iterator[OutputTask]:
        for task in plan.tasks():
            if task.index and not task.index % JOINED_FILES:
                _manifest.join(job.store)
            yield task

    if not plan.file_count:
        return Partial()
    try:
        total: Partial = find(engine)(tasks(), job, Partial.merge)
    except BaseException:
        job.stop()
        # The next call recovers the rest, for example after a full disk.
        with suppress(OSError):
            _manifest.recover(job.store)
        raise
    _manifest.recover(job.store)
    return total
