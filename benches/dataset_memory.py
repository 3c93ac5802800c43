#!/usr/bin/env python3
"""Peak memory of scans of more and more files, by each engine that is installed.

    python benches/dataset_memory.py [--record]

A process for each scan starts its own cluster of two workers; ``tests/clusters/measure_memory.py`` describes
what it does.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from harness import argument_parser, print_table, write_record

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
sys.path.append(str(Path(__file__).parent.parent / "tests/clusters"))
from measure_memory import measured

# The package of each engine.
ENGINES = {"threads": "", "processes": "", "dask": "distributed", "ray": "ray", "spark": "pyspark"}
SCANS = [("files", 1_000), ("files", 10_000), ("names", 50_000), ("names", 200_000), ("names", 1_000_000)]


def main() -> None:
    """Measure, print, and record if requested."""
    arguments = argument_parser("Peak memory of scans by each engine.").parse_args()
    rows = []
    versions = []
    for engine, package in ENGINES.items():
        if package and not find_spec(package):
            continue
        if package:
            versions.append(f"{package} {version(package)}")
        for what, count in SCANS:
            peaks = measured(engine, what, count)
            memory = {f"{process}_mb": f"{peak / 1e6:.0f}" for process, peak in peaks.items() if peak}
            rows.append({"engine": engine, "what": what, "count": str(count), **memory})
            print(rows[-1], flush=True)
    print_table("peak memory", rows)
    if arguments.record:
        columns = dict.fromkeys(key for row in rows for key in row)
        facts = {"versions": ", ".join(versions)}
        write_record("dataset-memory", facts, [{key: row.get(key, "") for key in columns} for row in rows])


if __name__ == "__main__":
    main()
