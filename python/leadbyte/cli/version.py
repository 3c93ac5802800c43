"""The version of the command."""

from __future__ import annotations

import sys


def version() -> str:
    """Return the version, with the instruction set used for validation and the version of Python."""
    from leadbyte import __version__, cpu_info

    python = ".".join(map(str, sys.version_info[:3]))
    return f"leadbyte {__version__} ({cpu_info()['functions']['validate']}; Python {python})"
