"""``leadbyte check``: what it prints about each file, in every form, and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import command
import leadbyte
import oracle
import pytest
import strategies

if TYPE_CHECKING:
    from pathlib import Path

VALID, INVALID, ERROR = 0, 1, 2
TEXT = "Съешь ещё\n".encode()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Give a directory with a valid file and two that are not."""
    (tmp_path / "good.txt").write_bytes(TEXT)
    (tmp_path / "bad.txt").write_bytes(TEXT + b"caf\xe9 \xff\n")
    (tmp_path / "worse.txt").write_bytes(b"\xc0\xb1\n" * 12)
    return tmp_path


def messages(data: bytes, *options: str) -> list[str]:
    """Return the messages about data, without the summary."""
    done = command.run("check", *options, "-", data=data)
    assert (done.code, done.err) == (INVALID, "")
    return done.lines[:-1]


def test_valid_file(files: Path) -> None:
    done = command.run("check", "good.txt", cwd=files)
    assert done == (VALID, "1 file checked (18 bytes, 10 chars): all valid UTF-8\n", "")


def test_invalid_file(files: Path) -> None:
    done = command.run("check", "bad.txt", cwd=files)
    assert done == (
        INVALID,
        (
            "bad.txt:2:4: byte 21: truncated 3-byte sequence (1 of 3 bytes):"
            " d1 89 d1 91 0a 63 61 66 [e9] 20 ff 0a\n"
            "bad.txt:2:6: byte 23: FF never occurs in UTF-8: d1 91 0a 63 61 66 e9 20 [ff] 0a\n"
            "1 file checked (25 bytes, 17 chars): 1 not valid UTF-8\n"
        ),
        "",
    )


def test_several_files_in_the_order_of_the_arguments(files: Path) -> None:
    done = command.run("check", "--list", "worse.txt", "good.txt", "bad.txt", cwd=files)
    assert done == (INVALID, "worse.txt\nbad.txt\n", "")


@pytest.mark.parametrize("others", [[], ["good.txt"], ["bad.txt"]], ids=repr)
def test_missing_file_beats_all(files: Path, others: list[str]) -> None:
    done = command.run("check", "missing.txt", *others, cwd=files)
    assert done.code == ERROR
    assert done.err == "leadbyte: missing.txt: No such file or directory\n"
    assert f"{len(others)} file" in done.lines[-1]


def test_nothing_was_checked(files: Path) -> None:
    done = command.run("check", "missing.txt", cwd=files)
    assert "valid UTF-8" not in done.out


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX links")
def test_link_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = command.run("check", "loop", cwd=tmp_path)
    assert done.code == ERROR
    assert done.err == f"leadbyte: loop: {os.strerror(40)}\n"


@pytest.mark.parametrize(
    "arguments", [["bom", "strip"], ["check", "-0", "-"], ["check", "--nonsense", "-"], ["nonsense", "-"]]
)
def test_wrong_arguments(arguments: list[str]) -> None:
    done = command.run(*arguments)
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.startswith("leadbyte")


@pytest.mark.parametrize("number", ["-1", "x", "", "1.5"])
def test_wrong_number_of_errors(number: str) -> None:
    done = command.run("check", "--max-errors", number, "-")
    assert (done.code, done.out) == (ERROR, "")
    assert f"argument --max-errors: must be an integer, 0 or more: {number!r}\n" in done.err


@pytest.mark.parametrize("forms", [["--json", "--list"], ["--list", "--quiet"], ["--json", "--quiet"]])
def test_forms_exclude_each_other(forms: list[str]) -> None:
    assert command.run("check", *forms, "-").code == ERROR


def test_help_documents_the_exit_codes() -> None:
    done = command.run("check", "--help")
    assert done.code == 0
    for text in (
        "exit codes:",
        "0  ",
        "1  ",
        "2  ",
        "--max-errors",
        "--json",
        "--list",
        "--quiet",
        "--binary",
    ):
        assert text in done.out


