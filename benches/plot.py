#!/usr/bin/env python3
"""Draw the newest native record: speed by text and tool, as SVG and PNG beside the record.

python benches/plot.py [RECORD] [--size SIZE]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from harness import RECORDS, read_record
from matplotlib import patheffects
from matplotlib import pyplot as plt

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


def newest() -> Path:
    """Return the newest native record."""
    records = sorted(RECORDS.glob("*-native.csv"))
    if not records:
        message = f"no native record in {RECORDS}; make one (see README.md there)"
        raise SystemExit(message)
    return records[-1]


def draw(record: Path, size: str) -> None:
    """Draw one record at one size of input."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["size"] == size]
    if not rows:
        message = f"{record} has no rows of size {size}"
        raise SystemExit(message)
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
    where = f"{size} in cache, one thread, best round. {facts['cpu']}, {facts['isa']}, {facts['date']}."
    versions = f"{facts['versions']}; {facts['rustc']}"
    figure.supxlabel(f"{where}\n{versions}", fontsize=8, color="#555555")
    for suffix, metadata in ((".svg", {"Date": None}), (".png", None)):
        path = record.with_suffix(suffix)
        figure.savefig(path, dpi=150, metadata=metadata)
        print(path)


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description="Draw speed by text and tool.")
    parser.add_argument("record", type=Path, nargs="?", help="a native record (default: the newest)")
    parser.add_argument("--size", default="64KiB", help="of the inputs (default: %(default)s)")
    arguments = parser.parse_args()
    draw(arguments.record or newest(), arguments.size)


if __name__ == "__main__":
    main()
