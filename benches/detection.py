#!/usr/bin/env python3
"""Detection beside chardet and charset-normalizer: accuracy and time.

    python benches/detection.py [--files DIR] [--count N] [--record]

Three kinds of data: the files with which other detectors are tested, which fetch_detection_files.py
fetches to DIR; real sentences in the encodings usual for their languages; and in every encoding that can
represent them. A reading is right if the encoding gives the text. No model is trained with any of them.
"""

from __future__ import annotations

import codecs
import collections
import functools
import importlib.metadata
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import chardet
import charset_normalizer
import leadbyte
from fetch_detection_files import UNICODE, judging_files, part_of_file, reads_file
from harness import Target, argument_parser, print_outcomes, print_table, summaries, write_record

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from encoded import CODECS, LANGUAGES, USUAL, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fetch_detection_files import JudgingFile

WHOLE = 0  # a whole file, or all sentences
SIZES = (WHOLE, 50, 200, 2000)
ALL_SENTENCES = 1 << 20  # bytes that no language has
COUNT = 6  # samples of a language in an encoding, at each size
ALL, OFTEN = "all", "usual"  # every encoding of a language, and those in which it is mostly written
FILES, FILES_ALL = "files", "files with Unicode"  # others' files in legacy encodings, and all
CONFUSIONS = 10
TIMES = 3  # runs of each call; the fastest counts

LARGE = 100 << 20
LARGE_TEXTS = {"utf-8": "ru", "ascii": "en", "windows-1251": "ru", "gb18030": "zh-Hans", "utf-16-le": "ru"}

RIGHT = Target("times as often right as the better peer", 1, at_least=True)
FASTER = Target("the quicker peer's time / leadbyte's", 20, at_least=True)
AT_ONCE = Target("seconds for 100 MiB", 0.5, at_least=False)


def by_normalizer(data: bytes) -> str | None:
    """Return the best match."""
    best = charset_normalizer.from_bytes(data).best()
    encoding: str | None = best and best.encoding
    return encoding


CONTESTANTS: dict[str, Callable[[bytes], str | None]] = {
    "leadbyte": lambda data: leadbyte.detect(data).encoding,
    "chardet": lambda data: chardet.detect(data)["encoding"],
    "charset-normalizer": by_normalizer,
}


class Counts:
    """The numbers of samples and of correct answers, and the time taken."""

    def __init__(self) -> None:
        """Start with zero."""
        self.samples = 0
        self.right: collections.Counter[str] = collections.Counter()
        self.named: collections.Counter[str] = collections.Counter()
        self.seconds: collections.defaultdict[str, float] = collections.defaultdict(float)

    def add(self, tool: str, seconds: float, *, right: bool, named: bool) -> None:
        """Add the answer of a contestant for a sample."""
        self.right[tool] += right
        self.named[tool] += named
        self.seconds[tool] += seconds

    def share(self, tool: str) -> float:
        """Return how often the encoding that a contestant returned gives the right text, in percent."""
        return 100 * self.right[tool] / self.samples

    def share_by_name(self, tool: str) -> float:
        """Return how often it named the encoding in which the sample was written, in percent."""
        return 100 * self.named[tool] / self.samples

    def microseconds(self, tool: str) -> float:
        """Return the mean time of a call."""
        return 1e6 * self.seconds[tool] / self.samples


def timed(tool: str, data: bytes) -> tuple[str | None, float]:
    """Return a contestant's answer, and its shortest time in seconds."""
    taken = []
    for _ in range(TIMES):
        start = time.perf_counter()
        answer = CONTESTANTS[tool](data)
        taken.append(time.perf_counter() - start)
    return answer, min(taken)


class Case(NamedTuple):
    """Bytes, the encoding in which they were written, and what judges an answer: its text and its name."""

    data: bytes
    written: str
    reads: Callable[[str | None], bool]
    names: Callable[[str | None], bool]


@dataclass
class Results:
    """The counts of all contestants, and of the answers of leadbyte."""

    counts: dict[tuple[str, int], Counts] = field(default_factory=lambda: collections.defaultdict(Counts))
    confusions: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    """The wrong answers, by the encoding written and the encoding detected."""
    confident: dict[int, list[tuple[float, bool]]] = field(
        default_factory=lambda: collections.defaultdict(list)
    )
    """The confidences in legacy encodings, in tenths, and whether the reading was right."""

    def add(self, case: Case, parts: Iterable[str], size: int) -> None:
        """Run all contestants on a case, alternating."""
        outcomes = {tool: timed(tool, case.data) for tool in CONTESTANTS}
        for part in parts:
            each = self.counts[part, size]
            each.samples += 1
            for tool, (answer, taken) in outcomes.items():
                each.add(tool, taken, right=case.reads(answer), named=case.names(answer))
        found = leadbyte.detect(case.data)
        right = case.reads(found.encoding)
        if not right:
            self.confusions[case.written, found.encoding or found.kind] += 1
        if found.confidence < 1 and found.encoding is not None:
            tenth = min(int(found.confidence * 10), 9)
            self.confident[tenth].append((found.confidence, right))


