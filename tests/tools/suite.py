"""Run the Python tests of the installed package, in several parallel pytest processes.

    python tests/tools/suite.py [--implementations all|best] [--no-once] [--clock last|never|only]
        [--no-command] [OPTION_OF_PYTEST...]

Each implementation of the kernels has a process of its own, since LEADBYTE_ISA is read at import. The best
one runs all tests; the others run the folder core, but for tests marked ``one_implementation``. All tests
that call kernels run on each unless LEADBYTE_TESTS=boundary shortens them, as it does the tests of Rust;
then other implementations, and other Pythons, try fewer of the examples that Hypothesis makes.
Tests marked ``clock`` measure time: they run last and alone, or are a run of their own.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import leadbyte

TESTS = Path(__file__).parents[1] / "python"
# The tests that call kernels.
CORE = ["core"]
TEXT = ["transcode", *(f"text/test_{name}.py" for name in ("casefold", "graphemes", "normalize", "search"))]
# Results of single commands; how commands read, write and print depends on the version of Python.
RESULTS = ["audit", "bom", "convert", "count", "detect", "explain", "fallback", "github", "ignored", "jsonl"]
RESULTS += ["locate", "mojibake", "normalize", "quarantine", "repair", "sizes"]
# With those marked ``once`` the tests that depend neither on the version of Python nor on the implementation.
ONCE = [
    *(f"cli/test_cli_{name}.py" for name in RESULTS),
    *["core/test_conformance.py", "core/test_corpus.py"],
    *["package/test_comparison.py", "package/test_docs.py", "package/test_figures.py"],
    *["package/test_responsiveness.py", "package/test_translations.py"],
    *["text/test_casefold.py", "text/test_compat.py", "text/test_detect.py"],
    *["text/test_graphemes.py", "text/test_mojibake.py"],
    *["text/test_mojibake_columns.py", "text/test_normalize.py", "text/test_search.py"],
]
# All other tests; the last folder without the files of TEXT.
COMMAND = ["cli"]
DATASET = ["dataset"]
OTHERS = ["columns", "package", "text"]
NO_TESTS = 5  # pytest's exit code where all tests were deselected
IS_REDUCED = os.environ.get("LEADBYTE_TESTS") == "boundary"
# Times on an emulated CPU have no meaning.
EMULATED = bool(os.environ.get("LEADBYTE_EMULATED"))


@dataclass
class Job:
    """A run of pytest."""

    name: str
    paths: list[str]
    options: list[str]
    implementation: str = ""
    reduced: bool = False

    def run(self, options: list[str]) -> bool:
        """Run it, print its last line, or its output if it failed, and return whether it passed."""
        started = time.monotonic()
        environment = dict(os.environ)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # pytest would compile all tests in each process
        if self.implementation:
            environment["LEADBYTE_ISA"] = self.implementation
        if self.reduced:
            environment["LEADBYTE_TESTS"] = "boundary"
        paths = [str(TESTS / path) for path in self.paths]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *self.options, *options]
        # Processes that remove the same old directories of pytest hinder each other.
        directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with tempfile.TemporaryFile() as printed, directory as own:
            command += ["--basetemp", os.path.join(own, "tests"), *paths]
            done = subprocess.run(command, stdout=printed, stderr=printed, env=environment, check=False)
            printed.seek(0)
            lines = printed.read().decode(errors="replace").splitlines()
        passed = done.returncode in {0, NO_TESTS}
        summary = next((line for line in reversed(lines) if re.search(r" in \d+\.\d+s", line)), "")
        took = f"{self.name}, {time.monotonic() - started:.0f} s"
        print("\n".join([f"=== {took}", *lines] if not passed else [f"{took}: {summary}"]), flush=True)
        return passed


def selected(marks: str, *, once: bool) -> list[str]:
    """Return the options of pytest that select tests by their marks, and by whether they run once only."""
    if once:
        return ["-m", marks]
    return ["-m", f"{marks} and not once", *ignoring(ONCE)]


def ignoring(paths: list[str]) -> list[str]:
    """Return the options of pytest that leave out files of tests."""
    return [f"--ignore={TESTS / path}" for path in paths]


def jobs(*, every_implementation: bool, once: bool, command: bool) -> list[Job]:
    """Return the runs that may be parallel, the longest first."""
    *others, best = leadbyte.cpu_info()["implementations"]
    few = ["--hypothesis-profile=few"] if IS_REDUCED else []
    options = [*selected("not clock", once=once), *([] if once else few)]
    found = [Job("commands", COMMAND, options), Job("dataset", DATASET, options)] if command else []
    found += [
        Job("columns, package, text", OTHERS, [*options, *ignoring(TEXT)]),
        Job(f"transcode, text ({best})", TEXT, options, best),
    ]
    if every_implementation:
        kernels = selected("not clock and not one_implementation" if IS_REDUCED else "not clock", once=once)
        paths = CORE if IS_REDUCED else [*CORE, *TEXT]
        found += [Job(f"kernels ({isa})", paths, [*kernels, *few], isa, reduced=True) for isa in others]
    return [*found, Job(f"core ({best})", CORE, options, best)]


def clocked() -> list[str]:
    """Return the files with tests that measure time: to collect all others would take seconds."""
    files = sorted(TESTS.rglob("test_*.py"))
    return [str(path.relative_to(TESTS)) for path in files if "mark.clock" in path.read_text("utf-8")]


def main() -> None:
    """Run all; exit with 1 if any test failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--implementations", choices=["all", "best"], default="all")
    parser.add_argument(
        "--once",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="tests that do not depend on the version of Python",
    )
    parser.add_argument(
        "--command",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="tests of the command and of datasets, which are in Python",
    )
    parser.add_argument(
        "--clock",
        choices=["last", "never", "only"],
        default="never" if EMULATED else "last",
        help="when to run tests that measure time",
    )
    chosen, options = parser.parse_known_args()
    every = chosen.implementations == "all"
    parallel: list[Job] = []
    if chosen.clock != "only":
        parallel = jobs(every_implementation=every, once=chosen.once, command=chosen.command)
    # Two more than there are CPUs, as tests of datasets and of the command wait half of their time.
    with ThreadPoolExecutor((os.cpu_count() or 1) + 2) as pool:
        passed = list(pool.map(lambda job: job.run(options), parallel))
    if chosen.clock != "never":
        passed.append(Job("clock", clocked(), selected("clock", once=chosen.once)).run(options))
    raise SystemExit(not all(passed))


if __name__ == "__main__":
    main()
