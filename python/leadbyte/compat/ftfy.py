"""Repair of mojibake with the functions of ftfy 6.

>>> from leadbyte.compat import ftfy
>>> ftfy.fix_encoding("cafÃ© âœ” ÐŸÑ€Ð¸Ð²ÐµÑ‚")
'café ✔ Привет'
>>> ftfy.fix_encoding_and_explain("schÃ¶n")
ExplainedText(text='schön', explanation=[('encode', 'windows-1252'), ('decode', 'utf-8')])

The repairs come from :func:`leadbyte.mojibake.repair`, which undoes more wrong decodings than ftfy: of
Cyrillic, Greek and Central European encodings as one another. ``fix_text`` also changes HTML entities,
quotes, ligatures, widths and line breaks in ftfy, which is not damage: here each of these must be turned off.
The other functions of ftfy are not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from leadbyte import mojibake, normalize

if TYPE_CHECKING:
    from typing import TypeAlias

    _Anything: TypeAlias = Any

__all__ = ["ExplainedText", "ExplanationStep", "fix_encoding", "fix_encoding_and_explain", "fix_text"]

# The settings of ftfy's TextFixerConfig that have no effect on fix_encoding, there as well as here.
WITHOUT_EFFECT = {
    "unescape_html",
    "remove_terminal_escapes",
    "fix_latin_ligatures",
    "fix_character_width",
    "uncurl_quotes",
    "fix_line_breaks",
    "fix_surrogates",
    "remove_control_chars",
    "normalization",
    "max_decode_length",
    "explain",
}
# Those that ``fix_text`` applies there unless they are turned off, and what does so instead.
CHANGES = {
    "unescape_html": "html.unescape",
    "remove_terminal_escapes": "re.sub",
    "fix_latin_ligatures": "leadbyte.normalize('NFKC', text)",
    "fix_character_width": "leadbyte.normalize('NFKC', text)",
    "uncurl_quotes": "str.translate",
    "fix_line_breaks": "str.splitlines",
    "fix_surrogates": "leadbyte.to_well_formed",
    "remove_control_chars": "str.translate",
}
# Repairs that are a part of each repair, and cannot be left out.
ALWAYS = {"restore_byte_a0", "replace_lossy_sequences", "decode_inconsistent_utf8", "fix_c1_controls"}


class _Config(Protocol):
    """A configuration, as ftfy's TextFixerConfig is one."""

    def _asdict(self) -> dict[str, object]:
        """Return the settings by name."""


class ExplanationStep(NamedTuple):
    """A step of a plan that repairs a text.

    ``action`` is ``encode`` or ``decode``, and ``parameter`` the name of an encoding: the name of Python's
    codec, or with ``sloppy-`` before it the name of ftfy's, which has a character for every byte. A repair
    that differs from part to part is the single step ``apply`` with ``leadbyte.mojibake.repair``; then
    :func:`leadbyte.mojibake.explain` has the steps of each part.
    """

    action: str
    parameter: str

    def __repr__(self) -> str:
        """Return the step as a tuple is shown, as ftfy does."""
        return repr(tuple(self))


class ExplainedText(NamedTuple):
    """A repaired text, and the plan of the repair, which is empty if there was nothing to repair."""

    text: str
    explanation: list[ExplanationStep]


def fix_encoding(text: str, config: _Config | None = None, **settings: object) -> str:
    """Return the text with wrong decodings undone.

    ``config`` is None or an object with the settings of ftfy's ``TextFixerConfig``; ``settings`` are single
    ones. With ``fix_encoding=False`` the text is returned as it is. ``restore_byte_a0``,
    ``replace_lossy_sequences``, ``decode_inconsistent_utf8`` and ``fix_c1_controls`` are parts of each
    repair: NotImplementedError if one is false. The other settings have no effect, as in ftfy; TypeError if
    there is no such setting. UnicodeError if text is bytes.

    >>> from leadbyte.compat.ftfy import fix_encoding
    >>> fix_encoding("sÃ³"), fix_encoding("&ATILDE;&SUP3;")
    ('só', '&ATILDE;&SUP3;')
    >>> fix_encoding("sÃ³", fix_c1_controls=False)
    Traceback (most recent call last):
    NotImplementedError: fix_c1_controls=False: this repair cannot be left out
    """
    return mojibake.repair(text) if is_wanted(text, config, settings) else text


