#!/usr/bin/env python3
"""The texts that all benchmarks run on: made-up prose in many scripts, the same bytes every time.

What matters to a UTF-8 kernel is which lengths of characters follow each other, so words, spaces,
punctuation, digits and line breaks come about as densely as in real prose; the words mean nothing.

    python benches/texts.py OUT_DIR [--size BYTES]
"""

from __future__ import annotations

import argparse
import itertools
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

DEFAULT_SIZE = 1 << 20
POOL = 4 << 20  # bytes of all slices, of which there are at least two: predictors learn the branches of less
TINY_POOL = 4096  # the number of tiny slices
BATCH = 2048  # words drawn at once
VOCABULARY = 3000  # words of a script


@dataclass(frozen=True)
class Script:
    """What the prose of one script is made of."""

    units: Sequence[str]
    """Letters or syllables, the frequent ones more than once."""
    length: tuple[int, int]
    """The least and the most units in a word."""
    gaps: Mapping[str, float]
    """What may follow a word, and how often."""
    number_share: float = 0.02
    """How many of the words are numbers."""


def spaced(comma: str = ",", stop: str = ".") -> dict[str, float]:
    """Give the gaps of scripts that put spaces between words."""
    return {" ": 100, f"{comma} ": 8, f"{stop} ": 6, f"{stop}\n": 1.2, "-": 0.8, " (": 0.6, ") ": 0.6}


def unspaced(comma: str, stop: str, between: str = "") -> dict[str, float]:
    """Give the gaps of scripts that write words together."""
    return {"": 100, between: 1, comma: 9, stop: 5, f"{stop}\n": 1.2, "(": 0.5, ")": 0.5}


def span(first: int, last: int) -> str:
    """Give all characters from one code point to another."""
    return "".join(map(chr, range(first, last + 1)))


def syllables(consonants: str, vowels: str) -> list[str]:
    """Give each consonant alone (as often as with a vowel sign) and with each vowel sign."""
    vowelled = [consonant + vowel for consonant in consonants for vowel in vowels]
    return [*vowelled, *(consonants[index % len(consonants)] for index in range(len(vowelled)))]


LATIN = (
    "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvkjxqz"
)
FRENCH = (
    "eeeeeeeeeeeeeessssssssaaaaaaannnnnnntttttttiiiiiiirrrrrruuuuuullllloooodddccmmmppéééévqfbghjàxèêyzçîôû"
)
RUSSIAN = "ооооооооооееееееееааааааааиииииииннннннттттттссссссррррввввлллккммдддппуяыьгзбчйхжшюцщэф"
GREEK = "αααααααααοοοοοοοοιιιιιιιεεεεεεττττττννννννσσσσςςςρρρηηηκκπππυυλλμμίάόέήώύθδγχφβωξζψ"
HEBREW = "יייייייוווווווהההההההללללללאאאאאאררררתתתתבבבבממממשששננןדעקםפחטגכסצזךץף"
ARABIC = "ااااااااااللللللللييييييمممممننننوووورررتتتبببعععدددسسسفففههقكحجشةىأخطضصزذثغئإظآءؤ"
EMOJI = span(0x1F600, 0x1F64F) + span(0x1F300, 0x1F3FA) + span(0x1F400, 0x1F4FC) + span(0x1F680, 0x1F6C5)

SCRIPTS: dict[str, Script] = {
    "ascii": Script(LATIN, (1, 10), spaced()),
    "english": Script(LATIN, (1, 10), spaced() | {"’s ": 0.5, " – ": 0.3, " “": 0.3, "” ": 0.3, "é ": 0.1}),  # noqa: RUF001
    "french": Script(FRENCH, (1, 10), spaced() | {"’": 4, " « ": 0.4, " » ": 0.4}),  # noqa: RUF001
    "russian": Script(RUSSIAN, (1, 12), spaced() | {" — ": 1, " «": 0.5, "» ": 0.5}),
    "greek": Script(GREEK, (1, 11), spaced() | {" «": 0.5, "» ": 0.5}),
    "hebrew": Script(HEBREW, (2, 7), spaced()),
    "arabic": Script(ARABIC, (2, 8), spaced("،", ".")),
    "hindi": Script(syllables(span(0x915, 0x939), "ािीुूेैोौं्"), (1, 5), spaced(",", "।")),
    "thai": Script(syllables(span(0xE01, 0xE2E), "ะาิีึืุู่้์็"), (1, 4), unspaced(" ", " ", "ๆ ")),
    "chinese": Script(span(0x4E00, 0x9FA5), (1, 3), unspaced("，", "。", "、")),  # noqa: RUF001
    "japanese": Script(
        span(0x3041, 0x3093) * 12 + span(0x30A1, 0x30F6) * 4 + span(0x4E00, 0x5FFF),
        (1, 4),
        unspaced("、", "。", "・"),
    ),
    "korean": Script(span(0xAC00, 0xD7A3), (1, 4), spaced()),
    "emoji": Script(
        [*EMOJI, "❤️", "☀️", "👍🏽", "👩‍💻"], (1, 6), {" ": 10, "! ": 1, "\n": 1}, number_share=0.0
    ),
}


