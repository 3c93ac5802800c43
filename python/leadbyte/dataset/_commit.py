"""Repair of a table of a lake in its place: files with errors are replaced in one commit of its format."""

from __future__ import annotations

import dataclasses
import json
import posixpath
import time
import urllib.parse
import uuid
from contextlib import ExitStack
from datetime import date, datetime
from typing import TYPE_CHECKING

from leadbyte._files import lake
from leadbyte._formats import PARQUET
from leadbyte.dataset._jobs import Job, PartialOutput
from leadbyte.dataset._plan import OutputTask
from leadbyte.dataset._secrets import shown
from leadbyte.dataset._store import Store, mode_from
from leadbyte.dataset._tasks import File, Piece
from leadbyte.dataset._urls import is_source, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from typing_extensions import Buffer

    from leadbyte.dataset._jobs import DatasetOutput
    from leadbyte.dataset._quarantine import QuarantineDirectory
    from leadbyte.dataset._store import Sink
    from leadbyte.dataset._transforms import Repair
    from leadbyte.dataset._urls import Source

    _Anything: TypeAlias = Any

# Where repaired files are, of old ones that are not below the directory of the table.
OTHER_DIRECTORY = "data"


def commit_repairs(
    source: Source | Iterable[Source],
    transform: Repair,
    engine: Callable[..., Any],
    quarantine: QuarantineDirectory | None,
) -> DatasetOutput:
    """Replace the files of a table that have errors by repaired ones.

    Raises ValueError for anything but a table that can be changed, OSError if a file cannot be repaired; the
    table is left as it was, then, and if another commit has changed the same files meanwhile.
    """
    if not is_source(source):
        message = "with commit=True one table is repaired at a time"
        raise ValueError(message)
    table, url = open_table(source)
    is_delta = lake.format_of_table(table) == lake.DELTA
    if not is_delta and type(table).__name__ == "StaticTable":
        raise ValueError(lake.NOT_BY_DIRECTORY)
    files = lake.data_files(table, url)
    for file in files:
        if file.failed:
            message = f"{shown(file.url)}: {file.failed}"
            raise OSError(message)
    store = Store(url)
    tasks = [task(index, file, url) for index, file in enumerate(files)]
    job = CommitJob(store, dataclasses.replace(transform, copies=False))
    with ExitStack() as stack:
        if quarantine:
            quarantine.check(store)
            stack.enter_context(quarantine.owned_by(store))
        for directory in {posixpath.dirname(task.output) for task in tasks}:
            store.make_directory(directory)
        try:
            total: Rewritten = engine(iter(tasks), job, Rewritten.merge) if tasks else Rewritten()
            if total.failures:
                failure = min(total.failures.items())[1]
                message = f"{failure.url}: {failure.message}"
                raise OSError(message)  # noqa: TRY301 - the new files are deleted as after other exceptions
        except BaseException:
            job.stop()
            store.remove([task.output for task in tasks])
            raise
        if total.sizes:
            new_files = {files[index].url: tasks[index].output for index in total.sizes}
            # Whatever is raised here, the commit may have been made: the new files are not deleted any more.
            with lake.package_errors(lake.DELTA if is_delta else lake.ICEBERG):
                (commit_delta if is_delta else commit_iceberg)(table, new_files, store)
    return total.output(len(files))


def task(index: int, file: lake.DataFile, url: str) -> OutputTask:
    """Return the task to repair a file of the table at a URL; its output has a new name, below that URL.

    A file elsewhere, as a Delta table may share one with another table and Iceberg's may be anywhere, is not
    changed itself, either.
    """
    is_below = file.url.startswith(f"{url}/")
    directory = posixpath.dirname(file.url[len(url) + 1 :]) if is_below else OTHER_DIRECTORY
    output = posixpath.join(directory, f"repaired-{uuid.uuid4()}.parquet")
    piece = Piece(File(file.url, index, file.size, None, PARQUET), 0, None)
    return OutputTask(index, (piece,), output, None)


