"""The interface that all commands share: errors, suggestions, colours, quiet output, JSON and candidates."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING

import command
import leadbyte
import pytest
from command_table import COMMANDS, PARSERS
from leadbyte.cli.arguments import parser
from leadbyte.cli.help_texts import HELP_TEXTS, short_help
from leadbyte.cli.output import as_json, has_colours
from page_examples import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

DONE, INVALID, ERROR = 0, 1, 2
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю\n" * 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("chekc", "leadbyte: error: 'chekc' is not a command; did you mean check?"),
        ("bom stirp x", "leadbyte bom: error: 'stirp' is not a command; did you mean strip?"),
        ("xyzzy", "leadbyte: error: 'xyzzy' is not a command"),
        ("check --jsno x", "leadbyte check: error: unrecognized arguments: --jsno; did you mean --json?"),
        (
            "check --max-eror=5",
            "leadbyte check: error: unrecognized arguments: --max-eror=5; did you mean --max-errors?",
        ),
        (
            "convert --form cp1251 x",
            (
                "leadbyte convert: error: the following arguments are required: -f/--from; --form is not an"
                " option; did you mean --from?"
            ),
        ),
        ("check -- --jsno", "leadbyte: --jsno: No such file or directory"),
        ("check --qqqq", "leadbyte check: error: unrecognized arguments: --qqqq"),
        (
            "--verison",
            (
                "leadbyte: error: the following arguments are required: COMMAND; --verison is not an option;"
                " did you mean --version?"
            ),
        ),
    ],
)
def test_did_you_mean(line: str, message: str) -> None:
    done = command.run(*line.split())
    assert (done.code, done.err) == (ERROR, f"{message}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "locate missing --byte 1",
        "explain --file missing",
        "mojibake explain --file missing",
        "mojibake garble --file missing --encoding utf-8 --misread-as cp1252",
        "sizes missing",
    ],
)
def test_file_that_cannot_be_read_in_json(arguments: str, tmp_path: Path) -> None:
    done = command.run(*arguments.split(), "--json", cwd=tmp_path)
    message = "No such file or directory"
    assert (done.code, done.err) == (ERROR, f"leadbyte: missing: {message}\n")
    assert [*map(json.loads, done.lines)] == [{"path": "missing", "error": message}]


def test_numbers_that_are_too_large(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    for number in ("1025", str(sys.maxsize), "9" * 25, "9" * 5000):
        done = command.run("check", "-j", number, "a", cwd=tmp_path)
        assert (done.code, "argument -j/--jobs: must be an integer, 1" in done.err) == (ERROR, True)


@pytest.mark.parametrize("line", ["convert -f ascii -n --max-errors", "mojibake repair -n --max-steps"])
def test_limits_beyond_all_numbers(tmp_path: Path, line: str) -> None:
    (tmp_path / "a").write_bytes("Ã©tÃ© Ã  la crÃ¨me\n".encode())
    *_, summary = command.run(*line.split(), "9" * 25, "a", cwd=tmp_path).lines
    assert summary.startswith("1 file read: 1 ")


def test_choices_are_suggested() -> None:
    done = command.run("check", "--format", "jsno")
    assert done.err.startswith("leadbyte check: error: argument --format: invalid choice: 'jsno'")
    assert done.err.endswith("; did you mean json?\n")


def test_files_that_begin_with_a_hyphen(tmp_path: Path) -> None:
    (tmp_path / "-dash.txt").write_bytes(b"ok\n")
    done = command.run("check", "-dash.txt", cwd=tmp_path)
    message = "leadbyte check: error: unrecognized arguments: -dash.txt; the file is ./-dash.txt\n"
    assert (done.code, done.err) == (ERROR, message)
    assert command.run("check", "./-dash.txt", cwd=tmp_path).code == DONE


@pytest.mark.parametrize("group", ["", "bom", "mojibake"])
def test_alone_it_shows_the_short_help(group: str) -> None:
    done = command.run(*group.split())
    assert done == (INVALID, short_help(group) + "\n", "")
    below = [
        name.removeprefix(f"{group} ")
        for name in HELP_TEXTS
        if name.startswith(f"{group} ".lstrip()) and name
    ]
    assert re.findall("^  (\\w+) ", done.out, re.MULTILINE) == [name for name in below if " " not in name]
    assert len(done.lines) < 25


@pytest.mark.parametrize("name", ["check", "count"])
def test_help_begins_with_the_options_and_ends_with_clusters(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = PARSERS[name].format_help()
    titles = ["usage:", "positional arguments:", "options:", "exit codes:", "URLs and clusters:"]
    assert [line for line in shown.splitlines() if line in titles or line.startswith("usage:")][1:] == titles[
        1:
    ]
    before, _, last = shown.partition("URLs and clusters:")
    for option in ("--engine", "--address", "--blocksize", "--report"):
        assert not re.search(rf"^ *(\[)?{option} ", before, re.MULTILINE)
        assert f"  {option} " in last


@pytest.mark.parametrize("name", COMMANDS)
def test_options_that_all_commands_have(name: str) -> None:
    options = PARSERS[name]._option_string_actions
    assert {"--color", "--json" if "--format" not in options else "--format"} <= {*options}
    assert options.get("-q") is options.get("--quiet")


def test_pages_name_the_commands_without_an_option() -> None:
    printing = "`locate`, `sizes` and `mojibake garble`"
    without = {name for name in COMMANDS if "-q" not in PARSERS[name]._option_string_actions}
    assert without == set(re.findall("`(.+?)`", printing))
    assert "--json" not in PARSERS["completion"]._option_string_actions
    pipes = (PROJECT / "docs/how-to/pipes.md").read_text(encoding="utf-8")
    assert f"{printing}, which only print" in pipes
    assert "All commands but `completion` have `--json`" in pipes
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert "Every command but `completion` has `--json`" in readme


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("check bad", INVALID), ("count bad good", DONE), ("detect bad good", DONE), ("bom check good", DONE),
        ("repair -n bad", DONE), ("convert -n -f cp1252 bad", DONE), ("normalize -n good", DONE),
        ("mojibake repair -n good", DONE), ("mojibake explain Ã©tÃ©", INVALID), ("bom add -n good", DONE),
    ],
)  # fmt: skip
def test_quiet_commands_print_nothing(tmp_path: Path, line: str, code: int) -> None:
    (tmp_path / "good").write_text(RUSSIAN, encoding="utf-8")
    (tmp_path / "bad").write_bytes("élève à la crème".encode("cp1252"))
    assert command.run(*line.split(), "-q", cwd=tmp_path) == (code, "", "")
    assert command.run(*line.split(), cwd=tmp_path).out


def test_quiet_explanation_has_no_summary() -> None:
    *table, _summary = command.run("explain", "é").lines
    assert command.run("explain", "-q", "é").lines == table


class Stream:
    """A stream that is a terminal or not."""

    def __init__(self, *, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("color", "variables", "on_terminal", "in_pipe"),
    [
        ("auto", {}, True, False),
        ("auto", {"TERM": "dumb"}, False, False),
        ("auto", {"NO_COLOR": "1"}, False, False),
        ("auto", {"NO_COLOR": "", "FORCE_COLOR": ""}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, True, True),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, True, True),
        ("never", {"FORCE_COLOR": "1"}, False, False),
    ],
)
def test_precedence_of_colours(
    color: str,
    variables: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    on_terminal: bool,
    in_pipe: bool,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for terminal, expected in ((True, on_terminal), (False, in_pipe)):
        assert has_colours(Stream(terminal=terminal), color) == expected  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_colours(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    (tmp_path / "bad").write_bytes(b"caf\xe9 \xff")
    plain = command.run("check", "bad", cwd=tmp_path)
    assert "\x1b" not in plain.out
    forced = command.run("check", "bad", cwd=tmp_path, env=command.environment(FORCE_COLOR="1"))
    for done in (forced, command.run("check", "--color=always", "bad", cwd=tmp_path)):
        assert "\x1b[1;31m" in done.out
        assert command.without_styles(done.out) == plain.out
    env = command.environment(FORCE_COLOR="1", NO_COLOR="1")
    assert command.run("check", "bad", cwd=tmp_path, env=env) == plain
    assert command.on_terminal("check", "--color=never", "bad", rich=True, cwd=tmp_path).out == plain.out
    assert command.on_terminal("check", "bad", rich=True, cwd=tmp_path, NO_COLOR="1").out == plain.out
    counted = command.run("count", "--color=always", "bad", "bad", cwd=tmp_path)
    numbers = [line.split() for line in command.without_styles(counted.out).splitlines()]
    assert numbers == [line.split() for line in command.run("count", "bad", "bad", cwd=tmp_path).lines]


def test_json_is_utf8_that_is_safe_on_a_terminal() -> None:
    texts = [
        "мир €😀",
        "\x1b[31m\x9b\u2028\u202e\x85\x7f",
        "\ud800",
        "\\ud800",
        "a\u00a0b\u3000",
        "\U000e0001",
    ]
    for text in texts:
        line = as_json({"text": text, "summary": {"count": 1}})
        assert json.loads(line.encode()) == {"text": text, "summary": {"count": 1}}
        assert len(line.splitlines()) == 1
        assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs"} for char in line)
    assert as_json({"text": texts[0]}) == '{"text": "мир €😀"}'
    done = command.run(
        "explain", "--json", "--range", "D7FF-D800", env=command.environment(PYTHONIOENCODING="cp1251")
    )
    assert [each.get("char") for each in done.objects][:2] == ["\ud7ff", "\ud800"]


def test_json_on_standard_error_is_in_order(tmp_path: Path) -> None:
    (tmp_path / "файл").write_bytes("мир\n".encode())
    done = command.run("repair", "--json", "missing", "файл", cwd=tmp_path)
    first, second, third = done.err.splitlines()
    assert json.loads(first) == {"path": "missing", "error": "No such file or directory"}
    assert '"файл"' in second
    assert '"summary"' in third


def test_candidates_of_detection(tmp_path: Path) -> None:
    data = RUSSIAN.encode("cp866")
    (tmp_path / "old").write_bytes(data)
    (tmp_path / "new").write_text(RUSSIAN, encoding="utf-8")
    done = command.run("detect", "--json", "--candidates=koi8-r,cp1251", "old", "new", cwd=tmp_path)
    old, new, _ = done.objects
    found = leadbyte.detect(data, encodings=["koi8-r", "cp1251"])
    assert {name: old[name] for name in found.as_dict()} == found.as_dict()
    assert (new["encoding"], new["valid_utf8"]) == (
        leadbyte.detect(RUSSIAN.encode(), encodings=["koi8-r", "cp1251"]).encoding,
        True,
    )
    assert found.encoding != "ibm866"
    done = command.run("detect", "--candidates", "cp866", "--candidates", "cp1251", "old", cwd=tmp_path)
    assert done.out.startswith("old: ibm866 (")
    for name in ("auto", "detect"):
        done = command.run("convert", "--from", name, "--candidates=cp866,cp1251", "old", cwd=tmp_path)
        assert done == (DONE, RUSSIAN, "")
    for line in (
        "detect --candidates nonsense",
        "convert -f auto --candidates nonsense",
        "detect --candidates utf-8,",
    ):
        done = command.run(*line.split(), "old", cwd=tmp_path)
        assert (done.code, done.out) == (ERROR, "")
        assert "encoding: nonsense" in done.err or "names with commas" in done.err


def test_candidates_are_for_detection_only() -> None:
    done = command.run("convert", "-f", "cp1251", "--candidates", "cp1251", "-", data=b"text")
    message = "leadbyte convert: error: argument --candidates: only allowed with --from auto\n"
    assert done == (ERROR, "", message)


def test_candidates_of_mojibake() -> None:
    text = "Ýstanbul'da güneþli bir gün"
    by_language = command.run("mojibake", "repair", "--language", "tr", "--text", text)
    assert command.run("mojibake", "repair", "--candidates", "tr,hu", "--text", text) == by_language
    assert by_language.out == "İstanbul'da güneşli bir gün\n"
    done = command.run("mojibake", "repair", "--candidates", "xx", "--text", text)
    assert done.code == ERROR
    assert "error: arguments --language and --candidates: languages must be BCP 47 tags" in done.err


@pytest.mark.parametrize("name", ["detect", "auto"])
def test_both_words_for_detection(tmp_path: Path, name: str) -> None:
    import io

    from leadbyte.transcode import Transcoder, open_as_utf8, transcode

    data = RUSSIAN.encode("koi8-r")
    path = tmp_path / "old.txt"
    path.write_bytes(data)
    assert leadbyte.read_text(path, encoding=name) == RUSSIAN
    assert transcode(data, name, "utf-8").decode() == RUSSIAN
    assert transcode(bytearray(data), name, "cp1251", bom="strip") == RUSSIAN.encode("cp1251")
    for source in (path, str(path), io.BytesIO(data)):
        with open_as_utf8(source, name) as file:
            assert file.read().decode() == RUSSIAN
    with path.open("rb") as binary:
        binary.seek(10)
        assert open_as_utf8(binary, name).read() == RUSSIAN[10:].encode()
        assert not binary.closed
    path.write_bytes(b"\xff\xfe" + RUSSIAN.encode("utf-16-le"))
    with open_as_utf8(path, name) as file:
        assert file.read().decode() == RUSSIAN
    with pytest.raises(LookupError, match="transcode and open_as_utf8 do"):
        Transcoder(name, "utf-8")
    path.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0")
    for call in (lambda: open_as_utf8(path, name), lambda: transcode(path.read_bytes(), name, "utf-8")):
        with pytest.raises(UnicodeDecodeError, match="not text in a known encoding, but gzip"):
            call()
    assert command.run("convert", "--from", name, "-", data=data).out == RUSSIAN
    assert command.run("sizes", "--encoding", name, "-", data=data).out == (
        command.run("sizes", "--encoding", "koi8-r", "-", data=data).out
    )
    done = command.run("sizes", "--encoding", name, "old.txt", cwd=tmp_path)
    assert done == (INVALID, "", "leadbyte: old.txt: not text in a known encoding, but gzip\n")


def test_detection_in_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from leadbyte.transcode import open_as_utf8

    monkeypatch.setattr("leadbyte._sampling.MAX_WHOLE_BYTES", 1 << 20)
    text = RUSSIAN * 8000
    (tmp_path / "large").write_text(text, encoding="cp1251")
    with open_as_utf8(tmp_path / "large", "detect") as file:
        assert file.read() == text.encode()


@pytest.mark.parametrize("name", ["detect", "auto"])
def test_detection_in_a_dataset(tmp_path: Path, name: str) -> None:
    pytest.importorskip("fsspec")
    from leadbyte import dataset

    (tmp_path / "in").mkdir()
    (tmp_path / "in/old.txt").write_bytes(RUSSIAN.encode("koi8-r"))
    assert dataset.convert(str(tmp_path / "in"), str(tmp_path / "out"), name).written_count == 1
    assert (tmp_path / "out/old.txt").read_text(encoding="utf-8") == RUSSIAN


def test_the_version_needs_no_parser() -> None:
    program = "import sys; from leadbyte.cli import main; main(['--version']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    version, modules = done.stdout.splitlines()
    assert version.startswith(f"leadbyte {leadbyte.__version__} (")
    assert not {"argparse", "gettext", "difflib", "rich", "leadbyte.cli.arguments"} & {*modules.split()}
    assert parser().format_help().startswith("usage: leadbyte")
