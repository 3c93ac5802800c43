"""Trees of files of any kind, and what the commands that replace files must leave of them."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tempfile
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from leadbyte.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"
VALID, INVALID, FAILED = 0, 1, 2
# What most walks leave out: hidden files, version control and backups.
SKIPPED_NAMES = [b".hidden", b".git", b"a.bak", b"b.orig", b"c~"]
NAMES = [
    b"a",
    b"b.txt",
    b"c",
    b"d d",
    b"-i",
    b"--",
    b"line\nfeed",
    b"\xff\xfe",
    "имя".encode(),
    b"\x1b[31m",
    b"*",
    *SKIPPED_NAMES,
]
PIECES = [
    b"text\n",
    "café ".encode(),
    "cafe\u0301 ".encode(),
    "слово\r\n".encode(),
    "слово".encode("cp1251"),
    b"\x98",
    b"\xff",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    BOM,
    b"\0",
    b"x" * 5000,
]
MODES = [0o644, 0o600, 0o444, 0o755, 0o000]


def repaired(data: bytes) -> bytes:
    """Return what ``repair`` makes of a file."""
    return data.decode("utf-8", "replace").encode()


def converted(data: bytes) -> bytes:
    """Return what ``convert --from cp1251`` makes of a file: nothing else if it is UTF-8 or not cp1251."""
    try:
        data.decode()
    except UnicodeDecodeError:
        try:
            return data.decode("cp1251").encode()
        except UnicodeDecodeError:
            return data
    return data


def normalized(data: bytes) -> bytes:
    """Return what ``normalize`` makes of a file, which it leaves if that is not UTF-8."""
    try:
        return unicodedata.normalize("NFC", data.decode()).encode()
    except UnicodeDecodeError:
        return data


def stripped(data: bytes) -> bytes:
    """Return what ``bom strip`` makes of a file."""
    while data.startswith(BOM):
        data = data.removeprefix(BOM)
    return data


COMMANDS: list[tuple[list[str], Callable[[bytes], bytes]]] = [
    (["check"], lambda data: data),
    (["repair", "-i"], repaired),
    (["convert", "--from", "cp1251", "-i"], converted),
    (["normalize", "-i"], normalized),
    (["bom", "strip"], stripped),
    (["repair", "-i", "--binary"], repaired),
]


class Choices:
    """Numbers from bytes; zeros after their end."""

    def __init__(self, data: bytes) -> None:
        self.rest = iter(data)

    def below(self, limit: int) -> int:
        return next(self.rest, 0) % limit

    def of(self, all_of_them: Sequence[T]) -> T:
        return all_of_them[self.below(len(all_of_them))]


class Entry(NamedTuple):
    """What a path is: its mode, and its content or target."""

    mode: int
    content: bytes


def plant(folder: bytes, choices: Choices, depth: int = 0) -> None:
    """Create files, links, pipes and folders."""
    for _ in range(choices.below(6)):
        path = os.path.join(folder, choices.of(NAMES))
        if os.path.lexists(path):
            continue
        kind = choices.below(12)
        if kind == 0 and depth < 3:
            os.mkdir(path)
            plant(path, choices, depth + 1)
        elif kind == 1:
            targets = [b".", b"..", b"a", b"../a", b"missing", b"../../outside/file", path, b"/dev/null"]
            os.symlink(choices.of(targets), path)
        elif kind == 2:
            os.mkfifo(path)
        elif kind == 3 and os.path.isfile(os.path.join(folder, b"a")):
            os.link(os.path.join(folder, b"a"), path, follow_symlinks=False)
        else:
            content = b"".join(choices.of(PIECES) for _ in range(choices.below(5)))
            Path(os.fsdecode(path)).write_bytes(content)
            os.chmod(path, choices.of(MODES))


def snapshot(folder: bytes) -> dict[bytes, Entry]:
    """Return all that a folder has, by path."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = os.path.join(parent, name)
            mode = os.lstat(path).st_mode
            content = b""
            if stat.S_ISLNK(mode):
                content = os.readlink(path)
            elif stat.S_ISREG(mode):
                content = Path(os.fsdecode(path)).read_bytes()
            found[path] = Entry(mode, content)
    return found


def is_pipe(path: bytes) -> bool:
    """Return whether a path leads to a pipe, also by links."""
    return os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)


def run(arguments: list[str]) -> int:
    """Run the command in this process, without its output."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            return main(arguments)
        except SystemExit as exit_:
            return int(exit_.code or 0)


def is_reached(path: bytes, entry: Entry, top: bytes, *, binary: bool) -> bool:
    """Return whether a walk from ``top`` has to reach a file with text: none of the names is left out."""
    names = os.path.relpath(path, top).split(os.fsencode(os.sep))
    is_text = binary or b"\0" not in entry.content[:8192]
    return stat.S_ISREG(entry.mode) and is_text and not any(name in SKIPPED_NAMES for name in names)


def check_tree(data: bytes) -> None:
    """Run a command twice on a tree: each file stays, or becomes what the command makes of it."""
    if sys.platform == "win32":  # without most of these kinds of files
        return
    choices = Choices(data)
    arguments, expected = choices.of(COMMANDS)
    base = os.fsencode(tempfile.mkdtemp())
    try:
        top = os.path.join(base, b"tree", b"top")
        os.makedirs(top)
        os.mkdir(os.path.join(base, b"outside"))
        Path(os.fsdecode(base), "outside", "file").write_bytes(b"outside \xff")
        plant(top, choices)
        before = snapshot(base)
        # Pipes are read if they are named, and nothing writes to these.
        named = [path for path in sorted(before) if path.startswith(top + b"/") and not is_pipe(path)]
        paths = [top] if choices.below(3) or not named else [choices.of(named), choices.of(named)]
        line = [*arguments, "--", *map(os.fsdecode, paths)]
        code = run(line)
        after = snapshot(base)
        assert after.keys() == before.keys(), (line, after.keys() ^ before.keys())
        for path, entry in before.items():
            now = after[path]
            changed = expected(entry.content) if stat.S_ISREG(entry.mode) else entry.content
            # Links are followed only if they are named.
            outside = not path.startswith(top) and path not in map(os.path.realpath, paths)
            assert now.mode == entry.mode, (line, path, oct(entry.mode), oct(now.mode))
            assert now.content in ({entry.content} if outside else {entry.content, changed}), (
                line,
                path,
                now,
            )
            # All is done that has to be, unless something failed.
            is_due = path.startswith(top) and is_reached(path, entry, top, binary="--binary" in arguments)
            if is_due and code < FAILED and paths == [top]:
                assert now.content == changed, (line, path, code, entry.content)
        assert code in {VALID, INVALID, FAILED}, (line, code)
        run(line)
        assert snapshot(base) == after, line
    finally:
        shutil.rmtree(os.fsdecode(base), ignore_errors=True)
