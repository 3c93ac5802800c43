"""Text that was written in one encoding and read in another: how it looks, and how it is mended.

>>> from leadbyte import mojibake
>>> mojibake.garble("Hello мир", encoding="windows-1251", misread_as="iso-8859-1")
'Hello ìèð'
>>> mojibake.repair("Hello ìèð"), mojibake.repair("Hello РјРёСЂ")
('Hello мир', 'Hello мир')
>>> mojibake.repair("Hello мир")
'Hello мир'
>>> [(step.encoding, step.misread_as) for step in mojibake.explain("Ã©tÃ© 2026").steps]
[('utf-8', 'windows-1252')]
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from leadbyte._arguments import check_str
from leadbyte._encodings import find
from leadbyte._leadbyte import _undo_mojibake
from leadbyte.transcode import transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from leadbyte._encodings import _Name

__all__ = ["Repair", "Step", "explain", "garble", "repair"]


@dataclass(frozen=True)
class Step:
    """A wrong reading that was undone in a part of a text.

    ``encoding`` is the right encoding of the part, ``misread_as`` the one it was decoded with by mistake,
    both by names that :func:`garble` takes. ``layer`` is 1 for the reading that is undone first, which was
    the last to happen. ``lines`` are the numbers of the part's first and last line, from 1 on; ``start`` and
    ``end`` are its span in the text that was given, in characters.

    How it was judged: ``sequences`` is how many characters were put together from several that are their
    bytes in UTF-8, in all layers; ``left`` how many that are not ASCII went through no such reading and are
    left. ``before`` and ``after`` tell how unlikely the part is as it was given and as it is mended: the
    negated binary logarithm of the likelihood in the language of the model that fits best, in bits.
    ``language`` is the BCP 47 code of that of the mended part, which for a short one says little.
    """

    encoding: str
    misread_as: str
    layer: int
    lines: tuple[int, int]
    start: int
    end: int
    sequences: int
    left: int
    language: str
    before: float
    after: float

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, for JSON."""
        return {**asdict(self), "lines": list(self.lines)}

    def __str__(self) -> str:
        """Return the step in words."""
        first, last = self.lines
        place = f"line {first}" if first == last else f"lines {first} to {last}"
        said = f"{place}: written in {self.encoding}, read as {self.misread_as}"
        if self.layer > 1:
            return f"{said} (before that, layer {self.layer})"
        grounds = []
        if self.sequences:
            grounds.append(count(self.sequences, "sequence") + " of UTF-8")
        if self.left:
            grounds.append(f"{count(self.left, 'other character')} left")
        grounds.append(f"{self.before:,.0f} bits before and {self.after:,.0f} after ({self.language})")
        return f"{said}; {', '.join(grounds)}"


@dataclass(frozen=True)
class Repair:
    """A text that was mended, and the steps that this took.

    ``text`` is the mended text, the object that was given if nothing was to be done. ``steps`` are in the
    order of the text, and where several readings are undone in one part, the last one first.

    >>> from leadbyte.mojibake import explain
    >>> mended = explain("Ïðèâåò")
    >>> mended.text, mended.steps[0].encoding, mended.steps[0].misread_as
    ('Привет', 'windows-1251', 'windows-1252')
    >>> explain("Привет").steps
    ()
    """

    text: str
    steps: tuple[Step, ...]

    @property
    def changed(self) -> bool:
        """Whether something was to be done."""
        return bool(self.steps)

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, steps too, for JSON."""
        steps = [step.as_dict() for step in self.steps]
        return {"text": self.text, "changed": self.changed, "steps": steps}

    def __str__(self) -> str:
        """Return the steps in words, a line each."""
        return "\n".join(map(str, self.steps)) or "nothing to repair"


def garble(text: str, /, *, encoding: _Name, misread_as: _Name) -> str:
    r"""Return ``text`` encoded in ``encoding`` and decoded, by mistake, as ``misread_as``.

    ``encoding`` and ``misread_as`` are names as :func:`leadbyte.transcode.transcode` takes them: what Python
    means by them, a label after ``whatwg:``, or the number of a code page. WHATWG's tables have a character
    for every byte of nearly all single-byte encodings, so that nothing is lost. Raises UnicodeEncodeError
    where ``encoding`` lacks a character, UnicodeDecodeError where the bytes are not valid in ``misread_as``,
    LookupError for an unknown encoding.

    >>> from leadbyte.mojibake import garble
    >>> garble("Привет", encoding="utf-8", misread_as="windows-1251")
    'РџСЂРёРІРµС‚'
    >>> # Python's windows-1252 has no character for 81.
    >>> garble("Ё", encoding="utf-8", misread_as="whatwg:windows-1252")
    'Ð\x81'
    """
    check_str(text, "garble", "1")
    writer, reader = find(encoding), find(misread_as)
    data = writer.encode(text, "strict") if writer.codec else transcode(text.encode(), "utf-8", encoding)
    return reader.decode(data, "strict") if reader.codec else transcode(data, misread_as, "utf-8").decode()


def repair(text: str, /) -> str:
    """Return the text without the damage of encodings that were taken for others, once or several times.

    The same object if nothing is to be done, as with good text, and it is exactly a str. It undoes that UTF-8
    was read as Windows-1252 or another single-byte encoding, and that Cyrillic, Greek, Central European and
    other encodings were read as one another: where that leaves a text which is more likely, by a model of 50
    languages. Lines are judged with their neighbours. Hungarian, Romanian and Turkish in makeshift letters (õ
    for ő, ã for ă, ý for ı) is left as people wrote it. Lone surrogates stay. Raises TypeError if text is no
    str.

    >>> from leadbyte.mojibake import repair
    >>> repair("РџСЂРёРІРµС‚"), repair("Ïðèâåò"), repair("оПХБЕР, ЛХП")
    ('Привет', 'Привет', 'Привет, мир')
    >>> repair("The Mona Lisa doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t have eyebrows.")
    'The Mona Lisa doesn’t have eyebrows.'
    >>> repair("Å, É… and Ã’s are left alone")
    'Å, É… and Ã’s are left alone'
    """
    return _undo_mojibake(text, "repair")[0]


def explain(text: str, /) -> Repair:
    """Return the repaired text and the steps that were taken, as :func:`repair` takes them.

    >>> from leadbyte.mojibake import explain
    >>> [(step.layer, step.encoding, step.misread_as) for step in explain("nÃƒÂ© en ÃƒÂ©tÃƒÂ©").steps]
    [(1, 'utf-8', 'windows-1252'), (2, 'utf-8', 'windows-1252')]
    >>> explain("né en été").text
    'né en été'
    """
    mended, parts = _undo_mojibake(text, "explain")
    steps = []
    for (start, end), lines, readings, (sequences, left), language, (before, after) in parts:
        for layer, (encoding, misread_as) in enumerate(readings, 1):
            steps.append(
                Step(encoding, misread_as, layer, lines, start, end, sequences, left, language, before, after)
            )
    return Repair(mended, tuple(steps))


def count(number: int, name: str) -> str:
    """Return a number of things, in the plural if need be."""
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"
