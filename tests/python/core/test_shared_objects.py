"""One object used by several threads at once: a right result or a clear exception, and no malformed str.

With the GIL, threads change at few places; without it, they really run at once.
"""

from __future__ import annotations

import copy
import io
import itertools
import json
import operator
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

import leadbyte
import leadbyte.mojibake
import pytest
from leadbyte.transcode import Transcoder, transcode
from reduced import IS_REDUCED
from threads import DURATION, is_well_formed, run_together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

pytestmark = [pytest.mark.one_implementation, pytest.mark.once]

# Characters of one to four bytes.
TEXT = "Hello, мир: 5 € 😀\n"
DATA = TEXT.encode()
# All bytes of a text, one by one, in an order that differs from thread to thread.
BYTES = [bytes([byte]) for byte in DATA]


@pytest.mark.parametrize("make", [leadbyte.IncrementalDecoder, leadbyte.StreamDecoder])
def test_one_decoder_fed_with_characters(
    make: type[leadbyte.IncrementalDecoder | leadbyte.StreamDecoder],
) -> None:
    decoder = make(errors="strict")
    decode = decoder.feed if isinstance(decoder, leadbyte.StreamDecoder) else decoder.decode

    def feed(piece: str) -> Callable[[], None]:
        data = piece.encode()

        def work() -> None:
            assert decode(data) == piece

        return work

    run_together(*map(feed, ["a", "é€", TEXT * 50, ""]))


@pytest.mark.parametrize("errors", ["strict", "replace", "surrogateescape"])
def test_one_decoder_fed_with_bytes(errors: str) -> None:
    """Which bytes follow each other is not known, so nearly every text may come out."""
    decoder = leadbyte.IncrementalDecoder(errors)
    pieces = itertools.cycle([*BYTES, DATA[:-3], b"\xe2\x82", b"\xf0\x9f"])

    def work() -> None:
        try:
            text = decoder.decode(next(pieces))
        except UnicodeDecodeError as error:
            assert 0 <= error.start < error.end <= len(error.object)  # noqa: PT017
        else:
            assert is_well_formed(text)

    def restart() -> None:
        pending, flag = decoder.getstate()
        assert len(pending) < 4
        decoder.setstate((pending, flag))
        decoder.reset()

    run_together(work, work, restart)


def test_one_validator() -> None:
    validator = leadbyte.IncrementalValidator(locations=True)
    counts = run_together(lambda: validator.update(DATA), number=4)
    assert (validator.error, validator.pending) == (None, b"")
    assert not validator.update(b"\xff")
    assert validator.error is not None
    assert validator.error.start == sum(counts) * len(DATA)


def test_one_validator_fed_with_bytes() -> None:
    validator = leadbyte.IncrementalValidator()
    pieces = itertools.cycle(BYTES)

    def restart() -> None:
        error = validator.error
        assert error is None or 0 <= error.start < error.end
        assert len(validator.pending) < 4
        validator.reset()

    def finish() -> None:
        assert isinstance(validator.finish(), bool)

    def feed() -> None:
        try:
            assert isinstance(validator.update(next(pieces)), bool)
        except ValueError as error:
            assert "finish" in str(error)  # noqa: PT017

    run_together(feed, feed, restart, finish)


def test_one_scanner() -> None:
    """Copies and merges of a scanner that others update are of a moment between two updates."""
    scanner, total = leadbyte.Scanner(), leadbyte.Scanner()

    def observe() -> None:
        taken = copy.copy(scanner)
        scan = taken.finish()
        assert scan.byte_count % len(DATA) == 0
        assert scan.char_count * len(DATA) == scan.byte_count * len(TEXT)
        total.merge(scanner)

    *counts, _ = run_together(*[lambda: scanner.update(DATA)] * 3, observe)
    assert scanner.finish() == leadbyte.scan(DATA * sum(counts))


def test_one_scanner_fed_with_bytes() -> None:
    scanner = leadbyte.Scanner()
    pieces = itertools.cycle([*BYTES, b"\xff"])
    counts = run_together(lambda: scanner.update(next(pieces)), number=3)
    scan = scanner.finish()
    assert scan.byte_count == sum(counts)
    assert 0 < scan.error_count <= scan.byte_count


def test_one_detector() -> None:
    detector = leadbyte.Detector()
    data = "Это текст на русском языке, который определяют по частям. ".encode("cp1251")
    run_together(lambda: detector.update(data), lambda: detector.done, lambda: copy.copy(detector).finish())
    found = detector.finish()
    assert found.encoding == "windows-1251"


def test_one_detection() -> None:
    """The language is found when it is asked for."""
    data = "Это текст на русском языке, который определяют целиком. ".encode("cp1251")

    def work() -> None:
        found = leadbyte.detect(data)
        run_together(lambda: languages.append(found.language), number=3, duration=0)

    languages: list[str | None] = []
    run_together(work)
    assert set(languages) == {"ru"}


