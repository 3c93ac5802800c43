#!/usr/bin/env python3
"""The search for errors in JSON lines without any, beside validation and Python's json module, interleaved.

python benches/json_lines.py [--texts DIR] [--record]

Each text becomes records of a few hundred characters, once in UTF-8 and once with all but ASCII escaped, as
json.dumps writes them by default.
"""

from __future__ import annotations

import json
import re

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
from leadbyte._leadbyte import _JsonLines

SIZE = 512 << 10
RECORD_CHARS = 400
# What json.loads accepts and other programs do not.
REFUSED = re.compile("[\0\ud800-\udfff]")
EXPRESSIONS = {
    "is_valid": "leadbyte.is_valid(data)",
    "jsonl": "search(data)",
    "json.loads": "[load(line) for line in data.splitlines()]",
}
TARGETS = {"jsonl": Target("GB/s of the search", 1.0, at_least=True)}


def records(text: str, *, escaped: bool) -> bytes:
    """Return JSON lines of a size, with a text again and again."""
    lines = (
        json.dumps({"id": number, "text": text[start : start + RECORD_CHARS]}, ensure_ascii=escaped)
        for number, start in enumerate(range(0, len(text), RECORD_CHARS))
    )
    data = "\n".join(lines).encode() + b"\n"
    data *= -(-SIZE // len(data))
    return data[: data.rfind(b"\n", 0, SIZE) + 1]


def search(data: bytes) -> int:
    """Return the number of errors in JSON lines."""
    lines = _JsonLines(0)
    lines.update(data)
    lines.finish()
    return lines.finding_count


def load(line: bytes) -> bool:
    """Return whether other programs refuse the text of a record that Python loads."""
    return REFUSED.search(json.loads(line)["text"]) is not None


def main() -> None:
    """Measure all texts."""
    arguments = argument_parser(__doc__).parse_args()
    corpora = texts.load(arguments.texts)
    let_memory_be_used_again()
    rows, lines = [], []
    measured: dict[Target, dict[str, float]] = {target: {} for target in TARGETS.values()}
    for name, original in corpora.items():
        for escaped in (False, True):
            data = records(original.decode(), escaped=escaped)
            assert search(data) == sum(map(load, data.splitlines())) == 0

            names = {"leadbyte": leadbyte, "data": data, "search": search, "load": load}
            turns = {job: timed(expression, names, len(data)) for job, expression in EXPRESSIONS.items()}
            taken = in_turns(turns, rounds=ROUNDS, budget=BUDGET)
            speeds = {job: 1e-9 / each.best for job, each in taken.items()}
            label = f"{name}, escaped" if escaped else name
            rows += [{"text": label, "job": job, "gb_s": f"{speed:.2f}"} for job, speed in speeds.items()]
            lines.append({"text": label, **{job: f"{speed:.2f}" for job, speed in speeds.items()}})
            measured[TARGETS["jsonl"]][label] = speeds["jsonl"]
    print_table("GB/s", lines)
    outcomes = summaries(measured)
    print_outcomes(outcomes)
    if arguments.record:
        write_record("json-lines", {"isa": leadbyte.cpu_info()["functions"]["is_valid"], **outcomes}, rows)


if __name__ == "__main__":
    main()
