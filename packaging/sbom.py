"""Make the software bill of materials that each wheel has in ``.dist-info/sboms`` (PEP 770).

``python packaging/sbom.py`` writes ``leadbyte.cdx.json``, in CycloneDX's format: the crates of which the
extension module is made on any platform (``"scope": "required"``), and those that only run while it is built
(``"excluded"``), with their licences and the checksums in Cargo.lock. ``--check`` only checks whether it is
up to date, ``--validate`` also whether CycloneDX's schema allows it, by the package cyclonedx-python-lib.

maturin would make one with the time, a random number and the folders of the machine, so that no two wheels
would be equal.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SBOM = Path(__file__).parent / "leadbyte.cdx.json"
MEMBER = "leadbyte-module"


def checksums(lock: str) -> dict[tuple[str, str], str]:
    """Return the checksum of each crate of a registry, by name and version, in a Cargo.lock."""
    found = {}
    for package in lock.split("[[package]]")[1:]:
        fields = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', package, re.MULTILINE))
        if "checksum" in fields:
            found[fields["name"], fields["version"]] = fields["checksum"]
    return found


def cargo(*arguments: str) -> str:
    """Return what cargo prints."""
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


def tree(edges: str) -> dict[str, set[str]]:
    """Return the package URLs of all crates below the extension module, and what each depends on."""
    options = ["--package", MEMBER, "--target", "all", "--edges", edges]
    printed = cargo("tree", *options, "--prefix", "depth", "--format", " {p}")
    found: dict[str, set[str]] = {}
    path: list[str] = []
    for line in printed.splitlines():
        depth, name, version, *_ = line.split()
        crate = f"pkg:cargo/{name}@{version.removeprefix('v')}"
        del path[int(depth) :]
        found.setdefault(crate, set())
        if path:
            found[path[-1]].add(crate)
        path.append(crate)
    return found


def component(crate: str, package: dict[str, Any], checksum: str | None, *, is_part: bool) -> dict[str, Any]:
    """Return the entry of a crate."""
    entry = {
        "type": "library",
        "bom-ref": crate,
        "name": package["name"],
        "version": package["version"],
        "scope": "required" if is_part else "excluded",
        # A slash is cargo's former syntax.
        "licenses": [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}],
        "purl": crate,
    }
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry


def make() -> str:
    """Return the bill of materials."""
    packages = {
        f"pkg:cargo/{package['name']}@{package['version']}": package
        for package in json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    }
    crates, parts = tree("normal,build"), tree("normal,no-proc-macro")
    known = checksums((ROOT / "Cargo.lock").read_text("utf-8"))
    member = next(iter(crates))
    version = packages[member]["version"]
    whole = f"pkg:pypi/leadbyte@{version}"
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": whole,
                "name": "leadbyte",
                "version": version,
                "licenses": [{"expression": packages[member]["license"]}],
                "purl": whole,
            }
        },
        "components": [
            component(
                crate,
                packages[crate],
                known.get((packages[crate]["name"], packages[crate]["version"])),
                is_part=crate in parts,
            )
            for crate in sorted(crates)
        ],
        "dependencies": [
            {"ref": crate, "dependsOn": sorted(used)}
            for crate, used in [(whole, {member}), *sorted(crates.items())]
        ],
    }
    return json.dumps(bill, indent=1) + "\n"


def validate(bill: str) -> None:
    """Exit with a message if a bill of materials is not as CycloneDX's schema has it."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill):
        raise SystemExit(str(fault))


def main() -> None:
    """Write or check the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--validate", action="store_true")
    chosen = parser.parse_args()
    bill = make()
    if chosen.validate:
        validate(bill)
    if chosen.check:
        if not SBOM.exists() or SBOM.read_text("utf-8") != bill:
            message = f"{SBOM.name} is not up to date: run python packaging/sbom.py"
            raise SystemExit(message)
        return
    SBOM.write_text(bill, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
