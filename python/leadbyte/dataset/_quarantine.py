"""The rows of a dataset that have errors, in a directory of their own: one file for each that has any."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadbyte._files.quarantine import JsonQuarantine, ParquetQuarantine
from leadbyte._files.tables import arrow_errors
from leadbyte._files.writing import PRIVATE_MODE
from leadbyte.dataset import _manifest
from leadbyte.dataset._secrets import redacted
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


def check_format(name: str) -> None:
    """Raise ValueError for an unknown format of files."""
    if name not in WRITERS:
        message = f"quarantine_format must be one of {', '.join(WRITERS)}, not {name!r}"
        raise ValueError(message)


@dataclass(slots=True)
class QuarantineDirectory:
    """A directory on any filesystem, and the format of its files: "jsonl" or "parquet"."""

    store: Store
    format: str
    # Whether an earlier run may have left files there.
    resumed: bool = True

    @property
    def resolved(self) -> str:
        """The URL, however it was given."""
        return resolved(directory_of(self.store.url))

    def settings(self, outputs: Store) -> dict[str, str]:
        """Return what the directory belongs to, for JSON."""
        owner = redacted(resolved(directory_of(outputs.url)))
        return {"call": "quarantine", "outputs": owner, "format": self.format}

    def check(self, outputs: Store) -> bool:
        """Return whether the directory is of an earlier run with these outputs; False if it is new.

        Raises ValueError if it belongs to another call, or is within the directory of the outputs, or the
        other way round; FileExistsError if it has other files.
        """
        directories = [self.resolved, resolved(directory_of(outputs.url))]
        if directories[0].startswith(directories[1]) or directories[1].startswith(directories[0]):
            message = f"{self.store.shown()} has the outputs, too: the quarantine is a directory of its own"
            raise ValueError(message)
        found = _manifest.read_settings(self.store)
        if found is None:
            _manifest.check_new(self.store, "the quarantine is a new directory")
            if _manifest.read_settings(outputs) is not None:
                message = (
                    f"{self.store.shown()} has no rows of the earlier call any more: write to new directories"
                )
                raise ValueError(message)
            return False
        if found != self.settings(outputs):
            message = f"{self.store.shown()} belongs to another call ({found}): name a new directory"
            raise ValueError(message)
        return True

    @contextlib.contextmanager
    def owned_by(self, outputs: Store) -> Iterator[None]:
        """Create the directory, and keep other runs out of it; delete files that are not complete."""
        if self.format == "parquet":
            with arrow_errors():
                pass
        self.store.make_directory(_manifest.DIRECTORY)
        with _manifest.locked(self.store):
            self.resumed = self.check(outputs)
            if not self.resumed:
                _manifest.start(self.store, self.settings(outputs))
            self.remove_incomplete()
            try:
                yield
            finally:
                self.remove_incomplete()

    def remove_incomplete(self) -> None:
        """Delete the files of a run that was stopped."""
        names = self.store.names(_manifest.DIRECTORY)
        self.store.remove(sorted(_manifest.temporaries_of(names)))

    def name(self, task: OutputTask) -> str:
        """Return the name of the file for a task."""
        return f"{task.output}.{self.format}"

    def has(self, task: OutputTask) -> bool:
        """Return whether there is a file for a task."""
        return self.store.size(self.name(task)) is not None

    @contextlib.contextmanager
    def open(self, task: OutputTask) -> Iterator[QuarantineFile]:
        """Yield the file for a task; it appears at the end, complete, if rows were added."""
        name = self.name(task)
        with contextlib.ExitStack() as stack:
            file = QuarantineFile(self, task, stack)
            yield file
            if file.writer:
                file.writer.close()
        if file.writer:
            self.store.move(file.temporary, name)
        elif self.resumed:
            # There may be one of an older version of the file, which had errors.
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
            sink = self.stack.enter_context(self.directory.store.create(self.temporary, PRIVATE_MODE))
            self.writer = WRITERS[self.directory.format](sink.write)
            self.stack.push(self.abandon)
        self.writer.add(row)

    def abandon(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write nothing more after an exception."""
        if kind and self.writer:
            self.writer.abandon()
