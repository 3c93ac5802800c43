"""``leadbyte audit`` and ``leadbyte sanitize``."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import command
import leadbyte
import pytest
from hidden_samples import trojan_sources

if TYPE_CHECKING:
    from pathlib import Path

DONE, INVALID, ERROR = 0, 1, 2
RLO, LRI, PDI = "\u202e", "\u2066", "\u2069"
WHY = "changes the direction of the text after it, and is not closed on its line (bidi_control)"


def test_report(tmp_path: Path) -> None:
    """Line and column, the name and the reason of each finding; a summary; the exit codes of check."""
    (tmp_path / "a.py").write_text(f"x = 1\ny = '{RLO}'\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("clean می\u200cخواهم 👩\u200d🚀\n", encoding="utf-8")
    done = command.run("audit", cwd=tmp_path)
    assert (done.code, done.err) == (INVALID, "")
    assert done.lines == [
        f"./a.py:2:6: U+202E RIGHT-TO-LEFT OVERRIDE {WHY}",
        "2 files searched, 52 bytes: 1 finding in 1 file",
    ]
    done = command.run("audit", "b.txt", "--verbose", cwd=tmp_path)
    assert (done.code, done.lines[0]) == (DONE, "b.txt: nothing found")
    assert command.run("audit", "missing", "a.py", cwd=tmp_path).code == ERROR
    assert command.run("audit", "--list", cwd=tmp_path).out == "./a.py\n"
    assert command.run("audit", "--list", "-0", cwd=tmp_path).out == "./a.py\0"
    assert command.run("audit", "-q", cwd=tmp_path).out == ""


def test_formats(tmp_path: Path) -> None:
    """JSON has all fields of the first findings and the number of the others, GitHub annotations."""
    (tmp_path / "a.c").write_bytes(b"a\0b\xff\n" + "\u200b".encode() * 20)
    done = command.run("audit", "--format", "json", "--max-findings", "3", "a.c", cwd=tmp_path)
    report, summary = map(json.loads, done.lines)
    assert (report["finding_count"], report["findings_omitted"], report["byte_count"]) == (22, 19, 65)
    found = [*leadbyte.audit((tmp_path / "a.c").read_bytes())]
    assert report["findings"] == [item.as_dict() for item in found[:3]]
    assert summary["summary"]["with_findings"] == 1
    done = command.run("audit", "--format", "github", "--max-findings", "2", "a.c", cwd=tmp_path)
    why = "ends the text where strings end with a NUL, and databases refuse it"
    assert done.lines[:3] == [
        f"::error file=a.c,line=1,col=2,title=hidden character::U+0000 <control-0000> NULL {why} (nul)",
        "::error file=a.c,line=1,col=4,title=not valid UTF-8::FF never occurs in UTF-8 (invalid)",
        "::error file=a.c,title=hidden characters::20 more findings",
    ]
    done = command.run("audit", "--format", "github", "--max-findings", "0", "a.c", cwd=tmp_path)
    assert done.lines[0] == "::error file=a.c,title=hidden characters::22 findings"


@pytest.mark.parametrize("limit", [0, 1, 7, 10**6])
def test_findings_that_are_not_shown_are_counted(tmp_path: Path, limit: int) -> None:
    """They are not described one by one, which takes most of the time, in any piece of the file."""
    data = (
        b"a\xff\n" + "\u200b\n".encode() * 60_000 + b"\xff" * 300_000 + b"\n\xe2\x82\n" + f"{RLO}\n".encode()
    )
    (tmp_path / "a.txt").write_bytes(data)
    done = command.run("audit", "--json", f"--max-findings={limit}", "a.txt", cwd=tmp_path)
    report = json.loads(done.lines[0])
    assert (report["finding_count"], len(report["findings"])) == (360_003, min(limit, 360_003))
    if limit > 1:
        found = report["findings"][-1]["location"]
        place = data[: found["byte_offset"]]
        assert found["line"] == place.count(b"\n") + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("audit -p html", "policy must be a set of kinds or one of 'source-code'"),
        ("audit -p nul,bidi", "policy must be"),
        ("sanitize a", "-p/--policy"),
        ("sanitize -p json --replacement \u2028\0 a", None),
        (
            "sanitize -p source-code --replacement \u200b a",
            "argument --replacement: the replacement has U+200B",
        ),
        ("sanitize -p json -i -o b a", "not allowed with"),
    ],
)
def test_arguments(arguments: str, message: str | None, tmp_path: Path) -> None:
    """Policies and replacements are checked before anything is read."""
    if message is None:
        return
    done = command.run(*arguments.split(" "), cwd=tmp_path)
    assert done.code == ERROR
    assert message in done.err


def test_standard_input_and_output() -> None:
    """Text is read from a pipe and printed, with the findings on standard error."""
    done = command.run("sanitize", "--policy", "llm-input", data="a\u200bb 👩\u200d🚀\n".encode())
    assert (done.code, done.out) == (DONE, "ab 👩\u200d🚀\n")
    assert done.err.splitlines() == [
        "-:1:2: U+200B ZERO WIDTH SPACE is not shown, or only as a space (invisible)",
        "1 file read: 1 sanitized, 1 finding removed",
    ]
    done = command.run("audit", "-p", "nul,four_byte", data="\0😀".encode())
    assert [line.split(" ")[1] for line in done.lines[:2]] == ["U+0000", "U+1F600"]


def test_output_file_and_dry_run(tmp_path: Path) -> None:
    """A dry run writes nothing, and with --check its code reports whether something would change."""
    (tmp_path / "a").write_bytes(b"a\x1bb\xff")
    done = command.run("sanitize", "-p", "xml-1.0", "--replacement", "?", "-o", "b", "a", cwd=tmp_path)
    assert done.code == DONE
    assert (tmp_path / "b").read_bytes() == b"a?b?"
    done = command.run("sanitize", "-p", "xml-1.0", "--check", "a", "b", cwd=tmp_path)
    assert (done.code, done.lines[2:4]) == (INVALID, ["a: would be sanitized", "b: unchanged"])
    assert (tmp_path / "a").read_bytes() == b"a\x1bb\xff"


@pytest.mark.parametrize("policy", ["source-code", "llm-input", "mysql-utf8mb3", "bidi_control,tag"])
def test_a_second_run_changes_nothing(policy: str, tmp_path: Path) -> None:
    """In place, files are replaced once; audit finds nothing then. Others are left untouched."""
    names = []
    for number, sample in enumerate(trojan_sources()):
        names.append(f"{number}.{random.Random(number).choice(['py', 'c', 'rs', 'sql', 'html', 'txt'])}")
        (tmp_path / names[-1]).write_bytes(b"first\n" + sample.encode() + b"\n\xff" + "😀\U000e0041".encode())
    (tmp_path / "clean").write_text("clean\n")
    before = (tmp_path / "clean").stat()
    assert command.run("sanitize", "-p", policy, "-i", ".", cwd=tmp_path).code == DONE
    contents = {path.name: (path.read_bytes(), path.stat().st_ino) for path in tmp_path.iterdir()}
    assert command.run("audit", "-p", policy, ".", cwd=tmp_path).code == DONE
    done = command.run("sanitize", "-p", policy, "-i", ".", cwd=tmp_path)
    assert f"{len(names) + 1} unchanged" in done.err
    assert contents == {path.name: (path.read_bytes(), path.stat().st_ino) for path in tmp_path.iterdir()}
    assert (tmp_path / "clean").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.py", f'x = "{LRI}" + "{PDI}"  # {{}}'),
        ("a.py", f"x = 1  # {LRI}\ny = 2  # {PDI}"),
        ("a.c", f"/* {LRI} */ f(); // {PDI}"),
        ("a.sql", f"select '{LRI}' -- {PDI}"),
        ("a.html", f"<p>{LRI}<!-- {PDI} --></p>"),
    ],
)
def test_controls_are_paired_within_strings_and_comments(name: str, line: str, tmp_path: Path) -> None:
    """In a language that is known; in other files, only the line matters."""
    (tmp_path / name).write_text(line, encoding="utf-8")
    assert command.run("audit", name, cwd=tmp_path).lines[-1].endswith("2 findings in 1 file")
    closed = line.replace(LRI, LRI + PDI).replace(PDI, "", 0)
    (tmp_path / name).write_text(closed.replace(f"{LRI}{PDI}", f"{LRI}א{PDI}"), encoding="utf-8")
    assert command.run("audit", name, cwd=tmp_path).lines[-1].endswith("1 finding in 1 file")
    if "\n" not in line:
        (tmp_path / "a.txt").write_text(line, encoding="utf-8")
        assert command.run("audit", "a.txt", cwd=tmp_path).code == DONE


def test_long_files_are_searched_in_pieces(tmp_path: Path) -> None:
    """Lines and columns count through all pieces, also of a long line; a comment continues in the next."""
    text = f"/*\n{'я' * 600_000}\u200b\n" + "short\n" * 200_000 + f"{LRI}*/{PDI}\u200b😀\ufeff\n"
    data = text.encode() + b"\xff"
    (tmp_path / "a.c").write_bytes(data)
    done = command.run("audit", "--format", "json", "a.c", cwd=tmp_path)
    found = json.loads(done.lines[0])["findings"]
    assert [item["kind"] for item in found] == [
        "invisible", "bidi_control", "bidi_control", "invisible", "inner_bom", "invalid",
    ]  # fmt: skip
    for item in found:
        assert item["location"] == leadbyte.locate(data, item["start"]).as_dict()
    done = command.run("sanitize", "-p", "source-code", "-o", "b", "a.c", cwd=tmp_path)
    assert (tmp_path / "b").read_bytes() == text.translate(
        dict.fromkeys(map(ord, f"{LRI}{PDI}\u200b\ufeff"))
    ).encode()


def test_files_below_directories(tmp_path: Path) -> None:
    """Binary, hidden and ignored files are skipped, as by check."""
    (tmp_path / "binary").write_bytes(b"a line\n" + b"\0" * 99)
    (tmp_path / ".hidden").write_bytes(b"\x1b")
    (tmp_path / ".ignore").write_bytes(b"ignored\n")
    (tmp_path / "ignored").write_bytes(b"\x1b")
    done = command.run("audit", ".", cwd=tmp_path)
    assert (done.code, done.lines) == (
        DONE,
        ["0 files searched, 0 bytes: nothing found; 1 binary file skipped; 1 ignored; 2 hidden"],
    )
    assert command.run("audit", "--no-ignore", ".", cwd=tmp_path).code == INVALID
    assert command.run("audit", "--binary", ".", cwd=tmp_path).code == INVALID
    assert command.run("audit", "binary", cwd=tmp_path).code == INVALID
