"""The command in a hostile or unlucky environment: errors without end, signals, files that vanish."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import command
import pytest
from reduced import IS_REDUCED
from test_cli_in_place import TEXT, Way, ways

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DONE, INVALID, ERROR, INTERRUPTED = 0, 1, 2, 130
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")

SMALL, LARGE = 1 << 20, 16 << 20


ERRORS = [
    ("check", INVALID), ("check --json", INVALID), ("count", DONE),
    ("repair --json -o new", DONE), ("convert -f utf-8", INVALID),
    ("convert -f utf-8 --errors replace -o new", DONE), ("normalize", INVALID),
    ("locate --byte 1000000", DONE), ("explain --byte 1000000 --file", DONE),
]  # fmt: skip


@pytest.mark.once
@posix_only
@pytest.mark.parametrize(("line", "expected"), ERRORS, ids=[line for line, _ in ERRORS])
def test_errors_without_end(tmp_path: Path, line: str, expected: int) -> None:
    (tmp_path / "small").write_bytes(b"\xff\xff\n" * (SMALL // 3))
    (tmp_path / "large").write_bytes(b"\xff\xff\n" * (LARGE // 3))
    small, large = (command.usage(*line.split(), name, cwd=tmp_path) for name in ("small", "large"))
    assert (small[0], large[0]) == (expected, expected)
    assert large[1] < small[1] + (10 << 20)
    assert large[2] < 16 * max(small[2], 0.1)


@pytest.mark.clock
@posix_only
def test_text_without_ascii_is_normalized_in_linear_time(tmp_path: Path) -> None:
    for name, length in (("small", LARGE // 2), ("large", 2 * LARGE)):
        (tmp_path / name).write_bytes("я".encode() * (length // 2))
    small, large = (command.usage("normalize", name, cwd=tmp_path).seconds for name in ("small", "large"))
    print(f"{small:.2f} s for 8 MiB, {large:.2f} s for 32 MiB")
    assert large < 8 * small


# At the event of this number that audit hooks see, as before each call of the system, signals are sent.
SIGNALS_AT_EVENT = f"""
import os, sys
left, *numbers = map(int, sys.argv.pop(1).split(","))

def count(event, _arguments):
    global left
    left -= 1
    if left == 0:
        for number in numbers:
            os.kill(os.getpid(), number)

