"""Writing to a path: atomic replacement of regular files, and streams for everything else."""

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
    """Open the target of a path if it cannot be replaced; return None for a regular file or none at all.

    Pipes and devices are written directly. So is an open descriptor, by a name such as /dev/stdout, whatever
    its file is: writing starts at its offset, and nothing is truncated. If the descriptor is another
    process's, writing starts at the end of the file.
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
    """Return the entry of a directory of descriptors that a path is or links to, or None."""
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
    """Open an existing file for appending, without truncating it."""
    return os.open(path, flags & ~(os.O_CREAT | os.O_TRUNC) | os.O_APPEND)


@contextlib.contextmanager
def replacing(path: str, *, backup: str | None = None) -> Iterator[BinaryIO]:
    """Yield a file to write that replaces the one at a path at the end, unless an exception is raised.

    Whatever happens, power failures included, the path names the old file or the complete new one. A link
    stays one: its target is replaced. The new file has the old one's permissions, extended attributes and,
    where that is allowed, owner. With a suffix for a backup the old file is kept under its name and that
    suffix.
    """
    path = os.path.realpath(path)
    temporary = temporary_beside(path)
    exists = os.path.exists(path)
    try:
        # Nobody else may read it before it has the permissions of the old file.
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
    """Return an unused name in the directory of a path."""
    return os.path.join(os.path.dirname(path), f".leadbyte-{os.urandom(8).hex()}")


def open_privately(path: str, flags: int) -> int:
    """Open a file with permissions for its owner only."""
    return os.open(path, flags, 0o600)


def copy_status(path: str, new: str) -> None:
    """Copy the status of an old file to a new one, except its times."""
    status = os.stat(path)
    owned = True
    if hasattr(os, "chown"):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except OSError:
            owned = False
    shutil.copystat(path, new)
    if not owned:
        # A set-user-ID program must not run with the rights of another owner.
        os.chmod(new, stat.S_IMODE(status.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))
    os.utime(new)


def keep(path: str, backup: str) -> None:
    """Link a file to a second name, which may name another file before."""
    temporary = temporary_beside(backup)
    try:
        try:
            os.link(path, temporary)
        except OSError:
            # Some file systems have no hard links.
            shutil.copy2(path, temporary)
        os.replace(temporary, backup)
    finally:
        # os.replace leaves it if both are names of the same file.
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def sync_directory(path: str) -> None:
    """Flush the entries of a directory to the disk, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
