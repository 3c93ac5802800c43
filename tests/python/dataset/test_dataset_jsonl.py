"""Scans of JSON lines in datasets, compared with a pass over each file."""

from __future__ import annotations

import gzip
import json
import pickle
from typing import TYPE_CHECKING, Literal

import command
import leadbyte
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from leadbyte import dataset
from leadbyte._files.json_lines import NOT_LINES, is_indented_json
from leadbyte._leadbyte import _JsonLines
from leadbyte.dataset import _transforms

fsspec = pytest.importorskip("fsspec")

if TYPE_CHECKING:
    from pathlib import Path

PARTS = [
    *(b"\n", b"\n", b'"', b'"', b"\\", rb"\ud83d", rb"\ude00", rb"\u0000", rb'{"a": "', b'"}\n', b"[", b"]"),
    *("é€😀".encode(), b"\xff", b"\xe2\x82", b"\0", b"\xef\xbb\xbf", b"plain text "),
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=30).map(b"".join)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=3),
    blocksize=st.integers(1, 60),
    max_errors=st.sampled_from([0, 1, 3, 1000]),
)
def test_equals_one_pass(texts: list[bytes], blocksize: int, max_errors: int) -> None:
    assume(not any(map(is_indented_json, texts)))
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    filesystem.pipe({f"/texts/{index:03}": text for index, text in enumerate(texts)})
    found = dataset.scan("memory://texts", blocksize=blocksize, max_errors=max_errors, format="jsonl")
    assert pickle.loads(pickle.dumps(found)) == found
    expected = []
    count = invalid = records = 0
    for index, text in enumerate(texts):
        search = _JsonLines(1000)
        search.update(text)
        search.finish()
        count += search.finding_count
        records += search.invalid_record_count
        invalid += search.finding_count > 0
        expected += [(f"memory:///texts/{index:03}", *finding) for finding in search.findings()]
    assert found.failures == ()
    assert (found.error_count, found.invalid_count, found.file_count) == (count, invalid, len(texts))
    assert found.invalid_record_count == records
    assert found.char_count == sum(map(leadbyte.count_chars, texts))
    assert found.newline_count == sum(text.count(b"\n") for text in texts)
    fields = ("url", "kind", "start", "end", "line", "column", "data", "pointer", "in_key")
    errors = [tuple(getattr(error, field) for field in fields) for error in found.errors]
    prefix = [(url.rsplit("/", 1)[1], *rest) for url, *rest in expected[:max_errors]]
    assert [(url.rsplit("/", 1)[1], *rest) for url, *rest in errors] == prefix


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_engines(tmp_path: Path, engine: str) -> None:
    """A record of many pieces is in the piece that it starts in, and compressed files are decompressed."""
    record = b'{"text": "%s", "bad": "\\ud800"}\n' % (b"long " * 20_000)
    (tmp_path / "a.jsonl").write_bytes(record * 3)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"{}\n" + record))
    found = dataset.scan(str(tmp_path), engine=engine, blocksize=10_000, format="jsonl")
    assert [(error.line, error.pointer) for error in found.errors] == [
        (1, "/bad"),
        (2, "/bad"),
        (3, "/bad"),
        (2, "/bad"),
    ]
    assert found.errors[2].reason == "surrogate without its other half"
    assert not dataset.check(str(tmp_path), engine=engine, format="jsonl")
    assert dataset.check(str(tmp_path), engine=engine)


def test_wrong_arguments(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="format must be 'jsonl' or None, not 'csv'"):
        dataset.scan(str(tmp_path), format="csv")
    with pytest.raises(ValueError, match="columns are of tables"):
        dataset.scan(str(tmp_path), format="jsonl", columns=["a"])
    (failure,) = dataset.scan(str(tmp_path), format="jsonl").failures
    assert failure.message == "is a file of Parquet, which has no JSON lines"


def test_command(tmp_path: Path) -> None:
    """The report of URLs and with --engine is the same as of the paths."""
    (tmp_path / "a.jsonl").write_bytes(b'{"a": ["\\ud800", "caf\xc3\xa9 \xe2\x82"]}\n{"k\\u0000": 1}\n{"cut')
    local = command.run("check", "--jsonl", "a.jsonl", cwd=tmp_path)
    engine = command.run(
        "check", "--jsonl", "--engine", "threads", "--blocksize", "9", "a.jsonl", cwd=tmp_path
    )
    assert engine.code == local.code == 1
    assert [line.rsplit("/a.jsonl", 1)[-1].removeprefix("a.jsonl") for line in engine.lines[:-1]] == [
        line.removeprefix("a.jsonl") for line in local.lines[:-1]
    ]
    assert engine.lines[-1] == local.lines[-1]
    assert engine.lines[-1].endswith("; 3 invalid records")
    url = f"file://{tmp_path}/a.jsonl"
    (path, summary) = command.run("check", "--jsonl", "--json", url, cwd=tmp_path).objects
    assert [error["pointer"] for error in path["errors"]] == ["/a/0", "/a/1", "", ""]
    assert (summary["summary"]["error_count"], summary["summary"]["invalid_records"]) == (4, 3)
    done = command.run("check", "--jsonl", "--format", "github", url, cwd=tmp_path)
    assert "title=JSON lines" in done.lines[0]


