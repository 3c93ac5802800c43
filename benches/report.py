#!/usr/bin/env python3
"""Draw the newest records, and write the tables of docs/explanation/benchmarks.md and README.md.

python benches/report.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pictures
import tables
from comparison import accuracy_dates, comparisons, guesses, newest, plotted, versions
from harness import RECORDS

PROJECT = Path(__file__).parent.parent
README = PROJECT / "README.md"
DETECTION = PROJECT / "docs/explanation/detection.md"
PAGE = PROJECT / "docs/explanation/benchmarks.md"
SUMMARY = RECORDS / "summary.svg"
START, END = "<!-- benchmarks -->", "<!-- /benchmarks -->"


def fill(page: Path, *parts: str) -> None:
    """Replace the part between the markers of a page by these parts."""
    body = "\n\n".join([START, *parts, END])
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(f"{START}.*{END}", lambda _: body, text, flags=re.DOTALL), encoding="utf-8")


def main() -> None:
    """Draw the plots and write the tables."""
    native = newest("native")
    pictures.draw_texts(native)
    pictures.draw_sizes(native)
    errors = newest("errors")
    pictures.draw_errors(errors)
    where = versions()
    pictures.draw_comparisons(
        list(plotted()), SUMMARY, f"Russian text, one thread. {where.partition('; leadbyte')[0]}."
    )
    fill(
        README,
        tables.comparison_table([*comparisons(), *guesses()]),
        "Russian text from Python, one thread, except for the rows of accuracy, "
        f"from {accuracy_dates()} ({where}).",
    )
    drawn = f"../../{native.relative_to(PROJECT).with_suffix('')}"
    fill(
        PAGE,
        f"![Speed by text]({drawn}.svg)",
        f"![Speed by size]({drawn}-sizes.svg)",
        tables.strings_table(newest("strings")),
        f"![Speed by density of errors](../../{errors.relative_to(PROJECT).with_suffix('')}.svg)",
        tables.errors_table(errors),
        tables.transcode_table(newest("transcode")),
        tables.detection_table(newest("detection")),
        tables.mojibake_table(newest("mojibake")),
        tables.unicode_table(newest("unicode")),
        tables.python_table(newest("peers")),
        tables.columns_table(newest("columns")),
        tables.engines_table(newest("engines")),
        tables.dataset_table(newest("dataset")),
        tables.small_files_table(newest("small-files")),
        tables.programs_table(newest("programs")),
        tables.files_table(newest("large-file")),
        tables.slow_inputs_table(newest("slow-inputs")),
    )
    confidence = newest("confidence")
    pictures.draw_confidence(confidence)
    fill(
        DETECTION,
        tables.detection_table(newest("detection")),
        "The ten commonest errors of leadbyte in all of them:",
        tables.confusions_table(newest("confusions")),
        f"![Accuracy by confidence](../../{confidence.relative_to(PROJECT).with_suffix('')}.svg)",
    )


if __name__ == "__main__":
    main()
