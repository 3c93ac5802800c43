"""The names of the engines of datasets."""

from __future__ import annotations

LOCAL = ("threads", "processes")
CLUSTERS = ("dask", "ray", "spark")