def fix_text(text: str, config: _Config | None = None, **settings: object) -> str:
    """Return the text with wrong decodings undone, in a normalization form (UAX 15).

    The arguments and errors are the same as for :func:`fix_encoding`, and ``normalization``: 'NFC', which is
    the default as in ftfy, another form, or None. What ``fix_text`` of ftfy changes otherwise must be turned
    off by false settings: NotImplementedError names those that are not, and what does so instead.

    >>> from leadbyte.compat import ftfy
    >>> off = dict.fromkeys(ftfy.CHANGES, False)
    >>> ftfy.fix_text("cafÃ©", **off)
    'café'
    >>> ftfy.fix_text("cafÃ©", **{**off, "uncurl_quotes": True})
    Traceback (most recent call last):
    NotImplementedError: uncurl_quotes=True is not a repair: turn it off, and use str.translate
    """
    fixed = fix_encoding(text, config, **settings)
    settings = {**(config._asdict() if config is not None else {}), **settings}
    for name, way in CHANGES.items():
        if value := settings.get(name, True):
            message = f"{name}={value!r} is not a repair: turn it off, and use {way}"
            raise NotImplementedError(message)
    form: _Anything = settings.get("normalization", "NFC")  # for another normalize raises
    return fixed if form is None else normalize(form, fixed)


def fix_encoding_and_explain(text: str, config: _Config | None = None, **settings: object) -> ExplainedText:
    """Return the text with wrong decodings undone, and the plan of the repair.

    The arguments and errors are the same as for :func:`fix_encoding`. ftfy's ``apply_plan`` applies the plan.

    >>> from leadbyte.compat.ftfy import fix_encoding_and_explain
    >>> fix_encoding_and_explain("nÃƒÂ©").explanation == 2 * [("encode", "windows-1252"), ("decode", "utf-8")]
    True
    >>> fix_encoding_and_explain("né")
    ExplainedText(text='né', explanation=[])
    """
    if not is_wanted(text, config, settings):
        return ExplainedText(text, [])
    repair = mojibake.explain(text)
    return ExplainedText(repair.text, plan(text, repair))


def is_wanted(text: str | bytes, config: _Config | None, settings: dict[str, object]) -> bool:
    """Return whether the settings ask for a repair; raise an exception for those that cannot be honoured."""
    if isinstance(text, bytes):
        message = "bytes are not text: decode them first; try leadbyte.detect(data).encoding"
        raise UnicodeError(message)
    settings = {**(config._asdict() if config is not None else {}), **settings}
    for name, value in settings.items():
        if name in ALWAYS and not value:
            message = f"{name}={value!r}: this repair cannot be left out"
            raise NotImplementedError(message)
        if name not in {"fix_encoding", *ALWAYS, *WITHOUT_EFFECT}:
            message = f"{name!r} is not a setting of ftfy"
            raise TypeError(message)
    return bool(settings.get("fix_encoding", True))


def plan(text: str, repair: mojibake.Repair) -> list[ExplanationStep]:
    """Return the steps of a repair."""
    parts: dict[tuple[int, int], list[mojibake.Step]] = {}
    for step in repair.steps:
        parts.setdefault((step.start, step.end), []).append(step)
    steps: list[ExplanationStep] = []
    # The steps of one part, applied to all of the text.
    for step in next(iter(parts.values()), ()):
        name, text = undone(text, step)
        steps += [
            ExplanationStep("encode", name),
            ExplanationStep("decode", step.encoding.replace("whatwg:", "sloppy-")),
        ]
    if text == repair.text:
        return steps
    return [ExplanationStep("apply", f"{mojibake.__name__}.{mojibake.repair.__name__}")]


def undone(text: str, step: mojibake.Step) -> tuple[str, str]:
    """Return the name of the codec that a step encodes with, and the text after the step.

    That is the given text if the step cannot be applied to all of it.
    """
    name = step.misread_as.removeprefix("whatwg:")
    for prefix, label in (("", name), ("sloppy-", f"whatwg:{name}")):
        try:
            return prefix + name, mojibake.garble(text, encoding=label, misread_as=step.encoding)
        except (LookupError, UnicodeError):
            continue
    return name, text


def __dir__() -> list[str]:
    return __all__
