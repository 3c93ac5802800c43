"""Leaks, bytes that change while they are decoded, threads, the debug allocator, and memory that is taken."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import handlers
import leadbyte
import outcomes
import pytest
import strategies
from reduced import IS_REDUCED

SUPPORT = Path(__file__).parents[1] / "support"
# The least that can be allocated is seen if each call leaks one; with the most calls, if every fiftieth does.
CALLS = os.environ.get("LEADBYTE_LEAK_CALLS", "1000" if IS_REDUCED else "50000")


def run(*arguments: str | Path, timeout: float = 300, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="needs the resident memory from /proc")
def test_nothing_leaks() -> None:
    """A part of what leaks.py does; LEADBYTE_LEAK_CALLS is the number of calls of each kind."""
    done = run(SUPPORT / "leaks.py", "--calls", CALLS, timeout=3600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" 0 leak\n")


def test_leak_is_found() -> None:
    script = """
import leaks, leadbyte
kept = []
case = leaks.case(lambda data: kept.append(bytearray(500)), b"text")
assert "blocks in 10000 calls" in leaks.leaks(case, 10000)
case = leaks.case(lambda data: kept.append(data), bytes(30))
assert "references" in leaks.leaks(case, 1000)
if leaks.MALLINFO:
    malloc = leaks.ctypes.CDLL(None).malloc
    assert "bytes" in leaks.leaks(leaks.case(lambda: malloc(1)), 1000)
"""
    done = run("-c", script, PYTHONPATH=str(SUPPORT))
    assert done.returncode == 0, done.stderr


def well_formed(text: str) -> bool:
    """Return whether a str is stored as CPython stores it: in the narrowest kind."""
    copied = "".join(list(text))
    return outcomes.of_str(copied)[:5] == outcomes.of_str(text)[:5]


@pytest.mark.parametrize("size", [64, 5000, 300_000])
@pytest.mark.parametrize("how", ["itself", "read-only"])
def test_bytes_that_another_thread_changes(size: int, how: str) -> None:
    data = bytearray(strategies.filled(size))
    seen = memoryview(data).toreadonly() if how == "read-only" else data
    samples = ["a", "é", "€", "😀", "a😀", "aé\n"]
    patterns = [bytes(strategies.filled(size, sample.encode())) for sample in samples]
    patterns += [bytes(strategies.filled(size, b"text\xff" + sample.encode())) for sample in samples]
    errors = ["ignore", "replace", "backslashreplace", "surrogateescape", "leadbyte-tests-decode hex"]
    finished = threading.Event()

    def change() -> None:
        while not finished.is_set():
            for pattern in patterns:
                data[:] = pattern
                data[size // 2] ^= 0xFF

    other = threading.Thread(target=change)
    other.start()
    deadline = time.monotonic() + 0.4
    decoded = 0
    try:
        while time.monotonic() < deadline:
            for name in errors:
                assert well_formed(leadbyte.decode(seen, errors=name)), name
                decoded += 1
            raised = outcomes.outcome(leadbyte.decode, seen)
            if raised[0] is UnicodeDecodeError:
                assert raised == outcomes.outcome(outcomes.decode, raised[5])
            assert leadbyte.is_valid(leadbyte.repair(seen))
            assert leadbyte.encode(leadbyte.decode_many([seen], errors="replace")[0])
    finally:
        finished.set()
        other.join()
    assert decoded


def test_list_that_another_thread_changes() -> None:
    items = [b"text", "€".encode() * 50, b"\xff", "é".encode()]
    texts = ["text", "€" * 50, "\ud800", "é"]
    finished = threading.Event()

    def change() -> None:
        number = 0
        while not finished.is_set():
            number += 1
            items[:] = [str(number).encode() * 9] * (number % 7)
            texts[:] = [str(number) * 9] * (number % 7)

    other = threading.Thread(target=change)
    other.start()
    deadline = time.monotonic() + 0.4
    try:
        while time.monotonic() < deadline:
            assert all(map(well_formed, leadbyte.decode_many(items, errors="replace")))
            assert all(type(item) is bytes for item in leadbyte.encode_many(texts, errors="replace"))
    finally:
        finished.set()
        other.join()


@pytest.mark.parametrize("size", [100, 400_000])
def test_threads_that_decode_and_encode_the_same(size: int) -> None:
    data = bytes(strategies.filled(size)) + b"\xff\xe2\x82"
    text = data.decode("utf-8", "surrogateescape")
    expected = {errors: outcomes.outcome(outcomes.decode, data, errors) for errors in handlers.FOR_DECODING}
    encoded = {errors: outcomes.outcome(outcomes.encode, text, errors) for errors in handlers.FOR_ENCODING}

    def work(_: int) -> bool:
        return all(
            outcomes.outcome(leadbyte.decode, data, errors=errors) == wanted
            for errors, wanted in expected.items()
        ) and all(
            outcomes.outcome(leadbyte.encode, text, errors=errors) == wanted
            for errors, wanted in encoded.items()
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(24)))


@pytest.mark.parametrize(
    "arguments",
    [("differential.py", "--outcomes", "15000", "--processes", "1"), ("leaks.py", "--calls", "30")],
    ids=["differential", "leaks"],
)
def test_with_the_debug_allocator(arguments: tuple[str, ...]) -> None:
    """A write outside a block, or a use after it was freed, ends the process here."""
    done = run("-X", "dev", "-W", "error", SUPPORT / arguments[0], *arguments[1:], PYTHONMALLOC="debug")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


MEMORY_OF_A_STREAM = """
import resource, sys
from leadbyte.transcode import Transcoder

