"""The command ``leadbyte``."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module

from leadbyte.cli.output import ERROR, INTERRUPTED, INVALID, PIPE_CLOSED, VALID, Output, waiting
from leadbyte.cli.signals import Terminated, die_of, raise_for_signals, raise_no_more

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import NoReturn, TextIO

__all__ = ["main", "run"]

# The commands that are groups of others; alone they show these, and exit as git does.
GROUPS = (["bom"], ["mojibake"])


def main(arguments: list[str] | None = None, *, prepare: Callable[[], None] | None = None) -> int:
    """Run the command with these arguments (default: the process's); return its exit code.

    ``prepare`` is called before it does any work.
    """
    try:
        code = run_command(sys.argv[1:] if arguments is None else arguments, prepare)
    except SystemExit:
        # The parser has printed a help.
        sys.stdout.flush()
        raise
    sys.stdout.flush()
    return code


def run_command(arguments: list[str], prepare: Callable[[], None] | None) -> int:
    """Run the command with these arguments; return its exit code."""
    if not arguments or arguments in GROUPS:
        from leadbyte.cli.help_texts import short_help

        print(short_help(*arguments))
        return INVALID
    if arguments == ["--version"]:
        from leadbyte.cli.version import version

        print(version())
        return VALID
    # Importing argparse takes longer than all of the above.
    from leadbyte.cli.arguments import parse

    options = parse(arguments)
    check_options(options)
    Output.color = getattr(options, "color", "auto")
    if not getattr(options, "paths", None) or hasattr(options, "text"):
        from leadbyte.cli.inputs import choose_input

        choose_input(options)
    module, _, function = options.command.partition(":")
    # The module of a command is imported only when the command runs.
    command = getattr(import_module(f"leadbyte.cli.{module}"), function)
    if prepare:
        prepare()
    code: int = command(options)
    return code


def check_options(options: argparse.Namespace) -> None:
    """Refuse options that need another one."""
    if getattr(options, "null", False) and options.format != "list":
        options.refuse("argument -0/--null: only allowed with argument --list")


def run() -> NoReturn:
    """Run the command and end the process; interrupts and output errors end it without a traceback."""
    # Modules and parsers are needed until the end: looking for garbage among them takes a sixth of the start.
    gc.disable()
    code = guarded()
    with suppress(OSError):
        sys.stderr.flush()
    # Otherwise the interpreter clears all modules, in an eighth of the whole time. Meanwhile a thread of
    # pyarrow that releases objects aborts before Python 3.14: "terminate called without an active exception".
    os._exit(code)


def guarded() -> int:
    """Run the command with the arguments of the process; return its exit code, also after an exception."""
    code, message = ERROR, ""
    try:
        prepare_streams()
        return main(prepare=prepare_work)
    except KeyboardInterrupt:
        code, message = INTERRUPTED, "interrupted"
    except Terminated as terminated:
        die_of(terminated.number)
    except BrokenPipeError:
        # The reader of the output or of the messages closed it.
        code = PIPE_CLOSED
    except OSError as error:
        # Errors of files are reported where they occur; this is one of the output, or of the messages.
        message = f"standard output: {error.strerror or error}"
    except MemoryError:
        message = "out of memory"
    finally:
        raise_no_more()
    with suppress(OSError):
        if message:
            print(f"leadbyte: {message}", file=sys.stderr)
    # The output before is still written, if it can be; at exit that would fail with a message of Python.
    with suppress(OSError):
        sys.stdout.flush()
    discard(sys.stdout)
    discard(sys.stderr)
    return code


def prepare_work() -> None:
    """Have signals raise exceptions, and garbage collected from now on."""
    raise_for_signals()
    gc.freeze()
    gc.enable()


def prepare_streams() -> None:
    """Make printing safe: no encoding raises an exception, nor does a closed standard error.

    No file that is opened later gets the descriptor of a closed stream.
    """
    # In the order of descriptors, of which the lowest is taken. Reading stdin fails, and writing to stdout.
    if sys.stdin is None:
        os.open(os.devnull, os.O_WRONLY)
    for name, mode in (("stdout", os.O_RDONLY), ("stderr", os.O_RDWR)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, mode), "w", encoding="utf-8"))
        else:
            stream.reconfigure(errors="backslashreplace")
            if not (os.name == "nt" or os.get_blocking(stream.fileno())):
                setattr(sys, name, waiting(stream))


def discard(stream: TextIO) -> None:
    """Discard the buffer, so that flushing it at exit cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
