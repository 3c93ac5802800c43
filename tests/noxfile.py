"""Further tests, as sessions of nox: sanitizers, fuzzing, other CPUs (``nox -f tests/noxfile.py -l``)."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

sys.path.insert(0, str(Path(__file__).parents[1] / "packaging"))
from tasks import (
    BOUNDARY_ENVIRONMENT,
    ENVIRONMENT,
    FEATURES,
    FOUND,
    PROJECT,
    SOURCES,
    WHEELS,
    dependencies,
    host,
    in_root,
    provide,
    succeeds,
    wheel,
)

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False

# The extension module reports its coverage to libFuzzer.
COVERAGE = (
    "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3"
    " -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
)
# So does the crate, with the operands of comparisons, which libFuzzer tries, under AddressSanitizer.
FUZZED = f"--cfg fuzzing {COVERAGE} -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address"
# The fuzz targets in Python.
PYTHON_TARGETS = {"decode", "encode", "tree"}
# The options of pytest that run each test in several threads at once.
PARALLEL = ["--parallel-threads", "4", "--skip-thread-unsafe", "true", "-m", "not clock"]
# The Rust targets of Debian's architectures that are tested in a Python of theirs.
FOREIGN = {
    "i386": "i686-unknown-linux-gnu",
    "armhf": "armv7-unknown-linux-gnueabihf",
    "s390x": "s390x-unknown-linux-gnu",
}
# The exit code of tests/tools/free_threaded.py where there can be no interpreter.
UNAVAILABLE = 3


@nox.session(python=FOUND)
@in_root
def parallel(session: nox.Session) -> None:
    """Run each test of the installed wheel in several threads at once, best with a free-threaded Python."""
    session.install("--force-reinstall", wheel(session))
    session.install(*dependencies("test"))
    folders = [f"tests/python/{folder}" for folder in ("core", "text", "transcode")]
    session.run("pytest", *PARALLEL, *folders, *session.posargs, env=BOUNDARY_ENVIRONMENT)


@nox.session(python=False, name="free-threaded")
@in_root
def free_threaded(session: nox.Session) -> None:
    """Test with a free-threaded Python: the newest installed, else one built from Debian's sources."""
    found = [f"python{version}" for version in FOUND if version.endswith("t")]
    interpreter = found[-1] if found else build_free_threaded(session)
    python = installed_for(session, interpreter, "free-threaded", "--profile", "release")
    test = [python, "-X", "faulthandler", "-m", "pytest", "-q", *session.posargs]
    shared = ["tests/python/core/test_shared_objects.py", "tests/python/package/test_concurrency.py"]
    session.run(*test, *shared, external=True)
    folders = [f"tests/python/{folder}" for folder in ("core", "text", "transcode")]
    interpreters = "tests/python/package/test_interpreters.py"
    tests = [*folders, interpreters, "-m", "not clock"]
    session.run(*test, *tests, external=True, env=BOUNDARY_ENVIRONMENT)
    session.run(*test, *PARALLEL, *folders, external=True, env=BOUNDARY_ENVIRONMENT)


def installed_for(session: nox.Session, interpreter: str, name: str, *options: str) -> str:
    """Install the package in a new environment of a Python that nox does not know; return its interpreter.

    The tests' dependencies are installed, too. maturin gets the options; the wheel is kept by the name.
    """
    directory = Path(session.create_tmp()).absolute() / "venv"
    session.run(interpreter, "-m", "venv", "--clear", str(directory), external=True)
    python = str(directory / "bin/python")
    install = [python, "-W", "ignore", "-m", "pip", "install", "--quiet"]
    session.run(*install, *PROJECT["build-system"]["requires"], *dependencies("test"), external=True)
    out = WHEELS / name
    shutil.rmtree(out, ignore_errors=True)
    build = [str(directory / "bin/maturin"), "build", "--out", str(out), "-i", python, *options]
    with session.chdir(SOURCES):
        session.run(*build, external=True, env=ENVIRONMENT)
    session.run(*install, *map(str, out.glob("*.whl")), external=True)
    return python


