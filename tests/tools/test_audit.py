"""The audit finds the faults of wheels and source distributions, and nothing else."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

import audit

if TYPE_CHECKING:
    from pathlib import Path

EXTENSION = "leadbyte/_leadbyte.cp311-win_amd64.pyd"
INFO = "leadbyte-1.dist-info"
SBOM = f"{INFO}/sboms/leadbyte.cdx.json"
BILL = (audit.PROJECT / audit.SBOM).read_text("utf-8")
MANUAL = "leadbyte-1.data/data/share/man/man1/leadbyte.1"
WHEEL = {
    EXTENSION,
    *(
        name.removeprefix("python/").replace("packaging/installed", "leadbyte-1.data")
        for name in audit.sources()
    ),
    *(f"{INFO}/{name}" for name in audit.METADATA),
    *(f"{INFO}/licenses/{name}" for name in audit.LICENCES),
    SBOM,
}
SDIST = audit.NEEDED | audit.sources()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose programs are found first."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


def faults_of_wheel(
    folder: Path, names: set[str], description: str = "", bill: str = BILL, module: str = ""
) -> list[str]:
    path = folder / "leadbyte-1-cp311-cp311-win_amd64.whl"
    contents = {f"{INFO}/METADATA": description, SBOM: bill, EXTENSION: module}
    with zipfile.ZipFile(path, "w") as opened:
        for name in names:
            opened.writestr(name, contents.get(name, ""))
    return list(audit.faults_of_wheel(path))


def faults_of_sdist(folder: Path, names: set[str], description: str = "") -> list[str]:
    path = folder / "leadbyte-1.tar.gz"
    with tarfile.open(path, "w:gz") as opened:
        for name in names:
            content = description.encode() if name == "PKG-INFO" else b""
            member = tarfile.TarInfo(f"leadbyte-1/{name}")
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content))
    return list(audit.faults_of_sdist(path))


def test_good_ones(tmp_path: Path) -> None:
    assert faults_of_wheel(tmp_path, WHEEL) == []
    assert faults_of_sdist(tmp_path, SDIST) == []


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("[tutorial](docs/tutorial.md)", "docs/tutorial.md"),
        ("![plot](benches/plot.svg)", "benches/plot.svg"),
        ("[ref]: LICENSE-MIT", "LICENSE-MIT"),
        ('<img src="plot.svg">', "plot.svg"),
        ("[site](https://leadbyte.org/a) and [below](#how-fast)", ""),
    ],
)
def test_relative_links(tmp_path: Path, link: str, target: str) -> None:
    expected = [f"relative link in the description: {target}"] if target else []
    assert faults_of_wheel(tmp_path, WHEEL, f"Name: leadbyte\n\n{link}\n") == expected
    assert faults_of_sdist(tmp_path, SDIST, f"Name: leadbyte\n\n{link}\n") == expected


@pytest.mark.parametrize("name", [EXTENSION, "leadbyte/py.typed", MANUAL, f"{INFO}/licenses/LICENSE-MIT"])
def test_missing_in_a_wheel(tmp_path: Path, name: str) -> None:
    assert len(faults_of_wheel(tmp_path, WHEEL - {name})) == 1


def test_bill_of_materials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = f"{INFO}/sboms/leadbyte-python.cyclonedx.json"
    for names in (WHEEL - {SBOM}, WHEEL | {other}, WHEEL - {SBOM} | {other}):
        assert [fault.partition(":")[0] for fault in faults_of_wheel(tmp_path, names)] == [
            "bills of materials"
        ]
    changed = BILL.replace('"name": "pyo3"', '"name": "py03"')
    expected = "sboms/leadbyte.cdx.json is another than packaging/leadbyte.cdx.json"
    assert faults_of_wheel(tmp_path, WHEEL, bill=changed) == [expected]
    # The lock file is newer than the bill of materials.
    project = tmp_path / "project"
    (project / "packaging").mkdir(parents=True)
    (project / audit.SBOM).write_text(BILL, "utf-8", newline="\n")
    lock = (audit.PROJECT / "Cargo.lock").read_text("utf-8")
    checksum = json.loads(BILL)["components"][0]["hashes"][0]["content"]
    (project / "Cargo.lock").write_text(lock.replace(checksum, "0" * 64), "utf-8")
    expected_sources = audit.sources()
    monkeypatch.setattr(audit, "PROJECT", project)
    monkeypatch.setattr(audit, "sources", lambda: expected_sources)
    [fault] = faults_of_wheel(tmp_path, WHEEL)
    assert fault.endswith("is not in Cargo.lock: run python packaging/sbom.py")


@pytest.mark.parametrize("folder", ["/root/.cargo/registry/src/", r"C:\Users\a\.rustup\toolchains"])
def test_folders_of_a_machine(tmp_path: Path, folder: str) -> None:
    [fault] = faults_of_wheel(tmp_path, WHEEL, module=f"panicked at {folder}")
    assert fault.startswith("the extension module names ")


@pytest.mark.parametrize("name", ["leadbyte/_leadbyte.so", "leadbyte/notes.txt", "tests/test_scan.py"])
def test_too_much_in_a_wheel(tmp_path: Path, name: str) -> None:
    assert len(faults_of_wheel(tmp_path, WHEEL | {name})) == 1


@pytest.mark.parametrize("name", ["Cargo.lock", "LICENSE-APACHE", "python/leadbyte/codec.py"])
def test_missing_in_a_source_distribution(tmp_path: Path, name: str) -> None:
    assert faults_of_sdist(tmp_path, SDIST - {name}) == [f"{name} is missing"]


@pytest.mark.parametrize("name", ["python/leadbyte/_leadbyte.so", ".github/workflows/ci.yml", "dist/old.whl"])
def test_too_much_in_a_source_distribution(tmp_path: Path, name: str) -> None:
    assert faults_of_sdist(tmp_path, SDIST | {name}) == [f"{name} is not needed"]


@pytest.mark.parametrize(
    ("platform", "library", "unwinder", "fault"),
    [
        ("manylinux_2_17_x86_64", None, "libgcc_s.so.1", ""),
        ("manylinux_2_5_x86_64", "libc.so", "libgcc_s.so.1", ""),
        ("manylinux_2_34_x86_64", None, "libgcc_s.so.1", "it needs manylinux_2_34_x86_64"),
        ("musllinux_1_2_x86_64", None, "libgcc_s.so.1", "it needs musllinux_1_2_x86_64"),
        ("manylinux_2_17_i686", None, "libgcc_s.so.1", "it needs manylinux_2_17_i686"),
        ("manylinux_2_17_x86_64", "libssl.so", "libgcc_s.so.1", "it needs libssl.so"),
        ("manylinux_2_17_x86_64", None, "libunwind.so.1", "it does not use the unwinder"),
    ],
)
def test_requirements_of_a_linux_wheel(
    programs: Path, platform: str, library: str | None, unwinder: str, fault: str
) -> None:
    report = {"sym_tag": platform, "external_libs": [library] if library else [], "versioned_symbols": {}}
    auditwheel = programs / "auditwheel"
    auditwheel.write_text(f"#!/bin/sh\necho '{json.dumps(report)}'\n")
    auditwheel.chmod(0o755)
    path = programs / "leadbyte-1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("leadbyte/_leadbyte.cp311-x86_64-linux-gnu.so", unwinder)
    faults = list(audit.faults_of_linux(path))
    assert len(faults) == bool(fault)
    assert "".join(faults).startswith(fault)


@pytest.mark.parametrize(("size", "code"), [(audit.LIMIT, 0), (audit.LIMIT + 1, 1)])
def test_growth_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], size: int, code: int
) -> None:
    assert faults_of_wheel(tmp_path, WHEEL) == []
    path = next(tmp_path.glob("*.whl"))
    missing = size - path.stat().st_size
    path.write_bytes(b"\0" * missing + path.read_bytes())
    monkeypatch.setattr("sys.argv", ["audit.py", str(path)])
    with pytest.raises(SystemExit) as raised:
        audit.main()
    assert raised.value.code == code
    assert ("larger than" in capsys.readouterr().out) == bool(code)