def measure(count: int, files: Path | None) -> Results:
    """Run all contestants on all samples."""
    results = Results()
    for size in SIZES:
        for encoding in CODECS:
            for language in LANGUAGES:
                bounds = (size, count) if size else (ALL_SENTENCES, 1)
                for sample in samples(language, encoding, *bounds):
                    often = [OFTEN] if encoding in USUAL[language] else []
                    case = Case(sample.data, encoding, sample.read_as, sample.is_named)
                    results.add(case, (ALL, *often, encoding, language), size)
    for file in judging_files(files) if files else ():
        for size in SIZES:
            part = part_of_file(file, size) if size else file
            if part is not None:
                parts = (FILES_ALL,) if file.encoding in UNICODE else (FILES, FILES_ALL)
                judges = (functools.partial(reads_file, part), functools.partial(names_file, part))
                results.add(Case(part.data, file.encoding or "no text", *judges), parts, size)
    return results


def names_file(file: JudgingFile, answer: str | None) -> bool:
    """Return whether an answer is the encoding that a file's name states."""
    if answer is None or file.encoding is None:
        return answer == file.encoding
    return codecs.lookup(answer).name == codecs.lookup(file.encoding).name


def confusion_rows(results: Results) -> list[dict[str, object]]:
    """Return the commonest wrong answers of leadbyte."""
    return [
        {"written": written, "detected": detected, "samples": number}
        for (written, detected), number in results.confusions.most_common(CONFUSIONS)
    ]


def confidence_rows(results: Results) -> list[dict[str, object]]:
    """Return how many detections of leadbyte were right, by their confidence in tenths."""
    return [
        {
            "from": f"{tenth / 10:.1f}",
            "detections": len(each),
            "mean_confidence": f"{sum(confidence for confidence, _ in each) / len(each):.3f}",
            "right_share": f"{sum(right for _, right in each) / len(each):.3f}",
        }
        for tenth, each in sorted(results.confident.items())
    ]


def rows_of(counts: Mapping[tuple[str, int], Counts]) -> list[dict[str, object]]:
    """Return the rows of the record."""
    return [
        {
            "part": part,
            "bytes": size or "whole",
            "samples": each.samples,
            "tool": tool,
            "right_percent": f"{each.share(tool):.2f}",
            "named_percent": f"{each.share_by_name(tool):.2f}",
            "microseconds": f"{each.microseconds(tool):.1f}",
        }
        for (part, size), each in counts.items()
        for tool in CONTESTANTS
    ]


def show(counts: Mapping[tuple[str, int], Counts], parts: Iterable[str], title: str) -> None:
    """Print the accuracy of all contestants, one line for each part."""
    lines = [
        {
            "": part,
            **{
                f"{tool} {size or 'whole'}": f"{counts[part, size].share(tool):.1f}"
                for size in SIZES
                for tool in CONTESTANTS
                if (part, size) in counts
            },
        }
        for part in parts
    ]
    print_table(title, lines)


def large() -> dict[str, float]:
    """Return the seconds for large data, by encoding."""
    found = {}
    for encoding, language in LARGE_TEXTS.items():
        text = " ".join(sample.text for sample in samples(language, "gb18030", SIZES[-1], COUNT)) + "\n"
        data = text.encode(encoding, "ignore")
        data *= LARGE // len(data)
        assert leadbyte.detect(data).encoding == encoding
        found[f"{encoding}"] = min(timed("leadbyte", data)[1] for _ in range(TIMES))
    return found


def main() -> None:
    """Measure, print, and record if requested."""
    parser = argument_parser("leadbyte.detect beside chardet and charset-normalizer.")
    parser.add_argument(
        "--files", type=Path, metavar="DIR", help="with what fetch_detection_files.py fetched"
    )
    parser.add_argument("--count", type=int, default=COUNT, help=f"samples of each kind (default: {COUNT})")
    arguments = parser.parse_args()
    results = measure(arguments.count, arguments.files)
    counts = results.counts
    kinds = [kind for kind in (FILES, FILES_ALL, OFTEN, ALL) if (kind, WHOLE) in counts]
    show(counts, [*kinds, *CODECS], "right, in percent, by the encoding and the bytes of a sample")
    show(counts, [language for language in LANGUAGES if (language, SIZES[-1]) in counts], "by language")
    for title, rows in {"wrong": confusion_rows(results), "by confidence": confidence_rows(results)}.items():
        print_table(title, [{name: str(cell) for name, cell in row.items()} for row in rows])
    print_table(
        "microseconds a call, and right by name in percent",
        [
            {
                "bytes": str(size or "whole"),
                **{tool: f"{counts[ALL, size].microseconds(tool):.1f}" for tool in CONTESTANTS},
                **{
                    f"{tool}, by name": f"{counts[ALL, size].share_by_name(tool):.1f}" for tool in CONTESTANTS
                },
            }
            for size in SIZES
        ],
    )
    own, *peers = CONTESTANTS
    seconds = large()
    measured: dict[Target, dict[str, float]] = {RIGHT: {}, FASTER: {}, AT_ONCE: seconds}
    for size in SIZES:
        for part in kinds:
            each = counts[part, size]
            name = f"{part}, {size} bytes" if size else f"{part}, whole"
            measured[RIGHT][name] = each.share(own) / max(map(each.share, peers))
            measured[FASTER][name] = min(map(each.microseconds, peers)) / each.microseconds(own)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        versions = f"leadbyte {leadbyte.__version__}" + "".join(
            f", {peer} {importlib.metadata.version(peer)}" for peer in peers
        )
        times = ", ".join(f"{encoding} {taken:.3f}" for encoding, taken in seconds.items())
        write_record(
            "detection", {"versions": versions, "seconds for 100 MiB": times, **outcomes}, rows_of(counts)
        )
        write_record("confusions", {"versions": versions}, confusion_rows(results))
        write_record("confidence", {"versions": versions}, confidence_rows(results))


if __name__ == "__main__":
    main()
