"""All tasks of the project, each a session: ``nox -l`` lists them, ``nox`` runs tests and lints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import nox

if TYPE_CHECKING:
    from collections.abc import Iterator

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["rust", "python", "lint"]

VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.15"]
PROJECT = nox.project.load_toml("pyproject.toml")
# Each Python's wheel is built in the same directory, so that only what depends on Python is built anew.
ENVIRONMENT = {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(Path("target").absolute()))}
WHEELS = Path("target/wheels-for-tests")
# Tests that watch the clock, and do not run beside others.
ALONE = ["test_cli_process.py", "test_cli_terminal.py", "test_concurrency.py"]
# Tests of what stands on the kernels, whichever these are.
ONCE = [
    *["test_cli_*.py", "test_detect.py", "test_docs.py", "test_explain.py", "test_memory.py"],
    *["test_mojibake.py", "test_sizes.py"],
]

if shutil.which("pyenv"):
    # Its shims answer only for the versions that are named.
    listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True, check=True)
    own = ".".join(map(str, sys.version_info[:3]))
    others = [version for version in listed.stdout.split() if version != own]
    os.environ["PYENV_VERSION"] = ":".join([own, *others] if own in listed.stdout.split() else others)


def found_pythons() -> Iterator[str]:
    """Give the versions of Python that are installed, this one's first."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in sorted(VERSIONS, key=lambda version: version != own):
        python = shutil.which(f"python{version}")
        if python and subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            yield version


FOUND = list(found_pythons())


def dependencies(group: str) -> list[str]:
    """Return the requirements of a dependency group."""
    return list(nox.project.dependency_groups(PROJECT, group))


def wheel(session: nox.Session, *, profile: str = "fast") -> Path:
    """Build the wheel for the session's Python and return its path."""
    session.install("maturin>=1.14,<2")
    out = WHEELS / str(session.python or "default")
    shutil.rmtree(out, ignore_errors=True)
    session.run("maturin", "build", "--profile", profile, "--out", str(out), "-i", "python", env=ENVIRONMENT)
    return next(out.glob("*.whl"))


def report_time(session: nox.Session, started: float) -> None:
    """Print how long the session took."""
    session.log(f"took {(time.monotonic() - started) / 60:.1f} minutes")


@nox.session(python=False)
def rust(session: nox.Session) -> None:
    """Test the crate, its examples and its documentation, on every instruction set of this CPU."""
    started = time.monotonic()
    session.run("cargo", "test", "--features", "detect,unicode", *session.posargs)
    report_time(session, started)


@nox.session(python=FOUND)
def python(session: nox.Session) -> None:
    """Test the installed wheel on each Python found: on the first with each implementation."""
    started = time.monotonic()
    missing = [version for version in VERSIONS if version not in FOUND]
    session.log(f"Pythons found: {', '.join(FOUND)}; not found: {', '.join(missing) or 'none'}")
    if not FOUND:
        session.error("no supported Python is installed")
    built = wheel(session)
    session.install(str(built), *dependencies("test"))
    # What depends on Python does not depend on the instruction set; the least and the best show as much.
    run_tests(session, every=session.python == FOUND[0])
    report_time(session, started)


@nox.session(python=False)
def installed(session: nox.Session) -> None:
    """Test the leadbyte that is installed beside nox, with each implementation."""
    session.run("python", "-m", "pip", "install", *dependencies("test"))
    run_tests(session)


def run_tests(session: nox.Session, *, every: bool = True) -> None:
    """Run the tests on the installed package with every implementation, or with the least and the best."""
    names = "import leadbyte; print(*leadbyte.cpu_info()['implementations'])"
    isas = str(session.run("python", "-c", names, silent=True)).split()
    alone = files(ALONE)
    once = [path for path in files(ONCE) if path not in alone]
    beside = ["-n", "auto", "--dist", "worksteal"]
    isas = isas if every else [isas[0], isas[-1]]
    for isa in dict.fromkeys(isas):
        env = {"LEADBYTE_ISA": isa} if every else {"LEADBYTE_ISA": isa, "LEADBYTE_TESTS": "boundary"}
        others = (f"--ignore={path}" for path in [*alone, *once])
        session.run("python", "-m", "pytest", *beside, *others, *session.posargs, env=env)
    session.run("python", "-m", "pytest", *beside, *once, *session.posargs, env=env)
    session.run("python", "-m", "pytest", *alone, *session.posargs, env=env)


def files(patterns: list[str]) -> list[str]:
    """Return the files of tests whose names match."""
    return [str(path) for pattern in patterns for path in sorted(Path("tests/python").glob(pattern))]


@nox.session
def emulated(session: nox.Session) -> None:
    """Test the crate on CPUs that are not here; with ``-- --record`` also keep the outcome."""
    started = time.monotonic()
    session.install(str(wheel(session)))
    session.run("python", "tests/tools/emulated.py", *session.posargs, env=ENVIRONMENT)
    report_time(session, started)


