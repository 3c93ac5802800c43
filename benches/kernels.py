#!/usr/bin/env python3
"""Compare the speed of every kernel in the working tree with that in another revision.

    python benches/kernels.py REVISION [--rounds 21] [--record]

Both revisions are linked into one program, which calls their kernels alternately. A table shows the median
ratios of the speeds, after / before, for each kernel and instruction set: the geometric mean over all texts
and sizes, and the least. ``--record`` keeps the table in ``benches/record``.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import io
import os
import platform
import re
import statistics
import subprocess
import sys
import tarfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIRECTORY = ROOT / "target/compare"
# Rows below this ratio are shown each.
LEAST_RATIO = 0.97
# Loops start at cache lines, so that their places in the program, which any change moves, make no difference.
ALIGNED = "-C llvm-args=-align-all-nofallthru-blocks=6"
LIBRARY = """
[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[lib]
path = "{root}/benches/native/src/kernels.rs"

[dependencies]
encoding_rs = "0.8"
leadbyte = {{ path = "{crate}", features = ["legacy"] }}
"""
PROGRAM = """
[package]
name = "compare"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "compare"
path = "{root}/benches/native/src/compare.rs"

[dependencies]
after = {{ path = "after" }}
before = {{ path = "before" }}

[workspace]

[profile.release]
lto = "fat"
codegen-units = 1
"""


def build(revision: str) -> Path:
    """Build the program that has the kernels of both revisions, and return its path."""
    source = DIRECTORY / "revision"
    source.mkdir(parents=True, exist_ok=True)
    archive = DIRECTORY / "revision.tar"
    subprocess.run(["git", "archive", "--output", str(archive), revision], cwd=ROOT, check=True)
    with tarfile.open(archive) as tar:
        tar.extractall(source)
    # Cargo takes no two packages of one name and version.
    manifest = source / "Cargo.toml"
    version = re.compile(r'^version = ".*"', re.MULTILINE)
    manifest.write_text(version.sub('version = "0.0.0"', manifest.read_text(encoding="utf-8"), count=1))
    program = DIRECTORY / "program"
    for name, crate in (("before", source), ("after", ROOT)):
        (program / name).mkdir(parents=True, exist_ok=True)
        (program / name / "Cargo.toml").write_text(LIBRARY.format(name=name, crate=crate, root=ROOT))
    (program / "Cargo.toml").write_text(PROGRAM.format(root=ROOT))
    target = DIRECTORY / "target"
    env = {**os.environ, "CARGO_TARGET_DIR": str(target), "RUSTFLAGS": ALIGNED}
    subprocess.run(["cargo", "build", "--release"], cwd=program, env=env, check=True)
    return target / "release/compare"


def table(rows: list[dict[str, str]]) -> str:
    """Return the ratios of each kernel on each instruction set as Markdown."""
    sets = list(dict.fromkeys(row["instruction set"] for row in rows))
    lines = [f"| kernel | {' | '.join(sets)} |", "|---" * (len(sets) + 1) + "|"]
    for kernel in sorted({row["kernel"] for row in rows}):
        cells = []
        for name in sets:
            ratios = [
                float(row["ratio"])
                for row in rows
                if (row["kernel"], row["instruction set"]) == (kernel, name)
            ]
            cells.append(f"{statistics.geometric_mean(ratios):.3f} (least {min(ratios):.3f})")
        lines.append(f"| {kernel} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Build, run and show the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("revision")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    program = build(arguments.revision)
    texts = DIRECTORY / "texts"
    subprocess.run(
        [sys.executable, "benches/texts.py", str(texts)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    command = [str(program), str(texts), str(arguments.rounds)]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(result, newline="")))
    shown = table(rows)
    print(shown)
    slow = [row for row in rows if float(row["ratio"]) < LEAST_RATIO]
    for row in slow:
        print(*row.values(), sep=",")
    if arguments.record:
        today = dt.datetime.now(dt.timezone.utc).date()
        rustc = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
        text = (
            f"Speed of each kernel, after / before; before is {arguments.revision}. {cpu()}, {rustc.strip()},"
        )
        text += f" {today}. Of {len(rows)} rows, each the median of at least {arguments.rounds} rounds,"
        text += f" {len(slow)} are below {LEAST_RATIO}."
        path = ROOT / f"benches/record/{today}-{'-'.join(cpu().lower().split()[:2])}-kernels.md"
        path.write_text("\n".join([*textwrap.wrap(text, 110), "", shown, ""]))
        print(f"recorded in {path}")


def cpu() -> str:
    """Return the name of the CPU."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
