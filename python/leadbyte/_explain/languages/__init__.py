"""The languages that explanations are given in; another one is one more module here."""

from __future__ import annotations

import importlib
import locale
import os
import pkgutil
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

CODES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@dataclass(frozen=True)
class Language:
    """The texts of a language."""

    code: str
    """Its BCP 47 code."""
    name: str
    """Its name in English, which Windows calls its locales by."""
    plural: Callable[[int], int]
    """Which of the forms of a counted thing goes with a number."""
    things: Mapping[str, tuple[str, ...]]
    """Nouns of counted things, in all forms that numbers ask for."""
    texts: Mapping[str, str]
    """All other texts, with the fields of str.format."""

    def say(self, key: str, **values: object) -> str:
        """Return a text with its fields filled in."""
        return self.texts[key].format(**values)

    def list(self, things: Sequence[str]) -> str:
        """Return things one after another, "and" before the last."""
        return self.texts["and"].join(filter(None, [", ".join(things[:-1]), things[-1]]))

    def is_in(self, encoding: str | None) -> bool:
        """Return whether an encoding has the letters of this language; None, of streams in memory, has."""
        try:
            "".join(filter(str.isalpha, "".join(self.texts.values()))).encode(encoding or "utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def count(self, number: int, thing: str) -> str:
        """Return a number of things."""
        return f"{number} {self.things[thing][self.plural(number)]}"


def known(code: str) -> Language:
    """Return the language of a code."""
    language: Language = importlib.import_module(f"{__name__}.{code}").LANGUAGE
    return language


def choose(lang: str | None) -> Language:
    """Return a language by its code; for None the locale's if it is known, else English.

    Raises ValueError for a code that is not known.
    """
    if lang is None:
        return next(from_locale(), known("en"))
    if lang not in CODES:
        message = f"lang must be None or one of {', '.join(CODES)}, not {lang!r}"
        raise ValueError(message)
    return known(lang)


def from_locale() -> Iterator[Language]:
    """Give the languages that the environment asks for, as gettext finds them, or the process's locale."""
    asked = (os.environ.get(name) for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    wanted = next(filter(None, asked), None) or locale.getlocale()[0] or ""
    for tag in wanted.split(":"):
        head = re.split(r"[-_.@]", tag)[0]
        for language in map(known, CODES):
            if head.lower() in {language.code, language.name.lower()}:
                yield language
