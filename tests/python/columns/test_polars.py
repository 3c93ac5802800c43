"""leadbyte.polars: expressions and series methods, in memory and streaming."""

from __future__ import annotations

import doctest
import importlib
import inspect
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadbyte
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import mutated, texts

pl: Any = pytest.importorskip("polars")

import leadbyte.polars  # noqa: E402
from leadbyte import arrow as typed_arrow  # noqa: E402
from leadbyte.polars import ExprNamespace, SeriesNamespace  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from strategies import Anything

RAW = [b"abc", None, "мир, труд, май, июнь".encode(), b"\xff", b"caf\xe9 and more than twelve", b"", b"a\xc3"]
ROWS = st.lists(st.none() | texts() | mutated() | st.binary(max_size=20), max_size=40)
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
# The streaming engine has had two interfaces; the older one warns that it is one of two.
STREAMING: dict[str, Any] = (
    {"engine": "streaming"}
    if tuple(map(int, pl.__version__.split(".")[:2])) >= (1, 25)
    else {"streaming": True}
)


def strict(raw: bytes) -> str | None:
    return raw.decode() if not oracle.spans(raw) else None


def structs(raw: bytes) -> list[dict[str, Any]]:
    return [
        {"offset": error.start, "kind": error.kind, "reason": error.reason, "data": error.data}
        for error in oracle.errors(raw)
    ]


def recoded(raw: bytes, source: str, target: str) -> bytes | None:
    try:
        return raw.decode(source).encode(target)
    except UnicodeError:
        return None


def detected(raw: bytes) -> dict[str, Any]:
    found = leadbyte.detect(raw)
    return {"encoding": found.encoding, "language": found.language, "confidence": found.confidence}


def char_count(raw: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in raw)


def utf16_count(raw: bytes) -> int:
    return char_count(raw) + sum(byte >= 0xF0 for byte in raw)


def decoding(handler: str) -> tuple[Callable[[Any], Any], Callable[[bytes], Any]]:
    return lambda utf8: utf8.decode(errors=handler), lambda raw: raw.decode(errors=handler)


def normalization(form: Anything) -> tuple[Callable[[Any], Any], Callable[[str], Any]]:
    return lambda utf8: utf8.normalize(form), lambda text: leadbyte.normalize(form, text)


# Each method of the namespace that takes all bytes, and what it gives for a row that is not null.
METHODS: dict[str, tuple[Callable[[Any], Any], Callable[[bytes], Any]]] = {
    "is_valid": (lambda utf8: utf8.is_valid(), lambda raw: not oracle.spans(raw)),
    "null": (lambda utf8: utf8.decode(errors="null"), strict),
    **{handler: decoding(handler) for handler in ("replace", "ignore", "backslashreplace")},
    "repair": (lambda utf8: utf8.repair(), lambda raw: raw.decode(errors="replace").encode()),
    "removed": (
        lambda utf8: utf8.repair(replacement=""),
        lambda raw: raw.decode(errors="ignore").encode(),
    ),
    "chars": (lambda utf8: utf8.count_chars(), char_count),
    "utf16": (lambda utf8: utf8.count_utf16(), utf16_count),
    "cut": (
        lambda utf8: utf8.truncate(7, unit="byte", ellipsis="…", side="middle"),
        lambda raw: leadbyte.truncate(raw, 7, unit="byte", ellipsis="…", side="middle"),
    ),
    "errors": (lambda utf8: utf8.errors(), structs),
    "latin-1": (lambda utf8: utf8.transcode("latin-1"), lambda raw: raw.decode("latin-1")),
    "utf-16": (
        lambda utf8: utf8.transcode("cp1251", "utf-16-le", errors="null"),
        lambda raw: recoded(raw, "cp1251", "utf-16-le"),
    ),
}
if hasattr(pl.Series, "__arrow_c_stream__"):  # in older versions a struct is not null, but all its fields
    METHODS["detected"] = lambda utf8: utf8.detect(per_row=True), detected
