"""The arguments of the command, in one parser that help texts, completions and the man page are made from."""

from __future__ import annotations

import argparse
import sys

from leadbyte import __version__, cpu_info
from leadbyte.cli.manual import ENVIRONMENT, PAGES
from leadbyte.cli.values import code_points, hex_bytes, natural_number, suffix, valid_text

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import TypeAlias

    _Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

JSON = "one JSON object a line: files, then a summary"
GITHUB = "annotations of a GitHub workflow"
NAMES = "only the names of files that {}, escaped as in Python"
NOTHING = "nothing but trouble"
# Where JSON goes if standard output may be for text.
ASIDE = "; on standard error, but for a dry run"


class Check(argparse.Action):
    """A dry run whose exit code says whether something would change."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: object,
        _option: str | None = None,
    ) -> None:
        """Set both options."""
        namespace.check = namespace.dry_run = True


class Formatter(argparse.HelpFormatter):
    """Fills lines of paragraphs, but leaves lists as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(part if "\n " in part else fill(part, width, indent) for part in paragraphs) + "\n"


def parser() -> argparse.ArgumentParser:
    """Return the parser; the option ``command`` names each command's function, as ``module:function``."""
    page = PAGES[""]
    environment = "".join(f"  {name}\n      {what}\n" for name, what in ENVIRONMENT.items())
    top = argparse.ArgumentParser(
        prog="leadbyte",
        description=f"{page.does}.\n\n{page.about}",
        epilog=f"{page.end()}\nenvironment:\n{environment}",
        formatter_class=Formatter,
    )
    top.add_argument("--version", action="version", version=version(), help="show the version and exit")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_check(commands)
    add_count(commands)
    add_repair(commands)
    add_convert(commands)
    add_bom(commands)
    add_locate(commands)
    add_detect(commands)
    add_sizes(commands)
    add_normalize(commands)
    add_explain(commands)
    add_mojibake(commands)
    add_completion(commands)
    return top


def version() -> str:
    """Return the version, with the instruction set that validates and the Python that runs."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"leadbyte {__version__} ({cpu_info()['functions']['validate']}; Python {python})"


def add_check(commands: _Commands) -> None:
    """Add the command ``check``."""
    check = add_command(commands, "check", "check:check")
    add_paths(check)
    add_max_errors(check)
    add_formats(check, json=JSON, github=GITHUB, list=NAMES.format("are not valid"), quiet=NOTHING)


def add_count(commands: _Commands) -> None:
    """Add the command ``count``."""
    count = add_command(commands, "count", "count:count")
    add_paths(count, named="the files that are passed over")
    for *flags, column, what in (
        ("-l", "--lines", "newline_count", "newlines"),
        ("-m", "--chars", "char_count", "characters"),
        ("--utf16", "utf16_count", "UTF-16 code units"),
        ("-c", "--bytes", "byte_count", "bytes"),
    ):
        count.add_argument(*flags, dest="columns", action="append_const", const=column, help=f"count {what}")
    add_formats(count, json=JSON)


def add_repair(commands: _Commands) -> None:
    """Add the command ``repair``."""
    repair = add_command(commands, "repair", "repair:repair")
    add_paths(repair, named="the files that are valid or skipped")
    add_target(repair)
    add_dry_run(repair)
    repair.add_argument(
        "--replacement",
        type=valid_text,
        default="\ufffd",
        metavar="TEXT",
        help="what takes the place of an error (default: U+FFFD); if empty, errors are dropped",
    )
    add_max_errors(repair)
    add_formats(repair, json=f"{JSON}{ASIDE}", quiet=NOTHING)


def add_convert(commands: _Commands) -> None:
    """Add the command ``convert``."""
    convert = add_command(commands, "convert", "convert:convert")
    convert.add_argument(
        "-f", "--from", dest="source", required=True, metavar="ENCODING", help="what the files are in"
    )
    convert.add_argument(
        "-t",
        "--to",
        dest="target",
        default="utf-8",
        metavar="ENCODING",
        help="what they are to be in (default: %(default)s)",
    )
    add_paths(convert, named="the files that were converted, unchanged or passed over")
    add_target(convert, "write to this file, or into this directory")
    add_dry_run(convert)
    convert.add_argument(
        "--errors",
        default="strict",
        metavar="HANDLER",
        help="what becomes of what cannot be converted, by the name of a Python error handler: replace,"
        " ignore, backslashreplace, xmlcharrefreplace, namereplace, surrogateescape, surrogatepass"
        " (default: %(default)s, the file is not converted)",
    )
    convert.add_argument(
        "--bom",
        choices=["keep", "strip", "add"],
        help="what becomes of a byte order mark (default: see above)",
    )
    convert.add_argument(
        "--newline",
        choices=["keep", "lf", "crlf", "cr"],
        default="keep",
        help="what lines are to end in (default: %(default)s)",
    )
    add_max_errors(convert)
    add_formats(convert, json=f"{JSON}{ASIDE}", quiet=NOTHING)


def add_bom(commands: _Commands) -> None:
    """Add the command ``bom`` and its three commands."""
    actions = add_commands(commands, "bom")
    check = add_command(actions, "bom check", "bom:check")
    add_paths(check, named="the files that begin with none or are passed over")
    add_formats(check, json=JSON, github=GITHUB, list=NAMES.format("begin with one"), quiet=NOTHING)
    strip = add_command(actions, "bom strip", "bom:strip")
    strip.set_defaults(max_errors=0)
    add_change(strip)
    add = add_command(actions, "bom add", "bom:add")
    add_change(add)
    add_max_errors(add)


def add_change(command: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that change byte order marks."""
    command.set_defaults(in_place=True)
    named = "the files that were changed, unchanged or passed over"
    add_paths(command, paths="a file or a directory", named=named)
    add_backup(command)
    add_dry_run(command)
    add_formats(command, json=JSON, quiet=NOTHING)


