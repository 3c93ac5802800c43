"""What commands read: standard input if no path is given, files, texts and URLs."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

import command
import pytest
from leadbyte.cli import inputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DONE, INVALID, ERROR = 0, 1, 2
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
BAD = b"caf\xe9 noir\n"
MOJIBAKE = "Ã©tÃ© à la crème brûlée\n".encode()
# Commands, and those that need data; what they do with a file is what they do with standard input.
DIRECTORY = ["check", "detect", "check --json", "detect --json", "check -q"]
INPUT = ["count", "repair", "convert -f cp1252", "normalize"]
REQUIRED = [
    *("bom check", "sizes --encoding cp1252", "locate --byte 3", "explain", "mojibake explain"),
    *("mojibake repair", "mojibake garble --encoding cp1252 --misread-as cp1251"),
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a directory with a valid file, beside which there is input that is not valid."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/good.txt").write_bytes(b"good\n")
    (tmp_path / "bad").write_bytes(BAD)
    (tmp_path / "empty").touch()
    return tmp_path / "tree"


def in_shell(redirected: str, line: str, cwd: Path) -> command.Done:
    """Run the command as ``"$@"`` in a line of the shell; nothing is inherited."""
    done = subprocess.run(
        ["sh", "-c", redirected, "sh", *command.command_line(*line.split())],
        cwd=cwd,
        env=command.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return command.Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("line", [*DIRECTORY, *INPUT, *REQUIRED])
def test_a_pipe_and_a_file_are_read(tree: Path, line: str) -> None:
    data = MOJIBAKE if "mojibake" in line else BAD
    (tree.parent / "bad").write_bytes(data)
    named = command.run(*line.split(), *([] if "locate" in line else ["-"]), cwd=tree, data=data)
    if "locate" in line:
        named = command.run("locate", "-", "--byte", "3", cwd=tree, data=data)
    assert command.run(*line.split(), cwd=tree, data=data) == named
    with open(tree.parent / "bad", "rb") as file:
        assert command.run(*line.split(), cwd=tree, stdin=file) == named
    assert "good" not in named.out


@posix_only
@pytest.mark.parametrize(
    "redirected", ['"$@" </dev/null', '"$@" <&-', ': | "$@"', '{ cat >/dev/null; "$@"; } <../bad']
)
def test_without_data_commands_take_their_default(tree: Path, redirected: str) -> None:
    for line in ("check", "detect"):
        assert in_shell(redirected, line, tree) == command.run(*line.split(), ".", cwd=tree)
    done = in_shell(redirected, "bom check", tree)
    message = "leadbyte bom check: error: argument PATH: required, as standard input has no data\n"
    assert done == (ERROR, "", message)


@posix_only
def test_an_empty_file_is_read(tree: Path) -> None:
    for line in ("check", "detect", "bom check"):
        assert in_shell('"$@" <../empty', line, tree) == command.run(*line.split(), "-", cwd=tree)


@pytest.mark.parametrize("line", REQUIRED)
def test_arguments_that_have_no_default_are_required(tree: Path, line: str) -> None:
    done = command.run(*line.split(), cwd=tree)
    assert (done.code, done.out) == (ERROR, "")
    assert ": required, as standard input has no data\n" in done.err


@pytest.mark.parametrize("line", INPUT)
def test_empty_input_of_commands_that_read_it(tree: Path, line: str) -> None:
    assert command.run(*line.split(), cwd=tree) == command.run(*line.split(), "-", cwd=tree)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("repair -i", "argument -i/--in-place: requires PATH"),
        ("convert -f cp1252 -i", "argument -i/--in-place: requires PATH"),
        ("mojibake repair -i", "argument -i/--in-place: requires PATH"),
        (
            "bom strip",
            "argument PATH: required; leadbyte convert --from utf-8 --bom strip changes standard input",
        ),
        (
            "bom add",
            "argument PATH: required; leadbyte convert --from utf-8 --bom add changes standard input",
        ),
    ],
)
def test_standard_input_is_not_replaced(tree: Path, line: str, message: str) -> None:
    done = command.run(*line.split(), cwd=tree, data=BAD)
    assert (done.code, done.out) == (ERROR, "")
    assert message in done.err


@posix_only
def test_a_slow_writer_is_waited_for(tree: Path) -> None:
    done = in_shell('{ sleep 0.3; cat ../bad; } | "$@"', "check", tree)
    assert (done.code, done.err) == (INVALID, "")
    assert done.out.startswith("-:1:4: ")


@posix_only
def test_waiting_is_not_silent(tree: Path) -> None:
    program = f"from leadbyte.cli import inputs; inputs.WAITING_SECONDS = 0.05; {command.RUN}"
    process = command.start("check", cwd=tree, program=program)
    assert process.stderr is not None
    assert process.stdin is not None
    assert process.stderr.readline().decode() == f"leadbyte: {inputs.WAITING}\n"
    time.sleep(0.1)
    assert process.poll() is None
    done = command.finish(process, BAD)
    assert (done.code, done.out[:7]) == (INVALID, "-:1:4: ")


@posix_only
def test_a_socket_and_a_fifo_are_read(tree: Path) -> None:
    import socket

    for data, code in ((BAD, INVALID), (b"", DONE)):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(data)
            ours.shutdown(socket.SHUT_WR)
            assert command.run("check", cwd=tree, stdin=theirs.fileno()).code == code
    os.mkfifo(tree.parent / "fifo")
    done = in_shell('cat ../bad >../fifo & "$@" <../fifo', "check", tree)
    assert done.out.startswith("-:1:4: ")


@posix_only
def test_a_terminal_is_not_read_by_check_and_shows_what_is_read(tree: Path) -> None:
    import pty

    master, slave = pty.openpty()
    try:
        done = command.finish(command.start("check", "--list", cwd=tree, stdin=slave, stderr=slave))
        assert (done.code, done.out) == (DONE, "")
        shown = os.read(master, 1 << 10).decode()
        assert shown == "leadbyte: no path is given: reading the current directory\r\n"
        done = command.finish(command.start("check", "--list", cwd=tree, stderr=slave), BAD)
        assert (done.code, done.out) == (INVALID, "-\n")
        assert os.read(master, 1 << 10) == b"leadbyte: no path is given: reading standard input\r\n"
        done = command.finish(command.start("check", "-q", cwd=tree, stderr=slave), BAD)
        os.write(slave, b"end")
        assert os.read(master, 1 << 10) == b"end"
    finally:
        os.close(master)
        os.close(slave)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "letter.txt").write_bytes(MOJIBAKE)
    (tmp_path / "Ã©tÃ©").write_bytes(MOJIBAKE)
    (tmp_path / "directory").mkdir()
    return tmp_path


TEXT_COMMANDS = ["explain", "mojibake explain", "mojibake garble --encoding utf-8 --misread-as cp1251"]


@pytest.mark.parametrize("line", TEXT_COMMANDS)
@pytest.mark.parametrize("name", ["letter.txt", "Ã©tÃ©", "./letter.txt"])
def test_an_argument_that_names_a_file_is_the_file(texts: Path, line: str, name: str) -> None:
    done = command.run(*line.split(), name, cwd=texts)
    expected = command.run(*line.split(), "--file", name, cwd=texts)
    assert expected.err == ""
    assert done == (*expected[:2], f"leadbyte: {name}: read as a file; --text takes it as a text\n")
    as_text = command.run(*line.split(), "--text", name, cwd=texts)
    assert (as_text.code in {DONE, INVALID}, as_text.err) == (True, "")
    assert as_text.out != done.out


@pytest.mark.parametrize("line", TEXT_COMMANDS)
def test_another_argument_is_a_text(texts: Path, line: str) -> None:
    for text in ("schÃ¶n", "ü / €", "Hello ìèð."):
        done = command.run(*line.split(), text, cwd=texts)
        assert done == command.run(*line.split(), "--text", text, cwd=texts)
        assert done.err == ""


@pytest.mark.parametrize("line", TEXT_COMMANDS)
@pytest.mark.parametrize("name", ["lettre.txt", "directory/Ã©", "Ã©.csv", "nosuch/"])
def test_a_name_without_a_file_is_no_text(texts: Path, line: str, name: str) -> None:
    done = command.run(*line.split(), name, cwd=texts)
    assert (done.code, done.out) == (ERROR, "")
    assert f"error: {name}: No such file or directory; --text takes it as a text\n" in done.err


@posix_only
def test_why_a_name_has_no_file(texts: Path) -> None:
    done = command.run("explain", "letter.txt/a.txt", cwd=texts)
    assert (done.code, done.out) == (ERROR, "")
    assert "error: letter.txt/a.txt: Not a directory; --text takes it as a text\n" in done.err


def test_ascii_is_no_mojibake(texts: Path) -> None:
    done = command.run("mojibake", "explain", "letter", cwd=texts)
    assert (done.code, done.out) == (ERROR, "")
    assert "letter: No such file or directory; --text takes it as a text" in done.err
    assert "directory: Is a directory" in command.run("mojibake", "explain", "directory", cwd=texts).err
    assert "directory/: Is a directory" in command.run("explain", "directory/", cwd=texts).err
    assert command.run("explain", "directory", cwd=texts).out.endswith(
        " 9 bytes in UTF-8, 18 bytes in UTF-16\n"
    )


def test_the_text_of_mojibake_repair(texts: Path) -> None:
    note = "leadbyte: taken as a text, as no file has this name\n"
    assert command.run("mojibake", "repair", "schÃ¶n", cwd=texts) == (DONE, "schön\n", note)
    assert command.run("mojibake", "repair", "-q", "schÃ¶n", cwd=texts) == (DONE, "schön\n", "")
    assert command.run("mojibake", "repair", "Ã©tÃ©", cwd=texts).out == "été à la crème brûlée\n"
    # Neither a name nor a file to write is mistaken for a text.
    for line in ("missing", "Ã©.txt", "-i schÃ¶n", "-n schÃ¶n", "-o new schÃ¶n", "schÃ¶n letter.txt"):
        done = command.run("mojibake", "repair", *line.split(), cwd=texts)
        assert done.code == ERROR, line
        assert ": No such file or directory\n" in done.err
    assert not (texts / "new").exists()


@pytest.fixture
def urls(tmp_path: Path) -> Iterator[str]:
    """Give the URL of a directory with files."""
    pytest.importorskip("fsspec")
    (tmp_path / "bad.txt").write_bytes(BAD)
    (tmp_path / "bad.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + BAD, mtime=0))
    (tmp_path / "mojibake.txt").write_bytes(MOJIBAKE)
    (tmp_path / "1251.txt").write_bytes("Съешь ещё этих мягких французских булок\n".encode("cp1251") * 9)
    with command.imported("fsspec"):
        yield "file://" + tmp_path.as_posix()


@pytest.mark.parametrize(
    "line",
    [
        "repair {}/bad.txt", "convert -f cp1252 {}/bad.txt", "convert -f auto {}/1251.txt",
        "detect {}/1251.txt", "detect {}/1251.txt {}/bad.txt", "normalize {}/mojibake.txt",
        "mojibake repair {}/mojibake.txt", "repair -n {}/bad.txt", "bom check --verbose {}/bad.txt",
        "locate {}/bad.txt --byte 5", "sizes --encoding detect {}/1251.txt", "explain --file {}/bad.txt",
        "repair bad.txt {}/bad.txt bad.txt", "mojibake explain --file {}/mojibake.txt",
        "detect --json {}/bad.txt", "repair {}/missing", "normalize {}/bad.txt", "audit {}/bad.txt",
        "audit {}/bad.txt.gz", "sizes {}/bad.txt.gz", "locate {}/bad.txt.gz --byte 5",
        "bom check --verbose {}/bad.txt.gz", "detect {}/bad.txt.gz", "repair {}/bad.txt.gz",
    ],
)  # fmt: skip
def test_urls_are_read_as_paths_are(urls: str, tmp_path: Path, line: str) -> None:
    by_url = command.run(*line.replace("{}", urls).split(), cwd=tmp_path)
    by_path = command.run(*line.replace("{}/", "").split(), cwd=tmp_path)

    def named(text: str) -> str:
        return text.replace(f"{urls}/", "")

    assert (by_url.code, named(by_url.out), named(by_url.err)) == by_path


def test_schemes_in_capitals(urls: str, tmp_path: Path) -> None:
    url = "FILE" + urls.removeprefix("file") + "/bad.txt"
    for line in ("repair", "detect", "check", "count", "locate --byte 3", "audit"):
        done = command.run(*line.split(), url, cwd=tmp_path)
        expected = command.run(*line.split(), f"{urls}/bad.txt", cwd=tmp_path)
        assert (done.code, done.out.replace("FILE:", "file:")) == (expected.code, expected.out), line


def test_urls_are_written_to_files_and_never_replaced(urls: str, tmp_path: Path) -> None:
    assert command.run("repair", f"{urls}/bad.txt", "-o", "new", cwd=tmp_path).code == DONE
    assert (tmp_path / "new").read_text(encoding="utf-8") == "caf\ufffd noir\n"
    (tmp_path / "out").mkdir()
    assert command.run("convert", "-f", "cp1252", f"{urls}/bad.txt", "-o", "out", cwd=tmp_path).code == DONE
    assert (tmp_path / "out/bad.txt").read_text(encoding="utf-8") == "café noir\n"
    done = command.run("repair", "s3://bucket/table.parquet")
    assert (done.code, done.out) == (ERROR, "")
    assert "the columns of files behind URLs are repaired by leadbyte.dataset.repair\n" in done.err
    for line, option in (
        *((f"{line} -i", "-o") for line in ("repair", "convert -f cp1252", "normalize", "mojibake repair")),
        *((f"bom {bom}", f"leadbyte convert --from utf-8 --bom {bom} -o") for bom in ("strip", "add")),
    ):
        done = command.run(*line.split(), f"{urls}/bad.txt", cwd=tmp_path)
        assert done.code == ERROR
        assert f"in place; {option} writes to a file, leadbyte.dataset to another URL\n" in done.err
    done = command.run("detect", urls)
    assert (done.code, done.out) == (ERROR, "")
    assert f"{urls}: a directory; leadbyte check and leadbyte count read all its files" in done.err
    assert (tmp_path / "bad.txt").read_bytes() == BAD


def test_a_url_is_a_file(urls: str) -> None:
    for line in ("explain", "mojibake explain"):
        done = command.run(*line.split(), f"{urls}/mojibake.txt")
        assert done == command.run(*line.split(), "--file", f"{urls}/mojibake.txt")
        assert done.code != ERROR
        # Text that has a URL is not one.
        text = f"schÃ¶n: {urls}/mojibake.txt"
        assert command.run(*line.split(), text) == command.run(*line.split(), "--text", text)


def test_nothing_is_written_to_a_url(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(BAD)
    for line in ("repair bad.txt -o {}", "normalize bad.txt -o {}", "repair bad.txt -o new --quarantine {}"):
        done = command.run(*line.format("s3://bucket/new").split(), cwd=tmp_path)
        assert (done.code, done.out) == (ERROR, "")
        assert "takes the path of a local file; leadbyte.dataset in Python writes to URLs\n" in done.err
    assert [path.name for path in tmp_path.rglob("*")] == ["bad.txt"]


def test_rows_in_quarantine_name_their_url(urls: str, tmp_path: Path) -> None:
    arguments = ("repair", f"{urls}/bad.txt", "-o", "new", "--quarantine", "rows.jsonl")
    assert command.run(*arguments, cwd=tmp_path).code == DONE
    (row,) = map(json.loads, (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines())
    assert row["file"] == f"{urls}/bad.txt"


def test_errors_of_urls_show_no_secrets() -> None:
    pytest.importorskip("fsspec")
    for line in ("repair", "locate --byte 1", "explain --file", "sizes", "mojibake explain --file", "detect"):
        done = command.run(*line.split(), "unknown://user:secret@host/path?token=secret")
        assert done.code == ERROR
        assert "secret" not in done.out + done.err
        assert "Protocol not known: unknown" in done.err


@pytest.mark.parametrize(
    "line", ["", "convert -f", "completion", "locate --byte 1 a", "repair a -o", "sizes"]
)
def test_errors_of_arguments_show_no_secrets(line: str) -> None:
    done = command.run(*line.split(), "https://user:secret/word@127.0.0.1:1/a")
    assert done.code == ERROR
    assert "secret" not in done.err
    assert "word" not in done.err


def test_advice_if_fsspec_is_missing() -> None:
    program = f"import sys; sys.modules['fsspec'] = None; {command.RUN}"
    done = command.run("detect", "s3://bucket/a", program=program)
    advice = 'files of a dataset are read through fsspec: pip install "leadbyte[dataset]"'
    assert done == (ERROR, "", f"leadbyte: s3://bucket/a: {advice}\n")


def test_an_error_while_a_url_is_read_is_reported(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    program = (
        "import leadbyte.cli.remote as remote\n"
        "def parts_of(url):\n"
        "    yield from [b'text' * 100_000] * 3\n"
        "    raise ConnectionError('reset by peer')\n"
        "remote.parts_of = parts_of\n"
        f"{command.RUN}"
    )
    for line in ("repair s3://bucket/a -o new", "detect s3://bucket/a", "explain --file s3://bucket/a"):
        done = command.run(*line.split(), cwd=tmp_path, program=program)
        if "explain" in line:
            # The start is all that it needs.
            assert done.code == DONE
            continue
        assert done.code == ERROR
        assert done.err.startswith("leadbyte: s3://bucket/a: reset by peer\n")
    assert not (tmp_path / "new").exists()


def test_path_bytes(tmp_path: Path) -> None:
    name = b"caf\xe9.txt"
    try:
        (tmp_path / os.fsdecode(name)).write_bytes(BAD)
    except (OSError, UnicodeError):
        pytest.skip("the filesystem has no such names")
    lines = [
        "check --json", "count --json", "repair -n --json", "detect --json", "bom check --json",
        "sizes --json", "normalize -n --json", "convert -n -f cp1252 --json", "mojibake repair -n --json",
        "bom add -n --json", "explain --json", "locate --byte 1 --json", "check --json missing\udce9",
    ]  # fmt: skip
    if find_spec("fsspec"):
        lines.append("check --json --engine threads")
    for line in lines:
        path = [] if "missing" in line else [name]
        process = command.start(*line.split(), *path, cwd=tmp_path)
        out, _ = command.communicate(process)
        objects = command.Done(0, out.decode(), "").objects
        found = [
            each for each in [*objects, *(each.get("summary", {}) for each in objects)] if "path" in each
        ]
        assert found, line
        for each in found:
            assert base64.b64decode(each["path_bytes"]).rpartition(b"/")[2] in {name, b"missing\xe9"}
            assert "caf\ufffd.txt" in each["path"] or each["path"] == "missing\ufffd"
