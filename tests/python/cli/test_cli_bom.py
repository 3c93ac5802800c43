"""``leadbyte bom``: byte order marks found, stripped and added."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import command
import pytest
from command import read_all
from leadbyte._bom import find_bom
from leadbyte._files.reading import BLOCK

if TYPE_CHECKING:
    from pathlib import Path

DONE, FOUND, ERROR = 0, 1, 2
BOM = b"\xef\xbb\xbf"
TEXT = "ещё\n"
FILES = {
    "16be": f"\ufeff{TEXT}".encode("utf-16-be"),
    "16le": f"\ufeff{TEXT}".encode("utf-16-le"),
    "32be": f"\ufeff{TEXT}".encode("utf-32-be"),
    "32le": f"\ufeff{TEXT}".encode("utf-32-le"),
    "bad": TEXT.encode() + b"caf\xe9\n",
    "empty": b"",
    "marked": BOM + TEXT.encode(),
    "only": BOM,
    "plain": TEXT.encode(),
}
ENCODINGS = {
    "16be": "utf-16-be", "16le": "utf-16-le", "32be": "utf-32-be", "32le": "utf-32-le", "marked": "utf-8",
    "only": "utf-8",
}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Give a directory with files in all encodings."""
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", None), (b"\xef\xbb", None), (BOM, ("utf-8", 3)), (BOM + BOM, ("utf-8", 3)), (b"a" + BOM, None),
        (b"\xff\xfe", ("utf-16-le", 2)), (b"\xff\xfea\0", ("utf-16-le", 2)), (b"\xfe\xff", ("utf-16-be", 2)),
        (b"\xff\xfe\0\0", ("utf-32-le", 4)), (b"\xff\xfe\0", ("utf-16-le", 2)),
        (b"\0\0\xfe\xff", ("utf-32-be", 4)), (b"\0\0\xfe", None), (b"\xff", None),
    ],
)  # fmt: skip
def test_find_bom(data: bytes, found: tuple[str, int] | None) -> None:
    assert find_bom(data) == found


# check


def test_check(files: Path) -> None:
    done = command.run("bom", "check", ".", cwd=files)
    reported = [f"{os.path.join('.', name)}: {encoding}" for name, encoding in ENCODINGS.items()]
    assert done == (FOUND, "\n".join([*reported, "9 files checked: 6 byte order marks", ""]), "")
    done = command.run("bom", "check", "--list", *FILES, cwd=files)
    assert (done.code, done.lines, done.err) == (FOUND, list(ENCODINGS), "")


def test_check_of_what_has_none(files: Path) -> None:
    assert command.run("bom", "check", "plain", cwd=files) == (
        DONE,
        "1 file checked: no byte order mark\n",
        "",
    )
    done = command.run("bom", "check", "--verbose", "plain", "empty", cwd=files)
    assert done.lines == ["plain: none", "empty: none", "2 files checked: no byte order mark"]
    assert command.run("bom", "check", "--quiet", "plain", cwd=files) == (DONE, "", "")
    assert command.run("bom", "check", "--quiet", "marked", cwd=files) == (FOUND, "", "")


def test_check_of_standard_input() -> None:
    assert command.run("bom", "check", "-", data=BOM).lines[0] == "-: utf-8"


def test_check_of_what_is_missing(files: Path) -> None:
    done = command.run("bom", "check", "--list", "missing", "marked", cwd=files)
    assert done == (ERROR, "marked\n", "leadbyte: missing: No such file or directory\n")


def test_check_in_json(files: Path) -> None:
    done = command.run("bom", "check", "--json", "32le", "plain", "missing", cwd=files)
    assert done.objects == [
        {"path": "32le", "bom": "utf-32-le"},
        {"path": "plain", "bom": None},
        {"path": "missing", "error": "No such file or directory"},
        {"summary": {"files": 2, "with_bom": 1, "binary": 0, "ignored": 0, "hidden": 0, "failed": 1}},
    ]


