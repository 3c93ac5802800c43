"""The main comparisons of leadbyte with its peers, from the newest records.

Of leadbyte there are two speeds, each from a record of its own: by the best instruction set, and by AVX2
on the same machine (LEADBYTE_ISA=avx2), which most machines have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness import KINDS, RECORDS, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

TEXT = "russian"
IN_CACHE = "256KiB"  # as spelled in the record
ACCURACY = ("detection", "mojibake")
MOST_HAVE = "-avx2"  # the end of the kind of a record


def newest(kind: str) -> Path:
    """Return the newest record of a kind."""
    records = sorted(RECORDS.glob(f"*-{kind}.csv"))
    if not records:
        message = f"no record of the kind {kind} in {RECORDS}; see benches/README.md"
        raise SystemExit(message)
    return records[-1]


@dataclass(frozen=True)
class Comparison:
    """The results of several contestants in one task."""

    task: str
    unit: str
    results: Mapping[str, float]
    """The result of leadbyte first, then the results of the peers, the best of them first."""
    with_avx2: float | None = None
    """The result of leadbyte by AVX2, if it depends on the instruction set."""


def plotted() -> Iterator[Comparison]:
    """Yield the comparisons of the plot in README.md."""
    yield speed(
        "Validate 256 KiB",
        ("validate", IN_CACHE),
        {
            "is_valid": "is_valid",
            "polars cast": "simdutf8, through polars",
            "CPython decode": "bytes.decode",
            "pyarrow cast": "pyarrow",
        },
    )
    yield speed(
        "Count the characters of 256 KiB",
        ("count", IN_CACHE),
        {
            "count_chars": "count_chars",
            "NumPy": "NumPy",
            "pyarrow utf8_length": "pyarrow",
            "CPython len(decode)": "len(bytes.decode)",
        },
    )
    yield conversion("Decode bytes to str", "decode", "bytes.decode")
    yield conversion("Encode str to bytes", "encode", "str.encode")


def comparisons() -> Iterator[Comparison]:
    """Yield all comparisons of speed."""
    yield from plotted()
    yield speed(
        "Validate a WebSocket message of 4 KiB",
        ("websocket", "4KiB"),
        {"Utf8Validator": "websocket.Utf8Validator", "wsaccel": "wsaccel"},
    )
    yield program("Validate a file of 1 GB (seconds, lower is better)", "check", "leadbyte check")
    yield program("Count the characters of a file of 1 GB (lower is better)", "count", "leadbyte count -m")


def guesses() -> Iterator[Comparison]:
    """Yield the comparisons of accuracy."""
    _, rows = read_record(newest("detection"))
    for part, data in KINDS.items():
        accuracy = {
            row["tool"]: float(row["right_percent"])
            for row in rows
            if (row["part"], row["bytes"]) == (part, "200")
        }
        if accuracy:
            task = f"Detect the encoding of 200 bytes ({data}): accuracy"
            yield Comparison(task, "%", best_first("leadbyte", accuracy, most=True))
    _, rows = read_record(newest("mojibake"))
    (row,) = (row for row in rows if (row["part"], row["damaged"]) == ("all", "once"))
    exact = {tool: float(row[f"{tool}_percent"]) for tool in ("leadbyte", "ftfy")}
    yield Comparison("Repair mojibake: exact repairs", "%", exact)


def best_first(own: str, found: Mapping[str, float], *, most: bool) -> dict[str, float]:
    """Return the result of ``own``, then the results of the others, the best first."""
    others = sorted((name for name in found if name != own), key=found.__getitem__, reverse=most)
    return {name: found[name] for name in [own, *others]}


def speed(task: str, what: tuple[str, str], names: Mapping[str, str]) -> Comparison:
    """Compare speeds in the record of the peers; the first name is leadbyte's."""

    def found(record: str) -> dict[str, float]:
        return {
            names[row["tool"]]: float(row["best_gb_s"])
            for row in read_record(newest(record))[1]
            if (row["function"], row["size"], row["text"]) == (*what, TEXT) and row["tool"] in names
        }

    own = next(iter(names.values()))
    results = best_first(own, found("peers"), most=True)
    return Comparison(task, "GB/s", results, found(f"peers{MOST_HAVE}")[own])


def conversion(task: str, function: str, peer: str) -> Comparison:
    """Compare speeds with CPython's own."""

    def found(record: str) -> dict[str, str]:
        _, rows = read_record(newest(record))
        place = (function, TEXT, "whole")
        (row,) = (row for row in rows if (row["function"], row["text"], row["size"]) == place)
        return row

    row, with_avx2 = found("strings"), found(f"strings{MOST_HAVE}")
    results = {function: float(row["leadbyte_gb_s"]), peer: float(row["cpython_gb_s"])}
    return Comparison(task, "GB/s", results, float(with_avx2["leadbyte_gb_s"]))


def program(task: str, kind: str, own: str) -> Comparison:
    """Compare whole processes."""

    def found(record: str) -> dict[str, float]:
        _, rows = read_record(newest(record))
        times = {row["command"]: float(row["best_s"]) for row in rows if row["task"] == f"{kind}, big file"}
        return {name: time for name, time in times.items() if name == own or not name.startswith("leadbyte")}

    results = best_first(own, found("programs"), most=False)
    return Comparison(task, "s", results, found(f"programs{MOST_HAVE}")[own])


def accuracy_dates() -> str:
    """Return the dates of the records of accuracy."""
    return " and ".join(sorted({read_record(newest(kind))[0]["date"] for kind in ACCURACY}))


def versions() -> str:
    """Return the machine and the dates of the speeds, and the versions in the records compared."""
    peers: dict[str, None] = {}
    days = set()
    for kind in ("peers", "strings", "programs", *ACCURACY):
        facts, _ = read_record(newest(kind))
        if kind not in ACCURACY:
            days.add(facts["date"])
        tools = facts["versions"].split(", ")
        peers.update(dict.fromkeys(tool for tool in tools if not tool.startswith("leadbyte")))
    facts, _ = read_record(newest("peers"))
    own = facts["versions"].partition(", ")[0]
    family = facts.get("cpu family, model")
    cpu = f"{facts['cpu']}{f', family and model {family}' if family else ''}"
    decoded, _ = read_record(newest("strings"))
    python = f"Python {facts['python']}, for decoding and encoding {decoded['python']}"
    return f"{cpu}; {' and '.join(sorted(days))}; {python}; {', '.join([own, *peers])}"
