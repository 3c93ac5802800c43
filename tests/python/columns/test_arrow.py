"""leadbyte.arrow over every layout of Arrow, compared with what Python gives for each row."""

from __future__ import annotations

import codecs
import signal
import struct
import sys
import unicodedata
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduced import IS_REDUCED
from strategies import data

pa = pytest.importorskip("pyarrow", minversion="16")

import oracle  # noqa: E402
from layouts import (  # noqa: E402
    BINARY,
    EXAMPLES,
    HAS_VIEWS,
    LAYOUT,
    SEEDS,
    TEXT,
    Given,
    chunks,
    each,
    items,
    views,
)
from leadbyte import arrow  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from layouts import Row
    from strategies import Anything

ROWS = st.lists(st.one_of(st.none(), data(), data().map(lambda row: row[:14])), max_size=12)
# Some arguments are wrong on purpose.
lba: Any = arrow
HANDLERS = ["strict", "replace", "ignore", "backslashreplace", "null"]


def decoded(row: bytes, errors: str) -> str | None:
    if errors != "null":
        return row.decode("utf-8", errors)
    return row.decode() if leadbyte.is_valid(row) else None


@EXAMPLES
@given(layout=LAYOUT, rows=ROWS, seed=SEEDS)
def test_rows_equal_those_of_python(layout: str, rows: list[Row], seed: int) -> None:
    case = Given(rows, layout, seed)
    case.check(lba.is_valid_utf8, each(lambda row: not oracle.spans(row)))
    case.check(lba.count_chars, each(lambda row: sum(byte & 0xC0 != 0x80 for byte in row)))
    case.check(lba.count_utf16, each(lambda row: sum((byte & 0xC0 != 0x80) + (byte >= 0xF0) for byte in row)))
    case.check(lba.count_graphemes, each(lambda row: leadbyte.count_graphemes(row.decode())))
    for errors in HANDLERS:
        case.check(lba.decode, each(partial(decoded, errors=errors)), errors=errors)


def replaced(row: bytes, replacement: str) -> bytes:
    return row.decode(errors="leadbyte-tests-mark").replace("\udc00", replacement).encode()


@EXAMPLES
@given(layout=LAYOUT, rows=ROWS, seed=SEEDS, limit=st.integers(0, 20))
def test_changed_rows_equal_those_of_python(layout: str, rows: list[Row], seed: int, limit: int) -> None:
    case = Given(rows, layout, seed)
    for replacement in ("\ufffd", "", "<é>"):
        repaired = partial(replaced, replacement=replacement)
        case.check(lba.repair, case.each_as_given(repaired), replacement=replacement)
    ways: list[dict[str, Any]] = [
        {"unit": "byte", "ellipsis": "…" if limit > 2 else ""},
        {"unit": "utf16", "side": "start"},
        {"unit": "grapheme", "boundary": "grapheme", "side": "middle"},
    ]
    for choices in ways:
        truncated = partial(truncate_row, case=case, limit=limit, choices=choices)
        case.check(lba.truncate, each(truncated), limit, **choices)
    for form in ("NFC", "NFKD"):
        normalized = partial(normalize_row, form=form)
        case.check(partial(lba.normalize, form), case.each_as_given(normalized))


def truncate_row(row: bytes, case: Given, limit: int, choices: dict[str, Any]) -> bytes | str:
    return leadbyte.truncate(case.as_given(row), limit, **choices)


def normalize_row(row: bytes, form: Any) -> bytes:  # noqa: ANN401
    return leadbyte.normalize(form, row.decode()).encode()


def mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\udc00", error.end


codecs.register_error("leadbyte-tests-mark", mark)