def test_check_passes_binary_files_over(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(BOM + b"\0")
    (tmp_path / "other").write_bytes(b"\xff\xfe\0\0\0\0\0\0")
    done = command.run("bom", "check", "--verbose", ".", cwd=tmp_path)
    assert (done.code, done.lines[-1]) == (
        DONE,
        "0 files checked: no byte order mark; 2 binary files skipped",
    )
    assert command.run("bom", "check", "--list", "--binary", ".", cwd=tmp_path).code == FOUND
    assert command.run("bom", "check", "--list", "binary", cwd=tmp_path).lines == ["binary"]


# strip


def test_strip(files: Path) -> None:
    done = command.run("bom", "strip", "--verbose", "marked", "only", "plain", "bad", cwd=files)
    assert done == (
        DONE,
        (
            "marked: stripped\nonly: stripped\nplain: unchanged\nbad: unchanged\n"
            "4 files read: 2 stripped, 2 unchanged\n"
        ),
        "",
    )
    assert read_all(files) == {**FILES, "marked": TEXT.encode(), "only": b""}


def test_strip_leaves_none_to_a_second_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(BOM * 3 + b"a" + BOM)
    assert command.run("bom", "strip", "file", cwd=tmp_path).code == DONE
    assert (tmp_path / "file").read_bytes() == b"a" + BOM


@pytest.mark.parametrize("name", ["16le", "16be", "32le", "32be"])
def test_strip_leaves_what_needs_it(files: Path, name: str) -> None:
    done = command.run("bom", "strip", name, cwd=files)
    encoding = ENCODINGS[name]
    assert done == (
        FOUND,
        (
            f"{name}: not stripped: {encoding} needs its byte order mark, which indicates the byte order;"
            f" leadbyte convert --from {encoding[:6]} converts it to UTF-8\n1 file read: 1 not stripped\n"
        ),
        "",
    )
    assert read_all(files) == FILES
    assert command.run("bom", "strip", "--quiet", name, "marked", cwd=files) == (FOUND, "", "")
    assert read_all(files) == {**FILES, "marked": TEXT.encode()}


# add


def test_add(files: Path) -> None:
    done = command.run("bom", "add", "--verbose", "marked", "only", "plain", "empty", "16le", cwd=files)
    assert done == (
        DONE,
        (
            "marked: unchanged\nonly: unchanged\nplain: added\nempty: added\n16le: unchanged\n"
            "5 files read: 2 added, 3 unchanged\n"
        ),
        "",
    )
    assert read_all(files) == {**FILES, "plain": BOM + TEXT.encode(), "empty": BOM}


def test_add_leaves_what_is_not_utf_8(files: Path) -> None:
    done = command.run("bom", "add", "bad", "plain", cwd=files)
    assert (done.code, done.err) == (FOUND, "")
    assert done.lines == [
        *command.run("check", "bad", cwd=files).lines[:-1],
        "bad: not added: not valid UTF-8; leadbyte convert or leadbyte repair can fix it",
        "2 files read: 1 added, 1 not added",
    ]
    assert read_all(files) == {**FILES, "plain": BOM + TEXT.encode()}


def test_add_limits_the_errors_it_reports(files: Path) -> None:
    (files / "bad").write_bytes(b"\xff\n" * 5)
    lines = command.run("bom", "add", "--max-errors=2", "bad", cwd=files).lines
    assert [line.partition(": ")[0] for line in lines[:2]] == ["bad:1:1", "bad:2:1"]
    assert lines[2] == "bad: 3 more errors"


# both


@pytest.mark.parametrize("action", ["strip", "add"])
@pytest.mark.parametrize("length", [0, 1, BLOCK - 3, BLOCK, 2 * BLOCK + 1])
def test_there_and_back(tmp_path: Path, action: str, length: int) -> None:
    data = b"a" * length
    (tmp_path / "file").write_bytes(BOM + data if action == "strip" else data)
    for each in [action, "add" if action == "strip" else "strip"]:
        assert command.run("bom", each, "--quiet", "file", cwd=tmp_path) == (DONE, "", "")
        assert (tmp_path / "file").read_bytes() == (data if each == "strip" else BOM + data)


@pytest.mark.parametrize(("action", "done"), [("strip", "stripped"), ("add", "added")])
def test_dry_run(files: Path, action: str, done: str) -> None:
    name, other = ("marked", "plain") if action == "strip" else ("plain", "marked")
    reported = command.run("bom", action, "--dry-run", name, other, cwd=files)
    assert reported.code == DONE
    assert reported.lines == [
        f"{name}: would be {done}",
        f"{other}: unchanged",
        f"2 files read: 1 would be {done}, 1 unchanged",
    ]
    assert read_all(files) == FILES


def test_json(files: Path) -> None:
    done = command.run("bom", "strip", "--json", "marked", "16be", cwd=files)
    assert done.objects == [
        {"path": "marked", "result": "stripped", "bom": "utf-8"},
        {"path": "16be", "result": "not stripped", "bom": "utf-16-be"},
        {
            "summary": {
                "files": 2, "stripped": 1, "unchanged": 0, "not_stripped": 1, "binary": 0,
                "ignored": 0, "hidden": 0, "failed": 0,
            }
        },
    ]  # fmt: skip
    bad, summary = command.run("bom", "add", "--json", "bad", cwd=files).objects
    assert {name: bad[name] for name in ("path", "result", "bom")} == {
        "path": "bad",
        "result": "not added",
        "bom": None,
    }
    assert bad["errors"] == command.run("check", "--json", "bad", cwd=files).objects[0]["errors"]
    assert summary["summary"]["not_added"] == 1


CHANGED_BEFORE = """
import sys
from leadbyte.cli import bom, run
real = bom.BomFinder.find

def find(self, path, *, named):
    found = real(self, path, named=named)
    with open(path, "wb") as other:
        other.write(b"other")
    return found

bom.BomFinder.find = find
sys.exit(run())
"""


def test_nothing_is_stripped_but_a_mark(files: Path) -> None:
    done = command.run("bom", "strip", "--quiet", "marked", cwd=files, program=CHANGED_BEFORE)
    assert done == (ERROR, "", "leadbyte: marked: changed while it was read, and is left unchanged\n")
    assert (files / "marked").read_bytes() == b"other"


def test_no_mark_is_added_to_another(files: Path) -> None:
    program = CHANGED_BEFORE.replace('b"other"', repr(BOM + b"other"))
    done = command.run("bom", "add", "--quiet", "plain", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: plain: changed while it was read, and is left unchanged\n")
    assert (files / "plain").read_bytes() == BOM + b"other"


@pytest.mark.parametrize(
    "arguments",
    [
        "check", "nonsense file", "strip", "add", "check --list --json file", "strip --json --quiet file",
        "strip --backup= file", "add --backup=a/b file", "add --max-errors=x file",
        "strip --max-errors=1 file",
    ],
)  # fmt: skip
def test_wrong_arguments(files: Path, arguments: str) -> None:
    done = command.run("bom", *arguments.split(), cwd=files)
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.startswith("leadbyte ")
    assert read_all(files) == FILES


@pytest.mark.parametrize("action", ["check", "strip", "add"])
def test_help_documents_all(action: str) -> None:
    done = command.run("bom", action, "--help")
    assert done.code == DONE
    switches = ["--list"] if action == "check" else ["--backup", "--dry-run"]
    for text in ("exit codes:", "0  ", "1  ", "2  ", "--json", "--quiet", "--binary", "--verbose", *switches):
        assert text in done.out


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_file_that_cannot_be_replaced(files: Path) -> None:
    program = f"""
import os
def refuse(*_, **__):
    raise PermissionError(13, "Permission denied")
os.replace = refuse
{command.RUN}"""
    done = command.run("bom", "strip", "--quiet", "marked", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: marked: Permission denied\n")
    assert read_all(files) == FILES
