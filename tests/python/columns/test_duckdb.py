"""The functions in DuckDB, compared with what Python does with each value."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import leadbyte
import leadbyte.duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import run_examples
from strategies import BROKEN, SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from strategies import Anything

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pytest.importorskip("numpy")

ROWS: list[bytes | None] = [*BROKEN, None, b"", *(text.encode() for text in SCRIPTS.values()), None, *BROKEN]
ROWS *= 40  # more than a vector of DuckDB
VALID = [row for row in ROWS if row is None or leadbyte.is_valid(row)]
TEXTS = [row if row is None else row.decode() for row in VALID]


@pytest.fixture(scope="module")
def connection() -> Iterator[Anything]:
    with duckdb.connect() as opened:
        leadbyte.duckdb.register(opened)
        opened.execute("SET threads = 1")
        tables: dict[str, list[Anything]] = {"damaged": ROWS, "valid": VALID, "texts": TEXTS}
        for name, rows in tables.items():
            opened.register("given", pa.table({"row": range(len(rows)), "data": rows}))
            opened.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        yield opened


def column(connection: Anything, expression: str, table: str = "damaged") -> list[Anything]:
    return [
        value for (value,) in connection.execute(f"SELECT {expression} FROM {table} ORDER BY row").fetchall()
    ]


def each(function: Callable[[Anything], object], rows: list[Anything]) -> list[object]:
    return [None if row is None else function(row) for row in rows]


def test_settings_of_each_row_for_views() -> None:
    with duckdb.connect() as connection:
        leadbyte.duckdb.register(connection)
        connection.execute("SET produce_arrow_string_view = true")
        connection.execute("SET arrow_output_version = '1.4'")
        rows = "FROM (VALUES ('naïve', 2), ('naïve', 3)) t(s, n)"
        assert connection.execute(f"SELECT utf8_truncate(s, n) {rows}").fetchall() == [("na",), ("naï",)]


def decoded(row: bytes) -> str | None:
    try:
        return row.decode()
    except UnicodeDecodeError:
        return None


def detected(row: bytes) -> dict[str, object]:
    found = leadbyte.detect(row)
    return {"encoding": found.encoding, "language": found.language, "confidence": found.confidence}


DAMAGED = {
    "utf8_transcode(data, 'latin-1')": lambda row: row.decode("latin-1"),
    "utf8_transcode(data, 'ascii', 'replace')": lambda row: row.decode("ascii", "replace"),
    "utf8_detect(data)": detected,
    "utf8_is_valid(data)": leadbyte.is_valid,
    "utf8_decode(data, 'replace')": lambda row: row.decode(errors="replace"),
    "utf8_decode(data, 'ignore')": lambda row: row.decode(errors="ignore"),
    "utf8_decode(data, 'backslashreplace')": lambda row: row.decode(errors="backslashreplace"),
    "utf8_decode(data, 'null')": decoded,
    "utf8_repair(data)": lambda row: row.decode(errors="replace"),
    "utf8_repair(data, '')": lambda row: row.decode(errors="ignore"),
    "utf8_repair(data, '?!')": lambda row: leadbyte.repair(row, replacement="?!").decode(),
    "utf8_count_chars(data)": leadbyte.count_chars,
    "utf8_count_utf16(data)": leadbyte.count_utf16,
    "utf8_errors(data)": lambda row: [
        {"offset": error.start, "kind": error.kind, "reason": error.reason, "data": error.data}
        for error in leadbyte.iter_errors(row)
    ],
}
STRICT = {
    "utf8_decode(data)": lambda text: text,
    "utf8_decode(data, 'strict')": lambda text: text,
    "utf8_count_graphemes(data)": leadbyte.count_graphemes,
    "utf8_truncate(data, 5)": lambda text: text[:5],
    "utf8_truncate(data, 9, 'byte')": lambda text: leadbyte.truncate(text, 9, unit="byte"),
    "utf8_truncate(data, 9, 'utf16', '…')": lambda text: leadbyte.truncate(
        text, 9, unit="utf16", ellipsis="…"
    ),
    "utf8_truncate(data, 3, 'grapheme')": lambda text: leadbyte.truncate(text, 3, unit="grapheme"),
    "utf8_normalize(data)": lambda text: unicodedata.normalize("NFC", text),
    "utf8_normalize(data, 'NFD')": lambda text: unicodedata.normalize("NFD", text),
}


@pytest.mark.parametrize(("expression", "function"), DAMAGED.items(), ids=DAMAGED)
def test_damaged(connection: Anything, expression: str, function: Callable[[Anything], object]) -> None:
    assert column(connection, expression) == each(function, ROWS)


@pytest.mark.parametrize(("expression", "function"), STRICT.items(), ids=STRICT)
def test_strict(connection: Anything, expression: str, function: Callable[[Anything], object]) -> None:
    expected = each(function, TEXTS)
    assert column(connection, expression, "valid") == expected
    assert column(connection, expression, "texts") == expected
    with pytest.raises(
        duckdb.Error, match="codec can't decode byte 0x80 in position 0: invalid start byte, in"
    ):
        column(connection, expression)


@pytest.mark.parametrize("expression", [*DAMAGED, *STRICT])
def test_nulls_and_no_rows(connection: Anything, expression: str) -> None:
    null = connection.execute(f"SELECT {expression} FROM (VALUES (NULL::BLOB)) given(data)").fetchall()
    assert null == [(None,)]
    assert connection.execute(f"SELECT {expression} FROM damaged WHERE row < 0").fetchall() == []


@pytest.mark.parametrize(
    "expression",
    [
        "utf8_decode(data, NULL::VARCHAR)",  # DuckDB 1 cannot pass a NULL without a type
        "utf8_truncate(data, NULL::INTEGER)",
        "utf8_truncate(data, 5, NULL::VARCHAR)",
    ],
)
def test_null_settings(connection: Anything, expression: str) -> None:
    assert column(connection, expression) == [None] * len(ROWS)


@pytest.mark.parametrize("expression", [*DAMAGED, *STRICT])
def test_nulls_without_a_type(connection: Anything, expression: str) -> None:
    if duckdb.__version__ < "2":
        pytest.skip("DuckDB 1 cannot pass a NULL without a type")
    constant = expression.replace("data", "NULL", 1)
    assert connection.execute(f"SELECT {constant}").fetchall() == [(None,)]
    assert connection.execute(f"SELECT {expression} FROM (SELECT ? AS data)", [None]).fetchall() == [(None,)]


def test_settings_of_no_rows() -> None:
    from leadbyte import _sql  # which imports pyarrow and NumPy

    for empty in (
        _sql.utf8_truncate(pa.array([], pa.binary()), pa.array([], pa.int64())),
        _sql.utf8_truncate(pa.chunked_array([], pa.binary()), pa.chunked_array([], pa.int64())),
    ):
        assert (len(empty), empty.type) == (0, pa.string())


@pytest.mark.parametrize(
    "limits", [[2], [None], [2, 2, 2], [2, 2, 3], [3, 2, 2], [None, 2, 2], [2, 2, None], [None, None]]
)
def test_settings_of_some_rows(limits: list[int | None]) -> None:
    from leadbyte import _sql

    columns = (pa.array([b"abcd"] * len(limits)), pa.array(limits, pa.int64()))
    for cut in range(len(limits) + 1):
        found = _sql.utf8_truncate(*(pa.chunked_array([rows[:cut], rows[cut:]]) for rows in columns))
        assert found.to_pylist() == each(lambda limit: "abcd"[:limit], limits)


def test_settings_of_each_row(connection: Anything) -> None:
    handlers = ["replace", "ignore", None, "null"]
    rows = [(row, handlers[row % 4]) for row in range(len(ROWS))]
    connection.register(
        "handlers", pa.table({"row": [row for row, _ in rows], "errors": [name for _, name in rows]})
    )
    found = column(connection, "utf8_decode(data, errors)", "damaged JOIN handlers USING (row)")
    expected = {
        "replace": lambda row: row.decode(errors="replace"),
        "ignore": lambda row: row.decode(errors="ignore"),
        "null": decoded,
    }
    assert found == [
        None if data is None or name is None else expected[name](data)
        for data, (_, name) in zip(ROWS, rows, strict=True)
    ]


@pytest.mark.parametrize("vector", ["true", "row % 3 = 0", "row = 5"])
def test_filtered_rows(connection: Anything, vector: str) -> None:
    rows = connection.execute(f"SELECT row FROM damaged WHERE {vector} ORDER BY row").fetchall()
    found = column(connection, "utf8_repair(data)", f"(SELECT * FROM damaged WHERE {vector})")
    assert found == each(lambda row: row.decode(errors="replace"), [ROWS[row] for (row,) in rows])


def test_filter(connection: Anything) -> None:
    count = connection.execute("SELECT count(*) FROM damaged WHERE NOT utf8_is_valid(data)").fetchall()
    assert count == [(sum(row is not None and not leadbyte.is_valid(row) for row in ROWS),)]


def test_columns_of_arrow(connection: Anything) -> None:
    """DuckDB does not validate strings of Arrow."""
    damaged = pa.array([row for row in ROWS if row is not None]).view(pa.string())
    connection.register("unchecked", pa.table({"row": range(len(damaged)), "data": damaged}))
    rows = [row for row in ROWS if row is not None]
    assert column(connection, "utf8_is_valid(data)", "unchecked") == each(leadbyte.is_valid, rows)
    assert column(connection, "utf8_repair(data)", "unchecked") == each(
        lambda row: row.decode(errors="replace"), rows
    )


def test_types(connection: Anything) -> None:
    types = connection.execute(
        "SELECT typeof(utf8_is_valid(data)), typeof(utf8_repair(data)), typeof(utf8_count_chars(data)),"
        " typeof(utf8_errors(data)) FROM damaged LIMIT 1"
    ).fetchall()
    errors = 'STRUCT("offset" BIGINT, kind VARCHAR, reason VARCHAR, "data" BLOB)[]'
    assert types == [("BOOLEAN", "VARCHAR", "INTEGER", errors)]


def test_context_of_errors(connection: Anything) -> None:
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(
            r"SELECT utf8_decode((repeat('x', 99) || '\xE9' || repeat('y', 99))::BLOB)"
        ).fetchall()
    shown = b"x" * 20 + b"\xe9" + b"y" * 20
    assert f"in ...{shown!r}..." in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("utf8_decode(data, 'strict', row)", "position 3: unexpected end of data, in b'caf\\xe9', key 12"),
        ("utf8_decode(data, if(row > 11, 'strict', 'ignore'), 'id ' || row)", "b'caf\\xe9', key id 12"),
        ("utf8_transcode(data, 'ascii', 'strict', row)", "in b'caf\\xe9', key 12"),
        ("utf8_transcode(data, 'ascii', 'strict', NULL::INTEGER)", "in b'caf\\xe9', key None"),
    ],
)
def test_keys_in_errors(connection: Anything, expression: str, message: str) -> None:
    rows = "(VALUES (10, 'soup'::BLOB), (11, NULL), (12, 'caf\\xE9')) given(row, data)"
    with pytest.raises(duckdb.Error, match=re.escape(message)):
        connection.execute(f"SELECT {expression} FROM {rows}").fetchall()
    found = connection.execute(f"SELECT {expression} FROM {rows} WHERE row < 12").fetchall()
    assert found == [("soup",), (None,)]


def test_mojibake(connection: Anything) -> None:
    cells = ["Â£5", "Ãœber", "10Ã—15", None, "plain", "Größe"]
    connection.register("garbled", pa.table({"row": range(6), "data": cells}))
    repaired = ["£5", "Über", "10×15", None, "plain", "Größe"]
    assert column(connection, "utf8_repair_mojibake(data)", "garbled") == repaired
    connection.register("turkish", pa.table({"row": [0], "data": ["Ýstanbul'da yaþýyor"]}))
    found = column(connection, "utf8_repair_mojibake(data, 'de, tr')", "turkish")
    assert found == ["İstanbul'da yaşıyor"]


def test_wrong_arguments(connection: Anything) -> None:
    for expression, match in {
        "utf8_is_valid(5)": "int",
        "utf8_decode(''::BLOB, 'latin-1')": "strict",
        "utf8_truncate('', -1)": "limit",
        "utf8_truncate('')": "limit",
        "utf8_normalize('', 'NFX')": "normalization form",
        "utf8_transcode('', 'no-such')": "unknown encoding: no-such",
        "utf8_repair_mojibake('', 'tlh')": "languages must be",
        "utf8_is_valid('', 1)": "takes 1 argument, not 2",
        "utf8_decode('', 'strict', 1, 2)": "takes 1 to 3 arguments, not 4",
        "utf8_repair(['a', 'b'])": "takes bytes or text, not list",
        "utf8_decode({'a': 'b'})": "takes bytes or text, not struct",
    }.items():
        with pytest.raises(duckdb.Error, match=match):
            connection.execute(f"SELECT {expression}").fetchall()


def test_register_again(connection: Anything) -> None:
    for again in (connection, connection.cursor(), connection):
        leadbyte.duckdb.register(again)
        assert again.execute("SELECT utf8_count_chars('naïve')").fetchall() == [(5,)]
    with duckdb.connect() as other:
        with pytest.raises(duckdb.Error):
            other.execute("SELECT utf8_count_chars('')")
        leadbyte.duckdb.register(other)
        assert other.execute("SELECT utf8_count_chars('naïve')").fetchall() == [(5,)]


def test_register_after_a_rollback() -> None:
    with duckdb.connect() as connection:
        for _ in range(2):
            connection.begin()
            leadbyte.duckdb.register(connection)
            connection.rollback()
            leadbyte.duckdb.register(connection)
            assert connection.execute("SELECT utf8_count_chars('naïve')").fetchall() == [(5,)]


@pytest.mark.parametrize("wrong", [None, "menu.db", duckdb, 5])
def test_no_connection(wrong: Anything) -> None:
    with pytest.raises(TypeError, match=r"must be a connection of DuckDB.*not"):
        leadbyte.duckdb.register(wrong)


@given(st.lists(st.none() | st.binary(max_size=20), min_size=1, max_size=20))
def test_any_bytes(connection: Anything, rows: list[bytes | None]) -> None:
    connection.register("any", pa.table({"row": range(len(rows)), "data": pa.array(rows, pa.binary())}))
    found = connection.execute(
        'SELECT utf8_is_valid(data), utf8_repair(data) FROM "any" ORDER BY row'
    ).fetchall()
    assert found == [
        (None, None) if row is None else (leadbyte.is_valid(row), row.decode(errors="replace"))
        for row in rows
    ]


def test_documented_functions(connection: Anything) -> None:
    created = connection.execute(
        "SELECT function_name FROM duckdb_functions() WHERE function_name LIKE 'utf8%'"
    )
    named = re.findall(r"^\| ``(\w+)\(", str(leadbyte.duckdb.__doc__), re.MULTILINE)
    assert sorted(named) == sorted(name for (name,) in created.fetchall())


def test_examples() -> None:
    text = f"{leadbyte.duckdb.__doc__}\n\n{leadbyte.duckdb.register.__doc__}"
    assert run_examples("leadbyte.duckdb", text) > 5
