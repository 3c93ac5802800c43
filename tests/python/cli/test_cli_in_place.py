"""Files in the place of others, by every command that puts them there: whole or not at all."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import socket
import stat
import sys
import time
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import command
import pytest
from leadbyte.cli import atomic, main
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedWriter
    from pathlib import Path

    from strategies import Anything

DONE, CHANGED, ERROR, INTERRUPTED = 0, 1, 2, 130
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
TEXT = "Съешь ещё\n"
APART = unicodedata.normalize("NFD", TEXT)
BOM = b"\xef\xbb\xbf"


class Way(NamedTuple):
    """A command that replaces files."""

    line: str
    done: str
    old: bytes
    new: bytes
    # What it leaves alone, and what it takes for binary.
    fine: bytes
    binary: bytes

    @property
    def arguments(self) -> list[str]:
        return self.line.split()


WAYS = [
    Way(
        "repair -i",
        "repaired",
        TEXT.encode() + b"\xff",
        TEXT.encode() + "\ufffd".encode(),
        b"fine",
        b"\xff\0",
    ),
    Way("convert -i --from cp1251", "converted", TEXT.encode("cp1251"), TEXT.encode(), b"fine", b"\xff\0"),
    Way("normalize -i --form NFD", "normalized", TEXT.encode(), APART.encode(), b"fine", "é\0".encode()),
    Way(
        "mojibake repair -i",
        "repaired",
        "Ã©tÃ© à la crème brûlée\n".encode(),
        "été à la crème brûlée\n".encode(),
        b"fine\n",
        "\0Ã©tÃ© à la crème brûlée\n".encode(),
    ),
    Way(
        "sanitize -i --policy source-code",
        "sanitized",
        TEXT.encode() + "\u200b".encode(),
        TEXT.encode(),
        b"fine",
        "\u200b\0".encode(),
    ),
    Way("bom strip", "stripped", BOM + TEXT.encode(), TEXT.encode(), TEXT.encode(), BOM + b"\0"),
    Way("bom add", "added", TEXT.encode(), BOM + TEXT.encode(), BOM + TEXT.encode(), b"a\0"),
]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.line)


@pytest.fixture
def files(tmp_path: Path, way: Way) -> Path:
    """Give a directory with a file that is to be replaced, and one that is not."""
    (tmp_path / "file").write_bytes(way.old)
    (tmp_path / "fine").write_bytes(way.fine)
    return tmp_path


@pytest.fixture
def tree(files: Path, way: Way) -> Path:
    """Give the directory with others in it, and files that are to be skipped."""
    for directory in ("deep", ".git"):
        (files / directory).mkdir()
        (files / directory / "file").write_bytes(way.old)
    (files / "binary").write_bytes(way.binary)
    return files


def replaced(way: Way, *arguments: str, cwd: Path, program: str = command.RUN) -> command.Done:
    """Run the command."""
    return command.run(*way.arguments, *arguments, cwd=cwd, program=program)


@ways
def test_file_is_replaced(files: Path, way: Way) -> None:
    assert replaced(way, "--quiet", "file", "fine", cwd=files) == (DONE, "", "")
    assert command.read_all(files) == {"file": way.new, "fine": way.fine}


@ways
def test_what_stays_the_same_is_not_touched(files: Path, way: Way) -> None:
    os.utime(files / "fine", ns=(1, 1))
    before = (files / "fine").stat()
    assert replaced(way, "--quiet", "fine", "--backup=.bak", cwd=files) == (DONE, "", "")
    after = (files / "fine").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )
    assert sorted(command.read_all(files)) == ["file", "fine"]


@posix_only
@ways
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400, 0o4755])
def test_permissions_are_kept(files: Path, way: Way, mode: int) -> None:
    path = files / "file"
    os.utime(path, ns=(1, 1))
    path.chmod(mode)
    before = path.stat()
    assert replaced(way, "--quiet", "file", cwd=files) == (DONE, "", "")
    after = path.stat()
    assert path.read_bytes() == way.new
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    # What looks at times, as make does, is to see that it changed.
    assert after.st_mtime_ns > before.st_mtime_ns


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root gives files away")
@ways
def test_owner_is_kept(files: Path, way: Way) -> None:
    os.chown(files / "file", 12345, 54321)
    assert replaced(way, "--quiet", "file", cwd=files) == (DONE, "", "")
    after = (files / "file").stat()
    assert (after.st_uid, after.st_gid) == (12345, 54321)


@posix_only
@pytest.mark.parametrize("may_give", [True, False])
def test_group_is_kept_where_the_owner_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, may_give: bool
) -> None:
    path, new_path, given = tmp_path / "file", tmp_path / "new", []
    path.touch()
    path.chmod(0o2664)

    def fchown(_descriptor: int, owner: int, group: int) -> None:
        if owner != -1 or not may_give:
            raise PermissionError
        given.append(group)

    monkeypatch.setattr(os, "fchown", fchown)
    with path.open("rb") as old, new_path.open("wb") as new:
        atomic.copy_status(old.fileno(), new)
    # Another group has no more rights than all others.
    assert stat.S_IMODE(new_path.stat().st_mode) == (0o664 if may_give else 0o644)
    assert given == ([path.stat().st_gid] if may_give else [])


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes")
@ways
def test_extended_attributes_are_kept(files: Path, way: Way) -> None:
    try:
        os.setxattr(files / "file", "user.leadbyte", b"value")
    except OSError:
        # This file system has none.
        return
    assert replaced(way, "--quiet", "file", cwd=files) == (DONE, "", "")
    assert os.getxattr(files / "file", "user.leadbyte") == b"value"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes")
@pytest.mark.parametrize("name", ["listxattr", "setxattr"])
@pytest.mark.parametrize(
    ("reason", "code"),
    [*((name, DONE) for name in ("EPERM", "EACCES", "EINVAL", "ENODATA", "ENOTSUP")), ("ENOSPC", ERROR)],
)
def test_extended_attributes_that_cannot_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str, code: int
) -> None:
    """They are left out if they cannot be copied at all; a full disk is an error."""
    path = tmp_path / "file"
    path.write_bytes(b"\xff")

    def refuse(*_: object) -> None:
        raise OSError(getattr(errno, reason), reason)

    monkeypatch.setattr(os, "listxattr", lambda _: ["user.leadbyte"])
    monkeypatch.setattr(os, "getxattr", lambda *_: b"value")
    monkeypatch.setattr(os, name, refuse)
    assert main(["repair", "-i", "--quiet", str(path)]) == code
    assert command.read_all(tmp_path) == {"file": "\ufffd".encode() if code == DONE else b"\xff"}


@posix_only
@ways
def test_links_are_followed_and_stay(files: Path, way: Way) -> None:
    (files / "deep").mkdir()
    (files / "deep" / "link").symlink_to("../link")
    (files / "link").symlink_to("file")
    assert replaced(way, "--quiet", "--backup=~", "deep/link", cwd=files) == (DONE, "", "")
    assert os.readlink(files / "link") == "file"
    assert os.readlink(files / "deep" / "link") == "../link"
    assert (files / "file").read_bytes() == way.new
    assert (files / "file~").read_bytes() == way.old


@ways
def test_other_hard_links_are_reported(files: Path, way: Way) -> None:
    os.link(files / "file", files / "other")
    done = replaced(way, "file", cwd=files)
    assert done.code == DONE
    assert "leadbyte: file: its other hard links still refer to the old file\n" in done.err
    assert command.read_all(files) == {"file": way.new, "other": way.old, "fine": way.fine}


@ways
def test_backup(files: Path, way: Way) -> None:
    assert replaced(way, "--quiet", "--backup", ".bak", "file", cwd=files) == (DONE, "", "")
    assert command.read_all(files) == {"file": way.new, "file.bak": way.old, "fine": way.fine}


def test_backup_of_a_file_that_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_bytes(b"caf\xe9 noir, word\n")
    line = ["repair", "-i", "--backup", ".bak", str(tmp_path / "file")]

    def refused(*_arguments: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    with monkeypatch.context() as patch:
        patch.setattr(atomic.Place, "move", refused)
        assert main(line) == ERROR
    assert "Operation not permitted" in capsys.readouterr().err
    assert command.read_all(tmp_path) == {"file": b"caf\xe9 noir, word\n"}
    assert main(line) == DONE
    assert command.read_all(tmp_path).keys() == {"file", "file.bak"}


@ways
def test_backup_replaces_no_file(files: Path, way: Way) -> None:
    """An older backup, or another file with its name, is not lost; nor is a link."""
    for other in (b"older", None):
        (files / "file.bak").unlink(missing_ok=True)
        if other is None:
            (files / "file.bak").symlink_to("nothing")
        else:
            (files / "file.bak").write_bytes(other)
        done = replaced(way, "--quiet", "--backup", ".bak", "file", "fine", cwd=files)
        assert (done.code, done.out) == (ERROR, "")
        assert done.err == "leadbyte: file: file.bak exists; give --backup another suffix\n"
        expected = {"file": way.old, "fine": way.fine}
        assert command.read_all(files) == ({**expected, "file.bak": other} if other else expected)
    assert (files / "file.bak").is_symlink()


@posix_only
@ways
def test_backup_that_was_made_before(files: Path, way: Way) -> None:
    """A run that was stopped between the backup and the replacement is repeated."""
    os.link(files / "file", files / "file.bak")
    assert replaced(way, "--quiet", "--backup=.bak", "file", cwd=files) == (DONE, "", "")
    assert command.read_all(files) == {"file": way.new, "file.bak": way.old, "fine": way.fine}


def refuse_links(
    monkeypatch: pytest.MonkeyPatch,
    error: type[OSError] = PermissionError,
    *,
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    """Let the system refuse hard links with an error, after something has happened."""

    def refuse(*_: object, **__: object) -> None:
        meanwhile()
        raise error

    monkeypatch.setattr("leadbyte.cli.atomic.os.link", refuse)


@ways
def test_backup_without_links(
    files: Path, way: Way, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    refuse_links(monkeypatch)
    assert main([*way.arguments, "--quiet", "--backup=.bak", str(files / "file")]) == DONE
    assert capfd.readouterr() == ("", "")
    assert command.read_all(files) == {"file": way.new, "file.bak": way.old, "fine": way.fine}


@posix_only
def test_backup_without_links_is_like_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, backup = tmp_path / "file", tmp_path / "file.bak"
    path.write_bytes(b"\xff")
    path.chmod(0o640)
    os.utime(path, ns=(10**18 + 1, 10**18 + 2))

    refuse_links(monkeypatch)
    assert main(["repair", "-i", "--quiet", "--backup=.bak", str(path)]) == DONE
    status = backup.stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o640, 10**18 + 2)


@posix_only
def test_file_that_changes_before_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither the file nor its backup, where there are no links, is another one than was read."""
    path = tmp_path / "file"
    path.write_bytes(b"old \xff")

    refuse_links(monkeypatch, meanwhile=lambda: path.write_bytes(b"newer \xff"))
    assert main(["repair", "-i", "--quiet", "--backup=.bak", str(path)]) == ERROR
    assert "changed while it was read, and is left unchanged" in capfd.readouterr().err
    assert command.read_all(tmp_path) == {"file": b"newer \xff"}


