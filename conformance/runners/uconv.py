"""uconv, the command of ICU: a process for each vector, so only the short ones."""

from __future__ import annotations

import re
import subprocess

import common
from common import Decoder

MOST_BYTES = 4


def convert(*options: str) -> Decoder:
    """Return a function that converts by the command."""

    def converted(data: bytes) -> bytes | str | None:
        if len(data) > MOST_BYTES:
            return common.NOT_RUN
        command = ["uconv", "-f", "UTF-8", "-t", "UTF-8", *options]
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        # A malformed sequence at the start is reported, too, but the exit code is then 0.
        return done.stdout if done.returncode == 0 and not done.stderr else None

    return converted


version = subprocess.run(["uconv", "--version"], capture_output=True, text=True, check=True).stdout
common.run_each(
    "uconv",
    re.findall(r"ICU ([\d.]+)", version)[0],
    {"uconv": convert(), "uconv --from-callback substitute": convert("--from-callback", "substitute")},
)
