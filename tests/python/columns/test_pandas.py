"""The accessor of pandas' series, compared with what Python does with each value."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import COLUMNS, run_examples
from strategies import BROKEN, SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
module = pytest.importorskip("leadbyte.pandas")

ROWS: list[bytes | None] = [*BROKEN, None, b"", *(text.encode() for text in SCRIPTS.values()), None, *BROKEN]
VALID = [row for row in ROWS if row is None or leadbyte.is_valid(row)]
TEXTS = [row if row is None else row.decode() for row in VALID]
LABELS = [f"label {row}" for row in range(len(ROWS))]


def series(rows: list[Anything], dtype: Anything) -> Anything:
    return pd.Series(rows, index=LABELS[: len(rows)], name="menu", dtype=dtype)


def in_chunks(rows: list[Anything]) -> Anything:
    """Return a column of several chunks, the first one sliced."""
    first, *others = (
        series(part, pd.ArrowDtype(pa.binary())) for part in ([b"\xff", *rows[:9]], rows[9:20], rows[20:])
    )
    return pd.concat([first[1:], *others]).set_axis(LABELS[: len(rows)])


BYTES = {
    "object": lambda rows: series(rows, object),
    "bytearray": lambda rows: series([row if row is None else bytearray(row) for row in rows], object),
    "category": lambda rows: series(rows, object).astype("category"),
    "binary": lambda rows: series(rows, pd.ArrowDtype(pa.binary())),
    "large_binary": lambda rows: series(rows, pd.ArrowDtype(pa.large_binary())),
    "chunks": in_chunks,
}
STRINGS = {
    "object": lambda rows: series(rows, object),
    "str": lambda rows: series(rows, "str" if pd.__version__ >= "3" else object),
    "string": lambda rows: series(rows, "string"),
    "string[python]": lambda rows: series(rows, "string[python]"),
    "string[pyarrow]": lambda rows: series(rows, "string[pyarrow]"),
    "arrow": lambda rows: series(rows, pd.ArrowDtype(pa.string())),
}
if pd.__version__ >= "3":  # older versions find no difference between "" and a text that starts with NUL
    STRINGS["category"] = lambda rows: series(rows, "category")
of_bytes = pytest.mark.parametrize("make", BYTES.values(), ids=BYTES)
of_strings = pytest.mark.parametrize("make", STRINGS.values(), ids=STRINGS)


def plain(result: Anything) -> list[Anything]:
    """Return the rows of a result, None for missing ones."""
    return [None if pd.isna(row) else row for row in result]


def each(function: Callable[[Anything], object], rows: list[Anything]) -> list[object]:
    return [None if row is None else function(row) for row in rows]


def decoded(row: bytes) -> str | None:
    try:
        return row.decode()
    except UnicodeDecodeError:
        return None


@of_bytes
def test_bytes(make: Callable[[Anything], Anything]) -> None:
    accessor = make(ROWS).utf8
    assert plain(accessor.is_valid()) == each(lambda row: decoded(row) is not None, ROWS)
    for errors in ("replace", "ignore", "backslashreplace"):
        expected = each(lambda row, errors=errors: row.decode(errors=errors), ROWS)  # type: ignore[misc]
        assert plain(accessor.decode(errors=errors)) == expected
    assert plain(accessor.decode(errors="null")) == each(decoded, ROWS)
    repaired = each(lambda row: row.decode(errors="replace").encode(), ROWS)
    assert plain(accessor.repair()) == repaired
    assert plain(accessor.count_chars()) == each(leadbyte.count_chars, ROWS)
    assert plain(accessor.count_utf16()) == each(leadbyte.count_utf16, ROWS)
    cut = each(lambda row: leadbyte.truncate(row, 5, unit="byte"), ROWS)
    assert plain(accessor.truncate(5, unit="byte")) == cut
    with pytest.raises(UnicodeDecodeError) as caught:
        accessor.validate()
    assert caught.value.row == 0  # type: ignore[attr-defined]


@of_bytes
def test_valid_bytes(make: Callable[[Anything], Anything]) -> None:
    accessor = make(VALID).utf8
    accessor.validate()
    assert plain(accessor.decode()) == TEXTS
    assert plain(accessor.count_graphemes()) == each(leadbyte.count_graphemes, VALID)
    normalized = each(lambda row: unicodedata.normalize("NFD", row).encode(), TEXTS)
    assert plain(accessor.normalize("NFD")) == normalized
    assert accessor.errors().empty


@of_strings
def test_strings(make: Callable[[Anything], Anything]) -> None:
    column = make(TEXTS)
    assert plain(column.utf8.is_valid()) == each(lambda _: True, TEXTS)
    for same in (column.utf8.decode(), column.utf8.repair(), column.utf8.truncate(1000, unit="char")):
        assert plain(same) == TEXTS
    assert plain(column.utf8.count_chars()) == each(len, TEXTS)
    assert plain(column.utf8.normalize("NFD")) == each(lambda row: unicodedata.normalize("NFD", row), TEXTS)


@of_bytes
def test_index_and_name(make: Callable[[Anything], Anything]) -> None:
    column = make(ROWS)
    accessor = column.utf8
    for result in (accessor.is_valid(), accessor.decode(errors="replace"), accessor.count_chars()):
        assert result.index.equals(column.index)
        assert result.name == column.name
    missing = column[accessor.is_valid().isna()]
    assert missing.isna().all()
    assert len(missing) == 2


@of_bytes
def test_errors(make: Callable[[Anything], Anything]) -> None:
    found = make(ROWS).utf8.errors()
    expected = [
        (LABELS[row], row, error.start, error.kind, error.reason, error.data)
        for row, data in enumerate(ROWS)
        if data is not None
        for error in leadbyte.iter_errors(data)
    ]
    assert list(found.itertuples(name=None)) == expected


@of_bytes
def test_conversion_and_detection(make: Callable[[Anything], Anything]) -> None:
    accessor = make(ROWS).utf8
    assert plain(accessor.transcode("latin-1")) == each(lambda row: row.decode("latin-1"), ROWS)
    recoded = accessor.transcode("latin-1", "utf-16")
    assert plain(recoded) == each(lambda row: row.decode("latin-1").encode("utf-16"), ROWS)
    found = accessor.detect(per_row=True)
    assert list(found.index) == LABELS
    for name in ("encoding", "language", "confidence"):
        expected = each(lambda row, name=name: getattr(leadbyte.detect(row), name), ROWS)  # type: ignore[misc]
        assert plain(found[name]) == expected
    russian = make([text.encode("cp1251") for text in ("Съешь ещё", "этих мягких", "булок")] * 10)
    assert russian.utf8.detect().encoding == "windows-1251"
    assert russian.utf8.detect(encodings=["koi8-r"]).encoding == "koi8-r"


@of_strings
def test_strings_that_become_bytes(make: Callable[[Anything], Anything]) -> None:
    rows = ["Ã©", None, "café"]
    for target in ("latin-1", "utf-16-le"):
        recoded = make(rows).utf8.transcode("utf-8", target)
        assert plain(recoded) == each(lambda row, target=target: row.encode(target), rows)  # type: ignore[misc]


def test_categories_without_values() -> None:
    column = pd.Series([None, None], dtype="category").utf8
    assert (plain(column.is_valid()), plain(column.count_chars())) == ([None, None], [None, None])


def test_categories_are_read_by_value() -> None:
    column = series(["soup", "café", None, "soup"], "category")[1:].cat.add_categories(5)
    assert plain(column.utf8.is_valid()) == [True, None, True]
    assert plain(column.utf8.truncate(3, unit="char")) == ["caf", None, "sou"]
    assert plain(column.utf8.count_chars()) == [4, None, 4]
    with pytest.raises(UnicodeDecodeError) as caught:
        series([b"soup", None, b"caf\xe9", b"soup"], "category").utf8.validate()
    assert caught.value.row == 2  # type: ignore[attr-defined]


def test_rows_of_lists_have_no_encoding() -> None:
    lists = pd.Series([["a"]], dtype=pd.ArrowDtype(pa.list_(pa.string())))
    with pytest.raises(TypeError, match="takes rows of bytes or text, not list"):
        lists.utf8.detect(per_row=True)


@of_strings
def test_mojibake(make: Callable[[Anything], Anything]) -> None:
    cells = make(["Â£5", "Ãœber", "10Ã—15", None, "plain", "Größe"])
    repaired = cells.utf8.repair_mojibake()
    assert plain(repaired) == ["£5", "Über", "10×15", None, "plain", "Größe"]
    assert repaired.index.equals(cells.index)
    assert plain(make(["Ýstanbul'da yaþýyor"]).utf8.repair_mojibake(languages=["tr"])) == [
        "İstanbul'da yaşıyor"
    ]


def test_types() -> None:
    rows = series([b"a", None], object).utf8
    assert rows.is_valid().dtype == "boolean"
    assert rows.count_chars().dtype == "Int64"
    assert rows.decode().dtype == pd.Series(["a", None]).dtype
    assert rows.repair().dtype == object
    strings = series(["a", None], "string[python]").utf8
    assert strings.decode().dtype == "string[python]"
    assert strings.is_valid().dtype == "boolean"
    arrow = series([b"a", None], pd.ArrowDtype(pa.binary())).utf8
    assert arrow.is_valid().dtype == pd.ArrowDtype(pa.bool_())
    assert arrow.decode().dtype == pd.ArrowDtype(pa.string())
    assert arrow.repair().dtype == pd.ArrowDtype(pa.binary())


def test_mixed_objects() -> None:
    assert plain(series(["é", b"\xc3\xa9", None, b"\xff"], object).utf8.is_valid()) == [
        True,
        True,
        None,
        False,
    ]


@pytest.mark.parametrize("rows", [[], [None], [None, None]])
def test_without_values(rows: list[None]) -> None:
    accessor = series(rows, object).utf8
    assert plain(accessor.is_valid()) == plain(accessor.decode()) == plain(accessor.count_chars()) == rows
    assert list(accessor.errors().columns) == ["row", "offset", "kind", "reason", "data"]


@pytest.mark.parametrize("rows", [[1, 2], [1.5], [[b"a"]]])
def test_other_types(rows: list[object]) -> None:
    with pytest.raises(TypeError):
        pd.Series(rows).utf8.is_valid()


def test_lone_surrogates() -> None:
    with pytest.raises(UnicodeEncodeError):
        series(["\ud83d"], object).utf8.is_valid()


@given(st.lists(st.none() | st.binary(max_size=8)))
def test_any_bytes(rows: list[bytes | None]) -> None:
    accessor = pd.Series(rows, dtype=object).utf8
    assert plain(accessor.decode(errors="replace")) == each(lambda row: row.decode(errors="replace"), rows)


@pytest.mark.parametrize("missing", ["pandas", "pyarrow"])
def test_missing_package(missing: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; import leadbyte.pandas"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"pip install {missing}" in done.stderr.splitlines()[-1]


def test_reference() -> None:
    methods = {name for name in vars(module.Utf8Accessor) if not name.startswith("_")}
    page = (COLUMNS.parents[1] / "reference/engines.md").read_text("utf-8").partition("leadbyte.pandas`")[2]
    assert set(re.findall(r"`(\w+)\([^`]*\)`(?=[^|]*\| \w)", page)) == methods


def test_examples() -> None:
    documented = [module, *(value for value in vars(module.Utf8Accessor).values() if callable(value))]
    text = "\n\n".join(value.__doc__ for value in documented if value.__doc__)
    assert run_examples("leadbyte.pandas", text) > 10
