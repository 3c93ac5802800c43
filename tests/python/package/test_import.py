"""What `import leadbyte` costs."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.clock

# The share of Python's own start, which a slower machine makes longer as well; 0.08 to 0.13 are usual.
LIMIT = 0.25
PROCESSES = 25
TIME = """
import time
started = time.perf_counter()
import leadbyte
print(time.perf_counter() - started)
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
    starts, imports = [], []
    for _ in range(PROCESSES):
        started = time.perf_counter()
        printed("pass")
        starts.append(time.perf_counter() - started)
        imports.append(float(printed(TIME)))
    # The best of many processes is near what a machine takes that does nothing else.
    assert min(imports) < LIMIT * min(starts), (sorted(imports), sorted(starts))
