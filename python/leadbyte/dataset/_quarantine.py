"""The rows of a dataset that have errors, in a directory of their own: one file for each that has any."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadbyte._files.quarantine import JsonQuarantine, ParquetQuarantine
from leadbyte.dataset import _manifest
from leadbyte.dataset._urls import directory_of, resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leadbyte._files.quarantine import InvalidRow, Quarantine
    from leadbyte._files.writing import _Write
    from leadbyte.dataset._plan import OutputTask
    from leadbyte.dataset._store import Store

WRITERS: dict[str, Callable[[_Write], Quarantine]] = {
    "jsonl": JsonQuarantine,
    "parquet": ParquetQuarantine,
}


@dataclass(frozen=True, slots=True)
class QuarantineDirectory:
    """A directory on any filesystem, and the format of its files: "jsonl" or "parquet"."""

    store: Store
    format: str

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown format."""
        if self.format not in WRITERS:
            message = f"quarantine_format must be one of {', '.join(WRITERS)}, not {self.format!r}"
            raise ValueError(message)

    def check_beside(self, outputs: Store) -> None:
        """Raise ValueError if the directory is within the one of the outputs, or the other way round."""
        directories = [resolved(directory_of(store.url)) for store in (self.store, outputs)]
        if directories[0].startswith(directories[1]) or directories[1].startswith(directories[0]):
            message = f"{self.store.shown()} has the outputs, too: the quarantine is a directory of its own"
            raise ValueError(message)

    def prepare(self) -> None:
        """Create the directory, and delete files that an earlier run has left incomplete."""
        self.store.make_directory(_manifest.DIRECTORY)
        names = self.store.names(_manifest.DIRECTORY)
        self.store.remove(sorted(_manifest.temporaries_of(names)))

    @contextlib.contextmanager
    def open(self, task: OutputTask) -> Iterator[QuarantineFile]:
        """Yield the file for a task; it appears at the end, complete, if rows were added."""
        name = f"{task.output}.{self.format}"
        with contextlib.ExitStack() as stack:
            file = QuarantineFile(self, task, stack)
            yield file
            if file.writer:
                file.writer.close()
        if file.writer:
            self.store.move(file.temporary, name)
        elif task.record:
            # Of an older version of the file, which had errors.
            self.store.remove([name])


class QuarantineFile:
    """A file that is created when it gets its first row."""

    def __init__(self, directory: QuarantineDirectory, task: OutputTask, stack: contextlib.ExitStack) -> None:
        self.directory = directory
        self.stack = stack
        self.temporary = _manifest.temporary_name(task.output)
        self.writer: Quarantine | None = None

    def add(self, row: InvalidRow) -> None:
        """Write a row."""
        if not self.writer:
            sink = self.stack.enter_context(self.directory.store.create(self.temporary))
            self.writer = WRITERS[self.directory.format](sink.write)
            self.stack.push(self.abandon)
        self.writer.add(row)

    def abandon(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write nothing more after an exception."""
        if kind and self.writer:
            self.writer.abandon()
