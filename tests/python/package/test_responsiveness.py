"""Long calls let other threads run, at least every 200 ms, and do not wait for them more often than that."""

from __future__ import annotations

import subprocess
import sys

import pytest
from reduced import IS_REDUCED

pytestmark = pytest.mark.clock

# 200 ms are promised, the rest is for a busy machine.
PROMPT = 0.5
SIZE = (64 if IS_REDUCED else 256) << 20

DATA = {
    "ascii": 'b"a" * SIZE',
    "zeros": "bytearray(SIZE)",
    "late error": 'b"a" * SIZE + b"\\xff"',
    "changing": 'bytearray(SIZE) + b"\\xff"',
    "early error": '"\\xff".encode("latin-1") + "Ж".encode() * (SIZE // 2)',
    "errors": 'b"ab\\xff" * (SIZE // 60)',
    "lines": 'b"line\\r\\n" * (SIZE // 6)',
    "items": '[b"item"] * (SIZE // 40)',
    "texts": '["text"] * (SIZE // 40)',
    "large items": '[b"a" * (1 << 20)] * (SIZE >> 20)',
    "wide": '"Ж" * (SIZE // 2)',
    "surrogate": '"Ж" * (SIZE // 2) + "\\ud800"',
    "pairs": '"\\ud83d\\ude00" * (SIZE // 8)',
    "marks": '"e\\u0323\\u0301" * (SIZE // 24)',
    "damaged": '"Ð¶Ðµ" * (SIZE // 128)',
}
CASES = [
    ("ascii", "leadbyte.decode(data)"),
    ("zeros", "leadbyte.decode(data)"),
    ("early error", "leadbyte.decode(data, errors='replace')"),
    ("early error", "leadbyte.decode(data, errors='leadbyte-tests-in-c')"),
    ("errors", "leadbyte.decode(data, errors='leadbyte-tests-in-c')"),
    ("changing", "leadbyte.validate(data)"),
    ("changing", "leadbyte.repair(data)"),
    ("early error", "leadbyte.repair(data)"),
    ("zeros", "leadbyte.strip_bom(data)"),
    ("ascii", "leadbyte.add_bom(data)"),
    ("lines", "leadbyte._leadbyte._decode_universal(data)"),
    ("items", "leadbyte.decode_many(data)"),
    ("texts", "leadbyte.encode_many(data)"),
    ("large items", "leadbyte.decode_many(data)"),
    ("wide", "leadbyte.encode(data)"),
    ("surrogate", "leadbyte.encode(data, errors='replace')"),
    ("surrogate", "leadbyte.encode(data, errors='leadbyte-tests-in-c')"),
    ("wide", "leadbyte.encode_into(data, bytearray(SIZE))"),
    ("surrogate", "leadbyte.encode_into(data, bytearray(SIZE + 1), errors='leadbyte-tests-in-c')"),
    ("surrogate", "leadbyte.to_well_formed(data)"),
    ("pairs", "leadbyte.to_well_formed(data)"),
    ("marks", "leadbyte.graphemes(data)"),
    ("marks", "leadbyte.truncate(data, 50, unit='byte', side='start', boundary='grapheme')"),
    ("wide", "leadbyte.truncate(data, 3 * len(data), unit='byte')"),
    ("marks", "leadbyte.is_equivalent(data, data)"),
    ("marks", "leadbyte.normalize('NFC', data)"),
    ("wide", "leadbyte.search(data, 'x')"),
    ("wide", "leadbyte.search(data, 'x', ignore_case=True)"),
    ("wide", "leadbyte.casefold(data)"),
    ("ascii", "leadbyte.transcode.transcode(data, 'utf-8', 'utf-16')"),
    ("errors", "leadbyte.transcode.transcode(data, 'utf-8', 'cp1251', errors='replace')"),
    ("surrogate", "leadbyte.variants.wtf8.encode(data)"),
    ("damaged", "leadbyte.mojibake.repair(data)"),
    ("damaged", "leadbyte.mojibake.repair_many(data.split('\\n'))"),
    ("changing", "leadbyte.OffsetMap(data)"),
    ("wide", "leadbyte.OffsetMap(data)"),
    ("errors", "list(leadbyte.iter_errors(data))"),
    ("ascii", "list(leadbyte.chunks(data, 256))"),
    ("lines", "leadbyte.OffsetMap(data).convert_many(range(SIZE // 60), 'char', 'byte')"),
]
# Another thread wants to run every millisecond, and a signal comes every 10 ms.
SCRIPT = """
import codecs, signal, threading, time
import leadbyte
import leadbyte.mojibake, leadbyte.transcode, leadbyte.variants

SIZE = {size}
codecs.register_error("leadbyte-tests-in-c", codecs.replace_errors)
data = {data}
ran, handled, ended = [], [], False

def run():
    while not ended:
        ran.append(time.perf_counter())
        time.sleep(0.001)

thread = threading.Thread(target=run)
thread.start()
signal.signal(signal.SIGALRM, lambda *_: handled.append(time.perf_counter()))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
start = time.perf_counter()
try:
    result = {call}
except UnicodeError:
    pass
end = time.perf_counter()
signal.setitimer(signal.ITIMER_REAL, 0)
ended = True
thread.join()
for times in ran, handled:
    times = [start, *(time for time in times if start < time < end), end]
    print(max(after - before for before, after in zip(times, times[1:])))
print(end - start)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timer")
@pytest.mark.parametrize(("data", "call"), CASES, ids=[f"{call}, {data}" for data, call in CASES])
def test_long_calls_let_others_run(data: str, call: str) -> None:
    script = SCRIPT.format(size=SIZE, data=DATA[data], call=call)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    others, signals, whole = map(float, done.stdout.split())
    print(f"{call}: {whole:.2f} s, {others:.3f} s without others, {signals:.3f} s without signals")
    # Where nobody else gets a turn that is about all the time; on a busy machine turns come late.
    allowed = max(PROMPT, whole / 2)
    assert others < allowed
    assert signals < allowed


ERRORS = 2_000
# A thread that runs Python code keeps the interpreter for this long once it has it.
TURN = 0.05
DENSE = """
import codecs, sys, threading, time
import leadbyte
import leadbyte.variants

ERRORS = {errors}
codecs.register_error("leadbyte-tests-in-c", codecs.replace_errors)
data = (b"a" * 97 + b"\\xff") * ERRORS
text = ("a" * 97 + "\\udcff") * ERRORS
ended = False

def run():
    while not ended:
        pass

sys.setswitchinterval({turn})
thread = threading.Thread(target=run)
thread.start()
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
ended = True
thread.join()
"""


@pytest.mark.parametrize(
    "call",
    [
        "leadbyte.decode(data, errors='leadbyte-tests-in-c')",
        "leadbyte.encode(text, errors='leadbyte-tests-in-c')",
        "leadbyte.encode_into(text, bytearray(len(text)), errors='leadbyte-tests-in-c')",
        "list(leadbyte.iter_errors(data))",
        "leadbyte.variants.cesu8.decode(data, errors='replace')",
        "leadbyte.variants.mutf8.decode(data, errors='leadbyte-tests-in-c')",
        "leadbyte.variants.cesu8.encode(text, errors='leadbyte-tests-in-c')",
    ],
)
def test_many_errors_do_not_wait_for_a_busy_thread_each(call: str) -> None:
    script = DENSE.format(errors=ERRORS, turn=TURN, call=call)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < ERRORS * TURN / 10
