"""Which files the command reads, and how: walks, standard input, long files, files that change."""

from __future__ import annotations

import errno
import gc
import os
import socket
import subprocess
import sys
import threading
import time
import unicodedata
from base64 import b64decode
from typing import TYPE_CHECKING

import command
import leadbyte
import oracle
import pytest
import strategies
from leadbyte._files.reading import BLOCK
from leadbyte._leadbyte import _FileReader
from leadbyte.cli import files, main
from leadbyte.cli.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

VALID, INVALID, ERROR = 0, 1, 2
# The length in bytes from which on several threads scan a file.
MIN_SHARED_BYTES = 4 * BLOCK
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Yield a directory that holds a bit of everything."""
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "bad").write_bytes(b"\xff")
    (tmp_path / "a" / "good").write_bytes(b"text\n")
    (tmp_path / "a" / "empty").write_bytes(b"")
    (tmp_path / "b").write_bytes(b"\xfe")
    (tmp_path / "binary").write_bytes(b"\xff\0" * 10)
    return tmp_path


def listed(*arguments: str, cwd: Path) -> list[str]:
    return command.run("check", "--list", *arguments, cwd=cwd).lines


def test_walk_in_the_order_of_names(tree: Path) -> None:
    assert listed(".", cwd=tree) == [os.path.join(".", "a", "deep", "bad"), os.path.join(".", "b")]


def test_summary_of_a_walk(tree: Path) -> None:
    done = command.run("check", ".", cwd=tree)
    assert done.lines[-1] == ("4 files checked (7 bytes, 7 chars): 2 not valid UTF-8; 1 binary file skipped")


def test_a_run_leaves_nothing_in_memory(tree: Path) -> None:
    assert main(["check", str(tree)]) == INVALID
    gc.collect()
    assert not [found for found in gc.get_objects() if type(found) is Reading]


def test_names_with_and_without_a_walk(tree: Path) -> None:
    assert listed("b", "a", cwd=tree) == ["b", os.path.join("a", "deep", "bad")]


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"])
def test_version_control_is_skipped(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "object").write_bytes(b"\xff")
    assert listed(".", cwd=tmp_path) == []
    # But a named file is checked.
    assert listed(name, cwd=tmp_path) == [os.path.join(name, "object")]


def test_binary_files_are_counted_and_named_when_verbose(tree: Path) -> None:
    done = command.run("check", "--verbose", ".", cwd=tree)
    assert f".{os.sep}binary: skipped: binary" in done.lines
    assert command.run("check", "--json", ".", cwd=tree).objects[-1]["summary"]["binary"] == 1


def test_binary_files_are_checked_when_asked_for(tree: Path) -> None:
    assert os.path.join(".", "binary") in listed("--binary", ".", cwd=tree)


def test_named_binary_file_is_checked(tree: Path) -> None:
    assert listed("binary", cwd=tree) == ["binary"]


@pytest.mark.parametrize(("place", "binary"), [(0, True), (8191, True), (8192, False)])
def test_binary_is_what_holds_a_nul_in_its_first_8_kib(tmp_path: Path, place: int, *, binary: bool) -> None:
    data = bytearray(b"a" * 10_000 + b"\xff")
    data[place] = 0
    (tmp_path / "file").write_bytes(data)
    done = command.run("check", "--json", ".", cwd=tmp_path)
    assert done.objects[-1]["summary"]["binary"] == binary
    assert done.code == (VALID if binary else INVALID)


@posix_only
@pytest.mark.parametrize("command_name", ["check", "count"])
def test_walk_opens_regular_files_only(tmp_path: Path, command_name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "bad").write_bytes(b"\xff")
    walk = tmp_path / "walk"
    walk.mkdir()
    (walk / "directory link").symlink_to("../elsewhere")
    (walk / "file link").symlink_to("../elsewhere/bad")
    (walk / "dangling link").symlink_to("nowhere")
    (walk / "loop").symlink_to("loop")
    (walk / "up").symlink_to("..")
    (walk / "device link").symlink_to("/dev/zero")
    os.mkfifo(walk / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(walk)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        done = command.run(command_name, "--verbose", "walk", cwd=tmp_path)
    assert (done.code, done.err) == (VALID, "")
    skipped = [line for line in done.lines if "skipped" in line]
    assert skipped == [
        "walk/dangling link: skipped: link",
        "walk/device link: skipped: link",
        "walk/directory link: skipped: link",
        "walk/fifo: skipped: not a regular file",
        "walk/file link: skipped: link",
        "walk/loop: skipped: link",
        "walk/socket: skipped: not a regular file",
        "walk/up: skipped: link",
    ]


@posix_only
def test_named_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "bad").write_bytes(b"\xff")
    (tmp_path / "directory").symlink_to("elsewhere")
    (tmp_path / "file").symlink_to("elsewhere/bad")
    assert listed("directory", "file", cwd=tmp_path) == ["directory/bad", "file"]


def reader_of(
    *paths: Path,
    task: str = "scan",
    jobs: int = 2,
    waiting: Callable[[], None] = lambda: None,
) -> _FileReader:
    """Return what the command reads the files of paths with."""
    return _FileReader(
        [str(path) for path in paths],
        task,
        directories=True,
        ignore=True,
        hidden=False,
        exclude=[],
        jobs=jobs,
        errors=1,
        binary=True,
        tables=([], [], False),
        waiting=waiting,
    )


@posix_only
def test_files_that_are_replaced_after_they_were_listed(tmp_path: Path) -> None:
    """They are listed at once, but only some of them are read ahead."""
    for number in range(1000):
        (tmp_path / f"{number:03}").write_bytes(b"text")
    reader = reader_of(tmp_path)
    assert isinstance(next(reader)[2], leadbyte.Scanner)
    for name in ("997", "998", "999"):
        (tmp_path / name).unlink()
    os.mkfifo(tmp_path / "997")
    (tmp_path / "998").symlink_to("000")
    *_, fifo, link, vanished = (result for _, _, result in reader)
    assert fifo == "not a regular file"
    assert (type(link), getattr(link, "errno", 0)) == (OSError, errno.ELOOP)
    assert isinstance(vanished, FileNotFoundError)
    assert (vanished.errno, vanished.strerror) == (errno.ENOENT, os.strerror(errno.ENOENT))


@posix_only
def test_directory_that_cannot_be_listed(tmp_path: Path) -> None:
    """Its path is longer than the system allows."""
    name = "d" * 250
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(20):
            os.mkdir(name)
            os.chdir(name)
    finally:
        os.chdir(here)
    (tmp_path / "e").write_bytes(b"\xff")
    done = command.run("check", "--list", ".", cwd=tmp_path)
    assert (done.code, done.lines) == (ERROR, [os.path.join(".", "e")])
    path = os.path.join(".", *[name] * 16)
    assert done.err.startswith(f"leadbyte: {path}")
    assert done.err.endswith(f": {os.strerror(errno.ENAMETOOLONG)}\n")


def test_deep_tree(tmp_path: Path) -> None:
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(500):
            os.mkdir("d")
            os.chdir("d")
        with open("bad", "wb") as file:
            file.write(b"\xff")
    finally:
        os.chdir(here)
    assert len(listed(".", cwd=tmp_path)) == 1


@posix_only
def test_named_device() -> None:
    assert command.run("check", "--verbose", "/dev/null").lines[0] == "/dev/null: valid, 0 chars"


@posix_only
@pytest.mark.parametrize("length", [0, 5, BLOCK, 3 * MIN_SHARED_BYTES])
def test_named_fifo(tmp_path: Path, length: int) -> None:
    data = b"a" * length + b"\xff"
    os.mkfifo(tmp_path / "fifo")

    def write() -> None:
        with open(tmp_path / "fifo", "wb") as fifo:
            fifo.write(data)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    done = command.run("check", "--json", "fifo", cwd=tmp_path)
    writer.join(10)
    assert done.code == INVALID
    assert (done.objects[0]["byte_count"], done.objects[0]["errors"][0]["start"]) == (length + 1, length)


@posix_only
def test_process_substitution() -> None:
    read, write = os.pipe()
    os.write(write, b"text\xff")
    os.close(write)
    process = subprocess.run(
        command.command_line("check", "--list", f"/dev/fd/{read}"),
        pass_fds=[read],
        capture_output=True,
        timeout=60,
        check=False,
    )
    os.close(read)
    assert (process.returncode, process.stdout) == (INVALID, f"/dev/fd/{read}\n".encode())


# Errors that lie across the edges of blocks, of every length, and joined ones.
def long_samples() -> Iterator[tuple[str, bytes]]:
    for length in (
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        MIN_SHARED_BYTES - 1,
        MIN_SHARED_BYTES,
        MIN_SHARED_BYTES + 1,
        MIN_SHARED_BYTES + BLOCK,
        9 * BLOCK + 7,
    ):
        yield f"text of {length}", bytes(strategies.filled(length))
    broken = ["FF", "E2 82", "C0 B1", "F0 9F 98", "F4 90 80 80", "FE 80 80 80 80 80 80", "80 80 80 80"]
    for before in range(1, 7):
        data = strategies.filled(8 * BLOCK + 9, "я€\n".encode() * 4 + b"line\n")
        for edge, sequence in enumerate(broken, 1):
            at = edge * BLOCK - before
            data[at : at + len(bytes.fromhex(sequence))] = bytes.fromhex(sequence)
        yield f"errors {before} before the edges", bytes(data)
    yield "characters over the edges", b"a" + "😀".encode() * (BLOCK // 2)
    yield "errors in every line", (b"\xff\xc0\xb1" + b"x" * 36 + b"\n") * (MIN_SHARED_BYTES // 30)
    yield "an error at the very end", b"a" * (MIN_SHARED_BYTES + BLOCK - 1) + b"\xe2"
    yield "continuation bytes over the edges", (b"a" * (BLOCK - 500) + b"\x80" * 500) * 6


LONG = list(long_samples())


@pytest.mark.once
@pytest.mark.parametrize("data", [data for _, data in LONG], ids=[name for name, _ in LONG])
def test_long_file_reads_like_standard_input(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with path.open("rb") as file:
        from_file = command.run("check", "--json", "--max-errors=50", "-", stdin=file)
    named = command.run("check", "--json", "--max-errors=50", "file", cwd=tmp_path)
    piped = command.run("check", "--json", "--max-errors=50", "-", data=data)
    assert from_file == piped
    assert named.code == piped.code
    assert named.objects[0] == {**piped.objects[0], "path": "file"}
    assert named.objects[1] == piped.objects[1]
    found = named.objects[0]
    expected = oracle.scan(data)
    assert {name: found[name] for name in expected if name != "error"} == {
        name: value for name, value in expected.items() if name != "error"
    }
    if not expected["valid"]:
        first = found["errors"][0]
        assert (first["start"], first["reason"]) == (expected["error"].start, expected["error"].reason)
        for error in found["errors"]:
            assert (error["line"], error["column"]) == oracle.place(data, error["start"])
            assert data[error["start"] : error["end"]].hex(" ") == error["bytes"]
            assert error["before"] == data[max(0, error["start"] - 8) : error["start"]].hex(" ")
            assert error["after"] == data[error["end"] : error["end"] + 8].hex(" ")


@pytest.mark.parametrize("length", [10, BLOCK + 10, 3 * MIN_SHARED_BYTES])
def test_standard_input_that_was_read_in_part(tmp_path: Path, length: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff" * 5 + b"a" * length)
    with path.open("rb", buffering=0) as file:
        file.seek(5)
        done = command.run("check", "--json", "-", stdin=file)
    assert (done.code, done.objects[0]["byte_count"]) == (VALID, length)


@pytest.mark.parametrize("length", [10, BLOCK, BLOCK + 10, 3 * MIN_SHARED_BYTES])
def test_standard_input_is_read_to_its_end(tmp_path: Path, length: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * length)
    with path.open("rb", buffering=0) as file:
        done = command.run("check", "--json", "-", "-", stdin=file)
    assert [found["byte_count"] for found in done.objects[:2]] == [length, 0]


def test_standard_input_in_small_pieces() -> None:
    process = command.start("check", "--json", "-")
    assert process.stdin is not None
    for byte in "мир €".encode() + b"\xff":
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    done = command.finish(process)
    assert (done.code, done.objects[0]["byte_count"], done.objects[0]["error_count"]) == (INVALID, 11, 1)


def test_a_file_named_like_standard_input(tmp_path: Path) -> None:
    (tmp_path / "-").write_bytes(b"\xff")
    assert command.run("check", os.path.join(".", "-"), cwd=tmp_path).code == INVALID
    assert command.run("check", "-", cwd=tmp_path, data=b"text").code == VALID


@posix_only
@pytest.mark.parametrize("length", [0, BLOCK])
def test_standard_input_that_does_not_block(length: int) -> None:
    """The command waits for data that is not there yet."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    process = command.start("check", "--json", "-", stdin=read)
    os.close(read)
    with open(write, "wb") as pipe:
        for piece in [b"a" * length, b"b", b"\xff"]:
            pipe.write(piece)
            pipe.flush()
            time.sleep(0.3)
    done = command.finish(process)
    assert (done.code, done.objects[0]["byte_count"]) == (INVALID, length + 2)


