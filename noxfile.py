"""All tasks of the project, each a session: ``nox -l`` lists them, ``nox`` runs tests and lints."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import nox
from nox.command import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["rust", "python", "lint"]

# A "t" is the free-threaded build; PyO3 supports none before 3.14.
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.14t", "3.15", "3.15t"]
PROJECT = nox.project.load_toml("pyproject.toml")
OLDEST_RUST = nox.project.load_toml("Cargo.toml")["package"]["rust-version"]
# Each Python's wheel is built in the same directory, so that only what depends on Python is built anew.
ENVIRONMENT = {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(Path("target").absolute()))}
WHEELS = Path("target/wheels-for-tests")
# The extension module reports its coverage to libFuzzer.
COVERAGE = (
    "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3"
    " -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
)
# What is to be published.
DIST = Path("dist")
# Tests that watch the clock, and do not run beside others.
ALONE = [
    *["test_cli_process.py", "test_cli_terminal.py", "test_concurrency.py", "test_import.py"],
    "test_responsiveness.py",
]
# Tests of what stands on the kernels, whichever these are.
ONCE = [
    *["test_cli_*.py", "test_detect.py", "test_docs.py", "test_explain.py", "test_memory.py"],
    *["test_mojibake.py", "test_sizes.py"],
]
PYTEST = ["python", "-m", "pytest"]


@dataclass(frozen=True)
class Linux:
    """A kind of Linux: what Docker calls its CPU, the image that has all Pythons for it, and how it runs."""

    platform: str
    image: str
    emulated: bool


def linuxes() -> Iterator[tuple[str, Linux]]:
    """Give each target of Rust that wheels for Linux are built for."""
    for cpu, arch, docker, emulated in [
        ("x86_64", "x86_64", "linux/amd64", False),
        ("i686", "i686", "linux/386", False),
        ("aarch64", "aarch64", "linux/arm64", False),
        ("armv7", "armv7l", "linux/arm/v7", True),
        ("powerpc64le", "ppc64le", "linux/ppc64le", True),
        ("s390x", "s390x", "linux/s390x", True),
    ]:
        abi = "eabihf" if cpu == "armv7" else ""
        # PyPA has no older image for this one.
        manylinux = "manylinux_2_31" if cpu == "armv7" else "manylinux2014"
        yield f"{cpu}-unknown-linux-gnu{abi}", Linux(docker, f"quay.io/pypa/{manylinux}_{arch}", emulated)
        yield (
            f"{cpu}-unknown-linux-musl{abi}",
            Linux(docker, f"quay.io/pypa/musllinux_1_2_{arch}", emulated),
        )


LINUXES = dict(linuxes())
# Rust's project builds none for it; it is built along, by options that are not stable.
WITHOUT_STANDARD_LIBRARY = {"s390x-unknown-linux-musl"}

if shutil.which("pyenv"):
    # Its shims answer only for the versions that are named.
    listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True, check=True)
    own = ".".join(map(str, sys.version_info[:3]))
    others = [version for version in listed.stdout.split() if version != own]
    os.environ["PYENV_VERSION"] = ":".join([own, *others] if own in listed.stdout.split() else others)


def found_pythons() -> Iterator[str]:
    """Give the versions of Python that are installed, this one's first."""
    own = sysconfig.get_python_version() + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
    for version in sorted(VERSIONS, key=lambda version: version != own):
        # On Windows the version is not in the name of the program.
        python = sys.executable if version == own else shutil.which(f"python{version}")
        if python and subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            yield version


FOUND = list(found_pythons())


def dependencies(group: str) -> list[str]:
    """Return the requirements of a dependency group."""
    return list(nox.project.dependency_groups(PROJECT, group))


def wheel(session: nox.Session, *options: str, profile: str = "fast", rustflags: str = "") -> Path:
    """Build the wheel for the session's Python and return its path."""
    session.install(*PROJECT["build-system"]["requires"])
    out = WHEELS / str(session.python or "default")
    shutil.rmtree(out, ignore_errors=True)
    build = ["maturin", "build", "--profile", profile, "--out", str(out), "-i", "python", *options]
    session.run(*build, env={**ENVIRONMENT, "RUSTFLAGS": rustflags} if rustflags else ENVIRONMENT)
    return next(out.glob("*.whl"))


