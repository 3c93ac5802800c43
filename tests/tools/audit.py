"""Look at what is to be published: size, files, and for Linux the C library that is needed.

    python tests/tools/audit.py WHEEL_OR_SDIST...

Wheels for Linux need auditwheel, and are held to the platform of their name.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 2_000_000  # bytes
PROJECT = Path(__file__).parents[2]
LICENCES = {"LICENSE-APACHE", "LICENSE-MIT"}
SUFFIXES = {".py", ".pyi", ".typed"}
EXTENSION = re.compile(r"leadbyte/_leadbyte\.[\w.-]+\.(so|pyd)")
PLATFORM = re.compile(r"(manylinux|musllinux)_(\d+)_(\d+)_([a-z0-9_]+)")
# The metadata of a wheel for installers.
METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt"}
# Where a source distribution's files are, and what it must have to be built and tested.
DIRECTORIES = {"docs", "examples", "packaging", "python", "src", "tests"}
NEEDED = {"Cargo.toml", "Cargo.lock", "pyproject.toml", "README.md", "PKG-INFO", "src/lib.rs", *LICENCES}
JUNK = {".so", ".pyd", ".pyc", ".log", ".whl"}


def sources() -> set[str]:
    """Return what the source tree has for a wheel: the package, and what is installed beside it."""
    package = [path for path in (PROJECT / "python/leadbyte").rglob("*") if path.suffix in SUFFIXES]
    beside = [path for path in (PROJECT / "packaging/installed").rglob("*") if path.is_file()]
    return {path.relative_to(PROJECT).as_posix() for path in [*package, *beside]}


def source_of(name: str) -> str:
    """Return the path of a wheel's file in the source tree, if it is there."""
    top, _, rest = name.partition("/")
    if top == "leadbyte":
        return f"python/{name}"
    return f"packaging/installed/{rest}" if top.endswith(".data") else name


def faults_of_wheel(path: Path) -> Iterator[str]:
    """Say what is wrong with a wheel."""
    with zipfile.ZipFile(path) as opened:
        names = set(opened.namelist())
    extensions = set(filter(EXTENSION.fullmatch, names))
    if len(extensions) != 1:
        yield f"extension modules: {sorted(extensions)}"
    metadata = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    for name in sorted((METADATA | LICENCES) - {PurePosixPath(name).name for name in metadata}):
        yield f"{name} is missing"
    files = {source_of(name) for name in names - extensions - metadata}
    for name in sorted(files ^ sources()):
        yield f"{name} is {'not of the package' if name in files else 'missing'}"
    if "linux" in path.name:
        yield from faults_of_linux(path)


def faults_of_linux(path: Path) -> Iterator[str]:
    """Return whether a wheel needs a newer Linux than its name promises, or other libraries than C's."""
    # The libraries of this machine have no say: it may be of another kind.
    show: list[str | Path] = ["auditwheel", "show", "--json", "--ldpaths", path.parent, path]
    reported = json.loads(subprocess.run(show, stdout=subprocess.PIPE, check=True).stdout)
    needed = PLATFORM.fullmatch(reported["sym_tag"])
    named = PLATFORM.search(path.stem.rpartition("-")[2])
    if not needed or not named or needed[1] != named[1] or needed[4] != named[4]:
        yield f"it needs {reported['sym_tag']}"
    elif (int(needed[2]), int(needed[3])) > (int(named[2]), int(named[3])):
        yield f"it needs {reported['sym_tag']}: {reported['versioned_symbols']}"
    # Zig calls musl's C library by the name that is for whichever is there.
    for library in sorted(set(reported["external_libs"]) - {"libc.so"}):
        yield f"it needs {library}"
    with zipfile.ZipFile(path) as opened:
        modules = [opened.read(name) for name in opened.namelist() if EXTENSION.fullmatch(name)]
    # Else CPython before 3.14 crashes when it ends daemon threads; musl's pthread_exit unwinds nothing.
    if named and named[1] == "manylinux" and not all(b"libgcc_s.so.1" in module for module in modules):
        yield "it does not use the unwinder of libgcc_s.so.1"


def faults_of_sdist(path: Path) -> Iterator[str]:
    """Say what is wrong with a source distribution."""
    with tarfile.open(path) as opened:
        inside = [PurePosixPath(*PurePosixPath(name).parts[1:]) for name in opened.getnames()]
    names = {str(name) for name in inside}
    for name in sorted((NEEDED | sources()) - names):
        yield f"{name} is missing"
    for held in inside:
        if held.suffix in JUNK or (len(held.parts) > 1 and held.parts[0] not in DIRECTORIES):
            yield f"{held} is not needed"


def main() -> None:
    """Look at each file named; fail if something is wrong with one."""
    failed = False
    for path in map(Path, sys.argv[1:]):
        size = path.stat().st_size
        print(f"{path.name}: {size:,} bytes")
        faults = [*(faults_of_wheel(path) if path.suffix == ".whl" else faults_of_sdist(path))]
        if size > LIMIT:
            faults.append(f"larger than {LIMIT:,} bytes")
        for fault in faults:
            print(f"{path.name}: {fault}")
        failed = failed or bool(faults)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
