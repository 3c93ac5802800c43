#!/usr/bin/env python3
"""Take Unicode's conformance tests from the sources of the crates whose data leadbyte uses.

    python tests/vectors/unicode/make.py

They are kept as they are, compressed, with their licence. The crates' versions are those of ``Cargo.lock``.
"""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
FILES = {
    "icu_normalizer": "tests/data/NormalizationTest.txt",
    "icu_segmenter": "tests/testdata/GraphemeBreakTest.txt",
}


def main() -> None:
    """Write the files anew."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    told = subprocess.run(command, capture_output=True, check=True, cwd=HERE)
    packages = {package["name"]: package for package in json.loads(told.stdout)["packages"]}
    for name, file in FILES.items():
        source = Path(packages[name]["manifest_path"]).parent
        text = (source / file).read_bytes()
        (HERE / f"{Path(file).name}.gz").write_bytes(gzip.compress(text, mtime=0))
        (HERE / "LICENSE").write_bytes((source / "LICENSE").read_bytes())
        print(f"{Path(file).name} of {name} {packages[name]['version']}: {text.splitlines()[0].decode()}")


if __name__ == "__main__":
    main()