@posix_only
def test_backup_that_another_process_makes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path, backup = tmp_path / "file", tmp_path / "file.bak"
    path.write_bytes(b"\xff")

    refuse_links(monkeypatch, FileExistsError, meanwhile=lambda: backup.write_bytes(b"another's"))
    assert main(["repair", "-i", "--quiet", "--backup=.bak", str(path)]) == ERROR
    assert "file.bak exists; give --backup another suffix" in capfd.readouterr().err
    assert command.read_all(tmp_path) == {"file": b"\xff", "file.bak": b"another's"}


@posix_only
def test_directory_is_on_the_disk_after_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only then the new name of a file outlasts a power failure."""
    events: list[str] = []
    fsync, replace = os.fsync, os.replace

    def sync(descriptor: int) -> None:
        events.append("directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def move(*arguments: str, **options: Anything) -> None:
        events.append("replace")
        replace(*arguments, **options)

    monkeypatch.setattr("leadbyte.cli.atomic.os.fsync", sync)
    monkeypatch.setattr("leadbyte.cli.atomic.os.replace", move)
    for path in (tmp_path, tmp_path / "file"):
        events.clear()
        (tmp_path / "file").write_bytes(b"\xff")
        assert main(["repair", "-i", "--quiet", str(path)]) == DONE
        assert events == ["file", "replace", "directory"]


@posix_only
def test_new_file_is_private_until_it_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of a file that others cannot read is not in another one that they can."""
    path = tmp_path / "file"
    path.write_bytes(b"secret \xff")
    path.chmod(0o600)
    modes: list[int] = []
    copy_status = atomic.copy_status

    def copy(old: int | str, new: BufferedWriter) -> None:
        modes.append(stat.S_IMODE(os.fstat(new.fileno()).st_mode))
        copy_status(old, new)

    monkeypatch.setattr(atomic, "copy_status", copy)
    refuse_links(monkeypatch)
    assert main(["repair", "-i", "--quiet", "--backup=.bak", str(path)]) == DONE
    assert main(["repair", "--quiet", str(path), "-o", str(path)]) == DONE
    # Of the new file, of the backup, and of the new file beside its input.
    assert modes == [0o600] * 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@ways
