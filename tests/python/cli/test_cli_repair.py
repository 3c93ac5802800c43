"""``leadbyte repair``: to standard output, to a file, in place."""

from __future__ import annotations

import functools
import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import command
import pytest
import strategies
import substitution
from command import read_all
from leadbyte._files.reading import BLOCK
from leadbyte.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from leadbyte._leadbyte import _Substitution as Substitution

DONE, ERROR, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
GOOD = "Съешь ещё\n".encode()
BAD = GOOD + b"caf\xe9 \xff\n"
REPORT = (
    "bad.txt:2:4: byte 21: truncated 3-byte sequence (1 of 3 bytes):"
    " d1 89 d1 91 0a 63 61 66 [e9] 20 ff 0a\n"
    "bad.txt:2:6: byte 23: FF never occurs in UTF-8: d1 91 0a 63 61 66 e9 20 [ff] 0a\n"
)


def expected(data: bytes, replacement: str = "\ufffd") -> bytes:
    """Return the result for data."""
    assert "\ufffd" not in data.decode("utf-8", "ignore")
    return data.decode("utf-8", "replace").replace("\ufffd", replacement).encode()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_bytes(GOOD)
    (tmp_path / "bad.txt").write_bytes(BAD)
    return tmp_path


repaired = functools.partial(command.run_binary, "repair")


# To standard output.


def test_to_standard_output(files: Path) -> None:
    before = read_all(files)
    summary = "1 file read: 1 repaired, 2 errors replaced\n"
    assert repaired("bad.txt", cwd=files) == (DONE, expected(BAD), REPORT + summary)
    assert read_all(files) == before


def test_valid_text_passes_in_silence(files: Path) -> None:
    assert repaired("good.txt", cwd=files) == (DONE, GOOD, "")
    assert repaired("-", cwd=files, data=b"") == (DONE, b"", "")


@pytest.mark.parametrize("block", [4, 64, BLOCK])
@pytest.mark.parametrize("way", list(substitution.WAYS))
def test_substitution(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    way: Substitution,
    block: int,
) -> None:
    monkeypatch.setattr("leadbyte.cli.repair.BLOCK", block)
    data = b"a\n".join(strategies.BROKEN)
    (tmp_path / "file").write_bytes(data)
    assert main(["repair", "--quiet", "--substitution", way, str(tmp_path / "file")]) == DONE
    assert capfdbinary.readouterr() == (substitution.replaced(data, way).encode(), b"")


@pytest.mark.parametrize("other", ["--jsonl", "--column a", "--rows drop", "--quarantine rows"])
def test_substitution_where_an_error_has_one_replacement(files: Path, other: str) -> None:
    code, output, errors = repaired("--substitution", "java", *other.split(), "bad.txt", cwd=files)
    assert (code, output) == (ERROR, b"")
    assert f"argument --substitution: not allowed with argument {other.split(maxsplit=1)[0]}" in errors
    assert sorted(os.listdir(files)) == ["bad.txt", "good.txt"]


@pytest.mark.once
@pytest.mark.parametrize("data", [*strategies.BROKEN, b"a\n".join(strategies.BROKEN)], ids=len)
@pytest.mark.parametrize("block", [4, 5, 64, BLOCK])
def test_as_cpython_replaces(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    data: bytes,
    block: int,
) -> None:
    monkeypatch.setattr("leadbyte.cli.repair.BLOCK", block)
    data = "é€😀".encode() + data + "é€😀".encode() + data
    (tmp_path / "file").write_bytes(data)
    assert main(["repair", "--quiet", str(tmp_path / "file")]) == DONE
    assert capfdbinary.readouterr() == (expected(data), b"")