def test_one_sanitizer() -> None:
    """Of each piece, nothing gets lost and nothing comes twice."""
    sanitizer = leadbyte.Sanitizer(policy="llm-input")
    results: list[str] = []
    pieces = ["a\u200bb", "c\n", "d\u200be\nf\n", "g"]

    def feed(piece: str) -> Callable[[], None]:
        return lambda: results.append(sanitizer.feed(piece))

    counts = run_together(*map(feed, pieces), duration=4 * DURATION)
    rest = sanitizer.finish()
    assert isinstance(rest, str)
    expected: Counter[str] = Counter()
    for piece, count in zip(pieces, counts, strict=True):
        expected += Counter({char: count * piece.count(char) for char in set(piece) - {"\u200b"}})
    assert Counter("".join([*results, rest])) == expected
    assert sanitizer.finding_count == counts[0] + counts[2]


def test_one_sanitizer_finished_by_another_thread() -> None:
    sanitizer = leadbyte.Sanitizer(policy="llm-input")
    results: list[str] = []

    def finish() -> None:
        # Where nothing was fed, the type of the text is not known.
        if rest := sanitizer.finish():
            assert isinstance(rest, str)
            results.append(rest)

    fed, *_ = run_together(lambda: results.append(sanitizer.feed("ab\ncd")), finish)
    finish()
    assert Counter("".join(results)) == Counter(dict.fromkeys("ab\ncd", fed))


@pytest.mark.parametrize("source", ["windows-1251", "shift_jis", "iso2022_jp", "utf-7", "utf-16-le"])
def test_one_transcoder(source: str) -> None:
    """A call while another is at work raises ValueError, and is as if it had not been."""
    transcoder = Transcoder(source, "utf-8")
    text = "Привет\n" * 20
    data = text.encode(source)
    converted: list[bytes] = []
    refused: list[str] = []

    def feed() -> None:
        try:
            converted.append(transcoder.feed(data))
        except ValueError as error:
            refused.append(str(error))

    run_together(feed, number=3)
    converted.append(transcoder.finish())
    count, rest = divmod(len(b"".join(converted)), len(text.encode()))
    assert b"".join(converted) == text.encode() * count
    assert (count > 0, rest) == (True, 0)
    assert set(refused) <= {"this Transcoder has finished, has failed, or is at work"}


LINES = [f"{number} é€\n" if number % 3 else f"{number}\n" for number in range(60_000)]
WHOLE = "".join(LINES).encode()
SOURCES_OF_LINES: dict[str, Callable[[], Iterable[str]]] = {
    "bytes": lambda: leadbyte.lines(WHOLE),
    "bytearray": lambda: leadbyte.lines(bytearray(WHOLE)),
    "file": lambda: leadbyte.lines(io.BytesIO(WHOLE)),
    "utf-16": lambda: leadbyte.lines(io.BytesIO(WHOLE.decode().encode("utf-16")), encoding="utf-16"),
}


def taken_together(items: Iterable[T], number: int = 4) -> list[T]:
    """Return the items of one iterator that several threads use."""
    iterator = iter(items)
    # Each has a list of its own: without the GIL, a list is locked while it is extended.
    found: list[list[T]] = []
    run_together(lambda: found.append(list(iterator)), number=number, duration=0)
    return [item for items in found for item in items]


@pytest.mark.parametrize("source", SOURCES_OF_LINES)
def test_lines_read_by_several_threads(source: str) -> None:
    """Each line is read by one of them."""

    def read() -> None:
        assert Counter(taken_together(SOURCES_OF_LINES[source]())) == Counter(LINES)

    run_together(read, duration=8 * DURATION)


def test_chunks_read_by_several_threads() -> None:
    def read() -> None:
        found = [bytes(chunk) for chunk in taken_together(leadbyte.chunks(DATA * 500, 10))]
        assert Counter(b"".join(found)) == Counter(DATA * 500)
        assert all(map(leadbyte.is_valid, found))

    run_together(read)


def test_errors_read_by_several_threads() -> None:
    """Each error is found by one of them, with its location."""
    data = "é€".encode() + b"\xff\xe2\x82a\xf0\x9f\x98"
    data *= 1000
    expected = [(error.start, error.location) for error in leadbyte.iter_errors(data, locations=True)]

    def read() -> None:
        errors = taken_together(leadbyte.iter_errors(data, locations=True))
        found = [(error.start, error.location) for error in errors]
        assert sorted(found, key=operator.itemgetter(0)) == expected

    run_together(read, duration=4 * DURATION)