def test_backup_that_cannot_be_made(files: Path, way: Way) -> None:
    (files / "file.bak").mkdir()
    done = replaced(way, "--quiet", "--backup=.bak", "file", cwd=files)
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.startswith("leadbyte: file: ")
    assert command.read_all(files) == {"file": way.old, "fine": way.fine}


# Where a file is replaced, there is none with the suffix of --backup.
BACKUPS = ["file.bak", "file.orig", "file~", "fine.old"]


@ways
def test_backups_in_directories_are_skipped(files: Path, way: Way) -> None:
    others = ["lone.bak", "lone~", ".bak", "~"]
    for name in [*BACKUPS, *others]:
        (files / name).write_bytes(way.old)
    dry = replaced(way, "--dry-run", "--verbose", "--backup=.old", "--hidden", ".", cwd=files)
    done = replaced(way, "--verbose", "--backup=.old", "--hidden", ".", cwd=files)
    for name in BACKUPS:
        for reported in (dry.out, done.out + done.err):
            assert f".{os.sep}{name}: skipped: backup\n" in reported
    for name in ["file", *others]:
        assert f".{os.sep}{name}: would be {way.done}\n" in dry.out
    found = command.read_all(files)
    assert found == {
        **dict.fromkeys(BACKUPS, way.old),
        **dict.fromkeys(["file", *others], way.new),
        **dict.fromkeys([f"{name}.old" for name in ["file", *others]], way.old),
        "fine": way.fine,
    }
    # What one run has kept, the next one takes for backups, too.
    assert replaced(way, "--quiet", "--backup=.old", "--hidden", ".", cwd=files) == (DONE, "", "")
    assert command.read_all(files).keys() == found.keys()


