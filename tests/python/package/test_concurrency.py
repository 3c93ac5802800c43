"""Threads, fork and Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import leadbyte
import oracle
import pytest
import strategies

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

pytestmark = pytest.mark.clock

# How long after a signal its exception may come: 200 ms are promised, the rest is for a busy machine.
PROMPT = 0.5


def run_script(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def on_threads(work: Callable[[], Any], number: int = 8) -> list[Any]:
    """Run the same work on threads that start at once; return what each returns."""
    barrier = threading.Barrier(number)

    def start() -> Anything:
        barrier.wait(30)
        return work()

    with ThreadPoolExecutor(number) as pool:
        return [future.result(60) for future in [pool.submit(start) for _ in range(number)]]


@pytest.mark.parametrize("size", [300, 2 * strategies.CHUNK_BYTES], ids=["small", "large"])
def test_functions_on_many_threads(size: int) -> None:
    data = bytes(strategies.filled(size, strategies.TEXT * 100 + b"\xff\n"))
    offset = data.rfind(b"\n")
    expected = oracle.scan(data)

    def work() -> None:
        for _ in range(20):
            assert leadbyte.is_valid(data) is expected["valid"]
            assert leadbyte.count_chars(data) == expected["char_count"]
            assert leadbyte.count_utf16(data) == expected["utf16_count"]
            assert leadbyte.count_newlines(data) == expected["newline_count"]
            assert leadbyte.count_widths(data) == widths
            assert leadbyte.scan(data, threads=2).char_count == expected["char_count"]
            assert sum(1 for _ in leadbyte.iter_errors(data)) == expected["error_count"]
            assert leadbyte.locate(data, offset).line == expected["newline_count"]

    widths = oracle.widths(data)
    on_threads(work)


@pytest.mark.parametrize("size", [100, 200_000], ids=["small", "large"])
def test_one_scanner_shared_by_threads(size: int) -> None:
    data, rounds = b"a" * (size - 1) + b"\n", 50
    scanner = leadbyte.Scanner()

    def work() -> None:
        for _ in range(rounds):
            scanner.update(data)
            assert scanner.byte_count % size == 0

    on_threads(work)
    scan = scanner.finish()
    assert (scan.byte_count, scan.newline_count, scan.valid) == (8 * rounds * size, 8 * rounds, True)


def test_scanners_merged_with_each_other_by_threads() -> None:
    scanners = [leadbyte.Scanner() for _ in range(2)]
    for scanner in scanners:
        scanner.update(b"\xff")
    order = iter([0, 1] * 4)

    def work() -> None:
        first = next(order)
        for _ in range(5):
            scanners[first].merge(scanners[1 - first])

    on_threads(work)
    for scanner in scanners:
        scan = scanner.finish()
        assert scan.error_count == scan.byte_count > 20


def test_one_scanner_finished_by_threads() -> None:
    scanner = leadbyte.Scanner()
    scanner.update(b"text")
    assert set(on_threads(scanner.finish)) == {leadbyte.scan(b"text")}


@pytest.mark.parametrize("distance", [2, 70_000], ids=["close", "far"])
def test_one_error_iterator_shared_by_threads(distance: int) -> None:
    data = (b"a" * (distance - 1) + b"\xff") * (40_000 // distance + 40)
    errors = leadbyte.iter_errors(data)
    found = on_threads(lambda: [error.start for error in errors])
    assert Counter(start for starts in found for start in starts) == Counter(
        start for start, _, _ in oracle.spans(data)
    )


@pytest.mark.parametrize("size", [100, 300_000], ids=["small", "large"])
@pytest.mark.parametrize("readonly", [False, True])
def test_bytes_that_another_thread_changes(size: int, *, readonly: bool) -> None:
    data = bytearray(strategies.filled(size))
    seen = memoryview(data).toreadonly() if readonly else data
    patterns = [bytes(strategies.filled(size, pattern)) for pattern in [*strategies.BROKEN, strategies.TEXT]]
    finished = threading.Event()

    def change() -> None:
        while not finished.is_set():
            for pattern in patterns:
                data[:] = pattern
                data[size // 2] ^= 0xFF

    other = threading.Thread(target=change)
    other.start()
    deadline = time.monotonic() + 0.5
    try:
        while time.monotonic() < deadline:
            leadbyte.is_valid(seen)
            assert leadbyte.count_chars(seen) <= size
            assert leadbyte.count_utf16(seen) <= 2 * size
            assert all(0 <= count <= size for count in leadbyte.count_widths(seen))
            assert leadbyte.scan(seen, threads=2).byte_count == size
            leadbyte.locate(seen, size // 2)
            assert all(0 < error.end <= size for error in leadbyte.iter_errors(seen))
            # The exception is about the bytes that it holds.
            raised = oracle.raised_by(leadbyte.validate, seen)
            assert raised is None or (
                oracle.fields(raised) == oracle.fields(oracle.decode_error(raised.object))
            )
    finally:
        finished.set()
        other.join()


FORK = """
import os, sys, threading
import leadbyte

data = bytearray(64 << 20)
expected = leadbyte.scan(data, threads=2)
finished = threading.Event()

