#!/usr/bin/env python3
"""Jobs of the documentation, each by leadbyte and as it is done today: lines of code, seconds and memory.

    python benches/guides.py [--only WORD]... [--rounds N] [--folder DIR] [--record]

Each program is a process of its own, whose processes count: the seconds are the CPU's, and the memory is the
most at one moment. Spark is left out without Java. The data has some GB.
"""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from harness import argument_parser, print_table, write_record

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE_SECONDS = 0.05
PEERS = ("pandas", "pyarrow", "pyspark")

CSV_BYTES = 3 * 10**9
CSV_OTHER_ROWS = 1_000  # of this number of rows, one is Windows-1252
LAKE_FILES, LAKE_GROUPS, GROUP_ROWS = 10, 4, 250_000
LAKE_BAD_GROUPS = 10  # of this number of row groups, one has a bad row
SPARK_ROWS = 10**7
WORDS = [
    "soup",
    "tea",
    "café",
    "naïve",
    "crème brûlée",
    "5 €",
    "Zoë",
    "Renée",
    "smörgåsbord",
    "menu",
    "table",
]

CSV_LEADBYTE = """\
import pyarrow.csv
import pyarrow.parquet as pq
from leadbyte.transcode import open_as_utf8

with open_as_utf8("mixed.csv", "utf-8", fallback="cp1252") as file:
    rows = pyarrow.csv.open_csv(file)
    with pq.ParquetWriter("table.parquet", rows.schema) as table:
        for batch in rows:
            table.write_batch(batch)
"""
CSV_LINES = """\
import pyarrow.csv
import pyarrow.parquet as pq

with open("mixed.csv", "rb") as lines, open("utf8.csv", "wb") as converted:
    for line in lines:
        try:
            line.decode()
        except UnicodeDecodeError:
            line = line.decode("cp1252").encode()
        converted.write(line)
rows = pyarrow.csv.open_csv("utf8.csv")
with pq.ParquetWriter("table.parquet", rows.schema) as table:
    for batch in rows:
        table.write_batch(batch)
"""
CSV_PANDAS = """\
import codecs
import pandas


def decode(error):
    return error.object[error.start : error.end].decode("cp1252"), error.end


codecs.register_error("cp1252", decode)
pandas.read_csv("mixed.csv", encoding_errors="cp1252").to_parquet("table.parquet")
"""

LAKE_LEADBYTE = """\
from leadbyte import dataset

dataset.repair("lake", "good", rows="drop", quarantine="bad")
"""
LAKE_PYARROW = """\
import base64
import json
import os
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def error_of(value):
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return error.start


os.mkdir("good")
with open("bad.jsonl", "w") as bad:
    for name in sorted(os.listdir("lake")):
        lake = pq.ParquetFile(f"lake/{name}")
        with pq.ParquetWriter(f"good/{name}", lake.schema_arrow) as good:
            first = 0
            for number in range(lake.num_row_groups):
                group = lake.read_row_group(number)
                following = first + group.num_rows
                try:
                    group.validate(full=True)
                except pa.ArrowInvalid:
                    dropped = set()
                    for column in group.column_names:
                        if not pa.types.is_string(group[column].type):
                            continue
                        for row, value in enumerate(group[column].cast(pa.binary()).to_pylist()):
                            if value is not None and (byte := error_of(value)) is not None:
                                dropped.add(row)
                                record = {"file": name, "row_group": number, "row": first + row}
                                record |= {"column": column, "byte": byte}
                                record["base64"] = base64.b64encode(value).decode()
                                bad.write(json.dumps(record) + "\\n")
                    group = group.filter(pa.array(row not in dropped for row in range(group.num_rows)))
                good.write_table(group)
                first = following
"""