@ways
@pytest.mark.parametrize("name", BACKUPS)
def test_backup_that_is_named_is_taken(files: Path, way: Way, name: str) -> None:
    (files / name).write_bytes(way.old)
    assert replaced(way, "--quiet", name, cwd=files) == (DONE, "", "")
    assert command.read_all(files) == {"file": way.old, name: way.new, "fine": way.fine}


def dry_lines(way: Way) -> list[str]:
    """Return the command as it replaces files, and where that is another one, as it prints their text."""
    return [way.line] if way.line.startswith("bom") else [way.line, way.line.replace(" -i", "")]


@pytest.mark.once
@ways
@pytest.mark.parametrize(("option", "code"), [("-n", DONE), ("--dry-run", DONE), ("--check", CHANGED)])
def test_dry_run(tree: Path, way: Way, option: str, code: int) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    for line in dry_lines(way):
        done = command.run(*line.split(), option, ".", cwd=tree)
        assert (done.code, done.err) == (code, "")
        reported = [text for text in done.lines if text.endswith((f": would be {way.done}", ": unchanged"))]
        assert reported == [
            f".{os.sep}{os.path.join('deep', 'file')}: would be {way.done}",
            f".{os.sep}file: would be {way.done}",
            f".{os.sep}fine: unchanged",
        ]
        assert done.lines[-1].startswith(f"3 files read: 2 would be {way.done}, 1 unchanged")
        if option == "-n":
            continue  # the parser has it as another name of the next
        assert command.run(*line.split(), option, "--quiet", "file", cwd=tree) == (code, "", "")
        assert command.run(*line.split(), option, "--quiet", "fine", cwd=tree) == (DONE, "", "")
        *objects, summary = command.run(*line.split(), option, "--json", "file", "fine", cwd=tree).objects
        assert [found["result"] for found in objects] == [way.done, "unchanged"]
        assert summary["summary"][way.done] == 1
        refused = command.run(*line.split(), option, "--quiet", "binary", cwd=tree)
        assert refused == (
            ERROR, "", "leadbyte: binary: seems to be binary; it is changed only with --binary\n"
        )  # fmt: skip
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
@ways
def test_text_that_is_not_utf8_is_named(tmp_path: Path, way: Way, encoding: str) -> None:
    (tmp_path / "file").write_bytes(TEXT.encode(encoding))
    done = replaced(way, "file", cwd=tmp_path)
    assert (tmp_path / "file").read_bytes() == TEXT.encode(encoding)
    if not way.line.startswith("bom") or encoding != "utf-16":
        assert (done.code, f"text in {encoding[:6]}" in done.err) == (ERROR, True)


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_without_nul_is_not_repaired(tmp_path: Path, order: str) -> None:
    """Its byte order mark is enough, or many characters: as UTF-8 with errors it would be destroyed."""
    for text in ("\ufeffЩит", "漢字仮名交じり文の例です"):
        data = text.encode(f"utf-16-{order}")
        (tmp_path / "file").write_bytes(data)
        done = command.run("repair", "-i", "file", cwd=tmp_path)
        assert (done.code, "seems to be text in utf-16" in done.err) == (ERROR, True)
        assert command.run("repair", "-i", ".", cwd=tmp_path).code == DONE
        assert (tmp_path / "file").read_bytes() == data


