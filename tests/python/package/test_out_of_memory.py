"""Every public function with little memory left: the right result or MemoryError, never an abort."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if sys.platform != "linux":
    pytest.skip("only Linux limits the address space", allow_module_level=True)

import leadbyte
import out_of_memory
from leadbyte import _leadbyte
from leadbyte.variants import rfc2279
from public_functions import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT = Path(out_of_memory.__file__)
# Large blocks are taken from the system and given back, so that the limit is one for each of them.
ENVIRONMENT = {
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MALLOC_ARENA_MAX": "1",
    "RUST_BACKTRACE": "0",  # which takes memory too
}


def test_each_function_has_a_case() -> None:
    assert out_of_memory.public() == out_of_memory.CASES.keys() | out_of_memory.RESULTS


@pytest.mark.once
def test_little_memory_is_a_right_result_or_a_memory_error() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env={**os.environ, **ENVIRONMENT},
    )
    assert done.returncode == 0, (done.stdout[-200:], done.stderr[-2000:])
    refused = [int(line.split()[-1]) for line in done.stdout.splitlines()]
    assert len(refused) == sum(map(len, out_of_memory.CASES.values()))
    # Most of them take more than the least that is left.
    assert sum(map(bool, refused)) > len(refused) / 2


# CPython's own codecs and files lose the error.
OTHER_ERRORS = {"compare_sizes", "explain_error", "lines"}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.once
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - OTHER_ERRORS))
def test_each_allocation_of_python_may_fail(name: str) -> None:
    function = FUNCTIONS[name]
    text = f"{out_of_memory.TEXT}\u202e" * 20  # in more chunks and findings than one
    check_each_allocation(partial(function.call, text if function.takes_text else text.encode()))


def check_each_allocation(call: Callable[[], object], count: int = 100) -> None:
    testcapi = pytest.importorskip("_testcapi")
    expected = call()
    for number in range(count):
        testcapi.set_nomemory(number, number + 1)
        try:
            result = call()
        except MemoryError:
            result = expected
        finally:
            testcapi.remove_mem_hooks()
        assert result == expected, number


TEXT = "a" * 2000 + "b"
SCANNER = leadbyte.Scanner._keeping(9)
SCANNER.update(b"\xff\n" * 2000)
VALUES: list[Any] = [
    next(leadbyte.iter_errors(TEXT.encode() + b"\xe2\x82", locations=True)),
    leadbyte.locate(TEXT.encode(), 1000),
    leadbyte.scan(TEXT.encode()),
    leadbyte.detect(b"<meta charset=koi8-r>" + "Съешь ещё".encode("koi8-r")),
    leadbyte.Position(1000, 1000),
    leadbyte.OffsetMap(TEXT),
    leadbyte.EditableOffsetMap(TEXT),
    leadbyte.Scanner(),
    leadbyte.IncrementalValidator(),
    leadbyte.Detector(),
]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.once
def test_each_allocation_of_a_result_may_fail() -> None:
    check_each_allocation(lambda: leadbyte.search(TEXT, "b"), 40)
    check_each_allocation(lambda: leadbyte.sanitize(f"{TEXT}\0" * 900, policy="json"), 40)
    check_each_allocation(lambda: leadbyte.IncrementalDecoder().decode(TEXT.encode()), 40)
    check_each_allocation(lambda: _leadbyte._undo_mojibake("schÃ¶n", "repair"), 40)
    check_each_allocation(lambda: _leadbyte._read_mixed(b"caf\xc3\xa9\ncaf\xe9\n" * 9), 40)
    check_each_allocation(lambda: _leadbyte._repair_chunk(TEXT.encode(), 0, "?", "whatwg", True), 40)
    check_each_allocation(lambda: _leadbyte._decode_variant_prefix("cesu-8", TEXT.encode()), 40)
    check_each_allocation(lambda: rfc2279.decode(TEXT.encode()), 40)
    check_each_allocation(lambda: [error[1:] for error in SCANNER._errors()], 40)
    for value in VALUES:
        check_each_allocation(lambda value=value: repr(value), 40)  # type: ignore[misc]
        check_each_allocation(lambda value=value: str(value.__reduce__()[1]), 40)  # type: ignore[misc]
        kind = type(value)
        for name in (name for name in dir(kind) if not callable(getattr(kind, name))):
            check_each_allocation(partial(getattr, value, name), 10)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.once
def test_memory_that_is_lacking_raises_nothing_else() -> None:
    """Also where none is left to report it."""
    testcapi = pytest.importorskip("_testcapi")
    error, failed = VALUES[0], None
    testcapi.set_nomemory(0)
    try:
        error.start  # noqa: B018
    except BaseException as raised:
        failed = raised
    finally:
        testcapi.remove_mem_hooks()
    assert isinstance(failed, MemoryError)