@EXAMPLES
@given(layout=LAYOUT, rows=ROWS, seed=SEEDS)
def test_errors(layout: str, rows: list[Row], seed: int) -> None:
    case = Given(rows, layout, seed)
    del case.options["threads"]
    expected = [
        {
            "row": number,
            "offset": error.start,
            "kind": error.kind,
            "reason": error.reason,
            "data": error.data,
        }
        for number, row in enumerate(case.rows)
        for error in oracle.errors(row or b"")
    ]
    for values in (case.array, case.stream):
        assert items(lba.errors(values, **case.options)) == expected
        if not expected:
            lba.validate(values, **case.options)
            continue
        with pytest.raises(UnicodeDecodeError) as raised:
            lba.validate(values, **case.options)
        assert (raised.value.row, raised.value.start) == (expected[0]["row"], expected[0]["offset"])  # type: ignore[attr-defined]
        assert raised.value.object == case.rows[raised.value.row]  # type: ignore[attr-defined]


HIDDEN_ROWS = st.lists(
    st.none()
    | st.lists(st.sampled_from([b"a", b"\0", b"\xe2\x80\x8b", b"\xff", "😀".encode()])).map(b"".join),
    max_size=9,
)


@EXAMPLES
@given(layout=LAYOUT, rows=HIDDEN_ROWS, seed=SEEDS, policy=st.sampled_from(["llm-input", "postgresql"]))
def test_audit_and_sanitize(layout: str, rows: list[Row], seed: int, policy: Any) -> None:  # noqa: ANN401
    case = Given(rows, layout, seed)
    sanitized: Any = partial(leadbyte.sanitize, policy=policy, replacement="?")
    case.check(lba.sanitize, case.each_as_given(sanitized), policy=policy, replacement="?")
    del case.options["threads"]
    expected = [
        {
            "row": number,
            "offset": found.start,
            "kind": found.kind,
            "why": found.why,
            "data": (row or b"")[found.start : found.end],
        }
        for number, row in enumerate(case.rows)
        for found in leadbyte.audit(row or b"", policy=policy)
    ]
    for values in (case.array, case.stream):
        assert items(lba.audit(values, policy=policy, **case.options)) == expected


TARGETS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "ascii", "latin-1", "cp1251", "utf-32-le"]


@EXAMPLES
@given(
    layout=LAYOUT,
    rows=ROWS,
    seed=SEEDS,
    pair=st.tuples(st.sampled_from([*TARGETS, "cp1257", "cp437"]), st.sampled_from(TARGETS)),
    errors=st.sampled_from([*HANDLERS, "xmlcharrefreplace"]),
)
def test_transcode(layout: str, rows: list[Row], seed: int, pair: tuple[str, str], errors: str) -> None:
    case = Given(rows, layout, seed)
    source, target = pair

    def transcoded(row: bytes) -> bytes | str | None:
        handler = "strict" if errors == "null" else errors
        try:
            text = row.decode(source, "strict" if errors == "xmlcharrefreplace" else handler)
            result = text.encode(target, handler)
        except UnicodeError:
            if errors == "null":
                return None
            raise
        return result.decode() if target in {"utf-8", "utf-8-sig"} else result

    case.check(lba.transcode, each(transcoded), source, target, errors=errors)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cp932", "日本の首都"),
        ("euc_jp", "日本"),
        ("cp949", "서울"),
        ("big5", "臺灣"),
        ("gb18030", "中华"),
        ("iso2022_jp", "日本"),
        ("cp950", "臺灣"),
        ("big5hkscs", "臺灣"),
        (932, "日本"),
        ("whatwg:gbk", "中华"),
    ],
)
def test_encodings_of_several_bytes(name: Any, text: str) -> None:  # noqa: ANN401
    encoding = {932: "cp932", "whatwg:gbk": "gbk"}.get(name, name)
    rows = [text.encode(encoding), None, b"text"]
    assert items(lba.transcode(pa.array(rows), name)) == [text, None, "text"]
    assert items(lba.transcode(pa.array([text, "text"]), "utf-8", name)) == [rows[0], b"text"]


