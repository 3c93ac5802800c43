"""``leadbyte check --jsonl`` and ``leadbyte repair --jsonl``."""

from __future__ import annotations

import base64
import io
import json
import os
from typing import TYPE_CHECKING
from unittest import mock

import command
import pytest
from leadbyte import BOM, Scanner
from leadbyte._files import quarantine
from leadbyte._files.json_lines import NOT_LINES
from leadbyte.cli import files, main
from leadbyte.cli.files import JsonLinesFile

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

DONE, INVALID, ERROR = 0, 1, 2
RECORDS = [
    b'\xef\xbb\xbf{"id": 1}',
    rb'{"user": {"name": "Ren\ud83d"}, "ok": "\ud83d\ude00 \\ud800"}',
    b'{"items": [1, {"a/b": "caf\xe9"}]}',
    rb'{"k\u0000": 2}',
    b'{"fine": "\xc3\xa9"}',
]
DATA = b"\n".join(RECORDS) + b"\n"
CUT = b'{"id": 6, "text": "abc'
REPAIRED = (
    b'{"id": 1}\n'
    rb'{"user": {"name": "Ren\ufffd"}, "ok": "\ud83d\ude00 \\ud800"}'
    b'\n{"items": [1, {"a/b": "caf\xef\xbf\xbd"}]}\n'
    rb'{"k\ufffd": 2}'
    b'\n{"fine": "\xc3\xa9"}\n'
)
GOOD = b'{"id": 1}\n{"fine": "\xc3\xa9"}\n'


def test_report(tmp_path: Path) -> None:
    """Line, column, field and offset of each error; a summary; the exit codes of check."""
    (tmp_path / "a.jsonl").write_bytes(DATA + CUT)
    (tmp_path / "b.jsonl").write_bytes(b'{"a": "\\u0430"}\r\n\n[1]')
    done = command.run("check", "--jsonl", "a.jsonl", cwd=tmp_path)
    assert (done.code, done.err) == (INVALID, "")
    around = "62 22 3a 20 22 63 61 66 [e9] 22 7d 5d 7d 0a 7b 22 6b"
    truncated = "truncated 3-byte sequence (1 of 3 bytes)"
    assert done.lines == [
        "a.jsonl:1:1: byte 0: byte order mark: [ef bb bf]",
        r"a.jsonl:2:23: /user/name: byte 35: U+D83D, a surrogate without its other half: [\ud83d]",
        f"a.jsonl:3:27: /items/1/a~1b: byte 101: {truncated}: {around}",
        r"a.jsonl:4:4: key: byte 110: U+0000: [\u0000]",
        "a.jsonl:6:1: /text: byte 137: end of the file within the record",
        "1 file checked (159 bytes, 156 chars): 1 with errors; 5 invalid records",
    ]
    done = command.run("check", "--jsonl", "b.jsonl", "--verbose", cwd=tmp_path)
    assert (done.code, done.lines) == (
        DONE,
        ["b.jsonl: valid, 21 chars", "1 file checked (21 bytes, 21 chars): no errors"],
    )
    assert command.run("check", "--jsonl", "missing", cwd=tmp_path).code == ERROR
    assert command.run("check", "--jsonl", "--list", ".", cwd=tmp_path).out == "./a.jsonl\n"
    assert command.run("check", "--jsonl", "-q", cwd=tmp_path).out == ""
    # Without the option these are valid texts.
    (tmp_path / "a.jsonl").write_bytes(RECORDS[1])
    assert command.run("check", cwd=tmp_path).code == DONE


