"""Directories of files that were replaced."""

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