SPARK_START = """\
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession, functions as F
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
session.read.parquet("rows.parquet").createOrReplaceTempView("rows")
"""
SPARK_LEADBYTE = """\
import leadbyte.spark
leadbyte.spark.register(session)
query = "SELECT id, inline(utf8_errors(raw)) FROM rows WHERE NOT is_valid_utf8(CAST(raw AS STRING))"
print([(row.id, row.offset) for row in session.sql(query).collect()])
"""
SPARK_LEADBYTE_3 = """\
import leadbyte.spark
leadbyte.spark.register(session)
query = "SELECT id, inline(utf8_errors(raw)) FROM rows WHERE NOT utf8_is_valid(raw)"
print([(row.id, row.offset) for row in session.sql(query).collect()])
"""
SPARK_BUILT_IN = """\
def error_of(value):
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return error.start


query = "SELECT id, raw FROM rows WHERE NOT is_valid_utf8(CAST(raw AS STRING))"
print([(row.id, error_of(row.raw)) for row in session.sql(query).collect()])
"""
SPARK_FUNCTION = """\
@F.udf("int")
def error_of(value):
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return error.start


rows = session.table("rows").select("id", error_of("raw").alias("byte")).where("byte IS NOT NULL")
print([(row.id, row.byte) for row in rows.collect()])
"""

# What each program writes; all are deleted before the next one.
OUTPUTS = ("table.parquet", "utf8.csv", "good", "bad", "bad.jsonl")
JOBS = {
    "csv": {
        "leadbyte": CSV_LEADBYTE,
        "a loop over lines": CSV_LINES,
        "pandas with an error handler": CSV_PANDAS,
    },
    "lake": {"leadbyte": LAKE_LEADBYTE, "pyarrow and a loop": LAKE_PYARROW},
    "spark": {
        "leadbyte, Spark 4": SPARK_LEADBYTE,
        "leadbyte, any Spark": SPARK_LEADBYTE_3,
        "is_valid_utf8 of Spark 4, and bytes.decode": SPARK_BUILT_IN,
        "a function on bytes.decode": SPARK_FUNCTION,
    },
}


def texts(count: int) -> list[str]:
    """Return made-up texts, the same each time."""
    source = random.Random(0)
    return [" ".join(source.choices(WORDS, k=source.randint(4, 20))) for _ in range(count)]


def write_csv(folder: Path) -> None:
    """Write a table in which some rows are in another encoding."""
    rows = [f"{text[:12]},{number % 100},{text}" for number, text in enumerate(texts(100 * CSV_OTHER_ROWS))]
    block = b"".join(
        (row + " é\n").encode("cp1252" if number % CSV_OTHER_ROWS == 0 else "utf-8")
        for number, row in enumerate(rows)
    )
    with (folder / "mixed.csv").open("wb") as file:
        file.write(b"name,price,text\n")
        for _ in range(CSV_BYTES // len(block)):
            file.write(block)


def write_lake(folder: Path) -> None:
    """Write Parquet files, of which some row groups have a row that is not UTF-8."""
    (folder / "lake").mkdir()
    values = [text.encode() for text in texts(GROUP_ROWS)]
    good = pa.array(values).view(pa.string())
    bad = pa.array([*values[:-1], b"caf\xe9 au lait"]).view(pa.string())
    ids = pa.array(range(GROUP_ROWS))
    groups = [pa.table({"id": ids, "name": good, "text": text}) for text in (good, bad)]
    for number in range(LAKE_FILES):
        with pq.ParquetWriter(folder / "lake" / f"{number}.parquet", groups[0].schema) as file:
            for group in range(number * LAKE_GROUPS, (number + 1) * LAKE_GROUPS):
                file.write_table(groups[group % LAKE_BAD_GROUPS == 0])


def write_rows(folder: Path) -> None:
    """Write a Parquet file of bytes, one of which is not UTF-8."""
    values = [text.encode() for text in texts(GROUP_ROWS)]
    with pq.ParquetWriter(folder / "rows.parquet", pa.schema({"id": pa.int64(), "raw": pa.binary()})) as file:
        for start in range(0, SPARK_ROWS, GROUP_ROWS):
            if start + GROUP_ROWS == SPARK_ROWS:
                values[-7] = b"caf\xe9 au lait"
            file.write_table(pa.table({"id": range(start, start + GROUP_ROWS), "raw": values}))


def check_csv(folder: Path) -> object:
    """Return what all programs must have written."""
    found = pq.ParquetFile(folder / "table.parquet")
    batch = next(found.iter_batches(1001, columns=["name", "price", "text"]))
    return found.metadata.num_rows, batch.slice(999).to_pylist()


def check_lake(folder: Path) -> object:
    """Return what all programs must have written."""
    files = sorted((folder / "good").glob("*.parquet"))
    rows = [pq.read_metadata(path).num_rows for path in files]
    bad = (
        [folder / "bad.jsonl"]
        if (folder / "bad.jsonl").exists()
        else sorted((folder / "bad").glob("*.jsonl"))
    )
    records = [json.loads(line) for path in bad for line in path.read_text().splitlines()]
    places = [(record["row_group"], record["row"], record["column"], record["byte"]) for record in records]
    return rows, places, [base64.b64decode(record["base64"]) for record in records]


MAKERS: dict[str, Callable[[Path], None]] = {"csv": write_csv, "lake": write_lake, "spark": write_rows}
CHECKS: dict[str, Callable[[Path], object]] = {"csv": check_csv, "lake": check_lake}


def measured(program: str, folder: Path) -> tuple[float, float, int, str]:
    """Run a program; return its seconds, CPU seconds, the most memory in bytes, and what it printed."""
    start = time.perf_counter()
    # Spark shows its progress there.
    errors = (folder / "errors.txt").open("w+")
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True
    )
    root = psutil.Process(process.pid)
    cpu: dict[int, float] = {}
    peak = 0
    while process.poll() is None:
        memory = 0
        try:
            for found in (root, *root.children(recursive=True)):
                times = found.cpu_times()
                cpu[found.pid] = times.user + times.system
                memory += found.memory_info().rss
        except psutil.Error:
            continue  # it has ended meanwhile
        peak = max(peak, memory)
        time.sleep(SAMPLE_SECONDS)
    seconds = time.perf_counter() - start
    output, _ = process.communicate()
    with errors:
        errors.seek(0)
        if process.returncode:
            raise RuntimeError(errors.read())
    return seconds, sum(cpu.values()), peak, output


