#!/usr/bin/env python3
"""Write the language model, from the n-grams of lingua.

    python src/language/model/make.py

It requires ``cargo``, which fetches the crates lingua-LANGUAGE-language-model (Apache License 2.0, Peter M.
Stahl; counted in texts of the Leipzig Corpora Collection), and the package OpenCC of PyPI, which
distinguishes simplified Chinese characters from traditional ones.

The models have the likelihood of each letter, and of each letter after another, inside words. The rest of the
likelihood of a letter's followers is the end of a word; of its forerunners, the start of one. Only Thai is
counted here, in the second half of the crates' sentences: lingua leaves its vowel signs out.
"""

from __future__ import annotations

import collections
import itertools
import json
import math
import struct
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import NamedTuple

import opencc

HERE = Path(__file__).parent
VERSION = "=1.3.0"
EVALUATED = 500
"""The number of sentences of each crate that are kept for tests."""

# The languages whose letters follow each other, by script; each by its code in BCP 47 and lingua's names.
# Of languages that share a code the letters of both are written.
SCRIPTS: dict[str, dict[str, list[str]]] = {
    "LATIN": {
        "af": ["afrikaans"], "ca": ["catalan"], "cs": ["czech"], "cy": ["welsh"], "da": ["danish"],
        "de": ["german"], "en": ["english"], "eo": ["esperanto"], "es": ["spanish"], "et": ["estonian"],
        "eu": ["basque"], "fi": ["finnish"], "fr": ["french"], "ga": ["irish"],
        "hr": ["croatian", "bosnian"], "hu": ["hungarian"], "id": ["indonesian"], "is": ["icelandic"],
        "it": ["italian"], "lt": ["lithuanian"], "lv": ["latvian"], "nb": ["bokmal", "nynorsk"],
        "nl": ["dutch"], "pl": ["polish"], "pt": ["portuguese"], "ro": ["romanian"], "sk": ["slovak"],
        "sl": ["slovene"], "sq": ["albanian"], "sv": ["swedish"], "tr": ["turkish"], "vi": ["vietnamese"],
    },
    "CYRILLIC": {
        "be": ["belarusian"], "bg": ["bulgarian"], "kk": ["kazakh"], "mk": ["macedonian"],
        "mn": ["mongolian"], "ru": ["russian"], "sr": ["serbian"], "uk": ["ukrainian"],
    },
    "GREEK": {"el": ["greek"]},
    "HEBREW": {"he": ["hebrew"]},
    "ARABIC": {"ar": ["arabic"], "fa": ["persian"], "ur": ["urdu"]},
    "THAI": {"th": ["thai"]},
}  # fmt: skip
COUNTED = "thai"
CHINESE, JAPANESE, KOREAN = "chinese", "japanese", "korean"

# Some of lingua's texts were written in Windows-1250 or 1257 and read in 1252: letters a language has only
# so, a twentieth to a half as often as its own, and which of its own they were.
MISREAD = {
    "cs": ("ìèùøòï", "ěčůřňď"),
    "et": ("ðþ", "šž"),
    "hr": ("æèð", "ćčđ"),
    "hu": ("õû", "őű"),
    "lt": ("ëàøðþáæèû", "ėąųšžįęčū"),
    "pl": ("êñæ", "ęńć"),
    "ro": ("ãþ", "ăţ"),
    "sl": ("èæ", "čć"),
}

# The marks that the Windows-1258 of Vietnamese writes after a letter, if it lacks the letter with its mark.
TONES = "\u0300\u0301\u0303\u0309\u0323"

RARE = 2e-6
"""A letter less likely than this does not belong to a language."""
UNITS_A_BIT = 8
SHARES = (0.970, 0.027, 0.003)
"""The shares of a likelihood: after the letter before, of the letter alone, and anywhere."""
FOREIGN = 1e-6
"""How likely a letter is that the language does not have."""
HAN, KANA, HANGUL = range(0x4E00, 0xA000), range(0x3040, 0x3100), range(0xAC00, 0xD7A4)
CHEAPEST, DEAREST = 4, 19
"""The fewest and the most bits of a likelihood, stored in half a byte."""
END = ""

Ngrams = dict[str, float]


class Letters(NamedTuple):
    """How likely letters are, END being everything else: alone, and after others."""

    alone: dict[str, float]
    after: dict[tuple[str, str], float]


