"""Functions and constants shared by the noxfiles: the installed Python versions, and the wheel for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import nox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
# A "t" is the free-threaded build; PyO3 supports none before 3.14.
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.14t", "3.15", "3.15t"]
# All wheels are built in one directory, so that only crates that depend on the Python are compiled for each.
ENVIRONMENT = {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))}
SOURCES = Path(os.environ.get("LEADBYTE_SOURCES", ROOT))
WHEELS = ROOT / "target/wheels-for-tests"
# The environment for tests of sequences of boundary bytes, instead of all sequences of bytes.
BOUNDARY_ENVIRONMENT = {"LEADBYTE_TESTS": "boundary"}
# The bindings are compiled for each Python, without optimisation in a fifth of the time. How they call Python
# does not depend on it, and most loops over text are in the crate, which is compiled once, optimised.
UNOPTIMISED_BINDINGS = ["--config", "profile.release.package.leadbyte-python.opt-level=0"]
# The features of the crate that the package uses.
FEATURES = ["--features", "bindings"]

# pip would compile all modules that it installs, most of which no test imports; Python compiles the others.
# Of options that switch something off, pip takes a value that is false for a yes.
os.environ.setdefault("PIP_NO_COMPILE", "0")

if shutil.which("pyenv"):
    # The shims of pyenv find only the versions in PYENV_VERSION.
    listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True, check=True)
    own = ".".join(map(str, sys.version_info[:3]))
    others = [version for version in listed.stdout.split() if version != own]
    os.environ["PYENV_VERSION"] = ":".join([own, *others] if own in listed.stdout.split() else others)


def found_pythons() -> Iterator[str]:
    """Yield the installed versions of Python, the running one first."""
    own = sysconfig.get_python_version() + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
    for version in sorted(VERSIONS, key=lambda version: version != own):
        # On Windows the name of the executable has no version.
        python = sys.executable if version == own else shutil.which(f"python{version}")
        if python and subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            yield version


FOUND = list(found_pythons())


def in_root(work: Callable[..., None]) -> Callable[..., None]:
    """Return the session, run in the root of the project instead of the folder of its noxfile."""

    @wraps(work)
    def session_in_root(session: nox.Session) -> None:
        session.chdir(ROOT)
        work(session)

    return session_in_root


def dependencies(group: str) -> list[str]:
    """Return the requirements of a dependency group."""
    return list(nox.project.dependency_groups(PROJECT, group))


def wheel(session: nox.Session, *options: str, profile: str = "release", rustflags: str = "") -> str:
    """Build the wheel for the session's Python and return its path.

    LEADBYTE_WHEEL is the path of a wheel that is already built, for the Python that runs nox.
    LEADBYTE_SOURCES is the folder of an unpacked source distribution, to build from that.
    For other Pythons the bindings of the profile ``release`` are not optimised.
    """
    built = os.environ.get("LEADBYTE_WHEEL")
    is_other = session.python not in {None, FOUND[0]}
    if built and not options and not is_other:
        return built
    if is_other and profile == "release":
        options = (*options, *UNOPTIMISED_BINDINGS)
    session.install(*PROJECT["build-system"]["requires"])
    out = WHEELS / str(session.python or "default")
    shutil.rmtree(out, ignore_errors=True)
    build = ["maturin", "build", "--profile", profile, "--out", str(out), "-i", "python", *options]
    with session.chdir(SOURCES):
        session.run(*build, env={**ENVIRONMENT, "RUSTFLAGS": rustflags} if rustflags else ENVIRONMENT)
    return str(next(out.glob("*.whl")))


def run_suite(session: nox.Session, *options: str, installed: bool = False, reduced: bool = True) -> None:
    """Run the tests of the package, which is built and installed first unless it is ``installed``."""
    if not installed:
        session.install("--force-reinstall", wheel(session))
    session.install("--prefer-binary", *dependencies("test"))
    script = "import leadbyte; print(leadbyte.__file__)"
    origin = Path(str(session.run("python", "-c", script, silent=True)).strip()).resolve()
    if Path(session.virtualenv.location).resolve() not in origin.parents:
        session.error(f"{origin} would be tested, not the installed package")
    session.run("python", "tests/tools/suite.py", *options, env=BOUNDARY_ENVIRONMENT if reduced else {})


def run_crate(
    session: nox.Session, *options: str, cargo: tuple[str, ...] = ("cargo",), reduced: bool = True
) -> None:
    """Test the crate, then what calls it from outside, for which it is compiled without optimisation."""
    env = BOUNDARY_ENVIRONMENT if reduced else {}
    test = [*cargo, "test", *FEATURES]
    session.run(*test, "--lib", *options, external=True, env=env)
    for outside in (["--examples", "--test", "cpu"], ["--doc"]):
        session.run(
            *test, *outside, *options, external=True, env={**env, "CARGO_PROFILE_TEST_OPT_LEVEL": "0"}
        )


def host(session: nox.Session) -> str:
    """Return the Rust target of this machine."""
    return str(session.run("rustc", "--print", "host-tuple", external=True, silent=True)).strip()


def provide(session: nox.Session, alternatives: list[str], *packages: str) -> None:
    """Install packages of Debian if none of the alternatives, programs or paths, is there.

    Skip the session where that cannot be done.
    """
    if any(shutil.which(name) or Path(name).exists() for name in alternatives):
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        session.skip(f"{' or '.join(alternatives)} is not installed, and cannot be installed here")
    session.run("apt-get", "update", "--quiet", external=True, silent=True)
    install = ["apt-get", "install", "--yes", "--no-install-recommends"]
    session.run(*install, *packages, external=True, silent=True)


def succeeds(*command: str) -> bool:
    """Return whether a command can be run and succeeds."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
