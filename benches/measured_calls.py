"""The functions of the package whose time depends on the content, each as a call with data or with a text.

Methods are called as a program calls them: streams with pieces, columns with rows. Errors in data or text end
a call where the function is to raise an exception.
"""

from __future__ import annotations

import codecs
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import leadbyte
import pyarrow as pa
from leadbyte import arrow, mojibake, websocket
from leadbyte._leadbyte import _JsonLines
from leadbyte.compat import chardet, charset_normalizer
from leadbyte.compat import ftfy as compat_ftfy
from leadbyte.transcode import Transcoder, transcode
from leadbyte.variants import cesu8, extended, mutf8, rfc2279, wtf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    Content = TypeVar("Content", str, bytes)
    _Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
    _LimitUnit: TypeAlias = Literal["byte", "char", "utf16", "grapheme"]
    _Boundary: TypeAlias = Literal["char", "line", "grapheme"]
    _Substitution: TypeAlias = Literal["java", "okio", "go", "go-runs"]
    _Side: TypeAlias = Literal["end", "start", "middle"]

PIECE = 100  # bytes or characters of an item, a row, and a piece of a stream
FORMS: tuple[_Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
LIMIT_UNITS: tuple[_LimitUnit, ...] = ("byte", "char", "utf16", "grapheme")
SIDES: tuple[_Side, ...] = ("start", "middle")
BOUNDARIES: tuple[_Boundary, ...] = ("char", "line", "grapheme")
SUBSTITUTIONS: tuple[_Substitution, ...] = ("java", "okio", "go", "go-runs")
VARIANTS = {"cesu8": cesu8, "mutf8": mutf8, "wtf8": wtf8}
HANDLERS = ("strict", "replace", "ignore", "backslashreplace", "surrogateescape")
SINGLE_BYTE, MULTI_BYTE = "windows-1251", ("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr")
STATEFUL = ("iso2022_jp", "iso2022_kr", "hz", "utf-7")


class Call(NamedTuple):
    """A function of an argument that is made, untimed, of data or of a text."""

    run: Callable[[Any], object]
    made: Callable[[Any], object] | None = None


def pieces(content: Content, size: int = PIECE) -> list[Content]:
    """Cut data or a text anywhere."""
    return [content[start : start + size] for start in range(0, len(content), size)]


def well_formed(text: str) -> str:
    """Return a text without surrogates."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def rows(data: bytes) -> pa.Array:
    """Return data as rows of a column."""
    return pa.array(pieces(data))


def text_rows(text: str) -> pa.Array:
    """Return a text as rows of a column."""
    return pa.array(pieces(well_formed(text)))


def exhaust(iterator: Iterator[object]) -> None:
    """Run an iterator to its end."""
    for _ in iterator:
        pass


def scanned(data: list[bytes]) -> object:
    """Scan pieces."""
    scanner = leadbyte.Scanner()
    for piece in data:
        scanner.update(piece)
    return scanner.finish()


def validated(data: list[bytes]) -> object:
    """Validate pieces up to an error."""
    validator = leadbyte.IncrementalValidator(locations=True)
    return all(map(validator.update, data)) and validator.finish()


def detected(data: list[bytes]) -> object:
    """Detect the encoding of pieces."""
    detector = leadbyte.Detector()
    for piece in data:
        detector.update(piece)
    return detector.finish()


def incremental(encoding: str, errors: str = "replace") -> Callable[[list[bytes]], object]:
    """Return a function that decodes pieces by a codec."""

    def decode(data: list[bytes]) -> None:
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        for piece in data:
            decoder.decode(piece)
        decoder.decode(b"", final=True)

    return decode


def encoded(text: list[str]) -> None:
    """Encode pieces."""
    encoder = leadbyte.IncrementalEncoder("replace")
    for piece in text:
        encoder.encode(piece)


def streamed(data: list[bytes]) -> None:
    """Decode a stream of pieces."""
    exhaust(leadbyte.StreamDecoder(errors="replace").iter_text(data))


def sanitized(content: list[Any]) -> None:
    """Sanitize pieces."""
    sanitizer = leadbyte.Sanitizer(policy="llm-input")
    for piece in content:
        sanitizer.feed(piece)
    sanitizer.finish()


def messages(data: list[bytes]) -> None:
    """Validate messages of a WebSocket, each a piece."""
    for piece in data:
        websocket.Utf8Validator().validate(piece)


def message(data: bytes) -> None:
    """Validate a message byte by byte."""
    validator = websocket.Utf8Validator()
    for byte in data:
        validator.decode(byte)


def json_lines(data: bytes) -> object:
    """Search JSON lines as leadbyte check --jsonl does."""
    search = _JsonLines(100, replacement="?", records=True)
    for piece in pieces(data, 1 << 16):
        search.update(piece)
    search.finish()
    return search.take_records()


def mapped(text_or_data: str | bytes) -> object:
    """Convert offsets from everywhere and back, and to positions."""
    offsets = leadbyte.OffsetMap(text_or_data)
    every = offsets.convert_many(range(0, offsets.char_count, PIECE), "char", "byte")
    exhaust(map(offsets.position, every))
    return offsets.convert_many(every, "byte", "utf16")


def edited(text_or_data: str | bytes) -> object:
    """Delete at many places of a text that can be edited, and convert offsets."""
    offsets = leadbyte.EditableOffsetMap(text_or_data)
    for char in range(offsets.char_count - 1, 0, -4 * PIECE):
        offset = offsets.convert(char, "char", "byte")
        offsets.replace(offset, offset, text_or_data[:0])
        offsets.position(offset)
    return offsets.text


def converted(source: str, target: str, errors: str) -> Callable[[list[bytes]], None]:
    """Return a function that converts pieces to another encoding."""

    def convert(data: list[bytes]) -> None:
        exhaust(Transcoder(source, target, errors=errors).iter_bytes(data))

    return convert


def transcoded(source: str, target: str, errors: str) -> Callable[[bytes], bytes]:
    """Return a function that converts data to another encoding."""
    return lambda data: transcode(data, source, target, errors=errors)


def decoder(errors: str) -> Callable[[bytes], str]:
    """Return the function that decodes by an error handler."""
    return lambda data: leadbyte.decode(data, errors=errors)


def encoder(errors: str) -> Callable[[str], bytes]:
    """Return the function that encodes by an error handler."""
    return lambda text: leadbyte.encode(text, errors=errors)


def repairing(substitution: _Substitution) -> Callable[[bytes], bytes]:
    """Return the function that repairs as another program does."""
    return lambda data: leadbyte.repair(data, substitution=substitution)


def variant_decoder(variant: ModuleType) -> Callable[[bytes], str]:
    """Return the function that decodes a variant."""
    return lambda data: variant.decode(data, errors="replace")


def variant_encoder(variant: ModuleType) -> Callable[[str], bytes]:
    """Return the function that encodes to a variant."""
    return lambda text: variant.encode(text, errors="replace")


def by_form(form: _Form) -> tuple[Callable[[str], object], Callable[[str], object]]:
    """Return the functions of a normalization form."""
    return lambda text: leadbyte.normalize(form, text), lambda text: leadbyte.is_normalized(form, text)


def truncation(unit: _LimitUnit, side: _Side = "end") -> Callable[[str], str]:
    """Return the function that truncates to a half, by graphemes."""
    return lambda text: leadbyte.truncate(
        text, len(text) // 2, unit=unit, side=side, boundary="grapheme", ellipsis="…"
    )


def splits(
    boundary: _Boundary,
) -> tuple[Callable[[bytes], object], Callable[[bytes], object]]:
    """Return the functions that split data."""
    return (
        lambda data: exhaust(leadbyte.chunks(data, PIECE, boundary=boundary)),
        lambda data: leadbyte.split_points(data, 99, boundary=boundary),
    )


def searches(**options: bool) -> Callable[[str], object]:
    """Return a search for a needle that is nearly in a text: its start, and another letter."""
    return lambda text: leadbyte.search(text, f"{text[: PIECE // 5]}\u1e9f", **options)


def of_data() -> dict[str, Call]:
    """Return the calls with data."""
    calls = {
        name: Call(getattr(leadbyte, name))
        for name in (
            *("is_valid", "validate", "is_ascii", "count_chars", "count_widths", "count_utf16"),
            *("count_newlines", "scan", "repair", "detect", "detect_all", "add_bom"),
        )
    }
    calls |= {f"decode, {errors}": Call(decoder(errors)) for errors in HANDLERS}
    calls |= {
        "decode_many": Call(lambda items: leadbyte.decode_many(items, errors="replace"), pieces),
        "iter_errors": Call(lambda data: exhaust(leadbyte.iter_errors(data))),
        "iter_errors, locations": Call(lambda data: exhaust(leadbyte.iter_errors(data, locations=True))),
        "locate": Call(lambda data: leadbyte.locate(data, len(data), unit="byte")),
        "Scanner": Call(scanned, pieces),
        "IncrementalValidator": Call(validated, pieces),
        "Detector": Call(detected, pieces),
        "StreamDecoder": Call(streamed, pieces),
        "leadbyte-utf-8, incremental": Call(incremental("leadbyte-utf-8"), pieces),
        "leadbyte-utf-8, a byte a call": Call(incremental("leadbyte-utf-8"), lambda data: pieces(data, 1)),
        "leadbyte-utf-8-sig, incremental": Call(incremental("leadbyte-utf-8-sig"), pieces),
        "leadbyte-detect, incremental": Call(incremental("leadbyte-detect"), pieces),
        "lines": Call(lambda data: exhaust(leadbyte.lines(data, errors="replace"))),
        "lines, cp1251": Call(
            lambda data: exhaust(leadbyte.lines(data, encoding="cp1251", errors="replace"))
        ),
        "OffsetMap of data": Call(mapped),
        "EditableOffsetMap of data": Call(edited),
        "count_graphemes of data": Call(leadbyte.count_graphemes),
        "graphemes of data": Call(leadbyte.graphemes),
        "audit of data": Call(lambda data: exhaust(leadbyte.audit(data))),
        "sanitize of data": Call(lambda data: leadbyte.sanitize(data, policy="llm-input")),
        "Sanitizer of data": Call(sanitized, pieces),
        "explain of data": Call(leadbyte.explain),
        "mojibake.decode_mixed": Call(mojibake.decode_mixed),
        "websocket.Utf8Validator.validate": Call(messages, pieces),
        "websocket.Utf8Validator.decode": Call(message),
        "compat.chardet.detect": Call(chardet.detect),
        "compat.charset_normalizer.from_bytes": Call(charset_normalizer.from_bytes),
        "check --jsonl": Call(json_lines),
        "rfc2279.decode": Call(rfc2279.decode),
        "extended.decode": Call(extended.decode),
    }
    for substitution in SUBSTITUTIONS:
        calls[f"repair, {substitution}"] = Call(repairing(substitution))
    for boundary in BOUNDARIES:
        calls[f"chunks, {boundary}"], calls[f"split_points, {boundary}"] = map(Call, splits(boundary))
    for name, variant in VARIANTS.items():
        calls[f"{name}.is_valid"] = Call(variant.is_valid)
        calls[f"{name}.decode"] = Call(variant_decoder(variant))
    for encoding in ("utf-16", "utf-32", SINGLE_BYTE, *MULTI_BYTE, *STATEFUL):
        calls[f"transcode, {encoding} to utf-8"] = Call(transcoded(encoding, "utf-8", "replace"))
    for encoding in ("gb18030", "iso2022_jp", "utf-7"):
        calls[f"Transcoder, {encoding} to utf-8"] = Call(converted(encoding, "utf-8", "replace"), pieces)
    columns: dict[str, Callable[[Any], object]] = {
        "is_valid_utf8": arrow.is_valid_utf8,
        "decode": lambda values: arrow.decode(values, errors="replace"),
        "repair": arrow.repair,
        "errors": arrow.errors,
        "detect": arrow.detect,
        "detect, per_row": lambda values: arrow.detect(values, per_row=True),
        "transcode": lambda values: arrow.transcode(values, "gb18030", "utf-8", errors="replace"),
    }
    return calls | {f"arrow.{name}": Call(run, rows) for name, run in columns.items()}


def of_text() -> dict[str, Call]:
    """Return the calls with texts."""
    calls = {
        name: Call(getattr(leadbyte, name))
        for name in (
            *("encoded_length", "to_well_formed", "casefold", "count_graphemes", "graphemes"),
            *("compare_sizes", "explain"),
        )
    }
    calls |= {f"encode, {errors}": Call(encoder(errors)) for errors in (*HANDLERS, "namereplace")}
    for form in FORMS:
        calls[f"normalize, {form}"], calls[f"is_normalized, {form}"] = map(Call, by_form(form))
    for unit in LIMIT_UNITS:
        calls[f"truncate, {unit}"] = Call(truncation(unit))
    for side in SIDES:
        calls[f"truncate, {side}"] = Call(truncation("byte", side))
    calls |= {
        "truncate_many": Call(lambda items: leadbyte.truncate_many(items, 50, unit="grapheme"), pieces),
        "encode_many": Call(lambda items: leadbyte.encode_many(items, errors="replace"), pieces),
        "encode_into": Call(
            lambda text: leadbyte.encode_into(text, bytearray(3 * len(text)), errors="replace")
        ),
        "IncrementalEncoder": Call(encoded, pieces),
        "is_equivalent": Call(lambda text: leadbyte.is_equivalent(text, f"{text}a", "NFKC")),
        "search": Call(searches()),
        "search, ignore_case": Call(searches(ignore_case=True)),
        "search, ignore_marks": Call(searches(ignore_case=True, ignore_marks=True)),
        "OffsetMap": Call(mapped),
        "EditableOffsetMap": Call(edited),
        "audit": Call(lambda text: exhaust(leadbyte.audit(text))),
        "sanitize": Call(lambda text: leadbyte.sanitize(text, policy="source-code", replacement="?")),
        "mojibake.repair": Call(mojibake.repair),
        "mojibake.repair_many": Call(mojibake.repair_many, pieces),
        "mojibake.explain": Call(mojibake.explain),
        "mojibake.garble": Call(lambda text: mojibake.garble(text, encoding="utf-8", misread_as="latin-1")),
        "compat.ftfy.fix_encoding": Call(compat_ftfy.fix_encoding),
        "rfc2279.encode": Call(rfc2279.encode, lambda text: list(map(ord, text))),
    }
    for name, variant in VARIANTS.items():
        calls[f"{name}.encode"] = Call(variant_encoder(variant))
    for encoding in ("utf-16", SINGLE_BYTE, *MULTI_BYTE, *STATEFUL):
        calls[f"transcode, utf-8 to {encoding}"] = Call(
            transcoded("utf-8", encoding, "xmlcharrefreplace"),
            lambda text: well_formed(text).encode(),
        )
    columns: dict[str, Callable[[Any], object]] = {
        "audit": arrow.audit,
        "sanitize": lambda values: arrow.sanitize(values, policy="llm-input"),
        "count_chars": arrow.count_chars,
        "count_utf16": arrow.count_utf16,
        "count_graphemes": arrow.count_graphemes,
        "truncate": lambda values: arrow.truncate(values, 50, unit="byte", boundary="grapheme"),
        "normalize": lambda values: arrow.normalize("NFKC", values),
        "repair_mojibake": arrow.repair_mojibake,
    }
    return calls | {f"arrow.{name}": Call(run, text_rows) for name, run in columns.items()}


def tried(call: Call) -> Call:
    """Return a call that ends at an exception about the content."""

    def run(argument: object) -> None:
        with suppress(UnicodeError):
            call.run(argument)

    return call._replace(run=run)
