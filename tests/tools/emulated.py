#!/usr/bin/env python3
"""Test the crate on CPUs that this machine lacks or hides, under QEMU; needs Debian on x86-64.

    python tests/tools/emulated.py FEATURES [--in-full] [--record]

FEATURES are the crate's, as for all other tests, so that nothing is compiled again for this.
On x86-64 also the package is tried, if it is installed for the Python that runs this.

Missing packages are installed, which needs root. The crate is built by the Rust in use, if that has the
target's standard library (``rustup target add TARGET``). Else Debian's Rust builds it for aarch64, and its
standard library comes from Debian's archive. That has none for s390x, whose bytes are in the other order,
which is then left out. Long tests are reduced, and say how. ``--in-full`` runs also those that are left out
here, as ci.yml does. ``--record`` keeps the output in ``tests/record/``.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORDS = Path(__file__).parents[1] / "record"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
LINKERS = {
    "aarch64": ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    "s390x": ["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
}
RUST_OF_DEBIAN = ["rustc-web", "cargo-web"]
TESTS = ("--lib", "--")


def without(*left_out: str) -> tuple[str, ...]:
    """Return the options that select all tests but some, by parts of their names."""
    return (*TESTS, *(option for name in left_out for option in ("--skip", name)))


# Without what takes long under emulation, which the job ``rust`` of ci.yml runs on ARM itself.
TABLES_AND_STATES = ("edited_offsets::", "fold::", "sequence::")
PLACES = (
    "audit::characters_and",
    "edges::",
    "encode::surrogates_at",
    "exhaustive::",
    "guard::",
    "tiers::",
    "variants::errors_at",
)
KERNELS = (*without(*TABLES_AND_STATES, *PLACES, "offsets::random_texts"), "suite::")
# Without the modules that take long and do not depend on the order of bytes in memory.
BYTE_ORDER = without("classes::", "edited_offsets::", "guard::", "tiers::", "unicode::")
# What runs every kernel in a few seconds; where the CPU has the instruction set, all tests run natively.
SMOKE = (*TESTS, "corpora", "conformance")
# Which instruction set is active: all that is tested where another model has the same one.
DETECTION = ("--test", "cpu", "--")
# It calls the crate from outside, for which that need not be optimised, as in ``nox -s rust``.
UNOPTIMISED = {"CARGO_PROFILE_TEST_OPT_LEVEL": "0"}
# What runs as well on the machine itself with these checks is compiled and emulated sooner without them.
UNCHECKED = {"CARGO_PROFILE_TEST_DEBUG_ASSERTIONS": "false", "CARGO_PROFILE_TEST_OVERFLOW_CHECKS": "false"}
STANDARD_LIBRARY = "libstd-rust-web-dev:arm64"


@dataclass(frozen=True)
class Cpu:
    """A CPU that QEMU knows, the instruction set that must be active on it, and the other tests there."""

    architecture: str
    model: str
    active: str
    tests: tuple[str, ...] = SMOKE
    in_full: tuple[str, ...] = SMOKE
    features: str | None = None
    """The features of the crate where not all is tested in full: none is for kernels only; None for all."""


CPUS = [
    Cpu("x86_64", "Penryn", "scalar", ()),  # SSE4.1
    Cpu("x86_64", "qemu64", "scalar"),  # SSE3
    Cpu("x86_64", "Nehalem", "sse42"),
    Cpu("x86_64", "SandyBridge", "sse42", ()),  # AVX
    Cpu("x86_64", "EPYC", "avx2", ()),
    Cpu("x86_64", "Haswell", "avx2"),
    Cpu("aarch64", "cortex-a53", "neon", KERNELS, TESTS, features=""),  # in half of the time of all
    Cpu("s390x", "max", "scalar", BYTE_ORDER, BYTE_ORDER),  # big-endian
]
# Of a model's features that QEMU does not have, none matters here.
WARNING = re.compile(r"qemu-\w+: warning: TCG doesn't support .*\n")
# What the package is tried with.
TRIAL = """
import leadbyte, platform
text = "Hello мир €😀\\n" * 1000
scan = leadbyte.scan(text.encode())
assert (scan.valid, scan.char_count, scan.newline_count) == (True, len(text), 1000)
assert not leadbyte.is_valid(text.encode()[:-2])
print(f"{leadbyte.cpu_info()['functions']['scan']} in CPython {platform.python_version()}")
"""


def output(*command: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed, and return what it prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env).stdout.strip()


def is_installed(package: str) -> bool:
    """Ask Debian."""
    return subprocess.run(["dpkg", "--status", package], capture_output=True, check=False).returncode == 0


def has_standard_library(architecture: str) -> bool:
    """Ask the Rust in use."""
    target = f"{architecture}-unknown-linux-gnu"
    return Path(output("rustc", "--print", "target-libdir", "--target", target)).exists()


def can_be_built(cpu: Cpu) -> bool:
    """Return whether there is a standard library for a CPU, or Debian has one."""
    return cpu.architecture == "aarch64" or has_standard_library(cpu.architecture)


def install(packages: Sequence[str]) -> None:
    """Install missing packages."""
    if not all(map(is_installed, packages)):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "--quiet", "--quiet", "update"], check=False)
        output("apt-get", "--yes", "--no-install-recommends", "install", *packages, env=environment)


def sysroot_of_debian() -> Path:
    """Fetch the standard library for aarch64 of Debian's Rust, and return where it is."""
    install(RUST_OF_DEBIAN)
    version = output("dpkg-query", "--show", "--showformat", "${Version}", "rustc-web")
    sysroot = TARGET / "aarch64-of-debian" / version
    if not sysroot.exists():
        # With lists of its own, for the machine itself shall not have another architecture.
        with tempfile.TemporaryDirectory() as directory:
            apt = ["apt-get", "--quiet", "--quiet"]
            for option in (
                "APT::Architectures::=amd64",
                "APT::Architectures::=arm64",
                "APT::Sandbox::User=root",
                f"Dir::State::Lists={directory}",
                f"Dir::Cache={directory}",
            ):
                apt += ["--option", option]
            subprocess.run([*apt, "update"], cwd=directory, check=False)
            subprocess.run([*apt, "download", f"{STANDARD_LIBRARY}={version}"], cwd=directory, check=True)
            unpacked = Path(directory, "unpacked")
            output("dpkg", "--extract", *Path(directory).glob("*.deb"), unpacked)
            shutil.copytree(unpacked, sysroot, symlinks=True)
    return sysroot / "usr"


