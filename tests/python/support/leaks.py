#!/usr/bin/env python3
"""Calls each function again and again, errors too, and insists that memory and references stay.

python tests/python/leaks.py [--calls N] [--only WORD]
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import handlers
import leadbyte
from leadbyte import _leadbyte
from leadbyte.transcode import Transcoder, transcode
from leadbyte.variants import cesu8, mutf8, wtf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GROWTH = 1 << 20  # bytes of resident memory: less than this is not a leak
SMALLEST = 16  # bytes that the C library allocates at least
TRIES = 12  # what grows each time leaks; allocators grow now and then


class Case(NamedTuple):
    """A call to be repeated."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def case(function: Callable[..., Any], *arguments: object, **keywords: object) -> Case:
    """Make a case, named after its arguments."""
    reported = ", ".join([*map(ascii, arguments), *(f"{name}={value!a}" for name, value in keywords.items())])
    return Case(f"{function.__name__}({reported[:60]})", function, arguments, keywords)


def wrong_handler(result: object) -> str:
    """Register a handler that returns something wrong; return its name."""
    name = f"leadbyte-tests-wrong {result!r}"
    handlers.register(name, lambda _: result)
    return name


def change_object(error: UnicodeDecodeError) -> tuple[str, int]:
    """Continue in other bytes."""
    error.object = error.object[: error.start] + b"other"
    return "new", error.start


def validate_stream(*pieces: bytes) -> None:
    """Validate some pieces."""
    validator = leadbyte.IncrementalValidator()
    for piece in pieces:
        validator.update(piece)
    validator.finish()


def lines_of(data: bytes) -> None:
    """Read some of the lines of data in each way, and leave the others."""
    for lines in (
        leadbyte.lines(data * 9),
        leadbyte.lines(io.BytesIO(data)),
        leadbyte.lines(bytearray(data)),
    ):
        next(lines)
        next(lines.batches(2), None)


def chunks_of(data: bytes) -> None:
    """Make all views of chunks."""
    for _ in leadbyte.chunks(data, 9):
        pass


def slice_text(text: str, start: int, end: int) -> None:
    """Take a slice of a str by offsets in bytes."""
    leadbyte.OffsetMap(text).slice(start, end, unit="byte")


def list_of_findings(data: bytes) -> None:
    """Search for hidden characters."""
    list(leadbyte.audit(data))


def transcode_pieces(source: str, target: str, errors: str, *pieces: bytes) -> None:
    """Convert some pieces."""
    transcoder = Transcoder(source, target, errors=errors)
    for piece in pieces:
        transcoder.feed(piece)
    transcoder.finish()


def cases_of_transcoding() -> Iterator[Case]:
    """Yield calls of what converts: straight, by steps, by way of encoding_rs and of str; errors."""
    for source in ("utf-8", "utf-16", "cp1251", "whatwg:gbk", "shift_jis"):
        for target in ("utf-8", "utf-32-be", "koi8-r", "whatwg:big5", "cp949"):
            for errors in ("strict", "replace", "namereplace") if source == "utf-8" else ("replace",):
                yield case(transcode, "€ мир".encode("utf-16") * 20, source, target, errors=errors)
                yield case(transcode_pieces, source, target, errors, b"text\xd0", b"\xbc", b"")
    for data in (None, 1, "text", bytearray(b"text"), memoryview(b"text")):
        yield case(transcode, data, "utf-8", "utf-16")
    for keywords in ({"bom": "add"}, {"bom": "no"}, {"errors": 1}, {"errors": "unknown"}):
        yield case(transcode, b"\xff", "utf-8", "latin-1", **keywords)
    yield case(transcode, b"\xff", "unknown", 1251)


def cases_of_variants() -> Iterator[Case]:
    """Yield calls of what decodes and encodes variants of UTF-8."""
    for variant in (cesu8, mutf8, wtf8):
        for data in (b"text", "é€".encode() * 20, b"\xed\xa0\xbd\xed\xb8\x80" * 9, b"\xed\xa0\xbd\xff\0"):
            yield case(variant.is_valid, data)
            for errors in ("strict", "replace", "surrogatepass", "leadbyte-tests-object", "unknown"):
                yield case(variant.decode, data, errors=errors)
        for text in ("text", "é€" * 20, "😀\0" * 9, "\ud800a\ud83d\ude00"):
            for errors in ("strict", "replace", "surrogatepass", "unknown"):
                yield case(variant.encode, text, errors=errors)


