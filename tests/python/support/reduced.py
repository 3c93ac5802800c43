"""Whether the long tests are to be short."""

import os

IS_REDUCED = os.environ.get("LEADBYTE_TESTS") == "boundary"
