"""Check that sources and documentation use the terms of the field, and that comments are well formed.

    python tests/tools/check_words.py [FILE...]

Prints ``file:line:column: found → use instead`` for each finding and exits with 1 if there are any. By
default all tracked text files of the project are checked. Words that are also standard terms are not in the
table.
"""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).parents[2]

# A pattern matches whole words, also within identifiers, in any case unless it has capitals itself.
WORDS = r"""
passed[_ ]over | skipped
passes over | skips
troubles? | error, failure
mend(s|ed|ing)? | repair
tells?(?!\(|_and_seek) | reports, returns, indicates
told|telling | reported, returned
says|said | reports, returns, states
rooms? | buffer, capacity, space
so (many|much) | the number of, at most, this many
(what|it|they|which|that) stands?(?! alone)|stands (at|in|for|there|behind|before)|stood | is
(goes|go|going|went|gone) on | continues
breaks? off|broke off|broken off | is truncated
begun | started
whoever | the caller, the process that
(what|is to) becomes? of|what became of | the policy for, the result
by turns | alternating, interleaved
anew | again
makeshift | substitute
lately | carry, recent
patience | signal poller, delay
expect_much | advise_huge_pages
squeezed?|squeezing | compress
glance | prefilter
tally | count
up16|down16 | shl16, shr16
same_text|find_text|encoded_len | is_equivalent, search, encoded_length
spelled value|spelled_value | decoded value
hal(f|ves) of (a |an |the )?(\w+ )?pairs? | surrogate
normal[_ ]forms? | normalization form (UAX 15)
UTF-16 units? | UTF-16 code units
no UTF-8(?! [a-z]) | not UTF-8
what (is|are|was|were)(?!.*\?) | a noun: the output, the rest, the errors
(that|those) of | the noun, or a genitive: the result of, the file's
(?<=[^\s#] )(?<![Tt]here )(is|are|was|were) (no|none)(?! (longer|more)) | is not a, is missing, is empty
data (are|have|were) | data is, has, was
TextPipe|_Pipe|Transcoding | Transcoder, StrTranscoder
Marking | BomPolicy
Lacking | Unmappable
\b(MUCH|SOME|NEAR|SHORT|STEP|ROOM|REDUCED|MOST|ENOUGH|FEW)\b | a noun with its unit
(?<!кодов.. )единиц(а|ы|у|е)? UTF-16 | кодовые единицы UTF-16
больш(ая|ой) машин[аы] | мейнфрейм
кодов(ая|ой|ую|ые|ых) точк(а|и|у|ой|е|ек) | кодовая позиция
"""

# Where a word is right after all: files, a pattern of the line, and the reason.
ALLOWED = [
    ("tests/tools/*check_words.py", "", "the table itself"),
    ("*", r"\bUTF-16 unit tests?\b", "tests of units of code"),
    ("*", r"no UTF-8 (mode|locale|BOM)", "names of things"),
    ("*", "Transcoding billions of Unicode characters", "the title of a paper"),
    ("src/language/mod.rs", "she said", "a sample text"),
]

ROOTS = re.compile(
    r"(src|python|tests|docs|examples|fuzz|packaging|benches/native/src)/"
    r"|(README[^/]*|CHANGELOG|CONTRIBUTING)\.md$|noxfile\.py$|benches/[^/]*\.py$"
)
# Data, records of measurements and generated files.
SKIPPED = re.compile(
    r"tests/(vectors|record|corpora)/|packaging/installed/|src/language/model/[^/]*$(?<!\.py)"
)
SUFFIXES = {".rs", ".py", ".pyi", ".md", ".toml"}
# The maximum width of comment lines, in characters. Lines of code are left to the formatters.
WIDTHS = {".rs": 120, ".py": 110, ".pyi": 110}
COMMENT = {".rs": re.compile(r"\s*//"), ".py": re.compile(r"\s*#"), ".pyi": re.compile(r"\s*#")}
DOC_LINE = re.compile(r"\s*//[/!]( |$)")
SAME = {".rs": re.compile(r"\s*//[/!] (The same)\b"), ".py": re.compile(r"\s*r?\"\"\"(The same)\b")}


class Word(NamedTuple):
    """A word to replace."""

    pattern: str
    use: str

    def found(self, line: str) -> Iterator[re.Match[str]]:
        """Yield where it is in a line."""
        return re.finditer(WHOLE_WORDS.format(self.pattern), line)


WHOLE_WORDS = r"(?<![^\W_])(?:{})(?![^\W_])"


def parse(table: str) -> list[Word]:
    """Return the words of a table with lines ``pattern | use``."""
    words = []
    for line in table.strip().splitlines():
        pattern, _, use = line.rpartition(" | ")
        words.append(Word(pattern if re.search(r"[A-Z]", pattern) else f"(?i:{pattern})", use))
    return words


TABLE = parse(WORDS)
# To search texts for each word would take five times as long.
ANY_WORD = re.compile(WHOLE_WORDS.format("|".join(word.pattern for word in TABLE)))


class Finding(NamedTuple):
    """A place in a file, the words found there, and the words to use instead."""

    path: str
    line: int
    column: int
    found: str
    use: str

    def __str__(self) -> str:
        """Return the finding as it is printed."""
        return f"{self.path}:{self.line}:{self.column}: {self.found} → {self.use}"


def check(path: str, text: str) -> Iterator[Finding]:
    """Yield the findings in a file, in order of lines."""
    suffix = Path(path).suffix
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if ANY_WORD.search(line) and not is_allowed(path, line):
            for word in TABLE:
                for match in word.found(line):
                    yield Finding(path, number, match.start() + 1, match[0], word.use)
        if same := SAME.get(suffix, SAME[".py"]).match(line):
            follows = number > 1 and suffix == ".rs" and DOC_LINE.match(lines[number - 2])
            if not follows:
                yield Finding(path, number, same.start(1) + 1, same[1], "a description that stands alone")
        width = WIDTHS.get(suffix, len(line))
        if len(line) > width and COMMENT[suffix].match(line):
            yield Finding(path, number, width + 1, f"{len(line)} characters", f"at most {width}")


def is_allowed(path: str, line: str) -> bool:
    """Return whether an exception covers a line of a file."""
    return any(fnmatch(path, files) and re.search(pattern, line) for files, pattern, _ in ALLOWED)


def tracked() -> list[str]:
    """Return the paths of the files to check, relative to the project."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    return [
        path
        for path in listed
        if ROOTS.match(path) and not SKIPPED.match(path) and Path(path).suffix in SUFFIXES
    ]


def main(paths: list[str]) -> int:
    """Print all findings; return the exit code."""
    count = 0
    for path in paths or tracked():
        for finding in check(path, (PROJECT / path).read_text(encoding="utf-8")):
            count += 1
            print(finding)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
