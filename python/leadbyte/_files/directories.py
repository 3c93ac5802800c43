"""Directories of files that are written."""

from __future__ import annotations

import contextlib
import os
import stat


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


def make_directories(path: str, like: str) -> None:
    """Make a directory, and all above it that are missing; ``os.makedirs`` calls itself for each of these.

    Each has the permissions of ``like``, or of the directory as far above it, but its owner's are all.
    """
    missing = []
    while path and not os.path.isdir(path):
        missing.append((path, like))
        path, like = os.path.dirname(path), os.path.dirname(like)
    for directory, like in reversed(missing):
        mode = stat.S_IMODE(os.stat(like or os.curdir).st_mode)
        try:
            os.mkdir(directory, mode & 0o777 | stat.S_IRWXU)
        except FileExistsError:
            if not os.path.isdir(directory):
                raise
