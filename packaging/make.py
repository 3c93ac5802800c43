"""Makes the man page and the shell completions from the command's parser.

``python packaging/make.py`` writes them below ``installed``, from where they are installed with the package;
``--check`` only checks whether they are up to date.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import shtab
from leadbyte._encodings import BUILT_IN, find
from leadbyte._mixed import check_fallback
from leadbyte.cli.arguments import parser
from leadbyte.cli.completion import SCRIPT_PATHS
from leadbyte.cli.help_texts import ENVIRONMENT, HELP_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from leadbyte.cli.arguments import Parser

DATA = Path(__file__).parent / "installed/data"
MAN = "share/man/man1/leadbyte.1"
DATE = re.compile(r"^\.Dd .*$", re.MULTILINE)
# The encodings that shells offer, a selection of all.
ENCODINGS = [
    *[
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "ascii",
        "cesu-8",
        "mutf-8",
        "wtf-8",
    ],
    *["latin-1", *(f"iso-8859-{part}" for part in (2, 5, 7, 9, 15)), "koi8-r", "koi8-u", "mac-roman"],
    *(f"cp{page}" for page in (437, 850, 866, *range(1250, 1259))),
    *["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "gbk", "big5", "euc-kr", "cp949"],
]
# The values that completions offer, by the name of an argument in the help.
POLICIES = ["source-code", "llm-input", "postgresql", "mysql-utf8mb3", "xml-1.0", "json", "identifier"]
CHOICES = {"ENCODING": ENCODINGS, "HANDLER": [*BUILT_IN], "POLICY": POLICIES}


def walk(command: Parser, name: str = "") -> Iterator[tuple[str, Parser]]:
    """Yield a command and all below it, each with its name after ``leadbyte``."""
    yield name, command
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield from walk(below, f"{name} {word}".lstrip())


def is_fallback(encoding: str) -> bool:
    """Return whether lines that are not UTF-8 may be in an encoding."""
    try:
        check_fallback("utf-8", encoding, "strict")
    except ValueError:
        return False
    return True


def completion(shell: str) -> str:
    """Return the completion script of a shell."""
    top = parser()
    for _, command in walk(top):
        for action in command._actions:
            if action.metavar in {"FILE", "PATH"} or action.dest == "argument":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.dest == "fallback":
                action.choices = ["auto", *filter(is_fallback, ENCODINGS)]
            elif action.metavar in CHOICES:
                action.choices = CHOICES[action.metavar]
    return shtab.complete(top, shell)


def man() -> str:
    """Return the man page, in mdoc(7)."""
    commands = dict(walk(parser()))
    top = HELP_TEXTS[""]
    lines = [
        ".Dd today",
        ".Dt LEADBYTE 1",
        ".Os",
        ".Sh NAME",
        ".Nm leadbyte",
        f".Nd {escaped(top.summary)}",
        ".Sh SYNOPSIS",
        *(line for name, command in commands.items() for line in synopsis(name, command)),
        ".Sh DESCRIPTION",
        *paragraphs(top.description),
        ".Sh COMMANDS",
        *(line for name, command in commands.items() if name for line in section(name, command)),
        ".Sh ENVIRONMENT",
        *items((f"Ev {name}", what) for name, what in ENVIRONMENT.items()),
        ".Sh EXIT STATUS",
        *paragraphs("Each command lists its exit codes. For all of them 2 means an error."),
        ".Sh EXAMPLES",
        *items((f"Li {quoted(line)}", what) for line, what in top.examples),
        ".Sh SEE ALSO",
        ".Xr file 1 ,",
        ".Xr iconv 1 ,",
        ".Xr wc 1 ,",
        ".Xr utf-8 7",
        ".Pp",
        ".Lk https://github.com/leadbyte/leadbyte",
    ]
    return "\n".join(lines) + "\n"


def synopsis(name: str, command: Parser) -> Iterator[str]:
    """Yield the synopsis of a command, if it is not only a group of commands."""
    if command.get_default("command") or not name:
        yield f".Nm leadbyte {name}".rstrip()
        yield ".Op Ar option ..."
        for action in command._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield ".Ar command ..."
            elif not action.option_strings:
                repeated = " ..." if action.nargs in {"+", "*"} else ""
                yield f"{'.Op Ar' if action.nargs in {'?', '*'} else '.Ar'} {shown(action)}{repeated}"


def section(name: str, command: Parser) -> Iterator[str]:
    """Yield the lines about a command."""
    page = HELP_TEXTS[name]
    yield f".Ss leadbyte {name}"
    yield from paragraphs(f"{page.summary[0].upper()}{page.summary[1:]}.\n\n{page.description}")
    last = [] if command.last_group is None else command.last_group._group_actions
    shown = [action for action in command._actions if not isinstance(action, argparse._SubParsersAction)]
    yield from arguments(action for action in shown if action.dest != "help" and action not in last)
    if page.exit_codes:
        yield ".Pp"
        yield "Exit codes:"
        yield from items((f"Li {quoted(code)}", what) for code, what in page.exit_code_meanings())
    if page.examples:
        yield ".Pp"
        yield "Examples:"
        yield from items((f"Li {quoted(line)}", what) for line, what in page.examples)
    if last:
        yield ".Pp"
        yield f"{escaped(page.last_title)}:"
        yield from paragraphs(page.last_text)
        yield from arguments(last)


def arguments(actions: Iterable[argparse.Action]) -> Iterator[str]:
    """Yield the list of arguments with their help."""
    yield from items((invocation(action), meaning(action)) for action in actions)


def invocation(action: argparse.Action) -> str:
    """Return the macros for how an argument is written."""
    if not action.option_strings:
        return f"Ar {shown(action)}"
    value = "" if action.nargs == 0 else f" Ar {shown(action)}"
    return " , ".join(f"Fl {escaped(option[1:])}{value}" for option in action.option_strings)


def shown(action: argparse.Action) -> str:
    """Return the name of an argument's value, or the values that it may have."""
    return escaped(str(action.metavar or "|".join(map(str, action.choices or []))))


