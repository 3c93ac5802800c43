#!/usr/bin/env python3
"""The search for hidden characters in clean text, beside validation and a regular expression, interleaved.

python benches/hidden.py [--texts DIR] [--record]

The texts are sanitized first, so that there is nothing to find, and repeated or cut to 256 KiB. Persian has
joiners in its words.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import leadbyte
import texts
from harness import (
    BUDGET,
    ROUNDS,
    Target,
    argument_parser,
    in_turns,
    let_memory_be_used_again,
    print_outcomes,
    print_table,
    summaries,
    timed,
    write_record,
)

sys.path.append(str(Path(__file__).parents[1] / "tests/python/support"))
from sentences import sentences

SIZE = 256 << 10
# What programs have at most: without the contexts in which characters belong, and without columns.
PATTERN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060-\u206f\U000e0000-\U000e0fff]"
)
EXPRESSIONS = {
    "is_valid": "leadbyte.is_valid(data)",
    "source-code": "next(leadbyte.audit(data), None)",
    "llm-input": "next(leadbyte.audit(data, policy='llm-input'), None)",
    "postgresql": "next(leadbyte.audit(data, policy='postgresql'), None)",
    "sanitize": "leadbyte.sanitize(data, policy='source-code')",
    "re": "pattern.search(data.decode())",
}
JOINED = {"persian", "hindi", "emoji"}
TARGETS = {
    "clean": Target("audit / is_valid, 256 KiB", 0.5, at_least=True),
    "joined": Target("audit / is_valid, 256 KiB, Persian, Hindi and emoji", 0.1, at_least=True),
}


def clean(data: bytes) -> bytes:
    """Return a text without findings, cut or repeated to its size at a character."""
    text = leadbyte.sanitize(data, policy="source-code")
    text *= -(-SIZE // len(text))
    return leadbyte.sanitize(text[: leadbyte.floor_boundary(text, SIZE)], policy="source-code")


def main() -> None:
    """Measure all texts."""
    arguments = argument_parser(__doc__).parse_args()
    corpora = {**texts.load(arguments.texts), "persian": "\n".join(sentences("fa")).encode()}
    let_memory_be_used_again()
    rows, lines = [], []
    measured: dict[Target, dict[str, float]] = {target: {} for target in TARGETS.values()}
    for name, original in corpora.items():
        data = clean(original)
        assert not [*leadbyte.audit(data)]

        names = {"leadbyte": leadbyte, "data": data, "pattern": PATTERN}
        turns = {job: timed(expression, names, len(data)) for job, expression in EXPRESSIONS.items()}
        taken = in_turns(turns, rounds=ROUNDS, budget=BUDGET)
        ratios = {job: taken["is_valid"].best / each.best for job, each in taken.items()}
        for job, each in taken.items():
            row = {
                "text": name,
                "job": job,
                "gb_s": f"{1e-9 / each.best:.2f}",
                "of_is_valid": f"{ratios[job]:.3f}",
            }
            rows.append(row)
        speeds = {"is_valid": f"{1e-9 / taken['is_valid'].best:.1f}"}
        others = {job: f"{ratio:.2f}" for job, ratio in ratios.items() if job != "is_valid"}
        lines.append({"text": name, **speeds, **others})
        target = TARGETS["joined" if name in JOINED else "clean"]
        measured[target][name] = ratios["source-code"]
    print_table("GB/s of is_valid, and the speed of the others as a part of it", lines)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        write_record("hidden", {"isa": leadbyte.cpu_info()["functions"]["audit"], **outcomes}, rows)


if __name__ == "__main__":
    main()