@pytest.mark.parametrize("control", ["\x1b", "\x0e", "\x0f"])
@pytest.mark.parametrize("before", ["", "abc", "日", "日本"])
def test_controls_that_iso_2022_jp_lacks(control: str, before: str) -> None:
    text = before + control + "def"
    done = before.encode("iso2022_jp")
    column = pa.array([text])
    for errors, replaced in (
        ("replace", b"?"),
        ("ignore", b""),
        ("xmlcharrefreplace", b"&#%d;" % ord(control)),
    ):
        assert items(lba.transcode(column, "utf-8", "iso-2022-jp", errors=errors)) == [
            done + replaced + b"def"
        ]
    assert items(lba.transcode(column, "utf-8", "iso-2022-jp", errors="null")) == [None]
    with pytest.raises(UnicodeEncodeError) as caught:
        lba.transcode(column, "utf-8", "iso-2022-jp")
    assert (caught.value.start, caught.value.end) == (len(text) - 4, len(text) - 3)


def test_views_of_null_rows_are_anything() -> None:
    junk = struct.pack("<i4sii", 20, b"abcd", 9, 4), struct.pack("<i", -1) + b"\xff" * 12, b"\xff" * 16
    good = struct.pack("<i", 3) + b"abc".ljust(12, b"\0"), struct.pack("<i4sii", 15, b"bcde", 0, 1)
    views = pa.py_buffer(b"".join([junk[0], good[0], junk[1], good[1], junk[2]]))
    buffers = [pa.py_buffer(b"\x0a"), views, pa.py_buffer(b"abcdefghijklmnop\xff")]
    rows = [None, b"abc", None, b"bcdefghijklmnop", None]
    column = pa.Array.from_buffers(pa.binary_view(), 5, buffers)
    masked = pa.Array.from_buffers(pa.binary_view(), 5, [None, *buffers[1:]])
    table = pa.table(
        {"s": pa.StructArray.from_arrays([masked], ["b"], mask=pa.array([row is None for row in rows]))}
    )
    for values, options in ((column, {}), (column[2:], {}), (table, {"column": "s.b"})):
        there = rows[-len(values) :]
        assert items(lba.is_valid_utf8(values, **options)) == [None if row is None else True for row in there]
        assert items(lba.decode(values, **options)) == [row and row.decode() for row in there]
        exported = pa.array(lba.decode(values, **options)) if values is not table else None
        if exported is not None:
            _, given, *_ = exported.buffers()
            lengths = struct.iter_unpack("<i12x", given[16 * exported.offset :][: 16 * len(exported)])
            assert [length for (length,) in lengths] == [len(row or b"") for row in there]
        assert items(lba.count_chars(values, **options)) == [row and len(row) for row in there]
        cut = [row and row[:2] for row in there]
        assert items(lba.truncate(values, 2, unit="byte", **options)) == cut
        assert items(lba.errors(values, **options)) == []


