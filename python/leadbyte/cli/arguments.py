"""The parser of the command's arguments, which help, completions and the man page are made from."""

from __future__ import annotations

import argparse
import os
import sys

from leadbyte import __version__, cpu_info
from leadbyte.cli.argument_types import (
    code_points,
    confidence,
    hex_bytes,
    natural_number,
    positive_number,
    suffix,
    valid_text,
)
from leadbyte.cli.help_texts import ENVIRONMENT, HELP_TEXTS

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import TypeAlias

    _Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

JSON = "one JSON object a line: files, then a summary"
GITHUB = "annotations of a GitHub workflow"
NAMES = "only the names of files that {}, escaped as in Python"
NOTHING = "nothing but errors"
# Where JSON goes if standard output is for text.
TO_STANDARD_ERROR = "; on standard error, except in a dry run"


PATHS_AND_URLS = "a file, a directory, a URL, or - for standard input"
# What runs a scan of URLs, and of these what runs on a cluster.
ENGINES = ("threads", "processes", "dask", "ray", "spark")
CLUSTERS = ENGINES[2:]


class DefaultPaths:
    """The paths that a command takes if none is given, and their meaning."""

    def __init__(self, paths: list[str], meaning: str) -> None:
        self.paths = paths
        self.meaning = meaning


CURRENT_DIRECTORY = DefaultPaths(["."], "the current directory")
STANDARD_INPUT = DefaultPaths(["-"], "standard input")
NO_PATH = DefaultPaths([], "")


class Check(argparse.Action):
    """Sets a dry run whose exit code indicates whether a file would change."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: object,
        _option: str | None = None,
    ) -> None:
        """Set both options."""
        namespace.check = namespace.dry_run = True


class ListEncodings(argparse.Action):
    """Prints the names of all encodings."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        _values: object,
        _option: str | None = None,
    ) -> None:
        """Print and exit."""
        from leadbyte._encodings import all_names

        print(*all_names(), sep="\n")
        parser.exit()


