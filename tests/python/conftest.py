"""Settings for all tests."""

from __future__ import annotations

import gc
import signal

from hypothesis import HealthCheck, settings
from reduced import IS_REDUCED

# Time limits would depend on the machine, not on the code.
settings.register_profile(
    "leadbyte",
    deadline=None,
    max_examples=30 if IS_REDUCED else 200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# For what one Python, and the best implementation, have tried with more: the others differ little.
settings.register_profile("few", settings.get_profile("leadbyte"), max_examples=10)
settings.load_profile("leadbyte")

# A shell that starts the tests in the background has SIGINT ignored in all that they start, and nohup SIGHUP.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Leave the collected tests out of garbage collections, which take a twentieth of the time otherwise."""
    gc.collect()
    gc.freeze()
