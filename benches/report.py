#!/usr/bin/env python3
"""Show the newest records: pictures of the native one beside it, and README's tables of the others.

python benches/report.py
"""

from __future__ import annotations

import re
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import RECORDS, read_record
from matplotlib import patheffects
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

README = Path(__file__).parent.parent / "README.md"
NATIVE_SIZE = "64KiB"
PYTHON_SIZE = "256KiB"
PYTHON_TOOLS = ("is_valid", "scan", "polars cast", "pyarrow cast", "CPython decode", "count_chars", "NumPy")
# Columns of the table of strings: the function and the size of the record.
STRING_COLUMNS = {
    "decode": ("decode", "whole"),
    "decode, 4 KiB": ("decode", "4KiB"),
    "encode": ("encode", "whole"),
    "decode dirty, replace": ("replace", "64KiB"),
    "repair dirty": ("repair", "64KiB"),
}
TEXTS = ("ascii", "english", "french", "russian", "hindi", "chinese", "emoji", "log")
TEXTS_OF_TRANSCODE = {"french", "russian", "chinese", "hindi", "emoji", "greek", "hebrew", "arabic"}
PANELS = {"validate": "Validate: is it UTF-8?", "count": "Count characters"}
LINES = {
    "validate": ("Validate", "best_gb_s", "GB/s"),
    "short": ("Short inputs", "best_ns_a_call", "ns a call"),
}
LINE_TEXTS = ("russian", "english")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
# Okabe and Ito's colours, which readers with any colour vision tell apart; ours are the warm ones. Who uses
# the same instruction set stands side by side.
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


