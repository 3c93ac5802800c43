"""The parser of the command's arguments, which help, completions and the man page are made from."""

from __future__ import annotations

import argparse
import os
import sys

from leadbyte._engines import CLUSTERS, LOCAL
from leadbyte._leadbyte import _substitutions
from leadbyte._messages import printable
from leadbyte._repair import DEFAULT_SUBSTITUTION
from leadbyte.cli.argument_types import (
    as_utf8,
    candidates,
    code_points,
    confidence,
    encoding,
    encoding_or_detection,
    hex_bytes,
    limit,
    names,
    natural_number,
    output_path,
    policy,
    positive_number,
    suffix,
    thread_count,
    valid_text,
)
from leadbyte.cli.files import is_url, without_secrets
from leadbyte.cli.help_texts import ENVIRONMENT, HELP_TEXTS
from leadbyte.cli.version import version

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import NoReturn, TypeAlias

    from _typeshed import SupportsWrite

    _Commands: TypeAlias = argparse._SubParsersAction["Parser"]

JSON = "one JSON object a line: files, then a summary"
GITHUB = "annotations of a GitHub workflow"
NAMES = "only the names of files that {}, escaped as in Python"
NOTHING = "nothing but errors in reading or writing files"
TEXT_ONLY = "nothing but the text, and errors in reading or writing files"
# Where JSON goes if standard output is for text.
TO_STANDARD_ERROR = "; on standard error, except in a dry run"


PATHS = "a file, a directory, the URL of a file, or - for standard input"
PATHS_AND_URLS = "a file, a directory, a URL, or - for standard input"


class DefaultPaths:
    """The paths of a command that is given none, nor data on standard input, and what they are called."""

    def __init__(self, paths: list[str], meaning: str, described: str) -> None:
        self.paths = paths
        self.meaning = meaning
        self.described = described


