"""transcode beside CPython's decode and encode, by all names, handlers and byte order marks."""

from __future__ import annotations

import array
import codecs
import functools
import itertools
import mmap
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import differences
import families
import handlers
import leadbyte
import leadbyte.codec
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte.transcode import transcode
from outcomes import outcome, shown
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

FEW_TARGETS = [*families.UNICODE, "latin-1", "ascii", "cp1251", "koi8-u", "cp1252", "iso8859-6", "cp037"]
REGISTERED = ["leadbyte-tests-decode hex", "leadbyte-tests-encode hex"]
HANDLERS = [*handlers.BUILT_IN, *REGISTERED, "unknown"]
# Those that put other bytes in the place of the data come to an end in UTF-8 only.
ENDLESS = {"leadbyte-tests-decode shorten", "leadbyte-tests-decode lengthen"}
SHARED_HANDLERS = sorted({*handlers.FOR_DECODING, *handlers.FOR_ENCODING} - ENDLESS)
# The most bytes that are converted at once.
STEP_BYTES = 64 << 10
SAME_TABLES = [pair for pair in differences.SINGLE_BYTE if not differences.compare(*pair)[0]]


def same(data: Anything, source: str, target: str, errors: str = "strict") -> None:
    """Insist on what CPython's decode and encode give or raise."""
    ours = outcome(transcode, data, source, target, errors=errors)
    assert ours == outcome(outcomes.transcode, data, source, target, errors), (data, source, target, errors)


@pytest.mark.once
@pytest.mark.parametrize("source", families.NATIVE)
def test_each_to_each(source: str) -> None:
    everything = b"".join(families.valid(source))
    for target in families.NATIVE:
        for errors in ("strict", "replace", "backslashreplace", "ignore"):
            same(everything, source, target, errors)
            same(families.broken(source)[0], source, target, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("errors", HANDLERS)
@pytest.mark.parametrize("source", [*FEW_TARGETS, *families.OTHERS])
def test_each_handler(source: str, errors: str) -> None:
    others = families.OTHERS
    if IS_REDUCED:
        # Between two codecs of Python no kernel has any part, and its encoders are all called in one way.
        others = [] if source in families.OTHERS else ["gb18030", "iso2022_jp", "utf-7"]
    broken = families.broken(source)
    for number, target in enumerate([*FEW_TARGETS, *others]):
        # A fifth for each target, and each with at least three of them.
        some = broken[number % 5 :: 5] if IS_REDUCED else broken
        for data in [*families.valid(source), *some]:
            same(data, source, target, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("errors", HANDLERS)
@pytest.mark.parametrize("source", families.UNICODE)
def test_surrogates(source: str, errors: str) -> None:
    for text in families.SURROGATES:
        data = text.encode(source, "surrogatepass")
        for target in FEW_TARGETS:
            same(data, source, target, errors)
            same(data + "é".encode(source), source, target, errors)


@given(
    st.data(),
    st.sampled_from(families.NATIVE),
    st.sampled_from(FEW_TARGETS),
    st.sampled_from(SHARED_HANDLERS),
)
def test_of_anything(data: st.DataObject, source: str, target: str, errors: str) -> None:
    same(data.draw(families.data_in(source)), source, target, errors)


@given(st.data(), st.sampled_from(families.OTHERS), st.sampled_from(["utf-8", "utf-16-le", "cp1251"]))
def test_of_anything_in_several_bytes(data: st.DataObject, source: str, target: str) -> None:
    content = data.draw(families.data_in(source))
    same(content, source, target)
    same(content, source, target, "replace")


@given(st.text(), st.sampled_from(families.UNICODE), st.sampled_from(families.UNICODE))
def test_there_and_back(text: str, one: str, other: str) -> None:
    data = text.encode(one, "ignore")
    assert transcode(transcode(data, one, other), other, one) == data


@pytest.mark.once
@pytest.mark.parametrize("source", [*families.UNICODE, "latin-1", "ascii", "cp1251"])
def test_errors_at_every_place_of_a_vector(source: str) -> None:
    common = "a" if source == "ascii" else "é" if source == "latin-1" else "я"
    for error in families.broken(source)[:60]:
        for before in (*range(12), *range(12, 140, 7)):
            data = (common * before).encode(source) + error + (common * 70).encode(source)
            for target in ("utf-8", "utf-16-le", "utf-32-be", "latin-1"):
                same(data, source, target)
                same(data, source, target, "replace")


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize(
    "char", ["a", "\x7f", "\x80", "é", "\xff", "\u0100", "я", "\u07ff", "\u0800", "€", "\uffff", "😀"]
)
@pytest.mark.parametrize("common", ["a", "é", "я", "€", "😀"])
def test_one_character_among_others(common: str, char: str) -> None:
    for before in (*range(9), *range(9, 140, 11)):
        text = common * before + char + common * 67
        for source in families.UNICODE:
            data = text.encode(source)
            for target in (*families.UNICODE, "latin-1", "cp1251"):
                same(data, source, target, "strict" if target.startswith("utf") else "xmlcharrefreplace")


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize(
    "length", [strategies.LARGE, strategies.CHUNK_BYTES - 1, 2 * strategies.CHUNK_BYTES + 5]
)
def test_large(length: int) -> None:
    for text in strategies.SCRIPTS.values():
        for source in ("utf-8", "utf-16-le", "utf-32-be"):
            data = bytes(strategies.filled(length, text.encode(source)))
            for target in ("utf-8", "utf-16-be", "utf-32-le"):
                same(data, source, target, "replace")
    for source in ("cp1251", "latin-1"):
        same(bytes(strategies.filled(length, bytes(range(0x100)))), source, "utf-8", "replace")


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in strategies.large_samples()])
def test_errors_in_large_data(data: bytes) -> None:
    same(data, "utf-8", "utf-16-le")
    same(data, "utf-8", "utf-16-le", "replace")