@posix_only
@ways
def test_dry_run_foresees_what_prevents_a_change(files: Path, way: Way) -> None:
    (files / "file").write_bytes(way.old)
    (files / "file~").write_bytes(b"another")
    for options in ([], ["-n"]):
        done = command.run(*way.arguments, *options, "--backup=~", "file", cwd=files)
        assert (done.code, "file~ exists; give --backup another suffix" in done.err) == (ERROR, True)
    assert (files / "file").read_bytes() == way.old


# The command sanitize prints its findings first, as test_cli_audit.py expects.
@pytest.mark.parametrize(
    "way", [way for way in WAYS if not way.line.startswith(("bom", "sanitize"))], ids=lambda way: way.line
)
def test_dry_run_of_what_is_printed(files: Path, way: Way) -> None:
    (files / "out").write_bytes(b"old")
    before = command.read_all(files)
    line = way.line.replace(" -i", "").split()
    for data, code in ((way.old, CHANGED), (way.fine, DONE)):
        done = command.run(*line, "--check", "-", cwd=files, data=data)
        assert (done.code, done.err) == (code, "")
        assert done.lines[0] == f"-: {f'would be {way.done}' if code else 'unchanged'}"
    done = command.run(*line, "-n", "-o", "out", "file", cwd=files)
    assert (done.code, done.lines[0]) == (DONE, f"file: would be {way.done}")
    missing = os.path.join("missing", "out")
    done = command.run(*line, "-n", "-o", missing, "file", cwd=files)
    assert (done.code, f"{missing}: No such file or directory" in done.err) == (ERROR, True)
    done = command.run(*line, "-n", "file", os.path.join(".", "file"), cwd=files)
    assert (done.code, f"1 would be {way.done}" in done.out) == (DONE, True)
    # As without -n, a directory is not one of the files that can be joined.
    assert command.run(*line, "-n", "-o", "out", ".", cwd=files).code == ERROR
    assert command.read_all(files) == before


