#!/usr/bin/env python3
"""Write the language model, from the n-grams of lingua.

    python src/language/model/make.py [signs]

With ``signs`` only the use of signs is counted again. The rest requires ``cargo``, which
fetches the crates lingua-LANGUAGE-language-model (Apache License 2.0, Peter M.
Stahl; counted in texts of the Leipzig Corpora Collection), and the package OpenCC of PyPI, which
distinguishes simplified Chinese characters from traditional ones.

The models have the likelihood of each letter, and of each letter after another, inside words. The rest of the
likelihood of a letter's followers is the end of a word; of its forerunners, the start of one. Only Thai is
counted here, in the second half of the crates' sentences: lingua leaves its vowel signs out. Languages that
lingua lacks are counted in the names that CLDR has in them (of languages, countries, currencies and dates;
Unicode License v3), as the package Babel packs them, and in the message catalogues below.

Which class of character follows which, and the share of a character in its class, is the same in all
languages. It is counted in the message catalogues of the packages that benches/catalogues.txt marks with
``learn``, which are under the BSD and MIT licences, and in the second half of the crates' sentences; signs
that are rare there, also in the sources that it marks with ``signs`` and ``boxes``.
The environment variable PACKAGES names a folder for the packages, which are kept.
"""

from __future__ import annotations

import collections
import itertools
import json
import math
import os
import pickle
import random
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[2] / "benches"))
from packages import fetch, is_misread, lines, texts  # noqa: E402

VERSION = "=1.3.0"
EVALUATED = 500
"""The number of sentences of each crate that are kept for tests."""

