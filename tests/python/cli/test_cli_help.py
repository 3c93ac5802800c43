"""Help texts, the man page and completions: that they are complete and up to date."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import command
import leadbyte
import pytest
from command_table import PARSERS
from leadbyte.cli.completion import SCRIPT_PATHS
from leadbyte.cli.help_texts import HELP_TEXTS

DATA = Path(__file__).parents[3] / "packaging/installed/data"
BASH = shutil.which("bash")
# Command lines, up to the place of completion, and the completions.
COMPLETED = [
    ("", " ".join(sorted({name.split()[0] for name in HELP_TEXTS if name}))),
    ("che", "check"),
    ("check --for", "--format"),
    ("check --format ", "github json list quiet text"),
    ("check me", "menu.txt"),
    ("check --verbose menu.txt a", "a file"),
    ("bom ", "add check strip"),
    ("bom strip --dr", "--dry-run"),
    ("convert --from koi8-", "koi8-r koi8-u"),
    ("convert --from cp1251 -o me", "menu.txt"),
    ("convert --errors xml", "xmlcharrefreplace"),
    ("normalize --form NFK", "NFKC NFKD"),
    ("mojibake re", "repair"),
    ("explain --lang ", "en ru"),
    ("completion ", "bash fish zsh"),
]
# Completes as bash does when somebody types; compopt is for that only.
COMPLETE = r"""
source "$1"
function="$(complete -p leadbyte | sed 's/.* -F \([^ ]*\) .*/\1/')"
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"$line"
    [[ $line == *' ' ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    "$function" leadbyte "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort | paste -s -d ' '
done
"""


def test_every_command_has_a_page() -> None:
    assert [*PARSERS] == [*HELP_TEXTS]


@pytest.mark.parametrize("name", HELP_TEXTS)
def test_every_argument_is_documented(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    about = PARSERS[name]
    for action in about._actions:
        if not isinstance(action, argparse._SubParsersAction):
            assert action.help, action.dest
    paragraphs = [line for line in about.format_help().splitlines() if not line.startswith(" ")]
    assert all(len(line) <= 80 for line in paragraphs)


def test_dry_runs_are_explained() -> None:
    names = [name for name, about in PARSERS.items() if "--dry-run" in about.format_help()]
    assert {"repair", "bom strip", "bom add"} <= set(names)
    for name in names:
        assert "A dry run writes nothing and reports on standard output" in HELP_TEXTS[name].description, name
    for name in ("bom strip", "bom add"):
        assert HELP_TEXTS[name].exit_codes[0].endswith(", or would")


@pytest.mark.parametrize("line", [line for page in HELP_TEXTS.values() for line, _ in page.examples])
def test_examples_are_right(line: str) -> None:
    called = re.search(r"leadbyte ([^|>)]*)", line)
    assert called
    words = shlex.split(called[1])
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            PARSERS[""].parse_args(words)
    else:
        assert PARSERS[""].parse_args(words).command


def test_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "leadbyte", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == command.run("--version").out
    assert done.stdout.split()[:2] == ["leadbyte", leadbyte.__version__]


@pytest.mark.parametrize("shell", SCRIPT_PATHS)
def test_completion_is_printed_as_installed(shell: str) -> None:
    done = command.run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert done.out == (DATA / SCRIPT_PATHS[shell]).read_text(encoding="utf-8")


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="needs a POSIX system with bash")
def test_bash_completes(tmp_path: Path) -> None:
    for name in ("menu.txt", "a file"):
        (tmp_path / name).touch()
    done = subprocess.run(
        [str(BASH), "--norc", "-c", COMPLETE, "bash", str(DATA / SCRIPT_PATHS["bash"])],
        input="".join(f"leadbyte {typed}\n" for typed, _ in COMPLETED),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    offered = dict(zip((typed for typed, _ in COMPLETED), done.stdout.splitlines(), strict=True))
    assert offered == dict(COMPLETED)
