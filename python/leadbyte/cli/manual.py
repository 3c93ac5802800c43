"""What the manual says of each command: help texts and the man page are made from it."""

from __future__ import annotations

UNREADABLE = "a file is missing or cannot be read, or the arguments are wrong"
UNWRITABLE = "a file is missing, cannot be read or written, or the arguments are wrong"


class Page:
    """A command's page: what it does, in a line and at length, its exit codes, and examples.

    ``codes`` are the meanings of the exit codes from 0 on, ``trouble`` is that of 2. An example is a command
    line and what it is for.
    """

    def __init__(
        self,
        does: str,
        about: str,
        *codes: str,
        trouble: str = UNREADABLE,
        examples: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.does = does
        self.about = about
        self.codes = codes
        self.trouble = trouble
        self.examples = examples

    def meanings(self) -> list[tuple[str, str]]:
        """Return all exit codes with their meanings."""
        beats = " (beats 1)" if len(self.codes) > 1 else ""
        return [
            *((str(code), meaning) for code, meaning in enumerate(self.codes)),
            ("2", f"trouble: {self.trouble}{beats}"),
            ("130, 141", "ended by Ctrl-C, or because nobody reads the output any more"),
        ]

    def end(self) -> str:
        """Return what stands at the end of the help."""
        examples = "".join(f"  {line}\n      {what}\n" for line, what in self.examples)
        codes = "".join(f"  {code}  {meaning}\n" for code, meaning in self.meanings())
        parts = [("examples", examples), ("exit codes", codes if self.codes else "")]
        return "\n".join(f"{title}:\n{text}" for title, text in parts if text)


# The variables of the environment that the command looks at.
ENVIRONMENT = {
    "LEADBYTE_ISA": "the best instruction set to use: scalar, sse42, avx2, avx512 or neon",
    "NO_COLOR": "if set, there are no colours",
    "GITHUB_WORKSPACE": "the root of the repository, for check --format github",
}

NAMED = """\
Named files are always read. Directories are walked: version control folders and links are passed over, only
regular files are opened, and files with a NUL in their first 8 KiB are taken for binary and passed over too.
"""

# Where new text goes; the commands differ in what they say before and after.
TARGET = """\
New text goes to standard output, one file after another, or to another file (-o), which is written whole or
not at all, or takes the old file's place (-i): the path names the old or the new file, whole, whatever
happens meanwhile. A link is followed and stays. The new file has the old one's permissions and, where that
is allowed, its owner. A file that would be the same as before is left untouched. Pipes, devices and open
descriptors such as /dev/stdout are not replaced by -o, but written to.

A dry run writes nothing and says on standard output what would be done: in place, unless there is -o.
"""

BACKUPS = """\
Backups are skipped in directories: files with the name of another one and .bak, .orig, ~ or the suffix that
--backup gives.
"""

WALKED = f"""\
directories are walked: version control folders and links are passed over, and files with a NUL in their
first 8 KiB are taken for binary. These are passed over too, and refused in place if they are named; --binary
takes them for text. {BACKUPS}"""

WOULD_CHANGE = "with --check also: something would be changed"

ENCODINGS = """\
Encodings have Python's names, for instance utf-16, cp1251, koi8-r or shift_jis; a number is a Windows code
page, and whatwg: before a label gives what browsers mean by it.
"""

MARKS_CHANGED = f"""\
A changed file takes the old one's place, whole, whatever happens meanwhile, with its permissions and, where
that is allowed, its owner; the others are left untouched. A link is followed and stays. Directories are
walked: version control folders and links are passed over, and so are files that seem to be binary, with a
NUL in the text of their first 8 KiB. Such files are refused if they are named; --binary takes them for text.
{BACKUPS}"""

PAGES = {
    "": Page(
        "UTF-8 at the speed of the hardware: check, count, repair, convert, detect and explain",
        """\
With leadbyte[cli] installed, there are colours, tables and progress bars on terminals. Names of files are
escaped as in Python where they hold what is not for printing; JSON has them as they are.
""",
        examples=(
            ("leadbyte check .", "where are the files below this directory not UTF-8?"),
            ("leadbyte repair --in-place notes.txt", "replace what is not UTF-8 in a file"),
            ("leadbyte check --help", "the manual of a command"),
        ),
    ),
    "check": Page(
        "say whether files are UTF-8, and where they are not",
        f"""\
Errors come with line and column (in characters), the offset in bytes, what is wrong, and the bytes in hex,
the bad ones in brackets. Neighbouring errors that would have been one character share a message. Numbers are
of errors as Python counts them: bytes.decode with errors="replace" puts one U+FFFD for each. JSON has each
of them by itself, with the message that it shares and where the bytes are that this is about
(message_start, message_end); error_count is the number of all, errors_omitted of those beyond --max-errors.

{NAMED}
With --format github, errors are annotations of a GitHub workflow: paths are relative to GITHUB_WORKSPACE, if
that is set, and GitHub shows ten of a step, though the log has all.
""",
        "everything read is valid",
        "something is not valid UTF-8",
        examples=(
            ("leadbyte check README.md src", "a file and a directory"),
            ("leadbyte check --list .", "only the names of files that are not UTF-8"),
            ("leadbyte check --max-errors 1000 -", "standard input, with up to a thousand errors"),
        ),
    ),
    "count": Page(
        "count lines, characters, UTF-16 units and bytes",
        f"""\
Without -l, -m, --utf16 and -c all four are counted, with titles. Lines are counted by their newlines, as wc
does, characters by their lead bytes, so that data that are not valid can be counted too.

{NAMED}""",
        "everything was counted, valid or not",
        examples=(
            ("leadbyte count -m article.txt", "the characters of a file"),
            ("leadbyte count logs", "all counts of all files of a directory"),
        ),
    ),
    "repair": Page(
        "replace what is not UTF-8 in files",
        f"""\
Each maximal part of a character, or else each byte, that is not UTF-8 becomes one replacement, as in
Python's errors="replace". What was replaced is told on standard error, with line and column.

{TARGET}
In place and in a dry run, {WALKED}""",
        "everything was repaired or had no need to be",
        "with --check: something would be repaired",
        trouble=UNWRITABLE,
        examples=(
            ("leadbyte repair notes.txt > new.txt", "print the repaired text"),
            ("leadbyte repair --in-place --backup .bak texts", "all files of a directory, keeping the old"),
            ("leadbyte repair --replacement '' -o new.txt old.txt", "drop what is not UTF-8"),
            ("leadbyte repair --dry-run .", "what would be replaced below this directory?"),
        ),
    ),
    "convert": Page(
        "turn files of one encoding into another",
        f"""\
{ENCODINGS}
{TARGET}
If -o names a directory, new files go into it under their old names, as with cp -r.

What cannot be converted is told on standard error, with line and column, and such a file is left as it was;
only standard output has got what came before. The other files are converted.

A byte order mark is by default what Python makes of it: utf-16, utf-32 and utf-8-sig read one and write
one, for the others it is a character, U+FEFF. keep writes one if there was one and the encoding has such a
thing, strip writes none, add writes one in any case. Line ends are LF, CR LF and CR.

In place and into a directory, {WALKED}""",
        "everything was converted, or would be",
        f"something could not be converted; such a file is left as it was; {WOULD_CHANGE}",
        trouble=UNWRITABLE,
        examples=(
            ("leadbyte convert --from cp1251 --in-place old.txt", "make UTF-8 of a file in Windows-1251"),
            ("leadbyte convert -f utf-16 -o new old", "all files of one directory into another"),
            ("leadbyte convert -f utf-8 --newline lf -i -n src", "which files have other line ends than LF?"),
        ),
    ),
    "bom": Page(
        "look for byte order marks, strip or add them",
        """\
A byte order mark is the character U+FEFF at the very start of a file: EF BB BF in UTF-8, where nothing needs
it; in UTF-16 and UTF-32 it tells the order of bytes.
""",
    ),
    "bom check": Page(
        "say which files begin with a byte order mark",
        f"""\
The marks of UTF-8, UTF-16 and UTF-32 are known, and named by the encoding.

{NAMED}""",
        "no file begins with a byte order mark",
        "one does",
        examples=(("leadbyte bom check .", "the files below this directory that begin with one"),),
    ),
    "bom strip": Page(
        "take the byte order mark off files in UTF-8",
        f"""\
Only that of UTF-8 is taken away: without one, nobody knew what a file in UTF-16 or UTF-32 was.
leadbyte convert turns these into UTF-8.

{MARKS_CHANGED}""",
        "all files are now, or were, without one",
        f"a file is left as it was: it is in UTF-16 or UTF-32; {WOULD_CHANGE}",
        trouble=UNWRITABLE,
        examples=(("leadbyte bom strip --dry-run .", "what would be changed below this directory?"),),
    ),
    "bom add": Page(
        "put a byte order mark before files in UTF-8",
        f"""\
EF BB BF is put before valid UTF-8 that begins with no mark of any encoding.

{MARKS_CHANGED}""",
        "all files now begin, or began, with one",
        f"a file is left as it was: it is not valid UTF-8; {WOULD_CHANGE}",
        trouble=UNWRITABLE,
        examples=(
            ("leadbyte bom add --backup .bak table.csv", "for Excel, which takes it for the encoding"),
        ),
    ),
    "locate": Page(
        "print the line, column and character of a byte",
        """\
Lines and columns count from 1, columns in characters; bytes and characters count from 0. A byte inside a
character has the character's place. The file need not be valid UTF-8.
""",
        "there is such a byte; the end of the file is one more",
        trouble="it is beyond the end, the file cannot be read, or the arguments are wrong",
        examples=(
            (
                "leadbyte locate data.csv --byte 4711",
                "where a program found an error that tells only the position",
            ),
        ),
    ),
    "detect": Page(
        "say what files are in",
        """\
Told are encodings, by names that leadbyte convert --from takes, and for what is no text the kind of file, for
instance gzip. Byte order marks, UTF-8, and UTF-16 and UTF-32 without a mark are recognised for certain; other
encodings are a guess by the language of the text, better the longer it is. In directories, version control
folders and links are passed over, and only regular files are opened.
""",
        "all files are text in an encoding that is known",
        "a file is none, or nobody knows its encoding",
        examples=(("leadbyte detect old.txt", "what to convert a file from"),),
    ),
    "sizes": Page(
        "compare the sizes of texts in all encodings",
        """\
The sizes are those of the text, without a byte order mark, in UTF-8, UTF-16, UTF-32 and each legacy encoding
that can hold it, of its parts by range (a character's length in UTF-8 comes from that) and by script,
and what to make of it.
""",
        "the sizes of all files were compared",
        "a file is not in the encoding",
        examples=(("leadbyte sizes book.txt", "would it be smaller in UTF-16?"),),
    ),
    "normalize": Page(
        "bring files to a normal form of Unicode",
        f"""\
The same text can be written with other characters: ü is U+00FC, or u and U+0308. A normal form (UAX 15)
settles on one way: NFC composes, as most programs and the web do, NFD takes apart; NFKC and NFKD also
replace what only looks different (ﬁ by fi, ² by 2), which loses that, and is for searching rather than for
keeping.

{TARGET}
In place and in a dry run, {WALKED}""",
        "everything was normalized or had no need to be",
        f"something is not valid UTF-8, and left as it was; {WOULD_CHANGE}",
        trouble=UNWRITABLE,
        examples=(
            ("leadbyte normalize --check .", "which files are not in NFC?"),
            ("leadbyte normalize --form NFD --in-place names.txt", "take the characters of a file apart"),
        ),
    ),
    "explain": Page(
        "show how characters are made of bytes",
        """\
Of each character the table gives the number, what its bytes are made of, in bits, the marker bits set off,
and how many bytes it takes in UTF-8 and in UTF-16; of bytes that are not UTF-8, why. With --steps, encoding
and decoding are told step by step. A text that begins with a hyphen goes after --.

Of a file, the characters around a byte are explained, without reading all of it; line and column are told up
to 256 MiB from the start.
""",
        "everything was explained, valid or not",
        trouble="the file cannot be read or has no such byte, or the arguments are wrong",
        examples=(
            ("leadbyte explain 'ü€'", "two characters"),
            ("leadbyte explain --hex 'C0 B1'", "why are these bytes not UTF-8?"),
            ("leadbyte explain --file data.csv --byte 4711", "what is around a byte of a file?"),
            ("leadbyte explain --steps --lang ru 'Я'", "encoding and decoding, told in Russian"),
        ),
    ),
    "mojibake": Page(
        "mend text that was read in the wrong encoding",
        """\
Mojibake is text that was written in one encoding and read in another: «Hello мир» in Windows-1251, read as
ISO 8859-1, is «Hello ìèð».
""",
    ),
    "mojibake repair": Page(
        "undo wrong readings in files or a text",
        f"""\
What is undone, once or several times: UTF-8 that was read as Windows-1252 or another encoding of one byte a
character, and such encodings that were read as one another. Each line is judged, with its neighbours, by a
model of 50 languages; good text is left alone. Lines in Windows-1252, Windows-1251 and the like among others
in UTF-8 are read as what they are. What was done is told on standard error. A file is read into memory as a
whole.

{TARGET}
In place and in a dry run, {WALKED}""",
        "everything was repaired or had no need to be",
        "with --check: something would be repaired",
        trouble="a file cannot be read or written, or has no line in UTF-8, or the arguments are wrong",
        examples=(
            ("leadbyte mojibake repair --text 'schÃ¶n'", "a text"),
            ("leadbyte mojibake repair --dry-run .", "what would be undone below this directory?"),
        ),
    ),
    "mojibake garble": Page(
        "show how a text looks in the wrong encoding",
        f"""\
{ENCODINGS}What browsers mean loses nothing: every byte is a character.
""",
        "the garbled text was printed",
        "it cannot be: the one encoding lacks a character, or the bytes are not in the other",
        trouble="the arguments are wrong: an encoding is unknown, for instance",
        examples=(
            ("leadbyte mojibake garble 'Hello мир' --encoding cp1251 --misread-as latin-1", "«Hello ìèð»"),
        ),
    ),
    "mojibake explain": Page(
        "say what happened to a text",
        """\
The steps are told, the last wrong reading first, with the lines that went through it and how likely the text
is before and after: the fewer bits, the likelier.
""",
        "there is nothing to repair",
        "there is",
        trouble="the file is missing or cannot be read, or the arguments are wrong",
        examples=(("leadbyte mojibake explain 'Ã©tÃ©'", "a text"),),
    ),
    "completion": Page(
        "print what makes a shell complete the arguments of leadbyte",
        """\
Installing leadbyte puts it where shells look for it, if that is for all users; bash and fish also find that
of pip install --user. From a virtual environment it gets into the shell by the start-up file, as in the
examples.
""",
        "it was printed",
        trouble="it is not installed with leadbyte, or the arguments are wrong",
        examples=(
            ('eval "$(leadbyte completion bash)"', "in ~/.bashrc"),
            ('eval "$(leadbyte completion zsh)"', "in ~/.zshrc, after compinit"),
            ("leadbyte completion fish | source", "in ~/.config/fish/config.fish"),
        ),
    ),
}
