"""Real sentences in many languages, from tests/vectors/sentences."""

from __future__ import annotations

import functools
import lzma
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "vectors/sentences"
_ENDING = ".txt.xz"

LANGUAGES = sorted(path.name.removesuffix(_ENDING) for path in _FOLDER.glob(f"*{_ENDING}"))
"""The languages by their codes in BCP 47."""


@functools.cache
def _read(language: str) -> tuple[str, ...]:
    return tuple(lzma.decompress((_FOLDER / f"{language}{_ENDING}").read_bytes()).decode().split("\n")[:-1])


def sentences(language: str) -> list[str]:
    """Return the sentences of a language."""
    return list(_read(language))
