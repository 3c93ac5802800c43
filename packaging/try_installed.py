"""Try an installed leadbyte, by the standard library alone: README's examples, the command, and its files.

python -I packaging/try_installed.py VERSION
"""

from __future__ import annotations

import doctest
import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import leadbyte

PROJECT = Path(__file__).parents[1]
INSTALLED = Path(__file__).parent / "installed/data"


def run(*command: str | Path) -> str:
    """Return the output of a command, in UTF-8; CalledProcessError if it fails."""
    env = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True, env=env).stdout


def faults(version: str) -> list[str]:
    """Return the faults of the installed package."""
    found = []
    if PROJECT / "python" in Path(leadbyte.__file__).parents:
        found.append(f"{leadbyte.__file__} is not installed")
    versions = {leadbyte.__version__, importlib.metadata.version("leadbyte")}
    if versions != {version}:
        found.append(f"its versions are {versions}, not {version}")
    required = importlib.metadata.requires("leadbyte") or []
    found += [f"it requires {name}" for name in required if "extra ==" not in name]
    # The tests of the package run all examples of all pages.
    failed, attempted = doctest.testfile(str(PROJECT / "README.md"), module_relative=False, encoding="utf-8")
    if failed or attempted < 5:
        found.append(f"{failed} of {attempted} examples in README.md failed")
    command = Path(sysconfig.get_path("scripts"), "leadbyte" + (".exe" if os.name == "nt" else ""))
    for start in ([command], [sys.executable, "-I", "-m", "leadbyte"]):
        if version not in run(*start, "--version"):
            found.append(f"{start[-1]} --version does not print {version}")
        if "1 file checked" not in run(*start, "check", PROJECT / "README.md"):
            found.append(f"{start[-1]} check does not check README.md")
    for path in sorted(INSTALLED.rglob("*")):
        if path.is_file() and not Path(sys.prefix, path.relative_to(INSTALLED)).is_file():
            found.append(f"{path.relative_to(INSTALLED)} is missing")
    return found


def main() -> None:
    """Print the faults; fail if there are any."""
    found = faults(sys.argv[1])
    print(*found, sep="\n", end="\n" if found else "")
    if not found:
        print(f"leadbyte {sys.argv[1]} works with Python {sys.version.split()[0]}: {leadbyte.__file__}")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