def scan_again_and_again():
    while not finished.is_set():
        assert leadbyte.scan(data, threads=2) == expected

def child_scans():
    child = os.fork()
    if child == 0:
        small = bytes(3 << 20)
        os._exit(0 if leadbyte.scan(small, threads=2).char_count == 3 << 20 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

thread = threading.Thread(target=scan_again_and_again)
if sys.argv[1] == "during":
    thread.start()
try:
    for _ in range(10):
        child_scans()
finally:
    finished.set()
if sys.argv[1] == "during":
    thread.join()
print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.parametrize("when", ["during", "after"])
def test_fork_and_scan_on_threads(when: str) -> None:
    done = run_script(FORK, when)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


INTERRUPT = """
import mmap, signal, sys, time
import leadbyte

class Stop(Exception):
    pass

def stop(number, frame):
    raise Stop

# Nothing but zeros, of which the system keeps one page.
data = mmap.mmap(-1, 16 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANON, prot=mmap.PROT_READ)
scanner = leadbyte.Scanner()
scanner.update(b"before")
signal.signal(signal.SIGALRM, stop)
DELAY = 0.2
calls = 0
started = time.perf_counter()
signal.setitimer(signal.ITIMER_REAL, DELAY)
try:
    while True:
        eval(sys.argv[1])
        calls += 1
except Stop:
    late = time.perf_counter() - started - DELAY
assert scanner.byte_count == 6 + calls * len(data)
scanner.update(b"after")
print(late, calls)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timer")
@pytest.mark.parametrize(
    "call",
    [
        "leadbyte.is_valid(data)",
        "leadbyte.validate(data)",
        "leadbyte.is_ascii(data)",
        "leadbyte.count_chars(data)",
        "leadbyte.count_widths(data)",
        "leadbyte.count_utf16(data)",
        "leadbyte.count_newlines(data)",
        "leadbyte.scan(data)",
        "leadbyte.scan(data, threads=2)",
        "scanner.update(data)",
        "list(leadbyte.iter_errors(data))",
        "list(leadbyte.iter_errors(data, locations=True))",
        "leadbyte.locate(data, len(data))",
        "leadbyte.locate(data, len(data), unit='utf16')",
        "leadbyte.OffsetMap(memoryview(data)[: 4 << 30])",
    ],
)
def test_handler_of_a_signal_stops_a_long_call(call: str) -> None:
    done = run_script(INTERRUPT, call)
    assert done.returncode == 0, done.stderr
    late, calls = done.stdout.split()
    print(f"{call}: {float(late) * 1000:.0f} ms after the signal, after {calls} full calls")
    assert float(late) < PROMPT
    assert int(calls) < 5, "the call is too short to be interrupted"


INTERRUPT_TEXT = """
import signal, sys, time
import leadbyte

class Stop(Exception):
    pass

def stop(number, frame):
    raise Stop

text = "e\\u0323\\u0301" * 30_000_000
signal.signal(signal.SIGALRM, stop)
DELAY = 0.1
started = time.perf_counter()
signal.setitimer(signal.ITIMER_REAL, DELAY)
try:
    eval(sys.argv[1])
    print("too short a call")
except Stop:
    print(time.perf_counter() - started - DELAY)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timer")
@pytest.mark.parametrize(
    "call",
    [
        "leadbyte.normalize('NFC', text)",
        "leadbyte.casefold(text)",
        "leadbyte.casefold(text.encode())",
        "leadbyte.search(text, 'e\\u0323\\u0301x')",
        "leadbyte.search(text, 'e\\u0323\\u0301x', ignore_case=True)",
        "leadbyte.search('x', text)",
        "leadbyte.search('\\u0323\\u0301' * 20_000_000, 'x')",
        "leadbyte.search('ab' * 40_000_000, 'ab' * 20_000_000 + 'c')",
        "leadbyte.graphemes(text)",
        "leadbyte.normalize('NFC', text.encode())",
    ],
)
def test_handler_of_a_signal_stops_a_long_call_on_text(call: str) -> None:
    done = run_script(INTERRUPT_TEXT, call)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < PROMPT


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timer")
def test_handler_uses_the_iterator_that_it_interrupts() -> None:
    script = """
import mmap, signal
import leadbyte
data = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANON, prot=mmap.PROT_READ)
errors = leadbyte.iter_errors(data)
found = []
signal.signal(signal.SIGALRM, lambda *_: found.append(next(errors, "none")))
signal.setitimer(signal.ITIMER_REAL, 0.02)
found.append(next(errors, "none"))
assert found == ["none", "none"], found
"""
    done = run_script(script)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timer")
def test_handler_that_returns_lets_a_call_go_on() -> None:
    script = """
import signal, leadbyte
data = bytes(64 << 20)
handled = []
signal.signal(signal.SIGALRM, lambda *_: handled.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
while len(handled) < 20:
    assert leadbyte.is_valid(data)
    assert leadbyte.scan(data, threads=2).char_count == len(data)
signal.setitimer(signal.ITIMER_REAL, 0)
"""
    done = run_script(script)
    assert done.returncode == 0, done.stderr
