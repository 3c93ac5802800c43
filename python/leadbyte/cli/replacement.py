"""Files to write at a path: in the place of old ones, whole or not at all, or as streams."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from io import FileIO

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

# A directory whose entries are the open descriptors of a process.
DESCRIPTORS = re.compile(r"/dev/fd|/proc/\d+/(task/\d+/)?fd")
# Those of this process; links among them are resolved each time, as the process may have been forked.
OWN_DESCRIPTORS = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")
# Linux follows no more links than this.
MAX_LINKS = 40


def open_stream(path: str) -> FileIO | None:
    """Open what a path leads to if it cannot be replaced; return None for a regular file or none at all.

    Pipes and devices take what is written as it comes. So does an open descriptor, by a name such as
    /dev/stdout, whatever file it leads to: the writing starts at its offset, and nothing is truncated. Where
    the descriptor is another process's, it starts at the end of the file.
    """
    entry = find_descriptor(path)
    if entry is None:
        try:
            if stat.S_ISREG(os.stat(path).st_mode):
                return None
        except FileNotFoundError:
            return None
    elif os.path.dirname(entry) in map(os.path.realpath, OWN_DESCRIPTORS):
        return FileIO(os.dup(int(os.path.basename(entry))), "wb")
    return FileIO(path, "wb", opener=open_existing)


def find_descriptor(path: str) -> str | None:
    """Return the entry of a directory of descriptors that a path is or leads to by links, or None."""
    for _ in range(MAX_LINKS):
        directory, name = os.path.split(path)
        path = os.path.join(os.path.realpath(directory), name)
        if name.isdecimal() and DESCRIPTORS.fullmatch(os.path.dirname(path)):
            return path
        try:
            path = os.path.join(os.path.dirname(path), os.readlink(path))
        except OSError:
            break
    return None


def open_existing(path: str, flags: int) -> int:
    """Open a file for writing that neither creates nor truncates it."""
    return os.open(path, flags & ~(os.O_CREAT | os.O_TRUNC) | os.O_APPEND)


@contextlib.contextmanager
def replacing(path: str, *, backup: str | None = None) -> Iterator[BinaryIO]:
    """Give a file to write that takes the path's place at the end, unless that is an exception.

    Whatever happens, power cuts included, the path names the old file or the new one, whole. A link stays
    one: the file it leads to is replaced. The new file has the old one's permissions, extended attributes
    and, where that is allowed, owner. With a suffix for a backup the old file is kept under its name and
    that suffix.
    """
    path = os.path.realpath(path)
    temporary = temporary_beside(path)
    exists = os.path.exists(path)
    try:
        # Until it has the old one's permissions, nobody else may read it.
        with open(temporary, "xb", opener=open_privately if exists else None) as file:
            yield file
            file.flush()
            if exists:
                copy_status(path, temporary)
            os.fsync(file.fileno())
        if backup:
            keep(path, path + backup)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_directory(os.path.dirname(path))


def temporary_beside(path: str) -> str:
    """Return a name that nothing has yet, in the directory of a path."""
    return os.path.join(os.path.dirname(path), f".leadbyte-{os.urandom(8).hex()}")


def open_privately(path: str, flags: int) -> int:
    """Open a file that only its owner may read."""
    return os.open(path, flags, 0o600)


def copy_status(path: str, new: str) -> None:
    """Give a new file what is known of an old one, but for its times."""
    status = os.stat(path)
    owned = True
    if hasattr(os, "chown"):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except OSError:
            owned = False
    shutil.copystat(path, new)
    if not owned:
        # What runs with its owner's rights must not do so with another's.
        os.chmod(new, stat.S_IMODE(status.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))
    os.utime(new)


def keep(path: str, backup: str) -> None:
    """Give a file a second name, which another may have had."""
    temporary = temporary_beside(backup)
    try:
        try:
            os.link(path, temporary)
        except OSError:
            # Not every file system has links.
            shutil.copy2(path, temporary)
        os.replace(temporary, backup)
    finally:
        # It is still there also if both were names of the same file already.
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def sync_directory(path: str) -> None:
    """Have a directory's entries written to the disk, where that can be asked for."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
