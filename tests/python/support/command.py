"""The command as a process: in pipes and on pseudo-terminals."""

from __future__ import annotations

import io
import json
import os
import re
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from strategies import Anything

RUN = "import sys; from leadbyte.cli import run; sys.exit(run())"
# Progress is shown after this delay instead of a second.
DELAY_SECONDS = 0.1
EARLY_PROGRESS = f"from leadbyte.cli.output import Progress; Progress.DELAY_SECONDS = {DELAY_SECONDS};"
WITHOUT_RICH = f"import sys; sys.modules['rich'] = None; {RUN}"
TIMEOUT = 60

Argument = str | bytes | os.PathLike[str]


class Done(NamedTuple):
    """How a process ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return [line.removesuffix("\n") for line in io.StringIO(self.out, newline="\n")]

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What each line of standard output holds in JSON."""
        return [json.loads(line) for line in self.lines]


def environment(**variables: str) -> dict[str, str]:
    """Return the environment without what changes the output."""
    changing = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM"}
    changing |= {"PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8"}
    kept = {name: value for name, value in os.environ.items() if name not in changing}
    return {**kept, "PYTHONUTF8": "1", "TERM": "xterm-256color", **variables}


@contextmanager
def imported(*modules: str) -> Iterator[None]:
    """Have the processes that are forked find those modules imported that are installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADBYTE_TESTS_IMPORT", " ".join(filter(find_spec, modules)))
        yield


def command_line(*arguments: Argument, program: str = RUN) -> list[Argument]:
    """Return the command line that runs the command in a new process."""
    line = [os.fspath(argument) for argument in (sys.executable, "-c", program, *arguments)]
    if sys.platform == "win32":
        return [*line]
    # The environment has the command read UTF-8, whatever the encoding of the tests' own file system is.
    return [word.encode("utf-8", "surrogateescape") if isinstance(word, str) else word for word in line]


def name_of(name: str) -> str:
    """Return what Python's functions take for a file's name in UTF-8 in the tests' own process."""
    return os.fsdecode(name.encode())


def read_all(path: Path) -> dict[str, bytes]:
    """Return what the files of a directory hold, by name."""
    return {entry.name: entry.read_bytes() for entry in path.iterdir() if entry.is_file()}


def run_binary(*arguments: Argument, cwd: Path, data: bytes = b"") -> tuple[int, bytes, str]:
    """Run the command; return its exit code and what it wrote, standard output as bytes."""
    process = start(*arguments, cwd=cwd)
    out, err = communicate(process, data)
    return process.returncode, out, err.decode()


def run(
    *arguments: Argument,
    data: bytes = b"",
    stdin: IO[bytes] | int = subprocess.PIPE,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    program: str = RUN,
) -> Done:
    """Run the command to its end."""
    process = start(*arguments, cwd=cwd, env=env, program=program, stdin=stdin)
    return finish(process, data if stdin == subprocess.PIPE else None)


def start(
    *arguments: Argument,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    program: str = RUN,
    **streams: Anything,
) -> subprocess.Popen[bytes]:
    """Start the command, where possible by forking a process that has imported it already."""
    line = command_line(*arguments, program=program)
    pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
    given: dict[str, Any] = {"cwd": cwd, "env": env or environment(), **pipes, **streams}
    if sys.platform != "linux" or "pass_fds" in streams:
        return subprocess.Popen(line, **given)
    from forked import Forked

    _interpreter, _option, *line = line
    return Forked(line, **given)


class Usage(NamedTuple):
    """How a process ended, its peak memory in bytes, and its time on the CPU in seconds."""

    code: int
    memory: int
    seconds: float