def test_formats(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(DATA + CUT)
    done = command.run("check", "--jsonl", "--format", "json", cwd=tmp_path)
    report, summary = done.objects
    assert report["valid"] is False
    assert (report["error_count"], report["invalid_records"], report["errors_omitted"]) == (5, 5, 0)
    errors = report["errors"]
    assert [(error["kind"], error["pointer"], error["in_key"]) for error in errors] == [
        ("bom", "", False),
        ("lone_surrogate", "/user/name", False),
        ("missing_continuation", "/items/1/a~1b", False),
        ("nul", "", True),
        ("truncated_record", "/text", False),
    ]
    for error in errors[:-1]:
        assert bytes.fromhex(error["bytes"]) == (DATA + CUT)[error["start"] : error["end"]]
    assert (errors[-1]["start"], errors[-1]["end"]) == (len(DATA), len(DATA + CUT))
    assert (summary["summary"]["invalid"], summary["summary"]["invalid_records"]) == (1, 5)
    done = command.run("check", "--jsonl", "--format", "github", "--max-errors", "2", "a.jsonl", cwd=tmp_path)
    text = r"a.jsonl:2:23: /user/name: byte 35: U+D83D, a surrogate without its other half: [\ud83d]"
    assert done.lines[1:3] == [
        f"::error file=a.jsonl,line=2,col=23,title=JSON lines::{text}",
        "::error file=a.jsonl,title=JSON lines::a.jsonl: 3 more errors",
    ]


def test_standard_input_in_pieces(tmp_path: Path) -> None:
    code, out, err = command.run_binary("repair", "--jsonl", cwd=tmp_path, data=DATA)
    assert (code, out) == (DONE, REPAIRED)
    assert "1 file read: 1 repaired, 4 errors replaced" in err
    whole = command.run("check", "--jsonl", "--json", "-", cwd=tmp_path, data=DATA + CUT)
    (tmp_path / "a").write_bytes(DATA + CUT)
    assert [error for found in whole.objects[:1] for error in found["errors"]] == command.run(
        "check", "--jsonl", "--json", "a", cwd=tmp_path
    ).objects[0]["errors"]


@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], block: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(DATA + CUT)
    assert main(["check", "--jsonl", "a"]) == INVALID
    report = capfd.readouterr().out
    with (
        mock.patch.object(files, "BLOCK", block),
        mock.patch("leadbyte.cli.repair.BLOCK", block),
        mock.patch.object(quarantine, "BLOCK", block),
    ):
        assert main(["check", "--jsonl", "a"]) == INVALID
        assert capfd.readouterr().out == report
        assert main(["repair", "--jsonl", "-o", "new", "a"]) == INVALID
        assert (tmp_path / "new").read_bytes() == REPAIRED + CUT
        assert main(["repair", "--jsonl", "--rows", "drop", "-o", "new", "a"]) == DONE
        assert (tmp_path / "new").read_bytes() == GOOD


def test_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Files that need no repair are left untouched, and a repair is idempotent."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(DATA)
    (tmp_path / "good.jsonl").write_bytes(GOOD)
    before = (tmp_path / "good.jsonl").stat()
    assert main(["repair", "--jsonl", "-n", "--check", "."]) == INVALID
    assert (tmp_path / "a.jsonl").read_bytes() == DATA
    assert "1 would be repaired, 1 unchanged, 4 errors would be replaced" in capfd.readouterr().out
    assert main(["repair", "--jsonl", "-i", "."]) == DONE
    assert (tmp_path / "a.jsonl").read_bytes() == REPAIRED
    assert main(["check", "--jsonl"]) == DONE
    assert main(["repair", "--jsonl", "--check", "-i", "."]) == DONE
    after = (tmp_path / "good.jsonl").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_truncated_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A last record that is cut is left, and reported, unless bad rows are dropped or kept apart."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(GOOD + CUT)
    before = os.stat("a")
    assert main(["repair", "--jsonl", "-i", "a"]) == INVALID
    assert os.stat("a").st_ino == before.st_ino
    err = capfd.readouterr().err
    assert "a:3:1: /text: byte 25: end of the file within the record" in err
    assert "1 unchanged, 1 truncated record kept" in err
    assert main(["repair", "--jsonl", "--quarantine", "bad", "-i", "a"]) == DONE
    assert (tmp_path / "a").read_bytes() == GOOD
    row = json.loads((tmp_path / "bad").read_bytes())
    assert base64.b64decode(row.pop("base64")) == CUT
    assert row == {
        "file": "a", "line": 3, "pointer": "/text", "byte": 25, "kind": "truncated_record", "error_count": 1,
    }  # fmt: skip


