"""The arguments of the command, in one parser that help texts and manuals are made from."""

from __future__ import annotations

import argparse
import os

from leadbyte import __version__

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import TypeAlias

    _Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

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

REPAIR_EXIT_CODES = """\
exit codes:
  0  everything was repaired or had no need to be; leadbyte check tells which
  2  trouble: a file is missing, cannot be read or written, or the arguments are wrong
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

BOM_CHECK_EXIT_CODES = """\
exit codes:
  0  no file begins with a byte order mark
  1  one does
  2  trouble: a file is missing or cannot be read, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

BOM_EXIT_CODES = """\
exit codes:
  0  all files are now, or were, as they should be
  1  a file is left as it was: it is in UTF-16 or UTF-32 (strip), or not valid UTF-8 (add)
  2  trouble: a file is missing, cannot be read or written, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

CONVERT_EXIT_CODES = """\
exit codes:
  0  everything was converted, or would be
  1  something could not be converted; such a file is left as it was
  2  trouble: a file is missing, cannot be read or written, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

LOCATE_EXIT_CODES = """\
exit codes:
  0  there is such a byte; the end of the file is one more
  2  trouble: it is beyond the end, the file cannot be read, or the arguments are wrong
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

DETECT_EXIT_CODES = """\
exit codes:
  0  all files are text in an encoding that is known
  1  a file is none, or nobody knows its encoding
  2  trouble: a file is missing or cannot be read, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

NORMALIZE_EXIT_CODES = """\
exit codes:
  0  everything was normalized or had no need to be
  1  something is not valid UTF-8, and left as it was; with --check also: something is not in the form
  2  trouble: a file is missing, cannot be read or written, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

MOJIBAKE_REPAIR_EXIT_CODES = """\
exit codes:
  0  everything was repaired or had no need to be
  2  trouble: a file is missing, cannot be read or written, has no line in UTF-8, or the arguments are wrong
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

MOJIBAKE_DAMAGE_EXIT_CODES = """\
exit codes:
  0  the damaged text was printed
  1  it cannot be: the one encoding lacks a character, or the bytes are not in the other
  2  the arguments are wrong: an encoding is unknown, for instance
"""

MOJIBAKE_EXPLAIN_EXIT_CODES = """\
exit codes:
  0  there is nothing to repair
  1  there is
  2  trouble: the file is missing or cannot be read, or the arguments are wrong
"""

SIZES_EXIT_CODES = """\
exit codes:
  0  the sizes of all files were compared
  1  a file is not in the encoding
  2  trouble: a file is missing or cannot be read, or the arguments are wrong (beats 1)
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

EXPLAIN_EXIT_CODES = """\
exit codes:
  0  everything was explained, valid or not
  2  trouble: the file cannot be read or has no such byte, or the arguments are wrong
  130, 141  ended by Ctrl-C, or because nobody reads the output any more
"""

JSON = "one JSON object a line: files, then a summary"

PATHS = """\
Named files are always read. Directories are walked: version control folders and links are passed over,
only regular files are opened, and files with a NUL in their first 8 KiB are taken for binary and passed
over too.
"""

REPAIR = """\
What is repaired goes to standard output, one file after another, to another file (-o), which is written
whole or not at all, or takes the old file's place (--in-place): the path names the old or the new file,
whole, whatever happens meanwhile. A link is followed and stays. The new file has the old one's permissions
and, where that is allowed, its owner. A valid file is left untouched. What was replaced is told on standard
error, with line and column.

Each maximal part of a character, or else each byte, that is not UTF-8 becomes one replacement, as in
Python's errors="replace".

