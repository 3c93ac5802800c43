"""The help texts of the commands, which the parser, the man page and the reference are made from."""

from __future__ import annotations

UNREADABLE = "a file is missing or unreadable, or the arguments are invalid"
UNWRITABLE = "a file is missing, unreadable, not writable or refused, or the arguments are invalid"


class CommandHelp:
    """The help of a command: a summary of one line, a description, its exit codes, and examples.

    ``exit_codes`` are the meanings of the exit codes from 0 on, ``error`` is the meaning of 2. An example is
    a command line and its purpose. ``last`` are the title and the description of the last group of options.
    """

    def __init__(
        self,
        summary: str,
        description: str,
        *exit_codes: str,
        error: str = UNREADABLE,
        examples: tuple[tuple[str, str], ...] = (),
        last: tuple[str, str] = ("", ""),
    ) -> None:
        self.summary = summary
        self.description = description
        self.exit_codes = exit_codes
        self.error = error
        self.examples = examples
        self.last_title, self.last_text = last

    def exit_code_meanings(self) -> list[tuple[str, str]]:
        """Return all exit codes with their meanings."""
        precedence = " (takes precedence over 1)" if len(self.exit_codes) > 1 else ""
        return [
            *((str(code), meaning) for code, meaning in enumerate(self.exit_codes)),
            ("2", f"error: {self.error}{precedence}"),
            ("130, 141", "interrupted by Ctrl-C, or the reader of the output closed it"),
        ]

    def epilog(self) -> str:
        """Return the end of the help: examples and exit codes."""
        examples = "".join(f"  {line}\n      {purpose}\n" for line, purpose in self.examples)
        codes = "".join(f"  {code}  {meaning}\n" for code, meaning in self.exit_code_meanings())
        parts = [("examples", examples), ("exit codes", codes if self.exit_codes else "")]
        return "\n".join(f"{title}:\n{text}" for title, text in parts if text)


# The environment variables that the command reads.
ENVIRONMENT = {
    "LEADBYTE_ISA": "the best instruction set of the CPU to use: scalar, sse42, avx2, avx512 or neon;"
    " with another name, or one that the CPU does not have, leadbyte does not start (ImportError)",
    "NO_COLOR": "if not empty, disables colours; takes precedence over FORCE_COLOR, --color over both",
    "FORCE_COLOR": "if not empty, enables colours for pipes and files too",
    "GITHUB_WORKSPACE": "the root of the repository, for --format github",
}

# What commands read if no path is given.
PIPED = """\
If no path is given, standard input is read if it is a file, or a pipe or socket with data; the command waits
for the first byte, and reports that on standard error after two seconds. A terminal, a device such as
/dev/null, and a file or a pipe that ends without a byte are not data. If standard error is a terminal, it
shows the progress of reading.
"""

# How an argument is distinguished from a text.
TEXT_OR_FILE = """\
An argument that is the name of a file is read as that file, with a note on standard error; - is standard
input, and everything else a text. What looks like the name of a file (with a slash or an extension,
and no spaces) but is not a file is an error. --text and --file decide in any case. Without an argument,
standard input is read if it is a file, or a pipe or socket with data.
"""

URLS = """\
The URL of a file, as s3://bucket/a.txt or https://, is read as a stream if leadbyte[dataset] is installed.
"""

IGNORED = """\
In directories, hidden files and directories are skipped, and so is what .gitignore and .ignore files exclude,
including such files in the directories above in the same Git repository. In a repository, .git/info/exclude
counts too, and the file that core.excludesFile in the user's or the system's configuration of Git names
(~/.config/git/ignore if none does). Summaries have the numbers of files and directories that were ignored, by
these or by --exclude, and of hidden ones; an ignored directory counts once.
"""

COLUMNS = """\
Parquet files (.parquet, .pq) and Arrow files (.arrow, .arrows, .feather: IPC files, streams, Feather 2), or
files that start as they do, are read by columns, which requires leadbyte[arrow]. From standard input and
pipes they are refused, and with --binary read as text. In directories """