@ways
def test_directories(tree: Path, way: Way) -> None:
    done = replaced(way, "--backup=.bak", "--verbose", ".", cwd=tree)
    assert done.code == DONE
    assert f".{os.sep}binary: skipped: binary\n" in done.out + done.err
    assert command.read_all(tree) == {
        "file": way.new,
        "file.bak": way.old,
        "fine": way.fine,
        "binary": way.binary,
    }
    assert command.read_all(tree / "deep") == {"file": way.new, "file.bak": way.old}
    assert command.read_all(tree / ".git") == {"file": way.old}


@ways
def test_named_binary_file_is_refused(tree: Path, way: Way) -> None:
    message = "leadbyte: binary: seems to be binary; it is changed only with --binary\n"
    done = replaced(way, "--quiet", "binary", cwd=tree)
    assert (done.code, done.err) == (ERROR, message)
    assert (tree / "binary").read_bytes() == way.binary
    assert replaced(way, "--binary", "--quiet", "binary", cwd=tree) == (DONE, "", "")
    assert (tree / "binary").read_bytes() != way.binary


@posix_only
@ways
def test_special_files_are_refused(tmp_path: Path, way: Way) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "null").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        for name in ("fifo", "null", "socket"):
            message = f"leadbyte: {name}: not a regular file, so it cannot be {way.done} in place\n"
            assert replaced(way, "--quiet", name, cwd=tmp_path) == (ERROR, "", message)
    with open(tmp_path / "file", "w+b") as file:
        file.write(way.old)
        process = command.start(
            *way.arguments, "--quiet", f"/dev/fd/{file.fileno()}", cwd=tmp_path, pass_fds=[file.fileno()]
        )
        message = f"an open descriptor, so it cannot be {way.done} in place\n"
        done = command.finish(process)
        assert done == (ERROR, "", f"leadbyte: /dev/fd/{file.fileno()}: {message}")
    message = f"leadbyte: -: standard input cannot be {way.done} in place\n"
    assert replaced(way, "--quiet", "-", cwd=tmp_path) == (ERROR, "", message)


CHANGED_MEANWHILE = f"""
from leadbyte.cli import atomic
real = atomic.check_unchanged

def changed(place, name, before):
    path = place.name
    {{change}}
    real(place, name, before)

atomic.check_unchanged = changed
{command.RUN}"""


@ways
def test_file_that_changes_meanwhile_is_left(files: Path, way: Way) -> None:
    program = CHANGED_MEANWHILE.replace("{change}", "open(path, 'ab').write(b'more')")
    done = replaced(way, "--quiet", "file", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: file: changed while it was read, and is left unchanged\n")
    assert command.read_all(files) == {"file": way.old + b"more", "fine": way.fine}


@ways
@pytest.mark.parametrize("is_new", [False, True])
def test_change_that_keeps_the_size_is_noticed(files: Path, way: Way, *, is_new: bool) -> None:
    """A file that was written to has another time; one that was replaced may have the old size and time."""
    other = bytes(reversed(way.old))
    write = f"open(path, 'wb').write({other!r}); os.utime(path, (1, 1))"
    replace = f"os.rename(path, path + '.old'); {write}; os.utime(path, ns=(1, before.st_mtime_ns))"
    program = CHANGED_MEANWHILE.replace("{change}", f"import os; {replace if is_new else write}")
    done = replaced(way, "--quiet", "file", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: file: changed while it was read, and is left unchanged\n")
    assert (files / "file").read_bytes() == other


@posix_only
@pytest.mark.parametrize("change", ["before the link", "after the link"])
def test_file_that_changes_while_its_backup_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], change: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old \xff")
    link = os.link

    def make_link(*arguments: str, **options: Anything) -> None:
        if change == "after the link":
            link(*arguments, **options)
        path.rename(tmp_path / "older")
        path.write_bytes(b"new \xff")
        if change == "before the link":
            link(*arguments, **options)

    monkeypatch.setattr("leadbyte.cli.atomic.os.link", make_link)
    assert main(["repair", "-i", "--quiet", "--backup=.bak", str(path)]) == ERROR
    assert "changed while it was read, and is left unchanged" in capfd.readouterr().err
    expected = {"file": b"new \xff", "older": b"old \xff"}
    kept = {"file.bak": b"old \xff"} if change == "after the link" else {}
    assert command.read_all(tmp_path) == expected | kept


@ways
def test_file_that_vanishes_meanwhile(files: Path, way: Way) -> None:
    program = CHANGED_MEANWHILE.replace("{change}", "import os; os.unlink(path)")
    done = replaced(way, "--quiet", "file", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: file: No such file or directory\n")
    assert command.read_all(files) == {"fine": way.fine}


DISK_FULL = f"""
import errno, os

def full(descriptor):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

os.fsync = full
{command.RUN}"""


@ways
def test_failure_leaves_the_old_file(files: Path, way: Way) -> None:
    done = replaced(way, "--quiet", "file", "fine", cwd=files, program=DISK_FULL)
    assert done == (ERROR, "", "leadbyte: file: No space left on device\n")
    assert command.read_all(files) == {"file": way.old, "fine": way.fine}


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
@ways
def test_disk_that_gets_full(files: Path, way: Way) -> None:
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9)); {command.RUN}"
    done = replaced(way, "--quiet", "file", cwd=files, program=program)
    assert done == (ERROR, "", "leadbyte: file: File too large\n")
    assert command.read_all(files) == {"file": way.old, "fine": way.fine}


