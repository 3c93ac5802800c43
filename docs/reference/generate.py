#!/usr/bin/env python3
"""Fills the reference pages from the signatures and docstrings of the package and the parser of the command.

python docs/reference/generate.py [--check]

A page names what it documents in a comment, ``<!-- generated: NAME... -->``; the text from there to
``<!-- /generated -->`` is replaced. With ``--check`` nothing is written, and the exit code is 1 if a page is
out of date.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import leadbyte
from leadbyte.cli import arguments
from leadbyte.cli.help_texts import ENVIRONMENT, HELP_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

FOLDER = Path(__file__).parent
MARKERS = re.compile(r"(<!-- generated: ([^>]*) -->\n).*?(<!-- /generated -->)", re.DOTALL)
PACKAGE = Path(leadbyte.__file__).parent
WIDTH = 100  # of a signature, in characters
# The name of the command's parser and page, among names of the package.
COMMAND = "command"
CONSTANTS = {
    "BOM": "The byte order mark in UTF-8: `b'\\xef\\xbb\\xbf'`.",
    "unidata_version": "The version of the Unicode data that normalization and grapheme clusters use.",
}
PARAMETERS = re.compile(r"[a-z_]+(, [a-z_]+)*: ")


def names_of(page: str) -> list[str]:
    """Return the names that a page documents."""
    return [name for markers in MARKERS.finditer(page) for name in markers[2].split()]


def filled(page: str) -> str:
    """Return a page with its generated parts replaced."""

    def body(markers: re.Match[str]) -> str:
        level = 3 if "\n## " in page[: markers.start()] else 2
        parts = "\n\n".join(part for name in markers[2].split() for part in entries(name, level))
        return f"{markers[1]}\n{parts}\n\n{markers[3]}"

    return MARKERS.sub(body, page)


def entries(name: str, level: int) -> Iterator[str]:
    """Yield the Markdown of a name: of the command, a submodule with what it exports, or a top-level name.

    ``level`` is the level of the headings.
    """
    if name == COMMAND:
        yield from manual(arguments.parser(), 1)
    elif name.startswith("leadbyte."):
        module = importlib.import_module(name)
        yield from paragraphs(module.__doc__)
        for member in module.__all__:
            if callable(value := getattr(module, member)):
                source = source_of(member, module)
                yield from entry(member, value, source, level, name_in_source(member, module))
    else:
        yield from entry(name, getattr(leadbyte, name), source_of(name), level)


class Source:
    """The definitions of a source file or stub."""

    def __init__(self, path: Path) -> None:
        self.body = ast.parse(path.read_text(encoding="utf-8")).body
        # An import under another name.
        imports = [alias for node in self.body if isinstance(node, ast.ImportFrom) for alias in node.names]
        self.aliases = {alias.asname: alias.name for alias in imports if alias.asname}
        self.types = dict(private_types(self.body))

    def defines(self, name: str) -> bool:
        """Return whether a function, a class or a constant of this name is defined here."""
        return any(ast.unparse(node.target) == name for node in fields(self.body)) or any(
            isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name for node in self.body
        )

    def functions(self, name: str) -> list[Definition]:
        """Return the overloads of a function."""
        return functions(self.body, name)

    def class_body(self, name: str) -> list[ast.stmt]:
        """Return the body of a class."""
        return next(node.body for node in self.body if isinstance(node, ast.ClassDef) and node.name == name)

    def annotation(self, name: str) -> str:
        """Return the annotation of a constant."""
        (found,) = (node for node in fields(self.body) if ast.unparse(node.target) == name)
        return unparsed(found.annotation)


def functions(body: list[ast.stmt], name: str) -> list[Definition]:
    """Return the overloads of a function in a body; without overloads, its only definition."""
    found = [
        node
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name
    ]
    overloads = [node for node in found if decorated(node, "overload")]
    return overloads or found


def fields(body: list[ast.stmt]) -> Iterator[ast.AnnAssign]:
    """Yield the annotated names of a body."""
    yield from (node for node in body if isinstance(node, ast.AnnAssign))


def private_types(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield the private names of types in a body, and what signatures show instead.

    For an alias that is its value, for a type variable its bound or constraints, for a TypedDict a dict, and
    for another class its base. Protocols are shown without the underscore.
    """
    for node in body:
        if isinstance(node, ast.If):
            yield from private_types(node.body)
        elif isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.annotation) == "TypeAlias":
            yield ast.unparse(node.target), public(unparsed(node.value).strip('"'))
        elif (
            isinstance(node, ast.Assign)
            and isinstance(call := node.value, ast.Call)
            and ast.unparse(call.func) == "TypeVar"
        ):
            name = ast.unparse(node.targets[0])
            types = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
            yield name, " | ".join(map(unparsed, types)) or public(name)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("_") and node.bases:
            base = unparsed(node.bases[0])
            shown = {"Protocol": public(node.name), "TypedDict": "dict[str, object]"}
            yield node.name, shown.get(base, base)


