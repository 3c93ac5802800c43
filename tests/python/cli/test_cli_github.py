"""``--format github``: annotations as the runner of a workflow reads them."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

import command
import pytest

if TYPE_CHECKING:
    from pathlib import Path

VALID, INVALID, ERROR = 0, 1, 2
BAD = b"one\ncaf\xe9 \xc0\xb1\n"
NAMES = ["plain.txt", "a b.txt", "100%.txt", "%3A%25.txt", "a,b;c.txt", "été €.txt", "[x]=y.txt"]
if sys.platform != "win32":
    NAMES += ["a:b.txt", "::error::.txt", "two\nlines", "carriage\rreturn"]


class Annotation(NamedTuple):
    """What a line asks the runner for."""

    properties: dict[str, str]
    message: str


def unescaped(text: str, codes: dict[str, str]) -> str:
    for code, char in codes.items():
        text = text.replace(code, char)
    return text


def annotated(lines: list[str]) -> list[Annotation]:
    """Return what the runner understands, by the rules of actions/runner's ActionCommand."""
    data = {"%0D": "\r", "%0A": "\n"}
    found = []
    for line in lines:
        if match := re.fullmatch(r"::error ([^:]*)::(.*)", line):
            pairs = (pair.split("=", 1) for pair in match[1].split(","))
            named = {**data, "%3A": ":", "%2C": ",", "%25": "%"}
            properties = {name: unescaped(value, named) for name, value in pairs}
            found.append(Annotation(properties, unescaped(match[2], {**data, "%25": "%"})))
    return found


def environment(workspace: str = "") -> dict[str, str]:
    return command.environment(GITHUB_WORKSPACE=workspace)


@pytest.mark.parametrize("name", NAMES)
def test_places_are_those_of_the_other_formats(tmp_path: Path, name: str) -> None:
    (tmp_path / command.name_of(name)).write_bytes(BAD)
    done = command.run("check", "--format", "github", name, cwd=tmp_path, env=environment())
    (reported, _) = command.run("check", "--format", "json", name, cwd=tmp_path).objects
    messages = [error for error in reported["errors"] if error["start"] == error["message_start"]]
    *text, summary = command.run("check", name, cwd=tmp_path).lines
    title = "not valid UTF-8"
    assert (done.code, done.err) == (INVALID, "")
    assert annotated(done.lines) == [
        ({"file": name, "line": str(error["line"]), "col": str(error["column"]), "title": title}, line)
        for error, line in zip(messages, text, strict=True)
    ]
    assert done.lines[2:] == [summary]


def test_file_is_reported_from_the_root_of_the_repository(tmp_path: Path) -> None:
    inside = tmp_path / "repository" / "docs"
    inside.mkdir(parents=True)
    for directory in (tmp_path, inside):
        (directory / "bad.txt").write_bytes(b"\xff")
    paths = ["bad.txt", "./bad.txt", str(inside / "bad.txt"), os.path.join(os.pardir, "docs", "bad.txt")]
    for path in paths:
        done = command.run("check", "--format=github", path, cwd=inside, env=environment(str(inside.parent)))
        assert [found.properties["file"] for found in annotated(done.lines)] == ["docs/bad.txt"]
    done = command.run("check", "--format=github", ".", cwd=inside, env=environment())
    assert [found.properties["file"] for found in annotated(done.lines)] == ["bad.txt"]
    outside = str(tmp_path / "bad.txt")
    done = command.run("check", "--format=github", outside, cwd=inside, env=environment(str(inside.parent)))
    assert [found.properties["file"] for found in annotated(done.lines)] == [outside]


def test_standard_input_is_no_file() -> None:
    done = command.run("check", "--format=github", "-", data=b"\n\xff", env=environment())
    assert annotated(done.lines) == [
        (
            {"line": "2", "col": "1", "title": "not valid UTF-8"},
            "-:2:1: byte 1: FF never occurs in UTF-8: 0a [ff]",
        )
    ]


def test_what_is_not_shown_is_counted(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff\n" * 12)
    done = command.run(
        "check", "--format=github", "--max-errors=2", "bad.txt", cwd=tmp_path, env=environment()
    )
    *_, last = annotated(done.lines)
    assert last == ({"file": "bad.txt", "title": "not valid UTF-8"}, "bad.txt: 10 more errors")
    assert len(done.lines) == 4


def test_valid_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_bytes(b"caf\xc3\xa9\n")
    done = command.run("check", "--format=github", "good.txt", cwd=tmp_path)
    assert done == (VALID, "1 file checked (6 bytes, 5 chars): all valid UTF-8\n", "")
    done = command.run("check", "--format=github", "missing.txt", cwd=tmp_path)
    assert (done.code, done.err) == (ERROR, "leadbyte: missing.txt: No such file or directory\n")


def test_byte_order_marks(tmp_path: Path) -> None:
    (tmp_path / "marked.txt").write_bytes(b"\xef\xbb\xbfa\n")
    (tmp_path / "plain.txt").write_bytes(b"a\n")
    done = command.run("bom", "check", "--format=github", ".", cwd=tmp_path, env=environment())
    place = {"file": "marked.txt", "line": "1", "col": "1", "title": "byte order mark"}
    message = f"{os.path.join('.', 'marked.txt')}: begins with a byte order mark: utf-8"
    assert (done.code, annotated(done.lines)) == (INVALID, [(place, message)])
    assert done.lines[1:] == ["2 files checked: 1 byte order mark"]


@pytest.mark.parametrize("name", ["text", "json", "list", "quiet"])
def test_short_forms_are_the_same(tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xef\xbb\xbf\xff")
    for words in (["check"], ["bom", "check"]):
        short = [] if name == "text" else [f"--{name}"]
        done = command.run(*words, *short, "bad.txt", cwd=tmp_path)
        assert done == command.run(*words, "--format", name, "bad.txt", cwd=tmp_path)
    assert command.run("check", "--json", "--format=json", "bad.txt", cwd=tmp_path).code == ERROR