def cases() -> Iterator[Case]:
    """Yield calls of each function: results of each kind, errors, wrong arguments."""
    broken = b"ab\xffc\xe2\x82"
    surrogates = "a\ud800b\udcffc\ud83d\ude00"
    handlers.register("leadbyte-tests-object", change_object)
    wrong = [None, ("", "x"), ("", 10**30), ("", 99), ("", -99), (1, 1)]
    for data in (b"", b"a", b"text" * 9, "é".encode() * 20, "€".encode() * 20, "😀".encode() * 20):
        yield case(leadbyte.decode, data)
        yield case(leadbyte.encode, data.decode())
        yield case(leadbyte.encoded_length, data.decode())
    yield case(leadbyte.decode, bytearray(b"text"))
    yield case(leadbyte.decode, memoryview("мир".encode()), errors="replace")
    for errors in (*handlers.FOR_DECODING, "unknown", "leadbyte-tests-object", *map(wrong_handler, wrong)):
        yield case(leadbyte.decode, broken, errors=errors)
        yield case(_leadbyte._decode_prefix, broken, errors, False)
    for errors in (*handlers.FOR_ENCODING, "unknown", *map(wrong_handler, [*wrong, ("é", 1), (b"\xff", 99)])):
        yield case(leadbyte.encode, surrogates, errors=errors)
        yield case(leadbyte.encode_into, surrogates, bytearray(5), errors=errors)
    for given in (bytearray(5), memoryview(bytearray(5)), b"bytes", memoryview(bytearray(5))[::2], None):
        for offset in (0, 5, 6, -1, 10**30, None):
            yield case(leadbyte.encode_into, "мир", given, offset=offset)
    for value in (None, 1, "\udc80", "a\0b"):
        yield case(leadbyte.decode, broken, errors=value)
        yield case(leadbyte.encode, surrogates, errors=value)
    yield case(leadbyte.decode, bytearray(broken))
    yield case(leadbyte.encode, surrogates)
    yield case(leadbyte.encoded_length, surrogates)
    for function in (leadbyte.decode, leadbyte.encode, leadbyte.encoded_length, leadbyte.repair):
        yield case(function)
        yield case(function, 1)
        yield case(function, b"a", 1, 2)
        yield case(function, b"a", unknown=1)
    for errors in ("strict", "replace", "leadbyte-tests-decode hex"):
        yield case(leadbyte.decode_many, [b"a", b"text", "€".encode(), broken], errors=errors)
        yield case(leadbyte.encode_many, ["a", "text", "€", surrogates], errors=errors)
    for wrong_items in (None, b"a", "a", [b"text", None, 1], (text for text in ["text", None, 1])):
        yield case(leadbyte.decode_many, wrong_items)
        yield case(leadbyte.encode_many, wrong_items)
    for item in (b"valid", broken, bytearray(b"valid"), bytearray(broken)):
        yield case(leadbyte.repair, item)
        yield case(lines_of, item)
        yield case(leadbyte.repair, item, replacement="é")
        yield case(leadbyte.repair, item, replacement="\ud800")
        yield case(leadbyte.repair, item, replacement=1)
    for text in ("text", "€", surrogates, None):
        yield case(leadbyte.to_well_formed, text)
    yield case(validate_stream, b"text\xe2", b"\x82", b"\xac")
    yield case(validate_stream, b"text\xe2", b"\x82a", b"more")
    # Offsets from 257 on are objects that are made for each.
    yield case(chunks_of, "é".encode() * 200)
    yield case(slice_text, "é" * 600, 602, 1000)
    yield case(list_of_findings, b"a\xff\xe2\x80\xae" * 99)
    yield from cases_of_transcoding()
    yield from cases_of_variants()


def repeat(repeated: Case, calls: int) -> None:
    """Call a function so often, whatever it raises."""
    _, function, arguments, keywords = repeated
    for _ in range(calls):
        try:
            function(*arguments, **keywords)
        except Exception:
            continue


def resident_memory() -> int:
    """Return the resident memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class MallocInfo(ctypes.Structure):
    """What mallinfo2 of the GNU C library returns, all numbers of bytes or of blocks."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks")),
        *((name, ctypes.c_size_t) for name in ("fsmblks", "uordblks", "fordblks", "keepcost")),
    )


MALLINFO = getattr(ctypes.CDLL(None), "mallinfo2", None)  # from version 2.33 on
if MALLINFO:
    MALLINFO.restype = MallocInfo


def allocated(calls: int) -> tuple[int, int]:
    """Return the number of bytes in use, and by how much it grows at least if each call leaks.

    That is what the C library has allocated, where it knows that, else the resident memory.
    """
    if not MALLINFO:
        return resident_memory(), GROWTH
    info = MALLINFO()
    return info.uordblks + info.hblkhd, calls * SMALLEST // 2


def blocks(generation: int) -> int:
    """Return the number of blocks of memory that objects hold, without the garbage up to a generation."""
    gc.collect(generation)
    return sys.getallocatedblocks()


def references(repeated: Case) -> list[int]:
    """Return how many references there are to each argument and to what lists hold."""
    held = [*repeated.arguments, *repeated.keywords.values()]
    held += [item for argument in repeated.arguments if isinstance(argument, list) for item in argument]
    gc.collect(0)
    # CPython's own code makes references to numbers, strings of one char and the like.
    return [sys.getrefcount(value) for value in held if not isinstance(value, (int, type(None), bool))]


def leaks(repeated: Case, calls: int) -> str | None:
    """Report what a case leaks, if anything."""
    repeat(repeated, max(100, calls // 20))
    for attempt in range(TRIES):
        # All garbage takes long to collect, and is rarely taken for a leak.
        generation = 2 if attempt else 0
        before, held, (memory, least) = references(repeated), blocks(generation), allocated(calls)
        repeat(repeated, calls)
        more = blocks(generation) - held
        growth = allocated(calls)[0] - memory
        after = references(repeated)
        if any(abs(one - other) > calls // 10 for one, other in zip(before, after, strict=True)):
            return f"{repeated.name}: references went from {before} to {after}"
        if growth < least and more < calls // 2:
            return None
    return f"{repeated.name}: {growth} bytes and {more} blocks in {calls} calls"


def main() -> None:
    """Repeat all cases."""
    parser = argparse.ArgumentParser(description="Look for leaks in each function.")
    parser.add_argument("--calls", type=int, default=1_000_000, metavar="N", help="of each case")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in their name")
    arguments = parser.parse_args()
    chosen = [repeated for repeated in cases() if arguments.only in repeated.name]
    found = [leak for leak in (leaks(repeated, arguments.calls) for repeated in chosen) if leak]
    print(f"{len(chosen)} cases, {arguments.calls:,} calls each: {len(found)} leak")
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