@posix_only
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", ["count --json", "detect", "check --json"])
def test_standard_output_that_does_not_block(tmp_path: Path, line: str, unbuffered: str) -> None:
    """The command waits until its output is read."""
    for number in range(1200):
        (tmp_path / f"{number:0100}").write_bytes(b"caf\xc3\xa9\n")
    whole = command.run(*line.split(), ".", cwd=tmp_path)
    read, write = os.pipe()
    os.set_blocking(write, False)
    environment = command.environment(PYTHONUNBUFFERED=unbuffered)
    options = [sys.executable, "-m", "leadbyte", *line.split(), "."]
    process = subprocess.Popen(options, cwd=tmp_path, env=environment, stdout=write)
    os.close(write)
    time.sleep(0.5)
    with open(read, encoding="utf-8") as pipe:
        printed = pipe.read()
    assert len(whole.out) > 1 << 16
    assert (process.wait(), printed) == (whole.code, whole.out)


@pytest.mark.parametrize("length", [0, 5, BLOCK, MIN_SHARED_BYTES + 1, 9 * MIN_SHARED_BYTES])
def test_progress_comes_to_the_length(tmp_path: Path, length: int) -> None:
    (tmp_path / "file").write_bytes(bytes(length))
    steps: list[int] = []
    reader = files.Reader(errors=1, binary=True, advance=steps.append)
    assert reader.scan(str(tmp_path / "file"), named=True).byte_count == length
    assert sum(steps) == length
    for jobs in (1, 2, 5):
        read = reader_of(tmp_path / "file", jobs=jobs)
        [(_, named, scanner)] = read
        assert named
        assert isinstance(scanner, leadbyte.Scanner)
        assert scanner.byte_count == read._take_byte_count() == length
        assert read._take_byte_count() == 0


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("data", [data for _, data in LONG], ids=[name for name, _ in LONG])
def test_long_file_on_any_number_of_threads(tmp_path: Path, data: bytes, jobs: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    [(_, _, scanner)] = reader_of(path, jobs=jobs)
    assert isinstance(scanner, leadbyte.Scanner)
    assert scanner.finish() == leadbyte.scan(data)


@pytest.mark.parametrize("command_name", ["check", "count", "detect", "repair -i"])
def test_output_is_the_same_on_any_number_of_threads(tmp_path: Path, command_name: str) -> None:
    for number in range(300):
        (tmp_path / f"{number % 7}").mkdir(exist_ok=True)
        data = b"caf\xe9 " * number if number % 5 == 0 else b"text\n" * number
        (tmp_path / f"{number % 7}" / f"{number:03}").write_bytes(data)
    (tmp_path / "3" / "long").write_bytes(b"a" * (MIN_SHARED_BYTES + 7) + b"\xff")
    name, *options = command_name.split()
    outputs = []
    for jobs in ("1", "2", "7"):
        arguments = [name, *options, *(["--dry-run"] if options else []), "--json", "--jobs", jobs, "."]
        outputs.append(command.run(*arguments, cwd=tmp_path))
    assert outputs[0] == outputs[1] == outputs[2]
    paths = [each["path"] for each in outputs[0].objects[:-1]]
    assert paths == sorted(paths)
    assert len(paths) == 301


@pytest.mark.parametrize("number", ["0", "-1", "x", ""])
def test_wrong_number_of_threads(number: str) -> None:
    done = command.run("check", f"--jobs={number}", "-")
    assert done.code == ERROR
    assert "argument -j/--jobs: must be an integer, 1 or more" in done.err


def test_valid_files_are_folded(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number:02}").write_bytes(b"\xff" if number in {40, 41} else "я".encode())
    found = list(reader_of(tmp_path, task="fold"))
    alone = [os.fsdecode(path)[-2:] for path, _, result in found if not isinstance(result, tuple)]
    assert alone == ["40", "41"]
    sums = [result for _, _, result in found if isinstance(result, tuple)]
    assert [sum(column) for column in zip(*sums, strict=True)] == [98, 196, 98]
    assert command.run("check", str(tmp_path)).lines[-1] == (
        "100 files checked (198 bytes, 100 chars): 2 not valid UTF-8"
    )


@posix_only
def test_file_that_changes_its_length_while_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for length in (0, 1, BLOCK, 2 * BLOCK + 1, 30 * BLOCK, 400 * BLOCK):
        path.write_bytes(b"")
        os.truncate(path, 100 * BLOCK)
        change = threading.Timer(0.002, os.truncate, (path, length))
        change.start()
        [(_, _, scanner)] = reader_of(path)
        change.join()
        assert isinstance(scanner, leadbyte.Scanner)
        assert scanner.finish().valid
        assert min(100 * BLOCK, length) <= scanner.byte_count <= max(100 * BLOCK, length)


@pytest.mark.skipif(sys.platform != "linux", reason="a file of Linux")
def test_error_while_reading(tmp_path: Path) -> None:
    (tmp_path / "next").write_bytes(b"\xff")
    done = command.run("check", "--list", "/proc/self/mem", "next", cwd=tmp_path)
    assert (done.code, done.err) == (ERROR, "leadbyte: /proc/self/mem: Input/output error\n")
    assert done.lines == ["next"]


@pytest.mark.once
def test_waiting_is_reported(tmp_path: Path) -> None:
    make(tmp_path, file="")
    os.truncate(tmp_path / "file", 512 << 20)
    waited: list[None] = []
    [(_, _, scanner)] = reader_of(tmp_path / "file", jobs=1, waiting=lambda: waited.append(None))
    assert isinstance(scanner, leadbyte.Scanner)
    assert waited


def test_error_of_what_is_called_while_waiting(tmp_path: Path) -> None:
    """As an interrupt: it ends the reading at once, whatever there is left to read."""
    make(tmp_path, file="")
    os.truncate(tmp_path / "file", 8 << 30)

    def stop() -> None:
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(reader_of(tmp_path / "file", waiting=stop))
    assert time.monotonic() - started < 10


# Which files are left out.


def make(top: Path, **contents: str) -> None:
    """Make files; in their names, two underscores are a slash, and one is a dot."""
    for name, content in contents.items():
        path = top / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def checked(*arguments: str, cwd: Path) -> list[str]:
    """Return the paths that the command checks, with slashes."""
    found = command.run("check", "--json", *arguments, cwd=cwd).objects[:-1]
    return [each["path"].replace(os.sep, "/").removeprefix("./") for each in found]


def test_ignored_files(tmp_path: Path) -> None:
    make(
        tmp_path,
        _gitignore="*.log\n/build/\n!kept.log\n",
        _ignore="secret*\n",
        a_log="", kept_log="", build__x="", deep__build__x="", deep__b_log="", secret1="", text="",
        deep___gitignore="!b.log\n",
    )  # fmt: skip
    assert checked(".", cwd=tmp_path) == ["deep/b.log", "deep/build/x", "kept.log", "text"]
    done = command.run("check", ".", cwd=tmp_path)
    assert done.lines == ["4 files checked (0 bytes, 0 chars): all valid UTF-8; 3 ignored; 3 hidden"]
    summary = command.run("check", "--json", ".", cwd=tmp_path).objects[-1]["summary"]
    assert (summary["ignored"], summary["hidden"]) == (3, 3)
    verbose = command.run("check", "--verbose", ".", cwd=tmp_path).lines
    assert f".{os.sep}build: skipped: ignored" in verbose
    assert f".{os.sep}.ignore: skipped: hidden" in verbose
    everything = checked("--no-ignore", ".", cwd=tmp_path)
    assert everything == ["a.log", "build/x", "deep/b.log", "deep/build/x", "kept.log", "secret1", "text"]


def test_named_files_are_read_whatever_is_ignored(tmp_path: Path) -> None:
    make(tmp_path, _gitignore="*.log\nbuild/\n", a_log="", build__x="", _hidden="")
    assert checked("a.log", "build", ".hidden", cwd=tmp_path) == ["a.log", "build/x", ".hidden"]
    assert checked("a.log", "--exclude=*.log", cwd=tmp_path) == ["a.log"]


def test_hidden_files(tmp_path: Path) -> None:
    make(tmp_path, _github__workflow="", _hidden="", text="", deep___x="")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "object").write_bytes(b"")
    assert checked(".", cwd=tmp_path) == ["text"]
    assert checked("--hidden", ".", cwd=tmp_path) == [".github/workflow", ".hidden", "deep/.x", "text"]
    make(tmp_path, _gitignore="!.hidden\n")
    assert checked(".", cwd=tmp_path) == [".hidden", "text"]


