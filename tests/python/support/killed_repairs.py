"""Repairs of a dataset that are killed at each of their durable steps, and continued.

The arguments are an empty directory, the number of threads, how outputs are moved ("local", or "renaming" and
"copying" as by servers and stores of objects), and by how much moments differ; 1 for all. Each repair runs in
a fork. After it was killed, what it has left is examined before the same call runs again. Prints the number
of moments.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import fsspec
from fsspec.implementations.local import LocalFileSystem
from leadbyte import _cores, dataset
from leadbyte.dataset import _outputs, _store, _transforms
from leadbyte.dataset.engines import threads

if TYPE_CHECKING:
    from strategies import Anything

LINES = 20
INVALID = b"caf\xe9 \xff\n" * LINES
TEXTS = {
    "a.txt": INVALID,
    "b.txt": b"valid",
    "one/c.gz": gzip.compress(INVALID, mtime=0),
}
LOCK = threading.Lock()


class Steps:
    """Counts durable steps, and kills the process before or after one of them."""

    def __init__(self, last: int | None) -> None:
        self.last = last
        self.count = 0

    def next(self) -> None:
        """Count one more moment; the process may not survive it."""
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Anything, name: str) -> None:
        """Count the moments before and after each call of a function."""
        function = getattr(owner, name)

        def stepping(*arguments: Anything, **options: Anything) -> Anything:
            with LOCK:
                self.next()
                result = function(*arguments, **options)
                self.next()
                return result

        setattr(owner, name, stepping)


def write_halves(sink: _store.Sink, data: bytes) -> int:
    """Write data in two parts, each of which reaches the file system."""
    data = bytes(data)
    for part in (data[: len(data) // 2], data[len(data) // 2 :]):
        WRITE(sink, part)
        sink.file.flush()
    return len(data)


WRITE = _store.Sink.write


def repair(directory: Path, moves: str, last: int | None) -> int:
    """Repair the texts, and log each start; return the number of moments."""
    steps = Steps(last)
    _outputs.JOINED_FILES = 1
    if moves != "local":
        # The same files, as if they were elsewhere.
        _store.Store.is_local = False  # type: ignore[assignment]
        # Stores of objects have no directories.
        fsspec.config.conf["file"] = {"auto_mkdir": moves == "copying"}
        _store.renames = lambda fs: moves == "renaming"  # noqa: ARG005
    _store.Sink.write = write_halves  # type: ignore[assignment, method-assign]
    # What a process has written survives it, flushed or not.
    os.fsync = lambda fd: None  # noqa: ARG005
    for owner, name in [
        (os, "fsync"),
        (os, "replace"),
        (LocalFileSystem, "rm_file"),
        (LocalFileSystem, "mv"),
        (LocalFileSystem, "cp_file"),
        (_store.Sink, "write"),
    ]:
        steps.around(owner, name)
    transform = _transforms.Repair.__call__

    def logged(self: Anything, task: Anything, sink: Anything, check: Anything) -> Anything:
        with (directory / "log").open("a") as log:
            log.write(f"{Path(task.file.url).relative_to(directory / 'texts')}\n")
        return transform(self, task, sink, check)

    _transforms.Repair.__call__ = logged  # type: ignore[method-assign]
    quarantine = directory / "bad" if has_quarantine(moves) else None
    dataset.repair(directory / "texts", directory / "new", quarantine=quarantine)
    return steps.count


def has_quarantine(moves: str) -> bool:
    """Return whether rows with errors are kept apart, too."""
    return moves == "local"


def forked(directory: Path, moves: str, last: int | None) -> int | None:
    """Return the number of moments of a repair in a fork; None if it was killed."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(writer, b"%d" % repair(directory, moves, last))
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(pid, 0)
    with open(reader, "rb") as pipe:
        result = pipe.read()
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, -signal.SIGKILL}, code
    return int(result) if code == 0 else None


def prepared(directory: Path) -> set[str]:
    """Return the outputs with a record, of those that a repair left that was killed."""
    found = set()
    for path in (directory / "new/_leadbyte").glob("*.json*"):
        for line in path.read_bytes().splitlines():
            try:
                found.add(json.loads(line)["output"])
            except (ValueError, KeyError):
                # Incomplete, or the settings.
                assert path.suffix == ".json"
    return found


def started(directory: Path) -> list[str]:
    """Return the texts whose repair was started, since the last call."""
    log = directory / "log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    log.write_text("")
    return lines


def examine_quarantine(directory: Path, outputs: set[str]) -> None:
    """Assert that the rows of these outputs that had errors are all in the quarantine."""
    for name in {"a.txt", "one/c.gz"} & outputs:
        lines = (directory / "bad" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["line"] for line in lines] == list(range(1, LINES + 1))


def examine(directory: Path, expected: dict[str, bytes]) -> None:
    """Assert that the outputs are complete, and that nothing else is left."""
    new = directory / "new"
    files = {path.relative_to(new).as_posix(): path for path in new.rglob("*") if path.is_file()}
    own = [name for name in files if name.startswith("_leadbyte/")]
    assert all(name.endswith("/settings.json") or "/manifest-" in name for name in own), own
    assert {name: files[name].read_bytes() for name in files.keys() - own} == expected
    if (directory / "bad").exists():
        bad = [path.relative_to(directory / "bad") for path in (directory / "bad").rglob("*.*")]
        names = {path.as_posix() for path in bad} - {"_leadbyte/settings.json"}
        assert names == {"a.txt.jsonl", "one/c.gz.jsonl"}
        examine_quarantine(directory, {*expected})


def main(directory: Path, thread_count: int, moves: str, stride: int) -> int:
    """Kill a repair at each moment; return the number of moments."""
    _cores.core_count = lambda: thread_count - threads.WAITING_THREADS
    for name, data in TEXTS.items():
        (directory / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / "texts" / name).write_bytes(data)
    assert forked(directory, moves, None) is not None
    expected = {name: (directory / "new" / name).read_bytes() for name in TEXTS}
    assert expected["a.txt"] == INVALID.decode(errors="replace").encode()
    assert sorted(started(directory)) == sorted(TEXTS)
    for last in itertools.count(1, stride):
        shutil.rmtree(directory / "new")
        shutil.rmtree(directory / "bad", ignore_errors=True)
        count = forked(directory, moves, last)
        if count is not None:
            examine(directory, expected)
            return count
        before, done = started(directory), prepared(directory)
        # Of those that were started, all were done but those in work.
        assert len(set(before) - done) <= thread_count, (before, done)
        # An output that appeared is complete, and recorded.
        for name, data in expected.items():
            output = directory / "new" / name
            assert not output.exists() or (name in done and output.read_bytes() == data)
        if has_quarantine(moves):
            examine_quarantine(directory, done)
        if last % 3 == 0:
            # It is killed again.
            forked(directory, moves, last // 3)
            again, done_again = started(directory), prepared(directory)
            assert done.isdisjoint(again), (done, again)
            done |= done_again
        assert forked(directory, moves, None) is not None
        assert sorted(started(directory)) == sorted(TEXTS.keys() - done)
        examine(directory, expected)
    raise AssertionError


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
