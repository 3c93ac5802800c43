"""Everyday tasks, as sessions of nox: ``nox -l`` lists them.

More sessions are in tests/noxfile.py (sanitizers, fuzzing, other CPUs) and packaging/noxfile.py (releases):
``nox -f tests/noxfile.py -l`` and ``nox -f packaging/noxfile.py -l`` list them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent / "packaging"))
from tasks import (
    BOUNDARY_ENVIRONMENT,
    ENVIRONMENT,
    FOUND,
    VERSIONS,
    dependencies,
    provide,
    run_crate,
    run_suite,
    wheel,
)

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["rust", "test"]


@nox.session(python=False)
def rust(session: nox.Session) -> None:
    """Test the crate on every instruction set of this CPU; ``-- --unreduced`` tests all byte sequences."""
    unreduced = "--unreduced" in session.posargs
    options = [option for option in session.posargs if option != "--unreduced"]
    run_crate(session, *options, reduced=not unreduced)


@nox.session
def test(session: nox.Session) -> None:
    """Test the package with the current Python, on every instruction set of this CPU."""
    session.install("--prefer-binary", *dependencies("columns"), *dependencies("dataset"))
    run_suite(session, *session.posargs)


@nox.session(python=FOUND)
def python(session: nox.Session) -> None:
    """Test the package with each installed Python, on the best instruction set.

    The command and datasets are tested with the current and the oldest Python. Tests that measure time run
    with the current one, and so do those marked ``once``: they are over many values or long data, which the
    same machine code handles for all Pythons. ONCE in tests/tools/suite.py has such files: documents,
    models and single commands. ci.yml runs ``test`` with each Python.
    """
    missing = [version for version in VERSIONS if version not in FOUND]
    session.log(f"Python versions found: {', '.join(FOUND)}; not found: {', '.join(missing) or 'none'}")
    if session.python == FOUND[0]:
        run_suite(session, "--implementations", "best", *session.posargs)
        return
    options = ["--implementations", "best", "--no-once", "--clock=never"]
    if session.python != min(FOUND, key=VERSIONS.index):
        options.append("--no-command")
    run_suite(session, *options, *session.posargs)


@nox.session
def exhaustive(session: nox.Session) -> None:
    """Test everything in full: all byte sequences, more killed processes, more random data.

    Other sessions leave out the tests that take long and find little: those marked ``one_implementation``,
    which run here on all instruction sets, and those that LEADBYTE_TESTS=boundary shortens. ci.yml runs this
    weekly.
    """
    run_crate(session, reduced=False)
    session.install("--prefer-binary", *dependencies("columns"), *dependencies("dataset"))
    run_suite(session, *session.posargs, reduced=False)


@nox.session
def lint(session: nox.Session) -> None:
    """Check formatting, lints, words, layers and types, without building the package."""
    session.install(*dependencies("lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")
    session.run("python", "tests/tools/check_words.py")
    session.run("python", "tests/tools/check_layers.py")
    session.run("cargo", "fmt", "--all", "--check", external=True)
    session.run("cargo", "fmt", "--manifest-path", "fuzz/Cargo.toml", "--check", external=True)
    for files in ([], ["packaging/noxfile.py"], ["tests/noxfile.py"]):  # mypy accepts one module of a name
        session.run("mypy", *files)
    # The crate with those that depend on it, whose dependencies others share; and each of its features alone.
    members = ("leadbyte", "leadbyte-python", "leadbyte-module", "leadbyte-live")
    choices = [["--all-targets", *(option for member in members for option in ("--package", member))]]
    choices += [["--lib", "--examples", "--features", feature] for feature in ("detect", "unicode", "arrow")]
    env = {**ENVIRONMENT, "CARGO_INCREMENTAL": "0", "RUSTDOCFLAGS": "-D warnings"}
    for choice in [*choices, ["--all-targets"]]:
        session.run("cargo", "clippy", *choice, "--", "-D", "warnings", external=True, env=env)
    session.run("cargo", "doc", "--no-deps", external=True, env=env)


@nox.session
def stubs(session: nox.Session) -> None:
    """Compare stubs, man page and completions with the package; test the scripts in tests/tools."""
    session.install("--force-reinstall", wheel(session))
    session.install(*dependencies("lint"))
    options = ["--mypy-config-file", "pyproject.toml"]
    options += ["--allowlist", "tests/tools/unchecked_stubs.txt", "--ignore-unused-allowlist"]
    session.run("python", "-m", "mypy.stubtest", "leadbyte", *options)
    session.run("python", "packaging/make.py", "--check")
    session.run("pytest", "-q", "tests/tools")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site in target/docs, with warnings as errors; test the recipes that need small packages.

    With ``-- --check`` all is read and resolved, but no page is written, which takes three times as long.
    """
    session.install("--force-reinstall", wheel(session))
    session.install(*dependencies("docs"), *dependencies("small-recipes"))
    builder = "dummy" if "--check" in session.posargs else "html"
    session.run("sphinx-build", "-W", "-n", "-E", "-b", builder, "docs", "target/docs")
    session.run("pytest", "-q", "tests/python/recipes", env=BOUNDARY_ENVIRONMENT)


@nox.session
def live(session: nox.Session) -> None:
    """Build the live page in target/live; test it in Node.js and in headless Chromium."""
    target = ["rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown"]
    rustup = str(session.run(*target, external=True, silent=True)).strip()
    provide(session, [rustup, "/usr/lib/rustlib/src/rust"], "rustc-web", "cargo-web", "rust-web-src")
    provide(session, ["wasm-opt"], "binaryen")
    provide(session, ["node"], "nodejs")
    provide(session, ["chromium", "google-chrome"], "chromium")
    session.install(*dependencies("test"))
    env = {**ENVIRONMENT, "LEADBYTE_LIVE": str(Path("target/live").absolute())}
    session.run("python", "live/build.py", "target/live", env=env)
    node = ["node", "--test", "--test-reporter=spec", "live/tests/module.test.mjs"]
    session.run(*node, external=True, env=env)
    session.run("pytest", "-q", "live/tests", *session.posargs, env=env)


@nox.session
def recipes(session: nox.Session) -> None:
    """Test the pages in docs/how-to/offsets with all the packages that they are about."""
    session.install("--force-reinstall", wheel(session))
    session.install("--prefer-binary", *dependencies("recipes"))
    session.run("pytest", "-q", "tests/python/recipes", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Run all benchmarks; ``-- --record`` also records the results and updates README."""
    session.install(wheel(session, profile="dist"), *dependencies("bench"))
    session.run("python", "benches/main.py", *session.posargs, env=ENVIRONMENT)
