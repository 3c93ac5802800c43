"""What `import leadbyte` costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.clock

# Milliseconds; the best of many processes is near what a machine takes that does nothing else.
LIMIT = 2.0
PROCESSES = 25
TIME = """
import time
started = time.perf_counter()
import leadbyte
print((time.perf_counter() - started) * 1000)
"""
MODULES = """
import sys
before = set(sys.modules)
import leadbyte
print(*sorted(set(sys.modules) - before))
"""


def printed(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def test_nothing_else_is_imported() -> None:
    assert printed(MODULES).split() == ["leadbyte", "leadbyte._leadbyte"]


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere the system looks at libraries as it loads them"
)
def test_importing_takes_no_time() -> None:
    times = [float(printed(TIME)) for _ in range(PROCESSES)]
    assert min(times) < LIMIT, sorted(times)
