"""``python -m leadbyte``: the command, where its script is not on the path."""

import sys

from leadbyte.cli import run

if __name__ == "__main__":
    sys.exit(run())
