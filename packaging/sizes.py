"""Print the sizes of files to publish, packed and unpacked.

python packaging/sizes.py WHEEL_OR_SDIST_OR_CRATE...
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path


def members(path: Path) -> list[int]:
    """Return the sizes of the files inside, in bytes."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return [info.file_size for info in wheel.infolist()]
    with tarfile.open(path) as archive:
        return [member.size for member in archive if member.isfile()]


def main() -> None:
    """Print a row for each file."""
    width = max(len(Path(path).name) for path in sys.argv[1:])
    print(f"{'file':{width}}  {'bytes':>9}  {'unpacked':>10}  files")
    for path in map(Path, sys.argv[1:]):
        sizes = members(path)
        print(f"{path.name:{width}}  {path.stat().st_size:9,}  {sum(sizes):10,}  {len(sizes):5}")


if __name__ == "__main__":
    main()
