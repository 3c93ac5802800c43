"""``leadbyte normalize``; what it shares with others that write files is in test_cli_in_place."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import command
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import Anything

DONE, FAILED, ERROR = 0, 1, 2
COMPOSED, APART = "für Élise\n", "fu\u0308r E\u0301lise\n"
BLOCK = 512 << 10
# So that each place in a filler is once at the end of a block.
FILLERS = ["x", "ж", "e\u0301", "日", "\u0301", "ก"]
SHIFTS = [(filler, shift) for filler in FILLERS for shift in range(len(filler.encode()))]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "composed.txt").write_bytes(COMPOSED.encode())
    (tmp_path / "apart.txt").write_bytes(APART.encode())
    return tmp_path


def test_to_standard_output(texts: Path) -> None:
    assert command.run("normalize", "apart.txt", "composed.txt", cwd=texts) == (DONE, 2 * COMPOSED, "")
    assert command.run("normalize", "--form=NFD", "composed.txt", cwd=texts) == (DONE, APART, "")
    assert command.run("normalize", "-", data="ﬁ²".encode()) == (DONE, "ﬁ²", "")
    assert command.run("normalize", "--form=NFKC", "-", data="ﬁ²".encode()) == (DONE, "fi2", "")


def test_to_a_file(texts: Path) -> None:
    assert command.run("normalize", "-o", "new.txt", "apart.txt", cwd=texts).code == DONE
    assert (texts / "new.txt").read_text(encoding="utf-8") == COMPOSED


def test_in_place(texts: Path) -> None:
    before = (texts / "composed.txt").stat()
    done = command.run("normalize", "-i", ".", cwd=texts)
    assert done == (DONE, "", "2 files read: 1 normalized, 1 unchanged\n")
    assert command.read_all(texts) == {"apart.txt": COMPOSED.encode(), "composed.txt": COMPOSED.encode()}
    assert (texts / "composed.txt").stat().st_mtime_ns == before.st_mtime_ns


def test_check(texts: Path) -> None:
    done = command.run("normalize", "--check", ".", cwd=texts)
    assert done.code == FAILED
    assert done.lines == [
        "./apart.txt: would be normalized",
        "./composed.txt: unchanged",
        "2 files read: 1 would be normalized, 1 unchanged",
    ]
    assert command.run("normalize", "--check", "composed.txt", cwd=texts).code == DONE
    assert command.read_all(texts)["apart.txt"] == APART.encode()
    *files, summary = command.run("normalize", "--check", "--json", ".", cwd=texts).objects
    assert [(each["path"], each["result"]) for each in files] == [
        ("./apart.txt", "normalized"), ("./composed.txt", "unchanged"),
    ]  # fmt: skip
    assert summary["summary"]["files"] == 2


def test_what_is_not_utf_8(texts: Path) -> None:
    (texts / "broken.txt").write_bytes(APART.encode() + b"\xff\n" + b"x" * BLOCK + b"\xfe\n")
    done = command.run("normalize", "-i", ".", cwd=texts)
    assert done.code == FAILED
    assert (texts / "apart.txt").read_bytes() == COMPOSED.encode()
    assert (texts / "broken.txt").read_bytes().startswith(APART.encode())
    assert "./broken.txt:2:1: byte 14: " in done.err
    assert f"./broken.txt:3:{BLOCK + 1}: byte {BLOCK + 16}: " in done.err
    assert "1 not normalized" in done.err


@pytest.mark.once
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize(("filler", "shift"), SHIFTS)
def test_blocks_are_one_text(tmp_path: Path, form: Anything, filler: str, shift: int) -> None:
    text = "x" * shift + filler * (BLOCK // len(filler.encode()) + 10) + "ﬁn \u0301e\u0323\u0301"
    (tmp_path / "long.txt").write_bytes(text.encode())
    done = command.run("normalize", f"--form={form}", "long.txt", cwd=tmp_path)
    assert done.out == unicodedata.normalize(form, text)


def test_binary_files(texts: Path) -> None:
    (texts / "binary").write_bytes(APART.encode() + b"\0")
    assert (
        command.run("normalize", "--check", "--verbose", ".", cwd=texts).lines[1]
        == "./binary: skipped: binary"
    )
    refused = command.run("normalize", "-i", "binary", cwd=texts)
    assert refused.code == ERROR
    assert "seems to be binary" in refused.err
    assert command.run("normalize", "binary", cwd=texts).out == COMPOSED + "\0"