IF_DATA = "standard input, if that is a file or a pipe with data"
CURRENT_DIRECTORY = DefaultPaths(["."], "the current directory", f"{IF_DATA}, or else the current directory")
STANDARD_INPUT = DefaultPaths(["-"], "standard input", "standard input")
NO_PATH = DefaultPaths([], "", IF_DATA)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are short and name the closest option; its help begins with the options."""

    # The arguments that are parsed, which an error may have to be compared with.
    words: tuple[str, ...] = ()
    last_group: argparse._ArgumentGroup | None = None

    def error(self, message: str) -> NoReturn:
        """Print a message without secrets, and the closest option to an unknown one, and exit."""
        lines = "\n".join(map(printable, without_secrets(message).split("\n")))
        self.exit(2, f"{self.prog}: error: {lines}{self.suggestion(message)}\n")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print a help or a message; an error of the output is raised."""
        print(message, end="", file=file or sys.stderr)

    def suggestion(self, message: str) -> str:
        """Return the closest option to the first unknown one, or its file, which an error may be about."""
        known = list(self._option_string_actions)
        for word in self.words:
            name = word.partition("=")[0]
            if word == "--":
                break
            if word.startswith("-") and word in message.split() and os.path.lexists(word):
                return f"; the file is {os.path.join('.', word)}"
            if word.startswith("--") and not any(option.startswith(name) for option in known):
                meant = did_you_mean(name, known)
                return meant if name in message or not meant else f"; {name} is not an option{meant}"
        return ""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value that is not a choice, with the closest choice."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = did_you_mean(str(value), [*map(str, action.choices or ())])
            if isinstance(action, argparse._SubParsersAction):
                self.error(f"{value!r} is not a command{meant}")
            raise argparse.ArgumentError(action, f"{error.message}{meant}") from None

    def format_help(self) -> str:
        """Return the help: usage, summary and options come first, a group that few need comes last."""
        formatter = self._get_formatter()
        last = self.last_group._group_actions if self.last_group else []
        shown = [action for action in self._actions if action not in last]
        formatter.add_usage(self.usage, shown, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            if group is not self.last_group:
                add_group(formatter, group)
        formatter.add_text(self.epilog)
        if self.last_group:
            add_group(formatter, self.last_group)
        return formatter.format_help()


def add_group(formatter: argparse.HelpFormatter, group: argparse._ArgumentGroup) -> None:
    """Add a group of arguments to a help."""
    formatter.start_section(group.title)
    formatter.add_text(group.description)
    formatter.add_arguments(group._group_actions)
    formatter.end_section()


def did_you_mean(word: str, known: list[str]) -> str:
    """Return a question for the known word that is closest to another one, or an empty string."""
    from difflib import get_close_matches

    return "".join(f"; did you mean {match}?" for match in get_close_matches(word, known, 1))


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parse the arguments of the command; only the parser of the subcommand that they call is built."""
    Parser.words = tuple(arguments)
    options, unknown = parser(only=arguments[0] if arguments else None).parse_known_args(arguments)
    if unknown:
        options.refuse(f"unrecognized arguments: {' '.join(unknown)}")
    for name, option in (("output", "-o"), ("quarantine", "--quarantine")):
        if is_url(getattr(options, name, None) or ""):
            way = "leadbyte.dataset in Python writes to URLs"
            options.refuse(f"argument {option}: takes the path of a local file; {way}")
    return options


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


def parser(only: str | None = None) -> Parser:
    """Return the parser; the option ``command`` names each command's function, as ``module:function``.

    If ``only`` is a command, the other ones are left out: the process of a command needs no others.
    """
    text = HELP_TEXTS[""]
    environment = "".join(f"  {name}\n      {meaning}\n" for name, meaning in ENVIRONMENT.items())
    top = Parser(
        prog="leadbyte",
        description=f"{text.summary}.\n\n{text.description}",
        epilog=f"{text.epilog()}\nenvironment:\n{environment}",
        formatter_class=Formatter,
    )
    top.add_argument("--version", action="version", version=version(), help="show the version and exit")
    top.set_defaults(refuse=top.error)
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
        "audit": add_audit,
        "sanitize": add_sanitize,
        "completion": add_completion,
    }
    for add in [adders[only]] if only in adders else adders.values():
        add(commands)
    return top


def add_check(commands: _Commands) -> None:
    """Add the command ``check``."""
    check = add_command(commands, "check", "check:check")
    add_paths(check, paths=PATHS_AND_URLS, default=CURRENT_DIRECTORY)
    add_jobs(check)
    add_null(check)
    add_columns(check, "check these columns only, in CSV files too")
    add_jsonl(check, "check files as JSON lines: also find what programs that load them refuse")
    check.add_argument(
        "--strict-skips",
        action="store_true",
        help="exit with 1 if tables below directories were not read, as a package is not installed",
    )
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
    add_formats(count, json=JSON, quiet=NOTHING)


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
    repair.add_argument(
        "--substitution",
        choices=_substitutions(),
        default=DEFAULT_SUBSTITUTION,
        help="how many replacements an error in a text gets: as in browsers and Python (whatwg), or elsewhere"
        " (default: %(default)s)",
    )
    repair.add_argument(
        "--rows",
        choices=("repair", "drop"),
        default="repair",
        help="repair the lines and the rows of tables that have errors (default), or drop them",
    )
    repair.add_argument(
        "--quarantine",
        metavar="FILE",
        help=(
            "also write each of these rows there as it was, with its place: as lines of JSON, or to a new "
            "Parquet file if the name ends with .parquet; -i appends"
        ),
    )
    add_columns(repair, "repair these columns of Parquet files only, binary ones too")
    add_jsonl(repair, "repair files as JSON lines: also lone surrogates, NULs and byte order marks")
    add_max_errors(repair)
    add_formats(repair, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=TEXT_ONLY)


def add_convert(commands: _Commands) -> None:
    """Add the command ``convert``."""
    convert = add_command(commands, "convert", "convert:convert")
    convert.add_argument(
        "-f",
        "--from",
        dest="source",
        required=True,
        type=encoding_or_detection,
        metavar="ENCODING",
        help="the encoding of the files; auto or detect to detect it in each",
    )
    add_candidates(convert, "with --from auto, choose")
    add_min_confidence(
        convert, 0.9, "with --from auto, leave a file unchanged if the confidence is less than P, from 0 to 1"
    )
    convert.add_argument(
        "--fallback",
        type=encoding_or_detection,
        metavar="ENCODING",
        help="with --from utf-8, decode lines that are not UTF-8 in this encoding; auto chooses one for each",
    )
    convert.add_argument("--list", action=ListEncodings, nargs=0, help="list all encodings and exit")
    convert.add_argument(
        "-t",
        "--to",
        dest="target",
        default="utf-8",
        type=encoding,
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
        type=valid_text,
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
    add_formats(convert, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=TEXT_ONLY)


def add_bom(commands: _Commands) -> None:
    """Add the command ``bom`` and its three subcommands."""
    actions = add_commands(commands, "bom")
    check = add_command(actions, "bom check", "bom:check")
    add_paths(check, named="files without a byte order mark and skipped files", default=NO_PATH)
    add_null(check)
    add_formats(
        check, json=JSON, github=GITHUB, list=NAMES.format("begin with a byte order mark"), quiet=NOTHING
    )
    strip = add_command(actions, "bom strip", "bom:strip")
    strip.set_defaults(max_errors=0)
    add_change(strip, "strip")
    add = add_command(actions, "bom add", "bom:add")
    add_change(add, "add")
    add_max_errors(add)


def add_change(command: argparse.ArgumentParser, bom: str) -> None:
    """Add the arguments of commands that change byte order marks, as this policy of convert does."""
    command.set_defaults(in_place=True, instead=f"leadbyte convert --from utf-8 --bom {bom}")
    named = "changed, unchanged and skipped files"
    add_paths(command, paths="a file or a directory", named=named, default=DefaultPaths([], "", ""))
    add_backup(command)
    add_dry_run(command)
    add_formats(command, json=JSON, quiet=NOTHING)


def add_locate(commands: _Commands) -> None:
    """Add the command ``locate``."""
    locate = add_command(commands, "locate", "locate:locate")
    add_file(locate, "path", nargs="?")
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
    add_candidates(detect, "choose")
    add_formats(detect, json=JSON, quiet=NOTHING)


def add_sizes(commands: _Commands) -> None:
    """Add the command ``sizes``."""
    sizes = add_command(commands, "sizes", "sizes:sizes")
    add_file(sizes, "paths", nargs="*")
    sizes.add_argument(
        "--encoding",
        default="utf-8",
        type=encoding_or_detection,
        metavar="ENCODING",
        help="the encoding of the files; auto or detect to detect it in each (default: %(default)s)",
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
    add_formats(normalize, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=TEXT_ONLY)


def add_explain(commands: _Commands) -> None:
    """Add the command ``explain``."""
    explain = add_command(commands, "explain", "explain:explain")
    subject = add_text(explain, ascii_is_name=False)
    subject.add_argument("--hex", type=hex_bytes, metavar="BYTES", help='bytes, for instance "F0 90 8D 88"')
    subject.add_argument(
        "--range", type=code_points, metavar="A-B", help="a range of code points, for instance 3105-312F"
    )
    explain.add_argument(
        "--byte",
        type=natural_number,
        metavar="N",
        help="in a file, explain the characters around this offset (default: 0)",
    )
    explain.add_argument(
        "--count",
        type=natural_number,
        metavar="N",
        help="in a file, the number of characters to explain (default: 16)",
    )
    explain.add_argument(
        "--lang",
        choices=["en", "ru"],
        metavar="LANG",
        help="the language, en or ru for English or Russian (default: the locale's, if the output can show "
        "it, or English)",
    )
    explain.add_argument("--steps", action="store_true", help="show the steps of encoding and decoding")
    add_formats(explain, json="one JSON object a line: characters, then a summary", quiet="no summary")


def add_mojibake(commands: _Commands) -> None:
    """Add the command ``mojibake`` and its three subcommands."""
    actions = add_commands(commands, "mojibake")
    repair = add_command(actions, "mojibake repair", "mojibake:repair")
    add_paths(
        repair,
        paths=f"{PATHS}; also a text, if it is the only one and not ASCII, and no file has this name",
        named="repaired, unchanged and skipped files",
        default=NO_PATH,
    )
    repair.add_argument("--text", type=valid_text, metavar="TEXT", help="repair this text instead of files")
    add_languages(repair)
    add_target(repair)
    add_dry_run(repair)
    add_max_steps(repair)
    add_formats(repair, json=f"{JSON}{TO_STANDARD_ERROR} or --text", quiet=TEXT_ONLY)
    garble = add_command(actions, "mojibake garble", "mojibake:garble")
    add_text(garble, ascii_is_name=False)
    garble.add_argument(
        "--encoding", required=True, type=encoding, metavar="ENCODING", help="the encoding of the text"
    )
    garble.add_argument(
        "--misread-as",
        required=True,
        type=encoding,
        metavar="ENCODING",
        help="the encoding it is decoded with",
    )
    add_formats(garble, json="one JSON object")
    explain = add_command(actions, "mojibake explain", "mojibake:explain")
    add_text(explain, ascii_is_name=True)
    add_languages(explain)
    add_max_steps(explain)
    add_formats(explain, json="one JSON object; for a file it has all steps, but no text", quiet=NOTHING)


def add_max_steps(command: argparse.ArgumentParser) -> None:
    """Add the option for the number of steps to show."""
    command.add_argument(
        "--max-steps",
        type=limit,
        default=10,
        metavar="N",
        help="show at most N steps of a file (default: %(default)s)",
    )


def add_languages(command: argparse.ArgumentParser) -> None:
    """Add the options for the languages that a text may be in."""
    command.add_argument(
        "--language",
        action="append",
        dest="languages",
        metavar="TAG",
        help="a language that the text may be in, for instance tr; repeatable",
    )
    command.add_argument(
        "--candidates",
        action="extend",
        type=names,
        dest="languages",
        metavar="LIST",
        help="the languages that the text may be in, for instance tr,hu",
    )


def add_audit(commands: _Commands) -> None:
    """Add the command ``audit``."""
    audit = add_command(commands, "audit", "audit:audit")
    add_paths(audit, named="files without findings and skipped files", default=CURRENT_DIRECTORY)
    add_policy(audit, default="source-code")
    add_null(audit)
    add_max_findings(audit)
    add_formats(audit, json=JSON, github=GITHUB, list=NAMES.format("have findings"), quiet=NOTHING)


def add_sanitize(commands: _Commands) -> None:
    """Add the command ``sanitize``."""
    sanitize = add_command(commands, "sanitize", "sanitize:sanitize")
    add_paths(sanitize, named="unchanged and skipped files", default=STANDARD_INPUT)
    add_policy(sanitize)
    sanitize.add_argument(
        "--replacement",
        type=valid_text,
        default="",
        metavar="TEXT",
        help="the replacement of each finding (default: none, findings are removed)",
    )
    add_target(sanitize)
    add_dry_run(sanitize)
    add_max_findings(sanitize)
    add_formats(sanitize, json=f"{JSON}{TO_STANDARD_ERROR}", quiet=TEXT_ONLY)


def add_policy(command: argparse.ArgumentParser, default: str | None = None) -> None:
    """Add the option for the policy, which is required without a default."""
    command.add_argument(
        "-p",
        "--policy",
        type=policy,
        default=default,
        required=default is None,
        metavar="POLICY",
        help="source-code, llm-input, postgresql, mysql-utf8mb3, xml-1.0, json, identifier,"
        " or kinds with commas between them" + ("" if default is None else " (default: %(default)s)"),
    )


def add_max_findings(command: argparse.ArgumentParser) -> None:
    """Add the option that limits the number of findings shown for a file."""
    command.add_argument(
        "--max-findings",
        dest="max_errors",
        type=limit,
        default=10,
        metavar="N",
        help="show at most N findings of a file (default: %(default)s)",
    )


def add_completion(commands: _Commands) -> None:
    """Add the command ``completion``."""
    completion = add_command(commands, "completion", "completion:completion")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")


def add_text(command: argparse.ArgumentParser, *, ascii_is_name: bool) -> argparse._MutuallyExclusiveGroup:
    """Add the group of arguments that give a text, which choose_input completes; return the group.

    ``ascii_is_name`` is whether an argument in ASCII is always the name of a file.
    """
    command.set_defaults(ascii_is_name=ascii_is_name, default=NO_PATH, required="TEXT")
    subject = command.add_mutually_exclusive_group()
    subject.add_argument(
        "argument",
        nargs="?",
        metavar="TEXT",
        help=f"a text, or the name of a file, or - for standard input (default: {IF_DATA})",
    )
    subject.add_argument("--text", metavar="TEXT", help="a text, whatever files there are")
    subject.add_argument("--file", metavar="FILE", help="a file, its URL, or - for standard input")
    return subject


def add_file(command: argparse.ArgumentParser, name: str, *, nargs: str) -> None:
    """Add the argument of commands that read files, but no directories."""
    command.set_defaults(default=NO_PATH, required="FILE")
    command.add_argument(
        name,
        nargs=nargs,
        metavar="FILE",
        help=f"a file, its URL, or - for standard input (default: {IF_DATA})",
    )


def add_candidates(command: argparse.ArgumentParser, what: str) -> None:
    """Add the option for the encodings that detection chooses from."""
    command.add_argument(
        "--candidates",
        action="extend",
        type=candidates,
        metavar="LIST",
        help=f"{what} among these encodings only, for instance utf-8,cp1251,koi8-r",
    )


def add_target(command: argparse.ArgumentParser, output: str = "write to this file") -> None:
    """Add the options that select the output; commands without them name another command ``instead``."""
    command.set_defaults(instead="")
    target = command.add_mutually_exclusive_group()
    target.add_argument(
        "-o",
        "--output",
        type=output_path,
        default="-",
        metavar="FILE",
        help=f"{output} (default: standard output)",
    )
    target.add_argument("-i", "--in-place", action="store_true", help="replace the files")
    add_backup(command)


def add_backup(command: argparse.ArgumentParser) -> None:
    """Add the option that keeps the replaced files."""
    command.add_argument(
        "--backup",
        type=suffix,
        metavar="SUFFIX",
        help="keep the replaced file under its name and this suffix, for instance .bak, unless that exists",
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
    All have the option for colours.
    """
    command.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="use colours: auto for terminals, unless NO_COLOR or FORCE_COLOR is set (default: %(default)s)",
    )
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
            *(["-q"] if name == "quiet" else []),
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
        type=as_utf8,
        dest="column_names",
        metavar="NAME",
        help=f"{meaning}, with all that is nested in them, for instance address.city; can be repeated",
    )


