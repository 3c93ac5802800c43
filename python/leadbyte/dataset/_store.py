"""The directory of the outputs, on any filesystem: files appear there complete, or not at all."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

from leadbyte._files.directories import sync_directory
from leadbyte._files.writing import NEW_MODE, PRIVATE_MODE
from leadbyte.dataset._retries import retried
from leadbyte.dataset._secrets import shown
from leadbyte.dataset._urls import (
    absolute,
    check_url,
    describe,
    is_asynchronous,
    local_path,
    open_filesystem,
    plain_url,
    split_chain,
)
from leadbyte.dataset._waiting import WATCH, about

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from fsspec import AbstractFileSystem
    from fsspec.spec import AbstractBufferedFile
    from typing_extensions import Buffer

# How the names of files end while they are written.
TEMPORARY = ".tmp"
# What filesystems raise for a file or a directory that is not there.
MISSING = (FileNotFoundError, NotADirectoryError)


class OutputError(OSError):
    """An output that could not be written; the message has its URL."""

    def __str__(self) -> str:
        """Return the message without the number, which errors of many stores have not."""
        return str(self.strerror)


class Store:
    """The files below a directory URL; their names are paths relative to it."""

    def __init__(self, url: str | os.PathLike[str]) -> None:
        self.url = plain_url(url)
        check_url(self.url)

    def __reduce__(self) -> tuple[type[Store], tuple[str]]:
        """Return what another process needs, which has its own connections."""
        return Store, (self.url,)

    @functools.cached_property
    def clients(self) -> Any:  # noqa: ANN401 - a namespace
        """Where the filesystem is kept: for each thread, as only asynchronous ones may be used by several."""
        return SimpleNamespace() if is_asynchronous(self.url) else threading.local()

    @functools.cached_property
    def location(self) -> str:
        """The URL, of a local directory with its path from the root."""
        before, body, after = split_chain(self.url)
        return before + absolute(body) + after

    @property
    def opened(self) -> tuple[AbstractFileSystem, str]:
        """The filesystem, which must not remember listings, and the path of the directory there."""
        try:
            found: tuple[AbstractFileSystem, str] | None = getattr(self.clients, "opened", None)
            if found is None:
                fs, root = open_without_listings(self.location)
                found = self.clients.opened = fs, root.rstrip("/")
        except (ImportError, ValueError):
            # A protocol that is unknown, or whose package is not installed.
            raise
        except Exception as error:
            raise self.error("open", "", error) from error
        return found

    @property
    def fs(self) -> AbstractFileSystem:
        """The filesystem."""
        return self.opened[0]

    @functools.cached_property
    def is_local(self) -> bool:
        """Whether the filesystem belongs to the operating system."""
        fs = self.fs  # raises ImportError with advice where fsspec is missing
        from fsspec.implementations.local import LocalFileSystem

        return isinstance(fs, LocalFileSystem)

    @property
    def may_lose_target(self) -> bool:
        """Whether a file that is to be replaced may be gone when that fails."""
        return not self.is_local and renames(self.fs)

    def path(self, name: str) -> str:
        """Return the path of a file on the filesystem."""
        return f"{self.opened[1]}/{name}" if name else self.opened[1]

    def shown(self, name: str = "") -> str:
        """Return the URL of a file, or of the directory, for people, without secrets."""
        return shown(f"{self.url.rstrip('/')}/{name}" if name else self.url)

    @contextlib.contextmanager
    def errors(self, name: str, action: str = "write") -> Iterator[None]:
        """Raise errors of the filesystem as OutputError about a file; report if it does not answer."""
        try:
            if self.is_local:
                yield
            else:
                with about(self.shown(name)), WATCH.request():
                    yield
        except Exception as error:
            # Filesystems raise what the libraries below them do.
            raise self.error(action, name, error) from error

    def error(self, action: str, name: str, cause: Exception) -> OutputError:
        """Return the error that something cannot be done with a file, with the number of its cause."""
        message = f"cannot {action} {self.shown(name)}: {describe(cause, self.url)}"
        return OutputError(getattr(cause, "errno", None), message)

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; None if there is no such file."""
        path = self.path(name)
        with self.errors(name, "read"):
            try:
                return int(retried(self.fs.info, path)["size"])
            except MISSING:
                return None

    def names(self, directory: str = "") -> list[str]:
        """Return the names in a directory, sorted; none if there is no such directory."""
        path = self.path(directory)
        with self.errors(directory, "read"):
            try:
                entries = retried(self.fs.ls, path, detail=False)
            except MISSING:
                return []
        # Some stores list the directory as an object of its own.
        paths = (entry.rstrip("/") for entry in entries)
        return sorted(os.path.basename(entry) for entry in paths if entry != path.rstrip("/"))

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is no such file."""
        path = self.path(name)
        with self.errors(name, "read"):
            if self.is_local and os.path.exists(path) and not os.path.isfile(path):
                # A pipe would be waited for.
                message = "not a regular file"
                raise OSError(message)
            try:
                return bytes(retried(self.fs.cat_file, path))
            except MISSING:
                return None

    def read_all(self, names: list[str]) -> dict[str, bytes]:
        """Return the contents of files by their names, without those that there are no more."""
        paths = {self.path(name): name for name in names}
        if self.is_local:
            found = {name: self.read(name) for name in names}
        else:
            # Stores answer several requests at once.
            with self.errors("", "read"):
                contents = self.fs.cat(list(paths), on_error="return") if paths else {}
            found = {paths[path]: content for path, content in contents.items()}
            for name, content in found.items():
                if isinstance(content, Exception) and not isinstance(content, MISSING):
                    found[name] = self.read(name)
        return {name: content for name, content in found.items() if isinstance(content, bytes)}

    def make_directory(self, name: str) -> None:
        """Create a directory and those above it, where the filesystem has directories.

        A store of objects has none, and would create a bucket, which may be a mistake in the URL.
        """
        if self.is_local or renames(self.fs):
            with self.errors(name):
                self.fs.makedirs(self.path(name), exist_ok=True)

    @contextlib.contextmanager
    def create(self, name: str, mode: int = NEW_MODE) -> Iterator[Sink]:
        """Yield a new file to write, which at the end is complete and durable; after an exception it is gone.

        A local one has the permissions of the mode, at most. Raises OutputError if it cannot be written.
        """
        path = self.path(name)
        with self.errors(name):
            file = self.open(path, mode)
        try:
            yield Sink(self, name, file)
            with self.errors(name):
                if self.is_local:
                    file.flush()
                    os.fsync(file.fileno())
                file.close()
        except BaseException:
            with contextlib.suppress(Exception):
                discard(file)
            self.remove([name])
            raise

    def open(self, path: str, mode: int) -> BinaryIO | AbstractBufferedFile:
        """Return a new file, whose own context manager would upload an incomplete one."""
        if not self.is_local:
            return self.fs.open(path, "wb")
        return open(path, "wb", opener=functools.partial(open_no_link, mode=mode))

    def write(self, name: str, content: bytes, mode: int = NEW_MODE) -> None:
        """Write a file durably; if this is interrupted, it may be incomplete. See `create` for the mode."""
        if not self.is_local:
            try:
                with self.errors(name):
                    retried(self.fs.pipe_file, self.path(name), content)
            except BaseException:
                self.remove([name])
                raise
            return
        with self.create(name, mode) as sink:
            sink.write(content)
        self.sync_entry(name)

    def sync_entry(self, name: str) -> None:
        """Make durable that a file is there."""
        if self.is_local:
            sync_directory(os.path.dirname(self.path(name)))

    def replace(self, temporary: str, name: str, content: bytes, mode: int = NEW_MODE) -> None:
        """Write a file durably under a temporary name, and move it; see `write`."""
        try:
            self.write(temporary, content, mode)
            self.move(temporary, name)
        except BaseException:
            self.remove([temporary])
            raise

    def move(self, temporary: str, name: str) -> None:
        """Give a file its name, in place of the file that had it before; raise OutputError if that fails."""
        source, target = self.path(temporary), self.path(name)
        with self.errors(name):
            if self.is_local:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                os.replace(source, target)
                sync_directory(os.path.dirname(target))
                sync_directory(os.path.dirname(source))
            elif renames(self.fs):
                self.fs.makedirs(os.path.dirname(target), exist_ok=True)
                self.replace_by_renaming(source, target)
            else:
                retried(self.fs.cp_file, source, target)
                with contextlib.suppress(*MISSING):  # where the first answer was lost
                    retried(self.fs.rm_file, source)

    def replace_by_renaming(self, source: str, target: str) -> None:
        """Rename a file. Many servers do not rename to a name in use: then the file that has it makes way."""
        try:
            self.rename(source, target)
        except Exception:
            if not (self.fs.exists(source) and self.fs.exists(target)):
                raise
            aside = f"{source.removesuffix(TEMPORARY)}-old{TEMPORARY}"
            self.rename(target, aside)
            try:
                self.rename(source, target)
            except Exception:
                self.rename(aside, target)
                raise
            with contextlib.suppress(*MISSING):
                self.fs.rm_file(aside)

    def rename(self, source: str, target: str) -> None:
        """Rename a file; raise OSError even if the client does not report that the server has not."""
        self.fs.mv(source, target)
        if self.fs.exists(source):
            message = "the filesystem did not rename it"
            raise OSError(message)

    def remove(self, names: list[str]) -> None:
        """Delete files as far as possible; those that there are no more do not matter."""
        for name in names:
            with contextlib.suppress(Exception):
                self.fs.rm_file(self.path(name))


class Sink:
    """A new file in a Store, as the code that fills it sees it."""

    def __init__(self, store: Store, name: str, file: BinaryIO | AbstractBufferedFile) -> None:
        self.store = store
        self.name = name
        self.file = file
        # In bytes.
        self.size = 0

    def write(self, data: Buffer, /) -> int:
        """Write bytes; raise OutputError if that fails."""
        length = memoryview(data).nbytes
        with self.store.errors(self.name):
            self.file.write(data)
        self.size += length
        return length

    def flush(self) -> None:
        """Leave flushing to the Store."""

    def close(self) -> None:
        """Leave closing to the Store."""


def open_no_link(path: str, flags: int, *, mode: int) -> int:
    """Open a file that is not a link."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), mode)


def mode_from(url: str) -> int:
    """Return the permissions of a new file made from another, so that no more users read its contents."""
    path = local_path(url)
    # A later run may replace the new file.
    return NEW_MODE if path is None else os.stat(path).st_mode & 0o777 | PRIVATE_MODE


def open_without_listings(url: str) -> tuple[AbstractFileSystem, str]:
    """Return a filesystem that remembers no listings, and the path of a URL."""
    try:
        return open_filesystem(url, use_listings_cache=False)
    except TypeError:
        # It passes all options on to a client, which refuses what it does not know; and it remembers none.
        return open_filesystem(url)


def renames(fs: AbstractFileSystem) -> bool:
    """Return whether a filesystem renames files; stores of objects only copy and delete them."""
    from fsspec import AbstractFileSystem

    return type(fs).mv is not AbstractFileSystem.mv or hasattr(fs, "_mv")


def discard(file: BinaryIO | AbstractBufferedFile) -> None:
    """Close a new file without uploading what it has not yet uploaded, where the filesystem can."""
    if hasattr(file, "discard"):
        file.discard()
        # Otherwise it would be uploaded when it is no longer referenced.
        file.closed = True  # type: ignore[misc]
    else:
        file.close()
