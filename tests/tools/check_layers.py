"""Check that modules import in one direction: no circles of files, and only what their layer may import.

    python tests/tools/check_layers.py

Prints a line for each circle, with the names that tie its files, and for each import that the rules do not
allow, and exits with 1 if there are any. The rules are in CONTRIBUTING.md, under "Layers".

Imports within functions count, as do those that only types need. Rust is read as text: `use` declarations,
and paths that start with `crate`, `super` or the name of a module, but for those in modules of tests. A
module that re-exports its own children does not import them.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PROJECT = Path(__file__).parents[2]

Module: TypeAlias = tuple[str, ...]

# Layers of the crate from the lowest to the highest, by the first part of a module's path. A module may
# import modules of its own layer and of lower ones. Any other module is a capability.
FACTS = {"allocation", "error", "newlines", "progress", "sequence", "threads"}
LAYERS = ({"simd", *FACTS}, {"kernels"}, {"encodings"}, {"capabilities"}, {"bindings"})
CAPABILITIES = 3
# What nothing imports, as the crate's root.
TABLE = ("kernels", "backend")
# The names that bindings get from layers below the capabilities: types in the signatures of capabilities,
# the decoder for CPUs without vectors, and uninitialised memory.
LOW_NAMES = {
    "kernels": {
        *("CodeUnit", "Encoded", "ErrorUnits", "Lane", "Measure", "Source", "pair"),
        *("End", "OnePass"),
    },
    "simd": {
        *("Implementation", "VARIABLE", "Number", "prefetch", "huge_pages"),
        *("MaybeUninit", "Scratch", "as_numbers_mut", "put", "try_append", "unfilled", "uninitialised"),
    },
}
# Paths outside the crate of a tree, with the modules that may name them.
Foreign: TypeAlias = "Mapping[Module, Sequence[Module]]"
FOREIGN: Foreign = {("core", "arch"): [("simd",)], ("std", "arch"): [("simd",)], ("pyo3",): []}
FFI_FILES = ("buffer", "calls", "string", "list", "fastcall", "handlers", "interpreter")
FOREIGN_TO_BINDINGS: Foreign = {("pyo3", "ffi"): [(file,) for file in FFI_FILES]}

# Parts of the package, with the other parts that each may import. All other modules are its core.
PARTS: Mapping[str, set[str]] = {
    "__main__": {"cli"},
    "cli": {"dataset", "_files"},
    "dataset": {"_files"},
    "_files": set(),
}


@dataclass
class Tree:
    """The modules of a tree, each with those that it imports and the names that it takes from them."""

    files: Mapping[Module, Path]
    imports: dict[Module, dict[Module, set[str]]] = field(default_factory=dict)
    # The paths outside the tree.
    foreign: dict[Module, set[Module]] = field(default_factory=dict)

    def add(self, importer: Module, imported: Module, name: str) -> None:
        """Add an import, unless a module imports itself."""
        if imported != importer:
            self.imports.setdefault(importer, {}).setdefault(imported, set()).add(name)

    def add_foreign(self, importer: Module, path: Iterable[str]) -> None:
        """Add a path outside the tree."""
        self.foreign.setdefault(importer, set()).add(tuple(path))

    def path(self, module: Module) -> str:
        """Return the path of a module's file."""
        file = self.files[module]
        return (file.relative_to(PROJECT) if file.is_relative_to(PROJECT) else file).as_posix()

    def described(self, importer: Module, imported: Module) -> str:
        """Return a line about an import."""
        names = ", ".join(sorted(self.imports[importer][imported]))
        return f"{self.path(importer)} -> {self.path(imported)}: {names}"

    def each(self) -> Iterator[tuple[Module, Module]]:
        """Yield the importing and the imported module of each import."""
        for importer, imports in self.imports.items():
            for imported in imports:
                yield importer, imported

    def circles(self) -> list[list[Module]]:
        """Return the groups of modules that import each other, directly or not (Tarjan 1972)."""
        index: dict[Module, int] = {}
        lowest: dict[Module, int] = {}
        stack: list[Module] = []
        found: list[list[Module]] = []

        def visit(module: Module) -> None:
            index[module] = lowest[module] = len(index)
            stack.append(module)
            for imported in self.imports.get(module, {}):
                if imported not in index:
                    visit(imported)
                    lowest[module] = min(lowest[module], lowest[imported])
                elif imported in stack:
                    lowest[module] = min(lowest[module], index[imported])
            if lowest[module] == index[module]:
                circle = stack[stack.index(module) :]
                del stack[-len(circle) :]
                if len(circle) > 1:
                    found.append(sorted(circle))

        for module in self.files:
            if module not in index:
                visit(module)
        return found

    def circle_findings(self) -> Iterator[str]:
        """Yield the circles, each with its imports."""
        for circle in self.circles():
            yield f"circle of {len(circle)} files: {', '.join(map(self.path, circle))}"
            for importer, imported in self.each():
                if importer in circle and imported in circle:
                    yield f"    {self.described(importer, imported)}"


TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|\bpub\(in [^)]*\)")
USE = re.compile(r"(?:^|\n)[ \t]*(?P<pub>pub(?:\([^)]*\))?\s+)?use\s+(?P<tree>[^;]+);")
PATH = re.compile(r"(?<![\w:])[a-z_]\w*(?:::\w+)+")


