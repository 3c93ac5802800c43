#!/usr/bin/env python3
"""The command ``leadbyte`` beside isutf8, wc and iconv, as processes that alternate.

    python benches/programs.py [--texts DIR] [--rounds N] [--command COMMAND] [--uutils WC] [--record]

The wc of uutils is what ``cargo install uu_wc --root DIR`` puts into DIR/bin.
A big file of mixed text and a tree of many small files are made in a temporary directory and read from the
page cache. Times are the wall's, the start of the process included.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import texts
from harness import (
    Target,
    Times,
    argument_parser,
    in_turns,
    print_outcomes,
    print_table,
    summaries,
    write_record,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

ISA = [sys.executable, "-c", "import leadbyte; print(leadbyte.cpu_info()['functions']['scan'])"]
FILES_A_DIRECTORY = 200
SMALL_FILE = (100, 8000)  # bytes
ENVIRONMENT = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}

SPEED_OF_CHECK = Target("check / isutf8, speed", 8, at_least=True)
SPEED_OF_SMALL_FILES = Target("check of small files / isutf8, speed", 2, at_least=True)
SPEED_OF_COUNT = Target("count / wc -m, speed", 40, at_least=True)
SPEED_BESIDE_UUTILS = Target("count -m / wc -m of uutils, speed", 1, at_least=True)
START = Target("start / python -c pass, time", 2.3, at_least=False)
PEAK_MEMORY = Target("peak memory, MB", 100, at_least=False)


@dataclass
class Contestant:
    """A command line, and the most memory that it was seen to take."""

    name: str
    words: Sequence[str]
    answer: int | None = None
    """A number that its output must contain."""
    peak_memory: int = 0

    def available(self) -> bool:
        """Return whether the command is installed; if not, print that."""
        found = shutil.which(self.words[0]) is not None
        if not found:
            print(f"{self.name}: not measured, there is no {self.words[0]} here")
        return found

    def check(self) -> None:
        """Run once, which also warms the page cache, and check the answer."""
        if self.answer is None:
            self.time()
            return
        output = subprocess.run(
            self.words, env=ENVIRONMENT, capture_output=True, text=True, check=True
        ).stdout
        numbers = re.findall(r"\d+", output)
        assert str(self.answer) in numbers, f"{self.name} prints {output!r}, not {self.answer}"

    def time(self) -> float:
        """Run once; return the seconds on the wall."""
        nowhere = subprocess.DEVNULL
        start = time.perf_counter()
        process = subprocess.Popen(self.words, env=ENVIRONMENT, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, f"{self.name} ends with {process.returncode}"
        self.peak_memory = max(self.peak_memory, as_bytes(usage.ru_maxrss))
        return taken


def as_bytes(peak: int) -> int:
    """Return a peak memory in bytes: macOS reports bytes, other systems KiB."""
    return peak if sys.platform == "darwin" else peak * 1024


@dataclass(frozen=True)
class Input:
    """Files to read."""

    path: Path
    files: int
    size: int
    chars: int


def big_file(path: Path, directory: Path, size: int) -> Input:
    """Write the texts into one file, again and again, until it has ``size`` bytes."""
    written = chars = 0
    with path.open("wb") as file:
        for source in itertools.cycle(sorted(directory.glob("*.txt"))):
            if written >= size:
                return Input(path, 1, written, chars)
            data = source.read_bytes()
            file.write(data)
            written += len(data)
            chars += len(data.decode())
    raise AssertionError


def tree(path: Path, directory: Path, files: int) -> Input:
    """Write slices of the texts into many small files."""
    random_source = random.Random(files)
    sources = sorted(directory.glob("*.txt"))
    written = chars = 0
    for index in range(files):
        folder = path / f"{index // FILES_A_DIRECTORY:03}"
        folder.mkdir(parents=True, exist_ok=True)
        with random_source.choice(sources).open("rb") as source:
            source.seek(random_source.randrange(os.fstat(source.fileno()).st_size))
            data = texts.whole(source.read(random_source.randint(*SMALL_FILE)))
        (folder / f"{index}.txt").write_bytes(data)
        written += len(data)
        chars += len(data.decode())
    return Input(path, files, written, chars)


def make_inputs(where: Path, arguments: argparse.Namespace) -> tuple[Input, Input]:
    """Make the big file and the tree below a directory."""
    directory = arguments.texts
    if directory is None:
        # By a process of its own: the memory of this one counts into its children's.
        directory = where / "texts"
        writer = [sys.executable, str(Path(__file__).with_name("texts.py")), str(directory)]
        subprocess.run(writer, check=True, stdout=subprocess.DEVNULL)
    return (
        big_file(where / "big.txt", directory, arguments.size),
        tree(where / "tree", directory, arguments.files),
    )


def contestants(
    command: Sequence[str], uutils: str | None, big: Input, small: Input
) -> dict[str, list[Contestant]]:
    """Return the contestants of each task."""
    file, folder = str(big.path), str(small.path)
    return {
        "check, big file": [
            Contestant("leadbyte check", [*command, "check", file]),
            Contestant("isutf8", ["isutf8", file]),
            Contestant("iconv", ["iconv", "-f", "UTF-8", "-t", "UTF-8", file]),
        ],
        "count, big file": [
            Contestant("leadbyte count", [*command, "count", file], big.chars),
            Contestant("leadbyte count -m", [*command, "count", "-m", file], big.chars),
            Contestant("wc -m", ["wc", "-m", file], big.chars),
            *([Contestant("uutils wc -m", [uutils, "-m", file], big.chars)] if uutils else []),
        ],
        "check, small files": [
            Contestant("leadbyte check", [*command, "check", folder]),
            Contestant("find | isutf8", ["find", folder, "-type", "f", "-exec", "isutf8", "{}", "+"]),
        ],
        "start": [
            Contestant("leadbyte --version", [*command, "--version"]),
            Contestant("python -c pass", [sys.executable, "-c", "pass"]),
        ],
    }


def row(task: str, contestant: Contestant, taken: Times, given: Input | None) -> dict[str, str]:
    """Return the figures of one command, for the table and the record."""
    return {
        "task": task,
        "command": contestant.name,
        "best_s": f"{taken.best:.3f}",
        "median_s": f"{taken.median:.3f}",
        "gb_s": f"{given.size / taken.best / 1e9:.2f}" if given else "",
        "files_s": f"{given.files / taken.best:.0f}" if given else "",
        "peak_mb": f"{contestant.peak_memory / 1e6:.1f}",
    }


def judge(best: dict[str, float], task: str, memory: int) -> dict[Target, float]:
    """Return the measurements that some targets are about."""
    values: dict[Target, float] = {}
    if task == "check, big file" and "isutf8" in best:
        values[SPEED_OF_CHECK] = best["isutf8"] / best["leadbyte check"]
    if task == "count, big file" and "wc -m" in best:
        values[SPEED_OF_COUNT] = best["wc -m"] / best["leadbyte count"]
    if "uutils wc -m" in best:
        values[SPEED_BESIDE_UUTILS] = best["uutils wc -m"] / best["leadbyte count -m"]
    if task == "check, small files" and "find | isutf8" in best:
        values[SPEED_OF_SMALL_FILES] = best["find | isutf8"] / best["leadbyte check"]
    if task == "start":
        values[START] = best["leadbyte --version"] / best["python -c pass"]
    values[PEAK_MEMORY] = memory / 1e6
    return values


def first_line(words: Sequence[str]) -> str:
    """Return the first line that a command prints for ``--version``."""
    if shutil.which(words[0]) is None:
        return f"no {words[0]}"
    words = [*words, "--version"]
    output = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False).stdout
    return output.partition("\n")[0].replace(",", "")


def main() -> None:
    """Make the inputs, measure, print, and record if requested."""
    parser = argument_parser("The command leadbyte beside isutf8, wc and iconv.")
    installed = Path(sys.executable).with_name("leadbyte")
    parser.add_argument(
        "--command",
        type=shlex.split,
        default=[str(installed)],
        metavar="COMMAND",
        help="how to call leadbyte (default: the one beside this Python)",
    )
    parser.add_argument(
        "--uutils", default=os.environ.get("LEADBYTE_UUTILS_WC"), metavar="WC", help="the wc of uutils"
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how often each command runs")
    parser.add_argument("--size", type=int, default=10**9, metavar="BYTES", help="of the big file")
    parser.add_argument("--files", type=int, default=20_000, metavar="N", help="how many small files")
    arguments = parser.parse_args()

    rows: list[dict[str, str]] = []
    measured: dict[Target, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="leadbyte-") as made:
        big, small = make_inputs(Path(made), arguments)
        given = {"check, big file": big, "count, big file": big, "check, small files": small}
        for task, wanted in contestants(arguments.command, arguments.uutils, big, small).items():
            present = [contestant for contestant in wanted if contestant.available()]
            for contestant in present:
                contestant.check()
            turns = {contestant.name: contestant.time for contestant in present}
            times = in_turns(turns, rounds=arguments.rounds)
            what = given.get(task)
            table = [row(task, contestant, times[contestant.name], what) for contestant in present]
            print_table(f"{task}{f': {what.files} files, {what.size / 1e6:.0f} MB' if what else ''}", table)
            rows += table
            memory = max(c.peak_memory for c in present if c.name.startswith("leadbyte"))
            best = {name: taken.best for name, taken in times.items()}
            for target, value in judge(best, task, memory).items():
                measured.setdefault(target, {})[task] = value

    outcomes = summaries(measured)
    floor = as_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e6
    print(f"\npeaks below {floor:.1f} MB are this script's own: a child starts as its copy")
    print_outcomes(outcomes)
    if arguments.record:
        commands = [arguments.command, ["wc"], ["iconv"], *([[arguments.uutils]] if arguments.uutils else [])]
        versions = ", ".join(map(first_line, commands))
        facts = {
            "versions": f"{versions}, isutf8 (moreutils)",
            "isa": subprocess.run(ISA, capture_output=True, text=True, check=True).stdout.strip(),
            "floor of peak_mb": f"{floor:.1f}",
        }
        write_record("programs", {**facts, **outcomes}, rows)


if __name__ == "__main__":
    main()
