"""New files in another directory."""

from __future__ import annotations

import os

from leadbyte.cli.files import STANDARD_INPUT, Skipped


class Tree:
    """A directory that new files go into, under the names that the old ones have, as with cp -r."""

    def __init__(self, directory: str, paths: list[str]) -> None:
        self.directory = directory
        self.real = os.path.realpath(directory)
        self.paths = paths
        self.taken: set[str] = set()

    def target(self, path: str, *, named: bool) -> str:
        """Return where the new file goes that is made of one that was named, or found below one of the paths.

        Raises Skipped for what is in this directory itself, OSError for what cannot go there.
        """
        if path == STANDARD_INPUT:
            message = "standard input has no name to go by in a directory"
            raise OSError(message)
        name = os.path.basename(path)
        if not named:
            if os.path.commonpath([self.real, os.path.realpath(path)]) == self.real:
                reason = "in the output"
                raise Skipped(reason)
            top = next(top for top in self.paths if path.startswith(os.path.join(top, "")))
            # What is below a directory without a name of its own goes in without one.
            own = os.path.basename(os.path.normpath(top))
            name = os.path.join("" if own == os.pardir else own, os.path.relpath(path, top))
        target = os.path.normpath(os.path.join(self.directory, name))
        if target in self.taken:
            message = f"not written, as {target} has been written already"
            raise OSError(message)
        self.taken.add(target)
        return target
