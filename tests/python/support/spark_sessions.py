"""Sessions of Spark on this machine, for tests and benchmarks."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Anything: TypeAlias = Any

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def local_session(master: str, settings: dict[str, str] | None = None) -> Iterator[Anything]:
    """Start a session, with this Python in the driver and the workers, and perhaps with more settings."""
    from pyspark.sql import SparkSession

    pythons = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    with mock.patch.dict(os.environ, pythons):
        builder = SparkSession.builder.master(master)
        for name, value in {**SETTINGS, **(settings or {})}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()