def host(session: nox.Session) -> str:
    """Return Rust's name of this machine."""
    return str(session.run("rustc", "--print", "host-tuple", external=True, silent=True)).strip()


def succeeds(command: list[str]) -> bool:
    """Return whether a command can be run and succeeds."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


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
    run_tests(session, every=session.python == FOUND[0])
    report_time(session, started)


@nox.session(python=FOUND)
def parallel(session: nox.Session) -> None:
    """Run each test of the installed wheel in several threads at once, which shows most without a GIL."""
    started = time.monotonic()
    session.install(str(wheel(session)), *dependencies("test"))
    check_origin(session)
    threads = ["--parallel-threads", "4", "--skip-thread-unsafe", "true"]
    ignored = (f"--ignore={path}" for path in [*files(ALONE), *files(ONCE)])
    env = {"LEADBYTE_TESTS": "boundary"}
    session.run(*PYTEST, *threads, *ignored, *session.posargs, env=env)
    report_time(session, started)


@nox.session(python=FOUND)
def wheels(session: nox.Session) -> None:
    """Build the wheel to publish for each Python found, audit it, and have it installed and tested."""
    started = time.monotonic()
    session.install(*dependencies("release"))
    build_wheels(session, [str(session.python)])
    report_time(session, started)
    session.notify(f"installed-{session.python}")


@nox.session(python=FOUND)
def installed(session: nox.Session) -> None:
    """Install the wheel in dist/ that fits the Python, with nothing beside it, and test it."""
    started = time.monotonic()
    session.install("--no-index", "--find-links", str(DIST), "--force-reinstall", "leadbyte")
    session.install("--prefer-binary", *dependencies("test"))
    run_tests(session, every=session.python == FOUND[0])
    report_time(session, started)


@nox.session
def crossed(session: nox.Session) -> None:
    """Build, audit and test wheels for any Linux: ``-- TARGET [VERSION...]``; needs rustup and Docker.

    The tests run in PyPA's image for that Linux, which has all Pythons, under QEMU if the CPU is another.
    """
    started = time.monotonic()
    if not session.posargs or session.posargs[0] not in LINUXES:
        session.error(f"name a target: {', '.join(LINUXES)}")
    target, *versions = session.posargs
    linux = LINUXES[target]
    versions = versions or VERSIONS
    session.install(*dependencies("release"))
    if target in WITHOUT_STANDARD_LIBRARY:
        session.run("rustup", "component", "add", "rust-src", external=True)
    else:
        session.run("rustup", "target", "add", target, external=True)
    build_wheels(session, versions, target=target)
    run = ["docker", "run", "--rm", "--platform", linux.platform, "--volume", f"{Path.cwd()}:/leadbyte"]
    run += ["--workdir", "/leadbyte", *(["--env", "LEADBYTE_EMULATED=1"] if linux.emulated else [])]
    names = " ".join(f"installed-{version}" for version in versions)
    tests = f"python3.13 -m pip install nox && python3.13 -m nox --envdir /tmp/nox --session {names}"
    session.run(*run, linux.image, "sh", "-c", tests, external=True)
    report_time(session, started)


@nox.session(python=FOUND)
def sdist(session: nox.Session) -> None:
    """Build the source distribution; from it build a wheel with no network, and test that."""
    started = time.monotonic()
    session.install(*dependencies("release"))
    shutil.rmtree(DIST / "sdist", ignore_errors=True)
    session.run("maturin", "sdist", "--out", str(DIST / "sdist"))
    archive = next((DIST / "sdist").glob("*.tar.gz"))
    audit(session, archive)
    room = Path(session.create_tmp()).absolute() / "offline"
    shutil.rmtree(room, ignore_errors=True)
    with tarfile.open(archive) as opened:
        opened.extractall(room, filter="data")
    sources = next(room.iterdir())
    # Not by "--locked": only what the benchmarks need goes from the lock file, as they are not here.
    vendor = ["cargo", "vendor", "--manifest-path", str(sources / "Cargo.toml")]
    settings = str(session.run(*vendor, str(room / "vendor"), external=True, silent=True, stderr=None))
    (room / ".cargo").mkdir()
    (room / ".cargo/config.toml").write_text(settings)
    env = {
        "CARGO_HOME": str(room / "home"),  # where no crate is kept from before
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": ENVIRONMENT["CARGO_TARGET_DIR"],
        "MATURIN_PEP517_ARGS": "--profile fast",
    }
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--force-reinstall"]
    session.install(*offline, str(sources), env=env)
    session.install(*dependencies("test"))
    run_tests(session, every=False)
    report_time(session, started)


@nox.session
def workflows(session: nox.Session) -> None:
    """Lint the workflows, ours and those to copy: syntax, scripts, and what could be abused in them."""
    session.install(*dependencies("workflows"))
    examples = [str(path) for path in sorted(Path("examples/github").glob("*.yml"))]
    session.run("actionlint")
    session.run("actionlint", *examples)
    session.run("zizmor", "--offline", "--persona", "pedantic", ".", *examples)


@nox.session(python=False)
def oldest(session: nox.Session) -> None:
    """Test the crate and build the extension module with the oldest Rust that it is for; needs rustup."""
    started = time.monotonic()
    session.run("rustup", "toolchain", "install", "--profile", "minimal", OLDEST_RUST)
    cargo = ["cargo", f"+{OLDEST_RUST}"]
    session.run(*cargo, "check", "--features", "python")
    session.run(*cargo, "test", "--features", "detect,unicode", env={"LEADBYTE_TESTS": "boundary"})
    report_time(session, started)


def build_wheels(session: nox.Session, versions: list[str], *, target: str = "") -> None:
    """Build the wheels to publish, for the session's own Python or for those of another Linux; audit them."""
    shutil.rmtree(WHEELS / "release", ignore_errors=True)
    build = ["maturin", "build", "--release", "--locked", "--out", str(WHEELS / "release")]
    if target or platform.system() == "Linux":
        # Zig links against the symbols of an old C library, without a machine that has one.
        build += ["--zig", "--compatibility", "musllinux_1_2" if "musl" in target else "manylinux2014"]
    if target:
        build += ["--target", target, "--interpreter", *(f"python{version}" for version in versions)]
    else:
        build += ["--interpreter", "python"]
    env = {**ENVIRONMENT, "RUSTFLAGS": unwinder(session, target or host(session))}
    if target in WITHOUT_STANDARD_LIBRARY:
        build += ["-Z", "build-std"]
        env = {**env, "RUSTC_BOOTSTRAP": "1"}
    session.run(*build, env=env)
    built = sorted((WHEELS / "release").glob("*.whl"))
    if len(built) != len(versions):
        session.error(f"{len(built)} wheels built for {len(versions)} Pythons")
    audit(session, *built)
    DIST.mkdir(exist_ok=True)
    for path in built:
        shutil.copy(path, DIST)


