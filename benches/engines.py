#!/usr/bin/env python3
"""Functions in DuckDB and Spark beside the same on ``bytes.decode``, Polars' expression beside the function.

python benches/engines.py [--rows N] [--only WORD]... [--record]
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["POLARS_MAX_THREADS"] = "1"  # is read on import
import duckdb
import leadbyte.duckdb
import leadbyte.polars
import leadbyte.spark
import polars as pl
import pyarrow as pa
from harness import Target, argument_parser, in_turns, print_outcomes, print_table, summaries, write_record
from leadbyte import arrow

from columns import ROWS, column, pool, spoiled, texts, timed

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from spark_sessions import local_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    Tools: TypeAlias = dict[str, Callable[[], object]]

SQL_SHARE = 0.1  # of the rows, for the engines with SQL, which take longer
ROUNDS = 7

BARE = "leadbyte.arrow.decode"
PLAIN, ARRAYS = "bytes.decode", "bytes.decode, arrays"  # called with a value, and with an array of them
TRANSFER = "transfer alone"  # by a function that takes no time
TARGETS = {
    (engine, tool): Target(f"function of {engine} / the same on {tool}", 3, at_least=True)
    for engine in ("DuckDB", "Spark")
    for tool in (PLAIN, ARRAYS)
}
EXPRESSION = Target("expression of Polars / bare function, in time", 1.1, at_least=False)

TYPES = {"string": pa.string(), "boolean": pa.bool_()}


def is_valid(data: bytes) -> bool:
    """Return whether the data is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def decode(data: bytes) -> str:
    """Return the text."""
    return data.decode()