class Formatter(argparse.HelpFormatter):
    """Fills paragraphs, but keeps the lines of lists."""

    def __init__(self, prog: str) -> None:
        # Otherwise argparse imports shutil for it, and with that all modules for compression.
        super().__init__(prog, width=terminal_width() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(part if "\n " in part else fill(part, width, indent) for part in paragraphs) + "\n"


def terminal_width() -> int:
    """Return the number of columns of the terminal, as shutil.get_terminal_size does."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
        except (OSError, ValueError):
            columns = 0
    return columns or 80


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser; the option ``command`` names each command's function, as ``module:function``.

    If ``only`` is a command, the other ones are left out: the process of a command needs no others.
    """
    text = HELP_TEXTS[""]
    environment = "".join(f"  {name}\n      {meaning}\n" for name, meaning in ENVIRONMENT.items())
    top = argparse.ArgumentParser(
        prog="leadbyte",
        description=f"{text.summary}.\n\n{text.description}",
        epilog=f"{text.epilog()}\nenvironment:\n{environment}",
        formatter_class=Formatter,
    )
    top.add_argument("--version", action="version", version=version(), help="show the version and exit")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    adders = {
        "check": add_check,
        "count": add_count,
        "repair": add_repair,
        "convert": add_convert,
        "bom": add_bom,
        "locate": add_locate,
        "detect": add_detect,
        "sizes": add_sizes,
        "normalize": add_normalize,
        "explain": add_explain,
        "mojibake": add_mojibake,
        "completion": add_completion,
    }
    for add in [adders[only]] if only in adders else adders.values():
        add(commands)
    return top


def version() -> str:
    """Return the version, with the instruction set used for validation and the version of Python."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"leadbyte {__version__} ({cpu_info()['functions']['validate']}; Python {python})"


def add_check(commands: _Commands) -> None:
    """Add the command ``check``."""
    check = add_command(commands, "check", "check:check")
    add_paths(check, paths=PATHS_AND_URLS, default=CURRENT_DIRECTORY)
    add_jobs(check)
    add_null(check)
    add_columns(check, "check these columns only, in CSV files too")
    add_max_errors(check)
    add_dataset(check)
    add_formats(check, json=JSON, github=GITHUB, list=NAMES.format("are not valid"), quiet=NOTHING)


def add_count(commands: _Commands) -> None:
    """Add the command ``count``."""
    count = add_command(commands, "count", "count:count")
    add_paths(count, paths=PATHS_AND_URLS, named="skipped files", default=STANDARD_INPUT)
    add_jobs(count)
    for *flags, column, what in (
        ("-l", "--lines", "newline_count", "newlines"),
        ("-m", "--chars", "char_count", "characters"),
        ("--utf16", "utf16_count", "UTF-16 code units"),
        ("-c", "--bytes", "byte_count", "bytes"),
    ):
        count.add_argument(*flags, dest="columns", action="append_const", const=column, help=f"count {what}")
    add_dataset(count)
    add_formats(count, json=JSON)


def add_repair(commands: _Commands) -> None:
    """Add the command ``repair``."""
    repair = add_command(commands, "repair", "repair:repair")
    add_paths(repair, named="valid and skipped files", default=STANDARD_INPUT)
    add_jobs(repair)
    add_target(repair)
    add_dry_run(repair)
    repair.add_argument(
        "--replacement",
        type=valid_text,
        default="\ufffd",
        metavar="TEXT",
        help="the replacement of each error (default: U+FFFD); if empty, errors are dropped",
    )
    add_columns(repair, "repair these columns of Parquet files only, binary ones too")
    add_max_errors(repair)
    add_formats(repair, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=NOTHING)


def add_convert(commands: _Commands) -> None:
    """Add the command ``convert``."""
    convert = add_command(commands, "convert", "convert:convert")
    convert.add_argument(
        "-f",
        "--from",
        dest="source",
        required=True,
        metavar="ENCODING",
        help="the encoding of the files; auto to detect it in each",
    )
    add_min_confidence(
        convert, 0.9, "with --from auto, leave a file unchanged if the confidence is less than P, from 0 to 1"
    )
    convert.add_argument("--list", action=ListEncodings, nargs=0, help="list all encodings and exit")
    convert.add_argument(
        "-t",
        "--to",
        dest="target",
        default="utf-8",
        metavar="ENCODING",
        help="the encoding to convert to (default: %(default)s)",
    )
    convert.add_argument(
        "--force",
        action="store_true",
        help="also convert files that are valid UTF-8, or that are in the target encoding already",
    )
    add_paths(convert, named="converted, unchanged and skipped files", default=STANDARD_INPUT)
    add_target(convert, "write to this file, or into this directory")
    add_dry_run(convert)
    convert.add_argument(
        "--errors",
        default="strict",
        metavar="HANDLER",
        help="the Python error handler for text that cannot be converted: replace, ignore, backslashreplace,"
        " xmlcharrefreplace, namereplace, surrogateescape, surrogatepass"
        " (default: %(default)s, the file is not converted)",
    )
    convert.add_argument(
        "--bom",
        choices=["keep", "strip", "add"],
        help="the policy for byte order marks (default: see above)",
    )
    convert.add_argument(
        "--newline",
        choices=["keep", "lf", "crlf", "cr"],
        default="keep",
        help="the line ends to write (default: %(default)s)",
    )
    add_max_errors(convert)
    add_formats(convert, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=NOTHING)


def add_bom(commands: _Commands) -> None:
    """Add the command ``bom`` and its three subcommands."""
    actions = add_commands(commands, "bom")
    check = add_command(actions, "bom check", "bom:check")
    add_paths(check, named="files without a byte order mark and skipped files")
    add_null(check)
    add_formats(
        check, json=JSON, github=GITHUB, list=NAMES.format("begin with a byte order mark"), quiet=NOTHING
    )
    strip = add_command(actions, "bom strip", "bom:strip")
    strip.set_defaults(max_errors=0)
    add_change(strip)
    add = add_command(actions, "bom add", "bom:add")
    add_change(add)
    add_max_errors(add)


def add_change(command: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that change byte order marks."""
    command.set_defaults(in_place=True)
    add_paths(command, paths="a file or a directory", named="changed, unchanged and skipped files")
    add_backup(command)
    add_dry_run(command)
    add_formats(command, json=JSON, quiet=NOTHING)


def add_locate(commands: _Commands) -> None:
    """Add the command ``locate``."""
    locate = add_command(commands, "locate", "locate:locate")
    locate.add_argument("path", metavar="FILE", help="a file, or - for standard input")
    target = locate.add_mutually_exclusive_group(required=True)
    for unit, name in (("byte", "bytes"), ("char", "characters"), ("utf16", "UTF-16 code units")):
        target.add_argument(
            f"--{unit}", type=natural_number, metavar="N", help=f"an offset in {name}, from 0"
        )
    target.add_argument("--line", type=positive_number, metavar="L", help="a line, from 1")
    locate.add_argument(
        "--column",
        type=positive_number,
        metavar="C",
        help="with --line, a column in characters, from 1 (default: the start of the line)",
    )
    add_formats(locate, json="one JSON object")


def add_detect(commands: _Commands) -> None:
    """Add the command ``detect``."""
    detect = add_command(commands, "detect", "detect:detect_files")
    # The command itself reports binary files.
    detect.set_defaults(binary=True, verbose=False)
    add_path_arguments(detect, default=CURRENT_DIRECTORY)
    add_selection(detect)
    add_jobs(detect)
    add_min_confidence(detect, 0.0, "report an encoding with less confidence than P, from 0 to 1, as unsure")
    add_formats(detect, json=JSON)


def add_sizes(commands: _Commands) -> None:
    """Add the command ``sizes``."""
    sizes = add_command(commands, "sizes", "sizes:sizes")
    sizes.add_argument("paths", nargs="+", metavar="FILE", help="a file, or - for standard input")
    sizes.add_argument(
        "--encoding",
        default="utf-8",
        metavar="ENCODING",
        help="the encoding of the files (default: %(default)s)",
    )
    add_formats(sizes, json="one JSON object a line for each file")


def add_normalize(commands: _Commands) -> None:
    """Add the command ``normalize``."""
    normalize = add_command(commands, "normalize", "normalize:normalize_files")
    normalize.add_argument(
        "--form",
        choices=["NFC", "NFD", "NFKC", "NFKD"],
        default="NFC",
        help="the normalization form (default: %(default)s)",
    )
    add_paths(normalize, named="normalized, unchanged and skipped files", default=STANDARD_INPUT)
    add_target(normalize)
    add_dry_run(normalize)
    add_max_errors(normalize)
    add_formats(normalize, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=NOTHING)


def add_explain(commands: _Commands) -> None:
    """Add the command ``explain``."""
    explain = add_command(commands, "explain", "explain:explain")
    subject = add_text(explain)
    subject.add_argument("--hex", type=hex_bytes, metavar="BYTES", help='bytes, for instance "F0 90 8D 88"')
    subject.add_argument(
        "--range", type=code_points, metavar="A-B", help="a range of code points, for instance 3105-312F"
    )
    explain.add_argument(
        "--byte",
        type=natural_number,
        metavar="N",
        help="with --file, explain the characters around this offset (default: 0)",
    )
    explain.add_argument(
        "--count",
        type=natural_number,
        metavar="N",
        help="with --file, the number of characters to explain (default: 16)",
    )
    explain.add_argument(
        "--lang",
        metavar="LANG",
        help="the language, en or ru for English or Russian (default: that of the locale, or English)",
    )
    explain.add_argument("--steps", action="store_true", help="show the steps of encoding and decoding")
    add_formats(explain, json="one JSON object a line: characters, then a summary")


def add_mojibake(commands: _Commands) -> None:
    """Add the command ``mojibake`` and its three subcommands."""
    actions = add_commands(commands, "mojibake")
    repair = add_command(actions, "mojibake repair", "mojibake:repair")
    add_paths(repair, named="repaired, unchanged and skipped files", default=NO_PATH)
    repair.add_argument("--text", metavar="TEXT", help="repair this text instead of files")
    add_languages(repair)
    add_target(repair)
    add_dry_run(repair)
    repair.add_argument(
        "--max-steps",
        type=natural_number,
        default=10,
        metavar="N",
        help="show at most N steps of a file (default: %(default)s)",
    )
    add_formats(repair, json=f"{JSON}{TO_STANDARD_ERROR} or --text", quiet=NOTHING)
    garble = add_command(actions, "mojibake garble", "mojibake:garble")
    garble.add_argument("text", metavar="TEXT", help="the text")
    garble.add_argument("--encoding", required=True, metavar="ENCODING", help="the encoding of the text")
    garble.add_argument(
        "--misread-as", required=True, metavar="ENCODING", help="the encoding it is decoded with"
    )
    add_formats(garble, json="one JSON object")
    explain = add_command(actions, "mojibake explain", "mojibake:explain")
    add_text(explain)
    add_languages(explain)
    add_formats(explain, json="one JSON object")


def add_languages(command: argparse.ArgumentParser) -> None:
    """Add the option for the languages that a text may be in."""
    command.add_argument(
        "--language",
        action="append",
        dest="languages",
        metavar="TAG",
        help="a language that the text may be in, for instance tr; repeatable",
    )


def add_completion(commands: _Commands) -> None:
    """Add the command ``completion``."""
    completion = add_command(commands, "completion", "completion:completion")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")


def add_text(command: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Add the group of arguments that give the text to explain; return the group."""
    subject = command.add_mutually_exclusive_group(required=True)
    subject.add_argument("text", nargs="?", metavar="TEXT", help="a text")
    subject.add_argument("--file", metavar="FILE", help="a file, or - for standard input")
    return subject


def add_target(command: argparse.ArgumentParser, output: str = "write to this file") -> None:
    """Add the options that select the output."""
    target = command.add_mutually_exclusive_group()
    target.add_argument(
        "-o", "--output", default="-", metavar="FILE", help=f"{output} (default: standard output)"
    )
    target.add_argument("-i", "--in-place", action="store_true", help="replace the files")
    add_backup(command)


def add_backup(command: argparse.ArgumentParser) -> None:
    """Add the option that keeps the replaced files."""
    command.add_argument(
        "--backup",
        type=suffix,
        metavar="SUFFIX",
        help="keep the replaced file under its name and this suffix, for instance .bak",
    )


def add_dry_run(command: argparse.ArgumentParser) -> None:
    """Add the options for dry runs."""
    command.set_defaults(check=False)
    command.add_argument(
        "-n",
        "--dry-run",
        action="store_true",
        help="write nothing, but report what would be done",
    )
    command.add_argument(
        "--check",
        action=Check,
        nargs=0,
        help="do a dry run, and exit with 1 if a file would be changed",
    )


def add_formats(command: argparse.ArgumentParser, **contents: str) -> None:
    """Add the options that select an output format other than text; the keywords describe the contents.

    Commands with the format ``github`` also have the option ``--format``, which takes the name of any format.
    """
    formats = command.add_mutually_exclusive_group()
    if "github" in contents:
        formats.add_argument(
            "--format",
            choices=["text", *contents],
            default="text",
            help=f"the output format: github for {contents.pop('github')} (default: %(default)s)",
        )
    for name, content in contents.items():
        formats.add_argument(
            f"--{name}",
            dest="format",
            action="store_const",
            const=name,
            default="text",
            help=f"print {content}",
        )


def add_min_confidence(command: argparse.ArgumentParser, default: float, meaning: str) -> None:
    """Add the option for the confidence of detection."""
    command.add_argument(
        "--min-confidence",
        type=confidence,
        default=default,
        metavar="P",
        help=f"{meaning} (default: %(default)s)",
    )


def add_columns(command: argparse.ArgumentParser, meaning: str) -> None:
    """Add the option that selects the columns of files that have columns."""
    command.add_argument(
        "--column",
        action="append",
        default=[],
        dest="column_names",
        metavar="NAME",
        help=f"{meaning}, with all that is nested in them, for instance address.city; can be repeated",
    )


def add_max_errors(command: argparse.ArgumentParser) -> None:
    """Add the option that limits the number of errors shown for a file."""
    command.add_argument(
        "--max-errors",
        type=natural_number,
        default=10,
        metavar="N",
        help="show at most N errors of a file (default: %(default)s)",
    )


def add_dataset(command: argparse.ArgumentParser) -> None:
    """Add the options for URLs, which is_dataset looks for."""
    command.add_argument(
        "--engine", choices=ENGINES, help="read URLs, and paths too, with this engine (default: threads)"
    )
    command.add_argument(
        "--address",
        metavar="ADDRESS",
        help="the address of the cluster, for instance tcp://host:8786 of Dask, which has no default; ray://host:10001"
        " (default: RAY_ADDRESS or a local one); the master of Spark (default: that of its configuration)",
    )
    command.add_argument(
        "--blocksize",
        metavar="SIZE",
        help="with URLs or --engine, cut texts into blocks of this size (default: 64 MiB)",
    )
    command.add_argument(
        "--report",
        metavar="URL",
        help="write a row for each file into a new directory, whose name ends in .jsonl or .parquet",
    )


def is_dataset(options: argparse.Namespace) -> bool:
    """Return whether the paths are a data set: one of them is a URL, or an option requires it."""
    given = (options.engine, options.address, options.blocksize, options.report)
    return any(option is not None for option in given) or any("://" in path for path in options.paths)


def add_paths(
    command: argparse.ArgumentParser,
    *,
    paths: str = "a file, a directory, or - for standard input",
    named: str = "valid and skipped files",
    default: DefaultPaths | None = None,
) -> None:
    """Add the arguments of commands that read paths; without a default, one is required."""
    command.set_defaults(jobs=1)
    add_path_arguments(command, paths=paths, default=default)
    command.add_argument("--binary", action="store_true", help="read binary files too")
    command.add_argument("--verbose", action="store_true", help=f"also list {named}")
    add_selection(command)


def add_path_arguments(
    command: argparse.ArgumentParser,
    *,
    paths: str = "a file, a directory, or - for standard input",
    default: DefaultPaths | None,
) -> None:
    """Add the paths; without a default, one is required."""
    if default is None:
        command.add_argument("paths", nargs="+", metavar="PATH", help=paths)
    else:
        meaning = f"{paths} (default: {default.meaning})" if default.meaning else paths
        command.add_argument("paths", nargs="*", metavar="PATH", default=default.paths, help=meaning)


def add_selection(command: argparse.ArgumentParser) -> None:
    """Add the options that select the files of directories."""
    command.add_argument(
        "--no-ignore",
        dest="ignore",
        action="store_false",
        help="in directories, also read what .gitignore and .ignore files exclude",
    )
    command.add_argument("--hidden", action="store_true", help="in directories, also read hidden files")
    command.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="in directories, skip files and directories of this pattern, as in .gitignore; can be repeated",
    )


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add the option for the number of threads."""
    command.add_argument(
        "-j",
        "--jobs",
        type=positive_number,
        default=0,
        metavar="N",
        help="the number of threads that read files (default: the number of cores, up to 8)",
    )


def add_null(command: argparse.ArgumentParser) -> None:
    """Add the option that terminates names by NULs."""
    command.add_argument(
        "-0",
        "--null",
        action="store_true",
        help="with --list, print each name unescaped and terminated by a NUL, for xargs -0",
    )


def add_commands(commands: _Commands, name: str) -> _Commands:
    """Add a command that is a group of subcommands; return the group."""
    return add_command(commands, name).add_subparsers(title="commands", required=True, metavar="COMMAND")


def add_command(commands: _Commands, name: str, function: str = "") -> argparse.ArgumentParser:
    """Add a command, given its name after ``leadbyte`` and the function that it runs."""
    text = HELP_TEXTS[name]
    command = commands.add_parser(
        name.rpartition(" ")[2],
        help=text.summary,
        description=f"{text.summary[0].upper()}{text.summary[1:]}.\n\n{text.description}",
        epilog=text.epilog(),
        formatter_class=Formatter,
    )
    command.set_defaults(command=function, refuse=command.error)
    return command
