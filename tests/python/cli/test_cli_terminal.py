"""The command on a terminal: colours, tables and progress, with rich and without."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import command
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.clock,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals"),
]
with_and_without_rich = pytest.mark.parametrize("rich", [True, False], ids=["rich", "plain"])

BLOCK = 256 << 10
BLOCKS = 4


def slowly(pause: float) -> Iterator[bytes]:
    """Yield blocks with pauses of this many seconds between them."""
    for _ in range(BLOCKS):
        yield b"a" * BLOCK
        time.sleep(pause)


def on_slow_input(
    *arguments: str, rich: bool, cwd: Path | None = None, stderr_only: bool = False
) -> command.Done:
    """Run the command on input that takes longer than the delay after which progress is shown."""
    chunks = slowly(command.DELAY_SECONDS / 2)
    return command.on_terminal(
        *arguments, rich=rich, chunks=chunks, cwd=cwd, stderr_only=stderr_only, early_progress=True
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Give a directory with files whose names and errors are hard to print."""
    (tmp_path / "good.txt").write_bytes("мир\n".encode())
    (tmp_path / "[red]bad[bold].txt").write_bytes(b"\xe0\x83\xa9 caf\xe9 \xff\n")
    (tmp_path / command.name_of("escape\x1b[31m :smile: файл.txt")).write_bytes(b"\xc1\x9b\xc1\x9d" * 3)
    (tmp_path / ("long name " * 15 + ".txt")).write_bytes(b"\xff" * 30)
    return tmp_path


@with_and_without_rich
@pytest.mark.parametrize(
    "options",
    [["check"], ["check", "--verbose"], ["check", "--list"], ["check", "--json"], ["count", "--json"]],
)
def test_text_is_the_same_as_in_a_pipe(files: Path, options: list[str], *, rich: bool) -> None:
    piped = command.run(*options, ".", cwd=files)
    shown = command.on_terminal(*options, ".", cwd=files, rich=rich)
    assert command.without_styles(shown.out) == piped.out
    assert shown.code == piped.code


def test_errors_are_coloured_with_rich(files: Path) -> None:
    shown = command.on_terminal("check", "[red]bad[bold].txt", cwd=files, rich=True)
    bold, dim, bold_red, reset = (f"\x1b[{code}m" for code in ("1", "2", "1;31", "0"))
    assert f"{bold}[red]bad[bold].txt:1:1:{reset}" in shown.out
    assert f"{bold_red}[e0 83 a9]{reset}{dim} 20 63 61 66 e9 20 ff 0a{reset}" in shown.out
    assert f"{bold_red}1 not valid UTF-8{reset}" in shown.out


def test_verdict_is_green_with_rich(files: Path) -> None:
    shown = command.on_terminal("check", "good.txt", cwd=files, rich=True)
    assert "\x1b[32mall valid UTF-8\x1b[0m" in shown.out


def test_no_colours_without_rich(files: Path) -> None:
    assert "\x1b" not in command.on_terminal("check", ".", cwd=files, rich=False).out


@pytest.mark.parametrize(("no_color", "terminal"), [("1", "xterm"), ("", "dumb")])
def test_colours_can_be_turned_off(files: Path, no_color: str, terminal: str) -> None:
    shown = command.on_terminal("check", ".", cwd=files, rich=True, NO_COLOR=no_color, TERM=terminal)
    assert "31m" not in shown.out.replace("\\x1b[31m", "")
    assert "never occurs" in shown.out


@pytest.mark.parametrize("width", ["20", "80", "300"])
def test_lines_are_not_broken_by_the_width_of_the_terminal(files: Path, width: str) -> None:
    shown = command.on_terminal("check", ".", cwd=files, rich=True, COLUMNS=width)
    assert command.without_styles(shown.out) == command.run("check", ".", cwd=files).out