def test_several_files_are_joined_but_not_their_characters(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\xe2")
    (tmp_path / "b").write_bytes(b"\x82\xacb")
    code, out, err = repaired("a", "-", "b", cwd=tmp_path, data=b"-\xf0")
    assert (code, out.decode()) == (DONE, "a\ufffd-\ufffd\ufffd\ufffdb")
    assert err.endswith("3 files read: 3 repaired, 4 errors replaced\n")


@pytest.mark.parametrize("replacement", ["", "?", "<мир>", "\ufffd\ufffd"])
def test_replacement(files: Path, replacement: str) -> None:
    code, out, err = repaired("--replacement", replacement, "bad.txt", cwd=files)
    assert (code, out) == (DONE, expected(BAD, replacement))
    assert err.endswith("2 errors replaced\n" if replacement else "2 errors dropped\n")


@posix_only
def test_replacement_must_be_text(files: Path) -> None:
    done = command.run("repair", "--replacement", b"\xff", "bad.txt", cwd=files)
    assert (done.code, done.out) == (ERROR, "")
    assert "--replacement: must be valid text" in done.err


def test_long_text_over_the_edges_of_blocks(tmp_path: Path) -> None:
    data = bytearray(strategies.filled(3 * BLOCK + 100, "€мир😀\n".encode()))
    for at in (0, BLOCK - 2, BLOCK + 7, 2 * BLOCK - 1, 3 * BLOCK):
        data[at] = 0xFF
    (tmp_path / "file").write_bytes(data)
    code, out, err = repaired("--quiet", "file", cwd=tmp_path)
    assert (code, out == expected(bytes(data)), err) == (DONE, True, "")
    assert repaired("--quiet", "-", cwd=tmp_path, data=bytes(data))[1] == out


def test_what_is_there_is_not_kept_back() -> None:
    process = command.start("repair", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    for piece, text in ((b"caf\xc3", "caf"), (b"\xa9 \xff", "é \ufffd"), ("€".encode(), "€")):
        process.stdin.write(piece)
        process.stdin.flush()
        assert process.stdout.read(len(text.encode())) == text.encode()
    assert command.finish(process).code == DONE


def test_files_that_cannot_be_read(files: Path) -> None:
    code, out, err = repaired("missing", "good.txt", ".", "bad.txt", cwd=files)
    assert (code, out) == (ERROR, GOOD + expected(BAD))
    if sys.platform != "win32":
        error = "leadbyte: missing: No such file or directory\nleadbyte: .: Is a directory\n"
        assert err.startswith(error + REPORT)


# Reports.


def test_limit_of_errors(files: Path) -> None:
    done = command.run("repair", "--max-errors=1", "bad.txt", cwd=files)
    assert done.err == (
        REPORT.partition("\n")[0] + "\nbad.txt: 1 more error\n1 file read: 1 repaired, 2 errors replaced\n"
    )


def test_quiet(files: Path) -> None:
    assert repaired("--quiet", "bad.txt", cwd=files) == (DONE, expected(BAD), "")
    assert repaired("--quiet", "missing", cwd=files)[2] == "leadbyte: missing: No such file or directory\n"


def test_verbose(files: Path) -> None:
    done = command.run("repair", "--verbose", "good.txt", cwd=files)
    assert done.err == "good.txt: unchanged\n1 file read: 1 unchanged\n"


def test_json_is_that_of_check(files: Path) -> None:
    done = command.run("repair", "--json", "good.txt", "bad.txt", "missing", cwd=files)
    *reported, summary = command.Done(0, done.err, "").objects
    assert [each.pop("result", None) for each in reported] == ["unchanged", "repaired", None]
    assert (
        reported == command.run("check", "--json", "good.txt", "bad.txt", "missing", cwd=files).objects[:-1]
    )
    assert summary == {
        "summary": {
            "files": 2, "repaired": 1, "unchanged": 1, "not_repaired": 0, "error_count": 2, "binary": 0,
            "ignored": 0, "hidden": 0, "failed": 1,
        }
    }  # fmt: skip
    assert done.code == ERROR


@pytest.mark.parametrize(
    "arguments",
    [
        ["-i"], ["-i", "-o", "x", "bad.txt"], ["--json", "--quiet", "bad.txt"], ["--backup=.bak", "bad.txt"],
        ["-i", "--backup=", "bad.txt"], ["-i", "--backup=a/b", "bad.txt"], ["--max-errors=x", "bad.txt"],
        ["-o", "x", "--backup=.bak", "bad.txt"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_arguments(files: Path, arguments: list[str]) -> None:
    before = read_all(files)
    done = command.run("repair", *arguments, cwd=files)
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.startswith("leadbyte ")
    assert read_all(files) == before


def test_help_documents_the_exit_codes() -> None:
    done = command.run("repair", "--help")
    assert done.code == DONE
    for text in (
        "exit codes:", "0  ", "2  ", "-o FILE", "--in-place", "--backup", "--replacement", "--max-errors",
        "--json", "--quiet", "--binary", "--verbose",
    ):  # fmt: skip
        assert text in done.out


# To a file.


def test_to_a_file(files: Path) -> None:
    assert repaired("--quiet", "bad.txt", "good.txt", "-o", "out", cwd=files) == (DONE, b"", "")
    assert read_all(files) == {"bad.txt": BAD, "good.txt": GOOD, "out": expected(BAD) + GOOD}


def test_to_a_file_that_is_read(files: Path) -> None:
    assert repaired("--quiet", "good.txt", "bad.txt", "-o", "bad.txt", cwd=files)[0] == DONE
    assert read_all(files) == {"bad.txt": GOOD + expected(BAD), "good.txt": GOOD}


def test_no_part_of_a_file_is_written(files: Path) -> None:
    (files / "out").write_bytes(b"old")
    code, _, err = repaired("--quiet", "bad.txt", "missing", "-o", "out", cwd=files)
    assert code == ERROR
    assert err.splitlines() == [
        "leadbyte: missing: No such file or directory",
        "leadbyte: out: not written, as not all files could be read",
    ]
    _, _, err = repaired("--json", "bad.txt", "missing", "-o", "out", cwd=files)
    assert [line.get("error") for line in map(json.loads, err.splitlines())] == [
        None, "No such file or directory", "not written, as not all files could be read", None,
    ]  # fmt: skip
    assert json.loads(err.splitlines()[-1])["summary"]["written"] is False
    _, _, err = repaired("bad.txt", "missing", "-o", "out", cwd=files)
    assert err.splitlines()[-1] == "1 file read: nothing written; 1 failed"
    assert read_all(files) == {"bad.txt": BAD, "good.txt": GOOD, "out": b"old"}


@posix_only
def test_permissions_of_a_written_file(files: Path) -> None:
    line = command.command_line("repair", "bad.txt", "-o")
    for name, mode in (("new", 0o640), ("old", 0o751)):
        (files / "old").touch()
        (files / "old").chmod(0o751)
        old = os.umask(0o027)
        try:
            subprocess.run([*line, name], cwd=files, capture_output=True, check=True, timeout=60)
        finally:
            os.umask(old)
        assert stat.S_IMODE((files / name).stat().st_mode) == mode


@posix_only
def test_to_what_is_no_file(files: Path) -> None:
    code, out, err = repaired("--quiet", "bad.txt", "-o", "/dev/null", cwd=files)
    assert (code, out, err) == (DONE, b"", "")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    for path, message in ((".", "Is a directory"), ("no/file", "No such file or directory")):
        done = repaired("--quiet", "bad.txt", "-o", path, cwd=files)
        assert done == (ERROR, b"", f"leadbyte: {path}: {message}\n")
    if os.path.exists("/dev/full"):
        done = repaired("--quiet", "bad.txt", "-o", "/dev/full", cwd=files)
        assert done == (ERROR, b"", "leadbyte: /dev/full: No space left on device\n")
    assert read_all(files) == {"bad.txt": BAD, "good.txt": GOOD}


@posix_only
def test_output_that_nobody_reads(files: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = command.finish(command.start("repair", "--quiet", "bad.txt", cwd=files, stdout=writer))
    os.close(writer)
    assert (done.code, done.err) == (PIPE_CLOSED, "")


# In place.


def test_in_place(files: Path) -> None:
    code, out, err = repaired("--in-place", "bad.txt", "good.txt", cwd=files)
    assert (code, out) == (DONE, b"")
    assert err == REPORT + "2 files read: 1 repaired, 1 unchanged, 2 errors replaced\n"
    assert read_all(files) == {"bad.txt": expected(BAD), "good.txt": GOOD}
    assert repaired("--in-place", "bad.txt", cwd=files) == (DONE, b"", "1 file read: 1 unchanged\n")


def test_dry_run(files: Path) -> None:
    before = read_all(files)
    done = command.run("repair", "--dry-run", "bad.txt", "good.txt", cwd=files)
    assert done == (
        DONE,
        (
            f"bad.txt: would be repaired\n{REPORT}good.txt: unchanged\n"
            "2 files read: 1 would be repaired, 1 unchanged, 2 errors would be replaced\n"
        ),
        "",
    )
    assert read_all(files) == before
