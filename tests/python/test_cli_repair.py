"""``leadbyte repair``: to standard output, to a file, in place."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import command
import pytest
import strategies
from leadbyte.cli import main
from leadbyte.cli.files import BLOCK

if TYPE_CHECKING:
    from pathlib import Path

DONE, TROUBLE, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
GOOD = "Съешь ещё\n".encode()
BAD = GOOD + b"caf\xe9 \xff\n"
REPORT = (
    "bad.txt:2:4: byte 21: a character of 3 bytes breaks off after 1:"
    " d1 89 d1 91 0a 63 61 66 [e9] 20 ff 0a\n"
    "bad.txt:2:6: byte 23: FF never occurs in UTF-8: d1 91 0a 63 61 66 e9 20 [ff] 0a\n"
)


def mended(data: bytes, replacement: str = "\ufffd") -> bytes:
    """Return what is to become of data."""
    assert "\ufffd" not in data.decode("utf-8", "ignore")
    return data.decode("utf-8", "replace").replace("\ufffd", replacement).encode()


def read(path: Path) -> dict[str, bytes]:
    """Return what the files of a directory hold, by name."""
    return {entry.name: entry.read_bytes() for entry in path.iterdir() if entry.is_file()}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_bytes(GOOD)
    (tmp_path / "bad.txt").write_bytes(BAD)
    return tmp_path


def repaired(*arguments: str, cwd: Path, data: bytes = b"") -> tuple[int, bytes, str]:
    """Run the command; return its exit code and what it wrote, standard output as bytes."""
    done = subprocess.run(
        command.command_line("repair", *arguments),
        cwd=cwd,
        input=data,
        env=command.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


# To standard output.


def test_to_standard_output(files: Path) -> None:
    before = read(files)
    summary = "1 file read (25 bytes): 1 repaired, 2 errors replaced\n"
    assert repaired("bad.txt", cwd=files) == (DONE, mended(BAD), REPORT + summary)
    assert read(files) == before


def test_valid_text_passes_in_silence(files: Path) -> None:
    assert repaired("good.txt", cwd=files) == (DONE, GOOD, "")
    assert repaired("-", cwd=files, data=b"") == (DONE, b"", "")


@pytest.mark.parametrize("data", [*strategies.BROKEN, b"a\n".join(strategies.BROKEN)], ids=len)
@pytest.mark.parametrize("block", [4, 5, 64, BLOCK])
def test_as_cpython_replaces(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    data: bytes,
    block: int,
) -> None:
    monkeypatch.setattr("leadbyte.cli.repair.BLOCK", block)
    data = "é€😀".encode() + data + "é€😀".encode() + data
    (tmp_path / "file").write_bytes(data)
    assert main(["repair", "--quiet", str(tmp_path / "file")]) == DONE
    assert capfdbinary.readouterr() == (mended(data), b"")


def test_several_files_are_joined_but_not_their_characters(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\xe2")
    (tmp_path / "b").write_bytes(b"\x82\xacb")
    code, out, err = repaired("a", "-", "b", cwd=tmp_path, data=b"-\xf0")
    assert (code, out.decode()) == (DONE, "a\ufffd-\ufffd\ufffd\ufffdb")
    assert err.endswith("3 files read (7 bytes): 3 repaired, 4 errors replaced\n")


@pytest.mark.parametrize("replacement", ["", "?", "<мир>", "\ufffd\ufffd"])
def test_replacement(files: Path, replacement: str) -> None:
    code, out, err = repaired("--replacement", replacement, "bad.txt", cwd=files)
    assert (code, out) == (DONE, mended(BAD, replacement))
    assert err.endswith("2 errors replaced\n" if replacement else "2 errors dropped\n")


@posix_only
def test_replacement_must_be_text(files: Path) -> None:
    done = command.run("repair", "--replacement", b"\xff", "bad.txt", cwd=files)
    assert (done.code, done.out) == (TROUBLE, "")
    assert "--replacement: must itself be valid text" in done.err


def test_long_text_over_the_edges_of_blocks(tmp_path: Path) -> None:
    data = bytearray(strategies.filled(3 * BLOCK + 100, "€мир😀\n".encode()))
    for at in (0, BLOCK - 2, BLOCK + 7, 2 * BLOCK - 1, 3 * BLOCK):
        data[at] = 0xFF
    (tmp_path / "file").write_bytes(data)
    code, out, err = repaired("--quiet", "file", cwd=tmp_path)
    assert (code, out == mended(bytes(data)), err) == (DONE, True, "")
    assert repaired("--quiet", "-", cwd=tmp_path, data=bytes(data))[1] == out


def test_what_is_there_is_not_kept_back() -> None:
    process = command.start("repair", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    for piece, text in ((b"caf\xc3", "caf"), (b"\xa9 \xff", "é \ufffd"), ("€".encode(), "€")):
        process.stdin.write(piece)
        process.stdin.flush()
        assert process.stdout.read(len(text.encode())) == text.encode()
    assert command.finish(process).code == DONE


def test_files_that_cannot_be_read(files: Path) -> None:
    code, out, err = repaired("missing", "good.txt", ".", "bad.txt", cwd=files)
    assert (code, out) == (TROUBLE, GOOD + mended(BAD))
    if sys.platform != "win32":
        trouble = "leadbyte: missing: No such file or directory\nleadbyte: .: Is a directory\n"
        assert err.startswith(trouble + REPORT)


# What is told.


def test_limit_of_errors(files: Path) -> None:
    done = command.run("repair", "--max-errors=1", "bad.txt", cwd=files)
    assert done.err == (
        REPORT.partition("\n")[0]
        + "\nbad.txt: 1 more error\n1 file read (25 bytes): 1 repaired, 2 errors replaced\n"
    )


def test_quiet(files: Path) -> None:
    assert repaired("--quiet", "bad.txt", cwd=files) == (DONE, mended(BAD), "")
    assert repaired("--quiet", "missing", cwd=files)[2] == "leadbyte: missing: No such file or directory\n"


def test_verbose(files: Path) -> None:
    done = command.run("repair", "--verbose", "good.txt", cwd=files)
    assert done.err == "good.txt: valid, 10 chars\n1 file read (18 bytes): 0 repaired, 0 errors replaced\n"


def test_json_is_that_of_check(files: Path) -> None:
    done = command.run("repair", "--json", "good.txt", "bad.txt", "missing", cwd=files)
    *told, summary = command.Done(0, done.err, "").objects
    assert told == command.run("check", "--json", "good.txt", "bad.txt", "missing", cwd=files).objects[:-1]
    assert summary == {
        "summary": {"files": 2, "repaired": 1, "replaced": 2, "byte_count": 43, "binary": 0, "trouble": 1}
    }
    assert done.code == TROUBLE


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["-i", "-o", "x", "bad.txt"], ["--json", "--quiet", "bad.txt"], ["--backup=.bak", "bad.txt"],
        ["-i", "--backup=", "bad.txt"], ["-i", "--backup=a/b", "bad.txt"], ["--max-errors=x", "bad.txt"],
        ["-o", "x", "--backup=.bak", "bad.txt"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_arguments(files: Path, arguments: list[str]) -> None:
    before = read(files)
    done = command.run("repair", *arguments, cwd=files)
    assert (done.code, done.out) == (TROUBLE, "")
    assert done.err.startswith("usage: leadbyte repair")
    assert read(files) == before


def test_help_documents_the_exit_codes() -> None:
    done = command.run("repair", "--help")
    assert done.code == DONE
    for text in (
        "exit codes:", "0  ", "2  ", "-o FILE", "--in-place", "--backup", "--replacement", "--max-errors",
        "--json", "--quiet", "--binary", "--verbose",
    ):  # fmt: skip
        assert text in done.out


# To a file.


def test_to_a_file(files: Path) -> None:
    assert repaired("--quiet", "bad.txt", "good.txt", "-o", "out", cwd=files) == (DONE, b"", "")
    assert read(files) == {"bad.txt": BAD, "good.txt": GOOD, "out": mended(BAD) + GOOD}


def test_to_a_file_that_is_read(files: Path) -> None:
    assert repaired("--quiet", "good.txt", "bad.txt", "-o", "bad.txt", cwd=files)[0] == DONE
    assert read(files) == {"bad.txt": GOOD + mended(BAD), "good.txt": GOOD}


def test_no_part_of_a_file_is_written(files: Path) -> None:
    (files / "out").write_bytes(b"old")
    code, _, err = repaired("--quiet", "bad.txt", "missing", "-o", "out", cwd=files)
    assert code == TROUBLE
    assert err.splitlines() == [
        "leadbyte: missing: No such file or directory",
        "leadbyte: out: not written, as not everything could be read",
    ]
    assert read(files) == {"bad.txt": BAD, "good.txt": GOOD, "out": b"old"}


@posix_only
def test_permissions_of_a_written_file(files: Path) -> None:
    line = command.command_line("repair", "bad.txt", "-o")
    for name, mode in (("new", 0o640), ("old", 0o751)):
        (files / "old").touch()
        (files / "old").chmod(0o751)
        old = os.umask(0o027)
        try:
            subprocess.run([*line, name], cwd=files, capture_output=True, check=True, timeout=60)
        finally:
            os.umask(old)
        assert stat.S_IMODE((files / name).stat().st_mode) == mode


@posix_only
def test_to_what_is_no_file(files: Path) -> None:
    code, out, err = repaired("--quiet", "bad.txt", "-o", "/dev/null", cwd=files)
    assert (code, out, err) == (DONE, b"", "")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    for path, message in ((".", "Is a directory"), ("no/file", "No such file or directory")):
        done = repaired("--quiet", "bad.txt", "-o", path, cwd=files)
        assert done == (TROUBLE, b"", f"leadbyte: {path}: {message}\n")
    if os.path.exists("/dev/full"):
        done = repaired("--quiet", "bad.txt", "-o", "/dev/full", cwd=files)
        assert done == (TROUBLE, b"", "leadbyte: /dev/full: No space left on device\n")
    assert read(files) == {"bad.txt": BAD, "good.txt": GOOD}


@posix_only
def test_output_that_nobody_reads(files: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = command.finish(command.start("repair", "--quiet", "bad.txt", cwd=files, stdout=writer))
    os.close(writer)
    assert (done.code, done.err) == (PIPE_CLOSED, "")


# In place.


def test_in_place(files: Path) -> None:
    code, out, err = repaired("--in-place", "bad.txt", "good.txt", cwd=files)
    assert (code, out) == (DONE, b"")
    assert err == REPORT + "2 files read (43 bytes): 1 repaired, 2 errors replaced\n"
    assert read(files) == {"bad.txt": mended(BAD), "good.txt": GOOD}
    assert repaired("--in-place", "bad.txt", cwd=files) == (DONE, b"", "")


def test_valid_file_is_not_touched(files: Path) -> None:
    os.utime(files / "good.txt", ns=(1, 1))
    before = (files / "good.txt").stat()
    assert repaired("-i", "good.txt", "--backup=.bak", cwd=files) == (DONE, b"", "")
    after = (files / "good.txt").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )
    assert sorted(read(files)) == ["bad.txt", "good.txt"]


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400, 0o4755])
def test_permissions_are_kept(files: Path, mode: int) -> None:
    path = files / "bad.txt"
    os.utime(path, ns=(1, 1))
    path.chmod(mode)
    before = path.stat()
    assert repaired("-i", "--quiet", "bad.txt", cwd=files) == (DONE, b"", "")
    after = path.stat()
    assert path.read_bytes() == mended(BAD)
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    # What looks at times, as make does, is to see that it changed.
    assert after.st_mtime_ns > before.st_mtime_ns


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root gives files away")
def test_owner_is_kept(files: Path) -> None:
    os.chown(files / "bad.txt", 12345, 54321)
    assert repaired("-i", "--quiet", "bad.txt", cwd=files) == (DONE, b"", "")
    after = (files / "bad.txt").stat()
    assert (after.st_uid, after.st_gid) == (12345, 54321)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes")
def test_extended_attributes_are_kept(files: Path) -> None:
    try:
        os.setxattr(files / "bad.txt", "user.leadbyte", b"value")
    except OSError:
        # This file system has none.
        return
    assert repaired("-i", "--quiet", "bad.txt", cwd=files) == (DONE, b"", "")
    assert os.getxattr(files / "bad.txt", "user.leadbyte") == b"value"


@posix_only
def test_links_are_followed_and_stay(files: Path) -> None:
    (files / "deep").mkdir()
    (files / "deep" / "link").symlink_to("../link")
    (files / "link").symlink_to("bad.txt")
    assert repaired("-i", "--quiet", "--backup=~", "deep/link", cwd=files) == (DONE, b"", "")
    assert os.readlink(files / "link") == "bad.txt"
    assert os.readlink(files / "deep" / "link") == "../link"
    assert (files / "bad.txt").read_bytes() == mended(BAD)
    assert (files / "bad.txt~").read_bytes() == BAD


def test_other_hard_links_are_told_of(files: Path) -> None:
    os.link(files / "bad.txt", files / "other")
    code, _, err = repaired("-i", "bad.txt", cwd=files)
    assert code == DONE
    assert "leadbyte: bad.txt: its other hard links still lead to the old file\n" in err
    assert read(files) == {"bad.txt": mended(BAD), "other": BAD, "good.txt": GOOD}


def test_backup(files: Path) -> None:
    (files / "bad.txt.bak").write_bytes(b"older")
    for _ in range(2):
        assert repaired("-i", "--quiet", "--backup", ".bak", "bad.txt", cwd=files) == (DONE, b"", "")
        assert read(files) == {"bad.txt": mended(BAD), "bad.txt.bak": BAD, "good.txt": GOOD}


def test_backup_without_links(
    files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("os.link", refuse)
    assert main(["repair", "-i", "--quiet", "--backup=.bak", str(files / "bad.txt")]) == DONE
    assert capfd.readouterr() == ("", "")
    assert read(files) == {"bad.txt": mended(BAD), "bad.txt.bak": BAD, "good.txt": GOOD}


@pytest.fixture
def tree(files: Path) -> Path:
    for directory in ("deep", ".git"):
        (files / directory).mkdir()
        (files / directory / "bad").write_bytes(b"\xff")
    (files / "binary").write_bytes(b"\xff\0")
    (files / "bad.bak").write_bytes(b"\xff")
    return files


def test_directories_in_place(tree: Path) -> None:
    code, _, err = repaired("-i", "--backup=.bak", "--verbose", ".", cwd=tree)
    assert code == DONE
    assert f".{os.sep}bad.bak: passed over: backup\n" in err
    assert f".{os.sep}binary: passed over: binary\n" in err
    assert err.endswith("3 files read (44 bytes): 2 repaired, 3 errors replaced\n")
    assert read(tree) == {
        "bad.txt": mended(BAD), "bad.txt.bak": BAD, "good.txt": GOOD, "binary": b"\xff\0", "bad.bak": b"\xff",
    }  # fmt: skip
    assert read(tree / "deep") == {"bad": "\ufffd".encode(), "bad.bak": b"\xff"}
    assert read(tree / ".git") == {"bad": b"\xff"}


def test_named_binary_file_is_refused_in_place(tree: Path) -> None:
    message = "leadbyte: binary: seems to be binary, and is repaired only with --binary\n"
    assert repaired("-i", "binary", cwd=tree) == (TROUBLE, b"", message)
    assert (tree / "binary").read_bytes() == b"\xff\0"
    assert repaired("-i", "--binary", "--quiet", "binary", cwd=tree) == (DONE, b"", "")
    assert (tree / "binary").read_bytes() == "\ufffd\0".encode()


@posix_only
def test_special_files_are_refused_in_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "null").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        for name in ("fifo", "null", "socket"):
            message = f"leadbyte: {name}: not a regular file, so it cannot be repaired in place\n"
            assert repaired("-i", name, cwd=tmp_path) == (TROUBLE, b"", message)
    message = "leadbyte: -: standard input cannot be repaired in place\n"
    assert repaired("-i", "-", cwd=tmp_path, data=b"\xff") == (TROUBLE, b"", message)


CHANGED_MEANWHILE = """
import sys
from leadbyte.cli import repair, run
real = repair.Repair.repair_file

