"""Errors in JSON lines, compared with the values that Python's json module loads."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._files.json_lines import JsonLinesScan, JsonRecords
from leadbyte._leadbyte import _JsonLines
from signals import Interrupted, signal_after, with_timers

if TYPE_CHECKING:
    from leadbyte._files.quarantine import InvalidRow
    from strategies import Anything

REFUSED = re.compile("[\0\ud800-\udfff]")

PARTS: list[bytes] = [
    *(rb"\ud83d\ude00", rb"\ud83d", rb"\ude00", rb"\uDBFF", rb"\uDFFF", rb"\u0000", rb"\u0430", rb"\u000a"),
    *(
        rb"\\",
        rb"\\ud800",
        rb"\\\ud800",
        rb"\"",
        rb"\/",
        rb"\n",
        b"ud800",
        b"~",
        b"/",
        b"a",
        b" ",
        b"{",
        b"]",
        b",",
    ),
    *("é€😀".encode(), b"\0", b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"plain text of some length " * 3),
]
STRINGS = st.lists(st.sampled_from(PARTS), max_size=4).map(b"".join)
CLEAN = st.sampled_from([b"name", b"a/b~c", rb"\u0430\"\\", "мир".encode()])


def as_object(members: list[tuple[bytes, bytes]]) -> bytes:
    """Return an object in whose keys each name has a number, so that they are different."""
    return b"{%s}" % b", ".join(
        b'"%s%d":%s' % (key, index, value) for index, (key, value) in enumerate(members)
    )


VALUES = st.recursive(
    st.sampled_from([b"1", b"-2.5e3", b"true", b"null", b"[]", b"{}"])
    | STRINGS.map(lambda text: b'"%s"' % text),
    lambda values: (
        st.lists(values, max_size=3).map(lambda items: b"[%s]" % b" , ".join(items))
        | st.lists(st.tuples(CLEAN | STRINGS, values), max_size=3).map(as_object)
    ),
    max_leaves=5,
)
LINES = st.lists(VALUES, max_size=6)


def strings(value: Anything) -> list[str]:
    """Return all strings of a value, keys too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def replaced(value: Anything) -> Anything:
    """Return a value with U+FFFD for each lone surrogate and each U+0000."""
    if isinstance(value, str):
        return REFUSED.sub("\ufffd", value)
    if isinstance(value, dict):
        return {replaced(key): replaced(item) for key, item in value.items()}
    return [replaced(item) for item in value] if isinstance(value, list) else value


def load(line: bytes) -> Anything:
    """Return the value of a line with U+FFFD for each error of UTF-8; controls may be as they are."""
    return json.loads(line.decode(errors="replace"), strict=False)


