"""What went wrong and what to do, for exceptions of decoding and encoding: :func:`leadbyte.explain_error`."""

from __future__ import annotations

import codecs
import sys
import threading
from contextlib import contextmanager, suppress

from leadbyte._leadbyte import (
    Location,
    ceil_boundary,
    detect,
    floor_boundary,
    is_valid,
    iter_errors,
    locate,
    scan,
)
from leadbyte._messages import number, printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, TypeAlias

    _Hook: TypeAlias = Callable[[type[BaseException], BaseException, TracebackType | None], object]

__all__ = ["explain_error", "install_excepthook"]

# The bytes or characters of a line that are shown before and after an error.
CONTEXT = 40
# The bytes that a message about an error in UTF-8 may describe.
MESSAGE_BYTES = 8
# An encoding is named if the confidence in it is above this.
DOUBTFUL = 0.5
UTF8_NAMES = {"utf-8", "utf-8-sig"}
VARIANT_NAMES = {"wtf-8", "cesu-8", "mutf-8"}
# The most exceptions of a chain or a group that get a note.
MAX_EXCEPTIONS = 100
# What begins the notes of the hook.
TITLE = "leadbyte: "


def explain_error(exc: UnicodeError, /) -> str:
    r"""Return what went wrong in a UnicodeDecodeError or UnicodeEncodeError, and what to do, in a few lines.

    The text has the line and the column (from 1, in characters), the offset in bytes or characters (from 0),
    the line, the likely encoding of the data, and the ways to continue. It is for people, and may
    change. All characters in it are printable. The places are those in the ``object`` of the exception, which
    may be a part of a file; where the exception has a ``location``, as leadbyte's readers add, they are that.

    Raises TypeError for any other object.

    >>> try:
    ...     "Menü\ncafé".encode("windows-1252").decode()
    ... except UnicodeDecodeError as error:
    ...     print(leadbyte.explain_error(error))
    line 1, column 4, byte 3: not UTF-8: FC never occurs in UTF-8 (would start a 6-byte sequence)
      Men\xfc
    The data is probably in windows-1252 (98% sure): decode it with encoding="windows-1252".
    >>> try:
    ...     "5 €".encode("latin-1")
    ... except UnicodeEncodeError as error:
    ...     print(leadbyte.explain_error(error))
    line 1, column 3, character 2: "€" U+20AC EURO SIGN is not in iso8859-1
      5 €
    Encode as UTF-8, which has all characters, or replace it: errors="xmlcharrefreplace", for instance.
    """
    if isinstance(exc, UnicodeDecodeError):
        return "\n".join(decode_lines(exc))
    if isinstance(exc, UnicodeEncodeError):
        return "\n".join(encode_lines(exc))
    expected = "UnicodeDecodeError or UnicodeEncodeError"
    message = f"explain_error() argument 1 must be {expected}, not {type(exc).__name__}"
    raise TypeError(message)


def codec_name(name: str) -> str:
    """Return the name that Python gives an encoding, or the name itself."""
    if name == "charmap":
        return "this single-byte encoding"  # whose name Python's codecs do not pass on
    with suppress(LookupError):
        return codecs.lookup(name).name
    return printable(name)


def decode_lines(exc: UnicodeDecodeError) -> Iterator[str]:
    """Yield the lines of an explanation of an error in bytes."""
    data = bytes(exc.object)
    start = max(0, min(exc.start, len(data)))
    encoding = codec_name(exc.encoding)
    location = getattr(exc, "location", None)
    place = location if isinstance(location, Location) else locate(data, start)
    expected, reason = f"in {encoding}", printable(exc.reason)
    if encoding in UTF8_NAMES:
        expected = "UTF-8"
        # Later bytes than these have no influence, but whether there are any has.
        found = next(iter_errors(data[start : start + MESSAGE_BYTES]), None)
        if found and not found.start:
            reason = printable(found.message)
    yield f"line {place.line}, column {place.column}, byte {place.byte_offset}: not {expected}: {reason}"
    yield f"  {decoded_context(data, start, exc.end)}"
    if place is not location and is_of_stream(exc):
        yield (
            "The place is in the part of the file that was decoded last;"
            " leadbyte.read_text(path) and leadbyte check PATH count from the start."
        )
    yield from decode_advice(data, encoding)