def test_first_error_after_a_byte_order_mark(tmp_path: Path) -> None:
    """The mark before a record is not one of the errors for which it is bad."""
    record = BOM + b'{"a":"\\ud800", "b":"\xff"}\n'
    (tmp_path / "a").write_bytes(record)
    command.run("repair", "--jsonl", "--rows", "drop", "--quarantine", "bad", "-o", "new", "a", cwd=tmp_path)
    row = json.loads((tmp_path / "bad").read_bytes())
    assert (row["kind"], row["byte"], row["error_count"]) == ("lone_surrogate", 9, 2)
    assert base64.b64decode(row["base64"]) + b"\n" == record


def test_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad records go to the quarantine as they were; one after a byte order mark is good."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(DATA + CUT)
    for rows, output in (("drop", GOOD), ("repair", REPAIRED)):
        arguments = ["--rows", rows, "--quarantine", f"bad.{rows}", "-o", "new", "a"]
        assert main(["repair", "--jsonl", *arguments]) == DONE
        assert (tmp_path / "new").read_bytes() == output
        found = [*map(json.loads, (tmp_path / f"bad.{rows}").read_text("utf-8").splitlines())]
        assert [base64.b64decode(row["base64"]) for row in found] == [*RECORDS[1:4], CUT]
        assert [(row["line"], row["pointer"]) for row in found] == [
            (2, "/user/name"), (3, "/items/1/a~1b"), (4, ""), (6, "/text"),
        ]  # fmt: skip
        assert main(["check", "--jsonl", "new"]) == DONE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("check --jsonl --column a", "--jsonl: not allowed with argument --column"),
        ("check --jsonl -j 2", "--jsonl: not allowed with argument -j/--jobs"),
        ("repair --jsonl --column a", "--jsonl: not allowed with argument --column"),
        (
            'repair --jsonl --replacement " a',
            "argument --replacement: the replacement must not have quotation",
        ),
    ],
)
def test_arguments(arguments: str, message: str, tmp_path: Path) -> None:
    done = command.run(*arguments.split(" "), cwd=tmp_path)
    assert done.code == ERROR
    assert message in done.err


def test_tables_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    for name in ("check", "repair"):
        done = command.run(name, "--jsonl", "a.parquet", cwd=tmp_path)
        assert (done.code, "starts as Parquet files do" in done.err) == (ERROR, True)


def test_each_file_starts_on_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"a":1}\n{"a":2}')
    (tmp_path / "b").write_bytes(b"")
    (tmp_path / "c").write_bytes(b'{"c":"cut')
    (tmp_path / "d").write_bytes(b'{"d":1}\n')
    kept = b'{"a":1}\n{"a":2}\n{"c":"cut\n{"d":1}\n'
    for options, output in [([], kept), (["--rows", "drop"], kept.replace(b'{"c":"cut\n', b""))]:
        command.run("repair", "--jsonl", "-q", *options, "-o", "out", "a", "b", "c", "d", cwd=tmp_path)
        assert (tmp_path / "out").read_bytes() == output
    done = command.run("repair", "--jsonl", "--quarantine", "q", "-o", "out", "c", "d", cwd=tmp_path)
    assert done.err.splitlines()[-1] == "2 files read: 1 repaired, 1 unchanged, 1 record in quarantine"
    # In place each file is as before.
    assert command.run("repair", "--jsonl", "-i", "a", "d", cwd=tmp_path).code == DONE
    assert (tmp_path / "a").read_bytes() == b'{"a":1}\n{"a":2}'


