"""What a command reads if its arguments leave it open: standard input or a default, a file or a text."""

from __future__ import annotations

import os
import re
import stat
import sys
from errno import EISDIR

from leadbyte._messages import printable
from leadbyte.cli.argument_types import as_utf8
from leadbyte.cli.files import STANDARD_INPUT, is_url

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

# After so long without data from standard input, a message explains what the command waits for.
WAITING_SECONDS = 2.0
WAITING = "waiting for standard input, as no path is given; a path or </dev/null avoids that"
# An argument with this, and no spaces, was meant as the name of a file, whether there is one or not.
NAME_PART = re.compile(r"[/\\]\w|.[/\\]$|.\.[A-Za-z0-9]{1,8}$")


def choose_input(options: argparse.Namespace) -> None:
    """Set what the command reads: its paths, or for commands with a text argument its text or its file."""
    if hasattr(options, "argument"):
        choose_text(options)
    elif hasattr(options, "path"):
        options.path = default_paths(options)[0] if options.path is None else options.path
    elif hasattr(options, "paths") and getattr(options, "text", None) is None:
        options.paths = options.paths or default_paths(options)
        if hasattr(options, "text") and is_text(options):
            (options.text,), options.paths = options.paths, []
    if getattr(options, "text", None) is not None:
        options.text = as_utf8(options.text)


def default_paths(options: argparse.Namespace) -> list[str]:
    """Return the paths of a command that is given none: standard input if it has data, or its default."""
    if getattr(options, "in_place", False):
        options.refuse(
            f"argument PATH: required; {options.instead} changes standard input"
            if options.instead
            else "argument -i/--in-place: requires PATH"
        )
    paths = [STANDARD_INPUT] if has_data() else options.default.paths
    if not paths:
        options.refuse(f"argument {options.required}: required, as standard input has no data")
    what = "standard input" if paths == [STANDARD_INPUT] else options.default.meaning
    if sys.stderr.isatty():
        remark(options, f"no path is given: reading {what}")
    return list(paths)


def choose_text(options: argparse.Namespace) -> None:
    """Set the text or the file of a command with a text argument; without one it is standard input."""
    argument = options.argument
    if argument is None:
        if all(getattr(options, name, None) is None for name in ("text", "file", "hex", "range")):
            options.file = default_paths(options)[0]
    elif argument == STANDARD_INPUT or (is_url(argument) and argument.split() == [argument]):
        options.file = argument
    elif os.path.exists(argument) and not os.path.isdir(argument):
        options.file = argument
        remark(options, f"{printable(argument)}: read as a file; --text takes it as a text")
    elif is_file_name(argument, ascii_is_name=options.ascii_is_name):
        options.refuse(f"{printable(argument)}: {why_no_file(argument)}; --text takes it as a text")
    else:
        options.text = argument


def why_no_file(path: str) -> str:
    """Return why there is no file at a path."""
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        return str(getattr(error, "strerror", error))
    return os.strerror(EISDIR)


def is_text(options: argparse.Namespace) -> bool:
    """Return whether the argument for the only path is a text, and remark on that."""
    if len(options.paths) > 1 or is_about_writing(options):
        return False
    (path,) = options.paths
    if path == STANDARD_INPUT or os.path.lexists(path) or is_file_name(path, ascii_is_name=True):
        return False
    remark(options, "taken as a text, as no file has this name")
    return True


def is_about_writing(options: argparse.Namespace) -> bool:
    """Return whether an option is about writing files, and so has no meaning for a text."""
    return bool(options.in_place or options.dry_run or options.backup or options.output != "-")


def is_file_name(argument: str, *, ascii_is_name: bool) -> bool:
    """Return whether an argument looks like the name of a file, or a URL; all ASCII may do so."""
    is_word = argument.split() == [argument]
    return (is_word and bool(NAME_PART.search(argument))) or (ascii_is_name and argument.isascii())


def remark(options: argparse.Namespace, message: str) -> None:
    """Print the chosen input on standard error, unless the command is to be quiet."""
    if options.format != "quiet":
        print(f"leadbyte: {message}", file=sys.stderr)


def has_data() -> bool:
    """Return whether standard input is a file, a pipe or a socket with data, or an empty file.

    Waits for the first byte of a pipe or a socket, or for its end: a slow writer is not mistaken for none.
    """
    try:
        descriptor = sys.__stdin__.fileno() if sys.__stdin__ else -1
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            # One that is read to its end may be the input of a loop in a shell.
            return not status.st_size or os.lseek(descriptor, 0, os.SEEK_CUR) < status.st_size
        if stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode):
            return wait_for_data(descriptor)
    except (OSError, ValueError):
        # It is closed, or cannot be read.
        pass
    return False


if sys.platform == "win32":

    def wait_for_data(descriptor: int) -> bool:
        """Wait for the first byte of a pipe, or for its end; return whether there is a byte."""
        import _winapi
        import msvcrt
        import time

        handle = msvcrt.get_osfhandle(descriptor)
        due = time.monotonic() + WAITING_SECONDS
        # It raises BrokenPipeError at the end.
        while not _winapi.PeekNamedPipe(handle, 0)[0]:
            if time.monotonic() >= due:
                print(f"leadbyte: {WAITING}", file=sys.stderr)
                due = float("inf")
            time.sleep(0.01)
        return True

else:

    def wait_for_data(descriptor: int) -> bool:
        """Wait for the first byte of a pipe or socket, or for its end; return whether there is a byte."""
        import fcntl
        import select
        import termios

        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
            return False
        if not select.select([descriptor], [], [], WAITING_SECONDS)[0]:
            print(f"leadbyte: {WAITING}", file=sys.stderr, flush=True)
            select.select([descriptor], [], [])
        return any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