def meaning(action: argparse.Action) -> str:
    """Return an argument's help."""
    return str(action.help) % {**vars(action), "prog": "leadbyte"}


def items(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a list of items with their macros."""
    made = [line for item, text in pairs for line in (f".It {item}", *sentences(text))]
    if made:
        yield from (".Bl -tag -width Ds", *made, ".El")


def paragraphs(text: str) -> Iterator[str]:
    """Yield the lines of a text; an empty line separates paragraphs."""
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            yield ".Pp"
        yield from sentences(paragraph)


def sentences(text: str) -> Iterator[str]:
    """Yield the lines of a paragraph; each sentence starts a new line."""
    for sentence in re.split(r"(?<=\.) (?=[A-Z])", " ".join(text.split())):
        for line in textwrap.wrap(escaped(sentence), 78, break_long_words=False, break_on_hyphens=False):
            yield f"\\&{line}" if line.startswith(".") else line


def quoted(text: str) -> str:
    """Return text as one argument of a macro."""
    end = r"\&" if text.endswith(".") else ""
    return '"' + escaped(text).replace('"', '""') + end + '"'


def escaped(text: str) -> str:
    """Return text with all escaped that troff takes for something else, or that it may not know."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("~", "\\(ti")
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in plain)


def is_written(path: Path, text: str) -> bool:
    """Return whether a file has this text, whatever its date."""
    return path.exists() and DATE.sub(".Dd today", path.read_text(encoding="utf-8")) == text


def main() -> int:
    """Write the files that differ, or with --check report them."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="write nothing, but fail if that is needed")
    check = arguments.parse_args().check
    for encoding in ENCODINGS:
        find(encoding)
    texts = {DATA / MAN: man(), **{DATA / place: completion(shell) for shell, place in SCRIPT_PATHS.items()}}
    stale = {path: text for path, text in texts.items() if not is_written(path, text)}
    for path, text in stale.items():
        print(f"{path}: {'not what the parser gives: run packaging/make.py' if check else 'written'}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            today = dt.datetime.now(tz=dt.timezone.utc).strftime("%B %d, %Y")
            path.write_text(DATE.sub(f".Dd {today}", text), encoding="utf-8", newline="\n")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