def unwinder(session: nox.Session, target: str) -> str:
    """Return the options by which a module for Linux uses libgcc's unwinder, as the C library does."""
    cpu, _, abi = target.partition("-unknown-linux-gnu")
    if cpu == target:
        return ""
    library = Path("target/unwinder", target, "libgcc_s.so.1").absolute()
    library.parent.mkdir(parents=True, exist_ok=True)
    zig_cpu = {"armv7": "arm", "i686": "x86"}.get(cpu, cpu)
    compiler = ["python", "-m", "ziglang", "cc", "-target", f"{zig_cpu}-linux-gnu{abi}"]
    options = ["-shared", "-nostdlib", f"-Wl,-soname,{library.name}", "-o", str(library)]
    session.run(*compiler, *options, "packaging/libgcc_s.c")
    return f"-C link-arg={library}"


def audit(session: nox.Session, *paths: Path) -> None:
    """Look at what is to be published: its description, its size, what it holds and what it needs."""
    session.run("twine", "check", "--strict", *map(str, paths))
    session.run("python", "tests/tools/audit.py", *map(str, paths))


def check_origin(session: nox.Session) -> list[str]:
    """Make sure that the package is the installed one; return the names of its implementations."""
    told = "import leadbyte; print(leadbyte.__file__, *leadbyte.cpu_info()['implementations'], sep='\\n')"
    origin, *isas = str(session.run("python", "-c", told, silent=True)).splitlines()
    if Path(session.virtualenv.location).resolve() not in Path(origin).resolve().parents:
        session.error(f"{origin} would be tested, not what is installed")
    return isas


