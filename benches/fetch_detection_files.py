#!/usr/bin/env python3
"""Fetch the files with which other detectors of encodings are tested, from their source distributions.

    python benches/fetch_detection_files.py DIR

They judge detection in benches/detection.py: no model is trained and no curve fitted with them. None is part
of the repository. pip downloads the distributions and compares their SHA-256.
"""

from __future__ import annotations

import argparse
import codecs
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIREMENTS = """
chardet==6.0.0.post1 --hash=sha256:6b78048c3c97c7b2ed1fbad7a18f76f5a6547f7d34dbab536cc13887c9a92fa4
charset-normalizer==3.5.2 --hash=sha256:39de2a259fc954455c57274dc94c79d5842774e1247a016aff30bc0efed0f4ef
cchardet==2.1.7 --hash=sha256:c428b6336545053c2589f6caf24ea32276c6664cb86db817e03a94c60afa0eaf
"""
"""The last chardet with its files, charset-normalizer, and cchardet, which contains the files of uchardet."""

FOLDERS = {
    "chardet": re.compile(r"chardet-[^/]+/tests/(?P<name>[^/]+)/[^/]+"),
    "charset-normalizer": re.compile(r"charset_normalizer-[^/]+/data/(?P<name>sample-[^/]+)"),
    "uchardet": re.compile(r"cchardet-[^/]+/src/ext/uchardet/test/[a-z]+/(?P<name>[^/]+)"),
}
"""The paths of the files; ``name`` names the encoding, or the file."""
EXPECTED = re.compile(r"""['"](?P<name>sample-[^'"]+)['"],\s*['"](?P<encoding>[^'"]+)['"]""")
"""The encodings of charset-normalizer's files, in its test."""
OTHER_NAMES = {"uhc": "cp949", "mac-centraleurope": "mac-latin2", "maccentraleurope": "mac-latin2"}
NO_TEXT = "None"

WIDER = {
    "gb2312": ["gb18030"],
    "big5": ["cp950", "big5hkscs"],
    "shift_jis": ["cp932", "shift_jis_2004"],
    "cp932": ["shift_jis_2004"],
    "euc_jp": ["euc_jis_2004"],
    "euc_kr": ["cp949"],
    "iso2022_jp": ["iso2022_jp_ext"],
    "tis-620": ["cp874"],
    "iso8859-1": ["cp1252"],
    "iso8859-8": ["cp1255"],
    "iso8859-9": ["cp1254"],
}
"""Codecs of Python with more characters, which files of an encoding often need."""


UNICODE = {
    "ascii", "utf-8", "utf-8-sig",
    "utf-16", "utf-16-be", "utf-16-le", "utf-32", "utf-32-be", "utf-32-le",
}  # fmt: skip
"""The codecs whose files are not legacy text."""


class JudgingFile(NamedTuple):
    """A file of another project, and the encoding that its name states."""

    source: str
    name: str
    encoding: str | None
    """A codec of Python; None for data that is not text."""
    text: str
    data: bytes


def codec_of(name: str) -> str | None:
    """Return the codec of Python that a name like ``iso-8859-5-russian`` or ``ibm866.txt`` states."""
    stem = name.split(".", maxsplit=1)[0].lower() if name != NO_TEXT else name
    extension = {"utf-16.be", "utf-16.le", "utf-32.be", "utf-32.le"} & {name}
    if extension:
        stem = name.replace(".", "-")
    for candidate in (stem, stem.rpartition("-")[0]):
        try:
            return codecs.lookup(OTHER_NAMES.get(candidate, candidate)).name
        except LookupError:
            pass
    return None


def text_of(data: bytes, encoding: str) -> tuple[str, str] | None:
    """Return the text of a file and the codec that decodes it; None if the one stated is wrong."""
    for codec in (encoding, *WIDER.get(encoding, ())):
        try:
            return data.decode(codec).removeprefix("\ufeff"), codec
        except ValueError:
            pass
    return None


def part_of_file(file: JudgingFile, size: int) -> JudgingFile | None:
    """Return the middle of a file, at most this many bytes, cut between characters.

    Return None if the file is shorter or not text, or if all encodings give the same text of the part.
    """
    if file.encoding is None or len(file.data) <= size:
        return None
    middle, low, high = len(file.text) // 2, 1, size
    while low < high:
        reach = (low + high + 1) // 2
        try:
            fits = len(file.text[max(0, middle - reach) : middle + reach].encode(file.encoding)) <= size
        except ValueError:
            return None
        low, high = (reach, high) if fits else (low, reach - 1)
    text = file.text[max(0, middle - low) : middle + low]
    data = text.encode(file.encoding)
    return None if text.isascii() and data.isascii() else file._replace(text=text, data=data)


def reads_file(file: JudgingFile, answer: str | None) -> bool:
    """Return whether an encoding gives the text of a file, or the text of a codec with more characters."""
    if answer is None or file.encoding is None:
        return answer == file.encoding
    try:
        text = file.data.decode(answer).removeprefix("\ufeff")
    except (LookupError, ValueError):
        return False
    wider = (text_of(file.data, codec) for codec in WIDER.get(file.encoding, ()))
    return text == file.text or any(read is not None and text == read[0] for read in wider)


def fetch(folder: Path) -> None:
    """Download the source distributions into a folder."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(REQUIREMENTS)
        file.flush()
        command = ["download", "--no-deps", "--no-binary=:all:", "--require-hashes", "-r", file.name]
        subprocess.run([sys.executable, "-m", "pip", *command, "--dest", str(folder)], check=True)


def members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and the contents of all files in the distributions of a folder."""
    for path in sorted(folder.glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield member.name, file.read()


def judging_files(folder: Path) -> Iterator[JudgingFile]:
    """Yield the files that are text in a codec of Python, each content once, and those that are not text."""
    seen: set[bytes] = set()
    contents = dict(members(folder))
    tests = [
        data.decode() for path, data in contents.items() if "charset_normalizer" in path and "/tests/" in path
    ]
    expected = {found["name"]: found["encoding"] for test in tests for found in EXPECTED.finditer(test)}
    for path, data in contents.items():
        for source, pattern in FOLDERS.items():
            found = pattern.fullmatch(path)
            digest = hashlib.sha256(data).digest()
            if found is None or digest in seen:
                continue
            seen.add(digest)
            name = expected.get(found["name"], found["name"])
            place = f"{source}: {found['name']}/{PurePosixPath(path).name}"
            encoding = codec_of(name)
            if name == NO_TEXT:
                yield JudgingFile(source, place, None, "", data)
            elif encoding and (read := text_of(data, encoding)):
                yield JudgingFile(source, place, read[1], read[0], data)


def main() -> None:
    """Download, and print the number of files by project."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    folder = parser.parse_args().folder
    fetch(folder)
    files = list(judging_files(folder))
    for source in FOLDERS:
        print(f"{source}: {sum(file.source == source for file in files)}")


if __name__ == "__main__":
    main()
