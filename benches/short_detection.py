#!/usr/bin/env python3
"""Detection of short strings that others wrote, beside chardet and charset-normalizer.

    python benches/short_detection.py [--packages DIR] [--part report|tune] [--samples N] [--show] [--record]

Names of files, tags, headers and messages are where detection is asked most, and have the fewest bytes. The
strings are translations in the catalogues of the packages that catalogues.txt names, drawn by a seed, in the
encodings in which their languages were written on Windows, Unix, MS-DOS and the Macintosh. No model has
learned from the packages of the part "report", and nothing was chosen on them. An answer is right if it gives
the text.
"""

from __future__ import annotations

import importlib.metadata
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import leadbyte
from catalogues import is_text
from detection import CONTESTANTS, Counts, timed
from encoded import USUAL, Sample, encode, with_tones_apart
from harness import Target, argument_parser, print_outcomes, print_table, summaries, write_record
from packages import add_options, fetch_part, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SAMPLES = 3  # of a language, an encoding and a length
SEED = 23
SHOWN = 60

SIZES = {"6 to 15": (6, 15), "16 to 40": (16, 40), "41 to 100": (41, 100), "more": (101, 600)}
"""The lengths of strings in bytes."""

WESTERN, CENTRAL, BALTIC = ("cp850", "cp437"), ("cp852",), ("cp775",)
MS_DOS = {
    **dict.fromkeys(
        ("ca", "da", "de", "es", "eu", "fi", "fr", "ga", "is", "it", "nb", "nl", "pt", "sv"), WESTERN
    ),
    **dict.fromkeys(("cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq"), CENTRAL),
    **dict.fromkeys(("et", "lt", "lv"), BALTIC),
    **dict.fromkeys(("be", "uk"), ("ibm866",)),
    "el": ("cp737",),
    "he": ("cp862",),
    "tr": ("cp857",),
}
"""The encodings of MS-DOS that `USUAL` lacks, by language."""

CHINESE = {"zh": "zh-Hans", "zh_CN": "zh-Hans", "zh_Hans": "zh-Hans", "zh_TW": "zh-Hant", "zh_HK": "zh-Hant"}
"""The languages of catalogues whose region or script decides about their encodings."""

WANTED = {"6 to 15": 94.1, "16 to 40": 98.0, "41 to 100": 99.5, "more": 99.8}
"""What a sketch reached on strings of other packages."""


class Case(NamedTuple):
    """A string in an encoding, and its class of lengths."""

    size: str
    sample: Sample


def language_of(name: str) -> str | None:
    """Return the language of a catalogue as `USUAL` has it; None if it is not there."""
    name = name.replace("-", "_").partition("@")[0]
    language = CHINESE.get(name, name.partition("_")[0])
    return language if language in USUAL else None


def encodings_of(language: str) -> tuple[str, ...]:
    """Return the legacy encodings of a language, but those that escape sequences show."""
    usual = tuple(encoding for encoding in USUAL[language] if encoding != "iso-2022-jp")
    return usual + MS_DOS.get(language, ())


def size_of(data: bytes) -> str | None:
    """Return the class of a string's length; None if it is too short or too long."""
    return next((name for name, (least, most) in SIZES.items() if least <= len(data) <= most), None)


def strings(packages: Iterable[Path], without: set[str]) -> dict[str, list[str]]:
    """Return the different strings of each language that are not ASCII."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for package in packages:
        for _, name, text in texts(package):
            language = language_of(name)
            if language and not text.isascii() and text not in without and is_text(text):
                found[language][text] = None
    return {language: [*several] for language, several in found.items()}


def cases(packages: Iterable[Path], number: int, without: set[str]) -> Iterator[Case]:
    """Yield samples of each language, encoding and length."""
    source = random.Random(SEED)
    for language, several in sorted(strings(packages, without).items()):
        source.shuffle(several)
        for encoding in encodings_of(language):
            counts: Counter[str] = Counter()
            for text in several:
                shown = with_tones_apart(text) if encoding == "windows-1258" else text
                data = encode(shown, encoding)
                size = size_of(data) if data and not data.isascii() else None
                if data and size and counts[size] < number:
                    counts[size] += 1
                    yield Case(size, Sample(language, encoding, shown, data))
                if len(counts) == len(SIZES) and min(counts.values()) == number:
                    break


def measure(found: Iterable[Case], *, show: bool) -> dict[tuple[str, str], Counts]:
    """Run all contestants; return counts by encoding or language, or for all, and by length, or for all."""
    counts: defaultdict[tuple[str, str], Counts] = defaultdict(Counts)
    shown = 0
    for size, sample in found:
        parts = [(part, each) for part in ("all", sample.encoding, sample.language) for each in ("all", size)]
        for part in parts:
            counts[part].samples += 1
        for tool in CONTESTANTS:
            answer, taken = timed(tool, sample.data)
            right, named = sample.read_as(answer), sample.is_named(answer)
            for part in parts:
                counts[part].add(tool, taken, right=right, named=named)
            if show and tool == "leadbyte" and not right and shown < SHOWN:
                shown += 1
                print(f"{size} {sample.language} {sample.encoding} as {answer}: {sample.text!r}")
    return counts


def rows_of(counts: dict[tuple[str, str], Counts]) -> list[dict[str, object]]:
    """Return the rows of the record."""
    return [
        {
            "part": part,
            "bytes": size,
            "samples": each.samples,
            **{f"{tool}_right_percent": f"{each.share(tool):.2f}" for tool in CONTESTANTS},
            **{f"{tool}_microseconds": f"{each.microseconds(tool):.1f}" for tool in CONTESTANTS},
        }
        for (part, size), each in sorted(counts.items(), key=lambda item: (item[0][0] != "all", item[0]))
    ]


def main() -> None:
    """Fetch, measure, print, and record if requested."""
    parser = argument_parser("leadbyte.detect on short strings beside chardet and charset-normalizer.")
    add_options(parser)
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"of each kind (default: {SAMPLES})")
    parser.add_argument("--show", action="store_true", help="print strings that leadbyte reads wrongly")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.packages or Path(temporary)
        packages, known = fetch_part(folder, arguments.part)
        found = list(cases(packages, arguments.samples, known))
    counts = measure(found, show=arguments.show)
    rows = rows_of(counts)
    print_table("detection of short strings", [{key: str(cell) for key, cell in row.items()} for row in rows])
    outcomes = summaries(
        {
            Target(f"percent right, {size} bytes", wanted, at_least=True): {
                "leadbyte": counts["all", size].share("leadbyte")
            }
            for size, wanted in WANTED.items()
        }
    )
    print_outcomes(outcomes)
    if arguments.record:
        versions = f"leadbyte {leadbyte.__version__}" + "".join(
            f", {peer} {importlib.metadata.version(peer)}" for peer in list(CONTESTANTS)[1:]
        )
        write_record("short-detection", {"versions": versions, "part": arguments.part, **outcomes}, rows)


if __name__ == "__main__":
    main()