def clean(folder: Path) -> None:
    """Delete what programs write."""
    for name in OUTPUTS:
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)


def measure(job: str, folder: Path, rounds: int) -> list[dict[str, str]]:
    """Return the rows of a job."""
    MAKERS[job](folder)
    start = SPARK_START if job == "spark" else ""
    taken: dict[str, list[tuple[float, ...]]] = {name: [] for name in JOBS[job]}
    outcomes = []
    for _ in range(rounds):
        for name, program in JOBS[job].items():
            clean(folder)
            *figures, output = measured(start + program, folder)
            taken[name].append(tuple(figures))
            outcomes.append(CHECKS[job](folder) if job in CHECKS else output)
    assert all(outcome == outcomes[0] for outcome in outcomes), outcomes
    clean(folder)
    rows = []
    for name, program in JOBS[job].items():
        seconds, cpu, memory = zip(*taken[name], strict=True)
        rows.append(
            {
                "job": job,
                "by": name,
                "lines": str(sum(bool(line.strip()) for line in program.splitlines())),
                "best_s": f"{min(seconds):.1f}",
                "median_s": f"{statistics.median(seconds):.1f}",
                "best_cpu_s": f"{min(cpu):.1f}",
                "median_cpu_s": f"{statistics.median(cpu):.1f}",
                "memory_mb": f"{statistics.median(memory) / 1e6:.0f}",
            }
        )
    return rows


def main() -> None:
    """Make the data, measure, print, and record if requested."""
    parser = argument_parser(__doc__)
    parser.add_argument("--only", action="append", choices=JOBS, help="measure this job")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often everything runs")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where to make the files")
    arguments = parser.parse_args()
    rows = []
    for job in arguments.only or JOBS:
        if job == "spark" and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
            continue
        with tempfile.TemporaryDirectory(prefix="leadbyte-", dir=arguments.folder) as folder:
            rows += measure(job, Path(folder), arguments.rounds)
        print_table(job, [row for row in rows if row["job"] == job])
    if arguments.record:
        versions = ", ".join(f"{package} {version(package)}" for package in PEERS)
        isa = leadbyte.cpu_info()["functions"]["scan"]
        write_record("guides", {"isa": isa, "versions": f"leadbyte {leadbyte.__version__}, {versions}"}, rows)


if __name__ == "__main__":
    main()
