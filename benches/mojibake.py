#!/usr/bin/env python3
"""Repair of mojibake beside ftfy: accuracy, good text that is left unchanged, and speed.

python benches/mojibake.py [--count N] [--record]
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import ftfy
import leadbyte
from harness import Target, argument_parser, in_turns, print_outcomes, print_table, summaries, write_record
from leadbyte.mojibake import repair

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from damaged import SPOKEN, damaged, found, ftfy_cases, good, mixed, once, regional, twice
from sentences import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from damaged import Pair

COUNT = 167  # sentences of a language: 1,000 in all
MIXED = 25  # of which are damaged in two ways
LINES = 2000  # of the text that is timed
ROUNDS = 5  # at least, for each measurement
BUDGET = 2.0  # seconds of further rounds

CONTESTANTS: dict[str, Callable[[str], str]] = {"leadbyte": repair, "ftfy": ftfy.fix_encoding}

REPAIRED = Target("percent repaired exactly", 95, at_least=True)
UNCHANGED = Target("good sentences changed", 0, at_least=False)
CASES = Target("of ftfy's cases, beside ftfy", 1, at_least=True)
GOOD_TEXT = Target("MB/s of good text", 100, at_least=True)

Row = dict[str, object]


def name(part: object) -> str:
    """Return the name of a language, or of the encodings written and read."""
    if isinstance(part, str):
        return part
    return ", then ".join(f"{wrote} as {read}" for wrote, read in part)  # type: ignore[attr-defined]


def repaired(count: int) -> list[Row]:
    """Return how often each contestant repairs sentences exactly, by damage and language."""
    rows: list[Row] = []
    for times, ways, sentences in (
        ("once", once(), count),
        ("twice", twice(), count),
        ("mixed", mixed(), MIXED),
    ):
        samples: Counter[object] = Counter()
        right: defaultdict[object, Counter[str]] = defaultdict(Counter)
        for each in damaged(sentences, ways):
            parts: tuple[object, ...] = ("all", each.language, each.pairs)
            answers = {tool: fix(each.text) == each.sentence for tool, fix in CONTESTANTS.items()}
            for part in parts:
                samples[part] += 1
                right[part].update(answers)
        for part, number in samples.items():
            shares = {f"{tool}_percent": f"{100 * right[part][tool] / number:.2f}" for tool in CONTESTANTS}
            rows.append({"damaged": times, "part": name(part), "samples": number, **shares})
    return rows


def regional_ones(count: int) -> list[Row]:
    """Return how often each contestant repairs regional damage exactly, also when the language is known."""
    samples: Counter[tuple[Pair, ...]] = Counter()
    right: defaultdict[tuple[tuple[Pair, ...], str], Counter[str]] = defaultdict(Counter)
    for each in regional(count):
        samples[each.pairs] += 1
        for tool, fix in CONTESTANTS.items():
            right[each.pairs, "regional"][tool] += fix(each.text) == each.sentence
        known = repair(each.text, languages=[each.language]) == each.sentence
        right[each.pairs, "regional, language known"]["leadbyte"] += known
    return [
        {
            "damaged": damage,
            "part": name(pairs),
            "samples": samples[pairs],
            **{
                f"{tool}_percent": f"{100 * counts[tool] / samples[pairs]:.2f}" if tool in counts else ""
                for tool in CONTESTANTS
            },
        }
        for (pairs, damage), counts in right.items()
    ]


def left_alone() -> list[Row]:
    """Return how many good sentences each contestant changes."""
    changed: Counter[str] = Counter()
    number = 0
    for language in LANGUAGES:
        for sentence in good(language):
            number += 1
            changed.update({tool: fix(sentence) != sentence for tool, fix in CONTESTANTS.items()})
    counts = {f"{tool}_percent": f"{100 * changed[tool] / number:.2f}" for tool in CONTESTANTS}
    return [{"damaged": "not", "part": "changed", "samples": number, **counts}]


def found_ones() -> list[Row]:
    """Return how many of the damaged sentences found in real texts each contestant repairs."""
    changed: Counter[str] = Counter()
    sentences = list(found())
    for sentence in sentences:
        changed.update({tool: fix(sentence) != sentence for tool, fix in CONTESTANTS.items()})
    shares = {f"{tool}_percent": f"{100 * changed[tool] / len(sentences):.2f}" for tool in CONTESTANTS}
    return [{"damaged": "found", "part": "changed", "samples": len(sentences), **shares}]


def cases() -> list[Row]:
    """Return how many of ftfy's cases each contestant converts as expected."""
    rows: list[Row] = []
    kinds = {
        "repaired": [case for case in ftfy_cases() if case.original != case.fixed],
        "left alone": [case for case in ftfy_cases() if case.original == case.fixed],
    }
    for kind, those in kinds.items():
        right: Counter[str] = Counter()
        for case in those:
            right.update({tool: fix(case.original) == case.fixed for tool, fix in CONTESTANTS.items()})
        shares = {f"{tool}_percent": f"{100 * right[tool] / len(those):.2f}" for tool in CONTESTANTS}
        rows.append({"damaged": "ftfy's cases", "part": kind, "samples": len(those), **shares})
    return rows


