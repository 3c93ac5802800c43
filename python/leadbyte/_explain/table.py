"""The table as text: a row a line where there is room, else two."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from leadbyte._explain.bits import coloured, plain
from leadbyte._explain.names import width
from leadbyte._explain.rows import Char

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leadbyte._explain.bits import Line
    from leadbyte._explain.explanation import Explanation
    from leadbyte._explain.languages import Language
    from leadbyte._explain.rows import Row

COLUMNS = ("start", "symbol", "number", "code", "binary", "bits", "utf8", "utf16", "lengths", "words")
TWO_LINES = (("start", "symbol", "number", "code", "utf16", "lengths", "words"), ("binary", "bits", "utf8"))
TO_THE_RIGHT = frozenset({"start", "number", "binary"})
GAP = "  "
# Words are not made narrower than this; there is no terminal so narrow.
NARROWEST = 20


def lines(
    explanation: Explanation,
    language: Language,
    *,
    columns: int | None = None,
    offsets: bool = True,
    pointed: int | None = None,
) -> Iterator[Line]:
    """Give the lines of the table, made for so many columns of a terminal, or one line a row.

    ``pointed`` is the number of a row that is pointed at.
    """
    shown = COLUMNS if offsets else COLUMNS[1:]

    def all_cells() -> Iterator[dict[str, Line]]:
        yield {column: [(language.say(column), "bold")] for column in shown}
        for number, row in enumerate(explanation):
            yield cells(row, language, pointed=number == pointed)

    widths = dict.fromkeys(shown, 0)
    for row in all_cells():
        for column in shown:
            widths[column] = max(widths[column], width(plain(row[column])))
    narrow = columns is not None and sum(widths.values()) + len(GAP) * (len(shown) - 1) > columns
    for row in all_cells():
        if not narrow:
            yield laid_out(row, shown, widths)
            continue
        first, second = ([column for column in line if column in shown] for line in TWO_LINES)
        yield from wrapped(row, first, widths, columns or 0)
        below = laid_out(row, second, widths)
        if plain(below).strip():
            yield [GAP, *below]


def laid_out(row: dict[str, Line], shown: Sequence[str], widths: dict[str, int]) -> Line:
    """Return the cells of some columns side by side."""
    line: Line = []
    for column in shown:
        filling = " " * (widths[column] - width(plain(row[column])))
        if column in TO_THE_RIGHT:
            line += [filling, *row[column], GAP]
        else:
            line += [*row[column], filling, GAP]
    # Nothing stands after the last.
    return line[: -1 if shown[-1] in TO_THE_RIGHT else -2]


def wrapped(
    row: dict[str, Line], shown: Sequence[str], widths: dict[str, int], columns: int
) -> Iterator[Line]:
    """Give the cells of some columns side by side, the last one, words, on as many lines as it takes."""
    taken = sum(widths[column] + len(GAP) for column in shown[:-1])
    (words,) = row["words"]
    text, style = (words, "") if isinstance(words, str) else words
    for number, part in enumerate(wrap(text, max(NARROWEST, columns - taken))):
        cell: Line = [(part, style)]
        yield [" " * taken, *cell] if number else laid_out({**row, "words": cell}, shown, widths)


def cells(row: Row, language: Language, *, pointed: bool = False) -> dict[str, Line]:
    """Return what stands in each column."""
    words = row.words(language.code)
    found: dict[str, Line] = {
        "start": [(f">{row.start}", "bold")] if pointed else [str(row.start)],
        "symbol": [row.symbol],
        "bits": coloured(row.utf8_bits),
        "utf8": [row.utf8_hex],
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
        "lengths": [f"{row.utf8_length}/-"],
        "words": [(language.say("invalid", what=words), "bold red")],
    }


def summary(explanation: Explanation, language: Language) -> str:
    """Return what stands below the table."""
    text = language.say(
        "summary",
        characters=language.count(explanation.char_count, "characters"),
        utf8=language.count(explanation.utf8_length, "bytes"),
        utf16=language.count(explanation.utf16_length, "bytes"),
    )
    if not explanation.error_count:
        return text
    errors = language.count(explanation.error_count, "errors")
    return language.say("summary_invalid", summary=text, errors=errors)