def add_locate(commands: _Commands) -> None:
    """Add the command ``locate``."""
    locate = add_command(commands, "locate", "locate:locate")
    locate.add_argument("path", metavar="FILE", help="a file, or - for standard input")
    locate.add_argument(
        "--byte", type=natural_number, required=True, metavar="N", help="the byte's offset from the start"
    )
    add_formats(locate, json="one JSON object")


def add_detect(commands: _Commands) -> None:
    """Add the command ``detect``."""
    detect = add_command(commands, "detect", "detect:detect_files")
    # What is binary is for the command to say.
    detect.set_defaults(binary=True, verbose=False)
    detect.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, a directory, or - for standard input"
    )
    add_formats(detect, json=JSON)


def add_sizes(commands: _Commands) -> None:
    """Add the command ``sizes``."""
    sizes = add_command(commands, "sizes", "sizes:sizes")
    sizes.add_argument("paths", nargs="+", metavar="FILE", help="a file, or - for standard input")
    sizes.add_argument(
        "--encoding", default="utf-8", metavar="ENCODING", help="what the files are in (default: %(default)s)"
    )
    add_formats(sizes, json="one JSON object a line for each file")


def add_normalize(commands: _Commands) -> None:
    """Add the command ``normalize``."""
    normalize = add_command(commands, "normalize", "normalize:normalize_files")
    normalize.add_argument(
        "--form",
        choices=["NFC", "NFD", "NFKC", "NFKD"],
        default="NFC",
        help="the normal form (default: %(default)s)",
    )
    add_paths(normalize, named="the files that were normalized, unchanged or passed over")
    add_target(normalize)
    add_dry_run(normalize)
    add_max_errors(normalize)
    add_formats(normalize, json=f"{JSON}{ASIDE}", quiet=NOTHING)


def add_explain(commands: _Commands) -> None:
    """Add the command ``explain``."""
    explain = add_command(commands, "explain", "explain:explain")
    what = add_text(explain)
    what.add_argument("--hex", type=hex_bytes, metavar="BYTES", help='bytes, for instance "F0 90 8D 88"')
    what.add_argument(
        "--range", type=code_points, metavar="A-B", help="all code points from one to another: 3105-312F"
    )
    explain.add_argument(
        "--byte", type=natural_number, metavar="N", help="of the file, the byte at this offset (default: 0)"
    )
    explain.add_argument(
        "--count", type=natural_number, metavar="N", help="of the file, so many characters (default: 16)"
    )
    explain.add_argument(
        "--lang", metavar="LANG", help="en or ru, for English or Russian (default: the locale's, or English)"
    )
    explain.add_argument("--steps", action="store_true", help="show the steps of encoding and decoding")
    add_formats(explain, json="one JSON object a line: characters, then a summary")