@pytest.mark.parametrize(
    "cut", [b"\xe9\xe9", b"\xe2\x82\xe2\x82\xe2\x82", b"\xf0\x9f\x98\xe9", b"\xed\xa0\xed\xa0"]
)
@pytest.mark.parametrize("errors", ["strict", "replace", "backslashreplace"])
def test_characters_cut_short_at_the_end_of_a_step(cut: bytes, errors: str) -> None:
    for length in range(STEP_BYTES - 8, STEP_BYTES + 2):
        same(b"a" * length + cut + b"b" * STEP_BYTES, "utf-8", "utf-16-le", errors)
    for units in range(STEP_BYTES // 2 - 4, STEP_BYTES // 2 + 1):
        same(b"a\0" * units + b"\x3d\xd8" * 3 + b"b\0" * STEP_BYTES, "utf-16-le", "utf-8", errors)


# What data may be.


def mapped(data: bytes) -> mmap.mmap:
    """Return a memory map."""
    anonymous = mmap.mmap(-1, len(data))
    anonymous[:] = data
    return anonymous


def behind(offset: int, data: bytes) -> memoryview:
    """Return a view of data that begins at an offset."""
    return memoryview(bytearray(bytes(offset) + data))[offset:]


BUFFERS: dict[str, Callable[[bytes], Anything]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "array": lambda data: array.array("B", data),
    "units": lambda data: memoryview(data).cast("I"),
    "mmap": mapped,
    **{f"{offset} behind": functools.partial(behind, offset) for offset in (1, 2, 3, 5)},
}


@pytest.mark.parametrize("make", BUFFERS.values(), ids=BUFFERS)
@pytest.mark.parametrize("source", ["utf-8", *families.UTF_16, *families.UTF_32, "cp1251"])
def test_any_buffer(source: str, make: Callable[[bytes], Anything]) -> None:
    text = "abcd" * 20 + ("я" * 20 if source == "cp1251" else "é€я😀\n")
    data = text.encode(source)
    data += data[: -len(data) % 4]
    for errors in ("strict", "replace", REGISTERED[0]):
        same(make(data), source, "utf-8", errors)
        same(make(data[:-4] + b"\x98\xd8\xff\xff"), source, "utf-16", errors)


@pytest.mark.parametrize("data", ["text", None, 5, [b"a"], memoryview(b"abcd")[::2]], ids=shown)
@pytest.mark.parametrize("target", ["utf-16", "cp037", "gb18030"])
def test_what_is_no_contiguous_buffer(data: Anything, target: str) -> None:
    assert type(leadbyte_error(data, target)) is type(pythons_error(data))


def leadbyte_error(data: Anything, target: str) -> BaseException | None:
    """Return what transcode raises."""
    try:
        transcode(data, "utf-8", target)
    except (TypeError, BufferError) as error:
        return error
    return None


def pythons_error(data: Anything) -> BaseException | None:
    """Return what CPython's decoder raises."""
    try:
        codecs.utf_8_decode(data)
    except (TypeError, BufferError) as error:
        return error
    return None


def test_empty() -> None:
    for source in families.NATIVE:
        for target in families.NATIVE:
            same(b"", source, target)


@pytest.mark.parametrize("source", ["utf-8", "utf-16-le", "cp1251"])
def test_bytes_that_another_thread_changes(source: str) -> None:
    size = 300_000
    data = bytearray(strategies.filled(size, "text".encode(source)))
    patterns = [bytes(strategies.filled(size, text.encode(source))) for text in ("text", "я", "aя", "\n")] + [
        bytes(strategies.filled(size, b"\x98\xd8\xff"))
    ]
    finished = threading.Event()

    def change() -> None:
        while not finished.is_set():
            for pattern in patterns:
                data[:] = pattern

    other = threading.Thread(target=change)
    other.start()
    deadline = time.monotonic() + 0.4
    done = 0
    try:
        while time.monotonic() < deadline:
            for errors in ("replace", "ignore", "strict"):
                found = outcome(transcode, data, source, "utf-8", errors=errors)
                if found[0] is bytes:
                    assert leadbyte.is_valid(found[1])
                else:
                    assert found == outcome(outcomes.transcode, found[5], source, "utf-8")
                done += 1
    finally:
        finished.set()
        other.join()
    assert done


# Handlers.


@pytest.mark.parametrize(
    ("source", "target"), [("utf-8", "utf-16"), ("cp1251", "utf-8"), ("utf-8", "cp1251")]
)
def test_handler_runs_once_an_error(source: str, target: str) -> None:
    data = ("я" * 50).encode(source) + b"\xff\x98" + ("€я" * 3).encode(source) + b"\x98"

    def both(make: handlers.Handler) -> None:
        ours, theirs = (
            outcomes.handled(lambda data, name, by=by: by(data, source, target, name), data, lambda: make)
            for by in (transcode, outcomes.transcode)
        )
        assert ours == theirs

    both(lambda error: ("?", error.end))
    both(lambda error: ("", error.end))
    both(handlers.refuse)
    both(lambda _: None)


def test_handler_under_the_name_of_a_built_in_one() -> None:
    original = codecs.lookup_error("replace")
    handlers.register("replace", lambda error: ("<mine>", error.end))
    try:
        same(b"a\xffb", "utf-8", "utf-16-le", "replace")
        same("aяb".encode(), "utf-8", "latin-1", "replace")
    finally:
        codecs.register_error("replace", original)
    same(b"a\xffb", "utf-8", "utf-16-le", "replace")


# Names.


@pytest.mark.one_implementation
@pytest.mark.parametrize("name", families.NAMES)
def test_every_name_of_python(name: str) -> None:
    same("text".encode(name), name, "utf-8")


@pytest.mark.parametrize("encoding", differences.LABELS)
def test_every_label_of_the_web(encoding: str) -> None:
    for label in differences.LABELS[encoding]:
        for spelt in (label, label.upper(), f" {label}\n"):
            name = f"whatwg:{spelt}"
            if encoding == "replacement":
                with pytest.raises(LookupError, match="unknown encoding"):
                    transcode(b"abc", name, "utf-8")
            else:
                units = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}.get(encoding, "utf-8")
                assert transcode("abc".encode(units), name, "utf-8") == b"abc"
                assert transcode(b"abc", "utf-8", name) == "abc".encode(units)
        if not differences.python_name(label) and encoding != "replacement":
            assert transcode(b"abc", "ascii", label) == transcode(b"abc", "ascii", f"whatwg:{label}")


