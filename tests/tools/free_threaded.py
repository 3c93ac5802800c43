#!/usr/bin/env python3
"""Build a free-threaded CPython, which Debian has no package of, and print the path of its executable.

    python tests/tools/free_threaded.py FOLDER

The sources are from Debian's package, with the checksum below. Needs Debian, and root where the compiler or a
library is missing. It takes some minutes; what FOLDER already has is not built again.

Exits with 3 where it cannot be built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

VERSION = "3.14.7"
SHA256 = "3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81"
ARCHIVE = f"python3.14_{VERSION}.orig.tar.xz"
# The compiler, and the libraries of the modules that pip and the tests need.
PACKAGES = ["gcc", "libc6-dev", "libffi-dev", "libssl-dev", "make", "xz-utils", "zlib1g-dev"]
HELPER = Path("/usr/lib/apt/apt-helper")
UNAVAILABLE = 3


def unavailable(reason: str) -> NoReturn:
    """Exit because there can be no interpreter."""
    print(f"no free-threaded CPython: {reason}", file=sys.stderr)
    raise SystemExit(UNAVAILABLE)


def output(*command: str) -> str:
    """Return what a command prints, which must succeed."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def install() -> None:
    """Install the packages that are missing."""
    query = ["dpkg-query", "--show", "--showformat", "${db:Status-Abbrev}", *PACKAGES]
    found = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    if found.count("ii") == len(PACKAGES):
        return
    if os.geteuid() != 0:
        unavailable(f"one of {', '.join(PACKAGES)} is missing, and only root can install it")
    output("apt-get", "--quiet", "--quiet", "update")
    output("apt-get", "--quiet", "--yes", "--no-install-recommends", "install", *PACKAGES)


def fetch(folder: Path) -> Path:
    """Return the archive with the sources, downloaded from the archive of Debian that apt uses."""
    archive = folder / ARCHIVE
    show = ["apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"]
    targets = [line.partition(" ") for line in output(*show).splitlines()]
    mirrors = dict.fromkeys(address for label, _, address in targets if label == "Debian")
    for mirror in mirrors:
        address = f"{mirror}pool/main/p/python3.14/{ARCHIVE}"
        download = [str(HELPER), "download-file", address, str(archive), f"SHA256:{SHA256}"]
        if subprocess.run(download, stdout=subprocess.DEVNULL, check=False).returncode == 0:
            return archive
    unavailable(f"Debian's archive does not have {ARCHIVE} with its checksum; name a newer one in {__file__}")


def build(folder: Path) -> Path:
    """Return the executable, which is built and installed in the folder unless it is there."""
    prefix = folder / f"cpython-{VERSION}t"
    executable = prefix / "bin/python3.14t"
    if executable.exists():
        return executable
    if not HELPER.exists():
        unavailable("this is not Debian")
    install()
    folder.mkdir(parents=True, exist_ok=True)
    sources, objects = folder / "cpython", folder / "objects"
    for made in (sources, objects):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
    archive = fetch(folder)
    output("tar", "--extract", "--strip-components=1", f"--directory={sources}", f"--file={archive}")
    options = ["--disable-gil", "--disable-test-modules", "--quiet"]
    # Without optimization by profiles, which would take as long again.
    configure = [str(sources / "configure"), f"--prefix={prefix}", *options, "CFLAGS=-O1"]
    with (folder / "build.log").open("w") as log:
        for command in (configure, ["make", "--silent", "-j", jobs()], ["make", "--silent", "install"]):
            subprocess.run(command, cwd=objects, stdout=log, stderr=log, check=True)
    for made in (sources, objects):
        shutil.rmtree(made)
    return executable


def jobs() -> str:
    """Return the number of processes that compile, as cargo takes it from its environment."""
    return os.environ.get("CARGO_BUILD_JOBS") or str(os.cpu_count() or 1)


def main() -> None:
    """Build it and print its path."""
    print(build(Path(sys.argv[1]).absolute()))


if __name__ == "__main__":
    main()
