#!/usr/bin/env python3
"""Normalization, graphemes and caseless search beside other packages, interleaved in one process.

python benches/unicode.py [--texts DIR] [--only WORD]... [--record]
"""

from __future__ import annotations

import importlib.metadata
import unicodedata
from timeit import Timer
from typing import TYPE_CHECKING

import grapheme
import leadbyte
import stringzilla
import texts
import ugrapheme
from harness import (
    BUDGET,
    ROUNDS,
    Target,
    Times,
    argument_parser,
    in_turns,
    let_memory_be_used_again,
    parse_selection,
    print_outcomes,
    print_table,
    summaries,
    timed,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Row = dict[str, object]

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
MODULES = (leadbyte, unicodedata, grapheme, ugrapheme, stringzilla)
NAMES = {module.__name__: module for module in MODULES}
# Each job with its contestants, ours first.
NORMALIZATION = {
    **{
        form: [f"leadbyte.normalize({form!r}, text)", f"unicodedata.normalize({form!r}, text)"]
        for form in FORMS
    },
    "NFC of NFD": ["leadbyte.normalize('NFC', nfd)", "unicodedata.normalize('NFC', nfd)"],
    "NFC of UTF-8": [
        "leadbyte.normalize('NFC', data)",
        "unicodedata.normalize('NFC', data.decode()).encode()",
        "stringzilla.utf8_norm(data, 'NFC')",
    ],
    "is NFC": [
        "leadbyte.is_normalized('NFC', text)",
        "unicodedata.is_normalized('NFC', text)",
        "stringzilla.utf8_find_denormalized(text, 'NFC') is None",
    ],
}
COUNT = [
    "leadbyte.count_graphemes(text)",
    "ugrapheme.grapheme_len(text)",
    "grapheme.length(text)",
    "sum(1 for cluster in stringzilla.utf8_graphemes(text))",
]
LIST = [
    "leadbyte.graphemes(text)",
    "ugrapheme.grapheme_split(text)",
    "list(grapheme.graphemes(text))",
    "list(map(str, stringzilla.utf8_graphemes(text)))",
]
GRAPHEMES = {"count": COUNT, "list": LIST}
CASE = {
    "casefold": ["leadbyte.casefold(text)", "text.casefold()"],
    "casefold of UTF-8": [
        "leadbyte.casefold(data)",
        "data.decode().casefold().encode()",
        "stringzilla.utf8_uncased_fold(data)",
    ],
    # For a text that does not occur, so all of the data is read.
    "caseless search": [
        "leadbyte.search(text, needle, ignore_case=True) is None",
        "text.casefold().find(needle.casefold()) < 0",
    ],
    "caseless search in UTF-8": [
        "leadbyte.search(data, needle, ignore_case=True) is None",
        "data.decode().casefold().find(needle.casefold()) < 0",
        "stringzilla.utf8_uncased_search(data, needle) < 0",
    ],
}
PARTS = {"normalize": NORMALIZATION, "graphemes": GRAPHEMES, "case": CASE}
EXPRESSIONS = {job: expressions for jobs in PARTS.values() for job, expressions in jobs.items()}
SLOW = 20_000  # characters; what takes microseconds each gets no more

CORPORA = {"french", "russian", "chinese", "hindi", "english"}
QUICK = {"english", "french", "russian", "greek"}  # Latin and Cyrillic, and NFC is quick to see
TARGETS = {
    "nfc": Target("normalize NFC / unicodedata", 10, at_least=True),
    "quick": Target(
        "normalize of what passes the quick check / unicodedata, Latin, Greek and Cyrillic", 3, at_least=True
    ),
    "others": Target("normalize NFD, NFKC, NFKD / unicodedata", 10, at_least=True),
    "grapheme": Target("count_graphemes / grapheme", 20, at_least=True),
    "ugrapheme": Target("count_graphemes / ugrapheme", 1, at_least=True),
    "search": Target("search, ignoring case / casefold and find", 10, at_least=True),
    "stringzilla": Target("each / StringZilla", 1, at_least=True),
    "constant": Target("normalize NFC of a million characters of ASCII / of one, time", 2, at_least=False),
}


def given(text: str) -> dict[str, str | bytes]:
    """Return the names that expressions may use: the text in several forms, and what it does not contain."""
    needle = text[-10:][::-1].swapcase() + text[:10].swapcase()
    return {"text": text, "nfd": unicodedata.normalize("NFD", text), "data": text.encode(), "needle": needle}


def measure(expressions: Sequence[str], text: str) -> dict[str, Times]:
    """Time all in turns, each on as much of the text as it can take; per character."""
    all_of_it, few = given(text), given(text[:SLOW])

    def turn(expression: str) -> Callable[[], float]:
        chosen = few if expression.startswith(("grapheme", "list", "sum")) else all_of_it
        chars = len(chosen["nfd" if "nfd" in expression else "text"])
        return timed(expression, {**NAMES, **chosen}, chars)

    return in_turns(
        {expression: turn(expression) for expression in expressions}, rounds=ROUNDS, budget=BUDGET
    )


def check(job: str, expressions: Sequence[str], text: str) -> None:
    """Compare what all make of the start of a text, as far as their versions of Unicode let them agree."""
    own, other = (eval(expression, {**NAMES, **given(text)}) for expression in expressions[:2])
    if job in GRAPHEMES:
        count, many = (len(own), len(other)) if job == "list" else (own, other)
        # The rules for some scripts have changed from version to version; the rules of grapheme are the
        # oldest.
        assert abs(count - many) <= len(text) // 100, expressions
    else:
        assert own == other, expressions


class Report:
    """Tables as they are made, rows for the record, and the results for the targets."""

    def __init__(self, *, real: bool) -> None:
        """Begin with nothing; real texts have characters now and then that are not quick to judge."""
        self.real = real
        self.rows: list[Row] = []
        self.measured: dict[Target, dict[str, float]] = {}

    def run(self, part: str, corpora: Mapping[str, bytes]) -> None:
        """Measure the jobs of a part on all texts."""
        for job, expressions in PARTS[part].items():
            lines = []
            for name, data in corpora.items():
                text = data.decode()
                check(job, expressions, text[:SLOW])
                times = measure(expressions, text)
                own, *others = expressions
                ratios = {other: times[other].best / times[own].best for other in others}
                for tool, taken in times.items():
                    over = f"{ratios[tool]:.2f}" if tool in ratios else ""
                    speed = f"{1e-6 / taken.best:.1f}"
                    self.rows.append(
                        {
                            "job": job,
                            "text": name,
                            "tool": tool,
                            "best_m_chars_s": speed,
                            "leadbyte_over_it": over,
                        }
                    )
                lines.append(
                    {
                        "text": name,
                        own: f"{1e-6 / times[own].best:.0f}",
                        **{other: f"{ratio:.2f}" for other, ratio in ratios.items()},
                    }
                )
                self.judge(job, name, text, list(ratios.values()))
            print_table(f"{job}: M characters/s, and how many times the others' speed that is", lines)

    def judge(self, job: str, name: str, text: str, ratios: Sequence[float]) -> None:
        """Note what the targets want of a measurement."""
        if job == "count":
            self.note("ugrapheme", name, ratios[0])
            self.note("grapheme", name, ratios[1])
        if "stringzilla" in EXPRESSIONS[job][-1]:
            self.note("stringzilla", f"{name} {job}", ratios[-1])
        if job.startswith("caseless search"):
            self.note("search", f"{name} {job}", ratios[0])
        if text.isascii() or job not in FORMS:
            return
        if job == "NFC" and self.real and name in CORPORA:
            self.note("nfc", name, ratios[0])
        if job in {"NFD", "NFKC", "NFKD"} and self.real and name in CORPORA:
            self.note("others", f"{name} {job}", ratios[0])
        if name in QUICK and leadbyte.is_normalized(job, text):  # type: ignore[arg-type]
            self.note("quick", f"{name} {job}", ratios[0])

    def note(self, target: str, place: str, value: float) -> None:
        """Note a value for a target."""
        self.measured.setdefault(TARGETS[target], {})[place] = value

    def constant_time(self) -> None:
        """Compare one character of ASCII to many."""
        texts = {"one": "a" * 2, "many": "a" * 1_000_000}
        turns = {}
        for name, text in texts.items():
            timer = Timer("leadbyte.normalize('NFC', text)", globals={"leadbyte": leadbyte, "text": text})
            turns[name] = lambda timer=timer: timer.timeit(10_000)
        times = in_turns(turns, rounds=ROUNDS)
        self.note("constant", "ASCII", times["many"].best / times["one"].best)


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser(__doc__)
    arguments, chosen, parts = parse_selection(parser, texts.load, PARTS)

    let_memory_be_used_again()
    report = Report(
        real=all(data != texts.make(name) for name, data in chosen.items() if name in texts.NAMES)
    )
    for part in parts:
        report.run(part, chosen)
    report.constant_time()
    outcomes = summaries(report.measured)
    print_outcomes(outcomes)
    if arguments.record:
        packages = ("grapheme", "ugrapheme", "stringzilla")
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}, {versions}",
            "unicode": f"leadbyte {leadbyte.unidata_version}, unicodedata {unicodedata.unidata_version}",
            "isa": leadbyte.cpu_info()["functions"]["normalize"],
        }
        write_record("unicode", {**facts, **outcomes}, report.rows)


if __name__ == "__main__":
    main()