def test_version() -> None:
    isa = leadbyte.cpu_info()["functions"]["validate"]
    python = ".".join(map(str, sys.version_info[:3]))
    assert command.run("--version") == (0, f"leadbyte {leadbyte.__version__} ({isa}; Python {python})\n", "")
    scalar = command.run("--version", env=command.environment(LEADBYTE_ISA="scalar"))
    assert scalar.out == f"leadbyte {leadbyte.__version__} (scalar; Python {python})\n"


@pytest.mark.parametrize(
    ("sequence", "words"),
    [
        ("80", "unexpected continuation byte 80"),
        ("C0 B1", 'overlong encoding of U+0031 "1"'),
        ("C1 BF", "overlong encoding of U+007F"),
        ("C0", "C0 never occurs in UTF-8 (would start an overlong encoding)"),
        ("E0 80 B1", 'overlong encoding of U+0031 "1"'),
        ("E0 83 A9", 'overlong encoding of U+00E9 "é"'),
        ("E0 80", "E0 80 starts an overlong encoding"),
        ("F0 80 80 B1", 'overlong encoding of U+0031 "1"'),
        ("F0 82 82 AC", 'overlong encoding of U+20AC "€"'),
        ("C0 80", "overlong encoding of U+0000"),
        ("C0 8A", "overlong encoding of U+000A"),
        ("E0 82 9B", "overlong encoding of U+009B"),
        ("ED A0 80", "surrogate U+D800 encoded in UTF-8"),
        ("ED BF BF", "surrogate U+DFFF encoded in UTF-8"),
        ("ED A0", "ED A0 starts an encoded surrogate"),
        ("F4 90 80 80", "U+110000 is above U+10FFFF"),
        ("F7 BF BF BF", "U+1FFFFF is above U+10FFFF"),
        ("F5", "F5 never occurs in UTF-8 (would start a sequence above U+10FFFF)"),
        ("F8 88 80 80 80", "F8 never occurs in UTF-8 (would start a 5-byte sequence)"),
        ("FD BF BF BF BF BF", "FD never occurs in UTF-8 (would start a 6-byte sequence)"),
        ("FE", "FE never occurs in UTF-8"),
        ("FF", "FF never occurs in UTF-8"),
        ("E2 82", "truncated 3-byte sequence (2 of 3 bytes)"),
        ("F0 9F 98", "truncated 4-byte sequence (3 of 4 bytes)"),
        ("C3", "truncated 2-byte sequence (1 of 2 bytes)"),
    ],
)
def test_kinds_in_words(sequence: str, words: str) -> None:
    data = b"ab\ncd" + bytes.fromhex(sequence) + b"e"
    assert messages(data) == [f"-:2:3: byte 5: {words}: 61 62 0a 63 64 [{sequence.lower()}] 65"]


@pytest.mark.parametrize(
    ("sequence", "words"),
    [
        ("C3", "truncated 2-byte sequence (1 of 2 bytes) at the end of the data"),
        ("E2", "truncated 3-byte sequence (1 of 3 bytes) at the end of the data"),
        ("E2 82", "truncated 3-byte sequence (2 of 3 bytes) at the end of the data"),
        ("F0 9F 98", "truncated 4-byte sequence (3 of 4 bytes) at the end of the data"),
    ],
)
def test_cut_off_at_the_end(sequence: str, words: str) -> None:
    assert messages(b"a" + bytes.fromhex(sequence)) == [f"-:1:2: byte 1: {words}: 61 [{sequence.lower()}]"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("C0 B1 C0 B1", ["c0 b1", "c0 b1"]),
        ("C0 B1 B2", ["c0 b1", "b2"]),
        ("ED A0 BD ED B8 80", ["ed a0 bd", "ed b8 80"]),
        ("F8 88 80 80 80 80", ["f8 88 80 80 80", "80"]),
        ("FE 80 80 80 80 80 80 80", ["fe 80 80 80 80 80 80", "80"]),
        ("FF 80 80 80 80 80 80 80 80", ["ff 80 80 80 80 80 80 80", "80"]),
        ("80 80", ["80", "80"]),
        ("C0 41 B1", ["c0", "b1"]),
        ("E2 82 C0 B1", ["e2 82", "c0 b1"]),
        ("F4 90 80", ["f4 90 80"]),
        ("C2 C2", ["c2", "c2"]),
        ("C2 E2 82", ["c2", "e2 82"]),
    ],
)
def test_neighbours_of_one_character_are_joined(data: str, expected: list[str]) -> None:
    shown = [line.rpartition("[")[2].partition("]")[0] for line in messages(bytes.fromhex(data))]
    assert shown == expected


