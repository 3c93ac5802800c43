"""The record of files written to a directory, by which a run that was stopped is continued.

Everything is in the directory ``_leadbyte`` of the outputs:

- ``settings.json``: the operation on all files. A call with another operation is refused.
- ``*.tmp``: an output while it is written. It is complete if a record names it.
- ``*.json``: the record of one output, written when the temporary file is complete and durable, and before it
  is moved. The record without its temporary file thus means that the output has been moved.
- ``manifest-*.jsonl``: the records of outputs that have been moved, joined from time to time, one a line. If
  several have records of an output, the last one holds.

What a run leaves when it is killed is brought in order by the next one: outputs with a record are moved, not
written again, and other temporary files are deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from leadbyte.dataset._store import TEMPORARY, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from leadbyte.dataset._store import Store
    from leadbyte.dataset._tasks import File

# Readers of datasets skip names that start with an underscore.
DIRECTORY = "_leadbyte"
SETTINGS = f"{DIRECTORY}/settings.json"
RECORD = ".json"
JOINED = re.compile(r"manifest-(\d+)\.jsonl")
# How many records are read at once.
BATCH = 1000


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """An output that was written, and the version of the file that it was made from."""

    url: str
    size: int | None
    version: str | None
    # The path of the output below the directory, its size in bytes, and the file that became it.
    output: str
    output_size: int
    temporary: str
    # Of the input, decompressed.
    byte_count: int
    error_count: int
    # Whether the file is binary, and was copied.
    skipped: bool = False
    invalid_row_count: int = 0

    def is_of(self, file: File) -> bool:
        """Return whether the output was made from this version of a file, which has to be known."""
        is_known = file.constant or file.version is not None
        return is_known and (self.url, self.size, self.version) == (file.shown, file.size, file.version)

    def line(self) -> str:
        """Return the record as JSON."""
        return json.dumps(asdict(self))


def parse(line: str | bytes) -> OutputRecord | None:
    """Return the record of a line; None if it is incomplete, as its writer was killed."""
    try:
        found = json.loads(line)
        names = [field.name for field in fields(OutputRecord)]
        record = OutputRecord(**{name: found[name] for name in names if name in found})
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    texts = (record.url, record.output, record.temporary)
    return record if all(isinstance(text, str) for text in texts) else None


def is_output_name(path: str) -> bool:
    """Return whether a path can be an output: one below the directory, but not within our own."""
    return {"", ".", "..", DIRECTORY}.isdisjoint(path.split("/")) and not os.path.isabs(path)


def is_own(name: str, record: OutputRecord) -> bool:
    """Return whether a record, in a file of this name, moves one of our files to an output."""
    temporary = re.compile(rf"{DIRECTORY}/{digest(record.output)}-[0-9a-f]+{re.escape(TEMPORARY)}")
    is_named = name == record_name(record.output) and temporary.fullmatch(record.temporary)
    return bool(is_named) and is_output_name(record.output)


def record_name(output: str) -> str:
    """Return the name of the file with the record of an output."""
    return f"{DIRECTORY}/{digest(output)}{RECORD}"


def temporary_name(output: str) -> str:
    """Return a new name for the file that is to become an output."""
    return f"{DIRECTORY}/{digest(output)}-{os.urandom(8).hex()}{TEMPORARY}"


def digest(output: str) -> str:
    """Return a name of fixed length for an output, whose own may have any."""
    return hashlib.sha256(output.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def commit(store: Store, record: OutputRecord, *, replaces: bool) -> None:
    """Move a complete temporary file to its place, such that this happens even if it is interrupted.

    If that fails, OutputError is raised, and the file deleted, unless the one that it replaces is lost.
    """
    try:
        store.write(record_name(record.output), record.line().encode())
    except OutputError:
        store.remove([record.temporary, record_name(record.output)])
        raise
    try:
        store.move(record.temporary, record.output)
    except OutputError:
        is_lost = replaces and store.may_lose_target and store.size(record.output) is None
        if not is_lost:
            store.remove([record.temporary, record_name(record.output)])
        raise


def find_committed(store: Store, output: str) -> OutputRecord | None:
    """Return the record of an output that this run has written; the output is moved if it was not yet."""
    record = parse(store.read(record_name(output)) or b"")
    if not (record and is_own(record_name(output), record)):
        return None
    if store.size(record.temporary) is not None:
        store.move(record.temporary, output)
    return record


def read_settings(store: Store) -> dict[str, Any] | None:
    """Return what earlier runs did with all files; None if there were none.

    Raises ValueError if that cannot be known any more.
    """
    if store.is_local and os.path.islink(store.path(DIRECTORY)):
        message = f"{store.shown(DIRECTORY)} is a link: write to a new directory"
        raise ValueError(message)
    content = store.read(SETTINGS)
    try:
        return None if content is None else json.loads(content)
    except (ValueError, RecursionError) as error:
        message = f"{store.shown(SETTINGS)} is damaged ({error}): write to a new directory"
        raise ValueError(message) from None


def check_new(store: Store, expected: str) -> None:
    """Raise FileExistsError, with the words for the expected directory, if one without settings has files."""
    if any(name != DIRECTORY for name in store.names()):
        message = f"{store.shown()} is not empty: {expected}"
        raise FileExistsError(message)


def start(store: Store, settings: dict[str, Any]) -> None:
    """Write the operation on all files."""
    temporary = f"{DIRECTORY}/settings-{os.urandom(8).hex()}{TEMPORARY}"
    store.replace(temporary, SETTINGS, json.dumps(settings).encode())


def recover(store: Store) -> None:
    """Bring in order what a run left that was stopped: move complete outputs, delete incomplete ones."""
    names = store.names(DIRECTORY)
    temporaries = temporaries_of(names)
    incomplete = []
    for name, record in read_records(store, names):
        if record is None:
            incomplete.append(name)
        elif record.temporary in temporaries:
            store.move(record.temporary, record.output)
            temporaries.remove(record.temporary)
    store.remove([*incomplete, *temporaries])
    join(store)


def join(store: Store) -> None:
    """Join the records of outputs that have been moved in one file."""
    names = store.names(DIRECTORY)
    temporaries = temporaries_of(names)
    records = [record for _, record in read_records(store, names)]
    moved = [record for record in records if record and record.temporary not in temporaries]
    if moved:
        numbers = [int(match[1]) for match in map(JOINED.fullmatch, names) if match]
        temporary = f"{DIRECTORY}/manifest-{os.urandom(8).hex()}{TEMPORARY}"
        name = f"{DIRECTORY}/manifest-{max(numbers, default=0) + 1:06}.jsonl"
        store.replace(temporary, name, "".join(f"{record.line()}\n" for record in moved).encode())
        store.remove([record_name(record.output) for record in moved])


def temporaries_of(names: Iterable[str]) -> set[str]:
    """Return the temporary files among the names in the directory."""
    return {f"{DIRECTORY}/{name}" for name in names if name.endswith(TEMPORARY)}


def read_records(store: Store, names: Iterable[str]) -> Iterator[tuple[str, OutputRecord | None]]:
    """Yield the files with one record among the names in the directory, and their records; None if torn."""
    paths = (f"{DIRECTORY}/{name}" for name in names if name.endswith(RECORD))
    single = [path for path in paths if path != SETTINGS]
    for first in range(0, len(single), BATCH):
        for name, content in store.read_all(single[first : first + BATCH]).items():
            record = parse(content)
            yield name, record if record and is_own(name, record) else None


def read_joined(store: Store) -> Iterator[OutputRecord]:
    """Yield the records of outputs that have been moved, with the records of older versions before."""
    for name in store.names(DIRECTORY):
        if JOINED.fullmatch(name):
            with store.fs.open(store.path(f"{DIRECTORY}/{name}"), "rb") as file:
                yield from filter(None, map(parse, file))


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Keep other runs out of a local directory, where the system can; the lock ends with the process.

    Elsewhere two runs may do the same work twice, and report that the other one has moved a file.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    if not store.is_local:
        yield
        return
    descriptor = os.open(store.path(DIRECTORY), os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"another process is writing to {store.shown()}"
            raise RuntimeError(message) from None
        except OSError:
            # Not all network filesystems have locks.
            pass
        yield
    finally:
        os.close(descriptor)
