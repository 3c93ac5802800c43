"""Tasks of a release, as sessions of nox: ``nox -f packaging/noxfile.py -l`` lists them."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import nox

sys.path.insert(0, str(Path(__file__).parent))
from tasks import (
    ENVIRONMENT,
    FOUND,
    ROOT,
    VERSIONS,
    WHEELS,
    dependencies,
    host,
    in_root,
    run_crate,
    run_suite,
    succeeds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Environment: TypeAlias = dict[str, str] | None

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False

WORKSPACE = nox.project.load_toml(ROOT / "Cargo.toml")["workspace"]["package"]
OLDEST_RUST = WORKSPACE["rust-version"]
VERSION = WORKSPACE["version"]
# The files to publish.
DIST = Path("dist")
CHANGELOG = Path("CHANGELOG.md")
OUT = Path("target/wheels-to-publish")
CRATE = Path(ENVIRONMENT["CARGO_TARGET_DIR"], f"package/leadbyte-{VERSION}.crate")
DESCRIPTION = Path("target/description.html")


@dataclass(frozen=True)
class Linux:
    """A Linux platform: its name in Docker, an image with all Python versions, and whether it is emulated."""

    platform: str
    image: str
    emulated: bool


def linuxes() -> Iterator[tuple[str, Linux]]:
    """Yield each Rust target for which Linux wheels are built."""
    for cpu, arch, docker, emulated in [
        ("x86_64", "x86_64", "linux/amd64", False),
        ("i686", "i686", "linux/386", False),
        ("aarch64", "aarch64", "linux/arm64", False),
        ("armv7", "armv7l", "linux/arm/v7", True),
        ("powerpc64le", "ppc64le", "linux/ppc64le", True),
        ("s390x", "s390x", "linux/s390x", True),
    ]:
        abi = "eabihf" if cpu == "armv7" else ""
        # PyPA has no older image for this CPU.
        manylinux = "manylinux_2_31" if cpu == "armv7" else "manylinux2014"
        yield f"{cpu}-unknown-linux-gnu{abi}", Linux(docker, f"quay.io/pypa/{manylinux}_{arch}", emulated)
        yield (
            f"{cpu}-unknown-linux-musl{abi}",
            Linux(docker, f"quay.io/pypa/musllinux_1_2_{arch}", emulated),
        )


LINUXES = dict(linuxes())
# Targets without a prebuilt standard library: it is built from source, by unstable options.
WITHOUT_STANDARD_LIBRARY = {"s390x-unknown-linux-musl"}


@nox.session(python=FOUND)
@in_root
def wheels(session: nox.Session) -> None:
    """Build the wheel to publish for each installed Python, audit it, and inspect its inner loops."""
    session.install(*dependencies("release"))
    build_wheels(session, [str(session.python)])


@nox.session(python=FOUND)
@in_root
def installed(session: nox.Session) -> None:
    """Test the wheel in dist/ for this Python, installed without the source tree."""
    install_wheel(session)
    implementations = "all" if session.python == FOUND[0] else "best"
    run_suite(session, "--implementations", implementations, installed=True)


@nox.session
@in_root
def release(session: nox.Session) -> None:
    """Rehearse a release with all that can be built here, and print the sizes; then try each wheel.

    Nothing is published. The source distribution and the crate are tried in this session; the session
    ``smoke`` of each installed Python follows. cargo gets the options: ``-- --allow-dirty``.
    """
    heading = rf"^## {re.escape(VERSION)} - (unreleased|\d{{4}}-\d\d-\d\d)$"
    if not re.search(heading, CHANGELOG.read_text("utf-8"), re.MULTILINE):
        session.error(f"{CHANGELOG} has no section for {VERSION}")
    session.install(*dependencies("release"), *dependencies("description"))
    shutil.rmtree(DIST, ignore_errors=True)
    build_wheels(session, FOUND)
    archive = install_sdist(session)
    try_installed(session)
    try_crate(session)
    built = sorted(DIST.glob("*.whl"))
    session.run("python", "packaging/describe.py", str(built[0]), str(DESCRIPTION))
    session.run("python", "packaging/sizes.py", *map(str, [*built, archive, CRATE]))
    for version in FOUND:
        session.notify(f"smoke-{version}")


@nox.session(python=FOUND)
@in_root
def smoke(session: nox.Session) -> None:
    """Try the wheel in dist/ for this Python, in an environment with nothing else."""
    install_wheel(session)
    try_installed(session)


@nox.session
@in_root
def crossed(session: nox.Session) -> None:
    """Build, audit and test wheels for any Linux: ``-- TARGET [VERSION...]``; needs rustup and Docker.

    The tests run in PyPA's image for the target, which has all Python versions, under QEMU for other CPUs.
    """
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
    nox_in_image = "python3.13 -m nox -f packaging/noxfile.py --envdir /tmp/nox"
    tests = f"python3.13 -m pip install nox && {nox_in_image} --session {names}"
    session.run(*run, linux.image, "sh", "-c", tests, external=True)


@nox.session
@in_root
def reproducible(session: nox.Session) -> None:
    """Build the wheel to publish twice, from and in other folders, and compare both bit by bit.

    The folders of cargo and of temporary files, the time zone, the language and the number of crates that are
    compiled at once differ, too.
    """
    session.install(*dependencies("release"))
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = str(session.run(*listed, external=True, silent=True)).split("\0")
    # Not below the folder of the session, which has a name that both would have.
    with tempfile.TemporaryDirectory(prefix="leadbyte-") as temporary:
        roots = [Path(temporary, name, "leadbyte") for name in ("first", "another-folder")]
        for file in filter(os.path.isfile, files):
            for root in roots:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, root / file)
        # The same crates, by another path.
        home = Path(temporary, "home-of-cargo")
        home.symlink_to(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
        (roots[1] / "temporary").mkdir()
        others = {"CARGO_HOME": str(home), "CARGO_BUILD_JOBS": "1", "TMPDIR": str(roots[1] / "temporary")}
        others |= {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}
        wheels = []
        for root, env in zip(roots, [{}, others], strict=True):
            env |= {"CARGO_TARGET_DIR": str(root / "target")}
            wheels += compile_wheels(session, [FOUND[0]], root=root, env=env)
        session.run("python", "packaging/compare.py", *map(str, wheels))


@nox.session(name="supply-chain")
@in_root
def supply_chain(session: nox.Session) -> None:
    """Check the crates by the rules of deny.toml, and the software bill of materials.

    ``-- --advisories`` also looks for known defects of the crates, in a database that cargo-deny downloads.
    """
    session.install("cyclonedx-python-lib[json-validation]>=11")
    if not succeeds("cargo", "deny", "--version"):
        session.run("cargo", "install", "--locked", "cargo-deny", external=True)
    checks = ["bans", "licenses", "sources", *(["advisories"] if "--advisories" in session.posargs else [])]
    session.run("cargo", "deny", "--workspace", "--locked", "check", *checks, external=True)
    session.run("python", "packaging/sbom.py", "--check", "--validate")


@nox.session(python=FOUND)
@in_root
def sdist(session: nox.Session) -> None:
    """Build the source distribution, and a wheel from it as pip does without a network; try the wheel.

    With LEADBYTE_WHEEL, its path in target/wheels-for-tests, other sessions test it.
    """
    session.install(*dependencies("sdist"))
    install_sdist(session)
    try_installed(session)


@nox.session
@in_root
def workflows(session: nox.Session) -> None:
    """Lint the workflows of this project and those in examples/: syntax, scripts and security."""
    session.install(*dependencies("workflows"))
    examples = [str(path) for path in sorted(Path("examples/github").glob("*.yml"))]
    session.run("actionlint")
    session.run("actionlint", *examples)
    session.run("zizmor", "--offline", "--persona", "pedantic", ".", *examples)


@nox.session(python=False)
@in_root
def oldest(session: nox.Session) -> None:
    """Test the crate and check the extension module with the oldest supported Rust; needs rustup."""
    session.run("rustup", "toolchain", "install", "--profile", "minimal", OLDEST_RUST)
    cargo = ["cargo", f"+{OLDEST_RUST}"]
    session.run(*cargo, "check", "--package", "leadbyte-module")
    run_crate(session, cargo=tuple(cargo))


@nox.session
@in_root
def hooks(session: nox.Session) -> None:
    """Test the pre-commit hooks of the checked-out commit in a temporary repository."""
    session.install("pre-commit>=4.7")
    cache = str(Path(session.create_tmp()).absolute())
    env = {**ENVIRONMENT, "PRE_COMMIT_HOME": cache}
    session.run("python", "tests/tools/try_hooks.py", env=env)


def build_wheels(session: nox.Session, versions: list[str], *, target: str = "") -> None:
    """Build and audit the wheels to publish, for Pythons of another Linux or of this machine.

    Of the last for this machine the inner loops are inspected.
    """
    built = compile_wheels(session, versions, target=target)
    audit(session, *built)
    if not target:
        directory = Path(ENVIRONMENT["CARGO_TARGET_DIR"], host(session), "dist/deps")
        assembly = max(directory.glob("*leadbyte*.s"), key=lambda path: path.stat().st_mtime)
        session.run("python", "tests/tools/inspect_loops.py", str(assembly))
    DIST.mkdir(exist_ok=True)
    for path in built:
        shutil.copy(path, DIST)


def compile_wheels(
    session: nox.Session, versions: list[str], *, target: str = "", root: Path = ROOT, env: Environment = None
) -> list[Path]:
    """Build the wheels to publish from the sources in ``root``, and return their paths."""
    out = root / OUT
    shutil.rmtree(out, ignore_errors=True)
    build = ["maturin", "build", "--profile", "dist", "--locked", "--compression-level", "9"]
    build += ["--out", str(out)]
    if target or platform.system() == "Linux":
        # Zig links against the symbols of an old C library, which need not be installed.
        build += ["--zig", "--compatibility", "musllinux_1_2" if "musl" in target else "manylinux2014"]
    if target:
        build += ["--target", target, "--interpreter", *(f"python{version}" for version in versions)]
    else:
        own = str(session.python or FOUND[0])
        pythons = ("python" if version == own else f"python{version}" for version in versions)
        build += ["--interpreter", *pythons]
    env = {**ENVIRONMENT, "CARGO_PROFILE_DIST_DEBUG": "line-tables-only", **(env or {})}
    # The assembly is for tests/tools/inspect_loops.py, which needs names and lines of all crates.
    flags = [*unwinder(session, target or host(session)), "-C symbol-mangling-version=v0"]
    flags += remapping(session, root, env)
    env["RUSTFLAGS"] = " ".join(flags)
    if target in WITHOUT_STANDARD_LIBRARY:
        build += ["-Z", "build-std"]
        env["RUSTC_BOOTSTRAP"] = "1"
    with session.chdir(root):
        session.run(*build, "--", "--emit", "asm", env=env)
    built = sorted(out.glob("*.whl"))
    if len(built) != len(versions):
        session.error(f"{len(built)} wheels built for {len(versions)} Pythons")
    return built


def remapping(session: nox.Session, root: Path, env: dict[str, str]) -> list[str]:
    """Return the compiler options that keep folders of this machine out of the machine code."""
    sysroot = str(session.run("rustc", "--print", "sysroot", external=True, silent=True)).strip()
    described = str(session.run("rustc", "--version", "--verbose", external=True, silent=True))
    commit = described.partition("commit-hash: ")[2].partition("\n")[0].strip()
    home = env.get("CARGO_HOME") or os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    folders = {home: "/cargo", str(root): "/leadbyte"}
    # The name that the compiler gives this folder where the component rust-src is not installed.
    folders[str(Path(sysroot, "lib/rustlib/src/rust"))] = f"/rustc/{commit}"
    return [f"--remap-path-prefix={folder}={name}" for folder, name in folders.items()]


def install_sdist(session: nox.Session) -> Path:
    """Build, audit and return the source distribution; install a wheel that is built without a network."""
    shutil.rmtree(DIST / "sdist", ignore_errors=True)
    session.run("maturin", "sdist", "--out", str(DIST / "sdist"))
    archive = next((DIST / "sdist").glob("*.tar.gz"))
    audit(session, archive)
    folder = Path(session.create_tmp()).absolute() / "offline"
    # The tests need temporary files elsewhere: nox has the command ignore its own folder.
    session.env.pop("TMPDIR", None)
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    sources = next(folder.iterdir())
    # Without --locked: the benchmarks are not in the archive, so cargo removes their dependencies from the
    # lock file.
    vendor = ["cargo", "vendor", "--manifest-path", str(sources / "Cargo.toml")]
    settings = str(session.run(*vendor, str(folder / "vendor"), external=True, silent=True, stderr=None))
    (folder / ".cargo").mkdir()
    (folder / ".cargo/config.toml").write_text(settings)
    env = {
        "CARGO_HOME": str(folder / "home"),  # without cached crates
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": ENVIRONMENT["CARGO_TARGET_DIR"],
    }
    out = WHEELS / str(session.python or "default")
    shutil.rmtree(out, ignore_errors=True)
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(out)]
    session.run("python", "-m", "pip", "wheel", *offline, str(sources), env=env)
    session.install("--no-index", "--no-deps", "--force-reinstall", str(next(out.glob("*.whl"))))
    return archive


def install_wheel(session: nox.Session) -> None:
    """Install the wheel in dist/ for the Python of the session."""
    session.install("--no-index", "--find-links", str(DIST), "--force-reinstall", "leadbyte")


def try_installed(session: nox.Session) -> None:
    """Try the installed package, without the source tree."""
    session.run("python", "-I", "packaging/try_installed.py", VERSION)


def try_crate(session: nox.Session) -> None:
    """Build the package of the crate, and run README's example in a project that depends on it."""
    features = ["--features", "detect,unicode"]
    # The first keeps the package, the second compiles it.
    for command in (["package", "--no-verify"], ["publish", "--dry-run", *features]):
        session.run("cargo", *command, "--locked", *session.posargs, external=True, env=ENVIRONMENT)
    folder = Path(session.create_tmp()).absolute() / "crate"
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(CRATE) as opened:
        opened.extractall(folder, filter="data")
    package = folder / CRATE.stem
    example = re.search(r"```rust\n(.*?)```", (package / "README.md").read_text("utf-8"), re.DOTALL)
    if not example:
        session.error("README.md has no example in Rust")
    # A workspace of its own, although it is a folder of this one.
    manifest = folder / "Cargo.toml"
    manifest.write_text('[package]\nname = "example"\nedition = "2024"\n[workspace]\n', "utf-8")
    (folder / "src").mkdir()
    (folder / "src/main.rs").write_text(f"fn main() {{{example[1]}}}", "utf-8")
    options = ["--quiet", "--manifest-path", str(manifest)]
    session.run("cargo", "add", *options, "--path", str(package), *features, external=True)
    session.run("cargo", "run", *options, external=True, env=ENVIRONMENT)


def unwinder(session: nox.Session, target: str) -> list[str]:
    """Return the linker option for the unwinder of libgcc, which the C library of Linux uses."""
    cpu, _, abi = target.partition("-unknown-linux-gnu")
    if cpu == target:
        return []
    library = Path("target/unwinder", target, "libgcc_s.so.1").absolute()
    library.parent.mkdir(parents=True, exist_ok=True)
    zig_cpu = {"armv7": "arm", "i686": "x86"}.get(cpu, cpu)
    compiler = ["python", "-m", "ziglang", "cc", "-target", f"{zig_cpu}-linux-gnu{abi}"]
    options = ["-shared", "-nostdlib", f"-Wl,-soname,{library.name}", "-o", str(library)]
    session.run(*compiler, *options, "packaging/libgcc_s.c")
    return [f"-C link-arg={library}"]


def audit(session: nox.Session, *paths: Path) -> None:
    """Check the files to publish: their description, size, contents and dependencies."""
    session.run("twine", "check", "--strict", *map(str, paths))
    session.run("python", "tests/tools/audit.py", *map(str, paths))