def test_transcode_bom() -> None:
    column = pa.array(["a", "\ufeffé"])
    assert items(lba.transcode(column, "utf-8", bom="strip")) == ["a", "é"]
    assert items(lba.transcode(column, "utf-8", bom="add")) == ["\ufeffa", "\ufeffé"]
    assert items(lba.transcode(column, "utf-8", "utf-16-le", bom="keep")) == [
        b"a\0",
        b"\xff\xfe\xe9\0",
    ]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda values: lba.transcode(values, "utf-7"), LookupError, "utf-7 has a codec in Python only"),
        (lambda values: lba.transcode(values, "no-such"), LookupError, "unknown encoding: no-such"),
        (
            lambda values: lba.transcode(values, "detect"),
            LookupError,
            "detect the encoding of the column first",
        ),
        (
            lambda values: lba.transcode(values, "auto"),
            LookupError,
            "detect the encoding of the column first",
        ),
        (
            lambda values: lba.transcode(values, "ascii", errors="surrogateescape"),
            ValueError,
            "errors must be",
        ),
        (lambda values: lba.transcode(values, "ascii", "cp1252", bom="add"), ValueError, "bom='add'"),
        (lambda values: lba.transcode(values, "ascii", bom="on"), ValueError, "bom must be"),
        (
            lambda values: lba.decode(values, errors="surrogateescape"),
            ValueError,
            "errors must be 'strict', ",
        ),
        (lambda values: lba.decode(values, errors=None), TypeError, "argument 'errors' must be str"),
        (lambda values: lba.decode(values, threads=-1), ValueError, "threads must be a positive number"),
        (lambda values: lba.decode(values, threads="1"), TypeError, "str"),
        (lambda values: lba.decode(values, column="a"), TypeError, "a column can be named only in a table"),
        (lambda values: lba.decode(values, column=1), TypeError, "argument 'column' must be str"),
        (lambda values: lba.repair(values, replacement=b""), TypeError, "'replacement' must be str"),
        (lambda values: lba.repair(values, replacement="\ud800"), UnicodeEncodeError, "surrogates"),
        (lambda values: lba.truncate(values, -1, unit="byte"), ValueError, "limit"),
        (lambda values: lba.truncate(values, 1, unit="byte", ellipsis="…"), ValueError, "ellipsis"),
        (lambda values: lba.normalize("NFX", values), ValueError, "NFX|normalization form"),
        (lambda values: lba.detect(values, encodings=["x-no"]), LookupError, "x-no"),
        (lambda values: lba.detect(values, threads=-1), ValueError, "threads must be a positive number"),
        (
            lambda _: lba.decode(pa.table({}), column="a"),
            TypeError,
            'no column "a"; the table has no columns',
        ),
        (lambda values: lba.repair_mojibake(values, languages=["tlh"]), ValueError, "languages must be"),
        (lambda values: lba.repair_mojibake(values, languages="de"), TypeError, "iterable of str"),
    ],
)
def test_arguments(call: Callable[[Any], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(pa.array([b"a"]))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pa.array([1]), "not one of integers"),
        (pa.array([[1]]), "not one of integers"),
        (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array(["a"])]), "not one of unions"),
        (pa.array([{"a": "b"}]), 'name the column of the table, as in column="name"; its columns are "a"'),
        (pa.array([1.5]), "floating-point"),
        (pa.array([True]), "booleans"),
        (pa.table({"a": [1]}), "name the column"),
        ([b"a"], "an object with the Arrow PyCapsule interface is needed, .* not list"),
        (None, "not None"),
    ],
)
def test_other_types(values: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match=message):
        lba.decode(values)


NULLS: dict[str, Any] = {
    "an array": pa.nulls(3),
    "rows of an array": pa.nulls(20)[9:12],
    "no rows": pa.nulls(0),
    "chunks": pa.chunked_array([pa.nulls(2), pa.nulls(0), pa.nulls(1)]),
    "a dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), pa.nulls(2)),
    "runs": pa.RunEndEncodedArray.from_arrays([2, 3], pa.nulls(2)),
}


@pytest.mark.parametrize("name", NULLS)
def test_nulls_without_a_type(name: str) -> None:
    values = NULLS[name]
    results = {
        "bool": lba.is_valid_utf8(values),
        "int32": lba.count_chars(values),
        "string": lba.decode(values),
        "string ": lba.repair(values),
        "string  ": lba.truncate(values, 1, unit="byte"),
        "string   ": lba.normalize("NFC", values),
        "binary": lba.transcode(values, "utf-8", "utf-16"),
        "struct": lba.detect(values, per_row=True),
        "string    ": lba.repair_mojibake(values),
    }
    for expected, result in results.items():
        array = pa.chunked_array(result)
        array.validate(full=True)
        assert expected.strip() in str(array.type)
        assert array.to_pylist() == [None] * len(values)
    assert len(lba.errors(values)) == 0
    lba.validate(values)
    assert lba.detect(values).kind == "empty"