@pytest.mark.parametrize("pair", SAME_TABLES, ids=" ".join)
@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "backslashreplace"])
def test_web_as_python_where_tables_agree(pair: tuple[str, str], errors: str) -> None:
    label, name = pair
    for data in [*families.valid(name), *families.broken(name)]:
        ours = outcome(transcode, data, f"whatwg:{label}", "utf-8", errors=errors)
        theirs = outcome(outcomes.transcode, data, name, "utf-8", errors)
        if theirs[0] is bytes:
            assert ours == theirs
        else:
            assert ours[0] is theirs[0]
            assert ours[5:8] == theirs[5:8]
    for text in families.TEXTS.values():
        ours = outcome(transcode, text.encode(), "utf-8", f"whatwg:{label}", errors=errors)
        theirs = outcome(outcomes.transcode, text.encode(), "utf-8", name, errors)
        if theirs[0] is bytes:
            assert ours == theirs
        else:
            assert ours[0] is theirs[0]
            assert ours[5:7] == theirs[5:7]


@pytest.mark.parametrize("label", [label for label, _ in differences.MULTI_BYTE])
@pytest.mark.parametrize("errors", handlers.BUILT_IN)
def test_web_encodings_there_and_back(label: str, errors: str) -> None:
    name = f"whatwg:{label}"
    for text in ("English", "日本語", "中文", "한국어", "€ Я"):
        with suppress(UnicodeEncodeError):
            data = transcode(text.encode(), "utf-8", name)
            assert transcode(data, name, "utf-16-le", errors=errors).decode("utf-16-le") == text


