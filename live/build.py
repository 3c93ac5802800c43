"""Build the live page in a folder: the crate as WebAssembly, and the files beside this script.

    python live/build.py FOLDER

The target wasm32-unknown-unknown comes from the Rust in use, if it has that (``rustup target add``), or is
compiled by Debian's Rust from its sources. Where neither is there, or wasm-opt, a part of binaryen, is not,
the exit code is 2, and the message names what to install; ``nox -s live`` installs it on Debian.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

LIVE = Path(__file__).parent
PROJECT = LIVE.parent
FILES = ["index.html", "style.css", "page.js", "input.js", "leadbyte.js", "symbol.js", "texts.js"]
TARGET = "wasm32-unknown-unknown"
TARGET_DIR = Path(os.environ.get("CARGO_TARGET_DIR", PROJECT / "target")).absolute()
RUST_OF_DEBIAN = {
    "/usr/bin/rustc": "rustc-web",
    "/usr/bin/cargo": "cargo-web",
    "/usr/lib/rustlib/src/rust": "rust-web-src",
}
LIMIT = 600_000  # bytes, of all files
# What the compiler uses, all in browsers since 2021.
FEATURES = [
    "bulk-memory",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
]


@dataclass
class Rust:
    """A compiler for the target."""

    cargo: str
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


class MissingTool(Exception):
    """The page cannot be built here; the message says what to install."""


def output(*command: str) -> str:
    """Return what a command prints; nothing if it cannot be run or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def rust_in_use() -> Rust | None:
    """Return the Rust in use, if it has the standard library of the target."""
    libraries = output("rustc", "--print", "target-libdir", "--target", TARGET)
    return Rust("cargo") if libraries and Path(libraries).is_dir() else None


def rust_of_debian() -> Rust:
    """Return Debian's Rust, which compiles the standard library, too."""
    if not all(Path(path).exists() for path in RUST_OF_DEBIAN):
        message = (
            f"run `rustup target add {TARGET}`, or install {', '.join(RUST_OF_DEBIAN.values())} on Debian"
        )
        raise MissingTool(message)
    environment = {"RUSTC": "/usr/bin/rustc", "CARGO_TARGET_DIR": str(TARGET_DIR / "live-debian")}
    linker = linker_of_rustup()
    if linker:
        environment["CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER"] = linker
    return Rust("/usr/bin/cargo", ["-Zbuild-std=std,panic_abort"], environment)


def linker_of_rustup() -> str:
    """Return the path of rust-lld, which comes with rustup's compilers, or of Debian's lld."""
    root = output("rustc", "--print", "sysroot")
    found = [*Path(root).glob("lib/rustlib/*/bin/rust-lld")] if root else []
    if found:
        return str(found[0])
    linker = shutil.which("wasm-ld")
    if not linker:
        message = "install lld"
        raise MissingTool(message)
    return linker


def optimizer() -> str:
    """Return the path of wasm-opt."""
    found = shutil.which("wasm-opt")
    if not found:
        message = "install binaryen"
        raise MissingTool(message)
    return found


def build_module(folder: Path) -> None:
    """Build leadbyte.wasm."""
    rust, wasm_opt = rust_in_use() or rust_of_debian(), optimizer()
    environment = {
        "CARGO_TARGET_DIR": str(TARGET_DIR),
        "RUSTC_BOOTSTRAP": "1",  # the options that begin with Z are not stable
        "RUSTFLAGS": "-Zlocation-detail=none",  # panics without the paths of this machine
        **rust.environment,
    }
    build = [
        rust.cargo,
        "build",
        "--locked",
        "--package",
        "leadbyte-live",
        "--profile",
        "live",
        "--target",
        TARGET,
    ]
    subprocess.run([*build, *rust.options], cwd=PROJECT, env={**os.environ, **environment}, check=True)
    module = Path(environment["CARGO_TARGET_DIR"], TARGET, "live/leadbyte_live.wasm")
    features = [f"--enable-{feature}" for feature in FEATURES]
    subprocess.run([wasm_opt, "-Oz", *features, module, "-o", folder / "leadbyte.wasm"], check=True)


def main() -> None:
    """Build the page, and print the sizes of its files; fail if they are larger than the limit."""
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        build_module(folder)
    except MissingTool as missing:
        print(f"the live page cannot be built here: {missing}")
        raise SystemExit(2) from None
    for name in FILES:
        shutil.copy(LIVE / name, folder)
    sizes = {name: (folder / name).stat().st_size for name in ["leadbyte.wasm", *FILES]}
    for name, size in {**sizes, "in all": sum(sizes.values())}.items():
        print(f"{size:7,} bytes  {name}")
    if sum(sizes.values()) > LIMIT:
        print(f"larger than {LIMIT:,} bytes")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
