"""Annotations of a GitHub workflow.

They are workflow commands, whose escapes the runner decodes:
https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import os

from leadbyte._messages import printable
from leadbyte.cli.files import STANDARD_INPUT

# Escaped only in the values of properties; messages may contain these.
SEPARATORS = {":": "%3A", ",": "%2C"}


def annotation(path: str, message: str, *, title: str, line: int = 0, column: int = 0) -> str:
    """Return the workflow command that annotates a file, or a line and column in it, from 1."""
    file = "" if path == STANDARD_INPUT else in_repository(path)
    named = {"file": file, "line": line, "col": column, "title": title}
    properties = ",".join(f"{name}={escaped(str(value))}" for name, value in named.items() if value)
    return f"::error {properties}::{escaped_data(message)}"


def in_repository(path: str) -> str:
    """Return a path relative to the root of the repository, as GitHub expects it, if the file is in it."""
    directory, name = os.path.split(path)
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or os.curdir)
    try:
        found = os.path.relpath(os.path.join(os.path.realpath(directory), name), root)
    except ValueError:
        # On another drive of Windows.
        return path
    return path if found.startswith(os.pardir) else found.replace(os.sep, "/")


def escaped_data(text: str) -> str:
    """Return text escaped for a message, on one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped(text: str) -> str:
    """Return text escaped for the value of a property; characters that are not printable stay escaped."""
    return printable("".join(SEPARATORS.get(char, char) for char in escaped_data(text)))
