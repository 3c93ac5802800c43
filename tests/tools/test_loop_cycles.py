"""Of a loop with branches, the shortest way around is found."""

from __future__ import annotations

from inspect_loops import blocks_of, inner_loops
from loop_cycles import Loop, shortest_way

BRANCHES = """
    xorl %eax, %eax
.LBB0_1:
    vpor (%rdi), %ymm0, %ymm0
    vptest %ymm0, %ymm0
    jne .LBB0_3
    addq $32, %rdi
    jmp .LBB0_4
.LBB0_3:
    vmovdqu %ymm0, (%rsi)
    vmovdqu %ymm0, 32(%rsi)
    addq $64, %rsi
    addq $32, %rdi
    decq %rdx
.LBB0_4:
    cmpq %rcx, %rdi
    jb .LBB0_1
    retq
"""


def test_shortest_way() -> None:
    blocks = blocks_of([line.strip() for line in BRANCHES.splitlines() if line.strip()], {})
    (loop,) = inner_loops(blocks)
    way = shortest_way(blocks, loop)
    instructions = [line for number in way for line in blocks[number].instructions]
    assert instructions == [
        "vpor (%rdi), %ymm0, %ymm0",
        "vptest %ymm0, %ymm0",
        "jne .LBB0_3",
        "addq $32, %rdi",
        "jmp .LBB0_4",
        "cmpq %rcx, %rdi",
        "jb .LBB0_1",
    ]
    assert Loop("", "avx2", "", tuple(instructions), branches=True).step == 32