def used(tree: str) -> Iterator[tuple[list[str], str]]:
    """Yield the paths of a `use` tree, which may have nested braces, each with the name that it gets."""
    before, brace, inner = tree.strip().partition("{")
    if not brace:
        path, _, alias = re.sub(r"\s+", " ", before.strip()).partition(" as ")
        parts = path.split("::")
        yield parts, alias or parts[-1]
        return
    prefix = [part for part in before.split("::") if part]
    depth, start = 0, 0
    inner = inner.rstrip().removesuffix("}") + ","
    for at, character in enumerate(inner):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            item = inner[start:at].strip()
            start = at + 1
            if item == "self":
                yield prefix, prefix[-1]
            elif item:
                yield from (([*prefix, *path], name) for path, name in used(item))


def resolved(
    files: Mapping[Module, Path], module: Module, names: Mapping[str, Module], path: Sequence[str]
) -> tuple[Module, str] | None:
    """Return the module of a crate to which a path in another leads, and the name in it or its own.

    names: the modules that the path may start with. Returns None for a path that leads out of the crate.
    """
    first, *rest = path
    if first == "crate":
        base: Module = ()
    elif first == "self":
        base = module
    elif first == "super":
        base = module[:-1]
        while rest and rest[0] == "super":
            base = base[:-1]
            rest = rest[1:]
    elif first in names:
        base = names[first]
    else:
        return None
    while rest and (*base, rest[0]) in files:
        base = (*base, rest[0])
        rest = rest[1:]
    return (base, rest[0] if rest else path[-1]) if base in files else None


def rust_tree(root: Path) -> Tree:
    """Return the modules of a crate with its sources below a folder."""
    files: dict[Module, Path] = {}
    for file in sorted(root.rglob("*.rs")):
        parts = file.relative_to(root).with_suffix("").parts
        files[parts[:-1] if parts[-1] in {"mod", "lib", "main"} else parts] = file
    tree = Tree(files)
    for module, file in files.items():
        text = TEST_MODULE.sub("", COMMENT.sub("", file.read_text(encoding="utf-8")))
        names = {child[-1]: child for child in files if child and child[:-1] == module}
        for use in USE.finditer(text):
            for path, name in used(use["tree"]):
                found = resolved(files, module, names, path)
                if found is None:
                    tree.add_foreign(module, path)
                    continue
                imported = found[0]
                if imported[-1:] == (path[-1],):
                    names[name] = imported
                is_child = imported[: len(module)] == module
                if not (use["pub"] and is_child):
                    tree.add(module, *found)
        for path in (text.split("::") for text in PATH.findall(USE.sub("", text))):
            found = resolved(files, module, names, path)
            if found is None:
                tree.add_foreign(module, path)
            else:
                tree.add(module, *found)
    return tree


def python_tree(root: Path, package: str = "") -> Tree:
    """Return the modules of a package in a folder, or of scripts there that import each other."""
    files: dict[Module, Path] = {}
    for file in sorted((root / package).rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        files[parts[:-1] if parts[-1] == "__init__" else parts] = file
    tree = Tree(files)
    for module, file in files.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                paths = [tuple(name.name.split(".")) for name in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                paths = [(*node.module.split("."), name.name) for name in node.names]
            else:
                continue
            for path in paths:
                imported = path if path in files else path[:-1]
                is_child = file.name == "__init__.py" and imported[:-1] == module
                if imported in files and not (is_child and imported == path):
                    tree.add(module, imported, path[-1])
    return tree


def layer(module: Module) -> int:
    """Return the number of the layer of a module of the crate."""
    return next((number for number, names in enumerate(LAYERS) if {*module[:1]} & names), CAPABILITIES)


def rust_findings(tree: Tree) -> Iterator[str]:
    """Yield what modules of the crate import against the rules."""
    for importer, imported in tree.each():
        if not importer:
            continue
        line, names = tree.described(importer, imported), tree.imports[importer][imported]
        if not imported:
            yield f"import from the root of the crate: {line}"
        elif imported == TABLE:
            yield f"import of the table of algorithms: {line}"
        elif layer(imported) > layer(importer):
            yield f"import of a higher layer: {line}"
        elif importer == ("bindings",) and names - LOW_NAMES.get(imported[0], names):
            yield f"import of a layer below the capabilities: {line}"


def foreign_findings(tree: Tree, rules: Foreign) -> Iterator[str]:
    """Yield the modules that name a path outside their crate against the rules."""
    for importer, paths in tree.foreign.items():
        for start, users in rules.items():
            is_named = any(path[: len(start)] == start for path in paths)
            if is_named and not any(importer[: len(user)] == user for user in users):
                yield f"{tree.path(importer)} names {'::'.join(start)}"


def part(module: Module) -> str:
    """Return the part of the package of one of its modules; an empty string for its core."""
    return module[1] if len(module) > 1 and module[1] in PARTS else ""


def python_findings(tree: Tree) -> Iterator[str]:
    """Yield what modules of the package import against the rules."""
    for importer, imported in tree.each():
        if part(imported) not in {"", part(importer), *PARTS.get(part(importer), set())}:
            yield f"import of a higher part: {tree.described(importer, imported)}"


def trees() -> list[Tree]:
    """Return the modules of the crate, of bindings, of the package, and of benchmarks in Rust and Python."""
    return [
        rust_tree(PROJECT / "src"),
        rust_tree(PROJECT / "python/src"),
        python_tree(PROJECT / "python", "leadbyte"),
        rust_tree(PROJECT / "benches/native/src"),
        python_tree(PROJECT / "benches"),
    ]


def main() -> int:
    """Check all trees; return the exit code."""
    crate, bindings, package, *benches = trees()
    findings = [line for tree in (crate, bindings, package, *benches) for line in tree.circle_findings()]
    findings += [*rust_findings(crate), *foreign_findings(crate, FOREIGN)]
    findings += [*foreign_findings(bindings, FOREIGN_TO_BINDINGS), *python_findings(package)]
    print("\n".join(findings) or "no circles, and no import against the rules")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
