"""Print the peak memory of a scan as JSON: of the driver, its largest worker, and its largest other process.

    python measure_memory.py ENGINE files|names COUNT

The memory is in bytes. The files are small, and are read. The names are listed and cut into tasks, and are
not read by the workers. Other processes belong to the engine, such as the Java virtual machine of Spark.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import fsspec
import leadbyte.dataset
import psutil
from clusters import CLUSTERS, environment
from damaged_files import peak_memory, write_folder
from leadbyte import Scanner
from leadbyte.dataset import engines
from leadbyte.dataset._partial import TextState
from leadbyte.dataset._scan import Counted, Merge, ScanTask
from leadbyte.dataset._tasks import cut
from leadbyte.dataset._urls import find_files

if TYPE_CHECKING:
    from typing import Any

    from leadbyte.dataset._tasks import Piece

MAX_ERRORS = 100
NAMES_A_FOLDER = 1_000
CONTENT = b"caf\xe9"
# What the command line of a worker has, as a regular expression.
WORKERS = {
    "threads": "none",
    "processes": "spawn_main",
    "dask": "spawn_main",
    "ray": "ray::(IDLE|do)",
    "spark": "pyspark.daemon",
}


class Names(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A file system of a number of names."""

    cachable = False
    folders = 0

    def info(self, path: str, **_options: object) -> dict[str, object]:
        """Return the properties of a name."""
        path = self._strip_protocol(path).strip("/")
        return {"name": path, "size": len(CONTENT), "type": "file" if "/" in path else "directory"}

    def ls(self, path: str, *, detail: bool = True, **_options: object) -> list[Any]:
        """Return the names in a folder."""
        path = self._strip_protocol(path).strip("/")
        count, start = (NAMES_A_FOLDER, f"{path}/") if path else (self.folders, "")
        names = [f"{start}{index:06}" for index in range(count)]
        return [self.info(name) for name in names] if detail else names


class NamesScan(ScanTask):
    """The scan of a task without its reading."""

    def scan_piece(self, piece: Piece) -> TextState:  # noqa: ARG002
        """Return the result for a piece."""
        scanner = Scanner._keeping(MAX_ERRORS)
        scanner.update(CONTENT)
        return TextState(scanner)


def scan_names(engine: str, count: int) -> None:
    """Scan names."""
    Names.folders = count // NAMES_A_FOLDER
    fsspec.register_implementation("names", Names)
    tasks = Counted(cut(find_files("names://"), 64 << 20), None)
    result = engines.find(engine)(tasks, NamesScan(MAX_ERRORS, (), None), Merge(None)).result(tasks.count)
    assert (result.file_count, result.error_count) == (count, count)


def scan_files(engine: str, count: int) -> None:
    """Scan small files."""
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder, "files"), (100 + index % 5000 for index in range(count)), 1_000)
        found = leadbyte.dataset.scan(f"{folder}/files", engine=engine, blocksize="1 MiB")
    assert found.file_count == count


def watch(pattern: str, peaks: dict[str, int], stopped: threading.Event) -> None:
    """Note the peaks of the processes below this one; workers are those whose command line has a pattern."""
    while not stopped.wait(0.2):
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                kind = "worker" if re.search(pattern, " ".join(process.cmdline())) else "other"
                peaks[kind] = max(peaks[kind], peak_memory(process.pid))


def main(engine: str, what: str, count: int) -> None:
    """Scan, and print the peaks."""
    peaks = {"worker": 0, "other": 0}
    stopped = threading.Event()
    watcher = threading.Thread(target=watch, args=(WORKERS[engine], peaks, stopped))
    with CLUSTERS.get(engine, contextlib.nullcontext)():
        watcher.start()
        try:
            (scan_files if what == "files" else scan_names)(engine, count)
        finally:
            stopped.set()
            watcher.join()
    print(json.dumps({"driver": peak_memory(os.getpid()), **peaks}))


def measured(engine: str, what: str, count: int) -> dict[str, int]:
    """Return the peaks of a scan in a new process."""
    with environment():
        scan = [sys.executable, __file__, engine, what, str(count)]
        done = subprocess.run(scan, stdout=subprocess.PIPE, text=True, check=True)
    peaks: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return peaks


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
