"""``leadbyte locate``: where a byte stands."""

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
    assert done == (FOUND, "menu.txt:2:4: byte 7, char 7\n", "")


def test_json(menu: Path) -> None:
    done = command.run("locate", "--json", "--byte=9", "menu.txt", cwd=menu)
    assert done.objects == [{"path": "menu.txt", "line": 2, "column": 6, "char": 9, "byte_offset": 9}]


def test_standard_input() -> None:
    assert command.run("locate", "-", "--byte=9", data="жил\nжил".encode()).out == "-:2:2: byte 9, char 5\n"


def test_the_end_has_a_place(menu: Path) -> None:
    assert command.run("locate", "menu.txt", "--byte=12", cwd=menu).out == "menu.txt:3:1: byte 12, char 11\n"
    (menu / "empty").touch()
    assert command.run("locate", "empty", "--byte=0", cwd=menu).out == "empty:1:1: byte 0, char 0\n"


def test_beyond_the_end(menu: Path) -> None:
    done = command.run("locate", "menu.txt", "--byte=13", cwd=menu)
    assert done == (ERROR, "", "leadbyte: menu.txt: byte 13 is beyond the end, at 12 bytes\n")
    assert command.run("locate", "-", f"--byte={10**30}").code == ERROR


@pytest.mark.parametrize("byte", ["-1", "x", ""])
def test_wrong_offsets(menu: Path, byte: str) -> None:
    done = command.run("locate", "menu.txt", f"--byte={byte}", cwd=menu)
    assert (done.code, done.out) == (ERROR, "")
    assert "must be an integer" in done.err


def test_wrong_arguments() -> None:
    for arguments in ([], ["-"], ["--byte=1"], ["-", "-", "--byte=1"]):
        done = command.run("locate", *arguments)
        assert (done.code, done.out) == (ERROR, "")
        assert done.err.startswith("usage: leadbyte")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path, message in (("missing", "No such file or directory"), (".", "Is a directory")):
        done = command.run("locate", path, "--byte=0", cwd=tmp_path)
        if sys.platform != "win32":
            assert done == (ERROR, "", f"leadbyte: {path}: {message}\n")
        assert done.code == ERROR


@pytest.mark.parametrize("block", [7, 8, 13, 64])
def test_every_byte_whatever_the_blocks(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("leadbyte.cli.locate.BLOCK", block)
    data = "é\n€😀\n\n😀€a".encode() + b"\n".join(strategies.BROKEN[::4]) + b"\x80" * 20 + "\n😀".encode()
    (tmp_path / "file").write_bytes(data)
    for offset in range(len(data) + 1):
        assert main(["locate", str(tmp_path / "file"), "--byte", str(offset)]) == FOUND
        place = leadbyte.locate(data, offset)
        assert capfd.readouterr().out == (
            f"{tmp_path / 'file'}:{place.line}:{place.column}: byte {offset}, char {place.char}\n"
        )
    assert main(["locate", str(tmp_path / "file"), "--byte", str(len(data) + 1)]) == ERROR
    assert f"at {len(data)} bytes" in capfd.readouterr().err


def test_long_file(tmp_path: Path) -> None:
    line = "видишь 😀\n".encode()
    data = line * (3_000_000 // len(line))
    (tmp_path / "file").write_bytes(data)
    for offset in (0, (1 << 20) - 1, 1 << 20, (1 << 20) + 3, 2_000_000, len(data)):
        found = command.run("locate", "--json", "file", f"--byte={offset}", cwd=tmp_path).objects[0]
        line_start = data.rfind(b"\n", 0, offset) + 1
        start = offset
        while start < len(data) and data[start] in oracle.CONTINUATIONS:
            start -= 1
        assert found["line"] == data.count(b"\n", 0, start) + 1
        assert found["column"] == len(data[line_start:start].decode()) + 1
        assert found["char"] == len(data[:start].decode())


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a file without an end")
def test_file_without_an_end() -> None:
    assert command.run("locate", "/dev/zero", "--byte=50000000").out == (
        "/dev/zero:1:50000001: byte 50000000, char 50000000\n"
    )


def test_help() -> None:
    done = command.run("locate", "--help")
    assert done.code == FOUND
    for text in ("--byte N", "--json", "exit codes:", "count from 1"):
        assert text in done.out
