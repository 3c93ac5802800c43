"""``leadbyte completion``: what makes shells complete arguments."""

from __future__ import annotations

import sys

from leadbyte.cli.output import TROUBLE, VALID, Output

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse

# Where shells look for it, below what is installed.
PLACES = {
    "bash": "share/bash-completion/completions/leadbyte",
    "zsh": "share/zsh/site-functions/_leadbyte",
    "fish": "share/fish/vendor_completions.d/leadbyte.fish",
}


def completion(options: argparse.Namespace) -> int:
    """Print a shell's script, as it is installed with the package; return the exit code."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        installed = files("leadbyte") or []
    except PackageNotFoundError:
        installed = []
    place = PLACES[options.shell]
    for path in installed:
        if path.as_posix().endswith(place):
            sys.stdout.write(path.read_text())
            return VALID
    Output(sys.stdout).warn(f"{place} is not installed")
    return TROUBLE