def run_tests(session: nox.Session, *, every: bool) -> None:
    """Run the tests on the installed package, with every implementation or with the best only.

    Only the best is tested at length. Rust's tests do so with each; and what depends on Python depends on no
    instruction set.
    """
    isas = check_origin(session)
    alone = files(ALONE)
    once = [path for path in files(ONCE) if path not in alone]
    beside = ["-n", "auto", "--dist", "worksteal"]
    reduced = {"LEADBYTE_TESTS": "boundary"}
    env = {"LEADBYTE_ISA": isas[-1], **({} if every else reduced)}
    others = [f"--ignore={path}" for path in [*alone, *once]]
    for isa in isas[:-1] if every else []:
        session.run(*PYTEST, *beside, *others, *session.posargs, env={"LEADBYTE_ISA": isa, **reduced})
    session.run(*PYTEST, *beside, *others, *session.posargs, env=env)
    session.run(*PYTEST, *beside, *once, *session.posargs, env=env)
    if os.environ.get("LEADBYTE_EMULATED"):
        session.log("an emulated CPU's clock tells nothing: what watches it is left out")
    else:
        session.run(*PYTEST, *alone, *session.posargs, env=env)


def files(patterns: list[str]) -> list[str]:
    """Return the files of tests whose names match."""
    return [str(path) for pattern in patterns for path in sorted(Path("tests/python").rglob(pattern))]


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
    env = {
        **ENVIRONMENT,
        "RUSTC_BOOTSTRAP": "1",  # for the option, which is not stable
        "RUSTFLAGS": "-Zsanitizer=address",
        "ASAN_OPTIONS": "allocator_may_return_null=1",  # as for tests of memory that cannot be had
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
        host(session),
        *session.posargs,
        env=env,
    )
    report_time(session, started)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Run each fuzz target, ``-- --seconds 600``; needs cargo-fuzz with nightly Rust, or atheris."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    seconds = parser.parse_args(session.posargs).seconds
    options = [f"-max_total_time={seconds}", "-max_len=512", "-print_final_stats=1"]
    inputs = Path("target/fuzz").absolute()  # new ones; those in fuzz/corpus are to stay few
    cargo = ["cargo", "+nightly", "fuzz"]
    if succeeds([*cargo, "list"]):
        targets = str(session.run(*cargo, "list", external=True, silent=True)).split()
    else:
        session.warn("no Rust targets: cargo-fuzz or the toolchain nightly is not installed")
        targets = []
    for target in targets:
        (inputs / target).mkdir(parents=True, exist_ok=True)
        folders = [str(inputs / target), f"fuzz/corpus/{target}"]
        session.run(*cargo, "run", target, *folders, "--", *options, external=True)
    try:
        session.install("atheris", "hypothesis")
    except CommandFailed:
        session.warn("no Python targets: atheris cannot be installed for this Python")
        return
    # With a target named, the flags are not for what runs at build time.
    session.install(str(wheel(session, "--target", host(session), rustflags=COVERAGE)))
    for target in ("decode", "encode"):
        (inputs / target).mkdir(parents=True, exist_ok=True)
        folders = [str(inputs / target), f"fuzz/corpus/{target}"]
        session.run("python", "fuzz/python/run.py", target, *options, *folders)


@nox.session(python=False)
def miri(session: nox.Session) -> None:
    """Run a part of the crate's tests under Miri, on each instruction set; needs nightly Rust."""
    started = time.monotonic()
    if not succeeds(["cargo", "+nightly", "miri", "--version"]):
        session.skip("the component miri of the toolchain nightly is not installed")
    features = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2"
    env = {
        "CARGO_TARGET_DIR": str(Path("target/miri").absolute()),
        "MIRIFLAGS": "-Zmiri-disable-isolation",  # the tests read files
    }
    if platform.machine().lower() in {"x86_64", "amd64"}:
        env["RUSTFLAGS"] = "-C target-feature=" + ",".join(f"+{name}" for name in features.split(","))
    tests = ["--lib", "--test", "cpu", "--test", "corpus", "--features", "legacy"]
    session.run("cargo", "+nightly", "miri", "test", *tests, "--", "--show-output", external=True, env=env)
    report_time(session, started)