# The languages whose letters follow each other, by script; each by its code in BCP 47 and lingua's names.
# Of languages that share a code the letters of both are written; those without a name are counted in names.
SCRIPTS: dict[str, dict[str, list[str]]] = {
    "LATIN": {
        "af": ["afrikaans"], "ast": [], "az": ["azerbaijani"], "br": [], "ca": ["catalan"],
        "cs": ["czech"], "cy": ["welsh"], "da": ["danish"], "de": ["german"], "en": ["english"],
        "eo": ["esperanto"], "es": ["spanish"], "et": ["estonian"], "eu": ["basque"], "fi": ["finnish"],
        "fo": [], "fr": ["french"], "fur": [], "fy": [], "ga": ["irish"], "gd": [], "gl": [],
        "hr": ["croatian", "bosnian"], "hu": ["hungarian"], "id": ["indonesian"], "is": ["icelandic"],
        "it": ["italian"], "ku": [], "lb": [], "lt": ["lithuanian"], "lv": ["latvian"], "mg": [], "mt": [],
        "nb": ["bokmal", "nynorsk"], "nl": ["dutch"], "oc": [], "pl": ["polish"], "pt": ["portuguese"],
        "rm": [], "ro": ["romanian"], "sk": ["slovak"], "sl": ["slovene"], "sq": ["albanian"],
        "sv": ["swedish"], "tk": [], "tr": ["turkish"], "vi": ["vietnamese"],
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
LINGUA = [name for languages in SCRIPTS.values() for several in languages.values() for name in several]
COUNTED = "thai"
NAMES = (
    "currency_names",
    "currency_names_plural",
    "date_fields",
    "days",
    "languages",
    "meta_zones",
    "months",
    "scripts",
    "territories",
    "time_zones",
    "unit_patterns",
    "variants",
)
"""The parts of Babel's data that have words of a language."""
MIN_SHARE_OF_NAMES = 5e-4
"""The least share of a letter that belongs to a language: names have some of others."""
MIN_PAIRS = 20
"""The number of pairs of a letter with others from which on these count more than the letters alone."""
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

CHARS, MAX_TEXTS = 30_000, 4000
"""The number of characters of a language from which on it counts as others do, and the most texts of it."""
STRANGE = 0.005
"""The share of letters that no language of the model has, from which on a language is a strange one."""
BITS_OF_LAYOUT = 1
"""The cost of white space after white space, which lines of text do not have, but files."""
WHITE_SPACE, CURRENCY = " \n\t\r", "\u00a4"
"""Characters as likely as a space; and the placeholder for a currency in formats, which is left out."""
UNSEEN = 0.02
"""The count of a pair of classes that was not seen."""
MIN_COUNT, MIN_COUNT_OF_SIGNS = 5, 2
"""The counts from which on classes of letters, and others, are classes of their own."""
SPACE, LOST, CONTROL, TONE, RARE_LETTER, RARE_SIGN = "Zs", "Lost", "Cc", "Tone", "Rare letter", "Rare sign"
CASED = ["Lu:LATIN", "Lu:CYRILLIC", "Lu:GREEK"]
MARKS = {"M", "M:HEBREW"}  # Hebrew has words with a point under each letter, and words without any.
KEPT = {SPACE, LOST, CONTROL, TONE, "Box", *MARKS, "Co", "Cn", *CASED, *(f"Ll:{kind[3:]}" for kind in CASED)}
IDEOGRAPHS = "Lo:IDEOGRAPHS"
BITS_OF_DAMAGE, BITS_BESIDE_DAMAGE = {LOST: 31, CONTROL: 24}, 2
"""The costs of U+FFFD and controls, and of them after any character and any after them: no text that is
learned from has them, and they may be anywhere."""
SAME_SCRIPT = {
    "CJK": "IDEOGRAPHS",
    "HIRAGANA": "IDEOGRAPHS",
    "KATAKANA": "IDEOGRAPHS",
    "HANGUL": "IDEOGRAPHS",
    "HALFWIDTH": "IDEOGRAPHS",
    "FEMININE": "ORDINAL",
    "MASCULINE": "ORDINAL",
}
KEEP, SMALL = 255, 254

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def crate_sentences(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of each crate, but for those that are kept for tests."""
    for name, place in crates(folder, [*LINGUA, CHINESE, JAPANESE, KOREAN]).items():
        sentences = (place / "testdata/sentences.txt").read_text(encoding="utf-8").splitlines()
        yield name, sentences[EVALUATED:]


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


def letters_of_names(text: str) -> Letters:
    """Return the likelihoods of letters as they are counted in a short text, which has foreign letters."""
    counted = letters_of_text(text)
    total = sum(char.isalpha() for char in text)
    own = {END, *(letter for letter in counted.alone if text.count(letter) >= MIN_SHARE_OF_NAMES * total)}
    joint: dict[tuple[str, str], float] = {}
    for first, second in itertools.product(own, own):
        if first or second:
            pairs = counted.alone[first] * len(text)
            weight = pairs / (pairs + MIN_PAIRS)
            after = counted.after.get((first, second), 0)
            joint[first, second] = counted.alone[first] * (
                weight * after + (1 - weight) * counted.alone[second]
            )
    return letters_of_pairs(joint)


def words(data: object) -> Iterator[str]:
    """Yield the texts in data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        yield from itertools.chain.from_iterable(map(words, data.values()))
    elif isinstance(data, list | tuple):
        yield from itertools.chain.from_iterable(map(words, data))


def names(folder: Path, language: str) -> str:
    """Return the names in a language, a line each."""
    (wheel,) = fetch(folder, "names")
    if str(wheel) not in sys.path:
        sys.path.append(str(wheel))  # for the classes in the data
    with zipfile.ZipFile(wheel) as archive:
        data = pickle.loads(archive.read(f"babel/locale-data/{language}.dat"))
    found = words([data.get(part) for part in NAMES])
    return "\n".join(sorted({re.sub(r"\{\w*\}", "", name).lower() for name in found}))


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
    import opencc

    converter = opencc.OpenCC(conversion)
    out: Ngrams = collections.defaultdict(float)
    for char, likelihood in found.items():
        out[converter.convert(char)] += likelihood
    return out


class Alphabets:
    """The letters of the model, and the classes of all characters."""

    def __init__(self, packed: bytes) -> None:
        """Read the letters from the packed model."""
        self.of = {script: set(letters) for script, letters in alphabets(packed)}
        self.classes = {char: self.class_of(char) for char in map(chr, range(0x11_0000))}

    def has(self, char: str, script: str) -> bool:
        """Return whether a character is one of the script's letters in the model."""
        return char.lower() in self.of.get(script, ())

    def class_of(self, char: str) -> str:  # noqa: PLR0911
        """Return the class: the category, and script of a letter or digit; an ASCII sign is its own."""
        category = unicodedata.category(char)
        code = ord(char)
        if category[0] == "L":
            script = unicodedata.name(char, "RARE").split()[0].split("-")[0]
            script = SAME_SCRIPT.get(script, script)
            return f"{category if category in {'Lu', 'Ll'} else 'Lo'}:{script}"
        if char in TONES:
            return TONE
        if category[0] == "M":
            script = unicodedata.name(char, "RARE").split()[0]
            marks = f"M:{script}"
            return f"Lo:{script}" if self.has(char, script) else marks if marks in MARKS else "M"
        if 0x2500 <= code < 0x25A0:
            return "Box"
        if char in WHITE_SPACE:
            return SPACE
        if code == 0xFFFD:
            return LOST
        if category == "Nd":
            return f"Nd:{unicodedata.name(char).partition('DIGIT')[0].strip()}"
        if char.isascii():
            return char if category[0] in "PS" else f"{category}:ascii"
        return category


def alphabets(packed: bytes) -> Iterator[tuple[str, str]]:
    """Yield the letters of each script in the packed model."""
    at = 0
    for script in SCRIPTS:
        size, languages = packed[at : at + 2]
        letters = struct.unpack_from(f"<{size - 1}H", packed, at + 2)
        yield script, "".join(map(chr, letters))
        at += 2 * size
        for _ in range(languages):
            own = packed[at + 7]
            at += 8 + own + own * own


class Counts:
    """How often classes follow each other, and characters occur, all languages weighted alike."""

    def __init__(self, alphabets: Alphabets) -> None:
        """Count in the catalogues, and in sentences."""
        self.alphabets = alphabets
        self.pairs: dict[tuple[str, str], float] = collections.Counter()
        self.chars: dict[tuple[str, str], float] = collections.Counter()
        # How often a character after one of its class is the same, and another one.
        self.same: dict[str, float] = collections.Counter()
        self.other: dict[str, float] = collections.Counter()
        by_language = collections.defaultdict(list)
        with tempfile.TemporaryDirectory() as temporary:
            for package in fetch(Path(os.environ.get("PACKAGES", temporary)), "learn"):
                for text in texts(package):
                    if not is_misread(text.text):
                        by_language[text.language.partition("_")[0]].append(text.text)
            for name, sentences in crate_sentences(Path(temporary)):
                by_language[f"sentences {name}"] = [line for line in sentences if not is_misread(line)]
            for part in ("signs", "boxes"):
                for package in fetch(Path(os.environ.get("PACKAGES", temporary)), part):
                    several = [line.strip() for line in lines(package)]
                    # All drawings of boxes count as one language, other signs as one for each package.
                    name = package.name if part == "signs" else part
                    by_language[name] += [line for line in several if not is_misread(line)]
        # How often letters of a script are not in the model, in the languages that have such letters.
        self.strange: dict[str, list[float]] = collections.defaultdict(list)
        for language, several in sorted(by_language.items()):
            random.Random(language).shuffle(several)
            size = sum(map(len, several))
            for text in itertools.islice(several, MAX_TEXTS):
                self.add(text, min(1.0, CHARS / size))
            for script in SCRIPTS:
                letters = [
                    char for char in "".join(several) if self.alphabets.classes[char].endswith(f":{script}")
                ]
                strange = sum(
                    not self.alphabets.has(char, script)
                    for char in letters
                    if not "\u1ea0" <= char < "\u1efa"
                )
                if strange > STRANGE * len(letters):
                    self.strange[script].append(strange / len(letters))

    def add(self, text: str, weight: float) -> None:
        """Count the characters of a text."""
        state, last, last_kind = SPACE, " ", SPACE
        text = text.replace(CURRENCY, "")
        apart = (spellings(char)[0] if "\u1ea0" <= char <= "\u1ef9" else char for char in f"{text} ")
        for each in itertools.chain.from_iterable(apart):
            char = " " if each in WHITE_SPACE else each
            kind = self.alphabets.classes[char]
            if kind == TONE:
                continue
            if (state, kind) != (SPACE, SPACE):  # layout
                self.pairs[state, kind] += weight
            script = kind.partition(":")[2]
            if kind[0] != "L" or script not in SCRIPTS or not self.alphabets.has(char, script):
                # Another character is chosen by its share of the class; the same one again is not.
                if char == last:
                    self.same[kind] += weight
                else:
                    self.other[kind] += weight * (last_kind == kind)
                    self.chars[kind, char] += weight
            state, last, last_kind = after(state, kind), char, kind


def after(state: str, kind: str) -> str:
    """Return the state after a character: its class, or capitals in a row."""
    if kind in MARKS:
        return state
    return f"caps {kind}" if kind in CASED and state in {kind, f"caps {kind}"} else kind


def classes_of(counts: Counts) -> list[str]:
    """Return the classes of the model. Rare ones are one; capitals follow their small letters."""
    total: dict[str, float] = collections.Counter()
    for (_, kind), count in counts.pairs.items():
        total[kind] += count
    all_kinds = set(counts.alphabets.classes.values())
    least = {kind: MIN_COUNT if kind[0] == "L" else MIN_COUNT_OF_SIGNS for kind in all_kinds}
    rare = {kind for kind in least if total[kind] < least[kind] and kind not in KEPT}
    kinds = [SPACE, LOST, TONE]
    for kind in sorted({*KEPT, *total} - rare - set(kinds)):
        if kind.startswith("Ll:"):
            kinds += [kind, f"Lu:{kind[3:]}"]
        elif not (kind.startswith("Lu:") and total[f"Ll:{kind[3:]}"] >= MIN_COUNT) and kind not in kinds:
            kinds.append(kind)
    return [*kinds, RARE_LETTER, RARE_SIGN]


class Signs:
    """The part of the model that is true of all languages."""

    def __init__(self, alphabets: Alphabets) -> None:
        """Count, and choose the classes and the states after them."""
        self.counts = Counts(alphabets)
        self.kinds = classes_of(self.counts)
        self.states = [*self.kinds, *(f"caps {kind}" for kind in CASED)]
        self.names = {char: self.name(kind) for char, kind in alphabets.classes.items()}
        self.members = collections.Counter(self.names.values())

    def name(self, kind: str) -> str:
        """Return the class of the model."""
        return kind if kind in self.kinds else RARE_LETTER if kind[0] in "LM" else RARE_SIGN

    def packed(self) -> bytes:
        """Return all parts."""
        parts = [bytes([len(self.kinds), len(self.states)]), self.steps(), self.next_states(), self.scripts()]
        return b"".join([*parts, self.ranges(), self.characters(), self.strange_letters()])

    def steps(self) -> bytes:
        """Return the cost of each class after each state.

        A class that was seldom seen after another one is as likely as after any, the more so the more classes
        were seen there (Witten and Bell 1991).
        """
        pairs: dict[tuple[str, str], float] = collections.Counter()
        alone: dict[str, float] = collections.Counter()
        for (state, kind), count in self.counts.pairs.items():
            caps, _, first = state.rpartition(" ")
            pairs[f"caps {first}" if caps else self.name(first), self.name(kind)] += count
        for (_, kind), count in pairs.items():
            alone[kind] += count
        out = []
        for state in self.states:
            for kind in self.kinds:
                # Letters of one script are scored in pairs, so that only their case is counted here.
                of = [other for other in self.kinds if is_within(state, other) == is_within(state, kind)]
                types = sum(pairs[state, other] > 0 for other in of) or 1
                anywhere = (alone[kind] + UNSEEN) / sum(alone[other] + UNSEEN for other in of)
                likelihood = (pairs[state, kind] + types * anywhere) / (
                    sum(pairs[state, other] for other in of) + types
                )
                if kind == TONE or likelihood == 1:
                    out.append(0)
                elif state == kind == SPACE:
                    out.append(BITS_OF_LAYOUT * UNITS_A_BIT)
                elif BITS_OF_DAMAGE.keys() & {state, kind}:
                    out.append(BITS_BESIDE_DAMAGE * UNITS_A_BIT)
                else:
                    out.append(cost(likelihood))
        return bytes(out)

    def next_states(self) -> bytes:
        """Return for each class that the state stays, its capitals follow, or the state of its capitals."""
        out = []
        for kind in self.kinds:
            caps = self.states.index(f"caps {kind}") if kind in CASED else 0
            out.append(KEEP if kind in {*MARKS, TONE} else SMALL if kind.startswith("Ll:") else caps)
        return bytes(out)

    def scripts(self) -> bytes:
        """Return for each class the number of the script of its letters, if they are scored in pairs."""
        out = []
        for kind in self.kinds:
            script = "LATIN" if kind == TONE else kind.partition(":")[2] if kind[0] == "L" else ""
            out.append(list(SCRIPTS).index(script) + 1 if script in SCRIPTS else 0)
        return bytes(out)

    def ranges(self) -> bytes:
        """Return the first character of each range with one class; capitals count as small letters."""
        small = {
            char: self.names[lower] if len(lower := char.lower()) == 1 and lower != char else name
            for char, name in self.names.items()
        }
        ranges = [(0, small["\0"])]
        for char, kind in small.items():
            if kind != ranges[-1][1] and unicodedata.category(char) != "Cs":
                ranges.append((ord(char), kind))
        out = [struct.pack("<I", code << 8 | self.kinds.index(kind)) for code, kind in ranges]
        return struct.pack("<H", len(ranges)) + b"".join(out)

    def characters(self) -> bytes:
        """Return the costs of characters within their classes.

        For each class the cost of a character that was never seen, which has the share of those seen once; of
        the same one again, and additionally of another one after one of the class. Then others, one by one.
        """
        seen: dict[str, dict[str, float]] = collections.defaultdict(dict)
        for (kind, char), count in self.counts.chars.items():
            chars = seen[self.name(kind)]
            chars[char] = chars.get(char, 0) + count
        unseen, known = {}, {}
        for kind in self.kinds:
            chars = seen[kind]
            mass = sum(chars.values()) + len(chars) + 1
            share = (len(chars) + 1) / mass / max(self.members[kind] - len(chars), len(chars) + 1)
            unseen[kind] = BITS_OF_DAMAGE[kind] * UNITS_A_BIT if kind in BITS_OF_DAMAGE else cost(share)
            if kind != IDEOGRAPHS:
                own = {char: count for char, count in chars.items() if char < "\uffff"}
                known.update({char: cost(count / mass + share) for char, count in own.items()})
        known.update(dict.fromkeys(WHITE_SPACE, known[" "]))
        listed = sorted((char, bits) for char, bits in known.items() if bits != unseen[self.names[char]])
        repeated = self.repeated()
        same = [unseen[kind] if kind in BITS_OF_DAMAGE else cost(repeated[kind]) for kind in self.kinds]
        other = [cost(max(1 - repeated[kind], FOREIGN)) for kind in self.kinds]
        out = [bytes([unseen[kind] for kind in self.kinds]), bytes(same), bytes(other)]
        out.append(struct.pack("<H", len(listed)))
        return b"".join([*out, *(struct.pack("<HB", ord(char), bits) for char, bits in listed)])

    def repeated(self) -> dict[str, float]:
        """Return for each class how likely a character after another one is the same."""
        same, other = collections.Counter[str](), collections.Counter[str]()
        for found, by_kind in ((self.counts.same, same), (self.counts.other, other)):
            for kind, count in found.items():
                by_kind[self.name(kind)] += count
        usual = sum(same.values()) / sum((same + other).values())
        return {
            kind: 1.0 if self.members[kind] == 1 else (same[kind] + usual) / (same[kind] + other[kind] + 1)
            for kind in self.kinds
        }

    def strange_letters(self) -> bytes:
        """Return the cost of a letter of each script that no language of the model has."""
        parts = [self.counts.strange[script] or [STRANGE] for script in SCRIPTS]
        return bytes([cost(sum(part) / len(part)) for part in parts])


def is_within(state: str, kind: str) -> bool:
    """Return whether both are letters of one script whose letters are scored in pairs."""
    scripts = [part.partition(":")[2] for part in (state, kind)]
    return scripts[0] == scripts[1] and scripts[0] in SCRIPTS


def main() -> None:
    """Write the model."""
    if sys.argv[1:] != ["signs"]:
        write_letters()
    (HERE / "signs.bin").write_bytes(Signs(Alphabets((HERE / "letters.bin").read_bytes())).packed())


def write_letters() -> None:
    """Write the letters of each language."""
    with tempfile.TemporaryDirectory() as folder:
        places = crates(Path(folder), [*LINGUA, CHINESE, JAPANESE, KOREAN])
        found = ngrams(Path(folder), places)
        text = (places[COUNTED] / "testdata/sentences.txt").read_text(encoding="utf-8")
        packages = Path(os.environ.get("PACKAGES", folder))
        messages = [each for package in fetch(packages, "learn") for each in texts(package)]
        counted = {
            language: letters_of_names(
                "\n".join(
                    [
                        names(packages, language),
                        *(each.text.lower() for each in messages if each.language == language),
                    ]
                )
            )
            for languages in SCRIPTS.values()
            for language, several in languages.items()
            if not several
        }
    out = []
    for script, languages in SCRIPTS.items():
        likely = {
            language: mixed([letters_of_ngrams(found[name]) for name in several])
            if several
            else counted[language]
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