JSON_LINES = """\
With --jsonl, files are JSON lines: each line is a record. Besides invalid UTF-8, it finds text that is valid
JSON, but that programs refuse to load: escapes of surrogates without their other half (\\ud800), U+0000
(\\u0000, which PostgreSQL's jsonb refuses, and the byte 00), byte order marks before records, and a last
record that is truncated. Nothing else of JSON is checked. Errors have the JSON Pointer (RFC 6901) of their
value, for instance /items/3/text, or in a key of its object; none beyond 1,000 nested values or 4 KiB of
keys. Below directories, files named .jsonl, .ndjson or .jsonlines are read; below URLs and with --engine, all
files. One thread reads the files, in constant memory, also if a record is large.
"""

NAMED = f"""\
Files given by name are always read. Directories are searched recursively: version control directories and
symbolic links are skipped, only regular files are opened, and files with a NUL in their first 8 KiB are
considered binary and skipped too. {IGNORED}"""

# Where output goes; the commands differ in what they add before and after.
TARGET = """\
Output goes to standard output, one file after another, or to another file (-o), which is written completely
or not at all, or replaces the input file (-i): at every moment the path names either the old or the new file,
complete. Symbolic links are followed and preserved; other hard links keep the old file. The new file has the
permissions of the old one and, where that is allowed, its owner and group. A command that is killed may leave
a file .leadbyte-… beside it, which can be deleted. A file that would not change is left untouched. Pipes,
devices and open descriptors such as /dev/stdout are not replaced by -o, but written to. URLs of files, as
s3://bucket/a.txt, are read if leadbyte[dataset] is installed, but never replaced.

A dry run writes nothing and reports on standard output what would be done: in place, unless -o is given. It
lists the files that would not change, too.
"""

# Of the commands that only replace files.
DRY_RUN = """\
A dry run writes nothing and reports on standard output what would be done. It lists the files that would
not change, too.
"""

BACKUPS = """\
In place, backups in directories are skipped: files with the name of another file and .bak, .orig, ~ or the
suffix of --backup.
"""

SEARCHED = """\
directories are searched recursively: version control directories and symbolic links are skipped, and files"""

REFUSED = f"""\
Binary files are skipped, and refused in place if given
by name; --binary processes them as text. What starts as Parquet and Arrow files do is not read as text
without --binary, from standard input and pipes either. {BACKUPS}{IGNORED}"""

# Of the commands that read UTF-8, and of the one that reads other encodings.
WALKED = f"""\
{SEARCHED}
with a NUL in their first 8 KiB, the byte order mark of UTF-16 or the signature of a binary format, and
what has controls and is not text in any encoding, are considered binary. {REFUSED}"""
WALKED_BY_TEXT = f"""\
{SEARCHED}
with a NUL in the text of their first 8 KiB are considered binary. {REFUSED}"""

WOULD_CHANGE = "with --check also: a file would be changed"

ENCODINGS = """\
Encodings have Python's names, for instance utf-16, cp1251, koi8-r or shift_jis; a number is a Windows code
page, and the prefix whatwg: selects the encoding that browsers use for a label.
"""

BOM_CHANGED = f"""\
A changed file replaces the old one: at every moment the path names either the old or the new file, complete.
The new file has the permissions of the old one and, where that is allowed, its owner and group; other files
are left untouched. Symbolic links are followed and preserved; other hard links keep the old file. A command
that is killed may leave a file .leadbyte-… beside it, which can be deleted. Directories are searched
recursively: version control directories and symbolic links are skipped, and so are files that seem to be
binary, with a NUL in the text of their first 8 KiB. Such files are refused if given by name; --binary
processes them as text. {BACKUPS}
{DRY_RUN}
{IGNORED}"""