# And those that require UTF-8.
STRICT_METHODS: dict[str, tuple[Callable[[Any], Any], Callable[[str], Any]]] = {
    "strict": (lambda utf8: utf8.decode(), lambda text: text),
    "graphemes": (lambda utf8: utf8.count_graphemes(), leadbyte.count_graphemes),
    **{form: normalization(form) for form in FORMS},
}
TYPES = {
    "is_valid": pl.Boolean,
    "chars": pl.UInt32,
    "utf16": pl.UInt32,
    "repair": pl.Binary,
    "removed": pl.Binary,
    "cut": pl.Binary,
    "errors": pl.List(
        pl.Struct({"offset": pl.Int64, "kind": pl.String, "reason": pl.String, "data": pl.Binary})
    ),
    "graphemes": pl.UInt32,
    "utf-16": pl.Binary,
    "detected": pl.Struct({"encoding": pl.String, "language": pl.String, "confidence": pl.Float64}),
}


def utf8(values: Anything) -> Anything:
    return values.utf8


def frame(rows: list[Any], chunks: int = 1, dtype: Anything = pl.Binary) -> Anything:
    """Return a frame of one column, ``raw``, in chunks."""
    size = max(1, -(-len(rows) // chunks))
    parts = [rows[start : start + size] for start in range(0, len(rows), size)] or [[]]
    return pl.concat([pl.DataFrame({"raw": pl.Series(part, dtype=dtype)}) for part in parts], rechunk=False)


def collected(lazy: Anything) -> Iterator[Any]:
    """Yield the results of the engines."""
    yield lazy.collect()
    yield lazy.collect(**STREAMING)


def promised(lazy: Anything) -> Anything:
    """Return the types that Polars knows before it computes."""
    return lazy.collect_schema() if hasattr(lazy, "collect_schema") else lazy.schema


def expected(rows: list[Any], oracle_of: Callable[[Any], Any]) -> list[Any]:
    return [None if row is None else oracle_of(row) for row in rows]


@settings(max_examples=25)
@given(ROWS, st.integers(1, 4), st.integers(0, 5), st.integers(0, 40), st.randoms(use_true_random=False))
def test_expressions(
    rows: list[bytes | None], chunks: int, start: int, length: int, rng: random.Random
) -> None:
    whole = frame(rows, chunks)
    kept = [rng.random() < 0.7 for _ in rows]
    exprs = [call(utf8(pl.col("raw"))).alias(name) for name, (call, _) in METHODS.items()]
    for used, source in [
        (rows, whole.lazy()),
        (rows[start:][:length], whole.slice(start, length).lazy()),
        (
            [row for row, keep in zip(rows, kept, strict=True) if keep],
            whole.filter(pl.Series(kept, dtype=pl.Boolean)).lazy(),
        ),
    ]:
        for result in collected(source.select(exprs)):
            for name, (_, oracle_of) in METHODS.items():
                assert result[name].to_list() == expected(used, oracle_of), name
                assert result[name].dtype == TYPES.get(name, pl.String)
                assert result[name].null_count() == sum(value is None for value in result[name].to_list())


@settings(max_examples=25)
@given(st.lists(st.none() | texts().map(bytes.decode), max_size=40), st.integers(1, 4))
def test_strings(rows: list[str | None], chunks: int) -> None:
    methods = {
        **STRICT_METHODS,
        "cut": (METHODS["cut"][0], lambda text: METHODS["cut"][1](text.encode()).decode()),
    }
    exprs = [call(utf8(pl.col("raw"))).alias(name) for name, (call, _) in methods.items()]
    for result in collected(frame(rows, chunks, pl.String).lazy().select(exprs)):
        for name, (_, oracle_of) in methods.items():
            assert result[name].to_list() == expected(rows, oracle_of), name
            assert result[name].dtype == (pl.UInt32 if name == "graphemes" else pl.String)


def test_series() -> None:
    for series in [
        pl.Series("raw", RAW),
        pl.Series("^r.*$", RAW),
        pl.Series("", RAW),
        pl.Series("raw", RAW)[:0],
    ]:
        for name, (call, oracle_of) in METHODS.items():
            result = call(utf8(series))
            assert (result.name, result.dtype) == (series.name, TYPES.get(name, pl.String))
            assert result.to_list() == expected(series.to_list(), oracle_of)
    assert SeriesNamespace(pl.Series(RAW)).is_valid().to_list() == utf8(pl.Series(RAW)).is_valid().to_list()


def test_schema_without_data() -> None:
    """Polars asks for the types of results before it computes any."""
    for dtype in (pl.Binary, pl.String):
        lazy = frame([], dtype=dtype).lazy()
        for name, (call, _) in {**METHODS, **STRICT_METHODS}.items():
            selected = lazy.select(call(utf8(pl.col("raw"))))
            same_type = name in {"repair", "removed", "cut", *FORMS}
            schema = promised(selected)
            assert schema == {"raw": dtype if same_type else TYPES.get(name, pl.String)}
            for result in collected(selected):
                assert (result.shape, result.schema) == ((0, 1), schema)


def test_contexts() -> None:
    data = frame(RAW * 5).with_columns(group=pl.Series([1, 1, 2, 2, 2, 3, 3] * 5))
    raw = ExprNamespace(pl.col("raw"))
    is_valid = [row is None or not oracle.spans(row) for row in RAW * 5]
    for result in collected(data.lazy().filter(raw.is_valid()).slice(2, 11).select(raw.decode())):
        assert (
            result["raw"].to_list()
            == [
                row.decode()
                for row, valid in zip(RAW * 5, is_valid, strict=True)
                if valid and row is not None
            ][2:13]
        )
    grouped = (
        data.lazy()
        .group_by("group")
        .agg(
            raw.is_valid().not_().sum().alias("invalid"),
            raw.repair(replacement="??").first().alias("first"),
            raw.truncate(1, unit="char").last().alias("last"),
            raw.decode(errors="replace").str.len_bytes().sum().alias("bytes"),
            raw.errors().list.len().sum().alias("errors"),
        )
    )
    for result in collected(grouped):
        assert result.sort("group").rows() == [
            (1, 0, b"abc", None, 15, 0),
            (2, 10, RAW[2], b"c", 5 * (len(RAW[2] or b"") + 3 + len(RAW[4] or b"") + 2), 10),
            (3, 5, b"", b"a", 20, 5),
        ]
    for result in collected(data.lazy().select(raw.decode(errors="null").first().over("group"))):
        assert (
            result["raw"].to_list()
            == ["abc"] * 2 + [strict(RAW[2] or b"")] * 3 + [""] * 2 + result["raw"].to_list()[7:]
        )
    for result in collected(
        data.lazy().with_columns(raw.repair().alias("repaired"), raw.count_chars().name.suffix("_n"))
    ):
        assert result.columns == ["raw", "group", "repaired", "raw_n"]
    two = (
        data.lazy()
        .select(pl.col("raw"), pl.col("raw").alias("copy"))
        .select(ExprNamespace(pl.all()).repair())
    )
    for result in collected(two):
        assert result.columns == ["raw", "copy"]
        assert result["copy"].to_list() == expected(RAW * 5, METHODS["repair"][1])
    joined = data.lazy().join(data.lazy().select("group").unique(), on="group").select(raw.is_valid().sum())
    for result in collected(joined):
        assert result.item() == 15


def test_literals() -> None:
    result = pl.select(
        utf8(pl.lit(b"caf\xe9")).repair(replacement="e").alias("repaired"),
        utf8(pl.lit(None, pl.Binary)).is_valid().alias("null"),
        utf8(pl.lit("leadbyte")).truncate(4, unit="char").alias("cut"),
    )
    assert result.rows() == [(b"cafe", None, "lead")]


ERRORS = [
    (frame(RAW), lambda utf8: utf8.decode(), 'column "raw": row 3 of the batch: invalid UTF-8 at byte 0: '),
    (frame(RAW), lambda utf8: utf8.count_graphemes(), 'column "raw": row 3 of the batch: '),
    (frame(RAW), lambda utf8: utf8.normalize("NFC"), 'column "raw": row 3 of the batch: '),
    (
        frame([1], dtype=pl.Int64),
        lambda utf8: utf8.is_valid(),
        'column "raw": a column of binary or string values',
    ),
    (frame([1.5], dtype=pl.Float64), lambda utf8: utf8.repair(), "not one of floating-point numbers"),
    (frame([["a"]], dtype=pl.List(pl.String)), lambda utf8: utf8.decode(), "not one of lists"),
    (
        frame([{"a": "b"}], dtype=pl.Struct({"a": pl.String})),
        lambda utf8: utf8.decode(),
        "not one of structs",
    ),
]


@pytest.mark.parametrize(("data", "call", "message"), ERRORS)
def test_errors(data: Anything, call: Callable[[Any], Any], message: str) -> None:
    lazy = data.lazy().select(call(utf8(pl.col("raw"))))
    with pytest.raises(pl.exceptions.PolarsError, match=re.escape(message)):
        lazy.collect()
    # There the batches are smaller, in old versions.
    in_any_row = re.escape(message).replace(r"row\ 3", r"row\ \d")
    with pytest.raises(pl.exceptions.PolarsError, match=in_any_row):
        lazy.collect(**STREAMING)


ALL_METHODS: dict[str, Callable[[Any], Any]] = {
    name: method for name, (method, _) in [*METHODS.items(), *STRICT_METHODS.items()]
}
# Ways to compute a column, or only its type, of any number of rows.
WAYS: list[Callable[[Any, Callable[[Any], Any]], Any]] = [
    lambda data, call: data.select(call(utf8(pl.col("raw")))).to_series(),
    lambda data, call: call(utf8(data["raw"])),
    lambda data, call: data.head(0).select(call(utf8(pl.col("raw")))).to_series(),
    lambda data, call: data.lazy().select(call(utf8(pl.col("raw")))).collect(**STREAMING).to_series(),
]


def others() -> Iterator[tuple[str, Any]]:
    """Yield columns of types without text, and nested ones, some of which only newer versions have."""
    if hasattr(pl.Series, "__arrow_c_stream__"):  # older versions panic
        yield "Object", frame([object(), None, b"abc"], dtype=pl.Object)
    for name in (
        *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64, 128)),
        *("Float16", "Float32", "Float64", "Decimal"),
    ):
        if hasattr(pl, name):
            yield name, frame([1, None, 2], dtype=getattr(pl, name))
    yield "Boolean", frame([True, None, False], dtype=pl.Boolean)
    days = frame([0, None, 1], dtype=pl.Int32)
    for dtype in (pl.Date, pl.Datetime("ns"), pl.Datetime("us", "UTC"), pl.Duration("ms"), pl.Time):
        yield str(dtype), days.cast(pl.Int64).cast(dtype)
    yield "List", frame([["a"], None, []], dtype=pl.List(pl.String))
    yield "List of Null", frame([[None], None, []], dtype=pl.List(pl.Null))
    yield "Array", frame([["a"], None, ["é"]], dtype=pl.Array(pl.String, 1))
    yield "Struct", frame([{"a": b"b"}, None, {"a": None}], dtype=pl.Struct({"a": pl.Binary}))


