"""``leadbyte check`` and ``leadbyte count`` of URLs, compared with the same files given by path."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import command
import faulty_proxy as faults
import pytest
from faulty_proxy import Fault
from object_store import BUCKET, SECRET, URL, object_store, put

pytest.importorskip("fsspec")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faulty_proxy import FaultyProxy

VALID, INVALID, ERROR, INTERRUPTED = 0, 1, 2, 130
FILES = {
    "good.txt": "мир\n".encode(),
    "bad.txt": b"caf\xc3\xa9 \xff\n\xe0\x83\xa9 \xf0\x9f\x98",
    "below/bad.txt": b"\xed\xa0\x80" * 3 + b"\xc1\x9b",
    "below/empty.txt": b"",
}
LONG = "naïve\n".encode() * 1000


@pytest.fixture(scope="module", autouse=True)
def libraries() -> Iterator[None]:
    with command.imported("aiohttp", "fsspec", "pyarrow", "s3fs"):
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory with some files."""
    directory = tmp_path_factory.mktemp("files")
    (directory / "below").mkdir()
    for name, data in FILES.items():
        (directory / name).write_bytes(data)
    return directory


@pytest.fixture(scope="module")
def store() -> Iterator[FaultyProxy]:
    """Start an object store with these files."""
    with object_store() as proxy:
        for name, data in FILES.items():
            put(name, data)
        yield proxy


def as_url(files: Path) -> str:
    return f"file://{files}"


@pytest.mark.parametrize("options", [[], ["--format", "text"], ["--quiet"], ["--list"], ["--list", "-0"]])
def test_text_is_that_of_paths(files: Path, options: list[str]) -> None:
    by_path = command.run("check", *options, str(files))
    by_url = command.run("check", *options, as_url(files))
    assert by_url == (by_path.code, by_path.out.replace(str(files), as_url(files)), by_path.err)
    assert by_path.code == INVALID
    assert command.run("check", *options, f"{as_url(files)}/good.txt").code == VALID


def test_list_of_names_that_are_not_utf8(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"\xff")
    except (OSError, UnicodeError):
        pytest.skip("the filesystem has no such names")
    for options in ([], ["--engine", "threads"]):
        process = command.start("check", "--list", "-0", *options, str(tmp_path))
        assert command.communicate(process) == (os.fsencode(tmp_path) + b"/caf\xe9.txt\0", b"")


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_engines(files: Path, engine: str) -> None:
    by_path = command.run("check", str(files))
    assert command.run("check", "--engine", engine, "--blocksize", "5", ".", cwd=files) == by_path


def test_json(files: Path) -> None:
    by_path = command.run("check", "--json", "--max-errors", "100", str(files)).objects
    done = command.run("check", "--json", "--max-errors", "100", as_url(files))
    assert done.code == INVALID
    assert done.err == ""
    *objects, summary = done.objects
    expected = [found for found in by_path[:-1] if not found["valid"]]
    assert [json.dumps(found["errors"]) for found in objects] == [
        json.dumps(found["errors"]) for found in expected
    ]
    assert [found["path"] for found in objects] == [
        found["path"].replace(str(files), as_url(files)) for found in expected
    ]
    error_count = sum(found["error_count"] for found in expected)
    assert summary["summary"] == {
        **{name: by_path[-1]["summary"][name] for name in ("files", "invalid", "byte_count", "char_count")},
        "failed": 0,
        "error_count": error_count,
        "errors_omitted": 0,
    }
    *objects, summary = command.run("check", "--json", "--max-errors", "5", as_url(files)).objects
    assert sum(len(found["errors"]) for found in objects) == 5
    assert summary["summary"]["errors_omitted"] == error_count - 5


def test_max_errors(files: Path) -> None:
    lines = command.run("check", as_url(files)).lines
    for limit in (0, 2, 6):
        done = command.run("check", "--max-errors", str(limit), as_url(files))
        assert done.lines[:limit] == lines[: min(limit, len(lines) - 1)]
        more = done.lines[limit:-1]
        assert all(re.fullmatch(r"\d+ (more )?errors?", line) for line in more)


def test_github(files: Path) -> None:
    by_path = command.run("check", "--format", "github", str(files), cwd=files)
    by_name = command.run("check", "--format", "github", "--engine", "threads", ".", cwd=files)
    assert by_name == by_path
    by_url = command.run("check", "--format", "github", as_url(files), cwd=files)
    assert [line.split("::")[1] for line in by_url.lines[:-1]] == [
        re.sub("file=[^,]*,", "", line.split("::")[1]) for line in by_path.lines[:-1]
    ]


