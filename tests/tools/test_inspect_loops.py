"""Calls and panics in loops are found, and nothing else, in a few lines of assembly."""

from __future__ import annotations

import re

import inspect_loops
import pytest
from inspect_loops import KERNELS, blocks_of, faults, inner_loops, inspect

# Of leadbyte::simd::avx2::trampoline::<leadbyte::kernels::count::Ascii>.
SYMBOL = "_RINvNtNtCsanTbCk1iEcx_8leadbyte4simd4avx210trampolineNtNtNtB6_7kernels5count5AsciiEB6_"

CLEAN = """
    testq %rsi, %rsi
    je .LBB0_3
.LBB0_1:
    vpor (%rdi), %ymm0, %ymm0
    addq $32, %rdi
    decq %rsi
    jne .LBB0_1
    callq memcpy
.LBB0_3:
    retq
"""
CALL = CLEAN.replace("addq $32, %rdi", "callq *memcpy@GOTPCREL(%rip)")
BY_REGISTER = CLEAN.replace("addq $32, %rdi", "callq *%rax")
PANIC = (
    CLEAN.replace("addq $32, %rdi", "cmpq %rdx, %rdi\n ja .LBB0_4")
    + """
.LBB0_4:
    movq %rdi, %rsi
    jmp .LBB0_5
.LBB0_5:
    callq *_RNvNtNtCs_4core5slice5index16slice_index_fail@GOTPCREL(%rip)
"""
)
TRAP = CLEAN.replace("addq $32, %rdi", "ja .LBB0_4") + ".LBB0_4:\n ud2\n"
# The call is in the outer loop, and the inner one has two ways back to its start.
NESTED = """
.LBB0_1:
    callq memcpy
.LBB0_2:
    vpor (%rdi), %ymm0, %ymm0
    jo .LBB0_2
    incq %rdi
    jne .LBB0_2
    decq %rsi
    jne .LBB0_1
    retq
"""
# Three blocks that are reached by a table: the last of them leads out.
TABLE = """
.LBB0_1:
    leaq .LJTI0_0(%rip), %rcx
    jmpq *%rax
.LBB0_2:
    incq %rdi
    jmp .LBB0_1
.LBB0_3:
    callq memcpy
    jmp .LBB0_1
.LBB0_4:
    retq
"""
AARCH64 = """
.LBB0_1:
    ldr q0, [x0], #16
    orr v1.16b, v1.16b, v0.16b
    tbnz w3, #7, .LBB0_3
    subs x1, x1, #1
    b.ne .LBB0_1
    ret
.LBB0_3:
    bl _RNvNtCs_4core9panicking18panic_bounds_check
"""


def found(assembly: str) -> list[tuple[int, set[str]]]:
    """Return for each inner loop how many blocks it has, and its faults."""
    tables = {".LJTI0_0": {".LBB0_2", ".LBB0_3", ".LBB0_4"}}
    lines = [line.strip() for line in assembly.splitlines() if line.strip()]
    blocks = blocks_of(lines, tables)
    return [(len(loop), faults(blocks, loop)) for loop in inner_loops(blocks)]


def test_loops_without_faults() -> None:
    assert found(CLEAN) == [(1, set())]
    assert found(NESTED) == [(2, set())]
    assert found("retq") == []


@pytest.mark.parametrize(
    ("assembly", "blocks", "fault"),
    [
        (CALL, 1, "*memcpy@GOTPCREL(%rip)"),
        (BY_REGISTER, 1, "callq *%rax"),
        (PANIC, 2, "a way out to *_RNvNtNtCs_4core5slice5index16slice_index_fail@GOTPCREL(%rip)"),
        (TRAP, 2, "a way out to a trap"),
        (TABLE, 3, "memcpy"),
        (AARCH64, 2, "a way out to _RNvNtCs_4core9panicking18panic_bounds_check"),
    ],
)
def test_faults(assembly: str, blocks: int, fault: str) -> None:
    assert found(assembly) == [(blocks, {fault})]


def test_kernels_that_are_not_found() -> None:
    function = f"{SYMBOL}:\n{CLEAN}\n.Lfunc_end0:\n"
    lines, wrong = inspect(function, {"Ascii", "Validate"})
    assert len(lines) == 1
    assert "avx2 Validate: no loop over vectors was found" in wrong
    assert "scalar Ascii: no loop over vectors was found" in wrong
    assert not any(line.startswith("avx2 Ascii") for line in wrong)
    # Loops that do not go over vectors of the right width do not count.
    _, wrong = inspect(function.replace("ymm", "xmm"), {"Ascii"})
    assert "avx2 Ascii: no loop over vectors was found" in wrong


def test_called_functions_of_kernels_are_inspected() -> None:
    other = SYMBOL.replace("4simd4avx210trampoline", "7kernels5count5ascii")
    function = f"{SYMBOL}:\n callq *{other}@GOTPCREL(%rip)\n retq\n.Lfunc_end0:\n"
    assert "avx2 Ascii: no loop over vectors was found" in inspect(function, {"Ascii"})[1]
    called = f"{other}:\n{CLEAN}\n.Lfunc_end1:\n"
    assert not any("avx2" in fault for fault in inspect(function + called, {"Ascii"})[1])
    fault = "avx2 Ascii: an inner loop of 4 instructions has *memcpy@GOTPCREL(%rip) (code of no kernel)"
    assert fault in inspect(function + called.replace(CLEAN, CALL), {"Ascii"})[1]
    # Another kernel that is called is inspected for itself.
    called = called.replace(other, SYMBOL.replace("4avx2", "5sse42"))
    function = function.replace(other, SYMBOL.replace("4avx2", "5sse42"))
    assert "avx2 Ascii: no loop over vectors was found" in inspect(function + called, {"Ascii"})[1]


def test_loops_are_exempt_by_function(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (KERNELS / "count.rs").read_text(encoding="utf-8").splitlines()
    line, name = next(
        (number, match[1])
        for number, line in enumerate(source, 1)
        if (match := re.search(r"\bfn (\w+)", line))
    )
    body = CALL.replace(".LBB0_1:", f".LBB0_1:\n .loc 7 {line} 5 is_stmt 0")
    function = f'.file 7 "/build" "src/kernels/count.rs"\n{SYMBOL}:\n{body}\n.Lfunc_end0:\n'
    fault = f"avx2 Ascii: an inner loop of 4 instructions has *memcpy@GOTPCREL(%rip) (code of {name})"
    assert fault in inspect(function, set())[1]
    monkeypatch.setattr(inspect_loops, "EXEMPT", {(name, "memmove"): "another callee"})
    assert fault in inspect(function, set())[1]
    monkeypatch.setattr(inspect_loops, "EXEMPT", {(name, "memcpy"): "for this test"})
    assert inspect(function, set())[1] == []
