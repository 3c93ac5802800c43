"""In-place work while another process exchanges files for links: nothing elsewhere is changed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from leadbyte.cli import main
from test_cli_in_place import Way, ways

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Linux's call that exchanges two names at once, as a program: arguments are pairs of paths, again and again.
EXCHANGER = """
import ctypes, itertools, os, sys
AT_FDCWD, RENAME_EXCHANGE = -100, 2
rename = ctypes.CDLL(None, use_errno=True).renameat2
paths = [os.fsencode(path) for path in sys.argv[1:]]
for number in itertools.count():
    for first, second in zip(paths[::2], paths[1::2]):
        if rename(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE):
            sys.exit(os.strerror(ctypes.get_errno()))
    if not number:
        print("exchanged", flush=True)
"""
# Between two exchanges of one there is time for each of the moments at which the command looks at a path.
COUNT = 40

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="renameat2 is a call of Linux")


@contextlib.contextmanager
def exchanging(pairs: list[tuple[Path, Path]]) -> Iterator[None]:
    """Have a process exchange the files of each pair, over and over."""
    paths = [os.fspath(path) for pair in pairs for path in pair]
    with subprocess.Popen(
        [sys.executable, "-c", EXCHANGER, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            if not process.stdout.readline():
                pytest.skip(f"this file system cannot exchange files: {process.stderr.read().decode()}")
            yield
            assert process.poll() is None
        finally:
            process.kill()


def read_tree(path: Path) -> dict[str, bytes]:
    """Return what the files below a directory hold, by path."""
    return {
        found.relative_to(path).as_posix(): found.read_bytes() for found in path.rglob("*") if found.is_file()
    }


def run_on(tree: Path, way: Way, elsewhere: Path, pairs: list[tuple[Path, Path]]) -> None:
    """Run the command on a tree a few times, meanwhile exchanging; assert that all else stays the same."""
    before = read_tree(elsewhere)
    with exchanging(pairs):
        for _ in range(3):
            main([*way.arguments, "--quiet", "--backup=~", str(tree)])
    assert read_tree(elsewhere) == before
    for path in (found for pair in pairs for found in pair):
        # Anything but a link is an old file or a new one, or a directory of these.
        for name, data in read_tree(path).items() if path.is_dir() else [("", path.read_bytes())]:
            assert data in {way.old, way.new}, name


@ways
def test_files_exchanged_for_links(tmp_path: Path, way: Way) -> None:
    tree, spare, elsewhere = (tmp_path / name for name in ("tree", "spare", "elsewhere"))
    for directory in (tree, spare, elsewhere):
        directory.mkdir()
    pairs = []
    for number in range(COUNT):
        (elsewhere / f"{number}").write_bytes(way.old)
        (tree / f"{number}").write_bytes(way.old)
        (spare / f"{number}").symlink_to(elsewhere / f"{number}")
        pairs.append((tree / f"{number}", spare / f"{number}"))
    run_on(tree, way, elsewhere, pairs)


@ways
def test_directories_exchanged_for_links(tmp_path: Path, way: Way) -> None:
    tree, spare, elsewhere = (tmp_path / name for name in ("tree", "spare", "elsewhere"))
    pairs = []
    spare.mkdir()
    for number in range(COUNT):
        for top in (tree, elsewhere):
            (top / f"{number}").mkdir(parents=True)
            (top / f"{number}" / "file").write_bytes(way.old)
        (spare / f"{number}").symlink_to(elsewhere / f"{number}")
        pairs.append((tree / f"{number}", spare / f"{number}"))
    run_on(tree, way, elsewhere, pairs)


def test_nothing_elsewhere_is_read(tmp_path: Path) -> None:
    """Files below a directory that is exchanged for a link are not copied into the output."""
    tree, spare, elsewhere = (tmp_path / name for name in ("tree", "spare", "elsewhere"))
    for directory in (tree, spare, elsewhere):
        directory.mkdir()
    pairs = []
    for number in range(COUNT):
        (tree / f"{number}").mkdir()
        (tree / f"{number}" / "file").write_bytes(b"caf\xe9")
        (elsewhere / f"{number}").mkdir()
        (elsewhere / f"{number}" / "file").write_bytes(b"secret")
        (spare / f"{number}").symlink_to(elsewhere / f"{number}")
        pairs.append((tree / f"{number}", spare / f"{number}"))
    with exchanging(pairs):
        for number in range(3):
            out = tmp_path / f"out{number}"
            out.mkdir()
            main(["convert", "--from", "cp1252", "--quiet", "-o", str(out), str(tree)])
            assert set(read_tree(out).values()) <= {"café".encode()}
