"""``leadbyte explain``."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import command
import leadbyte
import pytest
import strategies
from leadbyte.cli import main

if TYPE_CHECKING:
    from pathlib import Path

EXPLAINED, ERROR = 0, 2
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX locales and terminals")
FILE = "é\n€😀\n\n😀€a".encode() + b"\n".join(strategies.BROKEN[::4]) + b"\x80" * 20 + "\n😀".encode()


def environment(locale: str = "en_US.UTF-8", **variables: str) -> dict[str, str]:
    """Return the environment with a locale of this name, installed or not."""
    return {**command.environment(**variables), "LC_ALL": locale, "LANGUAGE": ""}


def explain(
    *arguments: command.Argument, locale: str = "en_US.UTF-8", **given: strategies.Anything
) -> command.Done:
    """Run the command."""
    return command.run("explain", *arguments, env=environment(locale), **given)


def in_process(capfd: pytest.CaptureFixture[str], *arguments: str) -> command.Done:
    """Run the command in this process, which is faster."""
    code = main(["explain", *arguments])
    return command.Done(code, *capfd.readouterr())


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "file").write_bytes(FILE)
    return str(tmp_path / "file")


def test_text_in_a_pipe_is_the_table(capfd: pytest.CaptureFixture[str]) -> None:
    for text in ("$¢€𐍈", "", "u\u0308\n"):
        for lang in ("en", "ru"):
            done = in_process(capfd, "--lang", lang, text)
            assert done == (EXPLAINED, leadbyte.explain(text).table(lang) + "\n", "")
    assert (
        in_process(capfd, "--lang=en", "--", "--steps").out == leadbyte.explain("--steps").table("en") + "\n"
    )


def test_language_of_the_locale() -> None:
    assert explain("€", locale="ru_RU.UTF-8").out == leadbyte.explain("€").table("ru") + "\n"
    assert explain("€", locale="de_DE.UTF-8").out == leadbyte.explain("€").table("en") + "\n"
    assert explain("€", "--lang=en", locale="ru_RU.UTF-8").out == leadbyte.explain("€").table("en") + "\n"


def test_language_that_the_output_cannot_show() -> None:
    latin = {**environment("ru_RU.UTF-8"), "PYTHONIOENCODING": "latin-1"}
    assert command.run("explain", "e", env=latin).out == leadbyte.explain("e").table("en") + "\n"
    done = command.run("explain", "--lang=ru", "e", env=latin)
    assert (
        done.out == (leadbyte.explain("e").table("ru") + "\n").encode("latin-1", "backslashreplace").decode()
    )
    process = command.start("explain", "e", env={**latin, "PYTHONIOENCODING": "koi8-r"})
    assert command.communicate(process)[0].decode("koi8-r") == leadbyte.explain("e").table("ru") + "\n"
    row, _ = command.run("explain", "--json", "e", env=latin).objects
    assert row == leadbyte.explain("e").as_dict("ru")["rows"][0]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["explain", "e"]) == EXPLAINED
    assert out.getvalue() == leadbyte.explain("e").table() + "\n"


@pytest.mark.parametrize(
    "given",
    ["F0 90 8D 88", "f0908d88", "0xF0 0x90 0x8D 0x88", r"\xf0\x90\x8d\x88", "F0,90,8D,88", "F0 908D\t88"],
)
def test_bytes(capfd: pytest.CaptureFixture[str], given: str) -> None:
    assert in_process(capfd, "--lang=en", "--hex", given).out == leadbyte.explain("𐍈").table("en") + "\n"


@pytest.mark.parametrize("given", ["3105-312F", "U+3105-U+312F", "0x3105..0x312f"])
def test_range(capfd: pytest.CaptureFixture[str], given: str) -> None:
    lines = in_process(capfd, "--lang=en", "--range", given).lines
    assert len(lines) == 45
    assert " ".join(lines[1].split()) == (
        "ㄅ 12549 U+3105 11000100000101 1110|0011 10|000100 10|000101 E3 84 85 3105 3/2 BOPOMOFO LETTER B"
    )
    assert lines[-1] == "43 characters: 129 bytes in UTF-8, 86 bytes in UTF-16"


def test_range_of_one_and_of_surrogates(capfd: pytest.CaptureFixture[str]) -> None:
    assert in_process(capfd, "--range", "41", "--json").out.count("\n") == 2
    lines = in_process(capfd, "--range", "D7FF-E000", "--lang=en").lines
    assert len(lines) == 2 + 2050
    assert lines[-1].endswith("2048 errors")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a", "--hex", "41"],
        ["--hex", "4"],
        ["--hex", "xy"],
        ["--range", "110000"],
        ["--range", "42-41"],
        ["--range", "-41"],
        ["--range", ""],
        ["--range", "41-zz"],
        ["--file", "file", "--byte", "-1"],
        ["--file", "file", "--count", "x"],
        ["a", "--byte", "0"],
        ["a", "--count", "1"],
        ["a", "--lang", "de"],
    ],
    ids=" ".join,
)
def test_wrong_arguments(capfd: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["explain", *arguments])
    out, err = capfd.readouterr()
    assert (ended.value.code, out) == (ERROR, "")
    assert err.startswith("leadbyte ")
    assert "--lang" not in arguments or "argument --lang: invalid choice: 'de'" in err


def test_json(capfd: pytest.CaptureFixture[str]) -> None:
    explanation = leadbyte.explain(b"5 \xe2\x82\xac\xc0\xb1")
    for lang in ("en", "ru"):
        *rows, summary = in_process(capfd, "--json", "--hex", "35 20 E2 82 AC C0 B1", "--lang", lang).objects
        assert rows == explanation.as_dict(lang)["rows"]
        assert summary == {"summary": explanation.totals()}
    row, _ = in_process(capfd, "--json", "--steps", "--lang=ru", "€").objects
    assert row["steps"] == leadbyte.explain("€").steps("ru")


def test_steps(capfd: pytest.CaptureFixture[str]) -> None:
    for lang in ("en", "ru"):
        done = in_process(capfd, "--steps", "--lang", lang, "$€𐍈")
        assert done.out == leadbyte.explain("$€𐍈").steps(lang) + "\n"


def test_around_every_byte_of_a_file(file: str, capfd: pytest.CaptureFixture[str]) -> None:
    whole = leadbyte.explain(FILE)
    for offset in range(len(FILE) + 1):
        *rows, last = in_process(
            capfd, "--json", "--file", file, "--byte", str(offset), "--count=5", "--lang=en"
        ).objects
        at = next((at for at, row in enumerate(whole) if offset < row.end), len(whole))
        expected = whole[max(0, at - 2) :][:5]
        assert rows == expected.as_dict()["rows"]
        start = whole[at].start if at < len(whole) else offset
        place = leadbyte.locate(FILE, start)
        assert last["summary"] == {
            "path": file, "line": place.line, "column": place.column,
            "utf16_column": place.utf16_column, "char_offset": place.char_offset,
            "byte_offset": offset, **expected.totals(),
        }  # fmt: skip


def test_far_in_a_file(file: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--json", "--file", file, "--count=3", "--lang=en"]
    for offset in range(len(FILE) - 60, len(FILE) + 1):
        *near, near_summary = in_process(capfd, *options, "--byte", str(offset)).objects
        with monkeypatch.context() as patch:
            patch.setattr("leadbyte.cli.explain.MAX_LOCATED_OFFSET", 0)
            *far, far_summary = in_process(capfd, *options, "--byte", str(offset)).objects
        # Nobody has counted the characters before.
        assert far == [{**row, "index": None} for row in near]
        assert far_summary["summary"].keys() == near_summary["summary"].keys() - {
            "line",
            "column",
            "utf16_column",
            "char_offset",
        }


def test_table_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "menu.txt").write_bytes(b"one\ncaf\xe9 \xc0\xb1\n")
    assert explain("--file", "menu.txt", "--byte=10", "--count=2", cwd=tmp_path) == (
        EXPLAINED,
        """\
