"""The command ``leadbyte``."""

from __future__ import annotations

import os
import sys

from leadbyte.cli.arguments import parser
from leadbyte.cli.output import INTERRUPTED, PIPE_CLOSED

__all__ = ["main", "run"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its exit code."""
    options = parser().parse_args(arguments)
    # A name or a message that standard output cannot encode is escaped, not an exception.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code: int = options.command(options)
    sys.stdout.flush()
    return code


def run() -> int:
    """Run the command as a process: what ends it early ends it without a traceback."""
    try:
        return main()
    except KeyboardInterrupt:
        print("leadbyte: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output wants no more; nor may the interpreter's last flush complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
