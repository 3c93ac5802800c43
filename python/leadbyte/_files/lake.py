"""Tables of a lake, Delta and Iceberg: the files of their current snapshots, by the formats' own packages.

A directory of such a table also has files that belong to it no more. Only its log knows which ones do.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import urllib.parse

from leadbyte._formats import PARQUET
from leadbyte._messages import printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    _Anything: TypeAlias = Any

DELTA, ICEBERG = "Delta", "Iceberg"
# The directories by which tables are recognized.
DELTA_LOG, ICEBERG_LOGS = "_delta_log", "metadata"
# The version of a table in the name of its metadata: v3.metadata.json, or 00003-<UUID>.metadata.json.
VERSION = re.compile(r"v?([0-9]+)(?:-[^.]*)?(?:\.gz)?\.metadata\.json")
# The packages by format, and the classes of tables by their modules.
PACKAGES = {DELTA: "deltalake", ICEBERG: "pyiceberg"}
CLASSES = {"deltalake": ("DeltaTable", DELTA), "pyiceberg.table": ("Table", ICEBERG)}
DELETION_VECTOR = (
    "has a deletion vector, which is not applied; in Spark, REORG TABLE ... APPLY (PURGE) does that"
)
DELETE_FILES = (
    "has rows that other files delete, which is not applied; in Spark, rewrite_data_files does that"
)
NOT_BY_DIRECTORY = "an Iceberg table changes by its catalog: give the table that it has loaded"


class MissingPackageError(OSError):
    """A table cannot be read, as the package of its format is not installed."""


class DataFile:
    """A file of a snapshot."""

    def __init__(self, url: str, size: int, failed: str | None = None) -> None:
        # A URL, or the path of a local file.
        self.url = url
        # In bytes.
        self.size = size
        # Why it cannot be read, if that is known from the log.
        self.failed = failed


def format_of_table(table: object) -> str | None:
    """Return the format of a table of a package; None for another object."""
    for module, (name, found) in CLASSES.items():
        # Without its module there is no table.
        if isinstance(table, getattr(sys.modules.get(module), name, ())):
            return found
    return None


@contextlib.contextmanager
def package_errors(found: str) -> Iterator[None]:
    """Raise errors of the package of a format as OSError, and its lack as MissingPackageError."""
    try:
        yield
    except ImportError as error:
        package = PACKAGES[found]
        message = f'tables of {found} are read through {package}: pip install "leadbyte[lake]"'
        if error.name and error.name.partition(".")[0] not in {package, "pyarrow"}:
            message = f"{message} ({error})"
        raise MissingPackageError(message) from None
    except Exception as error:
        # Messages may have several lines.
        message = printable(" ".join(str(error).split()))
        message = f"{found} table: {message or type(error).__name__}"
        raise OSError(message) from error


def open_directory(found: str, url: str, logs: Iterable[str]) -> _Anything:
    """Return the table in a directory, whose directory of logs has these names; raise OSError."""
    with package_errors(found):
        if found == DELTA:
            from deltalake import DeltaTable

            return DeltaTable(url)
        from pyiceberg.table import StaticTable

        return StaticTable.from_metadata(f"{url}/{ICEBERG_LOGS}/{newest_metadata(logs)}")


def newest_metadata(names: Iterable[str]) -> str:
    """Return the name of the newest metadata; raise ValueError if there is none, or more than one.

    >>> newest_metadata(["00009-0a.metadata.json", "00010-0b.metadata.json", "version-hint.text"])
    '00010-0b.metadata.json'
    """
    versions: dict[int, list[str]] = {}
    for name in names:
        if version := VERSION.fullmatch(name):
            versions.setdefault(int(version[1]), []).append(name)
    if not versions:
        message = f"no file in {ICEBERG_LOGS} is named as metadata of a version"
        raise ValueError(message)
    newest = versions[max(versions)]
    if len(newest) > 1:
        message = (
            f"{newest[0]} and {newest[1]} have the same version, and only its catalog knows which one counts:"
            " in Python, load it by that"
        )
        raise ValueError(message)
    return newest[0]


def data_files(table: _Anything, url: str | None = None) -> list[DataFile]:
    """Return the files of the current snapshot of a table, which was found at a URL; raise OSError."""
    found = format_of_table(table) or ICEBERG
    with package_errors(found):
        return delta_files(table, url) if found == DELTA else iceberg_files(table)


def directory_files(directory: str) -> list[DataFile]:
    """Return the files of the current snapshot of the table in a local directory; raise OSError."""
    found = DELTA if os.path.isdir(os.path.join(directory, DELTA_LOG)) else ICEBERG
    logs = os.listdir(os.path.join(directory, ICEBERG_LOGS)) if found == ICEBERG else []
    url = os.path.abspath(directory)
    files = data_files(open_directory(found, url, logs), url)
    for file in files:
        if file.url.startswith(f"{url}{os.sep}") or file.url.startswith(f"{url}/"):
            file.url = os.path.join(directory, file.url[len(url) + 1 :])
    return files


def delta_files(table: _Anything, url: str | None) -> list[DataFile]:
    """Return the files of a Delta table."""
    root = (url or local_directory(table.table_uri)).rstrip("/")
    deleted = with_deletion_vectors(table)
    files = []
    for action in add_actions(table):
        path = delta_url(action, root)
        failed = DELETION_VECTOR if os.path.basename(path) in deleted else None
        files.append(DataFile(path, action["size_bytes"], failed))
    return files


def delta_url(action: dict[str, _Anything], root: str) -> str:
    """Return the URL of the file of an action, whose path is in the directory of the table, or absolute."""
    path = urllib.parse.unquote(action["path"])
    return plain_path(path) if ":/" in path else f"{root}/{path}"


def add_actions(table: _Anything) -> list[dict[str, _Anything]]:
    """Return the actions that added the files of a Delta table, in the order of their paths."""
    import pyarrow as pa

    actions: list[dict[str, _Anything]] = pa.table(table.get_add_actions()).to_pylist()
    return sorted(actions, key=lambda action: action["path"])


def with_deletion_vectors(table: _Anything) -> set[str]:
    """Return the names of the files of a Delta table that have deletion vectors; they have UUIDs."""
    if "deletionVectors" not in (table.protocol().reader_features or ()):
        return set()
    import pyarrow as pa

    paths = pa.table(table.deletion_vectors())["filepath"].to_pylist()
    return {os.path.basename(urllib.parse.unquote(path)) for path in paths}


def iceberg_files(table: _Anything) -> list[DataFile]:
    """Return the files of an Iceberg table."""
    files = []
    for task in table.scan().plan_files():
        failed = DELETE_FILES if task.delete_files else None
        kind = getattr(task.file.file_format, "value", task.file.file_format)
        if str(kind).upper() != PARQUET.upper():
            failed = f"is a file of {kind}, which is not read"
        files.append(DataFile(plain_path(task.file.file_path), task.file.file_size_in_bytes, failed))
    return sorted(files, key=lambda file: file.url)


def local_directory(url: str) -> str:
    """Return the path of a local directory, given as a URL with escapes; other URLs as they are."""
    path = plain_path(url)
    return path if path == url else urllib.parse.unquote(path)


def plain_path(url: str) -> str:
    """Return the path of a local file, without the scheme that tables give it; other URLs as they are.

    >>> plain_path("file:///tmp/a%20b"), plain_path("file:/tmp/a"), plain_path("s3://bucket/a%20b")
    ('/tmp/a%20b', '/tmp/a', 's3://bucket/a%20b')
    """
    if not url.startswith("file:"):
        return url
    path = "/" + url.removeprefix("file:").lstrip("/")
    return path[1:] if sys.platform == "win32" else path
