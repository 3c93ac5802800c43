"""The everyday tasks, each a session: ``nox -l`` lists them.

Two more files have others, listed by ``nox -f tests/noxfile.py -l`` (sanitizers, fuzzing, other CPUs) and
``nox -f packaging/noxfile.py -l`` (wheels and what else a release takes).
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent / "packaging"))
from tasks import ENVIRONMENT, FEATURES, FOUND, REDUCED, VERSIONS, dependencies, run_suite, timed, wheel

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["rust", "test"]


@nox.session(python=False)
@timed
def rust(session: nox.Session) -> None:
    """Test the crate on every instruction set of this CPU; with ``-- --unreduced`` all sequences of bytes."""
    unreduced = "--unreduced" in session.posargs
    options = [option for option in session.posargs if option != "--unreduced"]
    session.run("cargo", "test", *FEATURES, *options, env={} if unreduced else REDUCED)


@nox.session
@timed
def test(session: nox.Session) -> None:
    """Test the package with this Python, on every instruction set of this CPU."""
    run_suite(session, *session.posargs)


@nox.session(python=FOUND)
@timed
def python(session: nox.Session) -> None:
    """Test the package with each Python found, on the best instruction set."""
    missing = [version for version in VERSIONS if version not in FOUND]
    session.log(f"Pythons found: {', '.join(FOUND)}; not found: {', '.join(missing) or 'none'}")
    once = "--once" if session.python == FOUND[0] else "--no-once"
    run_suite(session, "--implementations", "best", once, *session.posargs)


@nox.session
@timed
def exhaustive(session: nox.Session) -> None:
    """Test everything without reductions: all sequences, all random kills, more random data."""
    session.run("cargo", "test", *FEATURES, external=True)
    run_suite(session, *session.posargs, reduced=False)


@nox.session
@timed
def lint(session: nox.Session) -> None:
    """Check formatting and lints, which needs no build of the package."""
    session.install(*dependencies("lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")
    session.run("cargo", "fmt", "--all", "--check", external=True)
    session.run("cargo", "fmt", "--manifest-path", "fuzz/Cargo.toml", "--check", external=True)
    for files in ([], ["packaging/noxfile.py"], ["tests/noxfile.py"]):  # one module of a name at a time
        session.run("mypy", *files)
    for features in ([], ["--features", "python"]):
        clippy = ["cargo", "clippy", "--all-targets", *features, "--", "-D", "warnings"]
        session.run(*clippy, external=True, env=ENVIRONMENT)
    env = {**ENVIRONMENT, "RUSTDOCFLAGS": "-D warnings"}
    session.run("cargo", "doc", "--no-deps", external=True, env=env)


@nox.session
@timed
def stubs(session: nox.Session) -> None:
    """Compare stubs, man page and completions with the package; test the tools of the tests."""
    session.install("--force-reinstall", wheel(session))
    session.install(*dependencies("lint"))
    session.run("python", "-m", "mypy.stubtest", "leadbyte")
    session.run("python", "packaging/make.py", "--check")
    session.run("pytest", "-q", "tests/tools")


@nox.session
@timed
def docs(session: nox.Session) -> None:
    """Make the site in target/docs; what is warned of is an error."""
    session.install("--force-reinstall", wheel(session))
    session.install(*dependencies("docs"))
    session.run("sphinx-build", "-W", "-n", "-E", "docs", "target/docs")


@nox.session
@timed
def bench(session: nox.Session) -> None:
    """Run all benchmarks; with ``-- --record`` also keep the results and show them in README."""
    session.install(wheel(session, profile="release"), *dependencies("bench"))
    session.run("python", "benches/main.py", *session.posargs, env=ENVIRONMENT)
