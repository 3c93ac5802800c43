"""Calls every public function with little memory left: each gives the right result or raises MemoryError.

The parent is test_out_of_memory.py. With the address space limited to the space in use and a little more, a
call may only give what it gives otherwise or raise MemoryError; with the limit lifted it works again.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import io
import pickle
import resource
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
from c_data import Rows
from leadbyte import arrow, codec, mojibake, transcode, variants, websocket
from leadbyte.compat import chardet, charset_normalizer, ftfy
from leadbyte.variants import cesu8, extended, mutf8, rfc2279, wtf8
from public_functions import FUNCTIONS
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import ModuleType
    from typing import TypeAlias

    from public_functions import Function

    # For each function or class what calls it in some ways.
    Cases: TypeAlias = dict[str, list[Callable[[], object]]]

MODULES = [
    leadbyte,
    arrow,
    codec,
    mojibake,
    transcode,
    websocket,
    cesu8,
    extended,
    mutf8,
    rfc2279,
    variants,
    wtf8,
]
MODULES += [chardet, charset_normalizer, ftfy]
# The space that is left beside the space in use, and the free part of the heap for small allocations.
MB = 1 << 20
SMALL = MB // 8
LEFT = [1 * MB] if IS_REDUCED else [1 * MB, 10 * MB, 40 * MB]
SIZE = (2 if IS_REDUCED else 12) * MB

TEXT = "Съешь ещё этих мягких французских булок, да выпей чаю, naïve café 日本 e\u0301 😀 5 €\r\n"
GARBLED = TEXT[:50].encode().decode("cp1251", "replace")


def long(part: str, size: int = SIZE) -> str:
    return part * (size // len(part.encode("utf-8", "surrogatepass")))


text = long(TEXT)
data = text.encode()
ascii_data = bytes(SIZE)
latin1 = long("é café ", SIZE // 2)
wide = long("😀 \u0301\u0323")
surrogates = long("ab\ud800", SIZE // 4)
target = bytearray(2 * SIZE)
broken = data[: SIZE // 4] + b"\xff\xe2\x82 \x80" * (SIZE // 40)
few_broken = broken[-MB // 4 :]
marks = "a" + "\u0323\u0301\u0323\u0344" * (SIZE // 32)
marks_data = marks.encode()
lines = long(f"{TEXT}{GARBLED}\n", MB // 2)
one_line = long(GARBLED, MB)
unspaced = long("СЃСЉРµС€СЊ", MB)
koi8 = long("Съешь ещё этих булок\n", 4 * MB).encode("koi8-r")
items = [b"caf\xc3\xa9 5"] * 200_000
texts = ["café 5 €"] * 200_000
values = list(range(0, 1 << 31, 1 << 11))
column = Rows([*items, *[b"caf\xe9 5 \xff"] * 100_000, None])
valid_column, long_row = Rows(items), Rows([data, broken, None])
garbled_column = Rows([line.encode() for line in lines.splitlines()])
directory = tempfile.TemporaryDirectory()
path = Path(directory.name) / "text"
path.write_bytes(data)


def shape(result: arrow.Array | arrow.Stream) -> tuple[int, int]:
    return len(result), result.null_count


def sanitizer() -> tuple[bytes, object]:
    """Return the parts of a text in two pieces."""
    sanitizer = leadbyte.Sanitizer(policy="json")
    sanitizer.feed(broken)
    return sanitizer.feed(data), sanitizer.finish()


async def collected(decoder: leadbyte.StreamDecoder) -> str:
    async def chunks() -> AsyncIterator[bytes]:
        yield data

    return "".join([piece async for piece in decoder.aiter_text(chunks())])


def scanner() -> leadbyte.Scan:
    first, second = leadbyte.Scanner(), leadbyte.Scanner()
    first.update(broken)
    second.update(data)
    first.merge(second)
    return first.finish()


def fed(detector: chardet.UniversalDetector) -> chardet.UniversalDetector:
    detector.feed(data)
    return detector


def incremental_validator() -> object:
    validator = leadbyte.IncrementalValidator()
    return validator.update(data), validator.finish()


def transcoder() -> object:
    pipe = transcode.Transcoder("utf-8", "utf-16-le")
    return pipe.feed(data[:-1]), pipe.feed(data[-1:]), pipe.finish()


def converted(source: str, target: str, content: bytes, errors: str = "strict") -> Callable[[], object]:
    return lambda: transcode.transcode(content, source, target, errors=errors)


def variant(module: ModuleType) -> Cases:
    encoded, name = module.encode(wide), module.__name__
    pairs = "\ud83d\ude00" * MB
    return {
        f"{name}.is_valid": [partial(module.is_valid, encoded)],
        f"{name}.decode": [
            partial(module.decode, encoded),
            partial(module.decode, few_broken, errors="replace"),
        ],
        f"{name}.encode": [
            *(partial(module.encode, part) for part in (text, wide)),
            partial(module.encode, pairs, errors="replace"),
        ],
    }


def integers(module: ModuleType) -> Cases:
    encoded, name = module.encode(values), module.__name__
    return {
        f"{name}.encode": [partial(module.encode, values), partial(module.encode, values, min_length=6)],
        f"{name}.decode": [partial(module.decode, encoded)],
        f"{name}.IncrementalDecoder": [lambda: module.IncrementalDecoder().decode(encoded, True)],
        f"{name}.IncrementalEncoder": [lambda: module.IncrementalEncoder().encode(values, True)],
    }


def edited(whole: str | bytes, piece: str | bytes) -> object:
    offsets = leadbyte.EditableOffsetMap(whole)
    offsets.replace(0, 0, piece)
    return offsets.slice(0, offsets.char_count, unit="char")


def inputs(function: Function) -> list[object]:
    if function.signature.startswith("(text_or_data"):
        return [text, data, marks, marks_data]
    return [text if function.takes_text else data]


CASES: Cases = {
    **{
        f"leadbyte.{name}": [partial(function.call, x) for x in inputs(function)]
        for name, function in FUNCTIONS.items()
    },
    "leadbyte.arrow.count_chars": [lambda: shape(arrow.count_chars(column))],
    "leadbyte.arrow.count_graphemes": [lambda: shape(arrow.count_graphemes(valid_column))],
    "leadbyte.arrow.count_utf16": [lambda: shape(arrow.count_utf16(column))],
    "leadbyte.arrow.decode": [
        lambda: shape(arrow.decode(column, errors="replace")),
        lambda: shape(arrow.decode(column, errors="null", threads=2)),
        lambda: shape(arrow.decode(column)),
        lambda: arrow.decode(valid_column).to_pylist(),
        lambda: shape(arrow.decode(long_row, errors="backslashreplace")),
    ],
    "leadbyte.arrow.detect": [
        lambda: arrow.detect(column),
        lambda: shape(arrow.detect(long_row, per_row=True)),
    ],
    "leadbyte.arrow.audit": [lambda: shape(arrow.audit(column))],
    "leadbyte.arrow.sanitize": [lambda: shape(arrow.sanitize(column, policy="source-code"))],
    "leadbyte.audit": [lambda: list(leadbyte.audit(few_broken)), lambda: list(leadbyte.audit(text))],
    "leadbyte.sanitize": [
        lambda: leadbyte.sanitize(broken, policy="source-code"),
        lambda: leadbyte.sanitize(surrogates, policy="llm-input", replacement="?"),
    ],
    "leadbyte.Sanitizer": [sanitizer],
    "leadbyte.arrow.errors": [lambda: shape(arrow.errors(column))],
    "leadbyte.arrow.is_valid_utf8": [lambda: shape(arrow.is_valid_utf8(column))],
    "leadbyte.arrow.normalize": [lambda: shape(arrow.normalize("NFD", valid_column))],
    "leadbyte.arrow.repair": [lambda: shape(arrow.repair(column)), lambda: shape(arrow.repair(long_row))],
    "leadbyte.arrow.repair_mojibake": [lambda: shape(arrow.repair_mojibake(garbled_column))],
    "leadbyte.arrow.transcode": [
        lambda: shape(arrow.transcode(column, "cp1251")),
        lambda: shape(arrow.transcode(long_row, "utf-8", "whatwg:gb18030", errors="backslashreplace")),
    ],
    "leadbyte.arrow.truncate": [lambda: shape(arrow.truncate(column, 3, unit="byte"))],
    "leadbyte.arrow.validate": [lambda: arrow.validate(column)],
    "leadbyte.IncrementalDecoder": [lambda: leadbyte.IncrementalDecoder("replace").decode(broken, True)],
    "leadbyte.IncrementalEncoder": [lambda: leadbyte.IncrementalEncoder("replace").encode(surrogates, True)],
    "leadbyte.IncrementalValidator": [incremental_validator],
    "leadbyte.Scanner": [scanner, lambda: pickle.loads(pickle.dumps(leadbyte.Scanner())).finish()],
    "leadbyte.StreamDecoder": [
        lambda: list(leadbyte.StreamDecoder().iter_text([data, broken])),
        lambda: asyncio.run(collected(leadbyte.StreamDecoder())),
    ],
    "leadbyte.add_bom": [lambda: leadbyte.add_bom(data), lambda: leadbyte.add_bom(bytearray(data))],
    "leadbyte.ceil_boundary": [lambda: leadbyte.ceil_boundary(data, len(data) - 1)],
    "leadbyte.compare_sizes": [lambda: leadbyte.compare_sizes(text), lambda: leadbyte.compare_sizes(data)],
    "leadbyte.casefold": [
        partial(leadbyte.casefold, x) for x in (text, data, text.upper(), text.upper().encode(), marks)
    ],
    "leadbyte.chunks": [lambda: list(map(len, leadbyte.chunks(data[:MB], 99, boundary="grapheme")))],
    "leadbyte.split_points": [
        lambda: leadbyte.split_points(data, MB // 4, boundary="line"),
        lambda: leadbyte.split_points(io.BytesIO(data[:MB]), 1000, boundary="grapheme"),
    ],
    "leadbyte.truncate": [
        lambda: leadbyte.truncate(text, SIZE // 2, unit="byte", ellipsis="…", side="middle"),
        lambda: leadbyte.truncate(data, SIZE // 3, unit="utf16", side="start"),
        lambda: leadbyte.truncate(bytearray(data), SIZE, unit="byte"),
        lambda: leadbyte.truncate(marks_data, 9, unit="byte", side="start", boundary="grapheme"),
    ],
    "leadbyte.truncate_many": [lambda: leadbyte.truncate_many(texts, 5, unit="byte", ellipsis="…")],
    "leadbyte.decode": [
        lambda: leadbyte.decode(data),
        lambda: leadbyte.decode(bytearray(ascii_data)),
        lambda: leadbyte.decode(broken, errors="replace"),
        lambda: leadbyte.decode(broken, errors="backslashreplace"),
    ],
    "leadbyte.decode_many": [lambda: leadbyte.decode_many(items)],
    "leadbyte.detect": [
        partial(leadbyte.detect, x) for x in (data, broken, text.encode("cp1251", "replace"))
    ],
    "leadbyte.Detector": [lambda: leadbyte.Detector(encodings=["cp1251"]).update(broken)],
    "leadbyte.detect_all": [
        partial(leadbyte.detect_all, x, encodings=names)
        for x in (data, broken)
        for names in (None, ["cp1251", "koi8-r"])
    ],
    "leadbyte.encode": [
        lambda: leadbyte.encode(text),
        lambda: leadbyte.encode(latin1),
        lambda: leadbyte.encode(surrogates, errors="xmlcharrefreplace"),
    ],
    "leadbyte.encode_into": [
        lambda: leadbyte.encode_into(text, target),
        lambda: leadbyte.encode_into(surrogates, target, offset=9, errors="backslashreplace"),
    ],
    "leadbyte.encode_many": [lambda: leadbyte.encode_many(texts)],
    "leadbyte.explain": [
        lambda: str(leadbyte.explain(text[:2000])),
        lambda: str(leadbyte.explain(data[:2000])),
    ],
    "leadbyte.explain_error": [
        lambda: leadbyte.explain_error(UnicodeDecodeError("utf-8", broken, len(broken) // 2, len(broken), ""))
    ],
    "leadbyte.install_excepthook": [leadbyte.install_excepthook],
    "leadbyte.search": [
        lambda: leadbyte.search(text, "выпила"),
        lambda: leadbyte.search(data, text[len(text) // 2 :]),
        lambda: leadbyte.search(marks, marks_data),
        lambda: leadbyte.search(marks_data, marks[:-1]),
        lambda: leadbyte.search(text, text[len(text) // 2 :].upper(), ignore_case=True),
        lambda: leadbyte.search(marks_data, marks[:-1], ignore_case=True),
    ],
    "leadbyte.floor_boundary": [lambda: leadbyte.floor_boundary(data, len(data) - 1)],
    "leadbyte.EditableOffsetMap": [lambda: edited(text, latin1), lambda: edited(data, data)],
    "leadbyte.OffsetMap": [
        lambda: leadbyte.OffsetMap(text).char_count,
        lambda: leadbyte.OffsetMap(data).slice(0, len(data), unit="byte"),
        lambda: leadbyte.OffsetMap(data, threads=2).convert_many(range(MB), "byte", "char"),
        lambda: leadbyte.OffsetMap(data).convert_many(memoryview(bytes(8 * MB)).cast("q"), "byte", "char"),
    ],
    "leadbyte.graphemes": [partial(leadbyte.graphemes, x) for x in (text[:MB], data[:MB], marks, marks_data)],
    "leadbyte.is_ascii": [lambda: leadbyte.is_ascii(ascii_data)],
    "leadbyte.is_boundary": [lambda: leadbyte.is_boundary(data, len(data))],
    "leadbyte.is_normalized": [
        partial(leadbyte.is_normalized, "NFC", x) for x in (text, data, marks, marks_data)
    ],
    "leadbyte.iter_errors": [lambda: list(leadbyte.iter_errors(few_broken))],
    "leadbyte.lines": [
        lambda: list(leadbyte.lines(path)),
        lambda: list(leadbyte.lines(bytearray(data), newline="")),
        lambda: list(leadbyte.lines(broken, errors="replace").batches(1000)),
        lambda: list(leadbyte.lines(io.BytesIO(data), encoding="utf-16-le", errors="replace")),
    ],
    "leadbyte.locate": [lambda: leadbyte.locate(data, len(data) - 2)],
    "leadbyte.normalize": [
        partial(leadbyte.normalize, form, x)
        for form in ("NFC", "NFKD")
        for x in (text, data, marks, marks_data)
    ],
    "leadbyte.read_text": [lambda: leadbyte.read_text(path), lambda: leadbyte.read_text(path, newline="")],
    "leadbyte.repair": [
        lambda: leadbyte.repair(broken),
        lambda: leadbyte.repair(bytearray(data)),
        lambda: leadbyte.repair(few_broken, replacement="replaced"),
        lambda: leadbyte.repair(broken, substitution="java"),
    ],
    "leadbyte.is_equivalent": [
        lambda: leadbyte.is_equivalent(text, data),
        lambda: leadbyte.is_equivalent(marks, marks_data),
    ],
    "leadbyte.scan": [lambda: leadbyte.scan(broken), lambda: leadbyte.scan(data, threads=2)],
    "leadbyte.strip_bom": [lambda: leadbyte.strip_bom(leadbyte.BOM + data)],
    "leadbyte.to_well_formed": [lambda: leadbyte.to_well_formed(surrogates)],
    "leadbyte.validate": [lambda: leadbyte.validate(bytearray(data))],
    "leadbyte.codec.register": [
        codec.register,
        lambda: data.decode("leadbyte-utf-8"),
        lambda: text.encode("leadbyte-utf-8-sig"),
    ],
    "leadbyte.websocket.Utf8Validator": [lambda: websocket.Utf8Validator().validate(data)],
    "leadbyte.transcode.Transcoder": [transcoder],
    "leadbyte.transcode.open_as_utf8": [lambda: transcode.open_as_utf8(io.BytesIO(data), "utf-8").read()],
    "leadbyte.transcode.transcode": [
        converted("utf-8", "utf-16", data),
        converted("latin-1", "utf-8", data),
        converted("koi8-r", "utf-8", data),
        converted("utf-8", "koi8-r", data[:MB], "namereplace"),
        converted("utf-16-le", "utf-32-be", text.encode("utf-16-le")),
        converted("utf-8", "utf-16-be", broken, "backslashreplace"),
        converted("utf-8", "whatwg:gb18030", data),
        converted("whatwg:gb18030", "utf-16", text.encode("gb18030")),
        converted("utf-8", "utf-7", data[:MB]),
    ],
    "leadbyte.mojibake.garble": [
        lambda: mojibake.garble(text, encoding="utf-8", misread_as="whatwg:windows-1251")
    ],
    "leadbyte.mojibake.explain": [lambda: mojibake.explain(lines), lambda: mojibake.explain(unspaced)],
    "leadbyte.mojibake.repair": [
        partial(mojibake.repair, x) for x in (text[: MB // 8], lines, one_line, unspaced)
    ],
    "leadbyte.compat.chardet.UniversalDetector": [
        lambda: fed(chardet.UniversalDetector(max_bytes=MB)).close()
    ],
    "leadbyte.compat.chardet.detect": [lambda: chardet.detect(koi8, max_bytes=len(koi8))],
    "leadbyte.compat.chardet.detect_all": [lambda: chardet.detect_all(koi8)],
    "leadbyte.compat.charset_normalizer.detect": [lambda: charset_normalizer.detect(koi8)],
    "leadbyte.compat.charset_normalizer.from_bytes": [
        lambda: str(charset_normalizer.from_bytes(data)[0]),
        lambda: charset_normalizer.from_bytes(koi8)[0].output("utf_16"),
    ],
    "leadbyte.compat.charset_normalizer.from_fp": [
        lambda: [match.encoding for match in charset_normalizer.from_fp(io.BytesIO(data))]
    ],
    "leadbyte.compat.charset_normalizer.from_path": [lambda: charset_normalizer.from_path(path)[0].encoding],
    "leadbyte.compat.charset_normalizer.is_binary": [lambda: charset_normalizer.is_binary(path)],
    "leadbyte.compat.ftfy.fix_encoding": [lambda: ftfy.fix_encoding(lines)],
    "leadbyte.compat.ftfy.fix_encoding_and_explain": [lambda: ftfy.fix_encoding_and_explain(one_line)],
    "leadbyte.compat.ftfy.fix_text": [
        lambda: ftfy.fix_text(lines, None, **dict.fromkeys(ftfy.CHANGES, False))
    ],
    "leadbyte.mojibake.repair_many": [
        lambda: mojibake.repair_many([*lines.splitlines(), None, one_line]),
        lambda: mojibake.repair_many([text[: MB // 8]], languages=["ru", "tr"]),
    ],
    "leadbyte.mojibake.decode_mixed": [
        lambda: mojibake.decode_mixed(data[:MB] + b"\n\xff"),
        lambda: mojibake.decode_mixed(broken[:MB], fallback="koi8-r"),
        lambda: mojibake.decode_mixed(broken[:MB], fallback="shift_jis"),
    ],
    **variant(cesu8),
    "leadbyte.variants.mutf8.decode_modified_utf8": [
        partial(mutf8.decode_modified_utf8, mutf8.encode_modified_utf8(wide))
    ],
    "leadbyte.variants.mutf8.encode_modified_utf8": [partial(mutf8.encode_modified_utf8, wide)],
    **variant(mutf8),
    **variant(wtf8),
    **integers(rfc2279),
    **integers(extended),
}
# What functions return.
RESULTS = {
    "leadbyte.arrow.Array", "leadbyte.arrow.Stream",
    "leadbyte.Detection", "leadbyte.ErrorSpan", "leadbyte.Explanation", "leadbyte.Finding",
    "leadbyte.Location",
    "leadbyte.Position", "leadbyte.Scan",
    "leadbyte.Sizes", "leadbyte.compat.charset_normalizer.CharsetMatch",
    "leadbyte.compat.charset_normalizer.CharsetMatches", "leadbyte.compat.ftfy.ExplainedText",
    "leadbyte.compat.ftfy.ExplanationStep", "leadbyte.mojibake.Repair", "leadbyte.mojibake.Step",
}  # fmt: skip


def public() -> set[str]:
    """Return the names of all public functions and classes."""
    return {
        f"{module.__name__}.{name}"
        for module in MODULES
        for name in module.__all__
        if callable(getattr(module, name))
    }


def outcome(call: Callable[[], object]) -> object:
    """Return what a call gives, or the exception that it raises, apart from MemoryError."""
    try:
        return call()
    except UnicodeError as error:
        return type(error), error.args[0], error.args[2:]


def in_use() -> int:
    """Return the bytes of address space in use; free memory is given back but for small allocations."""
    gc.collect()
    LIBC.malloc_trim(SMALL)
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()


def check(name: str, call: Callable[[], object], left: list[int]) -> int:
    """Call with little memory left; return how often it was too little."""
    expected = outcome(call)
    refused = 0
    for more in left:
        resource.setrlimit(resource.RLIMIT_AS, (in_use() + more, resource.RLIM_INFINITY))
        try:
            result = outcome(call)
        except MemoryError:
            refused += 1
            result = expected
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert result == expected, f"{name} with {more} bytes left"
        del result
    assert outcome(call) == expected, f"{name} afterwards"
    return refused


def main() -> None:
    codec.register()
    gc.freeze()  # what the collections before each call need not look at
    for name in sys.argv[1:] or sorted(CASES):
        for number, call in enumerate(CASES[name]):
            # Seen if the process is aborted.
            print(name, number, end=" ", flush=True)
            print(check(name, call, LEFT), flush=True)


if __name__ == "__main__":
    LIBC = ctypes.CDLL(None)
    main()
