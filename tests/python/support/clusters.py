"""Clusters of two workers on this machine, for tests of engines."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
import pytest
from spark_sessions import local_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Anything: TypeAlias = Any

# Workers import the package that is tested, and the stand-ins of tests.
PATHS = os.pathsep.join([str(Path(leadbyte.__file__).parents[1]), str(Path(__file__).parent)])


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set environment variables, for the processes of a cluster too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PATHS)
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


@contextmanager
def dask_client() -> Iterator[Anything]:
    """Start a cluster of Dask of two processes; skip the test if it is not installed."""
    distributed = pytest.importorskip("distributed")
    with (
        environment(),
        tempfile.TemporaryDirectory() as folder,
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=folder,
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def ray_cluster() -> Iterator[Anything]:
    """Start a cluster of Ray of two CPUs; skip the test if it is not installed."""
    ray = pytest.importorskip("ray")
    variables = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    # The paths of its sockets are shorter than those in the directories of tests.
    with environment(**variables), tempfile.TemporaryDirectory(prefix="ray") as folder:
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100 * 2**20,
            _temp_dir=folder,
            _node_ip_address="127.0.0.1",
        )
        try:
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def spark_session() -> Iterator[Anything]:
    """Start a session of Spark with two cores; skip the test if it, or Java, is not installed."""
    pytest.importorskip("pyspark.sql")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java")
    # A task may fail three times.
    with environment(), local_session("local[2,4]") as session:
        yield session


CLUSTERS = {"dask": dask_client, "ray": ray_cluster, "spark": spark_session}
