"""The table as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from leadbyte._explain import table
from leadbyte._explain.bits import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leadbyte._explain.bits import Line
    from leadbyte._explain.languages import Language
    from leadbyte._explain.rows import Row

# The maximum number of rows shown.
MAX_ROWS = 500
# Styles are inline, so that nothing else on the page changes. They tint the background; the text keeps the
# page's own colour, dark on light or light on dark.
TINTED = "background:rgba(255,140,0,.35);border-radius:2px"
INVALID = "background:rgba(255,0,0,.2)"
WORDY = frozenset({"symbol", "words"})


def elements(rows: Sequence[Row], totals: dict[str, int], language: Language) -> Iterator[str]:
    """Yield the lines of the table, with the totals by name as its caption."""
    caption = table.summary(rows, totals, language)
    if len(rows) > MAX_ROWS:
        more = language.count(len(rows) - MAX_ROWS, "rows")
        caption = language.say("summary_more", summary=caption, rows=more)
    titles = (f"<th{style(column)}>{escape(language.say(column))}</th>" for column in table.COLUMNS)
    yield f'<table lang="{language.code}">'
    yield f'<caption style="caption-side:bottom;text-align:left">{escape(caption)}</caption>'
    yield f"<thead><tr>{''.join(titles)}</tr></thead>"
    yield "<tbody>"
    for row in rows[:MAX_ROWS]:
        yield from line(row, language)
    yield "</tbody>"
    yield "</table>"


def line(row: Row, language: Language) -> Iterator[str]:
    """Yield the lines of a row."""
    cells = table.cells(row, language)
    yield f'<tr style="{INVALID}">' if row.kind else "<tr>"
    for column in table.COLUMNS:
        yield f"<td{style(column)}>{markup(cells[column])}</td>"
    yield "</tr>"


def style(column: str) -> str:
    """Return the style of a column's cells."""
    side = "right" if column in table.TO_THE_RIGHT else "left"
    font = "" if column in WORDY else ";font-family:monospace;white-space:nowrap"
    return f' style="padding:.1em .5em;text-align:{side}{font}"'


def markup(cell: Line) -> str:
    """Return the contents of a cell."""
    parts = [("", part) if isinstance(part, str) else part[::-1] for part in cell]
    return "".join(
        f'<b style="{TINTED}">{text}</b>' if kind == MARKER else escape(text) for kind, text in parts
    )