def changing(self, file, write):
    scanner = real(self, file, write)
    with open("bad.txt", "ab") as other:
        other.write(b"more")
    return scanner

repair.Repair.repair_file = changing
sys.exit(run())
"""


def test_file_that_changes_meanwhile_is_left(files: Path) -> None:
    done = command.run("repair", "-i", "bad.txt", cwd=files, program=CHANGED_MEANWHILE)
    assert done == (TROUBLE, "", "leadbyte: bad.txt: changed while it was read, and is left as it is\n")
    assert read(files) == {"bad.txt": BAD + b"more", "good.txt": GOOD}


DISK_FULL = """
import errno, os, sys
from leadbyte.cli import run

def full(descriptor):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

os.fsync = full
sys.exit(run())
"""


def test_failure_leaves_the_old_file(files: Path) -> None:
    done = command.run("repair", "-i", "bad.txt", "good.txt", cwd=files, program=DISK_FULL)
    assert (done.code, done.out) == (TROUBLE, "")
    assert done.err == "leadbyte: bad.txt: No space left on device\n"
    assert read(files) == {"bad.txt": BAD, "good.txt": GOOD}


SLOW = """
import sys, time
from leadbyte.cli import repair, run
real = repair._repair_prefix

def slow(*arguments):
    print("at work", flush=True)
    time.sleep(30)
    return real(*arguments)