def test_nulls_in_a_table() -> None:
    table = pa.table({"a": pa.nulls(2), "b": ["x", None]})
    assert pa.chunked_array(lba.decode(table, column="a")).to_pylist() == [None, None]


def test_runs_in_structs_that_are_null() -> None:
    """Runs are split where a struct is null; values that only such structs have are not there."""
    runs = pa.RunEndEncodedArray.from_arrays([1, 4, 6], [b"\xfe", b"a", b"b\xff"])
    mask = pa.array([True, False, True, False, False, True])
    hidden = pa.StructArray.from_arrays([runs], ["a"], mask=mask)
    (found,) = chunks(lba.repair(hidden, column="a", replacement="?"))
    assert found.type == runs.type
    assert found.run_ends.to_pylist() == [1, 2, 3, 4, 5, 6]
    assert found.to_pylist() == [None, b"a", None, b"a", b"b?", None]
    (found,) = chunks(lba.decode(hidden[:4], column="a"))
    assert found.type == pa.run_end_encoded(pa.int64(), pa.string())
    assert found.to_pylist() == [None, "a", None, "a"]
    with pytest.raises(UnicodeDecodeError) as raised:
        lba.decode(hidden, column="a")
    assert raised.value.row == 4  # type: ignore[attr-defined]
    nulls = pa.StructArray.from_arrays([runs], ["a"], mask=pa.array([True] * 6))
    (found,) = chunks(lba.decode(nulls, column="a"))
    assert (found.run_ends.to_pylist(), found.to_pylist()) == ([6], [None] * 6)


def test_indices_outside_of_their_dictionary_in_split_runs() -> None:
    numbers = bytearray(2)
    indices = pa.Array.from_buffers(pa.int8(), 2, [None, pa.py_buffer(numbers)])
    values = pa.DictionaryArray.from_arrays(indices, pa.array([b"a"]))
    runs = pa.RunEndEncodedArray.from_arrays([2, 4], values)
    hidden = pa.StructArray.from_arrays([runs], ["a"], mask=pa.array([False, True, True, False]))
    assert items(lba.decode(hidden, column="a")) == ["a", None, None, "a"]
    numbers[1] = 0xFF  # which pyarrow would refuse
    for function in (lba.decode, lba.is_valid_utf8, lba.count_chars):
        with pytest.raises(ValueError, match="an index outside of its dictionary"):
            function(hidden, column="a")


@pytest.mark.once
@pytest.mark.skipif(not HAS_VIEWS, reason="pyarrow does not build views")
@pytest.mark.parametrize("longest", [12, 30, 600])
@pytest.mark.parametrize("bad_share", [0, 0.003, 0.5])
@pytest.mark.parametrize("text", ["ascii only ", "a \u043c\u0438\u0440 \u20ac \U0001f600"])
def test_views_in_several_buffers(longest: int, bad_share: float, text: str) -> None:
    """Texts far apart are copied, in blocks that are full by rows or by bytes, or end at a long text."""
    random = Random(longest)
    encoded = text.encode() * 100
    rows = []
    for _ in range(2000):
        start, length = random.randrange(200), random.randrange(longest + 1)
        row = encoded[start : start + length]
        if random.random() >= bad_share:
            row = row.decode(errors="ignore").encode()
        rows.append(row)
    for order in (rows, sorted(rows)):
        for array in (views(order, pa.binary_view(), random), pa.array(order, pa.binary_view())):
            for call, function in (
                (lba.is_valid_utf8, leadbyte.is_valid),
                (lba.count_chars, leadbyte.count_chars),
                (lba.count_utf16, leadbyte.count_utf16),
                (lba.repair, leadbyte.repair),
            ):
                assert items(call(array)) == [function(row) for row in order]
            found = [(error["row"], error["offset"]) for error in items(lba.errors(array))]
            wanted = [
                (at, error.start) for at, row in enumerate(order) for error in leadbyte.iter_errors(row)
            ]
            assert found == wanted


