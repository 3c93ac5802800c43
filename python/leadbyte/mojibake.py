"""Text that was encoded in one encoding and decoded with another: garble it, repair it, explain the steps.

>>> from leadbyte import mojibake
>>> mojibake.garble("Hello мир", encoding="windows-1251", misread_as="iso-8859-1")
'Hello ìèð'
>>> mojibake.repair("Hello âåñü ìèð"), mojibake.repair("Hello РјРёСЂ")
('Hello весь мир', 'Hello мир')
>>> mojibake.repair("Hello мир")
'Hello мир'
>>> [(step.encoding, step.misread_as) for step in mojibake.explain("Ã©tÃ© 2026").steps]
[('utf-8', 'windows-1252')]
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from leadbyte._arguments import check_str
from leadbyte._encodings import find, find_fallback
from leadbyte._leadbyte import _read_mixed, _undo_mojibake, _undo_mojibake_of_column
from leadbyte.transcode import transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Buffer

    from leadbyte._encodings import _Name
    from leadbyte._leadbyte import _Part

__all__ = ["Repair", "Step", "decode_mixed", "explain", "garble", "repair", "repair_many"]


@dataclass(frozen=True)
class Step:
    """A wrong decoding that was undone in a part of a text.

    ``encoding`` is the right encoding of the part, ``misread_as`` the one it was decoded with by mistake,
    both by names that :func:`garble` takes. ``layer`` is 1 for the decoding that is undone first, which was
    the last to happen. ``lines`` are the numbers of the part's first and last line, from 1 on; ``start`` and
    ``end`` are its span in the given text, in characters.

    The other fields are the evidence: ``sequences`` is the number of UTF-8 sequences, in all layers, that
    became one character each; ``undamaged`` the number of other characters that are not ASCII, which stay as
    they are. ``before`` and ``after`` are the negated binary logarithms of the likelihood of the part as
    given and as repaired, in the language of the model that fits best, in bits. ``language`` is the BCP 47
    tag of the language of the repaired part, ``None`` if others are about as likely.
    """

    encoding: str
    misread_as: str
    layer: int
    lines: tuple[int, int]
    start: int
    end: int
    sequences: int
    undamaged: int
    language: str | None
    before: float
    after: float

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, for JSON."""
        return {**asdict(self), "lines": list(self.lines)}

    def __str__(self) -> str:
        """Return a description of the step."""
        first, last = self.lines
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        step = f"{lines}: encoded in {self.encoding}, decoded as {self.misread_as}"
        if self.layer > 1:
            return f"{step} (before that, layer {self.layer})"
        evidence = []
        if self.sequences:
            evidence.append(count(self.sequences, "UTF-8 sequence"))
        if self.undamaged:
            evidence.append(f"{count(self.undamaged, 'undamaged character')}")
        language = f" ({self.language})" if self.language else ""
        evidence.append(f"{self.before:,.0f} bits before and {self.after:,.0f} after{language}")
        return f"{step}; {', '.join(evidence)}"


@dataclass(frozen=True)
class Repair:
    """A repaired text, and the steps of the repair.

    ``text`` is the repaired text, the given object itself if there is nothing to repair. ``steps`` are in the
    order of the text, and where several decodings are undone in one part, the last one first.

    >>> from leadbyte.mojibake import explain
    >>> repaired = explain("Ïðèâåò")
    >>> repaired.text, repaired.steps[0].encoding, repaired.steps[0].misread_as
    ('Привет', 'windows-1251', 'windows-1252')
    >>> explain("Привет").steps
    ()
    """

    text: str
    steps: tuple[Step, ...]

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.steps)

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, for JSON."""
        steps = [step.as_dict() for step in self.steps]
        return {"text": self.text, "changed": self.changed, "steps": steps}

    def __str__(self) -> str:
        """Return descriptions of the steps, one per line."""
        return "\n".join(map(str, self.steps)) or "nothing to repair"


def garble(text: str, /, *, encoding: _Name, misread_as: _Name) -> str:
    r"""Return ``text`` encoded in ``encoding`` and decoded, by mistake, as ``misread_as``.

    ``encoding`` and ``misread_as`` are names as :func:`leadbyte.transcode.transcode` takes them: Python's
    names, labels after ``whatwg:``, or numbers of code pages. WHATWG's tables have a character for every byte
    of nearly all single-byte encodings, so that nothing is lost. Raises UnicodeEncodeError where ``encoding``
    lacks a character, UnicodeDecodeError where the bytes are not valid in ``misread_as``, LookupError for an
    unknown encoding.

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


