"""The table as text: one line per row if the terminal is wide enough, else two."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import TYPE_CHECKING

from leadbyte._explain.bits import coloured, plain
from leadbyte._explain.names import width
from leadbyte._explain.rows import Char

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from leadbyte._explain.bits import Line
    from leadbyte._explain.languages import Language
    from leadbyte._explain.rows import Row

COLUMNS = ("start", "symbol", "number", "code", "binary", "bits", "utf8", "utf16", "lengths", "words")
TWO_LINES = (("start", "symbol", "number", "code", "utf16", "lengths", "words"), ("binary", "bits", "utf8"))
TO_THE_RIGHT = frozenset({"start", "number", "binary"})
GAP = "  "
# The minimum width of the last column, words, that allows rows of one line; longer words are wrapped.
MIN_ONE_LINE_WIDTH = 24
# The minimum width of the last column.
MIN_WIDTH = 12


def lines(
    rows: Sequence[Row],
    language: Language,
    *,
    columns: int | None = None,
    offsets: bool = True,
    pointed: int | None = None,
) -> Iterator[Line]:
    """Yield the lines of the table, for a terminal of this width in columns, or one line per row.

    ``pointed`` is the index of a row to point at.
    """
    shown = COLUMNS if offsets else COLUMNS[1:]

    # Made twice, to measure and to show them, as the cells of all rows would take much memory.
    def all_cells() -> Iterator[dict[str, Line]]:
        yield {column: [(language.say(column), "bold")] for column in shown}
        for number, row in enumerate(rows):
            yield cells(row, language, pointed=number == pointed)

    widths = dict.fromkeys(shown, 0)
    for row in all_cells():
        for column in shown:
            widths[column] = max(widths[column], width(plain(row[column])))
    most = sys.maxsize if columns is None else columns
    one_line = margin(shown, widths) + min(widths["words"], MIN_ONE_LINE_WIDTH) <= most
    for row in all_cells():
        if one_line:
            yield from wrapped(row, shown, widths, most)
            continue
        # A row without a number has more space for words.
        first, second = ([name for name in names if name in shown] for names in TWO_LINES)
        yield from wrapped(row, [name for name in first if row[name]], widths, most)
        if row["utf8"]:
            yield [GAP, *side_by_side(row, second, widths)]


def margin(shown: Sequence[str], widths: dict[str, int]) -> int:
    """Return the width of all columns before the last."""
    return sum(widths[column] + len(GAP) for column in shown[:-1])


def wrapped(row: dict[str, Line], shown: Sequence[str], widths: dict[str, int], most: int) -> Iterator[Line]:
    """Yield the lines of the cells of some columns; the last one, words, is wrapped."""
    used = margin(shown, widths)
    (words,) = row["words"]
    text, style = (words, "") if isinstance(words, str) else words
    first, *others = wrap(text, max(MIN_WIDTH, most - used), break_on_hyphens=False)
    yield side_by_side({**row, "words": [(first, style)]}, shown, widths)
    for part in others:
        yield [" " * used, (part, style)]


def side_by_side(row: dict[str, Line], shown: Sequence[str], widths: dict[str, int]) -> Line:
    """Return the cells of some columns in one line."""
    line: Line = []
    for column in shown[:-1]:
        filling = " " * (widths[column] - width(plain(row[column])))
        line += [filling, *row[column], GAP] if column in TO_THE_RIGHT else [*row[column], filling, GAP]
    return line + row[shown[-1]]


def cells(row: Row, language: Language, *, pointed: bool = False) -> dict[str, Line]:
    """Return the cell of each column."""
    words = row.words(language.code)
    found: dict[str, Line] = {
        "start": [(f">{row.start}", "bold")] if pointed else [str(row.start)],
        "symbol": [row.symbol],
        "bits": coloured(row.utf8_bits),
        "utf8": [row.utf8_hex] if row.utf8 else [],
        "words": [(words, "bold red") if row.kind else words],
    }
    if isinstance(row, Char):
        return {
            **found,
            "number": [str(row.number)],
            "code": [row.code_point],
            "binary": [row.binary],
            "utf16": [row.utf16_hex],
            "lengths": [f"{row.utf8_length or '-'}/{row.utf16_length}"],
        }
    none: Line = []
    return {
        **found,
        "number": none,
        "code": none,
        "binary": none,
        "utf16": none,
        "lengths": none,
        "words": [(language.say("invalid", what=words), "bold red")],
    }


def summary(rows: Iterable[Row], totals: dict[str, int], language: Language) -> str:
    """Return the line below the table: the totals by name, without the bytes that are not UTF-8."""
    utf8_length = sum(row.utf8_length for row in rows if isinstance(row, Char))
    text = language.say(
        "summary",
        characters=language.count(totals["char_count"], "characters"),
        utf8=language.count(utf8_length, "bytes"),
        utf16=language.count(totals["utf16_length"], "bytes"),
    )
    if not totals["error_count"]:
        return text
    errors = language.count(totals["error_count"], "errors")
    return language.say("summary_invalid", summary=text, errors=errors)