# A process counts as its own what the one that started it had in memory: so a small one starts it.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(os.waitstatus_to_exitcode(status), memory, usage.ru_utime + usage.ru_stime)
"""


def usage(*arguments: Argument, cwd: Path) -> Usage:
    """Run the command in a new process without input, discarding its output, and measure it."""
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, *command_line(*arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert b"Traceback" not in measured.stderr
    code, memory, seconds = measured.stdout.split()
    return Usage(int(code), int(memory), float(seconds))


def communicate(process: subprocess.Popen[bytes], data: bytes | None = None) -> tuple[bytes, bytes]:
    """Give a process its input and wait for it; return what it wrote to pipes."""
    try:
        out, err = process.communicate(data, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return out or b"", err or b""


def finish(process: subprocess.Popen[bytes], data: bytes | None = None) -> Done:
    """Wait for a process that was started."""
    out, err = communicate(process, data)
    return Done(process.returncode, out.decode(), err.decode())


def on_terminal(
    *arguments: Argument,
    rich: bool,
    cwd: Path | None = None,
    stderr_only: bool = False,
    chunks: Iterable[bytes] = (),
    early_progress: bool = False,
    **variables: str,
) -> Done:
    """Run the command on a pseudo-terminal; ``out`` is what standard output and error wrote there.

    With stderr_only, standard output is a pipe, and ``err`` is what the terminal got. Standard input is a
    pipe that gets the chunks. With early_progress, progress is shown after a tenth
    of a second.
    """
    import pty

    program = RUN if rich else WITHOUT_RICH
    if early_progress:
        program = f"{EARLY_PROGRESS} {program}"

    master, slave = pty.openpty()
    try:
        stdout = subprocess.PIPE if stderr_only else slave
        env = environment(**variables)
        process = start(*arguments, cwd=cwd, env=env, program=program, stdout=stdout, stderr=slave)
    finally:
        os.close(slave)
    try:
        with process:
            assert process.stdin is not None
            for chunk in chunks:
                process.stdin.write(chunk)
                process.stdin.flush()
            process.stdin.close()
            shown = read_terminal(master, TIMEOUT)
            out = process.stdout.read().decode() if process.stdout else ""
            code = process.wait(TIMEOUT)
    except BaseException:
        process.kill()
        raise
    finally:
        os.close(master)
    text = shown.decode().replace("\r\n", "\n")
    return Done(code, out, text) if stderr_only else Done(code, text, "")


def read_terminal(master: int, seconds: float) -> bytes:
    """Read the output on a terminal until it is closed, or for so long."""
    shown, deadline = b"", time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if select.select([master], [], [], left)[0]:
            try:
                read = os.read(master, 1 << 16)
            except OSError:
                # Linux does so when no other process has the terminal open any more.
                read = b""
            if not read:
                break
            shown += read
    return shown


def without_styles(text: str) -> str:
    """Return text without the sequences that choose colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


class Screen:
    """What a terminal shows of some output: as much of one as progress bars need."""

    SEQUENCE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")

    def __init__(self, output: str) -> None:
        self.rows: list[str] = [""]
        self.row = self.column = 0
        self.cursor_shown = True
        at = 0
        while at < len(output):
            match = self.SEQUENCE.match(output, at)
            assert match, repr(output[at : at + 20])
            self.feed(match)
            at = match.end()

    def feed(self, match: re.Match[str]) -> None:
        private, number, final, control, text = match.groups()
        if control == "\r":
            self.column = 0
        elif control == "\n":
            self.column = 0
            self.row += 1
            self.rows += [""] * (self.row + 1 - len(self.rows))
        elif text is not None:
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[: self.column] + text + line[self.column + len(text) :]
            self.column += len(text)
        elif private:
            assert number == "25"
            self.cursor_shown = final == "h"
        elif final == "A":
            self.row = max(0, self.row - int(number or 1))
        elif final == "K":
            line = self.rows[self.row]
            self.rows[self.row] = "" if number == "2" else line[: self.column]
        else:
            assert final == "m", final

    @property
    def lines(self) -> list[str]:
        """The lines shown, but for empty ones."""
        return [row.rstrip() for row in self.rows if row.strip()]
