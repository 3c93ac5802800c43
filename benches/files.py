#!/usr/bin/env python3
"""Functions and commands that read a large file, beside the least that any program does with it, interleaved.

    python benches/files.py [--texts DIR] [--size BYTES] [--command COMMAND] [--record]

The file is English, Russian and Chinese, in passages, and comes from the page cache. The limits are cat,
reading into one buffer, a memory map of which a byte of each cache line is read, a pass over memory, and the
clearing of new memory in huge pages by the kernel. Times are the thread's, and the wall's of commands.
"""

from __future__ import annotations

import itertools
import mmap
import shlex
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import leadbyte
import texts
from harness import (
    Target,
    argument_parser,
    in_turns,
    print_outcomes,
    print_table,
    processor,
    summaries,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SHOWN = ("english", "russian", "chinese")
PASSAGE_BYTES = 64 << 10
BUFFER_BYTES = 512 << 10  # as the command reads
CACHE_LINE_BYTES = 64
ROUNDS = 7
SHARE = Target("speed / the limit", 0.85, at_least=True)


class Contestant(NamedTuple):
    """A way to read the file, and the name of the limit of its speed; a limit has none."""

    run: Callable[[Path], object]
    limit: str = ""


def blocks(path: Path) -> Iterator[memoryview]:
    """Yield the file in one buffer, again and again."""
    buffer = bytearray(BUFFER_BYTES)
    view = memoryview(buffer)
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(buffer):
            yield view[:length]


def consumed(path: Path) -> None:
    """Read into one buffer only."""
    for _ in blocks(path):
        pass


def scanned(path: Path) -> leadbyte.Scan:
    """Scan one buffer."""
    scanner = leadbyte.Scanner()
    for block in blocks(path):
        scanner.update(block)
    return scanner.finish()


def read_new(path: Path) -> bytes:
    """Read into new memory."""
    with path.open("rb", buffering=0) as file:
        return file.readall()


def cleared(size: int) -> mmap.mmap:
    """Return new memory in huge pages, each of which was accessed, and cleared by the kernel before."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    for start in range(0, size, mmap.PAGESIZE):
        memory[start] = 0
    return memory


def mapped(path: Path, function: Callable[[mmap.mmap], object]) -> object:
    """Call a function with a memory map."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        return function(memory)


def text_lines(path: Path, newline: str | None = None) -> None:
    """Iterate over the lines."""
    for _ in leadbyte.lines(path, newline=newline):
        pass


def byte_lines(path: Path) -> None:
    """Iterate over the lines as bytes."""
    with path.open("rb") as file:
        for _ in file:
            pass


def run(words: Sequence[str], path: Path) -> None:
    """Run a command on the file."""
    subprocess.run([*words, str(path)], check=True, stdout=subprocess.DEVNULL)


def in_process(data: bytes, text_bytes: int) -> dict[str, Contestant]:
    """Return the contestants in this process, given the file's bytes and the size of its text in memory."""
    memory, touched = "pass over memory", "memory map, a byte of each cache line"
    buffer, cache = "read into a buffer", memoryview(data)[:BUFFER_BYTES]
    clear = "new memory of the size of the text"
    lines = "open(path, 'rb'), lines of bytes"

    def scanned_in_cache() -> None:
        scanner = leadbyte.Scanner()
        for _ in range(len(data) // BUFFER_BYTES):
            scanner.update(cache)

    def read_and_cleared(path: Path) -> mmap.mmap:
        consumed(path)
        return cleared(text_bytes)

    both = f"{buffer}, and {clear}"
    return {
        memory: Contestant(lambda _: data.find(b"\xff")),
        "is_valid of memory": Contestant(lambda _: leadbyte.is_valid(data), memory),
        "scan of memory": Contestant(lambda _: leadbyte.scan(data), memory),
        touched: Contestant(lambda path: mapped(path, lambda memory: memory[::CACHE_LINE_BYTES])),
        "is_valid of a memory map": Contestant(lambda path: mapped(path, leadbyte.is_valid), touched),
        "scan of a memory map": Contestant(lambda path: mapped(path, leadbyte.scan), touched),
        buffer: Contestant(consumed),
        "Scanner of a buffer in the cache": Contestant(lambda _: scanned_in_cache()),
        "read into a buffer, Scanner": Contestant(scanned, buffer),
        lines: Contestant(byte_lines),
        "lines": Contestant(text_lines, lines),
        "lines, newline='\\n'": Contestant(partial(text_lines, newline="\n"), lines),
        clear: Contestant(lambda _: cleared(text_bytes)),
        "decode of memory": Contestant(lambda _: leadbyte.decode(data)),
        "read into new memory": Contestant(read_new),
        both: Contestant(read_and_cleared),
        "read_text": Contestant(leadbyte.read_text, both),
        "open(path, encoding='utf-8').read()": Contestant(lambda path: path.read_text("utf-8")),
    }


def processes(command: Sequence[str]) -> dict[str, Contestant]:
    """Return the contestants that are commands."""
    return {
        "cat": Contestant(partial(run, ["cat"])),
        "leadbyte check": Contestant(partial(run, [*command, "check"]), "cat"),
        "leadbyte count": Contestant(partial(run, [*command, "count"]), "cat"),
        "leadbyte --version": Contestant(partial(run, [*command, "--version"])),
    }


def make(path: Path, corpora: dict[str, bytes], size: int) -> None:
    """Write passages of the texts, alternating, until there are ``size`` bytes."""
    passages = itertools.chain.from_iterable(
        zip(
            *(
                [texts.whole(text[at : at + PASSAGE_BYTES]) for at in range(0, len(text), PASSAGE_BYTES)]
                for text in corpora.values()
            ),
            strict=False,
        )
    )
    with path.open("wb") as file:
        for passage in itertools.cycle(list(passages)):
            if file.tell() >= size:
                break
            file.write(passage)


def row(name: str, contestant: Contestant, seconds: dict[str, float], size: int) -> dict[str, str]:
    """Return the figures of a contestant."""
    limit = contestant.limit
    return {
        "reading": name,
        "best_s": f"{seconds[name]:.3f}",
        "gb_s": f"{1e-9 * size / seconds[name]:.2f}",
        "limit": limit,
        "of_limit": f"{seconds[limit] / seconds[name]:.2f}" if limit else "",
    }


def main() -> None:
    """Measure all contestants."""
    parser = argument_parser(__doc__)
    installed = Path(sys.executable).with_name("leadbyte")
    parser.add_argument("--size", type=int, default=10**9, metavar="BYTES", help="of the file")
    parser.add_argument(
        "--command",
        type=shlex.split,
        default=[str(installed)],
        metavar="COMMAND",
        help="how to call leadbyte (default: the one beside this Python)",
    )
    arguments = parser.parse_args()
    corpora = {name: data for name, data in texts.load(arguments.texts).items() if name in SHOWN}
    with tempfile.TemporaryDirectory(prefix="leadbyte-") as folder:
        path = Path(folder, "text.txt")
        make(path, corpora, arguments.size)
        data = path.read_bytes()
        text = data.decode()
        assert leadbyte.read_text(path) == text
        assert scanned(path) == leadbyte.scan(data)
        assert sum(map(len, leadbyte.lines(path))) == len(text)
        text_bytes = sys.getsizeof(text)
        del text
        rows = []
        for clock, contestants in (
            (time.thread_time, in_process(data, text_bytes)),
            (time.perf_counter, processes(arguments.command)),
        ):
            turns = {name: partial(timed, clock, found.run, path) for name, found in contestants.items()}
            seconds = {name: taken.best for name, taken in in_turns(turns, rounds=ROUNDS).items()}
            rows += [row(name, contestant, seconds, len(data)) for name, contestant in contestants.items()]
    print_table(f"{len(data) / 1e6:.0f} MB", rows)
    outcomes = summaries(
        {SHARE: {found["reading"]: float(found["of_limit"]) for found in rows if found["limit"]}}
    )
    print_outcomes(outcomes)
    if arguments.record:
        facts = {
            "cpu family, model": processor(),
            "versions": f"leadbyte {leadbyte.__version__}",
            "isa": leadbyte.cpu_info()["functions"]["scan"],
            "file": f"{len(data) / 1e6:.0f} MB, as a str {text_bytes / 1e6:.0f} MB",
        }
        write_record("large-file", {**facts, **outcomes}, rows)


def timed(clock: Callable[[], float], function: Callable[[Path], object], path: Path) -> float:
    """Return the seconds of a call by a clock, without the time to free its result."""
    start = clock()
    result = function(path)
    taken = clock() - start
    del result
    return taken


if __name__ == "__main__":
    main()