def decoded_context(data: bytes, start: int, end: int) -> str:
    """Return the line of an error, up to some bytes before and after it, with escape sequences for errors."""
    end = max(start + 1, min(end, len(data)))
    before, after = data[max(0, start - CONTEXT) : start], data[end : end + CONTEXT]
    before = before[before.rfind(b"\n") + 1 :]
    before = before[ceil_boundary(before, 0) :]
    after = after.partition(b"\n")[0].rstrip(b"\r")
    after = after[: floor_boundary(after, len(after) - 1)] if len(after) == CONTEXT else after
    shown = before.decode(errors="backslashreplace"), after.decode(errors="backslashreplace")
    bad = "".join(f"\\x{byte:02x}" for byte in data[start:end][:CONTEXT])
    return printable(f"{shown[0]}{bad}{shown[1]}".replace("\t", " "))


def is_of_stream(exc: UnicodeError) -> bool:
    """Return whether an incremental decoder of Python raised an exception, as in text files."""
    last = exc.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    return last is not None and isinstance(last.tb_frame.f_locals.get("self"), codecs.IncrementalDecoder)


def decode_advice(data: bytes, encoding: str) -> Iterator[str]:
    """Yield what to do about data that is not in the encoding that it was decoded in."""
    is_utf8 = encoding in UTF8_NAMES
    if is_valid(data):
        way = "leadbyte.decode decodes it" if is_utf8 else 'decode it with encoding="utf-8"'
        yield f"The data is valid UTF-8: {way}."
        return
    if is_utf8 or encoding in VARIANT_NAMES:
        from leadbyte.variants import cesu8, mutf8

        for variant, title in ((cesu8, "CESU-8"), (mutf8, "modified UTF-8, as Java writes it")):
            if variant.is_valid(data):
                yield f"The data is valid {title}: {variant.__name__}.decode decodes it."
                return
    found = detect(data)
    if found.kind not in {"text", "empty", "binary"}:
        yield f"The data is {found.kind}, not text."
        return
    likely = found.encoding
    if likely is not None and found.bom and encoding.startswith(likely):
        # An exception of utf-16 names the byte order.
        encoding = likely
    is_truncated = ends_inside_character(data, encoding)
    is_other = likely is not None and likely not in UTF8_NAMES and codec_name(likely) != encoding
    if is_other and found.confidence > DOUBTFUL and not (is_truncated and found.truncated):
        yield (
            f"The data is probably in {likely} ({found.confidence:.0%} sure):"
            f' decode it with encoding="{likely}".'
        )
    elif is_truncated:
        way = "leadbyte.StreamDecoder" if is_utf8 else f'codecs.getincrementaldecoder("{encoding}")'
        yield f"The data ends inside a character: more of it may follow, which {way} decodes piece by piece."
    elif likely is None:
        yield "The data does not look like text in any known encoding."
    elif is_other and is_decodable(data, likely):
        yield (
            f"The data may be in {likely} ({found.confidence:.0%} sure):"
            " leadbyte.detect_all(data) returns all likely encodings."
        )
    elif is_utf8 or likely in UTF8_NAMES:
        count = scan(data).error_count
        yield f"Apart from {number(count, 'error')}, the data may be UTF-8 ({number(len(data), 'byte')})."
        yield (
            "leadbyte.repair(data) replaces the errors by U+FFFD, and so does leadbyte repair PATH;"
            " leadbyte.mojibake.decode_mixed(data) decodes lines in another encoding."
        )
    else:
        yield f'Apart from errors, the data may be in {encoding}: errors="replace" replaces them by U+FFFD.'


def ends_inside_character(data: bytes, encoding: str) -> bool:
    """Return whether data is in an encoding, up to an incomplete character at its end."""
    from leadbyte._encodings import find
    from leadbyte._str_transcoder import decoder

    with suppress(LookupError, UnicodeError, NotImplementedError):
        incremental = decoder(find(encoding), "strict")
        incremental.decode(data, False)  # noqa: FBT003
        return bool(incremental.getstate()[0])
    return False


def is_decodable(data: bytes, encoding: str) -> bool:
    """Return whether data is valid in an encoding."""
    with suppress(UnicodeError):
        data.decode(encoding)
        return True
    return False