menu.txt:2:6: byte 10
byte  char  number  code    binary  UTF-8 in bits        UTF-8  UTF-16  bytes 8/16  name
   8  ␠         32  U+0020  100000  0|0100000            20     0020    1/2         SPACE
  >9  �                             110|00000 10|110001  C0 B1                      not UTF-8: overlong\
 encoding of U+0031 "1", whose valid form is 31
1 character: 1 byte in UTF-8, 2 bytes in UTF-16; 1 error
""",
        "",
    )
    first = explain("--file", "menu.txt", locale="ru_RU.UTF-8", cwd=tmp_path)
    assert first.lines[0] == "menu.txt:1:1: байт 0"
    assert len(first.lines) == 3 + len(leadbyte.explain(b"one\ncaf\xe9 \xc0\xb1\n"))


def test_standard_input() -> None:
    data = b"a" * (1 << 20) + "мир".encode()
    done = explain("--file=-", f"--byte={(1 << 20) + 3}", "--count=2", "--json", data=data)
    first, second, last = done.objects
    assert (first["char"], second["char"]) == ("м", "и")
    assert last["summary"]["column"] == (1 << 20) + 2


def test_beyond_the_end(file: str) -> None:
    for beyond in (len(FILE) + 1, 10**12, 10**30):
        done = explain("--file", file, f"--byte={beyond}")
        assert done == (
            ERROR, "", f"leadbyte: {file}: byte {beyond} is beyond the end, at {len(FILE)} bytes\n",
        )  # fmt: skip
    assert explain("--file=-", "--byte=1").err == "leadbyte: -: byte 1 is beyond the end, at 0 bytes\n"
    assert explain("--file", file, f"--count={10**30}").code == EXPLAINED


def test_what_cannot_be_read(tmp_path: Path) -> None:
    done = explain("--file", "missing", cwd=tmp_path)
    assert done == (ERROR, "", "leadbyte: missing: No such file or directory\n")
    assert explain("--file", ".", cwd=tmp_path).code == ERROR


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a file without an end")
def test_file_without_an_end() -> None:
    *rows, last = explain("--file=/dev/zero", "--byte=50000000", "--count=3", "--json").objects
    assert [row["start"] for row in rows] == [49_999_999, 50_000_000, 50_000_001]
    assert last["summary"]["column"] == 50_000_001


@posix_only
def test_text_that_is_not_in_the_locale_s_encoding() -> None:
    assert explain(b"caf\xe9").out == leadbyte.explain(b"caf\xe9").table("en") + "\n"
    ascii_only = environment("C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = command.run("explain", "--json", "é€\xff".encode() + b"\xff", env=ascii_only)
    assert done.objects[:-1] == leadbyte.explain("é€\xff".encode() + b"\xff").as_dict()["rows"]


@pytest.mark.parametrize("encoding", ["ascii", "ascii:strict", "latin-1", "cp1251", "koi8-r"])
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_standard_output_in_another_encoding(encoding: str, lang: str) -> None:
    done = subprocess.run(
        command.command_line("explain", "--lang", lang, "--steps", "é€я😀\u0308"),
        env=environment(PYTHONIOENCODING=encoding),
        capture_output=True,
        timeout=60,
        check=True,
    )
    codec = encoding.partition(":")[0]
    expected = leadbyte.explain("é€я😀\u0308").steps(lang) + "\n"
    assert done.stdout.replace(os.linesep.encode(), b"\n") == expected.encode(codec, "backslashreplace")
    assert done.stderr == b""


@posix_only
@pytest.mark.parametrize("rich", [True, False], ids=["rich", "plain"])
@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_terminals(*, rich: bool, width: int) -> None:
    given = b"[red]\xf0\x90\x8d\x88\xc0\xb1:smile:".hex()
    shown = command.on_terminal("explain", "--lang=en", "--hex", given, rich=rich, COLUMNS=str(width))
    text = command.without_styles(shown.out)
    assert text == leadbyte.explain(bytes.fromhex(given)).table("en", width=width) + "\n"
    marker = "\x1b[1;35m110\x1b[0m|00000 \x1b[1;35m10\x1b[0m|110001"
    assert (marker in shown.out, "\x1b[1;31mnot UTF-8" in shown.out, "\x1b" in shown.out) == (
        rich,
        rich,
        rich,
    )
    steps = command.on_terminal("explain", "--lang=ru", "--steps", "€", rich=rich, COLUMNS=str(width))
    assert command.without_styles(steps.out) == leadbyte.explain("€").steps("ru") + "\n"
    assert ("\x1b[1;35m1110\x1b[0m|0010" in steps.out) == rich


def test_help() -> None:
    done = explain("--help")
    assert done.code == EXPLAINED
    for text in (
        "TEXT",
        "--hex BYTES",
        "--file FILE",
        "--byte N",
        "--range A-B",
        "--steps",
        "--lang",
        "exit codes:",
    ):
        assert text in done.out
