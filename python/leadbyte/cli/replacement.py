"""New files in the place of old ones: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


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