OTHERS = dict(others())


@pytest.mark.parametrize("name", OTHERS)
def test_columns_of_other_types(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    for call in ALL_METHODS.values():
        for way in WAYS:
            with pytest.raises(
                pl.exceptions.PolarsError, match='column "raw": a column of binary or string values is needed'
            ):
                way(OTHERS[name], call)
    # A panic of Polars, or one of leadbyte, is printed there.
    assert capfd.readouterr() == ("", "")


with_arrow_capsules = pytest.mark.skipif(
    not hasattr(pl.Series, "__arrow_c_stream__"), reason="a Polars without the Arrow PyCapsule interface"
)
arrow: Any = typed_arrow


@with_arrow_capsules
@pytest.mark.parametrize("name", OTHERS)
def test_arrow_functions_of_other_types(name: str) -> None:
    for data in (OTHERS[name]["raw"], OTHERS[name]["raw"].head(0)):
        if name in {"List", "List of Null", "Array"}:
            assert pl.Series(arrow.decode(data)).to_list() == data.to_list()
            continue
        for function in (arrow.is_valid_utf8, arrow.decode, arrow.repair, arrow.errors, arrow.detect):
            with pytest.raises(TypeError, match=r"a column of binary or string|name the column"):
                function(data)
            with pytest.raises(TypeError, match=r"a column of binary or string|no column"):
                function(data.to_frame(), column="raw")


@with_arrow_capsules
def test_python_objects() -> None:
    """They are passed as addresses, which look like rows of 8 bytes."""
    message = re.escape("not one of Python objects (dtype Object): build it with dtype=polars.Binary")

    class Derived(pl.Series):  # type: ignore[misc]
        pass

    data = pl.Series("raw", [b"abc", None], dtype=pl.Object)
    for values in (data, Derived("raw", [b"abc", None], dtype=pl.Object)):
        with pytest.raises(TypeError, match=message):
            arrow.is_valid_utf8(values)
    with pytest.raises(pl.exceptions.PolarsError, match=message):
        utf8(data).is_valid()


@pytest.mark.parametrize("name", ALL_METHODS)
def test_nulls_without_a_type(name: str) -> None:
    data = frame([None] * 3, dtype=pl.Null)
    expected = ALL_METHODS[name](utf8(frame([None] * 3, dtype=pl.String)["raw"])).dtype
    for way in WAYS:
        result = way(data, ALL_METHODS[name])
        assert result.null_count() == len(result)
        assert result.dtype == expected
    assert len(WAYS[0](data, ALL_METHODS[name])) == 3
    assert promised(data.lazy().select(ALL_METHODS[name](utf8(pl.col("raw"))))) == {"raw": expected}


CATEGORIES = ["a", None, "é", "a", "e\u0301 and more than twelve", "é"] * 50
CATEGORICAL = [pl.Categorical, pl.Enum(["unused", *dict.fromkeys(filter(None, CATEGORIES))])]


@pytest.mark.parametrize("dtype", CATEGORICAL, ids=["Categorical", "Enum"])
def test_categories(dtype: Anything) -> None:
    """They are computed for each category; changed rows are strings."""
    strings = frame(CATEGORIES, 3, dtype=pl.String)
    data = strings.cast(dtype)
    others: list[Callable[[Any], Any]] = [lambda utf8: utf8.repair_mojibake(), lambda utf8: utf8.detect()]
    for call in (*ALL_METHODS.values(), *others):
        lazy = data.lazy().select(call(utf8(pl.col("raw"))))
        wanted = call(utf8(strings["raw"]))
        for result in (*collected(lazy), lazy.head(0).collect()):
            assert result.schema == {"raw": wanted.dtype} == promised(lazy)
            assert result["raw"].to_list() == wanted.to_list() or len(result) == 0


def test_transcode() -> None:
    text = "5 € – Ωμέγα 日本"
    for source, target in [
        ("utf-8", "utf-16"),
        ("utf-8-sig", "utf-8"),
        ("gb18030", "utf-8"),
        (65001, "gb18030"),
    ]:
        raw = text.encode("utf-8" if source == 65001 else str(source))
        wanted: Any = text.encode(target)
        result = utf8(pl.Series([raw, None])).transcode(source, target)
        assert result.to_list() == [wanted.decode() if target == "utf-8" else wanted, None]
    table = pl.Series(["é".encode("cp437")])
    assert utf8(table).transcode("cp437").to_list() == ["é"]
    assert utf8(pl.Series(["a"])).transcode("utf-8", bom="add").to_list() == ["\ufeffa"]
    with pytest.raises(
        pl.exceptions.PolarsError, match=r"row 1 of the batch: charmap, byte 2: .*, in b\"5 \\x98\""
    ):
        utf8(pl.Series([b"ok", b"5 \x98"])).transcode("cp1251")
    for wrong, error in [("utf-7", LookupError), ("no-such", LookupError), ("auto", LookupError)]:
        with pytest.raises(error):
            utf8(pl.Series([b""])).transcode(wrong)
    with pytest.raises(ValueError, match=r"errors must be 'strict', .*'xmlcharrefreplace', not 'x'"):
        utf8(pl.Series([b""])).transcode("ascii", errors="x")


def test_detect() -> None:
    rows = ["Съешь ещё".encode("cp1251"), None, "этих мягких".encode("cp1251"), "Grüße".encode("cp1252")] * 3
    groups = pl.DataFrame({"group": [1, 1, 1, 2] * 3, "raw": rows})
    for result in collected(groups.lazy().group_by("group").agg(utf8(pl.col("raw")).detect())):
        found = {group: row["encoding"] for group, row in result.rows()}
        assert found == {1: "windows-1251", 2: "windows-1252"}
    found = utf8(groups["raw"]).detect(encodings=["koi8-r"]).to_list()
    assert [row["encoding"] for row in found] == ["koi8-r"]
    assert utf8(frame([], dtype=pl.Binary)["raw"]).detect(per_row=True).to_list() == []
    with pytest.raises(LookupError, match="x-no"):
        utf8(groups["raw"]).detect(encodings=["x-no"])
    with pytest.raises(ValueError, match="encodings must have a name"):
        utf8(groups["raw"]).detect(encodings=[])


def test_repair_mojibake() -> None:
    cells = ["Â£5", "Ãœber", "10Ã—15", None, "plain", "Größe"]
    data = frame(cells, 6, pl.String)
    for result in collected(data.lazy().select(utf8(pl.col("raw")).repair_mojibake())):
        assert result["raw"].to_list() == leadbyte.mojibake.repair_many(cells)
    turkish = pl.Series(["Ýstanbul'da yaþýyor"])
    assert utf8(turkish).repair_mojibake(languages=["tr"]).to_list() == ["İstanbul'da yaşıyor"]
    assert utf8(turkish.head(0)).repair_mojibake().to_list() == []
    with pytest.raises(ValueError, match="languages must be"):
        utf8(turkish).repair_mojibake(languages=["tlh"])
    with pytest.raises(TypeError, match="iterable of str"):
        utf8(turkish).repair_mojibake(languages="de")
    with pytest.raises(pl.exceptions.PolarsError, match="row 1 of the batch, key k1: invalid UTF-8"):
        utf8(pl.Series([b"a", b"\xff"])).repair_mojibake(key=pl.Series(["k0", "k1"]))


@pytest.mark.parametrize(
    "call",
    [
        lambda utf8, **options: utf8.decode(**options),
        lambda utf8, **options: utf8.count_graphemes(**options),
        lambda utf8, **options: utf8.normalize("NFC", **options),
        lambda utf8, **options: utf8.transcode("utf-8", **options),
        lambda utf8, **options: utf8.repair_mojibake(**options),
    ],
)
def test_keys_in_errors(call: Callable[..., Any]) -> None:
    data = frame([b"tea", None, b"x" * 30 + b"caf\xe9" + b"y" * 30], 2).with_columns(
        id=pl.Series([7, None, 9])
    )
    shown = re.escape(rf'in ...b"{"x" * 17}caf\xe9{"y" * 20}"...')
    for key in ("id", pl.col("id")):
        for streaming in ({}, STREAMING):
            with pytest.raises(pl.exceptions.PolarsError, match=rf"row \d of the batch, key 9: .*, {shown}"):
                data.lazy().select(call(utf8(pl.col("raw")), key=key)).collect(**streaming)
    valid = data.head(2).select(utf8(pl.col("raw")).decode(key="id"))
    assert valid.to_dict(as_series=False) == {"raw": ["tea", None]}


def test_keys_of_all_rows_and_of_others() -> None:
    data = pl.DataFrame({"id": [1, 2], "raw": [b"x", b"\xff"]})
    with pytest.raises(pl.exceptions.PolarsError, match="row 1 of the batch, key menu: invalid"):
        data.select(utf8(pl.col("raw")).decode(key=pl.lit("menu")))
    others = utf8(pl.col("raw")).decode(key=pl.Series(["of another row", "of no row"]))
    with pytest.raises(pl.exceptions.PolarsError, match="row 0 of the batch: invalid"):
        data.filter(pl.col("id") > 1).select(others)


def test_groups_have_no_name_in_errors() -> None:
    data = pl.DataFrame({"g": ["a", "b"], "raw": [b"x", b"\xff"]})
    with pytest.raises(pl.exceptions.PolarsError, match="failed with message: row 0 of the batch: invalid"):
        data.group_by("g").agg(utf8(pl.col("raw")).repair_mojibake())


def test_keys_of_a_wrong_type() -> None:
    with pytest.raises(TypeError, match="'key' must be str, an expression or a series, not int"):
        utf8(pl.col("raw")).decode(key=5)


def test_rows_are_counted_over_chunks() -> None:
    with pytest.raises(pl.exceptions.PolarsError, match='column "raw": row 3 of the batch: '):
        utf8(frame(RAW, 7)["raw"]).decode()


def test_wrong_arguments() -> None:
    raw = ExprNamespace(pl.col("raw"))
    wrong: Any = raw
    with pytest.raises(
        ValueError, match=r"errors must be 'strict', .* or 'backslashreplace', not 'surrogateescape'"
    ):
        wrong.decode(errors="surrogateescape")
    with pytest.raises(TypeError, match="argument 'errors' must be str, not int"):
        wrong.decode(errors=1)
    with pytest.raises(TypeError, match="argument 'replacement' must be str, not bytes"):
        wrong.repair(replacement=b"?")
    with pytest.raises(UnicodeEncodeError):
        raw.repair(replacement="\ud800")
    with pytest.raises(ValueError, match="invalid normalization form"):
        wrong.normalize("nfc")
    with pytest.raises(ValueError, match="unit must be 'byte', 'char'"):
        wrong.truncate(1, unit="word")
    with pytest.raises(ValueError, match="limit must be at least 0, not -1"):
        raw.truncate(-1, unit="byte")
    with pytest.raises(ValueError, match="ellipsis must not be longer than the limit of 2"):
        raw.truncate(2, unit="byte", ellipsis="…")
    with pytest.raises(UnicodeEncodeError):
        raw.truncate(9, unit="byte", ellipsis="\ud800")


def test_options_of_any_text() -> None:
    for text in ["", " ", "  %s\n\t", "'\"\\", "a\0b", "😀" * 100]:
        result = frame([b"\xff", b"x" * 500]).select(
            utf8(pl.col("raw")).repair(replacement=text).alias("repaired"),
            utf8(pl.col("raw")).truncate(400, unit="byte", ellipsis=text).alias("cut"),
        )
        assert result["repaired"].to_list() == [text.encode(), b"x" * 500]
        assert result["cut"].to_list() == [b"\xff", b"x" * (400 - len(text.encode())) + text.encode()]
    huge = 1 << 80
    assert utf8(pl.Series([b"tea"])).truncate(huge, unit="byte").to_list() == [b"tea"]


def test_many_rows_in_the_streaming_engine() -> None:
    rows = RAW * 30_000
    result = (
        frame(rows, 3)
        .lazy()
        .select(utf8(pl.col("raw")).decode(errors="replace"), n=utf8(pl.col("raw")).count_chars())
    )
    decoded, counts = (expected(RAW, METHODS[name][1]) * 30_000 for name in ("replace", "chars"))
    collected_rows = result.collect(**STREAMING)
    assert collected_rows["raw"].to_list() == decoded
    assert collected_rows["n"].to_list() == counts


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_memory_is_released() -> None:
    def resident_bytes() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    def work() -> None:
        raw = utf8(pl.col("raw"))
        data = frame([b"x" * 950 + random.randbytes(50), b"x" * 1000] * 1000, 4)
        data.lazy().select(
            raw.repair().alias("a"), raw.is_valid().alias("b"), raw.errors().alias("c")
        ).collect()
        valid = frame([b"x" * 1000] * 2000, 4)
        valid.lazy().select(raw.decode()).collect(**STREAMING)
        # The last chunk fails, after results for the others.
        failing = pl.concat([valid, frame([b"\xff"])], rechunk=False).lazy().select(raw.decode())
        wrong = frame([[b"x" * 1000]] * 1000, dtype=pl.List(pl.Binary)).lazy().select(raw.decode())
        for lazy in (failing, wrong):
            with pytest.raises(pl.exceptions.PolarsError):
                lazy.collect()

    for _ in range(10):
        work()
    before = resident_bytes()
    for _ in range(40):
        work()
    assert resident_bytes() - before < 40 << 20  # each column has 2 MB


def test_types_are_documented() -> None:
    for namespace in (ExprNamespace, SeriesNamespace):
        for name, method in inspect.getmembers(namespace, inspect.isfunction):
            assert name.startswith("_") or inspect.getdoc(method)
    assert inspect.signature(ExprNamespace.decode).parameters["errors"].default == "strict"


def test_examples() -> None:
    results = doctest.testmod(
        leadbyte.polars,
        extraglobs={"pl": pl},
        optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL,
    )
    assert results.attempted > 20
    assert results.failed == 0


def test_old_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl, "__version__", "0.18.5")
    monkeypatch.delitem(sys.modules, "leadbyte.polars")
    with pytest.raises(ImportError, match=r"leadbyte\.polars needs Polars >= [\d.]+, this is 0\.18\.5"):
        importlib.import_module("leadbyte.polars")
