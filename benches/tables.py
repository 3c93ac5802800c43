"""Tables of records, in Markdown."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from harness import KINDS, read_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from comparison import Comparison

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
# The most characters of an input of the table of slow inputs; the record has the whole.
CELL_CHARS = 40
TEXTS = ("ascii", "english", "french", "russian", "hindi", "chinese", "emoji", "log")
TEXTS_OF_TRANSCODE = {"french", "russian", "chinese", "hindi", "emoji", "greek", "hebrew", "arabic"}


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, its first column aligned to the left."""
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
    """Return the speeds of decoding and encoding, and the speedups over CPython."""
    facts, rows = read_record(record)
    found = {(row["function"], row["size"], row["text"]): row for row in rows}

    def cell(function: str, size: str, text: str) -> str:
        row = found.get((function, size, text))
        return f"{float(row['leadbyte_gb_s']):.1f} ({float(row['ratio']):.1f})" if row else ""

    texts = [text for text in TEXTS if ("decode", STRING_COLUMNS["decode"][1], text) in found]
    lines = [[text, *(cell(*column, text) for column in STRING_COLUMNS.values())] for text in texts]
    return (
        f"Decoding and encoding, GB/s of UTF-8; in brackets the speedup over CPython "
        f"({facts['cpu']}, {facts['date']}, Python {facts['python']}, {facts['versions']}; dirty text has an "
        f"error every 1,000 bytes):\n\n{table(['', *STRING_COLUMNS], lines)}"
    )