def test_files_that_cannot_be_read(files: Path, tmp_path: Path) -> None:
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"text")[:-1])
    urls = [as_url(tmp_path), "file:///missing", f"{as_url(files)}/good.txt"]
    done = command.run("check", *urls)
    assert done.code == ERROR
    assert done.out == "1 file checked (7 bytes, 4 chars): all valid UTF-8; 2 could not be read\n"
    messages = [f"{urls[0]}/text.gz: truncated gzip data", "file:///missing: No such file or directory"]
    assert done.err == "".join(f"leadbyte: {message}\n" for message in messages)
    *objects, summary = command.run("check", "--json", *urls).objects
    assert [f"{found['path']}: {found['error']}" for found in objects] == messages
    assert summary["summary"]["failed"] == 2
    counted = command.run("count", "--json", *urls)
    assert (counted.code, counted.err) == (ERROR, done.err)
    assert counted.objects[-1]["summary"]["failed"] == 2


def test_count(files: Path) -> None:
    by_path = command.run("count", str(files))
    by_url = command.run("count", as_url(files))
    assert by_url.code == VALID
    assert by_url.lines == [by_path.lines[0], by_path.lines[-1]]
    assert by_url.err == "leadbyte: 2 files not valid UTF-8; characters are counted by lead bytes\n"
    assert command.run("count", "-c", as_url(files)) == (VALID, by_path.lines[-1].split()[3] + " total\n", "")
    *_, summary = command.run("count", "--json", str(files)).objects
    (found,) = command.run("count", "--json", as_url(files)).objects
    assert found["summary"] == {name: summary["summary"][name] for name in found["summary"]}


def test_report(files: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    for done in (
        command.run("check", "--report", str(report), str(files)),
        command.run("count", "--report", f"file://{report}2.jsonl", str(files)),
    ):
        assert done.code in {VALID, INVALID}
    rows = [json.loads(line) for part in report.iterdir() for line in part.read_bytes().splitlines()]
    assert {row["url"]: row["byte_count"] for row in rows} == {
        str(files / name): len(data) for name, data in FILES.items()
    }
    done = command.run("check", "--report", str(report), str(files))
    assert done == (ERROR, "", f"leadbyte: the report exists already: {report}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hidden"], "argument --hidden: not allowed with URLs or --engine"),
        (["-j2"], "argument -j/--jobs: not allowed with URLs or --engine"),
        (["--exclude", "x"], "argument --exclude: not allowed with URLs or --engine"),
        (["-"], "argument PATH: standard input is not read with URLs or --engine"),
        (["--address", "tcp://x:1"], "argument --address: requires --engine dask, ray or spark"),
        (["--list", "--report", "x.jsonl"], "argument --list: not allowed with --report or a cluster"),
        (["--blocksize", "much"], "blocksize must be a positive number of bytes"),
        (["--blocksize", ""], "blocksize must be a positive number of bytes"),
        (["--report", "rows.txt"], "report must be a directory whose name ends in .jsonl or .parquet"),
        (["unknown://a:secret@b/c"], "Protocol not known: unknown"),
    ],
)
def test_arguments_that_are_refused(files: Path, options: list[str], message: str) -> None:
    done = command.run("check", *options, f"{as_url(files)}/good.txt", cwd=files)
    assert (done.code, done.out) == (ERROR, "")
    assert f"leadbyte check: error: {message}" in done.err
    assert "secret" not in done.err


