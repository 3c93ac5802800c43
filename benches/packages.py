"""The packages that catalogues.txt names, and the translations in their message catalogues."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

LIST = Path(__file__).with_name("catalogues.txt")
CATALOGUE = re.compile(r"/([A-Za-z]{2,3}(?:[-_@][A-Za-z@]+)?)/LC_MESSAGES/[^/]+\.mo$")
VENDORED = re.compile(r"/(dist|_?vendor|site-packages)/")
MAX_CHARS = 600


class Text(NamedTuple):
    """A text of a catalogue."""

    package: str
    language: str
    text: str


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the packages."""
    parser.add_argument(
        "--packages", type=Path, metavar="DIR", help="a folder for the packages, which are kept"
    )
    parser.add_argument(
        "--part", choices=("report", "tune"), default="report", help="the packages (default: report)"
    )


def fetch_part(folder: Path, part: str) -> tuple[list[Path], set[str]]:
    """Return the packages of a part, and the texts of the parts by which something was chosen before it."""
    others = ["learn", "tune"] if part == "report" else ["learn"]
    known = {text.text for package in fetch(folder, *others) for text in texts(package)}
    return fetch(folder, part), known


def fetch(folder: Path, *parts: str) -> list[Path]:
    """Download the packages of some parts into a folder, where they are not there, and return their paths."""
    found = []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        part, _, package = line.partition(" ")
        if part not in parts:
            continue
        archive, name = package.split(" ")
        place = folder / archive / name
        if not place.is_dir() or not any(place.iterdir()):
            place.mkdir(parents=True, exist_ok=True)
            pip = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                str(place),
                name,
            ]
            command = pip if archive == "pypi" else ["apt-get", "download", "--quiet=2", name]
            if subprocess.run(command, cwd=place, check=False).returncode:
                print(f"not found: {name}", file=sys.stderr)
        found += sorted(place.iterdir())
    return found


def catalogues(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the language and the contents of each catalogue in a package."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            files = [(name, wheel.read(name)) for name in wheel.namelist() if name.endswith(".mo")]
    else:
        data = package.read_bytes()
        if package.suffix == ".deb":
            command = ["dpkg-deb", "--fsys-tarfile", str(package)]
            data = subprocess.run(command, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            mo = (member for member in archive if member.isfile() and member.name.endswith(".mo"))
            files = [(member.name, file.read()) for member in mo if (file := archive.extractfile(member))]
    for name, content in sorted(files):
        if (match := CATALOGUE.search(name)) and not VENDORED.search(name):
            yield match[1], content


def translations(catalogue: bytes) -> Iterator[str]:
    """Yield the translations in a catalogue of GNU gettext that are UTF-8, without its head."""
    order = "<" if catalogue[:4] == b"\xde\x12\x04\x95" else ">"
    _, _, count, sources, targets = struct.unpack_from(f"{order}5I", catalogue)
    for number in range(count):
        if struct.unpack_from(f"{order}I", catalogue, sources + 8 * number)[0]:
            size, start = struct.unpack_from(f"{order}2I", catalogue, targets + 8 * number)
            with suppress(UnicodeDecodeError):
                yield from catalogue[start : start + size].decode().split("\0")


def texts(package: Path) -> Iterator[Text]:
    """Yield the different translations of a package, each language for itself."""
    name = re.split(r"[-_]\d", package.name)[0]
    met = set()
    for language, content in catalogues(package):
        for text in translations(content):
            if text and (language, text) not in met:
                met.add((language, text))
                yield Text(name, language, text[:MAX_CHARS])


def lines(package: Path) -> Iterator[str]:
    """Yield the lines of a wheel's sources and documentation that are not ASCII."""
    with zipfile.ZipFile(package) as wheel:
        for name in sorted(wheel.namelist()):
            if name.endswith((".py", ".md", ".rst", ".txt", "METADATA")):
                text = wheel.read(name).decode(errors="replace")
                yield from (line[:MAX_CHARS] for line in text.splitlines() if not line.isascii())


def is_misread(text: str) -> bool:
    """Return whether a text is damaged by itself: it has sequences of UTF-8, or what no text has."""
    if any(unicodedata.category(char) in {"Co", "Cn", "Cs"} or "\x7f" <= char < "\xa0" for char in text):
        return True
    if "\ufffd" in text:
        return True
    for encoding in ("cp1252", "cp1250", "cp1251"):
        data = b"".join(char.encode(encoding, "replace") for char in text)
        if any(ord(char) > 0x7F and char != "\ufffd" for char in data.decode("utf-8", "replace")):
            return True
    return False