def tools_of(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """Return who is drawn, in the order of the colours."""
    found = {row["tool"] for row in rows}
    return [tool for tool in COLOURS if tool in found]


def name(tool: str, facts: Mapping[str, str]) -> str:
    """Return a tool's name in a legend: ours as called with the instruction set it chose."""
    return f"leadbyte ({facts['isa']})" if tool == "leadbyte" else tool


def draw_texts(record: Path) -> None:
    """Draw speed by text and tool, from a native record."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["size"] == NATIVE_SIZE and row["function"] in PANELS]
    texts = list(dict.fromkeys(row["text"] for row in rows))
    figure, axes = plt.subplots(
        len(PANELS), 1, figsize=(max(8, 1.5 + 0.95 * len(texts)), 7.2), layout="constrained"
    )
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
                for label in labels:  # readable also before a neighbour's higher bar
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
            axis.set_xticks(*zip(*((bytes_of(row["size"]), row["size"]) for row in mine), strict=True))
            axis.tick_params(axis="x", labelsize=8, rotation=30)
            axis.set_title(f"{title}: {text}", loc="left", fontweight="bold")
        row_axes[0].set_ylabel(unit)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=4, frameon=False, loc="outside upper center")
    save(figure, record, "-sizes", "One thread, best round; both scales are logarithmic.", facts)


def bytes_of(size: str) -> int:
    """Return how many bytes a size has; 0 if that is no single number."""
    found = re.fullmatch(r"(\d+)([KM]?i?B)", size)
    return int(found[1]) * UNITS[found[2]] if found else 0


def save(figure: Figure, record: Path, suffix: str, how: str, facts: Mapping[str, str]) -> None:
    """Write a picture beside its record, with where it comes from below it."""
    where = f"{how} {facts['cpu']}, {facts['isa']}, {facts['date']}."
    figure.supxlabel(f"{where}\n{facts['versions']}; {facts['rustc']}", fontsize=8, color="#555555")
    for ending, metadata in ((".svg", {"Date": None}), (".png", None)):
        path = record.with_name(f"{record.stem}{suffix}{ending}")
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


def strings_table(record: Path) -> str:
    """Return the speeds of what makes str and bytes, and how many times CPython's they are."""
    facts, rows = read_record(record)
    found = {(row["function"], row["size"], row["text"]): row for row in rows}

    def cell(function: str, size: str, text: str) -> str:
        row = found.get((function, size, text))
        return f"{float(row['leadbyte_gb_s']):.1f} ({float(row['ratio']):.1f})" if row else ""

    texts = [text for text in TEXTS if ("decode", STRING_COLUMNS["decode"][1], text) in found]
    lines = [[text, *(cell(*column, text) for column in STRING_COLUMNS.values())] for text in texts]
    return (
        f"Str and bytes, GB/s of UTF-8, and in brackets how many times CPython's speed that is "
        f"({facts['cpu']}, {facts['date']}, Python {facts['python']}, {facts['versions']}; dirty text has an "
        f"error every 1,000 bytes):\n\n{table(['', *STRING_COLUMNS], lines)}"
    )


def transcode_table(record: Path) -> str:
    """Return the speeds of conversions, and how many times the others' they are: means over all texts."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["size"] == "whole" and row["text"] in TEXTS_OF_TRANSCODE]

    def mean(function: str, column: str, *tools: str) -> str:
        """Return the geometric mean over the texts, of the best of some tools."""
        by_text: dict[str, list[float]] = {}
        for row in rows:
            if row["function"] == function and row["tool"] in tools:
                by_text.setdefault(row["text"], []).append(float(row[column]))
        return f"{statistics.geometric_mean(map(min, by_text.values())):.1f}"

    peers = {"simdutf", "simdutf valid", "encoding_rs"}
    lines = [
        [
            function,
            mean(function, "best_gb_s", "leadbyte"),
            mean(function, "leadbyte_over_it", "CPython"),
            mean(function, "leadbyte_over_it", *peers),
        ]
        for function in dict.fromkeys(row["function"] for row in rows)
    ]
    header = ["", "GB/s of UTF-8", "times CPython", "times simdutf, or encoding_rs"]
    return (
        f"From one encoding to another, bytes to bytes, geometric means over texts ({facts['cpu']}, "
        f"{facts['date']}, Python {facts['python']}, {facts['versions']}):\n\n{table(header, lines)}"
    )


def detection_table(record: Path) -> str:
    """Return how often guesses are right, and how long they take."""
    facts, rows = read_record(record)
    found = {(row["part"], row["bytes"], row["tool"]): row for row in rows}
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    sizes = list(dict.fromkeys(row["bytes"] for row in rows))
    lines = [
        [
            tool,
            *(
                f"{float(found[part, size, tool]['right_percent']):.1f}"
                for part in ("all", "usual")
                for size in sizes
            ),
            *(f"{float(found['all', size, tool]['microseconds']):.0f}" for size in sizes),
        ]
        for tool in tools
    ]
    header = [
        "",
        *(f"{size} bytes, {part}" for part in ("any", "usual") for size in sizes),
        *(f"µs, {size}" for size in sizes),
    ]
    return (
        f"What an encoding is, right in percent: real sentences in any encoding that can hold them, and in "
        f"the usual ones ({facts['cpu']}, {facts['date']}, {facts['versions']}):\n\n{table(header, lines)}"
    )


def mojibake_table(record: Path) -> str:
    """Return how much of what was read wrongly is mended."""
    facts, rows = read_record(record)
    lines = [
        [row["damaged"], row["samples"], row["leadbyte_percent"], row["ftfy_percent"]]
        for row in rows
        if row["part"] == "all" and row["damaged"] in {"once", "twice", "mixed"}
    ]
    header = ["", "samples", "leadbyte", "ftfy"]
    return (
        f"Mojibake mended exactly, in percent: sentences in Russian, Ukrainian, German, French, Greek and "
        f"Polish after a wrong reading, the same one twice, or two different ones ({facts['date']}, "
        f"{facts['versions']}):\n\n{table(header, lines)}"
    )


def unicode_table(record: Path) -> str:
    """Return the speeds of normal forms and graphemes, and how many times the others' they are."""
    facts, rows = read_record(record)
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        found.setdefault((row["job"], row["text"]), []).append(row)
    jobs = ("NFC", "NFC of NFD", "NFD", "NFKC", "NFKD", "count")

    def cell(job: str, text: str) -> str:
        own, *others = found[job, text]
        return f"{float(own['best_m_chars_s']):.0f} ({float(others[0]['leadbyte_over_it']):.1f})"

    # ASCII takes no time, or that of a call.
    texts = [text for text in TEXTS if text != "ascii" and (jobs[0], text) in found]
    lines = [[text, *(cell(job, text) for job in jobs)] for text in texts]
    header = ["", *jobs[:-1], "count_graphemes"]
    return (
        f"Normal forms and graphemes of str, million characters a second, and in brackets how many "
        f"times unicodedata's, or ugrapheme's, speed that is ({facts['cpu']}, {facts['date']}, "
        f"Python {facts['python']}, {facts['versions']}):\n\n{table(header, lines)}"
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
    record = newest("native").relative_to(README.parent)
    parts = [
        f"![Speed by text]({record.with_suffix('.png')})",
        f"![Speed by size]({record.with_name(f'{record.stem}-sizes.png')})",
        strings_table(newest("strings")),
        transcode_table(newest("transcode")),
        detection_table(newest("detection")),
        mojibake_table(newest("mojibake")),
        unicode_table(newest("unicode")),
        python_table(newest("peers")),
        programs_table(newest("programs")),
    ]
    text = README.read_text(encoding="utf-8")
    start, end = "<!-- benchmarks -->", "<!-- /benchmarks -->"
    body = "\n\n".join([start, *parts, end])
    README.write_text(re.sub(f"{start}.*{end}", lambda _: body, text, flags=re.DOTALL), encoding="utf-8")


def main() -> None:
    """Draw the pictures and write the tables."""
    plt.rcParams.update(STYLE)
    draw_texts(newest("native"))
    draw_sizes(newest("native"))
    write_tables()


if __name__ == "__main__":
    main()