POLICIES = """\
policies:
  source-code    what may show a program as another than it is (UTS 55)
  llm-input      what a language model reads and people do not see (OWASP LLM01)
  postgresql     U+0000, which PostgreSQL refuses
  mysql-utf8mb3  characters of four bytes, which this character set does not have
  xml-1.0        what XML 1.0 excludes (production 2, Char)
  json           controls, byte order marks and noncharacters (RFC 8259, RFC 7493)
  identifier     all that is hidden but joiners in the contexts of UAX 31

Kinds, whose characters are all reported, wherever they are: nul, control, bidi_control, tag, invisible,
variation_selector, noncharacter, private_use, unassigned, four_byte, inner_bom, line_separator,
confusable_newline.
"""

DATASET_TITLE = "URLs and clusters"
DATASET = """\
URLs of fsspec, as s3://bucket/logs, gs://, https:// or memory://, are read as one data set, and paths too
with --engine, --address, --blocksize or --report; that requires leadbyte[dataset], and leadbyte[dask] or the
like for an engine. A URL names a file, a directory or a glob. Compressed files (.gz, .bz2, .xz, .zst) are
decompressed, which other commands do not do; of tables (.parquet, .arrow and the like) the columns of strings
are read. Credentials are those that the filesystem finds by itself. With --report, there is a row for each
file. The options for files in directories do not apply; symbolic links to files in them are followed, links
to directories are not.
"""