class Rewritten(PartialOutput):
    """The sums of some files, and the sizes of the new ones by the numbers of the old ones."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}

    def merge(self, other: PartialOutput) -> Rewritten:
        """Add the counts of other files; return all."""
        super().merge(other)
        assert isinstance(other, Rewritten)
        self.sizes.update(other.sizes)
        return self


class CommitJob(Job):
    """Writes a new file for each one that has errors."""

    def __reduce__(self) -> tuple[type[Job], tuple[Store, Any]]:
        """Return what a copy in another process is made of."""
        return CommitJob, (self.store, self.transform)

    def attempt(self, task: OutputTask) -> PartialOutput:
        """Repair a file; return its counts."""
        self.check()
        with NewFile(self.store, task.output, mode_from(task.file.url)) as new:
            counts = self.transform(task, new, self.check)
        done = Rewritten()
        done.byte_count, done.error_count = counts.byte_count, counts.error_count
        done.invalid_row_count = counts.invalid_row_count
        done.output_byte_count = new.size or task.byte_count
        if new.size:
            done.written_count = 1
            done.sizes[task.index] = new.size
        return done

    def failed(self, task: OutputTask, message: str) -> PartialOutput:
        """Return the counts of a file that failed."""
        return Rewritten.failed(task, message)


class NewFile(ExitStack):
    """A file that is created when something is written; after an exception it is gone."""

    def __init__(self, store: Store, name: str, mode: int) -> None:
        super().__init__()
        self.store = store
        self.name = name
        self.mode = mode
        self.sink: Sink | None = None

    @property
    def size(self) -> int:
        """The number of bytes written."""
        return self.sink.size if self.sink else 0

    def write(self, data: Buffer, /) -> int:
        """Write bytes; raise OutputError if that fails."""
        self.sink = self.sink or self.enter_context(self.store.create(self.name, self.mode))
        return self.sink.write(data)

    def flush(self) -> None:
        """Leave flushing to the store."""

    def __exit__(self, *details: _Anything) -> _Anything:
        """Complete the file: before a log names it, the disk has it."""
        is_handled = super().__exit__(*details)
        if self.sink and details[0] is None:
            self.store.sync_entry(self.name)
        return is_handled


def new_metadata(store: Store, name: str) -> tuple[_Anything, int]:
    """Return the metadata of a new Parquet file, and its size."""
    from pyarrow.parquet import read_metadata

    path = store.path(name)
    with store.fs.open(path, "rb") as file:
        return read_metadata(file), store.size(name) or 0


def commit_delta(table: _Anything, new_files: dict[str, str], store: Store) -> None:
    """Replace files of a Delta table, by their URLs, in one transaction."""
    from deltalake.transaction import AddAction, RemoveAction

    actions: list[_Anything] = []
    now = int(time.time() * 1000)
    by_url = {lake.delta_url(action, store.url): action for action in lake.add_actions(table)}
    for url, name in new_files.items():
        old = by_url[url]
        metadata, size = new_metadata(store, name)
        values = {key: partition_value(value) for key, value in (old.get("partition") or {}).items()}
        stats = json.dumps({"numRecords": metadata.num_rows})
        actions.append(AddAction(name, size, values, now, True, stats))  # noqa: FBT003
        actions.append(RemoveAction(urllib.parse.unquote(old["path"]), True, now, old["size_bytes"], values))  # noqa: FBT003
    columns = table.metadata().partition_columns
    table.create_write_transaction(actions, "append", table.schema(), partition_by=columns)


def partition_value(value: object) -> str | None:
    """Return the value of a partition as the log of a Delta table has it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def commit_iceberg(table: _Anything, new_files: dict[str, str], store: Store) -> None:
    """Replace files of an Iceberg table, by their URLs, in one snapshot."""
    from pyiceberg.io.pyarrow import (
        compute_statistics_plan,
        data_file_statistics_from_parquet_metadata,
        parquet_path_to_id_mapping,
    )
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat

    old_files = {lake.plain_path(found.file.file_path): found.file for found in table.scan().plan_files()}
    plan = compute_statistics_plan(table.schema(), table.properties)
    mapping = parquet_path_to_id_mapping(table.schema())
    with table.transaction() as transaction, transaction.update_snapshot().overwrite() as update:
        for url, name in new_files.items():
            old = old_files[url]
            metadata, size = new_metadata(store, name)
            statistics = data_file_statistics_from_parquet_metadata(metadata, plan, mapping)
            update.delete_data_file(old)
            update.append_data_file(
                DataFile.from_args(
                    content=DataFileContent.DATA,
                    file_path=posixpath.join(table.location(), name),
                    file_format=FileFormat.PARQUET,
                    partition=old.partition,
                    file_size_in_bytes=size,
                    sort_order_id=None,
                    spec_id=old.spec_id,
                    equality_ids=None,
                    key_metadata=None,
                    **statistics.to_serialized_dict(),
                )
            )