@nox.session(python=False)
def sanitized(session: nox.Session) -> None:
    """Test the crate under AddressSanitizer, which sees what is read or written where nothing is."""
    started = time.monotonic()
    host = str(session.run("rustc", "--print", "host-tuple", silent=True)).strip()
    env = {
        **ENVIRONMENT,
        "RUSTC_BOOTSTRAP": "1",  # for the option, which is not stable
        "RUSTFLAGS": "-Zsanitizer=address",
        "LEADBYTE_TESTS": "boundary",
    }
    # With a target named, the flags are not for what runs at build time.
    session.run(
        "cargo",
        "test",
        "--features",
        "detect,unicode",
        "--tests",
        "--target",
        host,
        *session.posargs,
        env=env,
    )
    report_time(session, started)


@nox.session
def inspected(session: nox.Session) -> None:
    """Look for calls and panics in the inner loops of the extension module's release build."""
    started = time.monotonic()
    session.install("pytest>=9")
    session.run("python", "-m", "pytest", "tests/tools")
    directory = Path(ENVIRONMENT["CARGO_TARGET_DIR"], "inspected")
    build = ["cargo", "rustc", "--release", "--lib", "--crate-type", "cdylib"]
    build += ["--features", "python,pyo3/extension-module"]
    flags = ["--emit", "asm", "-C", "symbol-mangling-version=v0", "-C", "debuginfo=line-tables-only"]
    session.run(*build, "--", *flags, external=True, env={"CARGO_TARGET_DIR": str(directory)})
    session.run("python", "tests/tools/inspect_loops.py", str(directory / "release/deps/leadbyte.s"))
    report_time(session, started)


@nox.session
def bench(session: nox.Session) -> None:
    """Run all benchmarks; with ``-- --record`` also keep the results and show them in README."""
    session.install(str(wheel(session, profile="release")), *dependencies("bench"))
    texts = Path(session.create_tmp()).absolute() / "texts"
    session.run("python", "benches/texts.py", str(texts), silent=True)
    env = {**ENVIRONMENT, "LEADBYTE_TEXTS": str(texts)}
    native = ["cargo", "run", "--release", "-p", "leadbyte-benches", "--", *session.posargs]
    session.run(*native, external=True, env=env)
    session.run("python", "benches/peers.py", *session.posargs, env=env)
    session.run("python", "benches/strings.py", *session.posargs, env=env)
    build = ["cargo", "build", "--release", "-p", "leadbyte-benches", "--lib", "--message-format", "json"]
    told = str(session.run(*build, external=True, silent=True, stderr=None, env=env)).splitlines()
    made = [
        path for line in told for path in json.loads(line).get("filenames", []) if "leadbyte_peers" in path
    ]
    session.run("python", "benches/transcode.py", *session.posargs, env={**env, "LEADBYTE_PEERS": made[0]})
    session.run("python", "benches/variants.py", *session.posargs, env=env)
    session.run("python", "benches/detection.py", *session.posargs)
    session.run("python", "benches/mojibake.py", *session.posargs)
    session.run("python", "benches/unicode.py", *session.posargs, env=env)
    session.run("python", "benches/programs.py", *session.posargs, env=env)
    if "--record" in session.posargs:
        session.run("python", "benches/report.py")


@nox.session
def hooks(session: nox.Session) -> None:
    """Try the hooks for pre-commit of the commit that is checked out, in a repository made for that."""
    started = time.monotonic()
    session.install("pre-commit>=4.7")
    cache = str(Path(session.create_tmp()).absolute())
    env = {**ENVIRONMENT, "PRE_COMMIT_HOME": cache, "MATURIN_PEP517_ARGS": "--profile fast"}
    session.run("python", "tests/tools/try_hooks.py", env=env)
    report_time(session, started)


@nox.session
def lint(session: nox.Session) -> None:
    """Check formatting, lints, types and stubs."""
    started = time.monotonic()
    session.run("cargo", "fmt", "--all", "--check", external=True)
    clippy = ["cargo", "clippy", "--all-targets"]
    session.run(*clippy, "--", "-D", "warnings", external=True, env=ENVIRONMENT)
    session.run(*clippy, "--features", "python", "--", "-D", "warnings", external=True, env=ENVIRONMENT)
    session.run(
        "cargo",
        "doc",
        "--no-deps",
        external=True,
        env={**ENVIRONMENT, "RUSTDOCFLAGS": "-D warnings"},
    )
    session.install(str(wheel(session)), *dependencies("lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")
    session.run("mypy")
    session.run("python", "-m", "mypy.stubtest", "leadbyte")
    session.run("python", "shell/make.py", "--check")
    report_time(session, started)
