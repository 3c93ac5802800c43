"""Processes that are forked from a server instead of new interpreters, on Linux."""

from __future__ import annotations

import atexit
import ctypes
import inspect
import marshal
import os
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

PR_SET_CHILD_SUBREAPER = 36
SERVER = Path(__file__).with_name("fork_server.py")
# What the interpreter, the C library and the extension module read from the environment at their start.
READ_AT_START = (b"PYTHON", b"LEADBYTE_", b"FSSPEC_", b"LANG", b"LC_", b"LD_", b"MALLOC_", b"RUST_")
LOCK = Lock()


@cache
def server(environment: frozenset[tuple[bytes, bytes]]) -> socket.socket:
    """Start a server with an environment, which lives as long as this process; return its socket."""
    # The orphans that the server leaves become children of this process.
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, *map(ctypes.c_ulong, (1, 0, 0, 0))) == 0
    requests, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with other:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER.read_text(encoding="utf-8"), str(other.fileno())],
            stdin=subprocess.DEVNULL,
            env=dict(environment),
            pass_fds=[other.fileno()],
        )

    def end() -> None:
        requests.close()
        process.wait()

    atexit.register(end)
    return requests


class Forked(subprocess.Popen[bytes]):
    """A process that runs ``args[0]``, a program in Python, with the arguments ``args[1:]``.

    Everything else is inherited from ``Popen``, as the process is a child of this one.
    """

    _child_created: bool
    _close_pipe_fds: Callable[..., None]

    def _execute_child(self, *values: Anything) -> None:
        """Have a server fork, instead of starting an executable."""
        parameters = inspect.signature(subprocess.Popen._execute_child).parameters  # type: ignore[attr-defined]
        given = dict(zip(list(parameters)[1:], values, strict=True))
        pipes = [
            given[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        ]
        streams = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        streams = [own if stream == -1 else stream for own, stream in enumerate(streams)]
        program, *arguments = given["args"]
        environment = {os.fsencode(name): os.fsencode(value) for name, value in given["env"].items()}
        directory = os.fsencode(os.path.abspath(given["cwd"] or "."))
        request = (program, list(map(os.fsencode, arguments)), directory, environment)
        try:
            with LOCK:
                at_start = {item for item in environment.items() if item[0].startswith(READ_AT_START)}
                requests = server(frozenset(at_start))
                socket.send_fds(requests, [marshal.dumps(request)], streams)
                self.pid = int(requests.recv(100))
                assert requests.recv(100) == b"is your child"
            self._child_created = True
        finally:
            self._close_pipe_fds(*pipes)