def test_columns_of_tables() -> None:
    table = pa.table({"a": [b"x"], "b": [1]})
    assert items(lba.decode(table, column="a")) == ["x"]
    with pytest.raises(TypeError, match='there is no column "c"; its columns are "a", "b"'):
        lba.decode(table, column="c")
    with pytest.raises(TypeError, match="integers"):
        lba.decode(table, column="b")
    twice = pa.StructArray.from_arrays([pa.array(["x"]), pa.array(["y"])], ["a", "a"])
    with pytest.raises(TypeError, match='several columns "a"'):
        lba.decode(twice, column="a")
    empty = pa.table({"a": pa.array([], pa.binary())})
    assert items(lba.decode(empty, column="a")) == []
    assert pa.chunked_array(lba.decode(empty, column="a")).type == pa.string()


SHARING: list[Callable[[Any], Any]] = [
    lba.decode,
    lba.repair,
    partial(lba.normalize, "NFC"),
    lambda values: lba.truncate(values, 99, unit="char"),
    partial(lba.transcode, source="utf-8"),
    lba.repair_mojibake,
]


def addresses(array: Anything) -> list[int]:
    """Return the addresses of the first offset or view, and of the bytes."""
    kind, buffers = str(array.type), array.buffers()
    if kind.startswith("fixed"):
        return [buffers[1].address + array.type.byte_width * array.offset]
    width = 16 if "view" in kind else 8 if "large" in kind else 4
    return [buffers[1].address + width * array.offset, buffers[2].address]


@pytest.mark.parametrize("call", SHARING)
@pytest.mark.parametrize("kind", [*BINARY, *TEXT, pa.binary(3)], ids=str)
def test_valid_rows_are_not_copied(kind: Anything, call: Callable[[Any], Any]) -> None:
    rows = [b"abc", None, "éa".encode(), b"abc", "wäre länger als eine View".encode()]
    array = pa.array(rows[:4] if kind == pa.binary(3) else rows, kind)[1:]
    (result,) = chunks(call(array))
    assert addresses(result)[-1] == addresses(array)[-1]
    if kind == pa.binary(3):
        return
    assert addresses(result) == addresses(array)
    if "view" not in str(kind):
        array = array.dictionary_encode()
        (result,) = chunks(call(array))
        assert addresses(result.dictionary) == addresses(array.dictionary)
        assert result.indices.buffers()[1].address == array.indices.buffers()[1].address


def test_only_bad_views_are_copied() -> None:
    array = pa.array(
        [b"a long text which no view itself holds", b"another one that is not UTF-8 \xff"], pa.binary_view()
    )
    (result,) = chunks(lba.decode(array, errors="replace"))
    assert result.to_pylist() == [row.decode(errors="replace") for row in array.to_pylist()]
    assert result.buffers()[2].address == array.buffers()[2].address


def test_large_columns() -> None:
    """Rows in blocks and in several ranges of threads, errors at their edges."""
    good = ["text", "é" * 40, "", "日本", "😀" * 9]
    rows: list[bytes | None] = [good[at % 5].encode() for at in range(40_000)]
    for at in (0, 255, 256, 16_383, 16_384, 32_768, 39_999):
        rows[at] = b"\xff" * (at % 7 + 1)
    rows[300] = None
    expected = [None if row is None else row.decode(errors="replace") for row in rows]
    counts = [None if row is None else sum(byte & 0xC0 != 0x80 for byte in row) for row in rows]
    for kind in (pa.binary(), pa.binary_view()):
        array = pa.array(rows, kind)
        for threads in (1, 2, 0):
            assert items(lba.decode(array, errors="replace", threads=threads)) == expected
            assert items(lba.count_chars(array, threads=threads)) == counts
            with pytest.raises(UnicodeDecodeError) as raised:
                lba.validate(array[16_383:].slice(2), threads=threads)
            assert raised.value.row == 32_768 - 16_385  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [*BINARY, *TEXT[2:]], ids=str)