def cargo_for(architecture: str, features: str = "") -> tuple[list[str], dict[str, str]]:
    """Return the command that tests for an architecture, and the environment that makes it do so."""
    environment = {**os.environ, "LEADBYTE_TESTS": "boundary", "RUST_BACKTRACE": "0"}
    environment.pop("LEADBYTE_ISA", None)
    test = ["test", "--features", features]
    if architecture == "x86_64":
        return ["cargo", *test], environment
    settings = f"CARGO_TARGET_{architecture.upper()}_UNKNOWN_LINUX_GNU"
    environment[f"{settings}_LINKER"] = f"{architecture}-linux-gnu-gcc"
    cargo = "cargo"
    flags = [] if features else ["--cfg", "kernels_only"]
    if not has_standard_library(architecture):
        sysroot = sysroot_of_debian()
        cargo = "/usr/bin/cargo"
        environment["RUSTC"] = "/usr/bin/rustc"
        environment["CARGO_TARGET_DIR"] = str(sysroot.parent.parent / "target")
        flags += ["--sysroot", str(sysroot)]
    environment[f"{settings}_RUSTFLAGS"] = " ".join(flags)
    return [cargo, *test, "--target", f"{architecture}-unknown-linux-gnu"], environment


def run_tests(
    cpu: Cpu, command: Sequence[str], tests: Sequence[str], environment: dict[str, str]
) -> tuple[bool, str]:
    """Run tests on a CPU, and return whether they passed and what they printed."""
    root = f" -L /usr/{cpu.architecture}-linux-gnu" if cpu.architecture in LINKERS else ""
    runner = f"CARGO_TARGET_{cpu.architecture.upper()}_UNKNOWN_LINUX_GNU_RUNNER"
    environment = {
        **environment,
        "LEADBYTE_EXPECTED": cpu.active,
        runner: f"qemu-{cpu.architecture}{root} -cpu {cpu.model}",
    }
    done = subprocess.run(
        [*command, *tests, "--show-output"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode == 0, WARNING.sub("", done.stdout)


def try_package(cpu: Cpu) -> tuple[bool, str]:
    """Use the package a little on a CPU, and return whether that went well and what it printed."""
    command = [f"qemu-{cpu.architecture}", "-cpu", cpu.model, sys.executable, "-c", TRIAL]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    printed = WARNING.sub("", done.stdout).strip()
    return done.returncode == 0 and printed.startswith(f"{cpu.active} in "), f"package: {printed}"


def summary(printed: str) -> Iterator[str]:
    """Yield the active instruction set, the reduced tests, and the last line of each test file."""
    active = re.search(r"^active: .*", printed, re.MULTILINE)
    yield active[0] if active else "nothing is known to be active"
    for reduced in dict.fromkeys(re.findall(r"^reduced: .*", printed, re.MULTILINE)):
        yield f"  {reduced}"
    file = ""
    for line in printed.splitlines():
        if running := re.match(r"\s+Running (?:unittests )?(\S+)", line):
            file = running[1]
        elif line.startswith("test result: ") and "ok. 0 passed" not in line:
            yield f"  {file}: {line.removeprefix('test result: ').partition('; finished')[0]}"


def versions() -> Iterator[str]:
    """Yield the versions of what the results depend on."""
    for architecture in dict.fromkeys(cpu.architecture for cpu in CPUS if can_be_built(cpu)):
        rustc = cargo_for(architecture)[1].get("RUSTC", "rustc")
        yield f"{output(rustc, '--version')} for {architecture}"
    yield output("qemu-x86_64", "--version").splitlines()[0]


def main() -> None:
    """Test on all CPUs that can be built for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("features")
    parser.add_argument("--in-full", action="store_true")
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    cpus = [cpu for cpu in CPUS if can_be_built(cpu)]
    linkers = (package for cpu in cpus for package in LINKERS.get(cpu.architecture, []))
    install(["qemu-user", *dict.fromkeys(linkers)])
    lines: list[str] = []

    def tell(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    failed = []
    for line in versions():
        tell(line)
    for cpu in CPUS:
        if cpu not in cpus:
            tell(
                f"\n{cpu.architecture} {cpu.model}: left out, no standard library of Rust for it is installed"
            )
            continue
        features = chosen.features if chosen.in_full or cpu.features is None else cpu.features
        command, environment = cargo_for(cpu.architecture, features)
        tests = cpu.in_full if chosen.in_full else cpu.tests
        if cpu.architecture != "x86_64" and not chosen.in_full:
            environment |= UNCHECKED
        passed, printed = run_tests(cpu, command, DETECTION, environment | UNOPTIMISED)
        if passed and tests:
            passed, more = run_tests(cpu, command, tests, environment)
            printed += more
        if not passed or f"active: {cpu.active};" not in printed:
            print(printed)
            failed.append(cpu)
        first, *others = summary(printed)
        tell(f"\n{cpu.architecture} {cpu.model}: {first}")
        for line in others:
            tell(line)
        if cpu.architecture == "x86_64" and importlib.util.find_spec("leadbyte"):
            passed, line = try_package(cpu)
            tell(f"  {line}")
            if not passed:
                failed.append(cpu)
    for cpu in dict.fromkeys(failed):
        print(f"{cpu.architecture} {cpu.model} failed; {cpu.active} should be active")
    if failed:
        raise SystemExit(1)
    if chosen.record:
        RECORDS.mkdir(exist_ok=True)
        record = RECORDS / f"{dt.date.today():%Y-%m-%d}-emulated.log"
        record.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