SLOW = f"""
import os, time

def slow(descriptor):
    print("at work", flush=True)
    time.sleep(30)

os.fsync = slow
{command.RUN}"""


@posix_only
@ways
def test_interrupt_leaves_the_old_file(files: Path, way: Way) -> None:
    process = command.start(*way.arguments, "--backup=~", "file", cwd=files, program=SLOW)
    assert process.stdout is not None
    assert process.stdout.readline() == b"at work\n"
    process.send_signal(signal.SIGINT)
    done = command.finish(process)
    assert (done.code, done.err) == (INTERRUPTED, "leadbyte: interrupted\n")
    assert command.read_all(files) == {"file": way.old, "fine": way.fine}


# Forks a process for each line of arguments, prints its number, and waits for it at the next line.
FORKING = """
import os, sys
from leadbyte.cli import bom, convert, main, mojibake, normalize, repair
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(main(line.split()))
    print(child, flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
# Long enough for many moments, short enough for many rounds.
LENGTH = 2 << 20


class Forking:
    """A process that runs the command in processes of its own, which can be killed."""

    def __init__(self, cwd: Path) -> None:
        self.process = command.start(program=FORKING, cwd=cwd)

    def ask(self, line: str) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def run(self, arguments: str, *, seconds: float | None = None) -> int:
        """Run the command, to its end or for so long; return its exit code."""
        child = self.ask(arguments)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
        return self.ask("")


@pytest.mark.once
@posix_only
@ways
def test_killed_at_random_moments(tmp_path: Path, way: Way) -> None:
    rounds = 20 if IS_REDUCED else 200
    rest = way.fine * (LENGTH // len(way.fine))
    old, new = way.old + rest, way.new + rest
    directory = tmp_path / "files"
    chance = random.Random(5)
    left = {old: 0, new: 0}
    forking = Forking(tmp_path)
    took = float("inf")
    for number in range(-3, rounds):
        directory.mkdir()
        (directory / "file").write_bytes(old)
        arguments = f"{way.line} --quiet {'--backup=~' if number % 2 else ''} files/file"
        if number < 0:
            started = time.monotonic()
            assert forking.run(arguments) == DONE
            took = min(took, time.monotonic() - started)
        else:
            assert forking.run(arguments, seconds=chance.random() * took * 1.2) in {DONE, -signal.SIGKILL}
        found = command.read_all(directory)
        assert found["file"] in left
        left[found["file"]] += 1
        assert found.get("file~", old) == old
        others = [name for name in found if name not in {"file", "file~"}]
        assert all(name.startswith(".leadbyte-") for name in others)
        shutil.rmtree(directory)
    assert command.finish(forking.process) == (0, "", "")
    print(f"killed {rounds} times within {took:.3f} s: {left[old]} old, {left[new]} new files")
    assert all(left.values())
