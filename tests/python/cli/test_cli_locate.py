"""``leadbyte locate``: offsets in each unit, and lines and columns, in files."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import command
import leadbyte
import oracle
import pytest
import strategies
from leadbyte.cli import main
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from pathlib import Path

FOUND, ERROR = 0, 2
MENU = b"one\ncaf\xe9 \xc0\xb1\n"


@pytest.fixture
def menu(tmp_path: Path) -> Path:
    (tmp_path / "menu.txt").write_bytes(MENU)
    return tmp_path


def test_text(menu: Path) -> None:
    done = command.run("locate", "menu.txt", "--byte", "7", cwd=menu)
    assert done == (FOUND, "menu.txt:2:4: byte 7, char 7, UTF-16 column 4\n", "")


def test_json(menu: Path) -> None:
    done = command.run("locate", "--json", "--byte=9", "menu.txt", cwd=menu)
    assert done.objects == [
        {
            "path": "menu.txt",
            "line": 2,
            "column": 6,
            "utf16_column": 6,
            "char_offset": 9,
            "byte_offset": 9,
        }
    ]


def test_path_that_is_empty() -> None:
    done = command.run("locate", "", "--byte", "1", data=b"x\xff")
    assert (done.code, done.out, "No such file" in done.err) == (2, "", True)


def test_standard_input() -> None:
    assert command.run("locate", "-", "--byte=9", data="жил\nжил".encode()).out == (
        "-:2:2: byte 9, char 5, UTF-16 column 2\n"
    )


def test_the_end_has_a_place(menu: Path) -> None:
    end = "menu.txt:3:1: byte 12, char 12, UTF-16 column 1\n"
    for target in (["--byte=12"], ["--char=12"], ["--utf16=12"], ["--line=3"], ["--line=3", "--column=1"]):
        assert command.run("locate", "menu.txt", *target, cwd=menu) == (FOUND, end, "")
    (menu / "empty").touch()
    for target in (["--byte=0"], ["--char=0"], ["--utf16=0"], ["--line=1"]):
        assert command.run("locate", "empty", *target, cwd=menu).out == (
            "empty:1:1: byte 0, char 0, UTF-16 column 1\n"
        )


def test_beyond_the_end(menu: Path) -> None:
    done = command.run("locate", "menu.txt", "--byte=13", cwd=menu)
    assert done == (ERROR, "", "leadbyte: menu.txt: byte 13 is beyond the end, at 12 bytes\n")
    assert command.run("locate", "-", f"--byte={10**30}").code == ERROR


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (["--char=13"], "char 13 is beyond the end, at 12 chars"),
        (["--utf16", "99"], "UTF-16 code unit 99 is beyond the end, at 12 UTF-16 code units"),
        (["--line=4"], "line 4 is beyond the end, in line 3"),
        (["--line=2", "--column=9"], "column 9 is beyond the end of line 2, at column 8"),
        (["--line=3", f"--column={10**30}"], f"column {10**30} is beyond the end of line 3, at column 1"),
    ],
)
def test_beyond_the_end_in_other_units(menu: Path, target: list[str], message: str) -> None:
    done = command.run("locate", "menu.txt", *target, cwd=menu)
    assert done == (ERROR, "", f"leadbyte: menu.txt: {message}\n")


@pytest.mark.parametrize("byte", ["-1", "x", ""])
def test_wrong_offsets(menu: Path, byte: str) -> None:
    done = command.run("locate", "menu.txt", f"--byte={byte}", cwd=menu)
    assert (done.code, done.out) == (ERROR, "")
    assert "must be an integer" in done.err


def test_wrong_arguments() -> None:
    for arguments in (
        [],
        ["-"],
        ["--byte=1"],
        ["-", "-", "--byte=1"],
        ["-", "--byte=1", "--char=1"],
        ["-", "--line=1", "--utf16=1"],
        ["-", "--column=1"],
        ["-", "--byte=1", "--column=1"],
        ["-", "--line=0"],
        ["-", "--line=1", "--column=0"],
    ):
        done = command.run("locate", *arguments)
        assert (done.code, done.out) == (ERROR, "")
        assert done.err.startswith("leadbyte ")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path, message in (("missing", "No such file or directory"), (".", "Is a directory")):
        done = command.run("locate", path, "--byte=0", cwd=tmp_path)
        if sys.platform != "win32":
            assert done == (ERROR, "", f"leadbyte: {path}: {message}\n")
        assert done.code == ERROR


@pytest.mark.once
@pytest.mark.parametrize("block", [7, 8] if IS_REDUCED else [7, 8, 13, 64])
def test_every_byte_whatever_the_blocks(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("leadbyte.cli.locate.BLOCK", block)
    data = "é\n€😀\n\n😀€a".encode() + b"\n".join(strategies.BROKEN[::4]) + b"\x80" * 20 + "\n😀".encode()
    (tmp_path / "file").write_bytes(data)
    path = str(tmp_path / "file")

    def located(*target: object) -> str:
        assert main(["locate", path, *map(str, target)]) == FOUND
        return capfd.readouterr().out

    starts = {len(data), *(start for start, _ in oracle.sequences(data))}
    for offset in range(len(data) + 1):
        place = leadbyte.locate(data, offset)
        where = f"{path}:{place.line}:{place.column}: "
        expected = f"char {place.char_offset}, UTF-16 column {place.utf16_column}\n"
        assert located("--byte", offset) == f"{where}byte {offset}, {expected}"
        if offset in starts:
            expected = f"{where}byte {offset}, {expected}"
            assert located("--char", place.char_offset) == expected
            assert located("--line", place.line, "--column", place.column) == expected
            assert located("--utf16", oracle.code_units(oracle.replaced(data[:offset]))) == expected
    for unit, length in (
        ("byte", len(data)),
        ("char", len(oracle.replaced(data))),
        ("utf16", oracle.code_units(oracle.replaced(data))),
    ):
        assert main(["locate", path, f"--{unit}", str(length + 1)]) == ERROR
        assert f"at {length} " in capfd.readouterr().err


def test_long_file(tmp_path: Path) -> None:
    line = "видишь 😀\n".encode()
    data = line * (3_000_000 // len(line))
    (tmp_path / "file").write_bytes(data)
    for offset in (0, (1 << 20) - 1, 1 << 20, (1 << 20) + 3, 2_000_000, len(data)):
        (found,) = command.run("locate", "--json", "file", f"--byte={offset}", cwd=tmp_path).objects
        line_start = data.rfind(b"\n", 0, offset) + 1
        start = offset
        while start < len(data) and data[start] in oracle.CONTINUATIONS:
            start -= 1
        assert found["line"] == data.count(b"\n", 0, start) + 1
        assert found["column"] == len(data[line_start:start].decode()) + 1
        assert found["char_offset"] == len(data[:start].decode())
        for target in (
            [f"--char={found['char_offset']}"],
            [f"--utf16={len(data[:start].decode().encode('utf-16-le')) // 2}"],
            [f"--line={found['line']}", f"--column={found['column']}"],
        ):
            same = command.run("locate", "--json", "file", *target, cwd=tmp_path).objects
            assert same == [{**found, "byte_offset": start}]


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a file without an end")
def test_file_without_an_end() -> None:
    assert command.run("locate", "/dev/zero", "--byte=50000000").out == (
        "/dev/zero:1:50000001: byte 50000000, char 50000000, UTF-16 column 50000001\n"
    )


def test_help() -> None:
    done = command.run("locate", "--help")
    assert done.code == FOUND
    for text in ("--byte N", "--line L", "--column C", "--json", "exit codes:", "count from 1"):
        assert text in done.out
