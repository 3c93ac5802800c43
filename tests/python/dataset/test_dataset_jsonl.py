"""Scans of JSON lines in datasets, compared with a pass over each file."""

from __future__ import annotations

import gzip
import pickle
from typing import TYPE_CHECKING

import command
import leadbyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leadbyte import dataset
from leadbyte._leadbyte import _JsonLines

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
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    filesystem.pipe({f"/texts/{index:03}": text for index, text in enumerate(texts)})
    found = dataset.scan("memory://texts", blocksize=blocksize, max_errors=max_errors, format="jsonl")
    assert pickle.loads(pickle.dumps(found)) == found
    expected = []
    count = invalid = 0
    for index, text in enumerate(texts):
        search = _JsonLines(1000)
        search.update(text)
        search.finish()
        count += search.finding_count
        invalid += search.finding_count > 0
        expected += [(f"memory:///texts/{index:03}", *finding) for finding in search.findings()]
    assert found.failures == ()
    assert (found.error_count, found.invalid_count, found.file_count) == (count, invalid, len(texts))
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
    assert engine.lines[-1] + "; 3 invalid records" == local.lines[-1]
    url = f"file://{tmp_path}/a.jsonl"
    (path, summary) = command.run("check", "--jsonl", "--json", url, cwd=tmp_path).objects
    assert [error["pointer"] for error in path["errors"]] == ["/a/0", "/a/1", "", ""]
    assert summary["summary"]["error_count"] == 4
    done = command.run("check", "--jsonl", "--format", "github", url, cwd=tmp_path)
    assert "title=JSON lines" in done.lines[0]