CODE_PAGES = {
    437: "cp437", 850: "cp850", 866: "cp866", 874: "cp874", 932: "cp932", 936: "gbk", 949: "cp949",
    950: "cp950", 1200: "utf-16-le", 1201: "utf-16-be", 12000: "utf-32-le", 12001: "utf-32-be",
    20127: "ascii", 20866: "koi8-r", 21866: "koi8-u", 28591: "latin-1", 28592: "iso8859-2",
    28605: "iso8859-15", 54936: "gb18030", 65000: "utf-7", 65001: "utf-8",
    **{page: f"cp{page}" for page in range(1250, 1259)},
}  # fmt: skip


@pytest.mark.parametrize("number", CODE_PAGES)
def test_code_pages(number: int) -> None:
    name = CODE_PAGES[number]
    for data in families.valid(name):
        converted = outcomes.transcode(data, name, "utf-8")
        assert transcode(data, number, "utf-8") == transcode(data, str(number), "utf-8") == converted
        assert transcode(converted, "utf-8", number) == converted.decode().encode(name)


@pytest.mark.parametrize(
    "name", ["utf-9", "", "whatwg:utf-9", "whatwg:", 99999, "99999", "9" * 5000, 0, -1, "é"]
)
def test_unknown_names(name: str | int) -> None:
    for names in ((name, "utf-8"), ("utf-8", name)):
        with pytest.raises(LookupError, match="unknown "):
            transcode(b"", *names)


@pytest.mark.parametrize("name", ["\0", "utf-8\0"])
def test_names_with_nul(name: str) -> None:
    same(b"", name, "utf-8")
    same(b"", "utf-8", name)


@pytest.mark.parametrize("name", ["base64", "rot13", "hex", "zlib"])
def test_what_is_no_text_encoding(name: str) -> None:
    with pytest.raises(LookupError, match="not a text encoding"):
        transcode(b"", name, "utf-8")
    with pytest.raises(LookupError, match="not a text encoding"):
        transcode(b"", "utf-8", name)


@pytest.mark.parametrize("name", [None, b"utf-8", 1.0, ["utf-8"]])
def test_name_of_another_type(name: Anything) -> None:
    for names in ((name, "utf-8"), ("utf-8", name)):
        with pytest.raises(TypeError):
            transcode(b"", *names)