INDENTED = json.dumps([{"id": 1, "text": "a"}, {"id": 2}], indent=1).encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (INDENTED, True),
        (json.dumps({"a": [1]}, indent=4).encode(), True),
        (b"\xef\xbb\xbf[ \r\n]", True),
        (b'[{"a": 1},\n{"b": 2}]\n', True),
        (b"", False),
        (b"{", False),
        (b"[1, 2]\n[\n", False),
        (b'{"a": 1}\n', False),
        (b'{"a": "cut off,\n{"b": 2}\n', False),
        (b'{"a\\"": "\\\\",\n"b": 2}\n', True),
        (b'{"a": "cut o\n{"b": 2}\n', False),
        (b'"{"\n', False),
    ],
)
def test_json_over_several_lines(text: bytes, expected: bool, tmp_path: Path) -> None:  # noqa: FBT001
    assert is_indented_json(text) is expected
    if not expected:
        return
    (tmp_path / "a.jsonl").write_bytes(text)
    for options in ((), ("--engine", "threads"), ("--engine", "threads", "--blocksize", "3")):
        done = command.run("check", "--jsonl", *options, "a.jsonl", cwd=tmp_path)
        assert done.code == 2
        assert done.err.endswith("a.jsonl: " + NOT_LINES + "\n")
    done = command.run("repair", "--jsonl", "-i", "a.jsonl", cwd=tmp_path)
    assert (done.code, (tmp_path / "a.jsonl").read_bytes()) == (2, text)


def test_start_of_json_lines_is_looked_at_in_linear_time() -> None:
    assert not is_indented_json(b"[" + b"a" * 65_000 + b"\\" * 500 + b'",\n1]\n')


RECORDS = b'{"a": "\\ud800"}\n{"b": "caf\xe9"}\n{"c": "fine"}\n\xef\xbb\xbf{"d": 1}\n'
REPAIRED = '{"a": "\\ufffd"}\n{"b": "caf\ufffd"}\n{"c": "fine"}\n{"d": 1}\n'.encode()
GOOD = b'{"c": "fine"}\n{"d": 1}\n'


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_repair(tmp_path: Path, engine: Literal["threads", "processes"]) -> None:
    source = tmp_path / "texts"
    source.mkdir()
    (source / "a.jsonl").write_bytes(RECORDS)
    (source / "b.jsonl.gz").write_bytes(gzip.compress(RECORDS))
    (source / "c.jsonl").write_bytes(b'{"cut')
    (source / "d.jsonl").write_bytes(INDENTED)
    (source / "e.jsonl.gz").write_bytes(gzip.compress(GOOD))
    (source / "f.parquet").write_bytes(b"PAR1")
    done = dataset.repair(source, tmp_path / "all", format="jsonl", engine=engine)
    assert (done.written_count, done.error_count, done.invalid_row_count) == (3, 6, 0)
    failed = [failure.url.rpartition("/")[2] for failure in done.failures]
    assert failed == ["c.jsonl", "d.jsonl", "f.parquet"]
    assert done.failures[0].message == _transforms.TRUNCATED
    assert done.failures[1].message == NOT_LINES
    assert (tmp_path / "all/a.jsonl").read_bytes() == REPAIRED
    assert gzip.decompress((tmp_path / "all/b.jsonl.gz").read_bytes()) == REPAIRED
    done = dataset.repair(
        source, tmp_path / "good", format="jsonl", rows="drop", quarantine=tmp_path / "bad", engine=engine
    )
    assert (done.written_count, done.invalid_row_count, done.failed_count) == (4, 5, 2)
    assert (tmp_path / "good/a.jsonl").read_bytes() == GOOD
    assert (tmp_path / "good/c.jsonl").read_bytes() == b""
    kept = [json.loads(line) for line in (tmp_path / "bad/a.jsonl.jsonl").read_bytes().splitlines()]
    assert [(row["line"], row["pointer"], row["kind"]) for row in kept] == [
        (1, "/a", "lone_surrogate"),
        (2, "/b", "missing_continuation"),
    ]


def test_repair_in_a_store() -> None:
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    filesystem.pipe("/texts/a.jsonl", RECORDS)
    assert dataset.repair("memory://texts", "memory://new", format="jsonl").error_count == 3
    assert filesystem.cat("/new/a.jsonl") == REPAIRED
    with pytest.raises(ValueError, match="outputs of another call"):
        dataset.repair("memory://texts", "memory://new")
    with pytest.raises(ValueError, match="replacement must not have"):
        dataset.repair("memory://texts", "memory://other", format="jsonl", replacement='"')
    filesystem.store.clear()