FUNCTIONS: dict[str, Callable[[bytearray], object]] = {
    "audit": lambda data: list(leadbyte.audit(data, policy="source-code")),
    "casefold": leadbyte.casefold,
    "ceil_boundary": lambda data: leadbyte.ceil_boundary(data, 5),
    "chunks": lambda data: [bytes(chunk) for chunk in leadbyte.chunks(data, 7)],
    "count_chars": leadbyte.count_chars,
    "count_graphemes": leadbyte.count_graphemes,
    "count_utf16": leadbyte.count_utf16,
    "count_widths": leadbyte.count_widths,
    "decode": leadbyte.decode,
    "decode many": lambda data: leadbyte.decode_many([data, data]),
    "decode with a handler": lambda data: leadbyte.decode(data, errors="backslashreplace"),
    "detect": leadbyte.detect,
    "graphemes": leadbyte.graphemes,
    "incremental decoder": lambda data: leadbyte.IncrementalDecoder("replace").decode(data),
    "is_normalized": lambda data: leadbyte.is_normalized("NFC", data),
    "is_valid": leadbyte.is_valid,
    "iter_errors": lambda data: list(leadbyte.iter_errors(data, locations=True)),
    "lines": lambda data: list(leadbyte.lines(data, errors="replace")),
    "locate": lambda data: leadbyte.locate(data, 0),
    "mojibake": lambda data: leadbyte.mojibake.repair(data.decode(errors="replace")),
    "normalize": lambda data: leadbyte.normalize("NFD", data),
    "offset map": lambda data: leadbyte.OffsetMap(data).convert(0, "byte", "char"),
    "repair": leadbyte.repair,
    "sanitize": lambda data: leadbyte.sanitize(data, policy="llm-input"),
    "scan": lambda data: leadbyte.scan(data, threads=2),
    "search": lambda data: leadbyte.search(data, "мир"),
    "split points": lambda data: leadbyte.split_points(data, 3),
    "transcode": lambda data: transcode(data, "utf-8", "utf-16", errors="replace"),
    "truncate": lambda data: leadbyte.truncate(data, 20, unit="char", ellipsis="…"),
    "validate": leadbyte.validate,
}