def test_excluded_files(tmp_path: Path) -> None:
    make(tmp_path, a_txt="", b_md="", deep__a_txt="", deep__c_md="", build__d_md="")
    assert checked("--exclude=*.txt", ".", cwd=tmp_path) == ["b.md", "build/d.md", "deep/c.md"]
    assert checked("--exclude=*.txt", "--exclude=/build", ".", cwd=tmp_path) == ["b.md", "deep/c.md"]
    assert checked("--exclude=deep/*.md", "deep", ".", cwd=tmp_path) == [
        *["deep/a.txt", "deep/c.md", "a.txt", "b.md", "build/d.md", "deep/a.txt"]
    ]
    done = command.run("check", "--exclude=*.txt", "--verbose", ".", cwd=tmp_path)
    assert f".{os.sep}a.txt: skipped: excluded" in done.lines
    assert done.lines[-1].endswith("; 2 ignored")
    # It is about the command line, not about Git.
    assert checked("--no-ignore", "--exclude=*.txt", ".", cwd=tmp_path) == ["b.md", "build/d.md", "deep/c.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are not UTF-8")
def test_patterns_are_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9")).write_bytes(b"\xff")
    done = command.run("check", os.fsdecode(b"--exclude=caf\xe9"), ".", cwd=tmp_path)
    assert (done.code, done.lines[-1][-9:]) == (0, "1 ignored")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a[b", "a bracket is not closed"),
        ("a[[:vowel:]]", "a character class is unknown"),
        ("a\\", "nothing follows a backslash"),
    ],
)
def test_pattern_that_is_none(tmp_path: Path, pattern: str, reason: str) -> None:
    done = command.run("check", f"--exclude={pattern}", ".", cwd=tmp_path)
    assert (done.code, done.out) == (ERROR, "")
    assert f"error: argument --exclude: {reason} in the pattern {pattern}\n" in done.err


