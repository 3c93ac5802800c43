"""That circles and imports against the rules are found, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import check_layers
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    # Makes a tree of files with these texts.
    Make: TypeAlias = Callable[[Mapping[str, str]], check_layers.Tree]


@pytest.fixture
def crate(tmp_path: Path) -> Make:
    """Return a function that makes a crate."""

    def make(files: Mapping[str, str]) -> check_layers.Tree:
        folders = {name.rpartition("/")[0] for name in files if "/" in name}
        write(tmp_path, {**{f"{folder}/mod.rs": "" for folder in folders}, **files})
        return check_layers.rust_tree(tmp_path)

    return make


@pytest.fixture
def package(tmp_path: Path) -> Make:
    """Return a function that makes a package."""

    def make(files: Mapping[str, str]) -> check_layers.Tree:
        write(tmp_path / "leadbyte", {"__init__.py": "", **files})
        return check_layers.python_tree(tmp_path, "leadbyte")

    return make


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def circles(tree: check_layers.Tree) -> list[list[str]]:
    return [["/".join(module) for module in circle] for circle in tree.circles()]


@pytest.mark.parametrize(
    "text",
    [
        "use crate::b::Name;",
        "use crate::{\n    c::{Other as Name},\n    b::{self, Name},\n};",
        "use super::b;",
        "pub(crate) use super::b::Name as Other;",
        "fn f() -> crate::b::Name {}",
        "use super::b as other;\nfn f() { other::g(); }",
    ],
)
def test_circles_of_a_crate(crate: Make, text: str) -> None:
    files = {"lib.rs": "mod a; mod b; mod c;", "a.rs": text, "b.rs": "use crate::c::f;", "c.rs": ""}
    assert circles(crate(files)) == []
    assert circles(crate({**files, "c.rs": "use crate::a::f;"})) == [["a", "b", "c"]]


def test_circles_of_parents_and_children(crate: Make) -> None:
    child = "use super::Type;"
    assert circles(crate({"a/mod.rs": "mod b;\npub use b::Name;", "a/b.rs": child})) == []
    assert circles(crate({"a/mod.rs": "mod b;\nuse b::Name;", "a/b.rs": child})) == [["a", "a/b"]]
    assert circles(crate({"a/mod.rs": "mod b;\nfn f() { b::g(); }", "a/b.rs": child})) == [["a", "a/b"]]
    assert circles(crate({"a/mod.rs": "mod b;", "a/b/c.rs": "use super::super::Type;"})) == []


@pytest.mark.parametrize(
    "text",
    [
        "// use crate::a::Name;",
        "/// See [`Name`](crate::a::Name).",
        "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::a::Name;\n}",
        "pub(in crate::a) fn f() {}",
        "use core::a::Name;",
    ],
)
def test_no_imports_of_a_crate(crate: Make, text: str) -> None:
    assert circles(crate({"a.rs": "use crate::b::f;", "b.rs": text})) == []


@pytest.mark.parametrize(
    ("file", "text", "finding"),
    [
        ("simd/avx.rs", "use crate::kernels::count::f;", "import of a higher layer: {0} -> {1}: f"),
        ("kernels/a.rs", "use crate::count::f;", "import of a higher layer: {0} -> {1}: f"),
        ("kernels/a.rs", "use crate::encodings::bom::BOM;", "import of a higher layer: {0} -> {1}: BOM"),
        ("encodings/a.rs", "use crate::count::f;", "import of a higher layer: {0} -> {1}: f"),
        ("validate.rs", "use crate::bindings::f;", "import of a higher layer: {0} -> {1}: f"),
        ("validate.rs", "use crate::Name;", "import from the root of the crate: {0} -> {1}: Name"),
        ("kernels/a.rs", "use super::backend::A;", "import of the table of algorithms: {0} -> {1}: A"),
        (
            "bindings.rs",
            "pub use crate::kernels::count::{Unit, f};",
            "import of a layer below the capabilities: {0} -> {1}: Unit, f",
        ),
        ("count.rs", "use core::arch::x86_64::*;", "{0} names core::arch"),
        ("count.rs", "fn f() -> pyo3::PyResult<()> {}", "{0} names pyo3"),
    ],
)
def test_rules_of_the_crate(crate: Make, file: str, text: str, finding: str) -> None:
    others = ["lib", "kernels/count", "kernels/backend", "encodings/bom", "count", "bindings"]
    tree = crate({**{f"{name}.rs": "" for name in others}, file: text})
    pairs = [[tree.path(module) for module in pair] for pair in tree.each()]
    paths = pairs[0] if pairs else [next(path for path in map(tree.path, tree.files) if path.endswith(file))]
    found = [*check_layers.rust_findings(tree), *check_layers.foreign_findings(tree, check_layers.FOREIGN)]
    assert found == [finding.format(*paths)]


def test_rules_of_bindings(crate: Make) -> None:
    ffi = "use pyo3::{ffi, types::PyBytes};"
    tree = crate({"lib.rs": "use leadbyte::bindings::simd;", "buffer.rs": ffi, "a.rs": ffi})
    found = [*check_layers.foreign_findings(tree, check_layers.FOREIGN_TO_BINDINGS)]
    assert found == [f"{tree.path(('a',))} names pyo3::ffi"]


def test_imports_that_the_rules_of_the_crate_allow(
    crate: Make,
) -> None:
    files = {
        "lib.rs": "mod count;\npub use count::f;",
        "simd/avx.rs": "use core::arch::x86_64::*;\nuse crate::error::Utf8Error;",
        "error.rs": "",
        "kernels/decode.rs": "use crate::simd::avx;",
        "count.rs": "use crate::kernels::decode::f;",
        "bindings.rs": "pub use crate::count::f;\npub use crate::kernels::decode::CodeUnit;",
    }
    tree = crate(files)
    assert [*check_layers.rust_findings(tree), *tree.circle_findings()] == []
    assert [*check_layers.foreign_findings(tree, check_layers.FOREIGN)] == []
    assert len([*tree.each()]) == 5


def test_circles_of_a_package(package: Make) -> None:
    files = {
        "__init__.py": "from leadbyte import a as a\n",
        "a.py": "import leadbyte.b\n",
        "b.py": "def f() -> None:\n    from leadbyte import c\n",
        "c.py": "",
    }
    assert circles(package(files)) == []
    c = "if TYPE_CHECKING:\n    from leadbyte.a import Type\n"
    assert circles(package({**files, "c.py": c})) == [["leadbyte/a", "leadbyte/b", "leadbyte/c"]]
    root = {"__init__.py": "from leadbyte.a import f\n", "c.py": "from leadbyte import f\n"}
    assert circles(package({**files, **root})) == [["leadbyte", "leadbyte/a", "leadbyte/b", "leadbyte/c"]]


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("__main__", "cli/files"),
        ("cli/files", "dataset/_scan"),
        ("cli/files", "_files/tables"),
        ("dataset/_scan", "_files/tables"),
        ("dataset/_scan", "arrow"),
        ("_files/tables", "arrow"),
    ],
)
def test_imports_that_the_rules_of_the_package_allow(package: Make, importer: str, imported: str) -> None:
    assert not python_findings(package, importer, imported)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("dataset/_scan", "cli/files"),
        ("_files/tables", "cli/files"),
        ("_files/tables", "dataset/_scan"),
        ("arrow", "cli/files"),
        ("arrow", "dataset/_scan"),
        ("arrow", "_files/tables"),
    ],
)
def test_rules_of_the_package(package: Make, importer: str, imported: str) -> None:
    [line] = python_findings(package, importer, imported)
    assert line.startswith("import of a higher part: ")
    assert f"/{importer}.py -> " in line
    assert line.endswith(f"/{imported}.py: f")


def python_findings(package: Make, importer: str, imported: str) -> list[str]:
    name = imported.replace("/", ".")
    tree = package({f"{imported}.py": "", f"{importer}.py": f"from leadbyte.{name} import f\n"})
    assert len([*tree.each()]) == 1
    return [*check_layers.python_findings(tree)]


def test_what_is_checked() -> None:
    crate, bindings, package, *benches = check_layers.trees()
    assert {(), ("simd", "dispatch"), ("kernels", "backend")} <= {*crate.files}
    assert {(), ("buffer",), ("files", "walk")} <= {*bindings.files}
    assert {("leadbyte",), ("leadbyte", "cli", "files")} <= {*package.files}
    assert [("jobs",) in tree.files for tree in benches] == [True, False]
    assert all(len([*tree.each()]) > len(tree.files) for tree in (crate, bindings, package))


def test_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_layers.main() == 0
    assert capsys.readouterr().out == "no circles, and no import against the rules\n"
