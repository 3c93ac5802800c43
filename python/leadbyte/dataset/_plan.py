"""The plan of a run: each file and its output. It is kept on disk, as there may be millions of files."""

from __future__ import annotations

import json
import sqlite3
import sys
import unicodedata
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from leadbyte.dataset._manifest import is_output_name, parse
from leadbyte.dataset._tasks import File, Piece, Task
from leadbyte.dataset._urls import HTTP, directory_of, find_files, is_source, resolved, split_glob, url_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from leadbyte.dataset._manifest import OutputRecord
    from leadbyte.dataset._store import Store
    from leadbyte.dataset._urls import Source

# Strings are stored as JSON, as names of local files need not be Unicode.
SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE files (number INTEGER PRIMARY KEY, name TEXT UNIQUE, output TEXT, url TEXT, file TEXT);
CREATE TABLE records (output TEXT PRIMARY KEY, url TEXT, line TEXT);
"""


@dataclass(frozen=True, slots=True)
class OutputTask(Task):
    """A file to be written as a whole."""

    # The path of the output, relative to the directory.
    output: str
    # What an earlier run has written there.
    record: OutputRecord | None

    @property
    def file(self) -> File:
        """The file that becomes the output."""
        return self.pieces[0].file


class Plan:
    """The files with their outputs, and what earlier runs have written."""

    def __init__(self) -> None:
        # The database without a name is temporary, and nobody else can open it.
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.executescript(SCHEMA)
        self.file_count = 0

    def close(self) -> None:
        """Delete the plan."""
        self.database.close()

    def add_files(
        self, urls: Source | Iterable[Source], store: Store, quarantine: Store | None = None
    ) -> None:
        """Add the files of URLs, and their outputs in a directory; those with errors may have a second one.

        Raises ValueError if two have the same output, or if the same call would read what it writes.
        """
        written = {resolved(directory_of(found.url)): found for found in (store, quarantine) if found}
        ignores_case = store.is_local and sys.platform in {"darwin", "win32"}
        given: Any = urls
        for url in [urls] if is_source(urls) else given:
            naming = Naming(url_of(url))
            for file in find_files(url if is_source(urls) else [url]):
                for directory, found in written.items():
                    contains = naming.is_walk(file) and directory.startswith(naming.resolved)
                    if contains or naming.resolve(file).startswith(directory):
                        message = f"{found.shown()} is both read and written: write to a directory elsewhere"
                        raise ValueError(message)
                output = naming.output(file)
                name = unicodedata.normalize("NFC", output).casefold() if ignores_case else output
                self.add_file(file, output, None if file.failed else json.dumps(name))

    def add_file(self, file: File, output: str, name: str | None) -> None:
        """Add a file; raise ValueError if its output has the name of another one, or cannot have a name."""
        shown = file.shown
        if not is_output_name(output) and name:
            message = f"{shown} has no name that an output can have: {output!r}"
            raise ValueError(message)
        row = (self.file_count, name, json.dumps(output), json.dumps(shown), json.dumps(asdict(file)))
        try:
            self.database.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            other = self.database.execute("SELECT url FROM files WHERE name = ?", [name]).fetchone()
            message = (
                f"{json.loads(other[0])} and {shown} would both become {output}: write to two directories"
            )
            raise ValueError(message) from None
        self.file_count += 1

    def add_records(self, records: Iterable[OutputRecord], store: Store) -> None:
        """Add what earlier runs have written; raise ValueError if that came from other files."""
        rows = ((json.dumps(record.output), json.dumps(record.url), record.line()) for record in records)
        self.database.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)
        other = self.database.execute(
            "SELECT output, records.url, files.url FROM files JOIN records USING (output)"
            " WHERE records.url != files.url ORDER BY number"
        ).fetchone()
        if other:
            output, old, new = map(json.loads, other)
            message = f"{output} in {store.shown()} was made from {old}: write {new} to another directory"
            raise ValueError(message)

    def tasks(self) -> Iterator[OutputTask]:
        """Yield the tasks, one for each file."""
        rows = self.database.execute(
            "SELECT number, output, file, line FROM files LEFT JOIN records USING (output) ORDER BY number"
        )
        for number, output, file, line in rows:
            pieces = (Piece(File(**json.loads(file)), 0, None),)
            yield OutputTask(number, pieces, json.loads(output), line and parse(line))


class Naming:
    """The outputs of the files of a URL: their paths below its directory, or the directory of its glob."""

    def __init__(self, url: str) -> None:
        before, body, self.suffix, glob = split_glob(url)
        self.is_glob = glob is not None
        # How the URLs of the files start.
        self.directory = directory_of(before + body + self.suffix)
        self.resolved = resolved(self.directory)

    def is_walk(self, file: File) -> bool:
        """Return whether a file was found because its directory is read as a whole."""
        return not self.is_glob and file.url.startswith(self.directory)

    def resolve(self, file: File) -> str:
        """Return the URL of a file as `resolved` has it; directories below the URL's are not links."""
        if file.url.startswith(self.directory):
            return self.resolved + file.url.removeprefix(self.directory)
        return resolved(file.url).rstrip("/")

    def output(self, file: File) -> str:
        """Return the path of the output of a file, relative to the directory of the outputs."""
        url = file.url.removesuffix(self.suffix)
        if url.startswith(HTTP):
            url = url.partition("?")[0]
        path = url.removeprefix(self.directory) if url.startswith(self.directory) else url.rpartition("/")[2]
        # As members of archives have it that "tar ." made.
        return "/".join(name for name in path.split("/") if name != ".")
