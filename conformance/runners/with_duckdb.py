"""DuckDB: decode, and strings from Arrow that nothing has validated."""

from __future__ import annotations

import common
import duckdb
import pyarrow as pa

connection = duckdb.connect()


def ask(query: str, each: object) -> str | bytes | None:
    """Return what a query makes of a value, or None if it is refused."""
    try:
        row = connection.execute(query, [each]).fetchone()
    except duckdb.Error:
        return None
    assert row
    result: str | bytes | None = row[0]
    return result


def from_arrow(expression: str, each: bytes) -> bytes | str | None:
    """Return what an expression makes of a string in Arrow's format."""
    arrow = pa.table({"text": pa.array([each], pa.binary()).view(pa.string())})
    relation = duckdb.from_arrow(arrow, connection=connection)
    try:
        rows = relation.query("arrow", f"SELECT {expression} FROM arrow").fetchall()
    except duckdb.Error:
        return None
    result: str | bytes | None = rows[0][0]
    return result


QUERIES = {
    "decode(blob)": "SELECT decode(?::BLOB)",
    "decode(blob, 'replace')": "SELECT decode(?::BLOB, 'replace')",
    "decode(blob, 'ignore')": "SELECT decode(?::BLOB, 'ignore')",
}
ISOLATED = {
    "string of Arrow": lambda each: from_arrow("encode(text)", each),
    "string of Arrow, upper": lambda each: from_arrow("encode(upper(text))", each),
    "string of Arrow, reverse": lambda each: from_arrow("encode(reverse(text))", each),
    "string of Arrow, fetchall": lambda each: from_arrow("text", each),
}
common.run_isolated(ISOLATED)
data = common.vectors()
columns = [[ask(query, each) for each in data] for query in QUERIES.values()]
columns += [[common.isolated(name, each) for each in data] for name in ISOLATED]
common.report("DuckDB", duckdb.__version__, [*QUERIES, *ISOLATED], columns)
