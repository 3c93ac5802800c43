#!/usr/bin/env python3
"""Fuzz the installed package beside CPython.

python fuzz/python/run.py TARGET [libFuzzer's options and folders of inputs]

If the extension module is instrumented, as in the session ``fuzz`` of nox, its coverage guides the inputs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import atheris


def main() -> None:
    """Run a target until libFuzzer ends the process."""
    script, target, *options = sys.argv
    # An instrumented module asks for libFuzzer's functions, which atheris loads in `Fuzz`.
    sys.setdlopenflags(sys.getdlopenflags() | os.RTLD_GLOBAL)
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "python" / "support"))

    def check(data: bytes) -> None:
        with atheris.instrument_imports(include=["leadbyte"]):
            from targets import TARGETS

        TARGETS[target](data)

    atheris.Setup([script, *options], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
