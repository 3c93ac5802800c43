#!/usr/bin/env python3
"""Show the newest records: a picture of the native one beside it, and README's tables of the others.

python benches/report.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import RECORDS, read_record
from matplotlib import patheffects
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

README = Path(__file__).parent.parent / "README.md"
NATIVE_SIZE = "64KiB"
PYTHON_SIZE = "256KiB"
PYTHON_TOOLS = ("is_valid", "scan", "polars cast", "pyarrow cast", "CPython decode", "count_chars", "NumPy")
TEXTS = ("ascii", "english", "french", "russian", "hindi", "chinese", "emoji", "log")
PANELS = {"validate": "Validate: is it UTF-8?", "count": "Count characters"}
# Okabe and Ito's colours, which readers with any colour vision tell apart; ours stands out.
COLOURS = {
    "leadbyte": "#D55E00",
    "simdutf8 basic": "#0072B2",
    "simdutf": "#56B4E9",
    "bytecount": "#009E73",
    "std": "#999999",
    "naive": "#CCCCCC",
}
BAR = 0.8  # the width of a group of bars
STYLE: dict[Any, object] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "ytick.left": False,
    "xtick.bottom": False,
    "svg.hashsalt": "leadbyte",  # the same picture, the same bytes
}


def newest(kind: str) -> Path:
    """Return the newest record of a kind."""
    records = sorted(RECORDS.glob(f"*-{kind}.csv"))
    if not records:
        message = f"no record of the kind {kind} in {RECORDS}; benches/README.md tells how to make one"
        raise SystemExit(message)
    return records[-1]


def draw(record: Path) -> None:
    """Draw speed by text and tool, from a native record."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["size"] == NATIVE_SIZE]
    plt.rcParams.update(STYLE)
    texts = list(dict.fromkeys(row["text"] for row in rows))
    figure, axes = plt.subplots(
        len(PANELS), 1, figsize=(max(8, 1.5 + 0.75 * len(texts)), 7.2), layout="constrained"
    )
    for axis, (function, title) in zip(axes, PANELS.items(), strict=True):
        speeds = {
            (row["tool"], row["text"]): float(row["best_gb_s"]) for row in rows if row["function"] == function
        }
        tools = [tool for tool in COLOURS if (tool, texts[0]) in speeds]
        width = BAR / len(tools)
        for place, tool in enumerate(tools):
            left = [index - BAR / 2 + (place + 0.5) * width for index in range(len(texts))]
            heights = [speeds[tool, text] for text in texts]
            bars = axis.bar(left, heights, width * 0.92, label=tool, color=COLOURS[tool])
            if place == 0:
                labels = axis.bar_label(bars, fmt="%.0f", fontsize=8, padding=2, color=COLOURS[tool])
                for label in labels:  # readable also before a neighbour's higher bar
                    label.set_path_effects([patheffects.withStroke(linewidth=2, foreground="white")])
        axis.set_title(title, loc="left", fontweight="bold")
        axis.set_ylabel("GB/s")
        axis.set_xticks(range(len(texts)), texts)
        axis.margins(x=0.01)
        axis.legend(
            ncols=len(tools), frameon=False, loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0
        )
    where = (
        f"{NATIVE_SIZE} in cache, one thread, best round. {facts['cpu']}, {facts['isa']}, {facts['date']}."
    )
    versions = f"{facts['versions']}; {facts['rustc']}"
    figure.supxlabel(f"{where}\n{versions}", fontsize=8, color="#555555")
    for suffix, metadata in ((".svg", {"Date": None}), (".png", None)):
        path = record.with_suffix(suffix)
        figure.savefig(path, dpi=150, metadata=metadata)
        print(path)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, its first column to the left."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, rule, *escaped])


def python_table(record: Path) -> str:
    """Return the speeds of the package and its peers."""
    facts, rows = read_record(record)
    speeds = {
        (row["text"], row["tool"]): float(row["best_gb_s"]) for row in rows if row["size"] == PYTHON_SIZE
    }
    lines = [[text, *(f"{speeds[text, tool]:.1f}" for tool in PYTHON_TOOLS)] for text in TEXTS]
    return (
        f"From Python, GB/s of UTF-8, {PYTHON_SIZE} in cache, one thread ({facts['cpu']}, {facts['date']}, "
        f"Python {facts['python']}, {facts['versions']}):\n\n{table(['', *PYTHON_TOOLS], lines)}"
    )


def programs_table(record: Path) -> str:
    """Return the times of the command and its peers."""
    facts, rows = read_record(record)
    lines = [[row["task"], row["command"], row["best_s"], row["gb_s"], row["peak_mb"]] for row in rows]
    header = ["", "", "seconds", "GB/s", "peak MB"]
    return (
        f"Whole processes, from the page cache ({facts['versions']}; {facts['floor of peak_mb']} MB are the "
        f"script's own, below which it sees no peak):\n\n{table(header, lines)}"
    )


def write_tables() -> None:
    """Put the tables between the marks in README."""
    picture = newest("native").with_suffix(".png").relative_to(README.parent)
    parts = [
        f"![Speed by text]({picture})",
        python_table(newest("peers")),
        programs_table(newest("programs")),
    ]
    text = README.read_text(encoding="utf-8")
    start, end = "<!-- benchmarks -->", "<!-- /benchmarks -->"
    body = "\n\n".join([start, *parts, end])
    README.write_text(re.sub(f"{start}.*{end}", lambda _: body, text, flags=re.DOTALL), encoding="utf-8")


def main() -> None:
    """Draw the picture and write the tables."""
    draw(newest("native"))
    write_tables()


if __name__ == "__main__":
    main()
