#!/usr/bin/env python3
"""Run the vectors through the programs that are installed, and compare the results with results.json.

python conformance/run.py [--record] [PROGRAM...]

PROGRAM is the name of a runner below. With ``--record`` the results are written to results.json. The exit
code is 1 if a program gives other results than recorded. A program that is not installed is left out.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from leadbyte._leadbyte import _Substitution as Substitution

HERE = Path(__file__).parent
RUNNERS = HERE / "runners"
sys.path[:0] = [str(HERE.parent / "tests/python/support"), str(RUNNERS)]

from common import CRASHED, EXAMPLES, NOT_RUN, REFUSED  # noqa: E402
from substitution import WAYS, replaced  # noqa: E402

Json: TypeAlias = "dict[str, Any]"

VECTORS, RESULTS = HERE / "vectors.jsonl", HERE / "results.json"
OKIO = Path("/usr/share/java/okio.jar")
# What is compared of an operation; the rest follows from it.
COMPARED = ("rule", "asked", "accepted", "altered_count", "crashes", "sha256")
# The number of characters that a program alters, of which the first are recorded.
MAX_ALTERED = 6


class Vector(NamedTuple):
    """A vector: its bytes, its class, and whether it is valid."""

    data: bytes
    kind: str
    valid: bool


class MissingError(Exception):
    """A program is not installed."""


def read_vectors() -> list[Vector]:
    """Read the file."""
    found = []
    for line in VECTORS.read_text("ascii").splitlines():
        fields = json.loads(line)
        before, after = (
            b"".join(bytes.fromhex(digits) * count for digits, count in fields.get(end, []))
            for end in ("before", "after")
        )
        data = before + bytes.fromhex(fields["bytes"]) + after
        found.append(Vector(data, fields["class"], fields["valid"]))
    return found


def need(*programs: str) -> None:
    """Raise MissingError if a program is not installed."""
    for program in programs:
        if not shutil.which(program):
            message = f"{program} is not installed"
            raise MissingError(message)


def by_python(name: str, *packages: str, programs: Iterable[str] = ()) -> list[str]:
    """Return the command of a runner in Python."""
    need(*programs)
    for package in packages:
        if not find_spec(package):
            message = f"the package {package} is not installed"
            raise MissingError(message)
    return [sys.executable, str(RUNNERS / f"{name}.py")]


def by_rust(name: str) -> list[str]:
    """Return the command of a runner in Rust."""
    need("cargo")
    target = HERE.parent / "target/conformance"
    manifest = str(RUNNERS / "rust/Cargo.toml")
    build = [
        "cargo",
        "build",
        "--quiet",
        "--locked",
        "--manifest-path",
        manifest,
        "--target-dir",
        str(target),
    ]
    subprocess.run(build, check=True)
    return [str(target / "debug/conformance-runners"), name]


def by_java(name: str, folder: str, *arguments: str, jars: Iterable[Path] = ()) -> list[str]:
    """Return the command of a runner in Java."""
    need("java", "javac")
    for jar in jars:
        if not jar.is_file():
            message = f"{jar} is not installed"
            raise MissingError(message)
    classes = ":".join(map(str, [folder, *jars]))
    source = str(RUNNERS / f"java/{name}.java")
    subprocess.run(["javac", "-d", folder, "-cp", classes, source], check=True)
    return ["java", "-cp", classes, name, *arguments]


def by_okio(folder: str) -> list[str]:
    """Return the command of the runner of Okio."""
    version = max((jar.stem.removeprefix("okio-") for jar in OKIO.parent.glob("okio-*.jar")), default="?")
    return by_java("WithOkio", folder, version, jars=[OKIO])


def by_program(*command: str) -> list[str]:
    """Return the command of a runner in another language."""
    need(command[0])
    return [*command[:-1], str(RUNNERS / command[-1])]


def postgresql() -> list[str]:
    """Return the command of the runner of PostgreSQL."""
    if not shutil.which("initdb") and not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        message = "the server is not installed"
        raise MissingError(message)
    return by_python("with_postgresql", programs=["psql"])


def runners(folder: str) -> dict[str, Callable[[], list[str]]]:
    """Return what prepares each runner, by the name of its program; a folder for files."""
    return {
        "CPython": partial(by_python, "cpython"),
        "Rust": partial(by_rust, "std"),
        "encoding_rs": partial(by_rust, "encoding_rs"),
        "simdutf": partial(by_rust, "simdutf"),
        "ICU": partial(by_python, "icu"),
        "uconv": partial(by_python, "uconv", programs=["uconv"]),
        "glibc": partial(by_python, "glibc"),
        "Java": partial(by_java, "Conformance", folder),
        "Okio": partial(by_okio, folder),
        "Go": partial(by_program, "go", "run", "go/main.go"),
        "Node.js": partial(by_program, "node", "node.js"),
        "Perl": partial(by_program, "perl", "perl.pl"),
        "pyarrow": partial(by_python, "with_pyarrow", "pyarrow"),
        "Polars": partial(by_python, "with_polars", "polars", "pyarrow"),
        "DuckDB": partial(by_python, "with_duckdb", "duckdb", "pyarrow"),
        "Spark": partial(by_python, "with_spark", "pyspark", programs=["java"]),
        "PostgreSQL": postgresql,
        "SQLite": partial(by_python, "sqlite"),
        "wsaccel": partial(by_python, "with_wsaccel", "wsaccel"),
    }


def rule(vectors: Iterable[Vector], cells: Iterable[str]) -> str:
    """Return the rule by which an operation treats malformed bytes; ``own`` if it is none of the known."""
    pairs = [(vector.data, cell) for vector, cell in zip(vectors, cells, strict=True) if not vector.valid]
    pairs = [(data, cell) for data, cell in pairs if cell not in {NOT_RUN, CRASHED}]
    if not pairs:
        return "crashes"
    if any(cell != REFUSED for _, cell in pairs) and any(cell == REFUSED for _, cell in pairs):
        return "own"
    rules: dict[str, Callable[[bytes], str]] = {"refuses": refused, "drops": dropped, "keeps": bytes.hex}
    for way in WAYS:
        rules[way] = partial(replaced_in_hex, way, "\ufffd")
        rules[f"{way}, by ?"] = partial(replaced_in_hex, way, "?")
    return next((name for name, of in rules.items() if all(of(data) == cell for data, cell in pairs)), "own")


def refused(_: bytes) -> str:
    """Return the cell of bytes that are refused."""
    return REFUSED


def dropped(data: bytes) -> str:
    """Return data in hex, without what is malformed."""
    return data.decode("utf-8", "ignore").encode().hex()


def replaced_in_hex(way: Substitution, replacement: str, data: bytes) -> str:
    """Return data in hex, with what is malformed replaced."""
    return replaced(data, way, replacement).encode().hex()


def is_asked(cell: str) -> bool:
    """Return whether a cell has a result."""
    return cell != NOT_RUN


def summary(operation: str, vectors: list[Vector], cells: list[str]) -> Json:
    """Return what is recorded of an operation."""
    asked = [(vector, cell) for vector, cell in zip(vectors, cells, strict=True) if is_asked(cell)]
    valid = [(vector.data.hex(), cell) for vector, cell in asked if vector.valid]
    malformed = [(vector, cell) for vector, cell in asked if not vector.valid]
    changed = sorted((len(digits), digits, cell) for digits, cell in valid if cell != digits)
    altered = {digits: cell for _, digits, cell in changed}
    examples = {vector.data.hex(" "): cell for vector, cell in malformed if vector.data in EXAMPLES}
    digest = hashlib.sha256("\n".join(cells).encode()).hexdigest()
    return {
        "operation": operation,
        "rule": rule(vectors, cells),
        "asked": len(asked),
        "accepted": dict(
            Counter(vector.kind for vector, cell in malformed if cell not in {REFUSED, CRASHED})
        ),
        "altered_count": len(altered),
        "altered": dict(list(altered.items())[:MAX_ALTERED]),
        "crashes": sum(cell == CRASHED for _, cell in asked),
        "examples": dict(sorted(examples.items())),
        "sha256": digest,
    }


def results_of(prepare: Callable[[], list[str]], vectors: list[Vector]) -> Json:
    """Run a program and return what is recorded of it."""
    text = "".join(f"{vector.data.hex()}\n" for vector in vectors)
    done = subprocess.run(prepare(), input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        message = f"it failed: {errors[-1]}"
        raise MissingError(message)
    header, *lines = done.stdout.splitlines()
    fields: Json = json.loads(header)
    rows = [line.split("\t") for line in lines]
    assert len(rows) == len(vectors), fields
    columns = zip(*rows, strict=True)
    operations = zip(fields["operations"], columns, strict=True)
    return {
        "version": fields["version"],
        "operations": [summary(name, vectors, list(column)) for name, column in operations],
    }


def differences(recorded: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between the results of a program."""
    before = {each["operation"]: each for each in recorded.get("operations", [])}
    for each in found["operations"]:
        old = before.get(each["operation"])
        if old is None:
            yield f"{each['operation']}: not recorded"
        elif fields := [name for name in COMPARED if each[name] != old.get(name)]:
            yield f"{each['operation']}: other {', '.join(fields)} in version {found['version']}"


def main() -> int:
    """Run the programs and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write results.json")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    vectors = read_vectors()
    digest = hashlib.sha256(VECTORS.read_bytes()).hexdigest()
    recorded: Json = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    old = recorded.get("programs", {}) if recorded.get("vectors_sha256") == digest else {}
    found: Json = {}
    differ = False
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        known = runners(folder)
        for program in options.programs or known:
            try:
                found[program] = results_of(known[program], vectors)
            except MissingError as error:
                print(f"{program}: not run: {error}")
                found[program] = {"not_run": str(error)}
                continue
            rules = ", ".join(f"{each['operation']}: {each['rule']}" for each in found[program]["operations"])
            print(f"{program} {found[program]['version']}: {rules}", flush=True)
            for difference in differences(old.get(program, {}), found[program]):
                differ = True
                print(f"    {difference}")
    if options.record:
        programs = {name: found.get(name, old.get(name)) for name in known if name in found or name in old}
        record = {
            "date": dt.datetime.now(dt.timezone.utc).date().isoformat(),
            "platform": f"{platform.system()} {platform.machine()}",
            "vectors_sha256": digest,
            "programs": programs,
        }
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        return 0
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