def test_files_below_directories(tmp_path: Path) -> None:
    """Source code is not JSON lines, and a NUL is an error, not a sign of a binary file."""
    script = b'x = "\\u0000"\n'
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/s.py").write_bytes(script)
    (tmp_path / "tree/a.NDJSON").write_bytes(b'{"a":"x\0y"}\n')
    done = command.run("check", "--jsonl", "tree", cwd=tmp_path)
    assert (done.code, len(done.lines), done.lines[0].split(": ")[1]) == (INVALID, 2, "/a")
    assert command.run("repair", "--jsonl", "-i", "-q", "tree", cwd=tmp_path).code == DONE
    assert (tmp_path / "tree/a.NDJSON").read_bytes() == b'{"a":"x\xef\xbf\xbdy"}\n'
    assert (tmp_path / "tree/s.py").read_bytes() == script
    # By name any file is read.
    assert command.run("check", "--jsonl", "tree/s.py", cwd=tmp_path).code == INVALID


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_records_in_other_forms_of_unicode_are_not_repaired(tmp_path: Path, encoding: str) -> None:
    data = '{"a": 1, "b": "é"}\n{"a": 2}\n'.encode(encoding)
    (tmp_path / "a.jsonl").write_bytes(data)
    done = command.run("repair", "--jsonl", "-i", "a.jsonl", cwd=tmp_path)
    assert (done.code, f"text in {encoding[:6]}" in done.err) == (ERROR, True)
    assert command.run("repair", "--jsonl", "-i", ".", cwd=tmp_path).code == DONE
    assert (tmp_path / "a.jsonl").read_bytes() == data
    # What begins with a record is repaired, and a NUL is an error in it.
    for start in (b"", b"\0\0 ", b"\xef\xbb\xbf"):
        (tmp_path / "a.jsonl").write_bytes(start + b'{"a":"\0\xff"}\n')
        assert command.run("repair", "--jsonl", "-i", "-q", "a.jsonl", cwd=tmp_path).code == DONE
        assert (tmp_path / "a.jsonl").read_bytes().endswith('{"a":"\ufffd\ufffd"}\n'.encode())


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"\x1f\x8b\x08", "gzip"),
        (b"BZh91AY&SY", "bzip2"),
        (b"PAR1", "Parquet"),
        (b"\x28\xb5\x2f\xfd", "Zstandard"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, start: bytes, name: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(start + b'{"a":"\xff"}\n')
    for arguments in (["check"], ["repair"], ["repair", "-i"], ["repair", "--rows", "drop", "-o", "out"]):
        done = command.run(*arguments, "--jsonl", "a.jsonl", cwd=tmp_path)
        assert (done.code, f"starts as {name}" in done.err) == (ERROR, True)
    done = command.run("repair", "--jsonl", data=start + b"\xff")
    assert (done.code, done.out) == (ERROR, "")


INDENTED = json.dumps({"id": 1}, indent=1).encode() + b"\n"


@pytest.mark.parametrize("name", ["check", "repair"])
def test_indented_json_is_refused(name: str) -> None:
    done = command.run(name, "--jsonl", data=INDENTED)
    assert (done.code, done.err) == (ERROR, f"leadbyte: -: {NOT_LINES}\n")


class Trickle(io.FileIO):
    """A file that is read by single bytes, as from a pipe that is filled slowly."""

    def readinto(self, buffer: Buffer, /) -> int:
        """Read a byte."""
        return super().readinto(memoryview(buffer)[:1])


def test_a_pipe_that_is_filled_slowly(tmp_path: Path) -> None:
    path, memory = tmp_path / "a.jsonl", bytearray(100)
    path.write_bytes(INDENTED)
    with Trickle(path) as file, pytest.raises(OSError, match=NOT_LINES):
        JsonLinesFile(file).readinto(memory)
    path.write_bytes(GOOD)
    with Trickle(path) as file:
        length = JsonLinesFile(file).readinto(memory)
    assert memory[:length] == GOOD[:length] == GOOD[: GOOD.index(b"\n") + 1]


def test_memory_after_a_long_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block shrinks again, so that not all other records are found at once."""
    monkeypatch.setattr(quarantine, "BLOCK", 1 << 10)
    blocks = []

    def read(memory: memoryview) -> int:
        blocks.append(len(memory))
        part = data[: len(memory)]
        memory[: len(part)] = part
        del data[: len(part)]
        return len(part)

    data = bytearray(b'"' + b"a" * 100_000 + b'"\n' + b'"b"\n' * 10_000)
    expected = bytes(data)
    lines = quarantine.TextLines(Scanner(), "a", None)
    text = b"".join(bytes(part) for part in quarantine.separated_lines(read, lines, print))
    assert (text, max(blocks) > 50_000, blocks[-1] <= 1 << 10) == (expected, True, True)


def test_long_pointers_are_shortened(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"' + b"k" * 3000 + b'":"\\u0000"}\n')
    line, _ = command.run("check", "--jsonl", "a.jsonl", cwd=tmp_path).lines
    assert len(line) < 300
    report, _ = command.run("check", "--jsonl", "--format", "json", "a.jsonl", cwd=tmp_path).objects
    assert report["errors"][0]["pointer"] == "/" + "k" * 3000
