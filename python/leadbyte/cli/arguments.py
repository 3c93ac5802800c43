"""The arguments of the command, in one parser that help texts and manuals are made from."""

from __future__ import annotations

import argparse

from leadbyte import __version__

EXIT_CODES = """\
exit codes:
  0  everything read is valid
  1  something is not valid UTF-8
  2  trouble: a file is missing or cannot be read, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

COUNT_EXIT_CODES = """\
exit codes:
  0  everything was counted, valid or not
  2  trouble: a file is missing or cannot be read, or the arguments are wrong
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

JSON = "one JSON object a line: files, then a summary"

PATHS = """\
Named files are always read. Directories are walked: version control folders and links are passed over,
only regular files are opened, and files with a NUL in their first 8 KiB are taken for binary and passed
over too.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser; each command's function is the option ``command``."""
    top = argparse.ArgumentParser(
        prog="leadbyte",
        description="UTF-8 at the speed of the hardware: check and count.",
    )
    top.add_argument("--version", action="version", version=f"leadbyte {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    check = add_command(commands, "check", "say whether files are UTF-8, and where they are not", EXIT_CODES)
    check.set_defaults(command=run_check)
    check.add_argument(
        "--max-errors",
        type=natural_number,
        default=10,
        metavar="N",
        help="show at most N errors of a file (default: %(default)s)",
    )
    shown = check.add_mutually_exclusive_group()
    add_format(shown, "json", JSON)
    add_format(shown, "list", "print only the names of files that are not valid, escaped as in Python")
    add_format(shown, "quiet", "print nothing but trouble; the exit code tells")

    count = add_command(
        commands, "count", "count bytes, characters, UTF-16 units and lines", COUNT_EXIT_CODES
    )
    count.set_defaults(command=run_count)
    count.add_argument(
        "-l", "--lines", dest="columns", action="append_const", const="newlines", help="newlines"
    )
    count.add_argument(
        "-m", "--chars", dest="columns", action="append_const", const="chars", help="characters"
    )
    count.add_argument(
        "--utf16", dest="columns", action="append_const", const="utf16_units", help="UTF-16 units"
    )
    count.add_argument(
        "-c", "--bytes", dest="columns", action="append_const", const="byte_count", help="bytes"
    )
    add_format(count, "json", JSON)
    return top


def add_format(command: argparse._ActionsContainer, name: str, does: str) -> None:
    """Add an option that prints in another format than text."""
    command.add_argument(
        f"--{name}", dest="format", action="store_const", const=name, default="text", help=does
    )


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, does: str, codes: str
) -> argparse.ArgumentParser:
    """Add a command that reads paths."""
    command = commands.add_parser(
        name,
        help=does,
        description=f"{does[0].upper()}{does[1:]}.\n\n{PATHS}",
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, a directory, or - for standard input"
    )
    command.add_argument("--binary", action="store_true", help="in directories, read binary files too")
    command.add_argument(
        "--verbose", action="store_true", help="name also the files that are valid or passed over"
    )
    return command


def natural_number(text: str) -> int:
    """Return the number, 0 or more, that an argument gives."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        message = f"must be a whole number, 0 or more: {text!r}"
        raise argparse.ArgumentTypeError(message)
    return number


def run_check(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.check import check

    return check(options)


def run_count(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.count import count

    return count(options)
