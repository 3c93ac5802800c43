"""Which files the command reads, and how: walks, standard input, long files, files that change."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import threading
import time
import unicodedata
from typing import TYPE_CHECKING

import command
import leadbyte
import oracle
import pytest
import strategies
from leadbyte.cli import files
from leadbyte.cli.files import BLOCK, MIN_SHARED_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VALID, INVALID, ERROR = 0, 1, 2
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


def test_names_with_and_without_a_walk(tree: Path) -> None:
    assert listed("b", "a", cwd=tree) == ["b", os.path.join("a", "deep", "bad")]


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"])
def test_version_control_is_skipped(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "object").write_bytes(b"\xff")
    assert listed(".", cwd=tmp_path) == []
    # But what is named is checked.
    assert listed(name, cwd=tmp_path) == [os.path.join(name, "object")]


def test_other_hidden_files_are_checked(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / ".hidden").write_bytes(b"\xff")
    assert len(listed(".", cwd=tmp_path)) == 1


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


REPLACED_BY_A_FIFO = """
import os, sys
from leadbyte.cli import run
real = os.scandir

class Listed:
    def __init__(self, path):
        with real(path) as entries:
            self.entries = list(entries)
        for entry in self.entries:
            entry.is_file(follow_symlinks=False)
            os.unlink(entry.path)
            os.mkfifo(entry.path)
    def __enter__(self):
        return iter(self.entries)
    def __exit__(self, *_):
        pass

os.scandir = Listed
sys.exit(run())
"""


@posix_only
def test_file_that_becomes_a_fifo_after_it_was_listed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    done = command.run("check", "--verbose", ".", cwd=tmp_path, program=REPLACED_BY_A_FIFO)
    assert done.code == VALID
    assert done.lines[0] == "./file: skipped: not a regular file"


def test_entry_whose_type_is_unknown(tree: Path) -> None:
    program = f"""
import os
real = os.scandir

class Untold:
    def __init__(self, entry):
        self.name, self.path = entry.name, entry.path
    def is_symlink(self):
        raise PermissionError(13, "Permission denied", self.path)

class Listed:
    def __init__(self, path):
        with real(path) as entries:
            self.entries = [Untold(entry) if entry.name == "a" else entry for entry in entries]
    def __enter__(self):
        return iter(self.entries)
    def __exit__(self, *_):
        pass

os.scandir = Listed
{command.RUN}"""
    done = command.run("check", "--list", ".", cwd=tree, program=program)
    assert (done.code, done.lines) == (ERROR, [os.path.join(".", "b")])
    assert done.err == f"leadbyte: {os.path.join('.', 'a')}: Permission denied\n"


@posix_only
def test_file_that_vanishes_after_it_was_listed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    program = REPLACED_BY_A_FIFO.replace("os.mkfifo(entry.path)", "pass")
    done = command.run("check", ".", cwd=tmp_path, program=program)
    assert (done.code, done.err) == (ERROR, "leadbyte: ./file: No such file or directory\n")


def test_directory_that_cannot_be_listed(tree: Path) -> None:
    program = f"""
import os
real = os.scandir

def scandir(path):
    if os.path.basename(path) == "a":
        raise PermissionError(13, "Permission denied", path)
    return real(path)

os.scandir = scandir
{command.RUN}"""
    done = command.run("check", "--list", ".", cwd=tree, program=program)
    assert (done.code, done.lines) == (ERROR, [os.path.join(".", "b")])
    assert done.err == f"leadbyte: {os.path.join('.', 'a')}: Permission denied\n"


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
    """What is not there yet is waited for."""
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


@pytest.mark.parametrize("readers", [1, 2, 5])
@pytest.mark.parametrize("length", [0, 5, BLOCK, MIN_SHARED_BYTES + 1, 9 * MIN_SHARED_BYTES])
def test_progress_comes_to_the_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int, readers: int
) -> None:
    monkeypatch.setattr(files, "READERS", readers)
    (tmp_path / "file").write_bytes(bytes(length))
    steps: list[int] = []
    reader = files.Reader(errors=1, binary=True, advance=steps.append)
    assert reader.scan(str(tmp_path / "file"), named=True).byte_count == length
    assert sum(steps) == length


def test_long_file_without_a_thread_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    (tmp_path / "file").write_bytes(bytes(9 * MIN_SHARED_BYTES))
    reader = files.Reader(errors=1, binary=True, advance=lambda _: None)
    assert reader.scan(str(tmp_path / "file"), named=True).byte_count == 9 * MIN_SHARED_BYTES


def test_readers_once_stopped_stay_stopped(tmp_path: Path) -> None:
    """Another reader may stop all of them while this one merges a block."""
    with (tmp_path / "file").open("w+b", buffering=0) as file:
        shared = files.Shared(file, leadbyte.Scanner(), 1, lambda _: None)

        class Waiting(dict[int, tuple[leadbyte.Scanner, int]]):
            def __contains__(self, block: object) -> bool:
                shared.stopped = True
                return super().__contains__(block)

        shared.waiting = Waiting({0: (leadbyte.Scanner(), BLOCK)})
        shared.merge_waiting()
        assert shared.stopped


# The file changes between two reads, seen from whichever of the readers comes first.
CHANGING = f"""
import io, os, sys, threading
lock = threading.Lock()
state = {{"reads": 0}}

def once(change):
    with lock:
        state["reads"] += 1
        if state["reads"] == 3:
            change()

def changed():
    {{change}}

real = os.preadv

def preadv(*arguments):
    once(changed)
    return real(*arguments)

os.preadv = preadv
{command.RUN}"""


@posix_only
@pytest.mark.parametrize("command_name", ["check", "count"])
@pytest.mark.parametrize(
    "length", [0, 1, BLOCK, 2 * BLOCK + 1, 30 * BLOCK, 100 * BLOCK], ids=lambda length: f"to {length}"
)
def test_file_that_changes_its_length_while_read(tmp_path: Path, length: int, command_name: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * (40 * BLOCK))
    program = CHANGING.replace("{change}", f"os.truncate('file', {length})")
    done = command.run(command_name, "--json", "file", cwd=tmp_path, program=program)
    assert (done.code, done.err) == (VALID, "")
    read = done.objects[0]["byte_count"]
    assert BLOCK <= read <= max(40 * BLOCK, length)
    assert done.objects[0]["valid"] is True


@posix_only
def test_error_while_reading(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a" * (40 * BLOCK))
    (tmp_path / "next").write_bytes(b"\xff")
    program = CHANGING.replace("{change}", f"raise OSError({errno.EIO}, 'Input/output error')")
    done = command.run("check", "--list", "file", "next", cwd=tmp_path, program=program)
    assert (done.code, done.err) == (ERROR, "leadbyte: file: Input/output error\n")
    assert done.lines == ["next"]


@posix_only
def test_readers_without_preadv(tmp_path: Path) -> None:
    """Some systems have none; then the readers take turns."""
    data = dict(LONG)["errors 3 before the edges"]
    (tmp_path / "file").write_bytes(data)
    program = f"import os; del os.preadv; {command.RUN}"
    done = command.run("check", "--json", "file", cwd=tmp_path, program=program)
    assert done == command.run("check", "--json", "file", cwd=tmp_path)


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
    assert done.out.isascii()
    found = [os.path.basename(each["path"].encode("utf-8", "surrogateescape")) for each in done.objects[:-1]]
    assert sorted(found) == sorted(NAMES)
