"""Runs Python programs in forks of a process that has imported the command, faster than in new processes.

Each message of the socket that is the only argument asks for one program. The three descriptors that come
with it become its standard streams. ``forked.py`` has the other end. LEADBYTE_TESTS_IMPORT names more modules
to import, where programs would take longer for that than for what they do.
"""

from __future__ import annotations

import gc
import io
import marshal
import os
import pkgutil
import signal
import socket
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import leadbyte.cli

if TYPE_CHECKING:
    from typing import NamedTuple

    class Request(NamedTuple):
        """What to run, and where."""

        program: str
        arguments: list[bytes]
        directory: bytes
        environment: dict[bytes, bytes]


MAX_REQUEST_BYTES = 1 << 18


def next_fork(requests: socket.socket) -> tuple[Request, list[int]]:
    """Serve the socket until it is closed; return the request and its descriptors, but only in a fork."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, MAX_REQUEST_BYTES, 3)
        if not request:
            os._exit(0)
        middle = os.fork()
        if not middle:
            parent = os.getpid()
            # The orphan that this process leaves becomes a child of the one that asks.
            if pid := os.fork():
                requests.send(b"%d" % pid)
                os._exit(0)
            requests.close()
            while os.getppid() == parent:
                time.sleep(0.0001)
            return marshal.loads(request), descriptors
        os.waitpid(middle, 0)
        requests.send(b"is your child")
        for descriptor in descriptors:
            os.close(descriptor)


def open_streams() -> None:
    """Open sys.stdin, sys.stdout and sys.stderr as the interpreter did at its start, on what they are now."""
    for descriptor, name in enumerate(["stdin", "stdout", "stderr"]):
        old, mode = getattr(sys, name), "w" if descriptor else "r"
        buffer: Any = open(descriptor, f"{mode}b", closefd=False)  # noqa: SIM115
        buffer.raw.name = f"<{name}>"
        lines = name == "stderr" or buffer.isatty()
        stream: Any = io.TextIOWrapper(buffer, old.encoding, old.errors, newline="\n", line_buffering=lines)
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def become_new_process(request: Request, descriptors: list[int]) -> None:
    """Give this process the state that a new one would have before it runs the program."""
    _, arguments, directory, environment = request
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.chdir(directory)
    os.environb.clear()
    os.environb.update(environment)
    sys.argv[1:] = map(os.fsdecode, arguments)
    open_streams()


if __name__ == "__main__":
    for module in pkgutil.iter_modules(leadbyte.cli.__path__, "leadbyte.cli."):
        import_module(module.name)
    for name in os.environ.get("LEADBYTE_TESTS_IMPORT", "").split():
        import_module(name)
    # Otherwise a fork copies nearly all memory when it collects garbage.
    gc.freeze()
    # An interrupt of the tests ends the server only by ending what asks it.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked, streams = next_fork(socket.socket(fileno=int(sys.argv[1])))
    signal.signal(signal.SIGINT, handler)
    become_new_process(asked, streams)
    # The interpreter ends as it always does, for this is its main program.
    exec(compile(asked[0], "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