def add_mojibake(commands: _Commands) -> None:
    """Add the command ``mojibake`` and its three commands."""
    actions = add_commands(commands, "mojibake")
    repair = add_command(actions, "mojibake repair", "mojibake:repair")
    add_paths(repair, named="the files that were repaired, unchanged or passed over", needed=False)
    repair.add_argument("--text", metavar="TEXT", help="repair this text, not files")
    add_target(repair)
    add_dry_run(repair)
    repair.add_argument(
        "--max-steps",
        type=natural_number,
        default=10,
        metavar="N",
        help="tell at most N steps of a file (default: %(default)s)",
    )
    add_formats(repair, json=f"{JSON}{ASIDE} or --text", quiet=NOTHING)
    garble = add_command(actions, "mojibake garble", "mojibake:garble")
    garble.add_argument("text", metavar="TEXT", help="a text")
    garble.add_argument("--encoding", required=True, metavar="ENCODING", help="the encoding of the text")
    garble.add_argument(
        "--misread-as", required=True, metavar="ENCODING", help="the encoding it is decoded with"
    )
    add_formats(garble, json="one JSON object")
    explain = add_command(actions, "mojibake explain", "mojibake:explain")
    add_text(explain)
    add_formats(explain, json="one JSON object")


def add_completion(commands: _Commands) -> None:
    """Add the command ``completion``."""
    completion = add_command(commands, "completion", "completion:completion")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")


def add_text(command: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Add the arguments of which one says what is explained; return their group."""
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("text", nargs="?", metavar="TEXT", help="a text")
    what.add_argument("--file", metavar="FILE", help="a file, or - for standard input")
    return what


def add_target(command: argparse.ArgumentParser, output: str = "write to this file") -> None:
    """Add the options that say where new text goes."""
    target = command.add_mutually_exclusive_group()
    target.add_argument(
        "-o", "--output", default="-", metavar="FILE", help=f"{output} (default: standard output)"
    )
    target.add_argument(
        "-i", "--in-place", action="store_true", help="put the new files in the old ones' place"
    )
    add_backup(command)


def add_backup(command: argparse.ArgumentParser) -> None:
    """Add the option that keeps what is replaced."""
    command.add_argument(
        "--backup",
        type=suffix,
        metavar="SUFFIX",
        help="in place, keep the old file under its name and this suffix, for instance .bak",
    )


def add_dry_run(command: argparse.ArgumentParser) -> None:
    """Add the options that write nothing."""
    command.set_defaults(check=False)
    command.add_argument(
        "-n",
        "--dry-run",
        action="store_true",
        help="write nothing, but say what would be done",
    )
    command.add_argument(
        "--check",
        action=Check,
        nargs=0,
        help="as with --dry-run, and exit with 1 if something would be changed",
    )


def add_formats(command: argparse.ArgumentParser, **prints: str) -> None:
    """Add the options that print in another format than text; the keywords say what is printed.

    Where there are formats that no other command has, ``--format`` takes the name of any.
    """
    formats = command.add_mutually_exclusive_group()
    if "github" in prints:
        formats.add_argument(
            "--format",
            choices=["text", *prints],
            default="text",
            help=f"how to print what was found: github for {prints.pop('github')} (default: %(default)s)",
        )
    for name, what in prints.items():
        formats.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, default="text", help=f"print {what}"
        )


def add_max_errors(command: argparse.ArgumentParser) -> None:
    """Add the option that limits what is told of a file."""
    command.add_argument(
        "--max-errors",
        type=natural_number,
        default=10,
        metavar="N",
        help="show at most N errors of a file (default: %(default)s)",
    )


def add_paths(
    command: argparse.ArgumentParser,
    *,
    paths: str = "a file, a directory, or - for standard input",
    named: str = "the files that are valid or passed over",
    needed: bool = True,
) -> None:
    """Add the arguments of commands that read paths."""
    command.add_argument("paths", nargs="+" if needed else "*", metavar="PATH", help=paths)
    command.add_argument("--binary", action="store_true", help="read binary files too")
    command.add_argument("--verbose", action="store_true", help=f"name also {named}")


def add_commands(commands: _Commands, name: str) -> _Commands:
    """Add a command that has commands of its own; return these."""
    return add_command(commands, name).add_subparsers(title="commands", required=True, metavar="COMMAND")


def add_command(commands: _Commands, name: str, function: str = "") -> argparse.ArgumentParser:
    """Add a command, by its name after ``leadbyte``, and the function that it runs."""
    page = PAGES[name]
    command = commands.add_parser(
        name.rpartition(" ")[2],
        help=page.does,
        description=f"{page.does[0].upper()}{page.does[1:]}.\n\n{page.about}",
        epilog=page.end(),
        formatter_class=Formatter,
    )
    command.set_defaults(command=function, refuse=command.error)
    return command