def strings(result: object) -> list[str]:
    """Return the strs of a result."""
    if isinstance(result, list):
        return [text for item in result for text in strings(item)]
    return [result] if isinstance(result, str) else []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_bytearray_that_is_resized_and_written_to(name: str) -> None:
    function = FUNCTIONS[name]
    data = bytearray(DATA * 20)
    contents = itertools.cycle([DATA * 20, b"", DATA[3:-3] * 3000, b"\xff\xe2\x82" * 50, b"a" * 200])

    def read() -> None:
        try:
            result = function(data)
        except UnicodeDecodeError as error:
            assert 0 <= error.start < error.end <= len(error.object)  # noqa: PT017
        except (ValueError, IndexError) as error:
            assert "range" in str(error) or "boundary" in str(error)  # noqa: PT017
        else:
            assert all(map(is_well_formed, strings(result)))

    def write() -> None:
        try:
            data[:] = next(contents)
            data.append(0x80)
            del data[: len(data) // 2]
        except BufferError as error:
            assert "cannot be re-sized" in str(error)  # noqa: PT017
        data[-1:] = data[-1:]
        for at in range(0, len(data), 97):
            try:
                data[at] ^= 0xFF
            except IndexError:
                return

    run_together(read, read, write)


def test_encode_into_one_buffer() -> None:
    buffer = bytearray(len(DATA))

    def encode(text: str) -> Callable[[], None]:
        expected = (len(text.encode()), len(text))
        return lambda: compare(leadbyte.encode_into(text, buffer), expected)

    def compare(result: object, expected: object) -> None:
        assert result == expected

    def resize() -> None:
        try:
            buffer.append(0)
            del buffer[-1:]
        except BufferError as error:
            assert "cannot be re-sized" in str(error)  # noqa: PT017

    run_together(encode(TEXT), encode("é€😀"), resize)


def test_lists_that_change() -> None:
    """Each item is of a moment; how many there are is not known."""
    texts: list[str] = []
    items: list[bytes] = []

    def change() -> None:
        for _ in range(20):
            texts.append(TEXT)
            items.append(DATA)
        # Memory that is freed meanwhile belongs to no list of other objects.
        texts[:], items[:] = texts[5:], items[5:]
        if len(texts) > 400:
            texts.clear()
            items.clear()

    def read() -> None:
        assert set(leadbyte.decode_many(items)) <= {TEXT}
        assert set(leadbyte.encode_many(texts)) <= {DATA}
        assert set(leadbyte.truncate_many(texts, 5, unit="char")) <= {TEXT[:5]}

    run_together(read, read, change)


def test_one_offset_map() -> None:
    text = TEXT * 500
    offsets = leadbyte.OffsetMap(text)
    positions = itertools.cycle(range(0, len(text), 7))

    def look_up() -> None:
        at = next(positions)
        assert offsets.convert(at, "char", "byte") == len(text[:at].encode())
        line, character = divmod(at, len(TEXT))
        assert tuple(offsets.position(at, unit="char", column_unit="char")) == (line, character)
        assert (
            offsets.convert_many([at, at], "char", "utf16") == [len(text[:at].encode("utf-16-le")) // 2] * 2
        )

    run_together(look_up, number=3)


# As many bytes, but not as many characters.
SLOTS = ["abcd", "éé", "😀", "a€", "€\n"]


def test_one_editable_offset_map() -> None:
    count = 500
    offsets = leadbyte.EditableOffsetMap("abcd" * count)
    edits = itertools.cycle(itertools.product(range(0, 4 * count, 28), SLOTS))

    def edit() -> None:
        at, slot = next(edits)
        offsets.replace(*places(at), slot)

    def places(at: int) -> tuple[int, int]:
        return at, at + 4

    def read() -> None:
        assert offsets.byte_count == 4 * count
        assert count <= offsets.char_count <= 4 * count
        assert count <= offsets.convert(4 * count, "byte", "char") <= 4 * count
        assert offsets.convert(2 * count, "byte", "byte") == 2 * count
        text = offsets.text
        assert is_well_formed(text)
        assert len(text.encode()) == 4 * count
        line, _ = offsets.position(4 * count)
        assert 0 <= line < offsets.line_count + len(SLOTS) * count

    run_together(edit, edit, read, read)
    data = offsets.text.encode()
    assert {data[at : at + 4].decode() for at in range(0, 4 * count, 4)} <= set(SLOTS)
    assert offsets.char_count == len(data.decode())


# What a first call initialises: names that are imported late, tables, and caches.
FIRST_CALLS = r"""
import json, sys, threading
import leadbyte

RUSSIAN = "Это текст на русском языке, по которому определяют язык и кодировку. "
CALLS = [
    lambda: leadbyte.detect(RUSSIAN.encode("koi8-r")).encoding,
    lambda: leadbyte.detect(RUSSIAN.encode("cp1251") * 3).language,
    lambda: leadbyte.detect("Dies ist ein Text, der Umlaute hat: äöüß. ".encode("cp500") * 9).encoding,
    lambda: leadbyte.mojibake.repair(RUSSIAN.encode().decode("cp1251", "replace")),
    lambda: leadbyte.mojibake.repair("cafÃ© â€œquotedâ€\x9d"),
    lambda: leadbyte.transcode.transcode("あ".encode("shift_jis"), "shift_jis", "utf-8").hex(),
    lambda: leadbyte.transcode.transcode("é".encode("cp037"), "cp037", "utf-16-le").hex(),
    lambda: leadbyte.normalize("NFKD", "ﬁ é 한"),
    lambda: leadbyte.casefold("Straße İ"),
    lambda: leadbyte.search("STRASSE Ångström", "å", ignore_case=True),
    lambda: leadbyte.search("cafe\u0301", "é"),
    lambda: leadbyte.graphemes("e\u0301👨‍👩‍👧"),
    lambda: leadbyte.sanitize("a\u202eb\u200b", policy="llm-input"),
    lambda: [finding.kind for finding in leadbyte.audit("p\u0430ypal\u202e", policy="source-code")],
    lambda: str(leadbyte.explain("€")),
    lambda: leadbyte.variants.mutf8.encode("\0😀").hex(),
    lambda: list(leadbyte.lines(b"a\nb\xc3\xa9\n")),
    lambda: sorted(leadbyte.cpu_info()["functions"].items()),
    lambda: leadbyte.StreamDecoder().feed(b"a\xff"),
    lambda: leadbyte.compare_sizes(RUSSIAN).utf8,
]

def outcome(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

THREADS = int(sys.argv[1])
barrier = threading.Barrier(THREADS)
results = [None] * THREADS

def work(index):
    barrier.wait(60)
    # Neighbours start with the same call, others with another.
    start = index // 2
    order = [*range(start, len(CALLS)), *range(start)]
    found = {at: outcome(CALLS[at]) for at in order}
    results[index] = [found[at] for at in range(len(CALLS))]

threads = [threading.Thread(target=work, args=[index]) for index in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(results))
"""


def first_calls(threads: int) -> list[list[object]]:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", FIRST_CALLS, str(threads)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    results: list[list[object]] = json.loads(done.stdout)
    return results


def test_first_calls_by_many_threads_at_once() -> None:
    """Tables, caches and modules that the first call initialises are the same for all."""
    [expected] = first_calls(1)
    assert not [value for value in expected if "Error" in str(value)]
    for _ in range(1 if IS_REDUCED else 10):
        for results in first_calls(8):
            assert results == expected
