"""What is found in files, as annotations of a GitHub workflow.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands tells of the form; what is
escaped is what the runner undoes.
"""

from __future__ import annotations

import os

from leadbyte.cli.files import STANDARD_INPUT

# Only in what is named; a message may have these.
SEPARATORS = {":": "%3A", ",": "%2C"}


def annotation(path: str, message: str, *, title: str, line: int = 0, column: int = 0) -> str:
    """Return the command that annotates a file, or a place in it: lines and columns count from 1."""
    file = "" if path == STANDARD_INPUT else in_repository(path)
    named = {"file": file, "line": line, "col": column, "title": title}
    properties = ",".join(f"{name}={escaped(str(value))}" for name, value in named.items() if value)
    return f"::error {properties}::{escaped_data(message)}"


def in_repository(path: str) -> str:
    """Return a path from the root of the repository, by which GitHub knows files, if it is there."""
    directory, name = os.path.split(path)
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or os.curdir)
    try:
        found = os.path.relpath(os.path.join(os.path.realpath(directory), name), root)
    except ValueError:
        # On another drive of Windows.
        return path
    return path if found.startswith(os.pardir) else found.replace(os.sep, "/")


def escaped_data(text: str) -> str:
    """Return text as a message has it, in one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped(text: str) -> str:
    """Return text as the value of a property."""
    return "".join(SEPARATORS.get(char, char) for char in escaped_data(text))
