#!/usr/bin/env python3
"""Write the sentences anew, from the test data of the language models of lingua and by OpenCC.

    python tests/vectors/sentences/make.py

It takes ``cargo``, which fetches the crates lingua-LANGUAGE-language-model, and the package OpenCC of PyPI,
which writes the Chinese sentences in traditional characters. The tests only read the files.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import tempfile
from pathlib import Path

import opencc

HERE = Path(__file__).parent
VERSION = "=1.3.0"
COUNT = 500
# The languages by their codes in BCP 47, and what the crates call them.
CRATES = {
    "af": "afrikaans",
    "ar": "arabic",
    "be": "belarusian",
    "bg": "bulgarian",
    "bs": "bosnian",
    "ca": "catalan",
    "cs": "czech",
    "cy": "welsh",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "he": "hebrew",
    "hi": "hindi",
    "hr": "croatian",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "is": "icelandic",
    "it": "italian",
    "ja": "japanese",
    "ka": "georgian",
    "kk": "kazakh",
    "ko": "korean",
    "lt": "lithuanian",
    "lv": "latvian",
    "mk": "macedonian",
    "nb": "bokmal",
    "nl": "dutch",
    "nn": "nynorsk",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sk": "slovak",
    "sl": "slovene",
    "sq": "albanian",
    "sr": "serbian",
    "sv": "swedish",
    "th": "thai",
    "tr": "turkish",
    "uk": "ukrainian",
    "ur": "urdu",
    "vi": "vietnamese",
    "zh-Hans": "chinese",
}
TRADITIONAL = ("zh-Hant", "zh-Hans", "s2t")


def crates(folder: Path) -> dict[str, Path]:
    """Return where cargo has put the crates."""
    (folder / "src").mkdir()
    (folder / "src/lib.rs").write_text("")
    lines = [f'lingua-{name}-language-model = "{VERSION}"' for name in CRATES.values()]
    head = '[package]\nname = "sentences"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n'
    (folder / "Cargo.toml").write_text(head + "\n".join(lines) + "\n")
    told = subprocess.run(
        ["cargo", "metadata", "--format-version", "1"], cwd=folder, check=True, capture_output=True
    ).stdout
    places = {
        package["name"]: Path(package["manifest_path"]).parent for package in json.loads(told)["packages"]
    }
    return {language: places[f"lingua-{name}-language-model"] for language, name in CRATES.items()}


def write(language: str, sentences: list[str]) -> None:
    """Write a language's file."""
    packed = lzma.compress("".join(f"{sentence}\n" for sentence in sentences).encode(), preset=9)
    (HERE / f"{language}.txt.xz").write_bytes(packed)


def main() -> None:
    """Write all files."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for language, place in crates(Path(folder)).items():
            text = (place / "testdata/sentences.txt").read_text(encoding="utf-8")
            found[language] = [line for line in text.split("\n") if line.strip()][:COUNT]
    language, source, conversion = TRADITIONAL
    found[language] = [opencc.OpenCC(conversion).convert(sentence) for sentence in found[source]]
    for language, sentences in found.items():
        write(language, sentences)


if __name__ == "__main__":
    main()
