"""The engine of processes: lost ones are replaced, and none is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leadbyte import dataset
from leadbyte.dataset.engines import processes

pytest.importorskip("fsspec")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte.dataset._partial import Partial
    from leadbyte.dataset._tasks import Task
    from strategies import Anything

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@dataclass(frozen=True)
class KilledDuring:
    """A function of tasks whose process is killed during some, this often."""

    scan: Anything
    directory: Path
    tasks: tuple[int, ...]
    times: int

    def __call__(self, task: Task) -> Partial:
        found: Partial = self.scan(task)
        for loss in range(self.times if task.index in self.tasks else 0):
            marker = self.directory / f"{task.index}-{loss}"
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a directory of files of text."""
    files = tmp_path / "files"
    files.mkdir()
    for index in range(5):
        (files / f"{index}.txt").write_bytes(b"caf\xc3\xa9\ncaf\xe9 \xf0\x9f\x98\x80\n" * (index + 1) * 100)
    return files


def test_lost_processes_are_replaced(path: Path, tmp_path: Path) -> None:
    def engine(tasks: Iterator[Task], scan: Anything, merge: Anything) -> Anything:
        return processes.run(tasks, KilledDuring(scan, tmp_path, (1, 5), 1), merge)

    expected = dataset.scan(path, blocksize=1001)
    assert dataset.scan(path, blocksize=1001, engine=engine, report=tmp_path / "r.jsonl") == expected
    assert len(list(tmp_path.glob("[15]-0"))) == 2
    rows = [line for part in (tmp_path / "r.jsonl").iterdir() for line in part.read_bytes().splitlines()]
    assert len(rows) == 5
    assert dataset.scan(path, blocksize=1001, engine="processes") == expected


def test_processes_lost_again_and_again(path: Path, tmp_path: Path) -> None:
    def engine(tasks: Iterator[Task], scan: Anything, merge: Anything) -> Anything:
        return processes.run(tasks, KilledDuring(scan, tmp_path, (1,), 9), merge)

    message = (
        r"3 processes were lost, the last with exit code -9, while they read .*\.txt; if memory was short"
    )
    with pytest.raises(RuntimeError, match=message):
        dataset.scan(path, blocksize=1001, engine=engine)


class Unpicklable(Exception):
    """An error that cannot be made from a message alone."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(f"{detail} {code}")


def fail(task: Task) -> Anything:
    if task.index == 1:
        message = "the disk is full"
        raise OSError(message)
    raise Unpicklable(5, "code")


@pytest.mark.parametrize(("index", "error", "message"), [(1, OSError, "full"), (2, RuntimeError, "code 5")])
def test_errors_of_a_task_are_raised(index: int, error: type[Exception], message: str) -> None:
    from leadbyte.dataset._tasks import Task

    with pytest.raises(error, match=message):
        processes.run(iter([Task(index, ())]), fail, max)


PROGRAM = """
import os, pathlib, sys, time
from leadbyte import dataset
from leadbyte.dataset.engines import {engine}

class Slow:
    def __init__(self, scan):
        self.scan = scan

    def __call__(self, task):
        pathlib.Path(f"{{os.getpid()}}.pid").touch()
        time.sleep(60)
        return self.scan(task)

if __name__ == "__main__":
    pathlib.Path("text.txt").write_bytes(b"abc" * 1000)
    run = lambda tasks, scan, merge: {engine}.run(tasks, Slow(scan), merge)
    dataset.scan("text.txt", blocksize=100, engine=run)
"""


def test_program_that_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "text.txt").touch()
    program = tmp_path / "program.py"
    program.write_text('from leadbyte import dataset\ndataset.scan("text.txt", engine="processes")\n')
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, program.name], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith(b'text.txt; call it below if __name__ == "__main__"')


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # One that has ended remains until its parent, or the first process, asks for its exit code.
    status = Path(f"/proc/{process}/stat")
    try:
        return not status.exists() or status.read_bytes().rpartition(b") ")[2][:1] != b"Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition: Anything, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("engine", ["threads", "processes"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_no_process_is_left(tmp_path: Path, engine: str, number: int) -> None:
    if engine == "threads" and number == signal.SIGKILL:
        pytest.skip("threads end with their process")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(engine=engine))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = subprocess.Popen(
        [sys.executable, program.name],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    with started:
        wait_until(lambda: list(tmp_path.glob("*.pid")), 30)
        if number == signal.SIGINT:
            os.killpg(started.pid, number)
        else:
            started.kill()
        began = time.monotonic()
        _, printed = started.communicate(timeout=30)
        assert time.monotonic() - began < 10
    workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
    if number == signal.SIGINT:
        assert started.returncode == -signal.SIGINT
        assert printed.count("Traceback") == printed.count("KeyboardInterrupt") == 1
    assert workers
    wait_until(lambda: not any(map(is_running, workers)), 20)