def try_decode(data: bytes) -> str | None:
    """Return the text, or None if the data is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def repair(data: bytes) -> str:
    """Return the text with U+FFFD for each error."""
    return data.decode(errors="replace")


@dataclass(frozen=True)
class Task:
    """What there is beside a function of leadbyte: one on ``bytes.decode``, and the functions of engines."""

    column: str
    function: Callable[[bytes], object]
    result: str = "string"
    built_in: Mapping[str, str] = field(default_factory=dict)

    def functions_of_arrays(self) -> Iterator[tuple[str, Callable[[pa.Array], pa.Array], str]]:
        """Yield functions that engines call with arrays of rows: the tool, the function, and its result."""
        function, result = self.function, TYPES[self.result]

        def of_each(rows: pa.Array) -> pa.Array:
            return pa.array([function(row) for row in rows.to_pylist()], result)

        def of_none(rows: pa.Array) -> pa.Array:
            return rows.is_valid() if result == pa.bool_() else rows

        yield ARRAYS, of_each, self.result
        yield TRANSFER, of_none, "boolean" if result == pa.bool_() else "binary"

    def call(self, tool: str) -> str:
        """Return the expression that calls the function of a tool."""
        return f"{self.name(tool)}({self.column})"

    def name(self, tool: str) -> str:
        """Return how the function of a tool is called in SQL."""
        return re.sub(r"\W+", "_", f"{self.function.__name__}_by_{tool}")


# By the expression of leadbyte.
TASKS = {
    "utf8_is_valid(damaged)": Task(
        "damaged",
        is_valid,
        "boolean",
        {"DuckDB": "(try(decode(damaged)) IS NOT NULL)", "Spark": "is_valid_utf8(damaged)"},
    ),
    "utf8_decode(valid)": Task(
        "valid", decode, built_in={"DuckDB": "decode(valid)", "Spark": "validate_utf8(valid)"}
    ),
    "utf8_decode(damaged, 'null')": Task(
        "damaged",
        try_decode,
        built_in={"DuckDB": "try(decode(damaged))", "Spark": "try_validate_utf8(damaged)"},
    ),
    "utf8_repair(damaged)": Task("damaged", repair, built_in={"Spark": "make_valid_utf8(damaged)"}),
}


def sql_cases(
    engine: str, run: Callable[[str], object], number: Callable[[str], int]
) -> Iterator[tuple[str, Tools]]:
    """Yield the measurements in an engine with SQL, after its results are compared."""
    for own, task in TASKS.items():
        peers = {tool: task.call(tool) for tool in (PLAIN, ARRAYS)}
        if engine in task.built_in:
            peers["built-in"] = task.built_in[engine]
        for peer in peers.values():
            assert not number(f"SELECT count(*) FROM rows WHERE {own} IS DISTINCT FROM {peer}"), peer
        expressions = {"leadbyte": own, **peers, TRANSFER: task.call(TRANSFER)}
        yield own, {tool: partial(run, expression) for tool, expression in expressions.items()}


def duckdb_cases(rows: pa.Table) -> Iterator[tuple[str, Tools]]:
    """Yield the measurements in DuckDB, on one thread: queries of which the result is one number."""
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("given", rows)
        connection.execute("CREATE TABLE rows AS SELECT * FROM given")
        leadbyte.duckdb.register(connection)
        for task in TASKS.values():
            # Functions that return NULL must be special.
            create = partial(connection.create_function, parameters=["BLOB"], null_handling="special")
            create(task.name(PLAIN), task.function, return_type=task.result)
            for tool, function, result in task.functions_of_arrays():
                create(task.name(tool), function, return_type=result, type="arrow")

        def number(query: str) -> int:
            return int(connection.execute(query).fetchall()[0][0])

        yield from sql_cases(
            "DuckDB", lambda expression: number(f"SELECT count({expression}) FROM rows"), number
        )


def spark_cases(rows: pa.Table) -> Iterator[tuple[str, Tools]]:
    """Yield the measurements in Spark, in one task: queries of which the results are dropped."""
    import pyarrow.parquet as pq
    from pyspark.sql.functions import arrow_udf, udf

    with local_session("local[1]", {"spark.driver.memory": "4g"}) as session:
        with tempfile.TemporaryDirectory(prefix="leadbyte-") as folder:
            path = str(Path(folder, "rows.parquet"))
            pq.write_table(rows, path)
            frame = session.read.parquet(path).coalesce(1).cache()
            assert frame.count() == len(rows)
        frame.createOrReplaceTempView("rows")
        leadbyte.spark.register(session)
        for task in TASKS.values():
            # A function registered without udf() gets its rows pickled, which takes several times as long.
            session.udf.register(task.name(PLAIN), udf(task.function, task.result))
            for tool, function, result in task.functions_of_arrays():
                session.udf.register(task.name(tool), arrow_udf(function, result))

        def run(expression: str) -> None:
            results = session.sql(f"SELECT {expression} AS result FROM rows")
            results.write.format("noop").mode("overwrite").save()

        yield from sql_cases("Spark", run, lambda query: int(session.sql(query).collect()[0][0]))


def polars_cases(rows: pa.Array) -> Iterator[tuple[str, Tools]]:
    """Yield the measurements in Polars, on one thread."""
    series = pl.Series("raw", rows.cast(pa.binary_view()))
    frame = series.to_frame().lazy()
    queries = {
        "leadbyte": frame.select(pl.col("raw").utf8.decode()),
        "built-in": frame.select(pl.col("raw").cast(pl.String)),
    }
    for engine in ("in-memory", "streaming"):
        tools: Tools = {tool: partial(query.collect, engine=engine) for tool, query in queries.items()}
        own, peer = (query.collect(engine=engine) for query in queries.values())
        assert own.equals(peer), engine
        yield f"utf8.decode(), {engine}", {**tools, BARE: partial(arrow.decode, series)}


def main() -> None:
    """Measure the jobs of the arguments."""
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N")
    parser.add_argument("--only", action="append", metavar="WORD", help="only engines with this word")
    arguments = parser.parse_args()
    rows = column(pool(texts()), arguments.rows)
    valid = rows.slice(0, round(len(rows) * SQL_SHARE)).cast(pa.binary())
    table = pa.table({"valid": valid, "damaged": spoiled(valid)})
    engines = {"Polars": polars_cases(rows), "DuckDB": duckdb_cases(table), "Spark": spark_cases(table)}
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        print("Spark is not measured: it needs Java")
        del engines["Spark"]
    records = []
    measured: dict[Target, dict[str, float]] = {}
    for engine, cases in engines.items():
        if arguments.only and not any(word in engine for word in arguments.only):
            continue
        for case, tools in cases:
            times = in_turns({tool: timed(function) for tool, function in tools.items()}, rounds=ROUNDS)
            own = times["leadbyte"].best
            for tool, taken in times.items():
                ratio = taken.best / own
                bound = f"{taken.best / times[TRANSFER].best:.2f}" if TRANSFER in times else ""
                records.append(
                    {
                        "engine": engine,
                        "case": case,
                        "tool": tool,
                        "best_ms": f"{1e3 * taken.best:.1f}",
                        "median_ms": f"{1e3 * taken.median:.1f}",
                        "over_leadbyte": f"{ratio:.2f}",
                        "bound": bound if tool in {PLAIN, ARRAYS} else "",
                    }
                )
                if target := TARGETS.get((engine, tool)):
                    measured.setdefault(target, {})[f"{case} (bound {bound})"] = ratio
            if BARE in times:
                measured.setdefault(EXPRESSION, {})[case] = own / times[BARE].best
    counts = f"{len(rows):,} rows in Polars, {len(table):,} in DuckDB and Spark"
    print_table(counts, records)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        packages = ("duckdb", "polars", "pyarrow", "pyspark")
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
        facts = {
            "versions": f"leadbyte {leadbyte.__version__}, {versions}",
            "isa": leadbyte.cpu_info()["functions"]["is_valid"],
            "rows": counts,
        }
        write_record("engines", {**facts, **outcomes}, records)


if __name__ == "__main__":
    main()
