"""``leadbyte sizes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import command
import leadbyte
import pytest

if TYPE_CHECKING:
    from pathlib import Path

COMPARED, INVALID, ERROR = 0, 1, 2
TEXT = "Папа Hello"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "utf-8.txt").write_bytes(TEXT.encode())
    (tmp_path / "signed.txt").write_bytes(TEXT.encode("utf-8-sig"))
    (tmp_path / "1251.txt").write_bytes(TEXT.encode("cp1251"))
    return tmp_path


def test_text(texts: Path) -> None:
    expected = str(leadbyte.compare_sizes(TEXT)) + "\n"
    assert command.run("sizes", "utf-8.txt", cwd=texts) == (COMPARED, expected, "")
    assert command.run("sizes", "signed.txt", cwd=texts) == (COMPARED, expected, "")
    assert command.run("sizes", "--encoding=1251", "1251.txt", cwd=texts) == (COMPARED, expected, "")
    assert command.run("sizes", "-", data=TEXT.encode()) == (COMPARED, expected, "")


def test_json(texts: Path) -> None:
    done = command.run("sizes", "--json", "utf-8.txt", "signed.txt", cwd=texts)
    fields = leadbyte.compare_sizes(TEXT).as_dict()
    assert done.objects == [{"path": "utf-8.txt", **fields}, {"path": "signed.txt", **fields}]


def test_blocks_are_one_text(tmp_path: Path) -> None:
    text = "x" + "Папа 日本😀" * 100_000
    (tmp_path / "long.txt").write_bytes(text.encode())
    (sizes,) = command.run("sizes", "--json", "long.txt", cwd=tmp_path).objects
    assert sizes == {"path": "long.txt", **leadbyte.compare_sizes(text).as_dict()}


@pytest.mark.parametrize("before", [0, 3, 1_000_000])
def test_what_is_in_another_encoding(tmp_path: Path, before: int) -> None:
    (tmp_path / "broken.txt").write_bytes(b"x" * before + b"\xff")
    done = command.run("sizes", "broken.txt", cwd=tmp_path)
    assert (done.code, done.out) == (INVALID, "")
    assert f"broken.txt: byte {before} is not utf-8: invalid start byte" in done.err


def test_codec_that_decodes_nothing(texts: Path) -> None:
    done = command.run("sizes", "--encoding", "undefined", "utf-8.txt", cwd=texts)
    assert (done.code, done.out, done.err) == (ERROR, "", "leadbyte: utf-8.txt: undefined encoding\n")


def test_error_takes_precedence(texts: Path) -> None:
    done = command.run("sizes", "--json", "missing", "1251.txt", "utf-8.txt", cwd=texts)
    assert done.code == ERROR
    assert ["error" in each for each in done.objects] == [True, True, False]
    unknown = command.run("sizes", "--encoding=nonesuch", "utf-8.txt", cwd=texts)
    assert (unknown.code, unknown.out) == (ERROR, "")
    assert "unknown encoding: nonesuch" in unknown.err


def test_tables_in_colour(texts: Path) -> None:
    done = command.on_terminal("sizes", "utf-8.txt", "signed.txt", rich=True, cwd=texts)
    plain = command.without_styles(done.out)
    assert plain != done.out
    assert "40      286%  utf-32" in plain
    assert plain.count("windows-1251 would take 29% less than UTF-8") == 2
