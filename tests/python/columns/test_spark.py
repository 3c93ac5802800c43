"""The functions for Spark, compared with Spark's own, and with what Python does with each value."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING

import leadbyte
import pytest
from leadbyte import spark
from page_examples import run_examples
from spark_sessions import local_session
from strategies import BOUNDARY_BYTES, BROKEN, SCRIPTS, all_sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from strategies import Anything

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark has warnings about the packages that it requires

ROWS: list[bytes | None] = [*BROKEN, None, b"", *(text.encode() for text in SCRIPTS.values()), None]
ROWS += all_sequences(BOUNDARY_BYTES, BOUNDARY_BYTES, b"\x41\x80\xe2")
VALID = [row for row in ROWS if row is None or leadbyte.is_valid(row)]
TEXTS = [row if row is None else row.decode() for row in VALID]
FOUR: dict[str, Anything] = {
    "is_valid_utf8": spark.is_valid_utf8,
    "make_valid_utf8": spark.make_valid_utf8,
    "try_validate_utf8": spark.try_validate_utf8,
    "validate_utf8": spark.validate_utf8,
}


@pytest.fixture(scope="module")
def session() -> Iterator[Anything]:
    pytest.importorskip("pyspark.sql")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java")
    for package in ("pandas", "pyarrow", "numpy"):
        pytest.importorskip(package)
    with local_session("local[1]", {"spark.sql.shuffle.partitions": "1"}) as opened:
        spark.register(opened)
        for name, rows, kind in (
            ("damaged", ROWS, "binary"),
            ("valid", VALID, "binary"),
            ("texts", TEXTS, "string"),
        ):
            frame = opened.createDataFrame(list(enumerate(rows)), f"row int, data {kind}")
            frame.repartition(1).sortWithinPartitions("row").cache().createOrReplaceTempView(name)
        yield opened


def column(session: Anything, expression: str, table: str = "damaged") -> list[Anything]:
    return [value for (value,) in session.sql(f"SELECT {expression} FROM {table}").collect()]


def each(function: Callable[[Anything], object], rows: list[Anything]) -> list[object]:
    return [None if row is None else function(row) for row in rows]


# Without Spark


def test_plain_functions() -> None:
    assert [function(None) for function in FOUR.values()] == [None] * 4
    for row in filter(None, ROWS):
        text = row.decode(errors="replace")
        is_valid = leadbyte.is_valid(row)
        assert spark.is_valid_utf8(row) is is_valid
        assert spark.make_valid_utf8(row) == text
        assert spark.try_validate_utf8(row) == (text if is_valid else None)
        if is_valid:
            assert spark.validate_utf8(row) == text
            continue
        with pytest.raises(UnicodeDecodeError) as expected:
            row.decode()
        with pytest.raises(spark.InvalidUtf8String) as caught:
            spark.validate_utf8(row)
        assert caught.value.args == expected.value.args


@pytest.mark.parametrize("function", FOUR.values(), ids=FOUR)
def test_other_arguments(function: Callable[[Anything], object]) -> None:
    assert function(bytearray(b"a")) == function(memoryview(b"a")) == function(b"a")
    with pytest.raises(TypeError):
        function(5)


@pytest.mark.parametrize("function", FOUR.values(), ids=FOUR)
def test_a_name_needs_spark(function: Callable[[Anything], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.functions", None)
    with pytest.raises(ImportError, match="the name of a column"):
        function("raw")


def test_exception() -> None:
    with pytest.raises(spark.InvalidUtf8String) as caught:
        spark.validate_utf8(b"a\xff")
    error = caught.value
    expected = r"[INVALID_UTF8_STRING] Invalid UTF8 byte sequence found in string: \x61\xFF. SQLSTATE: 22029"
    assert str(error) == expected
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.args) == (expected, error.args)


@pytest.mark.parametrize("wrong", [None, "local", 5])
def test_no_session(wrong: Anything) -> None:
    with pytest.raises(TypeError, match="must be a session of Spark"):
        spark.register(wrong)


def test_examples() -> None:
    documented = [spark, *(getattr(spark, name) for name in spark.__all__)]
    text = "\n\n".join(str(value.__doc__) for value in documented)
    assert run_examples("leadbyte.spark", text) > 6


# With Spark


@pytest.mark.parametrize("name", list(FOUR)[:3])
def test_columns_of_spark(session: Anything, name: str) -> None:
    functions = pytest.importorskip("pyspark.sql.functions")
    text = functions.col("data").cast("string")
    rows = session.table("damaged").select(FOUR[name]("data"), FOUR[name](text)).collect()
    assert [tuple(row) for row in rows] == [(FOUR[name](row),) * 2 for row in ROWS]
    if own := getattr(functions, name, None):
        frame = session.table("damaged").select(own(functions.col("data")), own(text))
        assert frame.collect() == rows


def test_validate_in_columns(session: Anything) -> None:
    functions = pytest.importorskip("pyspark.sql.functions")
    validated = spark.validate_utf8(functions.col("data"))
    assert [text for (text,) in session.table("valid").select(validated).collect()] == TEXTS
    with pytest.raises(Exception, match=r"INVALID_UTF8_STRING|invalid start byte"):
        session.table("damaged").select(validated).collect()


def test_exception_is_that_of_spark(session: Anything) -> None:
    functions = pytest.importorskip("pyspark.sql.functions")
    if not hasattr(functions, "validate_utf8"):
        pytest.skip("Spark 4 or later has the function")
    with pytest.raises(Exception, match="INVALID_UTF8_STRING") as caught:
        session.sql(r"SELECT validate_utf8(X'61FF')").collect()
    error: Anything = caught.value
    own = spark.InvalidUtf8String("utf-8", b"a\xff", 1, 2, "invalid start byte")
    assert error.getCondition() == own.getCondition()
    assert error.getSqlState() == own.getSqlState()
    assert error.getMessageParameters() == own.getMessageParameters()
    assert str(error).startswith(str(own))


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("utf8_is_valid(data)", leadbyte.is_valid),
        ("utf8_decode(data, 'replace')", lambda row: row.decode(errors="replace")),
        ("utf8_decode(data, 'null')", spark.try_validate_utf8),
        ("utf8_repair(data)", lambda row: row.decode(errors="replace")),
        ("utf8_transcode(data, 'latin-1')", lambda row: row.decode("latin-1")),
        ("utf8_detect(data).encoding", lambda row: leadbyte.detect(row).encoding),
        ("utf8_repair(data, '')", lambda row: row.decode(errors="ignore")),
        ("utf8_count_chars(data)", leadbyte.count_chars),
        ("utf8_count_utf16(data)", leadbyte.count_utf16),
        (
            "utf8_errors(data)",
            lambda row: [(e.start, e.kind, e.reason, e.data) for e in leadbyte.iter_errors(row)],
        ),
    ],
)
def test_damaged(session: Anything, expression: str, function: Callable[[Anything], object]) -> None:
    found = column(session, expression)
    if "errors(" in expression:
        found = each(lambda errors: [tuple(error) for error in errors], found)
    assert found == each(function, ROWS)


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("utf8_decode(data)", lambda text: text),
        ("utf8_count_graphemes(data)", leadbyte.count_graphemes),
        ("utf8_truncate(data, 5)", lambda text: text[:5]),
        (
            "utf8_truncate(data, 9, 'byte', '…')",
            lambda text: leadbyte.truncate(text, 9, unit="byte", ellipsis="…"),
        ),
        ("utf8_normalize(data, 'NFD')", lambda text: unicodedata.normalize("NFD", text)),
    ],
)
def test_strict(session: Anything, expression: str, function: Callable[[Anything], object]) -> None:
    assert (
        column(session, expression, "valid") == column(session, expression, "texts") == each(function, TEXTS)
    )
    with pytest.raises(Exception, match="can't decode byte 0x80 in position 0: invalid start byte, in"):
        column(session, expression)


def test_strings_that_are_not_utf8(session: Anything) -> None:
    if not hasattr(pytest.importorskip("pyspark.sql.functions"), "arrow_udf"):
        pytest.skip("needs Spark 4.1")
    expected = each(leadbyte.is_valid, ROWS)
    assert column(session, "utf8_is_valid(CAST(data AS STRING))") == expected


def test_settings_of_each_row(session: Anything) -> None:
    found = column(session, "utf8_decode(data, IF(row % 2 = 0, 'replace', 'ignore'))")
    assert found == [
        None if data is None else data.decode(errors="ignore" if row % 2 else "replace")
        for row, data in enumerate(ROWS)
    ]


def test_mojibake(session: Anything) -> None:
    rows = "(VALUES ('Â£5'), ('Ãœber'), ('10Ã—15'), (NULL), ('plain')) AS given(data)"
    repaired = column(session, "utf8_repair_mojibake(data)", f"(SELECT /*+ COALESCE(1) */ * FROM {rows})")
    assert repaired == ["£5", "Über", "10×15", None, "plain"]


def test_keys_in_errors(session: Anything) -> None:
    with pytest.raises(Exception, match=r"in b'.*', key 12"):
        column(session, "utf8_decode(X'636166E9', 'strict', 12)", "(SELECT 1)")


def test_detect(session: Anything) -> None:
    rows = [b"text", "Привет, мир".encode("koi8-r"), None]
    session.createDataFrame(list(enumerate(rows)), "row int, data binary").createOrReplaceTempView("texts_of")
    found = column(session, "utf8_detect(data).encoding", "(SELECT * FROM texts_of ORDER BY row)")
    assert found == ["ascii", "koi8-r", None]


@pytest.mark.parametrize("value", ["300", "2.5D", "true", "array(X'61')", "named_struct('a', X'61')"])
def test_other_types(session: Anything, value: str) -> None:
    """Before Spark 4.1 numbers are in NumPy's arrays, which pyarrow takes for bytes if it is asked so."""
    for function in ("utf8_is_valid", "utf8_decode", "utf8_count_chars"):
        with pytest.raises(Exception, match=r"TypeError|ArrowTypeError"):
            column(session, f"{function}({value})", "(SELECT 1)")


def test_register_again(session: Anything) -> None:
    spark.register(session)
    assert column(session, "utf8_count_chars('naïve')", "(SELECT 1)") == [5]