def test_blocks_of_rows(kind: Anything) -> None:
    """Blocks of ASCII between others, rows that are not ASCII at their edges, and views in any order."""
    random = Random(0)
    rows = ["ASCII"[: random.randrange(6)] * random.randrange(9) for _ in range(3000)]
    for at in (0, 255, 256, 700, 1023, 2559, 2999):
        rows[at] = random.choice(["e\u0301", "\u1e9b\u0323 and a text that is longer than a view", "😀" * 20])
    mixed = [random.choice(["日本語", "a", "é" * 30, "😀" * 4]) * random.randrange(5) for _ in range(3000)]
    texts = [*rows, *mixed]
    array = pa.array([text.encode() for text in texts], pa.large_binary()).cast(kind)
    order = random.sample(range(len(texts)), len(texts))
    columns = [(array, texts)]
    if kind in {pa.binary_view(), pa.string_view()}:
        _, packed, *data = array.buffers()
        views = packed.to_pybytes()
        shuffled = pa.py_buffer(b"".join(views[16 * at : 16 * at + 16] for at in order))
        column = pa.Array.from_buffers(kind, len(order), [None, shuffled, *data])
        columns.append((column, [texts[at] for at in order]))
    for column, texts in columns:
        assert items(lba.count_chars(column)) == [len(text) for text in texts]
        assert items(lba.count_utf16(column)) == [len(text.encode("utf-16-le")) // 2 for text in texts]
        normalized = [unicodedata.normalize("NFC", text).encode() for text in texts]
        result = lba.normalize("NFC", column)
        assert pa.array(result).cast(pa.large_binary()).to_pylist() == normalized


@pytest.mark.skipif(IS_REDUCED, reason="takes 5 GB")
def test_offsets_that_overflow_are_an_error() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([b"\xff" * 1000]))
    assert items(lba.repair(array, replacement="x" * 1000)) == [b"x" * 1_000_000]
    with pytest.raises(OverflowError, match="exceeds 2 GiB"):
        lba.repair(array, replacement="x" * 2_200_000)


# Detection.


@EXAMPLES
@given(layout=LAYOUT, rows=st.lists(st.one_of(st.none(), data()), max_size=4), seed=SEEDS)
def test_detection_of_rows(layout: str, rows: list[Row], seed: int) -> None:
    case = Given(rows, layout, seed)

    def detected(row: bytes) -> dict[str, object]:
        found = leadbyte.detect(row)
        return {"encoding": found.encoding, "language": found.language, "confidence": found.confidence}

    case.check(lba.detect, each(detected), per_row=True)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Съешь ещё этих мягких французских булок, да выпей чаю", "koi8-r"),
        ("Voix ambiguë d'un cœur qui au zéphyr préfère les jattes de kiwis", "windows-1252"),
        ("日本 の 首都 は 東京 です", "cp932"),
        ("Съешь ещё этих мягких французских булок", "utf-8"),
        ("日本 の 首都 は 東京 です か", "utf-16-le"),
        ("plain words", "ascii"),
    ],
)
def test_short_rows_support_each_other(text: str, encoding: str) -> None:
    rows = [word.encode(encoding) for word in text.split()]
    found = lba.detect(pa.array([None, *rows, *([b"1"] if encoding != "utf-16-le" else [])]))
    assert found.encoding == encoding
    assert found.valid_utf8 == (encoding in {"utf-8", "ascii"})


def test_a_column_of_utf8_with_a_bad_row() -> None:
    rows = ["Ещё".encode(), "Größe".encode()] * 500
    assert lba.detect(pa.array(rows)).confidence == 1
    found = lba.detect(pa.array([*rows, b"\xe9t\xe9"]))
    assert (found.encoding, found.valid_utf8, found.confidence) == ("utf-8", False, 0.99)
    found = lba.detect(pa.array([*rows[:2], *["Съешь ещё".encode("cp1251")] * 5]))
    assert (found.encoding, found.valid_utf8) == ("windows-1251", False)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_no_row_is_cut(count: int) -> None:
    """The end of the last row is the end of a line, whatever the lengths of the rows are."""
    for row in (b"caf\xe9", b"na\xefve", b"\xe9"):
        rows = [b"ascii", *[row] * count, b"more"]
        assert lba.detect(pa.array(rows, pa.binary())).encoding == "windows-1252", row
    for row in ("Пр".encode()[:-1], "éé".encode()[:-1]):
        assert lba.detect(pa.array([row], pa.binary())).encoding == "utf-8", row