def test_patterns_of_the_directories_above(tmp_path: Path) -> None:
    make(
        tmp_path,
        _gitignore="*.outside\n",
        repository___gitignore="*.log\n/deep/only.txt\n",
        repository___ignore="*.tmp\n",
        repository__deep__a_log="", repository__deep__a_tmp="", repository__deep__a_outside="",
        repository__deep__only_txt="", repository__deep__a_excluded="",
    )  # fmt: skip
    deep = tmp_path / "repository" / "deep"
    # Without a repository, the .gitignore files above are not known to belong to the same tree.
    assert checked(".", cwd=deep) == ["a.excluded", "a.log", "a.outside", "only.txt"]
    (tmp_path / "repository" / ".git" / "info").mkdir(parents=True)
    (tmp_path / "repository" / ".git" / "info" / "exclude").write_text("*.excluded\n")
    assert checked(".", cwd=deep) == ["a.outside"]
    assert checked(".", cwd=deep.parent) == ["deep/a.outside"]
    assert checked("--no-ignore", ".", cwd=deep) == [
        *["a.excluded", "a.log", "a.outside", "a.tmp", "only.txt"]
    ]


@pytest.mark.parametrize("name", ["count", "detect", "repair -n", "convert -n -f utf-8", "bom check"])
def test_all_commands_leave_out_the_same_files(tmp_path: Path, name: str) -> None:
    make(tmp_path, _gitignore="*.log\n", a_log="x", b_txt="x", c_md="x", _hidden="x")
    done = command.run(*name.split(), "--json", "--exclude=*.md", ".", cwd=tmp_path)
    assert [os.path.basename(each["path"]) for each in done.objects[:-1]] == ["b.txt"]
    summary = done.objects[-1]["summary"]
    assert (summary["ignored"], summary["hidden"]) == (2, 2)


