"""Spark: the functions for UTF-8, and strings that nothing has validated."""

from __future__ import annotations

import common
import pyspark
from pyspark.sql import SparkSession, functions

data = common.vectors()
session = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.log.level", "OFF")
    .getOrCreate()
)
text = functions.col("data").cast("string")  # which copies the bytes
OPERATIONS = {
    "is_valid_utf8": functions.when(functions.is_valid_utf8(text), functions.col("data")),
    "try_validate_utf8": functions.try_validate_utf8(text).cast("binary"),
    "make_valid_utf8": functions.make_valid_utf8(text).cast("binary"),
    "CAST(binary AS STRING)": text.cast("binary"),
    "encode(CAST(binary AS STRING), 'UTF-8')": functions.encode(text, "UTF-8"),
    "upper": functions.upper(text).cast("binary"),
    "reverse twice": functions.reverse(functions.reverse(text)).cast("binary"),
}
rows = [(number, bytearray(each)) for number, each in enumerate(data)]
frame = session.createDataFrame(rows, "number int, data binary").coalesce(1)
chosen = [operation.alias(f"_{number}") for number, operation in enumerate(OPERATIONS.values())]
found = frame.select("number", *chosen).sort("number").collect()
columns = [
    [None if row[1 + number] is None else bytes(row[1 + number]) for row in found]
    for number in range(len(OPERATIONS))
]
common.report("Spark", pyspark.__version__, OPERATIONS, columns)
session.stop()
