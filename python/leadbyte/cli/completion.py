"""``leadbyte completion``: print the completion script of a shell."""

from __future__ import annotations

import sys

from leadbyte.cli.output import ERROR, VALID, Output

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

# The path of the script of each shell, relative to the prefix of the installation.
SCRIPT_PATHS = {
    "bash": "share/bash-completion/completions/leadbyte",
    "zsh": "share/zsh/site-functions/_leadbyte",
    "fish": "share/fish/vendor_completions.d/leadbyte.fish",
}


def completion(options: argparse.Namespace) -> int:
    """Print the script of a shell that is installed with the package; return the exit code."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        installed = files("leadbyte") or []
    except PackageNotFoundError:
        installed = []
    script = SCRIPT_PATHS[options.shell]
    for path in installed:
        if path.as_posix().endswith(script):
            sys.stdout.write(path.read_text(encoding="utf-8"))
            return VALID
    Output(sys.stdout).warn(f"{script} is not installed")
    return ERROR
