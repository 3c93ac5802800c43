"""The processes that most tests of the command use, against new ones."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import command
import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only new processes")

STATE = """
import atexit, gc, json, locale, os, resource, signal, sys, threading, warnings
streams = [
    [stream is getattr(sys, f"__{name}__"), stream.fileno(), stream.name, stream.mode, stream.isatty(),
     stream.encoding, stream.errors, stream.newlines, stream.line_buffering, stream.write_through,
     repr(stream), repr(stream.buffer), repr(stream.buffer.raw)]
    for name in ("stdin", "stdout", "stderr") for stream in [getattr(sys, name)]
]
interpreter = {
    "argv": sys.argv, "path": sys.path, "flags": repr(sys.flags), "file names": sys.getfilesystemencoding(),
    "recursion": sys.getrecursionlimit(), "switches": sys.getswitchinterval(),
    "locale": locale.setlocale(locale.LC_ALL), "warnings": repr(warnings.filters), "gc": gc.isenabled(),
    "thresholds": gc.get_threshold(), "hook": sys.excepthook is sys.__excepthook__,
    "names": [__name__, __builtins__.__name__],
}
process = {
    "directory": os.getcwd(), "umask": os.umask(0), "parent": os.getppid(), "group": os.getpgrp(),
    "session": os.getsid(0), "environment": sorted(os.environ.items()),
    "descriptors": sorted(os.listdir("/proc/self/fd")),
    "one task": os.listdir("/proc/self/task") == [str(os.getpid())], "threads": threading.active_count(),
    "main": threading.current_thread() is threading.main_thread(),
    "handlers": [repr(signal.getsignal(number)) for number in signal.valid_signals()],
    "limits": [resource.getrlimit(limit) for limit in range(15)],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "cores": sorted(os.sched_getaffinity(0)),
}
print(json.dumps({"streams": streams, **interpreter, **process}))
"""
ENDS = {
    "nothing": "",
    "number": "sys.exit(3)",
    "message": "sys.exit('message €')",
    "exception": "raise SystemExit(2) from None",
    "interrupt": "os.kill(os.getpid(), signal.SIGINT)",
    "killed": "os.kill(os.getpid(), signal.SIGTERM)",
    "at exit": "atexit.register(print, 'at exit')",
    "buffered": "sys.stdout.write('buffered'); sys.stdout.buffer.write(b'raw')",
    "immediately": "sys.stdout.write('buffered'); os._exit(4)",
    "flush fails": "sys.stdout.write('buffered'); os.close(1)",
    "thread": "threading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()",
    "input": "print(ascii(sys.stdin.read()))",
}


def outcomes(
    *arguments: str,
    cwd: Path,
    program: str = command.RUN,
    data: bytes = b"",
    variables: dict[str, str] | None = None,
) -> list[command.Done]:
    """Return what a fork does and what a new process does."""
    environment = command.environment(**variables or {})
    forked = command.start(*arguments, cwd=cwd, program=program, env=environment)
    new = subprocess.Popen(
        command.command_line(*arguments, program=program),
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert type(forked) is not type(new)
    return [command.finish(process, data) for process in (forked, new)]


@pytest.mark.parametrize(
    "variables",
    [{}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"NAME": "\udcff €"}],
    ids=repr,
)
def test_state(tmp_path: Path, variables: dict[str, str]) -> None:
    forked, new = outcomes("--option", "é\udcff", cwd=tmp_path, program=STATE, variables=variables)
    assert (new.code, new.err) == (0, "")
    states = [json.loads(done.out) for done in (forked, new)]
    differences = {
        name: [state[name] for state in states] for name in states[1] if states[0][name] != states[1][name]
    }
    assert not differences
    assert forked == new


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_end(tmp_path: Path, end: str) -> None:
    program = f"import atexit, os, signal, sys, threading, time; print('start'); {end}"
    forked, new = outcomes(cwd=tmp_path, program=program, data=b"\r\n\xff")
    # The places in a traceback differ, and from Python 3.13 on so do the lines of code.
    lines = [[line for line in done.err.splitlines() if not line.startswith("  ")] for done in (forked, new)]
    assert lines[0] == lines[1]
    assert (forked.code, forked.out) == (new.code, new.out)


LINES = [
    ["check", "file"],
    ["count", "file"],
    ["locate", "file", "--byte", "3"],
    ["repair", "file"],
    ["convert", "--from", "cp1251", "file"],
    ["normalize", "file"],
    ["bom", "check", "file"],
    ["detect", "file"],
    ["explain", "é"],
    ["sizes", "file"],
    ["mojibake", "repair", "file"],
    ["mojibake", "explain", "file"],
    ["completion", "bash"],
    ["--help"],
    ["--version"],
    ["unknown"],
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_command_in_a_new_process(tmp_path: Path, line: list[str]) -> None:
    (tmp_path / "file").write_bytes("привет\n".encode().decode("cp1252", "replace").encode() + b"\xff\n")
    forked, new = outcomes(*line, cwd=tmp_path)
    assert forked == new
    assert forked.out or forked.err
    assert "Traceback" not in new.err