def build_free_threaded(session: nox.Session) -> str:
    """Return the executable of a free-threaded CPython, built if need be; skip where that cannot be done."""
    command = [sys.executable, "tests/tools/free_threaded.py", "target"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == UNAVAILABLE:
        session.skip(done.stderr.strip())
    if done.returncode:
        session.error(done.stderr.strip())
    return done.stdout.strip()


@nox.session
@in_root
def compat(session: nox.Session) -> None:
    """Run the tests of chardet, charset-normalizer and ftfy, from PyPI, with leadbyte.compat."""
    session.install("--force-reinstall", wheel(session))
    session.install("pytest>=9", "wcwidth")  # which ftfy imports
    folder = Path("tests/compat").absolute()
    peers = Path(session.create_tmp()).absolute() / "peers"
    shutil.rmtree(peers, ignore_errors=True)
    download = ["python", "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    session.run(*download, "--requirement", str(folder / "requirements.txt"), "--dest", str(peers))
    for archive in sorted(peers.glob("*.tar.gz")):
        shutil.unpack_archive(archive, peers, filter="data")
        root = archive.with_name(archive.name.removesuffix(".tar.gz"))
        test = [
            "pytest",
            "-q",
            "-p",
            "redirect",
            "-c",
            os.devnull,
            "--rootdir",
            str(root),
            str(root / "tests"),
        ]
        paths = os.pathsep.join(map(str, [root / "src", root, folder]))
        session.run(*test, *session.posargs, env={"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"})


@nox.session(python=FOUND)
@in_root
def peers(session: nox.Session) -> None:
    """Run CPython's own tests of codecs, str and io with leadbyte's codec; ``-- TEST`` chooses some."""
    session.install("--force-reinstall", wheel(session))
    # In another folder: the tests write files.
    script = Path("tests/peers/cpython.py").absolute()
    session.chdir(session.create_tmp())
    session.run("python", str(script), *session.posargs)


@nox.session
@in_root
def conformance(session: nox.Session) -> None:
    """Compare the installed programs with conformance/results.json; ``-- --record`` updates it."""
    session.install("--prefer-binary", *dependencies("conformance"))
    session.run("python", "conformance/run.py", *session.posargs)


@nox.session
@in_root
def engines(session: nox.Session) -> None:
    """Test columns in Polars, DuckDB, Spark and pandas, newest and oldest; Spark needs Java 17."""
    session.install("--force-reinstall", wheel(session))
    folder = "tests/python/columns"
    # Pages have the messages of the newest.
    oldest = [folder, f"--ignore={folder}/test_column_pages.py", "tests/python/cli/test_cli_quarantine.py"]
    tables = ("tables", "quarantine", "repair")
    oldest += [f"tests/python/dataset/test_dataset_{name}.py" for name in tables]
    for group, tests in (("engines", [folder]), ("oldest-engines", oldest)):
        session.install("--prefer-binary", *dependencies(group))
        session.run("pytest", "-q", *tests, *session.posargs, env=BOUNDARY_ENVIRONMENT)


@nox.session
@in_root
def clusters(session: nox.Session) -> None:
    """Scan gigabytes with Dask, Ray and Spark, also while workers are killed; needs Java 17, 8 GB of disk."""
    session.install("--force-reinstall", wheel(session))
    session.install("--prefer-binary", *dependencies("clusters"))
    # Workers import modules of the tests.
    support = {"PYTHONPATH": str(Path("tests/python/support").absolute())}
    session.run("pytest", "-q", "tests/python/dataset", "tests/clusters", *session.posargs, env=support)


@nox.session
@in_root
def lake(session: nox.Session) -> None:
    """Check and repair tables of Delta and Iceberg."""
    session.install("--force-reinstall", wheel(session))
    session.install("--prefer-binary", *dependencies("lake"))
    tests = ["tests/python/dataset/test_lake.py", "tests/python/dataset/test_dataset_pages.py"]
    session.run("pytest", "-q", *tests, *session.posargs, env=BOUNDARY_ENVIRONMENT)


@nox.session
@in_root
def emulated(session: nox.Session) -> None:
    """Test on emulated CPUs; ``-- --in-full`` leaves less out, and ``-- --record`` records the results."""
    session.install("--force-reinstall", wheel(session))
    features = FEATURES[-1]
    session.run("python", "tests/tools/emulated.py", features, *session.posargs, env=ENVIRONMENT)


@nox.session
@in_root
def foreign(session: nox.Session) -> None:
    """Test the package in Debian's Python for i386, armhf and s390x, under QEMU: ``-- ARCHITECTURE`` for one.

    It has debug assertions. Needs Debian on x86-64, root, and rustup for the targets.
    """
    chosen = session.posargs or list(FOREIGN)
    if not succeeds("dpkg", "--version") or not succeeds("rustup", "--version"):
        session.skip("this is not Debian, or its Rust is not rustup's")
    session.install(*dependencies("release"))
    version = str(session.run("/usr/bin/python3", "--version", external=True, silent=True)).split()[1]
    python = "python" + version.rpartition(".")[0]
    for architecture in chosen:
        target = FOREIGN[architecture]
        session.run("rustup", "target", "add", target, external=True)
        out = WHEELS / architecture
        shutil.rmtree(out, ignore_errors=True)
        build = ["maturin", "build", "--profile", "checked", "--zig", "--target", target, "--out", str(out)]
        session.run(*build, "--interpreter", python, env=ENVIRONMENT)
        wheel = str(next(out.glob("*.whl")))
        session.run("python", "tests/tools/foreign.py", architecture, wheel)


@nox.session(python=False)
@in_root
def debug(session: nox.Session) -> None:
    """Test with the debug assertions of Rust and of a debug build of CPython; needs Debian and root."""
    provide(session, ["python3-dbg"], "python3-dbg", "python3-dev", "python3-venv")
    features = ["--features", "panic-injection,pyo3/extension-module"]
    python = installed_for(session, "python3-dbg", "debug", "--profile", "checked", *features)
    # A debug build of CPython looks handlers up even if there is no error, and its UnicodeEncodeError.__str__
    # aborts if a handler has set the object to another type.
    left_out = ["-k", "not unknown"]
    left_out += ["--deselect", "tests/python/core/test_encode.py::test_attribute_that_a_handler_sets[object"]
    suite = [
        "tests/tools/suite.py",
        "--implementations",
        "best",
        "--no-once",
        "--clock=never",
        "--no-command",
    ]
    session.run(python, *suite, *left_out, *session.posargs, external=True, env=BOUNDARY_ENVIRONMENT)


@nox.session(python=False)
@in_root
def instructions(session: nox.Session) -> None:
    """Compare the number of instructions of each kernel with a record; ``-- --record`` updates it."""
    session.run("python", "tests/tools/count_instructions.py", *session.posargs, env=ENVIRONMENT)


@nox.session(python=False)
@in_root
def sanitized(session: nox.Session) -> None:
    """Test the crate under AddressSanitizer, which detects accesses outside of allocated memory."""
    env = {
        **ENVIRONMENT,
        **BOUNDARY_ENVIRONMENT,
        "RUSTC_BOOTSTRAP": "1",  # the option is not stable
        "RUSTFLAGS": "-Zsanitizer=address",
        "ASAN_OPTIONS": "allocator_may_return_null=1",  # as tests of failing allocations require
        # The same tests run with these elsewhere; without them, a fifth less is compiled.
        "CARGO_PROFILE_TEST_DEBUG_ASSERTIONS": "false",
        "CARGO_PROFILE_TEST_OVERFLOW_CHECKS": "false",
    }
    # With --target, RUSTFLAGS do not apply to build scripts and macros.
    test = ["cargo", "test", *FEATURES, "--lib", "--target", host(session)]
    # The module guard puts pages that cannot be accessed around data, so it needs no sanitizer; classes
    # compares tables in the sources with other crates. The others do more of what the rest does.
    modules = ("classes", "exhaustive", "fold", "guard", "tiers")
    skipped = [option for module in modules for option in ("--skip", f"suite::{module}::")]
    session.run(*test, *session.posargs, "--", *skipped, env=env)


@nox.session(python=False)
@in_root
def threads(session: nox.Session) -> None:
    """Test what uses threads under ThreadSanitizer, which detects data races; needs rust-src of rustup."""
    sources = str(session.run("rustc", "--print", "sysroot", external=True, silent=True)).strip()
    if not Path(sources, "lib/rustlib/src").exists():
        session.skip("the component rust-src is not installed")
    env = {
        **ENVIRONMENT,
        **BOUNDARY_ENVIRONMENT,
        "RUSTC_BOOTSTRAP": "1",  # the options are not stable
        "RUSTFLAGS": "-Zsanitizer=thread",
        "TSAN_OPTIONS": "halt_on_error=1",
        "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
    }
    # The standard library must have the sanitizer, too.
    test = ["cargo", "test", "-Zbuild-std", *FEATURES, "--target", host(session)]
    session.run(*test, "--lib", "--", "threads", "columns", "mutation", env=env)


@nox.session
@in_root
def sanitized_package(session: nox.Session) -> None:
    """Test the extension module under AddressSanitizer; needs GCC, which has its runtime as a library."""
    found = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False
    )
    runtime = found.stdout.strip()
    if not Path(runtime).is_absolute():
        session.skip("GCC or its libasan is not installed")
    import resource

    # A test recurses as deeply as CPython allows, in frames that take several times as much here.
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 20, hard))
    session.env["RUSTC_BOOTSTRAP"] = "1"  # the option is not stable
    built = wheel(session, "--target", host(session), profile="checked", rustflags="-Zsanitizer=address")
    session.install("--force-reinstall", built)
    session.install("--prefer-binary", *dependencies("test"))
    env = {
        **BOUNDARY_ENVIRONMENT,
        "LD_PRELOAD": runtime,
        "PYTHONMALLOC": "malloc",  # so that each object is a block of its own
        # CPython frees little at its end; tests of failing allocations get NULL.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    }
    folders = [f"tests/python/{folder}" for folder in ("core", "text", "transcode")]
    session.run("python", "-m", "pytest", "-q", "-m", "not clock", *(session.posargs or folders), env=env)


@nox.session(python=False)
@in_root
def miri(session: nox.Session) -> None:
    """Run some tests of the crate under Miri, on each instruction set; needs nightly Rust."""
    if not succeeds("cargo", "+nightly", "miri", "--version"):
        session.skip("the component miri of the toolchain nightly is not installed")
    features = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2"
    env = {
        "CARGO_TARGET_DIR": str(Path("target/miri").absolute()),
        "MIRIFLAGS": "-Zmiri-disable-isolation",  # the tests read files
    }
    if platform.machine().lower() in {"x86_64", "amd64"}:
        env["RUSTFLAGS"] = "-C target-feature=" + ",".join(f"+{name}" for name in features.split(","))
    # Of the suite, which would take days, the inputs that are read from files.
    for chosen in (["--lib", "--test", "cpu", "--", "--skip", "suite::"], ["--lib", "--", "suite::corpus::"]):
        session.run("cargo", "+nightly", "miri", "test", *FEATURES, *chosen, "--show-output", env=env)


@nox.session
@in_root
def fuzz(session: nox.Session) -> None:
    """Run each fuzz target, ``-- --seconds 600 TARGET ...``; those in Python need atheris."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("targets", nargs="*")
    arguments = parser.parse_args(session.posargs)
    corpora = Path("fuzz/corpus")
    chosen = arguments.targets or sorted(path.name for path in corpora.iterdir())
    inputs = Path("target/fuzz").absolute()  # new inputs; those in fuzz/corpus are a selection
    options = [
        f"-max_total_time={arguments.seconds}",
        "-max_len=512",
        "-len_control=0",
        "-timeout=60",
        "-print_final_stats=1",
    ]

    def run(target: str, program: list[str], env: dict[str, str]) -> None:
        (inputs / target).mkdir(parents=True, exist_ok=True)
        prefix = f"-artifact_prefix={inputs / target}-"
        folders = [str(inputs / target), str(corpora / target)]
        session.run(*program, *options, prefix, *folders, env=env, external=True)

    in_rust = [target for target in chosen if target not in PYTHON_TARGETS]
    if in_rust:
        # With --target, RUSTFLAGS do not apply to build scripts and macros.
        build = ["cargo", "build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]
        build += ["--target", host(session), "--target-dir", "target/fuzz-build"]
        # The options are not stable.
        session.run(*build, env={"RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": FUZZED}, external=True)
    program = [str(Path("target/fuzz-build").absolute() / host(session) / "release" / "targets")]
    for target in in_rust:
        run(target, program, {"TARGET": target, "ASAN_OPTIONS": "allocator_may_return_null=1"})
    if not PYTHON_TARGETS & set(chosen):
        return
    try:
        session.install("atheris", "hypothesis")
    except CommandFailed:
        session.warn("no Python targets: atheris cannot be installed for this Python")
        return
    session.install(wheel(session, "--target", host(session), rustflags=COVERAGE))
    for target in sorted(PYTHON_TARGETS & set(chosen)):
        run(target, ["python", "fuzz/python/run.py", target], {})
