"""Run all benchmarks on the installed package; with ``--record`` keep the results and show them in README."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent
SCRIPTS = [
    "peers",
    "strings",
    "lines",
    "errors",
    "transcode",
    "variants",
    "detection",
    "mojibake",
    "unicode",
    "hidden",
    "json_lines",
    "truncate",
    "columns",
    "engines",
    "programs",
    "files",
    "dataset",
    "slow_inputs",
]
# Measured by AVX2, too, for a column of README.
BY_AVX2 = ["peers", "strings", "programs"]
CRATE = ["--profile", "dist", "-p", "leadbyte-benches"]


def peers_library(environment: dict[str, str]) -> str:
    """Build the library through which the scripts call native peers, and return its path."""
    build = ["cargo", "build", *CRATE, "--lib", "--message-format", "json"]
    done = subprocess.run(build, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    files = (path for line in done.stdout.splitlines() for path in json.loads(line).get("filenames", []))
    return next(str(path) for path in files if "leadbyte_peers" in path)


def main() -> None:
    """Run one after another."""
    options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LEADBYTE_TEXTS": folder}

        def run(*command: str) -> None:
            subprocess.run(command, cwd=PROJECT, env=environment, check=True)

        run(sys.executable, str(HERE / "texts.py"), folder)
        run("cargo", "run", *CRATE, "--", *options)
        run("cargo", "run", *CRATE, "--bin", "offsets", "--", *options)
        environment["LEADBYTE_PEERS"] = peers_library(environment)
        for script in SCRIPTS:
            run(sys.executable, str(HERE / f"{script}.py"), *options)
        environment["LEADBYTE_ISA"] = "avx2"
        for script in BY_AVX2:
            run(sys.executable, str(HERE / f"{script}.py"), *options)
        if "--record" in options:
            run(sys.executable, str(HERE / "report.py"))


if __name__ == "__main__":
    main()
