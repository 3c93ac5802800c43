#!/usr/bin/env python3
"""Detection beside chardet and charset-normalizer: accuracy and time.

python benches/detection.py [--count N] [--record]
"""

from __future__ import annotations

import collections
import importlib.metadata
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import chardet
import charset_normalizer
import leadbyte
from harness import Target, argument_parser, print_outcomes, print_table, summaries, write_record

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from encoded import CODECS, LANGUAGES, USUAL, Sample, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SIZES = (50, 200, 2000)
COUNT = 6  # samples of a language in an encoding, at each size
ALL, OFTEN = "all", "usual"  # every encoding of a language, and those in which it is mostly written
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

    def add(self, sample: Sample, answers: Mapping[str, str | None], seconds: Mapping[str, float]) -> None:
        """Add the answers of all contestants for a sample."""
        self.samples += 1
        for tool, answer in answers.items():
            self.right[tool] += sample.read_as(answer)
            self.named[tool] += sample.is_named(answer)
            self.seconds[tool] += seconds[tool]

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


def measure(count: int) -> dict[tuple[str, int], Counts]:
    """Run all contestants on all samples, alternating."""
    counts: dict[tuple[str, int], Counts] = collections.defaultdict(Counts)
    for size in SIZES:
        for encoding in CODECS:
            for language in LANGUAGES:
                for sample in samples(language, encoding, size, count):
                    outcomes = {tool: timed(tool, sample.data) for tool in CONTESTANTS}
                    answers = {tool: answer for tool, (answer, _) in outcomes.items()}
                    seconds = {tool: taken for tool, (_, taken) in outcomes.items()}
                    often = [OFTEN] if encoding in USUAL[language] else []
                    for part in (ALL, *often, encoding, language):
                        counts[part, size].add(sample, answers, seconds)
    return counts


def rows_of(counts: Mapping[tuple[str, int], Counts]) -> list[dict[str, object]]:
    """Return the rows of the record."""
    return [
        {
            "part": part,
            "bytes": size,
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
                f"{tool} {size}": f"{counts[part, size].share(tool):.1f}"
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
    parser.add_argument("--count", type=int, default=COUNT, help=f"samples of each kind (default: {COUNT})")
    arguments = parser.parse_args()
    counts = measure(arguments.count)
    show(counts, [ALL, OFTEN, *CODECS], "right, in percent, by the encoding and the bytes of a sample")
    show(counts, [language for language in LANGUAGES if (language, SIZES[-1]) in counts], "by language")
    print_table(
        "microseconds a call, and right by name in percent",
        [
            {
                "bytes": str(size),
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
        for part in (ALL, OFTEN):
            each = counts[part, size]
            measured[RIGHT][f"{part}, {size} bytes"] = each.share(own) / max(map(each.share, peers))
            measured[FASTER][f"{part}, {size} bytes"] = min(
                map(each.microseconds, peers)
            ) / each.microseconds(own)
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


if __name__ == "__main__":
    main()
