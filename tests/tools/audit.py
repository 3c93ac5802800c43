"""Audit the files to publish: size, files, links of the description, SBOM, and the C library of Linux wheels.

    python tests/tools/audit.py WHEEL_OR_SDIST...

Wheels for Linux need auditwheel, and must match the platform in their name.
"""

from __future__ import annotations

import hashlib
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

LIMIT = 2_740_000  # bytes
PROJECT = Path(__file__).parents[2]
LICENCES = {"LICENSE-APACHE", "LICENSE-MIT"}
SUFFIXES = {".py", ".pyi", ".typed"}
# Where cargo and rustup keep sources: the build replaces them by names that all machines share.
FOLDERS_OF_A_MACHINE = [b"/.cargo/", b"/.rustup/", b"\\.cargo\\", b"\\.rustup\\"]
EXTENSION = re.compile(r"leadbyte/_leadbyte\.[\w.-]+\.(so|pyd)")
PLATFORM = re.compile(r"(manylinux|musllinux)_(\d+)_(\d+)_([a-z0-9_]+)")
# The software bill of materials, which packaging/sbom.py makes.
SBOM = "packaging/leadbyte.cdx.json"
# The metadata of a wheel.
METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt"}
# The folders of a source distribution, and the files that it must have to be built and tested.
FOLDERS = {"conformance", "docs", "examples", "packaging", "python", "src", "tests"}
NEEDED = {
    "Cargo.toml",
    "Cargo.lock",
    "pyproject.toml",
    "README.md",
    "PKG-INFO",
    "src/lib.rs",
    SBOM,
    *LICENCES,
}
RELATIVE_LINK = re.compile(r"""(?:\]\(|\]: |\b(?:src|href)=["'])(?!https?:|mailto:|#)([^\s)"']+)""")
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
JUNK = {".so", ".pyd", ".pyc", ".log", ".whl"}


def sources() -> set[str]:
    """Return the files of the source tree that belong in a wheel: the package, and what comes with it."""
    package = [path for path in (PROJECT / "python/leadbyte").rglob("*") if path.suffix in SUFFIXES]
    beside = [path for path in (PROJECT / "packaging/installed").rglob("*") if path.is_file()]
    return {path.relative_to(PROJECT).as_posix() for path in [*package, *beside]}


def source_of(name: str) -> str:
    """Return the path in the source tree of a wheel's file."""
    folder, _, rest = name.partition("/")
    if folder == "leadbyte":
        return f"python/{name}"
    return f"packaging/installed/{rest}" if folder.endswith(".data") else name


def relative_links(text: str) -> list[str]:
    """Return the targets of links and images in Markdown that are neither absolute nor within the page."""
    return RELATIVE_LINK.findall(text)


def faults_of_description(text: str) -> Iterator[str]:
    """Yield the links that lead nowhere on the package's page on PyPI."""
    for target in relative_links(text):
        yield f"relative link in the description: {target}"