def prose(script: Script, size: int, source: random.Random) -> str:
    """Write at least `size` bytes of words of `script`, frequent words far more often than rare ones."""
    least, most = script.length
    lengths = [round(source.triangular(least, most, least + 2)) for _ in range(VOCABULARY)]
    vocabulary = ["".join(source.choices(script.units, k=length)) for length in lengths]
    frequency = list(itertools.accumulate(1 / (rank + 8) for rank in range(VOCABULARY)))
    gaps, weights = list(script.gaps), list(itertools.accumulate(script.gaps.values()))
    pieces: list[str] = []
    made = 0
    opens_sentence = True
    while made < size:
        first = len(pieces)
        words = source.choices(vocabulary, cum_weights=frequency, k=BATCH)
        for word, gap in zip(words, source.choices(gaps, cum_weights=weights, k=BATCH), strict=True):
            if source.random() < script.number_share:
                pieces.append(str(source.randrange(2100)))
            else:
                pieces.append(word.capitalize() if opens_sentence else word)
            pieces.append(gap)
            opens_sentence = gap.startswith((".", "।", "。"))
        made += sum(len(piece.encode()) for piece in pieces[first:])
    return "".join(pieces)


def log(size: int, source: random.Random) -> str:
    """Write lines such as a server does: ASCII, but for a user's name now and then."""
    users = ["alice", "bob", "carol", "dave", "eve", "mallory", "zoë", "Łukasz", "Наталья", "王芳", "साक्षी"]
    paths = ["/", "/index.html", "/api/v1/items", "/static/app.js", "/search?q=%D0%BC%D0%B8%D1%80"]
    lines: list[str] = []
    made = 0
    while made < size:
        line = (
            f"2026-0{source.randint(1, 9)}-{source.randint(10, 28)}T{source.randint(10, 23)}:"
            f"{source.randint(10, 59)}:{source.randint(10, 59)}.{source.randint(100, 999)}Z "
            f"{source.choice(['INFO ', 'WARN ', 'DEBUG'])} "
            f'[worker-{source.randint(1, 16)}] GET {source.choice(paths)} user="{source.choice(users)}" '
            f"status={source.choice([200, 200, 200, 304, 404, 500])} bytes={source.randrange(100_000)}\n"
        )
        lines.append(line)
        made += len(line.encode())
    return "".join(lines)


def whole(data: bytes) -> bytes:
    """Drop the characters that cuts broke from valid UTF-8."""
    return data.decode(errors="ignore").encode()


def mixed(size: int, source: random.Random) -> str:
    """Join passages of all the other texts, in any order."""
    texts = [make(name, size // 4) for name in NAMES if name != "mixed"]
    passages: list[bytes] = []
    made = 0
    while made < size:
        text = source.choice(texts)
        start = source.randrange(len(text))
        passages.append(text[start : start + source.randint(50, 3000)])
        made += len(passages[-1])
    return b"\n".join(map(whole, passages)).decode()


OTHERS: dict[str, Callable[[int, random.Random], str]] = {"log": log, "mixed": mixed}
NAMES = (*SCRIPTS, *OTHERS)


def make(name: str, size: int = DEFAULT_SIZE) -> bytes:
    """Make the text `name`: `size` bytes, or up to three less where a character would be cut."""
    source = random.Random(f"leadbyte {name}")
    text = prose(SCRIPTS[name], size, source) if name in SCRIPTS else OTHERS[name](size, source)
    return whole(text.encode()[:size])


def load(directory: Path | None) -> dict[str, bytes]:
    """Read the .txt files of `directory` by name, or without one make the texts."""
    if directory is None:
        return {name: make(name) for name in NAMES}
    texts = {path.stem: path.read_bytes() for path in sorted(directory.glob("*.txt"))}
    if not texts:
        message = f"no .txt files in {directory}"
        raise SystemExit(message)
    return texts


def slices(text: bytes, size: int) -> list[bytes]:
    """Cut different slices of about ``size`` bytes from a text, repeated as often as it takes."""
    source = random.Random(size)
    long = text * (size // len(text) + 2)
    starts = (source.randrange(len(text)) for _ in range(max(2, POOL // size)))
    return [whole(long[start : start + size]) for start in starts]


def rotations(text: bytes) -> list[bytes]:
    """Give a whole text, beginning at different places."""
    source = random.Random(len(text))
    starts = (source.randrange(len(text)) for _ in range(max(2, POOL // len(text))))
    return [whole(text[start:]) + whole(text[:start]) for start in starts]


def tiny_slices() -> Iterator[tuple[str, list[bytes]]]:
    """Make many different words of one length, for each of some lengths."""
    source = random.Random("tiny")
    for name, letters, chars in (
        ("11 ASCII", LATIN, 11),
        ("64 ASCII", LATIN, 64),
        ("6 Cyrillic", RUSSIAN, 3),
        ("12 Cyrillic", RUSSIAN, 6),
        ("64 Cyrillic", RUSSIAN, 32),
    ):
        yield name, ["".join(source.choices(letters, k=chars)).encode() for _ in range(TINY_POOL)]


def main() -> None:
    """Write the texts into files."""
    parser = argparse.ArgumentParser(description="Write the benchmarks' texts as NAME.txt files.")
    parser.add_argument("directory", type=Path, metavar="OUT_DIR", help="made if it does not exist")
    parser.add_argument("--size", type=int, default=DEFAULT_SIZE, metavar="BYTES", help="of each file")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        text = make(name, arguments.size)
        (arguments.directory / f"{name}.txt").write_bytes(text)
        chars = text.decode()
        lines = chars.count("\n")
        print(f"{name:10} {len(text)} bytes, {len(text) / len(chars):.2f} a character, {lines} lines")


if __name__ == "__main__":
    main()