HELP_TEXTS = {
    "": CommandHelp(
        "UTF-8 at the speed of the hardware: check, count, repair, convert, detect and explain",
        """\
With leadbyte[cli] installed, output on terminals has colours, tables and progress bars. Characters of file
names that are not printable are escaped as in Python. JSON is UTF-8 and has the names unchanged; a name that
is not Unicode has U+FFFD in "path", and its bytes in base64 in "path_bytes".
""",
        examples=(
            ("leadbyte check .", "find the files below this directory that are not valid UTF-8"),
            ("leadbyte repair --in-place notes.txt", "replace invalid UTF-8 in a file"),
            ("leadbyte check --help", "show the help of a command"),
        ),
    ),
    "check": CommandHelp(
        "check that files are valid UTF-8 and locate errors",
        f"""\
Each error is reported with its line and column (in characters), its offset in bytes, a message, and the bytes
in hexadecimal, the invalid ones in brackets. Neighbouring errors that would have been one character share a
message. Errors are counted as Python counts them: bytes.decode with errors="replace" gives one U+FFFD for
each. JSON has each error separately, with the shared message and the span of bytes that it is about
(message_start, message_end); error_count is the number of all errors, errors_omitted the number of errors
beyond --max-errors.

{COLUMNS}they are checked, too;
without leadbyte[arrow] a warning counts them, and --strict-skips makes that an error.
Errors in columns are reported with row, row group (in Arrow files record batch) and column: rows and groups
count from 0, as in pyarrow, Polars and SQL's file_row_number, and offsets in bytes from the start of the
value. All columns of strings and of bytes are checked, nested ones too: those in structs by dotted names,
the elements of lists by the name of the list, and columns of one name as "name (2 of 3)". Columns of bytes
with a NUL in the first rows are considered binary and skipped, as other columns that cannot be read; the
summary counts them, --verbose names them. With --column, files have columns: others given by name are CSV,
and in directories only Parquet, Arrow, .csv and .tsv files are read; all columns of the name are checked.
Without it, CSV files are text. Of directories that are tables of Delta or Iceberg, the files of the current
snapshot are checked, and no others, which requires leadbyte[lake]; without it they are warned of in the same
way, or an error if given by name.

{JSON_LINES}
{NAMED}
{PIPED}
With --format github, errors are annotations of a GitHub workflow: paths are relative to GITHUB_WORKSPACE, if
that is set. GitHub shows ten annotations of a step; the log has all.
""",
        "all files are valid UTF-8; with --jsonl, have no errors",
        "a file is not valid UTF-8; with --jsonl, has errors; with --strict-skips, a table was not read",
        examples=(
            ("leadbyte check README.md src", "check a file and a directory"),
            ("leadbyte check --list .", "print only the names of files that are not valid UTF-8"),
            ("leadbyte check --exclude '*.po' --hidden", "leave out some files, and read hidden ones"),
            ("leadbyte check --list -0 | xargs -0 file", "pass the names to another program"),
            ("leadbyte check --max-errors 1000 -", "check standard input, and show up to a thousand errors"),
            ("leadbyte check data.parquet", "check all columns with text of a Parquet file"),
            (
                "leadbyte check --column name --column address.city lake",
                "check columns in all tables below lake",
            ),
            ("leadbyte check --jsonl train.jsonl", "find what programs that load JSON lines refuse"),
            ("leadbyte check s3://bucket/logs", "check all objects below a prefix"),
            (
                "leadbyte check --engine dask --address tcp://scheduler:8786 s3://bucket/logs",
                "check them on a cluster",
            ),
        ),
        last=(
            DATASET_TITLE,
            f"""\
{DATASET}\
--column names columns, also of bytes, of all tables. --max-errors limits the number of errors of all files
together, and JSON has only the files with these errors.
""",
        ),
    ),
    "count": CommandHelp(
        "count lines, characters, UTF-16 code units and bytes",
        f"""\
Without -l, -m, --utf16 and -c all four are counted, and printed with titles. Lines are counted by their line
feeds, as by wc, characters by their lead bytes, so that invalid data can be counted too. (Columns of errors,
as leadbyte check reports them, count one character for each error, as editors show it.)

{NAMED}""",
        "all files were counted, valid or not",
        examples=(
            ("leadbyte count -m article.txt", "count the characters of a file"),
            ("leadbyte count logs", "count everything in all files of a directory"),
            ("leadbyte count -m < article.txt", "count the characters of standard input"),
            (
                "leadbyte count --report counts.jsonl s3://bucket/logs",
                "count objects, and write a row for each",
            ),
        ),
        last=(DATASET_TITLE, f"{DATASET}Only their totals are printed.\n"),
    ),
    "repair": CommandHelp(
        "replace invalid UTF-8 in files",
        f"""\
Each maximal subpart of an ill-formed sequence becomes one replacement, as with errors="replace" in Python.
With --substitution, a text gets as many replacements as in Java, in Okio and kotlinx-io, in Go (go for range
over a string, go-runs for strings.ToValidUTF8).
Text in another encoding, as leadbyte detect finds it, loses its letters: leadbyte convert makes UTF-8 of it.
In place, text that surely is in one, and would lose a fifth of its letters or more, is refused, unless
--backup or --quarantine keeps it.
The errors are reported on standard error, with line and column.

{COLUMNS}they are binary
files, which --binary and --column read.
Strings in a Parquet file are repaired, columns of bytes only if --column names them. The new file has the
schema, metadata, row groups, codecs and encodings of the old one, and statistics, indexes, Bloom filters and
sort orders where it had some; pages are new. Properties that are not kept are reported, and in place a file
whose types cannot be kept is left unchanged. One row group is in memory at a time. Arrow files are only
checked, and CSV files repaired as text.

{JSON_LINES}
In strings of JSON lines, escapes of lone surrogates and U+0000 become \\ufffd, invalid UTF-8 and the byte 00
become U+FFFD, or the --replacement. Outside strings, the byte 00 becomes a space. Byte order marks are
removed. All other bytes stay as they are. A last record that is truncated is kept, and the exit code is 1;
--rows drop drops it, and --quarantine moves it there.

The rows of --rows and --quarantine are the lines of a text, of at most 64 MiB each, or the rows of a Parquet
file, of which the quarantine has a record for each value with errors. Beside an output the quarantine is a
new file, or an empty one, complete before the output appears; with -i rows are appended to it, before their
file is replaced. Only its owner can read a new one.
With -i, rows are dropped only with --quarantine or --backup, and rows of tables never.

{TARGET}
In place and in a dry run, {WALKED}""",
        "all files were repaired or were valid",
        "with --check: a file would be repaired; with --jsonl: a truncated record is kept",
        error=UNWRITABLE,
        examples=(
            ("leadbyte repair notes.txt > new.txt", "print the repaired text"),
            (
                "leadbyte repair --in-place --backup .bak texts",
                "repair all files of a directory, with backups",
            ),
            ("leadbyte repair --replacement '' -o new.txt old.txt", "drop invalid bytes"),
            ("leadbyte repair --substitution java -o new.txt old.txt", "write the text that Java reads"),
            ("leadbyte repair --dry-run .", "show what would be replaced below this directory"),
            ("leadbyte repair --in-place data.parquet", "repair the strings in a Parquet file"),
            (
                "leadbyte repair --jsonl --rows drop --quarantine bad.jsonl -o good.jsonl all.jsonl",
                "keep the bad records of JSON lines apart",
            ),
        ),
    ),
    "convert": CommandHelp(
        "convert files between encodings",
        f"""\
{ENCODINGS}
{TARGET}
If -o names a directory that exists, new files are written into it under their old names, as by cp -r.

Text that cannot be converted is reported on standard error, with line and column, and its file is left
unchanged; only standard output has received the text before it. The other files are converted.

A file that is valid UTF-8, and not only ASCII, is not converted from another encoding, which would damage
it: in place it is left alone and counted, else refused. The same holds for a file that begins with the byte
order mark that would be written; one in UTF-16 with a byte order mark is refused. So is text that surely is
in another encoding, from UTF-8 in place with --errors replace or ignore. In place, text that is surely in the
encoding to convert to is not converted from a third one: it has six different letters beyond ASCII or more.
--force converts all the same. Nothing else keeps a second run from converting the result once more.

With --from auto, or --from detect, the encoding of each file is detected, as by leadbyte detect; --candidates
are the encodings to choose from. A file is left unchanged if it is not text, or if the confidence is less
than --min-confidence.

An encoding that a text declares, as HTML, XML, Python and catalogues of gettext do, is not changed in it; a
file that declares another one than it is converted to is reported.

By default byte order marks are handled as by Python: utf-16, utf-32 and utf-8-sig read and write one; for
other encodings it is a character, U+FEFF. keep writes one if there was one and the target encoding has one,
strip writes none, add always writes one. The line ends are LF, CR LF and CR.

In place and into a directory, {WALKED_BY_TEXT}""",
        "all files were converted, or would be",
        f"a file could not be converted and is left unchanged; {WOULD_CHANGE}",
        error=UNWRITABLE,
        examples=(
            (
                "leadbyte convert --from cp1251 --in-place old.txt",
                "convert a file from Windows-1251 to UTF-8",
            ),
            ("leadbyte convert --from auto -i letters", "convert all files whose encoding is clear to UTF-8"),
            (
                "leadbyte convert -f utf-16 -o new old",
                "convert all files of a directory into another, made before",
            ),
            ("leadbyte convert -f utf-8 --newline lf -i -n src", "find files with line ends other than LF"),
        ),
    ),
    "bom": CommandHelp(
        "find, strip or add byte order marks",
        """\
A byte order mark (BOM) is the character U+FEFF at the start of a file: EF BB BF in UTF-8, where it is
optional; in UTF-16 and UTF-32 it indicates the byte order.
""",
    ),
    "bom check": CommandHelp(
        "find files that begin with a byte order mark",
        f"""\
The byte order marks of UTF-8, UTF-16 and UTF-32 are recognized and reported by encoding.

{NAMED}
{PIPED}
{URLS}""",
        "no file begins with a byte order mark",
        "a file begins with a byte order mark",
        examples=(("leadbyte bom check .", "find files with a byte order mark below this directory"),),
    ),
    "bom strip": CommandHelp(
        "remove the byte order mark of UTF-8 files",
        f"""\
Only the byte order mark of UTF-8 is removed: without one, the encoding of a file in UTF-16 or UTF-32 is
unknown. leadbyte convert converts such files to UTF-8.

{BOM_CHANGED}""",
        "no file begins with a byte order mark any more, or would",
        f"a file is left unchanged, as it is UTF-16 or UTF-32; {WOULD_CHANGE}",
        error=UNWRITABLE,
        examples=(("leadbyte bom strip --dry-run .", "show what would be changed below this directory"),),
    ),
    "bom add": CommandHelp(
        "add a byte order mark to UTF-8 files",
        f"""\
EF BB BF is added to valid UTF-8 that does not begin with a byte order mark of any encoding.

{BOM_CHANGED}""",
        "all files begin with a byte order mark now, or would",
        f"a file is left unchanged, as it is not valid UTF-8; {WOULD_CHANGE}",
        error=UNWRITABLE,
        examples=(("leadbyte bom add --backup .bak table.csv", "let Excel recognize a file as UTF-8"),),
    ),
    "locate": CommandHelp(
        "convert between offsets and line and column",
        """\
Prints the line and column of an offset in bytes, characters or UTF-16 code units, and the offsets of a line
and column. Lines and columns count from 1, columns in characters unless they are called UTF-16 columns;
offsets count from 0. Lines end with a line feed. A byte inside a character has the location of the character,
a low surrogate too. The file need not be valid UTF-8.
Without FILE, standard input is read if it is a file, or a pipe or socket with data.
""",
        "the location was printed; the ends of the file and of each line have one too",
        error="there is no such offset, line or column, the file is unreadable, or the arguments are invalid",
        examples=(
            ("leadbyte locate data.csv --byte 4711", "locate an error of which only the offset is known"),
            ("leadbyte locate main.js --utf16 1024", "locate an index into a JavaScript string"),
            ("leadbyte locate main.py --line 12 --column 5", "print the offset of what an editor shows"),
        ),
    ),
    "detect": CommandHelp(
        "detect the encoding of files",
        f"""\
Encodings are reported by names that leadbyte convert --from accepts; files that are not text are reported by
their kind, for instance gzip. Byte order marks, UTF-8, and UTF-16 and UTF-32 without a byte order mark are
recognized reliably; other encodings are estimated from the language of the text, which is more accurate for
longer texts. The encoding of files larger than 64 MiB is detected in samples of about 1 MiB; JSON has
"sampled": true then, and valid_utf8 and truncated are about the samples: leadbyte check reads all of a file.

In directories, version control directories and symbolic links are skipped, and only regular files are opened.

{IGNORED}
{PIPED}
{URLS}""",
        "all files are text in a known encoding",
        "a file is not text, or its encoding is unknown or unsure",
        examples=(("leadbyte detect old.txt", "find the encoding to convert a file from"),),
    ),
    "sizes": CommandHelp(
        "compare the size of texts across encodings",
        """\
Shows the size of the text without a byte order mark in UTF-8, UTF-16, UTF-32 and each legacy encoding that
can encode it, the share of each range of code points (which determines the length in UTF-8) and of each
script, and a recommendation. Without FILE, standard input is read if it is a file, or a pipe or socket with
data.
""",
        "the sizes of all files were compared",
        "a file is not valid in the encoding; with --encoding auto, is not text",
        examples=(("leadbyte sizes book.txt", "see whether a text would be smaller in UTF-16"),),
    ),
    "normalize": CommandHelp(
        "convert files to a Unicode normalization form",
        f"""\
The same text can consist of different characters: ü is U+00FC, or u and U+0308. A normalization form (UAX 15)
selects one of them: NFC composes characters, as most programs and the web do, NFD decomposes them; NFKC and
NFKD also replace compatibility characters (ﬁ by fi, ² by 2), which loses information, and are for searching
rather than for storage.

{TARGET}
In place and in a dry run, {WALKED}""",
        "all files were normalized or were in the form",
        f"a file is not valid UTF-8 and is left unchanged; {WOULD_CHANGE}",
        error=UNWRITABLE,
        examples=(
            ("leadbyte normalize --check .", "find files that are not in NFC"),
            ("leadbyte normalize --form NFD --in-place names.txt", "decompose the characters of a file"),
        ),
    ),
    "explain": CommandHelp(
        "show how characters are encoded, bit by bit",
        f"""\
For each character the table has its code point, the bits of its bytes with the marker bits separated, and its
length in bytes in UTF-8 and UTF-16; for invalid bytes, the reason why they are not UTF-8. With --steps,
encoding and decoding are explained step by step. A text that begins with a hyphen is given after --.

{TEXT_OR_FILE}
For a file, the characters around a byte are explained, without reading the whole file; line and column are
shown up to 256 MiB from the start.
""",
        "the characters were explained, valid or not",
        error="the file is unreadable or has no such byte, or the arguments are invalid",
        examples=(
            ("leadbyte explain 'ü€'", "explain two characters"),
            ("leadbyte explain --hex 'C0 B1'", "see why these bytes are not UTF-8"),
            ("leadbyte explain data.csv --byte 4711", "explain the text around a byte of a file"),
            ("leadbyte explain --steps --lang ru 'Я'", "explain encoding and decoding in Russian"),
        ),
    ),
    "mojibake": CommandHelp(
        "repair text that was decoded with the wrong encoding",
        """\
Mojibake is text that was encoded in one encoding and decoded with another: «Hello мир» in Windows-1251,
decoded as ISO 8859-1, is «Hello ìèð».
""",
    ),
    "mojibake repair": CommandHelp(
        "undo wrong decoding in files or in a text",
        f"""\
A single argument that is not ASCII, and not the name of a file or like one, is a text, with a note on
standard error; --text gives any text. If there is neither PATH nor --text, standard input is read if it
is a file, or a pipe or socket with data.

Undoes, also repeatedly, UTF-8 that was decoded as Windows-1252 or another single-byte encoding, and
single-byte encodings that were decoded as one another. A model of 65 languages scores each line together with
its neighbours; correct text is left unchanged. Lines in Windows-1252, Windows-1251 and the like among lines
in UTF-8 are decoded with the right encoding. The steps are reported on standard error. Files
of any size take some megabytes of memory; those that need nothing are only read. --language decides between
readings that are ambiguous without it, as Turkish that was decoded as Western.

{TARGET}
In place and in a dry run, {WALKED}""",
        "all files were repaired or were correct",
        "with --check: a file would be repaired",
        error="a file is missing, unreadable, not writable, refused or hardly UTF-8,"
        " or the arguments are invalid",
        examples=(
            ("leadbyte mojibake repair 'schÃ¶n'", "repair a text"),
            ("leadbyte mojibake repair --dry-run .", "show what would be undone below this directory"),
            ("leadbyte mojibake repair --language tr --text 'Ýstanbul'", "repair a text in Turkish"),
        ),
    ),
    "mojibake garble": CommandHelp(
        "show what a text looks like in the wrong encoding",
        f"""\
{ENCODINGS}The encodings of browsers have characters for nearly all bytes. A file is read whole.

{TEXT_OR_FILE}""",
        "the garbled text was printed",
        "the first encoding lacks a character, or the bytes are invalid in the second",
        error="the file is missing, unreadable or not UTF-8, or the arguments are invalid",
        examples=(
            ("leadbyte mojibake garble 'Hello мир' --encoding cp1251 --misread-as latin-1", "«Hello ìèð»"),
        ),
    ),
    "mojibake explain": CommandHelp(
        "show which wrong decodings a text went through",
        f"""\
The steps are reported with the last wrong decoding first, the lines that went through it, and the likelihood
of the text before and after, in bits: fewer bits are more likely.

{TEXT_OR_FILE}An argument in ASCII is always the name of a file, as text in ASCII needs no repair.
""",
        "the text needs no repair",
        "the text was decoded with a wrong encoding",
        error="the file is missing or unreadable, or the arguments are invalid",
        examples=(
            ("leadbyte mojibake explain 'Ã©tÃ©'", "explain a text"),
            ("leadbyte mojibake explain letter.txt", "explain the text of a file"),
        ),
    ),
    "audit": CommandHelp(
        "find hidden characters in files",
        f"""\
Hidden characters are controls, marks of direction, tags, joiners, variation selectors and others that are not
seen, or that a database or a format refuses. Each is reported with its line and column (in characters), its
name, why it is reported, and its kind. Bytes that are not UTF-8 are reported by every policy.

{POLICIES}
By source-code and llm-input nothing is reported that belongs to the text: emoji sequences, joiners in Persian
and Indic words, standardized variation sequences, and pairs of controls of direction that are closed on their
line; in files of a language that is known by their extension, within their string or comment. Files are read
in pieces; a whole line is in memory.

{NAMED}
{PIPED}
With --format github, findings are annotations of a GitHub workflow: paths are relative to GITHUB_WORKSPACE,
if that is set. GitHub shows ten annotations of a step; the log has all.
""",
        "nothing was found",
        "something was found",
        examples=(
            ("leadbyte audit", "search the source code below this directory"),
            ("leadbyte audit --policy postgresql dump.csv", "find what PostgreSQL would refuse"),
            (
                "leadbyte audit --policy tag,variation_selector --list .",
                "print the names of files with these",
            ),
            ("leadbyte audit --format github", "annotate a pull request"),
        ),
    ),
    "sanitize": CommandHelp(
        "remove hidden characters from files",
        f"""\
What leadbyte audit finds by the same policy is removed, or replaced, invalid UTF-8 too; the findings are
reported on standard error, with line and column. Nothing is found in the result, so that a second run changes
nothing, unless --replacement has line breaks. Without --replacement the text on both sides is joined, which
may form a word or a tag that a filter before did not see. In place, text that surely is in another encoding,
and would lose its letters, is refused, unless --backup keeps it.

{POLICIES}
{TARGET}
In place and in a dry run, {WALKED}""",
        "all files were sanitized or had no findings",
        "with --check: a file would be changed",
        error=UNWRITABLE,
        examples=(
            (
                "leadbyte sanitize --policy llm-input < page.txt",
                "print a text that is safe to pass to a model",
            ),
            ("leadbyte sanitize --policy source-code --dry-run .", "show what would be removed"),
            (
                "leadbyte sanitize --policy mysql-utf8mb3 --replacement '?' -o new.csv old.csv",
                "replace characters of four bytes",
            ),
        ),
    ),
    "completion": CommandHelp(
        "print the completion script of a shell",
        """\
Shells find the script by themselves if leadbyte is installed for all users; bash and fish also find the
script of pip install --user. In a virtual environment, load it in the start-up file of the shell, as in the
examples.
""",
        "the script was printed",
        error="the script is not installed with leadbyte, or the arguments are invalid",
        examples=(
            ('eval "$(leadbyte completion bash)"', "in ~/.bashrc"),
            ('eval "$(leadbyte completion zsh)"', "in ~/.zshrc, after compinit"),
            ("leadbyte completion fish | source", "in ~/.config/fish/config.fish"),
        ),
    ),
}


def short_help(command: str = "") -> str:
    """Return the usage and the subcommands of the command, or of a command that is a group of others."""
    below = f"{command} ".lstrip()
    names = [name for name in HELP_TEXTS if name.startswith(below) and name and " " not in name[len(below) :]]
    width = max(map(len, names)) - len(below)
    lines = [f"  {name[len(below) :]:{width}}  {HELP_TEXTS[name].summary}" for name in names]
    full = f"leadbyte {command}".rstrip()
    return "\n".join(
        [f"usage: {full} COMMAND ...\n", *lines, f"\n{full} COMMAND --help shows the help of one."]
    )