source, target, total = sys.argv[1], sys.argv[2], int(sys.argv[3])
text = "some text, text \\u0442\\u0435\\u043a\\u0441\\u0442\\u044b \\u20ac\\n"
text = text.encode(source.partition(":")[2] or source, "ignore")
chunk = memoryview((text * 60_000)[: 1 << 20])
# A cut at every place of a character.
sizes = [len(chunk) - cut for cut in (0, 1, 2, 3, 5)]

def chunks(total):
    made = 0
    while made < total:
        size = sizes[made % len(sizes)]
        yield chunk[:size]
        yield chunk[size:]
        made += len(chunk)

def peak(total):
    given = sum(map(len, Transcoder(source, target).iter_bytes(chunks(total))))
    assert given > total / 8, given
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

before = peak(32 << 20)
print(peak(total) - before, "KiB more")
"""


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
@pytest.mark.parametrize(
    ("source", "target", "total"),
    [
        ("utf-8", "utf-16-le", 512 << 20),
        ("cp1251", "utf-8", 512 << 20),
        ("utf-32-le", "cp1251", 256 << 20),
        ("whatwg:gbk", "utf-8", 256 << 20),
        ("cp037", "utf-8", 64 << 20),
    ],
)
def test_memory_of_a_stream_is_constant(source: str, target: str, total: int) -> None:
    done = run("-c", MEMORY_OF_A_STREAM, source, target, str(total))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) < 8 << 10, done.stdout


MEMORY_OF_A_HANDLER = """
import codecs, resource, sys
import leadbyte

codecs.register_error("leadbyte-tests-question", lambda error: ("?", error.end))
codecs.register_error("leadbyte-tests-cross", lambda error: ("\u2717", error.end))
data = b"\\xff" * (1 << 20)
decode = {
    "CPython": lambda data, errors: data.decode("utf-8", errors),
    "leadbyte": lambda data, errors: leadbyte.decode(data, errors=errors),
}[sys.argv[1]]
decode(data[:1000], sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
decode(data, sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
@pytest.mark.parametrize("errors", ["leadbyte-tests-question", "leadbyte-tests-cross"])
def test_memory_of_a_registered_handler(errors: str) -> None:
    """What a handler returns goes into one growing buffer: it takes no object for each error."""
    taken = {}
    for name in ("CPython", "leadbyte"):
        done = run("-c", MEMORY_OF_A_HANDLER, name, errors)
        assert done.returncode == 0, done.stderr
        taken[name] = int(done.stdout)
    assert taken["leadbyte"] < taken["CPython"] + (6 << 10), taken


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="no limit of memory that is kept")
@pytest.mark.parametrize(
    "call",
    ["validate(data)", "strip_bom(data)", "add_bom(data)", "decode(data)", "repair(data)", "encode(text)"],
)
def test_copy_that_does_not_fit_is_a_memory_error(call: str) -> None:
    script = f"""
import resource
import leadbyte
data = bytearray(leadbyte.BOM + bytes(20 << 20) + b"\\xff")
text = "a" * (20 << 20)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (10 << 20),) * 2)
try:
    leadbyte.{call}
except MemoryError:
    print("too much")
"""
    # Long blocks are given back to the system, instead of being kept for the copy.
    done = run("-c", script, MALLOC_MMAP_THRESHOLD_="131072")
    assert (done.stdout, done.returncode) == ("too much\n", 0), done.stderr
