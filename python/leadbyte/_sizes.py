"""The sizes of a text in Unicode and legacy encodings."""

from __future__ import annotations

import textwrap
from bisect import bisect
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from leadbyte._leadbyte import _census, encoded_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import Buffer

    # A code point, the number of its occurrences, and the name of its script.
    _Entry = tuple[int, int, str]

# The first code point of each range, whose characters take one more byte in UTF-8 than those before.
RANGES = {"0-7F": 0, "80-7FF": 0x80, "800-FFFF": 0x800, "10000-10FFFF": 0x10000}
RANGE_NAMES, RANGE_STARTS = list(RANGES), list(RANGES.values())

# The encodings of the Encoding Standard that Python has too, the more frequent ones first. ISO-2022-JP is not
# among them: it is stateful, so its size depends on the order of characters.
SINGLE_BYTE = [
    *(f"windows-{page}" for page in (1252, 1251, 1250, 1253, 1254, 1255, 1256, 1257, 1258)),
    *(f"iso-8859-{part}" for part in range(1, 17) if part != 12),
    "koi8-r",
    "koi8-u",
    "ibm866",
    "macintosh",
    "mac-cyrillic",
    "cp874",
]
MULTI_BYTE = ["shift_jis", "euc-jp", "gbk", "big5", "euc-kr"]
# The legacy encoding that can encode all of Unicode.
UNIVERSAL = "gb18030"


class Part(NamedTuple):
    """A part of a text: its number of characters, and its size in bytes in each Unicode encoding."""

    name: str
    chars: int
    utf8: int
    utf16: int
    utf32: int


@dataclass(frozen=True)
class Sizes:
    """The sizes of a text in bytes, in each encoding that can encode it; no byte order mark is added.

    ``whole`` is the text; ``ranges`` and ``scripts`` (UAX 24) are its parts, as far as they are not empty:
    ``0-7F``, ``80-7FF``, ``800-FFFF`` and ``10000-10FFFF`` take one to four bytes per character in UTF-8.
    ``legacy`` has the size in each legacy encoding that can encode the text, by Python's names, the smallest
    first. ``advice`` has recommendations, in sentences.
    """

    __module__ = "leadbyte"

    whole: Part
    ranges: tuple[Part, ...]
    scripts: tuple[Part, ...]
    legacy: dict[str, int]
    advice: tuple[str, ...]

    @property
    def chars(self) -> int:
        """The number of characters."""
        return self.whole.chars

    @property
    def utf8(self) -> int:
        """The length in UTF-8, in bytes."""
        return self.whole.utf8

    @property
    def utf16(self) -> int:
        """The length in UTF-16, in bytes."""
        return self.whole.utf16

    @property
    def utf32(self) -> int:
        """The length in UTF-32, in bytes."""
        return self.whole.utf32

    @property
    def encodings(self) -> dict[str, int]:
        """The size in bytes in each encoding that can encode the text, the Unicode encodings first."""
        return {"utf-8": self.utf8, "utf-16": self.utf16, "utf-32": self.utf32, **self.legacy}

    def __hash__(self) -> int:
        """Return a hash; equal objects have equal hashes."""
        return hash((self.whole, self.ranges, self.scripts))

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, for JSON."""
        return {
            **asdict(self),
            "whole": self.whole._asdict(),
            "ranges": [part._asdict() for part in self.ranges],
            "scripts": [part._asdict() for part in self.scripts],
            "advice": list(self.advice),
        }

    def tables(self) -> list[list[list[str]]]:
        """Return tables of cells, the first row of each its header: encodings, ranges, scripts."""
        same_size: dict[int, list[str]] = {}
        for name, size in self.legacy.items():
            same_size.setdefault(size, []).append(name)
        sizes = [
            *list(self.encodings.items())[:3],
            *((", ".join(names), size) for size, names in same_size.items()),
        ]
        share = [f"{size / self.utf8:.0%}" if self.utf8 else "" for _, size in sizes]
        return [
            [
                ["bytes", "of UTF-8", "encoding"],
                *([f"{size:,}", of, name] for (name, size), of in zip(sizes, share, strict=True)),
            ],
            *(
                [["chars", "UTF-8", "UTF-16", "UTF-32", title], *map(cells, [*parts, self.whole])]
                for title, parts in (("range", self.ranges), ("script", self.scripts))
            ),
        ]

    def __str__(self) -> str:
        """Return the tables and the advice."""
        return "\n\n".join([*map(aligned, self.tables()), *map(wrapped, self.advice)])


def cells(part: Part) -> list[str]:
    """Return a row of a table."""
    return [*(f"{number:,}" for number in part[1:]), part.name.replace("_", " ")]


def aligned(table: list[list[str]]) -> str:
    """Return a table as lines, with the last column aligned to the left and wrapped."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    lines = []
    for *numbers, name in table:
        margin = "  ".join(
            [*(number.rjust(width) for number, width in zip(numbers, widths, strict=True)), ""]
        )
        lines.append(wrapped(name, margin))
    return "\n".join(lines)