def public(name: str) -> str:
    """Return a name, or an expression of types, without underscores before names."""
    return re.sub(r"\b_(?=[A-Z])", "", name)


def decorated(node: Definition, name: str) -> bool:
    """Return whether a function has a decorator of this name."""
    return any(ast.unparse(decorator) == name for decorator in node.decorator_list)


def unparsed(node: ast.AST) -> str:
    """Return the source of a node, strings in double quotes."""
    return ast.unparse(node).replace("'", '"')


# The definitions of the package by file: the stub of the extension module, private modules, and the others.
SOURCES = {
    path: Source(path)
    for path in [
        PACKAGE / "_leadbyte.pyi",
        *sorted(PACKAGE.glob("_*.py")),
        *sorted(PACKAGE.glob("_*/**/*.py")),
        *sorted(path for path in PACKAGE.glob("[!_]*/**/*.py") if "cli" not in path.parts),
        *sorted(PACKAGE.glob("[!_]*.py")),
    ]
}


def source_of(name: str, module: ModuleType | None = None) -> Source:
    """Return the definitions with a name: of a module, of its package, or else the first."""
    path = Path(inspect.getfile(module)) if module else PACKAGE
    name = name_in_source(name, module)
    others = path.parent if path.name == "__init__.py" else path
    ordered = sorted(SOURCES, key=lambda each: (each != path, not each.is_relative_to(others)))
    return next(SOURCES[each] for each in ordered if SOURCES[each].defines(name))


def name_in_source(name: str, module: ModuleType | None = None) -> str:
    """Return the name with which a name of a module is defined, if it is imported under another."""
    return SOURCES[Path(inspect.getfile(module))].aliases.get(name, name) if module else name


def show_types() -> None:
    """Replace the private names of types in all sources, as a source itself defines them, or else another."""
    everywhere = {name: shown for source in SOURCES.values() for name, shown in source.types.items()}
    for source in SOURCES.values():
        shown = {**everywhere, **source.types}
        for node in (part for statement in source.body for part in ast.walk(statement)):
            if isinstance(node, ast.Name) and node.id.startswith("_"):
                node.id = shown.get(node.id, node.id)


show_types()


def entry(
    name: str, value: object, source: Source, level: int, defined_as: str | None = None
) -> Iterator[str]:
    """Yield the Markdown of a constant, a function or a class, which may be defined under another name."""
    yield f"{'#' * level} `{name}`"
    if isinstance(value, type):
        yield from class_entry(name, value, source.class_body(defined_as or name), level)
    elif callable(value):
        yield fenced(map(signature, source.functions(name)))
        yield from paragraphs(value.__doc__)
    else:
        yield fenced([f"{name}: {source.annotation(name)}"])
        yield CONSTANTS[name]


def class_entry(name: str, value: type, body: list[ast.stmt], level: int) -> Iterator[str]:
    """Yield the constructor or fields of a class, its docstring, its properties and its methods."""
    constructors = functions(body, "__init__") or [
        node for node in functions(body, "__new__") if ast.unparse(node.args) != "cls"
    ]
    lines = [signature(node) for node in constructors]
    if lines := lines or [
        f"{ast.unparse(node.target)}: {unparsed(node.annotation)}" for node in fields(body)
    ]:
        yield fenced([f"class {name}:", *(textwrap.indent(line, "    ") for line in lines)])
    yield from paragraphs(value.__doc__)
    members = [
        node
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")
    ]
    properties = [node for node in members if decorated(node, "property")]
    lines = [
        f"- `{node.name}: {unparsed(node.returns)}`: {inline(getattr(value, node.name).__doc__)}"
        for node in properties
        if node.returns
    ]
    yield from ["\n".join(lines)] if lines else []
    for member in dict.fromkeys(node.name for node in members if node not in properties):
        yield f"{'#' * (level + 1)} `{name}.{member}`"
        yield fenced(map(signature, functions(body, member)))
        yield from paragraphs(getattr(value, member).__doc__)


