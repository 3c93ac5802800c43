"""Whether the long tests are to be short."""

import os

REDUCED = os.environ.get("LEADBYTE_TESTS") == "boundary"
