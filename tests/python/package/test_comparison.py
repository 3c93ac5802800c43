"""The figures in README.md's table of peers are in the newest records; README.ru.md has the same."""

from __future__ import annotations

import csv
import functools
import re
from statistics import median

import pytest
from page_examples import PROJECT

RECORDS = PROJECT / "benches/record"
# Texts that are all or mostly ASCII.
ASCII = {"ascii", "english", "log"}
Rows = dict[str, dict[str, float]]


@functools.cache
def record(kind: str, tool: int, value: int) -> Rows:
    """Return the newest record of a kind: a column of values, by the columns before the tool and by tool."""
    path = max(RECORDS.glob(f"*-{kind}.csv"))
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows: Rows = {}
    for row in list(csv.reader(lines))[1:]:
        if row[value]:
            rows.setdefault("/".join(row[:tool]), {})[row[tool]] = float(row[value])
    return rows


def ratios(rows: Rows, case: str, peer: str, own: str = "leadbyte") -> list[float]:
    """Return peer / leadbyte of the rows whose names match, in order; both are regular expressions."""
    found = []
    for name, values in rows.items():
        peers = [figure for tool, figure in values.items() if re.fullmatch(peer, tool)]
        if re.fullmatch(case, name) and peers and own in values:
            found.append(max(peers) / values[own])
    assert found, case
    return sorted(found)


def native(case: str, peer: str) -> list[float]:
    return ratios(record("native", 3, 4), case, peer)


def inverse(values: list[float]) -> list[float]:
    return sorted(1 / value for value in values)


def span(values: list[float]) -> str:
    return f"{values[0]:.1f} to {values[-1]:.1f}"


def accuracy(case: str, column: int = 4) -> dict[str, str]:
    return {tool: f"{value:.2f} %" for tool, value in record("detection", 3, column)[case].items()}


def catalogues(damage: str) -> list[str]:
    """Return the percentages of exact repairs, of leadbyte and of ftfy."""
    text = max(RECORDS.glob("*-catalogues.md")).read_text(encoding="utf-8")
    cells = re.findall(rf"^\| {damage} \| all \| \d+ \| ([\d.]+) \| \d+ \| ([\d.]+) \|", text, re.MULTILINE)
    return [f"{percent} %" for percent in cells[0]]


def seconds(task: str) -> dict[str, str]:
    """Return the times for a file of 1 GB."""
    return {tool: f"{value:.3f} s" for tool, value in record("programs", 1, 2)[f"{task}, big file"].items()}


