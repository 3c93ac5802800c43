"""Sub-interpreters, shutdown, daemon threads and fork: processes that must not hang or abort."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"
# What each script begins with: calls.py, executed with names of its own.
CALLS = f"""
import codecs, os, sys, threading
from pathlib import Path
names = {{"__name__": "calls"}}
exec(compile(Path({str(SUPPORT / "calls.py")!r}).read_text(encoding="utf-8"), "calls.py", "exec"), names)
leadbyte, outcome, outcomes, report = map(names.get, ["leadbyte", "outcome", "outcomes", "report"])
"""

SUB_INTERPRETERS = """
import os
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

reader, writer = os.pipe()
SCRIPT = f'''
import os
try:
    import leadbyte
except ImportError as error:
    message = f"ImportError: {{error}}"
else:
    message = repr(leadbyte.is_valid(bytearray(b"x")))
os.write({writer}, message.encode())
'''

def in_another():
    # One that shares the interpreter lock, if the version knows others.
    for create in [lambda: interpreters.create("legacy"), lambda: interpreters.create(isolated=False)]:
        try:
            interpreter = create()
        except TypeError:
            continue
        break
    interpreters.run_string(interpreter, SCRIPT)
    message = os.read(reader, 10_000).decode()
    interpreters.destroy(interpreter)
    return message
"""


def run(script: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=timeout, check=False
    )


def output(script: str) -> list[str]:
    """Return the lines that a script prints, which must print nothing else and end well."""
    done = run(script)
    assert (done.returncode, done.stderr) == (0, ""), (
        done.returncode,
        done.stderr[-3000:],
        done.stdout[-1000:],
    )
    return done.stdout.splitlines()


def has_interpreters() -> bool:
    names = ("_interpreters", "_xxsubinterpreters")
    return any(name in sys.builtin_module_names or find_spec(name) for name in names)


@pytest.mark.skipif(not has_interpreters(), reason="no module for sub-interpreters")
@pytest.mark.parametrize("first", ["main", "sub"])
def test_sub_interpreters_are_refused(first: str) -> None:
    """Whichever interpreter imports first, the main one is served and no other."""
    imported = {"main": ["import leadbyte", ""], "sub": ["", "import leadbyte"]}[first]
    lines = output(
        f"{SUB_INTERPRETERS}\n{imported[0]}\nprint(in_another())\nprint(in_another())\n{imported[1]}\n"
        f"{CALLS}\nbefore = outcomes()\nprint(in_another())\nprint(outcomes() == before)"
    )
    assert lines[3:] == ["True"]
    for line in lines[:3]:
        assert line.startswith("ImportError: leadbyte does not support sub-interpreters"), line


KEPT = {
    "module": "kept = Last()",
    "cycle": "kept = Last(); kept.itself = kept",
    "sys": "sys.leadbyte_kept = Last()",
    "builtins": "import builtins; builtins.leadbyte_kept = Last()",
    "thread": "kept = threading.local(); kept.last = Last()",
    "class": "Last.kept = Last()",
    "last module": "import types; last = sys.modules['zzz'] = types.ModuleType('zzz'); last.kept = Last()",
}


@pytest.mark.parametrize("where", KEPT)
def test_finalizers_at_shutdown(where: str) -> None:
    """Finalizers that run while the interpreter shuts down get the same results and exceptions as before."""
    script = f"""{CALLS}
expected = outcomes()

class Last:
    def __del__(self, outcomes=outcomes, expected=expected, report=report):
        report(outcomes() == expected)

{KEPT[where]}
report("ready")
"""
    assert output(script) == ["ready", "True"]


def test_finalizer_after_the_builtins() -> None:
    """The registry of codecs goes last, after the built-in names."""
    script = f"""{CALLS}
class Last:
    def search(self, name):
        return None
    def __del__(self, lb=leadbyte, write=os.write, valid=bytearray(b"x"), broken=memoryview(b"\\xff")):
        if lb.is_valid(valid):
            write(1, b"valid\\n")
        for call in (lb.decode, lb.validate, lb.scan):
            try:
                call(broken)
                write(1, b"returned\\n")
            except:
                write(1, b"raised\\n")

codecs.register(Last().search)
report("ready")
"""
    assert output(script) == ["ready", "valid", "raised", "raised", "returned"]


def test_functions_at_exit() -> None:
    script = f"""{CALLS}
import atexit
expected = outcomes()
atexit.register(lambda: report(outcomes() == expected))
threading.Thread(target=lambda: (threading.main_thread().join(), report(outcomes() == expected))).start()
report("ready")
"""
    assert output(script) == ["ready", "True", "True"]


@pytest.mark.parametrize(
    "work",
    [
        "leadbyte.scan(data)",
        "leadbyte.scan(data, threads=2)",
        "leadbyte.is_valid(bytearray(b'x'))",
        "leadbyte.decode(data[:-1])",
        "leadbyte.decode(b'\\\\xff', errors='replace')",
        "outcome(leadbyte.validate, data)",
        "outcomes(1 << 8)",
    ],
)
def test_daemon_threads(work: str) -> None:
    """A daemon thread that is still at work neither keeps the process from ending nor ends it badly."""
    script = f"""{CALLS}
import time
data = "Ж".encode() * (8 << 20) + b"\\xff"
def forever():
    while True:
        {work}
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
report("ready")
"""
    assert output(script) == ["ready"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork_while_threads_work() -> None:
    """A child process has none of the other threads, and whatever they were doing, everything works in it."""
    script = f"""{CALLS}
import time, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads
expected = outcomes()
data = "Ж".encode() * (1 << 20) + b"\\xff"
scanner, validator, errors = leadbyte.Scanner(), leadbyte.IncrementalValidator(), leadbyte.iter_errors(data)
ended = False
def work():
    while not ended:
        scanner.update(data)
        leadbyte.decode(bytearray(data), errors="replace")
        leadbyte.scan(data, threads=2)
        validator.reset()
        validator.update(data)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
try:
    for _ in range(20):
        child = os.fork()
        if not child:
            try:
                scanner.update(b"x")
                validator.reset()
                good = outcomes(1 << 12) and validator.update(b"x") and next(errors).start == len(data) - 1
                os._exit(0 if good else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        time.sleep(0.01)
finally:
    ended = True
for thread in threads:
    thread.join()
report(outcomes() == expected)
"""
    assert output(script) == ["True"]
