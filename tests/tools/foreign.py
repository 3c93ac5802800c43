#!/usr/bin/env python3
"""Test a wheel in Debian's Python for another CPU, under QEMU; needs Debian on x86-64, and root.

    python tests/tools/foreign.py ARCHITECTURE WHEEL [OPTION_OF_PYTEST...]

ARCHITECTURE is a name of Debian: i386 and armhf have 32 bits, s390x has the other order of bytes. Packages
of that Python are downloaded and unpacked, not installed. README is tested, and the tests named, or else
functions that depend on the size of integers or on the order of bytes in memory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
QEMU = {"armhf": "qemu-arm", "i386": "qemu-i386", "s390x": "qemu-s390x"}
PYTHON = "python{version}-minimal libpython{version}-minimal libpython{version}-stdlib"
# What these and the module of leadbyte link.
LIBRARIES = "libbz2-1.0 libc6 libcrypt1 libexpat1 libffi8 libgcc-s1 liblzma5 libssl3 libuuid1 zlib1g"
FILES = [
    "buffers",
    "counts",
    "decode",
    "encode",
    "encode_into",
    "offset_map",
    "scan",
    "str_storage",
    "stream",
]
TESTS = [f"tests/python/core/test_{name}.py" for name in FILES]
README = """
import doctest, platform, sys
import leadbyte
failed, attempted = doctest.testfile(sys.argv[1], module_relative=False, encoding="utf-8")
active = leadbyte.cpu_info()["functions"]["scan"]
bits = sys.maxsize.bit_length() + 1
print(f"{platform.machine()}, {sys.byteorder}-endian, {bits} bits, {active}: ", end="")
print(f"{attempted - failed} of {attempted} examples of README.md passed", flush=True)
raise SystemExit(failed > 0 or attempted < 5)
"""


def output(*command: str | Path) -> str:
    """Run a command that must succeed, and return what it prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def version() -> str:
    """Return the version of Debian's Python, as 3.11."""
    return output("/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")


def unpacked(architecture: str) -> Path:
    """Return the folder with Debian's Python for a CPU."""
    folder = TARGET / "python-of-debian" / f"{architecture}-{version()}"
    if folder.exists():
        return folder
    # With lists of its own, for the machine itself shall not have another architecture.
    with tempfile.TemporaryDirectory() as directory:
        apt = ["apt-get", "--quiet", "--quiet"]
        for option in (
            "APT::Architectures::=amd64",
            f"APT::Architectures::={architecture}",
            "APT::Sandbox::User=root",
            f"Dir::State::Lists={directory}",
            f"Dir::Cache={directory}",
        ):
            apt += ["--option", option]
        subprocess.run([*apt, "update"], cwd=directory, check=False)
        names = [*PYTHON.format(version=version()).split(), *LIBRARIES.split()]
        packages = [f"{name}:{architecture}" for name in names]
        subprocess.run([*apt, "download", *packages], cwd=directory, check=True)
        root = Path(directory, "unpacked")
        for package in sorted(Path(directory).glob("*.deb")):
            output("dpkg", "--extract", package, root)
        shutil.copytree(root, folder, symlinks=True)
    return folder


def interpreter(architecture: str, root: Path, folder: Path) -> Path:
    """Write a program that runs the Python, which Python itself also takes for its executable."""
    program = folder / "python"
    command = f'{QEMU[architecture]} -L {root} {root}/usr/bin/python{version()} "$@"'
    program.write_text(f"#!/bin/sh\nPYTHONPATH={folder}:{PROJECT}/tests/python/support exec {command}\n")
    program.chmod(0o755)
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.executable = {str(program)!r}\n")
    return program


def main() -> None:
    """Run the examples and the tests."""
    architecture, wheel, *options = sys.argv[1:]
    if not shutil.which(QEMU[architecture]):
        output("apt-get", "--quiet", "--quiet", "update")
        output("apt-get", "--quiet", "--yes", "--no-install-recommends", "install", "qemu-user")
    root = unpacked(architecture)
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        with zipfile.ZipFile(wheel) as opened:
            opened.extractall(folder)
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", f"--target={folder}"]
        # The newest without machine code.
        install += ["--platform=any", "--abi=none", "--only-binary=:all:", f"--python-version={version()}"]
        output(*install, "pytest>=9", "hypothesis", "pytest-run-parallel")
        python = interpreter(architecture, root, folder)
        env = {**os.environ, "LEADBYTE_TESTS": "boundary", "LEADBYTE_EMULATED": "1"}
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        subprocess.run([python, "-c", README, str(PROJECT / "README.md")], check=True, env=env)
        test = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not clock and not once"]
        subprocess.run([python, *test, *(options or TESTS)], check=True, env=env, cwd=PROJECT)


if __name__ == "__main__":
    main()