def faults_of_wheel(path: Path) -> Iterator[str]:
    """Yield the faults of a wheel."""
    with zipfile.ZipFile(path) as opened:
        names = set(opened.namelist())
        descriptions = [opened.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    yield from faults_of_description("".join(descriptions))
    extensions = set(filter(EXTENSION.fullmatch, names))
    if len(extensions) != 1:
        yield f"extension modules: {sorted(extensions)}"
    metadata = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    for name in sorted((METADATA | LICENCES) - {PurePosixPath(name).name for name in metadata}):
        yield f"{name} is missing"
    files = {source_of(name) for name in names - extensions - metadata}
    for name in sorted(files ^ sources()):
        yield f"{name} is {'not of the package' if name in files else 'missing'}"
    with zipfile.ZipFile(path) as opened:
        modules = [opened.read(name) for name in extensions]
    for folder in FOLDERS_OF_A_MACHINE:
        if any(folder in module for module in modules):
            yield f"the extension module names {folder.decode()} of the machine that built it"
    yield from faults_of_sboms(path)
    if "linux" in path.name:
        yield from faults_of_linux(path)


def faults_of_sboms(path: Path) -> Iterator[str]:
    """Yield the faults of the bill of materials in a wheel (PEP 770), which has the crates of Cargo.lock."""
    with zipfile.ZipFile(path) as opened:
        bills = {
            name.partition("/")[2]: opened.read(name)
            for name in opened.namelist()
            if name.partition("/")[2].startswith("sboms/")
        }
    expected = f"sboms/{PurePosixPath(SBOM).name}"
    if set(bills) != {expected}:
        yield f"bills of materials: {sorted(bills)}, not {expected}"
        return
    if bills[expected] != (PROJECT / SBOM).read_bytes():
        yield f"{expected} is another than {SBOM}"
        return
    # Of crates in this project, Cargo.lock has no checksum.
    lock = (PROJECT / "Cargo.lock").read_text("utf-8")
    for component in json.loads(bills[expected])["components"]:
        lines = [f'name = "{component["name"]}"', f'version = "{component["version"]}"']
        for digest in component.get("hashes", []):
            lines += [f'source = "{REGISTRY}"', f'checksum = "{digest["content"]}"']
        if "\n".join(lines) + "\n" not in lock:
            yield f"{component['purl']} of {SBOM} is not in Cargo.lock: run python packaging/sbom.py"


def faults_of_linux(path: Path) -> Iterator[str]:
    """Yield requirements of a newer Linux than the name of a wheel promises, or of unexpected libraries."""
    # The libraries of this machine are irrelevant: it may be of another architecture.
    show: list[str | Path] = ["auditwheel", "show", "--json", "--ldpaths", path.parent, path]
    report = json.loads(subprocess.run(show, stdout=subprocess.PIPE, check=True).stdout)
    needed = PLATFORM.fullmatch(report["sym_tag"])
    named = PLATFORM.search(path.stem.rpartition("-")[2])
    if not needed or not named or needed[1] != named[1] or needed[4] != named[4]:
        yield f"it needs {report['sym_tag']}"
    elif (int(needed[2]), int(needed[3])) > (int(named[2]), int(named[3])):
        yield f"it needs {report['sym_tag']}: {report['versioned_symbols']}"
    # Zig links musl's C library by its generic name.
    for library in sorted(set(report["external_libs"]) - {"libc.so"}):
        yield f"it needs {library}"
    with zipfile.ZipFile(path) as opened:
        modules = [opened.read(name) for name in opened.namelist() if EXTENSION.fullmatch(name)]
    # Otherwise CPython before 3.14 crashes when it ends daemon threads; musl's pthread_exit does not unwind.
    if named and named[1] == "manylinux" and not all(b"libgcc_s.so.1" in module for module in modules):
        yield "it does not use the unwinder of libgcc_s.so.1"


def faults_of_sdist(path: Path) -> Iterator[str]:
    """Yield the faults of a source distribution."""
    with tarfile.open(path) as opened:
        inside = [PurePosixPath(*PurePosixPath(name).parts[1:]) for name in opened.getnames()]
        files = [
            opened.extractfile(name)
            for name in opened.getnames()
            if name.count("/") == 1 and name.endswith("/PKG-INFO")
        ]
        descriptions = [file.read().decode() for file in files if file]
    yield from faults_of_description("".join(descriptions))
    names = {str(name) for name in inside}
    for name in sorted((NEEDED | sources()) - names):
        yield f"{name} is missing"
    for held in inside:
        if held.suffix in JUNK or (len(held.parts) > 1 and held.parts[0] not in FOLDERS):
            yield f"{held} is not needed"


def main() -> None:
    """Audit each file named; fail if one has a fault."""
    failed = False
    for path in map(Path, sys.argv[1:]):
        size = path.stat().st_size
        print(f"{path.name}: {size:,} bytes, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
        faults = [*(faults_of_wheel(path) if path.suffix == ".whl" else faults_of_sdist(path))]
        if size > LIMIT:
            faults.append(f"larger than {LIMIT:,} bytes")
        for fault in faults:
            print(f"{path.name}: {fault}")
        failed = failed or bool(faults)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