sys.addaudithook(count)
{command.RUN}"""


@posix_only
@ways
def test_signals_at_any_moment(tmp_path: Path, way: Way) -> None:
    pairs = [
        (signal.SIGINT,), (signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGINT, signal.SIGINT),
        (signal.SIGHUP, signal.SIGTERM),
    ]  # fmt: skip
    ends = set()
    event, step = 1, 3 if IS_REDUCED else 1
    while True:
        directory = tmp_path / f"{event}"
        directory.mkdir()
        for name in ("a", "b"):
            (directory / name).write_bytes(way.old)
        sent = pairs[event % len(pairs)]
        numbers = ",".join(str(int(number)) for number in (event, *sent))
        started = time.monotonic()
        quiet = ["--quiet"] if event % 2 else []
        done = command.run(
            numbers, *way.arguments, *quiet, "--backup=~", ".", cwd=directory, program=SIGNALS_AT_EVENT
        )
        assert time.monotonic() - started < 10
        found = command.read_all(directory)
        assert {name: data for name, data in found.items() if data not in {way.old, way.new}} == {}
        assert {"a", "b"} <= found.keys() <= {"a", "b", "a~", "b~"}
        assert "Traceback" not in done.err
        if done.code == DONE:
            break
        assert done.code in {INTERRUPTED, *(-number for number in sent)}
        replaced = sorted(name for name in ("a", "b") if found[name] == way.new)
        if quiet:
            assert done.err in {"", "leadbyte: interrupted\n"}
        elif replaced and f"2 files read: {len(replaced)} " not in done.err:
            # Replaced files are counted, also if a signal came right after the renaming.
            assert re.search(rf"^leadbyte: stopped after {len(replaced)} files? \w+$", done.err, re.MULTILINE)
        ends.add(found["a"] == way.new)
        event += step
    assert ends == {False, True}


@contextlib.contextmanager
def changing(tree: Path, data: bytes) -> Iterator[None]:
    """Have a thread delete and make the files of a tree, and make other kinds of files of them."""
    stopped = threading.Event()
    chance = random.Random(3)

    def change() -> None:
        directory = tree / f"{chance.randrange(5)}"
        path = directory / f"{chance.randrange(8)}"
        kind = chance.randrange(6)
        if kind == 0:
            shutil.rmtree(directory, ignore_errors=True)
        elif kind == 1:
            directory.rename(tree / "moved")
            (tree / "moved").rename(directory)
        else:
            directory.mkdir(exist_ok=True)
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
            if kind == 2:
                os.mkfifo(path)
            elif kind == 3:
                path.mkdir()
            else:
                path.write_bytes(data)

    def run() -> None:
        while not stopped.is_set():
            with contextlib.suppress(OSError):
                change()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def make_tree(tree: Path, data: bytes) -> None:
    """Make directories with files."""
    for directory in range(5):
        (tree / f"{directory}").mkdir(parents=True)
        for name in range(8):
            (tree / f"{directory}" / f"{name}").write_bytes(data)


@posix_only
@ways
def test_files_that_vanish_or_change_while_replaced(tmp_path: Path, way: Way) -> None:
    make_tree(tmp_path / "tree", way.old)
    with changing(tmp_path / "tree", way.old):
        for _ in range(3):
            done = command.run(*way.arguments, "--quiet", "--backup=~", "tree", cwd=tmp_path)
            assert done.code in {DONE, ERROR}
            assert bool(done.err) == (done.code == ERROR)
            assert all(line.startswith("leadbyte: tree") for line in done.err.splitlines())
    for path in (tmp_path / "tree").rglob("*"):
        assert not path.name.startswith(".leadbyte-")
        assert not path.is_file() or path.read_bytes() in {way.old, way.new, b""}


CHANGED = {"No such file or directory", "Not a directory", "Is a directory"}


@posix_only
@pytest.mark.parametrize("line", ["check", "check --json", "count", "detect", "bom check", "repair -n"])
def test_files_that_vanish_or_change_while_read(tmp_path: Path, line: str) -> None:
    make_tree(tmp_path / "tree", b"\xef\xbb\xbf\xff")
    with changing(tmp_path / "tree", b"\xef\xbb\xbf\xff"):
        for _ in range(3):
            done = command.run(*line.split(), "tree", cwd=tmp_path)
            assert done.code in {DONE, INVALID, ERROR}
            assert "Traceback" not in done.err
            # A file may have become a directory, or the reverse, since its name was read.
            reasons = {line.rsplit(": ", 1)[-1] for line in done.err.splitlines()}
            assert done.code != ERROR or reasons & CHANGED


# What they print without errors of their own, and their exit code then.
PRINTING = [
    "check file", "check --json file", "check --list file", "check --list -0 file",
    "check --format github file", "count file", "count --json file",
    "detect file", "detect --json file", "bom check file", "sizes good",
    "repair file", "repair --json -n file", "convert -f cp1252 --force good", "normalize good",
    "explain --text abc", "explain --json --text abc", "locate file --byte 2", "mojibake repair good",
    "mojibake explain --file good",
    "bom add -n good", "convert --list", "--version", "--help", "check --help", "bom", "",
]  # fmt: skip


@linux_only
@pytest.mark.parametrize("line", PRINTING)
def test_outputs_that_are_full(tmp_path: Path, line: str) -> None:
    (tmp_path / "file").write_bytes(b"text\xff\n")
    (tmp_path / "good").write_bytes(TEXT.encode())
    normal = command.run(*line.split(), cwd=tmp_path)
    with open("/dev/full", "wb") as full:
        out = command.finish(command.start(*line.split(), cwd=tmp_path, stdout=full))
        both = command.finish(command.start(*line.split(), cwd=tmp_path, stdout=full, stderr=full))
        err = command.finish(command.start(*line.split(), cwd=tmp_path, stderr=full))
    assert (out.code, both.code) == (ERROR, ERROR)
    assert out.err.endswith("leadbyte: standard output: No space left on device\n")
    assert err.code == (ERROR if normal.err else normal.code)
    if not normal.err:
        assert err.out == normal.out


@linux_only
def test_messages_that_cannot_be_written_do_not_make_files_invalid(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = command.start("check", "missing", cwd=tmp_path, stderr=full)
        assert command.finish(process).code == ERROR


@posix_only
def test_closed_standard_input_is_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    for redirected in ('"$@" <&-', '"$@" <&- >&- 2>&-'):
        for line in ("check file -", "convert -q -f cp1251 -o new -"):
            done = subprocess.run(
                ["sh", "-c", redirected, "sh", *command.command_line(*line.split())],
                cwd=tmp_path,
                env=command.environment(),
                capture_output=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == ERROR, (redirected, line)


DEPTH = 250
FEW_CALLS = f"import sys; sys.setrecursionlimit({DEPTH - 50}); {command.RUN}"


def test_trees_are_deeper_than_calls_of_python(tmp_path: Path) -> None:
    """No function calls itself for each directory; the limit is lower than usual, as deep trees are slow."""
    directory = os.path.join("tree", *["d"] * DEPTH)
    deep = tmp_path / directory
    try:
        deep.mkdir(parents=True)
    except OSError:
        pytest.skip("paths are shorter here")
    (deep / "file").write_bytes(b"caf\xe9")
    (tmp_path / "out").mkdir()
    done = command.run("convert", "-q", "-f", "cp1252", "-o", "out", "tree", cwd=tmp_path, program=FEW_CALLS)
    assert done == (DONE, "", "")
    assert (tmp_path / "out" / directory / "file").read_bytes() == "café".encode()
    assert command.run("repair", "-q", "-i", "tree", cwd=tmp_path, program=FEW_CALLS) == (DONE, "", "")
    assert (deep / "file").read_bytes() == "caf\ufffd".encode()


@posix_only
@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\tb", "\u202eb", "\x9b31m"], ids=repr)
def test_names_in_annotations_are_printable(tmp_path: Path, name: str) -> None:
    (tmp_path / command.name_of(name)).write_bytes(b"\xff")
    done = command.run("check", "--format", "github", ".", cwd=tmp_path)
    assert all(line.isprintable() for line in done.lines)


@linux_only
@pytest.mark.parametrize("line", ["explain --file", "garble --encoding utf-8 --misread-as cp1251 --file"])
def test_interrupt_while_a_device_is_read(line: str) -> None:
    process = command.start("mojibake", *line.split(), "/dev/zero")
    deadline = time.monotonic() + 20
    opened = f"/proc/{process.pid}/fd"
    while not any(is_device(f"{opened}/{name}") for name in os.listdir(opened)):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert command.finish(process) == (INTERRUPTED, "", "leadbyte: interrupted\n")
    assert time.monotonic() - started < 5


def is_device(link: str) -> bool:
    """Return whether an open descriptor is of /dev/zero."""
    try:
        return os.readlink(link) == "/dev/zero"
    except OSError:
        return False


@linux_only
def test_sparse_file_that_is_longer_than_memory(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(1 << 42)
    line = "mojibake garble --encoding utf-8 --misread-as cp1251 --file file"
    assert command.run(*line.split(), cwd=tmp_path) == (ERROR, "", "leadbyte: out of memory\n")