def add_jsonl(command: argparse.ArgumentParser, meaning: str) -> None:
    """Add the option for JSON lines."""
    command.add_argument("--jsonl", action="store_true", help=meaning)


def add_max_errors(command: argparse.ArgumentParser) -> None:
    """Add the option that limits the number of errors shown for a file."""
    command.add_argument(
        "--max-errors",
        type=limit,
        default=10,
        metavar="N",
        help="show at most N errors of a file (default: %(default)s)",
    )


def add_dataset(parser: Parser) -> None:
    """Add the options for URLs, which is_dataset looks for, as the last group of the help."""
    text = HELP_TEXTS[parser.prog.partition(" ")[2]]
    command = parser.last_group = parser.add_argument_group(text.last_title, text.last_text)
    command.add_argument(
        "--engine",
        choices=[*LOCAL, *CLUSTERS],
        help="read URLs, and paths too, with this engine (default: threads)",
    )
    command.add_argument(
        "--address",
        metavar="ADDRESS",
        help="the address of the cluster, for instance tcp://host:8786 of Dask, which has no default; ray://host:10001"
        " (default: RAY_ADDRESS or a local one); the master of Spark (default: the one in its configuration)",
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
    return any(option is not None for option in given) or any(map(is_url, options.paths))


def add_paths(
    command: argparse.ArgumentParser,
    *,
    paths: str = PATHS,
    named: str = "valid and skipped files",
    default: DefaultPaths,
) -> None:
    """Add the arguments of commands that read paths."""
    command.set_defaults(jobs=1)
    add_path_arguments(command, paths=paths, default=default)
    command.add_argument("--binary", action="store_true", help="read binary files too")
    command.add_argument("--verbose", action="store_true", help=f"also list {named}")
    add_selection(command)


def add_path_arguments(
    command: argparse.ArgumentParser,
    *,
    paths: str = PATHS,
    default: DefaultPaths,
) -> None:
    """Add the paths, which choose_input completes; without a default, one is required."""
    command.set_defaults(default=default, required="PATH")
    meaning = f"{paths} (default: {default.described})" if default.described else paths
    command.add_argument("paths", nargs="*", metavar="PATH", help=meaning)


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
        type=thread_count,
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
    # argparse takes -0 for a negative number, and would then take any of them for an option, not for a value.
    command._has_negative_number_optionals.clear()


def add_commands(commands: _Commands, name: str) -> _Commands:
    """Add a command that is a group of subcommands; return the group."""
    return add_command(commands, name).add_subparsers(title="commands", required=True, metavar="COMMAND")


def add_command(commands: _Commands, name: str, function: str = "") -> Parser:
    """Add a command, given its name after ``leadbyte`` and the function that it runs."""
    text = HELP_TEXTS[name]
    command = commands.add_parser(
        name.rpartition(" ")[2],
        help=text.summary,
        description=f"{text.summary[0].upper()}{text.summary[1:]}.",
        epilog=f"{text.description}\n{text.epilog()}",
        formatter_class=Formatter,
    )
    command.set_defaults(command=function, refuse=command.error)
    return command