def repair(text: str, /, *, languages: Iterable[str] | None = None) -> str:
    """Return the text with wrong decodings undone, of one or several layers.

    Undoes UTF-8 that was decoded as Windows-1252 or another single-byte encoding, and Cyrillic, Greek,
    Central European and other encodings that were decoded as one another, where a model of 65 languages finds
    the result more likely. Lines are scored with their neighbours. Correct text is unchanged, but for rare
    lines that look damaged, such as lists of letters; a str that is not an instance of a subclass is then
    returned itself. Lone surrogates are unchanged. Hungarian, Romanian and Turkish in substitute letters
    (õ for ő, ã for ă, ý for ı) is converted if it is likelier so.

    ``languages`` are BCP 47 tags of the languages that the text may be in, which decides between readings
    that are ambiguous otherwise: then shorter texts are repaired, too. Other languages remain
    possible, but are less likely. Raises TypeError if text is not a str, ValueError for a tag that the model
    does not know, with the list of those that it knows.

    >>> from leadbyte.mojibake import repair
    >>> repair("РџСЂРёРІРµС‚"), repair("Ïðèâåò"), repair("оПХБЕР, ЛХП")
    ('Привет', 'Привет', 'Привет, мир')
    >>> repair("The Mona Lisa doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t have eyebrows.")
    'The Mona Lisa doesn’t have eyebrows.'
    >>> repair("Å, É… and Ã’s are left alone")
    'Å, É… and Ã’s are left alone'
    >>> repair("Ýstanbul"), repair("Ýstanbul", languages=["tr"])
    ('Ýstanbul', 'İstanbul')
    >>> repair("", languages=["tlh"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: languages must be BCP 47 tags of af, ar, ...; not "tlh"
    """
    return _undo_mojibake(text, "repair", languages)[0]


def repair_many(
    texts: Iterable[str | None], /, *, languages: Iterable[str] | None = None
) -> list[str | None]:
    """Return a list of the texts, repaired as :func:`repair` does, as cells of one column. None stays None.

    Cells support each other, since the cells of a column usually went the same way: a short one that may be
    good or damaged is repaired if others show its damage, and is unchanged in a column of good text. The
    order has no effect, and a column of one text gives what :func:`repair` gives, as does a cell with lone
    surrogates in any column. Use it for the values of a table, of which many are too short to be judged
    alone. Time and memory are linear; the texts are read twice.

    Raises TypeError for an item that is neither a str nor None, on Python 3.11 and later with a note that
    names it, and for a str instead of an iterable; ValueError for an unknown tag in ``languages``.

    >>> from leadbyte.mojibake import repair, repair_many
    >>> repair_many(["Â£5", "Ãœber", "10Ã—15", None, "plain", "Größe"])
    ['£5', 'Über', '10×15', None, 'plain', 'Größe']
    >>> repair("10 Å—"), repair_many(["Größe", "10 Å—", "Übung"])
    ('10 Å—', ['Größe', '10 Å—', 'Übung'])
    >>> repair_many("Ãœber")
    Traceback (most recent call last):
        ...
    TypeError: repair_many() argument 1 must be an iterable of str, not str
    """
    return _undo_mojibake_of_column(texts, languages)


def decode_mixed(data: Buffer, /, *, fallback: _Name | None = None) -> str:
    r"""Return the text of data that is UTF-8 with lines, or parts of lines, in other encodings.

    Such are log files that several programs write to, and tables that were joined. Lines that are valid UTF-8
    are decoded as such, which is never wrong. Any other line is decoded in its most likely encoding, as a
    whole or only in its bytes that are not UTF-8: one of Windows-1252, 1251, 1250, 1253 and 1254, KOI8-R and
    IBM866, or as a whole in Shift_JIS, EUC-JP, EUC-KR, GB 18030 or Big5, where it surely is in that or
    follows a line that is; or in ``fallback``, a name as :func:`garble` takes it, of an encoding that
    contains ASCII and is not a form of Unicode. Encodings with several bytes per character have the tables of
    the WHATWG Encoding Standard. Undefined bytes become U+FFFD.

    Raises TypeError if data is not bytes-like, LookupError if the fallback is unknown, ValueError if it is
    not such an encoding.

    >>> from leadbyte.mojibake import decode_mixed
    >>> log = "user Zoë\n".encode() + "пользователь Зоя\n".encode("windows-1251")
    >>> decode_mixed(log)
    'user Zoë\nпользователь Зоя\n'
    >>> decode_mixed("Ω: ".encode() + b"\xb5\n", fallback="iso-8859-7")
    'Ω: ΅\n'
    >>> decode_mixed(b"\xff", fallback="utf-16")
    Traceback (most recent call last):
        ...
    ValueError: fallback must be a legacy encoding that contains ASCII, not utf-16
    """
    return _read_mixed(data, None if fallback is None else find_fallback(fallback))[0]


def explain(text: str, /, *, languages: Iterable[str] | None = None) -> Repair:
    """Return the text as repaired by :func:`repair`, and the steps of the repair.

    >>> from leadbyte.mojibake import explain
    >>> [(step.layer, step.encoding, step.misread_as) for step in explain("nÃƒÂ© en ÃƒÂ©tÃƒÂ©").steps]
    [(1, 'utf-8', 'windows-1252'), (2, 'utf-8', 'windows-1252')]
    >>> explain("né en été").text
    'né en été'
    """
    repaired, parts = _undo_mojibake(text, "explain", languages)
    return Repair(repaired, tuple(steps_of(parts)))


def steps_of(parts: Iterable[_Part]) -> Iterator[Step]:
    """Yield the steps of parts that were repaired."""
    for (start, end), lines, readings, (sequences, undamaged), language, (before, after) in parts:
        for layer, (encoding, misread_as) in enumerate(readings, 1):
            part = (lines, start, end, sequences, undamaged, language, before, after)
            yield Step(encoding, misread_as, layer, *part)


def count(number: int, name: str) -> str:
    """Return a count and a noun, in the plural unless the count is 1."""
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def __dir__() -> list[str]:
    return __all__
