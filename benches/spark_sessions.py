"""Sessions of Spark on this machine, for the benchmarks."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextlib.contextmanager
def spark_session(cores: int) -> Iterator[Any]:
    """Start a session that uses a number of cores, with this Python in the driver and the workers."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{cores}]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