In place, directories are walked: version control folders and links are passed over, and files with a NUL in
their first 8 KiB are taken for binary. These are passed over too, or refused if they are named.
"""

CONVERT = """\
Encodings have Python's names, for instance utf-16, cp1251, koi8-r or shift_jis; a number is a Windows code
page, and whatwg: before a label gives what browsers mean by it. New text goes to standard output, one file
after another, to another file (-o), which is written whole or not at all, into a directory (-o), as with
cp -r, or takes the old file's place (--in-place): the path names the old or the new file, whole, whatever
happens meanwhile. A link is followed and stays. The new file has the old one's permissions and, where that
is allowed, its owner. What would be the same as before is left untouched.

What cannot be converted is told on standard error, with line and column, and such a file is left as it was;
only standard output has got what came before. The other files are converted.

A byte order mark is by default what Python makes of it: utf-16, utf-32 and utf-8-sig read one and write
one, for the others it is a character, U+FEFF. keep writes one if there was one and the encoding has such a
thing, strip writes none, add writes one in any case. Line ends are LF, CR LF and CR.

In place and into a directory, directories are walked: version control folders and links are passed over,
and files with a NUL in the text of their first 8 KiB are taken for binary. These are passed over too, and
refused in place if they are named.
"""

BOM = """\
A byte order mark is the character U+FEFF at the very start of a file: EF BB BF in UTF-8, where nothing needs
it; in UTF-16 and UTF-32 it tells the order of bytes.
"""

BOM_CHECK = f"""\
The marks of UTF-8, UTF-16 and UTF-32 are known.

{PATHS}"""

BOM_CHANGE = """\
A changed file takes the old one's place, whole, whatever happens meanwhile, with its permissions and, where
that is allowed, its owner; the others are left untouched. A link is followed and stays. Directories are
walked: version control folders and links are passed over, and so are files that seem to be binary, with a
NUL in the text of their first 8 KiB. Such files are refused if they are named.
"""

BOM_STRIP = f"""\
Only that of UTF-8 is taken away: without one, nobody knew what a file in UTF-16 or UTF-32 was.
leadbyte convert turns these into UTF-8.

{BOM_CHANGE}"""

BOM_ADD = f"""\
EF BB BF is put before valid UTF-8 that begins with no mark of any encoding.

{BOM_CHANGE}"""

LOCATE = """\
Lines and columns count from 1, columns in characters; bytes and characters count from 0. A byte inside a
character has the character's place. The file need not be valid UTF-8.
"""
DETECT = """\
Told are encodings, by names that leadbyte convert --from takes, and for what is no text the kind of file, for
instance gzip. Byte order marks, UTF-8, and UTF-16 and UTF-32 without a mark are recognised for certain; other
encodings are a guess by the language of the text, better the longer it is. In directories, version control
folders and links are passed over, and only regular files are opened.
"""
NORMALIZE = """\
The same text can be written with other characters: ü is U+00FC, or u and U+0308. A normal form (UAX 15)
settles on one way: NFC composes, as most programs and the web do, NFD takes apart; NFKC and NFKD also
replace what only looks different (ﬁ by fi, ² by 2), which loses that, and is for searching rather than for
keeping.

New text goes to standard output, one file after another, to another file (-o), which is written whole or
not at all, or takes the old file's place (--in-place): the path names the old or the new file, whole,
whatever happens meanwhile. What is in the form already is left untouched.

