"""Directories of files that are written."""

from __future__ import annotations

import contextlib
import os


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


def make_directories(path: str) -> None:
    """Make a directory, and all above it that are missing; ``os.makedirs`` calls itself for each of these."""
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for directory in reversed(missing):
        try:
            os.mkdir(directory)
        except FileExistsError:
            if not os.path.isdir(directory):
                raise