def claims() -> list[tuple[str, str]]:
    """Return what the rows of peers state."""
    cast = ratios(record("columns", 1, 2), "(large |ASCII, )?binary( view)?", "pyarrow cast")
    polars = ratios(record("columns", 1, 2), "polars.*", "polars cast")
    slow = ratios(record("peers-avx2", 3, 4), "validate/.*/64MiB", "polars cast", "is_valid")
    short = native("short/(ascii|english|log)/(96|128|192)B", "simdutf8 basic")
    long = inverse(native("validate/(?!ascii).*/64KiB", "simdutf8 basic"))
    lengths = native("utf8-length/.*", "simdutf")
    ascii_text = native("(to|decode|utf8-to)-utf(16|32)/ascii/.*", "simdutf.*")
    memory = native("validate/.*/16MiB", "simdutf")
    others = inverse(native(f"utf8-to-utf(16|32)/(?!{'|'.join(ASCII)}).*/64KiB", "simdutf.*"))
    nfc = inverse(
        ratios(record("unicode", 2, 3), "NFC of UTF-8/.*", "stringzilla.*", "leadbyte.normalize('NFC', data)")
    )
    fold = ratios(record("unicode", 2, 3), "casefold of UTF-8/.*", "stringzilla.*", "leadbyte.casefold(data)")
    own = "leadbyte.search(data, needle, ignore_case=True) is None"
    search = ratios(record("unicode", 2, 3), "caseless search in UTF-8/.*", "stringzilla.*", own)
    websocket = {
        size: inverse(ratios(record("peers", 3, 4), f"websocket/.*/{size}", "wsaccel", "Utf8Validator"))
        for size in ("128B", "4KiB", "64KiB")
    }
    hebrew = accuracy("cp856/2000/34")
    named = accuracy("files/whole/999", 5)
    quicker = [
        min(times["chardet"], times["charset-normalizer"]) / times["leadbyte"]
        for name, times in record("detection", 3, 6).items()
        if re.match("(all|usual|files)", name)
    ]
    latin, misread = catalogues(r"UTF-8 \| utf-8 as latin-1"), catalogues(r"UTF-8 \| all")
    other = catalogues(r"Cyrillic \| all")
    assert other[1] == "0.00 %"
    messages, longer = websocket["128B"], int(min(websocket["4KiB"] + websocket["64KiB"]))
    count, check = seconds("count"), seconds("check")
    return [
        ("pyarrow", f"{span(cast)} times"),
        ("Polars", f"up to {slow[-1]:.2f} times"),
        ("Polars", f"{polars[0]:.1f} (ASCII) to {polars[-1]:.1f} times"),
        ("simdutf8", f"up to {short[-1]:.1f} times"),
        ("simdutf8", f"from {long[0]:.1f} (English) to {long[-1]:.1f} times"),
        ("simdutf]", f"{span(lengths)} times"),
        ("simdutf]", f"converted up to {ascii_text[-1]:.1f} times"),
        ("simdutf]", f"validated up to {memory[-1]:.1f} times"),
        ("simdutf]", f"{span(others)} times"),
        ("StringZilla", f"{nfc[0]:.2f} to {nfc[-1]:.0f} times"),
        (
            "StringZilla",
            f"up to {fold[-1]:.0f} times as fast, searches without case up to {search[-1]:.0f} times",
        ),
        ("uutils", f"{count['uutils wc -m']}, leadbyte {count['leadbyte count -m']}"),
        ("isutf8", f"{check['leadbyte check']} instead of {check['isutf8']}"),
        ("[ftfy]", f"{latin[0]} repaired exactly instead of {latin[1]}"),
        ("[ftfy]", f"{misread[0]} instead of {misread[1]}"),
        ("[ftfy]", f"{other[0]} instead of none"),
        ("[chardet", f"{hebrew['chardet']} right, leadbyte {hebrew['leadbyte']}"),
        ("[chardet", f"{named['chardet']}, leadbyte {named['leadbyte']}"),
        *((f"[{peer}", f"at least {int(min(quicker))} times") for peer in ("chardet", "charset-normalizer")),
        ("[charset-normalizer", f"{hebrew['charset-normalizer']} right, leadbyte {hebrew['leadbyte']}"),
        ("wsaccel", f"{span(messages)} times as fast for 128 bytes ({median(messages):.1f} in the median)"),
        ("wsaccel", f"at least {longer} times from 4 KiB on"),
    ]


@pytest.mark.skipif(not RECORDS.exists(), reason="needs the records of the repository")
def test_figures_of_peers() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8").partition("\n## How it compares\n")[2]
    rows = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    for peer, claim in claims():
        (row,) = (row for row in rows if peer in row.split("|")[1])
        assert claim in row, peer


@pytest.mark.skipif(not RECORDS.exists(), reason="needs the records of the repository")
def test_worst_cases_of_validation() -> None:
    text = " ".join((PROJECT / "README.md").read_text(encoding="utf-8").split())
    (cached, memory), (cached_avx2, memory_avx2) = (
        [
            span(inverse(ratios(record(kind, 3, 4), f"validate/.*/{size}", "polars cast", "is_valid")))
            for size in ("256KiB", "64MiB")
        ]
        for kind in ("peers", "peers-avx2")
    )
    assert (
        f"256 KiB is {cached} times as fast as simdutf8 through polars, with AVX2 {cached_avx2} times" in text
    )
    assert f"which come from memory, {memory} times, with AVX2 {memory_avx2} times." in text
