"""Plots of records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from harness import read_record
from matplotlib import patheffects
from matplotlib import pyplot as plt
from tables import TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from comparison import Comparison
    from matplotlib.figure import Figure

NATIVE_SIZE = "64KiB"
PANELS = {"validate": "Validate: is it UTF-8?", "count": "Count characters"}
LINES = {
    "validate": ("Validate", "best_gb_s", "GB/s"),
    "short": ("Short inputs", "best_ns_a_call", "ns a call"),
}
LINE_TEXTS = ("russian", "english")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
# The palette of Okabe and Ito, which is safe for any colour vision; leadbyte has the warm colours. Tools
# that use the same instruction set are neighbours.
COLOURS = {
    "leadbyte": "#D55E00",
    "simdutf": "#0072B2",
    "leadbyte/avx2": "#E69F00",
    "simdutf8 basic": "#56B4E9",
    "leadbyte/sse42": "#F5CE73",
    "leadbyte/neon": "#F5CE73",
    "simdutf8/sse42": "#B3DDF5",
    "leadbyte/scalar": "#CC79A7",
    "bytecount": "#009E73",
    "std": "#999999",
    "naive": "#CCCCCC",
}
# Readable on a light and on a dark page, as plots have no background.
GREY = "#767676"
BAR = 0.8  # the width of a group of bars
STYLE: dict[Any, object] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": GREY,
    "grid.alpha": 0.3,
    "savefig.transparent": True,
    "legend.facecolor": "none",
    "axes.edgecolor": GREY,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), GREY),
    "ytick.left": False,
    "xtick.bottom": False,
    "svg.hashsalt": "leadbyte",  # reproducible bytes
}


plt.rcParams.update(STYLE)


def tools_of(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the tools to draw, in the order of the colours."""
    found = {row["tool"] for row in rows}
    return [tool for tool in COLOURS if tool in found]


def name(tool: str, facts: Mapping[str, str]) -> str:
    """Return a tool's name in a legend; leadbyte itself with the instruction set that it chose."""
    return f"leadbyte ({facts['isa']})" if tool == "leadbyte" else tool


def draw_texts(record: Path) -> None:
    """Draw speed by text and tool, from a native record."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["size"] == NATIVE_SIZE and row["function"] in PANELS]
    measured = {row["text"] for row in rows}
    texts = [text for text in TEXTS if text in measured]
    figure, axes = plt.subplots(len(PANELS), 1, figsize=(9, 7.2), layout="constrained")
    for axis, (function, title) in zip(axes, PANELS.items(), strict=True):
        mine = [row for row in rows if row["function"] == function]
        speeds = {(row["tool"], row["text"]): float(row["best_gb_s"]) for row in mine}
        tools = tools_of(mine)
        width = BAR / len(tools)
        for place, tool in enumerate(tools):
            left = [index - BAR / 2 + (place + 0.5) * width for index in range(len(texts))]
            heights = [speeds[tool, text] for text in texts]
            bars = axis.bar(left, heights, width * 0.92, label=name(tool, facts), color=COLOURS[tool])
            if place == 0:
                labels = axis.bar_label(bars, fmt="%.0f", fontsize=8, padding=2, color=COLOURS[tool])
                for label in labels:  # legible in front of a neighbour's higher bar
                    label.set_path_effects([patheffects.withStroke(linewidth=2, foreground="white")])
        axis.set_title(title, loc="left", fontweight="bold")
        axis.set_ylabel("GB/s")
        axis.set_xticks(range(len(texts)), texts)
        axis.margins(x=0.01)
        axis.legend(
            ncols=(len(tools) + 1) // 2, frameon=False, loc="lower right", bbox_to_anchor=(1, 1), fontsize=9
        )
    save(figure, record, "", f"{NATIVE_SIZE} in cache, one thread, best round.", facts)


def draw_sizes(record: Path) -> None:
    """Draw speed over size and the time of short calls, from a native record."""
    facts, rows = read_record(record)
    figure, axes = plt.subplots(
        len(LINES), len(LINE_TEXTS), figsize=(11, 8.4), sharex="row", sharey="row", layout="constrained"
    )
    for row_axes, (function, (title, column, unit)) in zip(axes, LINES.items(), strict=True):
        for axis, text in zip(row_axes, LINE_TEXTS, strict=True):
            mine = [
                row
                for row in rows
                if row["function"] == function and row["text"] == text and bytes_of(row["size"])
            ]
            for tool in tools_of(mine):
                points = [(bytes_of(row["size"]), float(row[column])) for row in mine if row["tool"] == tool]
                ours = tool.startswith("leadbyte")
                axis.plot(
                    *zip(*points, strict=True),
                    label=name(tool, facts),
                    color=COLOURS[tool],
                    linewidth=2.2 if ours else 1.4,
                    linestyle="-" if ours else "--",
                    marker="o",
                    markersize=3,
                )
            axis.set_xscale("log", base=2)
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter("{x:g}")
            sizes = dict.fromkeys(row["size"] for row in mine)
            axis.set_xticks([bytes_of(size) for size in sizes], list(sizes))
            axis.tick_params(axis="x", labelsize=8, rotation=30)
            axis.set_title(f"{title}: {text}", loc="left", fontweight="bold")
        row_axes[0].set_ylabel(unit)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=4, frameon=False, loc="outside upper center")
    save(figure, record, "-sizes", "One thread, best round; both scales are logarithmic.", facts)


def draw_errors(record: Path) -> None:
    """Draw speed over the distance of errors, by instruction set, from a record of errors."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["function"] == "replace"]
    best = rows[0]["isa"]
    figure, axis = plt.subplots(figsize=(9, 5), layout="constrained")

    def draw(isa: str, column: str, label: str, colour: str, style: str) -> None:
        points = [
            (int(row["distance"]), float(row[column]))
            for row in rows
            if row["isa"] == isa and row["text"].startswith("russian/")
        ]
        axis.plot(
            *zip(*points, strict=True), label=label, color=colour, linestyle=style, marker="o", markersize=4
        )

    for isa in dict.fromkeys(row["isa"] for row in rows):
        tool = "leadbyte" if isa == best else f"leadbyte/{isa}"
        draw(isa, "leadbyte_gb_s", f"leadbyte ({isa})", COLOURS[tool], "-")
    draw(best, "cpython_gb_s", f"CPython {facts['python']}", COLOURS["std"], "--")
    (valid,) = (row for row in rows if (row["isa"], row["text"]) == (best, "valid"))
    lines = [("leadbyte_gb_s", "leadbyte, valid text", "leadbyte")]
    lines += [("simdutf_gb_s", "simdutf, valid text; stops at an error", "simdutf")] * bool(
        valid["simdutf_gb_s"]
    )
    for column, label, tool in lines:
        axis.axhline(float(valid[column]), label=label, color=COLOURS[tool], linestyle=":", linewidth=1.4)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.set_xlabel("bytes from one error to the next")
    axis.set_ylabel("GB/s")
    axis.set_title("Decode Russian text with errors='replace'", loc="left", fontweight="bold")
    figure.legend(frameon=False, fontsize=9, ncols=4, loc="outside upper center")
    how = f"256 KiB, one thread, best round. {facts['cpu']}, {facts['date']}."
    figure.supxlabel(f"{how} {facts['versions']}", fontsize=8, color=GREY)
    write(figure, record.with_suffix(".svg"))


