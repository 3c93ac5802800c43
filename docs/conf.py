"""How the site is made: ``nox -s docs``."""

from __future__ import annotations
import __future__

import argparse
import ast
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadbyte
from leadbyte import (
    _encodings,
    _explain,
    _files,
    _incremental,
    _leadbyte,
    _sizes,
    _stream,
    mojibake,
    transcode,
    variants,
    websocket,
)
from leadbyte._explain import explanation
from leadbyte.cli import arguments
from leadbyte.cli.help_texts import ENVIRONMENT, HELP_TEXTS
from typing_extensions import get_overloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
REPOSITORY = "https://github.com/leadbyte/leadbyte"
IMAGES = {".png", ".svg"}

project = "leadbyte"
version = release = leadbyte.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["**/*.py"]
nitpick_ignore_regex = [
    ("py:class", r"(array|collections|io|os|typing_extensions)\b.*|Buffer"),
    ("py:class", r"leadbyte\.(ErrorIterator|_\w+)"),
]
smartquotes = False  # docstrings have Python's quotes

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "leadbyte"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_copyright = False
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Dependencies come first.
TYPED = [
    *[_encodings, _explain, explanation, _files, _incremental, _sizes, _stream, mojibake, transcode],
    *[variants._long, *(getattr(variants, name) for name in variants.__all__), websocket],
]
PARAMETERS = re.compile(r"[a-z_]+(, [a-z_]+)*: ")


def show_types() -> None:
    """Let autodoc see what only type checkers do: imports of types, and the extension module's stub."""
    for module in TYPED:
        tree = ast.parse(inspect.getsource(module))
        guards = [node for node in tree.body if isinstance(node, ast.If)]
        tree.body = [
            line for node in guards if ast.unparse(node.test) == "TYPE_CHECKING" for line in node.body
        ]
        exec(compile(tree, str(module.__file__), "exec"), vars(module))
    path = Path(leadbyte.__file__).with_name("_leadbyte.pyi")
    stub: dict[str, Any] = {"__name__": "leadbyte"}
    flags = __future__.annotations.compiler_flag
    exec(compile(path.read_text(encoding="utf-8"), path, "exec", flags), stub)
    for name in leadbyte.__all__:
        if callable(real := getattr(_leadbyte, name, None)):
            setattr(leadbyte, name, documented(stub[name], real))


def documented(declared: Callable[..., object], real: Callable[..., object]) -> Callable[..., object]:
    """Return what is declared, with the docstrings of what is real."""
    doc = real.__doc__
    if overloads := get_overloads(real):
        # The first lines of a docstring can be signatures.
        declared = overloads[0]
        lines = (f"{real.__name__}{inspect.signature(overload)}".replace("'", "") for overload in overloads)
        doc = " \\\n".join(lines) + f"\n\n{doc}"
    declared.__doc__ = doc
    if isinstance(declared, type):
        for name, member in vars(declared).items():
            if not name.startswith("_"):
                member.__doc__ = getattr(real, name).__doc__
    return declared


def list_parameters(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Make lists of the paragraphs in which lines begin with the name of a parameter."""
    paragraphs = [paragraph.split("\n") for paragraph in "\n".join(lines).split("\n\n")]
    for paragraph in paragraphs:
        if PARAMETERS.match(paragraph[0]):
            for number, line in enumerate(paragraph):
                name, _, rest = line.partition(": ")
                paragraph[number] = f"* **{name}**: {rest}" if PARAMETERS.match(line) else f"  {line}"
    lines[:] = "\n\n".join("\n".join(paragraph) for paragraph in paragraphs).split("\n")


def adapt(_app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to what the site does not have lead to the repository; drop what only doctest needs."""
    folder = (DOCS / page).parent

    def link(match: re.Match[str]) -> str:
        target = (folder / match[1]).resolve()
        is_here = target.suffix in IMAGES or (target.is_relative_to(DOCS) and target.suffix != ".py")
        return match[0] if is_here else f"]({REPOSITORY}/blob/main/{target.relative_to(DOCS.parent)})"

    text = re.sub(r"\]\((?!https?:|#)([^)#]+)\)", link, source[0])
    source[0] = text.replace("\n\n```\n", "\n```\n")


def add_commands(_app: Sphinx, page: str, source: list[str]) -> None:
    """Add to the page of the command what its parser tells."""
    if page == "reference/command":
        source[0] += "\n".join(manual(arguments.parser(), 1))


def manual(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    """Give the lines of the manual of a command and of the commands that it has."""
    if level > 1:
        yield f"\n{'#' * level} {parser.prog}\n"
    label = "usage: "
    usage = parser.format_usage().strip().removeprefix(label).replace(f"\n{' ' * len(label)}", "\n")
    yield from (parser.description or "", "```text", usage, "```")
    commands: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        if isinstance(action, argparse._SubParsersAction):
            commands.update(action.choices)
            continue
        values = action.metavar or (f"{{{','.join(action.choices)}}}" if action.choices else "")
        values = "" if action.nargs == 0 else f" {values}"
        flags = ", ".join(f"`{flag}{values}`" for flag in action.option_strings) or f"`{values.strip()}`"
        yield f"\n{flags}\n: {(action.help or '') % vars(action)}\n"
    name = parser.prog.removeprefix("leadbyte").lstrip()
    page = HELP_TEXTS[name]
    for title, entries in {
        "Examples": page.examples,
        "Environment": () if name else ENVIRONMENT.items(),
        "Exit codes": page.exit_code_meanings() if page.exit_codes else (),
    }.items():
        yield f"\n**{title}**\n" if entries else ""
        for term, meaning in entries:
            yield f"`{term}`\n: {meaning}\n"
    for command in commands.values():
        yield from manual(command, level + 1)


def set_language(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Tell browsers the language of a page by its name."""
    if page.endswith(".ru"):
        context["language"] = "ru"


def setup(app: Sphinx) -> None:
    """Connect what is above to the steps of the builder."""
    show_types()
    app.connect("autodoc-process-docstring", list_parameters)
    app.connect("source-read", adapt)
    app.connect("source-read", add_commands)
    app.connect("html-page-context", set_language)