@pytest.mark.parametrize("before", [0, 1, 7, 8, 9, 20])
@pytest.mark.parametrize("after", [0, 1, 7, 8, 9, 20])
def test_context(before: int, after: int) -> None:
    data = b"x" * before + b"\xff" + b"y" * after
    shown = [*["78"] * min(before, 8), "[ff]", *["79"] * min(after, 8)]
    assert messages(data) == [f"-:1:{before + 1}: byte {before}: FF never occurs in UTF-8: {' '.join(shown)}"]


def test_columns_are_characters() -> None:
    data = "один\n€😀é".encode() + b"\xff"
    assert messages(data)[0].startswith("-:2:4: byte 18: ")


@pytest.mark.parametrize("limit", [1, 5, 10, 11, 12, 100])
def test_limit_of_errors(files: Path, limit: int) -> None:
    done = command.run("check", f"--max-errors={limit}", "worse.txt", cwd=files)
    shown = [line for line in done.lines if "overlong encoding" in line]
    assert len(shown) == min(limit, 12)
    assert [line.partition(" ")[0] for line in shown] == [
        f"worse.txt:{line + 1}:1:" for line in range(len(shown))
    ]
    more = 2 * (12 - len(shown))
    assert [line for line in done.lines if "more error" in line] == (
        [f"worse.txt: {more} more errors"] if more else []
    )


def test_default_limit_is_ten(files: Path) -> None:
    done = command.run("check", "worse.txt", cwd=files)
    assert done.out == command.run("check", "--max-errors=10", "worse.txt", cwd=files).out
    assert len(done.lines) == 12


def test_limit_of_no_errors(files: Path) -> None:
    done = command.run("check", "--max-errors=0", "bad.txt", "worse.txt", cwd=files)
    assert done.lines[:-1] == ["bad.txt: 2 errors", "worse.txt: 24 errors"]
    assert done.code == INVALID


@pytest.mark.parametrize("limit", [2**31, 2**63, 10**30])
def test_limit_beyond_all_numbers(files: Path, limit: int) -> None:
    done = command.run("check", f"--max-errors={limit}", "worse.txt", cwd=files)
    assert (done.code, done.err) == (INVALID, "")
    assert len(done.lines) == 13


def test_one_more_error_in_the_singular() -> None:
    assert messages(b"\xff\xff", "--max-errors=1")[-1] == "-: 1 more error"


def test_list(files: Path) -> None:
    done = command.run("check", "--list", ".", cwd=files)
    assert done == (INVALID, f".{os.sep}bad.txt\n.{os.sep}worse.txt\n", "")


def test_list_of_nothing(files: Path) -> None:
    assert command.run("check", "--list", "good.txt", cwd=files) == (VALID, "", "")


@pytest.mark.parametrize(
    ("paths", "code"),
    [(["good.txt"], VALID), (["good.txt", "bad.txt"], INVALID), (["bad.txt", "missing.txt"], ERROR)],
)
def test_quiet(files: Path, paths: list[str], code: int) -> None:
    done = command.run("check", "--quiet", *paths, cwd=files)
    assert (done.code, done.out) == (code, "")


def test_verbose_names_valid_files(files: Path) -> None:
    done = command.run("check", "--verbose", "good.txt", cwd=files)
    assert done.lines[0] == "good.txt: valid, 10 chars"


