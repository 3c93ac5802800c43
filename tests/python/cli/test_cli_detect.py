"""``leadbyte detect``."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import command
import leadbyte
import pytest

if TYPE_CHECKING:
    from pathlib import Path

KNOWN, UNKNOWN, ERROR = 0, 1, 2
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n"
WHOLE = 64 << 20


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "utf-8.txt").write_bytes(RUSSIAN.encode())
    (tmp_path / "signed.txt").write_bytes(RUSSIAN.encode("utf-8-sig"))
    (tmp_path / "cut.txt").write_bytes(RUSSIAN.encode()[:-3])
    (tmp_path / "1251.txt").write_bytes(RUSSIAN.encode("cp1251"))
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"text"))
    return tmp_path


def test_text(texts: Path) -> None:
    done = command.run("detect", "utf-8.txt", "signed.txt", "cut.txt", "1251.txt", cwd=texts)
    assert (done.code, done.err) == (KNOWN, "")
    plain, signed, cut, legacy, summary = done.lines
    assert plain == "utf-8.txt: utf-8"
    assert signed == "signed.txt: utf-8-sig (with a byte order mark)"
    assert cut == "cut.txt: utf-8 (99% sure, ends inside a character)"
    assert legacy.startswith("1251.txt: windows-1251 (")
    assert legacy.endswith("% sure)")
    assert summary == "4 files: 2 utf-8, 1 utf-8-sig, 1 windows-1251"


def test_what_is_no_text(texts: Path) -> None:
    assert command.run("detect", "text.gz", cwd=texts) == (UNKNOWN, "text.gz: gzip\n", "")


def test_json(texts: Path) -> None:
    done = command.run("detect", "--json", ".", cwd=texts)
    *files, summary = done.objects
    assert done.code == UNKNOWN
    expected = [
        {
            "path": f"./{path.name}",
            **leadbyte.detect(path.read_bytes()).as_dict(),
            "unsure": False,
            "sampled": False,
        }
        for path in sorted(texts.iterdir())
    ]
    assert files == expected
    assert summary == {
        "summary": {
            "files": 5,
            "found": {"utf-8": 2, "windows-1251": 1, "utf-8-sig": 1, "gzip": 1},
            "ignored": 0,
            "hidden": 0,
            "failed": 0,
        }
    }


def test_errors(texts: Path) -> None:
    done = command.run("detect", "missing", "utf-8.txt", cwd=texts)
    assert (done.code, done.out) == (ERROR, "utf-8.txt: utf-8\n")
    assert "missing: No such file" in done.err


def test_standard_input() -> None:
    assert command.run("detect", "-", data=RUSSIAN.encode("koi8-r")).out.startswith("-: koi8-r (")


@pytest.mark.once
@pytest.mark.parametrize(
    ("rest", "reported"),
    [
        (b"x", "utf-8"),
        (RUSSIAN.encode(), "utf-8"),
        (RUSSIAN.encode() + RUSSIAN.encode()[:1], "utf-8 (99% sure, ends inside a character)"),
        (RUSSIAN.encode("cp1251") * 3, "windows-1251 ("),
    ],
)
def test_long_streams_are_read_to_the_end(rest: bytes, reported: str) -> None:
    # The first part ends inside a character.
    start = b"x" * (WHOLE - 1) + RUSSIAN.encode()[:2]
    assert command.run("detect", "-", data=start + b"\n" * (3 << 20) + rest).out.startswith(f"-: {reported}")


@pytest.mark.once
@pytest.mark.parametrize(
    ("encoding", "reported"),
    [
        ("utf-8", "utf-8 (from samples)"),
        ("cp1251", "windows-1251 (99% sure, from samples)"),
        ("utf-16", "utf-16 (100% sure, with a byte order mark, from samples)"),
    ],
)
def test_long_files_are_sampled(tmp_path: Path, encoding: str, reported: str) -> None:
    path = tmp_path / "long.txt"
    data = (RUSSIAN * (WHOLE // len(RUSSIAN) // 100)).encode(encoding)
    with path.open("wb") as file:
        while file.tell() <= WHOLE:
            file.write(data)
    assert command.run("detect", "long.txt", cwd=tmp_path).out == f"long.txt: {reported}\n"
    (found, _) = command.run("detect", "--json", "long.txt", cwd=tmp_path).objects
    assert found["sampled"]
    # A sample without a space is not cut.
    assert found["language"] == "ru"


def test_unsure(texts: Path) -> None:
    (texts / "short.txt").write_bytes(b"\xc7a va!")
    done = command.run("detect", "--min-confidence", "0.95", "short.txt", "1251.txt", cwd=texts)
    assert done.code == UNKNOWN
    assert done.lines[0].startswith("short.txt: unsure, maybe windows-1252 (")
    assert done.lines[1].startswith("1251.txt: windows-1251 (")
    assert done.lines[2] == "2 files: 1 unsure, 1 windows-1251"
    (found, summary) = command.run(
        "detect", "--json", "--min-confidence", "0.95", "short.txt", cwd=texts
    ).objects
    assert found["unsure"]
    assert summary["summary"]["found"] == {"unsure": 1}
    for wrong in ("2", "-1", "nan", "much"):
        done = command.run("detect", "--min-confidence", wrong, cwd=texts)
        assert (done.code, done.out) == (ERROR, "")
        assert "must be a number from 0 to 1" in done.err


def test_colours(texts: Path) -> None:
    done = command.on_terminal("detect", "utf-8.txt", "1251.txt", rich=True, cwd=texts)
    plain = command.without_styles(done.out)
    assert plain != done.out
    assert plain == command.run("detect", "utf-8.txt", "1251.txt", cwd=texts).out
