#!/usr/bin/env python3
"""Write the vectors of CESU-8 and Modified UTF-8 anew, by a JDK and by ICU: nothing here uses leadbyte.

    python tests/vectors/make.py

It takes ``java`` from a JDK of version 11 or later, which runs ``Vectors.java``, and ``uconv`` (Debian:
packages default-jdk-headless and icu-devtools). The tests only read ``variants.txt``.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
EDGES = [
    0x00, 0x01, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD,
    0xFFFF, 0x1_0000, 0xF_FFFF, 0x10_0000, 0x10_FFFF,
]  # fmt: skip
HALVES = [0xD800, 0xDBFF, 0xDC00, 0xDFFF]
WORDS = [
    "naïve café",
    "Съешь ещё этих",
    "視野無限廣",
    "ऋषियों",
    "한국어",
    "😀👩\u200d👧𠜎",
    "tab\tand\0null\n",
]
HEADER = """\
# CESU-8 and Modified UTF-8, made by tests/vectors/make.py with {java} and {icu}.
# A line is a text as units of UTF-16, its Modified UTF-8 and its CESU-8, in hex; "-" where there is none.
"""


def texts() -> Iterator[list[int]]:
    """Give texts as units of UTF-16."""
    for code in EDGES:
        yield units(chr(code))
        yield units("a" + chr(code) + "€")
    # Every plane: its first and last character but those that are none, and one in between.
    for plane in range(1, 17):
        yield units("".join(chr(plane << 16 | low) for low in (0, 0x1, 0x3FF, 0x400, 0x1234, 0xFFFD, 0xFFFF)))
    for first, second in itertools.product(HALVES, [*HALVES, 0x41, 0xD7FF, 0xE000]):
        yield [first, second]
        yield [0x61, first, second, 0x62]
    for three in itertools.product([0xD83D, 0xDE00, 0x20], repeat=3):
        yield list(three)
    for word in WORDS:
        yield units(word)
        yield units(word * 40)
    source = random.Random(26)
    for length in (1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 200):
        yield units("".join(map(chr, source.choices(EDGES, k=length))))
        yield source.choices([*HALVES, 0, 0x41, 0xE9, 0x20AC, 0xD83D, 0xDE00], k=length)
        yield [source.randrange(0x1_0000) for _ in range(length)]


def units(text: str) -> list[int]:
    """Return the units of a text."""
    data = text.encode("utf-16-be")
    return [high << 8 | low for high, low in zip(data[::2], data[1::2], strict=True)]


def run(*command: str | Path, data: bytes | None = None) -> bytes:
    """Run a command; return what it printed."""
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def main() -> None:
    """Ask the JDK, compare its CESU-8 with that of ICU, and write the file."""
    lines = list(dict.fromkeys("".join(f"{unit:04x}" for unit in text) for text in texts()))
    with tempfile.TemporaryDirectory() as directory:
        listed = Path(directory, "texts")
        listed.write_text("\n".join(lines) + "\n", encoding="ascii")
        answers = run("java", HERE / "Vectors.java", listed).decode("ascii").splitlines()
    for answer in answers:
        text, _, cesu = answer.split(" ")
        if cesu != "-":
            utf16 = bytes.fromhex(text)
            icu = run("uconv", "-f", "UTF-16BE", "-t", "CESU-8", data=utf16)
            assert icu.hex() == cesu, f"the JDK and ICU disagree about {text}"
            assert run("uconv", "-f", "CESU-8", "-t", "UTF-16BE", data=icu) == utf16, (
                f"ICU reads {cesu} otherwise"
            )
    java = run("java", "--version").decode().splitlines()[0]
    icu_version = run("uconv", "--version").decode().split()[-1]
    header = HEADER.format(java=java, icu=f"ICU {icu_version}")
    (HERE / "variants.txt").write_text(header + "\n".join(answers) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
