"""The paths of new files in an output directory."""

from __future__ import annotations

import os

from leadbyte.cli.files import STANDARD_INPUT, Skipped


class OutputDirectory:
    """A directory for new files, which get the names of the input files, as by cp -r."""

    def __init__(self, directory: str, paths: list[str]) -> None:
        self.directory = directory
        self.real = os.path.realpath(directory)
        self.paths = paths
        self.used: set[str] = set()
        # A file that is an input may not have been read yet.
        self.inputs = {os.path.realpath(path) for path in paths if not os.path.isdir(path)}
        # Directories among the paths whose files are all taken for outputs.
        self.inner = [path for path in paths if os.path.isdir(path) and self.has(path)]

    def has(self, path: str) -> bool:
        """Return whether a path is this directory, or below it."""
        # The paths may be on different drives, which os.path.commonpath does not take.
        real, top = (os.path.join(os.path.normcase(it), "") for it in (os.path.realpath(path), self.real))
        return real.startswith(top)

    def target(self, path: str, *, named: bool) -> str:
        """Return the path of the new file for an input file, which was named or found below one of the paths.

        Raises Skipped for a file in this directory itself, OSError for one that has no path there.
        """
        if path == STANDARD_INPUT:
            message = "standard input has no file name to use in a directory"
            raise OSError(message)
        name = os.path.basename(path)
        if not named:
            if self.has(path):
                reason = "in the output directory"
                raise Skipped(reason)
            top = next(top for top in self.paths if path.startswith(os.path.join(top, "")))
            # Files below a directory without a name, such as "..", go to the top.
            own = os.path.basename(os.path.normpath(top))
            name = os.path.join("" if own == os.pardir else own, os.path.relpath(path, top))
        target = os.path.normpath(os.path.join(self.directory, name))
        real = os.path.realpath(target)
        if real in self.used:
            message = f"not written, as {target} has been written already"
            raise OSError(message)
        if real in self.inputs:
            message = f"not written, as {target} is also an input"
            raise OSError(message)
        self.used.add(real)
        return target
