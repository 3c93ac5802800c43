"""The choice of an instruction set by LEADBYTE_ISA."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import leadbyte
import pytest
import strategies
from public_functions import FUNCTIONS

NAMES = ["scalar", "sse42", "avx2", "avx512", "neon"]
DETECTED = leadbyte.cpu_info()["detected"]
IMPLEMENTATIONS = leadbyte.cpu_info()["implementations"]

SCRIPT = """
import json, sys
import leadbyte
data = sys.stdin.buffer.read()
found = [error.start for error in leadbyte.iter_errors(data)]
print(json.dumps({**leadbyte.cpu_info(), "errors": found, "chars": leadbyte.scan(data).char_count}))
"""


def run_with(isa: str | None, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "LEADBYTE_ISA"}
    if isa is not None:
        environment["LEADBYTE_ISA"] = isa
    return subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=data,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )


def info_with(isa: str | None, data: bytes = b"") -> dict[str, Any]:
    done = run_with(isa, data)
    assert done.returncode == 0, done.stderr
    info: dict[str, Any] = json.loads(done.stdout)
    return info


def used_with(isa: str) -> dict[str, str]:
    """Return what each function should use with an instruction set.

    Counting prefers shorter vectors, and few CPUs have nothing better than SSE4.2.
    """
    counting = "avx2" if isa == "avx512" else isa
    vectors = {"best": isa, "counting": counting, "further": "scalar" if isa == "sse42" else isa}
    return {name: vectors[function.vectors] for name, function in FUNCTIONS.items() if function.vectors}


def test_what_is_detected() -> None:
    assert DETECTED[0] == "scalar"
    assert set(DETECTED) <= set(NAMES)
    assert IMPLEMENTATIONS == DETECTED


def test_this_process_has_the_requested_set() -> None:
    override = leadbyte.cpu_info()["override"]
    assert override == (os.environ.get("LEADBYTE_ISA") or None)
    assert leadbyte.cpu_info()["functions"] == used_with(override or DETECTED[-1])


def test_info_is_a_new_dict_each_time() -> None:
    leadbyte.cpu_info()["functions"].clear()
    functions = leadbyte.cpu_info()["functions"]
    assert functions.keys() <= set(leadbyte.__all__)
    assert {"is_valid", "validate", "count_chars", "scan", "iter_errors"} <= functions.keys()


@pytest.mark.parametrize("isa", DETECTED)
def test_each_instruction_set_works(isa: str) -> None:
    data = (strategies.TEXT * 3 + b"\xff") * 40
    info = info_with(isa, data)
    assert info["override"] == isa
    assert info["functions"] == used_with(isa)
    assert info["detected"] == DETECTED
    assert info["errors"] == [at for at, byte in enumerate(data) if byte == 0xFF]
    assert info["chars"] == len(data.decode(errors="replace"))


@pytest.mark.parametrize("isa", [None, ""])
def test_without_a_choice_the_best_is_used(isa: str | None) -> None:
    info = info_with(isa)
    assert info["override"] is None
    assert info["functions"] == used_with(DETECTED[-1])


@pytest.mark.parametrize(
    "isa", [*(name for name in NAMES if name not in DETECTED), "abacus", "AVX2", " ", "scalar,avx2", "é"]
)
def test_what_cannot_be_had_fails_at_import(isa: str) -> None:
    done = run_with(os.fsdecode(isa.encode()))
    message = done.stderr.decode().splitlines()[-1]
    assert done.returncode == 1
    assert message.startswith("ImportError: ")
    assert "LEADBYTE_ISA" in message
    assert all(name in message for name in DETECTED)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX environments hold bytes")
def test_a_choice_that_is_not_utf8_fails_at_import() -> None:
    done = run_with(os.fsdecode(b"\xff\xfe"))
    assert done.returncode == 1
    assert b"ImportError" in done.stderr
