"""Compare two wheels bit by bit, and print which of their files differ.

python packaging/compare.py WHEEL WHEEL
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def differences(first: Path, second: Path) -> Iterator[str]:
    """Yield what differs: names, contents, and all else that a wheel has about its files."""
    if first.read_bytes() == second.read_bytes():
        return
    if first.name != second.name:
        yield f"the names of the wheels: {first.name}, {second.name}"
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        names = one.namelist(), other.namelist()
        for name in sorted({*names[0]} ^ {*names[1]}):
            yield f"{name}: only in the {'first' if name in names[0] else 'second'}"
        for name in sorted({*names[0]} & {*names[1]}):
            contents = one.read(name), other.read(name)
            if contents[0] != contents[1]:
                yield f"{name}: {place(*contents)}"
            elif fields(one.getinfo(name)) != fields(other.getinfo(name)):
                yield f"{name}: its time, permissions or compression"
        if sorted(names[0]) == sorted(names[1]) and names[0] != names[1]:
            yield "the order of the files"
    yield "the wheels are not equal bit by bit"


def place(first: bytes, second: bytes) -> str:
    """Return where two contents differ first."""
    pairs = enumerate(zip(first, second, strict=False))
    at = next((index for index, (one, other) in pairs if one != other), min(len(first), len(second)))
    return f"differs from byte {at:,} on, of {len(first):,} and {len(second):,}"


def fields(info: zipfile.ZipInfo) -> tuple[object, ...]:
    """Return what a wheel has about a file, but where it is."""
    return (
        info.date_time,
        info.external_attr,
        info.compress_type,
        info.compress_size,
        info.extra,
        info.comment,
    )


def main() -> None:
    """Compare the wheels; fail if they differ."""
    first, second = map(Path, sys.argv[1:])
    found = list(differences(first, second))
    print(*found, sep="\n", end="\n" if found else "")
    if not found:
        print(f"{first.name}: both are equal, SHA-256 {hashlib.sha256(first.read_bytes()).hexdigest()}")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