def test_fsspec_is_missing(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADBYTE_TESTS_IMPORT")
    program = f"import sys; sys.modules['fsspec'] = None; {command.RUN}"
    for subcommand in ("check", "count"):
        done = command.run(subcommand, as_url(files), program=program)
        advice = 'pip install "leadbyte[dataset]"'
        assert done == (ERROR, "", f"leadbyte: files of a dataset are read through fsspec: {advice}\n")


def test_object_store(store: FaultyProxy, files: Path) -> None:
    by_path = command.run("check", str(files))
    assert command.run("check", URL) == (INVALID, by_path.out.replace(str(files), URL), "")
    store.faults.append(Fault(faults.DENIED, target="below/bad.txt", times=-1))
    done = command.run("check", URL)
    store.faults.clear()
    assert done.code == ERROR
    assert done.err == f"leadbyte: {URL}/below/bad.txt: AccessDenied on purpose\n"
    assert done.lines[-1].endswith("1 not valid UTF-8; 1 could not be read")


def test_other_commands_read_an_object(store: FaultyProxy, files: Path) -> None:
    for line in ("repair", "detect --json"):
        store.faults.append(Fault(faults.TRANSIENT["internal error"], target="bad.txt", times=1))
        by_url = command.run(*line.split(), f"{URL}/below/bad.txt")
        assert not any(fault.times for fault in store.faults), line
        by_path = command.run(*line.split(), str(files / "below/bad.txt"))
        assert (by_url.code, by_url.out) == (by_path.code, by_path.out.replace(str(files), URL))
    store.faults.clear()
    done = command.run("repair", f"{URL}/below/missing")
    assert done == (ERROR, "", f"leadbyte: {URL}/below/missing: No such file or directory\n")
    assert "a directory; leadbyte check" in command.run("detect", f"{URL}/below").err


def test_secrets_are_not_shown(store: FaultyProxy) -> None:
    host = store.url.removeprefix("http://")
    urls = [
        f"http://reader:{SECRET}@{host}/{BUCKET}/good.txt",
        f"http://{host}/{BUCKET}/bad.txt?X-Amz-Signature={SECRET}",
    ]
    lines = [f"check {form}" for form in ("", "--json", "--list", "--format github")]
    for line in (*lines, "detect --json", "repair", "sizes"):
        done = command.run(*line.split(), *urls)
        assert f"{BUCKET}/bad.txt" in done.out + done.err
        assert SECRET not in done.out + done.err


def test_report_that_cannot_be_written(store: FaultyProxy, files: Path) -> None:
    store.faults.append(Fault(faults.DENIED, target="report.jsonl", times=-1))
    done = command.run("check", files, "--report", f"{URL}/report.jsonl")
    store.faults.clear()
    assert (done.code, done.out) == (ERROR, "")
    assert done.err == f"leadbyte: cannot read {URL}/report.jsonl: AccessDenied on purpose\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt(store: FaultyProxy) -> None:
    waiting, over = threading.Event(), threading.Event()

    def wait() -> None:
        waiting.set()
        over.wait(command.TIMEOUT)

    store.faults.append(Fault(faults.send, target="good.txt", times=-1, before=wait))
    process = command.start("check", URL)
    try:
        assert waiting.wait(command.TIMEOUT)
        interrupted = time.monotonic()
        process.send_signal(signal.SIGINT)
        done = command.finish(process)
    finally:
        over.set()
        store.faults.clear()
    assert done == (INTERRUPTED, "", "leadbyte: interrupted\n")
    assert time.monotonic() - interrupted < command.TIMEOUT / 10


@pytest.mark.clock
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
@pytest.mark.parametrize("rich", [True, False], ids=["rich", "plain"])
def test_progress(store: FaultyProxy, *, rich: bool) -> None:
    store.faults.append(Fault(faults.slow, target="long", times=-1))
    urls = [put(f"long/{name}.txt", LONG) for name in range(20)]
    done = command.on_terminal(
        "check", "--blocksize", "6000", *urls, rich=rich, stderr_only=True, early_progress=True
    )
    store.faults.clear()
    assert done.code == VALID
    assert done.out == "20 files checked (140.0 kB, 120,000 chars): all valid UTF-8\n"
    assert re.search(r"\d+ files, \d+\.\d kB, .*/s", done.err)
    assert command.Screen(command.without_styles(done.err)).lines == []


def test_columns_of_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"name,other\nfine,b\xff\n")
    for path, options in (("a.csv", ["--engine", "threads"]), ((tmp_path / "a.csv").as_uri(), [])):
        done = command.run("check", "--column", "name", *options, path, cwd=tmp_path)
        assert (done.code, "CSV has columns without URLs and --engine only" in done.err) == (2, True)
    done = command.run("check", "--column", "name", "https://user:secret@host.example/a.csv")
    assert (done.code, "CSV has columns" in done.err, "secret" in done.err) == (2, True, False)


def test_copies_of_urls_have_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9")
    (tmp_path / "out").mkdir()
    done = command.run("convert", "-f", "latin-1", "-q", "-o", "out", (tmp_path / "a").as_uri(), cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "out" / "a").read_bytes() == "café".encode()
    assert (tmp_path / "out" / "a").stat().st_mode == (tmp_path / "a").stat().st_mode