def test_arguments_of_other_types() -> None:
    with pytest.raises(TypeError):
        transcode(b"", "utf-8", "utf-16", errors=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        transcode(data=b"", source="utf-8", target="utf-16")  # type: ignore[call-arg]


def test_own_codecs_need_not_be_registered() -> None:
    script = """
from leadbyte.transcode import Transcoder, transcode
assert transcode(b"\\xc0\\x80", "MUTF8", "utf-8") == b"\\0"
assert transcode("\\U0001f600".encode(), "utf-8", "cesu-8") == b"\\xed\\xa0\\xbd\\xed\\xb8\\x80"
assert Transcoder("utf-16-le", "wtf-8").feed(b"\\x3d\\xd8\\x00\\xde") == "\\U0001f600".encode()
"""
    subprocess.run([sys.executable, "-c", script], timeout=60, check=True)


def test_codecs_of_others() -> None:
    """A codec registered by another package has a name like others."""

    def search(name: str) -> codecs.CodecInfo | None:
        if name != "leadbyte_tests_reversed":
            return None
        return codecs.CodecInfo(
            lambda text, _errors="strict": (text[::-1].encode(), len(text)),
            lambda data, _errors="strict": (bytes(data).decode()[::-1], len(data)),
            name=name,
        )

    codecs.register(search)
    try:
        assert transcode("abя".encode(), "utf-8", "leadbyte_tests_reversed") == "яba".encode()
        assert transcode(b"abc", "leadbyte_tests_reversed", "utf-16-le") == "cba".encode("utf-16-le")
    finally:
        codecs.unregister(search)


# Byte order marks.

PLAIN = {
    "utf-8-sig": "utf-8",
    "utf-16": f"utf-16-{sys.byteorder[0]}e",
    "utf-32": f"utf-32-{sys.byteorder[0]}e",
}
MARKLESS = ["latin-1", "ascii", "cp1251", "cp037", "shift_jis", "whatwg:windows-1251"]


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("bom", [None, "keep", "strip", "add"])
@pytest.mark.parametrize("source", [*families.UNICODE, "gb18030", "whatwg:utf-16le"])
@pytest.mark.parametrize("target", [*families.UNICODE, "gb18030", "whatwg:utf-8"])
def test_marks(source: str, target: str, bom: Anything) -> None:
    names = {"whatwg:utf-16le": "utf-16-le", "whatwg:utf-8": "utf-8"}
    reader, writer = (PLAIN.get(name) or names.get(name) or name for name in (source, target))
    for marks, text in itertools.product(range(3), ["", "text €", "\ufeff", "\ufeffз", "a\ufeff"]):
        content = "\ufeff" * marks + text
        data = content.encode(reader)
        if bom is None:
            expected = data.decode(names.get(source, source)).encode(names.get(target, target))
        else:
            marked = content.startswith("\ufeff")
            wanted = bom == "add" or (bom == "keep" and marked)
            expected = ("\ufeff" * wanted + content[marked:]).encode(writer)
        assert transcode(data, source, target, bom=bom) == expected


@pytest.mark.parametrize("target", MARKLESS)
def test_marks_where_there_are_none(target: str) -> None:
    with pytest.raises(ValueError, match=r"bom='add'.*no byte order mark"):
        transcode(b"a", "utf-8", target, bom="add")
    for bom in ("keep", "strip"):
        expected = transcode(b"a", "utf-8", target)
        assert transcode(codecs.BOM_UTF8 + b"a", "utf-8", target, bom=bom) == expected
        assert transcode(b"a", "utf-8", target, bom=bom) == expected


def test_marks_of_the_other_order() -> None:
    for name in ("utf-16", "utf-32"):
        text = "\ufeffa€"
        for order in ("-le", "-be"):
            data = text.encode(name + order)
            assert transcode(data, name, "utf-8") == text[1:].encode()
            assert transcode(data, name, "utf-8", bom="keep") == text.encode()
            assert transcode(data, name, name) == text[1:].encode(name)


@pytest.mark.parametrize("bom", ["sometimes", "", "KEEP", 1, True])
def test_marks_as_nobody_wants_them(bom: Anything) -> None:
    with pytest.raises(ValueError, match=r"None, .*keep.*strip.*add"):
        transcode(b"", "utf-8", "utf-8", bom=bom)


@pytest.mark.once
@given(
    st.data(),
    st.sampled_from(families.UNICODE),
    st.sampled_from(families.UNICODE),
    st.sampled_from(handlers.BUILT_IN),
)
def test_marks_and_errors(data: st.DataObject, source: str, target: str, errors: str) -> None:
    """Stripping is what Python does with the mark cut off before."""
    plain_source, plain_target = PLAIN.get(source, source), PLAIN.get(target, target)
    mark = "\ufeff".encode(plain_source)
    content = data.draw(families.data_in(plain_source))
    if not content.startswith(mark) and source in {plain_source, "utf-8-sig"}:
        converted = outcome(transcode, mark + content, source, target, errors=errors, bom="strip")
        if converted[0] is bytes:
            assert converted == outcome(outcomes.transcode, content, plain_source, plain_target, errors)


def test_detection_in_what_is_no_text() -> None:
    data = b"\x1f\x8b\x08\0\0"
    with pytest.raises(UnicodeDecodeError, match="not text in a known encoding, but gzip") as caught:
        transcode(data, "detect", "utf-8")
    assert (caught.value.object, caught.value.start, caught.value.end) == (data, 0, len(data))