def wrapped(text: str, margin: str = "") -> str:
    """Return text wrapped to 100 columns, the first line after the margin and the others below."""
    return (
        textwrap.fill(
            text, 100, initial_indent=margin, subsequent_indent=" " * len(margin), break_on_hyphens=False
        )
        or margin.rstrip()
    )


def compare_sizes(text_or_data: str | Buffer, /) -> Sizes:
    """Return the sizes of a text in bytes: in UTF-8, UTF-16, UTF-32 and legacy encodings that can encode it.

    text_or_data: a str, or a bytes-like object of UTF-8. Raises UnicodeDecodeError for bytes that are not
    UTF-8, UnicodeEncodeError for a str with surrogates, which no encoding can encode.

    >>> sizes = leadbyte.compare_sizes('Папа Hello')
    >>> sizes.utf8, sizes.utf16, sizes.legacy['windows-1251']
    (14, 20, 10)
    """
    if isinstance(text_or_data, str):
        encoded_length(text_or_data)  # raises
    return of_census(_census(text_or_data))


def of_census(entries: Iterable[_Entry]) -> Sizes:
    """Return the sizes of a text, given the census of its characters."""
    entries = list(entries)
    whole = part("all", entries)
    legacy = legacy_sizes(entries)
    ranges = parts(entries, lambda entry: range_of(entry[0]))
    scripts = parts(entries, lambda entry: entry[2])
    return Sizes(
        whole,
        tuple(found for name in RANGES for found in ranges if found.name == name),
        tuple(sorted(scripts, key=lambda found: (-found.chars, found.name))),
        legacy,
        tuple(advise(whole, ranges, legacy)),
    )


def parts(entries: list[_Entry], name: Callable[[_Entry], str]) -> list[Part]:
    """Return the parts of a text: characters for which ``name`` returns the same."""
    named: dict[str, list[_Entry]] = {}
    for entry in entries:
        named.setdefault(name(entry), []).append(entry)
    return [part(name, entries) for name, entries in named.items()]


def part(name: str, entries: list[_Entry]) -> Part:
    """Return the totals of these characters as a part."""
    groups = by_count(entries)
    return Part(
        name,
        chars=sum(count for _, count, _ in entries),
        utf8=encoded_size(groups, "utf-8"),
        utf16=encoded_size(groups, "utf-16-le"),
        utf32=encoded_size(groups, "utf-32-le"),
    )


def by_count(entries: list[_Entry]) -> dict[int, str]:
    """Return characters by the number of their occurrences."""
    groups: dict[int, list[str]] = {}
    for code_point, count, _ in entries:
        groups.setdefault(count, []).append(chr(code_point))
    return {count: "".join(characters) for count, characters in groups.items()}


def encoded_size(groups: dict[int, str], encoding: str) -> int:
    """Return the size of characters in a stateless encoding, where each has the same size everywhere."""
    return sum(count * len(characters.encode(encoding)) for count, characters in groups.items())


def range_of(code_point: int) -> str:
    """Return the name of a character's range."""
    return RANGE_NAMES[bisect(RANGE_STARTS, code_point) - 1]


def legacy_sizes(entries: list[_Entry]) -> dict[str, int]:
    """Return the sizes in the legacy encodings that can encode all these characters, the smallest first."""
    groups = by_count(entries)
    sizes = {}
    for encoding in [*SINGLE_BYTE, *MULTI_BYTE, UNIVERSAL]:
        with suppress(UnicodeEncodeError):
            sizes[encoding] = encoded_size(groups, encoding)
    return dict(sorted(sizes.items(), key=lambda item: item[1]))


def advise(whole: Part, ranges: list[Part], legacy: dict[str, int]) -> Iterable[str]:
    """Yield the advice, in sentences."""
    if not whole.chars:
        yield "The text is empty."
        return
    by_range = {part.name: part.chars for part in ranges}
    if by_range.get("0-7F") == whole.chars:
        yield "The text is ASCII: its bytes are equal in UTF-8 and in all legacy encodings listed."
        return
    if whole.utf8 < whole.utf16:
        wider = f"{whole.utf16 / whole.utf8 - 1:.0%}"
        yield f"UTF-8 is smaller than UTF-16, which would take {wider} more, and than UTF-32."
    elif whole.utf8 == whole.utf16:
        yield "UTF-8 and UTF-16 are equally large; UTF-8 has no byte order and is expected everywhere."
    else:
        share = by_range["800-FFFF"] / whole.chars
        yield (
            f"UTF-16 would take {saved(whole.utf16, whole)} less: {share:.0%} of the characters are from"
            " U+0800 to U+FFFF: three bytes in UTF-8, two in UTF-16. Files and protocols expect UTF-8"
            " nevertheless, and compressed, the two differ little."
        )
    narrow = {name: size for name, size in legacy.items() if name != UNIVERSAL}
    name, size = next(iter(narrow.items()), ("", whole.utf8))
    if size < whole.utf8:
        yield (
            f"{name} would take {saved(size, whole)} less than UTF-8, but lacks most of Unicode: later"
            " additions to the text may not be encodable. Where size matters, compress UTF-8."
        )


def saved(size: int, whole: Part) -> str:
    """Return by how many percent a size is less than the size in UTF-8."""
    return f"{1 - size / whole.utf8:.0%}"
