"""Settings for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from reduced import REDUCED

# Time limits would tell of the machine, not of the code.
settings.register_profile(
    "leadbyte",
    deadline=None,
    max_examples=50 if REDUCED else 200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("leadbyte")
