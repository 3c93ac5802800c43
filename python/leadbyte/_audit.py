"""Hidden characters: found with their place, removed by policy."""

from __future__ import annotations

from _thread import RLock
from dataclasses import dataclass
from functools import partial

from leadbyte._arguments import snapshot
from leadbyte._copying import NotCopyable
from leadbyte._leadbyte import _Audit, encode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Literal, TypeAlias, overload

    from typing_extensions import Buffer

    from leadbyte._leadbyte import Location, _Found

    _Kind: TypeAlias = Literal[
        "nul", "control", "bidi_control", "tag", "invisible", "variation_selector", "noncharacter",
        "private_use", "unassigned", "four_byte", "inner_bom", "line_separator", "surrogate",
        "confusable_newline", "invalid",
    ]  # fmt: skip
    _PolicyName: TypeAlias = Literal[
        "source-code", "llm-input", "postgresql", "mysql-utf8mb3", "xml-1.0", "json", "identifier"
    ]
    _Policy: TypeAlias = _PolicyName | Iterable[_Kind]

__all__ = ["Finding", "Sanitizer", "audit", "sanitize"]


@dataclass(frozen=True)
class Finding:
    """A hidden character, or bytes that are not UTF-8.

    ``kind`` is the name of its kind. ``start`` and ``end`` are its span: in characters in a str, in bytes in
    bytes. ``char`` is the character and ``name`` its Unicode name, by the version of the module
    ``unicodedata``, or a label in angle brackets; both are None for invalid bytes. ``location`` has its line
    and column, as :func:`leadbyte.locate` counts them. ``why`` is a sentence for people, whose subject is the
    character.
    """

    __module__ = "leadbyte"

    kind: _Kind
    start: int
    end: int
    char: str | None
    name: str | None
    location: Location
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, for JSON: ``char`` as its code point, "U+200B"."""
        char = None if self.char is None else f"U+{ord(self.char):04X}"
        return {**vars(self), "char": char, "location": self.location.as_dict()}


def finding(found: _Found) -> Finding:
    """Return what the extension module has found."""
    kind, start, end, code_point, why, location = found
    if kind == "invalid":
        return Finding(kind, start, end, None, None, location, why)
    from leadbyte._explain.names import name

    return Finding(kind, start, end, chr(code_point), name(code_point), location, why)


def as_utf8(text_or_data: str | Buffer) -> bytes:
    """Return the UTF-8 of a str, with surrogates as if they were characters; bytes as they are."""
    if isinstance(text_or_data, str):
        return encode(text_or_data, errors="surrogatepass")
    return snapshot(text_or_data)


def audit(text_or_data: str | Buffer, /, *, policy: _Policy = "source-code") -> Iterator[Finding]:
    r"""Return an iterator over the hidden characters of a text, and over bytes that are not UTF-8, in order.

    text_or_data: a str, or any bytes-like object with a contiguous buffer. Offsets are in characters or in
    bytes accordingly.
    policy: which characters are findings. "source-code" (UTS 55), "llm-input", "postgresql", "mysql-utf8mb3",
    "xml-1.0", "json" or "identifier" (UAX 31); or an iterable of kinds, each of whose characters is a finding
    wherever it is. By "source-code" and "llm-input" nothing is a finding that belongs to the text: emoji
    sequences, joiners in Persian and Indic words, standardized variation sequences, and pairs of controls of
    direction that are closed on their line. Surrogates and invalid bytes are findings by every policy. Raises
    ValueError for another name.

    >>> line = 'if level != "user\u202e \u2066// Check if admin\u2069 \u2066":'
    >>> for found in leadbyte.audit(line):
    ...     print(found.location.column, found.kind, found.name, found.why, sep=": ")
    18: bidi_control: RIGHT-TO-LEFT OVERRIDE: changes the direction of the text after it, and is not closed on its line
    40: bidi_control: LEFT-TO-RIGHT ISOLATE: changes the direction of the text after it, and is not closed on its line
    >>> [(found.kind, found.start) for found in leadbyte.audit(b"a\0b\xff", policy="postgresql")]
    [('nul', 1), ('invalid', 3)]
    >>> list(leadbyte.audit("می\u200cخواهم 👩\u200d🚀 ☂\ufe0f"))
    []
    >>> [found.start for found in leadbyte.audit("☂\ufe0f", policy={"variation_selector"})]
    [1]
    """  # noqa: E501
    search = _Audit(policy, is_str=isinstance(text_or_data, str))
    # Not a generator, which would end with an exception, as of the handler of a signal.
    return map(finding, iter(partial(search.next, as_utf8(text_or_data)), None))


if TYPE_CHECKING:

    @overload
    def sanitize(text_or_data: str, /, *, policy: _Policy, replacement: str = "") -> str: ...
    @overload
    def sanitize(text_or_data: Buffer, /, *, policy: _Policy, replacement: str = "") -> bytes: ...


def sanitize(text_or_data: str | Buffer, /, *, policy: _Policy, replacement: str = "") -> str | bytes:
    r"""Return a text without what :func:`audit` finds in it: each finding is replaced, by default by nothing.

    The result is valid UTF-8, or a str without surrogates, and has no finding by the same policy; sanitizing
    it again changes nothing. If there is no finding, the given str or bytes itself is returned.

    text_or_data, policy: as for :func:`audit`.
    replacement: raises ValueError if it has a character of a kind that the policy finds, UnicodeEncodeError
    if it has a surrogate. A line break in it may leave bidi controls unpaired, which are then found.

    >>> leadbyte.sanitize("ig\u200bnore\U000e0041\U000e0042 👩\u200d🚀", policy="llm-input")
    'ignore 👩\u200d🚀'
    >>> leadbyte.sanitize(b"a\0b\xff", policy="postgresql", replacement="?")
    b'a?b?'
    >>> leadbyte.sanitize("price: 5 😀", policy="mysql-utf8mb3", replacement="\ufffd")
    'price: 5 �'
    """
    is_str = isinstance(text_or_data, str)
    search = _Audit(policy, is_str=is_str, function="sanitize")
    data = as_utf8(text_or_data)
    sanitized, _, _ = search.sanitize(data, replacement, 0)
    if sanitized is None:
        if type(text_or_data) is str:
            return text_or_data
        sanitized = data
    return sanitized.decode() if is_str else sanitized


class Sanitizer(NotCopyable):
    r"""Sanitizes a text that arrives in pieces: str or bytes, cut anywhere.

    A line is kept back until it is complete, since what belongs to it depends on what follows. The pieces
    together give what :func:`sanitize` gives for the whole text, of which ``policy`` and ``replacement`` are
    the arguments. The memory needed is as large as the longest line. Threads may share it: one call at a time
    is at work. A call from within another one in the same thread, as by the handler of a signal, raises
    ValueError.

    >>> sanitizer = leadbyte.Sanitizer(policy="llm-input")
    >>> sanitizer.feed("a\u200bb\nc\U000e0041"), sanitizer.feed("d"), sanitizer.finish()
    ('ab\n', '', 'cd')
    >>> sanitizer.finding_count
    2
    """

    __module__ = "leadbyte"
    __slots__ = ("_at_work", "_count", "_held", "_lock", "_policy", "_replacement", "_search", "_type")

    def __init__(self, *, policy: _Policy, replacement: str = "") -> None:
        is_set = hasattr(policy, "__iter__") and not isinstance(policy, str)
        # An iterator gives its kinds once.
        self._policy = frozenset(policy) if is_set else policy
        self._replacement = replacement
        self._lock = RLock()  # not Lock: the handler of a signal may call from within a call
        self._at_work = False
        self._type: type[str | bytes] | None = None
        self._held: list[bytes] = []
        self._count = 0
        # Raises what all calls raise for these arguments.
        self._search = self._start(is_str=True)
        self._search.sanitize(b"", replacement, 0)

    def _start(self, *, is_str: bool) -> _Audit:
        return _Audit(self._policy, is_str=is_str, function="Sanitizer")

    @property
    def finding_count(self) -> int:
        """The number of findings so far."""
        return self._count

    if TYPE_CHECKING:

        @overload
        def feed(self, text_or_data: str, /) -> str: ...
        @overload
        def feed(self, text_or_data: Buffer, /) -> bytes: ...

    def feed(self, text_or_data: str | Buffer, /) -> str | bytes:
        """Return the lines that a piece completes, sanitized. All pieces must be str, or none of them."""
        piece_type = str if isinstance(text_or_data, str) else bytes
        return self._alone(self._feed, as_utf8(text_or_data), piece_type)

    def _feed(self, data: bytes, piece_type: type[str | bytes]) -> str | bytes:
        if self._type not in (None, piece_type):
            message = (
                f"Sanitizer.feed() argument 1 must be {self._type.__name__}, as in the calls before, not "
                f"{piece_type.__name__}"
            )
            raise TypeError(message)
        search = self._search if self._type else self._start(is_str=piece_type is str)
        end = data.rfind(b"\n") + 1
        if not end:
            self._search, self._type = search, piece_type
            self._held += [data] if data else []
            return piece_type()
        piece = b"".join([*self._held, data[:end]])
        rest = [data[end:]]
        text, count = self._sanitize(search, piece, piece_type)
        search = search.next_piece(piece)
        # At once, without a call between them: after an exception the data can be fed again.
        self._search, self._type, self._held, self._count = search, piece_type, rest, self._count + count
        return text

    def finish(self) -> str | bytes:
        """Return the rest of the text, sanitized; start again. Without a text it is ``b""``."""
        return self._alone(self._finish)

    def _finish(self) -> str | bytes:
        text, count = self._sanitize(self._search, b"".join(self._held), self._type)
        self._type, self._held, self._count = None, [], self._count + count
        return text

    def _sanitize(self, search: _Audit, piece: bytes, text_type: type | None) -> tuple[str | bytes, int]:
        sanitized, count, _ = search.sanitize(piece, self._replacement, 0)
        data = piece if sanitized is None else sanitized
        return data.decode() if text_type is str else data, count

    def _alone(self, work: Callable[..., str | bytes], *arguments: object) -> str | bytes:
        """Return the result of work, while no other call is at work."""
        with self._lock:
            if self._at_work:
                message = "another call is already executing"
                raise ValueError(message)
            self._at_work = True
            try:
                return work(*arguments)
            finally:
                self._at_work = False