def crates(folder: Path, names: list[str]) -> dict[str, Path]:
    """Return where cargo has put the crates, after building what prints n-grams."""
    lines = [f'lingua-{name}-language-model = "{VERSION}"' for name in names]
    head = '[package]\nname = "ngrams"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\nfst = "0.4"\n'
    program = f'\n\n[[bin]]\nname = "ngrams"\npath = {json.dumps(str(HERE / "ngrams.rs"))}\n'
    (folder / "Cargo.toml").write_text(head + "\n".join(lines) + program)
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1"], cwd=folder, check=True, capture_output=True
    ).stdout
    places = {
        package["name"]: Path(package["manifest_path"]).parent for package in json.loads(metadata)["packages"]
    }
    return {name: places[f"lingua-{name}-language-model"] for name in names}


def ngrams(folder: Path, places: dict[str, Path]) -> dict[str, Ngrams]:
    """Return the n-grams of all crates, with their likelihoods."""
    models = {str(place / "models/ngrams.fst"): name for name, place in places.items()}
    printed = subprocess.run(
        ["cargo", "run", "--quiet", "--release", "--", *models], cwd=folder, check=True, capture_output=True
    ).stdout
    found: dict[str, Ngrams] = {name: {} for name in places}
    for line in printed.decode().splitlines():
        model, ngram, logarithm = line.split("\t")
        found[models[model]][ngram] = math.exp(float(logarithm))
    return found


def is_letter(char: str, script: str) -> bool:
    """Return whether a character is part of a script's words: a letter of its own, or a mark on one."""
    return char in TONES or (
        unicodedata.category(char)[0] in "LM"
        and unicodedata.name(char).startswith(script)
        and unicodedata.normalize("NFKC", char) == char
    )


def of_script(letters: Letters, script: str) -> Letters:
    """Return the likelihoods of the letters of the script."""
    joint = {
        pair: letters.alone[pair[0]] * likelihood
        for pair, likelihood in letters.after.items()
        if all(is_letter(letter, script) for letter in pair if letter)
    }
    return letters_of_pairs(joint)


def letters_of_ngrams(found: Ngrams) -> Letters:
    """Return the likelihoods of letters from n-grams."""
    joint: dict[tuple[str, str], float] = collections.defaultdict(float)
    starts = {ngram: likelihood for ngram, likelihood in found.items() if len(ngram) == 1}
    ends = dict(starts)
    for ngram, likelihood in found.items():
        if len(ngram) == 2:
            pair = found[ngram[0]] * likelihood
            joint[ngram[0], ngram[1]] += pair
            ends[ngram[0]] -= pair
            starts[ngram[1]] -= pair
    for letter, likelihood in starts.items():
        joint[END, letter] = max(likelihood, 0)
        joint[letter, END] = max(ends[letter], 0)
    return letters_of_pairs(joint)


def letters_of_text(text: str) -> Letters:
    """Return the likelihoods of letters as they are counted in a text."""
    joint: dict[tuple[str, str], float] = collections.Counter()
    last = END
    for char in text:
        letter = char if unicodedata.category(char)[0] in "LM" else END
        if letter or last:
            joint[last, letter] += 1
        last = letter
    return letters_of_pairs(joint)


def spellings(letter: str) -> list[str]:
    """Return how a Vietnamese letter is written: with its tone apart, or as other languages have it."""
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) < 2 or parts[-1] not in TONES:
        return [letter]
    apart = unicodedata.normalize("NFC", parts[:-1]) + parts[-1]
    return [apart, letter] if letter < "\u1e00" else [apart]


def letters_of_pairs(joint: dict[tuple[str, str], float]) -> Letters:
    """Return the likelihoods of letters from the likelihoods of pairs."""
    total = sum(joint.values())
    alone: dict[str, float] = collections.defaultdict(float)
    for (_, second), likelihood in joint.items():
        alone[second] += likelihood / total
    given: dict[str, float] = collections.defaultdict(float)
    for (first, _), likelihood in joint.items():
        given[first] += likelihood
    after = {pair: likelihood / given[pair[0]] for pair, likelihood in joint.items() if likelihood}
    return Letters(dict(alone), after)


def apart(letters: Letters) -> Letters:
    """Return the likelihoods where Vietnamese letters stand with their tones apart."""
    joint: dict[tuple[str, str], float] = collections.defaultdict(float)
    for (first, second), likelihood in letters.after.items():
        befores, afters = spellings(first), spellings(second)
        weight = letters.alone[first] * likelihood / len(befores)
        for before, after in itertools.product(befores, afters):
            joint[before[-1:], after[:1]] += weight / len(afters)
            if len(after) > 1:
                joint[after[0], after[1]] += weight / len(afters)
    return letters_of_pairs(joint)


def mixed(several: list[Letters]) -> Letters:
    """Return the mean of several likelihoods."""
    joint: dict[tuple[str, str], float] = collections.defaultdict(float)
    for letters in several:
        for pair, likelihood in letters.after.items():
            joint[pair] += letters.alone[pair[0]] * likelihood
    return letters_of_pairs(joint)