repair._repair_prefix = slow
sys.exit(run())
"""


@posix_only
def test_interrupt_leaves_the_old_file(files: Path) -> None:
    process = command.start("repair", "-i", "--backup=~", "bad.txt", cwd=files, program=SLOW)
    assert process.stdout is not None
    assert process.stdout.readline() == b"at work\n"
    process.send_signal(signal.SIGINT)
    done = command.finish(process)
    assert (done.code, done.err) == (INTERRUPTED, "leadbyte: interrupted\n")
    assert read(files) == {"bad.txt": BAD, "good.txt": GOOD}


# Forks a process for each line of arguments, tells its number, and buries it at the next line.
FORKING = """
import os, sys
from leadbyte.cli import main, repair
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(main(line.split()))
    print(child, flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
# Long enough for many moments, short enough for many rounds.
LENGTH = 2 << 20


class Forking:
    """A process that runs the command in processes of its own, which can be killed."""

    def __init__(self, cwd: Path) -> None:
        self.process = command.start(program=FORKING, cwd=cwd)

    def ask(self, line: str) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def run(self, arguments: str, *, seconds: float | None = None) -> int:
        """Run the command, to its end or for so long; return its exit code."""
        child = self.ask(arguments)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
        return self.ask("")


@posix_only
def test_killed_at_random_moments(tmp_path: Path) -> None:
    rounds = 20 if os.environ.get("LEADBYTE_TESTS") == "boundary" else 200
    old = bytes(strategies.filled(LENGTH, GOOD + b"\xff" + "€".encode() * 300))
    new = mended(old)
    directory = tmp_path / "files"
    chance = random.Random(5)
    left = {old: 0, new: 0}
    forking = Forking(tmp_path)
    took = float("inf")
    for number in range(-3, rounds):
        directory.mkdir()
        (directory / "file").write_bytes(old)
        arguments = f"repair --in-place --quiet {'--backup=~' if number % 2 else ''} files/file"
        if number < 0:
            started = time.monotonic()
            assert forking.run(arguments) == DONE
            took = min(took, time.monotonic() - started)
        else:
            assert forking.run(arguments, seconds=chance.random() * took * 1.2) in {DONE, -signal.SIGKILL}
        found = read(directory)
        assert found["file"] in left
        left[found["file"]] += 1
        assert found.get("file~", old) == old
        others = [name for name in found if name not in {"file", "file~"}]
        assert all(name.startswith(".leadbyte-") for name in others)
        shutil.rmtree(directory)
    assert command.finish(forking.process) == (0, "", "")
    print(f"killed {rounds} times within {took:.3f} s: {left[old]} old, {left[new]} new files")
    assert all(left.values())