@with_and_without_rich
def test_count_on_a_terminal(files: Path, *, rich: bool) -> None:
    shown = command.on_terminal("count", "good.txt", "[red]bad[bold].txt", cwd=files, rich=rich)
    words = [line.split() for line in command.without_styles(shown.out).splitlines()]
    table = [line for line in words if line and line[0] != "leadbyte:"]
    assert table == [
        ["newlines", "chars", "UTF-16", "bytes", "path"],
        ["1", "4", "4", "7", "good.txt"],
        ["1", "9", "10", "11", "[red]bad[bold].txt"],
        ["2", "13", "14", "18", "total"],
    ]


@pytest.mark.parametrize("width", ["10", "30", "80"])
def test_numbers_are_whole_on_a_narrow_terminal(tmp_path: Path, width: str) -> None:
    (tmp_path / "file").write_bytes(b"a\n" * 1_234_567)
    shown = command.on_terminal("count", "file", cwd=tmp_path, rich=True, COLUMNS=width)
    text = command.without_styles(shown.out)
    assert text.count("1234567") == 1
    assert text.count("2469134") == 3


@with_and_without_rich
def test_progress_is_shown_and_erased(*, rich: bool) -> None:
    shown = on_slow_input("check", "-", rich=rich, stderr_only=True)
    assert shown.code == 0
    assert "MB/s" in shown.err or "kB/s" in shown.err
    screen = command.Screen(shown.err)
    assert screen.lines == []
    assert screen.cursor_shown
    assert shown.out == command.run("check", "-", data=b"a" * (BLOCKS * BLOCK)).out


@with_and_without_rich
@pytest.mark.parametrize("options", [["check"], ["count", "--json"]], ids=" ".join)
def test_output_stands_where_progress_was(options: list[str], *, rich: bool) -> None:
    shown = on_slow_input(*options, "-", "-", rich=rich)
    screen = command.Screen(shown.out)
    assert screen.lines == command.run(*options, "-", "-", data=b"a" * (BLOCKS * BLOCK)).out.splitlines()
    assert screen.cursor_shown


@with_and_without_rich
@pytest.mark.parametrize("options", [["repair"], ["convert", "--from", "cp1251"]], ids=" ".join)
def test_progress_of_writing_is_shown_and_erased(tmp_path: Path, options: list[str], *, rich: bool) -> None:
    shown = on_slow_input(*options, "-", "-o", "out", cwd=tmp_path, rich=rich, stderr_only=True)
    assert "MB/s" in shown.err or "kB/s" in shown.err
    assert command.Screen(shown.err).lines == []
    assert (tmp_path / "out").read_bytes() == b"a" * (BLOCKS * BLOCK)


def test_report_of_a_repair_is_coloured_with_rich(files: Path) -> None:
    shown = command.on_terminal(
        "repair", "good.txt", "[red]bad[bold].txt", cwd=files, rich=True, stderr_only=True
    )
    assert shown.out.startswith("мир\n\ufffd")
    assert "\x1b[1;31m[e0 83 a9]\x1b[0m" in shown.err
    assert command.without_styles(shown.err) == (
        command.run("repair", "good.txt", "[red]bad[bold].txt", cwd=files).err
    )


@with_and_without_rich
def test_warnings_while_progress_is_shown(tmp_path: Path, *, rich: bool) -> None:
    shown = on_slow_input("check", "-", "missing", "-", cwd=tmp_path, rich=rich, stderr_only=True)
    assert command.Screen(shown.err).lines == ["leadbyte: missing: No such file or directory"]


def test_progress_is_shown_after_a_second() -> None:
    shown = command.on_terminal("check", "-", rich=False, chunks=slowly(0.1), stderr_only=True)
    assert shown.err == ""
    shown = command.on_terminal("check", "-", rich=False, chunks=slowly(0.4), stderr_only=True)
    assert "B/s" in shown.err


@with_and_without_rich
def test_no_progress_for_short_work(files: Path, *, rich: bool) -> None:
    shown = command.on_terminal("check", "good.txt", cwd=files, rich=rich, stderr_only=True)
    assert shown.err == ""


def test_no_progress_in_pipes() -> None:
    process = command.start("check", "-")
    done = command.finish(process, b"a" * BLOCK)
    assert done.err == ""
