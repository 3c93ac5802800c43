"""Sub-interpreters, shutdown, daemon threads and fork: processes that must not hang or abort."""

from __future__ import annotations

import os
import re
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

SCRIPT = '''
import os
try:
    import leadbyte
except ImportError as error:
    message = f"ImportError: {{error}}"
else:
    message = repr(leadbyte.is_valid(bytearray(b"x")))
os.write({writer}, message.encode())
'''

# Those that share the interpreter lock, and those that have their own; the names differ between versions.
CREATE = {
    "shared": [lambda: interpreters.create("legacy"), lambda: interpreters.create(isolated=False)],
    "own": [lambda: interpreters.create("isolated"), lambda: interpreters.create(isolated=True)],
}

def in_another(lock):
    for create in CREATE[lock]:
        try:
            interpreter = create()
        except TypeError:
            continue
        break
    reader, writer = os.pipe()
    interpreters.run_string(interpreter, SCRIPT.format(writer=writer))
    message = os.read(reader, 10_000).decode()
    os.close(reader)
    os.close(writer)
    interpreters.destroy(interpreter)
    return message
"""
# Our message, or CPython's, which refuses first where the interpreter has a lock of its own.
REFUSAL = re.compile(
    r"ImportError: (leadbyte does not support sub-interpreters; import it in the main interpreter"
    r"|module leadbyte\._leadbyte does not support loading in subinterpreters)"
)


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


with_interpreters = pytest.mark.skipif(not has_interpreters(), reason="no module for sub-interpreters")
LOCKS = [
    "shared",
    pytest.param("own", marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="one lock for all")),
]


@with_interpreters
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("first", ["main", "sub"])
def test_sub_interpreters_are_refused(first: str, lock: str) -> None:
    """Whichever interpreter imports first, the main one is served and no other."""
    imported = {"main": ["import leadbyte", ""], "sub": ["", "import leadbyte"]}[first]
    attempt = f"print(in_another({lock!r}))"
    lines = output(
        f"{SUB_INTERPRETERS}\n{imported[0]}\n{attempt}\n{attempt}\n{imported[1]}\n"
        f"{CALLS}\nbefore = outcomes()\n{attempt}\nprint(outcomes() == before)"
    )
    assert lines[3:] == ["True"]
    for line in lines[:3]:
        assert REFUSAL.fullmatch(line), line


@with_interpreters
@pytest.mark.parametrize("lock", LOCKS)
def test_sub_interpreters_on_threads(lock: str) -> None:
    """Interpreters that import at the same time are refused, while the main one works."""
    script = f"""{SUB_INTERPRETERS}{CALLS}
before = outcomes()
messages = []
threads = [
    threading.Thread(target=lambda: messages.extend(in_another({lock!r}) for _ in range(3))) for _ in range(3)
]
for thread in threads:
    thread.start()
unharmed = outcomes() == before
while any(thread.is_alive() for thread in threads):
    unharmed = unharmed and outcomes(1 << 12) == outcomes(1 << 12)
for thread in threads:
    thread.join()
print(len(messages), *sorted(set(messages)), unharmed and outcomes() == before, sep="\\n")
"""
    count, *messages, unharmed = output(script)
    assert (count, unharmed) == ("9", "True")
    assert all(map(REFUSAL.fullmatch, messages)), messages


@pytest.mark.skipif(find_spec("concurrent.interpreters") is None, reason="since Python 3.14")
def test_interpreters_of_the_standard_library() -> None:
    script = """
from concurrent import interpreters
import leadbyte

interpreter = interpreters.create()
for _ in range(2):
    try:
        interpreter.exec("import leadbyte")
    except interpreters.ExecutionFailed as error:
        print(error.excinfo.type.__name__, error.excinfo.msg, sep=": ")
interpreter.close()
print(leadbyte.decode(b"\\xe2\\x82\\xac") == "\u20ac")
"""
    *refusals, result = output(script)
    assert len(refusals) == 2
    assert all(map(REFUSAL.fullmatch, refusals)), refusals
    assert result == "True"


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


@pytest.mark.parametrize(
    "work",
    [
        "list(leadbyte.lines(file))",
        "list(leadbyte.lines(file, encoding='latin-1'))",
        "leadbyte.decode_many(pieces())",
        "leadbyte.OffsetMap(b'abc').convert_many(map(len, pieces()), 'byte', 'char')",
        "leadbyte.decode(b'\\xff', errors='waiting')",
        "leadbyte.decode(b'\\xff', errors='later')",
        "leadbyte.decode_many(Long())",
    ],
)
def test_daemon_threads_in_python_code(work: str) -> None:
    """Threads in Python code that leadbyte has called wait if they resume after the shutdown."""
    script = f"""{CALLS}
import leadbyte, time
reader, writer = os.pipe()
file = os.fdopen(reader, "rb", buffering=0)
def pieces():
    while piece := file.read(10):
        yield piece
class Later:
    def __index__(self):
        file.read(10)
        return 1
class Long:
    def __iter__(self):
        return self
    def __length_hint__(self):
        file.read(10)
        return 1
    def __next__(self):
        raise StopIteration
codecs.register_error("waiting", lambda error: (str(file.read(10)), error.end))
codecs.register_error("later", lambda error: ("?", Later()))
threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.2)
report("ready")
os.close(writer)
"""
    for _ in range(2):
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
