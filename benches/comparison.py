"""What people ask first: leadbyte beside what they use today, from the newest records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness import RECORDS, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

TEXT = "russian"
IN_CACHE = "256KiB"  # as the record has it


def newest(kind: str) -> Path:
    """Return the newest record of a kind."""
    records = sorted(RECORDS.glob(f"*-{kind}.csv"))
    if not records:
        message = f"no record of the kind {kind} in {RECORDS}; benches/README.md tells how to make one"
        raise SystemExit(message)
    return records[-1]


@dataclass(frozen=True)
class Comparison:
    """One task, done by several."""

    task: str
    unit: str
    results: Mapping[str, float]
    """Ours first, then the others', the best of them first."""


def comparisons() -> Iterator[Comparison]:
    """Give the comparisons."""
    yield speed(
        "Are 256 KiB UTF-8?",
        ("validate", IN_CACHE),
        {
            "is_valid": "is_valid",
            "polars cast": "simdutf8, through polars",
            "CPython decode": "bytes.decode",
            "pyarrow cast": "pyarrow",
        },
    )
    yield speed(
        "How many characters are in 256 KiB?",
        ("count", IN_CACHE),
        {
            "count_chars": "count_chars",
            "NumPy": "NumPy",
            "pyarrow utf8_length": "pyarrow",
            "CPython len(decode)": "len(bytes.decode)",
        },
    )
    yield speed(
        "Is a message of a WebSocket, 4 KiB, UTF-8?",
        ("websocket", "4KiB"),
        {"Utf8Validator": "websocket.Utf8Validator", "wsaccel": "wsaccel"},
    )
    yield conversion("Bytes to str", "decode", "bytes.decode")
    yield conversion("Str to bytes", "encode", "str.encode")
    yield program("Is a file of 1 GB UTF-8? (seconds: less is better)", "check", "leadbyte check")
    yield program("How many characters are in a file of 1 GB? (less is better)", "count", "leadbyte count -m")


def guesses() -> Iterator[Comparison]:
    """Give the comparisons of how often something is right."""
    _, rows = read_record(newest("detection"))
    told = {
        row["tool"]: float(row["right_percent"])
        for row in rows
        if (row["part"], row["bytes"]) == ("all", "200")
    }
    yield Comparison(
        "Which encoding are 200 bytes in? Told right", "%", best_first("leadbyte", told, most=True)
    )
    _, rows = read_record(newest("mojibake"))
    (row,) = (row for row in rows if (row["part"], row["damaged"]) == ("all", "once"))
    mended = {tool: float(row[f"{tool}_percent"]) for tool in ("leadbyte", "ftfy")}
    yield Comparison("Mojibake mended exactly", "%", mended)


def best_first(own: str, found: Mapping[str, float], *, most: bool) -> dict[str, float]:
    """Return ours, then the others by what they reached."""
    others = sorted((name for name in found if name != own), key=found.__getitem__, reverse=most)
    return {name: found[name] for name in [own, *others]}


def speed(task: str, what: tuple[str, str], names: Mapping[str, str]) -> Comparison:
    """Compare speeds in the record of the peers; the first name is ours."""
    _, rows = read_record(newest("peers"))
    found = {
        names[row["tool"]]: float(row["best_gb_s"])
        for row in rows
        if (row["function"], row["size"], row["text"]) == (*what, TEXT) and row["tool"] in names
    }
    return Comparison(task, "GB/s", best_first(next(iter(names.values())), found, most=True))


def conversion(task: str, function: str, peer: str) -> Comparison:
    """Compare speeds with CPython's own."""
    _, rows = read_record(newest("strings"))
    (row,) = (row for row in rows if (row["function"], row["text"], row["size"]) == (function, TEXT, "whole"))
    return Comparison(task, "GB/s", {function: float(row["leadbyte_gb_s"]), peer: float(row["cpython_gb_s"])})


def program(task: str, kind: str, own: str) -> Comparison:
    """Compare whole processes."""
    _, rows = read_record(newest("programs"))
    found = {row["command"]: float(row["best_s"]) for row in rows if row["task"] == f"{kind}, big file"}
    return Comparison(
        task,
        "s",
        best_first(
            own, {n: t for n, t in found.items() if n == own or not n.startswith("leadbyte")}, most=False
        ),
    )


def versions() -> str:
    """Return the machine, the days and the peers' versions of the records behind the comparisons."""
    told: dict[str, None] = {}
    days = set()
    for kind in ("peers", "strings", "programs", "detection", "mojibake"):
        facts, _ = read_record(newest(kind))
        days.add(facts["date"])
        tools = facts["versions"].split(", ")
        told.update(dict.fromkeys(tool for tool in tools if not tool.startswith("leadbyte")))
    facts, _ = read_record(newest("peers"))
    own = facts["versions"].partition(", ")[0]
    return (
        f"{facts['cpu']}, {' and '.join(sorted(days))}, Python {facts['python']}, {', '.join([own, *told])}"
    )