def encode_lines(exc: UnicodeEncodeError) -> Iterator[str]:
    """Yield the lines of an explanation of an error in a str."""
    import unicodedata

    text, start = exc.object, max(0, min(exc.start, len(exc.object)))
    line_start = text.rfind("\n", 0, start) + 1
    line, column = text.count("\n", 0, start) + 1, start - line_start + 1
    encoding = codec_name(exc.encoding)
    char = text[start : start + 1]
    place = f"line {line}, column {column}, character {start}:"
    if not char:
        yield f"{place} not in {encoding}: {printable(exc.reason)}"
        return
    is_surrogate = "\ud800" <= char <= "\udfff"
    name = unicodedata.name(char, "a surrogate" if is_surrogate else "without a name")
    shown = "" if is_surrogate else f'"{printable(char)}" '
    yield f"{place} {shown}U+{ord(char):04X} {name} is not in {encoding}"
    before = text[max(line_start, start - CONTEXT) : start]
    after = text[start + 1 : start + CONTEXT].partition("\n")[0]
    yield f"  {printable(before + char + after)}"
    if "\udc80" <= char <= "\udcff":
        yield (
            f'It is the byte {ord(char) - 0xDC00:02X} of data that was decoded with errors="surrogateescape":'
            " the same handler encodes it."
        )
    elif is_surrogate:
        yield (
            "It is one surrogate of a pair in UTF-16: leadbyte.to_well_formed(text) joins pairs and replaces"
            " lone surrogates by U+FFFD."
        )
    else:
        way = "Encode as UTF-8, which has all characters, or replace it"
        yield f'{way}: errors="xmlcharrefreplace", for instance.'


class Hook:
    """A hook for uncaught exceptions that adds notes, and then calls the hook before it."""

    def __init__(self, previous: _Hook) -> None:
        self.previous = previous

    def __call__(
        self, kind: type[BaseException], exc: BaseException, traceback: TracebackType | None
    ) -> None:
        """Report an exception."""
        with explained(exc):
            self.previous(kind, exc, traceback)


class ThreadHook:
    """A hook for the uncaught exceptions of threads, as :class:`Hook` is."""

    def __init__(self, previous: Callable[[threading.ExceptHookArgs], object]) -> None:
        self.previous = previous

    def __call__(self, args: threading.ExceptHookArgs, /) -> None:
        """Report the exception of a thread."""
        with explained(args.exc_value):
            self.previous(args)


@contextmanager
def explained(exc: BaseException | None) -> Iterator[None]:
    """Add notes to the UnicodeErrors of a chain while it is reported; without notes, print them after."""
    unshown = annotate(exc)
    yield
    for note in unshown:
        print(note, file=sys.stderr)


def annotate(exc: BaseException | None) -> list[str]:
    """Add notes to the UnicodeErrors of a chain; return those for which this Python has no notes."""
    unshown = []
    # Nothing may hide the exception itself.
    with suppress(Exception):
        for error in unicode_errors(exc):
            note = TITLE + explain_error(error).replace("\n", "\n  ")
            if not hasattr(error, "add_note"):
                unshown.append(note)
            elif not any(str(other).startswith(TITLE) for other in getattr(error, "__notes__", ())):
                error.add_note(note)
    return unshown


def unicode_errors(exc: BaseException | None) -> Iterator[UnicodeError]:
    """Yield the UnicodeErrors that are printed with an exception: its own, causes, contexts and groups."""
    waiting = [exc]
    met: set[int] = set()
    while waiting and len(met) < MAX_EXCEPTIONS:
        error = waiting.pop()
        if error is None or id(error) in met:
            continue
        met.add(id(error))
        if isinstance(error, (UnicodeDecodeError, UnicodeEncodeError)):
            yield error
        hidden = error.__suppress_context__
        waiting += [error.__cause__, None if hidden else error.__context__]
        waiting += getattr(error, "exceptions", ())


def install_excepthook() -> None:
    r"""Add the text of :func:`explain_error` to uncaught UnicodeErrors, in all threads and in IPython.

    On Python 3.11 and later it becomes a note of the exception (``add_note``), which every traceback shows,
    also in logs; before, it is printed on standard error after the traceback. The hooks that were there
    before are called as usual. A second call has no effect.

    >>> import sys
    >>> before = sys.excepthook
    >>> leadbyte.install_excepthook()
    >>> sys.excepthook is before
    False
    >>> sys.excepthook = before
    """
    if not isinstance(sys.excepthook, Hook):
        sys.excepthook = Hook(sys.excepthook)
    if not isinstance(threading.excepthook, ThreadHook):
        threading.excepthook = ThreadHook(threading.excepthook)
    # Without IPython, nothing is imported.
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    if shell := get_ipython():
        shell.set_custom_exc((UnicodeError,), report_in_ipython)


def report_in_ipython(
    shell: Any,  # noqa: ANN401  # a class of IPython
    kind: type[BaseException],
    exc: BaseException,
    traceback: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Report an exception in IPython."""
    with explained(exc):
        shell.showtraceback((kind, exc, traceback), tb_offset=tb_offset)