def test_json(files: Path) -> None:
    done = command.run("check", "--json", "good.txt", "bad.txt", "missing.txt", cwd=files)
    assert done.code == ERROR
    good, bad, missing, summary = done.objects
    data = (files / "bad.txt").read_bytes()
    for found, path in ((good, "good.txt"), (bad, "bad.txt")):
        expected = oracle.scan((files / path).read_bytes())
        del expected["error"]
        assert {**found, "errors": []} == {"path": path, **expected, "errors": [], "errors_omitted": 0}
    assert good["errors"] == []
    assert bad["errors"] == [
        {
            "line": 2,
            "column": 4,
            "start": 21,
            "end": 22,
            "kind": "missing_continuation",
            "reason": "invalid continuation byte",
            "bytes": "e9",
            "before": data[13:21].hex(" "),
            "after": "20 ff 0a",
            "message": "truncated 3-byte sequence (1 of 3 bytes)",
            "message_start": 21,
            "message_end": 22,
        },
        {
            "line": 2,
            "column": 6,
            "start": 23,
            "end": 24,
            "kind": "invalid_start",
            "reason": "invalid start byte",
            "bytes": "ff",
            "before": data[15:23].hex(" "),
            "after": "0a",
            "message": "FF never occurs in UTF-8",
            "message_start": 23,
            "message_end": 24,
        },
    ]
    assert missing == {"path": "missing.txt", "error": "No such file or directory"}
    assert summary == {
        "summary": {
            "files": 2,
            "invalid": 1,
            "byte_count": 43,
            "char_count": 27,
            "binary": 0,
            "ignored": 0,
            "hidden": 0,
            "failed": 1,
        }
    }


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 10])
def test_json_has_the_errors_that_it_counts(limit: int) -> None:
    data = b"\xe0\x80\xb1\n\xff"
    found = command.run("check", "--json", f"--max-errors={limit}", "-", data=data).objects[0]
    assert [(error["start"], error["end"]) for error in found["errors"]] == [
        (error.start, error.end) for error in list(leadbyte.iter_errors(data))[:limit]
    ]
    assert found["error_count"] == 4
    assert found["errors_omitted"] == 4 - len(found["errors"])
    overlong, never = ('overlong encoding of U+0031 "1"', 0, 3), ("FF never occurs in UTF-8", 4, 5)
    about = [(error["message"], error["message_start"], error["message_end"]) for error in found["errors"]]
    assert about == [overlong, overlong, overlong, never][:limit]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-16"])
def test_json_is_utf8(encoding: str) -> None:
    env = command.environment(PYTHONIOENCODING=encoding)
    done = command.run("check", "--json", "-", data=b"\xe0\x83\xa9", env=env)
    assert '\\"é\\"' in done.out
    assert done.objects[0]["errors"][0]["message"] == 'overlong encoding of U+00E9 "é"'


@pytest.mark.parametrize("form", ["--json", "--list"])
def test_verbose_does_not_disturb_other_forms(files: Path, form: str) -> None:
    (files / "binary").write_bytes(b"a\0b")
    done = command.run("check", form, "--verbose", "good.txt", "bad.txt", cwd=files)
    assert done == command.run("check", form, "good.txt", "bad.txt", cwd=files)


def test_lines_and_columns_agree_with_a_naive_count() -> None:
    data = b"\xd1\x8f\n a".join(strategies.BROKEN)
    done = command.run("check", "--json", "--max-errors=1000", "-", data=data)
    found = done.objects[0]
    spans = [(start, end) for start, end, _ in oracle.spans(data)]
    assert found["error_count"] == len(spans)
    assert [(error["start"], error["end"]) for error in found["errors"]] == spans
    for error in found["errors"]:
        assert (error["line"], error["column"]) == oracle.place(data, error["start"])
        assert data[error["start"] : error["end"]].hex(" ") == error["bytes"]


def test_installed_script(files: Path) -> None:
    import shutil

    script = shutil.which("leadbyte", path=os.path.dirname(sys.executable))
    assert script, "the script leadbyte is installed beside Python"
    done = subprocess.run(
        [script, "check", "--list", "good.txt", "bad.txt"], cwd=files, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.split()) == (INVALID, [b"bad.txt"])