# Paths that are not given, and lists.


def test_without_a_path_the_current_directory_is_read(tree: Path) -> None:
    assert command.run("check", cwd=tree) == command.run("check", ".", cwd=tree)
    assert command.run("detect", cwd=tree) == command.run("detect", ".", cwd=tree)


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        ("count -m", "5 -\n"),
        ("repair", "caf\ufffd\n"),
        ("convert --from latin-1", "café\n"),
        ("normalize", None),
    ],
)
def test_without_a_path_standard_input_is_filtered(tmp_path: Path, arguments: str, out: str | None) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    if out is None:
        assert command.run(*arguments.split(), data="u\u0308".encode(), cwd=tmp_path).out == "ü"
        return
    assert command.run(*arguments.split(), data=b"caf\xe9\n", cwd=tmp_path).out == out


@pytest.mark.parametrize("arguments", ["repair", "convert -f latin-1", "normalize"])
def test_in_place_requires_a_path(arguments: str) -> None:
    done = command.run(*arguments.split(), "-i")
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.endswith("error: argument -i/--in-place: requires PATH\n")


@posix_only
def test_names_terminated_by_nuls(tmp_path: Path) -> None:
    names = [b"caf\xe9", b"esc\x1b", b"new\nline"]
    for name in names:
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(leadbyte.BOM + b"\xff")
    for arguments in (["check", "--list", "-0"], ["bom", "check", "--list", "--null"]):
        code, out, err = command.run_binary(*arguments, ".", cwd=tmp_path)
        assert (code, out, err) == (INVALID, b"".join(b"./%b\0" % name for name in names), "")