In place and with --check, directories are walked: version control folders and links are passed over, and
files with a NUL in their first 8 KiB are taken for binary. These are passed over too, and refused in place
if they are named.
"""

SIZES = """\
The sizes are those of the text, without a byte order mark, in UTF-8, UTF-16, UTF-32 and each legacy encoding
that can hold it, of its parts by range (a character's length in UTF-8 comes from that) and by script,
and what to make of it.
"""

EXPLAIN = """\
Of each character the table gives the number, what its bytes are made of, in bits, the marker bits set off,
and how many bytes it takes in UTF-8 and in UTF-16; of bytes that are not UTF-8, why. With --steps, encoding
and decoding are told step by step. A text that begins with a hyphen goes after --.

Of a file, the characters around a byte are explained, without reading all of it; line and column are told up
to 256 MiB from the start.
"""

MOJIBAKE = """\
Mojibake is text that was written in one encoding and read in another: «Hello мир» in Windows-1251, read as
ISO 8859-1, is «Hello ìèð».
"""

MOJIBAKE_REPAIR = """\
What is undone, once or several times: UTF-8 that was read as Windows-1252 or another encoding of one byte a
character, and such encodings that were read as one another. Each line is judged, with its neighbours, by a
model of 50 languages; good text is left alone. Lines in Windows-1252, Windows-1251 and the like among others
in UTF-8 are read as what they are.

What is repaired goes to standard output, one file after another, to another file (-o), which is written
whole or not at all, or takes the old file's place (--in-place): the path names the old or the new file,
whole, whatever happens meanwhile. A file with nothing to repair is left untouched. What was done is told on
standard error. A file is read into memory as a whole.

In place, directories are walked: version control folders and links are passed over, and files with a NUL in
their first 8 KiB are taken for binary. These are passed over too, or refused if they are named.
"""

MOJIBAKE_DAMAGE = """\
Encodings have Python's names, for instance utf-8, cp1251 or koi8-r; a number is a Windows code page, and
whatwg: before a label gives what browsers mean by it, which loses nothing.
"""

MOJIBAKE_EXPLAIN = """\
The steps are told, the last wrong reading first, with the lines that went through it and how likely the text
is before and after: the fewer bits, the likelier.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser; each command's function is the option ``command``."""
    top = argparse.ArgumentParser(
        prog="leadbyte",
        description="UTF-8 at the speed of the hardware: check, count, repair, convert, detect and explain.",
    )
    top.add_argument("--version", action="version", version=f"leadbyte {__version__}")
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
    return top


def add_check(commands: _Commands) -> None:
    """Add the command ``check``."""
    check = add_command(
        commands, "check", "say whether files are UTF-8, and where they are not", PATHS, EXIT_CODES
    )
    check.set_defaults(command=run_check)
    add_paths(check)
    add_max_errors(check)
    shown = check.add_mutually_exclusive_group()
    add_format(shown, "json", JSON)
    add_format(shown, "list", "print only the names of files that are not valid, escaped as in Python")
    add_format(shown, "quiet", "print nothing but trouble; the exit code tells")


def add_count(commands: _Commands) -> None:
    """Add the command ``count``."""
    count = add_command(
        commands, "count", "count bytes, characters, UTF-16 units and lines", PATHS, COUNT_EXIT_CODES
    )
    count.set_defaults(command=run_count)
    add_paths(count)
    for *flags, column, what in (
        ("-l", "--lines", "newlines", "newlines"),
        ("-m", "--chars", "chars", "characters"),
        ("--utf16", "utf16_units", "UTF-16 units"),
        ("-c", "--bytes", "byte_count", "bytes"),
    ):
        count.add_argument(*flags, dest="columns", action="append_const", const=column, help=what)
    add_format(count, "json", JSON)


def add_repair(commands: _Commands) -> None:
    """Add the command ``repair``."""
    repair = add_command(commands, "repair", "replace what is not UTF-8 in files", REPAIR, REPAIR_EXIT_CODES)
    repair.set_defaults(command=run_repair)
    add_paths(repair)
    add_target(repair)
    repair.add_argument(
        "--replacement",
        type=valid_text,
        default="\ufffd",
        metavar="TEXT",
        help="what takes the place of an error (default: U+FFFD); if empty, errors are dropped",
    )
    add_max_errors(repair)
    shown = repair.add_mutually_exclusive_group()
    add_format(shown, "json", f"{JSON}; on standard error")
    add_format(shown, "quiet", "print nothing but trouble")


def add_convert(commands: _Commands) -> None:
    """Add the command ``convert``."""
    convert = add_command(
        commands, "convert", "turn files of one encoding into another", CONVERT, CONVERT_EXIT_CODES
    )
    convert.set_defaults(command=run_convert)
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
    shown = convert.add_mutually_exclusive_group()
    add_format(shown, "json", f"{JSON}; on standard error")
    add_format(shown, "quiet", "print nothing but trouble; the exit code tells")


def add_bom(commands: _Commands) -> None:
    """Add the command ``bom`` and its three commands."""
    bom = add_command(commands, "bom", "look for byte order marks, strip or add them", BOM, "")
    actions = bom.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = add_command(
        actions, "check", "say which files begin with a mark", BOM_CHECK, BOM_CHECK_EXIT_CODES
    )
    check.set_defaults(command=run_bom_check)
    add_paths(check, named="the files that begin with none or are passed over")
    shown = check.add_mutually_exclusive_group()
    add_format(shown, "json", JSON)
    add_format(shown, "list", "print only the names of files that begin with one, escaped as in Python")
    add_format(shown, "quiet", "print nothing but trouble; the exit code tells")
    strip = add_command(actions, "strip", "take the mark off files in UTF-8", BOM_STRIP, BOM_EXIT_CODES)
    strip.set_defaults(command=run_bom_strip, max_errors=0)
    add_change(strip)
    add = add_command(actions, "add", "put a mark before files in UTF-8", BOM_ADD, BOM_EXIT_CODES)
    add.set_defaults(command=run_bom_add)
    add_change(add)
    add_max_errors(add)


def add_change(command: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that change byte order marks."""
    named = "the files that were changed, unchanged or passed over"
    add_paths(command, paths="a file or a directory", named=named)
    add_backup(command)
    add_dry_run(command)
    shown = command.add_mutually_exclusive_group()
    add_format(shown, "json", JSON)
    add_format(shown, "quiet", "print nothing but trouble; the exit code tells")


def add_dry_run(command: argparse.ArgumentParser) -> None:
    """Add the option that writes nothing."""
    command.add_argument(
        "-n", "--dry-run", action="store_true", help="write nothing, but say what would be done"
    )


def add_locate(commands: _Commands) -> None:
    """Add the command ``locate``."""
    locate = add_command(
        commands, "locate", "print the line, column and character of a byte", LOCATE, LOCATE_EXIT_CODES
    )
    locate.set_defaults(command=run_locate)
    locate.add_argument("path", metavar="FILE", help="a file, or - for standard input")
    locate.add_argument(
        "--byte", type=natural_number, required=True, metavar="N", help="the byte's offset from the start"
    )
    add_format(locate, "json", "one JSON object")


def add_detect(commands: _Commands) -> None:
    """Add the command ``detect``."""
    detect = add_command(commands, "detect", "say what files are in", DETECT, DETECT_EXIT_CODES)
    # What is binary is for the command to say.
    detect.set_defaults(command=run_detect, binary=True, verbose=False)
    detect.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, a directory, or - for standard input"
    )
    add_format(detect, "json", JSON)


def add_sizes(commands: _Commands) -> None:
    """Add the command ``sizes``."""
    sizes = add_command(
        commands, "sizes", "compare the sizes of texts in all encodings", SIZES, SIZES_EXIT_CODES
    )
    sizes.set_defaults(command=run_sizes, refuse=sizes.error)
    sizes.add_argument("paths", nargs="+", metavar="FILE", help="a file, or - for standard input")
    sizes.add_argument(
        "--encoding", default="utf-8", metavar="ENCODING", help="what the files are in (default: %(default)s)"
    )
    add_format(sizes, "json", "one JSON object a line for each file")


def add_explain(commands: _Commands) -> None:
    """Add the command ``explain``."""
    explain = add_command(
        commands, "explain", "show how characters are made of bytes", EXPLAIN, EXPLAIN_EXIT_CODES
    )
    explain.set_defaults(command=run_explain, refuse=explain.error)
    what = explain.add_mutually_exclusive_group(required=True)
    what.add_argument("text", nargs="?", metavar="TEXT", help="a text")
    what.add_argument("--hex", type=hex_bytes, metavar="BYTES", help='bytes, for instance "F0 90 8D 88"')
    what.add_argument("--file", metavar="FILE", help="a file, or - for standard input")
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
    add_format(explain, "json", "one JSON object a line: characters, then a summary")


def add_normalize(commands: _Commands) -> None:
    """Add the command ``normalize``."""
    normalize = add_command(
        commands,
        "normalize",
        "bring files to a normal form of Unicode",
        NORMALIZE,
        NORMALIZE_EXIT_CODES,
    )
    normalize.set_defaults(command=run_normalize)
    normalize.add_argument(
        "--form",
        choices=["NFC", "NFD", "NFKC", "NFKD"],
        default="NFC",
        help="the normal form (default: %(default)s)",
    )
    add_paths(normalize, named="the files that were normalized, unchanged or passed over")
    target = add_target(normalize)
    target.add_argument(
        "--check",
        dest="dry_run",
        action="store_true",
        help="write nothing; say which files are not in the form",
    )
    add_max_errors(normalize)
    shown = normalize.add_mutually_exclusive_group()
    add_format(shown, "json", f"{JSON}; on standard error, but for --check")
    add_format(shown, "quiet", "print nothing but trouble; the exit code tells")


def add_mojibake(commands: _Commands) -> None:
    """Add the command ``mojibake`` and its three commands."""
    mojibake = add_command(
        commands, "mojibake", "mend text that was read in the wrong encoding", MOJIBAKE, ""
    )
    actions = mojibake.add_subparsers(title="commands", required=True, metavar="COMMAND")
    repair = add_command(
        actions,
        "repair",
        "undo wrong readings in files or a text",
        MOJIBAKE_REPAIR,
        MOJIBAKE_REPAIR_EXIT_CODES,
    )
    repair.set_defaults(command=run_mojibake_repair)
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
    shown = repair.add_mutually_exclusive_group()
    add_format(shown, "json", f"{JSON}; on standard error, but for --text")
    add_format(shown, "quiet", "print nothing but trouble")
    damage = add_command(
        actions,
        "damage",
        "show how a text looks in the wrong encoding",
        MOJIBAKE_DAMAGE,
        MOJIBAKE_DAMAGE_EXIT_CODES,
    )
    damage.set_defaults(command=run_mojibake_damage, refuse=damage.error)
    damage.add_argument("text", metavar="TEXT", help="a text")
    damage.add_argument("--wrote", required=True, metavar="ENCODING", help="what it is written in")
    damage.add_argument("--read", required=True, metavar="ENCODING", help="what it is read in")
    add_format(damage, "json", "one JSON object")
    explain = add_command(
        actions, "explain", "say what happened to a text", MOJIBAKE_EXPLAIN, MOJIBAKE_EXPLAIN_EXIT_CODES
    )
    explain.set_defaults(command=run_mojibake_explain)
    what = explain.add_mutually_exclusive_group(required=True)
    what.add_argument("text", nargs="?", metavar="TEXT", help="a text")
    what.add_argument("--file", metavar="FILE", help="a file, or - for standard input")
    add_format(explain, "json", "one JSON object")


def add_target(
    command: argparse.ArgumentParser, output: str = "write to this file"
) -> argparse._MutuallyExclusiveGroup:
    """Add the options that say where new text goes; return their group."""
    command.set_defaults(refuse=command.error)
    target = command.add_mutually_exclusive_group()
    target.add_argument(
        "-o", "--output", default="-", metavar="FILE", help=f"{output} (default: standard output)"
    )
    target.add_argument(
        "-i", "--in-place", action="store_true", help="put the new files in the old ones' place"
    )
    add_backup(command)
    return target


def add_backup(command: argparse.ArgumentParser) -> None:
    """Add the option that keeps what is replaced."""
    command.add_argument(
        "--backup",
        type=suffix,
        metavar="SUFFIX",
        help="in place, keep the old file under its name and this suffix, for instance .bak",
    )


def add_format(command: argparse._ActionsContainer, name: str, does: str) -> None:
    """Add an option that prints in another format than text."""
    command.add_argument(
        f"--{name}", dest="format", action="store_const", const=name, default="text", help=does
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
    command.add_argument("--binary", action="store_true", help="in directories, read binary files too")
    command.add_argument("--verbose", action="store_true", help=f"name also {named}")


def add_command(commands: _Commands, name: str, does: str, about: str, codes: str) -> argparse.ArgumentParser:
    """Add a command."""
    return commands.add_parser(
        name,
        help=does,
        description=f"{does[0].upper()}{does[1:]}.\n\n{about}",
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def refuse_lone_backup(options: argparse.Namespace) -> None:
    """Refuse to keep what is not replaced."""
    if options.backup and not options.in_place:
        options.refuse("argument --backup: only allowed with argument -i/--in-place")


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


def hex_bytes(text: str) -> bytes:
    r"""Return the bytes that hexadecimal digits give, however they are set off: F0 90, f090, 0xF0, \xF0."""
    try:
        return bytes.fromhex(text.replace("\\x", " ").replace("0x", " ").replace(",", " "))
    except ValueError:
        message = f"must be bytes in hexadecimal, two digits each: {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def code_points(text: str) -> range:
    """Return the code points from one to another, or just one."""
    first, _, last = text.upper().replace("U+", "").replace("0X", "").replace("..", "-").partition("-")
    try:
        found = range(int(first, 16), int(last or first, 16) + 1)
    except ValueError:
        found = range(0)
    if not found or not 0 <= found[0] <= found[-1] <= 0x10FFFF:
        message = f"must be code points in hexadecimal, 3105-312F for instance, up to 10FFFF: {text!r}"
        raise argparse.ArgumentTypeError(message)
    return found


def suffix(text: str) -> str:
    """Return a suffix for names of files."""
    if not text or os.path.basename(text) != text or "\0" in text:
        message = f"must be the end of a file's name: {text!r}"
        raise argparse.ArgumentTypeError(message)
    return text


def valid_text(text: str) -> str:
    """Return text that can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        message = f"must itself be valid text: {text!r}"
        raise argparse.ArgumentTypeError(message) from None
    return text


def run_check(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.check import check

    return check(options)


def run_count(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.count import count

    return count(options)


def run_repair(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.repair import repair

    refuse_lone_backup(options)
    return repair(options)


def run_convert(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.convert import convert

    refuse_lone_backup(options)
    return convert(options)


def run_bom_check(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.bom import CheckBom

    return CheckBom(options).run()


def run_bom_strip(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.bom import StripBom

    return StripBom(options).run()


def run_bom_add(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.bom import AddBom

    return AddBom(options).run()


def run_locate(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.locate import locate

    return locate(options)


def run_detect(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.detect import detect_files

    return detect_files(options)


def run_normalize(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.normalize import normalize_files

    refuse_lone_backup(options)
    return normalize_files(options)


def run_sizes(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.sizes import sizes

    return sizes(options)


def run_explain(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.explain import explain

    if options.file is None and (options.byte is not None or options.count is not None):
        options.refuse("arguments --byte and --count: only allowed with argument --file")
    return explain(options)


def run_mojibake_repair(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.mojibake import repair

    refuse_lone_backup(options)
    if bool(options.paths) == (options.text is not None):
        options.refuse("either PATH or --text is needed")
    return repair(options)


def run_mojibake_damage(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.mojibake import damage

    return damage(options)


def run_mojibake_explain(options: argparse.Namespace) -> int:
    """Import the command only when it is called."""
    from leadbyte.cli.mojibake import explain

    return explain(options)
