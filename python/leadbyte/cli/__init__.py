"""The command ``leadbyte``."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from leadbyte.cli.arguments import parser
from leadbyte.cli.output import INTERRUPTED, PIPE_CLOSED, TROUBLE

__all__ = ["main", "run"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its exit code."""
    options = parser().parse_args(arguments)
    module, _, function = options.command.partition(":")
    # What a command needs is imported only when it is called.
    code: int = getattr(import_module(f"leadbyte.cli.{module}"), function)(options)
    sys.stdout.flush()
    return code


def run() -> int:
    """Run the command as a process: what ends it early ends it without a traceback."""
    prepare_streams()
    try:
        return main()
    except KeyboardInterrupt:
        print("leadbyte: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output wants no more.
        discard_output()
        return PIPE_CLOSED
    except OSError as error:
        # What is wrong with a file is reported there; this is the output.
        discard_output()
        print(f"leadbyte: standard output: {error.strerror or error}", file=sys.stderr)
        return TROUBLE
    except MemoryError:
        print("leadbyte: out of memory", file=sys.stderr)
        return TROUBLE


def prepare_streams() -> None:
    """Make printing safe: nothing is an exception because of the encoding or because nobody listens."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # This also takes the free descriptor, so that no file that is opened later gets it.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "w", encoding="utf-8"))
        else:
            stream.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Let nothing that is still to be written complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
