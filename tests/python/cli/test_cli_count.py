"""``leadbyte count``: its columns, totals and forms, against a naive count and against wc."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import command
import oracle
import pytest
import strategies

if TYPE_CHECKING:
    from pathlib import Path

VALID, ERROR = 0, 2
OPTIONS = {"-l": "newline_count", "-m": "char_count", "--utf16": "utf16_count", "-c": "byte_count"}
DATA = {
    "empty": b"",
    "text": "Съешь ещё\nэтим 😀 булок\n".encode(),
    "no newline": b"no newline at the end",
    "bad": b"caf\xe9 \xff\n\x80\x80",
    "long": bytes(strategies.filled(3_000_000)),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory with some files."""
    directory = tmp_path_factory.mktemp("files")
    for name, data in DATA.items():
        (directory / name).write_bytes(data)
    return directory


def numbers(data: bytes) -> dict[str, int]:
    scan = oracle.scan(data)
    return {column: scan[column] for column in OPTIONS.values()}


def row(values: list[int], name: str) -> str:
    return " ".join([*(f"{value:12}" for value in values), name])


def test_all_columns_with_a_header(files: Path) -> None:
    done = command.run("count", "text", cwd=files)
    assert done == (
        VALID,
        (
            "    newlines        chars       UTF-16        bytes path\n"
            "           2           23           24           43 text\n"
        ),
        "",
    )


def test_total_of_several_files(files: Path) -> None:
    names = ["text", "empty", "long"]
    done = command.run("count", *names, cwd=files)
    counted = [list(numbers(DATA[name]).values()) for name in names]
    totals = [sum(column) for column in zip(*counted, strict=True)]
    assert done.lines[1:] == [
        *(row(values, name) for values, name in zip(counted, names, strict=True)),
        row(totals, "total"),
    ]


@pytest.mark.parametrize("option", OPTIONS)
def test_one_column_stands_at_the_margin(files: Path, option: str) -> None:
    done = command.run("count", option, "text", cwd=files)
    assert done.out == f"{numbers(DATA['text'])[OPTIONS[option]]} text\n"


@pytest.mark.parametrize(
    "options", [["-l", "-c"], ["-c", "-l"], ["-cl"], ["-mlc"], ["--lines", "--bytes", "--chars", "--utf16"]]
)
def test_columns_in_the_order_of_wc_without_a_header(files: Path, options: list[str]) -> None:
    done = command.run("count", *options, "text", cwd=files)
    names = {"l": "newline_count", "m": "char_count", "c": "byte_count"}
    long = {
        "--lines": "newline_count",
        "--chars": "char_count",
        "--bytes": "byte_count",
        "--utf16": "utf16_count",
    }
    asked = {
        name
        for option in options
        for name in ([long[option]] if option in long else [names[letter] for letter in option[1:]])
    }
    expected = [number for column, number in numbers(DATA["text"]).items() if column in asked]
    assert done.out == row(expected, "text") + "\n"


def test_column_asked_for_twice(files: Path) -> None:
    assert command.run("count", "-cc", "text", cwd=files).out == "43 text\n"


def test_total_of_one_column(files: Path) -> None:
    done = command.run("count", "-c", "text", "empty", cwd=files)
    assert done.lines == ["43 text", "0 empty", "43 total"]


def test_standard_input(files: Path) -> None:
    done = command.run("count", "-m", "-", data=DATA["text"])
    assert done.out == "23 -\n"
    with (files / "long").open("rb") as file:
        assert command.run("count", "-m", "-", stdin=file).out == f"{oracle.chars(DATA['long'])} -\n"


@pytest.mark.parametrize(("data", "errors"), [(b"\xff", "1 error"), (DATA["bad"], "4 errors")])
def test_note_on_invalid_data(data: bytes, errors: str) -> None:
    done = command.run("count", "-m", "-", data=data)
    assert (done.code, done.out) == (VALID, f"{oracle.chars(data)} -\n")
    assert done.err == f"leadbyte: -: not valid UTF-8 ({errors}); characters are counted by lead bytes\n"


@pytest.mark.parametrize("options", [["-l"], ["-c"], ["-lc"]], ids=repr)
def test_no_note_where_validity_does_not_matter(options: list[str]) -> None:
    assert command.run("count", *options, "-", data=b"\xff").err == ""


def test_missing_file_is_an_error(files: Path) -> None:
    done = command.run("count", "-c", "missing", "text", cwd=files)
    assert done == (ERROR, "43 text\n43 total\n", "leadbyte: missing: No such file or directory\n")


def test_json(files: Path) -> None:
    names = ["bad", "text", "long"]
    done = command.run("count", "--json", *names, "missing", cwd=files)
    assert done.code == ERROR
    *found, missing, summary = done.objects
    assert missing == {"path": "missing", "error": "No such file or directory"}
    for each, name in zip(found, names, strict=True):
        expected = oracle.scan(DATA[name])
        del expected["error"]
        assert each == {"path": name, **expected}
    totals = {column: sum(numbers(DATA[name])[column] for name in names) for column in OPTIONS.values()}
    not_read = {"binary": 0, "ignored": 0, "hidden": 0, "failed": 1}
    assert summary == {"summary": {"files": 3, "invalid": 1, **totals, **not_read}}


def test_walk_counts_text_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\n")
    (tmp_path / "binary").write_bytes(b"\0")
    (tmp_path / "c").write_bytes("два\n".encode())
    rows = [f"4 {tmp_path / 'a'}", f"7 {tmp_path / 'c'}", "11 total"]
    assert command.run("count", "-c", tmp_path).lines == rows
    with_binary = command.run("count", "-c", "--binary", tmp_path)
    assert with_binary.lines[1] == f"1 {tmp_path / 'binary'}"


def test_help_documents_the_exit_codes() -> None:
    done = command.run("count", "--help")
    assert done.code == 0
    for text in ("exit codes:", "--lines", "--chars", "--utf16", "--bytes", "--json"):
        assert text in done.out


@pytest.mark.skipif(shutil.which("wc") is None, reason="needs wc")
@pytest.mark.parametrize("option", ["-c", "-m", "-l"])
@pytest.mark.parametrize("name", [name for name in DATA if name != "bad"])
def test_agrees_with_wc(files: Path, option: str, name: str) -> None:
    wc = subprocess.run(
        ["wc", option, name],
        cwd=files,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert command.run("count", option, name, cwd=files).out.split() == wc.stdout.split()
