"""Check that modules import in one direction: no circles of files, and only what their layer may import.

    python tests/tools/check_layers.py

Prints a line for each circle, with the names that tie its files, and for each import that goes upwards, and
exits with 1 if there are any. Imports that only types need count as well. Rust is read as text: `use`
declarations and paths that start with `crate::` or `super::`, but for those in modules of tests; a
re-export of a module's own child is no import.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PROJECT = Path(__file__).parents[2]

Module: TypeAlias = tuple[str, ...]

# Layers of the crate from the lowest to the highest, by the first part of a module's path. A module may
# import those of its own layer and below. What is not listed is a capability.
FACTS = {"allocation", "error", "newlines", "progress", "sequence", "threads"}
LAYERS = ({"simd"} | FACTS, {"kernels"}, {"encodings"}, {"capabilities"}, {"files", "python", "lib"})
# The highest layer that a module may be imported by, for those that only one module may import.
TABLE = ("kernels", "backend")
# Of the package: which of these parts a part may import. All may import what is not in them.
PARTS = {"cli": {"cli", "dataset"}, "dataset": {"dataset"}, "": {""}}


@dataclass
class Tree:
    """The modules of a tree, each with those that it imports and the names that it takes from them."""

    name: str
    files: Mapping[Module, Path]
    imports: dict[Module, dict[Module, set[str]]] = field(default_factory=dict)

    def add(self, importer: Module, imported: Module, name: str) -> None:
        """Add an import, unless a module imports itself."""
        if imported != importer:
            self.imports.setdefault(importer, {}).setdefault(imported, set()).add(name)

    def path(self, module: Module) -> str:
        """Return the path of a module's file in the project."""
        return self.files[module].relative_to(PROJECT).as_posix()

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

    def findings(self) -> Iterator[str]:
        """Yield the circles."""
        for circle in self.circles():
            yield f"circle of {len(circle)} files: {', '.join(map(self.path, circle))}"
            for importer in circle:
                for imported, names in self.imports[importer].items():
                    if imported in circle:
                        taken = ", ".join(sorted(names))
                        yield f"    {self.path(importer)} -> {self.path(imported)}: {taken}"


TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")
USE = re.compile(r"(?:^|\n)[ \t]*(?P<pub>pub(?:\([^)]*\))?\s+)?use\s+(?P<tree>[^;]+);")
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")


def expanded(tree: str) -> Iterator[list[str]]:
    """Yield the paths of a `use` tree, which may have nested braces."""
    tree = tree.strip()
    before, brace, inner = tree.partition("{")
    if not brace:
        yield [part for part in re.sub(r"\s+as\s+\w+$", "", tree).split("::") if part and part != "self"] or [
            "self"
        ]
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
                yield prefix
            elif item:
                yield from ([*prefix, *path] for path in expanded(item))


def resolved(files: Mapping[Module, Path], module: Module, path: Sequence[str]) -> Module | None:
    """Return the module of a crate that a path in another leads to; None for that of another crate."""
    parts = list(path)
    if parts[0] == "crate":
        base: list[str] = []
        parts = parts[1:]
    elif parts[0] in {"super", "self"}:
        base = list(module)
        while parts and parts[0] in {"super", "self"}:
            base = base[:-1] if parts[0] == "super" else base
            parts = parts[1:]
    elif (*module, parts[0]) in files:
        base = list(module)
    else:
        return None
    for part in parts:
        if (*base, part) not in files:
            break
        base.append(part)
    return tuple(base) if tuple(base) in files else None


def rust_tree(root: Path) -> Tree:
    """Return the modules of a crate with its sources below a folder."""
    files: dict[Module, Path] = {}
    for file in sorted(root.rglob("*.rs")):
        parts = file.relative_to(root).with_suffix("").parts
        files[parts[:-1] if parts[-1] in {"mod", "lib"} else parts] = file
    tree = Tree(root.relative_to(PROJECT).as_posix(), files)
    for module, file in files.items():
        text = TEST_MODULE.sub("", COMMENT.sub("", file.read_text(encoding="utf-8")))
        for use in USE.finditer(text):
            for path in expanded(use["tree"]):
                imported = resolved(files, module, path)
                is_child = imported is not None and imported[: len(module)] == module
                if imported is not None and not (use["pub"] and is_child):
                    tree.add(module, imported, path[-1])
        for found in PATH.findall(USE.sub("", text)):
            path = found.split("::")
            imported = resolved(files, module, path)
            if imported is not None:
                tree.add(module, imported, path[-1])
    return tree


def python_tree(root: Path, package: str = "") -> Tree:
    """Return the modules of a package, or of a folder of scripts that import each other."""
    start = root / package if package else root
    files: dict[Module, Path] = {}
    for file in sorted(start.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        files[parts[:-1] if parts[-1] == "__init__" else parts] = file
    tree = Tree(start.relative_to(PROJECT).as_posix(), files)
    for module, file in files.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [(tuple(name.name.split(".")), name.name) for name in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                base = tuple(node.module.split("."))
                names = [((*base, name.name), name.name) for name in node.names]
            else:
                continue
            for path, name in names:
                imported = path if path in files else path[:-1]
                # What the package itself imports is imported before any of its modules is.
                if imported in files and imported != (package,):
                    tree.add(module, imported, name)
    return tree


def layer(module: Module) -> int:
    """Return the number of the layer of a module of the crate."""
    first = module[0] if module else "lib"
    return next((number for number, names in enumerate(LAYERS) if first in names), len(LAYERS) - 2)


def upwards_in_rust(tree: Tree) -> Iterator[str]:
    """Yield the imports of a higher layer, of the crate's root, and of the table of algorithms."""
    for importer, imports in tree.imports.items():
        for imported, names in imports.items():
            if importer and not imported:
                kind = "the crate's root"
            elif imported == TABLE:
                kind = "the table of algorithms"
            elif layer(imported) > layer(importer):
                kind = "a higher layer"
            else:
                continue
            yield f"{tree.path(importer)} imports {kind}: {tree.path(imported)} ({', '.join(sorted(names))})"


def upwards_in_python(tree: Tree) -> Iterator[str]:
    """Yield the imports of a part of the package that the importing part is below."""
    for importer, imports in tree.imports.items():
        allowed = PARTS.get(importer[1] if len(importer) > 1 else "", PARTS[""])
        for imported, names in imports.items():
            part = imported[1] if len(imported) > 1 and imported[1] in PARTS else ""
            if part and part not in allowed:
                yield (
                    f"{tree.path(importer)} imports a higher part: {tree.path(imported)} "
                    f"({', '.join(sorted(names))})"
                )


def main() -> None:
    """Check all trees; exit with 1 if there is a finding."""
    crate = rust_tree(PROJECT / "src")
    package = python_tree(PROJECT / "python", "leadbyte")
    scripts = python_tree(PROJECT / "benches")
    findings = [line for tree in (crate, package, scripts) for line in tree.findings()]
    findings += [*upwards_in_rust(crate), *upwards_in_python(package)]
    print("\n".join(findings) or "no circles, and all imports point downwards")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