def resolve(value: Anything, pointer: str) -> Anything:
    """Return the value that a JSON Pointer refers to (RFC 6901, section 4)."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        value = value[int(name) if isinstance(value, list) else name]
    return value


def is_refused(line: bytes) -> bool:
    """Return whether Python loads a line with lone surrogates or U+0000, or it is not UTF-8."""
    return not leadbyte.is_valid(line) or any(map(REFUSED.search, strings(load(line))))


@given(LINES, st.integers(1, 200), st.sampled_from([b"", b"\n"]))
def test_records_are_those_that_python_loads_wrongly(lines: list[bytes], size: int, ending: bytes) -> None:
    data = b"\n".join(lines) + ending
    search, repair = _JsonLines(1000), _JsonLines(0, replacement="\ufffd")
    texts = []
    for start in range(0, len(data), size):
        piece = data[start : start + size]
        assert search.update(piece) is None
        text = repair.update(piece)
        texts.append(piece if text is None else text)
    search.finish()
    repaired = b"".join([*texts, repair.finish() or b""])
    findings = search.findings()
    bad = [number for number, line in enumerate(lines, 1) if is_refused(line)]
    assert sorted({line for _, _, _, line, *_ in findings}) == bad
    assert (search.finding_count, search.invalid_record_count) == (len(findings), len(bad))
    assert not search.is_truncated

    # Each record becomes the value that Python loads, with U+FFFD in it.
    fixed = repaired.split(b"\n")[: len(lines)]
    assert [load(line) for line in fixed] == [replaced(load(line)) for line in lines]
    assert [new for new, line in zip(fixed, lines, strict=True) if not is_refused(line)] == [
        line for line in lines if not is_refused(line)
    ]

    for kind, start, end, line, column, content, pointer, in_key in findings:
        assert content == data[start:end]
        place = leadbyte.locate(data, start)
        assert (line, column) == (place.line, place.column)
        assert pointer is not None
        value = resolve(replaced(load(lines[line - 1])), pointer.replace("\0", "\ufffd"))
        if content != b"\0":
            assert isinstance(value, dict) if in_key else "\ufffd" in value, (kind, pointer)


@pytest.mark.once
@given(LINES.map(b"\n".join), st.sampled_from([None, "\ufffd", "?"]))
def test_records_are_kept_apart(data: bytes, replacement: str | None) -> None:
    scan = JsonLinesScan(1000, records=True)
    records = JsonRecords(scan, "a", replacement)
    cut = data.rfind(b"\n") + 1
    rows: list[InvalidRow] = []
    texts: list[bytes] = []
    for block, is_last in ((data[:cut], False), (data[cut:], True)):
        done = 0
        for start, end, row, kept in records.find(memoryview(block), is_last=is_last):
            assert row is not None
            rows.append(row)
            texts += [block[done:start], kept or b""]
            done = end
        texts.append(block[done:])
    lines = data.split(b"\n")
    bad = [(number, line) for number, line in enumerate(lines, 1) if line and is_refused(line)]
    assert [(row.line, row.data) for row in rows] == bad
    assert sum(row.error_count for row in rows) == scan.finish().error_count
    if replacement is None:
        good = [line for line in data.splitlines(keepends=True) if not line.strip() or not is_refused(line)]
        assert b"".join(texts) == b"".join(good)
    else:
        whole = _JsonLines(0, replacement=replacement)
        text = whole.update(data)
        assert b"".join(texts) == (data if text is None else text) + (whole.finish() or b"")


def test_what_is_not_a_string_is_no_escape() -> None:
    for line in (rb'{"a": \ud800}', rb'"\\ud800"', rb'"a" \u0000 "b"'):
        search = _JsonLines(1)
        search.update(line + b"\n")
        search.finish()
        assert search.findings() == [], line


@pytest.mark.once
def test_time_is_linear() -> None:
    """Also for a line of nothing but backslashes, and one with a suspicious escape everywhere."""
    for pattern in (b"\\", rb"\ud800", rb'"\ud83d', b"[", b'{"a":', b"\0", b"\xff", b'"\\u0000",'):
        search = _JsonLines(1, replacement="?")
        piece = pattern * ((1 << 20) // len(pattern))
        for _ in range(4):
            search.update(piece)
        search.finish()
        assert search.findings() is not None


RECORDS = b'{"key": "\\ud800"}\n' * 30


def results_of(search: _JsonLines) -> tuple[object, ...]:
    return search.finding_count, search.invalid_record_count, search.findings(), search.take_records()


@pytest.mark.once
def test_without_memory_nothing_is_searched_or_taken() -> None:
    testcapi = pytest.importorskip("_testcapi")
    whole = _JsonLines(100, replacement="?", records=True)
    text = whole.update(RECORDS)
    expected = results_of(whole)
    for number in range(500):
        search = _JsonLines(100, replacement="?", records=True)
        outcomes = []
        for call in (partial(search.update, RECORDS), search.findings, search.take_records):
            testcapi.set_nomemory(number, number + 1)
            try:
                outcome = call()
            except MemoryError:
                testcapi.remove_mem_hooks()
                outcome = call()
            finally:
                testcapi.remove_mem_hooks()
            outcomes.append(outcome)
        assert (text, *expected[2:]) == tuple(outcomes), number
        assert (search.finding_count, search.invalid_record_count) == expected[:2]


@with_timers
@pytest.mark.once
def test_an_interrupted_search_has_no_effect() -> None:
    data = RECORDS * 20_000
    whole = _JsonLines(100, records=True)
    whole.update(data)
    search = _JsonLines(100, records=True)
    search.update(RECORDS[:40])
    with pytest.raises(Interrupted), signal_after(0.002):
        search.update(data[40:])
    assert search.finding_count == 2
    search.update(data[40:])
    assert results_of(search) == results_of(whole)


def test_replacements_are_checked() -> None:
    for wrong in ('"', "\\", "a\n", "\0"):
        with pytest.raises(ValueError, match="quotation marks, backslashes or control characters"):
            _JsonLines(0, replacement=wrong)


@pytest.mark.parametrize(
    ("key", "pointer"),
    [(rb"\ud83dabcdef\u0041", "/\ufffdabcdefA"), (rb"\ud83dabcdef\ud83d\ude00", "/\ufffdabcdef😀")],
)
def test_pointer_after_a_lone_surrogate(key: bytes, pointer: str) -> None:
    """What follows a lone high surrogate in a key is taken once."""
    search = _JsonLines(10)
    search.update(b'{"%s": "\\u0000"}\n' % key)
    search.finish()
    assert [finding[6] for finding in search.findings()] == ["", pointer]