def errors_table(record: Path) -> str:
    """Return the speeds of decoding data with errors, and the speedups over CPython, by instruction set."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["function"] == "replace"]
    isas = list(dict.fromkeys(row["isa"] for row in rows))
    found = {(row["text"], row["isa"]): row for row in rows}
    lines = []
    for text in dict.fromkeys(row["text"] for row in rows):
        cells = [found[text, isa] for isa in isas]
        speeds = [f"{float(row['leadbyte_gb_s']):.1f} ({float(row['ratio']):.1f})" for row in cells]
        lines.append([text, *speeds])
    return (
        f'`decode(data, errors="replace")` of 256 KiB, GB/s; in brackets the speedup over CPython '
        f"({facts['cpu']}, {facts['date']}, Python {facts['python']}, {facts['versions']}). `russian/30` has "
        f"an error about every 30 bytes:\n\n{table(['', *isas], lines)}"
    )


def transcode_table(record: Path) -> str:
    """Return the speeds of transcoding and the speedups over the peers, as geometric means over all texts."""
    facts, rows = read_record(record)
    rows = [row for row in rows if row["size"] == "whole" and row["text"] in TEXTS_OF_TRANSCODE]

    def mean(function: str, column: str, *tools: str) -> str:
        """Return the geometric mean over the texts, for the best of some tools."""
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
    header = ["", "GB/s of UTF-8", "speedup over CPython", "over simdutf or encoding_rs"]
    return (
        f"Conversion by `transcode`, bytes to bytes, geometric means over texts ({facts['cpu']}, "
        f"{facts['date']}, Python {facts['python']}, {facts['versions']}):\n\n{table(header, lines)}"
    )


def detection_table(record: Path) -> str:
    """Return the accuracy of detection by the kind and the size of the data, and its time."""
    facts, rows = read_record(record)
    found = {(row["part"], row["bytes"], row["tool"]): row for row in rows}
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    lines = [
        [
            name,
            "whole" if size == "whole" else f"{size} bytes",
            found[part, size, tools[0]]["samples"],
            *(f"{float(found[part, size, tool]['right_percent']):.1f}" for tool in tools),
            *(f"{float(found[part, size, tool]['microseconds']):.0f}" for tool in tools),
        ]
        for part, name in KINDS.items()
        for size in dict.fromkeys(row["bytes"] for row in rows if row["part"] == part)
    ]
    header = ["data", "size", "samples", *tools, *(f"µs, {tool}" for tool in tools)]
    return (
        f"Accuracy of detection, in percent: the files with which chardet, charset-normalizer and uchardet "
        f"are tested, those in legacy encodings; real sentences in the usual encodings of their languages; "
        f"and in every encoding that can represent them ({facts['cpu']}, {facts['date']}, "
        f"{facts['versions']}):\n\n"
        f"{table(header, lines)}"
    )


def confusions_table(record: Path) -> str:
    """Return the commonest wrong answers of detection."""
    _, rows = read_record(record)
    lines = [[row["written"], row["detected"], row["samples"]] for row in rows]
    return table(["written in", "detected as", "samples"], lines)


def mojibake_table(record: Path) -> str:
    """Return the share of exact repairs."""
    facts, rows = read_record(record)
    lines = [
        [row["damaged"], row["samples"], row["leadbyte_percent"], row["ftfy_percent"]]
        for row in rows
        if row["part"] == "all" and row["damaged"] in {"once", "twice", "mixed"}
    ]
    header = ["", "samples", "leadbyte", "ftfy"]
    return (
        f"Exact repairs of mojibake, in percent: sentences in Russian, Ukrainian, German, French, Greek and "
        f"Polish, misread once, twice in the same way, or in two ways ({facts['date']}, "
        f"{facts['versions']}):\n\n{table(header, lines)}"
    )


def unicode_table(record: Path) -> str:
    """Return the speeds of normalization and graphemes, and the speedups over the peers."""
    facts, rows = read_record(record)
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        found.setdefault((row["job"], row["text"]), []).append(row)
    jobs = ("NFC", "NFC of NFD", "NFD", "NFKC", "NFKD", "count")

    def cell(job: str, text: str) -> str:
        own, *others = found[job, text]
        return f"{float(own['best_m_chars_s']):.0f} ({float(others[0]['leadbyte_over_it']):.1f})"

    # ASCII takes no time, or the time of a call.
    texts = [text for text in TEXTS if text != "ascii" and (jobs[0], text) in found]
    lines = [[text, *(cell(job, text) for job in jobs)] for text in texts]
    header = ["", *jobs[:-1], "count_graphemes"]
    return (
        f"Normalization and graphemes of str, million characters a second; in brackets the speedup over "
        f"unicodedata, or ugrapheme ({facts['cpu']}, {facts['date']}, "
        f"Python {facts['python']}, {facts['versions']}):\n\n{table(header, lines)}"
    )


def columns_table(record: Path) -> str:
    """Return the times of functions over columns and of their peers."""
    facts, rows = read_record(record)
    own = {row["case"]: row["best_ms"] for row in rows if row["tool"] == "leadbyte"}
    lines = [
        [row["case"], row["tool"], own[row["case"]], row["best_ms"], row["over_leadbyte"]]
        for row in rows
        if row["tool"] != "leadbyte"
    ]
    header = ["", "beside", "leadbyte, ms", "ms", "ratio"]
    return (
        f"Columns: `decode`, and `count_chars` in the rows named length, of {int(facts['rows']):,} rows of 5 "
        f"to 200 bytes in 18 scripts, on one thread ({facts['cpu']}, {facts['date']}, "
        f"{facts['versions']}):\n\n{table(header, lines)}"
    )


def engines_table(record: Path) -> str:
    """Return the times of functions inside of engines and of their alternatives."""
    facts, rows = read_record(record)
    own = {(row["engine"], row["case"]): row["best_ms"] for row in rows if row["tool"] == "leadbyte"}
    lines = [
        [
            f"{row['engine']}: {row['case']}",
            row["tool"],
            own[row["engine"], row["case"]],
            row["best_ms"],
            row["over_leadbyte"],
            row["bound"],
        ]
        for row in rows
        if row["tool"] != "leadbyte"
    ]
    header = ["", "beside", "leadbyte, ms", "ms", "ratio", "bound"]
    return (
        f"Columns inside of engines: {facts['rows']}, of the same data, on one thread. The bound is the "
        f"ratio of a function that takes no time ({facts['cpu']}, {facts['date']}, Python {facts['python']}, "
        f"{facts['versions']}):\n\n{table(header, lines)}"
    )


def dataset_table(record: Path) -> str:
    """Return the speeds of scans of files and of plain reading."""
    facts, rows = read_record(record)
    lines = [
        [row["what"], row["cores"], row["cache"], row["gb_s"], row["gb_s_a_core"]]
        for row in rows
        if row["gb_s_a_core"]
    ]
    header = ["", "cores", "page cache", "GB/s", "GB/s a core"]
    return (
        f"Datasets: files scanned in pieces of 64 MiB, {facts['files']}, beside plain reading "
        f"({facts['cpu']}, {facts['date']}). The same measurements put into a model of a cluster "
        f"give as its bounds, by `blocksize`: {facts['bound of the model']} ({facts['model']}).\n\n"
        f"{table(header, lines)}"
    )


def small_files_table(record: Path) -> str:
    """Return the times of scans of many small files."""
    facts, rows = read_record(record)
    lines = [[row["by"], row["best_s"], row["median_s"]] for row in rows]
    return (
        f"{rows[0]['files']}, by clusters of two workers that run already "
        f"({facts['cpu']}, {facts['date']}):\n\n"
        f"{table(['', 'best, s', 'median, s'], lines)}"
    )


def programs_table(record: Path) -> str:
    """Return the times of the command and its peers."""
    facts, rows = read_record(record)
    lines = [[row["task"], row["command"], row["best_s"], row["gb_s"], row["peak_mb"]] for row in rows]
    header = ["", "", "seconds", "GB/s", "peak MB"]
    return (
        f"Whole processes, files in the page cache ({facts['versions']}; peaks below "
        f"{facts['floor of peak_mb']} MB, the script's own, are not visible):\n\n{table(header, lines)}"
    )


def files_table(record: Path) -> str:
    """Return the speeds of reading a large file, beside the limits of the machine."""
    facts, rows = read_record(record)
    lines = [[row["reading"], row["gb_s"], row["limit"], row["of_limit"]] for row in rows]
    return (
        f"A large file in the page cache, of English, Russian and Chinese: {facts['file']}. The rows without "
        f"a limit are limits, peers and parts ({facts['cpu']}, {facts['date']}, {facts['versions']}):\n\n"
        f"{table(['', 'GB/s', 'limit', 'of the limit'], lines)}"
    )


def slow_inputs_table(record: Path) -> str:
    """Return the typical speed and the slowest of each function."""
    facts, rows = read_record(record)
    lines = [
        [
            f"{row['function']} ({row['takes']})",
            row["english_mb_s"],
            row["russian_mb_s"],
            row["slowest_mb_s"],
            shortened(row["slowest_input"]),
            row["growth"],
        ]
        for row in rows
    ]
    header = ["", "English", "Russian", "slowest", "on", "growth"]
    return (
        f"The slowest input of each function among families ({facts['families']}) and a random search "
        f"({facts['random search']}), MB/s of UTF-8. Growth is the time for 4 n bytes over 4 times the time "
        f"for n, of the input where it is highest ({facts['cpu']}, {facts['date']}, {facts['versions']}):\n\n"
        f"{table(header, lines)}"
    )


def shortened(units: str) -> str:
    """Return an input as a cell: a family by its name, the start of what the search found as code."""
    found = units.removeprefix("found: ")
    if found == units:
        return units
    cut = found if len(found) <= CELL_CHARS else f"{found[:CELL_CHARS]}…"
    return f"`` {cut} ``"


def comparison_table(comparisons: Iterable[Comparison]) -> str:
    """Return the comparisons: leadbyte by the best instruction set and by AVX2, and its peers."""
    lines = []
    for comparison in comparisons:
        (_, own), *others = comparison.results.items()
        peers = ", ".join(f"{name} {value:.3g}" for name, value in others)
        narrow = "" if comparison.with_avx2 is None else f"**{comparison.with_avx2:.3g}**"
        lines.append([comparison.task, f"**{own:.3g} {comparison.unit}**", narrow, peers])
    return table(["", "leadbyte", "with AVX2", "peers"], lines)
