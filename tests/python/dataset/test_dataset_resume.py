"""Calls of ``leadbyte.dataset.repair`` that are stopped, and continued by the same call."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fsspec")

from leadbyte.dataset import repair
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leadbyte.dataset._outputs import Engine

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX signals")

KILLED_REPAIRS = Path(__file__).parents[1] / "support/killed_repairs.py"
PROGRAM = """
import os, signal, sys, time
from leadbyte import dataset
from leadbyte._files import repair as _repair
from leadbyte.dataset import _manifest, _transforms

directory, engine, pause = sys.argv[1], sys.argv[2], float(sys.argv[3])
transform, repaired_blocks = _transforms.Repair.__call__, _repair.repaired_blocks

def logged(self, task, sink, check):
    log = os.open(f"{directory}/log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, os.path.basename(task.file.url).encode() + b"\\n")
    os.close(log)
    return transform(self, task, sink, check)

def slow(*arguments, **options):
    for block in repaired_blocks(*arguments, **options):
        yield block
        time.sleep(pause)

def lost(*arguments, commit=_manifest.commit, **options):
    commit(*arguments, **options)
    try:
        os.mkdir(f"{directory}/lost")
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)

if "lost" in sys.argv:
    _manifest.commit = lost
_transforms.Repair.__call__, _repair.repaired_blocks = logged, slow
_transforms.BLOCK = 1 << 16
if __name__ == "__main__":
    print(dataset.repair(f"{directory}/texts", f"{directory}/new", engine=engine).written_count)
"""


def start(directory: Path, engine: str, pause: float, *options: str) -> subprocess.Popen[bytes]:
    """Start a repair, with a pause after each block, in seconds; "lost" kills the process of one output."""
    program = directory / "program.py"
    program.write_text(PROGRAM)
    arguments = [sys.executable, str(program), str(directory), engine, str(pause), *options]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, bytes]:
    """Write texts; return what they become."""
    generator = random.Random(2)
    directory = tmp_path / "texts"
    directory.mkdir()
    found = {}
    for number in range(40):
        data = b"caf\xe9 \xe2\x82 ok\n" * generator.randrange(60_000)
        (directory / f"{number:02}.txt").write_bytes(data)
        found[f"{number:02}.txt"] = data.decode(errors="replace").encode()
    return found


def outputs(directory: Path) -> dict[str, bytes]:
    """Return the outputs, also of a call that was stopped."""
    return {path.name: path.read_bytes() for path in (directory / "new").glob("*.txt")}


def temporaries(directory: Path) -> Iterator[Path]:
    """Return the temporary files."""
    return (directory / "new/_leadbyte").glob("*.tmp")


def wait_for_start(directory: Path) -> None:
    """Wait until a process writes an output."""
    before = {*temporaries(directory)}
    deadline = time.monotonic() + 20
    while not {path for path in temporaries(directory) if "settings" not in path.name} - before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(("moves", "thread_count"), [("local", 3), ("renaming", 1), ("copying", 1)])
def test_killed_at_each_step(tmp_path: Path, moves: str, thread_count: int) -> None:
    # Moments come in pairs, and again for each file.
    stride = 11 if IS_REDUCED else 3
    command = [sys.executable, str(KILLED_REPAIRS), str(tmp_path), str(thread_count), moves, str(stride)]
    assert int(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) > 40


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_killed_at_any_time(tmp_path: Path, texts: dict[str, bytes], engine: str) -> None:
    generator = random.Random(3)
    kills = 3 if IS_REDUCED else 5
    for _ in range(kills):
        process = start(tmp_path, engine, 0.05)
        wait_for_start(tmp_path)
        time.sleep(generator.uniform(0, 0.2))
        # The processes that it has started are in its group.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        found = outputs(tmp_path)
        assert found == {name: texts[name] for name in found}
    process = start(tmp_path, engine, 0.0)
    process.communicate()
    assert process.returncode == 0
    assert outputs(tmp_path) == texts
    assert not list(temporaries(tmp_path))
    started = (tmp_path / "log").read_text().split()
    at_once = len(os.sched_getaffinity(0)) + 4 if hasattr(os, "sched_getaffinity") else 32
    assert set(started) == set(texts)
    assert len(started) <= len(texts) + kills * at_once
    assert repair(tmp_path / "texts", tmp_path / "new").written_count == 0


def test_killed_worker(tmp_path: Path, texts: dict[str, bytes]) -> None:
    process = start(tmp_path, "processes", 0.0, "lost")
    output, _ = process.communicate()
    assert int(output) == len(texts)
    assert (tmp_path / "lost").exists()
    # Its output was complete.
    assert sorted((tmp_path / "log").read_text().split()) == sorted(texts)
    assert outputs(tmp_path) == texts


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_interrupt(tmp_path: Path, texts: dict[str, bytes], engine: Engine) -> None:
    process = start(tmp_path, engine, 0.1)
    wait_for_start(tmp_path)
    interrupted = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    assert time.monotonic() - interrupted < 8
    assert errors.strip().endswith(b"KeyboardInterrupt")
    assert not list(temporaries(tmp_path))
    before = len(outputs(tmp_path))
    assert before < len(texts)
    assert repair(tmp_path / "texts", tmp_path / "new", engine=engine).written_count == len(texts) - before
    assert outputs(tmp_path) == texts