NAMES = [
    b"new\nline",
    b"esc\x1b[31mape",
    b"[red]markup[bold]",
    b"tab\tbell\x07",
    b"caf\xe9",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "файл €😀".encode(),
    "right\u202eleft".encode(),
    "full\u3000width no\u00a0break".encode(),
    b" spaces ",
    b"back\\slash",
    b"quote'\"",
    b"-",
    b"--help",
    b"\xc2\x9b31m",
]


def expected_name(name: bytes) -> str:
    """Return a name as it is printed: with escapes for all that is not for printing."""
    decoded = name.decode("utf-8", "surrogateescape")
    shown = ""
    for char in decoded:
        if char.isprintable() or unicodedata.category(char) == "Zs":
            shown += char
        elif "\udc80" <= char <= "\udcff":
            shown += f"\\x{ord(char) - 0xDC00:02x}"
        else:
            shown += ascii(char)[1:-1]
    return shown


@posix_only
@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_names_are_printed_safely(tmp_path: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "wb") as file:
        file.write(b"\xff")
    shown = expected_name(path)
    messages = command.run("check", path)
    assert messages.lines[0] == f"{shown}:1:1: byte 0: FF never occurs in UTF-8: [ff]"
    assert command.run("check", "--list", path).out == shown + "\n"
    assert command.run("count", "-c", path).out == f"1 {shown}\n"
    walked = command.run("check", "--list", tmp_path)
    assert walked.out == shown + "\n"


@posix_only
@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_names_of_missing_files_are_printed_safely(tmp_path: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    done = command.run("check", path)
    assert done.err == f"leadbyte: {expected_name(path)}: No such file or directory\n"


@posix_only
@pytest.mark.parametrize("command_name", ["check", "count"])
def test_names_in_json_give_the_bytes_back(tmp_path: Path, command_name: str) -> None:
    for name in NAMES:
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(b"text")
    done = command.run(command_name, "--json", tmp_path)
    paths = [
        b64decode(each["path_bytes"]) if "path_bytes" in each else each["path"].encode()
        for each in done.objects[:-1]
    ]
    assert sorted(map(os.path.basename, paths)) == sorted(NAMES)
    for path, each in zip(paths, done.objects, strict=False):
        assert each["path"] == path.decode(errors="replace")
        assert ("path_bytes" in each) == ("\ufffd" in each["path"])
