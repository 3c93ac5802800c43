"""Where new text goes by -o, in every command that has it: whole or not at all, or to a stream."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple

import command
import pytest

if TYPE_CHECKING:
    from pathlib import Path

DONE, FAILED, ERROR, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


class Way(NamedTuple):
    """A command that writes to a file, what it reads, and what it makes of that."""

    line: str
    old: bytes
    new: bytes

    @property
    def arguments(self) -> list[str]:
        return [*self.line.split(), "--quiet", "file", "-o"]


WAYS = [
    Way("repair", b"a\xff\n", "a\ufffd\n".encode()),
    Way("convert --from latin-1", b"\xe9\n", "é\n".encode()),
    Way("normalize", "e\u0301\n".encode(), "é\n".encode()),
    Way("mojibake repair", "Ã©tÃ© à la crème brûlée\n".encode(), "été à la crème brûlée\n".encode()),
]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.line)


@pytest.fixture
def files(tmp_path: Path, way: Way) -> Path:
    """Give a directory with a file to read."""
    (tmp_path / "file").write_bytes(way.old)
    return tmp_path


def written(way: Way, target: str, *, cwd: Path, program: str = command.RUN) -> command.Done:
    """Run the command."""
    return command.run(*way.arguments, target, cwd=cwd, program=program)


def in_shell(script: str, way: Way, *, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a script of the shell in which "$@" is the command, up to the name of the output."""
    return subprocess.run(
        ["sh", "-c", script, "sh", *command.command_line(*way.arguments)],
        cwd=cwd,
        env=command.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )


DESCRIPTORS = [
    *["/dev/stdout", "/dev/fd/1", "link"],
    *(pytest.param(f"/proc/{name}/fd/1", marks=linux_only) for name in ("self", "thread-self")),
]


@ways
@pytest.mark.parametrize("target", DESCRIPTORS)
@pytest.mark.parametrize(("redirection", "before"), [(">", b""), (">>", b"old\n")])
def test_open_descriptor_is_written_to(
    files: Path, way: Way, target: str, redirection: str, before: bytes
) -> None:
    (files / "first").symlink_to("/dev/stdout")
    (files / "link").symlink_to("first")
    (files / "out").write_bytes(b"old\n")
    done = in_shell(f'{{ echo a; "$@" {target}; echo b; }} {redirection} out', way, cwd=files)
    assert (done.returncode, done.stdout, done.stderr) == (DONE, b"", b"")
    assert (files / "out").read_bytes() == before + b"a\n" + way.new + b"b\n"
    assert os.readlink(files / "link") == "first"


@linux_only
@ways
def test_descriptor_of_another_process_is_appended_to(files: Path, way: Way) -> None:
    with open(files / "out", "wb", buffering=0) as out:
        out.write(b"first\n")
        done = written(way, f"/proc/{os.getpid()}/fd/{out.fileno()}", cwd=files)
    assert done == (DONE, "", "")
    assert (files / "out").read_bytes() == b"first\n" + way.new


@ways
def test_descriptor_keeps_its_place(files: Path, way: Way) -> None:
    (files / "out").write_bytes(b"." * 100)
    with open(files / "out", "r+b", buffering=0) as out:
        out.seek(10)
        process = command.start(*way.arguments, f"/dev/fd/{out.fileno()}", cwd=files, pass_fds=[out.fileno()])
        assert command.finish(process) == (DONE, "", "")
        assert out.tell() == 10 + len(way.new)
    assert (files / "out").read_bytes() == b"." * 10 + way.new + b"." * (90 - len(way.new))


@ways
def test_closed_descriptor(files: Path, way: Way) -> None:
    assert written(way, "/dev/fd/99", cwd=files) == (
        ERROR,
        "",
        "leadbyte: /dev/fd/99: Bad file descriptor\n",
    )


@ways
@pytest.mark.parametrize("target", ["fifo", "link", "/dev/stdout"])
def test_pipe_is_written_to(files: Path, way: Way, target: str) -> None:
    os.mkfifo(files / "fifo")
    (files / "link").symlink_to("fifo")
    if target == "/dev/stdout":
        assert written(way, target, cwd=files) == (DONE, way.new.decode(), "")
        return
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((files / "fifo").read_bytes()), daemon=True)
    reader.start()
    assert written(way, target, cwd=files) == (DONE, "", "")
    reader.join(30)
    assert read == [way.new]
    assert (files / "fifo").is_fifo()


