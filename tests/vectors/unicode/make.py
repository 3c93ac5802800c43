#!/usr/bin/env python3
"""Take Unicode's conformance tests from the crates whose data leadbyte uses, and its sequences.

    python tests/vectors/unicode/make.py [FOLDER]

They are kept as they are, compressed, with their licence. The crates' versions are those of ``Cargo.lock``.
No crate has the standardized variation sequences and emoji sequences: they are taken from FOLDER if given,
for instance ``/usr/share/unicode``, where Debian's package ``unicode-data`` has them; its version must
be the crates'.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILES = {
    "icu_normalizer": "tests/data/NormalizationTest.txt",
    "icu_segmenter": "tests/testdata/GraphemeBreakTest.txt",
}

SEQUENCES = ("StandardizedVariants.txt", "emoji/emoji-variation-sequences.txt", "emoji/emoji-test.txt")


def main(folder: str | None = None) -> None:
    """Write the files anew."""
    if folder:
        for file in SEQUENCES:
            text = Path(folder, file).read_bytes()
            (HERE / f"{Path(file).name}.gz").write_bytes(gzip.compress(text, mtime=0))
            print(f"{text.splitlines()[0].decode()}")
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
    main(*sys.argv[1:])