def test_detection_of_no_rows() -> None:
    for rows in ([], [None], [b""]):
        assert lba.detect(pa.array(rows, pa.binary())) == leadbyte.detect(b"")
    assert lba.detect(pa.chunked_array([], pa.binary())) == leadbyte.detect(b"")
    table = pa.table({"a": ["Съешь ещё".encode("koi8-r")]})
    assert lba.detect(table, column="a", encodings=["cp1251", "koi8-r"]).encoding == "koi8-r"


# Results.


def test_results_can_be_read_again() -> None:
    result = lba.decode(pa.chunked_array([[b"a"], [b"b", None]]))
    assert items(result) == items(result) == ["a", "b", None]
    assert (len(result), result.num_chunks, result.null_count) == (3, 2, 1)
    assert repr(result) == "<leadbyte.arrow.Stream of 3 rows in 2 chunks>"
    array = lba.decode(pa.array([b"a", None]))
    assert items(array) == pa.chunked_array(array).to_pylist() == ["a", None]
    assert (len(array), array.null_count) == (2, 1)
    assert repr(array) == "<leadbyte.arrow.Array of 2 rows>"
    assert items(lba.repair(lba.decode(lba.repair(array)))) == ["a", None]


def test_results_outlive_what_they_share() -> None:
    array = pa.array([b"a long text which no view holds " * 9] * 99, pa.binary_view())
    expected = [row.decode() for row in array.to_pylist()]
    result = lba.decode(array)
    del array
    capsules = result.__arrow_c_array__()
    imported = pa.Array._import_from_c_capsule(*capsules)
    del result, capsules
    assert imported.to_pylist() == expected


def test_names_and_types_of_results() -> None:
    table = pa.table({"a": pa.array([b"x"], pa.large_binary())})
    for result, kind in [
        (lba.decode(table, column="a"), pa.large_string()),
        (lba.is_valid_utf8(table, column="a"), pa.bool_()),
        (lba.count_chars(table, column="a"), pa.int64()),
        (lba.repair(table, column="a"), pa.large_binary()),
        (lba.transcode(table, "latin-1", "utf-16", column="a"), pa.large_binary()),
    ]:
        field = pa.field(result)
        assert (field.name, field.type, field.nullable) == ("a", kind, True)
    index = pa.dictionary(pa.uint16(), pa.binary(), ordered=True)
    assert pa.array(lba.decode(pa.array([b"a"]).cast(index))).type == pa.dictionary(
        pa.uint16(), pa.string(), ordered=True
    )


def repeat(call: Callable[..., object], *arguments: object, **keywords: object) -> None:
    """Call again and again, as a signal may come between two calls."""
    while True:
        call(*arguments, **keywords)


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timer")
@pytest.mark.parametrize("threads", [1, 2])
def test_signals_interrupt_long_columns(threads: int) -> None:
    array = pa.array([b"caf\xe9 \xff" * 9] * 1_500_000)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    allocated = pa.total_allocated_bytes()
    try:
        for call in (lba.decode, lba.count_graphemes):
            keywords = {"errors": "replace"} if call is lba.decode else {}
            values = array if call is lba.decode else pa.array(["e\u0301" * 9]).take(pa.array([0] * 500_000))
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            with pytest.raises(KeyboardInterrupt):
                repeat(call, values, threads=threads, **keywords)
            del values
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert pa.total_allocated_bytes() == allocated
