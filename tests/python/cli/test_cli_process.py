"""The command as a process among others: encodings, closed streams, signals, memory."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import command
import pytest
from command_table import READERS

if TYPE_CHECKING:
    from pathlib import Path

VALID, INVALID, ERROR, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")
CONVERT = ["convert", "--from", "cp1251"]
ENCODINGS = ["ascii", "ascii:strict", "latin-1", "utf-16", "cp1251", "utf-8:surrogateescape"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_standard_output_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / command.name_of("файл €")).write_bytes(b"\xe0\x83\xa9")
    process = subprocess.run(
        command.command_line("check", "файл €", "нет"),
        cwd=tmp_path,
        env=command.environment(PYTHONIOENCODING=encoding),
        capture_output=True,
        timeout=60,
        check=False,
    )
    codec = encoding.partition(":")[0]
    line = 'файл €:1:1: byte 0: overlong encoding of U+00E9 "é": [e0 83 a9]'
    assert process.returncode == ERROR
    assert line.encode(codec, "backslashreplace").decode(codec) in process.stdout.decode(codec)
    assert "нет".encode(codec, "backslashreplace").decode(codec) in process.stderr.decode(codec)
    assert "Traceback" not in process.stderr.decode(codec)


@posix_only
def test_locale_without_unicode(tmp_path: Path) -> None:
    (tmp_path / command.name_of("файл")).write_bytes(b"\xff")
    environment = command.environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = command.run("check", "--list", ".", cwd=tmp_path, env=environment)
    assert (done.code, done.err) == (INVALID, "")
    assert done.out.isascii()
    done = command.run("check", "--json", ".", cwd=tmp_path, env=environment)
    assert done.objects[0]["path"].encode("utf-8", "surrogateescape") == "./файл".encode()


@posix_only
def test_text_in_a_locale_without_unicode(tmp_path: Path) -> None:
    environment = command.environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    def run(*arguments: str) -> command.Done:
        return command.run(*arguments, cwd=tmp_path, env=environment)

    for text in (["schÃ¶n"], ["--text", "schÃ¶n"]):
        assert run("mojibake", "repair", *text).out == "schön\n"
        assert run("mojibake", "explain", *text).code == INVALID
    garbled = run("mojibake", "garble", "é", "--encoding", "utf-8", "--misread-as", "latin-1")
    assert (garbled.code, garbled.out) == (0, "Ã©\n")
    assert run("repair", "--replacement", "é", "-").code == 0
    for command_name in ("repair", "explain"):
        assert "not valid UTF-8" in run("mojibake", command_name, "Ã\udcff ÃÃ Ã").err


@posix_only
@pytest.mark.parametrize("options", [["check"], ["check", "--json"], ["check", "--list"], ["count"]])
def test_output_that_nobody_reads(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    read, write = os.pipe()
    os.close(read)
    done = command.finish(command.start(*options, "file", cwd=tmp_path, stdout=write))
    os.close(write)
    assert done.code == PIPE_CLOSED
    assert "Traceback" not in done.err
    assert "BrokenPipe" not in done.err


@posix_only
def test_output_that_is_read_in_part() -> None:
    process = command.start("check", "--max-errors=100000", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\xff\n" * 100_000)
    process.stdin.close()
    assert process.stdout.readline().startswith(b"-:1:1: ")
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == PIPE_CLOSED
    assert errors == b""


@posix_only
def test_messages_that_nobody_reads(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = command.finish(command.start("check", "missing", cwd=tmp_path, stderr=write))
    os.close(write)
    assert done.code in {ERROR, PIPE_CLOSED}


@posix_only
@pytest.mark.parametrize("options", [["check"], ["check", "--json"], ["count"], ["repair"], CONVERT])
def test_disk_that_is_full(tmp_path: Path, options: list[str]) -> None:
    if not os.path.exists("/dev/full"):
        return
    (tmp_path / "file").write_bytes(b"text")
    with open("/dev/full", "wb") as full:
        done = command.finish(command.start(*options, "file", cwd=tmp_path, stdout=full))
    assert done.code == ERROR
    assert "Traceback" not in done.err
    assert "No space left on device" in done.err


@posix_only
@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]], ids=repr)
@pytest.mark.parametrize(
    "options",
    [["check"], ["check", "--json"], ["check", "--quiet"], ["count"], ["repair", "--quiet"], CONVERT],
)
def test_closed_streams(tmp_path: Path, options: list[str], closed: list[int]) -> None:
    (tmp_path / "file").write_bytes(b"text")
    redirections = " ".join(f"{descriptor}>&-" for descriptor in closed)
    line = command.command_line(*options, "file")
    process = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirections}', "sh", *line],
        cwd=tmp_path,
        env=command.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in process.stderr
    writes = "--quiet" not in options or options[0] == "repair"
    # The command fails if its output is lost.
    assert process.returncode == (ERROR if writes and 1 in closed else VALID)
    if writes and closed == [1]:
        assert process.stderr == b"leadbyte: standard output: Bad file descriptor\n"


@posix_only
def test_closed_standard_input_is_an_error() -> None:
    line = command.command_line("check", "-")
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *line],
        env=command.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == ERROR
    assert process.stderr == b"leadbyte: -: Bad file descriptor\n"


def wait_for_message(process: subprocess.Popen[bytes]) -> None:
    """Wait until the command has printed something and waits for its standard input."""
    assert process.stderr is not None
    assert select.select([process.stderr], [], [], 30)[0]
    assert b"missing" in process.stderr.readline()
    time.sleep(0.2)


@pytest.mark.clock
@posix_only
@pytest.mark.parametrize("options", [["check"], ["count"], ["repair"], CONVERT], ids=lambda words: words[0])
@pytest.mark.parametrize("length", [0, 5, 600_000])
def test_interrupt_while_waiting_for_input(tmp_path: Path, options: list[str], length: int) -> None:
    process = command.start(*options, "missing", "-", cwd=tmp_path, stdout=subprocess.DEVNULL)
    wait_for_message(process)
    assert process.stdin is not None
    process.stdin.write(b"a" * length)
    process.stdin.flush()
    time.sleep(0.1)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    code = process.wait(30)
    took = time.monotonic() - started
    done = command.finish(process)
    assert code == INTERRUPTED
    assert done.err == "leadbyte: interrupted\n"
    assert took < 1


@pytest.mark.clock
@posix_only
@pytest.mark.parametrize("options", [["check"], ["count"], ["repair"], CONVERT], ids=lambda words: words[0])
def test_interrupt_while_reading_a_long_file(tmp_path: Path, options: list[str]) -> None:
    os.truncate(os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY), 1 << 40)
    process = command.start(*options, "missing", "file", cwd=tmp_path)
    wait_for_message(process)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    code = process.wait(30)
    took = time.monotonic() - started
    done = command.finish(process)
    assert (code, done.err) == (INTERRUPTED, "leadbyte: interrupted\n")
    assert took < 1


@pytest.fixture(scope="module")
def small_and_long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory with a small and a long file."""
    directory = tmp_path_factory.mktemp("files")
    text = "Привет, мир!\n".encode() * 500
    for name, times in (("small", 1), ("long", (80 << 20) // len(text))):
        (directory / name).write_bytes(text * times)
    return directory


@pytest.mark.once
@posix_only
@pytest.mark.parametrize("line", READERS)
def test_memory_does_not_grow_with_the_file(small_and_long: Path, line: str) -> None:
    small, long = (
        command.usage(*line.split(), name, cwd=small_and_long).memory for name in ("small", "long")
    )
    print(f"{line}: {small / 1e6:.0f} MB for 11 kB, {long / 1e6:.0f} MB for 84 MB")
    assert long < 100 << 20
    assert long < small + (20 << 20)


@posix_only
def test_memory_does_not_grow_with_the_errors(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"\xff" * (8 << 20))
    done = command.usage("check", "--quiet", "long", cwd=tmp_path)
    assert (done.code, done.memory < 100 << 20) == (1, True)


def test_command_imports_no_rich_for_plain_output(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    program = """
import sys
from leadbyte.cli import main
code = main()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"rich", "pygments", "numpy"}))
sys.exit(code)
"""
    done = command.run("check", "file", cwd=tmp_path, program=program)
    assert (done.code, done.lines[-1]) == (INVALID, "[]")


@pytest.mark.parametrize("options", [["check"], ["check", "--json"], ["count"], ["count", "--json"]])
def test_command_works_without_rich(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "file").write_bytes(b"caf\xe9 \xff\n")
    done = command.run(*options, "file", cwd=tmp_path, program=command.WITHOUT_RICH)
    assert done == command.run(*options, "file", cwd=tmp_path)
    assert "file" in done.out


def test_main_can_be_called_from_python(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from leadbyte.cli import main

    (tmp_path / "file").write_bytes(b"\xff")
    assert main(["check", "--quiet", str(tmp_path / "file")]) == INVALID
    assert capfd.readouterr() == ("", "")
    assert main(["check", "--list", str(tmp_path / "file")]) == INVALID
    assert capfd.readouterr() == (f"{tmp_path / 'file'}\n", "")