@nox.session
def inspected(session: nox.Session) -> None:
    """Look for calls and panics in the inner loops of the extension module's release build."""
    started = time.monotonic()
    session.install(*dependencies("test"))
    session.run(*PYTEST, "tests/tools")
    directory = Path(ENVIRONMENT["CARGO_TARGET_DIR"], "inspected")
    build = ["cargo", "rustc", "--release", "--lib", "--crate-type", "cdylib"]
    build += ["--features", "python,pyo3/extension-module"]
    flags = ["--emit", "asm", "-C", "symbol-mangling-version=v0", "-C", "debuginfo=line-tables-only"]
    session.run(*build, "--", *flags, external=True, env={"CARGO_TARGET_DIR": str(directory)})
    session.run("python", "tests/tools/inspect_loops.py", str(directory / "release/deps/leadbyte.s"))
    report_time(session, started)


@nox.session(python=False)
def instructions(session: nox.Session) -> None:
    """Compare each kernel's number of instructions with a record; with ``-- --record`` write it anew."""
    session.run("python", "tests/tools/count_instructions.py", *session.posargs, env=ENVIRONMENT)


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
def docs(session: nox.Session) -> None:
    """Make the site in target/docs; what is warned of is an error."""
    session.install(str(wheel(session)), *dependencies("docs"))
    session.run("sphinx-build", "-W", "-n", "-E", "docs", "target/docs")


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
    session.run("cargo", "fmt", "--manifest-path", "fuzz/Cargo.toml", "--check", external=True)
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
    session.run("python", "packaging/make.py", "--check")
    report_time(session, started)


@nox.session(python=False)
def debug(session: nox.Session) -> None:
    """Test with all checks: of Rust, and of CPython's debug build, which is Debian's (root)."""
    started = time.monotonic()
    if not shutil.which("python3-dbg"):
        if not shutil.which("apt-get") or os.geteuid() != 0:
            session.log("skipped: there is no python3-dbg, and it cannot be installed")
            return
        install = ["apt-get", "install", "--yes", "--no-install-recommends"]
        session.run("apt-get", "update", "--quiet", external=True, silent=True)
        session.run(*install, "python3-dbg", "python3-dev", "python3-venv", external=True, silent=True)
    directory = Path(session.create_tmp()).absolute() / "venv"
    session.run("python3-dbg", "-m", "venv", "--clear", str(directory), external=True)
    python = str(directory / "bin/python")
    install = [python, "-W", "ignore", "-m", "pip", "install", "--quiet"]
    session.run(*install, *PROJECT["build-system"]["requires"], *dependencies("test"), external=True)
    out = WHEELS / "debug"
    shutil.rmtree(out, ignore_errors=True)
    build = ["maturin", "build", "--profile", "checked", "--out", str(out), "--interpreter", python]
    features = ["--features", "python,panic-injection,pyo3/extension-module"]
    session.run(str(directory / "bin" / build[0]), *build[1:], *features, external=True, env=ENVIRONMENT)
    session.run(*install, *(str(path) for path in out.glob("*.whl")), external=True)
    left_out = [f"--ignore={path}" for path in [*files(ALONE), *files(["test_cli_*.py", "test_docs.py"])]]
    # This build of CPython looks handlers up before there is an error, and UnicodeEncodeError.__str__ aborts
    # if one has set the object to another type.
    left_out += ["-k", "not unknown"]
    left_out += ["--deselect", "tests/python/core/test_encode.py::test_attribute_that_a_handler_sets[object"]
    tests = ["-m", "pytest", "-n", "auto", "--dist", "worksteal", *left_out, *session.posargs]
    session.run(python, *tests, external=True, env={"LEADBYTE_TESTS": "boundary"})
    report_time(session, started)
