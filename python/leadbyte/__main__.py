"""``python -m leadbyte``: the command, where its script is not on the path."""

import sys

from leadbyte.cli import run

sys.exit(run())