def signature(node: Definition) -> str:
    """Return the signature of a function or method."""
    prefix = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    start = f"{prefix} {node.name}("
    # As PEP 8 spaces the default of an annotated parameter.
    parameters = re.sub(r"(?<=[\w\]])=", " = ", unparsed(node.args))
    end = f") -> {unparsed(node.returns)}: ..." if node.returns else "): ..."
    if len(start + parameters + end) > WIDTH:
        # One on each line; commas inside brackets do not separate parameters.
        lines = re.split(r", (?![^\[]*\])", parameters)
        parameters = "".join(f"\n    {line}," for line in lines) + "\n"
    return f"{start}{parameters}{end}"


def fenced(lines: Iterator[str] | list[str] | map[str]) -> str:
    """Return lines of Python as a block."""
    text = "\n".join(lines)
    return f"```python\n{text}\n```"


def inline(doc: str | None) -> str:
    """Return a docstring as one line of Markdown, without examples."""
    return " ".join(" ".join(part for part in paragraphs(doc) if not part.startswith("```")).split())


def paragraphs(doc: str | None) -> Iterator[str]:
    """Yield the paragraphs of a docstring as Markdown: examples as blocks, parameters as lists."""
    for text in inspect.cleandoc(doc or "").split("\n\n"):
        if text.startswith(">>> "):
            # doctest takes an empty line for the end of the output.
            yield f"```python\n{text}\n\n```"
            continue
        markdown = re.sub(r":\w+:`(?:leadbyte\.)?([^`]+)`", r"`\1`", text).replace("``", "`")
        if PARAMETERS.match(markdown):
            lines = (
                re.sub(r"^(.*?): ", r"- `\1`: ", line) if PARAMETERS.match(line) else f"  {line}"
                for line in markdown.split("\n")
            )
            yield "\n".join(lines)
        else:
            yield markdown


def manual(parser: arguments.Parser, level: int) -> Iterator[str]:
    """Yield the Markdown of the manual of a command and of its subcommands."""
    if level > 1:
        yield f"{'#' * level} `{parser.prog}`"
    subcommands: dict[str, arguments.Parser] = {}
    options: list[str] = []
    last_options: list[str] = []
    last = [] if parser.last_group is None else parser.last_group._group_actions
    usage = [parser.prog]
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        if isinstance(action, argparse._SubParsersAction):
            subcommands.update(action.choices)
            continue
        values = str(action.metavar or "") or (f"{{{','.join(action.choices)}}}" if action.choices else "")
        values = "" if action.nargs == 0 else values
        if not action.option_strings:
            repeated = f"{values}..." if action.nargs in {"*", "+"} else values
            usage.append(f"[{repeated}]" if action.nargs in {"*", "?"} else repeated)
        flags = (
            ", ".join(f"`{flag} {values}".rstrip() + "`" for flag in action.option_strings) or f"`{values}`"
        )
        listed = last_options if action in last else options
        listed.append(f"- {flags}: {' '.join(((action.help or '') % vars(action)).split())}")
    usage[1:1] = ["[OPTION...]"] if any("`-" in option for option in options) else []
    yield f"```text\n{' '.join([*usage, 'COMMAND ...'] if subcommands else usage)}\n```"
    name = parser.prog.removeprefix("leadbyte").lstrip()
    page = HELP_TEXTS[name]
    text = f"{page.summary[0].upper()}{page.summary[1:]}.\n\n{page.description}"
    yield from (part if "\n " not in part else f"```text\n{part}\n```" for part in split(text))
    yield from ["\n".join(options)] if options else []
    for title, rows in {
        "Examples": page.examples,
        "Environment": () if name else ENVIRONMENT.items(),
        "Exit codes": page.exit_code_meanings() if page.exit_codes else (),
    }.items():
        if rows:
            yield f"**{title}**"
            yield "\n".join(f"- `{term}`: {meaning}" for term, meaning in rows)
    if last:
        yield f"**{page.last_title}**"
        yield from split(page.last_text)
        yield "\n".join(last_options)
    for subcommand in subcommands.values():
        yield from manual(subcommand, level + 1)


def split(text: str) -> list[str]:
    """Return the paragraphs of a text of the help."""
    return text.strip().split("\n\n")


def main() -> None:
    """Fill all pages, or check that they are filled."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a page is out of date"
    )
    is_check = options.parse_args().check
    stale = []
    for path in sorted(FOLDER.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (text := filled(page)) != page:
            stale.append(path.name)
            if not is_check:
                path.write_text(text, encoding="utf-8", newline="\n")
    if stale:
        print(f"{'out of date' if is_check else 'written'}: {', '.join(stale)}")
    sys.exit(bool(stale) and is_check)


if __name__ == "__main__":
    main()