def bytes_of(size: str) -> int:
    """Return a size in bytes; 0 if it is not a single number."""
    found = re.fullmatch(r"(\d+)([KM]?i?B)", size)
    return int(found[1]) * UNITS[found[2]] if found else 0


def draw_confidence(record: Path) -> None:
    """Draw the share of right detections by their confidence, from a record of detection."""
    facts, rows = read_record(record)
    confidence = [float(row["mean_confidence"]) for row in rows]
    right = [float(row["right_share"]) for row in rows]
    figure, axis = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
    axis.plot([0, 1], [0, 1], color=GREY, linestyle="--", label="calibrated")
    axis.plot(confidence, right, color=COLOURS["leadbyte"], marker="o", label="leadbyte")
    for row, x, y in zip(rows, confidence, right, strict=True):
        axis.annotate(row["detections"], (x, y), (6, -10), textcoords="offset points", fontsize=8)
    axis.set_xlabel("confidence, mean of a tenth (and number of detections)")
    axis.set_ylabel("share of right detections")
    axis.legend(frameon=False)
    figure.supxlabel(f"{facts['date']}, {facts['versions']}", fontsize=8, color=GREY)
    write(figure, record.with_suffix(".svg"))


def save(figure: Figure, record: Path, suffix: str, how: str, facts: Mapping[str, str]) -> None:
    """Write a plot beside its record, with its provenance below it."""
    where = f"{how} {facts['cpu']}, {facts['isa']}, {facts['date']}."
    figure.supxlabel(f"{where}\n{facts['versions']}; {facts['rustc']}", fontsize=8, color=GREY)
    write(figure, record.with_name(f"{record.stem}{suffix}.svg"))


def write(figure: Figure, path: Path) -> None:
    """Write a plot; its bytes depend on the records only."""
    figure.savefig(path, metadata={"Date": None})
    print(path)


def draw_comparisons(comparisons: Sequence[Comparison], path: Path, where: str) -> None:
    """Draw the comparisons in two columns, a panel for each task, each with its own scale."""
    heights = [len(comparison.results) for comparison in comparisons[::2]]
    figure, axes = plt.subplots(
        len(heights),
        2,
        figsize=(10, 0.8 + 0.3 * sum(heights) + 0.35 * len(heights)),
        layout="constrained",
        height_ratios=heights,
    )
    for axis, comparison in zip(axes.flat, comparisons, strict=True):
        names, values = list(comparison.results), list(comparison.results.values())
        colours = [COLOURS["leadbyte"], *[COLOURS["std"]] * (len(names) - 1)]
        bars = axis.barh(names, values, color=colours, height=0.7)
        axis.bar_label(bars, fmt=f"%.3g {comparison.unit}", padding=4, fontsize=9)
        axis.invert_yaxis()
        axis.margins(x=0.25)
        axis.grid(visible=False)
        axis.set_xticks([])
        axis.spines["bottom"].set_visible(False)
        axis.set_title(comparison.task, loc="left", fontweight="bold", fontsize=10)
    figure.supxlabel(where, fontsize=8, color=GREY)
    write(figure, path)