def speeds() -> dict[str, dict[str, float]]:
    """Return the speed of each contestant in MB/s, by text."""
    found: dict[str, dict[str, float]] = {}
    for language in ("en", *SPOKEN):
        lines = (good(language) * (LINES // 400))[:LINES]
        damages = next(iter(each.pairs for each in damaged(9, once()) if each.language in {language, "ru"}))
        texts = {
            f"good {language}": "\n".join(lines),
            f"damaged {language}": "\n".join(
                each.text for each in damaged(400, [damages]) if each.language == language
            ),
        }
        for kind, text in texts.items():
            if not text:
                continue

            def turn(fix: Callable[[str], str], text: str = text) -> Callable[[], float]:
                def run() -> float:
                    start = time.perf_counter()
                    fix(text)
                    return time.perf_counter() - start

                return run

            times = in_turns(
                {tool: turn(fix) for tool, fix in CONTESTANTS.items()}, rounds=ROUNDS, budget=BUDGET
            )
            found[kind] = {tool: len(text.encode()) / taken.best / 1e6 for tool, taken in times.items()}
    return found


def show(rows: list[Row], speed: Mapping[str, Mapping[str, float]]) -> None:
    """Print the measurements."""
    print_table("percent done right", [{key: str(value) for key, value in row.items()} for row in rows])
    print_table(
        "MB/s", [{"text": kind, **{tool: f"{by[tool]:.2f}" for tool in by}} for kind, by in speed.items()]
    )


def outcomes_of(rows: list[Row], speed: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Return the results for the targets."""
    own = {(row["damaged"], row["part"]): float(str(row["leadbyte_percent"])) for row in rows}
    peer = {
        (row["damaged"], row["part"]): float(str(row["ftfy_percent"])) for row in rows if row["ftfy_percent"]
    }
    return summaries(
        {
            REPAIRED: {f"{times}": own[times, "all"] for times in ("once", "twice", "mixed")},
            UNCHANGED: {"all languages": own["not", "changed"]},
            CASES: {
                kind: own["ftfy's cases", kind] / peer["ftfy's cases", kind]
                for kind in ("repaired", "left alone")
            },
            GOOD_TEXT: {kind: by["leadbyte"] for kind, by in speed.items() if kind in {"good en", "good ru"}},
        }
    )


def main() -> None:
    """Measure, print, and record if requested."""
    parser = argument_parser("leadbyte.mojibake beside ftfy.")
    parser.add_argument(
        "--count", type=int, default=COUNT, help=f"sentences of a language (default: {COUNT})"
    )
    arguments = parser.parse_args()
    rows = [
        *repaired(arguments.count),
        *regional_ones(arguments.count),
        *left_alone(),
        *found_ones(),
        *cases(),
    ]
    speed = speeds()
    show(rows, speed)
    outcomes = outcomes_of(rows, speed)
    print_outcomes(outcomes)
    if arguments.record:
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}, ftfy {version('ftfy')}",
            "MB/s": "; ".join(
                f"{kind} {', '.join(f'{tool} {rate:.2f}' for tool, rate in by.items())}"
                for kind, by in speed.items()
            ),
            **outcomes,
        }
        write_record("mojibake", facts, rows)


if __name__ == "__main__":
    main()