def with_own_letters(letters: Letters, misread: str, own: str) -> Letters:
    """Return likelihoods with a language's own letters where they were misread."""
    table = str.maketrans(misread, own)
    joint: dict[tuple[str, str], float] = collections.defaultdict(float)
    for (first, second), likelihood in letters.after.items():
        joint[first.translate(table), second.translate(table)] += letters.alone[first] * likelihood
    return letters_of_pairs(joint)


def with_old_commas(letters: Letters) -> Letters:
    """Return likelihoods where each Romanian letter with a comma may as well have a cedilla."""
    return mixed([with_own_letters(letters, "șț", "şţ"), with_own_letters(letters, "şţ", "șț")])


def cost(likelihood: float) -> int:
    """Return a likelihood as a byte."""
    return min(255, max(1, round(-math.log2(likelihood) * UNITS_A_BIT)))


def costs(languages: dict[str, Letters]) -> bytes:
    """Return a script's part of the model: its letters, its languages, the costs of each."""
    own = {
        language: [END, *sorted(letter for letter, part in letters.alone.items() if letter and part > RARE)]
        for language, letters in languages.items()
    }
    alphabet = [END, *sorted({letter for letters in own.values() for letter in letters if letter})]
    anywhere = {
        letter: sum(letters.alone.get(letter, 0) for letters in languages.values()) / len(languages)
        for letter in alphabet
    }
    out = [struct.pack("<BB", len(alphabet), len(languages))]
    out += [struct.pack("<H", ord(letter)) for letter in alphabet[1:]]
    for language, letters in languages.items():
        out.append(language.encode().ljust(7, b"\0"))
        out.append(bytes([len(own[language]), *map(alphabet.index, own[language])]))
        for first in own[language]:
            for second in own[language]:
                parts = (letters.after.get((first, second), 0), letters.alone[second], anywhere[second])
                mean = sum(share * part for share, part in zip(SHARES, parts, strict=True))
                out.append(bytes([cost(max(mean, FOREIGN))]))
    print(len(alphabet), "".join(alphabet), {k: len(v) for k, v in own.items()}, file=sys.stderr)
    return b"".join(out)


def halves(chars: range, found: Ngrams) -> bytes:
    """Return the bits of characters' likelihoods, half a byte each."""
    total = sum(found.values())

    def half(code: int) -> int:
        likelihood = found.get(chr(code), 0) / total
        bits = -math.log2(likelihood) if likelihood else DEAREST
        return round(min(max(bits, CHEAPEST), DEAREST)) - CHEAPEST

    return bytes(half(code) | half(code + 1) << 4 for code in chars[::2])


def converted(conversion: str, found: Ngrams) -> Ngrams:
    """Return the likelihoods of characters converted."""
    converter = opencc.OpenCC(conversion)
    out: Ngrams = collections.defaultdict(float)
    for char, likelihood in found.items():
        out[converter.convert(char)] += likelihood
    return out


def main() -> None:
    """Write the model."""
    names = [name for languages in SCRIPTS.values() for several in languages.values() for name in several]
    with tempfile.TemporaryDirectory() as folder:
        places = crates(Path(folder), [*names, CHINESE, JAPANESE, KOREAN])
        found = ngrams(Path(folder), places)
        text = (places[COUNTED] / "testdata/sentences.txt").read_text(encoding="utf-8")
    out = []
    for script, languages in SCRIPTS.items():
        likely = {
            language: mixed([letters_of_ngrams(found[name]) for name in several])
            for language, several in languages.items()
        }
        for language, spellings_of in MISREAD.items():
            if language in likely:
                likely[language] = with_own_letters(likely[language], *spellings_of)
        if "vi" in likely:
            likely["vi"] = apart(likely["vi"])
        if "ro" in likely:
            likely["ro"] = with_old_commas(likely["ro"])
        if "th" in likely:
            likely["th"] = letters_of_text("\n".join(text.splitlines()[EVALUATED:]))
        out.append(costs({language: of_script(letters, script) for language, letters in likely.items()}))
    (HERE / "letters.bin").write_bytes(b"".join(out))
    parts = [
        halves(HAN, converted("t2s", found[CHINESE])),
        halves(HAN, converted("s2t", found[CHINESE])),
        halves(HAN, found[JAPANESE]),
        halves(KANA, found[JAPANESE]),
        halves(HANGUL, found[KOREAN]),
    ]
    (HERE / "ideographs.bin").write_bytes(b"".join(parts))


if __name__ == "__main__":
    main()