@ways
def test_pipe_that_nobody_reads(files: Path, way: Way) -> None:
    read, write = os.pipe()
    os.close(read)
    done = command.finish(command.start(*way.arguments, "/dev/stdout", cwd=files, stdout=write))
    os.close(write)
    assert (done.code, done.err) == (PIPE_CLOSED, "")


@ways
def test_character_device_is_written_to(files: Path, way: Way) -> None:
    master, slave = pty.openpty()
    try:
        assert written(way, os.ttyname(slave), cwd=files) == (DONE, "", "")
        assert select.select([master], [], [], 30)[0]
        assert os.read(master, 1 << 16).replace(b"\r\n", b"\n") == way.new
    finally:
        os.close(master)
        os.close(slave)


@ways
def test_file_that_is_read_and_written(files: Path, way: Way) -> None:
    for script in ('"$@" /dev/stdout >> file', '"$@" - >> file'):
        done = in_shell(script, way, cwd=files)
        assert (done.returncode, done.stderr) == (ERROR, b"leadbyte: file: is also the output\n")
        assert (files / "file").read_bytes() == way.old


@ways
def test_links_are_followed_and_stay(files: Path, way: Way) -> None:
    (files / "link").symlink_to("out")
    for _ in range(2):
        assert written(way, "link", cwd=files) == (DONE, "", "")
        assert (files / "out").read_bytes() == way.new
        assert os.readlink(files / "link") == "out"
        (files / "out").write_bytes(b"old")


@ways
def test_link_to_itself(files: Path, way: Way) -> None:
    (files / "loop").symlink_to("loop")
    message = "leadbyte: loop: Too many levels of symbolic links\n"
    assert written(way, "loop", cwd=files) == (ERROR, "", message)
    assert os.readlink(files / "loop") == "loop"


@ways
def test_other_hard_links_are_reported(files: Path, way: Way) -> None:
    (files / "out").write_bytes(b"old")
    os.link(files / "out", files / "other")
    line = [argument for argument in way.arguments if argument != "--quiet"]
    done = command.run(*line, "out", cwd=files)
    assert done.code == DONE
    assert "leadbyte: out: its other hard links still refer to the old file\n" in done.err
    assert command.read_all(files) == {"file": way.old, "out": way.new, "other": b"old"}


def failing(name: str, number: int) -> str:
    """Return the command as it is where a function of os always fails."""
    return f"""
import os
def fail(*_, **__):
    raise OSError({number}, os.strerror({number}))
os.{name} = fail
{command.RUN}"""


@ways
@pytest.mark.parametrize(("name", "number"), [("fsync", 28), ("replace", 13), ("chmod", 1), ("open", 30)])
def test_failure_leaves_the_old_file(files: Path, way: Way, name: str, number: int) -> None:
    (files / "out").write_bytes(b"old")
    done = written(way, "out", cwd=files, program=failing(name, number))
    assert done == (ERROR, "", f"leadbyte: out: {os.strerror(number)}\n")
    assert command.read_all(files) == {"file": way.old, "out": b"old"}


@linux_only
@ways
def test_disk_that_gets_full(files: Path, way: Way) -> None:
    (files / "out").write_bytes(b"old")
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1)); {command.RUN}"
    done = written(way, "out", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: out: File too large\n")
    assert command.read_all(files) == {"file": way.old, "out": b"old"}


@ways
def test_interrupt_leaves_the_old_file(files: Path, way: Way) -> None:
    (files / "out").write_bytes(b"old")
    program = f"""
import os, time
def slow(descriptor):
    print("at work", flush=True)
    time.sleep(30)
os.fsync = slow
{command.RUN}"""
    process = command.start(*way.arguments, "out", cwd=files, program=program)
    assert process.stdout is not None
    assert process.stdout.readline() == b"at work\n"
    process.send_signal(signal.SIGINT)
    done = command.finish(process)
    assert (done.code, done.err) == (INTERRUPTED, "leadbyte: interrupted\n")
    assert command.read_all(files) == {"file": way.old, "out": b"old"}


def test_into_a_directory(tmp_path: Path) -> None:
    """Names there that cannot be replaced are written to as well."""
    (tmp_path / "file").write_bytes(b"\xe9\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "file").symlink_to("/dev/stdout")
    with open(tmp_path / "printed", "wb", buffering=0) as printed:
        printed.write(b"before\n")
        line = ["convert", "--from", "latin-1", "--quiet", "file", "-o", "out"]
        assert command.finish(command.start(*line, cwd=tmp_path, stdout=printed)).code == DONE
        printed.write(b"after\n")
    assert (tmp_path / "printed").read_text(encoding="utf-8") == "before\né\nafter\n"
    assert (tmp_path / "out" / "file").is_symlink()
